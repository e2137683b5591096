//! The key on an empty line after a failed command: the corrected command appears, and nothing is run again.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use askline_host::find_on_path;
use askline_host::local::LocalHost;
use askline_syntax::shell::Shell;

use super::sh::{Setup, Sh};

in_every_shell! {
    a_failed_command_comes_back_right
    a_misspelt_command_needs_no_model
    after_a_success_words_are_asked_for
    a_command_that_the_shell_keeps_no_record_of_is_not_mistaken
    the_helper_learns_the_commands_before
    inside_tmux_the_model_is_told_what_was_printed
}

in_nushell! {
    a_line_that_nushell_cannot_parse_is_the_last_command
}

/// Runs a command that adds a row to `count` and fails.
#[track_caller]
fn fails(sh: &Sh, command: &str) {
    let prompts = sh.pty.screen().matches("READY>").count();
    sh.types(command);
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == prompts + 1);
    sh.expect("");
}

fn a_failed_command_comes_back_right(setup: Setup) {
    let command = "sh -c 'echo x >>count; exit 7'";
    let row = format!("{{\"reply\": \"echo right\", \"must_contain\": \"failed: {command}\\n\"}}");
    let sh = setup.model(&row).start();
    fails(&sh, command);
    sh.press();
    sh.expect("echo right");
    assert_eq!(sh.wait_file("count"), "x\n", "it ran again");
}

fn a_misspelt_command_needs_no_model(setup: Setup) {
    let sh = setup.model("").start();
    fails(&sh, "dirnam /a/b");
    sh.press();
    sh.expect("dirname /a/b");
    sh.pty.wait_for("it failed because there is no command");
}

fn a_line_that_nushell_cannot_parse_is_the_last_command(setup: Setup) {
    let sh = setup.model("").start();
    fails(&sh, "dirnam /a/b");
    fails(&sh, "export X=1");
    sh.press();
    sh.expect("$env.X = \"1\"");
}

fn after_a_success_words_are_asked_for(setup: Setup) {
    let sh = setup.model("").start();
    fails(&sh, "sh -c 'exit 7'");
    fails(&sh, "sh -c 'exit 0'"); // this one doesn't
    sh.press();
    sh.pty.wait_for("type what you want");
    sh.expect_line("");
}

/// The command to correct is either certain, or the script says which one it takes.
fn a_command_that_the_shell_keeps_no_record_of_is_not_mistaken(setup: Setup) {
    let is_bash = setup.shell == Shell::Bash;
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh => "setopt hist_ignore_space",
            Shell::Bash => "HISTCONTROL=ignoreboth",
            Shell::Fish | Shell::Nu => "",
        })
        .model(r#"{"reply": "echo right"}"#)
        .start();
    fails(&sh, "dirname /a/b");
    sh.pty.send(" sh -c 'exit 7'\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 3);
    sh.expect("");
    sh.press();
    if is_bash {
        sh.expect("echo right");
        sh.pty.wait_for("for dirname /a/b");
        sh.pty.send("\x15set +o history\r");
        sh.expect("");
        fails(&sh, "sh -c 'exit 7'");
        sh.press();
        sh.pty.wait_for("type what you want");
    } else {
        sh.pty.wait("the last command or none", |screen| {
            screen.contains("echo right") || screen.contains("type what you want")
        });
    }
}

fn the_helper_learns_the_commands_before(setup: Setup) {
    let shell = setup.shell;
    let sh = setup.answers("").start();
    fails(&sh, "sh -c 'exit 7'");
    fails(&sh, "sh -c 'echo \"a  b\"; exit 8'");
    let (line, facts) = sh.presses_and_sees();
    assert_eq!(line.trim(), "");
    let fields: Vec<&str> = facts.split('\0').collect();
    let told = |key: &str| -> Vec<&str> {
        fields.chunks(2).filter(|pair| pair[0] == key).map(|pair| pair[1]).collect()
    };
    if shell == Shell::Bash {
        let list = told("history.list").concat();
        let rows: Vec<&str> = list.lines().map(|row| row.trim_start_matches([' ', '1', '2'])).collect();
        assert_eq!(rows, ["sh -c 'exit 7'", "sh -c 'echo \"a  b\"; exit 8'"], "{facts:?}");
    } else {
        assert_eq!(told("history"), ["sh -c 'echo \"a  b\"; exit 8'", "sh -c 'exit 7'"], "{facts:?}");
    }
    assert!(sh.wait_file("arguments").contains("--status 8"));
}

/// A tmux server, ended with the test.
pub(super) struct Tmux(PathBuf);

impl Drop for Tmux {
    fn drop(&mut self) {
        let ended =
            Command::new("tmux").arg("-S").arg(&self.0).arg("kill-server").stderr(Stdio::null()).status();
        drop(ended);
    }
}

fn inside_tmux_the_model_is_told_what_was_printed(setup: Setup) {
    let row =
        r#"{"reply": "echo right", "must_contain": "it printed: \"no such place\", \"look elsewhere\"\n"}"#;
    let Some((sh, _tmux)) = inside_tmux(setup.model(row)) else { return };
    fails(&sh, "sh -c 'echo no such place; echo look elsewhere; exit 7'");
    sh.press();
    sh.expect("echo right");
}

/// Starts the shell inside tmux, whose terminal rewraps its rows after a resize; `None` if tmux is not installed.
pub(super) fn inside_tmux(setup: Setup) -> Option<(Sh, Tmux)> {
    if find_on_path(&LocalHost, "tmux").is_none() {
        assert!(std::env::var_os("CI").is_none(), "tmux is not installed");
        let _ = writeln!(std::io::stderr(), "SKIPPED: tmux is not installed");
        return None;
    }
    let shell = setup.shell;
    let sh = setup.start();
    let inner = match shell {
        Shell::Zsh => "zsh -d -i",
        Shell::Bash => "bash --noprofile --rcfile .bashrc -i",
        Shell::Fish => "fish",
        Shell::Nu => "nu",
    };
    let config =
        format!("set -g status off\nset -g default-command \"exec {inner}\"\nset -g default-shell /bin/sh\n");
    std::fs::write(sh.home().join("tmux.conf"), config).unwrap();
    let tmux = Tmux(sh.home().join("tmux"));
    // The full path, because a later client runs in another directory.
    sh.pty.send(&format!("clear; exec tmux -S {} -f tmux.conf new-session\r", tmux.0.display()));
    tmux.wait(&sh);
    Some((sh, tmux))
}

impl Tmux {
    /// Waits for the prompt of the inner shell.
    fn wait(&self, sh: &Sh) {
        let inside = || {
            let asked = Command::new("tmux").arg("-S").arg(&self.0).args(["capture-pane", "-p"]).output();
            asked.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("READY>"))
        };
        sh.pty.wait("the shell inside tmux", |screen| screen.contains("READY>") && inside());
        sh.expect("");
    }
}
