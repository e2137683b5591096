//! Slips of the names that a pipe gives to `xargs`.

use super::{before, has_option, slip};
use crate::find_expression::{FindExpression, Node};
use crate::mismatch::Mismatch;
use crate::tool::Tool;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Word};

/// Programs that open, delete or move the files that their words name.
const OPENERS: [&str; 17] = [
    "cp", "mv", "rm", "rmdir", "wc", "cat", "head", "tail", "gzip", "gunzip", "chmod", "chown", "stat", "du",
    "zip", "tar", "grep",
];
/// Returns the slips of `xargs` that reads the output of another command.
pub(super) fn slips(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Vec<Mismatch> {
    if command.name() != Some("xargs") {
        return Vec::new();
    }
    [separated_blanks(line, source, command), lost_folder(line, command)].into_iter().flatten().collect()
}

/// Finds `find … | xargs …`: xargs separates names at blanks (POSIX.1-2024, xargs, "DESCRIPTION").
fn separated_blanks(line: &ParsedLine, source: &SimpleCommand, command: &SimpleCommand) -> Option<Mismatch> {
    let options: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let takes_lines = ["-0", "-d", "-I", "-i", "-L", "-a", "-J", "-r0", "-0r", "--"];
    let is_told = options.iter().any(|option| takes_lines.iter().any(|known| option.starts_with(known)));
    if is_told {
        return None;
    }
    let find = FindExpression::of(source)?;
    let has_alternatives = matches!(find.tree, Some(Node::Any(_)));
    if find.action().is_some() || !source.redirections.is_empty() || has_alternatives {
        return None;
    }
    let (end, start) = (source.words.last()?.span.end, command.words.first()?.span.end);
    let between = line.text().get(end..start)?;
    let text = "xargs separates names at blanks".to_owned();
    Some(slip(line.text(), end..start, format!(" -print0{between} -0"), text))
}

/// Finds `ls -t photos | head -n 3 | xargs rm`: `ls` prints the names in a folder without the folder (ls(1); POSIX.1-2024, ls,
/// "STDOUT"), so files of these names are deleted here.
fn lost_folder(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let run = line.parsed().commands.iter().find(|other| {
        let is_run = matches!(other.within.last(), Some(Nesting::Wrapper(name)) if name == "xargs");
        is_run && command.span.start < other.span.start && other.span.end <= command.span.end
    })?;
    let mut source = before(line, command)?;
    while source.name().is_some_and(Tool::passes_rows) {
        source = before(line, source)?;
    }
    let folder = Folder::listed(line, source)?;
    let is_entered =
        line.parsed().commands.iter().any(|it| it.span.start < command.span.start && folder.is_entered(it));
    if is_entered || folder.is_opened_by(run) || !opens_names(command, run)? {
        return None;
    }
    // No edit: whether those files are meant, or the ones of the same names here, is a guess.
    Some(Mismatch::likely(
        folder.word.span.clone(),
        format!("`ls` prints the names without `{}/`", folder.written),
    ))
}

/// Reports whether a program that `xargs` runs opens files by the names as they are: `xargs rm`, `xargs -I{} rm {}`, not
/// `xargs -I{} rm photos/{}`. `None` if it opens nothing.
fn opens_names(xargs: &SimpleCommand, run: &SimpleCommand) -> Option<bool> {
    let name = run.name().filter(|name| OPENERS.contains(name))?;
    let Some(mark) = replaced(xargs, run) else { return Some(true) };
    let is_here = |word: &&Word| {
        let text = ["./", "$PWD/", "${PWD}/"].iter().find_map(|here| word.text.strip_prefix(here));
        text.unwrap_or(&word.text).starts_with(mark)
    };
    let mut words = operands(run, name);
    let has_target = has_option(run, "t", &["--target-directory"]);
    let is_first_a_file = match name {
        // The target is another file: `cp photos/{} {}`.
        "cp" | "mv" if !has_target => {
            words.pop();
            true
        }
        // Pattern, mode and owner open nothing: `grep {} a.txt`.
        "grep" => has_option(run, "ef", &["--regexp", "--file"]),
        "chmod" | "chown" => false,
        // The archive: `zip {}.zip photos/{}`.
        "zip" => false,
        _ => true,
    };
    Some(words.iter().skip(usize::from(!is_first_a_file)).any(is_here))
}

/// Returns the words of a program that are no options and no values of short ones: the `3` of `grep -A 3`.
fn operands<'l>(run: &'l SimpleCommand, name: &str) -> Vec<&'l Word> {
    let with_value = match name {
        "grep" => "ABCmefdD",
        "head" | "tail" => "nc",
        "stat" => "c",
        "cp" | "mv" => "tS",
        "tar" => "CfTX",
        "zip" => "bnxit",
        _ => "",
    };
    let mut is_value = false;
    let is_operand = |word: &&Word| {
        let is_taken = std::mem::replace(&mut is_value, false);
        let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        is_value = letters.is_some_and(|it| it.ends_with(|c: char| with_value.contains(c)));
        !is_taken && !word.text.starts_with('-')
    };
    run.words.iter().skip(1).filter(is_operand).collect()
}

