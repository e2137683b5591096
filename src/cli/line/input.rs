//! Parser of the shell script's input on stdin: the prompt line, then facts as key and value, all separated by NUL.
//!
//! Facts are `BASH_VERSION` and similar ones; `alias.NAME` with the expansion; and `functions`, whose value has one
//! name per row and becomes a fact `function.NAME` for each. `history` is an earlier command, latest first;
//! `history.list` is the output of bash's own builtin. Too many facts are not an error: those that fit are kept.

use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::event::{PollFd, PollFlags, poll};

use crate::shell_facts::{HISTORY, ShellFacts};
use askline_syntax::line::PromptLine;

/// Maximum size of a prompt line in bytes.
const LINE_LIMIT: usize = 1 << 20;
/// Maximum total size of kept facts in bytes.
const FACTS_LIMIT: usize = 1 << 16;
/// Maximum size of kept input in bytes; the rest is read, to let the script finish writing, and dropped.
const INPUT_LIMIT: usize = LINE_LIMIT + FACTS_LIMIT;
/// Maximum wait for the whole input; scripts write it at once.
const INPUT_WAIT: Duration = Duration::from_secs(5);
/// Key of the fact that names functions.
const FUNCTIONS: &str = "functions";
/// Key of the fact that lists commands in bash's format: a number, a blank or `*`, a blank, the command.
const HISTORY_LIST: &str = "history.list";
/// Maximum size in bytes of a kept earlier command.
const COMMAND_LIMIT: usize = 4 << 10;
/// Number of bytes per read.
const CHUNK: usize = 1 << 14;

/// A prompt line and its shell facts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) line: PromptLine,
    /// Facts of the script; a last key without a value has an empty one.
    pub(super) facts: ShellFacts,
}

impl Input {
    /// Parses stdin; `cursor` is clamped to the line.
    ///
    /// # Errors
    /// When the text is not UTF-8, too long or does not end.
    pub(super) fn read(cursor: usize) -> anyhow::Result<Self> {
        Self::parse(&bytes_of_stdin()?, cursor)
    }

    fn parse(bytes: &[u8], cursor: usize) -> anyhow::Result<Self> {
        let mut fields = bytes.split(|byte| *byte == 0);
        let line = fields.next().unwrap_or(b"");
        ensure!(line.len() <= LINE_LIMIT, "the line is longer than {LINE_LIMIT} bytes; shorten it");
        let line = str::from_utf8(line).ok().context("the line is not valid UTF-8; retype it")?;
        let line = line.strip_suffix('\n').unwrap_or(line); // fish adds one
        let mut facts = ShellFacts::default();
        let mut room = FACTS_LIMIT;
        let mut keep = |key: &str, value: &str| {
            // A document pasted into a command would leave no room for other facts.
            let fits = key != HISTORY || value.len() <= COMMAND_LIMIT;
            if let Some(left) = room.checked_sub(key.len() + value.len()).filter(|_| fits) {
                room = left;
                facts.add(key, value);
            }
        };
        while let Some(key) = fields.next() {
            let value = fields.next().unwrap_or(b"");
            // An invalid fact is optional and never an error.
            let (Ok(key), Ok(value)) = (str::from_utf8(key), str::from_utf8(value)) else { continue };
            if key == FUNCTIONS {
                // By convention, names with an underscore are parts of completions and prompts, which users do not type.
                let names = value.lines().filter(|name| !name.is_empty() && !name.starts_with('_'));
                names.for_each(|name| keep(&format!("function.{name}"), ""));
            } else if key == HISTORY_LIST {
                commands(value).iter().rev().for_each(|command| keep(HISTORY, command));
            } else if !key.trim().is_empty() {
                keep(key, value);
            }
        }
        let cursor = cursor.min(line.chars().count());
        Ok(Self { line: PromptLine { text: line.to_owned(), cursor }, facts })
    }
}

/// Returns the commands in the output of bash's `history`, in its order. A command may have several rows: the next
/// one begins with the next number.
fn commands(list: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut next = None;
    for row in list.lines() {
        let numbered = row.trim_start().split_once([' ', '*']).and_then(|(number, command)| {
            let number: u64 = number.parse().ok().filter(|number| next.is_none_or(|next| next == *number))?;
            Some((number, command.strip_prefix(' ').unwrap_or(command)))
        });
        match (numbered, commands.last_mut()) {
            (Some((number, command)), _) => {
                next = Some(number + 1);
                commands.push(command.to_owned());
            }
            (None, Some(last)) => last.extend(["\n", row]),
            (None, None) => {}
        }
    }
    commands
}

