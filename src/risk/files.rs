//! Files that a line runs, and secrets that it reads: what a request is held against (`taint.rs`).
//!
//! Which words name such files is data (`files.toml`); `reading/met.rs` finds them in a line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::table::is_like;
use crate::syntax::Span;

/// A file that a line runs, or a secret that it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Met {
    pub(super) deed: Deed,
    /// The word of the line that names it.
    pub(super) span: Span,
    /// As written, without quotes.
    pub(super) text: String,
    /// The path that this comes to, in short: `~/x`, `/etc/x`, `x`.
    pub(super) path: String,
}

/// What is done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Deed {
    Run,
    Read,
}

/// `files.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lists {
    run: Run,
    read: Read,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    installed: Vec<String>,
    modules: BTreeSet<String>,
    first: BTreeSet<String>,
    leads: BTreeSet<String>,
    runners: Vec<String>,
    endings: Vec<String>,
    calls: Vec<String>,
    options: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    looks: BTreeSet<String>,
    opens: BTreeSet<String>,
    patterns: BTreeSet<String>,
    given: BTreeSet<String>,
    uses: BTreeSet<String>,
    hands_over: BTreeSet<String>,
    keeps: BTreeSet<String>,
    takes: BTreeSet<String>,
}

impl Lists {
    /// Those of this program.
    pub(super) fn own() -> &'static Self {
        static LISTS: LazyLock<Lists> = LazyLock::new(|| {
            #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
            toml::from_str(include_str!("files.toml")).expect("files.toml is well-formed")
        });
        &LISTS
    }

    /// The path lies where programs are installed.
    pub(super) fn is_installed(&self, path: &str) -> bool {
        let is_below =
            |place: &String| path.strip_prefix(place.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.run.installed.iter().any(is_below)
    }

    /// The module comes with the shell.
    pub(super) fn is_module(&self, name: &str) -> bool {
        name.split('/').next().is_some_and(|top| self.run.modules.contains(top))
    }

    /// A command by these names runs the first word behind them.
    pub(super) fn runs_first(&self, names: &Names) -> Option<usize> {
        names.count_in(|name| self.run.first.contains(name))
    }

    /// An interpreter: the first word behind it, if no option, is what it runs, whatever follows.
    pub(super) fn leads(&self, program: &str) -> bool {
        self.run.leads.contains(program)
    }

    /// A command by these names runs a file that ends as scripts and programs do.
    pub(super) fn runs_files(&self, names: &Names) -> bool {
        names.count_in(|name| self.run.runners.iter().any(|form| is_like(name, form))).is_some()
    }

    /// A file by this name is one that is run.
    pub(super) fn is_script(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        self.run.endings.iter().any(|ending| path.ends_with(ending.as_str()) && path.len() > ending.len())
    }

    /// A program's code may run other files.
    pub(super) fn calls_files(&self, code: &str) -> bool {
        self.run.calls.iter().any(|call| code.contains(call.as_str()))
    }

    /// The value of this option says what a program runs.
    pub(super) fn is_run_by(&self, program: &str, option: &str) -> bool {
        self.run.options.get(program).is_some_and(|options| options.contains(option))
    }

    /// A command by these names shows nothing of what a file holds.
    pub(super) fn looks(&self, names: &Names) -> bool {
        names.count_in(|name| self.read.looks.contains(name)).is_some()
    }

    /// A command of Nushell's own that reads the file which it is given.
    pub(super) fn opens(&self, name: &str) -> bool {
        self.read.opens.contains(name)
    }

    /// The first operand of such a command is no file.
    pub(super) fn has_pattern(&self, names: &Names) -> bool {
        names.count_in(|name| self.read.patterns.contains(name)).is_some()
    }

    /// The option brings the pattern.
    pub(super) fn gives_pattern(&self, option: &str) -> bool {
        self.read.given.contains(option)
    }

    /// A command by these names uses keys that options name.
    pub(super) fn uses_keys(&self, names: &Names) -> bool {
        names.count_in(|name| self.read.uses.contains(name)).is_some()
    }

    /// What comes to this command is opened.
    pub(super) fn hands_over(&self, name: &str) -> bool {
        self.read.hands_over.contains(name)
    }

    /// What this command gets is used by what follows.
    pub(super) fn keeps(&self, name: &str) -> bool {
        self.read.keeps.contains(name)
    }

    /// It takes names from what flows in.
    pub(super) fn takes(&self, name: &str) -> bool {
        self.read.takes.contains(name)
    }
}

/// The first words of a command, by which lists know it: `git`, `git log`.
pub(super) struct Names(Vec<String>);

impl Names {
    /// Of a command's words. Nushell's names of two words come as one.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut words = words;
        let first = words.next().unwrap_or_default();
        let first = first.rsplit('/').next().unwrap_or(first).trim_start_matches(['^', '=', '\\']);
        let second = words.next().unwrap_or_default();
        Self(vec![first.to_owned(), format!("{first} {second}")])
    }

    /// The command word without its directory.
    pub(super) fn first(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// How many words the longest of the names has that is in a list.
    fn count_in(&self, has: impl Fn(&str) -> bool) -> Option<usize> {
        self.0.iter().rposition(|name| has(name)).map(|at| at + 1)
    }
}
