//! Word lists for the risk check that belong to no single program's table (`words.toml`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::table::is_like;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WordLists {
    privilege: Vec<String>,
    secrets: Vec<String>,
    identity: Vec<String>,
    secret_variables: Vec<String>,
    plain: Vec<String>,
    runs: Vec<String>,
    sets_up: Vec<String>,
    halts: Vec<String>,
    versions: Vec<String>,
    setup_programs: Vec<String>,
    prints_setup: Vec<String>,
    quiet: Vec<String>,
    local: Vec<String>,
    own: Vec<String>,
    deletes: Vec<String>,
    prints: Vec<String>,
    escapes: Vec<String>,
    module_paths: Vec<String>,
    settings: Vec<String>,
    text_options: Vec<String>,
    harms: Vec<String>,
    prefixes: Vec<String>,
    grants: Vec<String>,
    afar: Vec<String>,
    chosen: BTreeMap<String, String>,
    injects: Vec<String>,
    options_for: BTreeMap<String, String>,
    loads_with: BTreeMap<String, Vec<String>>,
    weakens: BTreeMap<String, Vec<String>>,
    speaks: BTreeMap<String, String>,
    endings: BTreeMap<String, String>,
    project_files: BTreeMap<String, Vec<String>>,
    narrowing: BTreeMap<String, Vec<String>>,
    aliases: BTreeMap<String, String>,
    operands_are_names: Vec<String>,
    names_output: Vec<String>,
    listings: Vec<String>,
    environment: Vec<String>,
    trusts_anyone: Vec<String>,
    asks_alone: Vec<String>,
    holds_settings: Vec<String>,
    looks_up: Vec<String>,
    feeds: Vec<String>,
    packs: Vec<String>,
    subcommands: Subcommands,
}

/// Words of subcommands, by their effect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subcommands {
    destroys: Vec<String>,
    stops: Vec<String>,
    sends: Vec<String>,
    reads: Vec<String>,
    absent: Vec<String>,
    runners: Vec<String>,
    asks: Vec<String>,
    changes: Vec<String>,
}

/// Effect of a subcommand, as its name states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// Removes, moves or overwrites something.
    Destroys,
    /// Stops or starts something that others use.
    Stops,
    /// Changes remote state.
    Sends,
}

