//! The list key: the suggestions of the last press with their risk, in a message below or above the line, which stays. Asks no
//! model: it lists what is known by now.

use super::input::Input;
use crate::presses::{self, LineContent, Press};
use askline_host::Host;
use askline_syntax::clean;
use askline_syntax::shell::Shell;

/// Maximum number of characters of a command in the list.
const COMMAND_CHARS_MAX: usize = 80;
/// Message if there are no suggestions.
const NONE: &str = "no suggestions for this line; they are there after the key that asks";

/// Returns a note for each suggestion: its number, the command, and its risk. A sign marks the one on the line.
pub(super) fn notes(input: &Input, shell: Shell, last: Option<&Press>, host: &dyn Host) -> Vec<String> {
    let ran = input.facts.history.first().filter(|_| shell.dialect().passes_last_command).map(String::as_str);
    let around = presses::around(host.current_dir().as_deref(), ran);
    let listed = last.filter(|press| press.is_around(&around));
    let Some((press, place)) = listed.and_then(|press| Some((press, press.listed(&input.line.text, shell)?)))
    else {
        return vec![NONE.to_owned()];
    };
    let rows = press.offers.iter().enumerate().filter_map(|(at, offer)| {
        let cleaned = clean::clean(&offer.command, shell).ok()?;
        let text = cleaned.text.as_str();
        let short = clean::shortened(text, COMMAND_CHARS_MAX);
        let mark = if place == LineContent::Offer(at) { "> " } else { "" };
        let label = offer.about.split("; ").next().unwrap_or_default();
        Some(format!("{mark}{}. {short} [{label}]", at + 1))
    });
    rows.collect()
}
