//! The plugin at a prompt, together with the script, both set up as the readme describes.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use askline_syntax::shell::Shell;

use crate::parser::installed;
use crate::shells::sh::{Setup, Sh};

/// A Nushell with the plugin registered.
fn setups() -> impl Iterator<Item = Setup> {
    installed(Shell::Nu).into_iter().chain(super::older_nushells()).map(|program| {
        let setup = Setup::with(Shell::Nu, program.clone());
        let directory = setup.home().join("config/nushell");
        fs::create_dir_all(&directory).unwrap();
        let added = Command::new(&program)
            .args(["-n", "-c", "plugin add --plugin-config $env.REGISTRY $env.PLUGIN"])
            .env("REGISTRY", directory.join("plugin.msgpackz"))
            .env("PLUGIN", super::plugin_program())
            .env("HOME", setup.home())
            .output()
            .unwrap();
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
        assert_eq!(String::from_utf8_lossy(&added.stderr), "");
        setup
    })
}

/// The commands of the readme, in a Nushell that has never seen the plugin.
#[test]
fn the_readme_installs_it_in_a_fresh_nushell() {
    let readme = include_str!("../../../README.md");
    let commands: Vec<&str> = readme
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|text| text.starts_with("plugin ") && text.contains(' '))
        .collect();
    let [add, load, ..] = commands.as_slice() else { panic!("{commands:?}") };
    for program in installed(Shell::Nu).into_iter().chain(super::older_nushells()) {
        let setup = Setup::with(Shell::Nu, program);
        let plugin = setup.home().join("bin/nu_plugin_ask");
        std::os::unix::fs::symlink(super::plugin_program(), plugin).unwrap();
        let sh = setup.model("").start();
        for line in [add, load, &"ask check ls | get shell | save out; touch done"] {
            sh.sends_until("\x15", Duration::from_millis(300), || sh.pty.cursor_row().trim_end() == "READY>");
            sh.pty.send(line);
            sh.expect_line(line);
            sh.pty.send("\r");
            sh.pty.wait("the next prompt", |_| sh.pty.cursor_row().trim_end() == "READY>");
        }
        sh.wait_file("done");
        assert_eq!(sh.wait_file("out"), "nu", "{}", sh.pty.describe());
    }
}

fn enter(sh: &Sh, line: &str) {
    sh.types(line);
    sh.pty.send("\r");
}

