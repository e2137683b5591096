//! What comes out: a command, and what is to be known of it.

use std::fmt;
use std::time::Duration;

use crate::config::Evidence;
use crate::line::LineText;
use crate::risk::{Label, Risk};

/// A command for the prompt line and how it came to be.
#[derive(Debug, Clone)]
pub struct Suggestion {
    /// What to put on the prompt line.
    pub command: LineText,
    /// What was mended on the way, in words ("curly quotes made straight").
    pub changes: Vec<String>,
    /// Other commands the same answer offered.
    pub alternatives: Vec<LineText>,
    /// What was looked up on this machine, and what was found.
    pub checks: Checks,
    /// What is still wrong with the command, in words, worst first.
    pub open: Vec<String>,
    /// How careful one should be with it.
    pub risk: Risk,
    /// How far the command can be trusted, 0 to 1: from the checks, lowered by the model's own doubts.
    pub confidence: f64,
    /// Why another model answered than the one that was to be asked first; empty when that one did.
    pub fallback: Vec<String>,
    /// How often a model was asked; 0 when the checks settled it.
    pub rounds: u32,
    /// Which model answered.
    pub source: String,
    /// Where the time went.
    pub timing: Timing,
}

impl Suggestion {
    /// What a person should know of the command, most important first: how careful to be, what is still wrong, what was
    /// changed, why another model answered, what was looked up. Of a line that is neither Confirm nor Dangerous nothing is said: that is no promise.
    pub fn notes(&self, evidence: Evidence) -> Vec<String> {
        let mut notes: Vec<String> = self.risk.note().into_iter().collect();
        notes.extend(self.remarks(evidence));
        notes
    }

    /// The same for a list to choose from, in which the risk of each is told, whatever it is.
    pub fn about(&self, evidence: Evidence) -> Vec<String> {
        let mark = match self.risk.label {
            Label::Safe | Label::Cautious => "",
            Label::Confirm => "! ",
            Label::Dangerous => "!! ",
        };
        let cause = if self.risk.cause.is_empty() { String::new() } else { format!(": {}", self.risk.cause) };
        let mut about = vec![format!("{mark}{}{cause}", self.risk.label.name())];
        about.extend(self.remarks(evidence));
        about
    }

    /// All that there is to say besides the risk.
    pub fn remarks(&self, evidence: Evidence) -> Vec<String> {
        let mut notes = self.open.clone();
        notes.extend(self.changes.iter().cloned());
        notes.extend(self.fallback.iter().cloned());
        if evidence == Evidence::All && self.checks.says_something() {
            notes.push(self.checks.to_string());
        }
        notes
    }
}

/// What was looked up of a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checks {
    /// Options found in this machine's manuals, or taken by the program's own parser.
    pub flags_verified: usize,
    /// Options that could not be looked up.
    pub flags_unknown: usize,
    /// Options that the program does not take.
    pub flags_refuted: usize,
    /// Command words that stand for nothing here.
    pub commands_missing: usize,
    /// What the shell itself says of the line; none where it could not be asked.
    pub syntax_ok: Option<bool>,
}

impl Checks {
    /// There was something to look up, or something is wrong.
    pub fn says_something(&self) -> bool {
        let found = self.flags_verified + self.flags_unknown + self.flags_refuted + self.commands_missing;
        0 < found || self.syntax_ok == Some(false)
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = self.flags_verified + self.flags_unknown + self.flags_refuted;
        let plural = if flags == 1 { "" } else { "s" };
        match (flags, self.syntax_ok) {
            (0, Some(true)) => f.write_str("the shell can read it")?,
            (0, _) => f.write_str("nothing to look up")?,
            _ => write!(f, "checked {}/{flags} flag{plural}", self.flags_verified + self.flags_refuted)?,
        }
        if 0 < self.flags_refuted {
            write!(f, ", {} wrong", self.flags_refuted)?;
        }
        if 0 < self.commands_missing {
            write!(f, ", {} not found here", self.commands_missing)?;
        }
        if self.syntax_ok == Some(false) {
            f.write_str(", the shell can't read it")?;
        }
        Ok(())
    }
}

/// Wall time of each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// Looking at the machine.
    pub context: Duration,
    /// Finding similar solved requests.
    pub retrieve: Duration,
    /// Waiting for the model, its loading included.
    pub model: Duration,
    /// Cleaning and checking the answer.
    pub check: Duration,
    /// From request to suggestion.
    pub total: Duration,
}
