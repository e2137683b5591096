//! Detection of random character runs.
//!
//! Words, names and paths repeat letters and keep the same kind of letter for a while. Random strings do neither.
//! Hashes and public keys are random too, but not secret: a commit's 40 hexadecimal digits, the text after the name of
//! its algorithm, a UUID, a public key of ssh.

use std::ops::Range;

use super::place_in;
use super::public::is_public;

/// Minimum length of a run, in bytes.
const BYTES_MIN: usize = 24;
/// Minimum entropy of a secret, in bits per character.
const BITS_MIN: f64 = 4.2;
/// Minimum entropy of a secret of hexadecimal digits, in bits per character; 4 is the maximum possible.
const HEX_BITS_MIN: f64 = 3.0;
/// Minimum length of a secret of hexadecimal digits, in bytes.
const HEX_BYTES_MIN: usize = 32;
/// Number of digits in a commit's hash.
const COMMIT_DIGITS: usize = 40;
/// Minimum percentage of adjacent characters of different kinds: small letter, capital, digit.
const CHANGES_PERCENT_MIN: usize = 22;
/// Maximum percentage of characters in runs of small letters, if there are also capitals.
const WORDS_PERCENT_MAX: usize = 50;
/// Minimum length of a secret of letters only, in bytes, if no hint is beside it.
const JUMBLE_BYTES_MIN: usize = 28;
/// Minimum percentage of capitals after small letters in a secret of letters only.
const RISES_PERCENT_MIN: usize = 14;
/// Maximum percentage of characters in runs of small letters in a secret of letters only.
const JUMBLE_PERCENT_MAX: usize = 45;
/// Minimum entropy of a secret of letters only, in bits per character.
const JUMBLE_BITS_MIN: f64 = 3.6;
/// Minimum length of a run of small letters that counts as (the rest of) a word.
const WORD_LETTERS_MIN: usize = 3;
/// Characters between the words of a name.
const NAME_CUTS: [char; 3] = ['-', '_', '+'];
/// Minimum number of words and numbers in a name, and their minimum share of it in percent.
const NAME_PARTS_MIN: usize = 2;
const NAME_PERCENT_MIN: usize = 35;
/// Maximum length of the word before a key of hexadecimal digits, in bytes.
const PREFIX_BYTES_MAX: usize = 12;
/// Words before `_` and hexadecimal digits that are a checksum or a name.
const NAMED_BY_HASH: [&str; 20] = [
    "cache",
    "backup",
    "dump",
    "img",
    "image",
    "file",
    "hash",
    "md5",
    "sha",
    "rev",
    "build",
    "commit",
    "tmp",
    "snapshot",
    "container",
    "volume",
    "index",
    "object",
    "blob",
    "data",
];
/// Minimum length of `user:password` in base64, and of each part of it, in bytes.
const ENCODED_BYTES_MIN: usize = 12;
const USER_BYTES_MIN: usize = 2;
const PASSWORD_BYTES_MIN: usize = 4;
/// Minimum number of blanks in a text that is no password.
const TEXT_BLANKS_MIN: usize = 2;
/// Number of characters per slash below which a run is a path.
const PATH_SLASH_EVERY: usize = 12;
/// Minimum length of a word in small letters that shows that a run is a path, in bytes.
const PATH_LETTERS_MIN: usize = 4;
/// Beginnings of a public key in base64: the kind of an ssh key, or the head of an RSA key or one of a curve.
const PUBLIC_KEYS: [&str; 8] = [
    "AAAAB3NzaC1",
    "AAAAC3NzaC1",
    "AAAAE2VjZHNh",
    "AAAAGnNr",
    "MIIBIjANBgkqh",
    "MIICIjANBgkqh",
    "MIGfMA0GCSqGSIb3",
    "MFkwEwYHKoZIzj0",
];
/// Names of hash algorithms before a hash, and other names for a hash.
const ALGORITHMS: [&str; 11] = [
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "blake2b",
    "blake3",
    "checksum",
    "digest",
    "hash",
    "integrity",
];

/// Returns the random runs of a text.
pub(super) fn runs(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !is_run(c)).filter(|run| BYTES_MIN <= run.len()) {
        let before = text.get(..place_in(text, run).start).unwrap_or_default();
        if follows_algorithm(before) {
            continue;
        }
        for part in halves(run) {
            let place = place_in(text, part);
            let before = text.get(..place.start).unwrap_or_default();
            // A part of a path that is letters only is a name.
            let pieces: Vec<&str> = if is_path(part, before) {
                part.split('/').filter(|piece| !is_jumble(piece)).collect()
            } else {
                vec![part]
            };
            let secret = pieces.into_iter().flat_map(random).map(|piece| place_in(text, piece));
            found.extend(secret.filter(|place| !is_public(text, place) && !is_plain_text(text, place)));
        }
    }
    found
}

