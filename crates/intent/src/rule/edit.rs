//! The one edit of a rule, which mends the command that `line` found.
//!
//! | key | edit |
//! |---|---|
//! | `add` | an option behind the name |
//! | `drop` | the letter of an option goes |
//! | `forms` | pairs of an old and a new text, of which the first is taken that the command has |
//! | `command` | pairs of name and options, exactly, and another command: `{}` stands for its operands, `{1}` for its only one, which may be there twice |
//! | `anchor` | texts before and behind the pattern of `grep` |
//! | `redirect` | another operator, or a pipe, in the place of the only redirection |
//! | `behind` | a text at the end |
//! | `then` | a command that reads its output |
//! | `find`, `find_add`, `find_swap` | an option or a test of `find`, or one test for another |
//!
//! The old text of a form is written as in a mark, `=word`, `^text`, `$text`, `~text` or `-x`, or is several words in a row
//! (`=checkout -b`), and is there once. An empty new text takes the word with the blank before it, or the letter, away. Where the
//! mark is a text, a `~text` is looked for in the whole line.
//!
//! `edit_if` says when the edit is sure, as `said`, `unless` and `lacks` of the rule do for its text: `line` has a mark
//! of the command itself, `has` one of the line. `<n>` in the text of an edit is the number in its `said`, or 1.

use super::Rule;
use crate::find_expression::{FindExpression, Node, Primary};
use crate::mismatch::Edit;
use crate::parts::GrepWords;
use crate::request::Token;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Span, Word};

impl Rule {
    /// Returns the edit of a command; `number` is what `<n>` stands for.
    pub(super) fn edit(
        &self,
        tokens: &[Token],
        line: &ParsedLine,
        command: &SimpleCommand,
        number: u64,
    ) -> Option<Edit> {
        let with_number = |text: &str| text.replace("<n>", &number.to_string());
        let formed = || self.forms.iter().find_map(|(old, new)| form(line, command, old, &with_number(new)));
        let dropped = || self.drop.and_then(|letter| without(line, command, letter));
        let commanded = || {
            self.command
                .iter()
                .find_map(|(old, new)| rewritten(line, command, &with_number(old), &with_number(new)))
        };
        let anchored = || anchored(tokens, line, command, self.anchor.as_ref()?);
        let continued = || {
            let reader = self.then.as_ref()?;
            let end = command.span.end;
            // What is redirected reaches no pipe, and what another command runs has no pipe of its own.
            (command.redirections.is_empty() && !is_run(command))
                .then(|| (end..end, format!(" | {}", with_number(reader))))
        };
        let redirected = || redirected(line, command, self.redirect.as_ref()?);
        let ended = || {
            let end = command.span.end;
            self.behind.as_ref().map(|text| (end..end, format!(" {}", with_number(text))))
        };
        let expression = || self.find_edit(command).map(|(span, new)| (span, with_number(&new)));
        let added = || Some((behind_name(command)?, format!(" {}", with_number(self.add.as_ref()?))));
        let edits: [&dyn Fn() -> Option<(Span, String)>; 9] =
            [&formed, &dropped, &commanded, &anchored, &continued, &redirected, &ended, &expression, &added];
        edits.iter().find_map(|edit| edit()).map(|(span, new)| Edit::replace(line.text(), span, new))
    }

    /// Returns the edit of a line that has the mark as a text.
    pub(super) fn edit_of_line(&self, line: &ParsedLine) -> Option<Edit> {
        self.forms.iter().find_map(|(old, new)| {
            let at = once(line.text(), old.strip_prefix('~')?)?;
            Some(Edit::replace(line.text(), at, new.clone()))
        })
    }

    /// Reports whether it has an edit.
    #[cfg(test)]
    pub(super) fn mends(&self) -> bool {
        let texts = [&self.add, &self.redirect, &self.then, &self.behind, &self.find, &self.find_add];
        self.drop.is_some()
            || !self.forms.is_empty()
            || !self.command.is_empty()
            || texts.iter().any(|it| it.is_some())
            || self.find_swap.is_some()
            || self.anchor.is_some()
    }

