//! Parsing of the value after a lead, and its classification as secret or not.

use std::ops::Range;

use serde::Deserialize;

use super::entropy;

/// Maximum length of a value, in bytes. Longer random values are recognised without a lead (`entropy`).
const BYTES_MAX: usize = 1024;
/// Maximum length of a name in a list of pairs (`a=1&b=2`), in bytes.
const NAME_BYTES_MAX: usize = 40;
/// Minimum length of a secret of each look, in characters.
const ANY_MIN: usize = 4;
const ODD_MIN: usize = 6;
const STRONG_MIN: usize = 8;
const MADE_MIN: usize = 7;
/// Minimum length of a password of digits only, in bytes.
const DIGITS_MIN: usize = 6;
/// Minimum number of groups and of letters in each, in a password that a program made for people: `abcd-efgh-ijkl`.
const GROUPS_MIN: usize = 3;
const GROUP_LETTERS_MIN: usize = 4;
/// Minimum length of a part of a code, in bytes.
const CODE_PART_MIN: usize = 3;
/// Maximum number of codes after the first.
const MORE_CODES_MAX: usize = 32;
/// Minimum length of a machine-made secret of letters only, with capitals among them, in characters.
const LETTERS_MIN: usize = 16;
/// Minimum length of a secret in which small letters and digits alternate, and minimum number of its digits.
const ALTERNATING_MIN: usize = 12;
const ALTERNATING_DIGITS_MIN: usize = 3;
/// Minimum length of a secret of letters only whose case jumps, in bytes.
const JUMBLED_MIN: usize = 8;
/// Minimum number of such jumps; there is also one per three letters.
const JUMPS_MIN: usize = 4;
/// Minimum number of letters, and numbers of digits, in a password of a word and a number.
const WORD_LETTERS_MIN: usize = 4;
/// Minimum number of letters of a word with a capital and one digit, longer than the names of programs: `Nachtigall7`.
const NOUN_LETTERS_MIN: usize = 8;
const NUMBER_DIGITS: std::ops::RangeInclusive<usize> = 3..=6;
/// Numbers after a word that are a size: `aes256`.
const USUAL_NUMBERS: [&str; 11] =
    ["128", "192", "224", "256", "384", "512", "1024", "2048", "3072", "4096", "8192"];
/// Minimum entropy of a machine-made secret, in bits per character.
const BITS_MIN: f64 = 2.5;
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
    /// A value unlike a word, or digits as long as a password.
    Said,
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
    let rest = text.get(at..text.ceil_char_boundary(at.saturating_add(BYTES_MAX)))?;
    if let Some(quoted) = rest.strip_prefix('$').filter(|rest| rest.starts_with('\'')) {
        // `$'…'` of bash and zsh.
        let length = self::quoted(quoted, '\'').filter(|length| 2 < *length)?;
        return Some(Value { whole: at..at + 1 + length, inner: at + 2..at + length });
    }
    // `b'…'` of Python, `@"…"` of C#.
    let is_marked = |rest: &str| rest.starts_with(['"', '\'']);
    if rest.strip_prefix(['b', 'r', 'u', 'f', '@']).is_some_and(is_marked) {
        return self::at(text, at + 1);
    }
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        // `""` before another quote begins a multi-line string in some languages.
        let is_opening =
            |length: &usize| *length == 2 && rest.get(2..).is_some_and(|rest| rest.starts_with(quote));
        if let Some(length) = quoted(rest, quote).filter(|length| !is_opening(length)) {
            let inner = at + 1..at + length - 1;
            let more = glued(rest.get(length..).unwrap_or_default());
            if more != 0 {
                return Some(Value { whole: at..at + length + more, inner: at..at + length + more });
            }
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

/// Returns the quote before a simple name at the end of a text: `'joe:`, `"PASSWORD=`.
pub(super) fn open_quote(text: &str) -> Option<char> {
    let start = text.ceil_char_boundary(text.len().saturating_sub(NAME_BYTES_MAX));
    let last = text.get(start..)?.rsplit(char::is_whitespace).next().unwrap_or_default();
    let quote = last.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let name = last.get(1..)?;
    let is_simple = name.chars().all(|c| c.is_ascii_alphanumeric() || "._@+-:=%,".contains(c));
    (is_simple && name.ends_with([':', '=', '%', ','])).then_some(quote)
}

/// Returns the value from an offset up to the quote, if a blank or a sign in it would end it without quotes.
pub(super) fn quoted_at(text: &str, at: usize, quote: char) -> Option<Value> {
    let rest = text.get(at..text.ceil_char_boundary(at.saturating_add(BYTES_MAX)))?;
    let (value, _) = rest.split_once(quote)?;
    let is_one = !value.contains(['\n', '=', '{', ',']) && !is_variable(value);
    let inner = at..at + value.len();
    (is_one && value.contains([' ', '"', '\'', ';', '&'])).then(|| Value { whole: inner.clone(), inner })
}

/// Reports whether a value is unlike a word: letters mixed with digits or signs.
pub(super) fn is_odd(value: &str) -> bool {
    let has = |is: fn(char) -> bool| value.contains(is);
    is_jumbled(value)
        || has(char::is_alphanumeric)
            && (has(|c| c.is_ascii_digit())
                || has(|c| c.is_ascii_punctuation() && !"_./:=,'\"@()-".contains(c)))
}

impl SecretLook {
    /// Returns the look of a value that is in quotes if `is_quoted`: after a word for password, these are quotes of it.
    pub(super) fn of_quoted(self, is_quoted: bool) -> Self {
        if self == Self::Said && is_quoted { Self::Any } else { self }
    }
}

/// Returns the length of the quoted parts that directly follow a quoted part of a shell's word: `'ab'\''cd'`. The first
/// is one character in quotes or after a backslash; otherwise another text begins there.
fn glued(rest: &str) -> usize {
    let starts = ["\\'", "\"'\"'", "'\"'\""];
    let Some(start) = starts.iter().find(|start| rest.starts_with(**start)) else { return 0 };
    let after = rest.get(start.len()..).unwrap_or_default();
    // The quote that the third part begins with may be part of the start.
    let open = if start.ends_with('\'') && start.len() == 4 { 1 } else { 0 };
    let tail = rest.get(start.len() - open..).unwrap_or_default();
    match tail.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        Some(quote) => quoted(tail, quote).map_or(start.len(), |length| start.len() - open + length),
        None => start.len() + bare(after),
    }
}

