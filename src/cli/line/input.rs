//! What the shell script hands over on stdin: the line, then facts as key and value, all separated by NUL.

use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::event::{PollFd, PollFlags, poll};

use crate::line::PromptLine;

/// Most bytes that are read.
const INPUT_LIMIT: usize = 1 << 20;
/// Longest wait for all of it; scripts write it at once.
const INPUT_WAIT: Duration = Duration::from_secs(5);
/// Bytes per read.
const CHUNK: usize = 1 << 14;

/// A line and what its shell knows around it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) line: PromptLine,
    /// Facts in the order they came; a last key without a value has an empty one.
    pub(super) facts: Vec<(String, String)>,
}

impl Input {
    /// Takes stdin apart; `cursor` is clamped to the line.
    ///
    /// # Errors
    /// When the text is blank, no UTF-8, too long or doesn't end.
    pub(super) fn read(cursor: usize) -> anyhow::Result<Self> {
        Self::parse(bytes_of_stdin()?, cursor)
    }

    fn parse(bytes: Vec<u8>, cursor: usize) -> anyhow::Result<Self> {
        let text = String::from_utf8(bytes).ok().context("the line is not valid UTF-8; retype it")?;
        let mut fields = text.split('\0');
        let line = fields.next().unwrap_or("");
        let line = line.strip_suffix('\n').unwrap_or(line); // fish adds one
        ensure!(!line.trim().is_empty(), "type what you want, then press the key");
        let mut facts = Vec::new();
        while let Some(key) = fields.next() {
            let value = fields.next().unwrap_or("");
            if !key.trim().is_empty() {
                facts.push((key.to_owned(), value.to_owned()));
            }
        }
        let cursor = cursor.min(line.chars().count());
        Ok(Self { line: PromptLine { text: line.to_owned(), cursor }, facts })
    }
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
            n => bytes.extend_from_slice(&chunk[..n]),
        }
        ensure!(bytes.len() <= INPUT_LIMIT, "the line is longer than {INPUT_LIMIT} bytes; shorten it");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], cursor: usize, line: &str, at: usize, facts: &[(&str, &str)]) {
        let facts = facts.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let expected = Input { line: PromptLine { text: line.to_owned(), cursor: at }, facts };
        assert_eq!(Input::parse(bytes.to_vec(), cursor).unwrap(), expected);
    }

    #[test]
    fn lines_and_facts() {
        check(b"list files", 4, "list files", 4, &[]);
        check(b"list files\n", usize::MAX, "list files", 10, &[]);
        check(b"two\nlines \n\n", 99, "two\nlines \n", 11, &[]);
        check("größe".as_bytes(), 99, "größe", 5, &[]);
        check(b"ls\0pwd\0/tmp\0last\0make\n", 2, "ls", 2, &[("pwd", "/tmp"), ("last", "make\n")]);
        check(b"ls\n\0pwd\0/tmp\0", 2, "ls", 2, &[("pwd", "/tmp")]);
        check(b"ls\0pwd", 2, "ls", 2, &[("pwd", "")]);
        check(b"ls\0\n", 2, "ls", 2, &[]);
    }

    #[test]
    fn polite_refusals() {
        for (bytes, expected) in [
            (&b""[..], "type what you want, then press the key"),
            (b" \t\n", "type what you want, then press the key"),
            (b"\n\0pwd\0/tmp", "type what you want, then press the key"),
            (b"caf\xe9", "the line is not valid UTF-8; retype it"),
        ] {
            assert_eq!(Input::parse(bytes.to_vec(), 0).unwrap_err().to_string(), expected);
        }
    }
}
