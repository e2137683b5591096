//! The list of suggestions with their risk in bash, zsh and fish; Nushell has a menu (`menu`).

use askline_syntax::shell::Shell;

use super::sh::{Setup, Sh};

/// Alt-G, the default.
const KEY: &str = "\x1bg";
const TWO: &str = r#"{"reply": "ls -la", "others": ["rm -r build"]}"#;

in_every_shell! {
    it_lists_commands_and_risks_and_changes_nothing
    a_line_without_suggestions_has_no_list
    no_key
}

#[track_caller]
fn says(sh: &Sh, texts: &[&str]) {
    let joined = |text: &str| text.split_whitespace().collect::<String>();
    sh.pty.wait(&format!("{texts:?}"), |screen| {
        let screen = joined(screen);
        texts.iter().all(|text| screen.contains(&joined(text)))
    });
}

fn it_lists_commands_and_risks_and_changes_nothing(setup: Setup) {
    if setup.shell == Shell::Nu {
        return;
    }
    let sh = setup.model(TWO).start();
    sh.asks("clear the build");
    sh.expect_line("ls -la");
    sh.press();
    sh.expect_line("rm -r build");
    sh.pty.send(KEY);
    says(&sh, &["1. ls -la [Safe]", "> 2. rm -r build [! Confirm: deletes: build"]);
    sh.expect_line("rm -r build");
    sh.press();
    sh.expect_line("clear the build");
    sh.is_well();
}

fn a_line_without_suggestions_has_no_list(setup: Setup) {
    if setup.shell == Shell::Nu {
        return;
    }
    let sh = setup.model("").start();
    sh.types("ls -la");
    sh.pty.send(KEY);
    says(&sh, &["no suggestions for this line"]);
    sh.expect_line("ls -la");
}

fn no_key(setup: Setup) {
    let script = setup.init(&["--menu-key", "none"]).script();
    assert!(!script.lines().take(10).any(|line| line.contains("menu") && line.contains("alt-g")));
}
