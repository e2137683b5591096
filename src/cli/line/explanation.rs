//! The explain key: says what the line on the prompt does, part by part, with its risk, and changes nothing. Asks no model.

use super::input::Input;
use crate::config::Config;
use crate::environment::{self, Machine};
use crate::examine::Examiner;
use crate::knowledge::Knowledge;
use crate::path_facts::PathFacts;
use askline_check::explain::{Part, Role, explain};
use askline_risk::Label;
use askline_syntax::shell::Shell;

/// Maximum number of characters of the meaning of a part: all parts share a few rows.
const MEANING_CHARS_MAX: usize = 90;

/// Returns the explanation in notes: the risk if there is one to name, then each part with its meaning.
pub(super) fn notes(input: &Input, shell: Shell, machine: &Machine, config: &Config) -> Vec<String> {
    let line = input.line.text.trim();
    if line.is_empty() {
        return vec!["the line is empty; type a command, and this key says what it does".to_owned()];
    }
    let environment = environment::gather(machine, shell, &input.facts);
    let knowledge = Knowledge::new(machine, &environment, &input.facts, config.help);
    let examiner = Examiner { shell, knowledge: &knowledge };
    let parsed = examiner.parse(line);
    let risk = examiner.risk(&parsed, None, &PathFacts::new(machine.host.as_ref()));
    let mut notes = Vec::new();
    if risk.label >= Label::Confirm {
        notes.extend(risk.note());
    }
    notes.extend(risk.facts.iter().cloned());
    let parts = explain(&parsed, &knowledge);
    notes.extend(parts.iter().filter(|part| part.role != Role::Operand).map(|part| note(line, part)));
    machine.later.add(Box::new(move |machine| {
        environment.remember(machine);
        knowledge.remember();
    }));
    notes
}

fn note(line: &str, part: &Part) -> String {
    let words = line.get(part.span.clone()).unwrap_or_default();
    if part.meaning.is_empty() {
        return format!("{words}: not documented here");
    }
    // Several options in one word are explained one by one.
    let whole = part.meaning.trim_end_matches('.');
    let meaning: String = whole.chars().take(MEANING_CHARS_MAX).collect();
    let more = if meaning.len() < whole.len() { "…" } else { "" };
    format!("{words}: {}{more}", meaning.trim_end())
}
