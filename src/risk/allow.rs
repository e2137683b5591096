//! The closed list of what a program may run without asking: lines that only read this machine.
//!
//! Apart from the tables of effects on purpose. Those judge every line and may be wrong, for a person looks on; this one
//! must not be wrong, and knows nothing but what stands in `allow.toml`: programs, each of their options with its arity,
//! what their operands may be. An unknown program, option, subcommand or character refuses the line. A second reader
//! (`syntax`) must find the same words.
//!
//! What is allowed here is still to be run as the second line of defence: without the user's aliases, functions and
//! environment (`RIPGREP_CONFIG_PATH`, `LESSOPEN`, `TAR_OPTIONS`, `GIT_*`, `LD_*` change what programs do), from a `PATH`
//! of system directories, without terminal and input, with bounds on time and output, in a sandbox that has no network,
//! writes nothing and hides secret places: a search of a tree may come upon them. Git must run there with the
//! repository's own settings switched off that start programs (`core.fsmonitor`, `core.hooksPath`, `core.pager`, `format.pretty`,
//! `log.showSignature`, `gpg.program`, `diff.external`, filters and text converters). The current directory must not be
//! a secret place itself.
//!
//! Nushell's lines are refused: only its own engine can take them apart.

mod line;
mod script;
mod secret;
#[cfg(test)]
mod tests;
mod value;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::shell::Shell;
use crate::syntax;
use line::{Plain, Word};
use secret::{Look, Secrets};
use value::Kind;

/// The argument vectors of a line that may run unasked, in its order.
///
/// Globs and `~` stand in them as written; what connects the commands is in the line.
///
/// # Errors
/// Why it may not, in words that continue "it is not run: …".
pub fn allowed(line: &str, shell: Shell) -> Result<Vec<Vec<String>>, String> {
    if shell == Shell::Nu {
        return Err("nushell's lines are not on the list".to_owned());
    }
    let commands = line::read(line, shell)?;
    if !is_read_alike(line, shell, &commands) {
        return Err("it can be read in two ways".to_owned());
    }
    let list = List::own();
    for command in &commands {
        list.admit(command, shell)?;
    }
    let texts = |command: Plain| command.words.into_iter().map(|word| word.text).collect();
    Ok(commands.into_iter().map(texts).collect())
}

/// Lines that the list says it allows.
#[cfg(test)]
pub(super) fn examples() -> Vec<String> {
    List::own().program.iter().flat_map(|program| program.yes.iter().cloned()).collect()
}

/// Whether the parser of all shell lines finds the same words.
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

/// `allow.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    places: Secrets,
    /// Options that several entries share, as `@name`.
    #[serde(default)]
    sets: BTreeMap<String, String>,
    program: Vec<Program>,
}

/// A way of calling a program that only reads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    /// Command, or command and subcommands; several that behave alike.
    names: Vec<String>,
    /// Only in lines of these shells; left out: all.
    #[serde(default)]
    shells: Vec<String>,
    /// Options that may stand before the subcommand.
    #[serde(default)]
    before: String,
    /// `-x`, `-x:kind` with a value, `--long:kind?` with one that only follows `=`, `-#` for digits, `@set`.
    #[serde(default)]
    options: String,
    /// Options are whole words, which may lack the dash.
    #[serde(default)]
    words: bool,
    /// The kind of the first operand, when it is another one …
    first: Option<Kind>,
    /// … unless one of these options is given.
    #[serde(default)]
    given: String,
    #[serde(default)]
    operands: Kind,
    #[serde(default)]
    min: usize,
    max: Option<usize>,
    /// The first word behind the name is one of these options.
    #[serde(default)]
    need: String,
    /// Options may follow operands. Where they may not, they would be operands to some.
    #[serde(default)]
    mixed: bool,
    #[serde(default)]
    reads: Reads,
    /// It goes through whole trees with one of these options; `*`: always.
    #[serde(default)]
    tree: String,
    /// Lines that are allowed, and some that are not.
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for tests"))]
    yes: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for tests"))]
    no: Vec<String>,
    #[serde(skip)]
    table: HashMap<String, Option<Taken>>,
}

/// What an entry's operands are to it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reads {
    /// Files whose content it prints.
    #[default]
    Content,
    /// Files of which it prints names and attributes.
    Names,
    /// Text.
    Nothing,
}

/// The value of an option.
#[derive(Debug, Clone, Copy)]
struct Taken {
    kind: Kind,
    /// Only in the same word; it may be left out.
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

