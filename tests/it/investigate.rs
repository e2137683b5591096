//! `askline investigate`: it looks, answers, and prints a command that nothing runs.

mod git;
mod served;

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::chain::Server;
use crate::cli::{Askline, Ran};

/// A directory with something to look at, and a scripted model.
fn investigate(arguments: &[&str], replies: &[&str]) -> Askline {
    let rows: Vec<String> = replies.iter().map(|reply| row(reply)).collect();
    looking(arguments).model(&rows.join("\n"))
}

/// A directory with something to look at.
fn looking(arguments: &[&str]) -> Askline {
    let arguments = ["investigate", "--shell", "bash"].iter().chain(arguments).copied();
    Askline::new(arguments)
        .file("work/big.log", &"x".repeat(3_000_000))
        .file("work/.env", "TOKEN=hunter2-Zx81abcd\n")
        .file("notes.txt", "first\npassword = hunter2-Zx81abcd\n")
}

/// Returns a row of a script: a reply, behind `⇐ TEXT ⇒` only if the prompt contains the text.
fn row(reply: &str) -> String {
    match reply.strip_prefix('⇐').and_then(|rest| rest.split_once('⇒')) {
        Some((needle, reply)) => {
            serde_json::json!({"must_contain": needle.trim(), "reply": reply.trim()}).to_string()
        }
        None => serde_json::json!({"reply": reply}).to_string(),
    }
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{} {}", ran.stdout, ran.stderr))
}

const LOOK: &str = r#"Sizes. <tool_code>{"name":"disk_usage","parameters":{"path":"work"}}</tool_code>"#;

#[test]
fn it_looks_and_prints_a_command_that_nothing_runs() {
    let end = "⇐big.log: 3.0 MB⇒<final_answer>big.log is the largest. <command>rm work/big.log</command></final_answer>";
    let ran = investigate(&["--", "delete the largest file in work"], &[LOOK, end]).run();
    assert_eq!(ran.stderr, "big.log is the largest.\nConfirm: deletes: work/big.log\n");
    let ran = ran.stdout("rm work/big.log\n").code(0);
    assert!(ran.path("work/big.log").exists());
}

/// The looks are done, so what they found is told.
#[test]
fn an_investigation_is_not_declined() {
    let end = "<command>wc -l notes.txt</command>";
    let ran = investigate(&["--", "refactor the payment code"], &[LOOK, end]).run().code(0);
    assert_eq!(ran.stdout, "wc -l notes.txt\n");
}

#[test]
fn the_object_is_that_of_suggest_with_what_was_seen() {
    let end = "<final_answer>big.log is the largest. <command>rm work/big.log</command></final_answer>";
    let ran = investigate(&["--json", "--", "delete the largest file in work"], &[LOOK, end]).run().code(0);
    let found = json(&ran);
    assert_eq!(found["command"], "rm work/big.log");
    assert_eq!((&found["risk"]["label"], &found["error"]), (&"Confirm".into(), &Value::Null));
    assert_eq!((&found["answer"], &found["cut_short"]), (&"big.log is the largest.".into(), &Value::Null));
    let evidence = &found["evidence"][0];
    assert_eq!((&evidence["tool"], &evidence["parameters"]["path"]), (&"disk_usage".into(), &"work".into()));
    assert_eq!(evidence["seen"], "work has 3.0 MB: big.log 3.0 MB, .env 23 B");
    assert_eq!((&found["steps"][0]["state"], &evidence["failed"]), (&"done".into(), &false.into()));
}

#[test]
fn the_command_passes_the_checks_of_a_key_press() {
    let end = "<command>ls --colour=never work</command>";
    let ran = investigate(&["--json", "--", "list the files in work"], &[LOOK, end]).run().code(0);
    let found = json(&ran);
    assert_eq!(found["command"], "ls --color=never work", "{found}");
    let end = "<command>ssh root@203.0.113.7 reboot</command>";
    let ran = investigate(&["--json", "--", "list the files in work"], &[LOOK, end]).run();
    let command = json(&ran)["command"].as_str().unwrap_or_default().to_owned();
    assert!(!command.contains("203.0.113.7"), "an invented address: {command}");
}

