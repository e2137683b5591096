//! Repairs values in the syntax of other languages: `'a'..'f'`, `1hr 20min`, `2 hours`, `.name.first`.

use super::expressions::{OPERATORS, Pieces};
use super::units::{in_two, is_duration, unit_of};
use super::{SlipFinder, TABLE, WORDS_MAX, slip};
use crate::finding::{Finding, Severity};
use crate::reference;
use askline_syntax::{Span, Word};

impl SlipFinder<'_> {
    /// Repairs a range of letters: Nushell's ranges need numbers.
    pub(super) fn letters(&self, line: &Pieces<'_>, at: usize) -> Option<Finding> {
        let raw = line.text(at);
        let (first, last) = letters(raw)?;
        let is_quoted = raw.len() != "a..f".len();
        let is_listed = 2 <= at && line.text(at - 1) == "in" && line.text(at.saturating_sub(3)) == "for";
        if !line.begins(at) && !is_listed || !is_quoted && self.kind(raw) != reference::CommandKind::Missing {
            return None;
        }
        let call = format!("seq char {first} {last}");
        let own = if line.begins(at) { call } else { format!("({call})") };
        let text = format!("nushell's ranges are of numbers; `{own}` gives letters");
        Some(slip(line.span(at), Severity::Error, &text, &own, &format!("{raw} → {own}")))
    }

    /// Repairs a duration in several words: `1hr 20min`, `2 hours`.
    pub(super) fn time(&self, line: &Pieces<'_>, at: usize) -> Option<Finding> {
        let is_right = 2 <= at && matches!(line.text(at - 1), "+" | "-") && line.is_operand(at - 2);
        if !line.begins(at) && !is_right {
            return None;
        }
        let (mut parts, mut end) = (Vec::new(), at);
        while let Some((part, past)) = part(line, end) {
            parts.push(part);
            end = past;
        }
        let goes_on = line.ends(end) || OPERATORS.contains(&line.text(end));
        // A single word is valid Nushell or is reported by its unit.
        if parts.is_empty() || end == at + 1 || !goes_on {
            return None;
        }
        let sum = parts.join(" + ");
        let own =
            if parts.len() == 1 || line.begins(at) && line.ends(end) { sum } else { format!("({sum})") };
        let span = line.span(at).start..line.span(end - 1).end;
        let change = format!("{} → {own}", self.raw(&span));
        Some(slip(span, Severity::Error, &format!("nushell writes this time as `{own}`"), &own, &change))
    }

    /// Repairs data paths with a leading dot, as in jq, starting at the one that the engine rejects: the engine
    /// reports only the first.
    pub(super) fn pointed(&self, refused: usize) -> Option<Finding> {
        let words = self.commands.iter().flat_map(|command| {
            // In some commands only the first word is a path and values follow.
            let most = match self.own(command) {
                Some(name) if TABLE.paths.contains(name) => WORDS_MAX,
                Some(name) if TABLE.first_paths.contains(name) => 1,
                _ => 0,
            };
            command.words.iter().skip(1).take(most)
        });
        let path = |word: &Word| {
            let path = self.raw(&word.span).strip_prefix('.')?;
            path.starts_with(|c: char| c.is_alphabetic() || c == '_').then(|| path.to_owned())
        };
        let mut pointed: Vec<(Span, String)> = words
            .filter(|word| refused <= word.span.end)
            .filter_map(|word| Some((word.span.clone(), path(word)?)))
            .collect();
        pointed.sort_by_key(|(span, _)| span.start);
        let (first, last) = (pointed.first()?, pointed.last()?);
        if refused < first.0.start {
            return None;
        }
        let whole = first.0.start..last.0.end;
        let mut own = String::new();
        let mut done = whole.start;
        for (span, path) in &pointed {
            own.push_str(self.line.get(done..span.start)?);
            own.push_str(path);
            done = span.end;
        }
        let text = format!("a path into data begins with its first name: `{}`", first.1);
        let change = format!("{} → {own}", self.raw(&whole));
        Some(slip(whole, Severity::Error, &text, &own, &change))
    }
}

/// Returns the ends of `'a'..'f'` or `a..f`.
fn letters(raw: &str) -> Option<(char, char)> {
    let (first, last) = raw.split_once("..")?;
    let letter = |text: &str| {
        let bare = ['\'', '"'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
        let mut letters = bare.unwrap_or(text).chars();
        letters.next().filter(|c| c.is_ascii_alphabetic() && letters.next().is_none())
    };
    Some((letter(first)?, letter(last)?))
}

/// Returns a part of a duration in Nushell syntax and the index of the next piece.
fn part(line: &Pieces<'_>, at: usize) -> Option<(String, usize)> {
    let raw = line.text(at);
    if is_duration(raw) {
        return Some((raw.to_owned(), at + 1));
    }
    if let Some(part) = unit_of(raw).map(|(meant, _)| meant).filter(|meant| is_duration(meant)) {
        return Some((part, at + 1));
    }
    Some((in_two(raw, line.text(at + 1))?, at + 2))
}
