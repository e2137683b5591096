//! Why a command failed, in words: what the checks find in it, else what its exit status means.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::examine::{Examined, Examiner};
use askline_check::finding::{Finding, FindingKind, Severity};
use askline_check::reference::Reference as _;
use askline_manual::Arity;
use askline_syntax::git::needs_repository;
use askline_syntax::{ParsedLine, Word};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    row: Vec<Row>,
}

/// Meanings of the exit statuses of some programs, or of all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    programs: Vec<String>,
    meanings: BTreeMap<String, String>,
    /// The statuses that no other command mends: the network, the other host.
    #[serde(default)]
    is_final: Vec<i32>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("why.toml")).expect("the table in the tree parses: a test checks that")
});

/// Words in the placeholders of options that take the name of a file, or text.
const FILE_PLACEHOLDERS: [&str; 11] =
    ["FILE", "PATH", "DIR", "NAME", "ARCHIVE", "STRING", "TEXT", "MSG", "MESSAGE", "PATTERN", "SOURCE"];

/// Exit status of git for what it can't do at all.
const FATAL: i32 = 128;

/// Programs that make or delete what their operands name.
const WRITING: [&str; 9] = ["cp", "mv", "touch", "mkdir", "rmdir", "rm", "tee", "ln", "install"];

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The reason in words.
    pub text: String,
    /// The text of the finding that it comes from; empty if it comes from none.
    pub finding: String,
    /// `true` if no other command would do better before the person has done something about it: a model is not asked.
    pub is_final: bool,
}

impl Reason {
    fn open(text: String) -> Self {
        Self { text, finding: String::new(), is_final: false }
    }

    fn last(text: String) -> Self {
        Self { text, finding: String::new(), is_final: true }
    }

    /// Returns the reason that a finding is. What a file here names has no other answer than the names that it has.
    fn of(finding: &Finding) -> Self {
        let is_final = finding.kind == FindingKind::Here;
        let names = if is_final { format!("; {}", finding.evidence) } else { String::new() };
        Self { text: format!("{}{names}", finding.text), finding: finding.text.clone(), is_final }
    }
}

/// Programs whose words may be those of a script or another program.
const PASSING: [&str; 16] = [
    "python", "python3", "node", "bash", "sh", "zsh", "ruby", "perl", "php", "ssh", "sudo", "env", "xargs",
    "docker", "timeout", "watch",
];

/// Returns the reason; `None` if nothing is known.
pub(super) fn why(command: &str, status: i32, examiner: &Examiner<'_>) -> Option<Reason> {
    let mistake = super::form::mistake(command, status, examiner);
    if let Some(mistake) = mistake.as_ref().filter(|mistake| mistake.line.is_some()) {
        return Some(Reason::open(mistake.reason.clone()));
    }
    let Examined { line, report } = examiner.examine(command.trim());
    let worst = report.findings.iter().filter(|finding| finding.grade <= Severity::Warning);
    if let Some(finding) = worst.min_by_key(|finding| finding.grade) {
        return Some(Reason::of(finding));
    }
    let is_missing = |finding: &&Finding| finding.kind == FindingKind::PathMissing;
    let is_one = super::is_one_pipeline(&line);
    if let Some(finding) = report.findings.iter().find(is_missing).filter(|_| is_one) {
        return Some(Reason::of(finding));
    }
    if let Some(place) = no_repository(&line, status, examiner) {
        return Some(Reason::last(place));
    }
    if let Some(value) = value(&line, examiner) {
        return Some(Reason::open(value));
    }
    if let Some(seen) = seen(&line, status, examiner) {
        let is_final = line.own().commands.first().and_then(|command| command.name()) == Some("git");
        return Some(Reason { is_final, ..Reason::open(seen) });
    }
    if let Some(mistake) = mistake {
        return Some(Reason { is_final: mistake.is_final, ..Reason::open(mistake.reason) });
    }
    if let Some(closed) = closed(&line, examiner) {
        return Some(closed);
    }
    let unmatched = line.own().commands.iter().flat_map(|it| it.words.iter().skip(1));
    if let Some(word) = unmatched.into_iter().find(|word| is_one && matches_nothing(word, examiner)) {
        return Some(Reason::open(format!("nothing matches `{}` here", word.text)));
    }
    // The status is that of the last command.
    let top = line.parsed().commands.iter().filter(|command| command.within.is_empty());
    let name = top.filter_map(|command| command.name()).next_back().unwrap_or_default();
    let row = rows(name).find(|row| row.meanings.contains_key(&status.to_string()))?;
    let text = format!("{} (status {status})", row.meanings.get(&status.to_string())?);
    Some(Reason { is_final: row.is_final.contains(&status), ..Reason::open(text) })
}

