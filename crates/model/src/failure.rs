//! Expected reasons for a missing suggestion.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Expected reason for a missing suggestion. Travels inside `anyhow::Error`; entry points find it by
/// `downcast_ref` and choose exit code and hint by variant. All other errors are unexpected and only reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// No model is available; the text gives the cause and the command to run.
    NoModel(String),
    /// The model can't answer now: it is unreachable or busy, the connection broke, or the reply was
    /// unreadable. Another model may answer, or this one later. The text gives the cause and what to do.
    Unavailable(String),
    /// The deadline passed without a usable answer.
    TimedOut,
    /// The deadline passed while the model was loaded or prepared, which happens once; with the estimated rest in
    /// seconds, if there is one.
    Preparing(Option<u64>),
    /// The user cancelled.
    Cancelled,
    /// The model answered in prose (a refusal, a question) or with nothing; the text is the message to show.
    NoCommand(String),
    /// No single command does what was asked, by the words of the request; no model was asked.
    Declined,
    /// The answer contains something that must not reach a prompt line; the text names it.
    Unclean(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModel(why) | Self::Unavailable(why) => f.write_str(why),
            Self::TimedOut => f.write_str("no answer in time; try again or raise `deadline_ms`"),
            Self::Preparing(Some(left)) => {
                write!(
                    f,
                    "the model is being prepared, about {left} s left (first time only); try again then"
                )
            }
            Self::Preparing(None) => {
                f.write_str("the model is being prepared (first time only); try again in a moment")
            }
            Self::Cancelled => f.write_str("cancelled"),
            Self::NoCommand(message) => write!(f, "{message}"),
            Self::Declined => f.write_str("no single command does that; ask for a part of it"),
            Self::Unclean(what) => write!(f, "the answer was refused: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Context of an error: the engine of the embedded model gave up in the middle of its work. The process that computed
/// the model should end, because the memory of the engine is lost to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineLost;

impl fmt::Display for EngineLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the model stopped")
    }
}

/// Error for an unusable configuration; the text has one line per fault with file, line number, cause and
/// remedy.
#[derive(Debug, PartialEq, Eq)]
pub struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}
