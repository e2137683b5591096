//! The pattern and template language of the rules.

use std::collections::HashMap;

/// Captured texts by name, for use in a template.
pub(super) type Captures = HashMap<&'static str, String>;

/// A function that returns the number of bytes at the start of a text that belong to a class.
type Length = fn(&str) -> usize;

/// Classes that a pattern may name in braces. Each matches as much as possible.
const CLASSES: [(&str, Length); 9] = [
    ("n", |text| count(text, |c| c.is_ascii_digit())),
    ("date", |text| {
        let date = |text: &str| text.chars().zip("dddd-dd-dd".chars()).all(|(c, form)| is_of(c, form));
        text.get(..10).filter(|head| date(head)).map_or(0, str::len)
    }),
    ("name", |text| {
        let end = count(text, |c| c.is_ascii_alphanumeric() || "._-".contains(c));
        text.get(..end).filter(|name| !name.contains("XX")).map_or(0, str::len)
    }),
    ("script", |text| if is_sed_script(text) { text.len() } else { 0 }),
    ("directives", |text| if text.contains('%') { text.len() } else { 0 }),
    ("words", |text| if is_described(text) { text.len() } else { 0 }),
    ("megabytes", |text| {
        let digits = text.trim_start_matches(['+', '-']).trim_end_matches(['M', 'G', 'T', 'P']);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && !text.ends_with(digits) { text.len() } else { 0 }
    }),
    ("clipboard", |text| if matches!(text, "c" | "clip" | "clipboard") { text.len() } else { 0 }),
    ("any", str::len),
];

fn count(text: &str, is_such: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_such(c)).unwrap_or(text.len())
}

fn is_of(c: char, form: char) -> bool {
    if form == 'd' { c.is_ascii_digit() } else { c == form }
}

/// Reports whether a time is given in words (`1 day ago`), not as a date or a number. The words of an expansion
/// (`@$(date +%s)`) do not count.
fn is_described(text: &str) -> bool {
    let (mut letters, mut depth, mut is_name, mut before) = (0, 0, false, ' ');
    text.chars().any(|c| {
        match c {
            '(' | '{' if before == '$' || 0 < depth => depth += 1,
            ')' | '}' if 0 < depth => depth -= 1,
            _ => {}
        }
        is_name = (is_name || before == '$') && (c.is_ascii_alphanumeric() || c == '_');
        letters = if c.is_ascii_alphabetic() && depth == 0 && !is_name { letters + 1 } else { 0 };
        before = c;
        letters == 3
    })
}

/// Reports whether a word is a sed script or the option before one, not the suffix of a backup file.
fn is_sed_script(text: &str) -> bool {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some('s' | 'y'), Some(c)) => c.is_ascii_punctuation() && c != '.',
        (Some('/' | '$' | '-'), Some(_)) => true,
        (Some('0'..='9'), Some(c)) => c.is_ascii_digit() || ",!adipq".contains(c),
        _ => false,
    }
}

/// Matches a pattern against the whole text and returns its captures; `None` if the text does not match.
pub(super) fn matches(pattern: &str, text: &str) -> Option<Captures> {
    let mut captures = Captures::new();
    let (mut pattern, mut text) = (pattern, text);
    loop {
        let literal = pattern.find('{').unwrap_or(pattern.len());
        let (before, after) = pattern.split_at_checked(literal)?;
        text = text.strip_prefix(before)?;
        if after.is_empty() {
            return text.is_empty().then_some(captures);
        }
        let (name, rest) = after.strip_prefix('{')?.split_once('}')?;
        let (name, length) = CLASSES.iter().find(|(class, _)| *class == name)?;
        let (taken, left) = text.split_at_checked(length(text))?;
        if taken.is_empty() && *name != "any" {
            return None;
        }
        captures.insert(name, taken.to_owned());
        (pattern, text) = (rest, left);
    }
}

