//! A failed command one word of which is nearly the name of a file: for the programs whose operands the checks don't look up.

use crate::examine::Examiner;
use askline_check::check::is_slip_of_file;
use askline_check::reference::Reference as _;
use askline_syntax::{ParsedLine, SimpleCommand, Word, program_name};

/// Programs that create, delete or only print what a word names, or take patterns.
const OTHERS: [&str; 34] = [
    "touch", "mkdir", "tee", "cp", "mv", "ln", "install", "scp", "rsync", "zip", "7z", "echo", "printf",
    "curl", "wget", "ssh", "export", "dd", "ffmpeg", "convert", "apt", "apt-get", "pip", "pip3", "npm",
    "docker", "grep", "egrep", "rg", "sed", "find", "jq", "test", "[",
];
/// Options whose value is a file that is made, or that make their command create something.
const MAKING: [&str; 7] = ["-o", "-O", "--output", "-b", "-B", "-c", "--create"];
/// Subcommands of git that create, delete or discard, or take texts.
const GIT_OTHERS: [&str; 15] = [
    "branch", "tag", "mv", "rm", "clean", "init", "clone", "worktree", "remote", "config", "commit",
    "checkout", "restore", "reset", "stash",
];
/// Interpreters and compilers: their script or source, the first word, may lack its ending.
const OPENING: [&str; 16] = [
    "python", "python3", "node", "bash", "sh", "zsh", "ruby", "perl", "php", "gcc", "g++", "cc", "clang",
    "rustc", "javac", "source",
];

/// Returns the line with the name of a file in place of the one word that is nearly that, and what was changed; `None` if there is no
/// such word, more than one, or more than one such file.
pub(super) fn corrected(line: &ParsedLine, examiner: &Examiner<'_>) -> Option<(String, String)> {
    let commands = &line.own().commands;
    let mut found = commands.iter().flat_map(|command| {
        operands(command).into_iter().filter_map(move |word| Some((word, near(word, command, examiner)?)))
    });
    let (word, name) = found.next().filter(|_| super::is_one_pipeline(line))?;
    let text = line.text();
    if found.next().is_some() || text.get(word.span.clone()) != Some(word.text.as_str()) {
        return None;
    }
    let line = format!("{}{name}{}", text.get(..word.span.start)?, text.get(word.span.end..)?);
    Some((line, format!("{} → {name}: there is no `{}` here", word.text, word.text)))
}

/// Returns the words of a command that may name files to be read.
fn operands(command: &SimpleCommand) -> Vec<&Word> {
    let words = command.words.as_slice();
    let name = command.name().map(program_name).unwrap_or_default();
    let texts = || words.iter().map(|word| word.text.as_str());
    let is_other = OTHERS.contains(&name)
        || super::DELETING.contains(&name)
        || texts().any(|text| MAKING.contains(&text))
        || name == "git" && texts().nth(1).is_none_or(|verb| GIT_OTHERS.contains(&verb));
    if is_other || !command.within.is_empty() {
        return Vec::new();
    }
    let bundle = texts().nth(1).map(|word| word.trim_start_matches('-')).unwrap_or_default();
    let before = match name {
        "tar" if bundle.contains('c') => 3,
        "tar" | "git" | "awk" | "gawk" | "mawk" => 2,
        _ => 1,
    };
    let is_script = |at: usize| at == 1 && OPENING.contains(&name);
    let may_be = |(at, word): &(usize, &Word)| {
        word.literal
            && !word.text.starts_with(['-', '+'])
            && (is_script(*at) || name == "tar" || word.text.contains(['.', '/']))
    };
    words.iter().enumerate().skip(before).filter(may_be).map(|(_, word)| word).collect()
}

/// Returns the one file that a word nearly names; `None` if what it names is there.
fn near(word: &Word, command: &SimpleCommand, examiner: &Examiner<'_>) -> Option<String> {
    let (path, knowledge) = (word.text.as_str(), examiner.knowledge);
    let (parent, wanted) = path.rsplit_once('/').map_or(("", path), |(parent, name)| (parent, name));
    if wanted.is_empty() || knowledge.exists(path) != Some(false) {
        return None;
    }
    let names = knowledge.names_in(parent)?;
    let is_plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "._-+".contains(c));
    let only = |is_it: &dyn Fn(&str) -> bool| {
        let mut fitting = names.iter().filter(|name| is_plain(name) && !name.starts_with('-') && is_it(name));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    let is_tar = command.name() == Some("tar");
    let is_first = command.words.get(1).is_some_and(|first| first.span == word.span);
    let is_script = is_first && command.name().is_some_and(|name| OPENING.contains(&program_name(name)));
    let start = path.strip_suffix(wanted)?;
    // A folder is no script, and a file that the line writes is not read.
    let may_be = |name: &&String| {
        let path = format!("{start}{name}");
        let bare = |text: &str| text.trim_start_matches("./").to_owned();
        let mut written = command.redirections.iter().filter_map(|it| it.target.as_ref());
        let is_written = written.any(|target| bare(&target.text) == bare(&path));
        let is_folder = is_script && knowledge.is_directory(&path) == Some(true);
        !(is_written || is_folder)
    };
    let has_ending =
        |name: &str| name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.') && 1 < rest.len());
    let name = only(&|name| is_slip_of_file(wanted, name))
        .or_else(|| only(&has_ending).filter(|_| (is_script || is_tar) && 1 < wanted.len()))
        .filter(may_be)?;
    Some(format!("{start}{name}"))
}
