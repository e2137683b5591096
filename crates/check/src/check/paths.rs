//! Finds missing files that a command reads. Reports a word only if it is surely a path and no earlier command of the
//! line can have created the file.

use super::commands::may_have_changed;
use super::nearest;
use super::tools::{TOOLS, is_find};
use super::walk::Walk;
use super::{Finding, FindingKind, ReportDraft, Severity};
use crate::finding::Fix;
use askline_syntax::{Nesting, Parsed, SimpleCommand, Word, program_name};

/// Maximum number of operands to look up per command.
const OPERANDS_MAX: usize = 32;
/// Maximum number of further words of a name with blanks.
const PARTS_MAX: usize = 5;
/// Maximum number of directories above a file that are looked up for its nearest name.
const DEPTH_MAX: usize = 32;
/// Minimum length of a name without its ending that the beginning of another one may stand for, in characters.
const STEM_CHARS_MIN: usize = 4;
/// Maximum number of missing files per line for which the nearest name is searched.
pub(super) const GUESSES_MAX: usize = 4;

/// Tests of `find` that compare with a file.
const COMPARED: [&str; 10] = [
    "-newer",
    "-anewer",
    "-cnewer",
    "-samefile",
    "-neweraa",
    "-neweram",
    "-newerma",
    "-newermm",
    "-newercm",
    "-newermc",
];

/// Kind of file that a command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Directory,
    File,
    Any,
}

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
            look_up(target, Severity::Warning, Wanted::File, draft);
        }
    }
    let Some(name) = command.name().map(program_name) else { return };
    let is_made = |word: &&Word| is_made_before(word, command, parsed);
    let operands = walk.operands.iter().filter_map(|index| command.words.get(*index)).take(OPERANDS_MAX);
    let operands: Vec<&Word> = operands.filter(|word| !is_made(word)).collect();
    if is_find(name) {
        // `find -newer FILE`: its date is read. `-newermt` takes a time.
        let files = walk.values.iter().filter(|(_, option)| COMPARED.contains(&option.as_str()));
        for word in files.filter_map(|(index, _)| command.words.get(*index)).filter(|word| !is_made(word)) {
            look_up(word, Severity::Warning, Wanted::Any, draft);
        }
    }
    if (name == "cd" || TOOLS.reads.contains_key(name)) && in_parts(&operands, draft) {
        return;
    }
    if let Some(archive) = archive(name, walk, command) {
        look_up(archive, Severity::Hint, Wanted::File, draft);
        return;
    }
    if name == "cd" {
        if let [directory] = operands.as_slice() {
            look_up(directory, Severity::Warning, Wanted::Directory, draft);
        }
        return;
    }
    if name == "mkdir" {
        return parents(command, walk, &operands, draft);
    }
    if TOOLS.interpreters.names.contains(name) && walk.values.is_empty() && walk.uses.is_empty() {
        // Interpreters find bare names elsewhere, too.
        if let Some(script) = operands.first().filter(|script| script.text.contains(['/', '.'])) {
            look_up(script, Severity::Warning, Wanted::File, draft);
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
        look_up(word, Severity::Hint, Wanted::Any, draft);
    }
}

