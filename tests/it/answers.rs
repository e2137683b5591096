//! Answers that must not happen, with scripted models on a recorded machine: a slip that becomes another program, an
//! invented host, a line for a question, a draft that a later round costs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use askline::config::Config;
use askline::environment::Machine;
use askline::models;
use askline::shell_facts::ShellFacts;
use askline::suggest::{Request, suggest};
use askline::suggestion::Suggestion;
use askline_host::local::LocalHost;
use askline_host::recorded::RecordedHost;
use askline_host::store::Paths;
use askline_model::failure::Failure;
use askline_model::request_control::RequestControl;
use askline_risk::Label;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;
use tempfile::TempDir;

/// Programs with pages, users and files.
const MACHINE: &str = r#"
    current_dir = "/home/ada"
    programs = ["/usr/bin/git", "/usr/bin/find", "/usr/bin/ls", "/usr/bin/curl", "/usr/bin/cat", "/usr/bin/mkdir"]
    [system]
    os = "linux"
    release = "6.6.1"
    machine = "x86_64"
    [env]
    PATH = "/usr/bin"
    HOME = "/home/ada"
    USER = "ada"
    [files]
    "/etc/passwd" = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n"
    "/home/ada/sales.csv" = "a,b\n"
    "/home/ada/photos/shore.jpg" = "x"
    "/usr/share/man/man1/git.1" = """
.TH GIT 1 2026 "Git 2.50"
.SH NAME
git \\- the stupid content tracker
.SH SYNOPSIS
git [\\-\\-version] <command> [<args>]
.SH OPTIONS
.TP
\\fB\\-\\-version\\fR
Prints the version.
.SH "GIT COMMANDS"
.PP
\\fBgit-status\\fR(1)
.RS 4
Show the working tree status.
.RE
.PP
\\fBgit-stash\\fR(1)
.RS 4
Stash the changes.
.RE
.PP
\\fBgit-log\\fR(1)
.RS 4
Show commit logs.
.RE
"""
    "/usr/share/man/man1/ls.1" = """
.TH LS 1 2026 "tools 3.1"
.SH NAME
ls \\- list directory contents
.SH OPTIONS
.TP
\\fB\\-l\\fR
use a long listing format
.TP
\\fB\\-a\\fR, \\fB\\-\\-all\\fR
do not ignore entries starting with .
"""
    "/usr/share/man/man1/find.1" = """
.TH FIND 1 2026 "tools 3.1"
.SH NAME
find \\- search for files in a directory hierarchy
.SH OPTIONS
.TP
\\fB\\-name\\fR \\fIpattern\\fR
by name
.TP
\\fB\\-delete\\fR
delete files
"""
"#;

/// What the prompt line and the script bring.
#[derive(Default)]
struct Pressed<'a> {
    words: &'a str,
    failed: Option<&'a str>,
    deadline: Option<Duration>,
}

fn press(pressed: &Pressed<'_>, replies: &str) -> anyhow::Result<Suggestion> {
    let home = TempDir::new().unwrap();
    let script = home.path().join("script");
    std::fs::write(&script, replies).unwrap();
    let env = |name: &str| (name == "ASKLINE_MODEL").then(|| format!("scripted:{}", script.display()));
    let config = Config::merge(None, &env).unwrap();
    let host = RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap();
    let machine = Machine::new(Arc::new(host), None);
    let history = pressed.failed.into_iter().map(str::to_owned).collect();
    let facts = ShellFacts { status: pressed.failed.map(|_| 1), history, ..ShellFacts::default() };
    let line = PromptLine::typed(pressed.words.to_owned());
    let request = Request::new(&line, Shell::Bash, &facts);
    let nowhere = || home.path().join("nowhere");
    let paths = Paths {
        config_file: nowhere(),
        cache: nowhere(),
        models: nowhere(),
        stats: nowhere(),
        sessions: nowhere(),
    };
    let mut model = models::open(&config, &LocalHost, &paths, models::Purpose::Press)?;
    let endless = RequestControl::endless;
    let control = pressed.deadline.map_or_else(endless, |time| RequestControl::until(Instant::now() + time));
    let suggestion = suggest(&request, &machine, model.as_mut(), &config, &control)?;
    model.finish()?;
    Ok(suggestion)
}

