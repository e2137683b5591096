//! Facts about the commands of a machine, and the trait that the checks use to ask for them. The answers come from
//! this machine (`knowledge`), from a recording, or from a test's table.

use std::path::PathBuf;
use std::sync::Arc;

use crate::file_schema::FileSchema;
use crate::git_refs::GitRefs;
use askline_manual::Manual;
use askline_manual::catalogue::Catalogue;
use askline_manual::userland::Userland;

/// Facts about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFacts {
    /// Kind of the command.
    pub kind: CommandKind,
    /// Documentation of the requested level; `None` if none was found.
    pub manual: Option<Arc<Manual>>,
    /// Manuals of the levels above, from the top, without the requested one. Their options are valid too (`git -C`).
    pub above: Vec<Arc<Manual>>,
    /// Tool family of the program file.
    pub userland: Userland,
    /// Version of the program, if known.
    pub version: Option<String>,
    /// `true` if the program's own parser can be asked ([`Reference::accepts`]).
    pub askable: bool,
}

/// Kind of a command name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandKind {
    /// A program file.
    Program {
        /// Path as found on `PATH`.
        path: PathBuf,
        /// Path with symbolic links resolved.
        real_path: PathBuf,
    },
    /// A builtin of the shell.
    Builtin,
    /// A function of the user.
    Function,
    /// An alias of the user, with its text.
    Alias(String),
    /// An unknown name.
    Missing,
}

/// The questions that the checks ask about a machine. No method fails: facts that cannot be found are unknown.
pub trait Reference {
    /// Returns the facts about a command at the level of its words: `["git", "log"]`, `["ls"]`. Ignores words that
    /// are no subcommand: `["git", "frobnicate"]` returns the facts about `git`. In Nushell `["^ls"]` is the program,
    /// `["ls"]` the builtin.
    fn known(&self, command: &[&str]) -> Arc<CommandFacts>;

    /// Returns the names of all runnable commands, for finding the nearest one: programs, builtins, functions,
    /// aliases.
    fn names(&self) -> Vec<String>;

    /// Reports whether a path, relative to the working directory, exists; `None` if unknown.
    fn exists(&self, path: &str) -> Option<bool>;

    /// Returns the names in a directory, relative to the working directory, which is the empty path. `None` if they
    /// are unknown or too many.
    fn names_in(&self, _directory: &str) -> Option<Vec<String>> {
        None
    }

    /// Reports whether a path, relative to the working directory, is a directory; `None` if unknown.
    fn is_directory(&self, _path: &str) -> Option<bool> {
        None
    }

    /// Returns the text of a small file, relative to the working directory; `None` if it can't be read or is large.
    fn text_of(&self, _path: &str) -> Option<String> {
        None
    }

    /// Returns the names in the git repository around the working directory; `None` if there is none, or if they are unknown.
    fn git_refs(&self) -> Option<Arc<GitRefs>> {
        None
    }

    /// Asks the program's own parser, without side effects, whether it accepts the option. Returns `None` if it
    /// cannot be asked or the answer is unclear.
    fn accepts(&self, command: &[&str], option: &str) -> Option<bool>;

    /// Returns the shell's own documentation of one of its commands that has no manual page.
    fn own_manual(&self, _command: &str) -> Option<Arc<Manual>> {
        None
    }

    /// Returns the schema of a file as Nushell's `open` reads it; the path is relative to the working directory.
    /// `None` if the file was not examined.
    fn schema(&self, _path: &str) -> Option<Arc<FileSchema>> {
        None
    }

    /// Returns the shell's documentation of all its commands; `None` if it has none or cannot be asked.
    fn own_commands(&self) -> Option<Arc<Catalogue>> {
        None
    }

    /// Returns the version of the current shell, if known.
    fn shell_version(&self) -> Option<String> {
        None
    }

    /// Returns the file of a program that root has on `PATH` and the user has not; `None` if there is none of this name.
    fn for_root(&self, _name: &str) -> Option<PathBuf> {
        None
    }

    /// Reports whether the user is known to be root, who needs no `sudo`.
    fn is_root(&self) -> bool {
        false
    }
}
