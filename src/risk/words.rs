//! Words by which a line is read beyond its programs' own tables (`words.toml`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::table::is_like;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    privilege: Vec<String>,
    secrets: Vec<String>,
    identity: Vec<String>,
    secret_variables: Vec<String>,
    plain: Vec<String>,
    runs: Vec<String>,
    quiet: Vec<String>,
    local: Vec<String>,
    own: Vec<String>,
    grants: Vec<String>,
    afar: Vec<String>,
    injects: Vec<String>,
    weakens: BTreeMap<String, Vec<String>>,
    speaks: BTreeMap<String, String>,
    narrowing: BTreeMap<String, Vec<String>>,
}

impl Words {
    /// Those of this program.
    pub(super) fn own() -> &'static Self {
        static WORDS: LazyLock<Words> = LazyLock::new(|| {
            #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
            toml::from_str(include_str!("words.toml")).expect("words.toml is well-formed")
        });
        &WORDS
    }

    /// A wrapper by this name runs commands with another user's rights.
    pub(super) fn gives_rights(&self, wrapper: &str) -> bool {
        has(&self.privilege, wrapper)
    }

    /// What this command prints must not get out.
    pub(super) fn tells_secrets(&self, command: &str) -> bool {
        has(&self.secrets, command)
    }

    /// The value of this option is a key that is used, not sent.
    pub(super) fn is_identity(&self, option: &str) -> bool {
        has(&self.identity, option)
    }

    /// A variable by this name holds what must not get out.
    pub(super) fn is_secret(&self, variable: &str) -> bool {
        let name = variable.to_uppercase();
        self.secret_variables.iter().any(|form| is_like(&name, form))
    }

    /// What this command prints tells nothing about the machine's owner.
    pub(super) fn is_plain(&self, command: &str) -> bool {
        has(&self.plain, command)
    }

    /// Some program runs the value of this variable.
    pub(super) fn is_run(&self, variable: &str) -> bool {
        has(&self.runs, variable)
    }

    /// The language that a program's text is in, where the program is named otherwise.
    pub(super) fn language(&self, program: &str) -> Option<&str> {
        self.speaks.get(program).map(String::as_str)
    }

    /// A text in this language reads and prints unless it says otherwise.
    pub(super) fn is_quiet(&self, language: &str) -> bool {
        has(&self.quiet, language)
    }

    /// It takes text in the shell's own language.
    pub(super) fn is_own(&self, command: &str) -> bool {
        has(&self.own, command)
    }

    /// The database is a file of this machine.
    pub(super) fn is_local(&self, client: &str) -> bool {
        has(&self.local, client)
    }

    /// The file gives rights to whoever is written there.
    pub(super) fn grants(&self, path: &str) -> bool {
        path.rsplit('/').next().is_some_and(|name| has(&self.grants, name))
    }

    /// A wrapper by this name runs commands on another machine.
    pub(super) fn is_afar(&self, wrapper: &str) -> bool {
        has(&self.afar, wrapper)
    }

    /// The variable puts foreign code into programs.
    pub(super) fn injects(&self, variable: &str) -> bool {
        has(&self.injects, variable)
    }

    /// The variable switches a protection off when it has this value.
    pub(super) fn weakens(&self, variable: &str, value: &str) -> bool {
        self.weakens.get(variable).is_some_and(|values| has(values, value))
    }

    /// A test of `find` that names what it looks for.
    pub(super) fn narrows(&self, option: &str) -> bool {
        self.narrowing.get("find").is_some_and(|options| has(options, option))
    }
}

fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|known| known == word)
}