/// Reports whether an earlier `mkdir` of the line makes what a word names, or a directory above or below it.
fn is_made_before(word: &Word, command: &SimpleCommand, parsed: &Parsed) -> bool {
    let plain = |text: &str| text.trim_start_matches("./").trim_end_matches('/').to_owned();
    let is_below = |path: &str, above: &str| {
        path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let path = plain(&word.text);
    let before =
        parsed.commands.iter().filter(|it| it.span.start < command.span.start && it.name() == Some("mkdir"));
    before.flat_map(|it| it.words.iter().skip(1)).any(|made| {
        let made = plain(&made.text);
        is_below(&path, &made) || is_below(&made, &path)
    })
}

/// Adds a finding if `mkdir` would have to make the directories above, too. Nushell's own always does.
fn parents(command: &SimpleCommand, walk: &Walk, operands: &[&Word], draft: &mut ReportDraft<'_>) {
    let is_nushells = draft.shell.is_nushell() && !command.external;
    let makes_all = walk.uses.iter().any(|used| matches!(used.option.as_str(), "-p" | "--parents"));
    let Some(name) = command.words.first().filter(|_| !is_nushells && !makes_all) else { return };
    let above = |word: &&&Word| {
        let path = word.text.trim_end_matches('/');
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        is_path(word) && !above.is_empty() && draft.reference.exists(above) == Some(false)
    };
    let Some(word) = operands.iter().find(above) else { return };
    let (above, _) = word.text.trim_end_matches('/').rsplit_once('/').unwrap_or_default();
    draft.report.findings.push(Finding {
        kind: FindingKind::PathMissing,
        span: word.span.clone(),
        grade: Severity::Warning,
        text: format!("there is no `{above}` here"),
        evidence: "looked up from the working directory".to_owned(),
        fixes: vec![Fix {
            span: name.span.end..name.span.end,
            replacement: " -p".to_owned(),
            change: "mkdir → mkdir -p".to_owned(),
        }],
    });
}

/// Returns the archive that `tar` reads, if it is named by a word of its own.
fn archive<'c>(name: &str, walk: &Walk, command: &'c SimpleCommand) -> Option<&'c Word> {
    const READING: [&str; 7] = ["-x", "--extract", "--get", "-t", "--list", "-d", "--diff"];
    let uses = |options: &[&str]| walk.uses.iter().any(|used| options.contains(&used.option.as_str()));
    // `-C` does not concern the archive.
    let reads = matches!(name, "tar" | "bsdtar" | "gtar") && uses(&READING);
    let (index, _) = walk.values.iter().find(|(_, option)| matches!(option.as_str(), "-f" | "--file"))?;
    // `host:archive` is on another machine, `-` the input.
    command.words.get(*index).filter(|word| reads && !word.text.contains(':'))
}

/// Adds a finding if operands beside each other are the parts of one name with blanks: `cat my notes.txt`. Reports whether it did.
fn in_parts(operands: &[&Word], draft: &mut ReportDraft<'_>) -> bool {
    let exists = |path: &str| draft.reference.exists(path);
    let is_part = |word: &Word| {
        word.literal && !word.quoted && draft.line.get(word.span.clone()) == Some(word.text.as_str())
    };
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "/._-+ ".contains(c));
    let joined = operands.iter().enumerate().find_map(|(at, first)| {
        if !is_path(first) || exists(&first.text) != Some(false) {
            return None;
        }
        let next = operands.iter().skip(at + 1).take(PARTS_MAX);
        let parts = next.take_while(|word| is_part(word)).map(|word| first.span.start..word.span.end);
        let mut names = parts.filter(|span| {
            draft.line.get(span.clone()).is_some_and(|name| is_name(name) && exists(name) == Some(true))
        });
        names.next().filter(|_| is_part(first))
    });
    let Some(span) = joined else { return false };
    let name = draft.line.get(span.clone()).unwrap_or_default();
    draft.report.findings.push(Finding {
        kind: FindingKind::PathMissing,
        span: span.clone(),
        grade: Severity::Warning,
        text: format!("`{name}` is one name; without quotes the blanks part it"),
        evidence: "looked up from the working directory".to_owned(),
        fixes: vec![Fix { span, replacement: format!("'{name}'"), change: format!("{name} → '{name}'") }],
    });
    true
}

/// Reports whether the word can only be a path that the shell passes on as it is.
fn is_path(word: &Word) -> bool {
    let path = word.text.as_str();
    (word.literal && !path.starts_with('~') || is_below_home(word))
        && !path.is_empty()
        && !path.starts_with(['-', '+', '=', '%'])
        && !path.contains("://")
        && !path.contains("{}")
        && !path.contains('\n')
        && !path.starts_with("/dev/")
        && !path.starts_with("/proc/")
}

