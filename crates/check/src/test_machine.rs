//! A fake machine for the tests of this crate: a test names what is on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::file_schema::FileSchema;
use crate::git_refs::GitRefs;
use crate::reference::{CommandFacts, CommandKind, Reference};
use askline_manual::catalogue::Catalogue;
use askline_manual::userland::Userland;
use askline_manual::{Arity, Manual, OptionDoc, Source};

/// A machine with GNU's tools and a shell. By default it has no commands, and nothing is known of its files.
#[derive(Debug)]
pub(crate) struct TestMachine {
    pub(crate) userland: Userland,
    pub(crate) builtins: BTreeSet<String>,
    pub(crate) programs: BTreeSet<String>,
    /// What the user defined; comes before builtins and programs.
    pub(crate) defined: BTreeMap<String, CommandKind>,
    /// Returns the kind of all other names.
    pub(crate) others: fn(&str) -> CommandKind,
    /// Manuals by command words: "git log".
    pub(crate) manuals: BTreeMap<String, Arc<Manual>>,
    /// Commands that the shell itself documents.
    pub(crate) own_manuals: BTreeSet<String>,
    pub(crate) own_commands: Option<Arc<Catalogue>>,
    pub(crate) shell_version: Option<String>,
    pub(crate) is_root: bool,
    /// Programs in root's directories alone.
    pub(crate) for_root: BTreeSet<String>,
    /// Names among which the nearest one is searched.
    pub(crate) names: Vec<String>,
    /// Existing paths; `None` if no path can be looked up.
    pub(crate) paths: Option<BTreeSet<String>>,
    /// Contents of files by name in lower case.
    pub(crate) contents: BTreeMap<String, String>,
    pub(crate) git_refs: Option<Arc<GitRefs>>,
    /// Answers of the programs' own parsers, by program and option.
    pub(crate) answers: BTreeMap<String, BTreeMap<String, bool>>,
    /// Counts the commands looked up.
    pub(crate) looked_up: Counter,
    /// Counts the lists of all names.
    pub(crate) listed: Counter,
    /// Counts the questions to programs.
    pub(crate) asked: Counter,
}

/// A counter of calls.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for TestMachine {
    fn default() -> Self {
        Self {
            userland: Userland::Gnu,
            builtins: BTreeSet::new(),
            programs: BTreeSet::new(),
            defined: BTreeMap::new(),
            others: |_| CommandKind::Missing,
            manuals: BTreeMap::new(),
            own_manuals: BTreeSet::new(),
            own_commands: None,
            shell_version: None,
            is_root: false,
            for_root: BTreeSet::new(),
            names: Vec::new(),
            paths: None,
            contents: BTreeMap::new(),
            git_refs: None,
            answers: BTreeMap::new(),
            looked_up: Counter::default(),
            listed: Counter::default(),
            asked: Counter::default(),
        }
    }
}

impl TestMachine {
    /// Creates a machine that has every program.
    pub(crate) fn with_every_program() -> Self {
        Self { others: program, ..Self::default() }
    }

    fn kind(&self, name: &str) -> CommandKind {
        let (is_external, name) = name.strip_prefix('^').map_or((false, name), |name| (true, name));
        match self.defined.get(name) {
            Some(kind) => kind.clone(),
            None if self.builtins.contains(name) && !is_external => CommandKind::Builtin,
            None if self.programs.contains(name) => program(name),
            None if self.for_root.contains(name) => {
                let path = PathBuf::from(format!("/usr/sbin/{name}"));
                CommandKind::Program { real_path: path.clone(), path }
            }
            None => (self.others)(name),
        }
    }
}

impl Reference for TestMachine {
    fn known(&self, command: &[&str]) -> Arc<CommandFacts> {
        self.looked_up.count();
        let top = command.first().copied().unwrap_or_default();
        let mut above = Vec::new();
        let mut manual = self.manuals.get(top).cloned();
        for end in 2..=command.len() {
            let Some(below) = self.manuals.get(&command[..end].join(" ")).cloned() else { break };
            above.extend(manual.replace(below));
        }
        Arc::new(CommandFacts {
            kind: self.kind(top),
            manual,
            above,
            userland: self.userland,
            version: None,
            askable: self.answers.contains_key(top),
        })
    }

    fn names(&self) -> Vec<String> {
        self.listed.count();
        self.names.clone()
    }

    fn exists(&self, path: &str) -> Option<bool> {
        self.paths.as_ref().map(|paths| paths.contains(path))
    }

    fn names_in(&self, directory: &str) -> Option<Vec<String>> {
        let below = self.paths.as_ref()?.iter().filter_map(|path| path.strip_prefix(directory));
        Some(below.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        self.paths.as_ref().map(|_| !path.contains('.'))
    }

    fn git_refs(&self) -> Option<Arc<GitRefs>> {
        self.git_refs.clone()
    }

    fn accepts(&self, command: &[&str], option: &str) -> Option<bool> {
        self.asked.count();
        self.answers.get(command[0])?.get(option).copied()
    }

    fn own_manual(&self, command: &str) -> Option<Arc<Manual>> {
        self.own_manuals.contains(command).then(Arc::default)
    }

    fn for_root(&self, name: &str) -> Option<PathBuf> {
        self.for_root.contains(name).then(|| PathBuf::from(format!("/usr/sbin/{name}")))
    }

    fn text_of(&self, path: &str) -> Option<String> {
        self.contents.get(&path.to_lowercase()).cloned()
    }

    fn schema(&self, path: &str) -> Option<Arc<FileSchema>> {
        let name = path.strip_prefix("./").unwrap_or(path).to_lowercase();
        let text = self.contents.get(&name)?;
        Some(Arc::new(FileSchema::of(&name, text.as_bytes(), true)))
    }

    fn own_commands(&self) -> Option<Arc<Catalogue>> {
        self.own_commands.clone()
    }

    fn is_root(&self) -> bool {
        self.is_root
    }

    fn shell_version(&self) -> Option<String> {
        self.shell_version.clone()
    }
}

/// Returns the kind of a program in `/usr/bin`.
pub(crate) fn program(name: &str) -> CommandKind {
    let path = PathBuf::from("/usr/bin").join(name);
    CommandKind::Program { real_path: path.clone(), path }
}

/// Parses an option with its description: `-a, --all  all`, `-o, --output=FILE`, `--color[=WHEN]`, and `-k?` where the
/// documentation does not say whether it takes a value.
pub(crate) fn option(text: &str) -> OptionDoc {
    let (names, description) = text.split_once("  ").unwrap_or((text, ""));
    let value = match names {
        _ if names.contains("[=") => Arity::Optional,
        _ if names.contains('=') => Arity::Required,
        _ if names.ends_with('?') => Arity::Unknown,
        _ => Arity::None,
    };
    let name = |name: &str| name.split(['=', '[', '?']).next().unwrap_or_default().to_owned();
    OptionDoc {
        names: names.split(", ").map(name).collect(),
        value,
        placeholder: String::new(),
        text: description.to_owned(),
        source: Source::Page,
    }
}
