//! Variables of bash and zsh that have another value than they seem to.

use super::slip;
use crate::mismatch::Mismatch;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Word};

/// Returns the slips of a line.
pub(super) fn slips(line: &ParsedLine) -> Vec<Mismatch> {
    if !line.shell().is_posix() {
        return Vec::new();
    }
    let assigned = line.parsed().commands.iter().filter_map(|command| assigned_too_late(line, command));
    assigned.chain(longer_name(line)).chain(lost_in_pipe(line)).chain(split_name(line)).collect()
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
    if !line.shell().dialect().has_lost_loops {
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
    is_used.then(|| Mismatch::likely(start..end, says))
}

/// Finds `for f in *.txt; do mv $f …`: bash splits names at blanks (POSIX.1-2024, 2.6.5).
fn split_name(line: &ParsedLine) -> Option<Mismatch> {
    let text = line.text();
    let (head, _) = text.strip_prefix("for ")?.split_once(';')?;
    let (variable, names) = head.split_once(" in ")?;
    if !line.shell().dialect().splits_variables || !names.contains('*') || names.contains("$(") {
        return None;
    }
    let is_name = |rest: &str| name(rest.trim_start_matches('{')) == variable;
    line.parsed().commands.iter().find_map(|command| {
        let is_split = |word: &&Word| {
            let raw = text.get(word.span.clone()).unwrap_or_default();
            let is_plain = !word.literal && !word.quoted && !word.glob && !raw.contains(['(', '`', '\\']);
            is_plain && raw.split('$').skip(1).any(is_name)
        };
        let in_loop = command.within.contains(&Nesting::Loop);
        let words = || command.words.iter().skip(1).filter(is_split);
        let (first, last) = (words().next().filter(|_| in_loop)?, words().next_back()?);
        let mut new = String::new();
        let mut done = first.span.start;
        for word in words() {
            new.push_str(text.get(done..word.span.start)?);
            new.push_str(&format!("\"{}\"", text.get(word.span.clone())?));
            done = word.span.end;
        }
        let says = format!("without quotes the shell splits `${variable}` at blanks");
        Some(slip(text, first.span.start..last.span.end, new, says))
    })
}
