//! Variables of bash and zsh that have another value than they seem to.

use super::{slip, unmended};
use crate::mismatch::Mismatch;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand};

/// Returns the slips of a line.
pub(super) fn slips(line: &ParsedLine) -> Vec<Mismatch> {
    if !line.shell().is_posix() {
        return Vec::new();
    }
    let assigned = line.parsed().commands.iter().filter_map(|command| assigned_too_late(line, command));
    assigned.chain(longer_name(line)).chain(lost_in_pipe(line)).collect()
}

/// Returns the name at the beginning of a text.
fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).filter(|name| !name.starts_with(|c: char| c.is_ascii_digit())).unwrap_or_default()
}

/// Finds `x=1 echo $x`: the shell replaces `$x` before it sets x for the command (POSIX.1-2024, 2.9.1.1).
fn assigned_too_late(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let (last, first) = (command.assignments.last()?, command.words.first()?);
    let uses = |variable: &str| {
        command.words.iter().filter(|word| !word.literal).any(|word| {
            word.text.split('$').skip(1).any(|rest| name(rest.trim_start_matches('{')) == variable)
        })
    };
    let variable = command.assignments.iter().map(|word| name(&word.text)).find(|variable| uses(variable))?;
    let text = format!("the shell replaces `${variable}` before it is set for this command");
    Some(slip(line.text(), last.span.end..first.span.start, "; ".to_owned(), text))
}

/// Finds `for f in …; do mv "$f" "$f_old"`: the variable is `f_old` (POSIX.1-2024, 2.6.2).
fn longer_name(line: &ParsedLine) -> Option<Mismatch> {
    if !line.parsed().commands.iter().any(|command| command.within.contains(&Nesting::Loop)) {
        return None;
    }
    let text = line.text();
    let at = text.find("for ")? + "for ".len();
    let variable = name(text.get(at..)?);
    let joined = format!("${variable}_");
    let start = at + text.get(at..)?.find(&joined)?;
    let longer = name(text.get(start + 1..)?);
    let is_known = text.contains(&format!("{longer}="))
        || variable.is_empty()
        || text.contains(&format!("read {longer}"));
    (!is_known).then(|| {
        let says = format!("`${longer}` is a variable of its own");
        slip(text, start..start + 1 + variable.len(), format!("${{{variable}}}"), says)
    })
}

/// Finds `… | while read x; do n=$((n+1)); done; echo $n`: in bash a loop behind a pipe is a process of its own (bash manual,
/// "Pipelines").
fn lost_in_pipe(line: &ParsedLine) -> Option<Mismatch> {
    if line.shell().dialect().has_equals_words {
        return None;
    }
    let text = line.text();
    let start = ["| while ", "|while "].iter().find_map(|begin| text.find(begin))?;
    let end = start + text.get(start..)?.find("done")?;
    let (body, rest) = (text.get(start..end)?, text.get(end..)?);
    let changed = ["=$((", "+=", "++))"].iter().find_map(|sign| {
        let before = body.get(..body.find(sign)?)?;
        let at = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        before.get(at..).filter(|name| !name.is_empty())
    })?;
    let is_used = rest.split('$').skip(1).any(|rest| name(rest.trim_start_matches('{')) == changed);
    let says = format!("in bash a loop behind a pipe runs by itself: `{changed}` keeps its old value here");
    is_used.then(|| unmended(start..end, says))
}
