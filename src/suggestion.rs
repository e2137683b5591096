//! What comes out: a suggestion, or one of a few reasons why there is none.

use std::fmt;
use std::time::Duration;

use crate::line::LineText;

/// A command for the prompt line and how it came to be.
#[derive(Debug, Clone)]
pub struct Suggestion {
    /// What to put on the prompt line.
    pub command: LineText,
    /// What was mended on the way, in words ("curly quotes made straight").
    pub changes: Vec<String>,
    /// Other commands the same answer offered.
    pub alternatives: Vec<LineText>,
    /// How often a model was asked.
    pub rounds: u32,
    /// Which model answered.
    pub source: String,
    /// Where the time went.
    pub timing: Timing,
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

/// Why there is no suggestion. Travels inside `anyhow::Error`; doors find it by `downcast_ref` and pick exit code and
/// hint by its name. Everything else is unexpected and only reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// No model can be asked; the text says why and what to run.
    NoModel(String),
    /// The deadline passed without a usable answer.
    TimedOut,
    /// The person gave up.
    Cancelled,
    /// The model answered in words (a refusal, a question) or with nothing; the text is what to show.
    NoCommand(String),
    /// The answer holds something that must not reach a prompt line; the text says what.
    Unclean(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModel(why) => f.write_str(why),
            Self::TimedOut => f.write_str("no answer in time; try again or raise `deadline_ms`"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::NoCommand(said) => write!(f, "{said}"),
            Self::Unclean(what) => write!(f, "the answer was refused: {what}"),
        }
    }
}

impl std::error::Error for Failure {}
