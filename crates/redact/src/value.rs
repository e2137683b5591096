//! Parsing of the value after a lead, and its classification as secret or not.

use std::ops::Range;

use serde::Deserialize;

use super::entropy;

/// Maximum length of a value, in bytes. Longer random values are recognised without a lead (`entropy`).
const MAX_BYTES: usize = 1024;
/// Maximum length of a name in a list of pairs (`a=1&b=2`), in bytes.
const MAX_NAME_BYTES: usize = 40;
/// Minimum length of a secret of each look, in characters.
const MIN_ANY: usize = 4;
const MIN_ODD: usize = 6;
const MIN_STRONG: usize = 8;
const MIN_MADE: usize = 7;
/// Minimum length of a machine-made secret of letters only, with capitals among them, in characters.
const MIN_LETTERS: usize = 16;
/// Minimum length of a secret of letters only whose case jumps, in bytes.
const MIN_JUMBLED: usize = 8;
/// Minimum number of such jumps; there is also one per three letters.
const MIN_JUMPS: usize = 4;
/// Minimum number of letters, and numbers of digits, in a password of a word and a number.
const MIN_WORD_LETTERS: usize = 4;
const NUMBER_DIGITS: std::ops::RangeInclusive<usize> = 3..=6;
/// Numbers after a word that are a size: `aes256`.
const USUAL_NUMBERS: [&str; 11] =
    ["128", "192", "224", "256", "384", "512", "1024", "2048", "3072", "4096", "8192"];
/// Minimum entropy of a machine-made secret, in bits per character.
const MIN_BITS: f64 = 2.5;
/// Characters that end a word of a shell, a list of pairs or a structure if another item follows.
const SEPARATORS: &str = ";|&<>(){}[],";
/// Characters other than letters and digits that need no quotes in any shell.
const PLAIN: &str = "_./:=+@%,~^-";

/// Look of a secret value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretLook {
    /// Anything that is not plainly something else.
    Any,
    /// A machine-made value.
    Strong,
    /// A value unlike a word.
    Odd,
    /// A machine-made value or a password that is no name: `Rock@x58` or `dh37fgj492je88aq`, not `server2019`.
    Made,
    /// Like `Made`, or a word with a number that is no year and no usual size: `river2564`.
    Guess,
    /// A short code, which may consist of digits alone.
    Code,
}

/// Value in a text.
pub(super) struct Value {
    /// Span with quotes if the value needs them.
    pub(super) whole: Range<usize>,
    /// Span without quotes.
    pub(super) inner: Range<usize>,
}

/// Values that are not secrets.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Values {
    words: Vec<String>,
    starts: Vec<String>,
    extensions: Vec<String>,
}

/// Returns the quoted or unquoted value at an offset.
pub(super) fn at(text: &str, at: usize) -> Option<Value> {
    let rest = text.get(at..text.ceil_char_boundary(at.saturating_add(MAX_BYTES)))?;
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        // `""` before another quote begins a multi-line string in some languages.
        let is_opening =
            |length: &usize| *length == 2 && rest.get(2..).is_some_and(|rest| rest.starts_with(quote));
        if let Some(length) = quoted(rest, quote).filter(|length| !is_opening(length)) {
            let inner = at + 1..at + length - 1;
            let is_plain = text.get(inner.clone())?.chars().all(is_plain);
            let whole = if is_plain { inner.clone() } else { at..at + length };
            return Some(Value { whole, inner });
        }
    }
    // An unclosed quote, or an escaped one (`\"`), is not part of the value.
    let skipped = rest.len() - rest.trim_start_matches(['\\', '"', '\'', '`']).len();
    let length = bare(rest.get(skipped..)?);
    let inner = at + skipped..at + skipped + length;
    (length != 0).then(|| Value { whole: inner.clone(), inner })
}

/// Reports whether a value is unlike a word: letters mixed with digits or signs.
pub(super) fn is_odd(value: &str) -> bool {
    let has = |is: fn(char) -> bool| value.contains(is);
    is_jumbled(value)
        || has(char::is_alphanumeric)
            && (has(|c| c.is_ascii_digit())
                || has(|c| c.is_ascii_punctuation() && !"_./:=,'\"@()-".contains(c)))
}

impl Values {
    /// Reports whether a value with this look is a secret.
    pub(super) fn is_secret(&self, value: &str, look: SecretLook) -> bool {
        let length = value.chars().count();
        let looks = match look {
            SecretLook::Any => MIN_ANY <= length,
            SecretLook::Odd => MIN_ODD <= length && is_odd(value) && value.contains(char::is_alphabetic),
            SecretLook::Strong => MIN_STRONG <= length && is_strong(value),
            SecretLook::Made => MIN_MADE <= length && is_made(value),
            SecretLook::Guess => MIN_MADE <= length && (is_made(value) || is_word_with_number(value)),
            SecretLook::Code => MIN_ANY <= length && is_code_number(value),
        };
        looks && !self.is_other(value)
    }

    /// Reports whether a value is plainly something else.
    fn is_other(&self, value: &str) -> bool {
        let lower = value.to_lowercase();
        let word = lower.trim_end_matches(['.', ',', ';', ':', '!', '?', '/']);
        let first = value.chars().next();
        self.words.iter().any(|other| other == word)
            || self.starts.iter().any(|start| lower.starts_with(start.as_str()))
            || value.chars().all(|c| Some(c) == first)
            || value.starts_with(['-', '`'])
            || (value.starts_with('%') && value.ends_with('%'))
            || is_variable(value)
            || is_key_name(value)
            || is_numeric_address(value)
            || is_code(value)
            || self.is_path(value)
    }

