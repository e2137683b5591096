//! A command line parsed once, for all that read it.

use std::sync::OnceLock;

use super::shell::Shell;
use super::{Parsed, nu, parser, peel};

/// A command line of a shell together with its parse. Every check, repair and assessment of the line reads this one.
///
/// There is more than one view, because they answer different questions: a repair changes the words as typed, a check
/// and an assessment read also the commands that wrapper commands run, and Nushell's engine knows the user's own
/// commands but understands little of a line that it refuses.
#[derive(Debug, Clone)]
pub struct ParsedLine {
    text: String,
    shell: Shell,
    typed: Parsed,
    own: Parsed,
    engine: Option<Parsed>,
    as_bash: OnceLock<Parsed>,
}

impl ParsedLine {
    /// Parses a command line. Never fails; see [`parse`](super::parse).
    pub fn new(text: impl Into<String>, shell: Shell) -> Self {
        let text = text.into();
        let typed = parser::parse(&text, shell);
        let own = peel::peel(typed.clone(), &text, shell);
        Self { text, shell, typed, own, engine: None, as_bash: OnceLock::new() }
    }

    /// Adds the parse of Nushell's engine, from its output for [`nu::parse`].
    #[must_use]
    pub fn with_engine(mut self, pieces: &str) -> Self {
        self.engine = Some(peel::peel(nu::parse(pieces, &self.text), &self.text, self.shell));
        self
    }

    /// Returns the text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the shell whose syntax the line has.
    pub fn shell(&self) -> Shell {
        self.shell
    }

    /// Returns the commands as typed, by this parser.
    pub fn typed(&self) -> &Parsed {
        &self.typed
    }

    /// Returns the commands as typed and those that wrapper commands run, by this parser.
    pub fn own(&self) -> &Parsed {
        &self.own
    }

    /// Returns the same as [`Self::own`] by Nushell's engine; `None` if it was not asked.
    pub fn engine(&self) -> Option<&Parsed> {
        self.engine.as_ref()
    }

    /// Returns the parse of Nushell's engine if it was asked, else our own, with the commands that wrapper commands
    /// run.
    pub fn parsed(&self) -> &Parsed {
        self.engine.as_ref().unwrap_or(&self.own)
    }

    /// Returns the commands that are typed if bash reads the line.
    pub fn as_bash(&self) -> &Parsed {
        if self.shell == Shell::SH {
            return &self.typed;
        }
        self.as_bash.get_or_init(|| parser::parse(&self.text, Shell::SH))
    }
}
