//! Places that the request names: a folder that the line leaves out, a repository that is none.

use super::names::NameKind;
use super::path::{relative, shown};
use super::{Case, Contradiction, Subject};
use crate::find_expression::FindExpression;
use crate::request::Token;
use askline_syntax::{SimpleCommand, Span, Word};

/// Words before the name of a place.
const PREPOSITIONS: [&str; 6] = ["in", "inside", "into", "below", "under", "within"];
/// Words that may be between such a word and the name.
const ARTICLES: [&str; 4] = ["the", "my", "folder", "directory"];
/// Words that except what follows, and those between one of them and the name of the place.
const EXCEPTIONS: [&str; 12] = [
    "except",
    "excluding",
    "exclude",
    "besides",
    "without",
    "not",
    "but",
    "ignore",
    "ignoring",
    "skip",
    "skipping",
    "outside",
];
const BESIDE_PLACE: [&str; 21] = [
    "in",
    "inside",
    "into",
    "below",
    "under",
    "within",
    "from",
    "of",
    "the",
    "my",
    "folder",
    "directory",
    "those",
    "ones",
    "these",
    "files",
    "file",
    "any",
    "anything",
    "everything",
    "what",
];
/// Subcommands of git that need a repository.
const OF_REPOSITORIES: [&str; 22] = [
    "add", "bisect", "blame", "branch", "checkout", "commit", "describe", "fetch", "log", "ls-files",
    "merge", "pull", "push", "rebase", "reflog", "remote", "reset", "restore", "show", "stash", "status",
    "switch",
];
/// Beginnings of words about repositories.
const ABOUT_GIT: [&str; 10] =
    ["git", "commit", "branch", "stash", "stag", "repo", "merg", "checkout", "remote", "rebas"];

/// Returns the places that line and directory disagree about.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    [left_out(case), no_repository(case)].into_iter().flatten().collect()
}

/// Compares "in src" with a line that does not name `src`, which is a folder here.
fn left_out(case: &Case<'_>) -> Option<Contradiction> {
    let (at, folder) = case.tokens.iter().enumerate().find_map(|(at, token)| {
        let is_place = case.here.names.kind(token.text.trim_end_matches('/')) == Some(NameKind::Folder);
        let mut before =
            case.tokens.iter().take(at).rev().skip_while(|it| ARTICLES.contains(&it.lower.as_str()));
        let is_named = before.next().is_some_and(|it| PREPOSITIONS.contains(&it.lower.as_str()));
        (is_place && is_named && !token.quoted).then(|| (at, token.text.trim_end_matches('/')))
    })?;
    if case.line.text().contains(folder) || folder.is_empty() {
        return None;
    }
    let said = case.tokens.get(at)?.span.clone();
    let is_plain =
        folder.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c)) && !folder.starts_with('-');
    let (text, edit) = match excepting(case, at) {
        // "not the ones in data"
        Some(first) => {
            let words = case.request.get(first..said.end)?;
            let text = format!("you said \"{words}\"; the line does not leave that out");
            (text, without_folder(case, folder))
        }
        None => {
            let text = format!("you named `{}`; the line does not", case.request.get(said.clone())?);
            (text, only_start(case).map(|start| (start.span.clone(), folder.to_owned())))
        }
    };
    let span = edit.as_ref().map_or(0..case.line.text().len(), |(span, _)| span.clone());
    let facts = format!("{}/ is here", shown(folder));
    let mut found = case.contradiction(Subject::Names, span, (text, facts), edit.filter(|_| is_plain));
    found.mismatch.said = Some(said);
    Some(found)
}

/// Returns the byte where an exception begins that ends with the place at token `at`: "not the ones in data", but not "files without
/// extension in data" and "but only in data".
fn excepting(case: &Case<'_>, at: usize) -> Option<usize> {
    let is_one = |token: &Token, words: &[&str]| !token.quoted && words.contains(&token.lower.as_str());
    let mut before = case.tokens.get(..at)?.iter().rev();
    let first = before.find(|token| !is_one(token, &BESIDE_PLACE))?;
    is_one(first, &EXCEPTIONS).then_some(first.span.start)
}

/// Returns the edit that leaves a folder out of the only search, which begins here.
fn without_folder(case: &Case<'_>, folder: &str) -> Option<(Span, String)> {
    only_start(case)?;
    let [call] = case.calls.as_slice() else { return None };
    let find = FindExpression::of(call.command)?;
    let (at, text) = find.with_test(&format!("! -path './{folder}/*'"))?;
    Some((at..at, text))
}

/// Returns the `.` where the only command of the line begins to search.
fn only_start<'l>(case: &Case<'l>) -> Option<&'l Word> {
    let [call] = case.calls.as_slice() else { return None };
    let [start] = call.operands.as_slice() else { return None };
    if !call.base.is_empty() {
        return None;
    }
    let searches = call.name == "find" || call.name == "grep" && call.is_deep();
    (searches && relative(start) == Some("")).then_some(*start)
}

/// Compares a git command with a directory that belongs to no repository.
fn no_repository(case: &Case<'_>) -> Option<Contradiction> {
    if case.here.is_repository != Some(false) {
        return None;
    }
    let [command] = case.line.parsed().commands.iter().take(1).collect::<Vec<&SimpleCommand>>()[..] else {
        return None;
    };
    let subcommand = command.words.get(1).filter(|_| command.name() == Some("git"))?;
    let is_elsewhere = command.words.iter().any(|word| word.text.starts_with("--no-index"));
    let span = command.words.first()?.span.start..subcommand.span.end;
    let text = "this folder is not in a git repository".to_owned();
    // A request for commits has no other answer; for everything else there is another command.
    let is_asked = case.tokens.iter().any(|token| ABOUT_GIT.iter().any(|stem| token.lower.starts_with(stem)));
    let subject = if is_asked { Subject::Absence } else { Subject::Names };
    (OF_REPOSITORIES.contains(&subcommand.text.as_str()) && !is_elsewhere)
        .then(|| case.contradiction(subject, span, (text, String::new()), None))
}