/// Says which option at the end of a single command lacks its value, or took the name of a file for it.
fn value(line: &ParsedLine, examiner: &Examiner<'_>) -> Option<String> {
    let [command] = line.own().commands.as_slice() else { return None };
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    let level = words.iter().copied().take_while(|word| !word.starts_with('-')).collect::<Vec<_>>();
    let known = examiner.knowledge.known(&level);
    let [.., before, last] = words.as_slice() else { return None };
    // Behind these the words are operands, or belong to another program.
    let is_passed_on = words.contains(&"--") || level.first().is_some_and(|name| PASSING.contains(name));
    if is_passed_on {
        return None;
    }
    let needed = |option: &str| {
        let manuals = known.manual.iter().chain(&known.above);
        // `-nk` ends with `-k`.
        let letter = option
            .strip_prefix('-')
            .filter(|it| it.len() == 2 && it.bytes().all(|byte| byte.is_ascii_alphabetic()));
        let last = letter.and_then(|letters| letters.chars().next_back()).map(|letter| format!("-{letter}"));
        let named = |option: &str| manuals.clone().find_map(|manual| manual.option(option));
        let doc = named(option).or_else(|| named(&last?)).filter(|_| option.starts_with('-'));
        doc.filter(|doc| doc.value == Arity::Required).map(|doc| doc.placeholder.clone())
    };
    let in_words = |placeholder: &str| match placeholder {
        "" => String::new(),
        placeholder => format!(" ({placeholder})"),
    };
    if let Some(placeholder) = needed(last).filter(|_| needed(before).is_none()) {
        return Some(format!("`{last}` needs a value{}", in_words(&placeholder)));
    }
    let placeholder = needed(before).filter(|placeholder| !placeholder.is_empty())?;
    let is_of_file = FILE_PLACEHOLDERS.iter().any(|word| placeholder.to_uppercase().contains(word));
    let is_file =
        examiner.knowledge.is_directory(last) == Some(false) && examiner.knowledge.exists(last) == Some(true);
    (is_file && !is_of_file)
        .then(|| format!("`{before}` took `{last}` for its value{}", in_words(&placeholder)))
}

