//! Effects and output of a whole line, by tables per command.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::mark::{Mark, is_last};
use askline_syntax::{Nesting, ParsedLine, Redirection, SimpleCommand, Word};

/// Something that a line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Effect {
    /// Chooses or changes parts of a text.
    Filters,
    Splits,
    /// Writes a file by a redirection, `tee` or an option.
    Writes,
    /// Changes the content of a file.
    Edits,
    Removes,
    Moves,
    Copies,
    Creates,
    Links,
    Permits,
    Owns,
    Packs,
    Unpacks,
    Signals,
    /// Asks another machine.
    Fetches,
    /// Writes what another machine sends.
    Saves,
    /// May change a repository or a schedule.
    Changes,
    /// Changes a repository.
    Alters,
}

/// The form of the output of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    Nothing,
    /// One number.
    Number,
    /// Numbers beside names or lines.
    Numbered,
    Names,
    /// Several fields in a row.
    Fields,
    /// Parts of what files contain.
    Lines,
    Text,
}

/// The effects of a line whose commands are all known.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    does: Vec<Effect>,
    /// `None` if the last command can print anything.
    pub(crate) prints: Option<Shape>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    by: Vec<Mark>,
    #[serde(default)]
    does: Vec<Effect>,
    #[serde(default)]
    prints: Option<Shape>,
    /// The command prints rows that it reads.
    #[serde(default)]
    passes: bool,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("effects.toml")).expect("effects.toml is well-formed")
});

impl Effects {
    /// Returns the effects of a line; `None` if a command of it is not known.
    pub(crate) fn of(line: &ParsedLine) -> Option<Self> {
        let parsed = line.parsed();
        if parsed.incomplete || !parsed.errors.is_empty() {
            return None;
        }
        // A page of help or a version is no effect.
        let is_help = |word: &Word| matches!(word.text.as_str(), "--help" | "--version");
        if parsed.commands.iter().any(|command| command.words.iter().skip(1).any(is_help)) {
            return None;
        }
        let mut effects = Self::default();
        for command in &parsed.commands {
            let rows = rows(line, command);
            if rows.is_empty() && !command.words.is_empty() {
                return None;
            }
            effects.does.extend(rows.iter().flat_map(|row| &row.does).copied());
            if command.redirections.iter().any(writes) || command.name() == Some("tee") && tees(command) {
                effects.does.push(Effect::Writes);
            }
        }
        let last = parsed.commands.iter().rev().find(|command| {
            let is_inner = |it: &Nesting| matches!(it, Nesting::Substitution | Nesting::ProcessSubstitution);
            !command.words.is_empty() && is_last(line, command) && !command.within.iter().any(is_inner)
        })?;
        let is_file =
            last.redirections.iter().any(|it| it.descriptor != Some(2) && it.operator.contains('>'));
        effects.prints = if is_file { Some(Shape::Nothing) } else { shape(line, last) };
        Some(effects)
    }

    /// Reports whether the line has one of the effects.
    pub(crate) fn any(&self, of: &[Effect]) -> bool {
        self.does.iter().any(|effect| of.contains(effect))
    }
}

/// Returns the shape of the output of a command; of one that passes rows on, that of the command before it.
pub(crate) fn shape(line: &ParsedLine, command: &SimpleCommand) -> Option<Shape> {
    let mut command = command;
    for _ in 0..=command.position {
        let rows = rows(line, command);
        if !rows.iter().any(|row| row.passes) {
            return rows.iter().find_map(|row| row.prints);
        }
        command = before(line, command)?;
    }
    None
}

/// Returns the command that a command reads: the last one of the place before it in its pipeline.
pub(crate) fn before<'l>(line: &'l ParsedLine, command: &SimpleCommand) -> Option<&'l SimpleCommand> {
    let is_before = |other: &&SimpleCommand| {
        other.pipeline == command.pipeline
            && other.position + 1 == command.position
            && other.span.start < command.span.start
    };
    line.parsed().commands.iter().rev().find(is_before)
}

fn rows(line: &ParsedLine, command: &SimpleCommand) -> Vec<&'static Row> {
    TABLE.row.iter().filter(|row| row.by.iter().any(|mark| mark.is_of(line, command))).collect()
}

/// Reports whether a redirection writes a file.
fn writes(redirection: &Redirection) -> bool {
    let is_output = matches!(redirection.operator.as_str(), ">" | ">>" | ">|" | "&>" | "&>>");
    is_output
        && redirection.descriptor != Some(2)
        && redirection.target.as_ref().is_some_and(|it| !it.text.starts_with("/dev/"))
}

/// Reports whether `tee` writes a file.
fn tees(command: &SimpleCommand) -> bool {
    command
        .words
        .iter()
        .skip(1)
        .any(|word| !word.text.starts_with(['-', '>']) && !word.text.starts_with("/dev/"))
}
