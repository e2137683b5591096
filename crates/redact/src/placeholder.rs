//! Placeholders for secrets: `SECRET_1_PLACEHOLDER`.
//!
//! A placeholder consists of letters, digits and `_`. So it is one word in every shell, in a URL, in JSON and in
//! quotes, gives a model no reason to correct it, and no number is part of another (`…_1_…`, `…_12_…`).

use std::ops::Range;

use regex::bytes::Regex;

use super::compiled;
use super::kept::{Kept, own_quote};

/// Matcher of placeholders.
pub(super) struct Placeholders(Regex);

/// Returns the placeholder with this number.
pub(super) fn named(number: u32) -> String {
    format!("SECRET_{number}_PLACEHOLDER")
}

/// Reports whether a name ends in a placeholder, such as one directly after an option letter.
pub(super) fn ends_in_one(name: &str) -> bool {
    name.strip_suffix("_PLACEHOLDER")
        .is_some_and(|name| name.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with("SECRET_"))
}

/// Reports whether a placeholder between these texts would be recognised.
pub(super) fn stands_free(before: &str, after: &str) -> bool {
    !after.starts_with(is_word) && (!before.ends_with(is_word) || ends_in_short_option(before))
}

impl Placeholders {
    pub(super) fn new() -> Self {
        // Nine digits fit into a 32-bit number.
        Self(compiled("(?i)SECRET_[0-9]{1,9}_PLACEHOLDER"))
    }

    /// Returns the numbers of all placeholders in the text.
    pub(super) fn numbers(&self, text: &str) -> impl Iterator<Item = u32> {
        self.0.find_iter(text.as_bytes()).filter_map(|found| number(text.get(found.range())?))
    }

    /// Returns the text with `-` for each `_` in its placeholders, which are none then.
    pub(super) fn disarmed(&self, text: &str) -> String {
        let mut disarmed = String::with_capacity(text.len());
        let mut end = 0;
        for place in self.0.find_iter(text.as_bytes()).map(|found| found.range()) {
            disarmed.push_str(text.get(end..place.start).unwrap_or_default());
            disarmed.push_str(&text.get(place.clone()).unwrap_or_default().replace('_', "-"));
            end = place.end;
        }
        disarmed.push_str(text.get(end..).unwrap_or_default());
        disarmed
    }

    /// Returns the spans of assigned placeholders in the text, in order.
    pub(super) fn given_out(&self, text: &str, kept: &Kept) -> Vec<Range<usize>> {
        let found = self.0.find_iter(text.as_bytes()).map(|found| found.range());
        let is_given_out = |place: &Range<usize>| {
            text.get(place.clone()).and_then(number).is_some_and(|number| kept.secret(number).is_some())
        };
        found.filter(is_given_out).collect()
    }

    /// Reports whether a text is a placeholder and nothing else, with or without quotes: an assigned one, or a reserved one of
    /// another set.
    pub(super) fn is_one(&self, text: &str, kept: &Kept) -> bool {
        let text = text.trim_matches(['\'', '"']);
        self.0.find(text.as_bytes()).is_some_and(|found| found.len() == text.len())
            && number(text).is_some_and(|number| kept.is_taken(number))
    }

    /// Returns the text with the secrets restored; see [`super::Redactor::restore`].
    pub(super) fn restored(&self, text: &str, kept: &Kept) -> String {
        let mut restored = String::with_capacity(text.len());
        let mut end = 0;
        for found in self.0.find_iter(text.as_bytes()) {
            let place = found.range();
            let secret = text.get(place.clone()).and_then(number).and_then(|number| kept.secret(number));
            let (Some(secret), Some(before), Some(after)) =
                (secret, text.get(end..place.start), text.get(place.end..))
            else {
                continue;
            };
            let context = text.get(..place.start).unwrap_or_default();
            if !stands_free(context, after) {
                continue;
            }
            let (left, right) = dressed(before, after, own_quote(secret));
            restored.push_str(before.get(..before.len() - left).unwrap_or_default());
            restored.push_str(secret);
            end = place.end + right;
        }
        restored.push_str(text.get(end..).unwrap_or_default());
        restored
    }
}

/// Returns the number of bytes before and after a placeholder that do not belong to the secret.
fn dressed(before: &str, after: &str, own_quote: bool) -> (usize, usize) {
    let (left, right) = if before.ends_with("${") && after.starts_with('}') {
        (2, 1)
    } else if before.ends_with('<') && after.starts_with('>') {
        (1, 1)
    } else {
        (usize::from(before.ends_with('$')), 0)
    };
    let before = before.get(..before.len() - left).unwrap_or_default();
    let after = after.get(right..).unwrap_or_default();
    let is_quoted = |quote| before.ends_with(quote) && after.starts_with(quote);
    let quotes = usize::from(own_quote && (is_quoted('\'') || is_quoted('"')));
    (left + quotes, right + quotes)
}

fn number(placeholder: &str) -> Option<u32> {
    placeholder.split('_').nth(1)?.parse().ok()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Reports whether a text ends in a one-letter option with one dash, such as `… -p`.
fn ends_in_short_option(before: &str) -> bool {
    let mut back = before.chars().rev();
    back.next().is_some_and(|c| c.is_ascii_alphabetic())
        && back.next() == Some('-')
        && back.next().is_none_or(char::is_whitespace)
}
