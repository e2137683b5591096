//! A file that a pipeline reads and empties before it is read: `sort f > f`.

use super::{LineReader, Text};
use crate::input_flow;
use crate::path_class;
use askline_syntax::{SimpleCommand, Word};

/// Commands whose words are text, not files that they read.
const TALKERS: [&str; 6] = ["echo", "printf", "print", "string", "true", ":"];

impl LineReader<'_> {
    /// Reports whether a command or one before it in its pipeline reads the file that a word names.
    pub(super) fn is_read(&self, target: &Word, command: &SimpleCommand, text: Text<'_>) -> bool {
        self.reads_file(command, target) || self.is_read_above(target, command, text)
    }

    /// Reports whether a command before this one in its pipeline reads the file that a word names.
    pub(super) fn is_read_above(&self, target: &Word, command: &SimpleCommand, text: Text<'_>) -> bool {
        input_flow::all_above(command, text.parsed).any(|above| self.reads_file(above, target))
    }

    fn reads_file(&self, command: &SimpleCommand, target: &Word) -> bool {
        let is_talker = command.name().is_some_and(|name| TALKERS.contains(&name));
        let words = command.words.iter().skip(1).filter(|_| !is_talker);
        let inputs = command.redirections.iter().filter(|redirection| redirection.operator == "<");
        words.chain(inputs.filter_map(|input| input.target.as_ref())).any(|word| self.is_same(word, target))
    }

    fn is_same(&self, word: &Word, target: &Word) -> bool {
        if word.text == target.text {
            return !target.text.is_empty();
        }
        let name = |word: &Word| path_class::path(word, self.shell).path;
        word.literal
            && target.literal
            && word.text.contains('/') != target.text.contains('/')
            && name(word) == name(target)
    }
}
