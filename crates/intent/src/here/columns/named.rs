//! The column that the request names, and the number that the line takes.

use super::by_format;
use super::formats::Meant;
use super::refs::{self, ColumnRef};
use super::separators;
use super::table::{BLANKS, FirstLine, Source, Table, takes_columns};
use crate::here::path::shown;
use crate::here::{Case, Contradiction, Subject};
use crate::request::Token;
use crate::request::is_same_noun;
use askline_syntax::Span;

/// Words that are more often about the answer than the name of a column.
const ABOUT_ANSWERS: [&str; 14] = [
    "count", "total", "number", "line", "row", "column", "field", "file", "order", "list", "first", "last",
    "sum", "value",
];
/// Words for a column by its place.
pub(super) const BY_PLACE: [&str; 6] = ["column", "columns", "field", "fields", "col", "cols"];

/// A column that the request names.
pub(super) struct Named {
    pub(super) column: usize,
    pub(super) said: Span,
    /// The name of the column.
    pub(super) name: String,
}

/// A column of a call that reads a file.
pub(super) struct Taken {
    source: usize,
    pub(super) used: ColumnRef,
}

/// Returns the columns that are not the named ones.
pub(super) fn find(case: &Case<'_>, sources: &[Source<'_>]) -> Vec<Contradiction> {
    let mut found: Vec<Contradiction> = Vec::new();
    let mut files: Vec<&str> = sources.iter().map(|source| source.file).collect();
    files.dedup();
    for file in files {
        let taken = taken(case, sources, file);
        let Some(source) = sources.iter().find(|source| source.file == file) else { continue };
        let by_value = by_value(case, &source.table, &taken, file);
        if by_value.is_empty() {
            let by_name = by_name(case, sources, (&source.table, &taken), file);
            // A sum of words is surely wrong; which of two columns has the wrong name is not. Where both edits are the same, the
            // name says more.
            let edit = |it: &Contradiction| it.mismatch.edit.clone();
            let mended = by_name.as_ref().and_then(edit);
            let by_type = by_type(case, &source.table, &taken, file);
            let by_type = by_type.filter(|it| mended.is_none() || edit(it).is_some() && edit(it) != mended);
            found.extend(by_type.or(by_name));
        }
        found.extend(by_value);
    }
    found.extend(sources.iter().filter_map(|source| numeric_sort(case, source)));
    found
}

/// Returns the columns that all calls take of a file; none if one of them can't be read.
fn taken(case: &Case<'_>, sources: &[Source<'_>], file: &str) -> Vec<Taken> {
    let of_file = sources.iter().enumerate().filter(|(_, source)| source.file == file);
    let takers = of_file.filter(|(_, source)| takes_columns(source));
    let mut all = Vec::new();
    for (index, source) in takers {
        if separators::are_others(source) || source.table.format.is_some() && !by_format::is_read(source) {
            return Vec::new();
        }
        match refs::of(&source.call, source.table.width(), case.line) {
            Some(uses) => all.extend(uses.into_iter().map(|used| Taken { source: index, used })),
            None => return Vec::new(),
        }
    }
    all
}

/// Compares `$3 == "York"` with the columns that have this text.
fn by_value(case: &Case<'_>, table: &Table<'_>, taken: &[Taken], file: &str) -> Vec<Contradiction> {
    let mut found = Vec::new();
    // The words of a log are compared one by one.
    let is_compared = table.is_whole && (table.format.is_none() || table.separator != BLANKS);
    for it in taken.iter().filter(|_| is_compared) {
        let (Some(value), Some(span)) = (&it.used.value, &it.used.span) else { continue };
        let has = |column: usize| table.column(column).any(|field| field.trim() == value);
        let holders: Vec<usize> = (1..=table.width()).filter(|column| has(*column)).collect();
        if holders.is_empty() {
            found.extend(no_such_value(case, table, &it.used, file));
        }
        let [holder] = holders.as_slice() else { continue };
        if *holder != it.used.column {
            let text = format!("column {} of `{file}` has no `{value}`", it.used.column);
            let facts = format!("column {holder} has");
            let edit = Some((span.clone(), holder.to_string()));
            let contradiction = case.contradiction(Subject::Columns, span.clone(), (text, facts), edit);
            found.push(renamed(contradiction, it.used.column, *holder));
        }
    }
    found
}

