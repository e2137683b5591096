//! A header that is counted, compared or sorted like the rows below it.

use super::refs;
use super::table::{FirstLine, Source};
use crate::here::{Case, Contradiction, Subject};
use crate::phrase::Phrase;
use crate::tool::is_awk;
use askline_syntax::Span;

/// Words for the rows below a header.
const ROWS: [&str; 5] = ["records", "entries", "items", "rows", "record"];
/// Words that leave the header out.
const WITHOUT: &str =
    "without|no|skip|skipping|ignore|ignoring|excluding|exclude|except|minus|omit|not the? its? header*";
/// Words for the least or the largest of numbers.
const EXTREMES: [&str; 12] = [
    "highest", "largest", "biggest", "maximum", "max", "most", "lowest", "smallest", "minimum", "min",
    "least", "cheapest",
];

/// Returns the calls that take the header for a row.
pub(super) fn find(case: &Case<'_>, sources: &[Source<'_>]) -> Vec<Contradiction> {
    let with_header = sources.iter().filter(|it| it.table.header.is_some() && it.first == FirstLine::Top);
    with_header
        .filter_map(|source| {
            averaged(case, source)
                .or_else(|| compared(case, source))
                .or_else(|| sorted_first(case, source))
                .or_else(|| counted(case, source))
                .or_else(|| kept(case, source, sources))
        })
        .take(1)
        .collect()
}

fn contradiction(
    case: &Case<'_>,
    source: &Source<'_>,
    what: &str,
    span: Span,
    edit: Option<(Span, String)>,
) -> Contradiction {
    let text = format!("the first line of `{}` is a header; {what}", source.file);
    case.contradiction(Subject::Columns, span, (text, String::new()), edit)
}

/// Returns the program of awk with its place, if nothing in it counts lines.
fn unguarded<'a>(case: &Case<'a>, source: &Source<'a>) -> Option<(usize, &'a str)> {
    let (at, program) = refs::program(source.call.script.filter(|_| is_awk(source.call.name))?, case.line)?;
    (!program.replace("/NR", "").replace("/ NR", "").contains("NR")).then_some((at, program))
}

/// Compares `sum / NR`: the header counts as a row.
fn averaged(case: &Case<'_>, source: &Source<'_>) -> Option<Contradiction> {
    let (start, program) = unguarded(case, source)?;
    let adds = program.contains("+=");
    let at = program.find("/NR").map(|at| at + 1).or_else(|| program.find("/ NR").map(|at| at + 2))?;
    let span = start + at..start + at + 2;
    adds.then(|| contradiction(case, source, "NR counts it", span.clone(), Some((span, "(NR-1)".to_owned()))))
}

/// Compares the search for the largest of all numbers: a name is larger than each.
fn compared(case: &Case<'_>, source: &Source<'_>) -> Option<Contradiction> {
    let (start, program) = unguarded(case, source)?;
    let compact = program.replace(' ', "");
    let keeps = [">max", "<min", ">m)", "<m)", ">m{", "<m{"].iter().any(|form| compact.contains(form));
    if !keeps || !case.has_word(&EXTREMES) {
        return None;
    }
    let (at, new) = match program.trim_start().starts_with('{') {
        true => (start + program.find('{')?, "NR>1 "),
        false if program.starts_with('$') => (start, "NR>1 && "),
        false => return Some(contradiction(case, source, "this compares it", start..start, None)),
    };
    Some(contradiction(case, source, "this compares it", at..at, Some((at..at, new.to_owned()))))
}

/// Compares `sort -n … | head -n 1`: the header has no number and comes first.
fn sorted_first(case: &Case<'_>, source: &Source<'_>) -> Option<Contradiction> {
    let command = source.call.command;
    let uses =
        refs::of(&source.call, source.table.width(), case.line).filter(|_| source.call.name == "sort")?;
    let is_reversed =
        command.words.iter().skip(1).any(|word| word.text.starts_with('-') && word.text.contains('r'));
    let mut behind = case.line.parsed().commands.iter().filter(|it| it.pipeline == command.pipeline);
    let is_cut = behind.any(|it| command.position < it.position && it.name() == Some("head"));
    if !is_cut || is_reversed || !uses.iter().any(|it| it.is_numeric) {
        return None;
    }
    let edit = without_first(case, source);
    Some(contradiction(case, source, "it comes first", command.span.clone(), edit))
}

/// Compares `wc -l` with rows that are not lines.
fn counted(case: &Case<'_>, source: &Source<'_>) -> Option<Contradiction> {
    let counts = source.call.name == "wc" && source.call.has(&["-l", "--lines"]);
    if !counts || !case.has_word(&ROWS) || case.has_word(&["line", "lines"]) {
        return None;
    }
    Some(contradiction(case, source, "this counts it", source.call.command.span.clone(), None))
}

/// Compares "without the header" with a line that keeps it.
fn kept(case: &Case<'_>, source: &Source<'_>, sources: &[Source<'_>]) -> Option<Contradiction> {
    Phrase::from(WITHOUT.to_owned()).find(&case.tokens, 0)?;
    let takes = is_awk(source.call.name) || matches!(source.call.name, "cut" | "cat" | "sort");
    let text = case.line.text();
    let drops = ["tail", "1d", "NR", "+2", "grep", "FNR", "sed"].iter().any(|mark| text.contains(mark));
    if !takes || drops || sources.iter().any(|other| other.first != FirstLine::Top) {
        return None;
    }
    let edit = match unguarded(case, source) {
        Some((at, program)) if program.starts_with('{') => Some((at..at, "NR>1 ".to_owned())),
        Some((at, program)) if program.starts_with('$') => Some((at..at, "NR>1 && ".to_owned())),
        _ => without_first(case, source),
    };
    Some(contradiction(case, source, "this keeps it", source.call.command.span.clone(), edit))
}

/// Returns the edit that takes the rows from `tail -n +2 FILE` instead of the file.
fn without_first(case: &Case<'_>, source: &Source<'_>) -> Option<(Span, String)> {
    let command = source.call.command;
    let [file] = source.call.operands.as_slice() else { return None };
    let text = case.line.text();
    let raw = text.get(file.span.clone())?;
    let before = text.get(command.span.start..file.span.start)?.trim_end();
    let behind = text.get(file.span.end..command.span.end)?.trim();
    let rest = if behind.is_empty() { before.to_owned() } else { format!("{before} {behind}") };
    let plain = command.redirections.is_empty() && command.position == 0;
    plain.then(|| (command.span.clone(), format!("tail -n +2 {raw} | {rest}")))
}
