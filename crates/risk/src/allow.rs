//! Closed allow list of command lines that askline may run without asking: they only read this machine.
//!
//! The list is separate from the effect tables on purpose. Those judge every command line and may be wrong, because a
//! person checks the result. This list must not be wrong. It knows only `allow.toml`: programs, each of their options
//! with its arity, and the kind of their operands. An unknown program, option, subcommand or character refuses the
//! command line. A second parser (`syntax`) must find the same words.
//!
//! The caller must still run an allowed command line with a second line of defence: without the user's aliases,
//! functions and environment (`RIPGREP_CONFIG_PATH`, `LESSOPEN`, `TAR_OPTIONS`, `GIT_*`, `LD_*` change what programs
//! do), with a `PATH` of system directories only, without terminal and input, with limits on time and output, and in a
//! sandbox that has no network, allows no writes and hides secret paths (a recursive search may reach them). Git must
//! read only repositories whose settings pass [`git_settings`]: others start programs. A program that needs services must
//! start without a shell. The current directory must not be a secret path itself.
//!
//! No allowed command changes a variable of its shell, because the variables of the caller are a part of the defence.
//!
//! Command lines of Nushell are refused, because only its own engine can parse them.

mod git;
mod line;
mod script;
mod secret;
#[cfg(test)]
mod tests;
mod value;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::table::is_for;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;
use line::Plain;
pub use line::Word;
use secret::{Secrets, WordContext};
use value::WordKind;

/// A command line that may run without asking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Argument vectors, in the order of the line. Globs and `~` stay as written, operators are left out.
    pub commands: Vec<Vec<Word>>,
    /// Files that the commands read by `<`.
    pub inputs: Vec<Word>,
    /// What the programs need beside files.
    pub needs: Needs,
}

/// What programs need beside files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// The kernel's view of processes and devices: `/proc` and `/sys`.
    pub system: bool,
    /// Questions to the kernel about the network.
    pub kernel: bool,
    /// Sockets of services on this machine. The line is then a single command.
    pub services: bool,
}

/// Returns a command line that may run without asking, in parts.
///
/// # Errors
/// Returns the reason for the refusal, as text that continues "it is not run: …".
pub fn allowed(line: &str, shell: Shell) -> Result<Allowed, String> {
    allowed_among(line, shell, Names::Unknown)
}

/// What is known of the names in the working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Nothing: one may look like an option, and `*` may expand to it.
    Unknown,
    /// None begins with a dash.
    NoOptions,
}

/// The same where something is known of the working directory, in which all of the line runs.
///
/// # Errors
/// As [`allowed`].
pub fn allowed_among(line: &str, shell: Shell, names: Names) -> Result<Allowed, String> {
    if shell.is_nushell() {
        return Err("nushell's lines are not on the list".to_owned());
    }
    let commands = line::read(line, shell)?;
    if !is_read_alike(line, shell, &commands) {
        return Err("it can be read in two ways".to_owned());
    }
    let list = List::own();
    let mut allowed = Allowed::default();
    for command in commands {
        list.admit(&command, shell, names)?;
        allowed.inputs.extend(command.inputs);
        allowed.commands.push(command.words);
    }
    let any = |programs: &[String]| {
        let mut names = allowed.commands.iter().filter_map(|words| words.first());
        names.find(|name| programs.contains(&name.text))
    };
    let NeedLists { system, kernel, services } = &list.needs;
    let service = any(services);
    // Sockets are open to all that a line starts, so there must be nothing beside the program that needs them.
    if let Some(name) = service.filter(|_| 1 < allowed.commands.len() || !allowed.inputs.is_empty()) {
        return Err(format!(
            "`{}` connects to services and must be alone on the line; leave the rest out",
            name.text
        ));
    }
    allowed.needs =
        Needs { system: any(system).is_some(), kernel: any(kernel).is_some(), services: service.is_some() };
    Ok(allowed)
}

/// Checks a configuration file of a git repository: it holds only settings that start no program, whatever their value.
///
/// # Errors
/// Returns the reason for the refusal, as text that continues "it is not run: …".
pub fn git_settings(text: &str) -> Result<(), String> {
    List::own().git.admit(text)
}

/// Reports whether a path is one that nobody may read without asking: keys, passwords, histories, devices.
pub fn is_secret(path: &str) -> bool {
    List::own().places.names(path, WordContext { glob: false, names: false })
}

