//! The columns that awk, cut and sort take, with the place of each number.

use crate::here::call::Call;
use crate::tool::is_awk;
use askline_syntax::options::Value;
use askline_syntax::{ParsedLine, Span, Word};

/// Maximum number of columns in a range.
const RANGE_MAX: usize = 64;

/// A column that a call takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ColumnRef {
    pub(super) column: usize,
    /// The digits in the line; `None` if the number is inside a range.
    pub(super) span: Option<Span>,
    /// `true` if the fields are compared or added as numbers.
    pub(super) is_numeric: bool,
    /// `true` if they are added up.
    pub(super) is_summed: bool,
    /// `true` if they are compared with a variable, which may hold a text: `$4 > from`.
    pub(super) is_open: bool,
    /// The text that the fields are compared with.
    pub(super) value: Option<String>,
    /// The place of that text in the line.
    pub(super) value_span: Option<Span>,
    /// The text or number that the fields are or are not to be.
    pub(super) literal: Option<String>,
}

impl ColumnRef {
    fn plain(column: usize, span: Option<Span>) -> Self {
        Self {
            column,
            span,
            is_numeric: false,
            is_summed: false,
            is_open: false,
            value: None,
            value_span: None,
            literal: None,
        }
    }
}

/// Returns the columns that a call takes from rows of `width` columns; `None` if it can't be read.
pub(super) fn of(call: &Call<'_>, width: usize, line: &ParsedLine) -> Option<Vec<ColumnRef>> {
    match call.name {
        name if is_awk(name) => awk(call.script?, line),
        "cut" => cut(call, width, line),
        "sort" => sort(call, line),
        _ => None,
    }
}

/// Returns the text of an awk program with its place, if it is in single quotes.
pub(in crate::here) fn program<'l>(script: &Word, line: &'l ParsedLine) -> Option<(usize, &'l str)> {
    let raw = line.text().get(script.span.clone())?;
    let inner = raw.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.contains('\'')).then_some((script.span.start + 1, inner))
}

fn awk(script: &Word, line: &ParsedLine) -> Option<Vec<ColumnRef>> {
    let (start, program) = program(script, line)?;
    if program.contains("$NF")
        || program.contains("$(")
        || program.contains("$i")
        || program.contains("split")
    {
        return None;
    }
    let mut uses = Vec::new();
    for (at, _) in program.match_indices('$') {
        let digits: String = program.get(at + 1..)?.chars().take_while(char::is_ascii_digit).collect();
        let Some(column) = digits.parse().ok().filter(|column| 0 < *column) else { continue };
        let end = at + 1 + digits.len();
        let before = program.get(..at)?.trim_end();
        let behind = program.get(end..)?.trim_start();
        let compared = behind.trim_start_matches(['<', '>', '=', '!']).trim_start();
        let compares = behind.starts_with(['<', '>']) || behind.starts_with("==") || behind.starts_with("!=");
        let is_number = compared.starts_with(|c: char| c.is_ascii_digit());
        // `$3 > max`
        let is_ordered = behind.starts_with(['<', '>']) && compared.starts_with(char::is_alphabetic);
        let value = behind.strip_prefix("==").and_then(|text| text.trim_start().strip_prefix('"'));
        let from = value.map(|rest| start + program.len() - rest.len());
        let value = value.and_then(|text| Some(text.split_once('"')?.0.to_owned()));
        uses.push(ColumnRef {
            column,
            span: Some(start + at + 1..start + end),
            is_numeric: before.ends_with("+=") || compares && is_number || is_ordered,
            is_summed: before.ends_with("+=") && !compares,
            is_open: is_ordered,
            literal: literal(behind),
            value_span: from.zip(value.as_ref()).map(|(from, value)| from..from + value.len()),
            value,
        });
    }
    Some(uses)
}

/// Returns the text or number of `== "York"`, `!= 404`.
fn literal(behind: &str) -> Option<String> {
    let value = behind.strip_prefix("==").or_else(|| behind.strip_prefix("!="))?.trim_start();
    match value.strip_prefix('"') {
        Some(text) => Some(text.split_once('"')?.0.to_owned()),
        None => {
            let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
            (!digits.is_empty()).then_some(digits)
        }
    }
}

fn cut(call: &Call<'_>, width: usize, line: &ParsedLine) -> Option<Vec<ColumnRef>> {
    if call.has(&["--complement"]) {
        return None;
    }
    let (value, list) = call.value(&["-f", "--fields"])?;
    let mut at = start_of(value, list, call, line)?;
    let mut uses = Vec::new();
    for item in list.split(',') {
        let span = at..at + item.len();
        at = span.end + 1;
        match item.split_once('-') {
            None => uses.push(ColumnRef::plain(item.parse().ok()?, Some(span))),
            Some((from, to)) => {
                let from: usize = if from.is_empty() { 1 } else { from.parse().ok()? };
                let to = if to.is_empty() { width } else { to.parse().ok()? };
                uses.extend((from..=to).take(RANGE_MAX).map(|column| ColumnRef::plain(column, None)));
            }
        }
    }
    Some(uses)
}

fn sort(call: &Call<'_>, line: &ParsedLine) -> Option<Vec<ColumnRef>> {
    let keys = call.options.iter().filter(|given| matches!(given.name.as_ref(), "-k" | "--key"));
    let is_numeric = call.has(&["-n", "-g", "-h"]);
    let mut uses = Vec::new();
    for value in keys.filter_map(|given| given.value) {
        let key = value.text(&call.command.words);
        if key.contains('.') {
            return None;
        }
        let mut at = start_of(value, key, call, line)?;
        for part in key.split(',') {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            uses.push(ColumnRef {
                is_numeric: is_numeric || key.contains(['n', 'g', 'h']),
                ..ColumnRef::plain(part.get(..digits)?.parse().ok()?, Some(at..at + digits))
            });
            at += part.len() + 1;
        }
    }
    Some(uses)
}

/// Returns the offset of an option's value in the line; `None` if it is in quotes.
fn start_of(value: Value, text: &str, call: &Call<'_>, line: &ParsedLine) -> Option<usize> {
    let word = call.command.words.get(value.word)?;
    let raw = line.text().get(word.span.clone())?;
    raw.ends_with(text).then(|| word.span.end - text.len())
}
