//! The supported shells.
//!
//! A new shell needs a variant here and a [`Dialect`]; the compiler then names the tables of the other crates that need
//! a row.

mod dialect;
mod versions;

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

pub use self::dialect::{Dialect, Grammar, History};
pub use self::versions::{
    NU_BUILT_FOR, NU_GHOST_SINCE, NU_PLUGIN_VERSIONS, NU_SCRIPT_SINCE, NU_TESTED_OLDER, nu_plugin_supports,
};

/// A shell whose prompt line can be rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Nu,
}

impl Shell {
    /// All shells, in the order in which they are listed to people.
    pub const ALL: [Self; 4] = [Self::Nu, Self::Zsh, Self::Bash, Self::Fish];

    /// The shell that reads text for the system's own shell (`sh`).
    pub const SH: Self = Self::Bash;

    /// Returns the facts about the shell and its language.
    pub fn dialect(self) -> &'static Dialect {
        match self {
            Self::Bash => &dialect::BASH,
            Self::Zsh => &dialect::ZSH,
            Self::Fish => &dialect::FISH,
            Self::Nu => &dialect::NU,
        }
    }

    /// Returns the program's name, also the value of `--shell`.
    pub fn name(self) -> &'static str {
        self.dialect().name
    }

    /// Reports whether the shell has the grammar of `sh`.
    pub fn is_posix(self) -> bool {
        self.dialect().grammar == Grammar::Posix
    }

    /// Reports whether the shell has fish's grammar.
    pub fn is_fish(self) -> bool {
        self.dialect().grammar == Grammar::Fish
    }

    /// Reports whether the shell has Nushell's grammar, with structured values and commands of its own.
    pub fn is_nushell(self) -> bool {
        self.dialect().grammar == Grammar::Nushell
    }

    /// Returns the shell named by a program path such as `$SHELL`. `None` if it is not supported.
    pub fn of_program(path: &str) -> Option<Self> {
        crate::program_name(path).trim_start_matches('-').parse().ok()
    }

    /// Returns the shell whose language the program `name` reads. `None` if that is no shell.
    pub fn of_interpreter(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|shell| shell.name() == name || shell.dialect().interpreters.contains(&name))
    }

    /// Returns the shell whose language a script is in, by the file's name. `None` if the name does not say.
    pub fn of_script(name: &str) -> Option<Self> {
        let is_of = |shell: &Self| shell.dialect().script_ending.is_some_and(|ending| name.ends_with(ending));
        Self::ALL.into_iter().find(is_of)
    }

    /// Returns the shell that reads a script on behalf of a program in a line of this shell.
    pub fn of_scripts(self) -> Self {
        if self.is_posix() { self } else { Self::SH }
    }
}

impl fmt::Display for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Shell {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_named = |shell: &Self| shell.name() == name || shell.dialect().aliases.contains(&name);
        let unknown = || format!("unknown shell `{name}`; use zsh, bash, fish or nu");
        Self::ALL.into_iter().find(is_named).ok_or_else(unknown)
    }
}