/// Returns the example command lines of the list that it must allow.
#[cfg(test)]
pub(super) fn examples() -> Vec<String> {
    List::own().program.iter().flat_map(|program| program.yes.iter().cloned()).collect()
}

/// Reports whether the general shell parser finds the same words.
fn is_read_alike(line: &str, shell: Shell, commands: &[Plain]) -> bool {
    let parsed = syntax::parse(line, shell);
    let mut pairs = parsed.commands.iter().zip(commands);
    parsed.errors.is_empty()
        && !parsed.incomplete
        && parsed.commands.len() == commands.len()
        && pairs.all(|(theirs, ours)| {
            let mut words = theirs.words.iter().zip(&ours.words);
            theirs.within.is_empty()
                && theirs.assignments.is_empty()
                && theirs.words.len() == ours.words.len()
                && words.all(|(theirs, ours)| {
                    theirs.text == ours.text && (theirs.literal || ours.glob || ours.text.starts_with('~'))
                })
        })
}

/// Content of `allow.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    places: Secrets,
    needs: NeedLists,
    git: git::Settings,
    /// Options that several entries share, referenced as `@name`.
    #[serde(default)]
    sets: BTreeMap<String, String>,
    program: Vec<AllowedProgram>,
}

/// Programs with needs beside files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NeedLists {
    system: Vec<String>,
    kernel: Vec<String>,
    services: Vec<String>,
}

/// Read-only form of a program call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowedProgram {
    /// Command, or command and subcommands; several names if they behave alike.
    names: Vec<String>,
    /// Shells in which the entry applies; all if left out.
    #[serde(default)]
    shells: Vec<String>,
    /// Options allowed before the subcommand.
    #[serde(default)]
    before: String,
    /// Allowed options: `-x`, `-x:kind` with a value, `--long:kind?` with a value only after `=`, `-#` for digits,
    /// `@set`.
    #[serde(default)]
    options: String,
    /// `true` if options are whole words, which may lack the dash.
    #[serde(default)]
    words: bool,
    /// Kind of the first operand if it differs from the others …
    first: Option<WordKind>,
    /// … unless one of these options is given.
    #[serde(default)]
    given: String,
    #[serde(default)]
    operands: WordKind,
    #[serde(default)]
    min: usize,
    max: Option<usize>,
    /// Options of which one must be the first word after the name.
    #[serde(default)]
    need: String,
    /// `true` if options may follow operands. For other programs they are refused there, because some versions read
    /// them as operands.
    #[serde(default)]
    mixed: bool,
    #[serde(default)]
    reads: OperandUse,
    /// Options that make the program walk whole trees; `*` means always.
    #[serde(default)]
    tree: String,
    /// Examples of allowed and refused command lines.
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for tests"))]
    yes: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for tests"))]
    no: Vec<String>,
    #[serde(skip)]
    table: HashMap<String, Option<Taken>>,
}

/// Use of an entry's operands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OperandUse {
    /// Files whose content the program prints.
    #[default]
    Content,
    /// Files whose names and attributes the program prints.
    Names,
    /// Plain text.
    Nothing,
}

/// Value of an option.
#[derive(Debug, Clone, Copy)]
struct Taken {
    kind: WordKind,
    /// `true` if the value can only be in the same word and may be left out.
    attached: bool,
}

impl List {
    fn own() -> &'static Self {
        static LIST: LazyLock<List> = LazyLock::new(|| {
            #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
            List::read(include_str!("allow.toml")).expect("allow.toml is well-formed")
        });
        &LIST
    }

    fn read(text: &str) -> Result<Self, String> {
        let mut list: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for program in &mut list.program {
            for word in program.options.split_whitespace() {
                match word.strip_prefix('@') {
                    Some(name) => {
                        let set = list.sets.get(name).ok_or_else(|| format!("there is no set `{name}`"))?;
                        set.split_whitespace()
                            .try_for_each(|word| program_option(&mut program.table, word))?;
                    }
                    None => program_option(&mut program.table, word)?,
                }
            }
        }
        Ok(list)
    }

    /// Checks that a command is on the list.
    fn admit(&self, command: &Plain, shell: Shell, names: Names) -> Result<(), String> {
        let look = WordContext { glob: false, names: false };
        if let Some(input) = command.inputs.iter().find(|word| self.places.names(&word.text, look)) {
            return Err(format!("`{}` is a secret place or a device", input.text));
        }
        let Some((name, _)) = command.words.split_first().filter(|(name, _)| !name.quoted && !name.glob)
        else {
            return Err("its command is not a plain word".to_owned());
        };
        let around = Around { places: &self.places, names };
        let mut refusal = format!("`{}` is not on the list", name.text);
        let mut near = 0;
        for program in self.program.iter().filter(|program| is_for(&program.shells, shell)) {
            for (count, rest) in program.calls(&command.words) {
                match program.admit(&command.words, rest, around) {
                    Ok(()) => return Ok(()),
                    Err(why) if count >= near => (refusal, near) = (why, count + 1),
                    Err(_) => {}
                }
            }
        }
        Err(refusal)
    }
}

