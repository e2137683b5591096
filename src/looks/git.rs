//! The state of a git repository, from its files; git itself is not started.

mod commits;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use askline_host::Host;

use self::commits::{Commits, Reached};
use super::files;
use super::{Bounds, Seen};

/// Maximum number of parent directories to search for a repository.
const PARENTS_MAX: usize = 32;
/// Maximum size of a file of the repository that is read, in bytes.
const FILE_LIMIT: u64 = 1 << 20;
/// Maximum number of branches that are listed.
const BRANCHES_MAX: usize = 60;
/// Number of last entries of the reflog that are shown.
const REFLOG: usize = 5;
/// Number of characters of a commit's name.
const SHORT: usize = 9;
/// Files that say what is going on.
const UNFINISHED: [(&str, &str); 6] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection"),
];

/// Returns the `.git` of the repository around the working directory.
pub(super) fn repository(host: &dyn Host) -> Option<PathBuf> {
    let here = host.current_dir()?;
    let mut directories = here.ancestors().take(PARENTS_MAX).map(|directory| directory.join(".git"));
    directories.find(|git| host.entry(git).is_some())
}

/// Shows the repository around the working directory.
pub(super) fn state(host: &dyn Host, bounds: &mut Bounds) -> Result<Seen, String> {
    let git = repository(host).ok_or("there is no git repository here")?;
    if !host.entry(&git).is_some_and(|entry| entry.is_directory) || host.link_target(&git).is_some() {
        return Err("this is a linked work tree, whose repository is elsewhere; it is not read".to_owned());
    }
    let head = text(host, &git.join("HEAD")).ok_or("the repository has no HEAD")?;
    let current = head.trim().strip_prefix("ref: refs/heads/");
    let branches = branches(host, &git, bounds);
    let at =
        |name: &str| branches.iter().find(|(branch, _)| branch == name).map(|(_, commit)| commit.as_str());
    let commit = current.and_then(at).unwrap_or(head.trim());
    let mut lines = vec![match current {
        Some(branch) => format!("on branch {branch} at {}", short(commit)),
        None => format!("no branch is checked out, at {}", short(commit)),
    }];
    let unfinished = UNFINISHED.iter().filter(|(file, _)| host.entry(&git.join(file)).is_some());
    lines.extend(unfinished.map(|(_, what)| format!("{what} is not finished")));
    let others = || branches.iter().take(BRANCHES_MAX).filter(|(branch, _)| Some(branch.as_str()) != current);
    let wanted: HashSet<String> = others().map(|(_, at)| at.clone()).filter(|at| at != commit).collect();
    let reached = Commits::of(host, &git).reached(commit, &wanted, bounds);
    let mut merged = Vec::new();
    for (branch, at) in others() {
        let is_merged = at == commit || reached.found.contains(at);
        merged.extend(is_merged.then_some(branch.as_str()));
        lines.push(format!(
            "branch {branch} at {}{}",
            short(at),
            relation(at == commit, is_merged, &reached)
        ));
    }
    lines.extend(remotes(host, &git));
    lines.extend(last_steps(host, &git));
    let merged = match merged.as_slice() {
        [] => String::new(),
        names => format!(", merged into this one: {}", names.join(", ")),
    };
    let on = lines.first().map_or("", String::as_str);
    let headline = format!("{on}; {} branches{merged}", branches.len());
    Ok(Seen { headline, is_cut: BRANCHES_MAX < branches.len(), lines })
}

/// Compares another branch with the current one; `None` if the history is not known.
fn relation(is_same: bool, is_merged: bool, reached: &Reached) -> &'static str {
    match () {
        () if is_same => ", merged: the same commit as the current branch",
        () if is_merged => ", merged into the current branch",
        () if reached.is_whole => ", not merged into the current branch",
        () => "",
    }
}

/// Returns all branches with their commits, sorted.
fn branches(host: &dyn Host, git: &Path, bounds: &mut Bounds) -> Vec<(String, String)> {
    let heads = git.join("refs/heads");
    let mut loose: Vec<PathBuf> = Vec::new();
    files::walk_files(host, &heads, bounds, &mut |file, _| {
        loose.push(file.to_owned());
        true
    });
    let mut branches: Vec<(String, String)> = loose
        .iter()
        .filter_map(|file| {
            let name = file.strip_prefix(&heads).ok()?.to_str()?.to_owned();
            Some((name, text(host, file)?.trim().to_owned()))
        })
        .collect();
    // A loose branch is newer than the same one among the packed.
    let packed = text(host, &git.join("packed-refs")).unwrap_or_default();
    for line in packed.lines() {
        if let Some((commit, name)) = line.split_once(" refs/heads/")
            && !branches.iter().any(|(known, _)| known == name)
        {
            branches.push((name.to_owned(), commit.to_owned()));
        }
    }
    branches.sort();
    branches
}

/// Returns the addresses of the remotes.
fn remotes(host: &dyn Host, git: &Path) -> Vec<String> {
    let config = text(host, &git.join("config")).unwrap_or_default();
    let mut section = "";
    let mut remotes = Vec::new();
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if let Some(name) =
            section.strip_prefix("[remote \"").and_then(|name| name.strip_suffix("\"]"))
            && let Some(("url", url)) = line.split_once('=').map(|(key, url)| (key.trim(), url.trim()))
        {
            remotes.push(format!("remote {name}: {url}"));
        }
    }
    remotes
}

/// Returns the last entries of the reflog, the latest first.
fn last_steps(host: &dyn Host, git: &Path) -> Vec<String> {
    let log = text(host, &git.join("logs/HEAD")).unwrap_or_default();
    let messages = log.lines().rev().filter_map(|line| line.split_once('\t'));
    messages.take(REFLOG).map(|(_, message)| format!("before: {message}")).collect()
}

fn short(commit: &str) -> String {
    commit.chars().take(SHORT).collect()
}

fn text(host: &dyn Host, file: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&host.read(file, FILE_LIMIT).ok()?).into_owned())
}
