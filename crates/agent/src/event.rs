//! What happens in the loop, for those who show or record it.

use crate::call::{Call, Observation};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// The model thought aloud.
    Thought(String),
    /// A planner proposed these steps.
    Plan(Vec<String>),
    /// A tool is called.
    ToolCall(Call),
    /// A tool answered.
    Observation(Observation),
    /// Something is wrong, and the loop goes on in another way.
    Warning(String),
    /// The person was asked a question.
    Question(String),
    /// The person was asked to allow something; `true` if they did.
    Approval(String, bool),
    /// Share of the planned steps that is done, 0 to 1.
    Progress(f64),
    /// The loop has ended with this answer.
    Final(String),
}
