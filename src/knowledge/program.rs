//! Resolution of command names: aliases, builtins and programs, and whether a program may be asked for its
//! documentation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::eligible::{self, Facts};
use super::kept::Record;
use super::{Knowledge, builtins};
use crate::config::Help;
use crate::environment::Directory;
use askline_check::reference::CommandKind;
use askline_host::{FileEntry, find_on_path};
use askline_syntax as syntax;
use askline_syntax::shell::Shell;

/// Maximum length of a chain of aliases.
const ALIASES_MAX: usize = 8;

/// A program that a name resolves to.
#[derive(Debug, Clone)]
pub(super) struct ResolvedProgram {
    /// Name as used: `ls`, also if that is a link to `busybox`.
    pub name: String,
    pub path: PathBuf,
    pub real_path: PathBuf,
    pub file: FileEntry,
    /// `true` if only root or the user can have put it there; documentation of that name then describes it.
    pub trusted: bool,
    /// `true` for fish's own commands, which have a page in fish's manual; the program is then fish.
    pub is_builtin: bool,
}

impl Knowledge {
    /// Reports whether a name is a command here: a program, a builtin, a function or an alias. Starts nothing.
    pub fn has_command(&self, name: &str) -> bool {
        self.resolve(&[name]).0 != CommandKind::Missing
    }

    /// Returns the meaning of a command's first word, and the program with the words after it, aliases expanded.
    pub(super) fn resolve(&self, command: &[&str]) -> (CommandKind, Option<(ResolvedProgram, Vec<String>)>) {
        let mut words: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let mut alias = None;
        let mut followed = BTreeSet::new();
        // A shell does not expand an alias again inside its own expansion.
        while let Some(name) = words.first().cloned().filter(|name| !followed.contains(name)) {
            let Some(value) = self.aliases.get(&name).filter(|_| followed.len() < ALIASES_MAX) else { break };
            alias.get_or_insert_with(|| value.clone());
            // If the expansion has several commands, it is unclear which of them the next words belong to.
            let Some(expanded) = simple_words(value, self.environment.shell) else {
                return (alias.map_or(CommandKind::Missing, CommandKind::Alias), None);
            };
            let leading = expanded.into_iter().take_while(|word| !word.starts_with('-'));
            words.splice(..1, leading);
            followed.insert(name);
        }
        // `^ls` is always the program, even if an alias or function has the same name.
        let outside = words.first().and_then(|first| first.strip_prefix('^')).map(str::to_owned);
        let outside = outside.filter(|_| self.environment.shell.is_nushell());
        let Some(name) = outside.clone().or_else(|| words.first().cloned()) else {
            return (alias.map_or(CommandKind::Missing, CommandKind::Alias), None);
        };
        let rest = words.split_off(1);
        let kind_of = |kind: CommandKind| alias.clone().map_or(kind, CommandKind::Alias);
        if outside.is_none() && self.functions.contains(&name) {
            return (kind_of(CommandKind::Function), None);
        }
        let shell = self.environment.shell;
        if outside.is_none() && builtins::of(shell).contains(&name) {
            let page = self
                .program(shell.name())
                .filter(|program| program.trusted && shell.dialect().has_builtin_manuals);
            let builtin = page.map(|fish| (ResolvedProgram { name, is_builtin: true, ..fish }, Vec::new()));
            return (kind_of(CommandKind::Builtin), builtin);
        }
        match self.program(&name) {
            Some(program) => {
                let (path, real_path) = (program.path.clone(), program.real_path.clone());
                (kind_of(CommandKind::Program { path, real_path }), Some((program, rest)))
            }
            None => (kind_of(CommandKind::Missing), None),
        }
    }

    /// Returns the program with a name, or at a path.
    pub(super) fn program(&self, name: &str) -> Option<ResolvedProgram> {
        let host = self.host.as_ref();
        let (path, trusted) = if name.contains('/') {
            let path = self.whole_path(name)?;
            let trusted = eligible::in_system(&path);
            (path, trusted)
        } else {
            let commands = &self.environment.commands;
            let found = commands.find(name).or_else(|| commands.find_for_root(name)).or_else(|| {
                // A program missed by an incomplete scan may still exist.
                (!commands.complete).then(|| find_on_path(host, name)).flatten()
            });
            let path = found?;
            let above = path.parent();
            let is_above = |directory: &&Directory| Some(directory.path.as_path()) == above;
            // Of a directory that an incomplete scan missed, the owners decide below.
            let trusted =
                commands.directories.iter().find(is_above).is_none_or(|directory| directory.trusted);
            (path, trusted)
        };
        let file = host.entry(&path).filter(|entry| entry.executable)?;
        let real_path = host.real_path(&path).ok()?;
        let trusted = trusted && self.is_believed(&path);
        let name = path.file_name()?.to_str()?.to_owned();
        Some(ResolvedProgram { name, path, real_path, file, trusted, is_builtin: false })
    }

