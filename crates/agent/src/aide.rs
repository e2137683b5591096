//! Aides: other models that plan, review and sum up for the model that looks.
//!
//! What an aide writes is a proposal in one or a few bounded lines: it never calls a tool, and the loop goes on without it.

use crate::{plan, review, summary};

/// Work of an aide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aide {
    /// Proposes the steps, once, before the first look.
    Planner,
    /// Judges the looks so far.
    Reviewer,
    /// Says in one line what an older look showed.
    Summarizer,
}

impl Aide {
    /// All aides.
    pub const ALL: [Self; 3] = [Self::Planner, Self::Reviewer, Self::Summarizer];

    /// Returns its key in `[roles]` of the configuration.
    pub fn role(self) -> &'static str {
        match self {
            Self::Planner => "plan",
            Self::Reviewer => "review",
            Self::Summarizer => "summary",
        }
    }

    /// Returns the instruction to its model.
    pub fn instruction(self) -> &'static str {
        match self {
            Self::Planner => plan::INSTRUCTION,
            Self::Reviewer => review::INSTRUCTION,
            Self::Summarizer => summary::INSTRUCTION,
        }
    }
}
