//! Options, their values and the operands of a command.

use askline_syntax::options::{self, Form, Part, ProgramOptions, Reader};
use askline_syntax::{SimpleCommand, Word, program_name};

/// Returns the options and operands of a command.
pub(crate) fn parts(command: &SimpleCommand) -> Option<Vec<Part<'_>>> {
    let name = program_name(command.name()?);
    let known = ProgramOptions::of(name, &[]);
    let mut reader = Reader::new(&command.words, 1, Form::of(name));
    let mut parts = Vec::new();
    while let Some(part) = reader.next(&known) {
        if matches!(part, Part::Operand(_)) && options::stops(name) {
            reader.end_options();
        }
        parts.push(part);
    }
    Some(parts)
}

/// Returns the operands of a command.
pub(crate) fn operands(command: &SimpleCommand) -> impl Iterator<Item = &Word> {
    parts(command).into_iter().flatten().filter_map(|part| match part {
        Part::Operand(at) => command.words.get(at),
        Part::Option(_) | Part::End(_) => None,
    })
}

/// Words of a call of `grep`: the patterns, the lists of patterns and the files.
#[derive(Debug, Default)]
pub(crate) struct GrepWords<'l> {
    pub(crate) patterns: Vec<&'l str>,
    pub(crate) lists: Vec<&'l str>,
    pub(crate) files: Vec<&'l Word>,
}

impl<'l> GrepWords<'l> {
    /// Reads a call of `grep`; `None` for a command without a name.
    pub(crate) fn of(command: &'l SimpleCommand) -> Option<Self> {
        let mut words = Self::default();
        for part in parts(command)? {
            match part {
                Part::Option(given) => {
                    let Some(text) = given.value.map(|value| value.text(&command.words)) else { continue };
                    match given.name.as_ref() {
                        "-e" | "--regexp" => words.patterns.push(text),
                        "-f" | "--file" => words.lists.push(text),
                        _ => {}
                    }
                }
                Part::Operand(at) => words.files.extend(command.words.get(at)),
                Part::End(_) => {}
            }
        }
        if words.patterns.is_empty() && words.lists.is_empty() && !words.files.is_empty() {
            words.patterns.push(words.files.remove(0).text.as_str());
        }
        Some(words)
    }
}
