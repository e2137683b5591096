//! Answers are held against the directory: names, kinds of files, columns. What only the directory has stays on this machine.

use serde_json::Value;

use crate::chain::Server;
use crate::cli::Askline;

const SALES: &str = "date,region,price\n2026-01-05,north,19.5\n2026-01-06,south,75\n";

/// Asks for a command in a directory with some files; `replies` has the model's answers, one JSON row a line.
fn suggest(request: &str, replies: &str) -> Value {
    let run = Askline::new(["suggest", "--shell", "bash", "--json", request]);
    let run = run.file("Notes.txt", "one\n").file("logs/app.log", "a\n").file("logs/db.log", "b\n");
    let run = run.file("sales.csv", SALES).file("src/main.c", "int\n");
    serde_json::from_str(&run.model(replies).run().code(0).stdout).unwrap()
}

fn texts(value: &Value) -> String {
    value.as_array().unwrap().iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_line_is_mended_where_the_directory_leaves_one_choice() {
    for (request, reply, expected, why) in [
        (
            "count the lines of all log files",
            "wc -l *.log",
            "wc -l logs/*.log",
            "*.log → logs/*.log: nothing here matches `*.log`; logs/ has 2",
        ),
        ("show notes.txt", "cat notes.txt", "cat Notes.txt", "there is `Notes.txt`"),
        ("search main in src", "grep -n main src", "grep -r -n main src", "`grep` needs -r for it"),
        (
            "sum of the prices in sales.csv",
            "awk -F, '{s += $2} END {print s}' sales.csv",
            "awk -F, '{s += $3} END {print s}' sales.csv",
            "column 2 → column 3: you said \"prices\"; the line takes another column; `price` is column 3 of sales.csv",
        ),
        ("copy src to copy", "cp src copy", "cp -r src copy", "`cp` needs -r for it"),
    ] {
        let answer = suggest(request, &serde_json::json!({"reply": reply}).to_string());
        assert_eq!(answer["command"], expected, "{answer}");
        assert!(texts(&answer["changes"]).contains(why), "{answer}");
        assert_eq!(answer["open"], Value::Array(Vec::new()), "{request}");
    }
}

/// Nothing is guessed in a line that deletes or moves.
#[test]
fn a_destructive_line_is_only_told_of() {
    for (request, reply, told) in [
        ("delete all log files", "rm *.log", "nothing here matches `*.log`; logs/ has 2"),
        ("delete notes.txt", "rm notes.txt", "there is no `notes.txt` here; there is `Notes.txt`"),
        ("remove the folder src", "rm src", "`src` is a folder; `rm` needs -r for it"),
    ] {
        let row = serde_json::json!({"reply": reply}).to_string();
        let answer = suggest(request, &format!("{row}\n{row}"));
        assert_eq!(answer["command"], reply, "{answer}");
        assert!(texts(&answer["open"]).contains(told), "{answer}");
    }
}

/// A finding that no other line could avoid is shown at once: the model is not asked again.
#[test]
fn the_model_is_not_asked_again_for_what_is_not_there() {
    for (request, reply, told) in [
        ("move the log files to archive", "mv logs/*.log archive/", "there is no folder `archive` here"),
        ("sizes of all png files", "du -h *.png", "nothing here matches `*.png`"),
        ("show the last commit", "git log -1", "this folder is not in a git repository"),
    ] {
        let answer = suggest(request, &serde_json::json!({"reply": reply}).to_string());
        assert_eq!((&answer["command"], &answer["rounds"]), (&reply.into(), &1.into()), "{answer}");
        assert_eq!(texts(&answer["open"]), told, "{answer}");
    }
}

/// The model is asked again with what request and line name themselves; names out of the directory are for the user.
#[test]
fn a_model_gets_no_name_out_of_the_directory_unasked() {
    for (request, answer, kept, secret) in [
        ("how many words are in my notes", "cat notes.txt", "cat notes.txt", "notes.aml"),
        ("show the log files here", "cat *.log", "nothing here matches `*.log`", "private"),
    ] {
        for (context, is_told) in [("", false), ("[context]\nlisting = \"all\"\n", true)] {
            let server = Server::answering(answer);
            let config =
                format!("profile = \"team\"\n{context}{}", server.profile("team", "prompt = \"chat\""));
            Askline::new(["suggest", "--shell", "bash", request])
                .file("notes.aml", "one\n")
                .file("private/a.log", "a\n")
                .config(&config)
                .run();
            let heard = server.heard();
            let again = heard.get(1).unwrap_or_else(|| panic!("not asked again: {answer}"));
            // The listing itself is in the prompt too.
            let step = again.split_once("Not `").map_or("", |(_, step)| step);
            assert_eq!(step.contains(secret), is_told, "{context} {again}");
            assert!(is_told || step.contains(kept), "{again}");
        }
    }
}

/// A branch that only the repository names reaches a server only if `[context] git` is "all", also where its fix follows another.
#[test]
fn a_server_sees_no_branch_unasked() {
    for (context, is_told) in [("", false), ("[context]\ngit = \"all\"\n", true)] {
        for answer in ["git chekcout featre/login", "git checkout featre/login"] {
            let server = Server::answering(answer);
            let config =
                format!("profile = \"team\"\n{context}{}", server.profile("team", "prompt = \"chat\""));
            let request = "switch to the login branch and show the last 7 commits";
            Askline::new(["suggest", "--shell", "bash", request])
                .file(".git/HEAD", "ref: refs/heads/main\n")
                .file(".git/config", "[core]\n")
                .file(".git/refs/heads/main", "1\n")
                .file(".git/refs/heads/feature/login", "1\n")
                .config(&config)
                .run();
            let heard = server.heard();
            let again = heard.get(1).unwrap_or_else(|| panic!("not asked again: {answer}"));
            assert_eq!(again.contains("feature/login"), is_told, "{context} {answer} {again}");
        }
    }
}