    fn is_path(&self, value: &str) -> bool {
        let starts = ["/", "~/", "./", "../"].iter().any(|start| value.starts_with(start))
            || value.get(1..).is_some_and(|rest| rest.starts_with(":\\"));
        let extension = value.rsplit_once('.').map(|(_, end)| end.to_lowercase());
        (starts && !value.split('/').any(entropy::is_chance))
            || extension.is_some_and(|end| self.extensions.contains(&end))
    }
}

/// Returns the length of a quoted value with its quotes, or `None` if it does not end on its line.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\n' => return None,
            '\\' if quote == '"' => is_escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the length of an unquoted value. A separator ends it only before a new item, because a password may contain
/// separators.
fn bare(rest: &str) -> usize {
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = rest.get(at + c.len_utf8()..).unwrap_or_default();
        if c.is_whitespace()
            || matches!(c, '"' | '\'' | '`')
            || (c == '\\' && after.starts_with(['"', '\'', 'n', 'r', '\n']))
            || (SEPARATORS.contains(c) && separates(after))
            || (c == '<' && after.starts_with('/'))
        {
            return at;
        }
        if c == '\\' {
            chars.next();
        }
    }
    rest.len()
}

/// Reports whether the text after a separator is a new item.
fn separates(after: &str) -> bool {
    let Some(next) = after.chars().next() else { return true };
    if next.is_whitespace() || matches!(next, '"' | '\'' | '\\' | '$') || SEPARATORS.contains(next) {
        return true;
    }
    let name = after
        .bytes()
        .take(MAX_NAME_BYTES)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte));
    after.as_bytes().get(name.count()).is_some_and(|byte| matches!(byte, b'=' | b':'))
}

/// Reports whether a value is varied and mixes letters and digits, or is long and contains capitals.
fn is_strong(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let (digits, letters) = (has(u8::is_ascii_digit), has(u8::is_ascii_alphabetic));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && MIN_LETTERS <= value.len();
    !value.contains(char::is_whitespace)
        && ((digits && letters) || is_mixed)
        && MIN_BITS <= entropy::bits(value)
}

/// Reports whether a value is a password or machine-made, and no name of a host, a file, a version or an algorithm.
fn is_made(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let has = |is: fn(char) -> bool| usize::from(value.contains(is));
    let has_sign = has(|c| "!#$%&*+?^~@".contains(c)) == 1;
    let has_digit = has(|c| c.is_ascii_digit()) == 1;
    let kinds = has(|c| c.is_lowercase()) + has(|c| c.is_uppercase()) + usize::from(has_sign);
    // `Server2019`, `Python3.12`.
    let after_word = value.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_version = after_word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_address = (value.contains(['/', '=']) && !entropy::is_chance(value)) || is_mail(value);
    has_digit && !is_version && !is_address && (2 <= kinds || is_mixed_long(value) || entropy::is_uuid(value))
}

/// Reports whether a value is a word and a number of 3 to 6 digits that is no year and no size of a key.
fn is_word_with_number(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let number = value.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_usual = USUAL_NUMBERS.contains(&number)
        || (number.len() == 4 && (number.starts_with("19") || number.starts_with("20")));
    MIN_WORD_LETTERS <= value.len() - number.len()
        && (NUMBER_DIGITS.contains(&number.len())
            || number.len() == 2 && value.starts_with(|c: char| c.is_ascii_uppercase()))
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && !is_usual
}

/// Reports whether a value consists of letters whose case changes as often as in random text.
fn is_jumbled(value: &str) -> bool {
    let bytes = value.as_bytes();
    let changes =
        bytes.windows(2).filter(|pair| pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase());
    MIN_JUMBLED <= bytes.len()
        && bytes.iter().all(u8::is_ascii_alphabetic)
        && (MIN_JUMPS.max(bytes.len() / 3)..).contains(&changes.count())
}

/// Reports whether a value has the form of the name of a key of GnuPG: 16 or 40 digits, with capitals.
fn is_key_name(value: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte);
    [16, 40].contains(&value.len()) && value.bytes().all(is_digit)
}

/// Reports whether a value is as long as a key, and letters and digits alternate in it.
fn is_mixed_long(value: &str) -> bool {
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=');
    MIN_LETTERS <= value.len()
        && value.chars().all(is_key)
        && is_strong(value)
        && (entropy::is_mixed(value) || value.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Reports whether a value is `name@host.domain`.
fn is_mail(value: &str) -> bool {
    value.split_once('@').is_some_and(|(_, host)| {
        host.contains('.') && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
    })
}

/// Reports whether a value consists of digits, letters and hyphens, with a digit among them.
fn is_code_number(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    value.contains(|c: char| c.is_ascii_digit())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Reports whether a value is `$name`, `${…}` or `$(…)`, also at the head of a path.
fn is_variable(value: &str) -> bool {
    let Some(name) = value.strip_prefix('$') else { return false };
    let end = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    name.starts_with(['{', '(', '@'])
        || (end.len() < name.len() && (end.is_empty() || end.starts_with(['/', '.', ':', '('])))
}

/// Reports whether a value is the address of a host or a port: `127.0.0.1:8080:80/tcp`.
fn is_numeric_address(value: &str) -> bool {
    let numbers = value.trim_end_matches(|c: char| c.is_ascii_lowercase()).trim_end_matches('/');
    numbers.contains([':', '.']) && numbers.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'))
}

/// Reports whether a value is a call or an access in a program: `getpass()`, `config.token`, `list[`.
fn is_code(value: &str) -> bool {
    let name = value.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '.');
    name.len() < value.len()
        && ((name.is_empty() && value.contains('.')) || name.starts_with(['(', '[']) && !is_odd(name))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || PLAIN.contains(c)
}
