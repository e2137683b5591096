//! Which files a line takes: a pattern that leaves out files that nobody excluded, an exception that excepts nothing.

use crate::additions::{may_be_any, says_extension};
use crate::find_expression::{FindExpression, Primary};
use crate::glob::matches_in_find as matches;
use crate::here::names::NameKind;
use crate::here::path::{quoted, relative, relative_path};
use crate::here::{Case, Contradiction, Subject};
use askline_syntax::{Span, Word};

/// Minimum length of the part of a pattern that is looked for in names, in characters.
const PART_MIN: usize = 4;

/// Returns what is wrong with the choice of files.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let finds = case.calls.iter().filter(|call| call.name == "find");
    let excepted = finds.filter_map(|call| {
        let expression = FindExpression::of(call.command)?;
        // What is elsewhere is not known.
        let is_here = call.base.is_empty() && call.operands.iter().all(|word| relative(word) == Some(""));
        let mut tests = expression.primaries.iter().filter(|it| it.negated && it.name == "-name");
        let types = expression.named(&["-type"]).filter(|it| !it.negated);
        let kinds: Vec<NameKind> = types.filter_map(|it| kind(it.literal()?)).collect();
        let found = |test| {
            let takes_files = kinds == [NameKind::File];
            let folder = || excepts_folder(case, &expression, test).filter(|_| takes_files);
            folder().or_else(|| excepts_nothing(case, test, &kinds))
        };
        is_here.then(|| tests.find_map(found)).flatten()
    });
    left_out(case).into_iter().chain(excepted).collect()
}

/// Finds the operand `docs/*.txt` of a request that names no kind of file, where the folder has other files, too.
fn left_out(case: &Case<'_>) -> Option<Contradiction> {
    if !may_be_any(&case.tokens) {
        return None;
    }
    let patterns = case.calls.iter().filter(|call| call.base.is_empty()).flat_map(|call| &call.operands);
    let mut globs = patterns.filter(|word| word.glob);
    let (word, None) = (globs.next()?, globs.next()) else { return None };
    let (folder, extension) = parts(word)?;
    let names = case.names("");
    if says_extension(&case.tokens, extension) || !names.is_listed(folder) {
        return None;
    }
    let has_extension = |name: &str| name.rsplit_once('.').is_some_and(|(_, other)| other == extension);
    let files = || names.within(folder).filter(|(_, kind)| *kind == NameKind::File);
    let n_others = files().filter(|(name, _)| !has_extension(name)).count();
    let takes = files().any(|(name, _)| has_extension(name));
    if n_others == 0 || !takes {
        return None;
    }
    let text = format!("`{}` leaves out files that you did not exclude", word.text);
    let facts = format!("{n_others} of them are here");
    Some(case.contradiction(Subject::Names, word.span.clone(), (text, facts), None))
}

/// Returns folder and extension of a pattern such as `docs/*.txt`.
fn parts(word: &Word) -> Option<(&str, &str)> {
    let (folder, name) = word.text.rsplit_once('/').unwrap_or(("", &word.text));
    let extension = name.strip_prefix("*.").filter(|it| it.chars().all(|c| c.is_ascii_alphanumeric()))?;
    let folder = if folder.is_empty() { folder } else { relative_path(folder)? };
    Some((folder, extension)).filter(|_| !extension.is_empty())
}

/// Returns the kind of names that `find -type` takes.
fn kind(letter: &str) -> Option<NameKind> {
    match letter {
        "f" => Some(NameKind::File),
        "d" => Some(NameKind::Folder),
        _ => None,
    }
}

