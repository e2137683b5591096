//! Rules as data: what a request says, and the marks of a line that shows that the line does something else.
//!
//! A rule applies if the request says one of `said`, none of `unless`, and the line has one of the marks in `line` and none
//! in `lacks`. Without `said` the rule is about something that was not asked for. `add` (an option), `drop` (the letter
//! of an option), `swap` (a word for another), `part` (a part of a word for another), `redirect` (the operator), `behind` (a text at
//! the end) and `then` (a command that reads its output) are the one edit that mends the command that `line` found.
//!
//! `forms` are pairs of an old and a new text, of which the first is taken that the command has; without one the rule only
//! tells. The old text is written as in a mark, `=word`, `^text`, `$text`, `~text` or `-x`, or is several words in a row
//! (`=checkout -b`), and must be there once. An empty new text takes the word with the blank before it, or the letter, away.
//!
//! Of rules with the same text that apply the first is told, so a narrow rule with an edit can stand before a broad one.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::find_expression::{FindExpression, Node};
use crate::mark::Mark;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(default)]
    said: Vec<Phrase>,
    #[serde(default)]
    unless: Vec<Phrase>,
    #[serde(default)]
    line: Vec<Mark>,
    #[serde(default)]
    lacks: Vec<Mark>,
    text: String,
    #[serde(default)]
    add: Option<String>,
    #[serde(default)]
    drop: Option<char>,
    #[serde(default)]
    swap: Option<(String, String)>,
    #[serde(default)]
    part: Option<(String, String)>,
    #[serde(default)]
    then: Option<String>,
    #[serde(default)]
    redirect: Option<String>,
    #[serde(default)]
    behind: Option<String>,
    #[serde(default)]
    forms: Vec<(String, String)>,
    #[serde(default)]
    find: Option<String>,
    #[serde(default)]
    find_add: Option<String>,
    #[serde(default)]
    find_swap: Option<(String, String)>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    wrong: Vec<(String, String)>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    right: Vec<(String, String)>,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let texts = [
        include_str!("rules/operation.toml"),
        include_str!("rules/destination.toml"),
        include_str!("rules/files.toml"),
        include_str!("rules/reach.toml"),
        include_str!("rules/negation.toml"),
        include_str!("rules/shape.toml"),
        include_str!("rules/shape_of_files.toml"),
        include_str!("rules/content.toml"),
        include_str!("rules/printed.toml"),
        include_str!("rules/order.toml"),
        include_str!("rules/text.toml"),
        include_str!("rules/attribute.toml"),
        include_str!("rules/archive.toml"),
        include_str!("rules/git.toml"),
        include_str!("rules/system.toml"),
        include_str!("rules/numbers.toml"),
        include_str!("rules/unasked.toml"),
    ];
    #[expect(clippy::expect_used, reason = "the texts are part of the program and a test reads them")]
    texts
        .iter()
        .flat_map(|text| toml::from_str::<Table>(text).expect("the rules are well-formed").rule)
        .collect()
});

/// Words that show that a request is English.
const ENGLISH: &[&str] = &[
    "the",
    "all",
    "files",
    "file",
    "folder",
    "folders",
    "directory",
    "directories",
    "list",
    "show",
    "find",
    "print",
    "of",
    "which",
    "what",
    "with",
    "lines",
    "line",
    "every",
    "each",
    "from",
    "how",
    "and",
    "remove",
    "delete",
    "count",
    "copy",
    "move",
    "sort",
    "commits",
    "commit",
    "branches",
    "branch",
    "names",
    "push",
    "pack",
    "make",
    "create",
    "rows",
    "sales",
    "words",
    "number",
    "how",
    "this",
    "that",
    "untracked",
    "second",
    "third",
    "first",
    "addresses",
    "duplicates",
    "without",
    "not",
    "is",
    "are",
    "by",
    "to",
    "case",
];

