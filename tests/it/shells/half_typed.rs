//! The key on a half-typed command: the model goes on from what stands there, and the person's part stays.

use askline_syntax::shell::Shell;

use super::sh::Setup;

in_every_shell! {
    a_half_typed_command_is_completed
    a_gap_under_the_cursor_is_filled
    an_answer_that_drops_your_words_is_refused
    a_whole_command_stays
}

fn a_half_typed_command_is_completed(setup: Setup) {
    let row = r#"{"reply": "tar -xf a.tar", "must_contain": "complete this command: tar -x\n"}"#;
    let sh = setup.model(row).start();
    sh.asks("tar -x");
    sh.expect("tar -xf a.tar");
    sh.undo();
    sh.expect("tar -x");
}

/// Nushell has its own `ls`, and a repair for `wc`.
fn a_gap_under_the_cursor_is_filled(setup: Setup) {
    let sign = if setup.shell == Shell::Nu { "^" } else { "" };
    let line = |gap: &str| format!("{sign}ls -l {gap} | {sign}wc -l");
    let row = format!(
        "{{\"reply\": {:?}, \"must_contain\": \"complete this command at ...: {}\\n\"}}",
        line("a"),
        line("...")
    );
    let sh = setup.model(&row).start();
    sh.types(&line(""));
    for _ in 0..line("").chars().rev().take_while(|c| *c != '|').count() + 2 {
        sh.pty.send("\x1b[D");
    }
    sh.insists("X", &line("X"));
    sh.pty.send("\x7f");
    sh.expect_line(&line(""));
    sh.press();
    sh.expect(&line("a"));
}

fn an_answer_that_drops_your_words_is_refused(setup: Setup) {
    let sh = setup.model(r#"{"reply": "unzip a.zip"}"#).start();
    sh.asks("tar -x");
    sh.pty.wait_for("no continuation of this line");
    sh.expect_line("tar -x");
}

/// No model is asked.
fn a_whole_command_stays(setup: Setup) {
    let sh = setup.model("").start();
    sh.asks("tar -xf /dev/null");
    sh.pty.wait_for("already right");
    sh.expect_line("tar -xf /dev/null");
}
