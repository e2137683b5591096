//! The tokens of a filter of `jq`: strings, their interpolations and comments are told apart (jq 1.7, manual, "Basic filters",
//! "String interpolation").

use askline_syntax::Span;

/// Signs of more than one character, the longer ones first.
const LONG_SIGNS: [&str; 14] =
    ["?//=", "?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//"];
/// Maximum number of tokens that are read.
const TOKENS_MAX: usize = 200;

/// A token of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilterToken<'f> {
    pub(super) kind: FilterKind<'f>,
    /// Its bytes in the filter.
    pub(super) span: Span,
    /// `true` if the innermost open bracket is `{`.
    pub(super) in_object: bool,
    /// Number of brackets and interpolations around it; a bracket is in none of its own.
    pub(super) depth: usize,
}

/// A kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilterKind<'f> {
    /// `.name`.
    Field(&'f str),
    /// `.` alone.
    Dot,
    /// A function, a keyword, a format such as `@csv`, or a key.
    Word(&'f str),
    /// `$name`.
    Variable,
    Number,
    /// A string, or a part of one between interpolations, as it is written.
    Text(&'f str),
    /// An operator or a bracket; `\(` opens an interpolation.
    Sign(&'f str),
}

/// An open bracket or string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Round,
    Square,
    Curly,
    Interpolation,
}

/// Returns the tokens of a filter; `None` if its brackets or strings do not close, or it has another sign.
pub(super) fn tokens(filter: &str) -> Option<Vec<FilterToken<'_>>> {
    let mut tokens = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(first) = filter.get(at..)?.chars().next() {
        let rest = filter.get(at..)?;
        if TOKENS_MAX < tokens.len() {
            return None;
        }
        let in_object = open.last() == Some(&Open::Curly);
        let depth = open.len();
        let mut add = |kind, length: usize| {
            tokens.push(FilterToken { kind, span: at..at + length, in_object, depth });
            length
        };
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' => {
                let (text, is_closed) = text(rest.get(1..)?)?;
                let length = add(FilterKind::Text(text), 1 + text.len());
                if !is_closed {
                    open.push(Open::Interpolation);
                }
                length + if is_closed { 1 } else { 2 }
            }
            ')' if open.last() == Some(&Open::Interpolation) => {
                add(FilterKind::Sign(")"), 1);
                let (text, is_closed) = text(rest.get(1..)?)?;
                if is_closed {
                    open.pop();
                }
                1 + text.len() + if is_closed { 1 } else { 2 }
            }
            '.' => match (rest.get(1..)?.chars().next(), word(rest.get(1..)?)) {
                (_, name) if !name.is_empty() => add(FilterKind::Field(name), 1 + name.len()),
                (Some('.'), _) => add(FilterKind::Sign(".."), 2),
                (Some(next), _) if next.is_ascii_digit() => {
                    add(FilterKind::Number, 1 + number(rest.get(1..)?))
                }
                _ => add(FilterKind::Dot, 1),
            },
            '$' => match word(rest.get(1..)?) {
                "" => return None,
                name => add(FilterKind::Variable, 1 + name.len()),
            },
            '@' => {
                let name = word(rest.get(1..)?);
                add(FilterKind::Word(name), 1 + name.len())
            }
            _ if first.is_ascii_digit() => add(FilterKind::Number, number(rest)),
            _ => match word(rest) {
                "" => {
                    let sign = sign(rest)?;
                    bracket(sign, &mut open)?;
                    add(FilterKind::Sign(sign), sign.len())
                }
                name => add(FilterKind::Word(name), name.len()),
            },
        };
        at += length;
        // A closing bracket is outside as the opening one is.
        if let Some(last) = tokens.last_mut() {
            last.depth = last.depth.min(open.len());
        }
    }
    open.is_empty().then_some(tokens)
}

/// Opens or closes a bracket; `None` if it closes another one.
fn bracket(sign: &str, open: &mut Vec<Open>) -> Option<()> {
    let opened = match sign {
        "(" => Some(Open::Round),
        "[" => Some(Open::Square),
        "{" => Some(Open::Curly),
        _ => None,
    };
    open.extend(opened);
    let closed = match sign {
        ")" => Open::Round,
        "]" => Open::Square,
        "}" => Open::Curly,
        _ => return Some(()),
    };
    (open.pop()? == closed).then_some(())
}

/// Returns the part of a string up to its end or the next interpolation, and `true` for the end.
fn text(rest: &str) -> Option<(&str, bool)> {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            '(' if is_escaped => return Some((rest.get(..at.checked_sub(1)?)?, false)),
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some((rest.get(..at)?, true)),
            _ => {}
        }
    }
    None
}

/// Returns the name at the beginning of a text; may be empty.
fn word(text: &str) -> &str {
    let is_start = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).filter(|_| is_start).unwrap_or_default()
}

/// Returns the length of the number at the beginning of a text.
fn number(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len())
}

/// Returns the operator or bracket at the beginning of a text.
fn sign(text: &str) -> Option<&str> {
    let long = LONG_SIGNS.iter().find(|sign| text.starts_with(**sign)).map(|sign| sign.len());
    let single = || text.starts_with(|c: char| "|,:;()[]{}+-*/%<>=?".contains(c)).then_some(1);
    text.get(..long.or_else(single)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(filter: &str) -> Option<String> {
        let show = |token: FilterToken<'_>| match token.kind {
            FilterKind::Field(name) => format!(".{name}"),
            FilterKind::Dot => ".".to_owned(),
            FilterKind::Word(name) => name.to_owned(),
            FilterKind::Variable => "$".to_owned(),
            FilterKind::Number => "0".to_owned(),
            FilterKind::Text(text) => format!("'{text}'"),
            FilterKind::Sign(sign) => sign.to_owned(),
        };
        Some(tokens(filter)?.into_iter().map(show).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn strings_interpolations_and_comments_are_told_apart() {
        for (filter, expected) in [
            (".[] | .a.b", Some(". [ ] | .a .b")),
            (r#""\(.a | f("x")) .b \(.c)!""#, Some("'' .a | f ( 'x' ) ) .c )")),
            (r#""say \"hi\" .a""#, Some(r#"'say \"hi\" .a'"#)),
            (".a # .b | .c\n| .d", Some(".a | .d")),
            (".a//0|.b!=1.5", Some(".a // 0 | .b != 0")),
            ("..|$x.y|@csv", Some(".. | $ .y | csv")),
            ("[.[0:2]]", Some("[ . [ 0 : 0 ] ]")),
            ("", Some("")),
            ("[.a", None),
            ("(.a]", None),
            ("\"a", None),
            ("\"\\(.a\"", None),
            (".a & .b", None),
        ] {
            assert_eq!(shown(filter).as_deref(), expected, "{filter}");
        }
    }

    proptest! {
        #[test]
        fn no_filter_panics(filter in r#"[.a-c\[\]{}()|, "\\#$@/=?0-9é]{0,30}"#) {
            if let Some(tokens) = tokens(&filter) {
                assert!(tokens.iter().all(|token| filter.get(token.span.clone()).is_some()));
            }
        }
    }
}
