//! A suggested command with everything a user should know about it.

use std::fmt;
use std::time::Duration;

use crate::config::Evidence;
use askline_risk::Risk;
use askline_syntax::line::LineText;

/// Note about a command that the model is unsure of.
pub(crate) const UNSURE: &str = "the model is not sure that this is right";

/// A command for the prompt line, with its origin and its checks.
#[derive(Debug, Clone)]
pub struct Suggestion {
    /// Command to put on the prompt line.
    pub command: LineText,
    /// Changes made to the model's command, in words ("curly quotes made straight").
    pub changes: Vec<String>,
    /// Other commands from the same answer.
    pub alternatives: Vec<LineText>,
    /// Results of the checks on this machine.
    pub checks: Checks,
    /// Remaining problems of the command, in words, worst first.
    pub open: Vec<String>,
    /// Risk of running the command.
    pub risk: Risk,
    /// Confidence in the command, 0 to 1: computed from the checks, lowered by the model's own doubts.
    pub confidence: f64,
    /// `true` if most answers that the model is so unsure of are wrong, and no check tells what is wrong with this one.
    pub is_unsure: bool,
    /// Remarks of the model about its answer: why it answered and not the configured first one, or that it is not wholly
    /// prepared yet.
    pub fallback: Vec<String>,
    /// Number of times a model was asked; 0 if the checks sufficed.
    pub rounds: u32,
    /// Name of the model that answered.
    pub source: String,
    /// Time spent in each stage.
    pub timing: Timing,
}

impl Suggestion {
    /// Returns notes for the user, most important first: risk, remaining problems, changes, remarks of the model, and the
    /// checks. There is no risk note unless the label is Confirm or Dangerous; its absence is no
    /// promise of safety.
    pub fn notes(&self, evidence: Evidence) -> Vec<String> {
        let mut notes: Vec<String> = self.risk.note().into_iter().collect();
        notes.extend(self.remarks(evidence));
        notes
    }

    /// Returns the same notes for a list to choose from, always with the risk label first.
    pub fn about(&self, evidence: Evidence) -> Vec<String> {
        let cause = if self.risk.cause.is_empty() { String::new() } else { format!(": {}", self.risk.cause) };
        let harmless = || format!("{}{cause}", self.risk.label.name());
        let mut about = vec![self.risk.note().unwrap_or_else(harmless)];
        about.extend(self.remarks(evidence));
        about
    }

    /// Returns all notes except the risk and its cause.
    pub fn remarks(&self, evidence: Evidence) -> Vec<String> {
        // What made the label is said with it.
        let mut notes: Vec<String> =
            self.open.iter().filter(|open| !self.risk.cause.ends_with(open.as_str())).cloned().collect();
        notes.extend(self.is_unsure.then(|| UNSURE.to_owned()));
        notes.extend(self.changes.iter().cloned());
        let is_shown = match evidence {
            Evidence::All => self.checks.says_something(),
            // What is wrong is said by name.
            Evidence::Open => {
                self.checks.leaves_open() && (0 < self.checks.flags_unknown || self.open.is_empty())
            }
            Evidence::Wrong => false,
        };
        notes.extend(is_shown.then(|| self.checks.to_string()));
        notes.extend(self.fallback.iter().cloned());
        notes
    }
}

/// Numbers of checked options and commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checks {
    /// Number of options found in this machine's manuals or accepted by the program's own parser.
    pub flags_verified: usize,
    /// Number of options that could not be looked up.
    pub flags_unknown: usize,
    /// Number of options that the program does not take.
    pub flags_refuted: usize,
    /// Number of command words that name no command on this machine.
    pub commands_missing: usize,
    /// Verdict of the shell's own parser; `None` if the shell could not be asked.
    pub syntax_ok: Option<bool>,
}

impl Checks {
    /// Reports whether anything was looked up or is wrong.
    pub fn says_something(&self) -> bool {
        let found = self.flags_verified + self.flags_unknown + self.flags_refuted + self.commands_missing;
        0 < found || self.syntax_ok == Some(false)
    }

    /// Reports whether something could not be looked up or is wrong.
    pub fn leaves_open(&self) -> bool {
        0 < self.flags_unknown + self.flags_refuted + self.commands_missing || self.syntax_ok == Some(false)
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
    /// Reading the environment.
    pub context: Duration,
    /// Building the prompt.
    pub retrieve: Duration,
    /// Waiting for the model, including loading it.
    pub model: Duration,
    /// Cleaning and checking the answer.
    pub check: Duration,
    /// From request to suggestion.
    pub total: Duration,
}
