//! Hints that a model gets with an error, to avoid another guess: the signature of the Nushell command at fault and
//! similar commands. And answers that only repeat the error.

use crate::examine::Examiner;
use askline_check::finding::{Finding, FindingKind};
use askline_manual::catalogue::CommandDoc;
use askline_syntax::nu::NOT_UNDERSTOOD;
use askline_syntax::{ParsedLine, SimpleCommand};

/// Maximum number of other commands in a hint.
const OTHERS_MAX: usize = 2;
/// Maximum length of a hint in characters; parts that do not fit are left out.
const HINT_CHARS_MAX: usize = 320;
/// Maximum length of an example in a hint, in characters.
const EXAMPLE_CHARS_MAX: usize = 80;
/// Messages of Nushell's parser for correct arguments after the wrong command.
const OTHER_COMMAND: [&str; 7] = [
    NOT_UNDERSTOOD,
    "needs input from a pipe",
    "Command does not support",
    "Extra positional argument",
    "Parse mismatch",
    "Missing required positional",
    "input type",
];
/// Start of the message about a missing subcommand. Similar names are then searched among all commands.
const NO_SUCH: &str = "nushell has no `";
/// Message of Nushell's parser for an input type that the command does not accept.
const OTHER_INPUT: &str = "does not support";
/// Minimum length of each of two words that a line repeats of a complaint, in bytes.
const ECHO_BYTES_MIN: usize = 3;
/// Maximum number of input types in a hint.
const INPUTS_MAX: usize = 6;

/// Returns the hint for a finding in an answer to `request`; `None` if the shell documents no commands or the finding
/// concerns none.
pub(super) fn of(
    line: &ParsedLine,
    wrong: &Finding,
    request: &str,
    examiner: &Examiner<'_>,
) -> Option<String> {
    let is_about_one =
        matches!(wrong.kind, FindingKind::Syntax | FindingKind::CommandMissing | FindingKind::FlagRefuted);
    if !examiner.shell.is_nushell() || !is_about_one {
        return None;
    }
    let begin = |command: &SimpleCommand| command.words.first().map(|word| word.span.start);
    let before = line.parsed().commands.iter().filter(|command| begin(command) <= Some(wrong.span.start));
    let command = before.max_by_key(|command| begin(command))?;
    let name = command.name()?;
    let commands = examiner.knowledge.all_commands()?;
    let own = commands.get(name).filter(|_| !command.external);
    let mut parts: Vec<String> = Vec::new();
    if let Some(doc) = own {
        parts.push(format!("it is `{}`", doc.signature()));
        if wrong.text.contains(OTHER_INPUT) && !doc.inputs.is_empty() {
            let inputs: Vec<&str> = doc.inputs.iter().take(INPUTS_MAX).map(String::as_str).collect();
            parts.push(format!("its input is {}", inputs.join(" or ")));
        }
    }
    let is_other = wrong.kind == FindingKind::CommandMissing
        || own.is_some() && OTHER_COMMAND.iter().any(|message| wrong.text.contains(message));
    // A longer message already contains the replacement.
    let is_all = || wrong.text.starts_with(NO_SUCH) && !wrong.text.contains("; ");
    let missing = line.text().get(wrong.span.clone()).filter(|_| is_all());
    if is_other || missing.is_some() {
        let alternatives = commands.nearest(request, missing.unwrap_or(name), OTHERS_MAX);
        parts.extend(alternatives.into_iter().map(|doc| format!("nushell has {}", shown(doc))));
    }
    let mut hint = String::new();
    for part in parts {
        if HINT_CHARS_MAX < hint.chars().count() + part.chars().count() + 2 {
            break;
        }
        hint.push_str(if hint.is_empty() { "" } else { "; " });
        hint.push_str(&part);
    }
    (!hint.is_empty()).then_some(hint)
}

/// Reports whether a line repeats two words in a row of a complaint, outside its backticks, that the request does not have.
pub(super) fn is_echo(line: &str, complaint: &str, request: &str) -> bool {
    let has = |text: &str, pair: &str| text.to_lowercase().contains(pair);
    let outside = complaint.split('`').step_by(2);
    let is_word = |word: &&str| ECHO_BYTES_MIN <= word.len() && word.chars().all(char::is_alphabetic);
    outside.into_iter().any(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let pairs = words.windows(2).filter(|pair| pair.iter().all(is_word));
        let mut pairs = pairs.map(|pair| pair.join(" ").to_lowercase());
        pairs.any(|pair| has(line, &pair) && !has(request, &pair))
    })
}

/// Renders a command that may be meant: its signature and its shortest example.
fn shown(doc: &CommandDoc) -> String {
    let examples = doc.examples.iter().map(|example| example.command.as_str());
    let short = |text: &&str| {
        text.contains(doc.name.as_str()) && text.chars().count() <= EXAMPLE_CHARS_MAX && !text.contains('\n')
    };
    match examples.filter(short).min_by_key(|text| text.len()) {
        Some(example) => format!("`{}`, as in `{example}`", doc.signature()),
        None => format!("`{}`", doc.signature()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_complaint_are_no_command() {
        for (line, complaint, request, expected) in [
            ("sed -i 's/unclosed quote/x/' a.tex", "unclosed quote", "fix my thesis", true),
            ("grep 'unclosed quote' a.log", "unclosed quote", "lines with unclosed quote in a.log", false),
            ("sort -h a.txt", "`sort` has no option `-x`", "sort a.txt", false),
            ("str replace a b", "no such command; did you mean `str replace`", "put b for a", false),
            ("echo no such option", "ls has no such option", "list", true),
            ("ls", "", "list", false),
        ] {
            assert_eq!(is_echo(line, complaint, request), expected, "{line}");
        }
    }
}
