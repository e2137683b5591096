//! A question with yes or no to the user at the terminal.

use std::io::{self, IsTerminal as _, Read as _};

use anyhow::Context as _;

use super::print_message;
use askline_model::failure::UsageError;

/// Maximum number of bytes of an answer.
const ANSWER_BYTES_MAX: u64 = 64;

/// Maximum number of times that one question is asked.
const ASKED_MAX: usize = 3;

/// Asks until the answer is one; only `y` and `yes` are consent.
///
/// # Errors
/// [`UsageError`] with `unasked` without a terminal, or the error of reading.
pub(super) fn is_confirmed(question: &str, unasked: &str) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        return Err(UsageError(unasked.to_owned()).into());
    }
    print_message(&format!("{question} y or n"));
    for _ in 1..ASKED_MAX {
        if let Some(answer) = answer()? {
            return Ok(answer);
        }
        print_message("please answer y or n");
    }
    Ok(answer()?.unwrap_or(false))
}

/// Reads one answer; `None` if it is neither. An empty one and the end of the input are a no.
fn answer() -> anyhow::Result<Option<bool>> {
    let mut row = Vec::new();
    let mut is_row = false;
    for byte in io::stdin().lock().take(ANSWER_BYTES_MAX).bytes() {
        match byte.context("can't read the answer")? {
            b'\n' => {
                is_row = true;
                break;
            }
            byte => row.push(byte.to_ascii_lowercase()),
        }
    }
    Ok(match row.trim_ascii() {
        b"y" | b"yes" => Some(true),
        b"n" | b"no" | b"" => Some(false),
        _ => (!is_row).then_some(false),
    })
}
