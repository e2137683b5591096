//! The call of a known tool: which of its words name files, and what they are for.

use super::path::{joined, relative};
use super::working_dirs::WorkingDirs;
use crate::parts::parts;
use crate::tool::{Tool, Wants};
use askline_syntax::options::{Given, Part, Value};
use askline_syntax::{SimpleCommand, Word, program_name};

/// Maximum number of operands that are looked at.
const OPERANDS_MAX: usize = 32;

/// A call of a known tool.
#[derive(Clone)]
pub(super) struct Call<'l> {
    pub(super) command: &'l SimpleCommand,
    pub(super) name: &'l str,
    pub(super) tool: &'static Tool,
    /// The folder in which it runs, as a path without `.`; empty for the directory itself.
    pub(super) base: String,
    pub(super) options: Vec<Given<'l>>,
    /// The words that name files.
    pub(super) operands: Vec<&'l Word>,
    /// The values of options that name files to read.
    pub(super) inputs: Vec<&'l Word>,
    /// The script of awk, sed or grep.
    pub(super) script: Option<&'l Word>,
}

impl<'l> Call<'l> {
    /// Returns the calls of known tools that run in a known folder, before any change of files.
    pub(super) fn all(dirs: &WorkingDirs<'l>) -> Vec<Self> {
        dirs.steps.iter().filter_map(|step| Self::of(step.command, dirs)).collect()
    }

    fn of(command: &'l SimpleCommand, dirs: &WorkingDirs<'l>) -> Option<Self> {
        let base = dirs.before(command)?;
        let name = program_name(command.name()?);
        let tool = Tool::of(command).filter(|tool| tool.wants != Wants::None)?;
        let (mut options, mut operands, mut is_behind) = (Vec::new(), Vec::new(), false);
        for part in parts(command)? {
            match part {
                Part::Option(given) => options.push(given),
                Part::Operand(index) => operands.extend(command.words.get(index)),
                Part::End(_) if tool.behind_dashes => {
                    operands.clear();
                    is_behind = true;
                }
                Part::End(_) => {}
            }
        }
        if tool.behind_dashes && !is_behind {
            operands.clear();
        }
        if name == "find" {
            (options, operands) = (Vec::new(), starts(command));
        }
        if options.iter().any(|given| tool.hides(&given.name)) {
            return None;
        }
        let skip = tool.skipped(&options).min(operands.len());
        let script = operands.drain(..skip).next();
        operands.truncate(tool.most.unwrap_or(OPERANDS_MAX).min(OPERANDS_MAX));
        let inputs = options.iter().filter(|given| tool.reads(given)).filter_map(|given| given.value);
        let inputs = inputs.filter(|value| value.from == 0).filter_map(|value| command.words.get(value.word));
        let inputs = inputs.take(OPERANDS_MAX).collect();
        options.truncate(OPERANDS_MAX);
        Some(Self { command, name, tool, base, options, operands, inputs, script })
    }

    /// Reports whether one of these options is given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.name.as_ref()))
    }

    /// Returns the option with one of these names that has a value.
    pub(super) fn value(&self, names: &[&str]) -> Option<(Value, &str)> {
        let given = self.options.iter().rev().find(|given| names.contains(&given.name.as_ref()))?;
        let value = given.value?;
        Some((value, value.text(&self.command.words)))
    }

    /// Reports whether folders are read too.
    pub(super) fn is_deep(&self) -> bool {
        let is_deep = |given: &Given<'_>| self.tool.deep.iter().any(|known| *known == given.name);
        self.options.iter().any(is_deep)
    }

    /// Returns the relative path of the only file that the tool reads, as operand or by `<`.
    pub(super) fn only_file(&self) -> Option<&'l str> {
        relative(self.only_word()?).filter(|path| !path.is_empty())
    }

    /// Returns the word that names the only file that the tool reads, as operand or by `<`.
    pub(super) fn only_word(&self) -> Option<&'l Word> {
        if self.tool.wants != Wants::File {
            return None;
        }
        let input = self.command.redirections.iter().find(|redirection| redirection.operator == "<");
        match (self.operands.as_slice(), input) {
            ([word], _) => Some(*word),
            ([], Some(input)) => input.target.as_ref(),
            _ => None,
        }
    }

    /// Returns a path in the folder of the call as one in the directory.
    pub(super) fn path(&self, below: &str) -> String {
        joined(&self.base, below)
    }

    /// Returns the operands that name sources, and the target if the tool has one.
    pub(super) fn sources(&self) -> (&[&'l Word], Option<&'l Word>) {
        match (self.tool.wants, self.operands.as_slice()) {
            (Wants::Copy, [sources @ .., target]) if !sources.is_empty() => (sources, Some(*target)),
            (Wants::Copy, _) => (&[], None),
            (_, operands) => (operands, None),
        }
    }
}

/// Returns the starting points of `find`.
fn starts(command: &SimpleCommand) -> Vec<&Word> {
    let words = command.words.iter().skip(1);
    let starts = words.skip_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P"));
    let is_start = |word: &&Word| !word.text.starts_with(['-', '(', '!', ')']);
    starts.take_while(is_start).take(OPERANDS_MAX).collect()
}