/// Returns the words that are `user:password` in base64.
pub(super) fn encoded(text: &str) -> Vec<Range<usize>> {
    let words = text.split(|c: char| !is_run(c)).filter(|word| ENCODED_BYTES_MIN <= word.len());
    words.filter(|word| is_user_and_password(word)).map(|word| place_in(text, word)).collect()
}

fn is_user_and_password(word: &str) -> bool {
    let decoded = decoded(word.trim_end_matches('='));
    let Ok(decoded) = str::from_utf8(&decoded) else { return false };
    decoded.split_once(':').is_some_and(|(user, password)| {
        let is_user = |c: char| c.is_ascii_alphanumeric() || "._@+-".contains(c);
        let is_password = |c: char| c.is_alphanumeric() || c.is_ascii_punctuation();
        USER_BYTES_MIN <= user.len()
            && PASSWORD_BYTES_MIN <= password.len()
            && user.chars().all(is_user)
            && password.chars().all(is_password)
            && !password.starts_with("//")
    })
}

/// Returns the name and the value of `name=value`; `=` at the end of base64 separates nothing.
fn halves(run: &str) -> impl Iterator<Item = &str> {
    let end = run.trim_end_matches('=').len();
    let at = run.get(..end).and_then(|run| run.rfind('=')).map_or(0, |at| at + 1);
    let (name, value) = run.split_at_checked(at).unwrap_or(("", run));
    [name.trim_end_matches('='), value].into_iter().filter(|half| BYTES_MIN <= half.len())
}

/// Returns the random parts of a run: all of it, or the long parts of a name that contains words.
fn random(run: &str) -> Vec<&str> {
    if is_chance(run) {
        return vec![run];
    }
    if is_name(run) || is_hex_among_words(run) {
        run.split(NAME_CUTS).filter(|part| is_chance(part)).collect()
    } else {
        Vec::new()
    }
}

/// Reports whether a word is random.
pub(super) fn is_chance(run: &str) -> bool {
    let run = run.trim_matches(['=', '-', '_', '/', '+']);
    if run.len() < BYTES_MIN || PUBLIC_KEYS.iter().any(|key| run.starts_with(key)) || is_labelled(run) {
        return false;
    }
    if is_hex(run) {
        // Whole bytes were encoded.
        let is_whole = run.len().is_multiple_of(2) && run.len() != COMMIT_DIGITS;
        return HEX_BYTES_MIN <= run.len() && is_whole && HEX_BITS_MIN <= bits(run);
    }
    let has_digit = run.bytes().any(|byte| byte.is_ascii_digit());
    is_issued(run)
        || (JUMBLE_BYTES_MIN <= run.len() && is_jumble(run))
        || (has_digit
            && !is_uuid(run)
            && !is_volume(run)
            && !is_content_id(run)
            && BITS_MIN <= bits(run)
            && is_mixed(run)
            && !is_name(run)
            && !is_hex_among_words(run))
}

/// Reports whether a run is a short word, `_` and many hexadecimal digits, as services issue keys: `sk_…`, `e2b_…`.
fn is_issued(run: &str) -> bool {
    run.rsplit_once('_').is_some_and(|(prefix, digits)| {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        prefix.len() <= PREFIX_BYTES_MAX
            && prefix.starts_with(|c: char| c.is_ascii_lowercase())
            && prefix.chars().all(is_word)
            && !prefix.split('_').any(|word| NAMED_BY_HASH.contains(&word))
            && HEX_BYTES_MIN <= digits.len()
            && is_hex(digits)
            && HEX_BITS_MIN <= bits(digits)
    })
}

fn is_hex(run: &str) -> bool {
    run.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reports whether a run is the identifier of a content in IPFS.
fn is_content_id(run: &str) -> bool {
    (run.starts_with("Qm") && run.len() == 46)
        || (["bafy", "bafk", "bafz"].iter().any(|start| run.starts_with(start)) && run.len() == 59)
}

/// Reports whether each part of a run is a word or hexadecimal digits: `systemd-private-…-ntp`, `part-00000-…-c000`.
fn is_hex_among_words(run: &str) -> bool {
    let is_word = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase());
    run.contains(NAME_CUTS) && run.split(NAME_CUTS).all(|part| is_hex(part) || is_word(part))
}

/// Reports whether a run consists of words and numbers for a good part: `ata-Samsung_SSD_860_EVO_1TB_…`.
fn is_name(run: &str) -> bool {
    let is_plain = |part: &&str| {
        let all = |is: fn(&u8) -> bool| part.bytes().all(|byte| is(&byte));
        let tail = part.get(1..).unwrap_or_default();
        let is_word = WORD_LETTERS_MIN <= part.len()
            && all(u8::is_ascii_alphabetic)
            && (tail.bytes().all(|byte| byte.is_ascii_lowercase()) || all(u8::is_ascii_uppercase));
        is_word || (all(u8::is_ascii_digit) && !part.is_empty())
    };
    let parts = run.split(NAME_CUTS);
    let plain: Vec<&str> = parts.filter(is_plain).collect();
    let letters: usize = plain.iter().map(|part| part.len()).sum();
    NAME_PARTS_MIN <= plain.len() && run.len() * NAME_PERCENT_MIN <= letters * 100
}

