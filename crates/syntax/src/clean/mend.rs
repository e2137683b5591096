//! Correction of typographic mistakes that models and word processors make, where only one meaning is possible.
//!
//! Only shell syntax is corrected, never quoted text, comments or heredocs: there a dash or a curly quote is data.

use super::BLANKS_MAX;
use super::alike;
use crate::quoting::QuoteLexer;
use crate::shell::Shell;

/// The full-width hyphen. Others look like one (`alike`).
const FULL_WIDTH_HYPHEN: char = '\u{FF0D}';
/// Characters that editors use in place of two hyphens.
const LONG_DASHES: &[char] = &['\u{2014}', '\u{2015}', '\u{FE58}'];
const SINGLE_QUOTES: &[char] = &['\u{2018}', '\u{2019}', '\u{201A}', '\u{201B}'];
const DOUBLE_QUOTES: &[char] = &['\u{201C}', '\u{201D}', '\u{201E}', '\u{201F}'];

/// Full-width forms of ASCII; each is `FULL_WIDTH_OFFSET` above its ASCII character.
const FULL_WIDTH: std::ops::RangeInclusive<char> = '\u{FF01}'..='\u{FF5E}';
const FULL_WIDTH_OFFSET: u32 = 0xFEE0;
/// Full-width forms that stay: their ASCII forms would turn the text after them into quoted text, a comment or a
/// heredoc.
const FULL_WIDTH_KEPT: &[char] = &['＂', '＇', '＼', '｀', '＃', '＜'];

/// Converts CR LF to LF and tabs to blanks, and removes newlines at both ends.
pub(super) fn line_ends(text: &str, changes: &mut Vec<String>) -> String {
    let mut text = text.to_owned();
    if text.contains("\r\n") {
        text = text.replace("\r\n", "\n");
        changes.push("CR LF line ends made LF".to_owned());
    }
    if text.contains('\t') {
        text = text.replace('\t', " ");
        changes.push("tabs made blanks".to_owned());
    }
    text.trim_matches('\n').to_owned()
}

/// Corrects dashes, curly quotes, full-width forms and long runs of blanks. Idempotent.
pub(super) fn typography(text: &str, shell: Shell, changes: &mut Vec<String>) -> String {
    let chars: Vec<char> = text.chars().collect();
    let ascii_words = ascii_words(&chars);
    let mut out = Out { text: String::with_capacity(text.len()), last: '\n', reader: QuoteLexer::new(shell) };
    let mut closers: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let rest = chars.get(at..).unwrap_or_default();
        if let Some(closer) = closers.iter().position(|closer| *closer == at) {
            closers.swap_remove(closer);
            out.push(straight(c));
            at += 1;
        } else if !out.reader.is_plain() {
            out.push(c);
            at += 1;
        } else if let Some((length, hyphens)) = option_dash(out.last, rest) {
            hyphens.chars().for_each(|hyphen| out.push(hyphen));
            note(changes, "a dash made a hyphen");
            at += length;
        } else if let Some(length) = curly_quoted(out.last, rest) {
            out.push(straight(c));
            closers.push(at + length - 1);
            note(changes, "curly quotes made straight");
            at += 1;
        } else if let Some(blanks) = long_blanks(rest) {
            out.push(' ');
            changes.push(format!("a run of {blanks} blanks made one"));
            at += blanks;
        } else if FULL_WIDTH.contains(&c) && ascii_words[at] && !FULL_WIDTH_KEPT.contains(&c) {
            out.push(folded(c));
            note(changes, "full-width characters made plain ones");
            at += 1;
        } else {
            out.push(c);
            at += 1;
        }
    }
    out.text
}

/// The output so far, with the lexer state after it.
struct Out {
    text: String,
    last: char,
    reader: QuoteLexer,
}

impl Out {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.reader.read(c);
        self.last = c;
    }
}

/// Adds a message unless it is already present.
pub(super) fn note(changes: &mut Vec<String>, words: &str) {
    if !changes.iter().any(|change| change == words) {
        changes.push(words.to_owned());
    }
}

/// Recognises dashes at the start of a word that mean `-` or `--`. Returns their number and the replacement.
fn option_dash(before: char, rest: &[char]) -> Option<(usize, String)> {
    let is_hyphen = |c: &char| *c == FULL_WIDTH_HYPHEN || alike::sign(*c).is_some_and(|sign| sign == "-");
    let is_dash = |c: &char| LONG_DASHES.contains(c) || is_hyphen(c);
    let length = rest.iter().take_while(|c| **c == '-' || is_dash(c)).count();
    let (run, tail) = rest.split_at_checked(length)?;
    let names_option = tail.first().is_some_and(|c| folded(*c).is_ascii_alphanumeric());
    if !before.is_whitespace() || !run.iter().any(is_dash) || !names_option {
        return None;
    }
    let one_letter = !tail.get(1).is_some_and(|c| c.is_alphanumeric() || *c == '-');
    let hyphens = match run.iter().any(|c| LONG_DASHES.contains(c)) {
        true if one_letter => 1,
        true => 2,
        false => run.len(),
    };
    Some((length, "-".repeat(hyphens)))
}

/// Returns the length, in characters with both quotes, of a word or phrase in curly quotes.
fn curly_quoted(before: char, rest: &[char]) -> Option<usize> {
    let opens = before.is_whitespace() || "=(,:;|&{[".contains(folded(before));
    let (first, tail) = rest.split_first()?;
    let double = DOUBLE_QUOTES.contains(first);
    if !opens || !(double || SINGLE_QUOTES.contains(first)) {
        return None;
    }
    let closes = |at: usize| {
        let c = &tail[at];
        // The mark in `don’t` is an apostrophe, not a closing quote.
        let apostrophe = || tail.get(at + 1).is_some_and(|next| next.is_alphanumeric());
        if double { DOUBLE_QUOTES.contains(c) } else { SINGLE_QUOTES.contains(c) && !apostrophe() }
    };
    let end = (0..tail.len()).take_while(|at| tail[*at] != '\n').find(|at| closes(*at))?;
    let content = tail.get(..end)?;
    let breaks_out = content.contains(&straight(*first)) || content.contains(&'\\');
    (!breaks_out && !content.is_empty()).then_some(end + 2)
}

fn straight(c: char) -> char {
    if DOUBLE_QUOTES.contains(&c) { '"' } else { '\'' }
}

fn long_blanks(rest: &[char]) -> Option<usize> {
    let blanks = rest.iter().take_while(|c| **c == ' ').count();
    (BLANKS_MAX < blanks).then_some(blanks)
}

fn folded(c: char) -> char {
    if FULL_WIDTH.contains(&c) { char::from_u32(u32::from(c) - FULL_WIDTH_OFFSET).unwrap_or(c) } else { c }
}

/// Reports for each character whether its word has ASCII and full-width letters only: `true` for `github．com`,
/// `false` for `すごい！`.
fn ascii_words(chars: &[char]) -> Vec<bool> {
    let foreign = |c: &char| {
        let cjk_punctuation = ('\u{3001}'..='\u{303F}').contains(c);
        cjk_punctuation || (c.is_alphanumeric() && !c.is_ascii() && !FULL_WIDTH.contains(c))
    };
    chars
        .split_inclusive(|c| c.is_whitespace())
        .flat_map(|word| std::iter::repeat_n(!word.iter().any(foreign), word.len()))
        .collect()
}
