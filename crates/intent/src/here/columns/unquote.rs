//! The edit that puts a reader of quotes before the calls that take fields: it makes the separators outside quotes tabs and leaves the
//! quotes out. Any POSIX awk runs it.

use super::Case;
use super::reader::program;
use super::separators;
use super::table::TAB;
use crate::here::call::Call;
use askline_syntax::{SimpleCommand, Span};

/// What stands between the fields behind a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fields {
    /// Tabs.
    Tabs,
    /// Whatever the call writes.
    Own,
}

/// Returns the edit for a line of one pipeline whose call splits the rows of a file at `separator`. `None` if rows or fields go to a file,
/// or a later command may want the separator or the quotes.
pub(super) fn edit(case: &Case<'_>, call: &Call<'_>, separator: char) -> Option<(Span, String)> {
    let splits = |call: &Call<'_>| {
        let given = separators::form(call.name).and_then(|form| call.value(form.options));
        given.is_some_and(|(_, text)| text.chars().eq([separator]))
    };
    let commands = &case.line.own().commands;
    let is_alone = |command: &SimpleCommand| {
        command.pipeline == call.command.pipeline
            && command.within.is_empty()
            && command.redirections.iter().all(|it| it.operator == "<" || it.descriptor == Some(2))
    };
    if !commands.iter().all(is_alone) || has_substitution(case) {
        return None;
    }
    let first = case.calls.iter().find(|call| splits(call))?;
    let mut edits = begun(case, first, separator)?;
    let mut fields = Fields::Tabs;
    for command in commands.iter().filter(|it| first.command.position <= it.position) {
        let call = case.calls.iter().find(|call| std::ptr::eq(call.command, command))?;
        match fields {
            Fields::Tabs if splits(call) => {
                edits.push(tabs(case, call)?);
                fields = behind(call, separator)?;
            }
            Fields::Tabs if passes(call) => {}
            Fields::Own if !splits(call) => {}
            _ => return None,
        }
    }
    case.joined(edits)
}

/// Reports whether the line has a substitution or a group.
fn has_substitution(case: &Case<'_>) -> bool {
    case.line.parsed().commands.iter().any(|command| !command.within.is_empty())
}

/// Reports whether a command takes whole rows, whatever is between their fields.
fn passes(call: &Call<'_>) -> bool {
    match call.name {
        "sort" => {
            !call.options.iter().any(|it| matches!(it.name.as_ref(), "-k" | "--key" | "-o" | "--output"))
        }
        "uniq" | "shuf" | "tac" | "cat" => call.operands.is_empty(),
        "head" | "tail" => !call.has(&["-c", "--bytes"]),
        "wc" => call.has(&["-l", "--lines"]),
        _ => false,
    }
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

/// Returns what stands between the fields that a call writes; `None` if it may write a file, or its program asks for more than fields.
fn behind(call: &Call<'_>, separator: char) -> Option<Fields> {
    match call.name {
        "sort" => (!call.has(&["-o", "--output"])).then_some(Fields::Tabs),
        "cut" if call.has(&["--output-delimiter"]) => Some(Fields::Own),
        "cut" => {
            let is_one = |list: &str| list.bytes().all(|byte| byte.is_ascii_digit());
            let (_, list) = call.value(&["-f", "--fields"])?;
            Some(if is_one(list) { Fields::Own } else { Fields::Tabs })
        }
        "column" => Some(Fields::Own),
        _ => {
            let sets = call
                .options
                .iter()
                .any(|it| it.name.as_ref() != "-F" && it.name.as_ref() != "--field-separator");
            let program = call.script?.text.as_str();
            (!sets && !asks_for_more(program, separator))
                .then(|| if prints_rows(program) { Fields::Tabs } else { Fields::Own })
        }
    }
}

/// Words of programs of awk that change or count fields and rows, or write files.
const MORE: [&str; 15] = [
    "FS", "NF", "FILENAME", "length", "sub(", "split", "match(", "index(", "$0 ", "> \"", ">\"", "> (", ">>",
    "> $", ">$",
];

/// Reports whether a program of awk does more than take fields: its strings and patterns may have the separator or quotes.
fn asks_for_more(program: &str, separator: char) -> bool {
    let between = |sign: char| program.split(sign).skip(1).step_by(2);
    let is_other = |text: &str| text.contains(separator) || text.contains(['"', '\\', '[', '(', '|']);
    let has_pattern =
        program.contains('~') || program.trim_start().starts_with('/') || program.contains("&& /");
    MORE.iter().any(|word| program.contains(word))
        || prints_separator(program, separator)
        || has_pattern && between('/').any(is_other)
}

/// Reports whether a string of a program has the separator, but for one that fields are compared with.
fn prints_separator(program: &str, separator: char) -> bool {
    let parts: Vec<&str> = program.split('"').collect();
    let mut strings = parts.chunks_exact(2);
    strings.any(|pair| {
        let [before, string] = pair else { return false };
        let is_compared = before.trim_end().ends_with("==") || before.trim_end().ends_with("!=");
        string.contains(separator) && !is_compared
    })
}

/// Reports whether a program of awk prints whole rows: it has no `print`, one without fields, or names `$0`.
fn prints_rows(program: &str) -> bool {
    let ends = |rest: &str| matches!(rest.trim_start().chars().next(), None | Some('}' | ';' | '>' | '|'));
    !program.contains("print")
        || program.contains("$0")
        || program.match_indices("print").any(|(at, word)| program.get(at + word.len()..).is_some_and(ends))
}