fn asked(words: &str, replies: &str) -> anyhow::Result<Suggestion> {
    press(&Pressed { words, ..Pressed::default() }, replies)
}

fn reply(text: &str) -> String {
    serde_json::json!({"reply": text}).to_string()
}

/// Returns the words below the prompt of a press without a line.
#[track_caller]
/// Returns the words of a model, which are marked as unchecked.
fn told_by_model(result: anyhow::Result<Suggestion>) -> String {
    told(result).strip_suffix(" (the model's own words, not checked)").unwrap().to_owned()
}

fn told(result: anyhow::Result<Suggestion>) -> String {
    let error = result.map(|suggestion| suggestion.command.as_str().to_owned()).unwrap_err();
    let Some(Failure::NoCommand(words)) = error.downcast_ref() else { panic!("{error:#}") };
    words.clone()
}

#[test]
fn a_slip_of_two_words_is_mended_before_any_model_is_asked() {
    for (words, expected) in
        [("gti stauts", "git status"), ("git stauts", "git status"), ("gti log", "git log"), ("sl", "ls")]
    {
        let suggestion = asked(words, "").unwrap();
        assert_eq!((suggestion.command.as_str(), suggestion.rounds), (expected, 0), "{words}");
        assert!(!suggestion.changes.is_empty(), "{words}");
    }
    // Words that only look like a slip are a request.
    for words in ["fidn files", "list the logs", "gti of all", "git logs"] {
        assert_eq!(asked(words, &reply("ls -a")).unwrap().rounds, 1, "{words}");
    }
    let suggestion = asked("find . -nmae notes", "").unwrap();
    assert_eq!((suggestion.command.as_str(), suggestion.rounds), ("find . -name notes", 0));
}

#[test]
fn an_invented_host_or_user_is_a_placeholder() {
    let suggestion = asked("show the status", &reply("curl https://bob@api.evil.example/status")).unwrap();
    assert_eq!(suggestion.command.as_str(), "curl https://bob@your-host.invalid/status");
    let change = "api.evil.example → your-host.invalid: it is not in your words";
    assert!(suggestion.changes.iter().any(|told| told == change), "{:?}", suggestion.changes);
    assert!(suggestion.open.concat().contains("is still to be filled in"), "{:?}", suggestion.open);
    let named = asked("status of api.good.example", &reply("curl https://api.good.example/status")).unwrap();
    assert_eq!(named.command.as_str(), "curl https://api.good.example/status");
    // The failed command names it, and so does what it printed.
    let failed = Pressed { failed: Some("curl https://api.good.example/a"), ..Pressed::default() };
    let suggestion = press(&failed, &reply("curl -L https://api.good.example/a")).unwrap();
    assert!(suggestion.command.as_str().contains("api.good.example"), "{}", suggestion.command);
}

#[test]
fn a_question_gets_words_and_no_line() {
    let words = "Press u.";
    assert_eq!(told_by_model(asked("how do I undo in vim", &reply(words))), words);
    // How to leave a program is in our table.
    assert_eq!(told(asked("how do I get out of less?", "")), "press q");
    let kills = "Run tmux kill-server.";
    assert_eq!(told_by_model(asked("how do I close tmux and kill all sessions", &reply(kills))), kills);
    assert_eq!(
        told_by_model(asked("what does EACCES mean?", &reply("```\nPermission denied.\n```"))),
        "Permission denied."
    );
    // No model is asked what a sign of the shell means.
    let told_by_table = told(asked("what is the difference between > and >>?", ""));
    assert!(
        told_by_table.contains("`>` writes") && told_by_table.contains("`>>` appends"),
        "{told_by_table}"
    );
    // This machine's manuals answer without a model.
    let told_by_manual = told(asked("what does ls -l mean", ""));
    assert!(told_by_manual.contains("-l: use a long listing format"), "{told_by_manual}");
    assert_eq!(told(asked("what does the -l option of ls do", "")), told_by_manual);
    assert_eq!(told(asked("what does `ls -l notes/a.txt` do?", "")), told_by_manual);
    // They don't say what a number means, or an operand without options.
    let words = "It lists the notes.";
    assert_eq!(told_by_model(asked("what does ls notes mean", &reply(words))), words);
    assert_eq!(told_by_model(asked("what does ls -l 755 mean", &reply(words))), words);
    assert_eq!(told_by_model(asked("why does ls say permission denied", &reply(words))), words);
    for line in ["exit", "logout", "exec ls", "kill -9 $$"] {
        let replies = [reply(line), reply("Press Ctrl-D.")].join("\n");
        assert_eq!(told_by_model(asked("how do I get away from here?", &replies)), "Press Ctrl-D.", "{line}");
    }
    assert!(told(asked("how do I get away from here?", &reply("exit"))).starts_with("this is a question"));
    // A request for the same is no question.
    assert_eq!(asked("log me out", &reply("exit")).unwrap().command.as_str(), "exit");
}

