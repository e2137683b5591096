//! Requests for another machine: askline writes the line for it and puts `ssh NAME` in front.

use askline_syntax::shell::Shell;

use super::sh::{Setup, Sh};

in_every_shell! {
    words_for_another_machine_become_a_line_behind_ssh
    a_comment_for_another_machine_does_too
    more_for_another_machine_is_not_there
    an_unknown_machine_is_a_word_like_others
}

/// A model that writes for GNU, with a quoted word.
const TWO_WORDS: &str = r#"{"reply": "grep 'two words' notes"}"#;

fn with_remotes(setup: Setup) -> Sh {
    let directory = setup.home().join("config/askline");
    std::fs::create_dir_all(&directory).unwrap();
    let config = "[remotes.db1]\nuserland = \"busybox\"\n[remotes.mac]\nos = \"macos\"\nshell = \"zsh\"\n";
    std::fs::write(directory.join("config.toml"), config).unwrap();
    setup.start()
}

/// Returns the line as each shell quotes it.
fn quoted(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash | Shell::Zsh => r"ssh db1 'grep '\''two words'\'' notes'",
        Shell::Fish => r"ssh db1 'grep \'two words\' notes'",
        Shell::Nu => "ssh db1 r#'grep 'two words' notes'#",
    }
}

fn words_for_another_machine_become_a_line_behind_ssh(setup: Setup) {
    let sh = with_remotes(setup.model(TWO_WORDS));
    sh.asks("on db1: lines of notes with two words");
    sh.expect(quoted(sh.shell));
    sh.pty.wait_for("for db1 (Linux with");
    // Its tools, not those of this machine, decide what is mended.
    sh.model(r#"{"reply": "date -d '1 day ago' +%F"}"#);
    sh.pty.send("\x05\x15");
    sh.expect("");
    sh.asks("on mac: the date of yesterday");
    sh.expect("ssh mac 'date -v-1d +%F'");
    sh.is_well();
}

fn a_comment_for_another_machine_does_too(setup: Setup) {
    let sh = with_remotes(setup.model(r#"{"reply": "df -h"}"#));
    sh.asks("# on db1: free space");
    sh.expect("ssh db1 'df -h'");
}

fn more_for_another_machine_is_not_there(setup: Setup) {
    let sh = with_remotes(setup.model(r#"{"reply": "df -h"}"#));
    sh.asks("on db1: free space");
    sh.expect("ssh db1 'df -h'");
    sh.press();
    sh.pty.wait_for("no other suggestions for another machine");
    sh.is_well();
}

fn an_unknown_machine_is_a_word_like_others(setup: Setup) {
    let sh = with_remotes(setup.model(r#"{"reply": "df -h"}"#));
    sh.asks("on db7: free space");
    sh.expect("df -h");
}
