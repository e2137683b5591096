//! The one gate between untrusted text and anything people or shells read.

use crate::line::LineText;

/// Text that passed, and what was mended in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The text for the prompt line.
    pub text: LineText,
    /// What was mended, in words.
    pub changes: Vec<String>,
}

/// Passes text on to a prompt line, mended where the meaning is plain, or says what it holds that must not pass.
///
/// # Errors
/// The reason, as words for people.
pub fn clean(text: &str) -> Result<Cleaned, String> {
    match text.chars().find(|c| c.is_control() && *c != '\n') {
        Some(bad) => Err(format!("it holds the control character U+{:04X}", u32::from(bad))),
        None => Ok(Cleaned { text: LineText::vouched_by_clean(text.to_owned()), changes: Vec::new() }),
    }
}

/// Makes any text safe to show on a terminal or write to a log: what [`clean`] would refuse becomes visible escapes.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { c.escape_unicode().to_string() } else { c.to_string() })
        .collect()
}
