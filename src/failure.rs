//! The few reasons why there is no suggestion.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why there is no suggestion. Travels inside `anyhow::Error`; doors find it by `downcast_ref` and pick exit code and
/// hint by its name. Everything else is unexpected and only reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// No model can be asked; the text says why and what to run.
    NoModel(String),
    /// The model can't answer now: it can't be reached, is busy, broke off or sent what can't be read. Another one may
    /// answer, or this one later; the text says what happened and what to do.
    Unavailable(String),
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
            Self::NoModel(why) | Self::Unavailable(why) => f.write_str(why),
            Self::TimedOut => f.write_str("no answer in time; try again or raise `deadline_ms`"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::NoCommand(said) => write!(f, "{said}"),
            Self::Unclean(what) => write!(f, "the answer was refused: {what}"),
        }
    }
}

impl std::error::Error for Failure {}
