//! Nushell words as commands receive them: without quotes and escapes.

use super::tokens::{quote_end, raw_string_end};
use crate::{Span, Word};

/// Characters that a backslash in `"…"` leaves as they are.
const PLAIN_ESCAPES: &str = "\"'\\/(){}$^#|~";

/// Returns a Nushell word, or a piece of one, without its quotes.
pub(crate) fn word(content: &str, span: Span, literal: bool) -> Word {
    // In `--name="value"` only the value is quoted.
    let (before, quoted_part) = match content.split_once('=') {
        Some((before, value)) if before.starts_with('-') && value.starts_with(['"', '\'', '`']) => {
            (content.get(..=before.len()).unwrap_or_default(), value)
        }
        _ => ("", content),
    };
    let unquoted = unquoted(quoted_part);
    let quoted = unquoted.is_some();
    let glob = !quoted && literal && content.contains(['*', '?', '[']);
    let home = !quoted && content.starts_with('~');
    Word {
        span,
        text: format!("{before}{}", unquoted.unwrap_or_else(|| quoted_part.to_owned())),
        literal: literal && !glob && !home,
        quoted,
        glob,
    }
}

/// Returns an external program's argument without its quotes, which may begin and end within the word.
pub(crate) fn external_word(content: &str, span: Span) -> Word {
    let mut word =
        Word { span: span.clone(), text: String::new(), literal: true, quoted: false, glob: false };
    let mut rest = content;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let quoted = rest.get(at..).unwrap_or_default();
        let end = quote_end(quoted.as_bytes(), 0, quoted.bytes().next().unwrap_or(0));
        let inside = end.and_then(|end| quoted.split_at_checked(end));
        let Some((text, (piece, after))) =
            inside.and_then(|(piece, after)| Some((unquoted(piece)?, (piece, after))))
        else {
            break;
        };
        if piece.len() == content.len() {
            break;
        }
        let bare = rest.get(..at).unwrap_or_default();
        word.glob |= bare.contains(['*', '?', '[']);
        word.text.push_str(bare);
        word.text.push_str(&text);
        word.quoted = true;
        rest = after;
    }
    if !word.quoted || content.starts_with("r#") {
        return self::word(content, span, true);
    }
    word.glob |= rest.contains(['*', '?', '[']);
    word.text.push_str(rest);
    word.literal = !word.glob && !content.starts_with('~');
    word
}

/// Returns the content of a quoted piece; `None` if it is not quoted.
fn unquoted(content: &str) -> Option<String> {
    let raw = content.trim_start_matches('r').trim_matches('#');
    if content.starts_with("r#") {
        return raw.strip_prefix('\'')?.strip_suffix('\'').map(str::to_owned);
    }
    for quote in ['\'', '`'] {
        if let Some(inside) = content.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return Some(inside.to_owned());
        }
    }
    unescaped(content.strip_prefix('"')?.strip_suffix('"')?, Some)
}

/// Reports whether a text is one whole quoted string: `'…'`, `"…"`, `` `…` ``, `r#'…'#`.
pub(super) fn is_quoted(text: &str) -> bool {
    let bytes = text.as_bytes();
    let end = match bytes.first() {
        Some(quote @ (b'\'' | b'"' | b'`')) => quote_end(bytes, 0, *quote),
        Some(b'r') => raw_string_end(bytes, 0),
        _ => None,
    };
    end == Some(text.len())
}

/// Returns the text that a whole quoted string stands for. `None` if the text is anything else, or has an escape that
/// Nushell refuses.
pub fn quoted_text(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let text = Some(text).filter(|text| is_quoted(text))?;
    inside.map_or_else(|| unquoted(text), escaped_text)
}

/// Returns the text that the inside of `"…"` or `$"…"` stands for; `None` if it has an escape that Nushell refuses.
pub fn escaped_text(inside: &str) -> Option<String> {
    unescaped(inside, |letter| PLAIN_ESCAPES.contains(letter).then_some(letter))
}

/// Replaces the escapes in the inside of `"…"`; `other` decides on those that stand for no other character.
fn unescaped(inside: &str, other: impl Fn(char) -> Option<char>) -> Option<String> {
    let mut text = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'e' => text.push('\u{1b}'),
            'a' => text.push('\u{7}'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'u' => {
                // `\u{1f600}`
                let digits: String =
                    characters.by_ref().skip(1).take_while(|digit| *digit != '}').take(6).collect();
                text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
            }
            letter => text.push(other(letter)?),
        }
    }
    Some(text)
}
