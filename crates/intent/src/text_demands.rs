//! Conditions on the lines of a text: empty ones, the first or last word of the whole text.

use crate::find_expression::{FindExpression, Node};
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::phrase::Phrase;
use crate::request::Token;
use crate::tool::is_awk;
use askline_syntax::{ParsedLine, Redirection, SimpleCommand, Span};

/// Marks of a line that leaves empty things out or finds them.
const EMPTY_MARKS: [&str; 26] = [
    "diff -B", "-empty", "|$", "nl ", "-size", "NF", "^$", "^\\s", "^[[:", "-s ", "/./", "/\\S/", "[^",
    " -b", "grep .", "-c .", "'.'", "\".\"", "\\S", "-n \"", "'length", "{1,", "!= \"\"", "s/^./",
    "diff -iB", "diff -wB",
];

/// Returns the mismatches of one line with the request.
pub(crate) fn compare(
    request: &str,
    tokens: &[Token],
    line: &ParsedLine,
    finds: &[FindExpression<'_>],
) -> Vec<Mismatch> {
    let said = |phrases: &[&str]| {
        let found = phrases.iter().find_map(|phrase| Phrase::from((*phrase).to_owned()).find(tokens, 0))?;
        Some(tokens.get(found.first)?.span.start..tokens.get(found.end.checked_sub(1)?)?.span.end)
    };
    let text = |said: &Span, why: &str| {
        format!("you said \"{}\"; {why}", request.get(said.clone()).unwrap_or_default())
    };
    let without_empty = said(&[
        "ignoring|ignore|excluding|exclude|skipping|skip|without|except|not .. the? empty|blank files|lines|ones",
        "non-empty|nonempty|non-blank files|lines",
    ]);
    let mut found = Vec::new();
    if let Some(said) = without_empty.filter(|_| {
        said(&["but not blank|empty lines"]).is_none()
            && !EMPTY_MARKS.iter().any(|mark| line.text().contains(mark))
    }) {
        let is_blank = request.get(said.clone()).is_some_and(|said| said.contains("blank"))
            || request.contains("spaces");
        let edit = match finds {
            [find] => not_empty(find),
            _ => count_of_lines(line).map(|(span, file)| {
                (span, format!("grep -c {} {file}", if is_blank { "'[^[:space:]]'" } else { "." }))
            }),
        };
        let span = edit.as_ref().map_or(0..line.text().len(), |(span, _)| span.clone());
        found.push(Mismatch {
            span,
            text: text(&said, "nothing here leaves empty ones out"),
            said: Some(said),
            certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
            edit: edit.map(|(span, new)| Edit::replace(line.text(), span, new)),
        });
    }
    let last = said(&["the? last|final word in|of", "the? last|final word"]);
    let is_each = said(&["each|every|per line|row", "lines", "rows"]).is_some();
    if let Some(said) = last.filter(|_| !is_each)
        && let Some(at) = prints_each_last_word(line)
    {
        found.push(Mismatch {
            span: at..at,
            text: text(&said, "this prints the last word of every line"),
            said: Some(said),
            certainty: Certainty::Sure,
            edit: Some(Edit::replace(line.text(), at..at, "END ".to_owned())),
        });
    }
    found
}

/// Returns the place and text that keep empty files out of a search.
fn not_empty(find: &FindExpression<'_>) -> Option<(Span, String)> {
    if matches!(find.tree, Some(Node::Any(_))) {
        return None;
    }
    let end = find.primaries.last().map_or(find.options_at, |it| it.span.end);
    Some(match find.action() {
        Some(action) => (action.span.start..action.span.start, "! -empty ".to_owned()),
        None => (end..end, " ! -empty".to_owned()),
    })
}

/// Returns the bytes of `wc -l FILE` or `wc -l < FILE` and the file as typed.
fn count_of_lines(line: &ParsedLine) -> Option<(Span, String)> {
    let [command] = line.parsed().commands.as_slice() else { return None };
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    let file = match (words.as_slice(), command.redirections.as_slice()) {
        (["wc", "-l", _], []) => command.words.get(2)?.span.clone(),
        (["wc", "-l"], [Redirection { operator, target: Some(target), .. }]) if operator == "<" => {
            target.span.clone()
        }
        _ => return None,
    };
    Some((command.span.clone(), line.text().get(file)?.to_owned()))
}

/// Returns the offset of the program of `awk '{print $NF}'`, if that command is the only one that takes words.
fn prints_each_last_word(line: &ParsedLine) -> Option<usize> {
    let is_awk = |command: &&SimpleCommand| command.name().is_some_and(is_awk);
    let limits = |command: &SimpleCommand| matches!(command.name(), Some("tail" | "head" | "sed"));
    let commands = &line.parsed().commands;
    let awk = commands.iter().find(is_awk).filter(|_| !commands.iter().any(limits))?;
    let program = awk.words.iter().find(|word| word.text.replace([' ', ';'], "") == "{print$NF}")?;
    let raw = line.text().get(program.span.clone())?;
    Some(program.span.start + raw.find('{')?)
}
