//! A question with yes or no to the user at the terminal.

use std::io::{self, IsTerminal as _, Read as _};

use anyhow::Context as _;

use super::print_message;
use askline_model::failure::UsageError;

/// Maximum number of bytes of an answer.
const ANSWER_BYTES_MAX: u64 = 64;

/// Asks; only `y` and `yes` are consent.
///
/// # Errors
/// [`UsageError`] with `unasked` without a terminal, or the error of reading.
pub(super) fn is_confirmed(question: &str, unasked: &str) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        return Err(UsageError(unasked.to_owned()).into());
    }
    print_message(&format!("{question} y or n"));
    let mut answer = Vec::new();
    for byte in io::stdin().lock().take(ANSWER_BYTES_MAX).bytes() {
        match byte.context("can't read the answer")? {
            b'\n' => break,
            byte => answer.push(byte.to_ascii_lowercase()),
        }
    }
    Ok(matches!(answer.trim_ascii(), b"y" | b"yes"))
}
