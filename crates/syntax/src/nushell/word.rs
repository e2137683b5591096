//! Nushell words as commands receive them: without quotes and escapes.

use super::strings::unquoted;
use super::tokens::quote_end;
use crate::{Span, Word};

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
