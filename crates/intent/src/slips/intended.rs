//! Slips that the words of a request decide about, as data: `usermod -G docker anna` is right for "docker and no other group".

use std::sync::LazyLock;

use serde::Deserialize;

use crate::phrase::Phrase;
use crate::request::Token;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    intended: Vec<Intended>,
}

/// A slip and the words that decide; its fields are described in `intended.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Intended {
    slip: String,
    #[serde(default)]
    unless: Vec<Phrase>,
    #[serde(default)]
    only_if: Vec<Phrase>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    wrong: (String, String),
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    right: (String, String),
}

static INTENDED: LazyLock<Vec<Intended>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    let table: Table = toml::from_str(include_str!("intended.toml")).expect("intended.toml is well-formed");
    table.intended
});

/// Reports whether a request means what the slip with this explanation does, or does not ask for what it breaks.
pub(crate) fn is_intended(tokens: &[Token], slip: &str) -> bool {
    let is_said = |phrases: &[Phrase]| phrases.iter().any(|phrase| phrase.find(tokens, 0).is_some());
    INTENDED
        .iter()
        .filter(|it| it.slip == slip)
        .any(|it| is_said(&it.unless) || !it.only_if.is_empty() && !is_said(&it.only_if))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn the_words_decide() {
        let is_told = |(request, line): &(String, String), slip: &str| {
            let line = ParsedLine::new(line.as_str(), Shell::Bash);
            crate::mismatches(request, &line).iter().any(|it| it.text == slip)
        };
        for it in INTENDED.iter() {
            assert!(is_told(&it.wrong, &it.slip), "{}", it.slip);
            assert!(!is_told(&it.right, &it.slip), "{}", it.slip);
        }
    }
}
