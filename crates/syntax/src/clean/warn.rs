//! Warnings about text that passes but deserves a second look: look-alike characters, deceptive hosts, ends out of
//! sight, several lines.

use unicode_width::UnicodeWidthChar;

use super::BLANKS_MAX;
use super::alike;
use super::characters::within;
use crate::quoting::QuoteLexer;
use crate::shell::Shell;

/// Length in characters above which a command line does not fit on a screen at a glance.
const LONG_CHARS: usize = 500;
/// Bracket depth above which a person can no longer follow.
const DEEP_BRACKETS: usize = 12;
/// Maximum number of warnings shown; more add no information.
const WARNINGS_MAX: usize = 8;

/// Signs after which a shell reads the name of a command.
const ENDS_COMMAND: &str = ";|&(";
/// First letter of a writing system other than Latin.
const FOREIGN_MIN: char = '\u{370}';
/// Signs whose look-alikes are never the punctuation of a sentence.
const SHELL_SIGNS: &str = "/\\`\"<>$&#";

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

/// Returns the warnings for a text that is otherwise clean, at most [`WARNINGS_MAX`].
pub(super) fn warnings(text: &str, shell: Shell) -> Vec<String> {
    let mut found = Vec::new();
    size(text, &mut found);
    characters(text, shell, &mut found);
    hosts(text, &mut found);
    found.truncate(WARNINGS_MAX);
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
    if BLANKS_MAX < blanks {
        found.push(format!("a run of {blanks} blanks may hide what follows it"));
    }
}

/// Warns about look-alikes of shell syntax outside quotes, and about deeply nested brackets.
fn characters(text: &str, shell: Shell, found: &mut Vec<String>) {
    let mut reader = QuoteLexer::new(shell);
    let mut word = Word { plain: Vec::new(), is_command: true };
    let mut deepest = 0;
    for c in text.chars().chain(['\n']) {
        let plain = reader.is_plain();
        if !plain {
            // Quoted text is data; it separates nothing.
            word.plain.push('\'');
        } else if c.is_whitespace() || ENDS_COMMAND.contains(c) {
            word.warn(found);
            let goes_on = word.is_command && word.plain.is_empty() && c != '\n';
            word = Word { plain: Vec::new(), is_command: goes_on || !c.is_whitespace() || c == '\n' };
        } else {
            word.plain.push(c);
        }
        reader.read(c);
        deepest = deepest.max(reader.depth());
    }
    if DEEP_BRACKETS < deepest {
        found.push(format!("brackets are nested {deepest} deep"));
    }
}

/// A word of a line.
struct Word {
    /// Its characters outside quotes; `'` for each other one.
    plain: Vec<char>,
    /// `true` if the word names a command.
    is_command: bool,
}

impl Word {
    fn warn(&self, found: &mut Vec<String>) {
        if self.plain.iter().all(char::is_ascii) {
            return;
        }
        let is_letter = |c: char| c.is_alphanumeric() && alike::sign(c).is_none();
        for run in self.plain.split(|c| !is_letter(*c)) {
            foreign_word(&run.iter().collect::<String>(), found);
        }
        let is_foreign = self.plain.iter().any(|c| {
            c.is_alphabetic() && FOREIGN_MIN <= *c && alike::letter(*c).is_none() && alike::sign(*c).is_none()
        });
        for (at, c) in self.plain.iter().enumerate().filter(|(_, c)| !c.is_ascii()) {
            if let Some(like) = alike::sign(*c) {
                if !self.is_text(at, *c, &like, is_foreign) {
                    let code = u32::from(*c);
                    add_warning(found, format!("`{c}` (U+{code:04X}) looks like `{like}` but is not"));
                }
            } else if self.is_command && !c.is_alphanumeric() && UnicodeWidthChar::width(*c) != Some(0) {
                add_warning(found, format!("the command's name holds `{c}` (U+{:04X})", u32::from(*c)));
            }
        }
    }

    /// Reports whether a look-alike is the punctuation of a text: the apostrophe in `don’t`, the dash in `1990–1995`,
    /// a mark in a word of another writing system.
    fn is_text(&self, at: usize, c: char, like: &str, is_foreign: bool) -> bool {
        let beside = |is: fn(&char) -> bool| {
            at.checked_sub(1).and_then(|at| self.plain.get(at)).is_some_and(is)
                && self.plain.get(at + 1).is_some_and(is)
        };
        let is_mark = !like.contains(|sign| SHELL_SIGNS.contains(sign));
        let is_range = like == "-" && beside(char::is_ascii_digit);
        let is_apostrophe = c == '\u{2019}' && beside(|c| c.is_alphabetic());
        is_foreign && is_mark || is_apostrophe && !self.is_command || is_range
    }
}

/// Warns about a word that mixes scripts, or that looks like an ASCII word without being one.
fn foreign_word(word: &str, found: &mut Vec<String>) {
    if word.is_ascii() {
        return;
    }
    let reading: Option<String> =
        word.chars().map(|c| if c.is_ascii() { Some(c) } else { alike::letter(c) }).collect();
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
    if found.len() < WARNINGS_MAX && !found.contains(&warning) {
        found.push(warning);
    }
}
