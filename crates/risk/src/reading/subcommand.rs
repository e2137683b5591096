//! Subcommands and options that no table knows, by their words: `x delete a` deletes, whatever `x` is.

use super::{Here, LineReader};
use crate::call::Call;
use crate::effect::{Effect, Label, Scope};
use crate::files::FileLists;
use crate::script;
use crate::weigh::Circumstances;
use crate::words::{Verb, WordLists};
use askline_syntax::shell::Shell;
use askline_syntax::{Word, program_name};

/// Maximum number of operands among which a subcommand is searched.
const OPERANDS_MAX: usize = 4;
/// Subcommands that remove what their operands name, whatever the tables say of their program.
const REMOVING: [&str; 8] = ["remove", "uninstall", "delete", "purge", "destroy", "erase", "rm", "del"];
/// Options with which what is removed from a list stays where it is.
const KEEPING: [&str; 2] = ["--cached", "--keep"];
/// Options with which a program only prints or simulates.
const TRIES: [&str; 4] = ["--dry-run", "--dryrun", "--help", "--version"];
/// Parts of the names of programs that say what these change.
const VERBS_OF_NAMES: [&str; 16] = [
    "delete",
    "remove",
    "rm",
    "uninstall",
    "purge",
    "wipe",
    "erase",
    "destroy",
    "stop",
    "restart",
    "kill",
    "reboot",
    "shutdown",
    "poweroff",
    "unlink",
    "upload",
];
/// Those of them that delete.
const DELETING: [&str; 9] =
    ["delete", "remove", "rm", "uninstall", "purge", "wipe", "erase", "destroy", "unlink"];
/// First words of SQL statements that destroy.
const STATEMENTS: [(&str, &str); 9] = [
    ("drop", "database"),
    ("drop", "schema"),
    ("drop", "table"),
    ("drop", "keyspace"),
    ("drop", "user"),
    ("drop", "view"),
    ("drop", "index"),
    ("truncate", "table"),
    ("delete", "from"),
];

impl LineReader<'_> {
    /// Adds the effect that the words of an unknown program's subcommand or option state.
    pub(super) fn unknown_program(&mut self, call: &Call<'_>, here: Here<'_>) {
        self.stated(call, here);
        self.named_by_verb(call, here);
        self.unchecked(call, here);
        for word in here.command.words.iter().skip(1).filter(|word| is_shell(&word.text)) {
            let says = Some(format!("lets {} run a shell", call.name));
            self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, Circumstances::default(), says);
        }
        // Whatever client it is, the statement reaches a database.
        for word in here.command.words.iter().skip(1).filter(|word| is_statement(&word.text)) {
            let changes = script::sql(&word.text).into_iter();
            for change in changes.filter(|change| change.effect == Effect::DataDefinition) {
                self.add(change.effect, change.scope, word, &change.what, Circumstances::default(), None);
            }
        }
    }

    /// Adds the effect that the name of an unknown program states: `distrobox-rm`, `k3s-uninstall.sh`.
    fn named_by_verb(&mut self, call: &Call<'_>, here: Here<'_>) {
        let name = call.name.to_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        // A script of the project has its name from what it does.
        if here.word.text.contains('/') || FileLists::own().is_script(&here.word.text) {
            return self.named_script(here.word, here);
        }
        let (head, tail) = (stem.split(['-', '_']).next(), stem.rsplit(['-', '_']).next());
        let is_compound = head != tail;
        let verb = [head, tail].into_iter().flatten().find(|part| VERBS_OF_NAMES.contains(part));
        if let Some(verb) = verb.filter(|_| is_compound) {
            let states = if DELETING.contains(&verb) { Verb::Destroys } else { Verb::Stops };
            let says =
                format!("runs {}, an unknown program whose name says that it changes something", call.name);
            self.add(effect_of(states), Scope::Own, here.word, verb, Circumstances::default(), Some(says));
        }
    }

    /// Adds the effect that the name of a script states: `./clean.sh`, `bash deploy-all.sh`.
    pub(super) fn named_script(&mut self, script: &Word, here: Here<'_>) {
        let words = WordLists::own();
        if here.command.words.iter().any(|word| TRIES.contains(&word.text.as_str())) {
            return;
        }
        let name = program_name(&script.text).to_lowercase();
        let stem = name.split('.').next().filter(|stem| script.literal && !words.is_reading(stem));
        if let Some(states) = stem.and_then(|stem| words.verb(stem)) {
            let says = format!("runs {}, a script whose name says that it changes something", script.text);
            let manner = Circumstances::default();
            self.add(effect_of(states), Scope::Own, script, &script.text, manner, Some(says));
        }
    }

    /// Adds the effect that the words of a known program state beyond the rows that applied.
    pub(super) fn known_program(&mut self, before: usize, call: &Call<'_>, here: Here<'_>) {
        self.removes(before, call, here);
        self.unknown_subcommand(call, here);
        self.unchecked(call, here);
    }

    /// Adds the effect that the words of a known program's subcommand state if no table knows the subcommand.
    fn unknown_subcommand(&mut self, call: &Call<'_>, here: Here<'_>) {
        let is_top = call.named.is_some_and(|named| named.words == 0);
        let first = call.operands().first().filter(|word| word.literal);
        let Some(first) = first.filter(|_| is_top && !WordLists::own().runs_tasks(&call.name)) else {
            return;
        };
        if self.table.has_subcommands(&call.name) && !self.table.mentions(&call.name, &first.text) {
            self.stated(call, here);
        }
    }

    /// Adds an effect if a known program is told to remove what the operands name, and the tables only know that it changes
    /// something of its own: `npm uninstall a`, `gh alias delete a`.
    fn removes(&mut self, before: usize, call: &Call<'_>, here: Here<'_>) {
        let is_mild = self.acts.iter().skip(before).map(|act| act.label).max() == Some(Label::Cautious);
        let covered = call.named.map_or(0, |named| named.words);
        let tries = || TRIES.iter().chain(&KEEPING).any(|option| call.has_option(option));
        let is_verb = |verb: &Word| verb.literal && REMOVING.contains(&verb.text.as_str());
        // A row of the program itself may name the subcommand.
        let is_mentioned = |verb: &Word| self.table.mentions(&call.name, &verb.text);
        let (removes, named) = match covered.checked_sub(1) {
            Some(at) => (call.words().get(at).is_some_and(is_verb), call.operands()),
            None => {
                let first = call.operands().split_first();
                let (verb, rest) = first.map_or((None, [].as_slice()), |(verb, rest)| (Some(verb), rest));
                (verb.is_some_and(|verb| is_verb(verb) && is_mentioned(verb)), rest)
            }
        };
        if let Some(first) = named.first().filter(|_| is_mild && removes && !tries()) {
            let target = first.text.clone();
            let word = Word { span: first.span.clone(), ..here.word.clone() };
            self.add(Effect::Delete, Scope::Own, &word, &target, Circumstances::default(), None);
        }
    }

    fn stated(&mut self, call: &Call<'_>, here: Here<'_>) {
        let Some((states, word)) = stated_verb(call).filter(|_| !WordLists::own().takes_names(&call.name))
        else {
            return;
        };
        let effect = effect_of(states);
        let (name, verb) = (&call.name, &word.text);
        let says = format!("{name} {verb} is in no table, and its name says that it changes something");
        let word = Word { span: word.span.clone(), ..here.word.clone() };
        self.add(effect, Scope::Own, &word, verb, Circumstances::default(), Some(says));
    }
}

