//! Slips between two commands of a pipe.

use super::{has_option, slip, unmended};
use crate::mismatch::Mismatch;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Commands that print nothing when they succeed.
const SILENT: [&str; 12] =
    ["chmod", "chown", "chgrp", "rm", "rmdir", "mkdir", "touch", "mv", "cp", "ln", "truncate", "cd"];
/// Commands that print aligned columns, separated by several blanks.
const ALIGNED: [&str; 8] = ["ls", "ps", "df", "free", "netstat", "ss", "lsblk", "uniq"];

/// Returns the slips of a command that reads the output of another one.
pub(super) fn slips(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Vec<Mismatch> {
    let all = [
        counted_total(line, source, command),
        human_sizes(line, source, command),
        aligned_columns(line, source, command),
        own_process(line, source, command),
        silent(source, command),
    ];
    all.into_iter().flatten().collect()
}

fn is_count(command: &SimpleCommand) -> bool {
    command.name() == Some("wc") && command.words.get(1).is_some_and(|word| word.text == "-l")
}

/// Finds `ls -l | wc -l`, which also counts the line `total …` (ls(1); POSIX.1-2024, ls, "STDOUT").
fn counted_total(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    if source.name()? != "ls" || !is_count(command) {
        return None;
    }
    let [option] = source.words.iter().filter(|word| word.text.starts_with('-')).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let replacement = match option.text.as_str() {
        "-l" => "-1",
        "-la" | "-al" => "-A",
        _ => return None,
    };
    let operands: Vec<&Word> =
        source.words.iter().skip(1).filter(|word| !word.text.starts_with('-')).collect();
    // With file names there is no such line.
    if operands.iter().any(|word| word.glob || word.text.contains('.')) {
        return None;
    }
    let why = format!("`ls {}` prints a line more, its total", option.text);
    Some(slip(line.text(), option.span.clone(), replacement.to_owned(), why))
}

/// Finds `du -h | sort -n`: 900K comes after 2M (sort(1), `-h`).
fn human_sizes(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let is_human = match source.name()? {
        "du" | "df" => has_option(source, "h", &["--human-readable"]),
        "ls" => has_option(source, "h", &["--human-readable"]) && has_option(source, "l", &[]),
        _ => false,
    };
    if !is_human || command.name()? != "sort" {
        return None;
    }
    let numeric = command.words.iter().skip(1).find(|word| {
        word.text.strip_prefix('-').is_some_and(|letters| {
            letters.contains('n') && letters.chars().all(|c| "nrk0123456789,".contains(c))
        })
    })?;
    let replacement = numeric.text.replacen('n', "h", 1);
    let why = "`sort -n` does not understand sizes such as 2M".to_owned();
    Some(slip(line.text(), numeric.span.clone(), replacement, why))
}

/// Finds `ls -l | cut -d' ' -f5`: columns are separated by several blanks, and `cut` counts each (cut(1)).
fn aligned_columns(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let is_aligned = ALIGNED.contains(&source.name()?)
        && (source.name()? != "ls" || has_option(source, "l", &[]))
        && (source.name()? != "uniq" || has_option(source, "c", &[]));
    if !is_aligned || command.name()? != "cut" {
        return None;
    }
    let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let field = match words.as_slice() {
        ["-d ", field] => field.strip_prefix("-f")?,
        ["-d", " ", field] => field.strip_prefix("-f")?,
        ["-d ", "-f", field] | ["-d", " ", "-f", field] => field,
        _ => return None,
    };
    let number: u32 = field.parse().ok()?;
    // The first column of these begins the line.
    if number == 1 && matches!(source.name(), Some("ls" | "df" | "lsblk")) {
        return None;
    }
    let why = "the columns are separated by several blanks, and `cut` counts each".to_owned();
    Some(slip(line.text(), command.span.clone(), format!("awk '{{print ${number}}}'"), why))
}

/// Finds `ps aux | grep NAME | …`: the line of `grep` itself is found too.
fn own_process(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    if source.name()? != "ps" || command.name()? != "grep" || has_option(command, "v", &["--invert-match"]) {
        return None;
    }
    let next = |n: usize| {
        line.parsed().commands.iter().find(|other| {
            other.pipeline == command.pipeline
                && other.position == command.position + n
                && other.within == command.within
        })
    };
    let counts = has_option(command, "c", &["--count"]);
    let drops_it = next(1).is_some_and(|next| next.name() == Some("grep"));
    if drops_it || !(counts || next(1).is_some()) {
        return None;
    }
    let pattern = command.words.iter().skip(1).find(|word| !word.text.starts_with('-'))?;
    let mut letters = pattern.text.chars();
    let first = letters.next().filter(char::is_ascii_alphabetic)?;
    let is_plain =
        pattern.literal && pattern.text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let new = format!("'[{first}]{}'", letters.as_str());
    let why = "`grep` finds its own process too".to_owned();
    is_plain.then(|| slip(line.text(), pattern.span.clone(), new, why))
}

/// Finds a pipe out of a command that prints nothing: `find … -exec chmod … | wc -l`.
fn silent(source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let name = source.name()?;
    let is_verbose = has_option(source, "v", &["--verbose", "--changes"]) || has_option(source, "c", &[]);
    let is_edit = name == "sed" && has_option(source, "i", &["--in-place"]);
    let is_silent = SILENT.contains(&name) && !is_verbose || is_edit;
    // Errors may be piped: `2>&1 |`.
    if !is_silent || !source.redirections.is_empty() || matches!(command.name()?, "xargs" | "yes") {
        return None;
    }
    Some(unmended(
        command.span.clone(),
        format!("`{name}` prints nothing that `{}` could read", command.name()?),
    ))
}
