//! The preview key: says what the line on the prompt would change, and changes nothing. Asks no model and starts no program.

use super::input::Input;
use crate::environment::{self, Machine};
use crate::preview::preview;
use askline_preview::Unforeseen;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Returns the effect in notes.
pub(super) fn notes(input: &Input, shell: Shell, machine: &Machine) -> Vec<String> {
    let line = input.line.text.trim();
    if line.is_empty() {
        return vec!["the line is empty; type a command, and this key says what it would change".to_owned()];
    }
    let environment = environment::gather(machine, shell, &input.facts);
    let parsed = ParsedLine::new(line, shell);
    let previewed = preview(&parsed, &input.facts, environment.userland, machine.host.as_ref());
    machine.later.add(Box::new(move |machine| environment.remember(machine)));
    match previewed {
        Ok(preview) => preview.sentences,
        Err(Unforeseen(reason)) => vec![format!("no preview: {reason}")],
    }
}