/// What the words of a command are held against.
#[derive(Clone, Copy)]
struct Around<'a> {
    places: &'a Secrets,
    names: Names,
}

fn program_option(table: &mut HashMap<String, Option<Taken>>, word: &str) -> Result<(), String> {
    // `-sTCP:LISTEN` is a whole word of `lsof`, not an option with a kind.
    let (name, taken) = match word.rsplit_once(':').filter(|(_, kind)| !kind.starts_with(char::is_uppercase))
    {
        Some((name, kind)) => {
            let attached = kind.ends_with('?');
            let kind = WordKind::named(kind.trim_end_matches('?'))
                .ok_or_else(|| format!("`{word}` has no such kind"))?;
            (name, Some(Taken { kind, attached }))
        }
        None => (word, None),
    };
    table.insert(name.to_owned(), taken);
    Ok(())
}

impl AllowedProgram {
    /// Returns the names that match a command's first words, each as its number of words and the words after them.
    fn calls<'a>(&'a self, words: &'a [Word]) -> impl Iterator<Item = (usize, &'a [Word])> {
        self.names.iter().filter_map(move |name| {
            let mut rest = words;
            for (at, part) in name.split(' ').enumerate() {
                if at == 1 {
                    let skipped = |word: &Word| self.before.split(' ').any(|option| option == word.text);
                    while let Some((_, after)) = rest.split_first().filter(|(word, _)| skipped(word)) {
                        rest = after;
                    }
                }
                let (_, after) = rest.split_first().filter(|(word, _)| word.text == part && !word.glob)?;
                rest = after;
            }
            Some((name.split(' ').count(), rest))
        })
    }

    fn admit(&self, all: &[Word], mut words: &[Word], around: Around<'_>) -> Result<(), String> {
        let call = all.get(..all.len() - words.len()).unwrap_or_default();
        let name = call.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        if name == "[" {
            words = words.split_last().filter(|(last, _)| last.text == "]").ok_or("`[` lacks its `]`")?.1;
        }
        let mut sorted = Sorted::default();
        sorted.sort(self, words, &name)?;
        // Such a program takes options before operands only, so the first flag is the first option.
        let leads = |option: &str| sorted.flags.first().is_some_and(|first| first == option);
        if !self.need.is_empty() && !self.need.split(' ').any(leads) {
            return Err(format!("`{name}` without {} is not on the list", self.need));
        }
        let globs = sorted.operands.iter().any(|(word, _)| word.glob);
        let count = sorted.operands.len();
        if count < self.min || self.max.is_some_and(|max| count > max || globs) {
            return Err(format!("`{name}` with {count} operands is not on the list"));
        }
        let mut operands = sorted.operands.iter();
        if let Some(kind) = self.first.filter(|_| !sorted.has(&self.given)) {
            let (word, _) = operands.next().ok_or_else(|| format!("`{name}` lacks its first operand"))?;
            self.look_at(word, kind, true, around)?;
        }
        let goes_deep = self.tree == "*" || sorted.has(&self.tree);
        for (word, after_end) in operands {
            self.look_at(word, self.operands, *after_end, around)?;
            if goes_deep && around.places.is_wide(&word.text) {
                return Err(format!("too much lies below `{}`", word.text));
            }
        }
        sorted.values.iter().try_for_each(|(word, kind)| self.look_at(word, *kind, true, around))
    }

    /// Refuses an operand or value that is not of its kind or names a secret path.
    fn look_at(
        &self,
        word: &Word,
        kind: WordKind,
        after_end: bool,
        around: Around<'_>,
    ) -> Result<(), String> {
        let may_be_option =
            !after_end && around.names == Names::Unknown && word.text.starts_with(['*', '?', '[']);
        if word.glob && (!kind.may_be_glob() || may_be_option) {
            return Err(format!("`{}` may expand to options; write `./{}`", word.text, word.text));
        }
        kind.admit(&word.text)?;
        let look = WordContext { glob: word.glob, names: self.reads == OperandUse::Names };
        let is_looked_at = match self.reads {
            OperandUse::Content => !kind.is_no_place(),
            OperandUse::Names => !matches!(kind, WordKind::Text | WordKind::Unnamed | WordKind::Pattern),
            OperandUse::Nothing => false,
        };
        if is_looked_at && around.places.names(&word.text, look) {
            return Err(format!("`{}` is a secret place or a device", word.text));
        }
        Ok(())
    }
}

