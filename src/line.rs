//! The prompt line: what the user typed, and the only text that may be written back to a shell.

use std::fmt;

/// What stood on the prompt line when the key was pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptLine {
    /// The whole buffer, several lines when the shell's editor held several.
    pub text: String,
    /// The cursor, in characters from the start as shells count it; never beyond the end.
    pub cursor: usize,
}

impl PromptLine {
    /// A line with the cursor at its end.
    pub fn typed(text: impl Into<String>) -> Self {
        let text = text.into();
        let cursor = text.chars().count();
        Self { text, cursor }
    }
}

/// Text without anything a terminal, a shell or an eye could misread: valid UTF-8, no control characters but
/// newline, no invisible or direction-changing characters, no odd spaces.
///
/// Only [`crate::clean`] makes one (a test holds that), and shell writers accept nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LineText(String);

impl LineText {
    /// For `clean` alone.
    pub(crate) fn vouched_by_clean(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LineText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
