//! The command inside a model's reply.

use crate::shell::Shell;

/// What a reply turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Commands, best first, never empty.
    Commands(Vec<String>),
    /// Words: a refusal, a question, an explanation without a command. For people, never for the line.
    Words(String),
    /// Nothing at all.
    Nothing,
}

/// Finds the command in a reply.
pub fn extract(reply: &str, _shell: Shell) -> Answer {
    match reply.trim() {
        "" => Answer::Nothing,
        command => Answer::Commands(vec![command.to_owned()]),
    }
}
