//! The edit that puts a reader of quotes before the calls that take fields: it makes the separators outside quotes tabs and leaves the
//! quotes out. Any POSIX awk runs it.

use super::Case;
use super::separators::{self, TAB};
use super::table::SEPARATORS;
use crate::here::call::Call;
use crate::tool::is_awk;
use askline_syntax::Span;

/// What stands between the fields behind a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fields {
    /// Tabs.
    Tabs,
    /// Whatever the call writes.
    Own,
}

/// The program of the reader, with the separator as a pattern.
fn program(separator: char) -> String {
    // A string is a pattern, in which `|` has a meaning of its own.
    let pattern = if separator == '|' { "[|]".to_owned() } else { separator.to_string() };
    format!(r#"{{for(i=1;i<=NF;i+=2)gsub("{pattern}","\t",$i)}}1"#)
}

/// Reports whether a call is the reader: what it prints is the table with tabs between the fields, without quotes.
pub(super) fn is_reader(call: &Call<'_>) -> bool {
    let script = call.script.map_or("", |script| script.text.as_str());
    is_awk(call.name) && SEPARATORS.iter().any(|separator| program(*separator) == script)
}

/// Returns the edit for the pipeline of a call that splits the rows of a file at `separator`. `None` if the rows would go to a file or to
/// a command that may want the separator.
pub(super) fn edit(case: &Case<'_>, call: &Call<'_>, separator: char) -> Option<(Span, String)> {
    let splits = |call: &Call<'_>| {
        let given = separators::form(call.name).and_then(|form| call.value(form.options));
        given.is_some_and(|(_, text)| text.chars().eq([separator]))
    };
    let in_pipeline = |other: &&Call<'_>| {
        other.command.pipeline == call.command.pipeline && other.command.within == call.command.within
    };
    let first = case.calls.iter().filter(in_pipeline).find(|call| splits(call))?;
    let mut edits = begun(case, first, separator)?;
    let mut fields = Fields::Tabs;
    let commands = case.line.own().commands.iter();
    let later = commands.filter(|it| {
        it.pipeline == first.command.pipeline
            && it.within == first.command.within
            && first.command.position <= it.position
    });
    let mut writes_file = false;
    for command in later {
        writes_file |= command.redirections.iter().any(|it| {
            it.operator.contains('>') && it.target.as_ref().is_some_and(|target| target.text != "/dev/null")
        });
        let call = case.calls.iter().find(|call| std::ptr::eq(call.command, command));
        let splits = call.is_some_and(splits);
        match (fields, call) {
            (Fields::Tabs, Some(call)) if splits => {
                edits.push(tabs(case, call)?);
                fields = behind(call)?;
            }
            (Fields::Tabs, Some(call)) => {
                let keeps = call.tool.rows || call.name == "wc";
                if !keeps || separators::form(call.name).is_some_and(|form| call.has(form.options)) {
                    return None;
                }
            }
            (Fields::Tabs, None) => return None,
            (Fields::Own, _) if splits => return None,
            (Fields::Own, _) => {}
        }
    }
    if writes_file && fields == Fields::Tabs {
        return None;
    }
    case.joined(edits)
}

/// Returns the edits that begin the pipeline with the reader, or put it before a call that reads from a pipe.
fn begun(case: &Case<'_>, call: &Call<'_>, separator: char) -> Option<Vec<(Span, String)>> {
    let reader = format!(r#"awk -F'"' -v OFS= '{}'"#, program(separator));
    let start = call.command.span.start;
    let text = case.line.text();
    let Some(word) = call.only_word() else { return Some(vec![(start..start, format!("{reader} | "))]) };
    let by_redirection = call.command.redirections.iter().find(|it| it.target.as_ref() == Some(word));
    let span = by_redirection.map_or(word.span.clone(), |it| it.span.clone());
    let file = text.get(span.clone())?;
    let from = text.get(..span.start)?.trim_end().len();
    Some(vec![(start..start, format!("{reader} {file} | ")), (from..span.end, String::new())])
}

/// Returns the edit that makes a call split at tabs.
fn tabs(case: &Case<'_>, call: &Call<'_>) -> Option<(Span, String)> {
    let form = separators::form(call.name)?;
    let (value, _) = call.value(form.options)?;
    if call.name != "cut" {
        return separators::replaced(case, call, &form, value, TAB);
    }
    // A tab is what cut takes without the option.
    let word = call.command.words.get(value.word)?;
    let first = match word.text.get(..value.from)? {
        "" => call.command.words.get(value.word.checked_sub(1)?)?,
        "-d" | "--delimiter=" => word,
        _ => return None,
    };
    let from = case.line.text().get(..first.span.start)?.trim_end().len();
    Some((from..word.span.end, String::new()))
}

/// Returns what stands between the fields that a call writes; `None` if that may be both.
fn behind(call: &Call<'_>) -> Option<Fields> {
    match call.name {
        "sort" => Some(Fields::Tabs),
        "cut" if call.has(&["--output-delimiter"]) => Some(Fields::Own),
        "cut" => {
            let is_one = |list: &str| list.bytes().all(|byte| byte.is_ascii_digit());
            let (_, list) = call.value(&["-f", "--fields"])?;
            Some(if is_one(list) { Fields::Own } else { Fields::Tabs })
        }
        "column" => Some(Fields::Own),
        _ => {
            let program = call.script?.text.as_str();
            if program.contains("FILENAME") {
                return None;
            }
            Some(if prints_rows(program) { Fields::Tabs } else { Fields::Own })
        }
    }
}

/// Reports whether a program of awk prints whole rows: it has no `print`, one without fields, or names `$0`.
fn prints_rows(program: &str) -> bool {
    let ends = |rest: &str| matches!(rest.trim_start().chars().next(), None | Some('}' | ';' | '>' | '|'));
    !program.contains("print")
        || program.contains("$0")
        || program.match_indices("print").any(|(at, word)| program.get(at + word.len()..).is_some_and(ends))
}
