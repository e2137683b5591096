//! Redirections that go somewhere else than they seem to.

use super::form::raw;
use super::{after, before, slip};
use crate::mismatch::Mismatch;
use crate::parts::GrepWords;
use crate::tool::Tool;
use askline_syntax::{Nesting, ParsedLine, Redirection, SimpleCommand, Word};

/// Returns the slips of one command.
pub(super) fn slips(line: &ParsedLine, command: &SimpleCommand) -> Vec<Mismatch> {
    let all = [
        early_duplicate(line, command),
        redirected_as_user(line, command),
        own_input(line, command),
        number_for_descriptor(line, command),
        both_in_one_file(line, command),
        two_outputs(line, command),
        output_before_pipe(line, command),
        braces_as_file(line, command),
    ];
    all.into_iter().flatten().collect()
}

/// Reports whether a redirection writes standard output into a file, which it may create or append to.
fn writes(redirection: &Redirection) -> bool {
    redirection.descriptor.is_none_or(|descriptor| descriptor == 1)
        && matches!(redirection.operator.as_str(), ">" | ">>" | ">|")
}

/// Finds `2>&1 > file`: standard error still goes where standard output went before (POSIX.1-2024, 2.7: redirections
/// are made from left to right).
fn early_duplicate(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    // `2>&1 > file | command` is the way to pipe only errors.
    if after(line, command).is_some() {
        return None;
    }
    let pair = command.redirections.windows(2).find(|pair| {
        let [first, second] = pair else { return false };
        let copies = first.descriptor == Some(2)
            && first.operator == ">&"
            && first.target.as_ref().is_some_and(|target| target.text == "1");
        copies && second.descriptor.is_none() && matches!(second.operator.as_str(), ">" | ">>")
    })?;
    let [first, second] = pair else { return None };
    let text = |redirection: &Redirection| line.text().get(redirection.span.clone());
    let swapped = format!("{} {}", text(second)?, text(first)?);
    let why = "redirections are made from left to right, so errors do not go into the file".to_owned();
    Some(slip(line.text(), first.span.start..second.span.end, swapped, why))
}

/// Finds `sort f > f`: the shell empties the file before the command reads it (POSIX.1-2024, 2.7.2).
fn own_input(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let redirection = command.redirections.iter().find(|it| writes(it) && it.operator != ">>")?;
    let target =
        redirection.target.as_ref().filter(|target| target.literal && !target.text.starts_with("/dev/"))?;
    // `grep -vx out.txt` reads no such file: the name is the pattern.
    let is_pattern = |other: &SimpleCommand| {
        matches!(other.name(), Some("grep" | "egrep" | "fgrep"))
            && GrepWords::of(other).is_some_and(|it| {
                it.patterns.contains(&target.text.as_str())
                    && it.files.iter().all(|file| file.text != target.text)
            })
    };
    let reads = |other: &SimpleCommand| {
        let is_input = |it: &Redirection| {
            it.operator == "<" && it.target.as_ref().is_some_and(|input| input.text == target.text)
        };
        other.redirections.iter().any(is_input)
            || Tool::of(other).is_some_and(Tool::reads_files)
                && !is_pattern(other)
                && other.words.iter().skip(1).any(|word| word.literal && word.text == target.text)
    };
    let reader = line.parsed().commands.iter().find(|other| {
        other.pipeline == command.pipeline
            && other.within == command.within
            && other.position <= command.position
            && reads(other)
    })?;
    // A pipe with a name is never emptied.
    if line.text().contains("mkfifo") {
        return None;
    }
    let name = &target.text;
    let text = format!("the shell empties {name} before `{}` reads it", reader.name()?);
    let file = line.text().get(target.span.clone())?;
    let is_last = redirection.span.end == command.span.end && reader.span == command.span;
    match command.name()? {
        "sort" if is_last => Some(slip(line.text(), redirection.span.clone(), format!("-o {file}"), text)),
        "sed" if is_last && !raw(line, command).contains(" -n") => {
            let start = command.words.first()?.span.end;
            let words = line.text().get(start..redirection.span.start)?.trim_end();
            Some(slip(line.text(), start..redirection.span.end, format!(" -i{words}"), text))
        }
        _ => Some(Mismatch::likely(redirection.span.clone(), text)),
    }
}

/// Finds `2>1` and `>2`: files named `1` and `2` (POSIX.1-2024, 2.7.6).
fn number_for_descriptor(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let redirection = command.redirections.iter().find(|it| {
        let target = it.target.as_ref().map(|target| target.text.as_str());
        it.operator == ">"
            && matches!((it.descriptor, target), (Some(2), Some("1")) | (None | Some(1), Some("2")))
    })?;
    let target = &redirection.target.as_ref()?.text;
    let text = format!("this writes a file named {target}; `>&{target}` is the stream");
    let descriptor = if target == "1" { "2" } else { "" };
    Some(slip(line.text(), redirection.span.clone(), format!("{descriptor}>&{target}"), text))
}

