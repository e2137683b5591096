//! Parser for the parts of Nushell words: strings, lists, records, closures, and the commands in them.

use super::tokens::{self, Inside, TokenKind};
use super::word::{external_word, word};
use crate::parser::Parser;
use crate::{Nesting, Span, Word};

/// Position of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPosition {
    /// Argument of an external program: braces are plain characters, and quotes may occur in the middle.
    External,
    /// Position where Nushell expects a value. Commands in a block there get this nesting.
    Value(Nesting),
}

/// Units after a number, in lower case.
pub(crate) const UNITS: [&str; 23] = [
    "ns", "us", "µs", "μs", "ms", "sec", "min", "hr", "day", "wk", "b", "kb", "mb", "gb", "tb", "pb", "eb",
    "kib", "mib", "gib", "tib", "pib", "eib",
];

impl Parser<'_> {
    /// Parses a word, with the commands in it.
    pub(super) fn value(&mut self, span: Span, place: &WordPosition) -> Word {
        let raw = self.raw(span.clone());
        let expanded =
            || Word { span: span.clone(), text: raw.to_owned(), literal: false, quoted: false, glob: false };
        let external = *place == WordPosition::External;
        match raw.as_bytes() {
            [b'.', b'.', b'.', b'$' | b'(' | b'[' | b'{', ..] => {
                self.value(span.start + 3..span.end, &WordPosition::Value(Nesting::Group));
                expanded()
            }
            [b'$', ..] => {
                if raw.starts_with("$(") {
                    self.error(span.start..span.start + 2, "nushell writes `$(…)` as `(…)`");
                }
                self.groups(span.clone());
                expanded()
            }
            [b'[', ..] => {
                let (start, end) = self.between_braces(&span);
                self.deeper(|parser| parser.items(start..end, Inside::List));
                expanded()
            }
            [b'{', ..] if !external => {
                if self.is_record(&span) {
                    let (start, end) = self.between_braces(&span);
                    self.deeper(|parser| parser.items(start..end, Inside::Record));
                } else if let WordPosition::Value(nesting) = place {
                    self.closure(&span, nesting.clone());
                }
                expanded()
            }
            [b'-', ..] if !external && raw.contains('=') && !raw.contains("=-") => {
                let name = raw.find('=').map_or(raw.len(), |at| at + 1);
                let value = self.value(span.start + name..span.end, place);
                if value.literal || value.quoted || value.glob {
                    let text = format!("{}{}", raw.get(..name).unwrap_or_default(), value.text);
                    Word { span, text, ..value }
                } else {
                    expanded()
                }
            }
            [] => word(raw, span, true),
            _ => {
                if self.groups(span.clone()) {
                    return expanded();
                }
                if external {
                    return external_word(raw, span);
                }
                let word = word(raw, span.clone(), !is_range(raw));
                if is_optional_path(raw) { Word { literal: true, glob: false, ..word } } else { word }
            }
        }
    }

    /// Returns the start and end of the text inside the bracket that a word begins with.
    pub(super) fn between_braces(&self, span: &Span) -> (usize, usize) {
        let close = tokens::group_end(self.raw(0..span.end), span.start, span.end);
        (span.start + 1, close.map_or(span.end, |end| end - 1))
    }

    /// Parses the commands of each `(…)` in a word, outside quotes and in `$"…"`. Returns `false` if there is none.
    fn groups(&mut self, span: Span) -> bool {
        let text = self.raw(0..span.end);
        let bytes = text.as_bytes();
        let mut at = span.start;
        let mut found = false;
        // Closing quote of the open `$"…"`.
        let mut template = None;
        while let Some(mark) = template.map_or(Some(at), |quote| tokens::template_mark(bytes, at, quote))
            && let Some(&byte) = bytes.get(mark)
        {
            at = mark;
            match (byte, template) {
                (b'$', None) if matches!(bytes.get(at + 1), Some(b'"' | b'\'')) => {
                    template = bytes.get(at + 1).copied();
                    found = true;
                    at += 2;
                }
                (b'(', _) => {
                    found = true;
                    let end = tokens::group_end(text, at, span.end);
                    // An open bracket outside quotes is reported already.
                    if end.is_none() && template.is_some() && template == bytes.last().copied() {
                        self.error(at..at + 1, "unclosed bracket");
                    }
                    let inside = at + 1..end.map_or(span.end, |end| end - 1);
                    self.nested(Nesting::Substitution, |parser| {
                        parser.nu_block(inside, Inside::Parentheses);
                    });
                    at = end.unwrap_or(span.end);
                }
                (quote @ (b'\'' | b'"' | b'`'), None) => {
                    at = tokens::quote_end(bytes, at, quote).unwrap_or(span.end);
                }
                (byte, Some(quote)) if byte == quote => {
                    template = None;
                    at += 1;
                }
                _ => at += 1,
            }
        }
        found
    }

    /// Reports whether braces contain a record, not a block; the token after the first word decides.
    fn is_record(&self, span: &Span) -> bool {
        let text = self.raw(0..span.end);
        let (first, _) = tokens::first_tokens(text, span.start + 1..span.end, Inside::Record, 2);
        let spreads = first.first().and_then(|token| text.get(token.span.clone())).is_some_and(is_spread);
        spreads || first.get(1).is_some_and(|token| token.kind == TokenKind::Colon)
    }

    /// Parses a block, or a closure with its parameters; its commands get `nesting`.
    pub(super) fn closure(&mut self, span: &Span, nesting: Nesting) {
        let (start, end) = self.between_braces(span);
        let inside = self.raw(start..end);
        // `{|x, y| …}`
        let parameters = inside.trim_start().strip_prefix('|');
        let body = parameters.map_or(inside, |rest| rest.split_once('|').map_or("", |(_, body)| body));
        self.nested(nesting, |parser| parser.nu_block(end - body.len()..end, Inside::Block));
    }

    /// Parses the values of a list or record.
    fn items(&mut self, span: Span, inside: Inside) {
        let (tokens, _) = tokens::tokens(self.raw(0..span.end), span, inside);
        for token in tokens.into_iter().filter(|token| token.kind == TokenKind::Word) {
            self.value(token.span, &WordPosition::Value(Nesting::Group));
        }
    }
}

