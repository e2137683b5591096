//! Secrets that a known program takes in a known option (`options.toml`).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde::Deserialize;

use super::lead::Class;
use super::place_in;
use super::value::{self, Values};

/// Characters before the name of a program that are not part of it.
const DRESS: [char; 9] = ['"', '\'', '`', '(', ')', '{', '=', '/', '\\'];

/// Ends of names of subcommands that set a secret; rows name them as programs.
const KINDS: [&str; 4] = ["*password", "*passwd", "*passphrase", "*token"];
/// Words of which one is in the rest of such a name; `get-access-token` sets nothing.
const SETTERS: [&str; 8] = ["set", "change", "update", "add", "user", "admin", "put", "import"];

/// Options by the names of their programs.
pub(super) struct Options {
    rows: Vec<OptionRow>,
    by_program: HashMap<String, Vec<usize>>,
}

/// Content of `options.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionFile {
    pub(super) option: Vec<OptionRow>,
}

#[derive(Deserialize)]
#[cfg_attr(not(test), expect(dead_code, reason = "examples are for the tests"))]
#[serde(deny_unknown_fields)]
pub(super) struct OptionRow {
    pub(super) programs: Vec<String>,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
    form: Form,
    value: Class,
    pub(super) like: Vec<String>,
    pub(super) unlike: Vec<String>,
}

/// Form in which an option and its value are written.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// `-p VALUE`, `--pass=VALUE`.
    Word,
    /// `-pVALUE`.
    Glued,
    /// Both of these.
    Either,
    /// `NAME=VALUE`, with any name.
    Pair,
    /// The last of two or more words that are no options.
    Last,
}

impl OptionFile {
    pub(super) fn own() -> Self {
        toml::from_str(include_str!("options.toml")).expect("options.toml is well-formed")
    }
}

impl Options {
    pub(super) fn own() -> Self {
        let rows = OptionFile::own().option;
        let mut by_program: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            for program in &row.programs {
                by_program.entry(program.clone()).or_default().push(at);
            }
        }
        Self { rows, by_program }
    }

    /// Adds the spans of the values that are secrets.
    pub(super) fn find(&self, text: &str, values: &Values, found: &mut Vec<Range<usize>>) {
        for command in text.split(['\n', ';', '|', '&']) {
            let words: Vec<&str> = command.split_whitespace().collect();
            let mut done = HashSet::new();
            for (at, word) in words.iter().enumerate() {
                let program = program(word);
                let named = self.by_program.get(&program);
                let Some(rows) = named.or_else(|| self.by_program.get(kind(&program)?)) else {
                    continue;
                };
                let after = words.get(at + 1..).unwrap_or_default();
                // The first of a program's names in a command covers all that follows.
                let fresh = rows.iter().filter(|row| done.insert(**row));
                fresh
                    .filter_map(|row| self.rows.get(*row))
                    .for_each(|row| row.find(text, after, values, found));
            }
        }
    }
}

impl OptionRow {
    /// Adds the values among the words after the program.
    fn find(&self, text: &str, words: &[&str], values: &Values, found: &mut Vec<Range<usize>>) {
        let last = |word: &str| word.rsplit('=').next().unwrap_or_default().to_ascii_lowercase();
        let is_named = |word: &&str| self.with.contains(&last(word));
        if !self.with.is_empty() && !words.iter().any(is_named) {
            return;
        }
        let mut begins: Vec<usize> = Vec::new();
        if self.form == Form::Last {
            begins.extend(last_operand(words).map(|word| place_in(text, word).start));
        }
        for (at, word) in words.iter().enumerate() {
            let begin = place_in(text, word).start;
            let next = words.get(at + 1).map(|next| place_in(text, next).start);
            begins.extend(self.value_in(word, next, begin));
        }
        let Some(look) = self.value.look() else { return };
        for begin in begins {
            let Some(value) = value::at(text, begin) else { continue };
            if values.is_secret(text.get(value.inner.clone()).unwrap_or_default(), look) {
                found.extend([value.whole, value.inner]);
            }
        }
    }

    /// Returns the offset of the value that a word contains or precedes; `next` is the offset of the next word.
    fn value_in(&self, word: &str, next: Option<usize>, begin: usize) -> Option<usize> {
        if self.form == Form::Pair {
            let (name, _) = word.split_once('=')?;
            return (!name.starts_with('-')).then_some(begin + name.len() + 1);
        }
        let word_form = matches!(self.form, Form::Word | Form::Either);
        self.options.iter().find_map(|option| {
            let rest = word.strip_prefix(option.as_str())?;
            match rest.chars().next() {
                None => next.filter(|_| word_form),
                Some('=') if word_form => Some(begin + option.len() + 1),
                Some(_) => matches!(self.form, Form::Glued | Form::Either).then_some(begin + option.len()),
            }
        })
    }
}

/// Returns the last of two or more words that are no options.
fn last_operand<'t>(words: &[&'t str]) -> Option<&'t str> {
    let mut operands = words.iter().filter(|word| !word.starts_with(['-', '<', '>', '#']));
    operands.next()?;
    operands.next_back().copied()
}

/// Returns the kind of a subcommand that is named after what it sets: `set-user-password`, `user:password`.
fn kind(name: &str) -> Option<&'static str> {
    let is_set = |kind: &&&str| {
        let rest = name.strip_suffix(kind.trim_start_matches('*')).filter(|rest| rest.ends_with(['-', ':']));
        rest.is_some_and(|rest| SETTERS.iter().any(|setter| rest.contains(setter)))
    };
    KINDS.iter().find(is_set).copied()
}

/// Returns the name of the program that a word may start, in lower case.
fn program(word: &str) -> String {
    let word = word.trim_end_matches(['"', '\'', '`', ')']);
    let name = word.rsplit(DRESS).next().unwrap_or_default().to_ascii_lowercase();
    [".exe", ".py"].iter().find_map(|end| name.strip_suffix(end)).map_or(name.clone(), str::to_owned)
}
