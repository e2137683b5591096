//! Arguments and redirections in the wrong order or with the wrong quotes.

use super::slip;
use crate::mismatch::Mismatch;
use askline_syntax::{Nesting, ParsedLine, Redirection, SimpleCommand, Word};

/// Endings of archives.
const ARCHIVES: [&str; 12] = [
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".zip", ".7z", ".rar",
    ".jar",
];

/// Returns the slips of one command.
pub(super) fn slips(line: &ParsedLine, command: &SimpleCommand) -> Vec<Mismatch> {
    let all = [
        early_duplicate(line, command),
        expanded_program(line, command),
        redirected_as_user(line, command),
        swapped_archive(line, command),
        escapes_of_echo(line, command),
    ];
    all.into_iter().flatten().collect()
}

/// Finds `2>&1 > file`: standard error still goes where standard output went before (POSIX.1-2024, 2.7: redirections
/// are made from left to right).
fn early_duplicate(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
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

/// Finds `awk "{print $1}"`: in double quotes the shell replaces `$1` before awk sees it.
fn expanded_program(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    if !matches!(command.name()?, "awk" | "gawk" | "mawk") {
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
            && matches!(other.name(), Some("echo" | "cat" | "printf"))
    })?;
    let text = line.text().get(inner.words.first()?.span.start..redirection.span.start)?.trim_end();
    let file = line.text().get(target.span.clone())?;
    let why = format!("your shell opens {} without the rights of sudo", target.text);
    Some(slip(
        line.text(),
        command.span.clone(),
        format!("{text} | sudo tee {option}{file} > /dev/null"),
        why,
    ))
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
        || !words.iter().skip(1).any(has_escape)
        || !is_alone
    {
        return None;
    }
    let at = words.first()?.span.end;
    Some(slip(line.text(), at..at, " -e".to_owned(), "without -e, echo prints the backslashes".to_owned()))
}