/// Reports whether a value in a text is the name of a function that is called: `getpass()`.
pub(super) fn is_called(text: &str, value: &Range<usize>) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.get(value.end..).is_some_and(|rest| rest.starts_with('('))
        && text.get(value.clone()).is_some_and(|name| name.chars().all(is_name))
}

/// Returns the codes that follow the first one, each of the same length.
pub(super) fn more_codes(text: &str, first: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = first.end;
    while found.len() < MORE_CODES_MAX {
        let rest = text.get(at..).unwrap_or_default();
        let next = rest.trim_start_matches([' ', ',', ';', '/', '\n', '\t']);
        let start = text.len() - next.len();
        let length = next.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(next.len());
        let code = next.get(..length).unwrap_or_default();
        let is_alike = length == first.len() || length.abs_diff(first.len()) <= 1 && is_number(code);
        if start == at || CODE_PART_MIN > length || !is_alike || !is_code_number(code) {
            break;
        }
        found.push(start..start + length);
        at = start + length;
    }
    found
}

fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit())
}

impl Values {
    /// Reports whether a value with this look is a secret.
    pub(super) fn is_secret(&self, value: &str, look: SecretLook) -> bool {
        let length = value.chars().count();
        let looks = match look {
            SecretLook::Any => ANY_MIN <= length,
            SecretLook::Odd => is_word_of_password(value, length),
            SecretLook::Said => {
                is_word_of_password(value, length) || DIGITS_MIN <= length && is_number(value)
            }
            SecretLook::Strong => STRONG_MIN <= length && is_strong(value),
            SecretLook::Made => MADE_MIN <= length && is_made(value),
            SecretLook::Guess => MADE_MIN <= length && (is_made(value) || is_word_with_number(value)),
            SecretLook::Code => ANY_MIN <= length && is_code_number(value),
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
            || is_name_in_parts(value)
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
        .take(NAME_BYTES_MAX)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte));
    after.as_bytes().get(name.count()).is_some_and(|byte| matches!(byte, b'=' | b':'))
}

/// Reports whether a value is unlike a word but has letters, or is made of groups of letters.
fn is_word_of_password(value: &str, length: usize) -> bool {
    ODD_MIN <= length
        && value.contains(char::is_alphabetic)
        && (is_odd(value) || is_grouped(value, |byte| byte.is_ascii_lowercase()))
}

/// Reports whether a value consists of groups of such bytes, all of one length, with hyphens between them.
fn is_grouped(value: &str, is: fn(&u8) -> bool) -> bool {
    let length = value.split('-').next().unwrap_or_default().len();
    GROUP_LETTERS_MIN <= length
        && GROUPS_MIN <= value.split('-').count()
        && value.split('-').all(|group| group.len() == length && group.bytes().all(|byte| is(&byte)))
}

