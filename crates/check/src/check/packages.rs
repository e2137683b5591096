//! Packages that hold a well-known program, for the package manager of this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::reference::{CommandKind, Reference};

/// Package managers, each with its command. The first one that is here counts.
const MANAGERS: [(&str, &str, bool); 5] = [
    ("apt", "apt install", true),
    ("dnf", "dnf install", true),
    ("pacman", "pacman -S", true),
    ("apk", "apk add", true),
    ("brew", "brew install", false),
];

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("packages.toml")).expect("packages.toml is checked by a test")
});

#[derive(Debug, Deserialize)]
struct Table {
    all: BTreeSet<String>,
    #[serde(flatten)]
    managers: BTreeMap<String, BTreeMap<String, String>>,
}

/// Returns the command that installs a missing program here; `None` if no package is known, or if nothing could install it.
pub fn install_command(program: &str, reference: &dyn Reference) -> Option<String> {
    let is_known =
        TABLE.all.contains(program) || TABLE.managers.values().any(|own| own.contains_key(program));
    if !is_known {
        return None;
    }
    let is_here = |name: &str| matches!(reference.known(&[name]).kind, CommandKind::Program { .. });
    let (manager, command, needs_root) = MANAGERS.iter().find(|(manager, ..)| is_here(manager))?;
    let own = TABLE.managers.get(*manager).and_then(|packages| packages.get(program));
    let package = own.or_else(|| TABLE.all.get(program))?;
    match needs_root {
        true if reference.is_root() => Some(format!("{command} {package}")),
        true => is_here("sudo").then(|| format!("sudo {command} {package}")),
        false => Some(format!("{command} {package}")),
    }
}

/// Returns the names of the packages of a package manager that the table has, for the test that looks them up.
#[doc(hidden)]
pub fn package_names(manager: &str) -> BTreeSet<&'static str> {
    let own = TABLE.managers.get(manager).into_iter().flat_map(BTreeMap::values);
    own.chain(&TABLE.all).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_machine::TestMachine;

    #[test]
    fn packages_are_those_of_the_machine() {
        let machine = |programs: &[&str], is_root| TestMachine {
            programs: programs.iter().map(|name| (*name).to_owned()).collect(),
            is_root,
            ..TestMachine::default()
        };
        for (programs, is_root, program, expected) in [
            (&["apt", "sudo"][..], false, "dig", Some("sudo apt install bind9-dnsutils")),
            (&["apt"], false, "dig", None),
            (&["apt"], true, "htop", Some("apt install htop")),
            (&["pacman", "sudo"], false, "rg", Some("sudo pacman -S ripgrep")),
            (&["brew"], false, "tree", Some("brew install tree")),
            (&["brew"], false, "lspci", None),
            (&[], true, "htop", None),
            (&["apt", "sudo"], false, "nosuchprogram", None),
        ] {
            let found = install_command(program, &machine(programs, is_root));
            assert_eq!(found.as_deref(), expected, "{programs:?} {program}");
        }
    }

    #[test]
    fn each_table_is_that_of_a_manager() {
        let known: BTreeSet<&str> = MANAGERS.iter().map(|(manager, ..)| *manager).collect();
        assert!(TABLE.managers.keys().all(|manager| known.contains(manager.as_str())));
    }
}
