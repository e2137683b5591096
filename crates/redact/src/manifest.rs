//! Values of a Kubernetes Secret in YAML or JSON: everything below `data:` or `stringData:`. In base64, even a password
//! that is a word does not look like one.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::compiled;

/// Matches the kind field of a Secret document.
static KIND: LazyLock<Regex> = LazyLock::new(|| compiled(r#"\bkind["']?[ \t]*:[ \t]*["']?Secret\b"#));
/// Matches the key before the values.
static DATA: LazyLock<Regex> =
    LazyLock::new(|| compiled(r#"(?m)(?:^[ \t]*|[{,][ \t]*)["']?(?:data|stringData)["']?[ \t]*:[ \t]*"#));
/// Matches one value on a line of its own: indentation and value.
static ROW: LazyLock<Regex> =
    LazyLock::new(|| compiled(r#"^([ \t]*)["']?[\w.-]+["']?[ \t]*:[ \t]*["']?([^\s"']+)"#));
/// Matches one name and value in braces.
static PAIR: LazyLock<Regex> = LazyLock::new(|| compiled(r#""[\w.-]+"[ \t]*:[ \t]*"([^"\n]+)""#));

/// Returns the spans of all Secret values in a text.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut done = 0;
    if KIND.is_match(text.as_bytes()) {
        for data in DATA.find_iter(text.as_bytes()) {
            // A match inside an earlier one was read with it. Each byte is read once.
            if done <= data.start() {
                let start = data.start() + leading(text, data.start());
                done = in_braces(text, data.end(), &mut found)
                    .unwrap_or_else(|| on_rows(text, start, data.end(), &mut found));
            }
        }
    }
    found
}

/// Returns the number of blanks at `from`.
fn leading(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// Adds the values of `{"name": "value", …}`, on one line or several, and returns its end.
fn in_braces(text: &str, from: usize, found: &mut Vec<Range<usize>>) -> Option<usize> {
    let rest = text.get(from..)?.strip_prefix('{')?;
    let inside = rest.split_once('}').map_or(rest, |(inside, _)| inside);
    let pairs = PAIR.captures_iter(inside.as_bytes()).filter_map(|pair| pair.get(1));
    found.extend(pairs.map(|value| from + 1 + value.start()..from + 1 + value.end()));
    Some(from + 1 + inside.len())
}

/// Adds the values of lines indented more than the line that begins at `start`, and returns their end.
fn on_rows(text: &str, start: usize, from: usize, found: &mut Vec<Range<usize>>) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let indent = start - before.rfind('\n').map_or(0, |end| end + 1);
    let rest = text.get(from..).unwrap_or_default();
    let mut at = from + rest.find('\n').map_or(rest.len(), |end| end + 1);
    for row in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        let Some(captures) = ROW.captures(row.as_bytes()) else { break };
        match (captures.get(1), captures.get(2)) {
            (Some(blanks), Some(value)) if indent < blanks.len() => {
                found.push(at + value.start()..at + value.end());
            }
            _ => break,
        }
        at += row.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut found = values(text);
        found.sort_by_key(|span| span.start);
        found.dedup();
        found.into_iter().filter_map(|span| text.get(span)).collect()
    }

    #[test]
    fn the_values_of_a_secret_are_found() {
        let yaml = "apiVersion: v1\ndata:\n  user: YWRtaW4=\n  tls.key: \"Z2VoZWlt\"\nkind: Secret\nmetadata:\n  name: db\n";
        assert_eq!(found(yaml), ["YWRtaW4=", "Z2VoZWlt"]);
        let text = "items:\n- kind: Secret\n  stringData:\n    user: admin\n  type: Opaque\n";
        assert_eq!(found(text), ["admin"]);
        let json = "{\"data\":{\"user\":\"YWRtaW4=\",\"pw\":\"cHc=\"},\"kind\":\"Secret\",\"name\":\"db\"}";
        assert_eq!(found(json), ["YWRtaW4=", "cHc="]);
        let json = "{\n  \"data\": {\n    \"user\": \"YWRtaW4=\"\n  },\n  \"kind\": \"Secret\"\n}";
        assert_eq!(found(json), ["YWRtaW4="]);
        for text in [
            "kind: ConfigMap\ndata:\n  user: admin\n",
            "kubectl create secret generic db --from-file=data",
            "kind: SecretStore\ndata:\n  user: admin\n",
            "kind: Secret\nmetadata:\n  name: db\n",
        ] {
            assert_eq!(found(text), <[&str; 0]>::default(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn values_lie_in_the_text(text in "(kind: Secret\n|  data:|data: \\{|\\}|\"a\": \"b\"|\n|  x: é|\t|.){0,40}") {
            for span in values(&text) {
                prop_assert!(text.get(span).is_some_and(|value| !value.is_empty()), "{text:?}");
            }
        }
    }
}
