//! The words of a request, with their place in it.

use askline_syntax::Span;

/// Maximum number of tokens read from a request.
const TOKENS_MAX: usize = 300;

/// A word, number or quoted text of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// Bytes of the request, without quotes and punctuation around it.
    pub(crate) span: Span,
    /// The text as typed, without quotes.
    pub(crate) text: String,
    /// The text in lower case; without apostrophes if it was not in quotes: `dont`.
    pub(crate) lower: String,
    /// `true` if the text was in quotes.
    pub(crate) quoted: bool,
    /// `true` if a comma or semicolon stands before it.
    pub(crate) after_comma: bool,
}

/// Splits a request into tokens. A number and the unit behind it are two tokens: `10MB` is `10` and `mb`.
pub(crate) fn tokens(request: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = 0;
    while let Some((start, quote)) = next_start(request, rest) {
        if tokens.len() >= TOKENS_MAX {
            break;
        }
        let text = request.get(start..).unwrap_or_default();
        if let Some(length) = quote.and_then(|quote| quoted_length(text, quote)) {
            let span = start + 1..start + 1 + length;
            tokens.extend(token(request, span, true));
            rest = start + length + 2;
            continue;
        }
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        rest = start + end;
        plain(request, start..rest, &mut tokens);
    }
    let mut end = 0;
    for token in &mut tokens {
        let before = request.get(end..token.span.start);
        token.after_comma = before.is_some_and(|before| before.contains([',', ';']));
        end = token.span.end;
    }
    tokens
}

/// Returns the offset of the next token and its quotation mark, if it begins with one.
fn next_start(request: &str, from: usize) -> Option<(usize, Option<char>)> {
    let (offset, first) =
        request.get(from..)?.char_indices().find(|(_, c)| !c.is_whitespace() && !"([{,;".contains(*c))?;
    Some((from + offset, "'\"`“‘".contains(first).then_some(first)))
}

/// Returns the length in bytes of the text between quotation marks; `None` if the text begins with an apostrophe.
fn quoted_length(text: &str, quote: char) -> Option<usize> {
    if !quote.is_ascii() {
        return None; // The closing mark differs; the words are read one by one.
    }
    let inner = text.get(1..)?;
    let ends = |(at, _): &(usize, &str)| {
        inner.get(at + 1..).and_then(|rest| rest.chars().next()).is_none_or(|c| !c.is_alphanumeric())
    };
    let (length, _) = inner.match_indices(quote).find(ends)?;
    (0 < length).then_some(length)
}

/// Adds a word without quotes: punctuation around it is removed, and a number is separated from its unit.
fn plain(request: &str, span: Span, tokens: &mut Vec<Token>) {
    let text = request.get(span.clone()).unwrap_or_default();
    let start = span.start + (text.len() - text.trim_start_matches(['“', '‘', '"', '\'', '<']).len());
    let text = request.get(start..span.end).unwrap_or_default();
    let is_end = |c: char| ",;:?!)]}\"'”’`>".contains(c);
    let mut trimmed = text.trim_end_matches(is_end);
    // A final dot ends the sentence; `.` and `..` are directories.
    if !trimmed.trim_matches('.').is_empty() {
        trimmed = trimmed.trim_end_matches('.').trim_end_matches(is_end);
    }
    let end = start + trimmed.len();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let unit = trimmed.get(digits..).unwrap_or_default();
    let unit = unit.strip_prefix('-').unwrap_or(unit);
    if 0 < digits && super::quantity::is_unit(&unit.to_lowercase()) {
        tokens.extend(token(request, start..start + digits, false));
        tokens.extend(token(request, end - unit.len()..end, false));
    } else {
        tokens.extend(token(request, start..end, false));
    }
}

fn token(request: &str, span: Span, quoted: bool) -> Option<Token> {
    let text = request.get(span.clone()).filter(|text| !text.is_empty())?.to_owned();
    let lower = text.to_lowercase();
    let lower = if quoted { lower } else { lower.replace(['\'', '’'], "") };
    Some(Token { span, lower, text, quoted, after_comma: false })
}

/// Reports whether two words are the same, or one the plural of the other.
pub(crate) fn is_same_noun(word: &str, other: &str) -> bool {
    let is_plural = |many: &str, one: &str| {
        many.strip_suffix('s') == Some(one)
            || many.strip_suffix("es") == Some(one)
            || many.strip_suffix("ies").is_some_and(|stem| one.strip_suffix('y') == Some(stem))
    };
    word == other || is_plural(word, other) || is_plural(other, word)
}

/// Reports whether a word of a request names a file: a path or a file name.
pub(crate) fn is_name(word: &str) -> bool {
    is_path(word) || is_file_name(word)
}

/// Reports whether a word of a request is a path. `and/or` is none.
fn is_path(word: &str) -> bool {
    let begins = ["/", "~/", "./", "../"].iter().any(|start| word.starts_with(start)) && word.len() > 2;
    begins && !word.contains(':')
}

/// Reports whether a word of a request is a file name or a pattern: `a.txt`, `*.log`, `.bashrc`.
fn is_file_name(word: &str) -> bool {
    let Some((name, extension)) = word.rsplit_once('.') else { return false };
    let is_extension = (1..=5).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.contains(|c: char| c.is_ascii_alphabetic());
    // `1.5G` is a size.
    let is_size =
        name.chars().all(|c| c.is_ascii_digit()) && extension.starts_with(|c: char| c.is_ascii_digit());
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "*?_-.+[]/".contains(c));
    const NONE: [&str; 9] = ["e.g", "i.e", "a.m", "p.m", "vs.", "a.k.a", "node.js", "vue.js", "asp.net"];
    // `src/main.py` is a file, `.log/.LOG` are two extensions.
    let is_pair = name.contains('/') && !name.starts_with(char::is_alphanumeric);
    is_extension && is_name && !is_size && !is_pair && !NONE.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(request: &str) -> Vec<String> {
        tokens(request).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_numbers_and_quotes_are_separate() {
        for (request, expected) in [
            ("find files, larger than 10MB.", "find|files|larger|than|10|MB"),
            ("print 'hello world' and \"x y\"", "print|hello world|and|x y"),
            ("don't list /etc/hosts. It's", "don't|list|/etc/hosts|It's"),
            ("the parent (..) of .", "the|parent|..|of|."),
            ("older than 30-days or 2h", "older|than|30|days|or|2|h"),
            ("column 3rd of a.tar.gz!", "column|3rd|of|a.tar.gz"),
            ("an 'open quote", "an|open|quote"),
            ("", ""),
        ] {
            assert_eq!(split(request).join("|"), expected, "{request}");
        }
    }

    #[test]
    fn spans_are_those_of_the_request() {
        let request = "ä 'b c', 10MB";
        for token in tokens(request) {
            assert_eq!(request.get(token.span.clone()), Some(token.text.as_str()));
        }
    }
}