fn bytes_of_stdin() -> anyhow::Result<Vec<u8>> {
    let stdin = io::stdin();
    if rustix::termios::isatty(&stdin) {
        return Ok(Vec::new()); // started by hand, and its keys are ours
    }
    let until = Instant::now() + INPUT_WAIT;
    let mut bytes = Vec::new();
    let mut chunk = [0; CHUNK];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut ready, Some(&left.try_into()?)) {
            Ok(0) => bail!("the line did not arrive; the shell script must close stdin"),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error).context("the line can't be read"),
        }
        match rustix::io::read(&stdin, &mut chunk).context("the line can't be read")? {
            0 => return Ok(bytes),
            // One extra byte detects a line that is too long.
            n => bytes.extend_from_slice(&chunk[..n.min(1 + INPUT_LIMIT - bytes.len().min(INPUT_LIMIT))]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], cursor: usize, line: &str, at: usize, facts: &[(&str, &str)]) {
        let mut expected = ShellFacts::default();
        facts.iter().for_each(|(key, value)| expected.add(key, value));
        let expected = Input { line: PromptLine { text: line.to_owned(), cursor: at }, facts: expected };
        assert_eq!(Input::parse(bytes, cursor).unwrap(), expected);
    }

    #[test]
    fn lines_and_facts() {
        check(b"list files", 4, "list files", 4, &[]);
        check(b"list files\n", usize::MAX, "list files", 10, &[]);
        check(b"two\nlines \n\n", 99, "two\nlines \n", 11, &[]);
        check("größe".as_bytes(), 99, "größe", 5, &[]);
        check(
            b"ls\0alias.p\0/tmp\0history\0make\n",
            2,
            "ls",
            2,
            &[("alias.p", "/tmp"), ("history", "make\n")],
        );
        check(b"ls\n\0alias.p\0/tmp\0", 2, "ls", 2, &[("alias.p", "/tmp")]);
        check(b"ls\0alias.p", 2, "ls", 2, &[("alias.p", "")]);
        check(b"ls\0\n", 2, "ls", 2, &[]);
    }

    #[test]
    fn functions_are_facts_of_their_own() {
        let facts = &[("alias.ll", "ls -l"), ("function.mk", ""), ("function.up dir", "")];
        check(b"ls\0alias.ll\0ls -l\0functions\0mk\n_mk\n\nup dir\n\0", 2, "ls", 2, facts);
    }

    #[test]
    fn facts_beyond_the_limit_or_unreadable_are_dropped() {
        let huge = "x".repeat(FACTS_LIMIT - 8);
        check(format!("ls\0alias.a\0{huge}\0alias.c\0d").as_bytes(), 2, "ls", 2, &[("alias.a", &huge)]);
        check(format!("ls\0alias.a\0b\0alias.c\0{huge}").as_bytes(), 2, "ls", 2, &[("alias.a", "b")]);
        check(b"ls\0alias.a\0caf\xe9\0alias.c\0d", 2, "ls", 2, &[("alias.c", "d")]);
        let line = "x".repeat(LINE_LIMIT);
        check(line.as_bytes(), 0, &line, 0, &[]);
        let error = Input::parse(format!("{line}x").as_bytes(), 0).unwrap_err();
        assert!(error.to_string().starts_with("the line is longer than"), "{error}");
    }

    #[test]
    fn polite_refusals() {
        let error = Input::parse(b"caf\xe9", 0).unwrap_err();
        assert_eq!(error.to_string(), "the line is not valid UTF-8; retype it");
    }

    #[test]
    fn commands_of_before_come_the_latest_first() {
        let list = "  998  make x\n  999* for x in 1\ndo date\n 12  odd\ndone\n 1000  ls\n";
        let facts =
            &[("history", "ls"), ("history", "for x in 1\ndo date\n 12  odd\ndone"), ("history", "make x")];
        check(format!("\0history.list\0{list}\0").as_bytes(), 0, "", 0, facts);
        check(b" \n\0history\0ls\0history\0pwd\0", 0, " ", 0, &[("history", "ls"), ("history", "pwd")]);
        for list in ["", "\n", "no number", "99999999999999999999999  ls", "7"] {
            check(format!("\0history.list\0{list}\0").as_bytes(), 0, "", 0, &[]);
        }
        let huge = "x".repeat(COMMAND_LIMIT + 1);
        check(format!("\0history\0{huge}\0history\0ls\0").as_bytes(), 0, "", 0, &[("history", "ls")]);
    }
}