#[test]
fn a_verb_alone_is_too_little() {
    assert_eq!(told(asked("delete", &reply("rm -r *"))), "say more: delete what?");
    assert_eq!(told(asked(" Copy! ", &reply("cp a b"))), "say more: copy what?");
}

#[test]
fn one_letter_is_too_little() {
    for words in ["x", " q ", "?", "é"] {
        assert!(told(asked(words, &reply("ls"))).starts_with("say more"), "{words}");
    }
}

#[test]
fn a_later_round_that_hangs_does_not_cost_the_draft() {
    let hanging = r#"{"reply": "ls -l", "hang_ms": 600000}"#;
    let pressed = Pressed {
        words: "show everything",
        deadline: Some(Duration::from_millis(1500)),
        ..Pressed::default()
    };
    for second in [hanging, r#"{"panic": "in the second round"}"#] {
        let replies = format!("{}\n{second}", reply("ls --everything-there-is"));
        let suggestion = press(&pressed, &replies).unwrap();
        assert_eq!(suggestion.command.as_str(), "ls --everything-there-is", "{second}");
    }
    // One that hangs at once is late, and nothing waits for it.
    let error = press(&pressed, hanging).unwrap_err();
    assert_eq!(error.downcast_ref(), Some(&Failure::TimedOut));
}

#[test]
fn names_of_files_are_mended_on_an_empty_line_and_told() {
    for (failed, expected) in [
        ("cat sales.cvs", "cat sales.csv"),
        ("cd photo", "cd photos"),
        ("mkdir a/b/c", "mkdir -p a/b/c"),
        ("cat Sales.csv", "cat sales.csv"),
    ] {
        let suggestion = press(&Pressed { failed: Some(failed), ..Pressed::default() }, "").unwrap();
        assert_eq!((suggestion.command.as_str(), suggestion.rounds), (expected, 0), "{failed}");
        assert!(suggestion.changes.concat().contains('→'), "{failed}: {:?}", suggestion.changes);
    }
    // A model's line may be about a file that is not there yet, but not if it only reads it.
    for (line, expected) in [("touch sales.cvs", "touch sales.cvs"), ("cat sales.cvs", "cat sales.csv")] {
        assert_eq!(asked("show it", &reply(line)).unwrap().command.as_str(), expected);
    }
}

#[test]
fn a_command_to_be_corrected_does_not_only_ask_to_see() {
    let line = "find . -name '*.tmp' -delte";
    let replies = reply("find . -name '*.tmp' -delete");
    let failed = Pressed { failed: Some(line), ..Pressed::default() };
    let typed = Pressed { words: line, ..Pressed::default() };
    for pressed in [failed, typed] {
        let risk = press(&pressed, &replies).unwrap().risk;
        assert!(risk.label >= Label::Confirm, "{risk:?}");
        assert!(!risk.cause.contains("only asks to see"), "{risk:?}");
    }
    let risk = asked("find all tmp files", &reply("rm -f *.tmp")).unwrap().risk;
    assert!(risk.cause.contains("only asks to see"), "{risk:?}");
    // An action that the request does not ask for is taken out.
    let shown = asked("find all tmp files", &replies).unwrap();
    assert_eq!(shown.command.as_str(), "find . -name '*.tmp'");
}
