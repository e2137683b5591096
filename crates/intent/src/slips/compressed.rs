//! Tools for text that get a compressed file (gzip(1), bzip2(1), xz(1), zstd(1), lz4(1)).

use super::{after, has_option, slip};
use crate::mismatch::Mismatch;
use crate::parts::{GrepWords, operands};
use crate::tool::{Tool, is_awk};
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Word};

/// Ending, program that prints the contents, and `grep` for it.
const PACKED: [(&str, &str, Option<&str>); 5] = [
    (".gz", "zcat", Some("zgrep")),
    (".bz2", "bzcat", Some("bzgrep")),
    (".xz", "xzcat", Some("xzgrep")),
    (".zst", "zstdcat", Some("zstdgrep")),
    (".lz4", "lz4cat", None),
];
/// Commands that unpack what they read.
const UNPACKING: [&str; 13] = [
    "zcat", "gunzip", "gzip", "bzcat", "bunzip2", "bzip2", "xzcat", "unxz", "xz", "zstdcat", "zstd", "lz4",
    "tar",
];
/// Letters of `grep` that `zgrep` passes on.
const GREP_LETTERS: &str = "icvnoEFwxhlmABCqePHs0123456789";

/// Returns the slip of a command that reads a compressed file as text.
pub(super) fn slips(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let name = command.name()?;
    if after(line, command).and_then(SimpleCommand::name).is_some_and(|next| UNPACKING.contains(&next)) {
        return None;
    }
    if name == "cat" {
        return printed(line, command);
    }
    let files = files(command)?;
    let from = command.redirections.iter().find(|it| it.operator == "<");
    let read = || files.iter().copied().chain(from.and_then(|it| it.target.as_ref()));
    let (packed, ending) = read().find_map(|word| Some((word, ending(word)?)))?;
    let says = format!("`{name}` does not unpack {}: it reads the packed bytes", packed.text);
    let tell = || Some(Mismatch::likely(packed.span.clone(), says.clone()));
    let is_wrapped = matches!(command.within.last(), Some(Nesting::Wrapper(by)) if by != "sudo");
    let (_, cat, grep) = PACKED.iter().find(|(end, ..)| *end == ending)?;
    let is_bare = command.position == 0 && command.assignments.is_empty() && !is_wrapped;
    let is_table = name == "jq" && [".csv.", ".tsv."].iter().any(|it| packed.text.contains(it));
    if !is_bare || is_table || !edits_nothing(command) {
        return tell();
    }
    let first = command.words.first()?;
    if let (Some(grep), "grep", true) = (grep, name, !files.is_empty()) {
        let is_plain = command.words.iter().skip(1).all(is_passed_on);
        // `zgrep` reads files that are not packed, too (gzip(1), `-f`).
        let is_one_kind = files.iter().all(|word| ending_of(word).is_none_or(|other| other == ending));
        return if is_plain && is_one_kind {
            Some(slip(line.text(), first.span.clone(), (*grep).to_owned(), says))
        } else {
            tell()
        };
    }
    if packed.glob
        || read().count() != 1
        || command.redirections.iter().any(|it| it.operator.starts_with("<<"))
    {
        return tell();
    }
    let span = match from {
        Some(from) => from.span.clone(),
        None => packed.span.clone(),
    };
    let (text, end) = (line.text(), span.end.max(command.words.last()?.span.end));
    let (before, behind) = (text.get(first.span.start..span.start)?, text.get(span.end..end)?);
    let file = text.get(packed.span.clone())?;
    let new = format!("{cat} {file} | {}{behind}", before.trim_end());
    Some(slip(text, first.span.start..end, new, says))
}

/// Finds `cat x.gz | grep …`.
fn printed(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let files: Vec<&Word> = command.words.iter().skip(1).collect();
    let ending = ending(files.first()?)?;
    let reader = after(line, command)?;
    let reads_text = files_read(reader).is_some_and(|files| files.is_empty());
    if !reads_text || !command.redirections.is_empty() || command.position != 0 {
        return None;
    }
    if !files.iter().all(|word| ending_of(word) == Some(ending)) {
        return None;
    }
    let (_, cat, _) = PACKED.iter().find(|(end, ..)| *end == ending)?;
    let span = command.words.first()?.span.clone();
    let says = format!("`cat` does not unpack {}: these are the packed bytes", files.first()?.text);
    Some(slip(line.text(), span, (*cat).to_owned(), says))
}

/// Returns the files that a tool for text reads.
fn files_read(command: &SimpleCommand) -> Option<Vec<&Word>> {
    files(command).filter(|_| command.redirections.iter().all(|it| it.operator != "<"))
}

/// Returns the operands of a tool for text that are files; `None` if it works on bytes.
fn files(command: &SimpleCommand) -> Option<Vec<&Word>> {
    let name = command.name()?;
    let before = Tool::text_operands(name)?;
    let works_on_bytes = match name {
        "wc" => {
            !has_option(command, "lw", &["--lines", "--words"]) || has_option(command, "cm", &["--bytes"])
        }
        "head" | "tail" => has_option(command, "c", &["--bytes"]),
        "grep" | "egrep" | "fgrep" => has_option(
            command,
            "abzZU",
            &["--text", "--binary", "--null-data", "--decompress", "--byte-offset"],
        ),
        _ => false,
    };
    if works_on_bytes {
        return None;
    }
    if name.ends_with("grep") {
        return Some(GrepWords::of(command)?.files);
    }
    let gives_script = match name {
        name if name == "jq" || is_awk(name) => has_option(command, "f", &["--file", "--from-file"]),
        "sed" => has_option(command, "ef", &["--expression", "--file"]),
        _ => false,
    };
    Some(operands(command).skip(if gives_script { 0 } else { before }).collect())
}

/// Returns the ending of a packed file, no archive.
fn ending(word: &Word) -> Option<&'static str> {
    let ending = ending_of(word)?;
    let name = word.text.strip_suffix(ending)?;
    let is_name = !name.is_empty() && !name.ends_with(".tar") && !word.text.contains([' ', '(', '=', ':']);
    is_name.then_some(ending)
}

fn ending_of(word: &Word) -> Option<&'static str> {
    PACKED.iter().map(|(ending, ..)| *ending).find(|ending| word.text.ends_with(ending))
}

/// Reports whether a tool only prints: it writes into no file and does not ask for its name.
fn edits_nothing(command: &SimpleCommand) -> bool {
    let names_file = command.words.iter().any(|word| word.text.contains("FILENAME"));
    let writes = match command.name() {
        Some("sed") => has_option(command, "is", &["--in-place", "--separate"]),
        Some("sort") => has_option(command, "om", &["--output", "--merge"]),
        Some("tail") => has_option(command, "fF", &["--follow", "--retry"]),
        Some("comm") => true,
        _ => false,
    };
    !writes && !names_file
}

/// Reports whether `zgrep` understands a word of `grep`.
fn is_passed_on(word: &Word) -> bool {
    match word.text.strip_prefix('-') {
        Some(letters) if !word.quoted => letters.chars().all(|letter| GREP_LETTERS.contains(letter)),
        _ => true,
    }
}