    /// Returns the file that a shell would run for a name, and whether it is trusted: only root or the user can have
    /// made it, and it is outside the working tree.
    pub fn on_path(&self, name: &str) -> Option<(PathBuf, bool)> {
        self.program(name).map(|program| (program.path, program.trusted))
    }

    /// Reports whether only root or the user can have made a file, and it is outside the working tree, whose files
    /// anyone may have written.
    pub(super) fn is_believed(&self, file: &Path) -> bool {
        !self.is_in_working_tree(file) && self.owners.made_file(self.host.as_ref(), file)
    }

    /// Reports whether a path is below the working directory, if that is a project: not the home directory, not a
    /// directory above it, and not a system program directory.
    fn is_in_working_tree(&self, path: &Path) -> bool {
        let is_project =
            |current: &&PathBuf| !self.home.as_ref().is_some_and(|home| home.starts_with(current));
        let current = self.environment.current_dir.as_ref().filter(is_project);
        current.is_some_and(|current| path.starts_with(current) && !eligible::holds_system(current))
    }

    /// Returns the path as the shell would pass it to a program.
    pub(super) fn whole_path(&self, path: &str) -> Option<PathBuf> {
        if path.is_empty() || path.contains('\0') {
            return None;
        }
        match path.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) => Some(self.home.as_ref()?.join(rest.strip_prefix('/')?)),
            None if path.starts_with('/') => Some(PathBuf::from(path)),
            None => Some(self.environment.current_dir.as_ref()?.join(path)),
        }
    }

    /// Reports whether the program may be started in a sandbox; `own` is the record of the program itself.
    pub(super) fn is_eligible(&self, program: &ResolvedProgram, own: &Record) -> bool {
        if self.help == Help::Never || program.is_builtin || !program.trusted {
            return false;
        }
        let above = |path: &Path| path.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>();
        let directories: BTreeSet<PathBuf> =
            [above(&program.path), above(&program.real_path)].concat().into_iter().collect();
        let entries = directories.iter().map(|path| self.host.entry(path)).collect::<Option<Vec<_>>>();
        let Some(above) = entries else { return false };
        let verdict = eligible::for_help(&Facts {
            name: &program.name,
            path: &program.path,
            real_path: &program.real_path,
            file: program.file,
            above: &above,
            home: self.home.as_deref(),
            current_dir: self.environment.current_dir.as_deref(),
            page_says_help: own.page_says_help,
            says_help: own.says_help,
        });
        verdict.inspect_err(|why| tracing::debug!("{} is not started: {why}", program.path.display())).is_ok()
    }
}

/// Returns the words of an alias's expansion, if it is a single command without expansions.
fn simple_words(value: &str, shell: Shell) -> Option<Vec<String>> {
    if shell.is_nushell() {
        // Nushell itself accepted the alias, so it can only be one call.
        return if value.contains(['|', ';', '(', '\n']) { None } else { shell_words::split(value).ok() };
    }
    let parsed = syntax::parse(value, shell);
    let [command] = parsed.commands.as_slice() else { return None };
    let is_whole = value.get(command.span.clone()) == Some(value.trim());
    let is_simple = command.within.is_empty() && command.assignments.is_empty();
    let is_literal = command.words.iter().all(|word| word.literal);
    let is_read = parsed.errors.is_empty() && !parsed.incomplete;
    (is_whole && is_simple && is_literal && is_read)
        .then(|| command.words.iter().map(|word| word.text.clone()).collect())
}

impl ResolvedProgram {
    /// Reports whether one file acts as many programs, chosen by its name.
    pub(super) fn is_multi_call(&self) -> bool {
        let name = self.real_path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("busybox") || name.starts_with("toybox")
    }

    pub(super) fn goes_by_own_name(&self) -> bool {
        self.real_path.file_name().is_some_and(|name| name == self.name.as_str())
    }

    /// Returns the path part of the cache key, which differs for different names of the same file.
    pub(super) fn key_path(&self) -> PathBuf {
        if self.is_builtin { Path::new("builtin").join(&self.name) } else { self.path.clone() }
    }
}
