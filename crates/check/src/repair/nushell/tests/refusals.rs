//! Tests of error messages of the Nushell engine and the edits they lead to.

use super::*;

/// Returns the line after the first edit that is offered if Nushell reports `said` at `word`.
fn offered(line: &str, said: &str, word: &str) -> Option<String> {
    let start = line.find(word).unwrap();
    let wrong = Finding {
        kind: FindingKind::Syntax,
        span: start..start + word.len(),
        grade: Severity::Error,
        text: format!("nu can't read it: {said}"),
        evidence: Shell::Nu.to_string(),
        fixes: Vec::new(),
    };
    let report = Report { findings: vec![wrong], ..Report::default() };
    let found = refusals(&parsed(line), &report, &*MACHINE);
    let fix = found.first()?.fixes.first()?;
    Some(format!("{}{}{}", line.get(..fix.span.start)?, fix.replacement, line.get(fix.span.end..)?))
}

#[test]
fn what_the_engine_says_leads_to_an_edit() {
    let text = "Command does not support string input.";
    let texts = "Command does not support list<string> input.";
    let extra = "Extra positional argument.";
    for (line, said, word, right) in [
        ("'ab' | reverse", text, "reverse", Some("'ab' | str reverse")),
        ("'ab' | each { ls }", text, "each", None),
        ("'7' | math sqrt", text, "math", Some("'7' | into int | math sqrt")),
        ("$x | math sum", texts, "math", Some("$x | into float | math sum")),
        ("$x | sort", texts, "sort", None),
        ("split row 'a=b' '='", extra, "'='", Some("'a=b' | split row '='")),
        ("split row 'ab' 'cd'", extra, "'cd'", None),
        ("split row ','", extra, "','", None),
        ("str substring 0..3 hello", extra, "hello", Some("'hello' | str substring 0..3")),
        ("str substring hello 0..3", extra, "0..3", Some("'hello' | str substring 0..3")),
        ("fill --width 3 7", extra, "7", Some("7 | fill --width 3")),
        ("fill -w 3 7", extra, "7", Some("7 | fill -w 3")),
        ("math sum 1 2", extra, "2", Some("[1 2] | math sum")),
        ("str length -c it's", extra, "it's", None),
        ("str length gone.txt", extra, "gone", None),
        ("str length here.toml", extra, "here", Some("open --raw here.toml | str length")),
        ("str length *.txt", extra, "*", None),
        ("split row 'a=b' =", extra, "=", None),
        ("save new.txt here.toml", extra, "here", None),
        ("fill here.toml", extra, "here", Some("open --raw here.toml | fill")),
        ("to yaml here.toml", extra, "here", Some("open here.toml | to yaml")),
        ("table here.toml", extra, "here", Some("open here.toml | table")),
        ("ls | split row 'a=b' '='", extra, "'='", None),
        ("pwd 3", extra, "3", None),
        ("nosuch 3", extra, "3", None),
        ("split row 'a=b' '='", "something else", "'='", None),
    ] {
        assert_eq!(offered(line, said, word).as_deref(), right, "{line}");
    }
}

#[test]
fn no_place_of_a_complaint_makes_it_fail() {
    for line in
        ["", "é", "math sum", "split row 'é=ü' '='", "'ab' * 5", "'ab' *", "* 5", "path", "é | reverse"]
    {
        for said in [
            "Command does not support string input",
            "Command does not support list<string> input",
            "Extra positional argument",
            "The '*' operator does not work on values of type 'string'",
        ] {
            for (start, end) in [(0, 0), (1, 2), (5, 6), (40, 50), (3, 1)] {
                let span = Span { start, end };
                let (text, evidence) = (said.to_owned(), "nu".to_owned());
                let wrong = Finding {
                    kind: FindingKind::Syntax,
                    span,
                    grade: Severity::Error,
                    text,
                    evidence,
                    fixes: Vec::new(),
                };
                refusals(&parsed(line), &Report { findings: vec![wrong], ..Report::default() }, &*MACHINE);
            }
        }
    }
}
