//! What a model is told beside an error, so that it need not guess again: what the command of Nushell takes that the error is about, and
//! which other one may be meant.

use crate::catalogue::Card;
use crate::check::{Finding, Kind};
use crate::examine::Examiner;
use crate::shell::Shell;
use crate::syntax::SimpleCommand;
use crate::syntax::nu::NOT_UNDERSTOOD;

/// Other commands that are named.
const OTHERS_MAX: usize = 2;
/// Longest hint, in characters; what would not fit is left out.
const HINT_CHARS_MAX: usize = 320;
/// Longest example in it, in characters.
const EXAMPLE_CHARS_MAX: usize = 80;
/// What Nushell's parser says where the right words stand behind the wrong command.
const OTHER_COMMAND: [&str; 7] = [
    NOT_UNDERSTOOD,
    "needs input from a pipe",
    "Command does not support",
    "Extra positional argument",
    "Parse mismatch",
    "Missing required positional",
    "input type",
];
/// What is said of a name below another one that isn't there: it is sought anywhere.
const NO_SUCH: &str = "nushell has no `";
/// What it says where the command does not take what comes in.
const OTHER_INPUT: &str = "does not support";
/// Types of input that are told.
const INPUTS_MAX: usize = 6;

/// The hint for what was found in a line that answers a request; none where the shell documents no commands or none is concerned.
pub(super) fn of(line: &str, wrong: &Finding, request: &str, examiner: &Examiner<'_>) -> Option<String> {
    let is_about_one = matches!(wrong.kind, Kind::Syntax | Kind::CommandMissing | Kind::FlagRefuted);
    if examiner.shell != Shell::Nu || !is_about_one {
        return None;
    }
    let parsed = examiner.parse(line);
    let begin = |command: &SimpleCommand| command.words.first().map(|word| word.span.start);
    let before = parsed.commands.iter().filter(|command| begin(command) <= Some(wrong.span.start));
    let command = before.max_by_key(|command| begin(command))?;
    let name = command.name()?;
    let is_program = line.get(..begin(command)?)?.ends_with('^');
    let commands = examiner.knowledge.all_commands()?;
    let own = commands.get(name).filter(|_| !is_program);
    let mut parts: Vec<String> = Vec::new();
    if let Some(card) = own {
        parts.push(format!("it is `{}`", card.signature()));
        if wrong.text.contains(OTHER_INPUT) && !card.inputs.is_empty() {
            let inputs: Vec<&str> = card.inputs.iter().take(INPUTS_MAX).map(String::as_str).collect();
            parts.push(format!("its input is {}", inputs.join(" or ")));
        }
    }
    let is_other = wrong.kind == Kind::CommandMissing
        || own.is_some() && OTHER_COMMAND.iter().any(|said| wrong.text.contains(said));
    // Where more is said, what to write instead is told already.
    let is_all = || wrong.text.starts_with(NO_SUCH) && !wrong.text.contains("; ");
    let missing = line.get(wrong.span.clone()).filter(|_| is_all());
    if is_other || missing.is_some() {
        let others = commands.nearest(request, missing.unwrap_or(name), OTHERS_MAX);
        parts.extend(others.into_iter().map(|card| format!("nushell has {}", shown(card))));
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

/// A command that may be meant: what it takes, and its shortest example.
fn shown(card: &Card) -> String {
    let examples = card.examples.iter().map(|example| example.command.as_str());
    let short = |text: &&str| {
        text.contains(card.name.as_str()) && text.chars().count() <= EXAMPLE_CHARS_MAX && !text.contains('\n')
    };
    match examples.filter(short).min_by_key(|text| text.len()) {
        Some(example) => format!("`{}`, as in `{example}`", card.signature()),
        None => format!("`{}`", card.signature()),
    }
}