    /// Refuses a command that is not on the list.
    fn admit(&self, command: &Plain, shell: Shell) -> Result<(), String> {
        let look = Look { glob: false, names: false };
        if let Some(input) = command.inputs.iter().find(|word| self.places.names(&word.text, look)) {
            return Err(format!("`{}` is a secret place or a device", input.text));
        }
        let Some((name, _)) = command.words.split_first().filter(|(name, _)| !name.quoted && !name.glob)
        else {
            return Err("its command is not a plain word".to_owned());
        };
        let mut refusal = format!("`{}` is not on the list", name.text);
        let mut near = 0;
        for program in self.program.iter().filter(|program| program.is_for(shell)) {
            for (count, rest) in program.calls(&command.words) {
                match program.admit(&command.words, rest, &self.places) {
                    Ok(()) => return Ok(()),
                    Err(why) if count >= near => (refusal, near) = (why, count + 1),
                    Err(_) => {}
                }
            }
        }
        Err(refusal)
    }
}

fn program_option(table: &mut HashMap<String, Option<Taken>>, word: &str) -> Result<(), String> {
    // `-sTCP:LISTEN` is a word of `lsof`.
    let (name, taken) = match word.rsplit_once(':').filter(|(_, kind)| !kind.starts_with(char::is_uppercase))
    {
        Some((name, kind)) => {
            let attached = kind.ends_with('?');
            let kind = Kind::named(kind.trim_end_matches('?'))
                .ok_or_else(|| format!("`{word}` has no such kind"))?;
            (name, Some(Taken { kind, attached }))
        }
        None => (word, None),
    };
    table.insert(name.to_owned(), taken);
    Ok(())
}

impl Program {
    fn is_for(&self, shell: Shell) -> bool {
        self.shells.is_empty() || self.shells.iter().any(|name| name == shell.name())
    }

    /// The names that a command's first words fit, each as its number of words and what follows them.
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

    fn admit(&self, all: &[Word], mut words: &[Word], places: &Secrets) -> Result<(), String> {
        let call = all.get(..all.len() - words.len()).unwrap_or_default();
        let name = call.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        if name == "[" {
            words = words.split_last().filter(|(last, _)| last.text == "]").ok_or("`[` lacks its `]`")?.1;
        }
        let mut sorted = Sorted::default();
        sorted.sort(self, words, &name)?;
        // Options stand before operands there, or the line is refused.
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
            self.look_at(word, kind, true, places)?;
        }
        let goes_deep = self.tree == "*" || sorted.has(&self.tree);
        for (word, after_end) in operands {
            self.look_at(word, self.operands, *after_end, places)?;
            if goes_deep && places.is_wide(&word.text) {
                return Err(format!("too much lies below `{}`", word.text));
            }
        }
        sorted.values.iter().try_for_each(|(word, kind)| self.look_at(word, *kind, true, places))
    }

    /// Refuses an operand or value that is not of its kind, or names a secret place.
    fn look_at(&self, word: &Word, kind: Kind, after_end: bool, places: &Secrets) -> Result<(), String> {
        if word.glob && (kind != Kind::Path || (!after_end && word.text.starts_with(['*', '?', '[']))) {
            return Err(format!("`{}` may expand to options; write `./{}`", word.text, word.text));
        }
        kind.admit(&word.text)?;
        let look = Look { glob: word.glob, names: self.reads == Reads::Names };
        let is_looked_at = match self.reads {
            Reads::Content => !kind.is_no_place(),
            Reads::Names => !matches!(kind, Kind::Text | Kind::Pattern),
            Reads::Nothing => false,
        };
        if is_looked_at && places.names(&word.text, look) {
            return Err(format!("`{}` is a secret place or a device", word.text));
        }
        Ok(())
    }
}

/// A command's words by what they are to it.
#[derive(Debug, Default)]
struct Sorted {
    flags: Vec<String>,
    values: Vec<(Word, Kind)>,
    /// Each with whether `--` stands before it.
    operands: Vec<(Word, bool)>,
}

impl Sorted {
    /// One of these options, separated by blanks, is given.
    fn has(&self, options: &str) -> bool {
        options.split_whitespace().any(|option| self.flags.iter().any(|flag| flag == option))
    }

    fn sort(&mut self, program: &Program, words: &[Word], name: &str) -> Result<(), String> {
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

    /// `-abc`, `-n5`.
    fn cluster<'a>(
        &mut self,
        program: &Program,
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

    /// Takes an option in, with its value from the same word or the next.
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
                // It could be an option after all, where this one takes no value.
                if word.text.starts_with('-') && kind != Kind::Number {
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