/// Reports whether a value is varied and mixes letters and digits, or is long and contains capitals.
fn is_strong(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let (digits, letters) = (has(u8::is_ascii_digit), has(u8::is_ascii_alphabetic));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && LETTERS_MIN <= value.len();
    !value.contains(char::is_whitespace)
        && ((digits && letters) || is_mixed)
        && BITS_MIN <= entropy::bits(value)
}

/// Reports whether a value is a password or machine-made, and no name of a host, a file, a version or an algorithm.
fn is_made(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ';', ':', '?']);
    let has = |is: fn(char) -> bool| usize::from(value.contains(is));
    let has_sign = has(|c| "!#$%&*+?^~@".contains(c)) == 1;
    let has_digit = has(|c| c.is_ascii_digit()) == 1;
    let kinds = has(|c| c.is_lowercase()) + has(|c| c.is_uppercase()) + usize::from(has_sign);
    // `Server2019`, `Python3.12`.
    let after_word = value.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_version = after_word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_address = (value.contains(['/', '=']) && !entropy::is_chance(value)) || is_mail(value);
    (LETTERS_MIN <= value.len() && entropy::is_jumble(value))
        || has_digit
            && !is_version
            && !is_address
            && (2 <= kinds || is_mixed_long(value) || is_alternating(value) || entropy::is_uuid(value))
}

/// Reports whether small letters and digits alternate in a value that is shorter than a key but longer than most names.
fn is_alternating(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    ALTERNATING_MIN <= value.len()
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && (ALTERNATING_DIGITS_MIN..value.len()).contains(&digits)
        && entropy::is_mixed(value)
}

/// Reports whether a value is a word and a number of 3 to 6 digits, less after a capital, that is no year and no size of a key.
fn is_word_with_number(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let number = value.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_usual = USUAL_NUMBERS.contains(&number)
        || (number.len() == 4 && (number.starts_with("19") || number.starts_with("20")));
    let word = value.get(..value.len() - number.len()).unwrap_or_default();
    let is_noun =
        NOUN_LETTERS_MIN <= word.len() && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
    WORD_LETTERS_MIN <= word.len()
        && (NUMBER_DIGITS.contains(&number.len())
            || number.len() == 1 && is_noun && value.starts_with(|c: char| c.is_ascii_uppercase())
            || number.len() == 2 && value.starts_with(|c: char| c.is_ascii_uppercase()))
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && !is_usual
}

/// Reports whether a value consists of letters whose case changes as often as in random text.
fn is_jumbled(value: &str) -> bool {
    let bytes = value.as_bytes();
    let changes =
        bytes.windows(2).filter(|pair| pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase());
    JUMBLED_MIN <= bytes.len()
        && bytes.iter().all(u8::is_ascii_alphabetic)
        && (JUMPS_MIN.max(bytes.len() / 3)..).contains(&changes.count())
}

/// Reports whether a value has the form of the name of a key of GnuPG: 16 or 40 digits, with capitals or after `0x`.
fn is_key_name(value: &str) -> bool {
    if let Some(digits) = value.strip_prefix("0x") {
        return [8, 16].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte);
    [16, 40].contains(&value.len()) && value.bytes().all(is_digit)
}

/// Reports whether a value is as long as a key, and letters and digits alternate in it.
fn is_mixed_long(value: &str) -> bool {
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=');
    LETTERS_MIN <= value.len()
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
    let value =
        value.trim_start_matches(['#', '*']).trim_end_matches(['.', ',', ';', ':', '!', '?', '#', '*']);
    let is_code = |c: char| c.is_ascii_alphanumeric() || c == '-';
    value.contains(|c: char| c.is_ascii_digit()) && value.chars().all(is_code)
        || is_grouped(value, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
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

/// Reports whether a value is the name of a record: `count:48444672`.
fn is_name_in_parts(value: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && (is_number(part) || part.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    value.contains(':')
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && value.split(':').all(is_part)
}

/// Reports whether a value is a call or an access in a program: `getpass()`, `config.token`, `list[`.
fn is_code(value: &str) -> bool {
    let name = value.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '.');
    name.len() < value.len()
        && ((name.is_empty() && value.contains('.'))
            || name.starts_with(['(', '['])
                && (!is_odd(name) || is_number(name.trim_matches(['(', ')', '[', ']', ',', ';']))))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || PLAIN.contains(c)
}
