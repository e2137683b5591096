//! The preview key: says what the line on the prompt would change, and changes nothing. A line that only reads runs in the
//! sandbox, and its first rows are shown. Asks no model.

use super::input::Input;
use crate::environment::{self, Machine};
use crate::preview::preview;
use crate::sandboxed_line::{PREVIEW_PATIENCE, SandboxedLine};
use askline_preview::Unforeseen;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Returns the effect in notes: sentences, or the rows that the line prints.
pub(super) fn notes(input: &Input, shell: Shell, machine: &Machine) -> Vec<String> {
    let line = input.line.text.trim();
    if line.is_empty() {
        return vec!["the line is empty; type a command, and this key says what it would change".to_owned()];
    }
    let host = machine.host.as_ref();
    let ran = SandboxedLine::new(line, shell, &input.facts, host, PREVIEW_PATIENCE);
    let refused = match ran.and_then(|line| line.run(host)) {
        Ok(rows) => return vec![rows.cut().shown()],
        Err(reason) => reason,
    };
    let environment = environment::gather(machine, shell, &input.facts);
    let parsed = ParsedLine::new(line, shell);
    let previewed = preview(&parsed, &input.facts, environment.userland, host);
    machine.later.add(Box::new(move |machine| environment.remember(machine)));
    match previewed {
        // Nothing to be lost: the person would rather see the rows.
        Ok(preview) if preview.effect.is_nothing() => {
            [preview.sentences, vec![format!("it was not run: {refused}")]].concat()
        }
        Ok(preview) => preview.sentences,
        Err(Unforeseen(reason)) => vec![format!("no preview: {reason}")],
    }
}