/// Returns what the disk shows about a single command: `cd` to a file, `rmdir` of a directory with files.
fn seen(line: &ParsedLine, status: i32, examiner: &Examiner<'_>) -> Option<String> {
    let [command] = line.own().commands.as_slice() else { return None };
    let knowledge = examiner.knowledge;
    let operands = command.words.iter().skip(1).filter(|word| word.literal && !word.text.starts_with('-'));
    let operands: Vec<&str> = operands.map(|word| word.text.as_str()).collect();
    let exists = |path: &&&str| knowledge.exists(path) == Some(true);
    let has_option = |names: &[&str]| command.words.iter().any(|word| names.contains(&word.text.as_str()));
    match (command.name()?, operands.as_slice()) {
        ("git", [verb @ ("rebase" | "merge" | "cherry-pick" | "revert" | "am")])
            if has_option(&["--continue", "--abort", "--skip", "--quit"])
                && knowledge.git_refs().is_some_and(|refs| refs.unfinished.is_none()) =>
        {
            Some(format!("no {verb} is going on here"))
        }
        ("git", ["pull"])
            if status == 1
                && let Some(branch) = unfollowed(examiner) =>
        {
            Some(format!(
                "`{branch}` follows no branch of a remote: `git pull origin {branch}`, or `git branch -u origin/{branch}`"
            ))
        }
        ("git", ["push"] | ["push", _])
            if is_detached(examiner) && !has_option(&["--tags", "--all", "--delete", "-d", "--mirror"]) =>
        {
            Some("no branch is checked out: `git switch -c NAME` makes one here".to_owned())
        }
        ("git", ["clone", url]) => {
            let name = url.trim_end_matches('/').rsplit(['/', ':']).next()?.trim_end_matches(".git");
            // git clones into an empty directory.
            let is_empty = knowledge.names_in(name).is_some_and(|names| names.is_empty());
            (!name.is_empty() && exists(&&name) && !is_empty).then(|| format!("`{name}` is there already"))
        }
        ("git", ["stash", "pop" | "apply" | "drop", ..]) if has_no_stash(examiner) => {
            Some("nothing is stashed".to_owned())
        }
        ("git", ["push", ..]) if status == 1 && has_no_commit(examiner) => {
            Some("there is no commit yet: `git add` the files and `git commit`".to_owned())
        }
        ("git", ["merge" | "pull" | "commit" | "rebase", ..]) if status == FATAL => unfinished(examiner),
        ("git", ["checkout" | "switch", branch]) if is_branch(branch, examiner) => unfinished(examiner),
        ("cd" | "pushd", [path]) if exists(&path) => {
            (knowledge.is_directory(path) == Some(false)).then(|| format!("`{path}` is a file"))
        }
        ("rmdir", paths) => {
            let is_full = |path: &&&str| knowledge.names_in(path).is_some_and(|names| !names.is_empty());
            paths.iter().find(is_full).map(|path| format!("`{path}` is not empty"))
        }
        ("mkdir", paths @ [_]) if command.words.len() == 2 => {
            paths.iter().find(exists).map(|path| format!("`{path}` is there already"))
        }
        ("ln", [_, target]) if exists(&target) && knowledge.is_directory(target) == Some(false) => {
            Some(format!("`{target}` is there already"))
        }
        _ => None,
    }
}

/// Says what the user may not read or write.
fn closed(line: &ParsedLine, examiner: &Examiner<'_>) -> Option<Reason> {
    let [command] = line.own().commands.as_slice() else { return None };
    let (name, knowledge) = (command.name()?, examiner.knowledge);
    let operands = command.words.iter().skip(1).filter(|word| word.literal && !word.text.starts_with('-'));
    let operands: Vec<&str> = operands.map(|word| word.text.as_str()).collect();
    let copies = ["cp", "install"].contains(&name);
    // The target comes first with it.
    if command.words.iter().any(|word| word.text.starts_with("-t") || word.text.starts_with("--target")) {
        return None;
    }
    // `ln -s` looks at nothing but the place of the link; `mv` takes its files out of their directory.
    let n_read = match name {
        _ if copies => operands.len().saturating_sub(1),
        "ln" | "mv" | "chmod" | "chown" | "chgrp" | "rm" | "rmdir" | "touch" | "mkdir" | "tee" => 0,
        _ => operands.len(),
    };
    let unread = operands.iter().take(n_read).find(|path| knowledge.may_read(path) == Some(false));
    // What `cp` reads may lie where nothing can be written.
    let n_kept = if copies || name == "ln" { operands.len().saturating_sub(1) } else { 0 };
    let written = operands.iter().skip(n_kept).rev().filter(|_| WRITING.contains(&name));
    let unwritten = || written.into_iter().find_map(|path| closed_place(path, examiner));
    let (place, what) = match unread {
        Some(path) => (*path, "read"),
        None => (unwritten()?, "write in"),
    };
    Some(Reason::open(format!("you may not {what} `{place}`")))
}

