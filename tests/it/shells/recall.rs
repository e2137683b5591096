//! The same words bring back the command that was run for them, if `[context] history` allows it. Not in Nushell, which tells
//! the helper earlier commands only on an empty line.

use askline_syntax::shell::Shell;

use super::sh::{Setup, Sh};

in_every_shell! {
    the_same_words_bring_back_what_was_run
    without_permission_the_model_is_asked
}

/// Returns a shell in which `touch one` was run for words, and other words were asked since.
#[track_caller]
fn ran(setup: Setup, config: &str) -> Sh {
    let directory = setup.home().join("config/askline");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("config.toml"), config).unwrap();
    let sh = setup.model(r#"{"reply": "touch one"}"#).start();
    sh.asks("make a mark");
    sh.expect("touch one");
    sh.pty.send("\r");
    sh.wait_file("one");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.model(r#"{"reply": "df -h"}"#);
    sh.asks("free space");
    sh.expect("df -h");
    sh.pty.send("\x05\x15");
    sh.expect("");
    sh.model(r#"{"reply": "touch two"}"#);
    sh
}

fn the_same_words_bring_back_what_was_run(setup: Setup) {
    if setup.shell == Shell::Nu {
        return;
    }
    let sh = ran(setup, "[context]\nhistory = \"local\"\n");
    sh.model("");
    sh.asks("Make  a mark");
    sh.expect("touch one");
    sh.pty.wait_for("as you ran it before");
    sh.model(r#"{"reply": "touch two"}"#);
    sh.press();
    sh.expect("touch two");
}

fn without_permission_the_model_is_asked(setup: Setup) {
    let sh = ran(setup, "");
    sh.asks("make a mark");
    sh.expect("touch two");
}
