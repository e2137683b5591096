//! Secrets on their way: variables that hold the content of a secret file, and copies of it.

use std::collections::BTreeSet;

use super::{LineReader, Text, variables};
use crate::input_flow;
use askline_syntax::{Nesting, SimpleCommand, Word};

/// Commands that read their input into variables.
const READERS: [&str; 4] = ["read", "mapfile", "readarray", "input"];
/// Words after which the value of a variable comes.
const BEFORE_VALUES: [&str; 2] = ["in", "="];
/// Maximum number of names and files that are kept.
const KEPT_MAX: usize = 64;

/// Variables and files of the line that hold secrets.
#[derive(Default)]
pub(super) struct Held {
    variables: BTreeSet<String>,
    files: BTreeSet<String>,
    /// `true` if the line reads a secret somewhere.
    any: bool,
}

impl LineReader<'_> {
    /// Keeps whether a command of a text reads a secret.
    pub(super) fn find_secrets(&mut self, text: Text<'_>) {
        let mut commands = text.parsed.commands.iter().take(super::COMMANDS_MAX);
        if commands.len() > 1 {
            self.held.any = self.held.any || commands.any(|command| self.secret(command).is_some());
        }
    }

    /// Keeps the variables and files into which a command puts a secret.
    pub(super) fn hold(&mut self, placed: usize, command: &SimpleCommand, text: Text<'_>) {
        // A command alone passes nothing on.
        if text.parsed.commands.len() < 2 || !self.held.any {
            return;
        }
        let own = self.secret(command).is_some();
        let above = || input_flow::all_above(command, text.parsed);
        let inside =
            || input_flow::inside(&command.span, text.parsed).filter(|inner| inner.span != command.span);
        let comes = own
            || above().chain(inside()).any(|source| self.secret(source).is_some())
            || above().chain([command]).any(|source| self.mentions_held(source));
        if own && let Some(name) = name_before(text.line.get(..command.span.start).unwrap_or_default()) {
            self.keep_variable(&name);
        }
        if !comes && !self.reads_held(command) {
            return;
        }
        let name = command.name().unwrap_or_default();
        if READERS.contains(&name) {
            command
                .words
                .iter()
                .skip(1)
                .filter(|word| !word.text.starts_with('-'))
                .for_each(|word| self.keep_variable(&word.text));
        }
        for assignment in &command.assignments {
            let (name, value) = assignment.text.split_once('=').unwrap_or_default();
            if self.names_held(value) || text.inside(assignment).any(|inner| self.secret(inner).is_some()) {
                self.keep_variable(name);
            }
        }
        for closure in command.words.iter().filter(|word| word.text.starts_with('{')) {
            let parameters = closure.text.trim_start_matches('{').trim_start().strip_prefix('|');
            let parameters = parameters.and_then(|rest| rest.split('|').next()).unwrap_or("in");
            parameters.split([',', ' ']).for_each(|name| self.keep_variable(name));
        }
        let redirects = command.redirections.iter().filter(|redirection| redirection.operator.contains('>'));
        let targets: Vec<String> =
            redirects.filter_map(|redirection| Some(redirection.target.as_ref()?.text.clone())).collect();
        let written = self.placed.iter().skip(placed).filter_map(|placed| self.acts.get(placed.act));
        let written: Vec<String> = written.map(|act| act.target.clone()).collect();
        for file in targets.iter().chain(&written).filter(|file| !file.starts_with("/dev/")) {
            let name = file.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if self.held.files.len() < KEPT_MAX && !name.is_empty() {
                self.held.files.insert(name.to_owned());
            }
        }
    }

    /// Returns the word by which a command uses a variable or a file that holds a secret.
    pub(super) fn held_word(&self, command: &SimpleCommand, hands_over: bool) -> Option<Word> {
        let inputs = command.redirections.iter().filter(|redirection| redirection.operator.starts_with('<'));
        let inputs: Vec<&Word> = inputs.filter_map(|redirection| redirection.target.as_ref()).collect();
        let words = || command.words.iter().skip(1).chain(inputs.iter().copied());
        let is_file = |word: &&Word| {
            let name = word.text.rsplit(['/', '@', '=', '<']).next().unwrap_or_default();
            hands_over && self.held.files.contains(name)
        };
        words().find(|word| self.names_held(&word.text)).or_else(|| words().find(is_file)).cloned()
    }

    /// Reports whether a reader in a loop may get the secret that goes into the loop.
    fn reads_held(&self, command: &SimpleCommand) -> bool {
        let is_reader = command.name().is_some_and(|name| READERS.contains(&name));
        let in_loop = command.within.iter().any(|within| matches!(within, Nesting::Loop | Nesting::Group));
        is_reader && in_loop && self.held.any
    }

    fn mentions_held(&self, command: &SimpleCommand) -> bool {
        !self.held.variables.is_empty() && command.words.iter().any(|word| self.names_held(&word.text))
    }

    fn names_held(&self, text: &str) -> bool {
        !self.held.variables.is_empty() && variables(text).any(|name| self.held.variables.contains(name))
    }

    fn keep_variable(&mut self, name: &str) {
        let name = name.trim_matches(['$', ':', '?', ' ']);
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if self.held.variables.len() < KEPT_MAX && !name.is_empty() && name.chars().all(is_name) {
            self.held.variables.insert(name.to_owned());
        }
    }
}

/// Returns the name of the variable that gets what follows: `k=$(`, `set k (`, `for k in $(`, `let k = (`.
fn name_before(text: &str) -> Option<String> {
    let mut rest = text.trim_end_matches(|c: char| c.is_whitespace() || "$(`\"'<".contains(c));
    for word in BEFORE_VALUES {
        rest =
            rest.strip_suffix(word).unwrap_or(rest).trim_end_matches(|c: char| c.is_whitespace() || c == '+');
    }
    let name = rest.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    (!name.is_empty() && rest.len() < text.len()).then(|| name.to_owned())
}
