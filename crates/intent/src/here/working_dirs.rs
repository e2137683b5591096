//! The directory in which each command of a line runs, as far as `cd` and its like tell.

use super::path::relative;
use crate::tool::Tool;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand};

/// Maximum length of `"$( `.
const BEFORE_SUBSTITUTION_MAX: usize = 4;
/// Maximum number of commands of a line that are looked at.
const COMMANDS_MAX: usize = 64;

/// The commands of a line with what they change, and so the directory in which each of them runs.
pub(super) struct WorkingDirs<'l> {
    pub(super) steps: Vec<Step<'l>>,
}

/// A command.
pub(super) struct Step<'l> {
    pub(super) command: &'l SimpleCommand,
    effect: Effect<'l>,
}

/// The effect of a command on those behind it.
enum Effect<'l> {
    /// They run in this folder below.
    Enters(&'l str),
    /// Files or the directory may be other ones.
    Changes,
    Nothing,
}

impl<'l> WorkingDirs<'l> {
    /// Reads the commands of a line.
    pub(super) fn of(line: &'l ParsedLine) -> Self {
        let commands = line.parsed().commands.iter().take(COMMANDS_MAX);
        let steps = commands.map(|command| Step { command, effect: effect(command, line) });
        Self { steps: steps.collect() }
    }

    /// Returns the folder in which a command runs: empty for the directory itself, or the one that `cd FOLDER` names before it.
    /// `None` if it may run elsewhere, or after a change of files.
    pub(super) fn before(&self, command: &SimpleCommand) -> Option<String> {
        let is_apart = |nesting: &Nesting| {
            matches!(nesting, Nesting::Wrapper(_) | Nesting::Function | Nesting::HereDocument)
        };
        let is_around = |other: &SimpleCommand| {
            other.span.start <= command.span.start && command.span.end <= other.span.end
        };
        let is_before = |other: &SimpleCommand| {
            other.span.start < command.span.start && other.pipeline != command.pipeline && !is_around(other)
        };
        // `logs/$(ls …)` prints names below `logs`.
        let around =
            self.steps.iter().filter(|step| step.command.span != command.span && is_around(step.command));
        let mut words = around.flat_map(|step| &step.command.words);
        let is_in_word = words.any(|word| {
            word.span.start + BEFORE_SUBSTITUTION_MAX < command.span.start
                && command.span.end <= word.span.end
        });
        if is_in_word || command.within.iter().any(is_apart) { None } else { self.after(is_before) }
    }

    /// Returns the folder in which the words of a loop are expanded; `None` as for a command.
    pub(super) fn at(&self, start: usize) -> Option<String> {
        self.after(|other| other.span.start < start)
    }

    fn after(&self, is_before: impl Fn(&SimpleCommand) -> bool) -> Option<String> {
        let mut base = String::new();
        for step in self.steps.iter().filter(|step| is_before(step.command)) {
            match step.effect {
                Effect::Enters(folder) if base.is_empty() => base = folder.to_owned(),
                Effect::Enters(folder) => base = format!("{base}/{folder}"),
                Effect::Changes => return None,
                Effect::Nothing => {}
            }
        }
        Some(base)
    }
}

fn effect<'l>(command: &'l SimpleCommand, line: &ParsedLine) -> Effect<'l> {
    if let Some(folder) = entered(command, line) {
        return Effect::Enters(folder);
    }
    let writes = command.redirections.iter().any(|redirection| {
        let target = redirection.target.as_ref().map_or("", |target| target.text.as_str());
        redirection.operator.contains('>') && !redirection.operator.ends_with('&') && target != "/dev/null"
    });
    let changes = match command.name() {
        Some("mkdir") => made_by(command).is_none(),
        Some(_) => Tool::of(command).is_none_or(|tool| tool.changes),
        None => !command.words.is_empty(),
    };
    if writes || changes { Effect::Changes } else { Effect::Nothing }
}

/// Returns the folders that the `mkdir` of a line make, so that commands behind them find these: relative and whole paths.
pub(super) fn made(line: &ParsedLine) -> Vec<&str> {
    let commands = line.parsed().commands.iter().take(COMMANDS_MAX).filter(|it| it.name() == Some("mkdir"));
    commands.filter_map(made_by).flatten().collect()
}

/// Returns the folders that a `mkdir` makes; `None` if that is not sure.
fn made_by(command: &SimpleCommand) -> Option<Vec<&str>> {
    let operands = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let paths = operands.map(|word| {
        let is_home =
            !word.quoted && word.text.strip_prefix("~/").is_some_and(|rest| !rest.contains(['*', '{', '$']));
        (word.literal || is_home).then_some(word.text.trim_end_matches('/'))
    });
    paths.collect::<Option<Vec<&str>>>().filter(|_| command.within.is_empty())
}

/// Returns the folder of `cd FOLDER`, if it changes the directory for the rest of the line.
fn entered<'l>(command: &'l SimpleCommand, line: &ParsedLine) -> Option<&'l str> {
    let [cd, folder] = command.words.as_slice() else { return None };
    let is_alone = |other: &SimpleCommand| other.pipeline != command.pipeline || other.span == command.span;
    let behind = line.text().get(command.span.end..)?.trim_start_matches([' ', '\t']);
    let is_plain = cd.text == "cd"
        && command.within.is_empty()
        && command.redirections.is_empty()
        && (behind.starts_with("&&") || behind.starts_with([';', '\n']))
        && line.parsed().commands.iter().all(is_alone);
    relative(folder).filter(|folder| is_plain && !folder.is_empty())
}
