#![doc = include_str!("../README.md")]

mod block;
pub mod catalogue;
mod escapes;
mod heading;
mod help;
mod mdoc;
mod page;
pub mod retrieve;
mod roff;
pub mod solved;
mod table;
#[cfg(test)]
mod tests;
mod unite;
mod usage;
pub mod userland;
mod value;
mod words;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use table::{Exceptions, exceptions, macos};

/// Documentation of a command, or of one subcommand level of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manual {
    /// Name given in the page, such as `git-log`; empty for a help text without a name.
    pub name: String,
    /// Summary of the command, one line.
    pub summary: String,
    /// Usage forms, one per line.
    pub synopsis: String,
    /// Text of the examples, one command or sentence per line.
    pub examples: String,
    /// Options with a definition of their own.
    pub options: Vec<OptionDoc>,
    /// Options that occur only in running text or in the synopsis: weak evidence that they exist.
    pub mentioned: BTreeSet<String>,
    /// Subcommands of the next level, if the command has one.
    pub subcommands: Vec<Subcommand>,
    /// Spelling style of the options.
    pub style: OptionStyle,
    /// Version named in the text, such as `9.1`.
    pub version: Option<String>,
}

/// An option; all its names share the other fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionDoc {
    /// Names with their dashes: `-a`, `--all`; also `+x`, `-name`.
    pub names: Vec<String>,
    /// Arity of the option.
    pub value: Arity,
    /// Placeholder of the value, such as `FILE`; empty without one.
    pub placeholder: String,
    /// Start of the description, one line, at most [`OptionDoc::TEXT_MAX`] characters.
    pub text: String,
    /// Source of the definition.
    pub source: Source,
}

impl OptionDoc {
    /// Maximum length of a description, in characters.
    pub const TEXT_MAX: usize = 160;
}

/// Arity of an option: whether it takes a value, and how the value is attached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Arity {
    /// No value.
    None,
    /// A required value: `-o FILE`, `-oFILE`, `--output=FILE`, `--output FILE`.
    Required,
    /// An optional value, attached only: `--color[=WHEN]`.
    Optional,
    /// A required value, attached only: `--format=…`; the next word is not the value.
    Attached,
    /// Not documented: the next word may be the value.
    #[default]
    Unknown,
}

/// Source of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Source {
    /// The man page.
    Page,
    /// The program's help text.
    Help,
    /// Our table of undocumented facts.
    Table,
}

/// A word that selects a level with documentation of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subcommand {
    /// Name as typed.
    pub name: String,
    /// Summary in one line; may be empty.
    pub summary: String,
}

/// Spelling style of a command's options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OptionStyle {
    /// `-a`, `-abc`, `--long[=value]`.
    #[default]
    Getopt,
    /// A single dash and a whole name: `find -name`, `java -version`.
    LongDash,
    /// Letters without a dash: `ps aux`, `tar xf`.
    Bsd,
    /// Operands such as `if=file` of `dd`.
    Operand,
    /// The first operand selects a level: `git log`.
    Subcommands,
}

/// Parses a man page. `source` is its stored text, `man` macros or mdoc, not compressed. A page that only redirects
/// to another ([`redirect`]) gives an empty manual.
pub fn page(source: &str) -> Manual {
    page::read(source)
}

/// Returns the page that this one redirects to (`.so man1/grep.1`), a path below the manual root.
pub fn redirect(source: &str) -> Option<&str> {
    roff::redirect(source)
}

/// Parses a help text: both output streams of the program, joined.
pub fn help(text: &str) -> Manual {
    help::read(text)
}

/// Merges a page and a help text of the same command: the result has everything that either defines. The help text
/// decides the arity of an option.
pub fn unite(page: Manual, help: Manual) -> Manual {
    unite::unite(page, help)
}

impl Manual {
    /// Returns the option with this name.
    pub fn option(&self, name: &str) -> Option<&OptionDoc> {
        self.options.iter().find(|doc| doc.names.iter().any(|known| known == name))
    }
}
