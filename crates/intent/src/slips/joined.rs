//! Lines that `tr -cd` joins before a command that works line by line (POSIX.1-2024, tr, -c, -d).

use super::form::raw;
use super::{after, before, has_option, slip, without_edit};
use crate::mismatch::Mismatch;
use crate::tool::is_awk;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Commands that pass on or print many lines.
const MANY: [&str; 10] = ["cat", "cut", "grep", "egrep", "sort", "uniq", "ls", "find", "tr", "tail"];
/// Commands that mean nothing for one line.
const ORDERING: [&str; 3] = ["sort", "uniq", "tac"];
/// What a set contains that keeps the end of a line, or may keep it.
const KEEPING: [&str; 5] = ["\\", "\n", "[:space:]", "[:cntrl:]", "$"];

/// Returns the slip of `tr -cd SET | sort`, whose input has more than one line.
pub(super) fn slips(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let deletes_others =
        has_option(command, "cC", &["--complement"]) && has_option(command, "d", &["--delete"]);
    if command.name()? != "tr" || !deletes_others {
        return None;
    }
    let mut sets = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let set = sets.next().filter(|set| set.literal && !KEEPING.iter().any(|it| set.text.contains(it)))?;
    let next = after(line, command)?;
    let reader = next.name().filter(|name| reads_lines(name, raw(line, next)))?;
    let is_single = is_awk(reader) || matches!(reader, "head" | "tail" | "nl");
    if sets.next().is_some() || next.words.len() > 8 || !has_lines(line, command, is_single) {
        return None;
    }
    let says = format!("without `\\n` in its set `tr` joins all lines into one, and `{reader}` reads lines");
    let found = slip(line.text(), set.span.clone(), with_newline(line, set)?, says);
    // Counts, and filters that make sense for one line too, may want another edit.
    Some(if ORDERING.contains(&reader) { found } else { without_edit(found) })
}

fn with_newline(line: &ParsedLine, set: &Word) -> Option<String> {
    let raw = line.text().get(set.span.clone())?;
    let quote = raw
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"'))
        .filter(|quote| raw.len() > 2 && raw.ends_with(*quote) && raw.matches(*quote).count() == 2);
    match quote {
        // A dash at the end would make a range.
        _ if set.text.ends_with('-') => None,
        Some(quote) => Some(format!("{}\\n{quote}", raw.strip_suffix(quote)?)),
        None if raw == set.text => Some(format!("'{raw}\\n'")),
        None => None,
    }
}

/// Reports whether a command works line by line.
fn reads_lines(name: &str, text: &str) -> bool {
    match name {
        "sort" | "uniq" | "nl" | "tac" => !text.contains(" -z"),
        "wc" => text == "wc -l" || text == "wc --lines",
        "head" | "tail" => !text.contains(" -c") && !text.contains("--bytes"),
        "grep" => text.starts_with("grep -c "),
        name if is_awk(name) => {
            text.contains('$')
                && !["RS", "FS", "length", "-F", "split", "sub"].iter().any(|it| text.contains(it))
        }
        _ => false,
    }
}

/// Reports whether a command reads more than one line, as far as the line tells: a file, or the lines of a
/// listing. Behind `grep` it may be one.
fn has_lines(line: &ParsedLine, command: &SimpleCommand, may_be_one: bool) -> bool {
    let mut current = command;
    for _ in 0..=command.position {
        let is_device = |text: &str| ["/dev/", "/proc/", "/sys/", "/etc/"].iter().any(|it| text.contains(it));
        let reads_file = current.redirections.iter().any(|it| {
            it.operator == "<" && it.target.as_ref().is_some_and(|target| !is_device(&target.text))
        });
        if reads_file {
            return true;
        }
        let Some(source) = before(line, current) else { break };
        let text = raw(line, source);
        let passes_few = match source.name() {
            Some("tail") => !text.starts_with("tail -n +"),
            Some("grep" | "egrep") => {
                may_be_one || has_option(source, "cmzq", &["--count", "--max-count", "--null-data"])
            }
            Some("tr") => text.contains("\\n") || has_option(source, "cC", &[]),
            Some("find") => text.contains("-print"),
            Some(name) => !MANY.contains(&name) || text.contains(" -z"),
            None => true,
        };
        if passes_few || is_device(text) {
            return false;
        }
        current = source;
    }
    current.position == 0 && current.position != command.position
}
