//! How careful one should be with a line, and why: what its commands do, to what, and whether that can be taken back.
//!
//! Pure. What programs do is data: `risk/effects` (`risk/README.md` says how to add one). A line is read as its shell
//! would read it, each command held against its program's entry, and the worst thing that it does is its label. What
//! can't be read is worse than what can: a command word only known when the line runs is Dangerous, a line that can't be
//! taken apart at least Confirm.

pub mod allow;
mod call;
mod decode;
mod effect;
mod feed;
mod place;
mod reading;
mod script;
mod table;
#[cfg(test)]
mod table_tests;
mod weigh;
mod words;

pub use effect::{Effect, Label, Scope};
pub use weigh::Act;

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
    /// The word that caused the label; none for Safe lines.
    pub span: Option<Span>,
    /// Why, in words; empty for Safe lines.
    pub cause: String,
    /// All that the line does, in the order of its words.
    pub acts: Vec<Act>,
}

/// What is known around a line.
pub struct Around<'a> {
    /// What an alias of the user's stands for.
    pub alias: &'a dyn Fn(&str) -> Option<String>,
}

impl Around<'_> {
    /// Nothing.
    pub fn nothing() -> Self {
        Self { alias: &|_| None }
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
    let acts = Reader::new(shell, table, around.alias).read(line, &parsed);
    let mut risk = match reading::worst(&acts) {
        Some(act) => Risk { label: act.label, span: Some(act.span.clone()), cause: act.why.clone(), acts: Vec::new() },
        None => Risk::default(),
    };
    risk.acts = acts;
    if let Some(why) = unreadable(line, &parsed).filter(|_| risk.label < Label::Confirm) {
        risk.label = Label::Confirm;
        risk.span = Some(0..line.len());
        risk.cause = why;
    }
    risk
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
