//! Finds missing files that a command reads. Reports a word only if it is surely a path and no earlier command of the
//! line can have created the file.

use super::commands::may_have_changed;
use super::tools::{TOOLS, is_find};
use super::walk::Walk;
use super::{Finding, FindingKind, Grade, ReportDraft};
use askline_syntax::{Nesting, Parsed, SimpleCommand, Word, program_name};

/// Maximum number of operands to look up per command.
const MAX_OPERANDS: usize = 32;

/// Adds findings for missing files of one command.
pub(super) fn check(command: &SimpleCommand, walk: &Walk, parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    // A wrapped command may run elsewhere, as another user, or with inserted operands.
    let is_wrapped =
        command.within.iter().any(|nesting| matches!(nesting, Nesting::Wrapper(_) | Nesting::Function));
    if is_wrapped || may_have_changed(command, parsed) {
        return;
    }
    for redirection in command.redirections.iter().filter(|redirection| redirection.operator == "<") {
        // A `<` directly before it is a form that this shell lacks. Another check reports it.
        let before = draft.line.get(..redirection.span.start).unwrap_or_default();
        if let Some(target) = &redirection.target
            && !before.ends_with('<')
        {
            look_up(target, Grade::Warning, draft);
        }
    }
    let Some(name) = command.name().map(program_name) else { return };
    let operands: Vec<&Word> =
        walk.operands.iter().filter_map(|index| command.words.get(*index)).take(MAX_OPERANDS).collect();
    if name == "cd" {
        if let [directory] = operands.as_slice() {
            look_up(directory, Grade::Warning, draft);
        }
        return;
    }
    let Some(before) = TOOLS.reads.get(name).copied().or(is_find(name).then_some(0)) else { return };
    let changes_meaning = |option: &str| super::tools::lists(&TOOLS.unless, name, option);
    if walk.uses.iter().any(|used| changes_meaning(&used.option)) {
        return;
    }
    let end = operands.len().saturating_sub(usize::from(TOOLS.makes_last.names.contains(name)));
    for word in operands.get(before..end).unwrap_or_default() {
        look_up(word, Grade::Hint, draft);
    }
}

fn look_up(word: &Word, grade: Grade, draft: &mut ReportDraft<'_>) {
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
        kind: if is_stand_in { FindingKind::Placeholder } else { FindingKind::PathMissing },
        span: word.span.clone(),
        grade: if is_stand_in { Grade::Warning } else { grade },
        text: match is_stand_in {
            true => format!("`{path}` is a placeholder for a name"),
            false => format!("there is no `{path}` here"),
        },
        evidence: "looked up from the working directory".to_owned(),
        fixes: Vec::new(),
    });
}
