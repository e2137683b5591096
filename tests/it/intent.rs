//! Answers are held against the words of the request: the command line mends, asks again, or says what stays open.

use serde_json::Value;

use crate::cli::Askline;

/// Asks for a command; `replies` has the model's answers, one JSON row a line, and all must be used.
fn suggest(request: &str, replies: &str) -> Value {
    let ran = Askline::new(["suggest", "--shell", "bash", "--json", request]).model(replies).run().code(0);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn texts(value: &Value) -> String {
    value.as_array().unwrap().iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_bent_condition_is_mended_and_the_change_is_said() {
    let answer = suggest("files modified in the last 2 hours", r#"{"reply": "find . -type f -mtime -2"}"#);
    assert_eq!(answer["command"], "find . -type f -mmin -120");
    let changes = texts(&answer["changes"]);
    assert!(changes.contains("-mtime counts days"), "{changes}");
    assert_eq!(answer["open"], Value::Array(Vec::new()));
    assert_eq!(answer["rounds"], 1);
}

/// A question mark at the end of a word makes no command of words that begin with the name of one.
#[test]
fn a_question_that_begins_like_a_command_is_held_against_its_words() {
    let answer = suggest("find files modified last 2 hours?", r#"{"reply": "find . -type f -mtime -2"}"#);
    assert_eq!(answer["command"], "find . -type f -mmin -120");
}

/// A line that deletes is mended too: the edit makes it do what was asked.
#[test]
fn a_line_that_deletes_keeps_to_the_condition() {
    for (request, reply, expected) in [
        (
            "delete the .tmp files in this folder but not in subfolders",
            r#"{"reply": "find . -name '*.tmp' -delete"}"#,
            "find . -maxdepth 1 -name '*.tmp' -delete",
        ),
        (
            "delete all .bak and .tmp files",
            r#"{"reply": "find . -name '*.bak' -o -name '*.tmp' -delete"}"#,
            "find . \\( -name '*.bak' -o -name '*.tmp' \\) -delete",
        ),
    ] {
        let answer = suggest(request, reply);
        assert_eq!(answer["command"], expected);
        assert_eq!(answer["risk"]["label"], "Confirm", "{request}");
    }
}

/// A line that removes says if it would remove nothing; one that removes something does not.
#[test]
fn a_line_that_would_delete_nothing_says_so() {
    let reply = r#"{"reply": "find . -type f -name '*.tmp' -delete"}"#;
    for (file, expected) in [("a.txt", true), ("a.tmp", false), ("below/it/a.tmp", false)] {
        let words = ["suggest", "--shell", "bash", "--json", "delete all .tmp files below this folder"];
        let ran = Askline::new(words).file(file, "").model(reply).run().code(0);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        let open = texts(&answer["open"]);
        assert_eq!(open.contains("no file matches now"), expected, "{file}: {open}");
        assert_eq!(answer["risk"]["label"], "Confirm");
    }
}

#[test]
fn a_dropped_condition_is_asked_for_again() {
    let replies = concat!(
        r#"{"reply": "cat /etc/passwd"}"#,
        "\n",
        r##"{"reply": "wc -l < /etc/passwd", "must_contain": "# wrong: you said \"how many\"; nothing here counts"}"##
    );
    let answer = suggest("how many users are in /etc/passwd", replies);
    assert_eq!(answer["command"], "wc -l < /etc/passwd");
    assert_eq!(answer["open"], Value::Array(Vec::new()));
}

#[test]
fn another_answer_that_agrees_is_taken_before_the_model_is_asked_again() {
    let replies =
        r#"{"reply": "cat /etc/passwd", "others": ["cut -d: -f1 /etc/passwd", "wc -l < /etc/passwd"]}"#;
    let answer = suggest("how many users are in /etc/passwd", replies);
    assert_eq!((&answer["command"], &answer["rounds"]), (&"wc -l < /etc/passwd".into(), &1.into()));
}

#[test]
fn what_stays_open_is_said() {
    let reply = r#"{"reply": "cat /etc/passwd"}"#;
    let answer = suggest("how many users are in /etc/passwd", &format!("{reply}\n{reply}"));
    assert_eq!(answer["command"], "cat /etc/passwd");
    assert_eq!(texts(&answer["open"]), "you said \"how many\"; nothing here counts");
}

/// A destructive line that ignores a condition is dangerous, whatever it deletes.
#[test]
fn an_open_condition_raises_the_label_of_a_destructive_line() {
    let reply = r#"{"reply": "rm -f *.log"}"#;
    let answer = suggest("delete the logs except today.log", &format!("{reply}\n{reply}"));
    assert_eq!(answer["risk"]["label"], "Dangerous");
    let cause = answer["risk"]["cause"].as_str().unwrap();
    assert!(cause.contains("you said \"except\"") || cause.contains("you named `today.log`"), "{cause}");
}
