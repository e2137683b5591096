//! A separator of fields that the file does not have.

use super::refs;
use super::table::{BLANKS, Source, TAB};
use crate::here::call::Call;
use crate::here::{Case, Contradiction, Subject};
use crate::tool::is_awk;
use askline_syntax::Span;
use askline_syntax::options::Value;

/// How a tool takes the separator of fields.
pub(super) struct Form {
    pub(super) options: &'static [&'static str],
    /// Option with the separator behind it.
    letter: &'static str,
    /// The separator without that option.
    default: char,
}

/// Returns each separator that the rows of the file do not have.
pub(super) fn find(case: &Case<'_>, sources: &[Source<'_>]) -> Vec<Contradiction> {
    sources.iter().filter_map(|source| compare(case, source)).collect()
}

/// Returns how a tool takes the separator of fields.
pub(super) fn form(name: &str) -> Option<Form> {
    let form = |options, letter, default| Some(Form { options, letter, default });
    match name {
        name if is_awk(name) => form(&["-F", "--field-separator"], "-F", BLANKS),
        "cut" => form(&["-d", "--delimiter"], "-d", TAB),
        "sort" => form(&["-t", "--field-separator"], "-t", BLANKS),
        "column" => form(&["-s", "--separator"], "-s", BLANKS),
        _ => None,
    }
}

fn compare(case: &Case<'_>, source: &Source<'_>) -> Option<Contradiction> {
    let form = form(source.call.name)?;
    let table = &source.table;
    let sets_pattern = || {
        let written = case.line.text().get(source.call.command.span.clone());
        written.is_some_and(|written| written.contains("FPAT"))
    };
    let is_csv = is_awk(source.call.name) && (source.call.has(&["--csv", "-k"]) || sets_pattern());
    if table.separator == BLANKS || is_csv || !takes_fields(case, source) {
        return None;
    }
    let given = source.call.value(form.options);
    let used = match given {
        None => form.default,
        Some((_, "\\t")) => TAB,
        Some((_, text)) => {
            let mut chars = text.chars();
            chars.next().filter(|_| chars.next().is_none())?
        }
    };
    let is_there = match used {
        used if used == table.separator => true,
        BLANKS if given.is_none() => has_words(case, source) || table.separator == TAB,
        used => table.text.contains(used),
    };
    if is_there {
        return None;
    }
    let name = |separator: char| match separator {
        BLANKS => "blanks".to_owned(),
        TAB => "tabs".to_owned(),
        other => format!("`{other}`"),
    };
    let text = format!("the fields of `{}` are not separated by {}", source.file, name(used));
    let facts = format!("they are by {}", name(table.separator));
    let command = &source.call.command;
    let edit = match given {
        Some((value, _)) => replaced(case, &source.call, &form, value, table.separator),
        None => {
            let at = command.words.first()?.span.end;
            let new = format!(" {}{}", form.letter, written(case, &source.call, table.separator)?);
            Some((at..at, new))
        }
    };
    let span = edit.as_ref().map_or(command.span.clone(), |(span, _)| span.clone());
    Some(case.contradiction(Subject::Columns, span, (text, facts), edit))
}

/// Reports whether a call splits the rows where the table has its separator.
pub(super) fn are_kept(source: &Source<'_>) -> bool {
    let Some(form) = form(source.call.name) else { return false };
    let expected = source.table.separator;
    match source.call.value(form.options) {
        None => form.default == expected,
        Some((_, "\\t")) => expected == TAB,
        Some((_, text)) => text.chars().eq([expected]),
    }
}

/// Reports whether a call splits the rows at a sign in their fields, so its columns are others.
pub(super) fn are_others(source: &Source<'_>) -> bool {
    let given = form(source.call.name).and_then(|form| source.call.value(form.options));
    // A regular expression may take quotes for separators.
    let is_regex = |(_, text): (_, &str)| 1 < text.chars().count() && text != "\\t";
    if given.is_some_and(is_regex) && source.table.text.contains('"') {
        return true;
    }
    let is_there = |text: &str| match text {
        "\\t" => source.table.text.contains(TAB),
        text => !text.is_empty() && source.table.text.contains(text),
    };
    given.is_some_and(|(_, text)| is_there(text)) && !are_kept(source)
}

/// Reports whether the rows have as many words as the call takes columns.
fn has_words(case: &Case<'_>, source: &Source<'_>) -> bool {
    let words = source.table.text.lines().next().map_or(0, |row| row.split_whitespace().count());
    let uses = refs::of(&source.call, source.table.width(), case.line).unwrap_or_default();
    source.table.has_words && uses.iter().all(|it| it.column <= words)
}

/// Reports whether a call takes fields apart.
fn takes_fields(case: &Case<'_>, source: &Source<'_>) -> bool {
    if source.call.name == "column" {
        return source.call.has(&["-t", "--table"]);
    }
    // In awk the program may set the separator; the first key of sort begins with the line.
    let sets =
        source.call.script.is_some_and(|script| script.text.contains("FS") || script.text.contains("split"));
    let is_sort = source.call.name == "sort";
    let uses = refs::of(&source.call, source.table.width(), case.line).unwrap_or_default();
    !sets && uses.iter().any(|it| !is_sort || 1 < it.column)
}

/// Returns the edit that puts a separator in the place of the given one.
pub(super) fn replaced(
    case: &Case<'_>,
    call: &Call<'_>,
    form: &Form,
    value: Value,
    separator: char,
) -> Option<(Span, String)> {
    let written = written(case, call, separator)?;
    let word = call.command.words.get(value.word)?;
    let option = word.text.get(..value.from)?;
    match option {
        "" => Some((word.span.clone(), written)),
        option if option == form.letter || option.ends_with('=') => {
            Some((word.span.clone(), format!("{option}{written}")))
        }
        _ => None,
    }
}

/// Returns a separator as it is written on the line.
fn written(case: &Case<'_>, call: &Call<'_>, separator: char) -> Option<String> {
    match separator {
        ',' | ':' => Some(separator.to_string()),
        TAB if is_awk(call.name) => Some("'\\t'".to_owned()),
        TAB if case.line.shell().is_fish() => Some("\\t".to_owned()),
        TAB => Some("$'\\t'".to_owned()),
        ';' | '|' => Some(format!("'{separator}'")),
        _ => None,
    }
}
