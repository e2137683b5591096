//! The command of a profile that prints its key.

use std::fmt;
use std::path::{Path, PathBuf};

/// Maximum number of words in a key command.
const COMMAND_WORDS_MAX: usize = 64;

/// Command that prints a key: words for one program, not a shell line. Only the user's own configuration file
/// can define one, so nothing else can be run in its place.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyCommand {
    words: Vec<String>,
    file: PathBuf,
}

impl KeyCommand {
    /// Splits a command from the configuration `file` into words.
    ///
    /// # Errors
    ///
    /// The fault. The text does not repeat the command.
    pub fn parse(text: &str, file: &Path) -> Result<Self, String> {
        let Ok(words) = shell_words::split(text) else {
            return Err("has a quote that is not closed".to_owned());
        };
        let program = words.first().map_or("", String::as_str);
        if program.is_empty() {
            return Err("must name a program".to_owned());
        }
        if program.contains('/') && !program.starts_with('/') {
            return Err("must name a program on PATH or by its full path".to_owned());
        }
        if COMMAND_WORDS_MAX < words.len() {
            return Err(format!("must have at most {COMMAND_WORDS_MAX} words"));
        }
        Ok(Self { words, file: file.to_owned() })
    }

    /// Returns the program: a name to find on PATH, or a full path.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Returns the arguments.
    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns the configuration file that defines the command.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The words may contain a secret.
        f.write_str("KeyCommand(..)")
    }
}
