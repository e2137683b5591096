//! "The last column", and a program of awk that takes another one: `$9` where the lines have eleven.

use super::by_format;
use super::named::{names_said, rewritten};
use super::refs::{self, ColumnRef};
use super::separators;
use super::table::Source;
use super::words::CHANGES;
use crate::here::{Case, Contradiction, Subject};
use crate::quantity::{nth, number};
use crate::tool::is_awk;
use askline_syntax::Span;

/// Words for the end of a row.
const LAST: [&str; 3] = ["last", "final", "rightmost"];
/// Words for a column.
const NOUNS: [&str; 3] = ["column", "field", "col"];
/// Words with which the last column is not the one to take.
const OTHERS: [&str; 28] = [
    "left",
    "until",
    "up",
    "label",
    "except",
    "excluding",
    "but",
    "without",
    "not",
    "remove",
    "drop",
    "delete",
    "omit",
    "skip",
    "before",
    "ignore",
    "ignoring",
    "add",
    "append",
    "insert",
    "new",
    "swap",
    "move",
    "replace",
    "set",
    "put",
    "place",
    "as",
];

/// Returns the calls that take another column than the last.
pub(super) fn find(case: &Case<'_>, sources: &[Source<'_>]) -> Vec<Contradiction> {
    let Some(said) = said(case) else { return Vec::new() };
    let text = case.line.text();
    if text.contains("NF") || text.contains("rev") {
        return Vec::new();
    }
    let mut takers = sources.iter().filter(|source| is_awk(source.call.name));
    match (takers.next(), takers.next()) {
        (Some(source), None) => compare(case, source, said).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns the words of the request for the last column.
fn said(case: &Case<'_>) -> Option<Span> {
    if case.has_word(&OTHERS) {
        return None;
    }
    let lower = |at: usize| case.tokens.get(at).map_or("", |token| token.lower.as_str());
    let at =
        (0..case.tokens.len()).find(|at| LAST.contains(&lower(*at)) && NOUNS.contains(&lower(at + 1)))?;
    // "the second to last column", "next-to-last"
    let is_counted =
        at.checked_sub(1).is_some_and(|before| matches!(lower(before), "to" | "2nd" | "second" | "third"));
    let (first, last) = (case.tokens.get(at)?, case.tokens.get(at + 1)?);
    (!is_counted).then_some(first.span.start..last.span.end)
}

fn compare(case: &Case<'_>, source: &Source<'_>, said: Span) -> Option<Contradiction> {
    let script = source.call.script?.text.as_str();
    if !separators::are_kept(source) || CHANGES.iter().any(|it| script.contains(it)) {
        return None;
    }
    let table = &source.table;
    let taken = refs::of(&source.call, table.width(), case.line)?;
    let is_last = |column: usize| table.rows.iter().any(|row| row.len() == column);
    // What is no number is neither added up nor compared.
    let is_number = |field: &str| field.trim_matches('"').parse::<f64>().is_ok();
    if !table.rows.iter().all(|row| row.last().is_some_and(|field| is_number(field))) {
        return None;
    }
    // Whoever prints columns may well mean others beside the last one.
    let is_amount = |used: &ColumnRef| used.is_summed || used.is_numeric;
    if !taken.iter().any(is_amount) || script.contains("$0") || taken.iter().any(|used| is_last(used.column))
    {
        return None;
    }
    let wrong = wrong(case, source, &taken);
    let spans = |column: usize| -> Option<Vec<Span>> {
        taken.iter().filter(|used| used.column == column).map(|used| used.span.clone()).collect()
    };
    let edit = wrong.and_then(|column| rewritten(case, &spans(column)?, "NF"));
    let quoted = case.request.get(said.clone())?;
    let text = format!("you said \"{quoted}\"; the line does not take the last one of `{}`", source.file);
    let span = edit.as_ref().map_or(source.call.command.span.clone(), |(span, _)| span.clone());
    let mut found = case.contradiction(Subject::Columns, span, (text, String::new()), edit);
    found.mismatch.said = Some(said);
    if let (Some(edit), Some(wrong)) = (&mut found.mismatch.edit, wrong) {
        edit.change = format!("column {wrong} → last column");
    }
    Some(found)
}

/// Returns the only column that can stand for the last one: the others serve other words. Of several, the one that is added up or
/// compared as a number counts.
fn wrong(case: &Case<'_>, source: &Source<'_>, taken: &[ColumnRef]) -> Option<usize> {
    let named = names_said(case, &source.table);
    let is_numbered = |column: usize| {
        let column = u64::try_from(column).ok();
        let number = |text: &str| nth(text).or_else(|| number(text.trim_start_matches('$')));
        case.tokens.iter().any(|token| number(&token.lower) == column)
    };
    let is_other = |used: &ColumnRef| {
        named.iter().any(|it| it.column == used.column)
            || is_numbered(used.column)
            || source.table.format.is_some_and(|format| by_format::is_served(case, format, used))
    };
    let only = |is_one: &dyn Fn(&ColumnRef) -> bool| {
        let mut columns: Vec<usize> =
            taken.iter().filter(|used| !is_other(used) && is_one(used)).map(|used| used.column).collect();
        columns.sort_unstable();
        columns.dedup();
        match columns.as_slice() {
            [column] => Some(*column),
            _ => None,
        }
    };
    only(&|_| true).or_else(|| only(&|used| used.is_summed)).or_else(|| only(&|used| used.is_numeric))
}
