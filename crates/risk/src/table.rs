//! Effect tables: effects of each program and their targets. `effects/README.md` describes the format.

use std::borrow::Cow;
#[cfg(test)]
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::Deserialize;

#[cfg(test)]
use super::effect::Label;
use super::effect::{Effect, Scope};
use askline_syntax::options::Form;
use askline_syntax::shell::Shell;

/// All entries without their examples, one JSON object per line; `build/effects.rs` generates them from the tables.
const ROWS: &str = include_str!(concat!(env!("OUT_DIR"), "/effects.jsonl"));
/// First words of entry names, sorted, each with the byte ranges of its entries in [`ROWS`].
const FIRST_WORDS: &[(&str, &[(usize, usize)])] = include!(concat!(env!("OUT_DIR"), "/effects.rs"));

/// Name of the entry for programs without an entry of their own.
const ANY: &str = "*";

/// All entries. The entries of a program are parsed on first use.
#[derive(Debug)]
pub(super) struct EffectTable {
    /// First words of entry names, sorted; a trailing `*` matches any ending.
    first_words: Vec<Cow<'static, str>>,
    /// Entries of each first word.
    groups: Vec<OnceLock<Group>>,
    /// First words with a trailing `*` (`mkfs.*`), without the `*`.
    beginnings: Vec<String>,
    #[cfg(test)]
    programs: Vec<Arc<EffectEntry>>,
}

/// Entries whose names share a first word, with the remaining words of the name. Longer names come first; of equal
/// length, entries for certain shells come first.
type Group = Vec<(Vec<String>, Arc<EffectEntry>)>;

/// Table entry of a program or of a subcommand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EffectEntry {
    pub(super) names: Vec<String>,
    #[serde(default)]
    pub(super) shells: Vec<String>,
    pub(super) style: Option<Form>,
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

impl EffectEntry {
    /// Returns the alternatives of all conditions.
    fn conditions(&self) -> impl Iterator<Item = &String> {
        let conditions = self.rows.iter().flat_map(|row| row.when.iter().chain(&row.unless));
        conditions.flat_map(|condition| &condition.alternatives)
    }
}

/// Effect of a program with its conditions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) does: Effect,
    #[serde(default)]
    pub(super) to: Target,
    pub(super) alone: Option<Scope>,
    #[serde(default)]
    pub(super) reads: OperandReading,
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
    /// `true` if the row also applies to subcommands, whatever their own entries contain.
    #[serde(default)]
    pub(super) below: bool,
    /// `true` if the command fails unless the target exists.
    #[serde(default)]
    pub(super) existing: bool,
    /// `true` if the files that a pattern names lose their content.
    #[serde(default)]
    pub(super) replaces: bool,
    /// `true` if what is written is a list or a log: a file that its name says to be something else loses its content.
    #[serde(default)]
    pub(super) lists: bool,
    /// `true` if the program asks before it replaces a file: an answer in its input replaces it.
    #[serde(default)]
    pub(super) asks: bool,
    /// `true` if the command that the target contains gets operands that the line does not name.
    #[serde(default)]
    pub(super) appends: bool,
    /// `true` if the row applies even with an option with which the program only prints or simulates.
    #[serde(default)]
    pub(super) always: bool,
    /// Names of the entry to which the row applies; empty: all.
    #[serde(default)]
    pub(super) only: Vec<String>,
    /// `true` if an option in `unless` counts only before the word that `when` names.
    #[serde(default)]
    pub(super) ahead: bool,
    pub(super) says: Option<String>,
    /// Command lines in which the row applies, with the label of the whole command line.
    #[cfg(test)]
    #[serde(default)]
    yes: BTreeMap<String, Label>,
    #[cfg(test)]
    #[serde(default)]
    no: Vec<String>,
}

impl Row {
    /// Reports whether the target may be a directory into which the command puts something.
    pub(super) fn puts(&self) -> bool {
        let is_option = |to: &Condition| to.alternatives.iter().any(|option| option == "--target-directory");
        match (&self.to, self.does) {
            (Target::Operands(OperandSelection::Last), Effect::WriteNew | Effect::Overwrite) => true,
            (Target::Options(_), Effect::WriteNew) => true,
            (Target::Options(to), Effect::Overwrite) => is_option(to),
            _ => false,
        }
    }
}

fn usize_max() -> usize {
    usize::MAX
}

/// Target of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(super) enum Target {
    /// A fixed scope.
    Scope(Scope),
    /// Operands, all or some of them.
    Operands(OperandSelection),
    /// The value of one of these options, or the rest of a word with one of these prefixes (`of=`).
    Options(Condition),
    /// Standard input of the command.
    Stdin,
}

