//! `askline check --hook`: refuses a Dangerous line of a coding agent before the agent runs it.
//!
//! The agent gives its tool call as a JSON object on standard input. Exit code 0 lets it pass, silently; 2 refuses it, with
//! the reason on standard error. What can't be read is refused, too: a broken hook must not let everything pass.

use std::io::{self, Read as _};

use anyhow::Context as _;
use serde_json::Value;

use super::super::rows::ROW_LIMIT;
use super::super::{AppContext, Exit, one_line, print_message};
use askline_model::failure::UsageError;
use askline_risk::Label;
use askline_syntax::shell::Shell;

/// Maximum size of a tool call in bytes.
const CALL_BYTES_MAX: u64 = 4 << 20;

/// Places of the line in the calls of well-known agents: Claude Code, Codex and Gemini CLI, Cursor, Windsurf.
const LINES: [&str; 3] = ["/tool_input/command", "/command", "/tool_info/command_line"];

pub(super) fn run(shell: Shell, app: &AppContext) -> anyhow::Result<Exit> {
    let call =
        read().map_err(|error| UsageError(format!("refused, the tool call can't be read: {error:#}")))?;
    let Some(line) = line(&call) else {
        return Ok(Exit::Done);
    };
    if ROW_LIMIT < line.len() {
        let refusal =
            format!("refused: the line is longer than {ROW_LIMIT} bytes; split it, or put it into a file");
        return Err(UsageError(refusal).into());
    }
    let risk = super::risk(line, shell, app)?;
    if risk.label < Label::Dangerous {
        return Ok(Exit::Done);
    }
    print_message(&format!(
        "askline: refused: {}: {}; ask the user to run it, or do it in a way that can be undone",
        risk.label.name(),
        one_line(&risk.cause)
    ));
    Ok(Exit::Usage)
}

fn read() -> anyhow::Result<Value> {
    let mut call = Vec::new();
    io::stdin().lock().take(CALL_BYTES_MAX).read_to_end(&mut call)?;
    serde_json::from_slice(&call).context("it is not one JSON object")
}

/// Returns the line of a call; `None` if the call is about something else than a shell.
fn line(call: &Value) -> Option<&str> {
    LINES.iter().find_map(|place| call.pointer(place)?.as_str())
}
