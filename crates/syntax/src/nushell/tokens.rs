//! Tokenizer for Nushell: words that end at a blank outside brackets and quotes, and the operators between them.

use crate::Span;

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word, with its brackets and quotes.
    Word,
    /// `|`
    Pipe,
    /// `o>`, `err>>`: the next token is the target.
    Redirection,
    /// `e>` of `e>|`: redirects into the pipe that follows.
    IntoPipe,
    /// `=`, `+=`: everything after it belongs to it, pipes too.
    Assignment,
    /// `;`
    Semicolon,
    /// A newline that ends a command.
    Newline,
    /// `:` in a record.
    Colon,
    /// `&&` and `||` of other shells.
    AndOr,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Bytes of the line that it covers.
    pub span: Span,
}

/// Context of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// Command lines.
    Block,
    /// `(…)`: a newline counts as a blank.
    Parentheses,
    /// `[…]` and the arms of `match`: newlines and commas count as blanks.
    List,
    /// `{…}` with keys: `:` is a token of its own.
    Record,
}

/// Reason why Nushell rejects a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The bracket or quote opened at this span is not closed.
    Unclosed(Span, &'static str),
    /// The closing bracket at this span has no opening one.
    Unexpected(Span),
}

/// Splits `span` of a text into tokens. Also returns the first problem.
pub fn tokens(text: &str, span: Span, inside: Inside) -> (Vec<Token>, Option<Problem>) {
    first_tokens(text, span, inside, usize::MAX)
}

/// Works like [`tokens`], but returns at most `count` tokens.
pub fn first_tokens(text: &str, span: Span, inside: Inside, count: usize) -> (Vec<Token>, Option<Problem>) {
    let mut tokens: Vec<Token> = Vec::new();
    let mut problem = None;
    let bytes = text.as_bytes().get(..span.end).unwrap_or_default();
    let mut at = span.start;
    while let Some(&byte) = bytes.get(at)
        && tokens.len() < count
    {
        let last = tokens.last().map(|token| token.kind);
        let (kind, end) = match byte {
            b'\n' if inside == Inside::Block => {
                // A pipeline continues in the next line after a pipe.
                if matches!(last, None | Some(TokenKind::Pipe | TokenKind::Newline)) {
                    at += 1;
                    continue;
                }
                (TokenKind::Newline, at + 1)
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b',' if matches!(inside, Inside::List | Inside::Record) => {
                at += 1;
                continue;
            }
            b'#' => {
                at = line_end(bytes, at);
                continue;
            }
            b':' if inside == Inside::Record => (TokenKind::Colon, at + 1),
            b';' => (TokenKind::Semicolon, at + 1),
            b'|' if bytes.get(at + 1) == Some(&b'|') => (TokenKind::AndOr, at + 2),
            b'|' => {
                // A pipe at the start of a line continues the line before.
                if last == Some(TokenKind::Newline) {
                    tokens.pop();
                }
                (TokenKind::Pipe, at + 1)
            }
            _ => {
                let (end, found) = word_end(bytes, at, inside);
                problem = problem.or(found);
                (TokenKind::of(text.get(at..end).unwrap_or_default()), end)
            }
        };
        if kind == TokenKind::IntoPipe {
            tokens.push(Token { kind, span: at..end - 1 });
            tokens.push(Token { kind: TokenKind::Pipe, span: end - 1..end });
        } else {
            tokens.push(Token { kind, span: at..end });
        }
        at = end;
    }
    (tokens, problem)
}

impl TokenKind {
    fn of(word: &str) -> Self {
        match word {
            "=" | "+=" | "++=" | "-=" | "*=" | "/=" => Self::Assignment,
            "o>" | "out>" | "o>>" | "out>>" | "e>" | "err>" | "e>>" | "err>>" | "2>" | "2>>" => {
                Self::Redirection
            }
            "o+e>" | "e+o>" | "out+err>" | "err+out>" => Self::Redirection,
            "o+e>>" | "e+o>>" | "out+err>>" | "err+out>>" => Self::Redirection,
            "o>|" | "out>|" | "e>|" | "err>|" => Self::IntoPipe,
            "o+e>|" | "e+o>|" | "out+err>|" | "err+out>|" => Self::IntoPipe,
            "&&" => Self::AndOr,
            _ => Self::Word,
        }
    }

    /// `true` if a statement ends with this token.
    pub fn ends_statement(self) -> bool {
        matches!(self, Self::Semicolon | Self::Newline | Self::AndOr)
    }
}

/// Splits a text at blanks, brackets, `;` and `,`, at any depth: a sign is a piece of its own, a quoted text is never split.
/// Leaves out comments, and a text with an open quote. Returns about `count` pieces at most.
pub fn pieces(text: &str, count: usize) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut pieces: Vec<Span> = Vec::new();
    let (mut at, mut start) = (0, None);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next())
        && pieces.len() < count
    {
        let after = at + c.len_utf8();
        let end = match c {
            _ if c.is_whitespace() || "()[]{};,".contains(c) => {
                pieces.extend(start.take().map(|start| start..at));
                pieces.extend((!c.is_whitespace()).then_some(at..after));
                at = after;
                continue;
            }
            '#' if start.is_none() => {
                at = line_end(bytes, at);
                continue;
            }
            'r' if start.is_none() => raw_start(bytes, at)
                .map_or(after, |(start, hashes)| raw_end(bytes, start, hashes).unwrap_or(bytes.len())),
            '\'' | '"' | '`' => match quote_end(bytes, at, c as u8) {
                Some(end) => end,
                None => return pieces,
            },
            _ => after,
        };
        start.get_or_insert(at);
        at = end;
    }
    pieces.extend(start.map(|start| start..text.len()));
    pieces
}

