//! The state of a git repository, from its files; git itself is not started.

mod commits;

use std::collections::HashSet;
use std::path::PathBuf;

use askline_host::Host;

use self::commits::{Commits, Reached};
use super::{Bounds, Seen};
use crate::repository::Repository;

/// Maximum number of branches that are listed.
const BRANCHES_MAX: usize = 60;
/// Number of last entries of the reflog that are shown.
const REFLOG: usize = 5;
/// Number of characters of a commit's name.
const SHORT: usize = 9;

/// Returns the `.git` of the repository around the working directory.
pub(super) fn repository(host: &dyn Host) -> Option<PathBuf> {
    Some(Repository::around(host, &host.current_dir()?)?.git().to_owned())
}

/// Shows the repository around the working directory.
pub(super) fn state(host: &dyn Host, bounds: &mut Bounds) -> Result<Seen, String> {
    let here = host.current_dir();
    let repository = here.and_then(|here| Repository::around(host, &here));
    let repository = repository.ok_or("there is no git repository here")?;
    if !repository.is_own() {
        return Err("this is a linked work tree, whose repository is elsewhere; it is not read".to_owned());
    }
    let head = repository.text("HEAD").ok_or("the repository has no HEAD")?;
    let current = repository.branch();
    let branches = branches(&repository).ok_or("its branches are too many, or kept in another way")?;
    let at =
        |name: &String| branches.iter().find(|(branch, _)| branch == name).map(|(_, commit)| commit.as_str());
    let commit = current.as_ref().and_then(at).unwrap_or(head.trim());
    let mut lines = vec![match &current {
        Some(branch) => format!("on branch {branch} at {}", short(commit)),
        None => format!("no branch is checked out, at {}", short(commit)),
    }];
    lines.extend(repository.unfinished().map(|begun| format!("{} is not finished", begun.words)));
    let others = || branches.iter().take(BRANCHES_MAX).filter(|(branch, _)| Some(branch) != current.as_ref());
    let wanted: HashSet<String> = others().map(|(_, at)| at.clone()).filter(|at| at != commit).collect();
    let reached = Commits::of(host, repository.git()).reached(commit, &wanted, bounds);
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
    lines.extend(repository.remotes().into_iter().map(|(name, url)| format!("remote {name}: {url}")));
    lines.extend(last_steps(&repository));
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

/// Returns all branches with their commits, sorted; `None` if they are not all known.
fn branches(repository: &Repository<'_>) -> Option<Vec<(String, String)>> {
    const BRANCHES: &str = "refs/heads/";
    let loose = repository.loose()?;
    let mut branches: Vec<(String, String)> = loose
        .iter()
        .filter_map(|file| {
            let name = file.strip_prefix(BRANCHES)?;
            Some((name.to_owned(), repository.text(file)?.trim().to_owned()))
        })
        .collect();
    // A loose branch is newer than the same one among the packed.
    for (name, commit) in repository.packed() {
        if let Some(name) = name.strip_prefix(BRANCHES)
            && !branches.iter().any(|(known, _)| known == name)
        {
            branches.push((name.to_owned(), commit));
        }
    }
    branches.sort();
    Some(branches)
}

/// Returns the last entries of the reflog, the latest first.
fn last_steps(repository: &Repository<'_>) -> Vec<String> {
    let log = repository.text("logs/HEAD").unwrap_or_default();
    let messages = log.lines().rev().filter_map(|line| line.split_once('\t'));
    messages.take(REFLOG).map(|(_, message)| format!("before: {message}")).collect()
}

fn short(commit: &str) -> String {
    commit.chars().take(SHORT).collect()
}
