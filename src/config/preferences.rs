//! Preferences of the user, `[prefer]`: programs to use in place of others, and sentences for models.

use std::collections::BTreeMap;

/// Maximum number of preferred programs, and of sentences.
pub(super) const PREFERENCES_MAX: usize = 32;
/// Maximum number of characters of a sentence.
pub(super) const NOTE_CHARS_MAX: usize = 120;
/// Maximum number of bytes of a program's name.
const NAME_BYTES_MAX: usize = 64;

/// What the user prefers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The preferred program for each program.
    pub programs: BTreeMap<String, String>,
    /// Sentences for models.
    pub notes: Vec<String>,
}

impl Preferences {
    /// Returns the preferences in words, one each, without programs that are not installed.
    pub fn told(&self, is_installed: &dyn Fn(&str) -> bool) -> Vec<String> {
        let programs = self.programs.iter().filter(|(_, preferred)| is_installed(preferred));
        let programs = programs.map(|(name, preferred)| format!("{preferred}, not {name}"));
        programs.chain(self.notes.iter().cloned()).collect()
    }
}

/// Reports whether a text can be the name of a program.
pub(super) fn is_program(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-' | '[');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && !name.starts_with('-') && name.chars().all(is_part)
}
