//! Arguments in the wrong order or with the wrong quotes.

use super::slip;
use crate::mismatch::Mismatch;
use crate::tool::is_awk;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Endings of archives.
const ARCHIVES: [&str; 12] = [
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".zip", ".7z", ".rar",
    ".jar",
];

/// Returns the slips of one command.
pub(super) fn slips(line: &ParsedLine, command: &SimpleCommand) -> Vec<Mismatch> {
    let all = [
        expanded_program(line, command),
        swapped_archive(line, command),
        escapes_of_echo(line, command),
        downwards(line, command),
        onto_itself(command),
    ];
    all.into_iter().flatten().collect()
}

/// Finds `awk "{print $1}"`: in double quotes the shell replaces `$1` before awk sees it.
fn expanded_program(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    if !is_awk(command.name()?) {
        return None;
    }
    let is_field = |word: &&Word| {
        let mut after = word.text.split('$').skip(1).map(|rest| rest.chars().next());
        word.text.starts_with('{') && after.any(|c| c.is_some_and(|c| c.is_ascii_digit()))
    };
    let program = command.words.iter().skip(1).find(is_field)?;
    let raw = line.text().get(program.span.clone())?;
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = !inner.contains(['\'', '`', '\\']) && !inner.contains("$(") && !inner.contains("${");
    let why = "in double quotes the shell replaces `$1` before awk sees it".to_owned();
    is_plain.then(|| slip(line.text(), program.span.clone(), format!("'{inner}'"), why))
}

/// Finds `mv 'a b' 'a b'`: a file that is moved to its own name (mv(1), "are the same file").
fn onto_itself(command: &SimpleCommand) -> Option<Mismatch> {
    let name = command.name().filter(|name| matches!(*name, "mv" | "cp"))?;
    let [_, from, to] = command.words.as_slice() else { return None };
    let is_same = from.literal && to.literal && from.text == to.text && !from.text.starts_with('-');
    is_same.then(|| Mismatch::likely(to.span.clone(), format!("`{name}` gets the same name twice")))
}

/// Finds `tar -czf directory archive.tar.gz` and `zip -r directory archive.zip`: the archive comes first (tar(1),
/// zip(1)).
fn swapped_archive(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let is_archive = |word: &Word| ARCHIVES.iter().any(|ending| word.text.ends_with(ending));
    let words = command.words.get(1..)?;
    let (first, second) = match command.name()? {
        "tar" => {
            let at = words.iter().position(|word| {
                let letters = word.text.strip_prefix('-').unwrap_or(&word.text);
                letters.ends_with('f')
                    && letters.contains('c')
                    && letters.chars().all(|c| c.is_ascii_alphabetic())
            })?;
            (words.get(at + 1)?, words.get(at + 2..)?)
        }
        "zip" => {
            let at = words.iter().position(|word| !word.text.starts_with('-'))?;
            (words.get(at)?, words.get(at + 1..)?)
        }
        _ => return None,
    };
    let [second] = second else { return None };
    if is_archive(first) || !is_archive(second) || first.text.contains('.') {
        return None;
    }
    let raw = |word: &Word| line.text().get(word.span.clone());
    let swapped = format!("{} {}", raw(second)?, raw(first)?);
    let why = format!("{} takes the archive first", command.name()?);
    Some(slip(line.text(), first.span.start..second.span.end, swapped, why))
}

/// Finds `echo "a\nb"` in bash and fish, which print the backslash (bash(1) and fish's manual, "echo").
fn escapes_of_echo(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let prints_backslashes = !line.shell().dialect().decodes_in_echo;
    let words = command.words.as_slice();
    let has_escape =
        |word: &Word| word.quoted && ["\\n", "\\t"].iter().any(|escape| word.text.contains(escape));
    // The escape may be meant for a command in the word.
    let has_substitution = words.iter().any(|word| word.text.contains("$("));
    let has_option = words.get(1).is_some_and(|word| word.text.starts_with('-') && word.text.contains('e'));
    // Behind a pipe another program may read the escapes.
    let is_alone = command.redirections.is_empty()
        && !line
            .parsed()
            .commands
            .iter()
            .any(|other| other.pipeline == command.pipeline && other.position > command.position);
    if !prints_backslashes
        || command.name()? != "echo"
        || has_option
        || has_substitution
        || !words.iter().skip(1).any(has_escape)
        || !is_alone
    {
        return None;
    }
    let at = words.first()?.span.end;
    Some(slip(line.text(), at..at, " -e".to_owned(), "without -e, echo prints the backslashes".to_owned()))
}

/// Finds `seq 10 1`, which prints nothing, and `seq 1 10 2`: the step is in the middle (seq(1), "SYNOPSIS").
fn downwards(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let number = |word: &Word| word.text.parse::<i64>().ok();
    if command.name()? != "seq" {
        return None;
    }
    match command.words.get(1..)? {
        [first, last] if number(last)? < number(first)? => {
            let at = first.span.end;
            let why = "without a step, `seq` only counts up: this prints nothing".to_owned();
            Some(slip(line.text(), at..at, " -1".to_owned(), why))
        }
        [first, step, last] => {
            let (from, by, to) = (number(first)?, number(step)?, number(last)?);
            let is_swapped = 0 < to && to < by && from < by && to <= from.saturating_add(by);
            if !is_swapped || from.saturating_add(by) <= to {
                return None;
            }
            let swapped = format!("{} {}", last.text, step.text);
            let why = "`seq` takes the step in the middle".to_owned();
            Some(slip(line.text(), step.span.start..last.span.end, swapped, why))
        }
        _ => None,
    }
}