/// Reports whether a word is an optional column path: `name?` (the column may be missing) or `name!`
/// (case-insensitive).
fn is_optional_path(raw: &str) -> bool {
    raw.ends_with(['?', '!'])
        && raw.chars().all(|letter| letter.is_alphanumeric() || "_-.?!".contains(letter))
}

fn is_spread(raw: &str) -> bool {
    raw.strip_prefix("...").is_some_and(|rest| rest.starts_with(['$', '(', '{']))
}

/// Reports whether a word is `NAME=value`, an environment variable for the command after it.
pub(crate) fn is_env_assignment(raw: &str) -> bool {
    let Some((name, _)) = raw.split_once('=') else { return false };
    name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}

/// Reports whether the first word of an element is a value, not a command.
pub(super) fn is_value(raw: &str) -> bool {
    raw.starts_with(['(', '{', '[', '$', '"', '\'', '-'])
        || raw.starts_with("r#")
        || matches!(raw, "true" | "false" | "null" | "not")
        || is_number(raw)
        || is_quantity(raw)
        || is_range(raw)
}

/// Reports whether a word is a number or binary data.
fn is_number(raw: &str) -> bool {
    if !raw.starts_with(|first: char| first.is_ascii_digit() || "+.iInN".contains(first)) {
        return false;
    }
    let text = raw.replace('_', "");
    if text.parse::<f64>().is_ok() || ["0x[", "0b[", "0o["].iter().any(|prefix| text.starts_with(prefix)) {
        return true;
    }
    [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().any(|(prefix, radix)| {
        let digits = text.strip_prefix(prefix).filter(|digits| !digits.is_empty());
        digits.is_some_and(|digits| digits.chars().all(|digit| digit.is_digit(radix)))
    })
}

/// Reports whether a word is a number with a unit, or a date.
fn is_quantity(raw: &str) -> bool {
    if !raw.starts_with(|first: char| first.is_ascii_digit() || "+.".contains(first)) {
        return false;
    }
    let number = raw.trim_end_matches(char::is_alphabetic);
    let unit = raw.get(number.len()..).unwrap_or_default().to_lowercase();
    if UNITS.contains(&unit.as_str()) && is_number(number) {
        return true;
    }
    // `2024-01-31`, `2024-01-31T12:00:00`
    let shape = raw.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    shape.eq(*b"0000-00-00") && raw.get(10..).is_some_and(|time| time.is_empty() || time.starts_with('T'))
}

/// Reports whether a word is a range: `1..5`, `..$x`, `1..(ls | length)`, but not `..` nor `../x`.
fn is_range(raw: &str) -> bool {
    if raw.starts_with("...") || !raw.contains("..") {
        return false;
    }
    let mut is_bound = false;
    for bound in raw.split("..").map(|bound| bound.trim_start_matches(['=', '<'])) {
        if bound.starts_with('(') {
            return true;
        }
        if !bound.is_empty() && !bound.starts_with(['$', '-']) && !is_number(bound) {
            return false;
        }
        is_bound |= !bound.is_empty();
    }
    is_bound
}
