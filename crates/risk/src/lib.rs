#![doc = include_str!("../README.md")]

mod address;
pub mod allow;
mod call;
mod decode;
mod effect;
mod facts;
mod files;
mod guard;
mod harm;
mod input_flow;
mod intent_check;
mod path_class;
mod reading;
mod script;
mod table;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
mod weigh;
mod words;

pub use effect::{Effect, Label, Scope};
pub use facts::{Facts, PathFact, Unknown};
pub use guard::{guarded, unguarded};
pub use harm::{Harm, Harms};
pub use table::is_like;
pub use weigh::Act;

use askline_syntax::clean::clean_with_names;
use askline_syntax::shell::Shell;
use askline_syntax::{Parsed, ParsedLine, Span};
use reading::LineReader;
use table::EffectTable;

/// Maximum length of a command line, in bytes, that a person can be expected to read before pressing Enter.
const BYTES_MAX: usize = 4096;
/// Maximum number of commands that a person can be expected to read.
const COMMANDS_MAX: usize = 20;
/// Maximum number of line breaks that a person can be expected to read.
const BREAKS_MAX: usize = 8;
/// Maximum nesting depth that a person can be expected to read.
const NESTING_MAX: usize = 16;

/// Number of earlier effects with which an effect is compared to find repetitions.
const COMPARED_MAX: usize = 64;

/// The risk assessment of a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Risk {
    /// Risk level of the whole command line.
    pub label: Label,
    /// The word that caused the label, as a byte range of the command line; `None` for Safe.
    pub span: Option<Span>,
    /// Reason for the label, in words; empty for Safe.
    pub cause: String,
    /// All effects of the command line, in the order of its words.
    pub acts: Vec<Act>,
    /// Facts about this machine that matter for the assessment, in words.
    pub facts: Vec<String>,
}

impl Risk {
    /// Returns a warning for people, the label and its cause; `None` unless the label is Confirm or Dangerous.
    pub fn note(&self) -> Option<String> {
        let mark = match self.label {
            Label::Safe | Label::Cautious => return None,
            Label::Confirm => "!",
            Label::Dangerous => "!!",
        };
        let cause = if self.cause.is_empty() { String::new() } else { format!(": {}", self.cause) };
        Some(format!("{mark} {}{cause}", self.label.name()))
    }

    /// Reports whether the command line destroys something: deletes, overwrites, ends what runs.
    pub fn destroys(&self) -> bool {
        self.acts.iter().any(Act::destroys)
    }

    /// Raises the label to Dangerous if the command line destroys something, because it does not do what was asked for.
    /// `why` says so in words.
    pub fn doubt(&mut self, why: &str) {
        if let Some(span) = self.acts.iter().find(|act| act.destroys()).map(|act| act.span.clone()) {
            let cause = if self.cause.is_empty() { why.to_owned() } else { format!("{}; {why}", self.cause) };
            self.raise(Label::Dangerous, span, cause);
        }
    }

    /// Raises the label to `label` if that is higher. Never lowers it.
    fn raise(&mut self, label: Label, span: Span, cause: String) {
        if self.label < label {
            (self.label, self.span, self.cause) = (label, Some(span), cause);
        }
    }
}

/// Inputs of an assessment besides the command line.
pub struct Around<'a> {
    /// The request that the command line answers; `None` if a person typed the command line.
    pub request: Option<&'a str>,
    /// Returns the definition of a user's alias, if there is one.
    pub alias: &'a dyn Fn(&str) -> Option<String>,
    /// Returns the definition of a zsh global alias (`alias -g`), which applies anywhere in a command line.
    pub global_alias: &'a dyn Fn(&str) -> Option<String>,
    /// Facts about the machine.
    pub facts: &'a dyn Facts,
}

impl Around<'_> {
    /// Returns inputs without request, aliases or facts.
    pub fn nothing() -> Self {
        Self { request: None, alias: &|_| None, global_alias: &|_| None, facts: &Unknown }
    }
}

/// Assesses a command line.
///
/// Never fails. Time grows with the length of the command line.
pub fn judge(line: &ParsedLine, around: &Around<'_>) -> Risk {
    judge_with(EffectTable::own(), line, around)
}

/// Assesses a command line that is not parsed yet.
pub fn judge_line(line: &str, shell: Shell, around: &Around<'_>) -> Risk {
    judge(&ParsedLine::new(line, shell), around)
}