    /// Returns the edit in the expression of `find`: an option or test before the others, a test before the action, or
    /// another test.
    fn find_edit(&self, command: &SimpleCommand) -> Option<(Span, String)> {
        let find = FindExpression::of(command).filter(|find| !matches!(find.tree, Some(Node::Any(_))))?;
        if let Some(option) = &self.find {
            // GNU find warns about -maxdepth behind a test.
            let is_global =
                |it: &&Primary<'_>| matches!(it.name, "-maxdepth" | "-mindepth" | "-xdev" | "-depth");
            let before = find.primaries.iter().take_while(is_global).last();
            let at = before.filter(|_| option.starts_with("-type")).map_or(find.options_at, |it| it.span.end);
            return Some((at..at, format!(" {option}")));
        }
        if let Some((old, new)) = &self.find_swap {
            let test = find.primaries.iter().find(|it| it.name == old.as_str())?;
            return Some((test.span.start..test.span.start + old.len(), new.clone()));
        }
        let test = self.find_add.as_ref()?;
        let (at, text) = find.with_test(test)?;
        // A pipe behind it comes after the redirections, which would be those of another command then.
        if test.contains(" | ") && !command.redirections.is_empty() {
            return None;
        }
        Some((at..at, text))
    }
}

/// Returns the place of a text that occurs once in another.
fn once(text: &str, part: &str) -> Option<Span> {
    let at = text.find(part).filter(|_| !part.is_empty() && text.matches(part).count() == 1)?;
    Some(at..at + part.len())
}

/// Writes another operator, or a pipe, in the place of the only redirection.
fn redirected(line: &ParsedLine, command: &SimpleCommand, operator: &str) -> Option<(Span, String)> {
    let [redirection] = command.redirections.as_slice() else { return None };
    let start = redirection.span.start;
    // A pipe takes the place of a redirection only at the end of a command.
    let is_last = command.words.last().is_some_and(|word| word.span.end <= start);
    let target = redirection.target.as_ref()?.span.start;
    if operator.starts_with('|') {
        return is_last.then(|| (start..target, format!("{operator} ")));
    }
    let is_apart = line.text().get(..start)?.ends_with(' ');
    (is_apart || !operator.starts_with(char::is_numeric))
        .then(|| (start..start + redirection.operator.len(), operator.to_owned()))
}

/// Reports whether another command runs this one.
fn is_run(command: &SimpleCommand) -> bool {
    command.within.iter().any(|it| matches!(it, Nesting::Wrapper(_)))
}

/// Writes another command in the place of one that has exactly this name and these options, and operands.
fn rewritten(line: &ParsedLine, command: &SimpleCommand, old: &str, new: &str) -> Option<(Span, String)> {
    let old: Vec<&str> = old.split(' ').collect();
    let (given, operands) = command.words.split_at_checked(old.len())?;
    let is_same = given.iter().map(|word| word.text.as_str()).eq(old);
    if !is_same || operands.iter().any(|word| word.text.starts_with('-')) {
        return None;
    }
    let start = given.first()?.span.start;
    let end = given.last()?.span.end;
    let [hole] = ["{}", "{1}"].into_iter().filter(|hole| new.contains(hole)).collect::<Vec<_>>()[..] else {
        return operands.is_empty().then(|| (start..end, new.to_owned()));
    };
    let is_one = matches!(operands, [only] if !only.glob);
    // What goes on behind the operands must read only them.
    let reads = command.redirections.iter().all(|it| it.operator == "<") && !is_run(command);
    if hole == "{1}" && !is_one || !new.ends_with(hole) && !reads {
        return None;
    }
    let rest = line.text().get(end..command.span.end)?.trim();
    let new =
        if rest.is_empty() { new.replacen(&format!(" {hole}"), "", 1) } else { new.replace(hole, rest) };
    Some((start..command.span.end.max(end), new))
}

/// Writes texts before and behind the pattern of `grep`, if it is one plain word that the request has, or a set of letters.
fn anchored(
    tokens: &[Token],
    line: &ParsedLine,
    command: &SimpleCommand,
    texts: &(String, String),
) -> Option<(Span, String)> {
    let words = GrepWords::of(command)?;
    let [pattern] = words.patterns[..] else { return None };
    let mut found = command.words.iter().filter(|word| word.text == pattern);
    let word = found.next().filter(|_| found.next().is_none() && words.lists.is_empty())?;
    let is_plain = |c: char| c.is_alphanumeric() || "_ []:,@#/=-".contains(c);
    let is_set = pattern.starts_with('[') && pattern.ends_with(']');
    let is_named = is_set || tokens.iter().any(|token| token.text == pattern);
    if pattern.is_empty() || !pattern.chars().all(is_plain) || !is_named {
        return None;
    }
    let (before, after) = texts;
    let raw = line.text().get(word.span.clone())?;
    let quote = if raw == pattern { "'" } else { raw.get(..1)? };
    let is_quoted = raw == pattern || raw == format!("{quote}{pattern}{quote}");
    is_quoted.then(|| (word.span.clone(), format!("{quote}{before}{pattern}{after}{quote}")))
}

