//! The tables of effects: what programs do to what. `README.md` beside this file says how they are written.

#[cfg(test)]
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

#[cfg(test)]
use super::effect::Label;
use super::effect::{Effect, Scope};
use crate::shell::Shell;

/// All of them, as `build/effects.rs` leaves them.
const OWN: &str = include_str!(concat!(env!("OUT_DIR"), "/effects.json"));

/// The name of the entry that speaks for programs without one.
const ANY: &str = "*";

/// All entries.
#[derive(Debug)]
pub(super) struct Table {
    programs: Vec<Program>,
    /// Index of entries by the first word of their names, with the words after it; the longest first.
    by_name: HashMap<String, Vec<(Vec<String>, usize)>>,
    /// First words that stand for any ending (`mkfs.`).
    beginnings: Vec<String>,
}

/// A program, or a subcommand of one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    pub(super) names: Vec<String>,
    #[serde(default)]
    pub(super) shells: Vec<String>,
    #[serde(default)]
    pub(super) values: Vec<String>,
    pub(super) style: Option<Style>,
    #[serde(default)]
    pub(super) idle: Vec<String>,
    pub(super) idle_reads: Option<Scope>,
    pub(super) otherwise: Option<Effect>,
    #[serde(default, rename = "row")]
    pub(super) rows: Vec<Row>,
    #[cfg(test)]
    #[serde(default)]
    pub(super) safe: Vec<String>,
}

/// How a program's options are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Style {
    /// `-rf` is `-r -f`; `--long`.
    #[default]
    Getopt,
    /// An option is a whole word.
    Words,
    /// The first operand is letters, too.
    Bundle,
}

/// One thing that a program does, and when.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) does: Effect,
    #[serde(default)]
    pub(super) to: Target,
    pub(super) alone: Option<Scope>,
    #[serde(default)]
    pub(super) reads: Reads,
    #[serde(default)]
    pub(super) when: Vec<Condition>,
    #[serde(default)]
    pub(super) unless: Vec<Condition>,
    #[serde(default)]
    pub(super) operands: usize,
    #[serde(default = "usize_max")]
    pub(super) at_most: usize,
    #[serde(default)]
    pub(super) tree: bool,
    #[serde(default)]
    pub(super) forced: bool,
    #[serde(default)]
    pub(super) recoverable: bool,
    /// It holds for the subcommands, too, whatever their own entries say.
    #[serde(default)]
    pub(super) below: bool,
    pub(super) says: Option<String>,
    /// Lines in which it speaks, with the label of the whole line.
    #[cfg(test)]
    #[serde(default)]
    yes: BTreeMap<String, Label>,
    #[cfg(test)]
    #[serde(default)]
    no: Vec<String>,
}

fn usize_max() -> usize {
    usize::MAX
}

/// What an effect hits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(super) enum Target {
    /// The scope itself.
    Scope(Scope),
    /// All operands, or some of them.
    Operands(Which),
    /// The value of one of these options, or the tail of a word that begins so (`of=`).
    Options(Condition),
    /// What the command reads from its standard input.
    Stdin,
}

/// Some of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    First,
    Second,
    Last,
    ButFirst,
    ButLast,
}

impl Default for Target {
    fn default() -> Self {
        Self::Scope(Scope::Own)
    }
}

impl From<String> for Target {
    fn from(text: String) -> Self {
        let scope = [
            Scope::Own,
            Scope::Tree,
            Scope::Cwd,
            Scope::Home,
            Scope::System,
            Scope::Device,
            Scope::Remote,
            Scope::Everything,
            Scope::Unreadable,
        ]
        .into_iter()
        .find(|scope| scope.name() == text);
        match (scope, text.as_str()) {
            (Some(scope), _) => Self::Scope(scope),
            (_, "operands") => Self::Operands(Which::All),
            (_, "first") => Self::Operands(Which::First),
            (_, "second") => Self::Operands(Which::Second),
            (_, "last") => Self::Operands(Which::Last),
            (_, "but-first") => Self::Operands(Which::ButFirst),
            (_, "but-last") => Self::Operands(Which::ButLast),
            (_, "stdin") => Self::Stdin,
            _ => Self::Options(Condition::from(text)),
        }
    }
}

/// What an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Reads {
    #[default]
    Path,
    Host,
    Shell,
    Code,
    Redis,
    Sql,
    Name,
}

/// Words of which one must be there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "String")]
pub(super) struct Condition {
    pub(super) alternatives: Vec<String>,
}

impl From<String> for Condition {
    fn from(text: String) -> Self {
        Self { alternatives: text.split_whitespace().map(str::to_owned).collect() }
    }
}

#[cfg(test)]
impl Row {
    /// Lines in which it speaks, with their labels, and lines in which it does not.
    pub(super) fn examples(&self) -> (&BTreeMap<String, Label>, &[String]) {
        (&self.yes, &self.no)
    }
}

