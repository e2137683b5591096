//! How careful one should be with a line, and why: what its commands do, to what, and whether that can be taken back.
//!
//! Pure. What programs do is data: `risk/effects` (`risk/README.md` says how to add one). A line is read as its shell
//! would read it, each command held against its program's entry, and the worst thing that it does is its label. What
//! can't be read is worse than what can: a command word only known when the line runs is Dangerous, a line that can't be
//! taken apart at least Confirm.

mod address;
pub mod allow;
mod call;
mod decode;
mod effect;
mod facts;
mod feed;
mod files;
mod guard;
mod place;
mod reading;
mod script;
mod table;
#[cfg(test)]
mod table_tests;
mod taint;
#[cfg(test)]
mod tests;
mod weigh;
mod words;

pub use effect::{Effect, Label, Scope};
pub use facts::{Facts, Seen, Unknown};
pub use guard::{guarded, unguarded};
pub use table::is_like;
pub use weigh::Act;

use crate::clean::clean;
use crate::shell::Shell;
use crate::syntax::{self, Parsed, Span};
use reading::Reader;
use table::Table;

/// Bytes of a line that a person can be expected to read before Enter.
const MAX_BYTES: usize = 4096;
/// Commands, likewise.
const MAX_COMMANDS: usize = 20;
/// Line breaks, likewise.
const MAX_BREAKS: usize = 8;
/// Constructs inside each other, likewise.
const MAX_NESTING: usize = 16;

/// The judgement of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Risk {
    /// How careful one should be.
    pub label: Label,
    /// The word that caused the label, in bytes of the line; none for Safe lines.
    pub span: Option<Span>,
    /// Why, in words; empty for Safe lines.
    pub cause: String,
    /// All that the line does, in the order of its words.
    pub acts: Vec<Act>,
    /// What is true of this machine now and matters, in words.
    pub facts: Vec<String>,
}

impl Risk {
    /// How careful one should be, for people; none of a line that is neither Confirm nor Dangerous.
    pub fn note(&self) -> Option<String> {
        match self.label {
            Label::Safe | Label::Cautious => None,
            Label::Confirm => Some(format!("! {}", Label::Confirm.name())),
            Label::Dangerous => Some(format!("!! {}: {}", Label::Dangerous.name(), self.cause)),
        }
    }

    /// The same, at least as careful as somebody else says. Nothing lowers a label.
    fn raise(&mut self, label: Label, span: Span, cause: String) {
        if self.label < label {
            (self.label, self.span, self.cause) = (label, Some(span), cause);
        }
    }
}

/// What is known around a line.
pub struct Around<'a> {
    /// The request that the line answers; none where a person typed it.
    pub request: Option<&'a str>,
    /// What an alias of the user's stands for.
    pub alias: &'a dyn Fn(&str) -> Option<String>,
    /// What a word anywhere in a line of zsh stands for (`alias -g`).
    pub global_alias: &'a dyn Fn(&str) -> Option<String>,
    /// What is true of the machine.
    pub facts: &'a dyn Facts,
}

impl Around<'_> {
    /// Nothing.
    pub fn nothing() -> Self {
        Self { request: None, alias: &|_| None, global_alias: &|_| None, facts: &Unknown }
    }
}

/// Judges a line of `shell`.
///
/// Never fails; time grows with the line's length.
pub fn judge(line: &str, shell: Shell, around: &Around<'_>) -> Risk {
    judge_with(Table::own(), line, shell, around)
}

fn judge_with(table: &Table, line: &str, shell: Shell, around: &Around<'_>) -> Risk {
    let parsed = syntax::commands(line, shell);
    let mut reader = Reader::new(shell, table, around.alias).meeting(around.request.is_some());
    if let Some(expanded) =
        (shell == Shell::Zsh).then(|| expand(line, &parsed, around.global_alias)).flatten()
    {
        reader.also(&expanded, 0..line.len());
    }
    let (mut acts, placed, met) = reader.read(line, &parsed);
    let facts = facts::raise(&mut acts, &placed, around.facts);
    let mut risk = Risk { facts, ..Risk::default() };
    if let Some(act) = reading::worst(&acts) {
        risk.raise(act.label, act.span.clone(), act.why.clone());
    }
    let hidden = hides(line, shell).map(|why| (Label::Dangerous, 0..line.len(), why));
    let long = unreadable(line, &parsed).map(|why| (Label::Confirm, 0..line.len(), why));
    let asked = around.request.and_then(|request| {
        taint::of(request, &taint::Does { parsed: &parsed, acts: &acts, met: &met }, shell, table)
    });
    let tainted = taint::deceptive(&parsed, shell).into_iter().chain(asked);
    let tainted = tainted.map(|taint| (taint.label, taint.span, taint.why));
    for (label, span, why) in hidden.into_iter().chain(tainted).chain(long) {
        risk.raise(label, span, why);
    }
    risk.acts = acts;
    risk
}

/// What is seen is not what runs.
fn hides(line: &str, shell: Shell) -> Option<String> {
    if line.len() > MAX_BYTES || line.trim().is_empty() {
        return None;
    }
    clean(line, shell).err()
}

/// The line of zsh with its global aliases replaced; none when it has none.
fn expand(line: &str, parsed: &Parsed, alias: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut words: Vec<_> = parsed.commands.iter().flat_map(|command| &command.words).collect();
    words.sort_by_key(|word| word.span.start);
    let (mut expanded, mut end) = (String::new(), 0);
    for word in words {
        let meaning = alias(&word.text).filter(|_| !word.quoted && end <= word.span.start);
        if let (Some(meaning), Some(before)) = (meaning, line.get(end..word.span.start)) {
            expanded.push_str(before);
            expanded.push_str(&meaning);
            end = word.span.end;
        }
    }
    expanded.push_str(line.get(end..).filter(|_| end > 0)?);
    Some(expanded)
}

/// Why a line can't be taken in at a glance, or not be taken apart.
fn unreadable(line: &str, parsed: &Parsed) -> Option<String> {
    let breaks = line.trim_end().matches('\n').count();
    let nesting = parsed.commands.iter().map(|command| command.within.len()).max().unwrap_or(0);
    if line.len() > MAX_BYTES {
        Some(format!("{} bytes are more than one can read at a prompt", line.len()))
    } else if breaks > MAX_BREAKS {
        Some(format!("it has {breaks} line breaks"))
    } else if parsed.commands.len() > MAX_COMMANDS {
        Some(format!("it has {} commands", parsed.commands.len()))
    } else if nesting > MAX_NESTING {
        Some(format!("its commands are {nesting} levels deep"))
    } else {
        let error = parsed.errors.first()?;
        Some(format!("it could not be taken apart: {}", error.text))
    }
}