/// Returns a mismatch for each rule that applies.
pub(crate) fn broken(request: &str, tokens: &[Token], line: &ParsedLine) -> Vec<Mismatch> {
    // Of other languages nothing is known, so nothing is missing in them.
    let is_english = tokens.iter().any(|token| ENGLISH.contains(&token.lower.as_str()));
    let mut told = Vec::new();
    let mut found = Vec::new();
    for rule in RULES.iter().filter(|rule| is_english || !rule.said.is_empty()) {
        if told.contains(&&rule.text) {
            continue;
        }
        if let Some(mismatch) = rule.mismatch(request, tokens, line) {
            told.push(&rule.text);
            found.push(mismatch);
        }
    }
    found
}

impl Rule {
    fn mismatch(&self, request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
        let command = self.line.iter().find_map(|mark| mark.command(line));
        let has_mark =
            self.line.is_empty() || command.is_some() || self.line.iter().any(|mark| mark.is_in(line));
        if !has_mark || self.lacks.iter().any(|mark| mark.is_in(line)) {
            return None;
        }
        let said = self.said.iter().find_map(|phrase| phrase.find(tokens, 0));
        if said.is_none() && !self.said.is_empty()
            || self.unless.iter().any(|phrase| phrase.find(tokens, 0).is_some())
        {
            return None;
        }
        let said = said.and_then(|found| found.span(tokens));
        let edit = command.and_then(|command| self.edit(line, command));
        Some(Mismatch {
            span: command.map_or(0..line.text().len(), |command| command.span.clone()),
            text: match said.clone().and_then(|said| request.get(said)) {
                Some(words) => format!("you said \"{words}\"; {}", self.text),
                None => self.text.clone(),
            },
            said,
            certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
            edit,
        })
    }

    fn edit(&self, line: &ParsedLine, command: &SimpleCommand) -> Option<Edit> {
        let replace = |(span, new)| Edit::replace(line.text(), span, new);
        let added = self.add.as_ref().and_then(|option| Some((behind_name(command)?, format!(" {option}"))));
        let dropped = || self.drop.and_then(|letter| without(line, command, letter));
        let swapped = || {
            let (old, new) = self.swap.as_ref()?;
            let word = command.words.iter().find(|word| word.text == *old)?;
            Some((word.span.clone(), new.clone()))
        };
        let parted = || {
            let (old, new) = self.part.as_ref()?;
            let mut places = command.words.iter().filter_map(|word| {
                let text = line.text().get(word.span.clone())?;
                let at = text.find(old.as_str())? + word.span.start;
                // A part that is there twice has no one edit.
                (text.matches(old.as_str()).count() == 1).then_some((at..at + old.len(), new.clone()))
            });
            places.next().filter(|_| places.next().is_none())
        };
        let continued = || {
            let reader = self.then.as_ref()?;
            let end = command.span.end;
            // What is redirected reaches no pipe.
            command.redirections.is_empty().then(|| (end..end, format!(" | {reader}")))
        };
        let redirected = || {
            let [redirection] = command.redirections.as_slice() else { return None };
            let start = redirection.span.start;
            let operator = self.redirect.as_ref()?;
            // A pipe takes the place of a redirection only at the end of a command.
            let is_last = command.words.last().is_some_and(|word| word.span.end <= start);
            let target = redirection.target.as_ref()?.span.start;
            let is_apart = line.text().get(..start)?.ends_with(' ');
            if operator.starts_with('|') {
                return is_last.then(|| (start..target, format!("{operator} ")));
            }
            (is_apart || !operator.starts_with(char::is_numeric))
                .then(|| (start..start + redirection.operator.len(), operator.clone()))
        };
        let ended = || {
            let end = command.span.end;
            self.behind.as_ref().map(|text| (end..end, format!(" {text}")))
        };
        let expression = || self.find_edit(command);
        let formed = || self.forms.iter().find_map(|(old, new)| form(line, command, old, new));
        let edits: [&dyn Fn() -> Option<(Span, String)>; 8] =
            [&dropped, &swapped, &parted, &continued, &redirected, &ended, &expression, &formed];
        added.or_else(|| edits.iter().find_map(|edit| edit())).map(replace)
    }

