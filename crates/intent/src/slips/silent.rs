//! Commands that print nothing, as the last ones of a line that changes nothing either.

use super::after;
use crate::mismatch::Mismatch;
use crate::parts::{operands, parts};
use crate::tool::is_awk;
use askline_syntax::options::Part;
use askline_syntax::{ParsedLine, SimpleCommand};

/// Texts of an `awk` program that prints, reads, runs or ends something.
const ACTIVE: [&str; 6] = ["print", "system", "getline", "exit", "close", "@"];

/// Returns the slips of one command.
pub(super) fn slips(line: &ParsedLine, command: &SimpleCommand) -> Vec<Mismatch> {
    [silent_program(command), quiet_search(line, command)].into_iter().flatten().collect()
}

/// Finds `awk '{s += $1}' f`: each rule has an action, and none of them prints (POSIX.1-2024, awk, "Actions").
fn silent_program(command: &SimpleCommand) -> Option<Mismatch> {
    if !is_awk(command.name()?) {
        return None;
    }
    let parts = parts(command)?;
    let names_program = |part: &Part<'_>| match part {
        Part::Option(given) => !matches!(given.name.as_ref(), "-F" | "-v" | "--field-separator" | "--assign"),
        _ => false,
    };
    if parts.iter().any(names_program) {
        return None;
    }
    let program = operands(command).next()?;
    let text = program.text.as_str();
    let is_silent =
        program.literal && !ACTIVE.iter().any(|word| text.contains(word)) && has_only_actions(text);
    is_silent.then(|| Mismatch::likely(program.span.clone(), "this program prints nothing".to_owned()))
}

/// Reports whether each rule of an `awk` program has an action in braces; a rule without one prints its lines.
fn has_only_actions(program: &str) -> bool {
    let mut depth = 0_usize;
    let mut pattern = String::new();
    let mut letters = program.chars();
    let mut has_action = false;
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                // A text may contain braces.
                while let Some(inner) = letters.next() {
                    match inner {
                        '\\' => drop(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
                pattern.push('"');
            }
            '{' => {
                if depth == 0 && pattern.trim_start_matches([';', '\n', ' ']).contains([';', '\n']) {
                    return false;
                }
                depth += 1;
                has_action = true;
            }
            '}' => {
                let Some(outer) = depth.checked_sub(1) else { return false };
                depth = outer;
                pattern.clear();
            }
            _ if depth == 0 => pattern.push(letter),
            _ => {}
        }
    }
    has_action && depth == 0 && pattern.trim_matches([';', '\n', ' ']).is_empty()
}

/// Finds a line that is only `grep -q error f`: it answers by its status, which nobody sees at a prompt (POSIX.1-2024,
/// grep, -q).
fn quiet_search(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    if !matches!(command.name()?, "grep" | "egrep" | "fgrep") || !command.within.is_empty() {
        return None;
    }
    let pipeline = |other: &SimpleCommand| other.pipeline == command.pipeline;
    let is_alone = line.parsed().commands.iter().all(pipeline) && after(line, command).is_none();
    let quiet =
        command.words.iter().skip(1).take_while(|word| word.text.starts_with('-') && word.text != "-e");
    let quiet = quiet.into_iter().find(|word| matches!(word.text.as_str(), "-q" | "--quiet" | "--silent"))?;
    let ends = line.text().trim_end().len() <= command.span.end;
    let starts = line.text().trim_start().starts_with(|c: char| c.is_ascii_alphabetic());
    // A script may want the status: only a remark.
    let text = "with -q `grep` prints nothing".to_owned();
    (is_alone && ends && starts).then(|| Mismatch::likely(quiet.span.clone(), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    fn found(line: &str) -> Vec<Mismatch> {
        let line = ParsedLine::new(line, Shell::Bash);
        line.parsed().commands.iter().flat_map(|command| slips(&line, command)).collect()
    }

    #[test]
    fn programs_that_print_are_left_alone() {
        for line in [
            "awk '{print $1}' f",
            "awk '$1 > 3' f",
            "awk '{s += $1} END {print s}' f",
            "awk '!s[$1]++' f",
            "awk '{$1=$1} 1' f",
            "awk '{s += $1}; /x/' f",
            "awk -f program.awk f",
            "awk '{ if (/}/) n++ } END { printf \"%d\", n }' f",
            "awk 'NR==1{h=$0;next} 1; {s++}' f",
            "awk '{system(\"ls\")}' f",
            "awk '",
            "awk",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }

    #[test]
    fn searches_whose_status_is_used_are_left_alone() {
        for line in [
            "grep -q a f && echo yes",
            "if grep -q a f; then echo yes; fi",
            "! grep -q a f",
            "grep -q a f; echo $?",
            "ls | grep -q a || echo no",
            "grep a f",
            "grep -e -q f",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }
}