/// A folder whose names `ls` prints.
struct Folder<'l> {
    word: &'l Word,
    /// Without quotes around it and `/` behind it.
    written: &'l str,
    /// The last part of its path, by which other words name it too.
    name: &'l str,
    is_home: bool,
}

impl<'l> Folder<'l> {
    /// Returns the folder that `ls` lists. `None` if it lists several, prints more than names, or may list a file.
    fn listed(line: &'l ParsedLine, ls: &'l SimpleCommand) -> Option<Self> {
        // `ls -I photos` prints all but `photos`.
        let has_value = has_option(ls, "IwT", &["--ignore", "--hide", "--width", "--tabsize"]);
        if ls.name()? != "ls" || has_value || has_option(ls, "dlR", &[]) {
            return None;
        }
        let mut operands = ls.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        let (word, None) = (operands.next()?, operands.next()) else { return None };
        let written = line.text().get(word.span.clone())?.trim_matches('"').trim_end_matches('/');
        let name = last_part(written);
        let below_home = ["~", "$HOME", "${HOME}"].iter().find_map(|home| written.strip_prefix(home));
        let below_home = below_home.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_known = match below_home {
            Some(rest) => word.literal || !rest.contains(['$', '`']),
            None => word.literal && (word.text.ends_with('/') || !name.contains('.')),
        };
        let is_elsewhere = !matches!(name, "" | "." | "..");
        (is_known && is_elsewhere && !word.glob).then(|| Self {
            word,
            written,
            name,
            is_home: below_home == Some(""),
        })
    }

    /// Reports whether a command goes into it: `(cd photos && … | xargs rm)`.
    fn is_entered(&self, command: &SimpleCommand) -> bool {
        matches!(command.name(), Some("cd" | "pushd"))
            && command
                .words
                .iter()
                .skip(1)
                .find(|word| word.text != "--")
                .map_or(self.is_home, |word| last_part(&word.text) == self.name)
    }

    /// Reports whether an option of a program names it: `tar -C photos -cf a.tar`.
    fn is_opened_by(&self, program: &SimpleCommand) -> bool {
        let words = || program.words.iter().skip(1);
        words().any(|word| word.text.starts_with("--directory="))
            || words()
                .zip(words().skip(1))
                .filter(|(option, _)| matches!(option.text.as_str(), "-C" | "--directory"))
                .any(|(_, path)| last_part(&path.text) == self.name)
    }
}

fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// Returns the mark that `xargs` replaces by a name: the `{}` of `-I{}` and `-i`, the `FILE` of `-rI FILE` (xargs(1)). `None` if it puts
/// the names at the end.
fn replaced<'l>(xargs: &'l SimpleCommand, run: &SimpleCommand) -> Option<&'l str> {
    let own = xargs.words.iter().take_while(|word| word.span.start < run.span.start);
    own.enumerate().skip(1).find_map(|(at, option)| {
        let text = option.text.as_str();
        if let Some(mark) = text.strip_prefix("--replace") {
            return Some(mark.strip_prefix('=').unwrap_or("{}"));
        }
        let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        let (_, mark) = letters.split_once(['I', 'i'])?;
        match mark {
            "" if letters.ends_with('i') => Some("{}"),
            "" => Some(xargs.words.get(at + 1)?.text.as_str()),
            mark => Some(mark),
        }
    })
}
