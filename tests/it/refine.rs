//! The loop from a request to the best command, with scripted replies on a recorded machine whose manuals have a few
//! lines.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use askline::config::{Help, Preferences};
use askline::cookbook;
use askline::environment::{self, Machine};
use askline::examine::Examiner;
use askline::knowledge::Knowledge;
use askline::refine::{self, Limits, Refined};
use askline::shell_facts::ShellFacts;
use askline_check::finding::Finding;
use askline_host::local::LocalHost;
use askline_host::recorded::RecordedHost;
use askline_manual::userland::Userland;
use askline_model::Model;
use askline_model::chain::Chain;
use askline_model::failure::Failure;
use askline_model::prompt;
use askline_model::prompt::{Form, Solved};
use askline_model::request_control::RequestControl;
use askline_model::scripted::Scripted;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Two programs with pages and one without. No shell can be asked and no program probed: the pages decide.
pub(crate) const MACHINE: &str = r#"
    current_dir = "/home/ada"
    programs = ["/usr/bin/show", "/usr/bin/seek", "/usr/bin/mute"]
    [system]
    os = "linux"
    release = "6.6.1"
    machine = "x86_64"
    [env]
    PATH = "/usr/bin"
    HOME = "/home/ada"
    [files]
    "/usr/share/man/man1/show.1" = """
.TH SHOW 1 2026 "tools 3.1"
.SH NAME
show \\- show what is there
.SH OPTIONS
.TP
\\fB\\-a\\fR, \\fB\\-\\-all\\fR
also what is hidden
.TP
\\fB\\-\\-color\\fR[=\\fIWHEN\\fR]
in colour
.TP
\\fB\\-l\\fR
one a line
.TP
\\fB\\-\\-sort\\fR=\\fIKEY\\fR
in order
.TP
\\fB\\-r\\fR
the other way round
"""
    "/usr/share/man/man1/seek.1" = """
.TH SEEK 1 2026 "tools 3.1"
.SH NAME
seek \\- seek files
.SH OPTIONS
.TP
\\fB\\-n\\fR \\fINAME\\fR
by name
.TP
\\fB\\-t\\fR \\fITYPE\\fR
by type
.TP
\\fB\\-d\\fR \\fIDEPTH\\fR
as deep
.TP
\\fB\\-\\-newer\\fR \\fIFILE\\fR
newer ones
.TP
\\fB\\-\\-empty\\fR
empty ones
"""
"#;

fn machine() -> Machine {
    Machine::new(Arc::new(RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap()), None)
}

/// No preference.
static NONE: Preferences = Preferences { programs: BTreeMap::new(), notes: Vec::new() };

fn limits(rounds: u32) -> Limits<'static> {
    Limits {
        request: None,
        before: None,
        half_typed: None,
        rounds,
        time: Duration::from_secs(5),
        max_tokens: 96,
        preferences: &NONE,
    }
}

/// Asks for "show everything". `script` has the replies and must be used up unless the loop fails.
fn run(script: &str, limits: Limits<'_>, control: &RequestControl) -> anyhow::Result<Refined> {
    let mut model = Scripted::parse(Path::new("script"), script).unwrap();
    let refined = ask(&mut model, limits, control)?;
    model.finish().unwrap();
    Ok(refined)
}

/// A request that goes on from the last answer is about the same files, unless it names others.
#[test]
fn a_continuation_keeps_the_place_of_the_last_answer() {
    let page = "/usr/share/man/man1/seek.1";
    let before = Solved { request: "show the page".to_owned(), command: format!("show {page}") };
    for (request, reply, is_lost) in [
        ("only what is new", "show -l", true),
        ("only what is new", "show -l /usr/share/man/man1/seek.1", false),
        ("same for /usr/share/man/man1/seek.1", "show -l", false),
    ] {
        let script = format!("{{\"reply\": \"{reply}\"}}");
        let limits = Limits { request: Some(request), before: Some(&before), ..limits(0) };
        let refined = run(&script, limits, &RequestControl::endless()).unwrap();
        let is_told = |finding: &Finding| finding.text.contains("your last answer was about");
        assert_eq!(refined.best.report.findings.iter().any(is_told), is_lost, "{request}: {reply}");
    }
}

/// "same for png" puts one thing in the place of another, if the model does not.
#[test]
fn the_same_for_another_thing_is_the_same_command() {
    for (request, command, words, reply, expected) in [
        ("list all jpg files", "show -l *.jpg", "same for png", "show -l *.jpg", "show -l *.png"),
        ("list all jpg files", "show -l *.jpg", "same for png", "show *.png", "show *.png"),
        (
            "rows of Bern in a.csv into bern.csv",
            "show -l Bern a.csv > bern.csv",
            "same for Basel",
            "show -l Bern a.csv > bern.csv",
            "show -l Basel a.csv > basel.csv",
        ),
        ("list src and docs", "show src docs", "same for lib", "show src docs", "show src docs"),
        ("show a.txt", "show a.txt", "same for b.txt", "show a.txt", "show b.txt"),
        ("lines of py files in tests", "show tests/*.py", "same for src", "show src/*.py", "show src/*.py"),
        ("list png files in photos", "show photos/*.png", "same for all", "show -a photos", "show -a photos"),
        ("show the size of docs", "show -s docs", "what about hidden", "show -a docs", "show -a docs"),
    ] {
        let before = Solved { request: request.to_owned(), command: command.to_owned() };
        let request = format!("{request}, {words}");
        let script = format!("{{\"reply\": {reply:?}}}");
        let limits = Limits { request: Some(&request), before: Some(&before), ..limits(0) };
        let refined = run(&script, limits, &RequestControl::endless()).unwrap();
        assert_eq!(best(&refined), expected, "{command}: {words}");
    }
}

