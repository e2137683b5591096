//! Mistakes that a failed command shows by its form, and the line without them: `git rm docs` for a directory, `cut -d ;`. Rules as
//! data (`forms.toml`).

use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex};
use serde::Deserialize;

use super::plain_call::{has_signs, is_plain_call};
use crate::examine::Examiner;
use askline_check::reference::Reference as _;
use askline_manual::userland::Userland;

/// Maximum length of a line that is looked at, in bytes.
const LINE_BYTES_MAX: usize = 2000;
/// Maximum length of a changed part that is named in the reason, in bytes.
const NAMED_BYTES_MAX: usize = 40;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    form: Vec<Form>,
}

/// A form of a failed command; each field is documented in `forms.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    #[serde(default)]
    of: Vec<String>,
    userland: Option<Tools>,
    #[serde(default)]
    status: Vec<i32>,
    has: String,
    /// `has`, compiled when a command is first compared with it.
    #[serde(skip)]
    pattern: OnceLock<Option<Regex>>,
    put: Option<String>,
    says: String,
    #[serde(default)]
    is_final: bool,
    #[expect(dead_code, reason = "for the reader of the table")]
    source: String,
    fails: String,
    works: Option<String>,
    #[serde(default)]
    runs: Runs,
}

/// A family of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Tools {
    Gnu,
}

/// What the test of a form runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runs {
    /// The line that fails, and the one that works.
    #[default]
    Both,
    /// The line that fails: success needs what a test has not.
    Failure,
    /// Neither.
    Nothing,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("forms.toml")).expect("the table in the tree parses: a test checks that")
});

/// A mistake in a failed command.
pub(super) struct Mistake {
    /// The line without it; `None` if no single edit mends it.
    pub(super) line: Option<String>,
    /// What is wrong, in words.
    pub(super) reason: String,
    /// `true` if no other command would do better.
    pub(super) is_final: bool,
    /// The edit and its reason, in words.
    pub(super) change: String,
}

/// An example of a form: a line that fails, and the one that comes of it.
#[derive(Debug)]
pub struct Example {
    /// The line that fails.
    pub fails: &'static str,
    /// The line that comes of it; `None` if the form only gives the reason.
    pub works: Option<&'static str>,
    /// The statuses with which the form applies; any if there is none.
    pub statuses: &'static [i32],
    /// What a test can run.
    pub runs: Runs,
}

/// Returns an example of each form.
pub fn examples() -> impl Iterator<Item = Example> {
    TABLE.form.iter().map(|form| Example {
        fails: &form.fails,
        works: form.works.as_deref(),
        statuses: &form.status,
        runs: form.runs,
    })
}

/// Returns the first mistake of a failed command; `None` if its form shows none.
pub(super) fn mistake(command: &str, status: i32, examiner: &Examiner<'_>) -> Option<Mistake> {
    let line = command.trim();
    let is_nushell = examiner.shell.is_nushell();
    if LINE_BYTES_MAX < line.len() || line.contains('\n') || is_nushell && has_signs(line) {
        return None;
    }
    let names: Vec<&str> = line.split(|c: char| c.is_whitespace() || "|;&".contains(c)).collect();
    let is_gnu = examiner.knowledge.tools() == Userland::Gnu;
    let is_of = |form: &&Form| {
        (form.userland.is_none() || is_gnu)
            && (form.of.is_empty() || form.of.iter().any(|name| names.contains(&name.as_str())))
            && (form.status.is_empty() || form.status.contains(&status))
    };
    let found = TABLE.form.iter().filter(is_of).find_map(|form| form.mistake(line, examiner))?;
    let made = found.line.as_deref().unwrap_or(line);
    (!is_nushell || is_plain_call(made, examiner)).then_some(found)
}

impl Form {
    fn pattern(&self) -> Option<&Regex> {
        self.pattern.get_or_init(|| Regex::new(&self.has).ok()).as_ref()
    }

    fn mistake(&self, line: &str, examiner: &Examiner<'_>) -> Option<Mistake> {
        let pattern = self.pattern()?;
        let found = pattern.captures(line)?;
        // Outside of a repository git fails whatever follows.
        let is_outside = || examiner.knowledge.here(&examiner.parse(line)).is_repository == Some(false);
        if self.of.iter().any(|name| name == "git") && is_outside() {
            return None;
        }
        let mut groups =
            pattern.capture_names().flatten().filter_map(|name| Some((name, found.name(name)?.as_str())));
        if !groups.all(|(name, text)| is_such(name, text, examiner)) {
            return None;
        }
        let reason = expanded(&self.says, &found);
        let Some(put) = &self.put else {
            return Some(Mistake { line: None, change: reason.clone(), reason, is_final: self.is_final });
        };
        let (at, put) = (found.name("at")?, expanded(put, &found));
        let (before, behind) = (line.get(..at.start())?, line.get(at.end()..)?);
        let (old, new) = (at.as_str().trim(), put.trim());
        let change = match (old, new) {
            _ if NAMED_BYTES_MAX < old.len().max(new.len()) => reason.clone(),
            ("", "") => format!("a blank added: {reason}"),
            ("", new) => format!("+ {new}: {reason}"),
            (old, "") => format!("− {old}: {reason}"),
            (old, new) if old.chars().all(|c| c.is_ascii_punctuation()) => {
                format!("`{old}` → `{new}`: {reason}")
            }
            (old, new) => format!("{old} → {new}: {reason}"),
        };
        Some(Mistake { line: Some(format!("{before}{put}{behind}")), reason, change, is_final: false })
    }
}

fn expanded(template: &str, found: &Captures<'_>) -> String {
    let mut text = String::new();
    found.expand(template, &mut text);
    text
}

/// Reports whether a group's text is what its name says.
fn is_such(group: &str, text: &str, examiner: &Examiner<'_>) -> bool {
    let knowledge = examiner.knowledge;
    let refs = || knowledge.git_refs();
    match group {
        "file" => knowledge.exists(text) == Some(true) && knowledge.is_directory(text) == Some(false),
        "directory" => knowledge.is_directory(text) == Some(true),
        "there" => knowledge.exists(text) == Some(true),
        "message" => !text.split_whitespace().any(|word| knowledge.exists(word) == Some(true)),
        "missing" => knowledge.exists(text) == Some(false),
        "program" => knowledge.has_command(text),
        // Before the first commit there is only the name of one.
        "branch" => refs().is_some_and(|refs| !refs.is_unborn() && refs.branches.contains(text)),
        "current" => refs().is_some_and(|refs| refs.current.as_deref() == Some(text)),
        "tag" => refs().is_some_and(|refs| refs.tags.contains(text)),
        "remote" => refs().is_some_and(|refs| refs.remotes.contains(text)),
        "no_remote" => refs().is_some_and(|refs| !refs.remotes.contains(text)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_fits_its_example_and_has_what_its_edit_needs() {
        for form in &TABLE.form {
            let pattern = form.pattern().unwrap_or_else(|| panic!("no pattern: {}", form.has));
            let found =
                pattern.captures(&form.fails).unwrap_or_else(|| panic!("{} {}", form.has, form.fails));
            assert_eq!(found.name("at").is_some(), form.put.is_some(), "{}", form.fails);
            assert_eq!(form.works.is_some(), form.put.is_some(), "{}", form.fails);
            let said = expanded(&form.says, &found);
            assert!(!said.is_empty() && !said.contains(['$', '\n']), "{said}");
        }
    }
}
