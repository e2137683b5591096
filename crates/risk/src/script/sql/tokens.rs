//! SQL tokenizer.

use std::ops::Range;

/// Maximum number of tokens per text.
const MAX_TOKENS: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: SqlTokenKind,
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SqlTokenKind {
    /// A name or keyword, in lower case.
    Word(String),
    /// A quoted name.
    Name(String),
    Text(String),
    /// A dollar-quoted text.
    Body(String),
    Mark(char),
}

/// Returns the tokens of a text without comments. If `escapes` is `true`, a backslash escapes quotes.
pub(super) fn tokens(text: &str, escapes: bool) -> Vec<Token> {
    let mut found = Vec::new();
    let mut pos = 0;
    while let Some(rest) = text.get(pos..).filter(|rest| !rest.is_empty() && found.len() < MAX_TOKENS) {
        let Some(c) = rest.chars().next() else { break };
        let from = pos;
        let to_line_end = || rest.find('\n').unwrap_or(rest.len());
        let kind = match c {
            _ if rest.starts_with("--") => {
                pos += to_line_end();
                continue;
            }
            // MySQL runs the text in `/*! … */`.
            _ if rest.starts_with("/*!") => {
                pos += 3 + rest.chars().skip(3).take_while(char::is_ascii_digit).count();
                continue;
            }
            _ if rest.starts_with("*/") => {
                pos += 2;
                continue;
            }
            _ if rest.starts_with("/*") => {
                pos += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            _ if c.is_whitespace() => {
                pos += c.len_utf8();
                continue;
            }
            '\'' => {
                let (inside, length) = quoted(rest, '\'', escapes);
                pos += length;
                SqlTokenKind::Text(inside)
            }
            '"' | '`' => {
                let (inside, length) = quoted(rest, c, escapes);
                pos += length;
                SqlTokenKind::Name(inside)
            }
            '$' => {
                // `$$ … $$`, `$tag$ … $tag$`.
                let tag = rest.get(1..).and_then(|tail| tail.split_once('$')).map(|(tag, _)| tag);
                let tag = tag.filter(|tag| tag.chars().all(|c| c.is_alphanumeric() || c == '_'));
                let body = tag.and_then(|tag| {
                    let mark = format!("${tag}$");
                    let inside = rest.get(mark.len()..)?;
                    let end = inside.find(&mark).unwrap_or(inside.len());
                    Some((inside.get(..end)?.to_owned(), mark.len() * 2 + end))
                });
                match body {
                    Some((body, length)) => {
                        pos = (pos + length).min(text.len());
                        SqlTokenKind::Body(body)
                    }
                    None => {
                        pos += 1;
                        SqlTokenKind::Mark('$')
                    }
                }
            }
            _ if c.is_alphanumeric() || c == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                pos += length;
                SqlTokenKind::Word(rest.get(..length).unwrap_or_default().to_lowercase())
            }
            _ => {
                pos += c.len_utf8();
                SqlTokenKind::Mark(c)
            }
        };
        found.push(Token { kind, at: from..pos });
    }
    found
}

/// Returns the content of the quoted text at the head and its length in bytes with quotes. A doubled quote is one
/// quote.
fn quoted(text: &str, quote: char, escapes: bool) -> (String, usize) {
    let mut inside = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == quote {
            if characters.next_if(|(_, next)| *next == quote).is_some() {
                inside.push(quote);
            } else {
                return (inside, at + 1);
            }
        } else if c == '\\' && escapes {
            inside.extend(characters.next().map(|(_, next)| next));
        } else {
            inside.push(c);
        }
    }
    (inside, text.len())
}
