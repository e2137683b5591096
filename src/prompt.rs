//! The text a model gets.
//!
//! A fixed part that never changes for a shell, so that its model state is computed once and kept, and a fresh part
//! with the request. What raised and lowered accuracy is measured in `benches/accuracy.md`: solved requests in the
//! fixed part gain most; facts about the machine lost, so none are told.

use serde::Deserialize;

use crate::shell::Shell;

/// A prompt in two parts; a model keeps the state of `fixed` between requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The same for every request in this shell.
    pub fixed: String,
    /// The request.
    pub fresh: String,
}

impl Prompt {
    /// The exact text a model gets.
    pub fn text(&self) -> String {
        format!("{}{}", self.fixed, self.fresh)
    }
}

/// A request and the command that answers it, one row of `prompt/solved-*.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solved {
    /// What a person asked.
    pub request: String,
    /// The command, one line.
    pub command: String,
}

/// The solved requests for a shell, in the order they stand in the prompt.
pub fn solved(shell: Shell) -> Vec<Solved> {
    #[derive(Deserialize)]
    struct File {
        solved: Vec<Solved>,
    }
    let text = match shell {
        Shell::Bash | Shell::Zsh | Shell::Fish | Shell::Nu => include_str!("prompt/solved-bash.toml"),
    };
    let file: File = toml::from_str(text).expect("the solved requests in the tree parse: a test holds that");
    file.solved
}

/// The prompt for a request.
pub fn draft(request: &str, shell: Shell) -> Prompt {
    let mut fixed = format!("# One-line {} commands for Linux.\n\n", shell.name());
    for Solved { request, command } in solved(shell) {
        fixed.push_str(&format!("# {request}\n{command}\n\n"));
    }
    let one_line = request.split_whitespace().collect::<Vec<_>>().join(" ");
    Prompt { fixed, fresh: format!("# {one_line}\n") }
}
