//! Detection of random character runs.
//!
//! Words, names and paths repeat letters and keep the same kind of letter for a while. Random strings do neither.
//! Hashes and public keys are random too, but not secret: a commit's 40 hexadecimal digits, the text after the name of
//! its algorithm, a UUID, a public key of ssh.

use std::ops::Range;

use super::place_in;

/// Minimum length of a run, in bytes.
const MIN_BYTES: usize = 24;
/// Minimum entropy of a secret, in bits per character.
const MIN_BITS: f64 = 4.2;
/// Minimum entropy of a secret of hexadecimal digits, in bits per character; 4 is the maximum possible.
const MIN_HEX_BITS: f64 = 3.0;
/// Minimum length of a secret of hexadecimal digits, in bytes.
const MIN_HEX_BYTES: usize = 32;
/// Number of digits in a commit's hash.
const COMMIT_DIGITS: usize = 40;
/// Minimum percentage of adjacent characters of different kinds: small letter, capital, digit.
const MIN_CHANGES_PERCENT: usize = 22;
/// Maximum percentage of characters in runs of small letters, if there are also capitals.
const MAX_WORDS_PERCENT: usize = 50;
/// Minimum length of a run of small letters that counts as (the rest of) a word.
const MIN_WORD_LETTERS: usize = 3;
/// Number of characters per slash below which a run is a path.
const PATH_SLASH_EVERY: usize = 12;
/// Beginnings of a public ssh key: its kind, encoded in base64.
const PUBLIC_KEYS: [&str; 4] = ["AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh", "AAAAGnNr"];
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
    for run in text.split(|c: char| !is_run(c)).filter(|run| MIN_BYTES <= run.len()) {
        let before = text.get(..place_in(text, run).start).unwrap_or_default();
        if follows_algorithm(before) {
            continue;
        }
        let pieces: Vec<&str> = if is_path(run, before) { run.split('/').collect() } else { vec![run] };
        found.extend(pieces.into_iter().filter(|piece| is_chance(piece)).map(|piece| place_in(text, piece)));
    }
    found
}

/// Reports whether a word is random.
pub(super) fn is_chance(run: &str) -> bool {
    let run = run.trim_matches(['=', '-', '_', '/', '+']);
    if run.len() < MIN_BYTES || PUBLIC_KEYS.iter().any(|key| run.starts_with(key)) || is_labelled(run) {
        return false;
    }
    if run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return MIN_HEX_BYTES <= run.len() && run.len() != COMMIT_DIGITS && MIN_HEX_BITS <= bits(run);
    }
    let has_digit = run.bytes().any(|byte| byte.is_ascii_digit());
    has_digit && !is_uuid(run) && MIN_BITS <= bits(run) && is_mixed(run)
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

fn is_uuid(run: &str) -> bool {
    let lengths = run.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && run.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Reports whether the slashes of a run separate path components.
fn is_path(run: &str, before: &str) -> bool {
    let slashes = run.bytes().filter(|byte| *byte == b'/').count();
    slashes != 0
        && (run.starts_with('/')
            || before.ends_with(['~', '.', '}', ':', '@'])
            || run.len() < slashes * PATH_SLASH_EVERY)
}

/// Reports whether kinds of letters change as often as in random text. A capital that begins a word does not count as a
/// change, and a run with many words is not random.
fn is_mixed(run: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'a'..=b'z' => Some(2),
        _ => None,
    };
    let kinds: Vec<u8> = run.bytes().filter_map(kind).collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1] && *pair != [1, 2]).count();
    let rows = run.split(|c: char| !c.is_ascii_lowercase()).map(str::len);
    let in_words: usize = rows.filter(|letters| MIN_WORD_LETTERS <= *letters).sum();
    let is_words =
        run.contains(|c: char| c.is_ascii_uppercase()) && run.len() * MAX_WORDS_PERCENT <= in_words * 100;
    !is_words && kinds.len() * MIN_CHANGES_PERCENT <= changes * 100
}
