//! Paths that a command reads and that aren't there. Said only where nothing earlier in the line can have made them,
//! and only of words that are surely paths.

use super::commands::may_have_changed;
use super::tools::{TOOLS, base};
use super::walk::{self, Walk};
use super::{Draft, Finding, Grade, Kind};
use crate::syntax::{Nesting, Parsed, SimpleCommand, Word};

/// Operands of one command that are looked up.
const MAX_OPERANDS: usize = 32;

/// Adds what is missing of what one command reads.
pub(super) fn check(command: &SimpleCommand, walk: &Walk, parsed: &Parsed, draft: &mut Draft<'_>) {
    // What another command runs may run elsewhere, as someone else or on what it puts in.
    let is_wrapped =
        command.within.iter().any(|nesting| matches!(nesting, Nesting::Wrapper(_) | Nesting::Function));
    if is_wrapped || may_have_changed(command, parsed) {
        return;
    }
    for redirection in command.redirections.iter().filter(|redirection| redirection.operator == "<") {
        if let Some(target) = &redirection.target {
            look_up(target, Grade::Warning, draft);
        }
    }
    let Some(name) = command.name().map(base) else { return };
    let operands: Vec<&Word> =
        walk.operands.iter().filter_map(|index| command.words.get(*index)).take(MAX_OPERANDS).collect();
    if name == "cd" {
        if let [directory] = operands.as_slice() {
            look_up(directory, Grade::Warning, draft);
        }
        return;
    }
    let Some(before) = TOOLS.reads.get(name).copied().or(walk::is_find(name).then_some(0)) else { return };
    let changes_meaning = |option: &str| super::tools::lists(&TOOLS.unless, name, option);
    if walk.uses.iter().any(|used| changes_meaning(&used.option)) {
        return;
    }
    let end = operands.len().saturating_sub(usize::from(TOOLS.makes_last.names.contains(name)));
    for word in operands.get(before..end).unwrap_or_default() {
        look_up(word, Grade::Hint, draft);
    }
}

fn look_up(word: &Word, grade: Grade, draft: &mut Draft<'_>) {
    let path = word.text.as_str();
    let is_path = word.literal
        && !path.is_empty()
        && !path.starts_with(['-', '~', '+', '=', '%'])
        && !path.contains("://")
        && !path.contains("{}")
        && !path.contains('\n')
        && !path.starts_with("/dev/")
        && !path.starts_with("/proc/");
    if !is_path || draft.reference.exists(path) != Some(false) {
        return;
    }
    let is_stand_in = TOOLS.stand_ins.names.contains(path);
    draft.report.findings.push(Finding {
        kind: if is_stand_in { Kind::Placeholder } else { Kind::PathMissing },
        span: word.span.clone(),
        grade: if is_stand_in { Grade::Warning } else { grade },
        text: match is_stand_in {
            true => format!("`{path}` stands for a name to be filled in"),
            false => format!("there is no `{path}` here"),
        },
        evidence: "looked up from the working directory".to_owned(),
        fixes: Vec::new(),
    });
}