impl Program {
    /// It speaks in lines of this shell.
    fn is_of(&self, shell: Shell) -> bool {
        self.shells.is_empty() || self.shells.iter().any(|name| name == shell.name())
    }
}

/// An entry that speaks for a command, and how many words after the command word its name took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) program: &'a Program,
    pub(super) words: usize,
}

impl Table {
    /// The tables of this program.
    pub(super) fn own() -> &'static Self {
        static TABLE: LazyLock<Table> = LazyLock::new(|| {
            #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
            Table::of(serde_json::from_str(OWN).expect("the tables of effects are well-formed"))
        });
        &TABLE
    }

    /// Reads tables with their examples, given as their names and texts.
    ///
    /// # Errors
    /// Names the file and the place that is not as `README.md` says.
    #[cfg(test)]
    pub(super) fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> anyhow::Result<Self> {
        use anyhow::Context as _;
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            otherwise: Option<Effect>,
            program: Vec<Program>,
        }
        let mut programs = Vec::new();
        for (name, text) in files {
            let file: File = toml::from_str(text).with_context(|| format!("effects/{name}.toml"))?;
            let otherwise = file.otherwise;
            programs.extend(
                file.program
                    .into_iter()
                    .map(|program| Program { otherwise: program.otherwise.or(otherwise), ..program }),
            );
        }
        Ok(Self::of(programs))
    }

    fn of(programs: Vec<Program>) -> Self {
        let mut by_name: HashMap<String, Vec<(Vec<String>, usize)>> = HashMap::new();
        let mut beginnings = Vec::new();
        for (index, program) in programs.iter().enumerate() {
            for name in &program.names {
                let mut words = name.split(' ').map(str::to_owned);
                let mut first = words.next().unwrap_or_default();
                if first != ANY && first.ends_with('*') {
                    first.pop();
                    beginnings.push(first.clone());
                }
                by_name.entry(first).or_default().push((words.collect(), index));
            }
        }
        for named in by_name.values_mut() {
            // Stable: of entries with the same name, those for some shells only stand first.
            named.sort_by_key(|(words, index)| {
                (
                    usize::MAX - words.len(),
                    programs.get(*index).is_none_or(|program| program.shells.is_empty()),
                )
            });
        }
        Self { programs, by_name, beginnings }
    }

    /// The entry for a command word and the words after it that are no options, which `rest` gives as far as they are
    /// literal; the longest name that fits.
    pub(super) fn find(&self, name: &str, rest: &[&str], shell: Shell) -> Option<Named<'_>> {
        let beginning = || self.beginnings.iter().find(|beginning| name.starts_with(beginning.as_str()));
        let entries = self.by_name.get(name).or_else(|| self.by_name.get(beginning()?))?;
        entries.iter().find_map(|(words, index)| {
            let program = self.programs.get(*index)?;
            let fits =
                words.len() <= rest.len() && words.iter().zip(rest).all(|(word, given)| is_like(given, word));
            (fits && program.is_of(shell)).then_some(Named { program, words: words.len() })
        })
    }

    /// The entry of the program itself, of which another one may be a subcommand.
    pub(super) fn top(&self, name: &str, shell: Shell) -> Option<&Program> {
        let entries = self.by_name.get(name)?.iter().filter(|(words, _)| words.is_empty());
        entries.filter_map(|(_, index)| self.programs.get(*index)).find(|program| program.is_of(shell))
    }

    /// What speaks for programs without an entry.
    pub(super) fn any(&self) -> Option<&Program> {
        let (_, index) = self.by_name.get(ANY)?.first()?;
        self.programs.get(*index)
    }

    /// Options whose value may stand in the next word: those of a command and of its subcommands as far as `rest` has them,
    /// or of all where none is known yet.
    pub(super) fn values<'a>(&'a self, name: &str, rest: Option<&[&str]>) -> Vec<&'a str> {
        let beginning = || self.beginnings.iter().find(|beginning| name.starts_with(beginning.as_str()));
        let entries = self.by_name.get(name).or_else(|| self.by_name.get(beginning()?));
        let entries = entries.map(Vec::as_slice).unwrap_or_default();
        let is_level = |words: &[String]| {
            rest.is_none_or(|rest| {
                words.len() <= rest.len() && words.iter().zip(rest).all(|(word, given)| is_like(given, word))
            })
        };
        let programs = entries
            .iter()
            .filter(|(words, _)| is_level(words))
            .filter_map(|(_, index)| self.programs.get(*index));
        programs.flat_map(|program| program.values.iter().map(String::as_str)).collect()
    }

    /// All entries.
    #[cfg(test)]
    pub(super) fn programs(&self) -> &[Program] {
        &self.programs
    }
}

/// Whether a text has a form in which `*` stands for any text.
pub fn is_like(text: &str, form: &str) -> bool {
    let mut parts = form.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            let Some((_, after)) = rest.split_once(middle) else { return false };
            rest = after;
        }
    }
    last.map_or(rest.is_empty(), |end: &str| rest.ends_with(end))
}