/// Returns the effect that a verb states.
fn effect_of(states: Verb) -> Effect {
    match states {
        Verb::Destroys => Effect::Delete,
        Verb::Stops => Effect::Stop,
        Verb::Sends => Effect::RemoteChange,
    }
}

/// Reports whether a text starts an interactive shell: `/bin/sh -i`.
fn is_shell(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let name = words.next().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    Shell::of_interpreter(name).is_some() && words.any(|word| word.starts_with('-') && word.contains('i'))
}

/// Reports whether a text is an SQL statement that changes something.
fn is_statement(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_ascii_lowercase);
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    STATEMENTS.contains(&(first.as_str(), second.as_str()))
}

/// Returns the first word of a subcommand or an option that states an effect; `None` if the command only reads.
fn stated_verb(call: &Call<'_>) -> Option<(Verb, Word)> {
    let words = WordLists::own();
    if call.words().last().is_some_and(|word| word.text == "-h")
        && call.words().iter().filter(|word| word.text.starts_with('-')).count() == 1
    {
        return None;
    }
    if TRIES.iter().any(|option| call.has_option(option)) {
        return None;
    }
    let mut before = "";
    for word in call.operands().iter().take(OPERANDS_MAX).filter(|word| word.literal) {
        // A cache is switched on and off again.
        let is_switch = before == "cache" && matches!(word.text.as_str(), "enable" | "disable");
        before = &word.text;
        if words.is_reading(&word.text) || is_switch {
            return None;
        }
        if let Some(verb) = words.verb(&word.text) {
            return Some((verb, word.clone()));
        }
    }
    let mut options = call.words().iter().filter(|word| word.text.starts_with('-'));
    options.find_map(|word| {
        let (option, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
        let is_off = matches!(value, "false" | "no" | "off" | "never" | "none" | "0");
        let name = option.trim_start_matches('-');
        let states = words.verb(name).filter(|_| !is_off && name.len() > 2 && !name.contains(['-', '_']));
        // A player stops its own music, and a server that reloads itself serves the project.
        states.filter(|verb| *verb != Verb::Stops).map(|verb| (verb, word.clone()))
    })
}