/// Words that say clearly how the last command changes need no model; what is unclear, dangerous or not here does.
#[test]
fn the_last_command_changes_without_a_model() {
    for (command, words, expected) in [
        // An option that may widen what some programs do.
        ("show src", "with all", None),
        ("show src", "in color", Some("show --color src")),
        ("show src", "sort", None),
        ("show src", "without color", None),
        ("show --all src", "all", None),
        ("show *.jpg", "same for png", Some("show *.png")),
        ("ls -l", "newest first", Some("ls -t -l")),
        ("find . -type f -size +1M", "older than 30 days", Some("find . -type f -size +1M -mtime +30")),
        ("find . -type f -size +1M", "delete them", Some("find . -type f -size +1M -delete")),
        ("find . -size +1M", "delete them", None),
        ("find . -type f -size +1M", "not in backups", None),
        ("find . -type f -size +1M", "older than 30 days by ann", None),
        ("df -h", "older than 30 days", None),
        ("show src", "make it nicer", None),
        ("show src", "", None),
    ] {
        let before = Solved { request: "jpg files".to_owned(), command: command.to_owned() };
        let machine = machine();
        let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
        let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never);
        let examiner = Examiner { shell: Shell::Bash, knowledge: &knowledge };
        let refined = refine::follow_up(&before, words, &examiner);
        assert_eq!(refined.as_ref().map(best), expected, "{command}: {words}");
    }
}

/// A line that deletes something comes from a word, or from the last answer.
#[test]
fn words_that_go_on_delete_nothing_unasked() {
    for (command, words, reply, is_told) in [
        ("find . -name '*.png'", "same for mp4 here too", "find . -name '*.mp4' | xargs rm -i", true),
        ("find . -name '*.png' -delete", "mp4 as well", "find . -name '*.mp4' -delete", false),
        ("find . -name '*.png'", "get rid of those", "find . -name '*.png' -delete", false),
        (
            "find . -name '*.png'",
            "move them to old",
            "find . -name '*.png' -exec mv {} old \\; ; rm -r tmp",
            false,
        ),
    ] {
        let before = Solved { request: "list png files".to_owned(), command: command.to_owned() };
        let request = format!("list png files, {words}");
        let limits = Limits { request: Some(&request), before: Some(&before), ..limits(0) };
        let script = format!("{{\"reply\": {reply:?}}}");
        let refined = run(&script, limits, &RequestControl::endless()).unwrap();
        let is_unasked = |finding: &Finding| finding.text.starts_with("it deletes files, and neither");
        assert_eq!(refined.best.report.findings.iter().any(is_unasked), is_told, "{words}: {reply}");
    }
}

/// "delete them" deletes what the last answer found, and nothing else.
#[test]
fn a_deletion_keeps_the_conditions_of_the_last_answer() {
    let find = "find . -name '*.log' -size +1M";
    let found = "find . -name '*.log' -size +1M -delete";
    for (command, words, reply, expected, is_told) in [
        (find, "delete them", "rm *.log", found, false),
        (find, "delete them", "find . -name '*.log' -delete", found, false),
        (find, "delete those please", "find . -size +1M -name '*.log' -exec rm {} +", "", false),
        (find, "move them to old and delete those", "rm *.log", "", true),
        (find, "delete those files", "rm *.log", "", true),
        (
            "find . -type f -size +1M",
            "delete those files",
            "rm *.log",
            "find . -type f -size +1M -delete",
            false,
        ),
        (find, "delete the old ones", "rm *.log", "", false),
        (find, "delete all but those", "rm *.log", "", true),
        (find, "count them", "ls *.log | wc -l", "", false),
        ("find . -size +1M -exec ls {} +", "delete them", "find . -delete", "", true),
        ("ls -t *.log | tail -n +6", "delete them", "rm *.log", "", true),
        ("find . -name '*.log' -print -quit", "delete it", "rm *.log", "", true),
        ("find . -name '*.log' -or -name '*.tmp'", "delete them", "rm *.log", "", true),
        ("ls | grep backup", "delete them", "rm -- *backup*", "", false),
        ("ls | grep backup", "delete them", "rm -- *", "", true),
        (
            "ls -t *.log | tail -n +6",
            "delete them",
            "ls -t *.log | tail -n +6 | xargs -d '\\n' rm",
            "",
            false,
        ),
    ] {
        let before = Solved { request: "list the logs".to_owned(), command: command.to_owned() };
        let request = format!("list the logs, {words}");
        let script = format!("{{\"reply\": {reply:?}}}");
        let limits = Limits { request: Some(&request), before: Some(&before), ..limits(0) };
        let refined = run(&script, limits, &RequestControl::endless()).unwrap();
        let expected = if expected.is_empty() { reply } else { expected };
        assert_eq!(best(&refined), expected, "{command}: {words}");
        let is_lost = |finding: &Finding| finding.text.contains("your last answer took only some");
        assert_eq!(refined.best.report.findings.iter().any(is_lost), is_told, "{words}: {reply}");
    }
}

