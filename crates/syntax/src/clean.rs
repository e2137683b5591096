//! Sanitizer between untrusted text and everything that people or shells read.
//!
//! A person must see exactly the text that the shell receives. Control characters, invisible characters and
//! characters that change the display order are refused, never dropped: dropping one would join separate parts
//! (Trojan Source, CVE-2021-42574). Typographic mistakes are corrected where only one meaning is possible, and
//! every correction is reported. Text that may be honest but deserves a second look (a look-alike letter, an end
//! out of sight, several lines) passes with a warning.
//!
//! Ordinary text of any language passes unchanged. This needs three kinds of invisible characters, which pass only
//! where their writing system uses them: a variation selector directly after an emoji, a joiner between two emoji,
//! and the (non-)joiner inside Arabic and Indic words. Flags spelled with tag characters are refused. An unusual space
//! passes only inside the quotes of a name that exists ([`clean_with_names`]).
//!
//! Properties of Unicode decide what is hidden (a control, a format character, an unassigned code point), and the
//! standard's list of confusables what looks like ASCII.
//!
//! Sources: UTS #39 (confusables, mark sequences), UAX #9 (direction controls), UAX #31 (joiners).

mod alike;
mod characters;
mod history;
mod mend;
mod names;
#[cfg(test)]
mod tests;
mod warn;

use std::collections::HashSet;

use crate::line::LineText;
use crate::shell::Shell;

/// Maximum text length, in characters.
pub const CHARS_MAX: usize = 4096;
/// Maximum number of lines.
pub const LINES_MAX: usize = 100;
/// Maximum run of blanks without a warning: longer ones can push the end of the text out of sight.
const BLANKS_MAX: usize = 24;

/// A sanitized text, with its corrections and warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The text for the prompt line, never empty.
    pub text: LineText,
    /// Corrections, in words.
    pub changes: Vec<String>,
    /// Warnings about text that passed but deserves a second look, in words.
    pub warnings: Vec<String>,
}

/// Quotes each `!` that this shell's prompt would expand from history. The second value is `true` if one is left
/// that cannot be quoted.
pub fn without_history(text: &str, shell: Shell) -> (String, bool) {
    let mut warnings = Vec::new();
    let quoted = history::quoted(text.to_owned(), shell, &mut Vec::new(), &mut warnings);
    (quoted, !warnings.is_empty())
}

/// Sanitizes a text for this shell's prompt line: corrects it where the meaning is clear and refuses forbidden
/// content.
///
/// # Errors
/// The reason, as words for people that continue "the answer was refused: …".
pub fn clean(text: &str, shell: Shell) -> Result<Cleaned, String> {
    clean_with_names(text, shell, &|_| false)
}

/// Sanitizes a text as [`clean`] does, but lets an unusual space (U+00A0, U+3000 …) pass inside the quotes of a word that
/// is the name of something that exists. The person is warned about it.
///
/// # Errors
/// As [`clean`].
pub fn clean_with_names(text: &str, shell: Shell, exists: &dyn Fn(&str) -> bool) -> Result<Cleaned, String> {
    cleaned(text, shell, |text| names::spaces(text, shell, exists))
}

/// Sanitizes a text that was made of a line that passed, such as the line behind a guard: the unusual spaces of that line
/// may be anywhere in it.
///
/// # Errors
/// As [`clean`].
pub fn clean_made_of(text: &str, shell: Shell, passed: &LineText) -> Result<Cleaned, String> {
    let is_of_it = |c: char| characters::is_space(c) && passed.as_str().contains(c);
    cleaned(text, shell, |text| {
        let places = text.chars().enumerate().filter(|(_, c)| is_of_it(*c));
        places.map(|(place, _)| place).collect()
    })
}

/// Sanitizes a text; `spaces` returns the places, in characters, where an unusual space may be.
fn cleaned(text: &str, shell: Shell, spaces: impl Fn(&str) -> HashSet<usize>) -> Result<Cleaned, String> {
    within_bounds(text)?;
    let mut changes = Vec::new();
    let text = mend::line_ends(text, &mut changes);
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let mut warnings = Vec::new();
    let mut named = None;
    for (at, c, what) in characters::refused(&text) {
        let is_named = characters::is_space(c) && named.get_or_insert_with(|| spaces(&text)).contains(&at);
        let code = u32::from(c);
        if !is_named {
            return Err(format!("it holds {what} (U+{code:04X}) at character {}", at + 1));
        }
        mend::note(&mut warnings, &format!("a name in it holds {what} (U+{code:04X})"));
    }
    let text = mend::typography(&text, shell, &mut changes);
    if history::substitutes(&text, shell) {
        return Err(history::SUBSTITUTION.to_owned());
    }
    let text = history::quoted(text, shell, &mut changes, &mut warnings);
    within_bounds(&text)?;
    warnings.extend(warn::warnings(&text, shell));
    Ok(Cleaned { text: LineText::vouched_by_clean(text), changes, warnings })
}

/// Returns a person's own prompt line unchanged. `None` if it is too long or contains characters that the person
/// cannot have seen. Spaces of all kinds are seen: a paste often has no-break spaces.
pub fn as_typed(text: &str) -> Option<LineText> {
    let is_plain =
        within_bounds(text).is_ok() && characters::refused(text).all(|(_, c, _)| is_unusual_space(c));
    is_plain.then(|| LineText::vouched_by_clean(text.to_owned()))
}

/// Reports whether a character is a space other than the blank, such as U+00A0 or U+3000. A name may hold one.
pub fn is_unusual_space(c: char) -> bool {
    characters::is_space(c)
}

/// Reports whether a person sees a character in its own place: it is no combining mark, and of no script that is written from
/// right to left.
pub fn stands_alone(c: char) -> bool {
    characters::stands_alone(c)
}

/// Makes any text safe for a terminal or a log: characters that [`clean`] refuses become visible escapes such as
/// `\u{1b}`. Newlines stay.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut refused = characters::refused(text).peekable();
    for (at, c) in text.chars().enumerate() {
        if refused.next_if(|(bad, ..)| *bad == at).is_none() {
            shown.push(c);
        } else if matches!(c, '\t' | '\r') {
            shown.extend(c.escape_default());
        } else {
            shown.extend(c.escape_unicode());
        }
    }
    shown
}

/// Makes any text safe as [`visible`] does, on one line.
pub fn one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

/// Returns at most the first `chars_max` characters of a text; `…` stands for the rest.
pub fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max).and_then(|(end, _)| text.get(..end)) {
        Some(head) => format!("{head}…"),
        None => text.to_owned(),
    }
}

fn within_bounds(text: &str) -> Result<(), String> {
    // Counting stops one above the limit, to avoid reading a huge text to its end.
    if CHARS_MAX < text.chars().take(CHARS_MAX + 1).count() {
        return Err(format!("it is longer than {CHARS_MAX} characters"));
    }
    if LINES_MAX < text.trim_end_matches('\n').split('\n').count() {
        return Err(format!("it has more than {LINES_MAX} lines"));
    }
    Ok(())
}