/// Reports whether the shell expands nothing in a word but the `~` before its first slash.
fn is_below_home(word: &Word) -> bool {
    let rest = word.text.strip_prefix("~/").filter(|_| !word.quoted && !word.glob);
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_alphanumeric() || "._-/+".contains(c)))
}

fn look_up(word: &Word, grade: Severity, wanted: Wanted, draft: &mut ReportDraft<'_>) {
    let path = word.text.as_str();
    if !is_path(word) || draft.reference.exists(path) != Some(false) {
        return;
    }
    let fix = meant(word, wanted, draft);
    let is_stand_in = TOOLS.stand_ins.names.contains(path);
    draft.report.findings.push(Finding {
        kind: if is_stand_in { FindingKind::Placeholder } else { FindingKind::PathMissing },
        span: word.span.clone(),
        grade: if is_stand_in { Severity::Warning } else { grade },
        text: match is_stand_in {
            true => format!("`{path}` is a placeholder for a name"),
            false => format!("there is no `{path}` here"),
        },
        evidence: "looked up from the working directory".to_owned(),
        fixes: Vec::from_iter(fix),
    });
}

/// Returns the edit to the one existing path that a missing path surely means: one of its names is misspelt.
fn meant(word: &Word, wanted: Wanted, draft: &mut ReportDraft<'_>) -> Option<Fix> {
    let path = word.text.as_str();
    let is_raw = draft.line.get(word.span.clone()) == Some(path);
    draft.paths_left = draft.paths_left.checked_sub(1).filter(|_| is_raw)?;
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).filter(|end| 0 < *end);
    let is_missing =
        |end: &usize| path.get(..*end).is_some_and(|known| draft.reference.exists(known) == Some(false));
    let (known, rest) = path.split_at_checked(ends.take(DEPTH_MAX).find(is_missing)?)?;
    let (above, name) = known.split_at_checked(known.rfind('/').map_or(0, |at| at + 1))?;
    let wanted = if rest.trim_matches('/').is_empty() { wanted } else { Wanted::Directory };
    let is_of_kind = |other: &&String| match wanted {
        Wanted::Any => true,
        Wanted::Directory | Wanted::File => {
            let is_directory = draft.reference.is_directory(&format!("{above}{other}"));
            is_directory == Some(wanted == Wanted::Directory)
        }
    };
    let names = draft.reference.names_in(above)?;
    let near = names.iter().filter(|other| nearest::is_slip_of_file(name, other)).filter(is_of_kind);
    let nearest = match nearest::clear(name, near.map(String::as_str)) {
        Some(nearest) => nearest,
        None => only(names.iter().filter(|other| begins_with(other, name)).filter(is_of_kind))?,
    };
    let is_plain = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    let is_quotable = |c: char| is_plain(c) || " ()[]&,;#@=".contains(c);
    let found = format!("{above}{nearest}{rest}");
    if !nearest.chars().all(is_quotable) || draft.reference.exists(&found) != Some(true) {
        return None;
    }
    let replacement = match nearest.chars().all(is_plain) {
        true => found,
        false if path.starts_with('~') => return None,
        false => format!("'{found}'"),
    };
    Some(Fix { span: word.span.clone(), change: format!("{path} → {replacement}"), replacement })
}

/// Returns the only item.
fn only<'a>(mut names: impl Iterator<Item = &'a String>) -> Option<&'a str> {
    names.next().filter(|_| names.next().is_none()).map(String::as_str)
}

/// Reports whether the name of a file is a missing one with words behind it: `Letter to Ann.txt` for `Letter.txt`.
fn begins_with(other: &str, name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let (longer, other_ending) = other.rsplit_once('.').unwrap_or((other, ""));
    let rest = longer.strip_prefix(stem).filter(|_| STEM_CHARS_MIN <= stem.chars().count());
    ending == other_ending && rest.is_some_and(|rest| rest.starts_with(' '))
}