/// Compares `$3 == "Lee"` with a column whose fields all are something else. Only a name with its first name behind a comma, such as
/// `Lee, Ann`, takes its place: other words could make the opposite of it.
fn no_such_value(case: &Case<'_>, table: &Table<'_>, used: &ColumnRef, file: &str) -> Option<Contradiction> {
    let (value, span) = (used.value.as_ref()?, used.value_span.clone()?);
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphabetic() || "-' .".contains(c));
    let has_name = |field: &&str| {
        field.split_once(", ").is_some_and(|(last, first)| {
            is_name(last) && is_name(first) && [last, first].contains(&value.as_str())
        })
    };
    let mut near: Vec<&str> = table.column(used.column).map(str::trim).filter(has_name).collect();
    near.sort_unstable();
    near.dedup();
    let text = format!("no field in column {} of `{file}` is `{value}`", used.column);
    let (facts, edit) = match near.as_slice() {
        [one] if !one.contains('\'') => {
            (format!("there is `{one}`"), Some((span.clone(), (*one).to_owned())))
        }
        _ => (String::new(), None),
    };
    // Where the request has the text, there may well be none.
    let is_said = near.is_empty() && case.request.to_lowercase().contains(&value.to_lowercase());
    let subject = if is_said { Subject::Absence } else { Subject::Columns };
    Some(case.contradiction(subject, span, (text, facts), edit))
}

/// Compares `s += $3` with a column that has words alone.
fn by_type(case: &Case<'_>, table: &Table<'_>, taken: &[Taken], file: &str) -> Option<Contradiction> {
    if case.has_word(&BY_PLACE) {
        return None;
    }
    let it = taken.iter().find(|it| is_no_amount(table, &it.used))?;
    let named = names_said(case, table);
    let is_taken = |column: usize| taken.iter().any(|it| it.used.column == column);
    // Of two such columns of a log either may be the named one.
    let is_other = |other: &Taken| other.used.column != it.used.column && is_no_amount(table, &other.used);
    let is_only = table.format.is_none() || !taken.iter().any(is_other);
    let fits = |it: &&Named| table.is_numeric(it.column) && !is_taken(it.column);
    let fitting: Vec<&Named> = named.iter().filter(fits).collect();
    let (facts, edit) = match fitting.as_slice() {
        [one] if is_only => {
            (format!("column {} has", one.column), renumbered(case, table, taken, it.used.column, one.column))
        }
        _ => (String::new(), None),
    };
    let column = it.used.column;
    let text = match table.format.is_some_and(|format| format.is_code(column)) {
        true => format!("the numbers in column {column} of `{file}` are no amounts"),
        false => format!("column {column} of `{file}` has no numbers"),
    };
    let span = it.used.span.clone().unwrap_or(0..case.line.text().len());
    let found = case.contradiction(Subject::Columns, span, (text, facts), edit);
    Some(fitting.first().map_or(found.clone(), |one| renamed(found, it.used.column, one.column)))
}

/// Reports whether a column is compared or added up as numbers and has none that mean an amount.
fn is_no_amount(table: &Table<'_>, used: &ColumnRef) -> bool {
    match table.format {
        Some(format) if used.is_summed && format.is_code(used.column) => true,
        Some(_) => used.is_numeric && !used.is_open && table.lacks_numbers(used.column),
        None => used.is_numeric && table.has_words_alone(used.column),
    }
}