#[test]
fn the_answer_stands_on_the_next_prompt() {
    for setup in setups() {
        let sh = setup.model(r#"{"reply": "touch suggested", "must_contain": "make a mark"}"#).start();
        enter(&sh, "ask --line make a mark");
        sh.expect("touch suggested");
        sh.pty.send("x");
        sh.expect("touch suggestedx");
        sh.is_well();
        sh.lacks("suggested");
        sh.lacks("suggestedx");
    }
}

#[test]
fn typing_during_the_wait_runs_nothing() {
    for setup in setups() {
        let sh = setup.model(r#"{"reply": "touch suggested", "delay_ms": 900}"#).start();
        enter(&sh, "ask --line make a mark");
        sh.expect_busy();
        sh.pty.send("\rtouch typed\r\r");
        sh.expect("touch suggested");
        sh.is_well();
        sh.lacks("typed");
        sh.lacks("suggested");
    }
}

/// Returns the rows of a script: a look at the file `t`, and then a suggestion after this time in milliseconds.
fn looking(delay_ms: u64) -> String {
    let look = "<tool_code>{\"name\":\"stat\",\"parameters\":{\"path\":\"t\"}}</tool_code>";
    let end = "<final_answer>There is t. <command>touch suggested</command></final_answer>";
    let end = serde_json::json!({"reply": end, "delay_ms": delay_ms});
    format!("{}\n{end}", serde_json::json!({"reply": look}))
}

#[test]
fn a_look_is_shown_and_its_command_stands_on_the_next_prompt() {
    for setup in setups() {
        fs::write(setup.home().join("t"), "abc").unwrap();
        let sh = setup.model(&looking(600)).start();
        enter(&sh, "ask --look --line make a mark");
        sh.pty.wait_for("· stat path=t");
        sh.pty.send("\rtouch typed\r\r");
        sh.expect("touch suggested");
        assert!(sh.pty.screen().contains("There is t."), "{}", sh.pty.describe());
        sh.pty.send("x");
        sh.expect("touch suggestedx");
        sh.is_well();
        sh.lacks("typed");
        sh.lacks("suggested");
    }
}

#[test]
fn esc_and_ctrl_c_end_a_look() {
    for setup in setups() {
        fs::write(setup.home().join("t"), "abc").unwrap();
        let sh = setup.model(&looking(60_000)).start();
        enter(&sh, "ask --look --line make a mark");
        sh.pty.wait_for("t: file, 3 B");
        sh.pty.wait_for("Esc ends with what was found");
        sh.pty.send("\x1b");
        sh.pty.wait_for("ended early: cancelled");
        sh.expect_line("");
        sh.is_well();
        // Rows come as things happen.
        enter(&sh, "ask --look make a mark | each { |row| print $row.event } | ignore");
        sh.pty.wait_for("observation");
        let pressed = Instant::now();
        sh.pty.send("\x03");
        sh.expect_line("");
        sh.is_well();
        assert!(pressed.elapsed() < Duration::from_secs(20), "{:?}", pressed.elapsed());
        sh.lacks("suggested");
    }
}

/// Nushell has already read these keys together with the Enter after the words.
#[test]
fn typing_in_the_same_moment_runs_nothing() {
    for setup in setups() {
        let sh = setup.model(r#"{"reply": "touch suggested", "delay_ms": 300}"#).start();
        sh.types("ask --line make a mark");
        sh.pty.send("\r\r\rtouch typed\r");
        sh.pty.wait("an end", |screen| {
            screen.contains("touch suggested") || screen.matches("READY>").count() > 1
        });
        std::thread::sleep(Duration::from_millis(600));
        sh.pty.send("\x15");
        sh.is_well();
        sh.lacks("suggested");
    }
}

#[test]
fn giving_up_leaves_an_empty_prompt() {
    for (n, setup) in setups().enumerate() {
        let sh = setup.model(r#"{"reply": "touch suggested", "delay_ms": 15000}"#).start();
        enter(&sh, "ask --line make a mark");
        sh.expect_busy();
        sh.pty.send(if n == 0 { "\x1b" } else { "\x03" });
        sh.expect_line("");
        sh.is_well();
        sh.lacks("suggested");
        sh.model(r#"{"fail": "the server is gone"}"#);
        sh.pty.send("\x15");
        enter(&sh, "ask --line make a mark");
        sh.pty.wait_for("the server is gone");
        sh.expect_line("");
        sh.is_well();
    }
}

#[test]
fn ctrl_c_ends_the_wait_for_a_record() {
    for setup in setups() {
        let sh = setup.model(r#"{"reply": "touch suggested", "delay_ms": 15000}"#).start();
        enter(&sh, "ask make a mark");
        let begun = Instant::now();
        std::thread::sleep(Duration::from_millis(1000)); // nothing is shown of it
        sh.pty.send("\x03");
        sh.pty.wait_for("nterrupted");
        assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
        sh.expect_line("");
        sh.is_well();
    }
}

/// The script defines no second `ask` beside the plugin's and prints nothing about it; its key works as before.
#[test]
fn the_script_stands_beside_it() {
    for setup in setups() {
        let sh = setup.model(r#"{"reply": "ls -la"}"#).start();
        sh.expect_whole("READY>");
        sh.runs("(ask list files).command | save -f out; touch done");
        assert_eq!(sh.wait_file("out"), "ls -la");
        sh.asks("list files");
        sh.expect("ls -la");
    }
}

#[test]
fn the_last_command_is_mended() {
    for setup in setups() {
        let sh = setup.model(r#"{"reply": "ls --all", "must_contain": "xqlist --all"}"#).start();
        enter(&sh, "xqlist --all");
        sh.pty.wait_for("Command `xqlist` not found");
        sh.expect_line("");
        assert_eq!(sh.runs("(ask fix).command | save -f out; touch done"), "ls --all");
    }
}

#[test]
fn names_of_shells_are_completed() {
    for setup in setups() {
        let sh = setup.start();
        sh.types("ask check --shell");
        sh.pty.send(" \t");
        sh.pty.wait_for("a line for zsh");
    }
}

/// The failed command is the last line of this terminal, whatever the history has from others.
#[test]
fn only_what_failed_here_is_put_right() {
    for setup in setups() {
        let history = setup.home().join("config/nushell/history.txt");
        let sh = setup.model(r#"{"fail": "the server is gone"}"#).start();
        enter(&sh, "xqlist --all");
        sh.pty.wait_for("Command `xqlist` not found");
        sh.expect_line("");
        let mut all = fs::read_to_string(&history).unwrap_or_default();
        all.push_str("^true otherterminal\n");
        fs::write(&history, all).unwrap();
        sh.model(r#"{"reply": "ls --all", "must_contain": "which failed: xqlist --all"}"#);
        assert_eq!(sh.runs("(ask fix).command | save -f out; touch done"), "ls --all");
        // If an `ask` itself fails, `ask fix` must not take the command before it.
        sh.model(r#"{"fail": "the server is gone"}"#);
        enter(&sh, "ask list files");
        sh.pty.wait_for("the server is gone");
        sh.expect_line("");
        enter(&sh, "ask fix");
        sh.pty.wait_for("was an `ask`");
    }
}
