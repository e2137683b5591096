//! File uses: files that a command line runs and secrets that it reads. `taint.rs` compares them with the request.
//!
//! The words that name such files are data (`files.toml`); `reading/file_use.rs` finds them in a command line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::table::is_like;
use askline_syntax::{Span, program_name};

/// A file that a command line runs, or a secret that it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileUse {
    pub(super) access: Access,
    /// Span of the word that names the file.
    pub(super) span: Span,
    /// The word as written, without quotes.
    pub(super) text: String,
    /// Normalized path: `~/x`, `/etc/x`, `x`.
    pub(super) path: String,
    /// `true` if the file has the name of a program in the tables, which it need not be.
    pub(super) is_namesake: bool,
    /// `true` if the command line itself builds the file from sources.
    pub(super) is_made: bool,
}

/// Kind of access to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    Run,
    Read,
}

/// Content of `files.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileLists {
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
    makes: Vec<CompilerOutput>,
}

/// Options by program.
type Options = BTreeMap<String, BTreeSet<String>>;

/// Output file of a group of compilers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompilerOutput {
    programs: BTreeSet<String>,
    /// The option that names the output file.
    pub(super) option: String,
    /// The output file without that option; `*` is the name of the source file without its extension.
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

impl FileLists {
    /// Returns the lists built into askline.
    pub(super) fn own() -> &'static Self {
        static LISTS: LazyLock<FileLists> = LazyLock::new(|| {
            #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
            toml::from_str(include_str!("files.toml")).expect("files.toml is well-formed")
        });
        &LISTS
    }

    /// Reports whether the path is in a directory of installed programs.
    pub(super) fn is_installed(&self, path: &str) -> bool {
        let is_below =
            |place: &String| path.strip_prefix(place.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.run.installed.iter().any(is_below)
    }

    /// Reports whether the module comes with the shell.
    pub(super) fn is_module(&self, name: &str) -> bool {
        name.split('/').next().is_some_and(|top| self.run.modules.contains(top))
    }

    /// Returns the number of words before the operand if the command runs its first operand.
    pub(super) fn runs_first(&self, names: &CommandKeys) -> Option<usize> {
        names.count_in(|name| self.run.first.contains(name))
    }

    /// Reports whether the program is an interpreter: it runs the first word after it, unless that is an option,
    /// whatever follows.
    pub(super) fn leads(&self, program: &str) -> bool {
        self.run.leads.contains(program)
    }

    /// Reports whether the command runs an argument that has the extension of a script or program.
    pub(super) fn runs_files(&self, names: &CommandKeys) -> bool {
        names.count_in(|name| self.run.runners.iter().any(|form| is_like(name, form))).is_some()
            && names.count_in(|name| self.run.compiles.contains(name)).is_none()
    }

    /// Reports whether a Python module runs the file after it.
    pub(super) fn is_profiler(&self, module: &str) -> bool {
        self.run.profilers.contains(module)
    }

    /// Reports whether the path is a startup file of a program.
    pub(super) fn is_own(&self, path: &str) -> bool {
        self.run.own.contains(path)
    }

    /// Reports whether the word, in the position of a file, is no file.
    pub(super) fn is_none(&self, text: &str) -> bool {
        let is_address = text.rsplit_once(':').is_some_and(|(host, port)| {
            !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) && !host.contains('/')
        });
        is_address || self.run.none.contains(text)
    }

    /// Reports whether code only reads values from a file of this name.
    pub(super) fn holds_values(&self, path: &str) -> bool {
        self.run.values.iter().any(|ending| path.ends_with(ending.as_str()))
    }

    /// Returns the file that a command of an editor or a debugger runs.
    pub(super) fn sourced<'t>(&self, command: &'t str) -> Option<&'t str> {
        let command = command.trim_start_matches([':', '+', ' ']);
        let rest = self.run.sources.iter().find_map(|name| command.strip_prefix(name.as_str()))?;
        let rest = rest.trim_start_matches('!');
        rest.strip_prefix(' ').map(str::trim).filter(|path| !path.is_empty())
    }

    /// Returns the output of a compiler.
    pub(super) fn makes(&self, names: &CommandKeys) -> Option<&CompilerOutput> {
        let is_so = |makes: &&CompilerOutput| names.count_in(|name| makes.programs.contains(name)).is_some();
        self.run.makes.iter().find(is_so)
    }

    /// Reports whether a file of this name is a script or a program.
    pub(super) fn is_script(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        self.run.endings.iter().any(|ending| path.ends_with(ending.as_str()) && path.len() > ending.len())
    }

    /// Reports whether a file of this name is source code: it has an extension of one to five bytes.
    pub(super) fn is_source(&self, path: &str) -> bool {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        !path.starts_with('-') && (1..=5).contains(&ending.len()) && !ending.contains('/')
    }

    /// Reports whether a program's code may run other files.
    pub(super) fn calls_files(&self, code: &str) -> bool {
        self.run.calls.iter().any(|call| code.contains(call.as_str()))
    }

    /// Reports whether the value of this option determines what a program runs.
    pub(super) fn is_run_by(&self, program: &str, option: &str) -> bool {
        has(&self.run.options, program, option)
    }

    /// Reports whether the value of this option names a library, or a file that is run.
    pub(super) fn loads(&self, program: &str, option: &str) -> bool {
        has(&self.run.libraries, program, option)
    }

    /// Reports whether the value of this option is a command of the program's own language.
    pub(super) fn commands(&self, program: &str, option: &str) -> bool {
        has(&self.run.commands, program, option)
    }

    /// Reports whether the program has options that take commands of its own language.
    pub(super) fn has_commands(&self, program: &str) -> bool {
        self.run.commands.contains_key(program)
    }

    /// Reports whether the value of this option is a pattern for file names.
    pub(super) fn chooses(&self, program: &str, option: &str) -> bool {
        has(&self.read.names, program, option)
    }

    /// Reports whether the operands of this program are regular expressions for file names.
    pub(super) fn expresses(&self, program: &str) -> bool {
        self.read.expressions.contains(program)
    }

    /// Reports whether the value of this option names files to exclude.
    pub(super) fn excludes(&self, program: &str, option: &str) -> bool {
        self.read.excludes.contains(option) || has(&self.read.leaves, program, option)
    }

    /// Reports whether the command shows file content with this option.
    pub(super) fn reveals(&self, names: &CommandKeys, option: &str) -> bool {
        names.count_in(|name| has(&self.read.reveals, name, option)).is_some()
    }

    /// Reports whether the command never shows file content.
    pub(super) fn looks(&self, names: &CommandKeys) -> bool {
        names.count_in(|name| self.read.looks.contains(name)).is_some()
    }

    /// Reports whether a Nushell built-in reads the file that it is given.
    pub(super) fn opens(&self, name: &str) -> bool {
        self.read.opens.contains(name)
    }

    /// Reports whether the first operand of the command is not a file.
    pub(super) fn has_pattern(&self, names: &CommandKeys) -> bool {
        names.count_in(|name| self.read.patterns.contains(name)).is_some()
    }

    /// Reports whether the option supplies the pattern, so the first operand is a file.
    pub(super) fn gives_pattern(&self, option: &str) -> bool {
        self.read.given.contains(option)
    }

    /// Reports whether the command uses keys that options name.
    pub(super) fn uses_keys(&self, names: &CommandKeys) -> bool {
        names.count_in(|name| self.read.uses.contains(name)).is_some()
    }

    /// Reports whether the command, or one that it runs, opens the files whose names it receives.
    pub(super) fn hands_over(&self, name: &str) -> bool {
        self.read.hands_over.contains(name)
    }

    /// Reports whether later commands use the names that this command receives.
    pub(super) fn keeps(&self, name: &str) -> bool {
        self.read.keeps.contains(name)
    }

    /// Reports whether the command takes names from its input.
    pub(super) fn takes(&self, name: &str) -> bool {
        self.read.takes.contains(name)
    }
}

/// Reports whether `options` lists the option for the program.
fn has(options: &Options, program: &str, option: &str) -> bool {
    options.get(program).is_some_and(|options| options.contains(option))
}

/// The first one and two words of a command, used as keys of lists: `git`, `git log`.
pub(super) struct CommandKeys(Vec<String>);

impl CommandKeys {
    /// Builds the keys from a command's words. Nushell's two-word names come as one word.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut words = words;
        let first = words.next().unwrap_or_default();
        let first = program_name(first).trim_start_matches(['^', '=', '\\']);
        let second = words.next().unwrap_or_default();
        Self(vec![first.to_owned(), format!("{first} {second}")])
    }

    /// Returns the command word without its directory.
    pub(super) fn first(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// Returns the number of words of the longest key that is in a list.
    fn count_in(&self, has: impl Fn(&str) -> bool) -> Option<usize> {
        self.0.iter().rposition(|name| has(name)).map(|at| at + 1)
    }
}
