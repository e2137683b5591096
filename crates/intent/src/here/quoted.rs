//! Separators inside quoted fields, which awk, cut and sort take for separators, too (RFC 4180, 2.6; POSIX.1-2024, awk, cut).

use super::call::Call;
use super::{Case, Contradiction, Subject, separators, table, uses};

/// Maximum number of rows that are read.
const ROWS_MAX: usize = 200;
/// Ways of gawk to read quoted fields.
const QUOTE_AWARE: [&str; 2] = ["--csv", "FPAT"];

/// Returns each call that takes a column behind a quoted separator, or the field that has it.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    case.calls.iter().filter_map(|call| compare(case, call)).collect()
}

fn compare(case: &Case<'_>, call: &Call<'_>) -> Option<Contradiction> {
    let (file, _) = table::file_of(case, call, table::PIPES_MAX)?;
    let head = case.here.heads.get(&call.path(file))?;
    let (_, given) = call.value(separators::form(call.name)?.options)?;
    let separator = given.chars().next().filter(|it| given.len() == 1 && matches!(it, ',' | ';' | '|'))?;
    let written = case.line.text().get(call.command.span.clone())?;
    if !head.text.contains('"') || QUOTE_AWARE.iter().any(|way| written.contains(way)) {
        return None;
    }
    let rows: Vec<Vec<&str>> =
        head.text.lines().take(ROWS_MAX).filter_map(|row| fields(row, separator)).collect();
    let width = rows.first().map_or(0, Vec::len);
    let open =
        call.value(&["-f", "--fields"]).filter(|_| call.name == "cut" && !call.has(&["--output-delimiter"]));
    let open = open.and_then(|(_, value)| open_from(value)).map(|first| first - 1);
    let last = match open {
        Some(last) => last,
        None => uses::of(call, width, case.line)?.iter().map(|it| it.column).max()?,
    };
    let is_split = |field: &&&str| field.starts_with('"') && field.contains(separator);
    let is_met = rows
        .iter()
        .filter(|row| row.len() == width && 1 < width)
        .any(|row| row.iter().take(last).any(|field| is_split(&field)));
    if !is_met {
        return None;
    }
    let text = format!("`{}` counts a `{separator}` inside quotes in `{file}` as a separator", call.name);
    let facts = "`mlr --csv` and `csvcut` read quotes".to_owned();
    Some(case.contradiction(Subject::Absence, call.command.span.clone(), (text, facts), None))
}

/// Returns the first column of an open range, which prints the rest of the line as it is, with those that stand directly before it in the
/// same list: 2 of `3-,2`. `None` if the list has none.
fn open_from(list: &str) -> Option<usize> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|column| 0 < *column);
    let mut first = list.split(',').filter_map(|item| number(item.strip_suffix('-')?)).min()?;
    let closed: Vec<(usize, usize)> = list
        .split(',')
        .filter_map(|item| match item.split_once('-') {
            Some((_, "")) => None,
            Some((start, end)) => Some((if start.is_empty() { 1 } else { number(start)? }, number(end)?)),
            None => Some((number(item)?, number(item)?)),
        })
        .collect();
    while let Some((start, _)) =
        closed.iter().find(|(start, end)| *start < first && first <= end.saturating_add(1))
    {
        first = *start;
    }
    Some(first)
}

/// Returns the fields of a row, with their quotes; `None` if a quote is not closed.
fn fields(row: &str, separator: char) -> Option<Vec<&str>> {
    let (mut fields, mut start, mut is_quoted) = (Vec::new(), 0, false);
    for (at, c) in row.char_indices() {
        if c == '"' {
            is_quoted = !is_quoted;
        } else if c == separator && !is_quoted {
            fields.push(row.get(start..at)?);
            start = at + separator.len_utf8();
        }
    }
    fields.push(row.get(start..)?);
    (!is_quoted).then_some(fields)
}