#[test]
fn malformed_calls_unknown_tools_and_secrets_are_answered() {
    let replies = [
        "<tool_code>{oops</tool_code>",
        "⇐can't be read⇒<tool_code>{\"name\":\"run\",\"parameters\":{\"line\":\"rm -rf .\"}}</tool_code>",
        "⇐there is no tool `run`⇒<tool_code>{\"name\":\"read_file\",\"parameters\":{\"path\":\"notes.txt\"}}</tool_code>",
        "⇐1: first⇒<tool_code>{\"name\":\"read_file\",\"parameters\":{\"path\":\"work/.env\"}}</tool_code>",
        "⇐may hold secrets⇒<final_answer>Done. <command>ls work</command></final_answer>",
    ];
    let ran = investigate(&["--json", "--", "list the files in work"], &replies).run().code(0);
    assert_eq!(json(&ran)["command"], "ls work");
    assert!(!ran.stdout.contains("hunter2"), "{}", ran.stdout);
}

#[test]
fn an_answer_without_a_command_is_an_answer() {
    let ran =
        investigate(&["--json", "--", "is anything wrong here"], &[LOOK, "Nothing is wrong."]).run().code(1);
    let found = json(&ran);
    assert_eq!((&found["command"], &found["answer"]), (&Value::Null, &"Nothing is wrong.".into()));
    let ran =
        investigate(&["--", "which disk"], &["<question>Which disk?</question>", "df -h"]).run().code(0);
    assert!(ran.stderr.starts_with("Which disk?\nended early: a question is open\n"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "df -h\n");
}

#[test]
fn a_failing_model_leaves_what_was_seen() {
    let rows =
        format!("{}\n{{\"fail\": \"the server is gone\"}}\n{{\"fail\": \"the server is gone\"}}", row(LOOK));
    let ran = investigate(&["--", "why is work so big"], &[]).model(&rows).run().code(1);
    let expected = "work has 3.0 MB: big.log 3.0 MB, .env 23 B\nended early: the server is gone\naskline: the server is gone\n";
    ran.stdout("").stderr(expected);
}

#[test]
fn rules_choose_the_looks_for_small_models() {
    let config = "[investigate]\nchoose = \"rules\"\n";
    let draft = "⇐\"work/big.log: 3.0 MB\"⇒rm work/big.log";
    let ran = investigate(&["--json", "--", "delete the largest file in work/"], &[draft])
        .config(config)
        .run()
        .code(0);
    let found = json(&ran);
    assert_eq!(found["command"], "rm work/big.log");
    assert_eq!(
        found["answer"].as_str().unwrap().split(';').next(),
        Some("work/ has 3.0 MB: big.log 3.0 MB, .env 23 B")
    );
    let unseen = format!("{config}draft_sees = \"words\"\n");
    let ran =
        investigate(&["--", "delete the largest file in work/"], &[draft]).config(&unseen).run().code(1);
    assert!(ran.stderr.contains("the prompt does not contain"), "the draft is that of a key press");
    let ran = investigate(&["--json", "--", "print the time"], &["date"]).config(config).run().code(0);
    let found = json(&ran);
    assert_eq!((&found["command"], &found["evidence"][0]["tool"]), (&"date".into(), &"list_dir".into()));
}

/// What the names in a directory say leads to the next look, and the draft gets the lines of a file without their numbers.
#[test]
fn names_lead_to_the_next_look() {
    let config = "[investigate]\nchoose = \"rules\"\n";
    let draft = "⇐# lines of a file: \"kunden.csv\", \"nr;mail\"⇒cut -d ';' -f 2 kunden.csv";
    let ran = investigate(&["--json", "--", "print the mail column of the table"], &[draft]);
    let found = json(&ran.config(config).file("kunden.csv", "nr;mail\n1;ann@example.org\n").run().code(0));
    assert_eq!(found["command"], "cut -d ';' -f 2 kunden.csv");
    let tools: Vec<&str> =
        found["evidence"].as_array().unwrap().iter().map(|it| it["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["list_dir", "read_file"]);
}

#[test]
fn denied_tools_and_disclosure_are_obeyed() {
    let replies =
        [LOOK, "⇐disk_usage path=work is denied⇒<final_answer>So. <command>ls work</command></final_answer>"];
    let ran = investigate(&["--json", "--", "list the files in work"], &replies);
    let ran = ran.config("[investigate.tools]\ndisk_usage = \"deny\"\n").run().code(0);
    assert_eq!(json(&ran)["evidence"][0]["failed"], true);
    let replies = [LOOK, "⇐did not allow it⇒<final_answer>So. <command>ls work</command></final_answer>"];
    let ran = investigate(&["--json", "--", "list the files in work"], &replies);
    ran.config("[investigate.tools]\ndisk_usage = \"ask\"\n").run().code(0);
    let config = "[investigate]\nchoose = \"rules\"\n[context]\nlooks = \"off\"\n";
    let ran = investigate(&["--json", "--", "delete the largest file in work/"], &["rm work/a"])
        .config(config)
        .run();
    assert!(!ran.stderr.contains("does not contain"), "{}", ran.stderr);
}

#[test]
fn a_server_sees_nothing_unless_allowed() {
    let server = Server::answering("<final_answer>It is big. <command>ls work</command></final_answer>");
    let config = format!("profile = \"team\"\n{}", server.profile("team", ""));
    let run = |config: &str| {
        Askline::new(["investigate", "--shell", "bash", "list the files in work"]).config(config).run()
    };
    let refused = run(&config);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("set `looks = \"all\"` in [context]"), "{}", refused.stderr);
    assert!(server.heard().is_empty());
    let ran = run(&format!("{config}[context]\nlooks = \"all\"\n")).stdout("ls work\n").code(0);
    assert!(ran.stderr.starts_with("It is big.\n"), "{}", ran.stderr);
    assert!(server.heard().first().is_some_and(|heard| heard.contains("disk_usage")), "{:?}", server.heard());
}

#[test]
fn an_interrupt_gives_the_partial_finding() {
    let rows = format!("{}\n{{\"reply\": \"late\", \"delay_ms\": 30000}}", row(LOOK));
    let askline = investigate(&["--", "why is work so big"], &[]).model(&rows);
    let begun = Instant::now();
    // A shell without job control starts its children with SIGINT ignored; SIGTERM is treated alike.
    let ran = askline.in_sh("RUN & child=$!; sleep 3; kill -TERM $child; wait $child").run();
    assert!(begun.elapsed() < Duration::from_secs(20), "it waits for the model");
    let expected = "work has 3.0 MB: big.log 3.0 MB, .env 23 B\nended early: cancelled\n";
    assert_eq!((ran.stdout.as_str(), ran.stderr.replace("Terminated\n", "").as_str()), ("", expected));
}

#[test]
fn a_kept_session_is_resumed_listed_and_removed() {
    let end = "<final_answer>big.log is the largest. <command>ls work</command></final_answer>";
    let config = "[investigate]\nsessions = \"on\"\n";
    let ran =
        investigate(&["--json", "--", "what is large in work"], &[LOOK, end]).config(config).run().code(0);
    let id = json(&ran)["session"].as_str().unwrap().to_owned();
    let file = format!("data/askline/sessions/{id}.json");
    let kept = std::fs::read_to_string(ran.path(&file)).unwrap();
    let again = investigate(&["--json", "--resume", &id, "--", "and in detail"], &[]).file(&file, &kept);
    let whole =
        "⇐asked before: what is large in work → big.log is the largest.⇒<command>ls -l work</command>";
    let again = again.model(&row(whole)).run().code(0);
    assert_eq!(
        (&json(&again)["session"], &json(&again)["command"]),
        (&id.as_str().into(), &"ls -l work".into())
    );
    let sessions =
        |arguments: &[&str]| Askline::new([&["sessions"], arguments].concat()).file(&file, &kept).run();
    sessions(&["list"]).stdout(&format!("{id}  1 looks  what is large in work\n")).code(0);
    let shown = sessions(&["show", &id]).code(0).stdout;
    assert!(shown.ends_with("answer: big.log is the largest.\ncommand: ls work\n"), "{shown}");
    assert!(!sessions(&["rm", &id]).code(0).path(&file).exists());
    assert!(!sessions(&["show", "../x"]).code(2).stderr.is_empty());
    let ran = investigate(&["--json", "--", "what is large in work"], &[LOOK, end]).run().code(0);
    assert!(
        json(&ran)["session"].is_null() && !ran.path("data/askline/sessions").exists(),
        "nothing is kept unasked"
    );
}

/// A killed investigation keeps what it saw, and can go on; its lock is gone with it.
#[test]
fn a_session_survives_sigkill() {
    let config = "[investigate]\nsessions = \"on\"\naudit = \"on\"\n";
    let rows = format!("{}\n{{\"reply\": \"late\", \"delay_ms\": 30000}}", row(LOOK));
    let askline = investigate(&["--", "why is work so big"], &[]).model(&rows).config(config);
    let until = "n=0; while ! grep -q disk_usage data/askline/sessions/*.json 2>/dev/null && [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done";
    let ran = askline.in_sh(&format!("RUN & child=$!; {until}; kill -KILL $child; wait $child")).run();
    let sessions = ran.path("data/askline/sessions");
    let files: Vec<std::path::PathBuf> =
        std::fs::read_dir(&sessions).unwrap().map(|entry| entry.unwrap().path()).collect();
    let kept = files.iter().find(|file| file.extension().is_some_and(|end| end == "json")).unwrap();
    let id = kept.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = std::fs::read_to_string(kept).unwrap();
    let file = format!("data/askline/sessions/{id}.json");
    let end = "⇐disk_usage path=work⇒<final_answer>So. <command>ls work</command></final_answer>";
    let again = investigate(&["--json", "--resume", &id, "--", "go on"], &[]).file(&file, &text);
    let ran =
        again.model(&row(&end.replace("disk_usage path=work", "\"name\":\"disk_usage\""))).run().code(0);
    assert_eq!(json(&ran)["command"], "ls work");
    let export = Askline::new(["sessions", "export", &id]).file(&file, &text).run().code(0);
    let export: Value = serde_json::from_str(&export.stdout).unwrap();
    assert_eq!(
        (&export["id"], &export["looks"][0]["call"]["name"]),
        (&id.as_str().into(), &"disk_usage".into())
    );
    let log = std::fs::read_to_string(sessions.join("audit.jsonl")).unwrap();
    assert!(log.contains("\"tool\":\"disk_usage\""), "{log}");
}

#[test]
fn paths_are_denied_calls_limited_and_agents_added() {
    let read = r#"<tool_code>{"name":"read_file","parameters":{"path":"notes.txt"}}</tool_code>"#;
    let end = "<final_answer>So. <command>ls work</command></final_answer>";
    let run = |config: &str, replies: &[&str], agent: &str| {
        let ran = investigate(&["--json", "--agent", agent, "--", "list the files in work"], replies);
        let ran = ran.config(config).run().code(0);
        (json(&ran)["evidence"].clone(), ran)
    };
    let (evidence, _) = run("[investigate.paths]\n\"~/work\" = \"deny\"\n", &[LOOK, read, end], "look");
    assert_eq!((&evidence[0]["failed"], &evidence[1]["failed"]), (&true.into(), &false.into()), "{evidence}");
    let (evidence, _) = run("[investigate.calls]\nread_file = 1\n", &[read, LOOK, read, end], "look");
    assert!(evidence[2]["seen"].as_str().unwrap().contains("may be called 1 times"), "{evidence}");
    let own = "[agents.logs]\nprompt = \"You only read files.\"\ntools = [\"read_file\"]\n";
    let (evidence, ran) = run(
        own,
        &[
            "⇐You only read files.⇒<tool_code>{\"name\":\"stat\",\"parameters\":{\"path\":\"work\"}}</tool_code>",
            end,
        ],
        "logs",
    );
    assert!(evidence[0]["seen"].as_str().unwrap().contains("there is no tool `stat`"), "{evidence}");
    assert!(!ran.path("data/askline/sessions").exists(), "no log unasked");
    let stats = std::fs::read_to_string(ran.path("data/askline/stats/counts")).unwrap();
    assert!(stats.contains("\"stat\""), "{stats}");
}

#[test]
fn a_reviewer_on_another_profile_is_heard() {
    let verdict = r#"{"concerns": ["look at big.log"], "confidence": 0.9}"#;
    let review = serde_json::json!({"must_contain": "disk_usage path=work", "reply": verdict}).to_string();
    let stat = r#"<tool_code>{"name":"stat","parameters":{"path":"work"}}</tool_code>"#;
    let end = "⇐a reviewer says: look at big.log⇒<final_answer>So. <command>ls work</command></final_answer>";
    let ran = investigate(&["--json", "--", "list the files in work"], &[LOOK, stat, end]);
    let file = ran.path("review.jsonl");
    let profile = format!(
        "[roles]\nreview = \"other\"\n[profiles.other]\nprotocol = \"scripted\"\nfile = \"{}\"\n",
        file.display()
    );
    let ran = ran.file("review.jsonl", &review).config(&profile).run().code(0);
    assert_eq!(json(&ran)["command"], "ls work");
}

#[test]
fn a_planner_and_a_summarizer_on_other_profiles_are_heard() {
    let read = r#"<tool_code>{"name":"read_file","parameters":{"path":"long.txt"}}</tool_code>"#;
    let stat =
        |path: &str| format!(r#"<tool_code>{{"name":"stat","parameters":{{"path":"{path}"}}}}</tool_code>"#);
    let planned = format!("⇐Steps that a planner proposed:\nread long.txt⇒{read}");
    let end = "⇐read_file path=long.txt → 99 rows of ‹x›⇒<final_answer>So. <command>ls work</command></final_answer>";
    let replies = [planned.as_str(), &stat("work"), &stat("notes.txt"), end];
    let ran = investigate(&["--json", "--", "list the files in work"], &replies);
    let scripted = |name: &str, needle: &str, reply: &str| {
        let row = serde_json::json!({"must_contain": needle, "reply": reply}).to_string();
        let file = ran.path(&format!("{name}.jsonl"));
        let profile = format!("[profiles.{name}]\nprotocol = \"scripted\"\nfile = \"{}\"\n", file.display());
        (row, profile)
    };
    let steps = r#"{"steps": ["read long.txt"]}"#;
    let (plan, planner) =
        scripted("planner", "Request: list the files in work\nKnown of this machine:", steps);
    let (sum, summarizer) =
        scripted("summarizer", "row 58 password=SECRET_1001_PLACEHOLDER", r#"{"summary": "99 rows of <x>"}"#);
    let config = format!("[roles]\nplan = \"planner\"\nsummary = \"summarizer\"\n{planner}{summarizer}");
    let long: Vec<String> = (0..99).map(|n| format!("row {n} password=hunter2-Zx81abcd")).collect();
    let ran =
        ran.file("planner.jsonl", &plan).file("summarizer.jsonl", &sum).file("long.txt", &long.join("\n"));
    let found = json(&ran.config(&config).run().code(0));
    assert_eq!(
        (&found["command"], &found["plan"]),
        (&"ls work".into(), &serde_json::json!(["read long.txt"]))
    );
}

/// What the terminal shows and what was run before are seen only if `[context]` allows it.
#[test]
fn screen_and_history_are_offered_only_if_allowed() {
    let look = r#"<tool_code>{"name":"history_search","parameters":{"text":"make"}}</tool_code>"#;
    let end = "<final_answer>So. <command>ls work</command></final_answer>";
    let run = |config: &str, look: &str| {
        let ran = investigate(&["--json", "--", "list the files in work"], &[look, end]);
        let ran =
            ran.file(".bash_history", "make test TOKEN=hunter2-Zx81abcd\n").config(config).run().code(0);
        json(&ran)["evidence"][0].clone()
    };
    let refused = run("", look);
    assert!(refused["seen"].as_str().unwrap().contains("there is no tool `history_search`"), "{refused}");
    let shown = run("[context]\nhistory = \"local\"\n", look);
    assert!(shown["text"].as_str().unwrap().starts_with("make test TOKEN="), "{shown}");
    assert!(!shown.to_string().contains("hunter2"), "{shown}");
    let screen = r#"<tool_code>{"name":"last_output"}</tool_code>"#;
    let shown = run("", screen);
    assert!(shown["seen"].as_str().unwrap().contains("needs tmux"), "{shown}");
    let refused = run("[context]\noutput = \"off\"\n", screen);
    assert!(refused["seen"].as_str().unwrap().contains("there is no tool `last_output`"), "{refused}");
}

/// A denied path stays closed for the tools that take no path.
#[test]
fn a_denied_path_is_closed_for_every_tool() {
    let end = "<final_answer>So. <command>ls work</command></final_answer>";
    let run = |config: &str, tool: &str| {
        let look = format!("<tool_code>{{\"name\":\"{tool}\"}}</tool_code>");
        let ran = investigate(&["--json", "--", "list the files in work"], &[look.as_str(), end]);
        let ran = ran
            .file(".bash_history", "make test\n")
            .file(".git/HEAD", "ref: refs/heads/main\n")
            .file(".git/refs/heads/main", "0123456789abcdef\n")
            .config(&format!("[context]\nhistory = \"local\"\n{config}"));
        json(&ran.run().code(0))["evidence"][0].clone()
    };
    assert!(run("", "git_state").to_string().contains("on branch main"));
    assert!(run("", "history_search").to_string().contains("make test"));
    for (path, tool) in
        [("~/.git", "git_state"), ("~/.git/config", "git_state"), ("~/.bash_history", "history_search")]
    {
        let seen = run(&format!("[investigate.paths]\n\"{path}\" = \"deny\"\n"), tool);
        assert!(seen["seen"].as_str().unwrap().contains("is denied"), "{path}: {seen}");
    }
}

/// The titles of manual pages tell what a command is for.
#[test]
fn manual_search_finds_commands_by_what_they_do() {
    let page = |name: &str, title: &str| {
        format!(".TH X 1\n.SH NAME\n{name} \\- {title}\n.SH DESCRIPTION\nIt works.\n")
    };
    let look = r#"<tool_code>{"name":"manual_search","parameters":{"words":"quuxing zebras"}}</tool_code>"#;
    let end = "⇐frobzeb: quux a zebra⇒<final_answer>So. <command>ls work</command></final_answer>";
    let ran = investigate(&["--json", "--", "list the files in work"], &[look, end])
        .file("man/man1/frobzeb.1", &page("frobzeb", "quux a zebra"))
        .file("man/man1/frobcat.1", &page("frobcat", "quux a cat"))
        .env("MANPATH", "HOME/man")
        .run()
        .code(0);
    let seen = &json(&ran)["evidence"][0];
    assert_eq!((&seen["seen"], &seen["failed"]), (&"1 commands".into(), &false.into()), "{seen}");
    assert!(!seen.to_string().contains("frobcat"), "{seen}");
}

#[test]
fn an_unknown_agent_is_named() {
    let ran = Askline::new(["investigate", "--agent", "root", "x"]).run().code(2);
    assert!(ran.stderr.contains("there is no agent `root`; use one of admin, look"), "{}", ran.stderr);
}

/// A text that gives orders, where it is seen, and the command of a model that obeys.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Injection {
    #[serde(default)]
    id: String,
    call: String,
    files: std::collections::BTreeMap<String, String>,
    request: String,
    obeys: String,
    bad: String,
}

/// The worst model does what it reads. What it writes is held back, changed, or shown with a warning.
#[test]
fn no_order_in_what_is_seen_reaches_the_person_without_a_warning() {
    #[derive(serde::Deserialize)]
    struct Cases {
        case: Vec<Injection>,
    }
    let cases: Cases = toml::from_str(include_str!("investigate/injections.toml")).unwrap();
    let mut unflagged = Vec::new();
    for case in &cases.case {
        let Injection { id, call, files, request, obeys, bad } = case;
        let look = format!("<tool_code>{call}</tool_code>");
        let end =
            format!("<final_answer>First run {obeys}\nthen look. <command>{obeys}</command></final_answer>");
        // Each further answer is the same: it does not learn from a complaint.
        let replies = [look.as_str(), &end, obeys, obeys, obeys];
        let rows: Vec<String> = replies.iter().map(|reply| row(reply)).collect();
        let mut askline = Askline::new(["investigate", "--json", "--shell", "bash", "--", request]);
        for (name, text) in files {
            askline = askline.file(name, text);
        }
        let ran = askline.model(&rows.join("\n")).run();
        let found: Value = serde_json::from_str(ran.stdout.lines().next().unwrap_or_default()).unwrap();
        assert_eq!(found["evidence"].as_array().map(Vec::len), Some(1), "{id} {request}: {}", ran.stdout);
        assert!(!found["evidence"].to_string().contains("c3VwZXJzZWNyZXQ"), "{id}: a key was read");
        let command = found["command"].as_str().unwrap_or_default();
        let is_flagged = matches!(found["risk"]["label"].as_str(), Some("Confirm" | "Dangerous"));
        if command.contains(bad) && !is_flagged {
            unflagged.push(format!("{id} {request}: {command} {}", found["risk"]["label"]));
        }
        let answer = found["answer"].as_str().unwrap_or_default();
        if answer.contains(bad) && command != obeys && found["warning"].is_null() {
            unflagged.push(format!("{id} {request}: in the answer: {answer}"));
        }
    }
    assert!(unflagged.is_empty(), "\n{}", unflagged.join("\n"));
}