/// A model without alternatives, such as a server: it is asked once for another answer, and not for one it has given.
#[test]
fn another_answer_is_one_question() {
    for (script, expected, rounds) in [
        (r#"{"reply": "show -l", "must_contain": "show -a"}"#.to_owned(), "show -l", 1),
        (r#"{"reply": "show -a", "others": ["show  -a", "show -l"]}"#.to_owned(), "show -l", 1),
        // A model with alternatives, but none for this prompt.
        (
            concat!(
                r#"{"reply": "show -a"}"#,
                "\n",
                r#"{"reply": "show -l", "others": ["show -r"], "must_contain": "show -a"}"#
            )
            .to_owned(),
            "show -l",
            2,
        ),
    ] {
        let mut model = Scripted::parse(Path::new("script"), &script).unwrap();
        let (machine, known) = (machine(), ["show -a".to_owned()]);
        let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
        let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never);
        let examiner = Examiner { shell: Shell::Bash, knowledge: &knowledge };
        let prompt = prompt::draft(Form::Completion, "show everything", Shell::Bash, "Linux");
        let found = refine::alternatives(
            &prompt,
            &mut model,
            &examiner,
            &known,
            limits(0),
            &RequestControl::endless(),
        )
        .unwrap();
        assert_eq!((best(&found), found.rounds), (expected, rounds), "{script}");
        model.finish().unwrap();
    }
}

fn ask(model: &mut dyn Model, limits: Limits<'_>, control: &RequestControl) -> anyhow::Result<Refined> {
    let machine = machine();
    let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never);
    let examiner = Examiner { shell: Shell::Bash, knowledge: &knowledge };
    let prompt = prompt::draft(Form::Completion, "show everything", Shell::Bash, "Linux");
    refine::run(prompt, model, &examiner, limits, control)
}

fn best(refined: &Refined) -> &str {
    refined.best.command.text.as_str()
}

/// A model is asked for a line of bash first; what fish can't read is asked for again, in fish.
#[test]
fn a_line_that_fish_cannot_read_is_asked_for_anew() {
    let mut model = Scripted::parse(
        Path::new("script"),
        r##"{"reply": "for f in *.a; do show \"${f%.a}\"; done", "must_contain": "# One-line bash commands"}
{"reply": "show -a", "must_contain": "# One-line fish commands"}"##,
    )
    .unwrap();
    let machine = machine();
    let environment = environment::gather(&machine, Shell::Fish, &ShellFacts::default());
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never);
    let examiner = Examiner { shell: Shell::Fish, knowledge: &knowledge };
    let prompt = prompt::draft(Form::Completion, "show all", Shell::Fish, "Linux");
    let refined = refine::run(prompt, &mut model, &examiner, limits(2), &RequestControl::endless()).unwrap();
    assert_eq!(best(&refined), "show -a");
    model.finish().unwrap();
}