/// Selection of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandSelection {
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
            (_, "operands") => Self::Operands(OperandSelection::All),
            (_, "first") => Self::Operands(OperandSelection::First),
            (_, "second") => Self::Operands(OperandSelection::Second),
            (_, "last") => Self::Operands(OperandSelection::Last),
            (_, "but-first") => Self::Operands(OperandSelection::ButFirst),
            (_, "but-last") => Self::Operands(OperandSelection::ButLast),
            (_, "stdin") => Self::Stdin,
            _ => Self::Options(Condition::from(text)),
        }
    }
}

/// Interpretation of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OperandReading {
    #[default]
    Path,
    /// A path, or a command behind one of [`COMMAND_SIGNS`](super::reading::COMMAND_SIGNS).
    FileOrCommand,
    Host,
    Shell,
    /// A command of an editor, in which `!` begins a command line of a shell.
    Editor,
    Code,
    Redis,
    Sql,
    Name,
}

/// Alternative words, one of which must be present.
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
    /// Returns command lines in which the row applies, with their labels, and command lines in which it does not.
    pub(super) fn examples(&self) -> (&BTreeMap<String, Label>, &[String]) {
        (&self.yes, &self.no)
    }
}

/// Reports whether an entry for these shells applies to one; without any it applies to all.
pub(super) fn is_for(shells: &[String], shell: Shell) -> bool {
    shells.is_empty() || shells.iter().any(|name| name == shell.name())
}

/// Entry found for a command, with the number of words after the command word that its name covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundEntry<'a> {
    pub(super) program: &'a EffectEntry,
    pub(super) words: usize,
}

