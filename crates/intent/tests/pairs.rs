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
    for Wrong { request, line, mended, says } in rows().wrong {
        let found = mismatches(&request, &parsed(&line));
        assert!(!found.is_empty(), "{request}: {line}");
        assert_eq!(agree(&request, &parsed(&line)).map(|agreement| agreement.line), mended, "{request}");
        if let Some(says) = says {
            assert!(found.iter().any(|mismatch| mismatch.text.contains(&says)), "{request}: {found:?}");
        }
        if let Some(mended) = mended {
            assert_eq!(mismatches(&request, &parsed(&mended)), [], "{request}: {mended}");
        }
    }
}

#[test]
fn right_lines_are_left_alone() {
    for Right { request, lines } in rows().right {
        for line in lines {
            assert_eq!(mismatches(&request, &parsed(&line)), [], "{request}: {line}");
        }
    }
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
