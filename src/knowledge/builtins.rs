//! Names that each shell runs itself, without a program: a table of builtins and reserved words.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use askline_syntax as syntax;
use askline_syntax::shell::Shell;

#[derive(Deserialize)]
struct BuiltinTable {
    bash: BTreeSet<String>,
    zsh: BTreeSet<String>,
    fish: BTreeSet<String>,
}

static TABLE: LazyLock<BuiltinTable> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("builtins.toml")).expect("the table is TOML of this form")
});

/// Returns all names that a shell runs itself; those of Nushell may have several words (`str trim`).
pub(super) fn of(shell: Shell) -> &'static BTreeSet<String> {
    match shell {
        Shell::Bash => &TABLE.bash,
        Shell::Zsh => &TABLE.zsh,
        Shell::Fish => &TABLE.fish,
        Shell::Nu => syntax::nushell_commands(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shell_has_its_own() {
        for (shell, name) in [
            (Shell::Bash, "mapfile"),
            (Shell::Zsh, "zstyle"),
            (Shell::Fish, "string"),
            (Shell::Nu, "str trim"),
        ] {
            let has: Vec<Shell> = Shell::ALL.into_iter().filter(|shell| of(*shell).contains(name)).collect();
            assert_eq!(has, [shell], "{name}");
            assert!(of(shell).contains("cd") && !of(shell).contains("git"), "{shell}");
        }
    }
}
