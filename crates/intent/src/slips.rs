//! Slips: forms of a line that do something else than they look like, whatever was asked.
//!
//! `forms.toml` has those that the text of a command tells; the other modules need the structure of the line. Each slip has a
//! row in `tests/data/slips.toml`; a test runs it and shows the wrong effect.

mod argument;
mod compressed;
mod find;
mod find_logic;
mod find_path;
mod form;
mod intended;
mod joined;
mod jq;
mod pattern;
mod pipe;
mod redirection;
mod silent;
mod stripped;
mod variable;
mod xargs;

use crate::find_expression::FindExpression;
use crate::mismatch::{Certainty, Edit, Mismatch};
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Span};
pub(crate) use intended::is_intended;

/// Returns the slips of a line, in no order.
pub(crate) fn slips(line: &ParsedLine) -> Vec<Mismatch> {
    let commands = &line.parsed().commands;
    let mut found = Vec::new();
    let is_own = |command: &SimpleCommand| line.shell().is_nushell() && !command.external;
    for command in commands.iter().filter(|command| !is_own(command)) {
        if let Some(find) = FindExpression::of(command) {
            found.extend(find::slips(line.text(), &find));
            found.extend(find_path::slips(line.text(), command, &find));
            found.extend(find_logic::slips(line, &find, after(line, command)));
        }
    }
    if line.shell().is_nushell() {
        return found;
    }
    found.extend(form::slips(line));
    found.extend(variable::slips(line));
    found.extend(stripped::slips(line));
    for command in commands {
        found.extend(pattern::slips(line, command));
        found.extend(argument::slips(line, command));
        found.extend(redirection::slips(line, command));
        found.extend(silent::slips(line, command));
        found.extend(compressed::slips(line, command));
        found.extend(joined::slips(line, command));
        found.extend(jq::slips(line, command));
        if let Some(source) = before(line, command) {
            found.extend(pipe::slips(line, source, command));
            found.extend(xargs::slips(line, source, command));
        }
    }
    found.into_iter().map(|slip| without_lost_quotes(line, slip)).collect()
}

/// Returns a mismatch without its edit, if the quotes of that would be lost.
fn without_lost_quotes(line: &ParsedLine, found: Mismatch) -> Mismatch {
    if loses_quotes(line, &found) { without_edit(found) } else { found }
}

/// Reports whether the quotes of an edit would end those around it, as in `sh -c 'date +%F %T'`, or get lost, as behind
/// `ssh HOST`.
fn loses_quotes(line: &ParsedLine, slip: &Mismatch) -> bool {
    let Some(edit) = slip.edit.as_ref().filter(|edit| edit.replacement.contains('\'')) else { return false };
    let holds = |span: &Span| span.start <= edit.span.start && edit.span.end <= span.end;
    let is_quoted = |span: &Span| {
        let raw = line.text().get(span.clone()).unwrap_or_default();
        raw.starts_with('\'') && holds(span) && *span != edit.span
    };
    line.typed().commands.iter().filter(|command| holds(&command.span)).any(|command| {
        command.name() == Some("ssh") || command.words.iter().any(|word| is_quoted(&word.span))
    })
}

/// Returns the command whose output a command reads.
fn before<'l>(line: &'l ParsedLine, command: &SimpleCommand) -> Option<&'l SimpleCommand> {
    let position = command.position.checked_sub(1)?;
    line.parsed().commands.iter().find(|other| {
        other.pipeline == command.pipeline && other.position == position && other.within == command.within
    })
}

/// Returns the command that reads the output of a command.
fn after<'l>(line: &'l ParsedLine, command: &SimpleCommand) -> Option<&'l SimpleCommand> {
    let outer =
        |within: &[Nesting]| within.iter().take_while(|it| !matches!(it, Nesting::Wrapper(_))).count();
    line.parsed().commands.iter().find(|other| {
        other.pipeline == command.pipeline
            && other.position == command.position + 1
            && other.within == command.within.get(..outer(&command.within)).unwrap_or_default()
    })
}

/// Returns a slip with the one edit that mends it.
fn slip(line: &str, span: Span, replacement: String, text: String) -> Mismatch {
    let edit = Some(Edit::replace(line, span.clone(), replacement));
    Mismatch { span, said: None, certainty: Certainty::Sure, text, edit }
}

/// Takes the edit out of a slip.
fn without_edit(slip: Mismatch) -> Mismatch {
    Mismatch { certainty: Certainty::Likely, edit: None, ..slip }
}

/// Reports whether a command has one of these short options, alone or in a cluster, or a long option.
fn has_option(command: &SimpleCommand, letters: &str, long: &[&str]) -> bool {
    command.words.iter().skip(1).any(|word| {
        let text = word.text.as_str();
        match text.strip_prefix("--") {
            Some(_) => long.contains(&text.split('=').next().unwrap_or(text)),
            None => text.strip_prefix('-').is_some_and(|cluster| {
                cluster.chars().take_while(char::is_ascii_alphabetic).any(|letter| letters.contains(letter))
            }),
        }
    })
}