impl WordLists {
    /// Returns the built-in word lists.
    pub(super) fn own() -> &'static Self {
        static WORDS: LazyLock<WordLists> = LazyLock::new(|| {
            #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
            toml::from_str(include_str!("words.toml")).expect("words.toml is well-formed")
        });
        &WORDS
    }

    /// Returns the name by which the tables know a program, with a subcommand if the name stands for one.
    pub(super) fn alias(&self, program: &str) -> Option<&str> {
        self.aliases.get(program).map(String::as_str)
    }

    /// Reports whether a subcommand only reads, as its name states: `list`, `get-item`, `show_all`.
    pub(super) fn is_reading(&self, subcommand: &str) -> bool {
        parts(subcommand).next().is_some_and(|first| has(&self.subcommands.reads, first))
    }

    /// Reports whether the words of a command are names of commands or text, never subcommands.
    pub(super) fn takes_names(&self, command: &str) -> bool {
        has(&self.subcommands.absent, command)
    }

    /// Reports whether the words of a program name tasks of the project.
    pub(super) fn runs_tasks(&self, program: &str) -> bool {
        has(&self.subcommands.runners, program)
    }

    /// Returns the effect that the name of a subcommand or option states: `delete`, `delete-all`, `user:remove`.
    pub(super) fn verb(&self, subcommand: &str) -> Option<Verb> {
        if subcommand.contains(['/', '.', '@', '=', ' ']) {
            return None;
        }
        // `removeUser` states it in its first part.
        let head = subcommand.find(|c: char| c.is_ascii_uppercase()).filter(|at| *at > 0);
        let head = head.and_then(|at| subcommand.get(..at));
        let ends = parts(subcommand).next().into_iter().chain(parts(subcommand).last()).chain(head);
        let lists = &self.subcommands;
        ends.filter_map(|part| {
            let of = |list: &[String], verb| has(list, part).then_some(verb);
            of(&lists.destroys, Verb::Destroys)
                .or_else(|| of(&lists.stops, Verb::Stops))
                .or_else(|| of(&lists.sends, Verb::Sends))
        })
        .next()
    }

    /// Reports whether the operands of a program are names of processes, users, groups or modules.
    pub(super) fn operands_are_names(&self, program: &str) -> bool {
        has(&self.operands_are_names, program)
    }

    /// Reports whether a file may hold a list or a log, as its ending says; without one it may.
    pub(super) fn is_listing(&self, file: &str) -> bool {
        let ending = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
        ending.is_none_or(|ending| {
            has(&self.listings, &ending.to_lowercase()) || ending.bytes().all(|byte| byte.is_ascii_digit())
        })
    }

    /// Reports whether the shell or many programs read a variable, besides those that other lists name.
    pub(super) fn is_environment(&self, variable: &str) -> bool {
        self.environment.iter().chain(&self.settings).any(|form| is_like(variable, form))
    }

    /// Reports whether the value of an option is a file to write, if it looks like a file.
    pub(super) fn names_output(&self, option: &str) -> bool {
        has(&self.names_output, option)
    }

    /// Reports whether an option switches off the check of the other side's certificate.
    pub(super) fn trusts_anyone(&self, option: &str) -> bool {
        has(&self.trusts_anyone, option)
    }

    /// Reports whether a program without any word only shows something, though it changes something with words.
    pub(super) fn asks_alone(&self, program: &str) -> bool {
        has(&self.asks_alone, program)
    }

    /// Reports whether a subcommand stands for settings or the like, and the next word says what to do with them.
    pub(super) fn holds_settings(&self, subcommand: &str) -> bool {
        has(&self.holds_settings, subcommand)
    }

    /// Reports whether a command asks other machines for the names among its operands.
    pub(super) fn looks_up(&self, command: &str) -> bool {
        has(&self.looks_up, command)
    }

    /// Reports whether a command passes the content of its operands to the command that it runs.
    pub(super) fn feeds(&self, command: &str) -> bool {
        has(&self.feeds, command)
    }

    /// Reports whether a command packs the content of directories.
    pub(super) fn packs(&self, command: &str) -> bool {
        has(&self.packs, command)
    }

    /// Reports whether a subcommand, or the first part of the name of an option, only asks.
    pub(super) fn asks(&self, word: &str) -> bool {
        has(&self.subcommands.asks, word)
    }

    /// Reports whether a part of the name of an option changes something, whatever else a command is asked.
    pub(super) fn changes(&self, part: &str) -> bool {
        has(&self.subcommands.changes, part)
    }

    /// Reports whether a wrapper runs commands with another user's rights.
    pub(super) fn gives_rights(&self, wrapper: &str) -> bool {
        has(&self.privilege, wrapper)
    }

    /// Reports whether the output of a command is secret.
    pub(super) fn tells_secrets(&self, command: &str) -> bool {
        has(&self.secrets, command)
    }

    /// Reports whether the value of an option is a key that is used, not sent.
    pub(super) fn is_identity(&self, option: &str) -> bool {
        has(&self.identity, option)
    }

    /// Reports whether the name of a variable suggests a secret value.
    pub(super) fn is_secret(&self, variable: &str) -> bool {
        let name = variable.to_uppercase();
        self.secret_variables.iter().any(|form| is_like(&name, form))
    }

    /// Reports whether the output of a command reveals nothing about the machine's owner.
    pub(super) fn is_plain(&self, command: &str) -> bool {
        has(&self.plain, command)
    }

    /// Reports whether some program runs the value of a variable.
    pub(super) fn is_run(&self, variable: &str) -> bool {
        has(&self.runs, variable)
    }

    /// Returns the program that takes options from a variable.
    pub(super) fn program_with_options(&self, variable: &str) -> Option<&str> {
        self.options_for.get(variable).map(String::as_str)
    }

    /// Returns the language of a program's script if the program has another name than its language.
    pub(super) fn language(&self, program: &str) -> Option<&str> {
        self.speaks.get(program).map(String::as_str)
    }

    /// Returns the program that runs scripts whose names have an ending.
    pub(super) fn interpreter(&self, ending: &str) -> Option<&str> {
        self.endings.get(ending).map(String::as_str)
    }

    /// Returns the names of the files in which a program finds what it runs.
    pub(super) fn project_files(&self, program: &str) -> &[String] {
        self.project_files.get(program).map(Vec::as_slice).unwrap_or_default()
    }

    /// Reports whether a script in a language only reads and prints unless it calls something else.
    pub(super) fn is_quiet(&self, language: &str) -> bool {
        has(&self.quiet, language)
    }

    /// Reports whether a command, given as its words, prints text that sets up the shell.
    pub(super) fn sets_up(&self, words: &[&str]) -> bool {
        let (Some(name), second) = (words.first(), words.get(1)) else { return false };
        let with_second = second.map(|second| format!("{name} {second}"));
        has(&self.sets_up, name)
            || with_second.is_some_and(|two| has(&self.sets_up, &two))
            || has(&self.setup_programs, name)
                && words.iter().skip(1).take(2).any(|word| has(&self.prints_setup, word))
    }

    /// Reports whether `-h` halts the machine with this command.
    pub(super) fn halts(&self, command: &str) -> bool {
        has(&self.halts, command)
    }

    /// Reports whether `-v` alone asks a program for its version.
    pub(super) fn tells_version(&self, program: &str) -> bool {
        has(&self.versions, program)
    }

    /// Reports whether a command destroys its operands.
    pub(super) fn deletes(&self, command: &str) -> bool {
        has(&self.deletes, command)
    }

    /// Reports whether the words of a command are text that it prints, sends or searches for.
    pub(super) fn prints(&self, command: &str) -> bool {
        has(&self.prints, command)
    }

    /// Reports whether the input of a program may hold commands of the shell.
    pub(super) fn has_escapes(&self, program: &str) -> bool {
        has(&self.escapes, program)
    }

    /// Reports whether a variable lists directories of programs or of modules that programs load.
    pub(super) fn is_search_path(&self, variable: &str) -> bool {
        has(&self.module_paths, variable)
    }

    /// Reports whether a variable names the settings of a program, or the directory of them.
    pub(super) fn names_settings(&self, variable: &str) -> bool {
        self.settings.iter().any(|form| is_like(variable, form))
    }

    /// Reports whether the value of an option is text for people or for a search.
    pub(super) fn is_text_option(&self, option: &str) -> bool {
        has(&self.text_options, option)
    }

    /// Reports whether a hidden command may begin with this program.
    pub(super) fn harms(&self, program: &str) -> bool {
        self.deletes(program) || self.harms.iter().any(|form| is_like(program, form))
    }

    /// Reports whether a word before a command leaves its effect as it is: `sudo`, `exec`.
    pub(super) fn is_prefix(&self, word: &str) -> bool {
        has(&self.prefixes, word)
    }

    /// Reports whether a command takes text in the shell's own language.
    pub(super) fn is_own(&self, command: &str) -> bool {
        has(&self.own, command)
    }

    /// Reports whether a database client works on a local file.
    pub(super) fn is_local(&self, client: &str) -> bool {
        has(&self.local, client)
    }

    /// Reports whether a file grants rights to the users or keys listed in it.
    pub(super) fn grants(&self, path: &str) -> bool {
        path.rsplit('/').next().is_some_and(|name| has(&self.grants, name))
    }

    /// Reports whether a wrapper runs commands on another machine.
    pub(super) fn is_afar(&self, wrapper: &str) -> bool {
        has(&self.afar, wrapper)
    }

    /// Returns a program that does what the user's choice in a variable does: `vi` for `EDITOR`.
    pub(super) fn chosen(&self, variable: &str) -> Option<&str> {
        self.chosen.get(variable).map(String::as_str)
    }

    /// Reports whether a variable with this value injects foreign code into programs.
    pub(super) fn injects(&self, variable: &str, value: &str) -> bool {
        let needs = self.loads_with.get(variable);
        let loads = needs.is_none_or(|options| options.iter().any(|option| value.contains(option.as_str())));
        has(&self.injects, variable) && loads && value != "/dev/null"
    }

    /// Reports whether a variable with this value switches a protection off.
    pub(super) fn weakens(&self, variable: &str, value: &str) -> bool {
        self.weakens.get(variable).is_some_and(|values| has(values, value))
    }

    /// Reports whether a test of `find` restricts the search to named or described files.
    pub(super) fn narrows(&self, option: &str) -> bool {
        self.narrowing.get("find").is_some_and(|options| has(options, option))
    }
}

/// Returns the words in the name of a subcommand.
fn parts(subcommand: &str) -> impl Iterator<Item = &str> {
    subcommand.split(['-', '_', ':']).filter(|part| !part.is_empty())
}

fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|known| known == word)
}
