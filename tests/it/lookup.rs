//! `askline check` and `askline explain` on this machine: no model, every word looked up.

use serde_json::Value;

use crate::cli::Askline;

fn check(line: &str) -> Value {
    let ran = Askline::new(["check", "--shell", "bash", "--json", "--", line]).run();
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {} {}", ran.stdout, ran.stderr))
}

#[test]
fn a_line_without_fault_exits_with_0() {
    let line = "ls -la | sort -r";
    let ran = Askline::new(["check", "--shell", "bash", "--", line]).run().code(0);
    assert_eq!(ran.stdout, format!("{line}\nchecked 3/3 flags\n"));
}

/// A line that does something else than it looks like is told so without a request, too.
#[test]
fn what_is_wrong_whatever_was_asked_is_a_finding() {
    let line = "sort -t \\t -k2 a.txt";
    let ran = Askline::new(["check", "--shell", "bash", "--", line]).file("a.txt", "").run().code(1);
    assert!(
        ran.stdout.contains("warning: without quotes `\\t` is the letter t (what it does)"),
        "{}",
        ran.stdout
    );
}

/// The field names are part of the interface.
#[test]
fn findings_are_told_with_place_evidence_and_fix() {
    let found = check("ls --colour -a");
    let fields: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["checks", "commands", "findings", "line", "risk", "shell", "syntax_ok"]);
    assert_eq!((&found["syntax_ok"], &found["commands"][0]), (&Value::Bool(true), &Value::from("ls")));
    let finding = &found["findings"][0];
    let fields: Vec<&String> = finding.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["evidence", "fix", "grade", "kind", "span", "text"]);
    assert_eq!((finding["kind"].as_str(), finding["grade"].as_str()), (Some("flag-refuted"), Some("error")));
    assert_eq!(finding["span"], serde_json::json!([3, 11]));
    assert_eq!(finding["fix"]["replacement"], "--color");
    assert_eq!(found["checks"]["flags_refuted"], 1);
    Askline::new(["check", "--shell", "bash", "--", "ls --colour"]).run().code(1);
}

