//! Variables of loops: `for f in ~/*`, `find ~ | while read f`.

use super::{Here, LineReader, Text, variables};
use crate::effect::Scope;
use crate::input_flow;
use crate::path_class;
use crate::path_class::PathClass;
use crate::script;
use askline_syntax::{SimpleCommand, Word};

/// Maximum number of loops of a text that are read.
const LOOPS_MAX: usize = 16;
/// Maximum number of words over which one loop iterates that are read.
const WORDS_MAX: usize = 64;

impl LineReader<'_> {
    /// Keeps the widest of the paths over which each loop iterates.
    pub(super) fn loop_variables(&mut self, text: Text<'_>) {
        if self.shell.is_nushell() {
            return;
        }
        for (at, _) in text.line.match_indices("for ").take(LOOPS_MAX) {
            let starts = text.line.get(..at).is_none_or(|before| !before.ends_with(char::is_alphanumeric));
            let rest = text.line.get(at + "for ".len()..).unwrap_or_default();
            let header = rest.split([';', '\n']).next().unwrap_or_default();
            if let Some((name, words)) = header.split_once(" in ").filter(|_| starts) {
                self.iterates(name.trim(), words.split_whitespace());
            }
        }
        self.read_variables(text);
    }

    /// Reads `find ~ | while read f; …` and `ls ~ | while read f; …`.
    fn read_variables(&mut self, text: Text<'_>) {
        let commands = text.parsed.commands.iter().take(super::COMMANDS_MAX);
        for (lister, reader) in commands.clone().zip(commands.skip(1)) {
            let between = text.line.get(lister.span.end..reader.span.start).unwrap_or_default();
            let is_piped = between.trim_start().starts_with('|') && between.contains("while");
            let name = reader.words.iter().skip(1).find(|word| word.literal && !word.text.starts_with('-'));
            if let (true, Some("read"), Some(name)) = (is_piped, reader.name(), name) {
                self.lists(lister, &name.text);
            }
        }
    }

    /// Keeps where the names come from that a pipeline gives to code in another language: `find ~ | awk '{ system("rm " $0) }'`.
    pub(super) fn piped_names(&mut self, here: Here<'_>) {
        let name = variables(script::UNKNOWN).next().unwrap_or_default().to_owned();
        if let Some(lister) = input_flow::above(here.command, here.text.parsed).last() {
            self.lists(lister, &name);
        }
    }

    /// Keeps the directories below which a finder lists all files, as those that a variable names.
    fn lists(&mut self, lister: &SimpleCommand, name: &str) {
        if matches!(lister.name(), Some("find" | "fd" | "fdfind")) && !input_flow::narrows(lister) {
            let starts = lister.words.iter().skip(1).take_while(|word| !word.text.starts_with('-'));
            self.iterates(name, starts.map(|word| word.text.as_str()));
        }
    }

    fn iterates<'t>(&mut self, name: &str, words: impl Iterator<Item = &'t str>) {
        let words: Vec<&str> = words.take(WORDS_MAX).map(|word| word.trim_matches(['"', '\''])).collect();
        self.keep_names(name, words.iter().copied());
        let words = words.into_iter();
        let paths = words.filter(|word| word.starts_with(['/', '~', '.', '*']) || word.starts_with("$HOME"));
        let widest = paths.max_by_key(|word| path_class::named(word).scope);
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let Some(widest) = widest.filter(|_| is_name) else { return };
        self.loops.insert(name.to_owned(), widest.to_owned());
    }

    /// Returns the class of the widest path that a word with the variable of a loop names; `None` if it is the user's own.
    pub(super) fn loop_place(&self, word: &Word, command: &SimpleCommand) -> Option<PathClass> {
        let name = variables(&word.text).find(|name| self.loops.contains_key(*name))?;
        let value = self.loops.get(name)?;
        let text = word.text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
        let wide = Word { text, literal: false, glob: value.contains('*'), ..word.clone() };
        let place = self.class(&wide, command);
        matches!(place.scope, Scope::Home | Scope::System | Scope::Everything).then_some(place)
    }
}