impl EffectTable {
    /// Returns the built-in tables.
    pub(super) fn own() -> &'static Self {
        static TABLE: LazyLock<EffectTable> = LazyLock::new(|| {
            let first_words: Vec<_> = FIRST_WORDS.iter().map(|(word, _)| Cow::Borrowed(*word)).collect();
            EffectTable {
                groups: first_words.iter().map(|_| OnceLock::new()).collect(),
                beginnings: beginnings(&first_words),
                first_words,
                #[cfg(test)]
                programs: Vec::new(),
            }
        });
        &TABLE
    }

    /// Parses tables with their examples, given as file names and texts.
    ///
    /// # Errors
    /// Returns an error with the file and position that violates the format in `effects/README.md`.
    #[cfg(test)]
    pub(super) fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> anyhow::Result<Self> {
        use anyhow::Context as _;
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            otherwise: Option<Effect>,
            program: Vec<EffectEntry>,
        }
        let mut programs = Vec::new();
        for (name, text) in files {
            let file: File = toml::from_str(text).with_context(|| format!("effects/{name}.toml"))?;
            let otherwise = file.otherwise;
            programs.extend(
                file.program
                    .into_iter()
                    .map(|program| EffectEntry { otherwise: program.otherwise.or(otherwise), ..program }),
            );
        }
        Ok(Self::of(programs))
    }

    #[cfg(test)]
    fn of(programs: Vec<EffectEntry>) -> Self {
        let programs: Vec<_> = programs.into_iter().map(Arc::new).collect();
        let mut by_word: BTreeMap<String, Vec<Arc<EffectEntry>>> = BTreeMap::new();
        for program in &programs {
            for name in &program.names {
                let found = by_word.entry(name.split(' ').next().unwrap_or_default().to_owned()).or_default();
                if !found.last().is_some_and(|last| Arc::ptr_eq(last, program)) {
                    found.push(Arc::clone(program));
                }
            }
        }
        let groups =
            by_word.iter().map(|(word, programs)| OnceLock::from(group(word, programs.iter().cloned())));
        let groups = groups.collect();
        let first_words = by_word.into_keys();
        let first_words: Vec<_> = first_words.map(Cow::Owned).collect();
        Self { groups, beginnings: beginnings(&first_words), first_words, programs }
    }

    /// Returns the entries whose names begin with a word.
    fn group(&self, name: &str) -> Option<&Group> {
        let place = |word: &str| self.first_words.binary_search_by(|known| known.as_ref().cmp(word)).ok();
        let beginning = || {
            let beginning = self.beginnings.iter().find(|beginning| name.starts_with(beginning.as_str()))?;
            place(&format!("{beginning}*"))
        };
        let at = place(name).or_else(beginning)?;
        Some(self.groups.get(at)?.get_or_init(|| {
            let (word, rows) = FIRST_WORDS.get(at).copied().unwrap_or_default();
            let rows = rows.iter().filter_map(|(start, end)| ROWS.get(*start..*end));
            #[expect(clippy::expect_used, reason = "part of the program; a test reads all of it")]
            let read =
                |row| Arc::new(serde_json::from_str(row).expect("the tables of effects are well-formed"));
            group(word, rows.map(read))
        }))
    }

    /// Returns the entry with the longest matching name for a command word and the words after it, of which `rest` lists the
    /// literal ones that are not options.
    pub(super) fn find(&self, name: &str, rest: &[&str], shell: Shell) -> Option<FoundEntry<'_>> {
        self.group(name)?.iter().find_map(|(words, program)| {
            (begins(rest, words) && is_for(&program.shells, shell))
                .then_some(FoundEntry { program, words: words.len() })
        })
    }

    /// Reports whether entries exist for a program.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.group(name).is_some()
    }

    /// Returns the entry of the program itself, without a subcommand.
    pub(super) fn top(&self, name: &str, shell: Shell) -> Option<&EffectEntry> {
        let entries = self.group(name)?.iter().filter(|(words, _)| words.is_empty());
        entries.map(|(_, program)| program.as_ref()).find(|program| is_for(&program.shells, shell))
    }

    /// Reports whether the entries of a program know subcommands.
    pub(super) fn has_subcommands(&self, name: &str) -> bool {
        let is_word = |form: &String| {
            form.len() > 1
                && form.bytes().all(|byte| byte.is_ascii_lowercase() || b"-:".contains(&byte))
                && !form.starts_with('-')
        };
        let knows = |program: &EffectEntry| program.conditions().any(is_word);
        self.group(name)
            .is_some_and(|group| group.iter().any(|(words, program)| !words.is_empty() || knows(program)))
    }

    /// Reports whether the entries of a program mention a word as a subcommand.
    pub(super) fn mentions(&self, name: &str, word: &str) -> bool {
        let group = self.group(name).map(Vec::as_slice).unwrap_or_default();
        group.iter().any(|(words, program)| {
            words.first().is_some_and(|first| is_like(word, first))
                || program.conditions().any(|form| !form.starts_with('-') && is_like(word, form))
        })
    }

    /// Reports whether a word is a subcommand that the entries of a program name.
    pub(super) fn names(&self, name: &str, word: &str) -> bool {
        let group = self.group(name).map(Vec::as_slice).unwrap_or_default();
        group.iter().any(|(words, program)| {
            words.iter().any(|known| known == word) || program.conditions().any(|form| form == word)
        })
    }

    /// Reports whether the entries of a program mention an option.
    pub(super) fn knows_option(&self, name: &str, option: &str) -> bool {
        let group = self.group(name).map(Vec::as_slice).unwrap_or_default();
        let is_one = |form: &str| form == option;
        group.iter().any(|(_, program)| {
            let targets = program.rows.iter().filter_map(|row| match &row.to {
                Target::Options(condition) => Some(condition),
                _ => None,
            });
            let mut targets = targets.flat_map(|condition| &condition.alternatives);
            program.conditions().any(|form| is_one(form)) || targets.any(|form| is_one(form))
        })
    }

    /// Returns the entry for programs without an entry of their own.
    pub(super) fn any(&self) -> Option<&EffectEntry> {
        self.group(ANY)?.first().map(|(_, program)| program.as_ref())
    }

    /// Returns all entries.
    #[cfg(test)]
    pub(super) fn programs(&self) -> &[Arc<EffectEntry>] {
        &self.programs
    }
}

/// Returns the entries among `programs` whose names begin with a word.
fn group(word: &str, programs: impl Iterator<Item = Arc<EffectEntry>>) -> Group {
    let mut group: Group = programs
        .flat_map(|program| {
            let names =
                program.names.iter().map(|name| name.split(' ').map(str::to_owned).collect::<Vec<_>>());
            let own = names.filter(|words| words.first().is_some_and(|first| first == word));
            own.map(|words| (words.into_iter().skip(1).collect(), Arc::clone(&program))).collect::<Group>()
        })
        .collect();
    group.sort_by_key(|(words, program)| (usize::MAX - words.len(), program.shells.is_empty()));
    group
}

fn beginnings(first_words: &[Cow<'static, str>]) -> Vec<String> {
    let beginning =
        |word: &Cow<'static, str>| Some(word.strip_suffix('*').filter(|rest| !rest.is_empty())?.to_owned());
    first_words.iter().filter_map(beginning).collect()
}

/// Reports whether the words begin with the words of a name.
fn begins(given: &[&str], words: &[String]) -> bool {
    words.len() <= given.len() && words.iter().zip(given).all(|(word, given)| is_like(given, word))
}

/// Reports whether a text matches a pattern in which `*` stands for any text.
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
