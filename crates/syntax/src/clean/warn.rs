//! Warnings about text that passes but deserves a second look: look-alike characters, deceptive hosts, ends out of
//! sight, several lines.

use super::MAX_BLANKS;
use super::characters::within;
use crate::quoting::QuoteLexer;
use crate::shell::Shell;

/// Length in characters above which a command line does not fit on a screen at a glance.
const LONG_CHARS: usize = 500;
/// Bracket depth above which a person can no longer follow.
const DEEP_BRACKETS: usize = 12;
/// Maximum number of warnings shown; more add no information.
const MAX_WARNINGS: usize = 8;

/// Characters easily mistaken for shell syntax (UTS #39 confusables, limited to those that look alike in a terminal
/// font).
const LIKE_SYNTAX: &[(char, char)] = &[
    ('\u{01C0}', '|'),
    ('\u{01C3}', '!'),
    ('\u{02CB}', '`'),
    ('\u{02DC}', '~'),
    ('\u{037E}', ';'),
    ('\u{0589}', ':'),
    ('\u{05C0}', '|'),
    ('\u{05C3}', ':'),
    ('\u{2016}', '|'),
    ('\u{2024}', '.'),
    ('\u{2039}', '<'),
    ('\u{203A}', '>'),
    ('\u{2044}', '/'),
    ('\u{204E}', '*'),
    ('\u{204F}', ';'),
    ('\u{2053}', '~'),
    ('\u{2215}', '/'),
    ('\u{2216}', '\\'),
    ('\u{2217}', '*'),
    ('\u{2223}', '|'),
    ('\u{2236}', ':'),
    ('\u{223C}', '~'),
    ('\u{2502}', '|'),
    ('\u{2571}', '/'),
    ('\u{2572}', '\\'),
    ('\u{2758}', '|'),
    ('\u{276E}', '<'),
    ('\u{276F}', '>'),
    ('\u{29F5}', '\\'),
    ('\u{29F8}', '/'),
    ('\u{29F9}', '\\'),
    ('\u{A789}', ':'),
    ('\u{FE50}', ','),
    ('\u{FE52}', '.'),
    ('\u{FE54}', ';'),
    ('\u{FE55}', ':'),
    ('\u{FE5F}', '#'),
    ('\u{FE60}', '&'),
    ('\u{FE61}', '*'),
    ('\u{FE64}', '<'),
    ('\u{FE65}', '>'),
    ('\u{FE68}', '\\'),
    ('\u{FE69}', '$'),
    ('\u{FE6B}', '@'),
    ('\u{FF02}', '"'),
    ('\u{FF03}', '#'),
    ('\u{FF07}', '\''),
    ('\u{FF1C}', '<'),
    ('\u{FF3C}', '\\'),
    ('\u{FF40}', '`'),
    ('\u{FFE8}', '|'),
];

/// Letters of other scripts that look like an ASCII letter (UTS #39 confusables, the plain cases).
const LIKE_LETTERS: &[(char, char)] = &[
    ('а', 'a'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ӏ', 'l'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('α', 'a'),
    ('ι', 'i'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('υ', 'u'),
    ('հ', 'h'),
    ('ո', 'n'),
    ('օ', 'o'),
    ('ս', 'u'),
    ('ɑ', 'a'),
    ('ɡ', 'g'),
    ('ı', 'i'),
];

/// Scripts and styled letters that should not occur in one word with ASCII letters: Greek, Coptic, Cyrillic,
/// Armenian, Cherokee, Lisu, mathematical letters.
const MIXABLE: &[(u32, u32)] = &[
    (0x0370, 0x03FF),
    (0x0400, 0x052F),
    (0x0531, 0x0588),
    (0x13A0, 0x13FD),
    (0x2C80, 0x2CFF),
    (0xA4D0, 0xA4FF),
    (0xAB70, 0xABBF),
    (0x1D400, 0x1D7FF),
];

/// Returns the warnings for a text that is otherwise clean, at most [`MAX_WARNINGS`].
pub(super) fn warnings(text: &str, shell: Shell) -> Vec<String> {
    let mut found = Vec::new();
    size(text, &mut found);
    characters(text, shell, &mut found);
    hosts(text, &mut found);
    found.truncate(MAX_WARNINGS);
    found
}

fn size(text: &str, found: &mut Vec<String>) {
    let lines = text.split('\n').count();
    if 1 < lines {
        found.push(format!("it spans {lines} lines, and each may be a command of its own"));
    }
    let length = text.chars().count();
    if LONG_CHARS < length {
        found.push(format!("it is {length} characters long; read it to its end"));
    }
    let blanks = text.split(|c| c != ' ').map(str::len).max().unwrap_or(0);
    if MAX_BLANKS < blanks {
        found.push(format!("a run of {blanks} blanks may hide what follows it"));
    }
}

/// Warns about look-alikes of shell syntax outside quotes, and about deeply nested brackets.
fn characters(text: &str, shell: Shell, found: &mut Vec<String>) {
    let mut reader = QuoteLexer::new(shell);
    let mut word = String::new();
    let mut deepest = 0;
    for c in text.chars().chain(['\n']) {
        let plain = reader.is_plain();
        if plain && c.is_alphanumeric() {
            word.push(c);
        } else {
            foreign_word(&word, found);
            word.clear();
        }
        if plain && let Some((_, like)) = LIKE_SYNTAX.iter().find(|(alike, _)| *alike == c) {
            add_warning(found, format!("`{c}` (U+{:04X}) looks like `{like}` but is not", u32::from(c)));
        }
        reader.read(c);
        deepest = deepest.max(reader.depth());
    }
    if DEEP_BRACKETS < deepest {
        found.push(format!("brackets are nested {deepest} deep"));
    }
}

/// Warns about a word that mixes scripts, or that looks like an ASCII word without being one.
fn foreign_word(word: &str, found: &mut Vec<String>) {
    if word.is_ascii() {
        return;
    }
    let like = |c: char| LIKE_LETTERS.iter().find(|(alike, _)| *alike == c).map(|(_, ascii)| *ascii);
    let reading: Option<String> =
        word.chars().map(|c| if c.is_ascii() { Some(c) } else { like(c) }).collect();
    if let Some(reading) = reading {
        add_warning(found, format!("`{word}` looks like `{reading}` but holds letters of another script"));
    } else if word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(|c| within(MIXABLE, c)) {
        add_warning(found, format!("`{word}` mixes letters of two scripts"));
    }
}

/// Warns about deceptive hosts in URLs, quoted or not.
fn hosts(text: &str, found: &mut Vec<String>) {
    for tail in text.split("://").skip(1) {
        let ends = |c: char| c.is_whitespace() || "/?#'\"`)<>|;&\\".contains(c);
        let authority = tail.split(ends).next().unwrap_or_default();
        let host = match authority.rsplit_once('@') {
            Some((user, host)) => {
                if user.contains(['.', '@']) {
                    add_warning(
                        found,
                        format!("the address goes to `{host}`; `{user}` before the @ is only a user name"),
                    );
                }
                host
            }
            None => authority,
        };
        if let Some(c) = host.chars().find(|c| !c.is_ascii()) {
            add_warning(found, format!("the host `{host}` holds `{c}` (U+{:04X})", u32::from(c)));
        }
    }
    let labels = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    for label in labels.filter(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
    {
        add_warning(found, format!("`{label}` is the coded form of a name in another script"));
    }
}

fn add_warning(found: &mut Vec<String>, warning: String) {
    // A text may contain thousands of look-alikes; only the reported ones are kept.
    if found.len() < MAX_WARNINGS && !found.contains(&warning) {
        found.push(warning);
    }
}
