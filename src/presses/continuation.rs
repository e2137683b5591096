//! Words that only make sense as a continuation: "only those changed this week", "same for png".

use std::sync::LazyLock;

use serde::Deserialize;

/// Maximum number of words of a continuation; a longer request says all it needs.
const WORDS_MAX: usize = 12;
/// Maximum number of words of one that begins as a request might, too.
const SHORT_WORDS_MAX: usize = 6;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    begins: Vec<String>,
    short: Vec<String>,
    objects: Vec<String>,
    ends: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("continuation.toml"))
        .expect("the table in the tree parses: a test checks that")
});

/// Reports whether words go on from an earlier request.
pub fn is_continuation(words: &str) -> bool {
    let is_mark = |c: char| matches!(c, ',' | '.' | '!' | '?' | ':' | ';');
    let words: Vec<String> =
        words.split_whitespace().map(|word| word.trim_matches(is_mark).to_lowercase()).collect();
    let text = words.join(" ");
    let begins = |start: &String| text.strip_prefix(start).is_some_and(|rest| rest.starts_with(' '));
    let ends = |end: &String| text.strip_suffix(end).is_some_and(|rest| rest.ends_with(' '));
    let names_file = words.iter().any(|word| word.contains(['.', '/', '*']));
    let is_short = words.len() <= SHORT_WORDS_MAX && !names_file;
    let is_alone = is_short && TABLE.short.contains(&text);
    let is_more = is_short && TABLE.short.iter().any(begins);
    is_alone
        || (2..=WORDS_MAX).contains(&words.len())
            && (is_more
                || TABLE.begins.iter().any(begins)
                || TABLE.ends.iter().any(ends)
                || words.get(1).is_some_and(|second| TABLE.objects.contains(second)))
}

/// Returns a request with words that go on from it, as one request. Models that see it whole keep the earlier conditions
/// (`benches/experiments.md`, "Continuations").
pub fn joined(request: &str, words: &str) -> String {
    format!("{}, {words}", request.trim_end_matches([' ', ',', '.', '?', '!']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuations_are_told_from_requests() {
        for (words, expected) in [
            ("only those changed this week", true),
            ("Only, those changed", true),
            ("same for png", true),
            ("sort them by size", true),
            ("delete it", true),
            ("hidden files too", true),
            ("with line numbers", true),
            ("human readable", true),
            ("recursively", true),
            ("sort by size", true),
            ("sort by the second column of a.csv", false),
            ("with sed replace a by b in every line of x", false),
            ("in src count the lines", false),
            ("list files", false),
            ("show only the names of all users that are logged in", false),
            ("onlyfiles x", false),
            ("only", false),
            ("count the lines of those files", false),
            ("", false),
        ] {
            assert_eq!(is_continuation(words), expected, "{words}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text: String) {
            let _ = is_continuation(&text);
        }
    }
}