    /// Reports whether it has an edit.
    #[cfg(test)]
    fn mends(&self) -> bool {
        let options = [&self.add, &self.redirect, &self.then, &self.behind, &self.find, &self.find_add];
        let swaps = [&self.swap, &self.part, &self.find_swap];
        self.drop.is_some()
            || !self.forms.is_empty()
            || options.iter().any(|it| it.is_some())
            || swaps.iter().any(|it| it.is_some())
    }
}

impl Rule {
    /// Returns the edit in the expression of `find`: an option or test before the others, a test before the action, or
    /// another test.
    fn find_edit(&self, command: &SimpleCommand) -> Option<(Span, String)> {
        let find = FindExpression::of(command).filter(|find| !matches!(find.tree, Some(Node::Any(_))))?;
        if let Some(option) = &self.find {
            return Some((find.options_at..find.options_at, format!(" {option}")));
        }
        if let Some((old, new)) = &self.find_swap {
            let test = find.primaries.iter().find(|it| it.name == old.as_str())?;
            return Some((test.span.start..test.span.start + old.len(), new.clone()));
        }
        let test = self.find_add.as_ref()?;
        let end = find.primaries.last().map_or(find.options_at, |it| it.span.end);
        Some(match find.action() {
            Some(action) => (action.span.start..action.span.start, format!("{test} ")),
            None => (end..end, format!(" {test}")),
        })
    }
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

/// Returns the edit of a form of the command: see `forms` in the module's text.
fn form(line: &ParsedLine, command: &SimpleCommand, old: &str, new: &str) -> Option<(Span, String)> {
    let arguments = || command.words.iter().skip(1);
    let rest = old.chars().skip(1).collect::<String>();
    let (span, taken) = match old.chars().next()? {
        '=' => {
            let words: Vec<&str> = rest.split(' ').collect();
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
            let has = |word: &&Word| match kind {
                '^' => word.text.starts_with(&rest),
                '$' => word.text.ends_with(&rest),
                _ => word.text.contains(&rest),
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
    if is_word && (taken.contains(' ') || text == taken) {
        return Some((span, new.to_owned()));
    }
    let new = if old.starts_with('-') { new.trim_start_matches('-') } else { new };
    // At an end of the word, quotes aside, or the only one in it.
    let at = match old.chars().next()? {
        '^' => text
            .find(|c| c != '\'' && c != '"')
            .filter(|at| text.get(*at..).is_some_and(|it| it.starts_with(taken))),
        '$' => text.trim_end_matches(['\'', '"']).strip_suffix(taken).map(str::len),
        _ => text.find(taken).filter(|_| text.matches(taken).count() == 1),
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

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    /// Returns the findings of an example as texts.
    fn found((request, line): &(String, String)) -> Vec<String> {
        let line = ParsedLine::new(line.as_str(), Shell::Bash);
        crate::mismatches(request, &line).into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn examples_of_rules() {
        let mut faults = Vec::new();
        for rule in RULES.iter() {
            let is_noticed = |example| found(example).iter().any(|text| text.ends_with(&rule.text));
            faults.extend(
                rule.wrong.iter().filter(|it| !is_noticed(it)).map(|it| format!("not noticed: {it:?}")),
            );
            faults.extend(
                rule.right
                    .iter()
                    .map(|it| (it, found(it)))
                    .filter(|(_, all)| !all.is_empty())
                    .map(|it| format!("{it:?}")),
            );
            let is_mended = |(request, wrong): &(String, String)| {
                let mended = crate::agree(request, &ParsedLine::new(wrong.as_str(), Shell::Bash));
                mended.is_some_and(|it| found(&(request.clone(), it.line)).is_empty())
            };
            if rule.mends() && !rule.wrong.iter().any(is_mended) {
                faults.push(format!("mends no example: {}", rule.text));
            }
            if rule.wrong.is_empty() || rule.right.is_empty() {
                faults.push(format!("without examples: {}", rule.text));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
