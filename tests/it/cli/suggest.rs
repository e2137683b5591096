//! `askline suggest` as scripts use it: rows in, rows out, and the handling of rows with errors.

use std::process::Stdio;

use askline_syntax::shell::Shell;
use expect_test::expect;

use super::Askline;
use crate::parser::Parser;

/// Each row gets an answer in its place, whatever the other rows contain.
#[test]
fn suggest_answers_each_row_of_a_file() {
    let rows = "\u{feff}list files\r\n\r\nwhere am i\r\ndo nothing\nrefuse\nfail\n";
    let rows = [rows.as_bytes(), b"not \xff text\nlast"].concat();
    let replies = [
        "{\"reply\": \"ls\", \"must_contain\": \"# list files\\n\"}",
        "{\"reply\": \"pwd\", \"must_contain\": \"# where am i\\n\"}",
        "{\"reply\": \"true\"}",
        "{\"reply\": \"I can't help with that.\"}",
        "{\"reply\": \"\", \"fail\": \"the server is gone\"}",
        "{\"reply\": \"date\"}",
    ];
    let ran = Askline::new(["suggest", "--shell", "bash", "--lines", "-"])
        .model(&replies.join("\n"))
        .stdin(&rows)
        .run()
        .stdout("ls\n\npwd\ntrue\n\n\n\ndate\n")
        .code(1);
    expect![[r#"
        askline: stdin:2: type what you want in your words first
        askline: stdin:5: I can't help with that.
        askline: stdin:6: the server is gone
        askline: stdin:7: a request is not valid UTF-8; save it as UTF-8
    "#]]
    .assert_eq(&ran.stderr);
}

/// Nushell has commands with the names of programs. A line that uses the program's options means the program.
#[test]
fn nushell_gets_the_program_whose_options_are_written() {
    if Parser::of(Shell::Nu).is_none() {
        return;
    }
    let ask = |command: &str| {
        let asked = Askline::new(["suggest", "--shell", "nu", "--no-refine", "--", "list it"])
            .model(&format!("{{\"reply\": {command:?}}}"))
            .env("PATH", &std::env::var("PATH").unwrap());
        asked.run().stdout
    };
    for (command, expected) in [
        ("uname -r", "^uname -r\n"),
        ("find . -name report.pdf", "^find . -name report.pdf\n"),
        ("du -sh", "^du -sh\n"),
        // Nushell's own command has this option.
        ("ls -a", "ls -a\n"),
        // A repaired line would delete something.
        ("rm --one-file-system x", "rm --one-file-system x\n"),
    ] {
        assert_eq!(ask(command), expected);
    }
}

#[test]
fn suggest_keeps_rows_in_line_when_a_command_has_several() {
    let asked = |json: &[&str]| {
        let args = ["suggest", "--shell", "bash", "--lines", "rows"];
        let reply = serde_json::json!({"reply": "```bash\nfor f in *; do\n  echo \"$f\"\ndone\n```"});
        Askline::new(args.iter().chain(json).copied())
            .model(&format!("{reply}\n{{\"reply\": \"ls\"}}"))
            .file("rows", "each file\nlist\n")
            .run()
    };
    let ran = asked(&[]).stdout("\nls\n").code(1);
    expect![[r#"
        askline: rows:1: the command has several lines; use --json to get it
    "#]]
    .assert_eq(&ran.stderr);
    let ran = asked(&["--json"]).stderr("").code(0);
    assert!(ran.stdout.lines().next().unwrap().contains("for f in *; do\\n"), "{}", ran.stdout);
}

#[test]
fn suggest_reads_what_is_piped_in() {
    let piped = |text: &[u8]| {
        Askline::new(["suggest", "--shell", "bash"])
            .model("{\"reply\": \"ls\", \"must_contain\": \"# list files\"}")
            .stdin(text)
            .run()
    };
    piped(b"list files\n").stderr("").stdout("ls\n").code(0);
    for (text, why) in [
        (&b" \n"[..], "no request; say what you want, such as `askline suggest "),
        (&b"\xff"[..], "a request is not valid UTF-8; "),
        (&vec![b'x'; 100_000], "a request is longer than 65536 bytes; shorten it"),
    ] {
        let ran = piped(text).stdout("").code(2);
        assert!(ran.stderr.starts_with(&format!("askline: {why}")), "{}", ran.stderr);
    }
}

/// At a terminal `suggest` does not wait for input.
#[test]
fn suggest_without_words_at_a_terminal_says_how_to_use_it() {
    use std::io::Read as _;
    let pair = portable_pty::native_pty_system().openpty(portable_pty::PtySize::default()).unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_askline"));
    command.arg("suggest");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut said = Vec::new();
    // On Linux the end of a terminal reads as an error.
    let _ = pair.master.try_clone_reader().unwrap().read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said);
    assert!(said.starts_with("askline: no request; say what you want, such as"), "{said}");
    assert_eq!(child.wait().unwrap().exit_code(), 2);
}

/// A reader that closes early ends the work: the third row would ask for a reply that the script does not have.
#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let reply = "{\"reply\": \"ls\", \"delay_ms\": 200}\n";
    let ran = Askline::new(["suggest", "--shell", "bash", "--lines", "rows"])
        .model(&format!("{reply}{reply}{{\"reply\": \"ls\", \"delay_ms\": 60000}}"))
        .file("rows", "one\ntwo\nthree\n")
        .in_sh("{ RUN; echo \"exit $?\" >&2; } | head -n 1")
        .run();
    ran.stdout("ls\n").stderr("exit 0\n").code(0);
}

#[test]
fn ctrl_c_keeps_the_answers_that_are_there() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::os::unix::process::ExitStatusExt as _;

    let asked = Askline::new(["suggest", "--shell", "bash", "--lines", "rows"])
        .model("{\"reply\": \"ls\"}\n{\"reply\": \"pwd\", \"delay_ms\": 60000}")
        .file("rows", "one\ntwo\n");
    // The test runner may ignore the signal (a background job does), and child processes would inherit that.
    let asked = &asked.command;
    let mut child = std::process::Command::new("env")
        .arg("--default-signal=INT")
        .arg(asked.get_program())
        .args(asked.get_args())
        .env_clear()
        .envs(asked.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("PATH", std::env::var_os("PATH").unwrap())
        .current_dir(asked.get_current_dir().unwrap_or(std::path::Path::new(".")))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    answers.read_line(&mut first).unwrap();
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    // The signal itself ends the process, so a shell's loop ends too; shells report this as 130.
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    let mut rest = String::new();
    answers.read_to_string(&mut rest).unwrap();
    assert_eq!((first.as_str(), rest.as_str()), ("ls\n", ""));
}

/// The debug output is enough for a bug report and contains no terminal escapes.
#[test]
fn debug_tells_what_happens_on_stderr() {
    let ran = Askline::new(["--debug", "suggest", "--shell", "bash", "list"])
        .model("{\"reply\": \"ls \\u001b[31m\"}")
        .run()
        .stdout("")
        .code(1);
    for part in [
        "DEBUG askline ",
        "HOME/config/askline/config.toml and the environment, 20000 ms",
        "DEBUG environment {",
        "the model said \"ls \\u{1b}[31m\"",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
}

/// The message names the setting that is in force, because that is the one to raise.
#[test]
fn a_missed_deadline_names_what_sets_it() {
    let late = || {
        Askline::new(["suggest", "--shell", "bash", "list it"])
            .model("{\"reply\": \"ls\", \"delay_ms\": 60000}")
    };
    late()
        .config("deadline_ms = 60\n")
        .run()
        .stderr("askline: no answer in time; try again or raise `deadline_ms`\n")
        .code(1);
    late().config("deadline_ms = 20\n").env("ASKLINE_DEADLINE_MS", "60").run().code(2);
    late()
        .env("ASKLINE_DEADLINE_MS", "60")
        .run()
        .stderr("askline: no answer in time; try again or raise ASKLINE_DEADLINE_MS\n")
        .code(1);
}

#[test]
fn suggest_prints_one_json_object_a_row_also_for_failures() {
    let ran = Askline::new(["suggest", "--json", "--shell", "fish", "--lines", "-"])
        .model("{\"reply\": \"du -sh .\"}\n{\"reply\": \"I can't help with that.\"}\n")
        .stdin("how big is this\nsomething else")
        .run()
        .stderr("");
    let rows: Vec<serde_json::Value> =
        ran.stdout.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let fields: Vec<_> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    let mut contract = vec![
        "request",
        "command",
        "shell",
        "confidence",
        "risk",
        "checks",
        "changes",
        "open",
        "rounds",
        "alternatives",
        "source",
        "fallback",
        "timing_ms",
        "usage",
        "error",
    ];
    contract.sort_unstable();
    assert_eq!(fields, contract);
    assert_eq!((&rows[0]["command"], &rows[0]["error"]), (&"du -sh .".into(), &serde_json::Value::Null));
    assert_eq!(
        (&rows[1]["command"], &rows[1]["request"]),
        (&serde_json::Value::Null, &"something else".into())
    );
    assert!(rows[1]["error"].is_string());
    assert_eq!(ran.code, 1);
}

#[test]
fn suggest_shows_the_request_and_asks_nobody() {
    let ran = Askline::new(["suggest", "--shell", "nu", "--show-request", "list", "files"])
        .model("")
        .run()
        .stderr("");
    assert!(ran.stdout.starts_with("# One-line Nushell commands for Linux.\n\n# "), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n\n# list files\n"), "{}", ran.stdout);
    let one = ran.code(0).stdout;
    let ran = Askline::new(["suggest", "--shell", "nu", "--show-request", "--lines", "rows"])
        .model("")
        .file("rows", "list files\n\nlist files\n")
        .run()
        .stderr("askline: rows:2: type what you want in your words first\n")
        .code(1);
    assert_eq!(ran.stdout, format!("==> rows:1 <==\n{one}==> rows:2 <==\n==> rows:3 <==\n{one}"));
}

#[test]
fn a_script_with_replies_left_over_fails() {
    let ran = Askline::new(["suggest", "--shell", "bash", "list it"])
        .model("{\"reply\": \"ls\"}\n{\"reply\": \"pwd\"}")
        .run();
    assert_eq!(ran.stdout, "ls\n");
    assert!(ran.stderr.contains("1 replies were never asked for"), "{}", ran.stderr);
    ran.code(1);
}

#[test]
fn a_row_that_is_too_long_or_no_text_costs_only_itself() {
    let long = "x".repeat(200_000);
    let ran = Askline::new(["suggest", "--json", "--shell", "bash", "--lines", "rows"])
        .model("{\"reply\": \"ls\"}\n{\"reply\": \"pwd\"}")
        .file("rows", &format!("list files\n{long}\nwhere am i"))
        .run()
        .stderr("")
        .code(1);
    let rows: Vec<serde_json::Value> =
        ran.stdout.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!([&rows[0]["command"], &rows[2]["command"]], ["ls", "pwd"]);
    assert!(rows[1]["error"].as_str().unwrap().contains("longer than"), "{}", rows[1]);
}

#[test]
fn suggest_stops_where_its_rows_cannot_be_read() {
    for more in [&[][..], &["--json"]] {
        let args = ["suggest", "--lines", "."];
        let ran = Askline::new(args.iter().chain(more).copied()).model("").run().stdout("").code(1);
        assert!(ran.stderr.starts_with("askline: .:1: can't read the remaining rows"), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    let ran = Askline::new(["suggest", "--lines", "none"]).model("").run().stdout("").code(2);
    expect![[r#"
        askline: can't read none: No such file or directory (os error 2); name a file, or - for stdin
    "#]]
    .assert_eq(&ran.stderr);
}
