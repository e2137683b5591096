//! Preferences of the user, applied to a line.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Candidate, agreement};
use crate::config::Preferences;
use crate::examine::Examiner;
use askline_check::finding::{Finding, FindingKind, Severity};
use askline_check::reference::{CommandKind, Reference as _};
use askline_syntax::Span;

/// Words before the name of a program that make it a part of the request: "with find".
const WITH: [&str; 8] = ["with", "using", "use", "uses", "via", "by", "through", "run"];

/// Groups of programs that take the same options.
#[derive(Deserialize)]
struct Table {
    same: Vec<Vec<String>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("preferred.toml")).expect("the table in the tree parses: a test checks that")
});

/// Puts preferred programs in place of others where they take the same options and every check passes as before. Where they
/// don't, a finding says what is preferred, so that the model is asked for it; only if it may be told.
pub(super) fn with(
    request: &str,
    candidate: Candidate,
    preferences: &Preferences,
    is_told: bool,
    examiner: &Examiner<'_>,
) -> Candidate {
    let mut candidate = candidate;
    for (name, preferred) in &preferences.programs {
        let is_there = || examiner.knowledge.known(&[preferred]).kind != CommandKind::Missing;
        let spans = places(&candidate, name);
        if spans.is_empty() || is_named(request, name) || !is_there() {
            continue;
        }
        match replaced(&candidate, name, preferred, &spans, examiner) {
            Some(own) => candidate = own,
            None if is_told => {
                candidate.report.findings.extend(spans.first().map(|span| finding(name, preferred, span)));
            }
            None => {}
        }
    }
    candidate
}

/// Returns the places where a line calls a program.
fn places(candidate: &Candidate, name: &str) -> Vec<Span> {
    let commands = candidate.line.parsed().commands.iter();
    let called = commands.filter(|command| command.name() == Some(name));
    let words = called.filter_map(|command| {
        let place = &command.words.iter().find(|word| word.text == name)?.span;
        (candidate.line.text().get(place.clone()) == Some(name)).then(|| place.clone())
    });
    words.collect()
}

/// Reports whether the request names the program: "with find", "the find command".
fn is_named(request: &str, name: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_');
    let words: Vec<String> =
        request.split_whitespace().map(|word| word.trim_matches(is_mark).to_lowercase()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_command = words.get(at + 1).is_some_and(|next| next == "command");
        word == name && (is_command || before.is_some_and(|before| WITH.contains(&before.as_str())))
    })
}

fn replaced(
    candidate: &Candidate,
    name: &str,
    preferred: &str,
    spans: &[Span],
    examiner: &Examiner<'_>,
) -> Option<Candidate> {
    let has = |group: &&Vec<String>, name: &str| group.iter().any(|program| program == name);
    TABLE.same.iter().find(|group| has(group, name) && has(group, preferred))?;
    let mut line = candidate.line.text().to_owned();
    for span in spans.iter().rev() {
        line.replace_range(span.clone(), preferred);
    }
    let changes = vec![format!("{name} → {preferred}, as you prefer")];
    agreement::edited(candidate, &line, changes, false, examiner)
}

fn finding(name: &str, preferred: &str, span: &Span) -> Finding {
    Finding {
        kind: FindingKind::Preference,
        span: span.clone(),
        grade: Severity::Warning,
        text: "another program is preferred".to_owned(),
        evidence: format!("{preferred}, not {name}"),
        fixes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_parses() {
        assert!(TABLE.same.iter().all(|group| 1 < group.len()));
    }

    #[test]
    fn a_verb_names_no_program() {
        for (request, name, expected) in [
            ("find all files", "find", false),
            ("all files, with find", "find", true),
            ("search text using `grep`", "grep", true),
            ("the docker command that lists images", "docker", true),
            ("list docker images", "docker", false),
        ] {
            assert_eq!(is_named(request, name), expected, "{request}");
        }
    }
}
