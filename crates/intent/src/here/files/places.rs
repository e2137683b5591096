//! Places that the request names: a folder that the line leaves out, a repository that is none.

use crate::find_expression::FindExpression;
use crate::here::names::NameKind;
use crate::here::path::{relative, shown};
use crate::here::{Case, Contradiction, Subject};
use crate::request::Token;
use askline_syntax::git::needs_repository;
use askline_syntax::{SimpleCommand, Span, Word};

/// Words before the name of a place.
const PREPOSITIONS: [&str; 6] = ["in", "inside", "into", "below", "under", "within"];
/// Words that may be between such a word and the name.
const ARTICLES: [&str; 4] = ["the", "my", "folder", "directory"];
/// Words that except the place that follows them.
const EXCEPTIONS: [&str; 11] = [
    "except",
    "excluding",
    "exclude",
    "besides",
    "without",
    "not",
    "ignore",
    "ignoring",
    "skip",
    "skipping",
    "outside",
];
/// Words that may stand between one of them and the name of the place.
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
/// Further words that turn round what follows: "don't look in data", "everywhere but in data", "leave out".
const NEGATIONS: [&str; 14] = [
    "but", "no", "none", "nothing", "never", "nowhere", "nor", "neither", "avoid", "avoiding", "leave",
    "leaving", "other", "minus",
];
/// Words that end what a negation before them is about: "not in data but only in docs".
const LIMITS: [&str; 2] = ["only", "just"];
/// Beginnings of words about repositories.
const ABOUT_GIT: [&str; 10] =
    ["git", "commit", "branch", "stash", "stag", "repo", "merg", "checkout", "remote", "rebas"];

/// Returns the places that line and directory disagree about.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    [left_out(case), no_repository(case)].into_iter().flatten().collect()
}

/// Compares "in src" with a line that does not name `src`, which is a folder here.
fn left_out(case: &Case<'_>) -> Option<Contradiction> {
    let mut places = case.tokens.iter().enumerate().filter_map(|(at, token)| {
        let is_place = case.here.names.kind(token.text.trim_end_matches('/')) == Some(NameKind::Folder);
        let mut before =
            case.tokens.iter().take(at).rev().skip_while(|it| ARTICLES.contains(&it.lower.as_str()));
        let is_named = before.next().is_some_and(|it| PREPOSITIONS.contains(&it.lower.as_str()));
        (is_place && is_named && !token.quoted).then(|| (at, token.text.trim_end_matches('/')))
    });
    let (at, folder) = places.next()?;
    if case.line.text().contains(folder) || folder.is_empty() {
        return None;
    }
    let said = case.tokens.get(at)?.span.clone();
    let is_plain =
        folder.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c)) && !folder.starts_with('-');
    let (text, edit) = match relation(case, at) {
        // "not in docs but in photos"
        _ if places.next().is_some() => return None,
        Relation::Excepted(first) => {
            let words = case.request.get(first..said.end)?;
            let text = format!("you said \"{words}\"; the line does not leave that out");
            (text, without_folder(case, folder))
        }
        Relation::Unclear => return None,
        Relation::Inside => {
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

/// What a request says of a place.
enum Relation {
    /// To look there.
    Inside,
    /// To leave it out; the byte where the exception begins.
    Excepted(usize),
    /// A negation before it may be about it: "don't look in data", "none in data", "not only in data".
    Unclear,
}

/// Returns what the request says of the place at token `at`.
fn relation(case: &Case<'_>, at: usize) -> Relation {
    let is_one = |token: &Token, words: &[&str]| !token.quoted && words.contains(&token.lower.as_str());
    let before = case.tokens.get(..at).unwrap_or_default();
    let nearest = before.iter().rposition(|token| !is_one(token, &BESIDE_PLACE));
    match nearest.and_then(|at| before.get(at)) {
        Some(first) if is_one(first, &EXCEPTIONS) => {
            // "don't look anywhere except in data"
            let mut earlier = before.iter().take_while(|it| it.span.start < first.span.start);
            let is_doubled = earlier.any(|it| negates(it) && it.lower != "but");
            return if is_doubled { Relation::Unclear } else { Relation::Excepted(first.span.start) };
        }
        // "not only in data", but "txt files, but only in data"
        Some(first) if is_one(first, &LIMITS) => {
            let previous = nearest.and_then(|at| before.get(at.checked_sub(1)?));
            let is_negated = previous.is_some_and(|it| negates(it) && it.lower != "but");
            return if is_negated { Relation::Unclear } else { Relation::Inside };
        }
        _ => {}
    }
    // "files without extension in data", but "without looking in data"
    let lacks_thing = |at: usize, token: &Token| {
        let next = before.get(at + 1).filter(|next| !is_one(next, &BESIDE_PLACE));
        ["without", "no"].contains(&token.lower.as_str()) && next.is_some_and(|it| !it.lower.ends_with("ing"))
    };
    let mut about =
        before.iter().enumerate().filter(|(at, token)| negates(token) && !lacks_thing(*at, token));
    if about.next().is_some() { Relation::Unclear } else { Relation::Inside }
}

/// Reports whether a word may turn round what follows it.
fn negates(token: &Token) -> bool {
    let word = token.lower.as_str();
    !token.quoted
        && (EXCEPTIONS.contains(&word)
            || NEGATIONS.contains(&word)
            || word.ends_with("n't")
            || word.ends_with("n’t")
            || ["dont", "doesnt", "isnt", "arent", "cant"].contains(&word))
}

/// Returns the edit that leaves a folder out of the only search, which begins here.
fn without_folder(case: &Case<'_>, folder: &str) -> Option<(Span, String)> {
    only_start(case)?;
    let [call] = case.calls.as_slice() else { return None };
    let find = FindExpression::of(call.command)?;
    let (at, text) = find.with_test(&find.without(folder, true)?)?;
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
    (needs_repository(&subcommand.text) && !is_elsewhere)
        .then(|| case.contradiction(subject, span, (text, String::new()), None))
}