/// Returns the directory in which the user may not make or delete what a path names: itself if it is one, else the one above.
fn closed_place<'p>(path: &'p str, examiner: &Examiner<'_>) -> Option<&'p str> {
    let knowledge = examiner.knowledge;
    let above = path.trim_end_matches('/').rsplit_once('/').map_or(".", |(above, _)| above);
    let place = if knowledge.is_directory(path) == Some(true) { path } else { above };
    (knowledge.is_directory(place) == Some(true) && knowledge.may_write_in(place) == Some(false))
        .then_some(place)
}

/// Says that git was called outside of a repository.
fn no_repository(line: &ParsedLine, status: i32, examiner: &Examiner<'_>) -> Option<String> {
    let [command] = line.own().commands.as_slice() else { return None };
    let verb = command.words.get(1).filter(|_| command.name() == Some("git"))?.text.as_str();
    let is_outside = examiner.knowledge.here(line).is_repository == Some(false);
    (status == FATAL && is_outside && needs_repository(verb))
        .then(|| "this folder is in no git repository; `git init` makes one".to_owned())
}

/// Returns the branch that is checked out, if it follows none of a remote.
fn unfollowed(examiner: &Examiner<'_>) -> Option<String> {
    let refs = examiner.knowledge.git_refs()?;
    refs.current.clone().filter(|branch| !refs.following.contains(branch) && !refs.remotes.is_empty())
}

fn is_detached(examiner: &Examiner<'_>) -> bool {
    examiner.knowledge.git_refs().is_some_and(|refs| refs.is_detached)
}

fn has_no_commit(examiner: &Examiner<'_>) -> bool {
    examiner.knowledge.git_refs().is_some_and(|refs| refs.is_unborn())
}

fn is_branch(name: &str, examiner: &Examiner<'_>) -> bool {
    examiner.knowledge.git_refs().is_some_and(|refs| refs.branches.contains(name))
}

fn has_no_stash(examiner: &Examiner<'_>) -> bool {
    examiner.knowledge.git_refs().is_some_and(|refs| !refs.others.contains("stash"))
}

/// Says what git has begun in the repository and not finished.
fn unfinished(examiner: &Examiner<'_>) -> Option<String> {
    let state = examiner.knowledge.git_refs()?.unfinished?;
    let goes_on = if state == "merge" { "commit" } else { state };
    let option = if state == "merge" { "" } else { " --continue" };
    let article = if state == "am" { "an" } else { "a" };
    Some(format!(
        "{article} {state} is not finished: mend the conflicts, `git add` the files and `git {goes_on}{option}`, or `git {state} --abort`"
    ))
}

/// Reports whether a pattern of the form `DIR/*END` matches no name, so that the program got the pattern itself.
fn matches_nothing(word: &Word, examiner: &Examiner<'_>) -> bool {
    let is_plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let (directory, pattern) = word.text.rsplit_once('/').unwrap_or(("", &word.text));
    let ending =
        pattern.strip_prefix('*').filter(|ending| word.glob && is_plain(ending) && is_plain(directory));
    let names = ending.and_then(|_| examiner.knowledge.names_in(directory));
    let fits = |name: &String| !name.starts_with('.') && ending.is_some_and(|ending| name.ends_with(ending));
    names.is_some_and(|names| !names.iter().any(fits))
}

/// Returns what an exit status means whatever the program; `None` if it has no common meaning.
pub fn meaning_of_status(status: i32) -> Option<&'static str> {
    meaning("", status)
}

fn meaning(program: &str, status: i32) -> Option<&'static str> {
    rows(program).filter_map(|row| row.meanings.get(&status.to_string())).next().map(String::as_str)
}

/// Returns the rows of a program, its own ones first.
fn rows(program: &str) -> impl Iterator<Item = &'static Row> {
    let is_of =
        move |row: &&Row| row.programs.is_empty() || row.programs.iter().any(|other| other == program);
    TABLE.row.iter().filter(is_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_s_own_meaning_comes_first() {
        assert_eq!(meaning("grep", 1), Some("no line matched"));
        assert_eq!(meaning("ls", 1), None);
        assert_eq!(meaning("curl", 137), meaning("", 137));
        assert!(meaning("", 127).is_some());
    }
}