/// Returns the place behind the name of a command, or of a command of `git`. There is none before the first word of `tar`
/// without a dash, and behind an option of `git` itself.
fn behind_name(command: &SimpleCommand) -> Option<Span> {
    let at = usize::from(command.name() == Some("git"));
    let next = command.words.get(1).map_or("", |word| word.text.as_str());
    let has_place = match command.name() {
        Some("tar") => next.starts_with('-'),
        Some("git") => !next.starts_with('-'),
        _ => true,
    };
    let end = command.words.get(at).filter(|_| has_place)?.span.end;
    Some(end..end)
}

/// Returns the edit of a form of the command (`forms`).
fn form(line: &ParsedLine, command: &SimpleCommand, old: &str, new: &str) -> Option<(Span, String)> {
    let arguments = || command.words.iter().skip(1);
    let rest = old.chars().skip(1).collect::<String>();
    let (span, taken) = match old.chars().next()? {
        '=' => {
            let is_one = command.words.iter().any(|word| word.text == rest);
            let words: Vec<&str> = if is_one { vec![rest.as_str()] } else { rest.split(' ').collect() };
            let is_row = |row: &&[Word]| row.iter().map(|word| word.text.as_str()).eq(words.iter().copied());
            let row = only(command.words.windows(words.len()).filter(is_row))?;
            (row.first()?.span.start..row.last()?.span.end, rest.as_str())
        }
        '-' => {
            let letter = rest.chars().next()?;
            let is_cluster = |word: &&Word| {
                let letters = word.text.strip_prefix('-').unwrap_or_default();
                letters.contains(letter) && letters.chars().all(|c| c.is_ascii_alphabetic())
            };
            let word = only(arguments().filter(is_cluster))?;
            if new.is_empty() {
                return without(line, command, letter).filter(|(span, _)| span.end == word.span.end);
            }
            (word.span.clone(), rest.as_str())
        }
        kind => {
            // A part may hold the quotes of the word.
            let raw = |word: &Word| line.text().get(word.span.clone()).unwrap_or_default();
            let has = |word: &&Word| match kind {
                '^' => word.text.starts_with(&rest) || raw(word).starts_with(&rest),
                '$' => word.text.ends_with(&rest),
                _ => raw(word).contains(&rest),
            };
            (only(arguments().filter(has))?.span.clone(), rest.as_str())
        }
    };
    let text = line.text().get(span.clone())?;
    let is_word = old.starts_with('=');
    if is_word && new.is_empty() {
        let start = line.text().get(..span.start)?.trim_end().len();
        return Some((start..span.end, String::new()));
    }
    let is_whole =
        text == taken || new.starts_with(['\'', '"']) || text.contains(' ') && !text.starts_with(['\'', '"']);
    if is_word && is_whole {
        return Some((span, new.to_owned()));
    }
    let new = if old.starts_with('-') { new.trim_start_matches('-') } else { new };
    // At an end of the word, quotes aside, or the only one in it.
    let at = match old.chars().next()? {
        '^' if text.starts_with(taken) => Some(0),
        '^' => text
            .find(|c| c != '\'' && c != '"')
            .filter(|at| text.get(*at..).is_some_and(|it| it.starts_with(taken))),
        '$' => text.trim_end_matches(['\'', '"']).strip_suffix(taken).map(str::len),
        _ => once(text, taken).map(|at| at.start),
    }?;
    let start = span.start + at;
    Some((start..start + taken.len(), new.to_owned()))
}

/// Returns the item if there is one and no other.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

/// Returns the span of the option with a letter and the option without it. An option that stays empty goes with the blank
/// before it.
pub(crate) fn without(line: &ParsedLine, command: &SimpleCommand, letter: char) -> Option<(Span, String)> {
    let word = command.words.iter().skip(1).find(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(letter)
    })?;
    let rest = word.text.replacen(letter, "", 1);
    if rest == "-" {
        let start = line.text().get(..word.span.start)?.trim_end().len();
        return Some((start..word.span.end, String::new()));
    }
    (line.text().get(word.span.clone()) == Some(word.text.as_str())).then(|| (word.span.clone(), rest))
}