/// Compares the columns that the request names with those that the line takes.
fn by_name(
    case: &Case<'_>,
    sources: &[Source<'_>],
    (table, taken): (&Table<'_>, &[Taken]),
    file: &str,
) -> Option<Contradiction> {
    if taken.is_empty() || case.has_word(&BY_PLACE) {
        return None;
    }
    let mut named = names_said(case, table);
    if let Some(format) = table.format {
        if !by_format::is_plain(case, sources, file) || !taken.iter().all(|it| format.knows(it.used.column)) {
            return None;
        }
        // A noun may mean the rows, or what another column stands for: only amounts are held against each other.
        named.retain(|it| table.is_numeric(it.column));
    }
    let is_amount = |it: &Taken| {
        let is_compared = it.used.is_numeric && !is_compared_with_status(case.line.text(), it.used.column);
        table.format.is_none() || it.used.is_summed || is_compared
    };
    let is_confirmed = |it: &Taken| {
        let has = |value: &String| table.column(it.used.column).any(|field| field.trim() == value);
        it.used.value.as_ref().is_some_and(has)
            || table.format.is_some_and(|format| by_format::is_served(case, format, &it.used))
    };
    let is_named = |column: usize| named.iter().any(|it| it.column == column);
    let mut wrong: Vec<usize> = Vec::new();
    for it in taken.iter().filter(|it| !is_named(it.used.column) && !is_confirmed(it) && is_amount(it)) {
        if !wrong.contains(&it.used.column) {
            wrong.push(it.used.column);
        }
    }
    let left: Vec<&Named> =
        named.iter().filter(|it| !taken.iter().any(|taken| taken.used.column == it.column)).collect();
    let (Some(first), false) = (left.first(), wrong.is_empty()) else { return None };
    let quoted = case.request.get(first.said.clone())?;
    let facts = format!("`{}` is column {} of {file}", shown(&first.name), first.column);
    let text = format!("you said \"{quoted}\"; the line takes another column");
    let edit = match (left.as_slice(), wrong.as_slice()) {
        ([named], [wrong]) => renumbered(case, table, taken, *wrong, named.column),
        _ => None,
    };
    let span = edit.as_ref().map_or(0..case.line.text().len(), |(span, _)| span.clone());
    let mut found = case.contradiction(Subject::Columns, span, (text, facts), edit);
    found.mismatch.said = Some(first.said.clone());
    Some(wrong.first().map_or(found.clone(), |wrong| renamed(found, *wrong, first.column)))
}

/// Reports whether a program compares a column with a number that may be the status of an answer.
fn is_compared_with_status(line: &str, column: usize) -> bool {
    let field = format!("${column}");
    let places = line.match_indices(&field).map(|(at, text)| at + text.len());
    places.filter_map(|end| line.get(end..)).any(|rest| {
        let value = rest.trim_start_matches([' ', '<', '>', '=', '!']);
        let digits = value.chars().take_while(char::is_ascii_digit).count();
        value.len() < rest.len() && digits == 3 && value.starts_with(['1', '2', '3', '4', '5'])
    })
}

/// Returns a contradiction whose edit is told as a change of the column.
pub(super) fn renamed(mut contradiction: Contradiction, wrong: usize, right: usize) -> Contradiction {
    if let Some(edit) = &mut contradiction.mismatch.edit {
        edit.change = format!("column {wrong} → column {right}");
    }
    contradiction
}

/// Returns the columns that the request names, by the header or the format of the file.
pub(super) fn names_said(case: &Case<'_>, table: &Table<'_>) -> Vec<Named> {
    if let Some(header) = &table.header {
        return named(&case.tokens, header);
    }
    let meant = table.format.map(|format| format.meant(&case.tokens)).unwrap_or_default();
    let named = |it: Meant| Named { column: it.number, said: it.said, name: it.name.to_owned() };
    meant.into_iter().map(named).collect()
}

/// Returns the columns of a header that the request names.
fn named(tokens: &[Token], header: &[String]) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for (index, name) in header.iter().enumerate() {
        let parts: Vec<&str> = name.split(['_', ' ', '-']).filter(|part| !part.is_empty()).collect();
        let is_single = parts.len() == 1;
        if parts.is_empty() || is_single && (ABOUT_ANSWERS.contains(&name.as_str()) || name.len() < 2) {
            continue;
        }
        let place = tokens.windows(parts.len()).find(|tokens| {
            let mut pairs = tokens.iter().zip(&parts);
            pairs.all(|(token, part)| !token.quoted && is_same_noun(&token.lower, part))
        });
        if let Some([first, .., last] | [first @ last]) = place {
            named.push(Named {
                column: index + 1,
                said: first.span.start..last.span.end,
                name: name.clone(),
            });
        }
    }
    named
}

/// Returns the edit that replaces a column's number wherever the line takes it; `None` if the new one does not fit.
fn renumbered(
    case: &Case<'_>,
    table: &Table<'_>,
    taken: &[Taken],
    wrong: usize,
    right: usize,
) -> Option<(Span, String)> {
    let places: Vec<&Taken> = taken.iter().filter(|it| it.used.column == wrong).collect();
    let is_numeric = table.is_numeric(right) || table.is_size(right);
    let fits = places.iter().all(|it| it.used.value.is_none() && (!it.used.is_numeric || is_numeric));
    // The columns behind another `cut` or `awk` have other numbers; only one call may take the wrong one.
    let is_one_call = places.iter().all(|it| Some(it.source) == places.first().map(|first| first.source));
    let spans: Option<Vec<Span>> = places.iter().map(|it| it.used.span.clone()).collect();
    let (spans, true) = (spans?, fits && is_one_call) else { return None };
    rewritten(case, &spans, &right.to_string())
}

/// Returns the edit that writes a text in several places.
pub(super) fn rewritten(case: &Case<'_>, spans: &[Span], text: &str) -> Option<(Span, String)> {
    case.joined(spans.iter().map(|span| (span.clone(), text.to_owned())).collect())
}

/// Compares a numeric sort by a column without numbers with the only column that has some.
fn numeric_sort(case: &Case<'_>, source: &Source<'_>) -> Option<Contradiction> {
    let table = &source.table;
    // Lines of a known format may be sorted by any of their columns.
    let is_first = table.format.is_none()
        && source.call.name == "sort"
        && source.call.options.iter().all(|given| !is_key(&given.name));
    let is_numeric = source.call.has(&["-n", "-h", "-g"]);
    if !is_first || !is_numeric || source.first == FirstLine::Gone && table.header.is_some() {
        return None;
    }
    let others: Vec<usize> =
        (1..=table.width()).filter(|column| table.is_numeric(*column) || table.is_size(*column)).collect();
    let [column] = others.as_slice() else { return None };
    if !table.has_words_alone(1) {
        return None;
    }
    let letter =
        source.call.options.iter().find(|given| matches!(given.name.as_ref(), "-n" | "-h" | "-g"))?;
    let word = source.call.command.words.get(letter.word)?;
    let letters = word.text.strip_prefix('-').filter(|letters| letters.chars().all(|c| "nhgr".contains(c)));
    let kind = if table.is_numeric(*column) { "n" } else { "h" };
    let reverse = if letters.is_some_and(|letters| letters.contains('r')) { "r" } else { "" };
    let separated = table.separator == BLANKS;
    let edit = letters
        .filter(|_| separated)
        .map(|_| (word.span.clone(), format!("-k{column},{column}{kind}{reverse}")));
    let text = format!("the lines of `{}` do not begin with a number", source.file);
    let facts = format!("column {column} has numbers");
    Some(case.contradiction(Subject::Columns, word.span.clone(), (text, facts), edit))
}

fn is_key(name: &str) -> bool {
    matches!(name, "-k" | "--key")
}
