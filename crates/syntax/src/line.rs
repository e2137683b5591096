//! The prompt line: the user's text, and the only text that may be written back to a shell.

use std::fmt;

/// Content of the prompt line when the key was pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptLine {
    /// The whole buffer; several lines if the shell's editor contained several.
    pub text: String,
    /// Cursor position, in characters from the start as shells count it; never beyond the end.
    pub cursor: usize,
}

impl PromptLine {
    /// Returns a prompt line with the cursor at its end.
    pub fn typed(text: impl Into<String>) -> Self {
        let text = text.into();
        let cursor = text.chars().count();
        Self { text, cursor }
    }
}

/// Sanitized text that no terminal, shell or reader can misread: valid UTF-8, no control characters except newline,
/// no invisible or direction-changing characters, no unusual spaces.
///
/// Only [`crate::clean`] creates one (checked by a test), and shell writers accept nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LineText(String);

impl LineText {
    /// Wraps a text; only `clean` may call this.
    pub(crate) fn vouched_by_clean(text: String) -> Self {
        Self(text)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LineText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