/// Reports whether a run is base64 of several words of plain text, or of an address without a query.
fn is_plain_text(text: &str, place: &Range<usize>) -> bool {
    let run = text.get(place.clone()).unwrap_or_default();
    let decoded = decoded(run.trim_end_matches('='));
    let is_address = decoded.starts_with(b"http") && !decoded.iter().any(|byte| b"@?#".contains(byte));
    let is_text = |byte: &u8| matches!(byte, b'\n' | b' '..=b'~');
    !is_private_key(&decoded)
        && decoded.iter().all(is_text)
        && (is_address || TEXT_BLANKS_MIN <= decoded.iter().filter(|byte| **byte == b' ').count())
}

/// Reports whether a text begins as a private key does in armour.
fn is_private_key(text: &[u8]) -> bool {
    text.starts_with(b"-----BEGIN ") && memchr::memmem::find(text, b"PRIVATE KEY").is_some()
}

/// Returns the bytes that base64 encodes; none if it is no base64.
fn decoded(run: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let Some(values) = run.bytes().map(value).collect::<Option<Vec<u8>>>() else { return Vec::new() };
    let quad = |four: &[u8]| {
        let bits = four.iter().chain(&[0; 4]).take(4).fold(0_u32, |bits, six| bits << 6 | u32::from(*six));
        let [_, bytes @ ..] = bits.to_be_bytes();
        bytes.into_iter().take(four.len() * 3 / 4).collect::<Vec<u8>>()
    };
    values.chunks(4).flat_map(quad).collect()
}

/// Returns the entropy of a text in bits per character, computed from the frequencies of its bytes.
pub(super) fn bits(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let all = text.len() as f64;
    let shares = counts.into_iter().filter(|count| *count != 0).map(|count| f64::from(count) / all);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

fn is_run(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-')
}

/// Reports whether the text before a run ends in the name of an algorithm: `sha256:…`, `--sha256 …`, `sha512-…`.
fn follows_algorithm(before: &str) -> bool {
    let word = before.trim_end_matches([':', '=', ' ', '"', '\'']);
    ALGORITHMS.iter().any(|name| {
        let tail = word.len().checked_sub(name.len()).and_then(|start| word.get(start..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name))
    })
}

fn is_labelled(run: &str) -> bool {
    let label = run.split(['-', '=', '_']).next().unwrap_or_default();
    label.len() < run.len() && ALGORITHMS.iter().any(|name| label.eq_ignore_ascii_case(name))
}

pub(super) fn is_uuid(run: &str) -> bool {
    let lengths = run.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && run.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Reports whether a run is the identifier that LVM gives to a volume.
fn is_volume(run: &str) -> bool {
    run.split('-').map(str::len).eq([6, 4, 4, 4, 4, 4, 6])
}

/// Reports whether the slashes of a run separate path components.
fn is_path(run: &str, before: &str) -> bool {
    let slashes = run.bytes().filter(|byte| *byte == b'/').count();
    slashes != 0
        && (run.starts_with('/')
            || before.ends_with(['~', '.', '}', ':', '@'])
            || run.len() < slashes * PATH_SLASH_EVERY
            || run.split('/').any(is_long_word))
}

/// Reports whether a component of a path is a word, in small letters after the first.
fn is_long_word(component: &str) -> bool {
    let is_word = |c: char| c.is_ascii_lowercase() || matches!(c, '-' | '_');
    let tail = component.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(component);
    PATH_LETTERS_MIN <= tail.len() && tail.chars().all(is_word)
}

/// Reports whether a run consists of letters whose case changes without regard to words.
pub(super) fn is_jumble(run: &str) -> bool {
    let rises =
        run.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    run.bytes().all(|byte| byte.is_ascii_alphabetic())
        && run.len() * RISES_PERCENT_MIN <= rises.count() * 100
        && in_words(run) * 100 <= run.len() * JUMBLE_PERCENT_MAX
        && JUMBLE_BITS_MIN <= bits(run)
}

/// Returns the number of characters in rows of small letters.
fn in_words(run: &str) -> usize {
    let rows = run.split(|c: char| !c.is_ascii_lowercase()).map(str::len);
    rows.filter(|letters| WORD_LETTERS_MIN <= *letters).sum()
}

/// Reports whether kinds of letters change as often as in random text. A capital that begins a word does not count as a
/// change, and a run with many words is not random.
pub(super) fn is_mixed(run: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'a'..=b'z' => Some(2),
        _ => None,
    };
    let kinds: Vec<u8> = run.bytes().filter_map(kind).collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1] && *pair != [1, 2]).count();
    let is_words = run.contains(|c: char| c.is_ascii_uppercase())
        && run.len() * WORDS_PERCENT_MAX <= in_words(run) * 100;
    !is_words && kinds.len() * CHANGES_PERCENT_MIN <= changes * 100
}
