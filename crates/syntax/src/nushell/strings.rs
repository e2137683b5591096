//! Strings of Nushell: the text in their quotes, and the parts of templates such as `$"a (b)"`.

use super::tokens::{group_end, pieces, quote_end, raw_string_end, template_mark};
use crate::Span;

/// Characters that a backslash in `"…"` leaves as they are.
const PLAIN_ESCAPES: &str = "\"'\\/(){}$^#|~";
/// Maximum number of pieces before a string at the end of a text.
const PIECES_MAX: usize = 4096;

/// Part of the inside of a string template such as `$"a (b) c"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text between expressions, with its escapes.
    Text(Span),
    /// The inside of `(…)`.
    Code(Span),
}

/// Splits the template that `span` of a text covers. `None` if it is no template, or a quote or bracket in it is open.
pub fn template_parts(text: &str, span: Span) -> Option<Vec<TemplatePart>> {
    let bytes = text.as_bytes().get(..span.end)?;
    let quote = bytes.get(span.start + 1).copied().filter(|quote| matches!(quote, b'"' | b'\''))?;
    let mut parts = Vec::new();
    let mut at = bytes.get(span.start).filter(|sign| **sign == b'$').map(|_| span.start + 2)?;
    loop {
        let mark = template_mark(bytes, at, quote)?;
        parts.extend((at < mark).then_some(TemplatePart::Text(at..mark)));
        if bytes.get(mark) == Some(&quote) {
            return (mark + 1 == span.end).then_some(parts);
        }
        at = group_end(text, mark, span.end)?;
        parts.push(TemplatePart::Code(mark + 1..at - 1));
    }
}

/// Returns the span of the quoted string that a text ends with.
pub fn last_quoted(text: &str) -> Option<Span> {
    let last = pieces(text, PIECES_MAX).pop()?;
    (last.end == text.len() && is_quoted(text.get(last.clone())?)).then_some(last)
}

/// Returns the content of a quoted piece; `None` if it is not quoted.
pub(super) fn unquoted(content: &str) -> Option<String> {
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
fn is_quoted(text: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_strings_are_read() {
        for (text, inside) in [
            ("'a b'", Some("a b")),
            ("`a'b`", Some("a'b")),
            (r#""a\t\u{e9}\"""#, Some("a\té\"")),
            ("r##'a'#b'##", Some("a'#b")),
            (r"'a\n'", Some(r"a\n")),
            (r#""\d""#, None),
            (r#""a"#, None),
            ("'a' 'b'", None),
            ("'a'b", None),
            ("r#'a'", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(quoted_text(text).as_deref(), inside, "{text}");
        }
    }

    #[test]
    fn templates_are_split() {
        let parts = |text: &str| {
            let parts = template_parts(text, 0..text.len())?.into_iter().map(|part| match part {
                TemplatePart::Text(span) => text.get(span).unwrap().to_owned(),
                TemplatePart::Code(span) => format!("({})", text.get(span).unwrap()),
            });
            Some(parts.collect::<Vec<_>>().join(","))
        };
        for (text, expected) in [
            (r#"$"a (b) c""#, Some("a ,(b), c")),
            (r#"$"(f ')' "x")""#, Some(r#"(f ')' "x")"#)),
            (r#"$"a\("b""#, None),
            (r#"$"a\(""#, Some(r"a\(")),
            ("$'(a)'", Some("(a)")),
            ("$''", Some("")),
            ("$'a", None),
            (r#"$"(a""#, None),
            ("$`a`", None),
            ("'a'", None),
            ("$", None),
        ] {
            assert_eq!(parts(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_string_at_the_end_is_found() {
        for (text, last) in [
            ("let x = 'a b'", Some("'a b'")),
            (r#"("a \" b""#, Some(r#""a \" b""#)),
            ("'a' 'b'", Some("'b'")),
            ("'a' b", None),
            ("it's", None),
            ("", None),
        ] {
            assert_eq!(last_quoted(text).and_then(|span| text.get(span)), last, "{text}");
        }
    }
}