/// Finds `-type f ! -name docs` where `docs` is a folder: no file is excepted. The edit takes fewer files, so it stands in lines that
/// delete, too.
fn excepts_folder(
    case: &Case<'_>,
    expression: &FindExpression<'_>,
    test: &Primary<'_>,
) -> Option<Contradiction> {
    let names = case.names("");
    let name = test.literal()?;
    let is_folder = names.kind(name) == Some(NameKind::Folder);
    // `py/tests`, if no file has the name.
    let is_below = || {
        let mut all = names.all().filter(|(_, other, _)| *other == name).peekable();
        all.peek().is_some() && all.all(|(_, _, kind)| kind == NameKind::Folder)
    };
    if !is_folder && !is_below() {
        return None;
    }
    // `! -path './docs/*'`, `-name docs -prune`
    let is_about = |other: &Primary<'_>| {
        other.span != test.span
            && other.literal().is_some_and(|value| value.split('/').any(|part| part == name))
    };
    if expression.primaries.iter().any(is_about) {
        return None;
    }
    let text = format!("`{name}` is a folder; this excepts no file in it");
    let mut found = case.contradiction(Subject::Names, test.span.clone(), (text, String::new()), None);
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    if is_plain {
        let raw = case.line.text().get(test.span.clone())?;
        let before = case.line.text().get(..test.span.start)?.split_whitespace().next_back()?;
        let sign = match before {
            "!" | "-not" => "!",
            // In `! \( -name docs -o -name tmp \)`.
            "\\(" | "'('" | "(" | "-o" | "-or" => "-o",
            _ => return Some(found),
        };
        let folder = if is_folder { "." } else { "*" };
        let new = format!("{raw} {sign} -path '{folder}/{name}/*'");
        case.mend(&mut found, test.span.clone(), new);
    }
    Some(found)
}

/// Finds `! -name '*_birthday*'` where only `my birthday.jpg` is here, among the names of these kinds.
fn pattern_excepts_nothing(
    case: &Case<'_>,
    pattern: &str,
    value: Span,
    kinds: &[NameKind],
) -> Option<Contradiction> {
    let names = case.names("");
    // `*.java` is a kind of file, of which there may be none.
    if pattern.strip_prefix("*.").is_some_and(|rest| rest.chars().all(char::is_alphanumeric)) {
        return None;
    }
    let stem = pattern.split(|c: char| !c.is_alphanumeric()).max_by_key(|part| part.len())?;
    let is_taken = |kind: &NameKind| kinds.is_empty() || kinds.contains(kind);
    let excepts = names.all().any(|(_, name, kind)| is_taken(&kind) && matches(pattern, name));
    if stem.chars().count() < PART_MIN || !names.is_known("") || excepts {
        return None;
    }
    let meant = if kinds == [NameKind::Folder] { NameKind::Folder } else { NameKind::File };
    let count = names.all().filter(|(_, name, kind)| *kind == meant && name.contains(stem)).count();
    let text = format!("nothing here matches `{pattern}`, so it excepts nothing");
    let new = format!("*{stem}*");
    let facts = format!("`{new}` matches {count}");
    let mut found = case.contradiction(Subject::Names, value.clone(), (text, facts), None);
    // An exception that takes more in destroys no more.
    case.mend(&mut found, value, format!("'{new}'"));
    (0 < count && case.request.to_lowercase().contains(&stem.to_lowercase())).then_some(found)
}

/// Finds `! -name contract` where only `contract.pdf` is here. An exception that takes more in destroys no more, so the edit stands in
/// lines that delete or move, too.
fn excepts_nothing(case: &Case<'_>, test: &Primary<'_>, kinds: &[NameKind]) -> Option<Contradiction> {
    let name = test.literal()?;
    let value = test.value?.span.clone();
    if name.contains('*') {
        return pattern_excepts_nothing(case, name, value, kinds);
    }
    let is_plain = 3 <= name.len() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let names = case.names("");
    // "not named todo exactly" says that the name has no extension.
    let is_exact = case.has_word(&["exactly", "precisely", "named", "called"]);
    if !is_plain || is_exact || !names.is_known("") || names.all().any(|(_, other, _)| other == name) {
        return None;
    }
    let stem = |other: &str| other.split_once('.').is_some_and(|(stem, _)| stem == name);
    let mut known: Vec<&str> =
        names.all().filter(|(_, other, _)| stem(other)).map(|(_, other, _)| other).collect();
    known.sort_unstable();
    known.dedup();
    let [meant] = known[..] else { return None };
    let text = format!("nothing here is named `{name}`, so it excepts nothing");
    let mut found =
        case.contradiction(Subject::Names, value.clone(), (text, format!("there is `{meant}`")), None);
    if let Some(new) = quoted(meant) {
        case.mend(&mut found, value, new);
    }
    Some(found)
}
