//! The values of a Kubernetes Secret, in YAML or JSON: all that stands below its `data:` or `stringData:`. Encoded in
//! base64, even a password that is a word looks like none.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::compiled;

/// A document of this kind.
static KIND: LazyLock<Regex> = LazyLock::new(|| compiled(r#"\bkind["']?[ \t]*:[ \t]*["']?Secret\b"#));
/// What begins the values.
static DATA: LazyLock<Regex> =
    LazyLock::new(|| compiled(r#"(?m)(?:^[ \t]*|[{,][ \t]*)["']?(?:data|stringData)["']?[ \t]*:[ \t]*"#));
/// One of them on a row of its own: its indentation, its value.
static ROW: LazyLock<Regex> =
    LazyLock::new(|| compiled(r#"^([ \t]*)["']?[\w.-]+["']?[ \t]*:[ \t]*["']?([^\s"']+)"#));
/// One of them between braces.
static PAIR: LazyLock<Regex> = LazyLock::new(|| compiled(r#""[\w.-]+"[ \t]*:[ \t]*"([^"\n]+)""#));

/// The values of all secrets in a text.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if KIND.is_match(text.as_bytes()) {
        for data in DATA.find_iter(text.as_bytes()) {
            let start = data.start() + leading(text, data.start());
            in_braces(text, data.end(), &mut found);
            on_rows(text, start, data.end(), &mut found);
        }
    }
    found
}

/// Blanks from here on.
fn leading(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

/// `{"name": "value", …}`, over one row or several.
fn in_braces(text: &str, from: usize, found: &mut Vec<Range<usize>>) {
    let inside = text.get(from..).and_then(|rest| rest.strip_prefix('{'));
    let inside =
        inside.map(|rest| rest.split_once('}').map_or(rest, |(inside, _)| inside)).unwrap_or_default();
    let pairs = PAIR.captures_iter(inside.as_bytes()).filter_map(|pair| pair.get(1));
    found.extend(pairs.map(|value| from + 1 + value.start()..from + 1 + value.end()));
}

/// Rows that are indented more than the one that begins at `start`.
fn on_rows(text: &str, start: usize, from: usize, found: &mut Vec<Range<usize>>) {
    let before = text.get(..start).unwrap_or_default();
    let indent = start - before.rfind('\n').map_or(0, |end| end + 1);
    let rest = text.get(from..).unwrap_or_default();
    let mut at = from + rest.find('\n').map_or(rest.len(), |end| end + 1);
    for row in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        let Some(captures) = ROW.captures(row.as_bytes()) else { break };
        match (captures.get(1), captures.get(2)) {
            (Some(blanks), Some(value)) if indent < blanks.len() => {
                found.push(at + value.start()..at + value.end())
            }
            _ => break,
        }
        at += row.len();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut found = values(text);
        found.sort_by_key(|span| span.start);
        found.dedup();
        found.into_iter().map(|span| &text[span]).collect()
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
