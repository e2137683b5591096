//! What is known of commands on a machine, and the trait through which judgement asks for it. The answers come from
//! this machine (`knowledge`), from a recording, or from a test's table.

use std::path::PathBuf;
use std::sync::Arc;

use crate::catalogue::Catalogue;
use crate::manual::Manual;
use crate::platform::Userland;
use crate::shape::Shape;

/// What is known of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// What the name stands for.
    pub kind: Kind,
    /// What is documented at the level that was asked for; none where no documentation was found.
    pub manual: Option<Arc<Manual>>,
    /// Options of the levels above count here too (`git -C`); the levels from the top, without the last.
    pub above: Vec<Arc<Manual>>,
    /// The family of implementations that its file belongs to.
    pub userland: Userland,
    /// The program's version, where it is told.
    pub version: Option<String>,
    /// The program's own parser may be asked ([`Reference::accepts`]).
    pub askable: bool,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    Program {
        /// As found on `PATH`.
        path: PathBuf,
        /// With links followed.
        real_path: PathBuf,
    },
    /// The shell itself.
    Builtin,
    /// A function of the user's.
    Function,
    /// An alias of the user's and what it stands for.
    Alias(String),
    /// Nothing that we know of.
    Missing,
}

/// What judgement may ask. Never fails: what can't be found out is unknown.
pub trait Reference {
    /// What is known of a command, and of the level its words lead to: `["git", "log"]`, `["ls"]`. Words that lead nowhere
    /// are passed over: `["git", "frobnicate"]` gives what is known of `git`. At Nushell `["^ls"]` is the program, `["ls"]`
    /// its own command.
    fn known(&self, command: &[&str]) -> Arc<Known>;

    /// The names that could be run, for finding the nearest one: programs, builtins, functions, aliases.
    fn names(&self) -> Vec<String>;

    /// Whether something stands at a path, as seen from the working directory; none where it can't be told.
    fn exists(&self, path: &str) -> Option<bool>;

    /// Asks the program's own parser, without letting it do anything, whether it takes the option; none where it can't be
    /// asked or its answer is not clear.
    fn accepts(&self, command: &[&str], option: &str) -> Option<bool>;

    /// What the shell itself documents of a command of its own, where it has no page.
    fn own_manual(&self, _command: &str) -> Option<Arc<Manual>> {
        None
    }

    /// What Nushell's `open` makes of the file at a path, as seen from the working directory; none where nobody looked.
    fn shape(&self, _path: &str) -> Option<Arc<Shape>> {
        None
    }

    /// All that the shell documents of its own commands; none where it documents none or can't be asked.
    fn own_commands(&self) -> Option<Arc<Catalogue>> {
        None
    }

    /// The version of the shell at the prompt, where it is told.
    fn shell_version(&self) -> Option<String> {
        None
    }
}
