//! Conditions of `awk` on words of lines that are no table, such as those of a log: `$1 == "/login"`, where the path is the seventh
//! word.

use std::sync::LazyLock;

use regex::Regex;

use super::table::Table;
use crate::here::call::Call;
use crate::here::{Case, Contradiction, Subject};
use crate::tool::is_awk;
use askline_syntax::Span;

/// Maximum number of lines that are compared.
const LINES_MAX: usize = 100;
/// Maximum number of words of a line that are compared.
const WORDS_MAX: usize = 40;
/// Maximum number of conditions of a program that are compared.
const CONDITIONS_MAX: usize = 4;
/// Signs of programs that change lines or how they are split.
pub(super) const CHANGES: [&str; 6] = ["FS", "sub(", "split(", "$0 =", "$0=", "getline"];

static CONDITION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\$(?<column>[1-9][0-9]?) ?== ?"(?<value>[^"\\]+)""#).ok());

/// Returns the conditions that no line meets, but would with another word.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let is_awk = |call: &&Call<'_>| is_awk(call.name) && call.options.is_empty();
    case.calls.iter().filter(is_awk).flat_map(|call| of_call(case, call)).collect()
}

fn of_call(case: &Case<'_>, call: &Call<'_>) -> Vec<Contradiction> {
    let read = || {
        let file = call.only_file()?;
        let head = case.here.heads.get(&call.path(file))?;
        let script = call.script.filter(|script| script.quoted)?;
        let raw = case.line.text().get(script.span.clone())?;
        Some((file, head, raw, script.span.start))
    };
    let Some((file, head, raw, start)) = read() else { return Vec::new() };
    // Columns of whole tables are compared with their names, too.
    let is_table = Table::of(file, &head.text, head.is_whole)
        .is_some_and(|table| table.is_whole && table.format.is_none());
    let Some(condition) =
        CONDITION.as_ref().filter(|_| !is_table && !CHANGES.iter().any(|it| raw.contains(it)))
    else {
        return Vec::new();
    };
    let end = if head.is_whole { head.text.len() } else { head.text.rfind('\n').unwrap_or(0) };
    let lines = head.text.get(..end).unwrap_or_default().lines().take(LINES_MAX);
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split_whitespace().take(WORDS_MAX).collect()).collect();
    let found = condition.captures_iter(raw).take(CONDITIONS_MAX).filter_map(|captures| {
        let (column, value) = (captures.name("column")?, captures.name("value")?.as_str());
        let number: usize = column.as_str().parse().ok()?;
        let holder = only_holder(&rows, value).filter(|holder| *holder != number)?;
        let span: Span = start + column.start()..start + column.end();
        let text = format!("no line of `{file}` has `{value}` as word {number}");
        let facts = format!("it is word {holder}");
        let edit = Some((span.clone(), holder.to_string()));
        Some(case.contradiction(Subject::Columns, span, (text, facts), edit))
    });
    found.collect()
}

/// Returns the only place at which lines have this word, from 1.
fn only_holder(rows: &[Vec<&str>], value: &str) -> Option<usize> {
    let mut places = rows
        .iter()
        .flat_map(|row| row.iter().enumerate().filter(|(_, word)| **word == value).map(|(at, _)| at + 1));
    let first = places.next()?;
    places.all(|place| place == first).then_some(first)
}
