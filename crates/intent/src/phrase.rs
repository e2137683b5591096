//! Phrases: patterns for the words of a request, written as data.
//!
//! A phrase is a row of words separated by blanks. `a|b` is one of several words, `a_b` two words in a row, `word*` any word that begins so,
//! `word?` may be missing, `..` is up to [`GAP_MAX`] words of any kind, but not over
//! a comma in a phrase that begins with a negation, `^` the beginning and `$` the end of the request,
//! `<n>` a number, `<nth>` an ordinal number, `<time>` and `<size>` a unit, `<name>` a quoted text, path or file name, `<word>` any
//! one of them or a plain word. Two letters that are swapped and a letter that is missing are forgiven in long words.

use serde::Deserialize;

use crate::quantity::{TimeUnit, nth, number, size_unit};
use crate::request::{Token, is_name};
use askline_syntax::Span;

/// Maximum number of words that `..` covers.
const GAP_MAX: usize = 3;
/// Words that negate what follows up to a comma.
const NEGATIONS: [&str; 5] = ["not", "no", "don't", "dont", "without"];

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
    Nth,
    Name,
    Word,
    Start,
    End,
    Gap { crosses_commas: bool },
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
    /// Index of the token of `<name>` or `<word>`.
    pub(crate) name: Option<usize>,
}

impl Found {
    /// Returns the bytes of the request that the phrase covers.
    pub(crate) fn span(&self, tokens: &[Token]) -> Option<Span> {
        Some(tokens.get(self.first)?.span.start..tokens.get(self.end.checked_sub(1)?)?.span.end)
    }
}

/// Words that turn the phrase behind them.
const DIRECT_NEGATIONS: [&str; 5] = ["not", "dont", "doesnt", "isnt", "never"];

impl From<String> for Phrase {
    fn from(text: String) -> Self {
        let begins_negated = |word: &str| word.split('|').any(|word| NEGATIONS.contains(&word));
        let crosses_commas = !text.split_whitespace().next().is_some_and(begins_negated);
        let part = |word: &str| {
            let (word, optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
            let pattern = match word {
                "<n>" => Pattern::Number,
                "<time>" => Pattern::Time,
                "<size>" => Pattern::Size,
                "<nth>" => Pattern::Nth,
                "<name>" => Pattern::Name,
                "<word>" => Pattern::Word,
                "^" => Pattern::Start,
                "$" => Pattern::End,
                ".." => Pattern::Gap { crosses_commas },
                words => Pattern::Words(words.split('|').map(|word| word.replace('\'', "")).collect()),
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

    /// Returns the first place where the phrase occurs and no "not" stands directly before it: "not case sensitive".
    pub(crate) fn find_affirmed(&self, tokens: &[Token]) -> Option<Found> {
        let is_negation = |token: &Token| !token.quoted && DIRECT_NEGATIONS.contains(&token.lower.as_str());
        let is_negated = |first: usize| {
            let before = first.checked_sub(1).and_then(|before| tokens.get(before));
            before.is_some_and(is_negation) && tokens.get(first).is_some_and(|token| !token.after_comma)
        };
        let mut from = 0;
        loop {
            let found = self.find(tokens, from)?;
            if !is_negated(found.first) {
                return Some(found);
            }
            from = found.first + 1;
        }
    }
}

/// Matches the parts at a token; returns the index after the last one.
fn matches(parts: &[Part], tokens: &[Token], at: usize, found: &mut Found) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else { return Some(at) };
    if let Pattern::Gap { crosses_commas } = part.pattern {
        let is_open = |next: &usize| {
            crosses_commas || !tokens.iter().take(*next + 1).skip(at).any(|token| token.after_comma)
        };
        return (at..=at + GAP_MAX).take_while(is_open).find_map(|next| matches(rest, tokens, next, found));
    }
    match part.pattern {
        Pattern::Start => return if at == 0 { matches(rest, tokens, at, found) } else { None },
        Pattern::End => return if at == tokens.len() { matches(rest, tokens, at, found) } else { None },
        _ => {}
    }
    let before = found.clone();
    if let Pattern::Words(words) = &part.pattern
        && let Some(end) = words
            .iter()
            .find_map(|word| several(word, tokens, at))
            .and_then(|next| matches(rest, tokens, next, found))
    {
        return Some(end);
    }
    let is_name = matches!(part.pattern, Pattern::Name | Pattern::Word);
    found.name = if is_name { Some(at) } else { found.name };
    if let Some(token) = tokens.get(at).filter(|token| is_name || !token.quoted)
        && takes(&part.pattern, token, found)
        && let Some(end) = matches(rest, tokens, at + 1, found)
    {
        return Some(end);
    }
    *found = before;
    if part.optional { matches(rest, tokens, at, found) } else { None }
}

/// Matches `how_many` at a token; returns the index after the last word.
fn several(words: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let (first, rest) = words.split_once('_')?;
    let mut next = at;
    for word in std::iter::once(first).chain(rest.split('_')) {
        tokens.get(next).filter(|token| !token.quoted && token.lower == word)?;
        next += 1;
    }
    Some(next)
}

/// Reports whether the pattern matches the token, and keeps its quantity.
fn takes(pattern: &Pattern, token: &Token, found: &mut Found) -> bool {
    let word = token.lower.as_str();
    match pattern {
        Pattern::Words(words) => words.iter().any(|known| match known.strip_suffix('*') {
            None if known.starts_with('<') => is_kind(token, known),
            Some(stem) => word.starts_with(stem) || is_slip(word, stem, true),
            None => word == known || is_slip(word, known, false),
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
        Pattern::Nth => {
            let number = nth(word);
            found.number = number.or(found.number);
            number.is_some()
        }
        Pattern::Name => token.quoted || is_name(&token.text),
        Pattern::Word => true,
        Pattern::Start | Pattern::End => false,
        Pattern::Gap { .. } => true,
    }
}

/// Reports whether a token is of the kind that a part of an alternative names: `first|<n>`.
fn is_kind(token: &Token, kind: &str) -> bool {
    let word = token.lower.as_str();
    match kind {
        "<n>" => number(word).is_some(),
        "<nth>" => nth(word).is_some(),
        "<time>" => TimeUnit::of(word).is_some(),
        "<size>" => size_unit(word).is_some(),
        "<name>" => is_name(&token.text),
        _ => word == kind,
    }
}

/// Minimum length of a known word in which two swapped letters are forgiven, and a missing one.
const SWAPPED_MIN: usize = 4;
const MISSING_MIN: usize = 6;

/// Reports whether a word is a known one, or begins with it, with two letters swapped or one missing behind the first.
pub(crate) fn is_slip(word: &str, known: &str, begins: bool) -> bool {
    let (typed, wanted) = (word.as_bytes(), known.as_bytes());
    if typed.first() != wanted.first() || wanted.len() < SWAPPED_MIN {
        return false;
    }
    let same = typed.iter().zip(wanted).take_while(|(a, b)| a == b).count();
    let (typed, wanted) = (typed.get(same..).unwrap_or_default(), wanted.get(same..).unwrap_or_default());
    let goes_on =
        |typed: &[u8], wanted: &[u8]| if begins { typed.starts_with(wanted) } else { typed == wanted };
    match (typed, wanted) {
        ([a, b, rest @ ..], [c, d, wanted @ ..]) if (a, b) == (d, c) => goes_on(rest, wanted),
        ([], [_]) => begins && same + 1 >= MISSING_MIN,
        (typed, [_, wanted @ ..]) => same + 1 + wanted.len() >= MISSING_MIN && goes_on(typed, wanted),
        _ => false,
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
