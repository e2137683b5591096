//! Words in capitals: `ERROR`, `TODO`. People type them so because the text has them so.

use crate::literal::{has_twin, is_column};
use crate::mismatch::Mismatch;
use crate::request::Token;
use crate::sample::{is_like_example, is_open, is_placeholder};
use askline_syntax::{ParsedLine, SimpleCommand};

/// Minimum length of such a word, in characters.
const WORD_MIN: usize = 4;
/// Words that people write in capitals.
const ACRONYMS: [&str; 47] = [
    "CRLF",
    "JSON",
    "HTML",
    "HTTP",
    "HTTPS",
    "JPEG",
    "YAML",
    "TOML",
    "ASCII",
    "UUID",
    "URLS",
    "README",
    "MAKEFILE",
    "GZIP",
    "UTF8",
    "SHA1",
    "SHA256",
    "IPV4",
    "IPV6",
    "PATH",
    "HOME",
    "HEAD",
    "NOTE",
    "ONLY",
    "THIS",
    "NOT",
    "EVERY",
    "EACH",
    "FILE",
    "FILES",
    "FOLDER",
    "LINE",
    "LINES",
    "WORD",
    "PLEASE",
    "WITHOUT",
    "EXCEPT",
    "FIRST",
    "LAST",
    "SUDO",
    "POSIX",
    "BASH",
    "LINUX",
    "REGEX",
    "MIME",
    "DIRECTORY",
    "STAT",
];

/// Returns a mismatch for a word in capitals that the line lacks or has in small letters.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    if is_open(request) {
        return None;
    }
    let is_word = |token: &&Token| {
        let text = token.text.as_str();
        !token.quoted
            && text.chars().count() >= WORD_MIN
            && text.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && !is_placeholder(text)
            && !ACRONYMS.contains(&text)
    };
    // Elsewhere a word in capitals may be an option or a part of a description.
    let searches =
        ["grep", "egrep", "fgrep", "rg", "awk", "sed", "find", "tr", "jq", "perl", "tail", "head", "cat"];
    let is_text = |command: &SimpleCommand| command.name().is_some_and(|name| searches.contains(&name));
    if !line.parsed().commands.iter().any(is_text) {
        return None;
    }
    let words: Vec<&Token> = tokens.iter().filter(is_word).collect();
    let may_differ = |token: &Token| {
        let at = tokens.iter().position(|other| other.span == token.span).unwrap_or_default();
        is_column(tokens, at, line) || is_like_example(tokens, at)
    };
    // Some people type everything in capitals.
    if words.len() * 2 > tokens.len() {
        return None;
    }
    let token =
        words.into_iter().find(|token| !line.text().contains(token.text.as_str()) && !may_differ(token))?;
    let is_small = line.text().to_lowercase().contains(&token.lower);
    let asks =
        ["case", "insensitive", "capitals", "upper", "lower", "capitalisation", "lowercase", "uppercase"];
    let is_asked = tokens.iter().any(|token| asks.iter().any(|stem| token.lower.contains(stem)));
    // `$item`, `.nick`: the line has it as a variable.
    let is_variable = ["$", "."].iter().any(|sign| line.text().contains(&format!("{sign}{}", token.lower)));
    if has_twin(tokens, token) || is_small && (is_asked || is_variable) {
        return None;
    }
    let text = if is_small {
        format!("you wrote `{}` in capitals; the line does not", token.text)
    } else {
        format!("you named `{}`; the line does not", token.text)
    };
    Some(Mismatch::likely(0..line.text().len(), text).about(token.span.clone()))
}
