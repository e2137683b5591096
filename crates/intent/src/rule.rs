//! Rules as data: what a request says, and the marks of a line that shows that the line does something else.
//!
//! A rule applies if the request says one of `said`, none of `unless`, and the line has one of the marks in `line` and none
//! in `lacks`. Without `said` the rule is about something that was not asked for. Of rules with the same text that apply one
//! is told, the first with an edit. The edits: `edit.rs`.

mod edit;
mod follow_up;

use std::sync::LazyLock;

use serde::Deserialize;

use crate::mark::Mark;
use crate::mismatch::{Certainty, Mismatch};
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand};
pub(crate) use edit::without;
pub use follow_up::{FollowUp, follow_up};

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
    #[serde(default)]
    text: String,
    #[serde(default)]
    add: Option<String>,
    #[serde(default)]
    drop: Option<char>,
    #[serde(default)]
    forms: Vec<(String, String)>,
    #[serde(default)]
    command: Vec<(String, String)>,
    #[serde(default)]
    anchor: Option<(String, String)>,
    #[serde(default)]
    then: Option<String>,
    #[serde(default)]
    redirect: Option<String>,
    #[serde(default)]
    behind: Option<String>,
    #[serde(default)]
    find: Option<String>,
    #[serde(default)]
    find_add: Option<String>,
    #[serde(default)]
    find_swap: Option<(String, String)>,
    #[serde(default)]
    also: bool,
    #[serde(default)]
    count: bool,
    #[serde(default)]
    of_files: bool,
    #[serde(default)]
    edit_if: Condition,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    wrong: Vec<(String, String)>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    right: Vec<(String, String)>,
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
    let mut told: Vec<&str> = Vec::new();
    let mut found: Vec<Mismatch> = Vec::new();
    for rule in RULES.iter().filter(|rule| is_english || !rule.said.is_empty()) {
        let Some(mismatch) = rule.mismatch(request, tokens, line) else { continue };
        match told.iter().position(|text| *text == rule.text) {
            None => {
                told.push(&rule.text);
                found.push(mismatch);
            }
            // The same remark; one with an edit says more.
            Some(at) => {
                if let Some(known) = found.get_mut(at).filter(|known| known.edit.is_none()) {
                    *known = mismatch;
                }
            }
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
        let said = self.said.iter().find_map(|phrase| phrase.find_affirmed(tokens));
        if said.is_none() && !self.said.is_empty()
            || self.unless.iter().any(|phrase| phrase.find(tokens, 0).is_some())
        {
            return None;
        }
        let said = said.and_then(|found| found.span(tokens));
        let number = self.edit_if.number(tokens, line, command);
        let edit = number.and_then(|number| match command {
            Some(command) => self.edit(tokens, line, command, number),
            None => self.edit_of_line(line),
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
