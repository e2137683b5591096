//! Values as other languages write them: `'a'..'f'`, `1hr 20min`, `2 hours`, `.name.first`.

use super::expressions::{OPERATORS, Pieces};
use super::units::{is_duration, unit_of};
use super::{Reader, TABLE, slip};
use crate::check::{Finding, Grade};
use crate::reference;
use crate::syntax::{SimpleCommand, Word};

impl Reader<'_> {
    /// Letters from one to another: Nushell's ranges are of numbers.
    pub(super) fn letters(&self, line: &Pieces<'_>, at: usize) -> Option<Finding> {
        let raw = line.text(at);
        let (first, last) = letters(raw)?;
        let is_quoted = raw.len() != "a..f".len();
        let is_listed = 2 <= at && line.text(at - 1) == "in" && line.text(at.saturating_sub(3)) == "for";
        if !line.begins(at) && !is_listed || !is_quoted && self.kind(raw) != reference::Kind::Missing {
            return None;
        }
        let call = format!("seq char {first} {last}");
        let own = if line.begins(at) { call } else { format!("({call})") };
        let text = format!("nushell's ranges are of numbers; `{own}` gives letters");
        Some(slip(line.span(at), Grade::Error, &text, &own, &format!("{raw} → {own}")))
    }

    /// A time in several words: `1hr 20min`, `2 hours`.
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
        // In one word it is what the engine reads, or told by its unit.
        if parts.is_empty() || end == at + 1 || !goes_on {
            return None;
        }
        let sum = parts.join(" + ");
        let own =
            if parts.len() == 1 || line.begins(at) && line.ends(end) { sum } else { format!("({sum})") };
        let span = line.span(at).start..line.span(end - 1).end;
        let change = format!("{} → {own}", self.raw(&span));
        Some(slip(span, Grade::Error, &format!("nushell writes this time as `{own}`"), &own, &change))
    }

    /// Paths into data with a point before them, as jq writes them.
    pub(super) fn pointed(&self, command: &SimpleCommand) -> Vec<Finding> {
        if !self.own(command).is_some_and(|name| TABLE.paths.contains(name)) {
            return Vec::new();
        }
        let slip = |word: &Word| {
            let raw = self.raw(&word.span);
            let path = raw.strip_prefix('.')?;
            let is_path = path.starts_with(|c: char| c.is_alphabetic() || c == '_');
            let text = format!("a path into data begins with its first name: `{path}`");
            is_path.then(|| slip(word.span.clone(), Grade::Error, &text, path, &format!("{raw} → {path}")))
        };
        command.words.iter().skip(1).filter_map(slip).collect()
    }
}

/// The ends of `'a'..'f'` or `a..f`.
fn letters(raw: &str) -> Option<(char, char)> {
    let (first, last) = raw.split_once("..")?;
    let letter = |text: &str| {
        let bare = ['\'', '"'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
        let mut letters = bare.unwrap_or(text).chars();
        letters.next().filter(|c| c.is_ascii_alphabetic() && letters.next().is_none())
    };
    Some((letter(first)?, letter(last)?))
}

/// A part of a time, as Nushell writes it, and the piece behind it.
fn part(line: &Pieces<'_>, at: usize) -> Option<(String, usize)> {
    let raw = line.text(at);
    if is_duration(raw) {
        return Some((raw.to_owned(), at + 1));
    }
    if let Some(part) = unit_of(raw).map(|(meant, _)| meant).filter(|meant| is_duration(meant)) {
        return Some((part, at + 1));
    }
    // A single letter may be another word.
    let unit = Some(line.text(at + 1)).filter(|unit| 1 < unit.len())?;
    let own = TABLE.units.get(unit).map_or(unit, String::as_str);
    let whole = format!("{raw}{own}");
    let is_number = raw.starts_with(|c: char| c.is_ascii_digit());
    (is_number && is_duration(&whole)).then_some((whole, at + 2))
}
