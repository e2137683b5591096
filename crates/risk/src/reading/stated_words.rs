//! Words of a command that the line itself states elsewhere: subcommands in variables and in what a pipe brings.
//! `a=off; nmcli networking $a`, `'off' | ^nmcli networking $in`.

use super::{LineReader, Text, runs_none};
use crate::input_flow;
use askline_syntax::{SimpleCommand, Word};

/// Maximum length of a word that may be a subcommand, in bytes.
const LENGTH_MAX: usize = 32;
/// Maximum number of names that are kept of one variable.
const VALUES_MAX: usize = 4;
/// Maximum number of words of a command that are looked at, and of variables that are kept.
const WORDS_MAX: usize = 64;
/// Commands of Nushell that give a closure what the pipe brings.
const CLOSURES: [&str; 4] = ["each", "par-each", "do", "tee"];

impl LineReader<'_> {
    /// Reads a command once more with the subcommands in the place of the variables that hold them. What it does as it
    /// is written counts too.
    pub(super) fn stated_words(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        if !word.literal || command.words.len() > WORDS_MAX || !runs_none(command, text) {
            return;
        }
        let caret = if command.external && !word.text.starts_with('^') { "^" } else { "" };
        for round in 0..VALUES_MAX {
            let mut is_stated = false;
            let words = command.words.iter().enumerate().filter_map(|(at, word)| {
                let stated = Some(word).filter(|word| at > 0 && !word.literal && word.text.contains('$'));
                let stated = stated.and_then(|word| self.stated_name(word, round, command, text));
                is_stated |= stated.is_some();
                stated.or_else(|| text.line.get(word.span.clone()).map(str::to_owned))
            });
            let line = words.collect::<Vec<_>>().join(" ");
            if !is_stated {
                return;
            }
            self.script(&format!("{caret}{line}"), self.shell, word);
        }
    }

    /// Returns the name that a word has in one round of a loop; without a loop there is one round.
    fn stated_name(
        &self,
        word: &Word,
        round: usize,
        command: &SimpleCommand,
        text: Text<'_>,
    ) -> Option<String> {
        let name = word.text.trim_start_matches(['$', '{']).trim_end_matches('}');
        if let Some(names) = self.stated.get(name) {
            return names.get(round).cloned();
        }
        if round > 0 { None } else { self.stated_value(word, command, text).filter(|it| is_name(it)) }
    }

    /// Keeps the names that a variable has: those over which a loop iterates, or the one that it is set to.
    pub(super) fn keep_names<'t>(&mut self, variable: &str, values: impl Iterator<Item = &'t str>) {
        let names: Vec<String> =
            values.filter(|it| is_name(it)).take(VALUES_MAX).map(str::to_owned).collect();
        if !names.is_empty() && self.stated.len() < WORDS_MAX {
            self.stated.insert(variable.to_owned(), names);
        }
    }

    /// Returns the value of a word that a variable or the head of the pipeline states.
    fn stated_value(&self, word: &Word, command: &SimpleCommand, text: Text<'_>) -> Option<String> {
        let known = self.value(word, text);
        if known.is_some() || !self.shell.is_nushell() {
            return known;
        }
        let name = word.text.trim_start_matches('(').trim_end_matches(')').strip_prefix('$')?;
        if name == "in"
            && let Some(head) = input_flow::head(command, text.parsed, text.line)
        {
            return Some(head);
        }
        let mut around = text.parsed.commands.iter().rev().filter(|outer| {
            outer.span.start < command.span.start
                && command.span.end <= outer.span.end
                && outer.name().is_some_and(|name| CLOSURES.contains(&name))
        });
        let outer = around.next()?;
        let opening = text.line.get(outer.span.start..command.span.start)?;
        let is_meant = name == "in" || opening.contains(&format!("|{name}|"));
        is_meant.then(|| input_flow::head(outer, text.parsed, text.line)).flatten()
    }
}

/// Reports whether a text may be the name of a subcommand.
fn is_name(text: &str) -> bool {
    text.len() <= LENGTH_MAX
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'))
}
