//! Words that only make sense as a continuation go on from the last answer in this terminal; the model sees all of them as one
//! request.

use super::sh::Setup;
use askline_syntax::shell::Shell;

in_every_shell! {
    they_go_on_also_after_the_answer_was_run
    they_change_the_last_command_without_a_model
    they_change_a_command_that_was_typed
    a_whole_request_does_not
    words_that_change_nothing_are_a_request
}

fn they_go_on_also_after_the_answer_was_run(setup: Setup) {
    let sh = setup.model(r#"{"reply": "ls -a"}"#).start();
    sh.asks("list files");
    sh.expect("ls -a");
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.model(
        r##"{"reply": "ls -la", "must_contain": "# list files\nls -a\n\n# list files, same with sizes\n"}"##,
    );
    sh.asks("same with sizes");
    sh.expect("ls -la");
    sh.pty.wait_for("goes on from: list files");
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 3);
    let earlier =
        r"# list files, same with sizes\nls -la\n\n# list files, same with sizes, same for odd ones\n";
    sh.model(&format!(r#"{{"reply": "ls -lat", "must_contain": "{earlier}"}}"#));
    sh.asks("same for odd ones");
    sh.expect("ls -lat");
    sh.pty.wait_for("goes on from: list files, same with sizes");
}

fn they_change_the_last_command_without_a_model(setup: Setup) {
    let is_nushell = setup.shell == Shell::Nu;
    let sh = setup.model(r#"{"reply": "ls -l"}"#).start();
    sh.asks("list files");
    sh.expect("ls -l");
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.model("");
    sh.asks("newest first");
    sh.expect(if is_nushell { "ls -l | sort-by modified --reverse" } else { "ls -t -l" });
    sh.pty.wait_for("you said \"newest first\"");
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 3);
    let (words, expected) = match is_nushell {
        true => ("only the first 3", "ls -l | sort-by modified --reverse | first 3"),
        false => ("hidden too", "ls -A -t -l"),
    };
    sh.asks(words);
    sh.expect(expected);
    sh.pty.wait_for(&format!("you said \"{words}\""));
}

fn they_change_a_command_that_was_typed(setup: Setup) {
    if setup.shell == Shell::Nu {
        return; // Nushell passes no command.
    }
    let sh = setup.model("").start();
    sh.pty.send("ls -l\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.asks("newest first");
    sh.expect("ls -t -l");
    sh.pty.wait_for("goes on from: ls -l");
}

fn a_whole_request_does_not(setup: Setup) {
    let sh = setup.model(r#"{"reply": "ls -a"}"#).start();
    sh.asks("list files");
    sh.expect("ls -a");
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.model(r##"{"reply": "df -h", "must_contain": "\n\n# show free space\n"}"##);
    sh.asks("show free space");
    sh.expect("df -h");
    assert!(!sh.pty.screen().contains("goes on from"), "{}", sh.pty.describe());
}

/// "untracked files only" after a version is about something else.
fn words_that_change_nothing_are_a_request(setup: Setup) {
    let sh = setup.model(r#"{"reply": "git version"}"#).start();
    sh.asks("the version of git");
    sh.expect("git version");
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.model(
        r##"{"reply": "git version", "must_contain": "# the version of git, untracked files only\n"}
{"reply": "git status -s", "must_contain": "# untracked files only\n"}"##,
    );
    sh.asks("untracked files only");
    sh.expect("git status -s");
    assert!(!sh.pty.screen().contains("goes on from"), "{}", sh.pty.describe());
}