/// Fills the captures into a template; `None` if one is missing.
pub(super) fn fill(template: &str, captures: &Captures) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        // Empty braces are literal text, such as find's `{}`.
        let Some((name, left)) = after.split_once('}') else { break };
        filled.push_str(before);
        if name.is_empty() {
            filled.push_str("{}");
        } else {
            filled.push_str(captures.get(name)?);
        }
        rest = left;
    }
    filled.push_str(rest);
    Some(filled)
}

/// Translates each directive of a format, preferring the longest name; `None` if a directive has no translation.
pub(super) fn translated(format: &str, directives: &HashMap<String, String>) -> Option<String> {
    let mut done = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        done.push_str(before);
        let (name, meaning) = directives
            .iter()
            .filter(|(name, _)| after.starts_with(name.as_str()))
            .max_by_key(|(name, _)| name.len())?;
        done.push('%');
        done.push_str(meaning);
        rest = after.get(name.len()..)?;
    }
    done.push_str(rest);
    Some(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let took = |pattern, text| {
            let mut taken: Vec<_> = matches(pattern, text)?.into_iter().collect();
            taken.sort();
            Some(taken.into_iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(took("-{n}d", "-12d").as_deref(), Some("n=12"));
        assert_eq!(took("-{n}d", "-12m"), None);
        assert_eq!(took("-{n}d", "-d"), None);
        assert_eq!(took("{date} {n}:{n}", "2024-01-02 3:4").as_deref(), Some("date=2024-01-02 n=4"));
        assert_eq!(took("{date}", "2024-1-2"), None);
        assert_eq!(took("{date}", "2024-01-0é"), None);
        assert_eq!(took("{name}", "foo.XXXXXX"), None);
        assert_eq!(took("{name}", "foo"), Some("name=foo".to_owned()));
        assert_eq!(took("", ""), Some(String::new()));
        assert_eq!(took("{any}", ""), Some("any=".to_owned()));
        for (text, described) in [
            ("1 day ago", true),
            ("yesterday", true),
            ("$days days ago", true),
            ("$(date +%F) yesterday", true),
            ("2024-01-02T03:04", false),
            ("@12", false),
            ("@$(( $(date +%s) - 86400 ))", false),
            ("@${moment}", false),
            ("$moment", false),
        ] {
            assert_eq!(took("{words}", text).is_some(), described, "{text}");
        }
        for (text, large) in [("+1M", true), ("10G", true), ("+10k", false), ("M", false), ("1", false)] {
            assert_eq!(took("{megabytes}", text).is_some(), large, "{text}");
        }
        assert_eq!(took("{unknown}", "x"), None);
        assert_eq!(took("{directives}", "a %z"), Some("directives=a %z".to_owned()));
        for script in ["s/a/b/", "s|a|b|g", "/x/d", "1d", "$d", "-e", "2,3d", "10q", "y/a/b/"] {
            assert!(took("{script}", script).is_some(), "{script}");
        }
        for suffix in [".bak", "bak", "", "s", "s.bak", "~", "orig"] {
            assert!(took("{script}", suffix).is_none(), "{suffix}");
        }
    }

    #[test]
    fn templates_and_formats() {
        let captures = Captures::from([("n", "3".to_owned())]);
        assert_eq!(fill("-d '{n} day ago'", &captures).as_deref(), Some("-d '3 day ago'"));
        assert_eq!(fill("-exec basename {} ';'", &captures).as_deref(), Some("-exec basename {} ';'"));
        assert_eq!(fill("{missing}", &captures), None);
        assert_eq!(fill("a{b", &captures).as_deref(), Some("a{b"));
        let directives =
            [("z", "s"), ("Sm", "y"), ("m", "Y")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
        assert_eq!(translated("'%z %Sm'", &directives).as_deref(), Some("'%s %y'"));
        assert_eq!(translated("%q", &directives), None);
        assert_eq!(translated("100%", &directives), None);
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(pattern in ".*", text in ".*") {
            matches(&pattern, &text);
            for (class, _) in CLASSES {
                matches(&format!("{{{class}}}"), &text);
            }
            fill(&pattern, &Captures::new());
            translated(&text, &HashMap::from([(pattern, text.clone())]));
        }
    }
}
