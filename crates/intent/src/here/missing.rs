//! Names and patterns of a line that match nothing in the directory.

use super::call::{Call, Wants, relative, relative_path};
use super::names::{NameKind, Names, matches};
use super::{Case, Contradiction, Subject, calls};
use crate::extension;
use crate::literal;
use askline_syntax::clean::visible;
use askline_syntax::{Redirection, SimpleCommand, Word};

/// Maximum number of places that a message names.
const PLACES_MAX: usize = 3;
/// Maximum length of a name that a message shows, in characters.
const NAME_CHARS_MAX: usize = 60;
/// Minimum length of a name without its ending that a near name may replace, in characters.
const NEAR_CHARS_MIN: usize = 5;
/// Endings of copies, which are not meant by the name of the file.
const COPIES: [&str; 8] = ["bak", "old", "orig", "tmp", "swp", "save", "gz", "zip"];
/// Minimum length of the part of a name that may be inside a word of the request, in characters.
const STEM_CHARS_MIN: usize = 2;
/// Words of requests about this directory alone.
const HERE: [&str; 6] = ["here", "this", "current", "cwd", "pwd", "working"];

/// Returns what the line names and the directory lacks.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let is_nushell = case.line.shell().is_nushell();
    // `ls *.log 2>/dev/null || echo none`: the line is ready for it.
    let tests = |command: &SimpleCommand| matches!(command.name(), Some("test" | "[" | "[["));
    if case.line.text().contains("||") || case.line.own().commands.iter().any(tests) {
        return Vec::new();
    }
    let is_silent = |call: &Call<'_>| {
        let target = |it: &Redirection| it.target.as_ref().is_some_and(|target| target.text == "/dev/null");
        call.command.redirections.iter().any(|it| it.descriptor == Some(2) && target(it))
    };
    let judged = calls(case.line).filter(|call| !is_nushell || call.name == "open");
    let judged = judged.filter(|call| !is_silent(call));
    judged
        .flat_map(|call| {
            let (sources, _) = call.sources();
            let inputs = call.command.redirections.iter().filter(|it| it.operator == "<");
            let inputs: Vec<&Word> = inputs.filter_map(|it| it.target.as_ref()).collect();
            let words = sources.iter().copied().chain(inputs);
            words
                .filter_map(|word| pattern(case, word).or_else(|| name(case, &call, word)))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Compares a pattern that the shell expands.
fn pattern(case: &Case<'_>, word: &Word) -> Option<Contradiction> {
    let raw = case.line.text().get(word.span.clone())?;
    let is_plain =
        word.glob && !word.quoted && raw == word.text && !raw.contains(OTHER) && !raw.contains("**");
    let path = relative_path(raw).filter(|_| is_plain)?;
    let (folder, form) = path.rsplit_once('/').unwrap_or(("", path));
    if folder.contains(['*', '?', '[']) {
        return None;
    }
    let names = &case.here.names;
    let is_listed = names.is_listed(folder) || names.is_missing(folder);
    if !is_listed || names.within(folder).any(|(name, _)| matches(form, name)) {
        return None;
    }
    let has_letters = form.contains(char::is_alphanumeric);
    let places = if has_letters { places(names, form) } else { Vec::new() };
    let other = other_form(case, folder, form);
    let is_about_here = folder.is_empty() && case.has_word(&HERE);
    let facts = match other {
        Some(ref other) => format!("`{other}` does"),
        None => told(&places),
    };
    let is_said = is_said(case, form);
    let edit = match (other, places.as_slice()) {
        (Some(other), _) => Some(joined(folder, &other)),
        (None, [(place, _)]) if is_said && !is_about_here && names.is_whole() => {
            Some(format!("{}/{form}", quoted(place)?))
        }
        _ => None,
    };
    let edit = edit.map(|new| (word.span.clone(), new));
    let text = format!("nothing here matches `{raw}`");
    let subject = if is_said && facts.is_empty() { Subject::Absence } else { Subject::Names };
    Some(case.contradiction(subject, word.span.clone(), (text, facts), edit))
}

/// Characters that make a pattern more than one of names.
const OTHER: [char; 9] = ['{', '}', '$', '`', '(', ')', '~', '^', '#'];

/// Returns the other form of a pattern that matches here: another case of its letters, or `*.log` for `log*`.
fn other_form(case: &Case<'_>, folder: &str, form: &str) -> Option<String> {
    let names = &case.here.names;
    let is_there =
        |form: &str| names.within(folder).any(|(name, kind)| kind == NameKind::File && matches(form, name));
    let stem =
        form.strip_suffix('*').filter(|stem| !stem.is_empty() && stem.chars().all(char::is_alphanumeric));
    if let Some(stem) = stem {
        let turned = format!("*.{stem}");
        return (is_there(&turned) && is_said(case, &turned)).then_some(turned);
    }
    let cases = [form.to_uppercase(), form.to_lowercase()];
    let mut there = cases.into_iter().filter(|other| other != form && is_there(other));
    there.next().filter(|_| there.next().is_none())
}

/// Returns the directories that have files of this form, with their number.
fn places<'n>(names: &'n Names, form: &str) -> Vec<(&'n str, usize)> {
    let mut places: Vec<(&str, usize)> = Vec::new();
    for (folder, name, kind) in names.all() {
        if kind != NameKind::File || folder.is_empty() || !matches(form, name) {
            continue;
        }
        match places.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, count)) => *count += 1,
            None => places.push((folder, 1)),
        }
    }
    places
}