/// Finds `> f 2> f`: two writers that overwrite each other (bash manual, "Redirections").
fn both_in_one_file(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let output = command.redirections.iter().find(|it| writes(it))?;
    let target = output.target.as_ref()?;
    let errors = command.redirections.iter().find(|it| {
        it.descriptor == Some(2)
            && it.operator == ">"
            && output.span.end <= it.span.start
            && it
                .target
                .as_ref()
                .is_some_and(|errors| errors.text == target.text && !errors.text.starts_with("/dev/"))
    })?;
    let text = format!("output and errors overwrite each other in {}", target.text);
    Some(slip(line.text(), errors.span.clone(), "2>&1".to_owned(), text))
}

/// Finds `> a > b`: only the last file gets the output. zsh writes both (POSIX.1-2024, 2.7).
fn two_outputs(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    if line.shell().dialect().has_many_outputs {
        return None;
    }
    let mut outputs = command.redirections.iter().filter(|it| writes(it));
    let (first, second) = (outputs.next()?, outputs.next()?);
    let file = first.target.as_ref().filter(|target| !target.text.starts_with('&'))?;
    let gets = second.target.as_ref()?;
    Some(Mismatch::likely(
        first.span.clone(),
        format!("only {} gets the output; {} stays empty", gets.text, file.text),
    ))
}

/// Finds `ls > f | wc -l`: the output is in the file, so the pipe is empty (POSIX.1-2024, 2.9.2).
fn output_before_pipe(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let next = after(line, command).filter(|_| !line.shell().dialect().has_many_outputs)?;
    let [redirection] = command.redirections.as_slice() else { return None };
    let target = redirection
        .target
        .as_ref()
        .filter(|target| target.text != "/dev/stderr" && !target.text.starts_with("/dev/tty"))?;
    if !writes(redirection) || redirection.span.end < command.span.end {
        return None;
    }
    let name = next.name()?;
    let text = format!("the output goes into {}, so `{name}` gets nothing", target.text);
    let file = line.text().get(target.span.clone())?;
    if target.text == "/dev/null"
        || name == "tee"
        || line.text().get(redirection.span.start..)?.starts_with("1>")
    {
        return Some(Mismatch::likely(redirection.span.clone(), text));
    }
    let option = if redirection.operator == ">>" { "-a " } else { "" };
    Some(slip(line.text(), redirection.span.clone(), format!("| tee {option}{file}"), text))
}

/// Finds `find … -exec cmd {} > {}.out \;` and `xargs -I{} cmd > {}`: the shell opens one file of this name (POSIX.1-2024,
/// 2.7).
fn braces_as_file(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let has_braces = |it: &&Redirection| it.target.as_ref().is_some_and(|target| target.text.contains("{}"));
    let redirection = command.redirections.iter().find(has_braces)?;
    let is_wrapper = matches!(command.name()?, "find" | "xargs")
        || before(line, command).is_some_and(|source| matches!(source.name(), Some("find" | "xargs")));
    let target = &redirection.target.as_ref()?.text;
    is_wrapper.then(|| {
        let text = format!("the shell opens one file named {target} for all of them");
        Mismatch::likely(redirection.span.clone(), text)
    })
}

/// Finds `sudo echo x > /etc/file`: the shell opens the file without the rights of sudo (sudo(8), "EXAMPLES").
fn redirected_as_user(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let is_system = |word: &Word| {
        ["/etc/", "/proc/", "/sys/", "/usr/", "/root/"].iter().any(|path| word.text.starts_with(path))
    };
    if command.name()? != "sudo" {
        return None;
    }
    let [redirection] = command.redirections.as_slice() else { return None };
    let target = redirection.target.as_ref().filter(|target| is_system(target))?;
    let option = match redirection.operator.as_str() {
        ">" => "",
        ">>" => "-a ",
        _ => return None,
    };
    if redirection.descriptor.is_some() || redirection.span.end < command.span.end {
        return None;
    }
    let inner = line.parsed().commands.iter().find(|other| {
        matches!(other.within.last(), Some(Nesting::Wrapper(name)) if name == "sudo")
            && command.span.start < other.span.start
            && other.span.end < redirection.span.start
    })?;
    // Programs that need no rights themselves lose their `sudo`.
    let needs_none = matches!(inner.name(), Some("echo" | "printf"));
    let first = if needs_none { inner.words.first()?.span.start } else { command.span.start };
    let text = line.text().get(first..redirection.span.start)?.trim_end();
    let file = line.text().get(target.span.clone())?;
    let why = format!("your shell opens {} without the rights of sudo", target.text);
    let new = format!("{text} | sudo tee {option}{file} > /dev/null");
    Some(slip(line.text(), command.span.clone(), new, why))
}
