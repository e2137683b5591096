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
    /// It is called like a program that the tables know, which it need not be.
    pub(super) is_namesake: bool,
    /// The line itself makes it, of sources.
    pub(super) is_made: bool,
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
    compiles: BTreeSet<String>,
    profilers: BTreeSet<String>,
    own: BTreeSet<String>,
    none: BTreeSet<String>,
    values: Vec<String>,
    sources: Vec<String>,
    endings: Vec<String>,
    calls: Vec<String>,
    options: Options,
    libraries: Options,
    commands: Options,
    makes: Vec<Makes>,
}

/// Options by their program.
type Options = BTreeMap<String, BTreeSet<String>>;

/// What compilers make.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Makes {
    programs: BTreeSet<String>,
    /// The option that names it.
    pub(super) option: String,
    /// The name without that option; `*` for that of the source without its ending.
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    looks: BTreeSet<String>,
    opens: BTreeSet<String>,
    patterns: BTreeSet<String>,
    given: BTreeSet<String>,
    expressions: BTreeSet<String>,
    excludes: BTreeSet<String>,
    reveals: Options,
    names: Options,
    leaves: Options,
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
            && names.count_in(|name| self.run.compiles.contains(name)).is_none()
    }

    /// A module of Python that runs the file behind it.
    pub(super) fn is_profiler(&self, module: &str) -> bool {
        self.run.profilers.contains(module)
    }

    /// A start file of some program's.
    pub(super) fn is_own(&self, path: &str) -> bool {
        self.run.own.contains(path)
    }

    /// No file, where one could stand.
    pub(super) fn is_none(&self, text: &str) -> bool {
        let is_address = text.rsplit_once(':').is_some_and(|(host, port)| {
            !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) && !host.contains('/')
        });
        is_address || self.run.none.contains(text)
    }

    /// Code takes only values of a file by this name.
    pub(super) fn holds_values(&self, path: &str) -> bool {
        self.run.values.iter().any(|ending| path.ends_with(ending.as_str()))
    }

    /// The file that a command for an editor or a debugger runs.
    pub(super) fn sourced<'t>(&self, command: &'t str) -> Option<&'t str> {
        let command = command.trim_start_matches([':', '+', ' ']);
        let rest = self.run.sources.iter().find_map(|name| command.strip_prefix(name.as_str()))?;
        let rest = rest.trim_start_matches('!');
        rest.strip_prefix(' ').map(str::trim).filter(|path| !path.is_empty())
    }

    /// What a command by these names makes.
    pub(super) fn makes(&self, names: &Names) -> Option<&Makes> {
        let is_so = |makes: &&Makes| names.count_in(|name| makes.programs.contains(name)).is_some();
        self.run.makes.iter().find(is_so)
    }

    /// A file by this name is one that is run.
    pub(super) fn is_script(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        self.run.endings.iter().any(|ending| path.ends_with(ending.as_str()) && path.len() > ending.len())
    }

    /// A file by this name is one of which programs are made: it has a short ending of letters.
    pub(super) fn is_source(&self, path: &str) -> bool {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        !path.starts_with('-') && (1..=5).contains(&ending.len()) && !ending.contains('/')
    }

    /// A program's code may run other files.
    pub(super) fn calls_files(&self, code: &str) -> bool {
        self.run.calls.iter().any(|call| code.contains(call.as_str()))
    }

    /// The value of this option says what a program runs.
    pub(super) fn is_run_by(&self, program: &str, option: &str) -> bool {
        has(&self.run.options, program, option)
    }

    /// The value of this option names a library, or a file that is run.
    pub(super) fn loads(&self, program: &str, option: &str) -> bool {
        has(&self.run.libraries, program, option)
    }

    /// The value of this option is a command for the program.
    pub(super) fn commands(&self, program: &str, option: &str) -> bool {
        has(&self.run.commands, program, option)
    }

    /// The program takes commands of its own.
    pub(super) fn has_commands(&self, program: &str) -> bool {
        self.run.commands.contains_key(program)
    }

    /// The value of this option is a pattern for names.
    pub(super) fn chooses(&self, program: &str, option: &str) -> bool {
        has(&self.read.names, program, option)
    }

    /// The operands of this program are regular expressions for names.
    pub(super) fn expresses(&self, program: &str) -> bool {
        self.read.expressions.contains(program)
    }

    /// The value of this option is left out.
    pub(super) fn excludes(&self, program: &str, option: &str) -> bool {
        self.read.excludes.contains(option) || has(&self.read.leaves, program, option)
    }

    /// With this option the command shows what a file holds.
    pub(super) fn reveals(&self, names: &Names, option: &str) -> bool {
        names.count_in(|name| has(&self.read.reveals, name, option)).is_some()
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

/// The program has this option in a list.
fn has(options: &Options, program: &str, option: &str) -> bool {
    options.get(program).is_some_and(|options| options.contains(option))
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
