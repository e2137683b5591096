//! Keys in PEM armour: `-----BEGIN … PRIVATE KEY-----` to `-----END …-----`, and what is public in the same armour.

use std::ops::Range;

use memchr::memmem;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Texts in the label of a secret key.
const SECRET: [&str; 2] = ["PRIVATE KEY", "Static key"];
/// Texts in the label of something that is public or encrypted.
const PUBLIC: [&str; 7] =
    ["PUBLIC KEY", "CERTIFICATE", "SIGNATURE", "PARAMETERS", "PGP MESSAGE", "ENCRYPTED FILE", "X509 CRL"];
/// Maximum length of the first or last line of a key, in bytes.
const LINE_BYTES_MAX: usize = 128;
/// Minimum length of a line in a key without end line, in bytes. A person's text after the key consists of words, which
/// are shorter.
const BODY_BYTES_MIN: usize = 32;

/// Returns the private keys of a text. A truncated key ends with its last line.
pub(super) fn blocks(text: &str) -> Vec<Range<usize>> {
    armours(text, &SECRET, |body| Some(body + cut_off(text.get(body..).unwrap_or_default())))
}

/// Returns the complete public keys, certificates and the like of a text, in order.
pub(super) fn public(text: &str) -> Vec<Range<usize>> {
    armours(text, &PUBLIC, |_| None)
}

/// Returns the blocks with one of these labels; `cut` returns the end of one without end line, from the end of its
/// first line.
fn armours(text: &str, labels: &[&str], cut: impl Fn(usize) -> Option<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut ends = memmem::find_iter(bytes, END).peekable();
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut begins = memmem::find_iter(bytes, BEGIN).peekable();
    while let Some(start) = begins.next() {
        let Some(body) = line_end(text, start + BEGIN.len(), labels) else { continue };
        while ends.next_if(|end| *end < body).is_some() {}
        let next = begins.peek().copied().unwrap_or(text.len());
        let end = ends.peek().filter(|end| **end < next);
        let end = end.and_then(|end| line_end(text, end + END.len(), &[""])).or_else(|| cut(body));
        blocks.extend(end.map(|end| start..end));
    }
    blocks
}

/// Returns the end of a first or last armour line that continues at `from` and contains one of these labels.
fn line_end(text: &str, from: usize, labels: &[&str]) -> Option<usize> {
    let end = text.ceil_char_boundary(from.saturating_add(LINE_BYTES_MAX));
    let line = text.get(from..end)?;
    let (label, _) = line.split_once(DASHES)?;
    let is_one = labels.iter().any(|known| label.contains(known));
    (is_one && !label.contains('\n')).then_some(from + label.len() + DASHES.len())
}

/// Returns the number of bytes that are still lines of a key; line ends are real or escaped (`\n`).
fn cut_off(text: &str) -> usize {
    let mut length = 0;
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let is_gap = |c: char| c.is_whitespace() || c == '"' || c == '\'';
        let trimmed = rest.trim_start_matches(is_gap);
        let trimmed = trimmed.strip_prefix("\\n").unwrap_or(trimmed);
        let line = trimmed.find(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c)));
        let line = line.unwrap_or(trimmed.len());
        let is_last = length != 0;
        if line < BODY_BYTES_MIN {
            return if is_last && line != 0 { text.len() - trimmed.len() + line } else { length };
        }
        at = text.len() - trimmed.len() + line;
        length = at;
    }
}