/// Returns the offset after the bracket that closes the one at `open`.
pub fn group_end(text: &str, open: usize, end: usize) -> Option<usize> {
    let mut scan = Scan::default();
    let bytes = text.as_bytes().get(..end).unwrap_or_default();
    let mut at = open;
    while at < end {
        at = scan.step(bytes, at).ok()?;
        if scan.open.is_empty() {
            return Some(at);
        }
    }
    None
}

/// Returns the end of the word that begins at `start`.
fn word_end(bytes: &[u8], start: usize, inside: Inside) -> (usize, Option<Problem>) {
    let mut scan = Scan::default();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if scan.open.is_empty() {
            let ends = match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' => true,
                b'|' => {
                    let before = bytes.get(start..at).unwrap_or_default();
                    if !before.ends_with(b">>") && before.ends_with(b">") && is_redirection(before) {
                        return (at + 1, None);
                    }
                    true
                }
                b',' => matches!(inside, Inside::List | Inside::Record),
                b':' => inside == Inside::Record,
                _ => false,
            };
            if ends {
                break;
            }
        }
        match scan.step(bytes, at) {
            Ok(next) => at = next,
            Err(problem) => {
                let end = match problem {
                    Problem::Unexpected(ref span) => span.end,
                    Problem::Unclosed(..) => bytes.len(),
                };
                return (end, Some(problem));
            }
        }
    }
    let unclosed = scan.open.first().map(|(_, open)| Problem::Unclosed(*open..*open + 1, "bracket"));
    (at, unclosed)
}

fn is_redirection(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| TokenKind::of(word) == TokenKind::Redirection)
}

/// The open brackets, each with its offset.
#[derive(Debug, Default)]
struct Scan {
    open: Vec<(u8, usize)>,
}

impl Scan {
    /// Skips a byte, a string or a comment.
    fn step(&mut self, bytes: &[u8], at: usize) -> Result<usize, Problem> {
        match bytes.get(at).copied().unwrap_or(0) {
            quote @ (b'\'' | b'"' | b'`') => {
                let unclosed = || Problem::Unclosed(at..at + 1, "quote");
                return quote_end(bytes, at, quote).ok_or_else(unclosed);
            }
            b'r' => {
                if let Some((start, hashes)) = raw_start(bytes, at) {
                    let unclosed = || Problem::Unclosed(at..at + 1, "quote");
                    return raw_end(bytes, start, hashes).ok_or_else(unclosed);
                }
            }
            b'#' if !self.open.is_empty() && bytes.get(at - 1).is_some_and(u8::is_ascii_whitespace) => {
                return Ok(line_end(bytes, at));
            }
            open @ (b'(' | b'[' | b'{') => self.open.push((open, at)),
            close @ (b')' | b']' | b'}') => {
                let matches = match self.open.last() {
                    Some((b'(', _)) => close == b')',
                    Some((b'[', _)) => close == b']',
                    Some(_) => close == b'}',
                    // Nushell treats it as a plain character.
                    None if close == b']' => return Ok(at + 1),
                    None => false,
                };
                if !matches {
                    return Err(Problem::Unexpected(at..at + 1));
                }
                self.open.pop();
            }
            _ => {}
        }
        Ok(at + 1)
    }
}

/// Returns the offset after the quote that closes the one at `open`.
pub fn quote_end(bytes: &[u8], open: usize, quote: u8) -> Option<usize> {
    let mut at = open + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Returns the offset of the next `(` or of the closing quote in the text of `$"…"`.
pub fn template_mark(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut at = start;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            byte if byte == b'(' || byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

/// Returns the offset after a raw string that begins at `at`.
pub(super) fn raw_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let (start, hashes) = raw_start(bytes, at)?;
    raw_end(bytes, start, hashes)
}

/// Returns the offset after the quote that opens a raw string at `at`, `r#'`, and the number of its hashes.
fn raw_start(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let hashes = bytes.get(at + 1..)?.iter().take_while(|byte| **byte == b'#').count();
    let start = at + 2 + hashes;
    (0 < hashes && bytes.get(start - 1) == Some(&b'\'')).then_some((start, hashes))
}

/// Returns the offset after the quote and the hashes that close a raw string whose text begins at `start`.
fn raw_end(bytes: &[u8], start: usize, hashes: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'\'')? + 1;
        let after = bytes.get(at..)?;
        if after.iter().take(hashes).take_while(|byte| **byte == b'#').count() == hashes {
            return Some(at + hashes);
        }
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}
