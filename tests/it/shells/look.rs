//! `ask --look WORDS`: looks are shown, questions are answered in place, a command runs only after `y`, Esc ends with what was
//! found, and the next prompt has the command.

use std::time::Duration;

use askline_syntax::shell::Shell;

use super::sh::{Setup, Sh};

in_every_shell! {
    the_command_stands_on_the_next_prompt
    a_question_is_answered_in_place
    esc_ends_with_what_was_found
    typing_meanwhile_runs_nothing
}

/// The end of an investigation that suggests to make a file.
const END: &str = "<final_answer>There is t. <command>touch suggested</command></final_answer>";

/// Returns a row of a script: a reply to a prompt with this text.
fn row(needle: &str, reply: &str) -> String {
    serde_json::json!({"must_contain": needle, "reply": reply}).to_string()
}

fn call(tool: &str, parameters: &serde_json::Value) -> String {
    format!("<tool_code>{}</tool_code>", serde_json::json!({"name": tool, "parameters": parameters}))
}

/// Starts a shell with a file to look at and a model that answers with these rows.
fn looking(setup: Setup, rows: &[String]) -> Sh {
    std::fs::write(setup.home().join("t"), "1\n2\n3\n").unwrap();
    let sh = setup.model(&rows.join("\n")).start();
    sh.types("ask --look make a mark");
    sh.pty.send("\r");
    sh
}

fn stat() -> String {
    row("make a mark", &call("stat", &serde_json::json!({"path": "t"})))
}

fn the_command_stands_on_the_next_prompt(setup: Setup) {
    let sh = looking(setup, &[stat(), row("6 B", END)]);
    sh.pty.wait_for("· stat path=t");
    sh.expect("touch suggested");
    assert!(sh.pty.screen().contains("There is t."), "{}", sh.pty.describe());
    sh.pty.send("x");
    sh.expect("touch suggestedx");
    sh.is_well();
    sh.lacks("suggested");
}

fn a_question_is_answered_in_place(setup: Setup) {
    let rows = [row("make a mark", "<question>Which name?</question>"), row("Which name? the old", END)];
    let sh = looking(setup, &rows);
    sh.pty.wait_for("Which name?");
    std::thread::sleep(Duration::from_millis(400));
    sh.pty.send("the olx");
    sh.pty.wait_for("> the olx");
    sh.pty.send("\x7fd\r");
    sh.expect("touch suggested");
    sh.is_well();
    sh.lacks("suggested");
}

fn esc_ends_with_what_was_found(setup: Setup) {
    let late = serde_json::json!({"reply": END, "delay_ms": 30_000}).to_string();
    let sh = looking(setup, &[stat(), late]);
    sh.pty.wait_for("· stat path=t");
    sh.pty.wait_for("Esc ends with what was found");
    sh.pty.send("\x1b");
    sh.pty.wait_for("ended early: cancelled");
    sh.expect_line("");
    sh.is_well();
    sh.lacks("suggested");
}

fn typing_meanwhile_runs_nothing(setup: Setup) {
    let slow = serde_json::json!({"reply": END, "delay_ms": 600}).to_string();
    let sh = looking(setup, &[stat(), slow]);
    sh.pty.wait_for("Esc ends with what was found");
    sh.pty.send("\rtouch typed\r\r");
    sh.expect("touch suggested");
    sh.is_well();
    sh.lacks("typed");
    sh.lacks("suggested");
}

/// Starts bash with these commands, a file to look at, and a model that looks once and then takes long.
fn waiting(commands: &str) -> Option<Sh> {
    let setup = Setup::of(Shell::Bash)?;
    std::fs::write(setup.home().join("t"), "1\n2\n3\n").unwrap();
    std::fs::write(setup.home().join("commands"), commands).unwrap();
    let late = serde_json::json!({"reply": END, "delay_ms": 30_000}).to_string();
    let sh = setup.model(&[stat(), late].join("\n")).start();
    sh.types("source ./commands");
    sh.pty.send("\r");
    sh.pty.wait_for("· stat path=t");
    sh.pty.wait_for("Esc ends with what was found");
    Some(sh)
}

/// Also without a prompt to fill: what was found is printed, and no key typed meanwhile reaches the shell.
#[test]
fn esc_ends_askline_investigate_with_what_was_found() {
    for key in ["\x1b", "\x07", "\x1b[27u"] {
        let commands = "askline investigate --shell bash -- make a mark; echo code $? > out; touch done\n";
        let Some(sh) = waiting(commands) else { return };
        sh.pty.send("touch typed\r");
        sh.pty.send(key);
        sh.pty.wait_for("ended early: cancelled");
        sh.wait_file("done");
        assert_eq!(sh.wait_file("out").trim(), "code 130");
        sh.expect_line("");
        sh.is_well();
        sh.lacks("typed");
    }
}

/// Ctrl-C ends a loop of the shell too, Esc only what runs.
#[test]
fn only_ctrl_c_ends_a_loop_around_it() {
    for (key, is_last) in [("\x1b", false), ("\x03", true)] {
        let commands =
            "for i in 1 2; do askline investigate --shell bash -- make a mark; touch after$i; done\n";
        let Some(sh) = waiting(commands) else { return };
        sh.pty.send(key);
        sh.pty.wait_for("ended early: cancelled");
        if !is_last {
            sh.wait_file("after1");
            sh.pty.wait_for("Esc ends with what was found");
            sh.pty.send("\x03");
            sh.pty.wait("the second end", |screen| screen.matches("ended early: cancelled").count() == 2);
        }
        // Keys before the prompt are dropped.
        sh.expect_line("");
        sh.is_well();
        assert_eq!(sh.home().join("after1").exists(), !is_last);
        sh.lacks("after2");
    }
}

/// Returns a shell in which investigations may ask for commands, with a model that wants to run this line and concludes from
/// what it then reads.
fn running(words: &str, line: &str, needle: &str) -> Option<Sh> {
    let setup = Setup::of(Shell::Bash)?;
    let config = setup.home().join("config/askline");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[investigate]\ncommands = \"ask\"\n").unwrap();
    std::fs::write(setup.home().join("t"), "1\n2\n3\n").unwrap();
    let rows = [row("how long is t", &call("run", &serde_json::json!({"line": line}))), row(needle, END)];
    let sh = setup.model(&rows.join("\n")).start();
    sh.types(words);
    sh.pty.send("\r");
    Some(sh)
}

#[test]
fn a_command_runs_only_after_y_for_exactly_this_line() {
    for words in ["askline investigate --shell bash -- how long is t", "ask --look how long is t"] {
        for (answer, needle) in [("y", "3 t"), ("n", "did not allow it")] {
            let Some(sh) = running(words, "wc -l t", needle) else { return };
            sh.pty.wait_for("run this look? wc -l t [y/N]");
            std::thread::sleep(Duration::from_millis(400));
            sh.pty.send(answer);
            sh.pty.wait_for("There is t.");
            sh.expect(if words.starts_with("askline") { "" } else { "touch suggested" });
            sh.is_well();
        }
    }
}

#[test]
fn a_command_that_does_more_than_read_is_not_even_asked_for() {
    let long = format!("wc -l t {}", "a".repeat(400));
    for (line, refused) in [
        ("rm t", "it is not run: `rm` without --help --version is not on the list"),
        (long.as_str(), "it is not run: it is longer than 400 characters"),
    ] {
        let Some(sh) = running("ask --look how long is t", line, refused) else { return };
        let screen = sh.pty.wait_for("There is t.");
        assert!(!screen.contains("[y/N]"), "{screen}");
        sh.wait_file("t");
        sh.is_well();
    }
}
