//! The supported shells.

use std::fmt;
use std::str::FromStr;

/// A shell whose prompt line can be rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Nu,
}

/// Minor versions of Nushell that its plugin supports, oldest first; the script works in any version from 0.107.
pub const NU_PLUGIN_VERSIONS: [&str; 2] = ["0.114", "0.115"];

impl Shell {
    /// All shells, in the order in which they are listed to people.
    pub const ALL: [Self; 4] = [Self::Nu, Self::Zsh, Self::Bash, Self::Fish];

    /// Returns the program's name, also the value of `--shell`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Nu => "nu",
        }
    }

    /// Returns the shell named by a program path such as `$SHELL`. `None` if it is not supported.
    pub fn of_program(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.trim_start_matches('-').parse().ok()
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
        match name {
            "bash" => Ok(Self::Bash),
            "zsh" => Ok(Self::Zsh),
            "fish" => Ok(Self::Fish),
            "nu" | "nushell" => Ok(Self::Nu),
            _ => Err(format!("unknown shell `{name}`; use zsh, bash, fish or nu")),
        }
    }
}
