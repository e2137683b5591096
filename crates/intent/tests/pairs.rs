//! Requests with lines that do and do not agree with them.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use askline_intent::{agree, mismatches};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Rows {
    wrong: Vec<Wrong>,
    right: Vec<Right>,
}

#[derive(Deserialize)]
struct Wrong {
    request: String,
    line: String,
    mended: Option<String>,
    says: Option<String>,
}

#[derive(Deserialize)]
struct Right {
    request: String,
    lines: Vec<String>,
}

fn rows() -> Rows {
    toml::from_str(include_str!("data/pairs.toml")).unwrap()
}

fn parsed(line: &str) -> ParsedLine {
    ParsedLine::new(line, Shell::Bash)
}

#[test]
fn wrong_lines_are_noticed_and_mended() {
    let mut faults = Vec::new();
    for Wrong { request, line, mended, says } in rows().wrong {
        let found = mismatches(&request, &parsed(&line));
        let agreed = agree(&request, &parsed(&line)).map(|agreement| agreement.line);
        let is_said = says.as_ref().is_none_or(|says| found.iter().any(|it| it.text.contains(says)));
        if found.is_empty() || agreed != mended || !is_said {
            faults.push(format!("{request} | {line}\n  {agreed:?} {found:?}"));
        }
        if let Some(mended) = mended {
            let left = mismatches(&request, &parsed(&mended));
            faults.extend((!left.is_empty()).then(|| format!("{request} | {mended}: {left:?}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn right_lines_are_left_alone() {
    let mut faults = Vec::new();
    for Right { request, lines } in rows().right {
        for line in lines {
            let found = mismatches(&request, &parsed(&line));
            faults.extend((!found.is_empty()).then(|| format!("{request} | {line}: {found:?}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

proptest! {
    /// Any text is read without a panic, and an edit leads to a text that is read too.
    #[test]
    fn any_text_is_read(request in ".{0,80}", line in "(find|grep|sed|ls -l|ps|awk|tar|head|sort|wc)? ?.{0,80}") {
        for shell in Shell::ALL {
            let line = ParsedLine::new(line.as_str(), shell);
            mismatches(&request, &line);
            agree(&request, &line);
        }
    }

    /// So are requests and lines made of the words that the rules know.
    #[test]
    fn known_words_are_read(
        request in proptest::collection::vec("not|in|the|last|2|hours|older|than|larger|MB|files|only|'a b'|/etc/x|10th|line|except|php", 0..12),
        line in proptest::collection::vec("find|\\.|-mtime|-2|\\+3|-size|1k|-o|-name|'\\*.a'|-delete|\\\\\\(|\\\\\\)|!|\\||wc|-l|head|-n|5|sort|&&|rm|>|f", 0..16),
    ) {
        let line = ParsedLine::new(line.join(" "), Shell::Bash);
        agree(&request.join(" "), &line);
    }
}
