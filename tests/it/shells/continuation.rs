//! Words that only make sense as a continuation go on from the last answer in this terminal; the model sees all of them as one
//! request.

use super::sh::Setup;
use askline_syntax::shell::Shell;

in_every_shell! {
    they_go_on_also_after_the_answer_was_run
    they_change_the_last_command_without_a_model
    a_whole_request_does_not
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
    if setup.shell == Shell::Nu {
        return; // In Nushell the model is asked.
    }
    let sh = setup.model(r#"{"reply": "ls -l"}"#).start();
    sh.asks("list files");
    sh.expect("ls -l");
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.model("");
    sh.asks("newest first");
    sh.expect("ls -t -l");
    sh.pty.wait_for("goes on from: list files");
    sh.pty.send("\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 3);
    sh.asks("hidden too");
    sh.expect("ls -A -t -l");
    sh.pty.wait_for("you said \"hidden too\"; goes on from");
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
