//! The one gate between untrusted text and anything people or shells read.
//!
//! What a person sees must be what a shell gets. Characters that a terminal obeys, that nobody sees or that show in
//! another order are refused, never dropped: dropping would join what stood apart (Trojan Source, CVE-2021-42574).
//! Slips of typography are mended where only one meaning is possible, and every mending is told. What may be honest
//! but deserves a second look (a look-alike letter, a tail out of sight, several lines) passes with a warning.
//!
//! Ordinary text of any language passes as it is. That needs three invisible characters, which pass only where their
//! writing system wants them: an emoji's variation selector right behind it, the joiner between two emoji, and the
//! (non-)joiner inside Arabic and Indic words. Flags spelled with tag characters are refused.
//!
//! Sources: UTS #39 (confusables, mark sequences), UAX #9 (direction controls), UAX #31 (joiners).

mod characters;
mod history;
mod mend;
#[cfg(test)]
mod tests;
mod warn;

use crate::line::LineText;
use crate::shell::Shell;

/// The longest text that passes, in characters.
pub const MAX_CHARS: usize = 4096;
/// The most lines that pass.
pub const MAX_LINES: usize = 100;
/// The longest run of blanks that needs no remark: longer ones can push a tail out of sight.
const MAX_BLANKS: usize = 24;

/// Text that passed, and what was mended in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The text for the prompt line, never empty.
    pub text: LineText,
    /// What was mended, in words.
    pub changes: Vec<String>,
    /// What passed but deserves a second look, in words.
    pub warnings: Vec<String>,
}

/// The text with each `!` quoted that the prompt of this shell would take for an earlier command, and whether one is left
/// that can't be quoted.
pub fn without_history(text: &str, shell: Shell) -> (String, bool) {
    let mut warnings = Vec::new();
    let quoted = history::quoted(text.to_owned(), shell, &mut Vec::new(), &mut warnings);
    (quoted, !warnings.is_empty())
}

/// Passes text on to a prompt line of this shell, mended where the meaning is plain, or says what it holds that must not pass.
///
/// # Errors
/// The reason, as words for people that continue "the answer was refused: …".
pub fn clean(text: &str, shell: Shell) -> Result<Cleaned, String> {
    within_bounds(text)?;
    let mut changes = Vec::new();
    let text = mend::line_ends(text, &mut changes);
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if let Some((at, c, what)) = characters::refused(&text).next() {
        return Err(format!("it holds {what} (U+{:04X}) at character {}", u32::from(c), at + 1));
    }
    let text = mend::typography(&text, shell, &mut changes);
    if history::substitutes(&text, shell) {
        return Err(history::SUBSTITUTION.to_owned());
    }
    let mut warnings = Vec::new();
    let text = history::quoted(text, shell, &mut changes, &mut warnings);
    within_bounds(&text)?;
    warnings.extend(warn::warnings(&text, shell));
    Ok(Cleaned { text: LineText::vouched_by_clean(text), changes, warnings })
}

/// A person's own line, to be put back as they typed it; none when it holds what they can't have seen.
pub fn as_typed(text: &str) -> Option<LineText> {
    let is_plain = within_bounds(text).is_ok() && characters::refused(text).next().is_none();
    is_plain.then(|| LineText::vouched_by_clean(text.to_owned()))
}

/// The same for bytes that should be UTF-8, such as what a server or a file holds.
///
/// # Errors
/// As [`clean`], and when the bytes are not UTF-8.
pub fn clean_bytes(bytes: &[u8], shell: Shell) -> Result<Cleaned, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("it is not UTF-8 from byte {} on", error.valid_up_to() + 1))?;
    clean(text, shell)
}

/// Makes any text safe to show on a terminal or write to a log: what [`clean`] would refuse becomes visible escapes
/// such as `\u{1b}`. Line breaks stay.
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

fn within_bounds(text: &str) -> Result<(), String> {
    // One more than allowed is enough to know; a huge text is not counted to its end.
    if MAX_CHARS < text.chars().take(MAX_CHARS + 1).count() {
        return Err(format!("it is longer than {MAX_CHARS} characters"));
    }
    if MAX_LINES < text.trim_end_matches('\n').split('\n').count() {
        return Err(format!("it has more than {MAX_LINES} lines"));
    }
    Ok(())
}
