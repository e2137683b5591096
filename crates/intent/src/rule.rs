//! Rules as data: what a request says, and the marks of a line that shows that the line does something else.
//!
//! A rule applies if the request says one of `said`, none of `unless`, and the line has one of the marks in `line` and none
//! in `lacks`. Without `said` the rule is about something that was not asked for. `add` (an option), `drop` (the letter
//! of an option), `swap` (a word for another, or for nothing), `part` (a part of a word for another), `command` (the
//! name and options for another command), `anchor` (texts before and behind the pattern of `grep`), `redirect` (the
//! operator) and `then` (a command that reads its output) are the one edit that mends the command that `line` found.
//!
//! `swap`, `part` and `command` may be a list of pairs, of which the first that fits is taken. The old text of a `part`
//! occurs once in the words of the command, or in the line where a mark is a text; `^` binds it to the beginning of a
//! word. In the new text of a `command`, `{}` stands for its operands and `{1}` for its only one.
//!
//! `edit_if` says when the edit is sure, as `said`, `unless` and `lacks` of the rule do for its text: `line` has a mark
//! of the command itself, `has` one of the line. `<n>` in the text of an edit is the number in its `said`, or 1.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::find_expression::{FindExpression, Node};
use crate::mark::Mark;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::parts::GrepWords;
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Span};

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
    swap: Pairs,
    #[serde(default)]
    part: Pairs,
    #[serde(default)]
    command: Pairs,
    #[serde(default)]
    anchor: Option<(String, String)>,
    #[serde(default)]
    then: Option<String>,
    #[serde(default)]
    redirect: Option<String>,
    #[serde(default)]
    find: Option<String>,
    #[serde(default)]
    find_add: Option<String>,
    #[serde(default)]
    find_swap: Option<(String, String)>,
    #[serde(default)]
    edit_if: Condition,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    wrong: Vec<(String, String)>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    right: Vec<(String, String)>,
}

/// Pairs of an old and a new text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Pairs {
    One((String, String)),
    Many(Vec<(String, String)>),
}

/// When the edit of a rule is sure.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Condition {
    said: Vec<Phrase>,
    unless: Vec<Phrase>,
    line: Vec<Mark>,
    has: Vec<Mark>,
    lacks: Vec<Mark>,
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
    RULES
        .iter()
        .filter(|rule| is_english || !rule.said.is_empty())
        .filter_map(|rule| rule.mismatch(request, tokens, line))
        .collect()
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
        let number = self.edit_if.number(tokens, line, command);
        let edit = number.and_then(|number| match command {
            Some(command) => self.edit(tokens, line, command, number),
            None => self.part_edit(line, vec![0..line.text().len()]),
        });
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

    fn edit(
        &self,
        tokens: &[Token],
        line: &ParsedLine,
        command: &SimpleCommand,
        number: u64,
    ) -> Option<Edit> {
        let with_number = |text: &str| text.replace("<n>", &number.to_string());
        let dropped = || self.drop.and_then(|letter| without(line, command, letter));
        let swapped = || {
            let mut words = self.swap.all().iter().filter_map(|(old, new)| {
                let word = command.words.iter().find(|word| word.text == *old)?;
                Some((word.span.clone(), with_number(new)))
            });
            let (span, new) = words.next()?;
            // A word goes with the blank before it.
            let start = line.text().get(..span.start)?.trim_end().len();
            Some(if new.is_empty() { (start..span.end, new) } else { (span, new) })
        };
        let commanded = || {
            self.command
                .all()
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
        let redirected = || {
            let [redirection] = command.redirections.as_slice() else { return None };
            let start = redirection.span.start;
            Some((start..start + redirection.operator.len(), self.redirect.clone()?))
        };
        let expression = || self.find_edit(command).map(|(span, new)| (span, with_number(&new)));
        let added = || Some((behind_name(command)?, format!(" {}", with_number(self.add.as_ref()?))));
        let edits: [&dyn Fn() -> Option<(Span, String)>; 8] =
            [&dropped, &swapped, &commanded, &anchored, &continued, &redirected, &expression, &added];
        let parted = || self.part_edit(line, command.words.iter().map(|word| word.span.clone()).collect());
        parted().or_else(|| {
            edits.iter().find_map(|edit| edit()).map(|(span, new)| Edit::replace(line.text(), span, new))
        })
    }

    /// Returns the edit of a part that occurs once in these places of the line.
    fn part_edit(&self, line: &ParsedLine, places: Vec<Span>) -> Option<Edit> {
        self.part.all().iter().find_map(|(old, new)| {
            let mut found = places.iter().flat_map(|place| {
                let text = line.text().get(place.clone()).unwrap_or_default();
                let bound = old.strip_prefix('^').filter(|rest| !rest.is_empty());
                let old = bound.unwrap_or(old);
                text.match_indices(old)
                    .filter(move |(at, _)| bound.is_none() || *at == 0)
                    .map(move |(at, _)| place.start + at..place.start + at + old.len())
            });
            // A part that is there twice has no one edit.
            let span = found.next().filter(|_| found.next().is_none())?;
            Some(Edit::replace(line.text(), span, new.clone()))
        })
    }

    /// Reports whether it has an edit.
    #[cfg(test)]
    fn mends(&self) -> bool {
        let options = [&self.add, &self.redirect, &self.then, &self.find, &self.find_add];
        let pairs = [&self.swap, &self.part, &self.command];
        self.drop.is_some()
            || options.iter().any(|it| it.is_some())
            || pairs.iter().any(|it| !it.all().is_empty())
            || self.find_swap.is_some()
            || self.anchor.is_some()
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

impl Default for Pairs {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Pairs {
    fn all(&self) -> &[(String, String)] {
        match self {
            Self::One(pair) => std::slice::from_ref(pair),
            Self::Many(pairs) => pairs,
        }
    }
}

impl Condition {
    /// Returns the number that is said, or 1; `None` if the condition is not met.
    fn number(&self, tokens: &[Token], line: &ParsedLine, command: Option<&SimpleCommand>) -> Option<u64> {
        let is_said = |phrases: &[Phrase]| phrases.iter().find_map(|phrase| phrase.find(tokens, 0));
        let has = |marks: &[Mark]| marks.iter().any(|mark| mark.is_in(line));
        let is_found = || command.is_some_and(|it| self.line.iter().any(|mark| mark.is_of(line, it)));
        let is_met = (self.line.is_empty() || is_found())
            && (self.has.is_empty() || has(&self.has))
            && !has(&self.lacks)
            && is_said(&self.unless).is_none();
        if !is_met {
            return None;
        }
        let said = is_said(&self.said);
        (self.said.is_empty() || said.is_some()).then(|| said.and_then(|it| it.number).unwrap_or(1))
    }
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
        if rest.is_empty() { new.replacen(&format!(" {hole}"), "", 1) } else { new.replacen(hole, rest, 1) };
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

/// Returns the place behind the name of a command, or of a command of `git`.
fn behind_name(command: &SimpleCommand) -> Option<Span> {
    let at = usize::from(command.name() == Some("git"));
    let end = command.words.get(at)?.span.end;
    Some(end..end)
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