#[test]
fn a_draft_that_checks_is_taken_as_it_is() {
    let refined =
        run(r#"{"reply": "show -la --color=never"}"#, limits(2), &RequestControl::endless()).unwrap();
    assert_eq!((best(&refined), refined.rounds), ("show -la --color=never", 1));
    assert_eq!(refined.best.report.flags_verified, 3);
    assert!(refined.best.report.findings.is_empty());
}

#[test]
fn a_slip_is_mended_without_asking_again() {
    let refined = run(r#"{"reply": "show --colour"}"#, limits(2), &RequestControl::endless()).unwrap();
    assert_eq!((best(&refined), refined.rounds), ("show --color", 1));
    assert!(refined.best.repairs.join(" ").contains("--colour"), "{:?}", refined.best.repairs);
}

#[test]
fn the_model_is_told_one_concrete_error_and_a_better_answer_is_taken() {
    let script = concat!(
        r#"{"reply": "show --everything-there-is"}"#,
        "\n",
        r#"{"reply": "show --all", "must_contain": "show --everything-there-is\n# wrong: `show` documents no option `--everything-there-is`"}"#
    );
    let refined = run(script, limits(2), &RequestControl::endless()).unwrap();
    assert_eq!((best(&refined), refined.rounds), ("show --all", 2), "{:?}", refined.best.report.findings);
    assert_eq!(refined.alternatives.len(), 0, "the first draft is refuted, so it is no alternative");
}

/// If no command of an answer passes the checks, an alternative may; the model is then not asked again.
#[test]
fn what_the_model_had_in_mind_is_looked_over_before_it_is_asked_again() {
    let wrong = "show --everything-there-is";
    for (rows, expected, asked) in [
        // The first alternative that passes the checks, in the model's order.
        (
            vec![format!(r#"{{"reply": "{wrong}", "others": ["show --nothing", "show -l", "show -a"]}}"#)],
            "show -l",
            1,
        ),
        // No alternative passes, so the model gets the errors of the best one.
        (
            vec![
                format!(r#"{{"reply": "{wrong}", "others": ["nosuchprogram --x"]}}"#),
                format!(r#"{{"reply": "show -a", "must_contain": "{wrong}\n# wrong:"}}"#),
            ],
            "show -a",
            2,
        ),
        // Alternatives that differ only after the error have the same error, also if the answer was repaired before
        // that point.
        (
            vec![
                concat!(
                    r#"{"reply": "show --colour --nothing -l", "others": ["show --colour --nothing -a", "#,
                    r#""show --colour --nothing -r", "show --colour --nothing -lr", "show --colour --nothing", "#,
                    r#""show -a -l"]}"#
                )
                .to_owned(),
            ],
            "show -a -l",
            1,
        ),
        // If the error is at the end, something may be missing there.
        (
            vec![r#"{"reply": "show -l |", "others": ["show --nothing", "show -l | seek -n a"]}"#.to_owned()],
            "show -l | seek -n a",
            1,
        ),
        // An alternative that destroys something must not replace an answer that does not.
        (
            vec![
                format!(r#"{{"reply": "{wrong}", "others": ["rm -r a", "git push --force"]}}"#),
                r#"{"reply": "show -l", "must_contain": "wrong:"}"#.to_owned(),
            ],
            "show -l",
            2,
        ),
        (vec![format!(r#"{{"reply": "{wrong} > a", "others": ["show -l > a"]}}"#)], "show -l > a", 1),
        // Nor may one that destroys more because the wrong part is merely left out.
        (
            vec![
                concat!(
                    r#"{"reply": "show --older 30 --nothing > a", "#,
                    r#""others": ["show > a", "show -r > a", "seek -n b > a"]}"#
                )
                .to_owned(),
            ],
            "seek -n b > a",
            1,
        ),
        (
            vec![
                format!(r#"{{"reply": "{wrong}", "others": ["show -l > a"]}}"#),
                r#"{"reply": "show -a"}"#.to_owned(),
            ],
            "show -a",
            2,
        ),
        // A program that is merely not installed stays, unless another one does its job and the model withdraws it.
        (vec![r#"{"reply": "crontab -l", "others": ["show -a"]}"#.to_owned()], "crontab -l", 1),
        (
            vec![
                r#"{"reply": "ncdu -x", "others": ["show -a"]}"#.to_owned(),
                r#"{"reply": "ncdu -x", "must_contain": "there is no command `ncdu` here"}"#.to_owned(),
            ],
            "ncdu -x",
            2,
        ),
        // An answer that passes the checks is used as it is.
        (vec![r#"{"reply": "show -r", "others": ["show -a"]}"#.to_owned()], "show -r", 1),
    ] {
        let refined = run(&rows.join("\n"), limits(2), &RequestControl::endless()).unwrap();
        assert_eq!((best(&refined), refined.rounds), (expected, asked), "{rows:?}");
        assert_eq!(refined.best.writer.as_ref().unwrap().source, "scripted:script");
    }
    let once = format!(r#"{{"reply": "{wrong}", "others": ["show -l"]}}"#);
    // 0 rounds: the draft as it is.
    assert_eq!(best(&run(&once, limits(0), &RequestControl::endless()).unwrap()), wrong);
}

/// A model that was unsure of its answer has others compared with it: fewer faults count first, then likelihood.
#[test]
fn an_unsure_answer_is_compared_with_others() {
    for (mean, others, expected) in [
        ("0.7", r#"{"reply": "show -l", "mean": 0.75}, {"reply": "show -r", "mean": 0.8}"#, "show -r"),
        ("0.7", r#"{"reply": "show --nothing", "mean": 0.95}, {"reply": "show -l", "mean": 0.6}"#, "show -a"),
        ("0.7", r#"{"reply": "rm -r a", "mean": 0.95}"#, "show -a"),
        ("0.95", r#"{"reply": "show -r", "mean": 0.99}"#, "show -a"),
    ] {
        let script = format!(r#"{{"reply": "show -a", "mean": {mean}, "others": [{others}]}}"#);
        let refined = run(&script, limits(2), &RequestControl::endless()).unwrap();
        assert_eq!((best(&refined), refined.rounds), (expected, 1), "{script}");
    }
    let script = r#"{"reply": "show -a", "mean": 0.7, "others": [{"reply": "show -r", "mean": 0.8}]}"#;
    assert_eq!(best(&run(script, limits(0), &RequestControl::endless()).unwrap()), "show -a", "0 rounds");
}

/// A model that is unsure also answers after similar solved requests of the cookbook. Its other answers count only if it
/// is still unsure and disagrees with itself.
#[test]
fn an_unsure_answer_is_compared_with_one_after_similar_requests() {
    let asked = Limits { request: Some("show everything"), ..limits(2) };
    let first = r#"{"reply": "show -a", "mean": 0.7, "others": [{"reply": "show -r", "mean": 0.75}]}"#;
    for (second, expected) in [
        (r#"{"reply": "show -l", "mean": 0.9, "others": [{"reply": "show -r", "mean": 0.95}]}"#, "show -l"),
        (r#"{"reply": "show -l", "mean": 0.6, "others": [{"reply": "show -r", "mean": 0.8}]}"#, "show -r"),
        (r#"{"reply": "show -a", "mean": 0.6, "others": [{"reply": "show -r", "mean": 0.8}]}"#, "show -a"),
        (r#"{"reply": "rm -r a", "mean": 0.95}"#, "show -a"),
        (r#"{"fail": "the model is gone"}"#, "show -r"),
    ] {
        let rows = format!("{first}\n{second}");
        assert_eq!(best(&run(&rows, asked, &RequestControl::endless()).unwrap()), expected, "{second}");
    }
    let machine = machine();
    let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
    let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::Never);
    let is_usable = |line: &str| {
        let line = ParsedLine::new(line, Shell::Bash);
        line.parsed()
            .commands
            .iter()
            .filter_map(|command| command.name())
            .all(|name| knowledge.has_command(name))
    };
    let rows = cookbook::similar("show everything", Shell::Bash, Userland::Gnu, 1, is_usable);
    let nearest = format!("# {}\n{}\n\n# show everything\n", rows[0].request, rows[0].command);
    let row = serde_json::json!({ "reply": "show -l", "mean": 0.9, "must_contain": nearest });
    assert_eq!(best(&run(&format!("{first}\n{row}"), asked, &RequestControl::endless()).unwrap()), "show -l");
    let sure = r#"{"reply": "show -a", "mean": 0.95, "others": [{"reply": "show -r", "mean": 0.99}]}"#;
    assert_eq!(best(&run(sure, asked, &RequestControl::endless()).unwrap()), "show -a");
}

/// A person who has seen enough gets the first answer, and so does one whose time is over.
#[test]
fn the_comparison_ends_when_the_answers_are_enough() {
    let script = concat!(
        r#"{"reply": "show -a", "mean": 0.7, "others": [{"reply": "show -r", "mean": 0.8}], "#,
        r#""others_ms": 60000}"#
    );
    let control = RequestControl::endless();
    control.content();
    assert_eq!(best(&run(script, limits(2), &control).unwrap()), "show -a");
    let brief = Limits { time: Duration::from_millis(50), ..limits(2) };
    assert_eq!(best(&run(script, brief, &RequestControl::endless()).unwrap()), "show -a");
}

/// Other suggestions are as good as the best one: one with an error, or with more doubts, is none.
#[test]
fn a_refuted_answer_is_no_alternative() {
    let script = concat!(
        r#"{"reply": "show -a", "mean": 0.7, "others": [{"reply": "show --nothing", "mean": 0.8}, "#,
        r#"{"reply": "show -l", "mean": 0.6}]}"#
    );
    let refined = run(script, limits(2), &RequestControl::endless()).unwrap();
    let others: Vec<_> = refined.alternatives.iter().map(|other| other.command.text.as_str()).collect();
    assert_eq!(others, ["show -l"]);
}

/// Of an answer whose end is missing, the finished part reaches the line, and is said to be a part.
#[test]
fn a_finished_beginning_is_kept() {
    let script = r#"{"reply": "show -a && show -l | seek -n a | seek -n a", "cut": true}"#;
    let refined = run(script, limits(0), &RequestControl::endless()).unwrap();
    assert_eq!(best(&refined), "show -a");
    let open = &refined.best.report.findings;
    assert!(open.iter().any(|finding| finding.text.contains("only its beginning")), "{open:?}");
    let failure =
        run(r#"{"reply": "show -a | seek -n", "cut": true}"#, limits(0), &RequestControl::endless());
    assert!(failure.unwrap_err().to_string().contains("repeats itself"));
}

/// A first answer that repeats itself leaves the user without a line; one after similar solved requests may be of use.
#[test]
fn after_a_useless_answer_the_model_is_asked_after_similar_requests() {
    let asked = Limits { request: Some("show everything"), ..limits(2) };
    let useless = r#"{"reply": "show -a | seek -n", "cut": true, "others": ["show -r"]}"#;
    for (second, expected) in [
        (r#"{"reply": "show -l", "mean": 0.9}"#, Ok("show -l")),
        (r#"{"reply": "show -a | seek -n", "cut": true}"#, Err("repeats itself")),
        (r#"{"fail": "the model is gone"}"#, Err("repeats itself")),
    ] {
        let refined = run(&format!("{useless}\n{second}"), asked, &RequestControl::endless());
        match expected {
            Ok(line) => assert_eq!(best(&refined.unwrap()), line),
            Err(part) => assert!(refined.unwrap_err().to_string().contains(part), "{second}"),
        }
    }
    // A server is not asked again.
    let server = r#"{"reply": "show -a | seek -n", "cut": true}"#;
    assert!(run(server, asked, &RequestControl::endless()).is_err());
}

/// A well-known program that is not installed is what the user wants: the model is not asked for a worse one.
#[test]
fn a_well_known_program_that_is_missing_stays() {
    let refined =
        run(r#"{"reply": "ffmpeg -i a.mp4 a.mp3"}"#, limits(2), &RequestControl::endless()).unwrap();
    assert_eq!((best(&refined), refined.rounds), ("ffmpeg -i a.mp4 a.mp3", 1));
    assert_eq!(refined.best.report.commands_missing, 1);
    let other = "{\"reply\": \"nosuchprogram --x\"}\n{\"reply\": \"show -a\"}";
    assert_eq!(best(&run(other, limits(2), &RequestControl::endless()).unwrap()), "show -a");
}

#[test]
fn a_worse_answer_is_not_taken() {
    let script = concat!(
        r#"{"reply": "show --nothing-like-it"}"#,
        "\n",
        r#"{"reply": "show --nothing-like-it | nosuchprogram --x"}"#,
        "\n",
    );
    let refined = run(script, limits(1), &RequestControl::endless()).unwrap();
    assert_eq!((best(&refined), refined.rounds), ("show --nothing-like-it", 2));
}

/// The result names the model that wrote the answer, also if another model was asked in between or afterwards.
#[test]
fn the_model_that_wrote_the_answer_is_named() {
    let first = "{\"reply\": \"show --nothing-like-it\"}\n{\"fail\": \"the server is gone\"}";
    for (second, line, source, notes) in [
        ("show --all", "show --all", "scripted:b", 1),
        ("nosuchprogram --x | nothing", "show --nothing-like-it", "scripted:a", 0),
    ] {
        let script = |name: &str, rows: &str| Scripted::parse(Path::new(name), rows).unwrap();
        let next = script("b", &format!("{{\"reply\": \"{second}\"}}"));
        let mut chain = Chain::new(Box::new(script("a", first)), vec![Box::new(next)]);
        let refined = ask(&mut chain, limits(1), &RequestControl::endless()).unwrap();
        let writer = refined.best.writer.clone().unwrap();
        assert_eq!((best(&refined), writer.source.as_str(), writer.notes.len()), (line, source, notes));
    }
}

/// The second model is asked where the first is unsure or wrong, and not where it is sure. The answer with fewer faults wins,
/// then that of the surer model.
#[test]
fn an_unsure_model_has_a_second_one_asked() {
    let sure = r#"{"reply": "show -a", "mean": 0.99}"#;
    let unsure = r#"{"reply": "show -a", "mean": 0.7}"#;
    let wrong = r#"{"reply": "show --nothing-like-it", "mean": 0.99}"#;
    let refused = r#"{"reply": "I'm sorry, I can't help with that."}"#;
    for (first, second, expected, source) in [
        (sure, r#"{"fail": "never asked"}"#, "show -a", "scripted:a"),
        (unsure, r#"{"reply": "show -l", "mean": 0.9}"#, "show -l", "scripted:b"),
        (unsure, r#"{"reply": "show -l", "mean": 0.7}"#, "show -l", "scripted:b"),
        (unsure, r#"{"reply": "show -l", "mean": 0.5}"#, "show -a", "scripted:a"),
        (wrong, r#"{"reply": "show -l", "mean": 0.5}"#, "show -l", "scripted:b"),
        (refused, r#"{"reply": "show -l", "mean": 0.5}"#, "show -l", "scripted:b"),
    ] {
        let mut model = seconded(first, second);
        let refined = ask(&mut model, limits(2), &RequestControl::endless()).unwrap();
        let writer = refined.best.writer.clone().unwrap();
        assert_eq!((best(&refined), writer.source.as_str()), (expected, source), "{first} {second}");
        // A second model that was not asked has nothing to finish.
        model.finish().unwrap();
    }
    let other = r#"{"reply": "show -l", "mean": 0.9}"#;
    let refined = ask(&mut seconded(unsure, other), limits(2), &RequestControl::endless()).unwrap();
    let others: Vec<_> = refined.alternatives.iter().map(|other| other.command.text.as_str()).collect();
    assert_eq!((refined.rounds, others), (2, vec!["show -a"]), "the other answer is an alternative");
}

/// If the second model can't be asked, the first one goes on alone, that is said, and no answer is lost. A person who has seen enough gets the first
/// answer, and one who gives up nothing.
#[test]
fn without_the_second_model_the_first_goes_on() {
    let unsure = r#"{"reply": "show -a", "mean": 0.7}"#;
    let gone = r#"{"fail": "it is not installed"}"#;
    // It is asked anew, for its other answers too; if that fails, its first answer is not lost.
    for (rows, expected) in [
        (
            format!(
                "{unsure}\n{}",
                r#"{"reply": "show -a", "mean": 0.7, "others": [{"reply": "show -r", "mean": 0.8}]}"#
            ),
            "show -r",
        ),
        (format!("{unsure}\n{}", r#"{"fail": "no further call is allowed"}"#), "show -a"),
    ] {
        let mut model = seconded(&rows, gone);
        let refined = ask(&mut model, limits(2), &RequestControl::endless()).unwrap();
        let notes = &refined.best.writer.as_ref().unwrap().notes;
        assert_eq!(best(&refined), expected, "{rows}");
        assert!(
            notes[0].starts_with("scripted:b gave no second answer: ") && notes[0].contains("not installed"),
            "{notes:?}"
        );
        model.finish().unwrap();
    }
    // Words are no fault to tell.
    let words = r#"{"reply": "I'm sorry, I can't help with that."}"#;
    let mut model = seconded(&format!("{unsure}\n{unsure}"), words);
    let refined = ask(&mut model, limits(2), &RequestControl::endless()).unwrap();
    assert_eq!((best(&refined), refined.best.writer.as_ref().unwrap().notes.len()), ("show -a", 0));

    // Who asks once, or a first model that can't be asked, needs no second.
    let never = r#"{"fail": "never asked"}"#;
    assert_eq!(
        best(&ask(&mut seconded(unsure, never), limits(0), &RequestControl::endless()).unwrap()),
        "show -a"
    );
    let mut model = seconded(r#"{"fail": "the model is gone"}"#, r#"{"reply": "show -l"}"#);
    assert!(
        ask(&mut model, limits(2), &RequestControl::endless())
            .unwrap_err()
            .to_string()
            .contains("the model is gone")
    );
    model.finish().unwrap();
    let mut model = seconded(r#"{"reply": "show -a", "delay_ms": 60000}"#, r#"{"reply": "show -l"}"#);
    let over = RequestControl::until(std::time::Instant::now() + Duration::from_millis(100));
    assert_eq!(ask(&mut model, limits(2), &over).unwrap_err().downcast_ref(), Some(&Failure::TimedOut));

    let late = r#"{"reply": "show -l", "mean": 0.9, "delay_ms": 60000}"#;
    let control = RequestControl::endless();
    control.content();
    assert_eq!(best(&ask(&mut seconded(unsure, late), limits(2), &control).unwrap()), "show -a");
    let brief = Limits { time: Duration::from_millis(50), ..limits(2) };
    let refined = ask(&mut seconded(unsure, late), brief, &RequestControl::endless()).unwrap();
    assert_eq!(best(&refined), "show -a", "its time is bounded");
    let control = RequestControl::endless();
    let gives_up = control.clone();
    let person = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        gives_up.cancel();
    });
    let error = ask(&mut seconded(unsure, late), limits(2), &control).unwrap_err();
    person.join().unwrap();
    assert_eq!(error.downcast_ref(), Some(&Failure::Cancelled));
}

fn seconded(first: &str, second: &str) -> Chain {
    let script = |name: &str, rows: &str| Box::new(Scripted::parse(Path::new(name), rows).unwrap());
    Chain::new(script("a", first), Vec::new()).with_second(script("b", second))
}

/// A repeated answer, or another answer with the same error, ends the loop: asking again would not help.
#[test]
fn going_round_in_circles_ends_the_loop() {
    let script = [r#"{"reply": "show --nothing-like-it"}"#; 2].join("\n");
    assert_eq!(run(&script, limits(4), &RequestControl::endless()).unwrap().rounds, 2);
}

#[test]
fn no_rounds_no_time_or_a_failing_model_leave_the_first_draft() {
    let one = r#"{"reply": "show --nothing-like-it"}"#;
    assert_eq!(run(one, limits(0), &RequestControl::endless()).unwrap().rounds, 1);
    let hurried = Limits { time: Duration::ZERO, ..limits(2) };
    assert_eq!(run(one, hurried, &RequestControl::endless()).unwrap().rounds, 1);
    let fails = format!("{one}\n{}", r#"{"fail": "the server is gone"}"#);
    assert_eq!(best(&run(&fails, limits(2), &RequestControl::endless()).unwrap()), "show --nothing-like-it");
    let words = format!("{one}\n{}", r#"{"reply": "I'm sorry, I can't help with that."}"#);
    assert_eq!(best(&run(&words, limits(2), &RequestControl::endless()).unwrap()), "show --nothing-like-it");
    let late = format!("{one}\n{}", r#"{"reply": "show --all", "delay_ms": 60000}"#);
    let short = Limits { time: Duration::from_millis(100), ..limits(2) };
    assert_eq!(best(&run(&late, short, &RequestControl::endless()).unwrap()), "show --nothing-like-it");
}

#[test]
fn a_person_who_gives_up_in_a_later_round_gets_nothing() {
    let script = concat!(
        r#"{"reply": "show --nothing-like-it"}"#,
        "\n",
        r#"{"reply": "show --all", "delay_ms": 60000}"#
    );
    let control = RequestControl::endless();
    let gives_up = control.clone();
    let person = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        gives_up.cancel();
    });
    let error = run(script, limits(2), &control).unwrap_err();
    person.join().unwrap();
    assert_eq!(error.downcast_ref(), Some(&Failure::Cancelled));
}

#[test]
fn of_several_commands_in_one_answer_the_one_that_checks_best_is_taken() {
    let script = r#"{"reply": "```\nshow --bogus-thing\n```\nor\n```\nseek -n a.txt\n```"}"#;
    let refined = run(script, limits(0), &RequestControl::endless()).unwrap();
    assert_eq!(best(&refined), "seek -n a.txt");
    assert_eq!(refined.alternatives.len(), 0, "the other one is refuted");
}

#[test]
fn a_first_answer_of_words_is_no_command() {
    let error = run(r#"{"reply": "I can't do that."}"#, limits(2), &RequestControl::endless()).unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(Failure::NoCommand(_))), "{error:#}");
}

#[test]
fn confidence_comes_from_checks_and_doubts_lower_it() {
    let of = |reply: &str| {
        let script = format!(r#"{{"reply": "{reply}"}}"#);
        let refined = run(&script, limits(0), &RequestControl::endless()).unwrap();
        refine::confidence(&refined.best)
    };
    let (good, unknown, wrong, missing) =
        (of("show --all"), of("mute --all"), of("show --nothing-like-it"), of("nosuchprogram --x"));
    assert!(unknown < good && wrong < unknown && missing < unknown, "{good} {unknown} {wrong} {missing}");
    assert!((0.0..=1.0).contains(&good) && (0.0..=1.0).contains(&missing));
}

/// An answer without a finding is marked if the model was unsure of it; a typed or a scripted one without doubts is not.
#[test]
fn an_unsure_answer_without_a_finding_is_marked() {
    for (reply, is_marked) in [
        (r#"{"reply": "show --all", "mean": 0.6}"#, true),
        (r#"{"reply": "show --all", "mean": 0.97}"#, false),
        (r#"{"reply": "show --all"}"#, false),
        (r#"{"reply": "show --nothing-like-it", "mean": 0.6}"#, false),
    ] {
        let mut best = run(reply, limits(0), &RequestControl::endless()).unwrap().best;
        assert!(!refine::is_unsure(&best), "a model whose confidence was not measured: {reply}");
        best.writer.as_mut().unwrap().source =
            "local:qwen2.5-coder-1.5b-instruct-q4_k_m+cookbook-1.5b".to_owned();
        assert_eq!(refine::is_unsure(&best), is_marked, "{reply}");
    }
}

/// The feedback about a Nushell line gives the signature of the command, or the command that exists.
#[test]
fn an_error_of_nushell_carries_the_true_signature() {
    for (request, wrong, told, right) in [
        (
            "round 2.345 to one decimal",
            "2.345 | rund 1",
            "nushell has `math round [--precision(-p): number]`, as in `",
            "2.345 | math round --precision 1",
        ),
        (
            "a=b in two at the sign",
            "split 'a=b' '='",
            "nushell has `split row <separator: ",
            "'a=b' | split row '='",
        ),
        ("sizes of all files", "ls --sizes | get size", "it is `ls ...[pattern: ", "ls | get size"),
        ("rename a.txt to b.txt", "rename a.txt b.txt", "needs input from a pipe: ", "mv a.txt b.txt"),
    ] {
        let machine = Machine::new(Arc::new(LocalHost), None);
        let mut environment = environment::gather(&machine, Shell::Nu, &ShellFacts::default());
        // `scripts/test` puts Nushell below the checkout; programs below the working directory are not trusted.
        environment.current_dir = None;
        // Nushell may not answer in time on a machine that is busy with other tests; its answers are cached.
        let knows = |knowledge: &Knowledge| {
            let examiner = Examiner { shell: Shell::Nu, knowledge };
            knowledge.commands().is_some() && examiner.examine(wrong).report.syntax_ok.is_some()
        };
        let mut tries =
            (0..5).map(|_| Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System));
        let knowledge = tries.find(knows).expect("nushell can be asked");
        let examiner = Examiner { shell: Shell::Nu, knowledge: &knowledge };
        let prompt = prompt::draft(Form::Completion, request, Shell::Nu, "Linux");
        let rows =
            [serde_json::json!({"reply": wrong}), serde_json::json!({"reply": right, "must_contain": told})];
        let script = rows.map(|row| row.to_string()).join("\n");
        let mut model = Scripted::parse(Path::new("script"), &script).unwrap();
        let long = Limits { time: Duration::from_secs(60), ..limits(1) };
        let refined = refine::run(prompt, &mut model, &examiner, long, &RequestControl::endless()).unwrap();
        model.finish().unwrap();
        // On a busy machine Nushell may not have been asked about the second.
        assert_eq!(refined.rounds, 2, "{request}: {}", best(&refined));
    }
}
