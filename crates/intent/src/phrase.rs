//! Phrases: patterns for the words of a request, written as data.
//!
//! A phrase is a row of words separated by blanks. `a|b` is one of several words, `word*` any word that begins so,
//! `word?` may be missing, `..` is up to [`GAP_MAX`] words of any kind, `<n>` a number, `<time>` and `<size>` a unit.

use serde::Deserialize;

use crate::quantity::{TimeUnit, number, size_unit};
use crate::request::Token;

/// Maximum number of words that `..` covers.
const GAP_MAX: usize = 3;

/// A compiled phrase.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Phrase(Vec<Part>);

#[derive(Debug, Clone)]
struct Part {
    pattern: Pattern,
    optional: bool,
}

#[derive(Debug, Clone)]
enum Pattern {
    Words(Vec<String>),
    Number,
    Time,
    Size,
    Gap,
}

/// A place of a request where a phrase was found, with the quantities in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Index of the first token.
    pub(crate) first: usize,
    /// Index after the last token.
    pub(crate) end: usize,
    /// Value of `<n>`.
    pub(crate) number: Option<u64>,
    /// Value of `<time>`.
    pub(crate) time: Option<TimeUnit>,
    /// Value of `<size>`, in bytes.
    pub(crate) size: Option<u64>,
}

impl From<String> for Phrase {
    fn from(text: String) -> Self {
        let part = |word: &str| {
            let (word, optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
            let pattern = match word {
                "<n>" => Pattern::Number,
                "<time>" => Pattern::Time,
                "<size>" => Pattern::Size,
                ".." => Pattern::Gap,
                words => Pattern::Words(words.split('|').map(str::to_owned).collect()),
            };
            Part { pattern, optional }
        };
        Self(text.split_whitespace().map(part).collect())
    }
}

impl Phrase {
    /// Returns the first place where the phrase occurs from token `from` on.
    pub(crate) fn find(&self, tokens: &[Token], from: usize) -> Option<Found> {
        (from..tokens.len()).find_map(|first| {
            let mut found = Found { first, ..Found::default() };
            let end = matches(&self.0, tokens, first, &mut found)?;
            // A phrase of optional words alone matches nothing.
            (first < end).then_some(Found { end, ..found })
        })
    }
}

/// Matches the parts at a token; returns the index after the last one.
fn matches(parts: &[Part], tokens: &[Token], at: usize, found: &mut Found) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else { return Some(at) };
    if matches!(part.pattern, Pattern::Gap) {
        return (at..=at + GAP_MAX).find_map(|next| matches(rest, tokens, next, found));
    }
    let before = found.clone();
    if let Some(token) = tokens.get(at).filter(|token| !token.quoted)
        && takes(&part.pattern, token, found)
        && let Some(end) = matches(rest, tokens, at + 1, found)
    {
        return Some(end);
    }
    *found = before;
    if part.optional { matches(rest, tokens, at, found) } else { None }
}

/// Reports whether the pattern matches the token, and keeps its quantity.
fn takes(pattern: &Pattern, token: &Token, found: &mut Found) -> bool {
    let word = token.lower.as_str();
    match pattern {
        Pattern::Words(words) => words.iter().any(|known| match known.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == known,
        }),
        Pattern::Number => {
            let number = number(word);
            found.number = number.or(found.number);
            number.is_some()
        }
        Pattern::Time => {
            let unit = TimeUnit::of(word);
            found.time = unit.or(found.time);
            unit.is_some()
        }
        Pattern::Size => {
            let unit = size_unit(word);
            found.size = unit.or(found.size);
            unit.is_some()
        }
        Pattern::Gap => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::tokens;

    fn found(phrase: &str, request: &str) -> Option<(usize, usize)> {
        let found = Phrase::from(phrase.to_owned()).find(&tokens(request), 0)?;
        Some((found.first, found.end))
    }

    #[test]
    fn words_options_and_gaps() {
        for (phrase, request, expected) in [
            ("not in|under subdir*", "but not in subdirectories", Some((1, 4))),
            ("in the? last <n> <time>", "in last 2 hours", Some((0, 4))),
            ("in the? last <n> <time>", "in the last hour", None),
            ("less .. than <n> <size>", "less or more than 10KB", Some((0, 6))),
            ("less .. than <n> <size>", "less a b c d than 10KB", None),
            ("sort", "print 'sort'", None),
            ("a? b?", "c", None),
        ] {
            assert_eq!(found(phrase, request), expected, "{phrase} in {request}");
        }
    }

    #[test]
    fn quantities_are_kept() {
        let found = Phrase::from("<n> <time>".to_owned()).find(&tokens("in 5 or 20 minutes"), 0).unwrap();
        assert_eq!((found.number, found.time), (Some(20), Some(TimeUnit::Minute)));
    }
}