/// Reports whether the tables have effects of a command of this name.
pub fn knows_command(name: &str) -> bool {
    EffectTable::own().knows(name)
}

/// Assesses a command line by both of its parses, if Nushell's engine gave one; the higher label counts. The engine knows
/// the user's own commands, but in a line that it refuses it may not see the commands.
fn judge_with(table: &EffectTable, line: &ParsedLine, around: &Around<'_>) -> Risk {
    let own = judge_parsed(table, line, line.own(), around);
    match line.engine().filter(|engine| *engine != line.own()) {
        Some(engine) => {
            let other = judge_parsed(table, line, engine, around);
            if own.label < other.label { other } else { own }
        }
        None => own,
    }
}

fn judge_parsed(table: &EffectTable, line: &ParsedLine, parsed: &Parsed, around: &Around<'_>) -> Risk {
    let (line, shell) = (line.text(), line.shell());
    let mut reader = LineReader::new(shell, table, around.alias).meeting(around.request.is_some());
    if let Some(expanded) =
        shell.dialect().has_global_aliases.then(|| expand(line, parsed, around.global_alias)).flatten()
    {
        reader.also(&expanded, 0..line.len());
    }
    let (mut acts, placed, met) = reader.read(line, parsed);
    let (facts, lost) = facts::raise(&mut acts, &placed, around.facts);
    let mut risk = Risk { facts, ..Risk::default() };
    let worst = reading::worst(&acts);
    // Of effects of one label the message names the loss of a file first.
    let lost =
        lost.and_then(|at| acts.get(at)).filter(|lost| worst.is_some_and(|worst| worst.label == lost.label));
    if let Some(act) = lost.or(worst) {
        risk.raise(act.label, act.span.clone(), act.why.clone());
    }
    let hidden = hides(line, shell, around.facts).map(|why| (Label::Dangerous, 0..line.len(), why));
    let long = unreadable(line, parsed).map(|why| (Label::Confirm, 0..line.len(), why));
    let asked = around.request.and_then(|request| {
        intent_check::of(request, &intent_check::LineEffects { parsed, acts: &acts, met: &met }, shell, table)
    });
    let tainted = intent_check::deceptive(parsed, shell).into_iter().chain(asked);
    let tainted = tainted.map(|taint| (taint.label, taint.span, taint.why));
    for (label, span, why) in hidden.into_iter().chain(tainted).chain(long) {
        risk.raise(label, span, why);
    }
    risk.acts = merged(acts);
    risk
}

/// Returns the effects without those that repeat an earlier one, which some other row or spelling also states.
fn merged(acts: Vec<Act>) -> Vec<Act> {
    let is_same = |one: &Act, other: &Act| {
        (one.effect, one.scope, &one.target, one.label, &one.why)
            == (other.effect, other.scope, &other.target, other.label, &other.why)
    };
    let mut kept: Vec<Act> = Vec::new();
    for act in acts {
        if !kept.iter().rev().take(COMPARED_MAX).any(|known| is_same(known, &act)) {
            kept.push(act);
        }
    }
    kept
}

/// Returns a reason if the displayed command line may differ from what runs.
fn hides(line: &str, shell: Shell, facts: &dyn Facts) -> Option<String> {
    if line.len() > BYTES_MAX || line.trim().is_empty() {
        return None;
    }
    clean_with_names(line, shell, &|name| facts.seen(name).is_some()).err()
}

/// Returns a zsh command line with its global aliases expanded; `None` if it has none.
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

/// Returns a reason if the command line is too long or complex to read at a glance, or cannot be parsed.
fn unreadable(line: &str, parsed: &Parsed) -> Option<String> {
    let breaks = line.trim_end().matches('\n').count();
    let nesting = parsed.commands.iter().map(|command| command.within.len()).max().unwrap_or(0);
    if line.len() > BYTES_MAX {
        Some(format!("{} bytes are more than one can read at a prompt", line.len()))
    } else if breaks > BREAKS_MAX {
        Some(format!("it has {breaks} line breaks"))
    } else if parsed.commands.len() > COMMANDS_MAX {
        Some(format!("it has {} commands", parsed.commands.len()))
    } else if nesting > NESTING_MAX {
        Some(format!("its commands are {nesting} levels deep"))
    } else {
        let error = parsed.errors.first()?;
        Some(format!("it could not be taken apart: {}", error.text))
    }
}
