//! Tests of the intent check for files that are run and secrets that are read.

use proptest::prelude::*;
use serde::Deserialize;

use super::asked::RequestWords;
use crate::files::{Access, FileUse};
use crate::{Around, Label, Risk, judge_line};
use askline_syntax::shell::Shell;

fn judged(request: &str, shell: Shell, line: &str) -> Risk {
    judge_line(line, shell, &Around { request: Some(request), ..Around::nothing() })
}

/// Rows of `tests/data/intent_check.toml`, which says what each list means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    named: Vec<Group<(String, String)>>,
    doubtful: Vec<Group<String>>,
    asked: Vec<Group<(String, String)>>,
    unasked: Vec<Group<(String, String)>>,
    silent: Vec<Group<(String, String)>>,
    alone: Vec<Group<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group<Row> {
    title: String,
    shells: Vec<String>,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    reasons: Vec<String>,
    #[serde(default)]
    or_dangerous: bool,
    #[serde(default)]
    label: String,
    rows: Vec<Row>,
}

impl<Row> Group<Row> {
    /// Checks each row in each shell.
    fn check(&self, wrong: &mut Vec<String>, judged: impl Fn(&Row, Shell) -> (Risk, bool)) {
        for shell in &self.shells {
            let shell = shell.parse().unwrap();
            for (index, row) in self.rows.iter().enumerate() {
                let (risk, holds) = judged(row, shell);
                if !holds {
                    let title = &self.title;
                    wrong.push(format!(
                        "{title}, {shell}, row {}: {:?} {}",
                        index + 1,
                        risk.label,
                        risk.cause
                    ));
                }
            }
        }
    }
}

#[test]
fn rows_hold() {
    const UNRELATED: &str = "tidy up a little";
    const NOT_ASKED: &str = "not in your words";
    let rows: Rows = toml::from_str(include_str!("../../tests/data/intent_check.toml")).unwrap();
    let mut wrong = Vec::new();
    for group in &rows.named {
        group.check(&mut wrong, |(line, name), shell| {
            let risk = judged(UNRELATED, shell, line);
            let told = risk.cause.contains(&group.reason) && risk.cause.contains(name);
            (risk.clone(), risk.label >= Label::Confirm && told && !group.reason.is_empty())
        });
    }
    for group in &rows.doubtful {
        group.check(&mut wrong, |line, shell| {
            let risk = judged(UNRELATED, shell, line);
            (risk.clone(), risk.label >= Label::Confirm && !risk.cause.is_empty())
        });
    }
    for group in &rows.asked {
        group.check(&mut wrong, |(request, line), shell| {
            let risk = judged(request, shell, line);
            (risk.clone(), risk.label == judge_line(line, shell, &Around::nothing()).label)
        });
    }
    for group in &rows.unasked {
        group.check(&mut wrong, |(request, line), shell| {
            let risk = judged(request, shell, line);
            let is_told =
                risk.cause.contains(NOT_ASKED) || group.or_dangerous && risk.label == Label::Dangerous;
            (risk.clone(), risk.label >= Label::Confirm && is_told)
        });
    }
    for group in &rows.silent {
        group.check(&mut wrong, |(request, line), shell| {
            let risk = judged(request, shell, line);
            let is_told = group.reasons.iter().any(|reason| risk.cause.contains(reason));
            (risk, !is_told && !group.reasons.is_empty())
        });
    }
    for group in &rows.alone {
        group.check(&mut wrong, |line, shell| {
            let risk = judge_line(line, shell, &Around::nothing());
            (risk.clone(), risk.label.name() == group.label)
        });
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Without a request nothing is checked.
#[test]
fn without_a_request_nothing_changes() {
    for line in ["./evil.sh", "cat .env", "bash evil.sh"] {
        let alone = judge_line(line, Shell::Bash, &Around::nothing());
        assert!(alone.label < Label::Confirm, "{line}");
        assert_eq!(judged(" ? ", Shell::Bash, line).label, alone.label, "{line}");
    }
}

/// Each phrase that refers to a file asks for it, and only if all of its words occur.
#[test]
fn what_files_are_called_asks_for_them() {
    for asked in &super::LISTS.asked {
        for (form, phrase) in asked.files.iter().zip(asked.by.iter().cycle()) {
            let name = form.replace('*', "x");
            let met = FileUse {
                access: Access::Read,
                span: 0..0,
                text: name.clone(),
                path: format!("~/a/{name}"),
                is_namesake: false,
                is_made: false,
            };
            assert!(
                RequestWords::of(&format!("please, the {phrase} of mine")).names(&met),
                "{name}: {phrase}"
            );
            assert!(!RequestWords::of("something else").names(&met), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A request that contains a script's name asks for it, and no text panics.
    #[test]
    fn any_request_is_read(request in "\\PC{0,60}", text in "\\PC{0,30}", name in "[a-z]{1,8}\\.(sh|nu|py)") {
        let met = |text: &str| FileUse { access: Access::Run, span: 0..0, text: text.to_owned(), path: text.to_owned(), is_namesake: false, is_made: false };
        RequestWords::of(&request).names(&met(&text));
        RequestWords::of(&text).names(&FileUse { access: Access::Read, ..met(&request) });
        let is_asked = RequestWords::of(&format!("run {name} now")).names(&met(&format!("./{name}")));
        prop_assert!(is_asked, "{}", name);
    }
}