#[test]
fn each_kind_of_fault_is_found() {
    for (line, kind) in [
        ("lss -a", "command-missing"),
        ("echo 'a", "incomplete"),
        ("find . -name *.txt -newermt", "quoting"),
        ("date -v-1d", "platform"),
        ("if true; then echo", "incomplete"),
        ("tar -xzf a.tgz -C /path/to/dir", "placeholder"),
        ("find . -type f -exec wc -l {}", "syntax"),
    ] {
        let found = check(line);
        let kinds: Vec<&str> = found["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|finding| finding["kind"].as_str())
            .collect();
        assert!(kinds.contains(&kind), "{line}: {kinds:?}");
    }
}

#[test]
fn rows_of_a_file_are_checked_one_by_one() {
    let ran = Askline::new(["check", "--shell", "bash", "--json", "--lines", "-"])
        .stdin("ls -a\nls --nosuchthing\n\n")
        .run()
        .code(1);
    let rows: Vec<Value> = ran.stdout.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let counts: Vec<usize> = rows.iter().map(|row| row["findings"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [0, 1, 0], "{}", ran.stdout);
}

#[test]
fn other_shells_are_checked_in_their_language() {
    let kinds = |shell: &'static str, line: &'static str| {
        let ran = Askline::new(["check", "--shell", shell, "--json", "--", line]).run();
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings = found["findings"].as_array().unwrap().clone();
        findings.iter().map(|finding| finding["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!kinds("fish", "echo $?").is_empty());
    assert!(kinds("fish", "echo $status").is_empty());
    assert!(kinds("nu", "ls | where size > 1mb").is_empty());
}

#[test]
fn every_word_is_explained() {
    let ran = Askline::new(["explain", "--shell", "bash", "--", "tar -xzf a.tgz -C /tmp 2>/dev/null"])
        .run()
        .code(0);
    for part in ["tar ", "-xzf", "-x: ", "-z: ", "-f: ", "-C /tmp", "2>/dev/null"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let ran = Askline::new(["explain", "--shell", "bash", "--json", "--", "ls -l"]).run().code(0);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    let parts = told["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 2, "{told}");
    assert_eq!((parts[0]["role"].as_str(), parts[1]["role"].as_str()), (Some("command"), Some("option")));
    assert!(!parts[1]["meaning"].as_str().unwrap().is_empty());
}

/// Explains Nushell's own commands from its documentation, and a program of the same name from its manual.
#[test]
fn nushells_own_commands_are_explained() {
    let line = "'aba' | str replace -a a b | print; ^ls -l";
    let explained = || {
        let path = std::env::var("PATH").unwrap_or_default();
        let ran = Askline::new(["explain", "--shell", "nu", "--json", "--", line]);
        let ran = ran.env("PATH", &path).run().code(0);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    // Nushell may not answer in time on a machine that is busy with other tests.
    let mut tries = (0..5).map(|_| explained());
    let told =
        tries.find(|told| told.to_string().contains("help print")).expect("nushell tells its commands");
    let part = |text: &str| {
        let parts = told["parts"].as_array().unwrap();
        let part = parts.iter().find(|part| part["text"] == text);
        let part = part.unwrap_or_else(|| panic!("{text}: {told}"));
        (part["meaning"].as_str().unwrap().to_lowercase(), part["evidence"].as_str().unwrap().to_owned())
    };
    let (meaning, evidence) = part("str replace");
    assert!(meaning.contains("replace") && evidence == "help str replace", "{told}");
    let (meaning, evidence) = part("-a");
    assert!(meaning.contains("all occurrences") && evidence == "help str replace", "{told}");
    assert!(part("print").1 == "help print", "{told}");
    assert!(part("ls").1 != "help ls" && !part("-l").0.is_empty(), "{told}");
}

#[test]
fn without_a_line_it_says_what_to_give() {
    let ran = Askline::new(["check", "--shell", "bash", "--"]).stdin("").run().code(2);
    assert!(ran.stderr.contains("no line; give one"), "{}", ran.stderr);
    for command in ["check", "explain", "preview"] {
        let ran = Askline::new([command, " "]).run().stdout("").code(2);
        assert!(ran.stderr.contains("no line; give one"), "{command}: {}", ran.stderr);
    }
}

/// A command typed by hand is repaired, or found correct, without a model.
#[test]
fn what_is_a_command_already_needs_no_model() {
    let suggest = |line: &'static str| {
        let ran = Askline::new(["suggest", "--shell", "bash", "--json", "--", line]).model("").run().code(0);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    let right = suggest("ls -la");
    assert_eq!((right["command"].as_str(), right["rounds"].as_u64()), (Some("ls -la"), Some(0)));
    assert_eq!(right["source"], "checks");
    assert_eq!(right["checks"]["flags_verified"], 2);
    assert!(right["confidence"].as_f64().unwrap() > 0.9);
    let slip = suggest("tar -cvf a.tar.gz src");
    assert_eq!(slip["command"], "tar -cvzf a.tar.gz src", "{slip}");
    let both = suggest("ls --colour -l | sort -n");
    assert_eq!(both["command"], "ls --color -l | sort -n -k5", "{both}");
    let told = suggest("sed -i 's/a/b/' f.txt | grep b");
    assert_eq!(told["command"], "sed -i 's/a/b/' f.txt | grep b");
    assert!(told["open"][0].as_str().unwrap().contains("prints nothing"), "{told}");
    let mended = suggest("ls --colour -la");
    assert_eq!(mended["command"], "ls --color -la");
    assert!(mended["changes"][0].as_str().unwrap().contains("--colour"));
}

/// No model is needed, not even an installed one.
#[test]
fn what_is_a_command_already_is_settled_where_no_model_is_installed() {
    let ran = Askline::new(["suggest", "--shell", "bash", "--", "ls --colour -la"]).run().code(0);
    assert_eq!(ran.stdout, "ls --color -la\n");
    let ran = Askline::new(["suggest", "--shell", "bash", "--", "list the files"]).run().code(2);
    assert!(ran.stderr.contains("askline model pull"), "{}", ran.stderr);
}

/// English stays a request, even if it begins with a command's name or contains text like an option.
#[test]
fn words_are_a_request() {
    for words in [
        "find all files larger than 1G",
        "sort the file by its -n column",
        "list files",
        "make me a list of files",
    ] {
        let ran = Askline::new(["suggest", "--shell", "bash", "--json", "--", words])
            .model("{\"reply\": \"ls -l\"}\n")
            .run()
            .code(0);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(answer["command"], "ls -l", "{words}");
    }
}