/// Words of a command, sorted into flags, option values and operands.
#[derive(Debug, Default)]
struct Sorted {
    flags: Vec<String>,
    values: Vec<(Word, WordKind)>,
    /// Operands, each with `true` if `--` precedes it.
    operands: Vec<(Word, bool)>,
}

impl Sorted {
    /// Reports whether one of these options, separated by blanks, is given.
    fn has(&self, options: &str) -> bool {
        options.split_whitespace().any(|option| self.flags.iter().any(|flag| flag == option))
    }

    fn sort(&mut self, program: &AllowedProgram, words: &[Word], name: &str) -> Result<(), String> {
        let unknown = |option: &str| format!("`{option}` of `{name}` is not on the list");
        let mut words = words.iter();
        let mut ended = false;
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            let option =
                (text.starts_with('-') && text != "-") || (program.words && program.table.contains_key(text));
            if option && !ended && !program.mixed && !self.operands.is_empty() {
                return Err(format!("`{text}` behind operands is not on the list"));
            }
            if ended || !option {
                self.operands.push((word.clone(), ended));
            } else if word.glob {
                return Err(unknown(text));
            } else if text == "--" && !program.words {
                ended = true;
            } else if let Some(taken) =
                program.table.get(text).filter(|_| program.words || text.starts_with("--"))
            {
                self.flag(text, *taken, None, &mut words)?;
            } else if let Some((long, value)) = text.split_once('=').filter(|_| text.starts_with("--")) {
                let taken = program.table.get(long).copied().flatten().ok_or_else(|| unknown(long))?;
                self.flag(long, Some(taken), Some(value), &mut words)?;
            } else if program.words || text.starts_with("--") {
                return Err(unknown(text));
            } else if text.chars().skip(1).all(|c| c.is_ascii_digit()) && program.table.contains_key("-#") {
                self.flags.push("-#".to_owned());
            } else {
                self.cluster(program, text, &mut words, &unknown)?;
            }
        }
        Ok(())
    }

    /// Parses a cluster of short options: `-abc`, `-n5`.
    fn cluster<'a>(
        &mut self,
        program: &AllowedProgram,
        text: &str,
        words: &mut impl Iterator<Item = &'a Word>,
        unknown: &dyn Fn(&str) -> String,
    ) -> Result<(), String> {
        let mut letters = text.chars().skip(1);
        while let Some(letter) = letters.next() {
            let option = format!("-{letter}");
            let taken = *program.table.get(&option).ok_or_else(|| unknown(&option))?;
            let rest = taken.map(|_| letters.by_ref().collect::<String>()).filter(|rest| !rest.is_empty());
            self.flag(&option, taken, rest.as_deref(), words)?;
        }
        Ok(())
    }

    /// Adds an option with its value from the same word or the next one.
    fn flag<'a>(
        &mut self,
        option: &str,
        taken: Option<Taken>,
        value: Option<&str>,
        words: &mut impl Iterator<Item = &'a Word>,
    ) -> Result<(), String> {
        self.flags.push(option.to_owned());
        match (taken, value) {
            (Some(Taken { kind, .. }), Some(value)) => {
                self.values.push((Word { text: value.to_owned(), ..Word::default() }, kind));
            }
            (Some(Taken { kind, attached: false }), None) => {
                let word = words.next().ok_or_else(|| format!("`{option}` lacks its value"))?;
                // In a version where this option takes no value, the word would be an option.
                if word.text.starts_with('-') && kind != WordKind::Number {
                    return Err(format!("`{}` behind `{option}` is not on the list", word.text));
                }
                if word.glob {
                    return Err(format!("`{}` may expand to several words", word.text));
                }
                self.values.push((word.clone(), kind));
            }
            _ => {}
        }
        Ok(())
    }
}
