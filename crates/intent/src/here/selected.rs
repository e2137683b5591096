//! Which files a line takes: a pattern that leaves out files that nobody excluded, an exception that excepts nothing.

use super::names::NameKind;
use super::path::{quoted, relative, relative_path};
use super::{Case, Contradiction, Subject};
use crate::additions::{may_be_any, says_extension};
use crate::find_expression::{FindExpression, Primary};
use crate::mismatch::{Certainty, Edit};
use askline_syntax::Word;

/// Returns what is wrong with the choice of files.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let finds = case.calls.iter().filter(|call| call.name == "find");
    let excepted = finds.filter_map(|call| {
        let expression = FindExpression::of(call.command)?;
        // What is elsewhere is not known.
        let is_here = call.base.is_empty() && call.operands.iter().all(|word| relative(word) == Some(""));
        let mut tests = expression.primaries.iter().filter(|it| it.negated && it.name == "-name");
        is_here.then(|| tests.find_map(|test| excepts_nothing(case, test))).flatten()
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

/// Finds `! -name contract` where only `contract.pdf` is here. An exception that takes more in destroys no more, so the edit stands in
/// lines that delete or move, too.
fn excepts_nothing(case: &Case<'_>, test: &Primary<'_>) -> Option<Contradiction> {
    let name = test.literal()?;
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
    let value = test.value?.span.clone();
    let text = format!("nothing here is named `{name}`, so it excepts nothing");
    let mut found =
        case.contradiction(Subject::Names, value.clone(), (text, format!("there is `{meant}`")), None);
    if let Some(new) = quoted(meant) {
        found.mismatch.certainty = Certainty::Sure;
        found.mismatch.edit = Some(Edit::replace(case.line.text(), value, new));
    }
    Some(found)
}
