//! What a program's documentation says: its options with what each takes, its subcommands, examples. From man pages
//! (roff and mdoc source) and from `--help` texts. Pure: text in, value out; no text makes it fail.

mod escapes;
mod heading;
mod help;
mod mdoc;
mod page;
mod roff;
mod table;
#[cfg(test)]
mod tests;
mod unite;
mod usage;
mod value;
mod words;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use table::{Exceptions, exceptions, macos};

/// What is documented of a command, or of one subcommand level of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manual {
    /// The page's own name, such as `git-log`; empty for a help text that names none.
    pub name: String,
    /// One line: what the command does.
    pub summary: String,
    /// The forms of a call, one a line.
    pub synopsis: String,
    /// The examples' text, one command or sentence a line.
    pub examples: String,
    /// Options with a definition of their own.
    pub options: Vec<OptionCard>,
    /// Options that only occur in running text or in the synopsis: weak evidence that they exist.
    pub mentioned: BTreeSet<String>,
    /// The next level, where the command has one.
    pub subcommands: Vec<Subcommand>,
    /// How its options are written.
    pub style: Style,
    /// The version that the text names, such as `9.1`.
    pub version: Option<String>,
}

/// One option: all its names share the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionCard {
    /// With their dashes: `-a`, `--all`; also `+x`, `-name`.
    pub names: Vec<String>,
    /// What it takes.
    pub value: Arity,
    /// Placeholder of the value, such as `FILE`; empty without one.
    pub placeholder: String,
    /// The beginning of its description, one line, at most [`OptionCard::TEXT_MAX`] characters.
    pub text: String,
    /// Where it is defined.
    pub source: Source,
}

impl OptionCard {
    /// Longest description kept, characters.
    pub const TEXT_MAX: usize = 160;
}

/// Whether an option takes a value, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Arity {
    /// It takes none.
    None,
    /// It needs one: `-o FILE`, `-oFILE`, `--output=FILE`, `--output FILE`.
    Required,
    /// It may have one, attached only: `--color[=WHEN]`.
    Optional,
    /// It needs one, attached only: `--format=…`; the next word is not its value.
    Attached,
    /// Not said: the next word may be its value.
    #[default]
    Unknown,
}

/// Where something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Source {
    /// The man page.
    Page,
    /// The program's own help text.
    Help,
    /// Our table of what is true and documented nowhere.
    Table,
}

/// A word that leads to a level with documentation of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subcommand {
    /// As it is typed.
    pub name: String,
    /// One line; may be empty.
    pub summary: String,
}

/// How a command's options are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Style {
    /// `-a`, `-abc`, `--long[=value]`.
    #[default]
    Getopt,
    /// One dash and a whole name: `find -name`, `java -version`.
    LongDash,
    /// Letters without a dash: `ps aux`, `tar xf`.
    Bsd,
    /// `if=file`: `dd`.
    Operand,
    /// The first operand chooses a level: `git log`.
    Subcommands,
}

/// What a manual page says; `source` is its text as it is stored, `man` macros or mdoc, not compressed. A page that only
/// stands for another ([`redirect`]) says nothing.
pub fn page(source: &str) -> Manual {
    page::read(source)
}

/// The page that this one stands for (`.so man1/grep.1`), a path below the manual's root.
pub fn redirect(source: &str) -> Option<&str> {
    roff::redirect(source)
}

/// What a help text says; both streams of the program, joined.
pub fn help(text: &str) -> Manual {
    help::read(text)
}

/// A page and a help text on the same command as one: all that either defines. The help text is right on what an option
/// takes.
pub fn unite(page: Manual, help: Manual) -> Manual {
    unite::unite(page, help)
}

impl Manual {
    /// The card of an option by one of its names.
    pub fn option(&self, name: &str) -> Option<&OptionCard> {
        self.options.iter().find(|card| card.names.iter().any(|known| known == name))
    }
}
