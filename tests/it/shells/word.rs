//! `ask WORDS`: the next prompt has the answer, ready to edit, and nothing is run.

use askline_syntax::shell::Shell;

use super::sh::Setup;

in_every_shell! {
    the_answer_stands_on_the_next_prompt
    words_are_taken_literally
    any_answer_arrives_exactly
    typing_during_the_wait_runs_nothing
    a_failure_leaves_an_empty_prompt
    a_dead_helper_is_named
    without_words_it_says_how
    an_ask_of_yours_stays
    in_a_pipeline_it_prints
}

pub(super) fn the_answer_stands_on_the_next_prompt(setup: Setup) {
    let sh = setup.model(r#"{"reply": "touch suggested", "must_contain": "make a mark"}"#).start();
    sh.types("ask make a mark");
    sh.pty.send("\r");
    sh.expect("touch suggested");
    sh.pty.send("x"); // the answer can be edited
    sh.expect("touch suggestedx");
    sh.is_well();
    sh.lacks("suggested");
    sh.lacks("suggestedx");
}

/// Patterns need no quotes where the shell permits it; a dash is an ordinary word.
pub(super) fn words_are_taken_literally(setup: Setup) {
    let words = match setup.shell {
        Shell::Zsh => "ask what is -x in *.zip? [ab]",
        Shell::Bash | Shell::Fish => "ask 'what is' -x in '*.zip? [ab]'",
        Shell::Nu => "ask what is -x in *.zip? `[ab]`",
    };
    let sh = setup.answers("ls").start();
    sh.types(words);
    sh.pty.send("\r");
    sh.expect("ls");
    assert_eq!(sh.seen().0.trim_end(), "what is -x in *.zip? [ab]");
    assert!(
        !sh.wait_file("arguments").contains("zip"),
        "the words are on a command line that others can read"
    );
}

fn any_answer_arrives_exactly(setup: Setup) {
    let text = "-n \"$HOME\" '$x' `date` \\n %s !! ~ * 日本語 🎉  ";
    let sh = setup.answers(text).start();
    sh.types("ask something odd");
    sh.pty.send("\r");
    sh.expect(text.trim_end());
    assert_eq!(sh.presses_and_sees().0.trim_end_matches('\n'), text);
}

pub(super) fn typing_during_the_wait_runs_nothing(setup: Setup) {
    let sh = setup.model(r#"{"reply": "touch suggested", "delay_ms": 600}"#).start();
    sh.types("ask make a mark");
    sh.pty.send("\r");
    sh.expect_busy();
    sh.pty.send("\rtouch typed\r\r");
    sh.expect("touch suggested");
    sh.is_well();
    sh.lacks("typed");
    sh.lacks("suggested");
}

fn a_failure_leaves_an_empty_prompt(setup: Setup) {
    let sh = setup.model(r#"{"fail": "the server is gone"}"#).start();
    sh.types("ask something");
    sh.pty.send("\r");
    sh.pty.wait_for("the server is gone");
    sh.expect_line("");
    sh.is_well();
    sh.pty.wait_for("askline: the server is gone"); // while it is still readable
}

fn a_dead_helper_is_named(setup: Setup) {
    let sh = setup.helper("stty raw -echo </dev/tty; kill -9 $$").start();
    sh.types("ask something");
    sh.pty.send("\r");
    sh.pty.wait_for("ended unexpectedly");
    sh.expect_line("");
    sh.is_well();
}

fn without_words_it_says_how(setup: Setup) {
    let sh = setup.start();
    sh.types("ask");
    sh.pty.send("\r");
    sh.pty.wait_for("usage: ask ");
    sh.expect_line("");
    sh.is_well();
}

pub(super) fn an_ask_of_yours_stays(setup: Setup) {
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh | Shell::Bash => "alias ask='echo mine'",
            Shell::Fish => "function ask; echo mine $argv; end",
            Shell::Nu => "def ask [...words] { print $'mine ($words | str join ` `)' }",
        })
        .model(r#"{"reply": "ls -la"}"#)
        .start();
    sh.pty.wait_for("askline: ask is already a command of yours");
    sh.types("ask me");
    sh.pty.send("\r");
    sh.pty.wait("mine", |screen| screen.lines().any(|row| row == "mine me"));
    sh.asks("list files");
    sh.expect("ls -la");
}

/// A pipeline has no next prompt of its own, and nothing may be typed into the following one. fish and Nushell run
/// `ask` itself in the shell, so it fills the next prompt as usual.
fn in_a_pipeline_it_prints(setup: Setup) {
    if matches!(setup.shell, Shell::Fish | Shell::Nu) {
        return;
    }
    let sh = setup.model(r#"{"reply": "touch suggested"}"#).start();
    sh.types("ask make a mark | tr a-z A-Z");
    sh.pty.send("\r");
    sh.pty.wait("the answer", |screen| screen.lines().any(|row| row == "TOUCH SUGGESTED"));
    sh.expect_line("");
    sh.is_well();
    sh.lacks("suggested");
}
