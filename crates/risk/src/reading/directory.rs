//! The directory that a line enters with `cd`: relative paths after it are in that directory.

use super::LineReader;
use crate::effect::Scope;
use crate::path_class;
use crate::path_class::{PathClass, PathKind};
use askline_syntax::{Nesting, SimpleCommand, Word};

/// Commands that change the working directory.
const ENTERING: [&str; 3] = ["cd", "pushd", "chdir"];
/// Maximum length of a directory's name, in bytes.
const NAME_MAX: usize = 4096;

/// A directory that the line enters, and the constructs in which that holds.
pub(super) struct Entered {
    within: Vec<Nesting>,
    path: String,
}

/// A word that stands for a value from elsewhere.
const UNKNOWN: &str = "$_";

impl LineReader<'_> {
    /// Keeps the directory that a command enters.
    pub(super) fn enter(&mut self, command: &SimpleCommand) {
        if !command.name().is_some_and(|name| ENTERING.contains(&name)) {
            return;
        }
        let mut operands = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        let (Some(word), None) = (operands.next(), operands.next()) else { return };
        let is_known = !word.glob && (word.literal || word.text.starts_with('~')) && !word.text.contains('$');
        let path = match self.entered(command) {
            Some(before) if !word.text.starts_with(['/', '~']) => format!("{before}/{}", word.text),
            _ => word.text.clone(),
        };
        if is_known && path.starts_with(['/', '~']) && path.len() <= NAME_MAX {
            self.entered.push(Entered { within: command.within.clone(), path });
        }
    }

    /// Returns the directory that the line has entered before a command.
    fn entered(&self, command: &SimpleCommand) -> Option<&str> {
        let mut entered = self.entered.iter().rev();
        let entered = entered.find(|entered| command.within.starts_with(&entered.within));
        entered.map(|entered| entered.path.as_str())
    }

    /// Replaces the directories by the last one, for a script that runs there, and returns them.
    pub(super) fn entered_by_script(&mut self) -> Vec<Entered> {
        let outer = std::mem::take(&mut self.entered);
        let last = outer.last().map(|entered| Entered { within: Vec::new(), path: entered.path.clone() });
        self.entered.extend(last);
        outer
    }

    /// Returns the class of the path that a word of a command names. A relative path may be in a directory that the line
    /// has entered; the worse class counts, because entering it may fail.
    pub(super) fn class(&self, word: &Word, command: &SimpleCommand) -> PathClass {
        // systemd replaces `%h` by the home directory.
        let is_unit = command
            .within
            .iter()
            .any(|within| matches!(within, Nesting::Wrapper(name) if name == "systemd-run"));
        if let Some(rest) = word.text.strip_prefix("%h").filter(|_| is_unit) {
            let home = Word { text: format!("~{rest}"), literal: false, ..word.clone() };
            return path_class::path(&home, self.shell);
        }
        if self.is_recalled(word, &word.text) {
            let unknown = Word { text: UNKNOWN.to_owned(), literal: false, ..word.clone() };
            return path_class::path(&unknown, self.shell);
        }
        let place = path_class::path(word, self.shell);
        if let Some(linked) = self.linked(word) {
            let (own, other) = (place.rank().0, linked.rank().0);
            let is_plain = place.kind <= PathKind::Temporary;
            if other > own || is_plain && other == own && linked.in_home {
                // The name by which the link goes may be special, too: `ln -s / .git`.
                let kind = if is_plain { linked.kind } else { place.kind };
                return PathClass { kind, ..linked };
            }
        }
        let is_relative = !place.path.starts_with(['/', '~', '…']) && place.scope != Scope::Remote;
        let Some(directory) = self.entered(command).filter(|_| is_relative) else { return place };
        let text = format!("{directory}/{}", word.text);
        let inside = path_class::path(&Word { text, literal: false, ..word.clone() }, self.shell);
        let is_wider = inside.rank().0 > place.rank().0;
        let is_special = inside.kind != place.kind && inside.kind > PathKind::Temporary;
        // What is directly in the home directory is the user's, what is below may be built again.
        let is_at_home = inside.in_home && matches!(directory, "~" | "~/");
        if is_wider || is_special || is_at_home { PathClass { path: place.path, ..inside } } else { place }
    }
}