fn told(places: &[(&str, usize)]) -> String {
    let told = places.iter().take(PLACES_MAX).map(|(place, count)| format!("{}/ has {count}", shown(place)));
    told.collect::<Vec<_>>().join(", ")
}

/// Reports whether the request names what a pattern is about: its letters, or its kind of file.
fn is_said(case: &Case<'_>, form: &str) -> bool {
    let stem = form.split(|c: char| !c.is_alphanumeric()).max_by_key(|part| part.len()).unwrap_or_default();
    let stem = stem.to_lowercase();
    let is_whole = |word: &str| word.trim_start_matches(['*', '.']) == stem;
    let is_long = STEM_CHARS_MIN <= stem.chars().count();
    let is_in = |word: &str| if is_long { word.contains(&stem) } else { is_whole(word) };
    let is_said = case.tokens.iter().any(|token| is_in(&token.lower));
    !stem.is_empty() && (is_said || extension::is_named(&case.tokens, &stem))
}

/// Compares a name without patterns.
fn name(case: &Case<'_>, call: &Call<'_>, word: &Word) -> Option<Contradiction> {
    let path = relative(word).filter(|path| !path.contains(['*', '?', '[', '$']))?;
    let names = &case.here.names;
    if !names.is_missing(path) {
        return None;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let found = candidates(names, folder, name, call.tool.wants);
    let facts = match found.as_slice() {
        [] => String::new(),
        some => {
            let some: Vec<String> =
                some.iter().take(PLACES_MAX).map(|path| format!("`{}`", shown(path))).collect();
            format!("there is {}", some.join(", "))
        }
    };
    let edit = match found.as_slice() {
        [one] => quoted(one).map(|new| (word.span.clone(), new)),
        [] if is_users(case, name) => return None,
        _ => None,
    };
    let text = format!("there is no `{path}` here");
    Some(case.contradiction(Subject::Names, word.span.clone(), (text, facts), edit))
}

/// Reports whether the user wrote a name as one: it has a dot or a quote, or is named as a place.
fn is_users(case: &Case<'_>, name: &str) -> bool {
    case.tokens.iter().enumerate().any(|(at, token)| {
        let is_same = token.text.trim_end_matches('/').rsplit('/').next() == Some(name);
        let near = |at: Option<usize>| {
            at.and_then(|at| case.tokens.get(at)).is_some_and(|token| PLACE.contains(&token.lower.as_str()))
        };
        is_same
            && (token.quoted
                || name.contains('.')
                || token.text.contains('/')
                || near(at.checked_sub(1))
                || near(Some(at + 1)))
    })
}

/// Words beside the name of a directory.
const PLACE: [&str; 12] =
    ["in", "inside", "into", "to", "below", "under", "from", "within", "folder", "directory", "dir", "of"];

/// Returns the paths that may be meant by a missing one: near names beside it, the same name with another ending, or the same
/// name in another directory.
fn candidates(names: &Names, folder: &str, name: &str, wants: Wants) -> Vec<String> {
    let fits = |kind: NameKind| match wants {
        Wants::File => kind == NameKind::File,
        Wants::Folder => kind == NameKind::Folder,
        _ => kind != NameKind::Other,
    };
    let beside = || names.within(folder).filter(|(_, kind)| fits(*kind)).map(|(name, _)| name);
    let paths = |found: Vec<&str>| found.into_iter().map(|name| joined(folder, name)).collect::<Vec<_>>();
    let lower = name.to_lowercase();
    let other_case: Vec<&str> = beside().filter(|other| other.to_lowercase() == lower).collect();
    let is_long = NEAR_CHARS_MIN <= name.rsplit_once('.').map_or(name, |(stem, _)| stem).chars().count();
    let near: Vec<&str> = beside().filter(|other| is_long && literal::is_similar(other, name)).collect();
    for found in [other_case, near] {
        if !found.is_empty() {
            return paths(found);
        }
    }
    let elsewhere =
        names.all().filter(|(above, other, kind)| *above != folder && *other == name && fits(*kind));
    let elsewhere: Vec<String> = elsewhere.map(|(above, name, _)| joined(above, name)).collect();
    let is_file_name = name.contains('.') && wants != Wants::Folder;
    if is_file_name && !elsewhere.is_empty() {
        return elsewhere;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    let same_stem = beside().filter(|other| {
        let Some((other_stem, ending)) = other.rsplit_once('.') else { return false };
        let is_same = other_stem.to_lowercase() == stem && STEM_CHARS_MIN < stem.chars().count();
        is_same && !COPIES.contains(&ending)
    });
    if wants == Wants::File { paths(same_stem.collect()) } else { Vec::new() }
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns a path out of the directory as a word of the line; `None` if it holds anything that is better not written there.
pub(super) fn quoted(path: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+/".contains(c);
    let is_safe = |c: char| is_plain(c) || c == ' ' || ",@=&()".contains(c);
    let is_fit =
        !path.starts_with(['-', '~']) && visible(path) == path && path.chars().count() <= NAME_CHARS_MAX;
    match path {
        _ if !is_fit => None,
        _ if path.chars().all(is_plain) => Some(path.to_owned()),
        _ if path.chars().all(is_safe) => Some(format!("'{path}'")),
        _ => None,
    }
}

/// Returns a name out of the directory as it may be shown.
pub(super) fn shown(name: &str) -> String {
    let visible = visible(name).replace('\n', " ");
    visible.chars().take(NAME_CHARS_MAX).collect()
}
