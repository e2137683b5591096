//! The risk label of a line is seen as long as the line is on the prompt: whatever the words, the prompt and the window.

use askline_syntax::shell::Shell;

use super::key::{two_rows, vi_mode};
use super::sh::{Setup, Sh};

const DANGEROUS: &str = r#"{"reply": "rm -rf ~", "delay_ms": 300}"#;

/// Makes each named function a test in bash and one in fish.
macro_rules! in_bash_and_fish {
    ($($case:ident)*) => {$(
        mod $case {
            use super::{Setup, Shell};

            #[test]
            fn bash() {
                Setup::of(Shell::Bash).into_iter().for_each(super::$case);
            }

            #[test]
            fn fish() {
                Setup::of(Shell::Fish).into_iter().for_each(super::$case);
            }
        }
    )*};
}

in_bash_and_fish! {
    after_words_of_several_rows
    under_a_prompt_of_two_rows
    in_a_small_window
    after_a_long_paste
    not_later_than_the_line
    in_a_window_made_narrow
    after_a_failure_and_a_cancelled_press
    it_goes_with_its_line
    on_a_cleared_screen
    after_ask
    it_goes_with_undo
    it_comes_back_with_an_older_line
    it_goes_with_undo_of_long_words
    it_goes_with_undo_in_vi_mode
    a_key_of_yours_undoes_too
}

/// Waits until the prompt has the line, and the screen its label.
#[track_caller]
fn is_labelled(sh: &Sh, line: &str) {
    sh.pty.wait("the label and the line", |screen| {
        has_label(screen) && sh.pty.cursor_row().trim_end() == format!("READY> {line}")
    });
}

/// Waits until the screen shows only the message, in one row, and these rows below it.
#[track_caller]
pub(super) fn is_all(sh: &Sh, below: &str) {
    sh.pty.wait(&format!("nothing but the message and {below:?}"), |screen| {
        let parts = screen.trim().split_once('\n');
        parts.is_some_and(|(row, rest)| row.starts_with("askline: !! Dangerous") && rest == below)
    });
}

/// Reports whether the label is on the screen, on one row or on two.
fn has_label(screen: &str) -> bool {
    screen.split_whitespace().collect::<String>().contains("!!Dangerous")
}

/// Types words that take several rows, and waits until the screen shows the last ones.
#[track_caller]
fn types_much(sh: &Sh, words: &str) {
    sh.pty.send(words);
    sh.pty.send(" END");
    sh.pty.wait_for("END");
}

fn after_words_of_several_rows(setup: Setup) {
    let sh = setup.model(DANGEROUS).start();
    types_much(&sh, &"throw everything away ".repeat(8));
    sh.press();
    is_labelled(&sh, "rm -rf ~");
    sh.pty.send(" x");
    is_labelled(&sh, "rm -rf ~ x");
}

fn under_a_prompt_of_two_rows(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    types_much(&sh, &"throw everything away ".repeat(8));
    sh.press();
    // The prompt is whole, once, and below the message.
    is_all(&sh, "TOP\nREADY> rm -rf ~");
}

fn in_a_small_window(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    sh.pty.resize(5, 20);
    sh.types("throw it all away");
    sh.press();
    is_labelled(&sh, "rm -rf ~");
    // A line of two rows leaves room for it.
    sh.pty.send(" and more");
    sh.pty.wait("the label above the longer line", |screen| screen.contains("more") && has_label(screen));
}

fn after_a_long_paste(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    let words = "throw everything of mine away ".repeat(100);
    sh.pty.send(&format!("\x1b[200~{words}END\x1b[201~"));
    sh.pty.wait_for("END");
    sh.press();
    is_labelled(&sh, "rm -rf ~");
}

/// In fish, Tab on words behind a # is the key.
fn not_later_than_the_line(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    sh.types("# throw it all away");
    sh.pty.send(if sh.shell == Shell::Fish { "\t" } else { "\x07" });
    let screen = sh.pty.wait_for("READY> rm -rf ~");
    assert!(has_label(&screen), "{screen}");
    is_all(&sh, "TOP\nREADY> rm -rf ~");
}

fn in_a_window_made_narrow(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    sh.asks("throw it all away");
    is_all(&sh, "TOP\nREADY> rm -rf ~");
    // The emulator cuts what bash does not draw again.
    let narrow = if sh.shell == Shell::Fish { 16 } else { 24 };
    for (rows, columns) in [(24, 30), (10, narrow), (6, 60), (24, 80)] {
        sh.pty.resize(rows, columns);
        sh.pty.send("x\x7f");
        is_labelled(&sh, "rm -rf ~");
    }
}

fn after_a_failure_and_a_cancelled_press(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    sh.asks("throw it all away");
    is_labelled(&sh, "rm -rf ~");
    sh.model(r#"{"fail": "the server is gone"}"#);
    sh.pty.send(" or keep it");
    is_labelled(&sh, "rm -rf ~ or keep it");
    sh.press();
    sh.pty.wait_for("askline: the server is gone");
    is_labelled(&sh, "rm -rf ~ or keep it");
    sh.model(r#"{"reply": "pwd", "delay_ms": 60000}"#);
    sh.press();
    sh.expect_busy();
    sh.pty.send("\x03");
    sh.pty.wait("the status row to go", |screen| !screen.contains("Esc keeps"));
    is_labelled(&sh, "rm -rf ~ or keep it");
}

/// An answer without a message takes the older message away, and the next prompt has none.
fn it_goes_with_its_line(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    sh.asks("throw it all away");
    is_labelled(&sh, "rm -rf ~");
    sh.model(r#"{"reply": "true"}"#);
    sh.pty.send("\x15");
    sh.expect_line("");
    sh.types("do nothing");
    sh.press();
    sh.expect_whole("TOP\nREADY> true");
    sh.pty.send("\r");
    sh.expect_whole("TOP\nREADY> true\nTOP\nREADY>");
}

fn on_a_cleared_screen(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    sh.pty.send("clear\r");
    sh.expect_whole("TOP\nREADY>");
    sh.asks("throw it all away");
    is_labelled(&sh, "rm -rf ~");
    for line in ["rm -rf ~ x", "rm -rf ~ x x"] {
        sh.pty.send(" x");
        is_labelled(&sh, line);
        sh.pty.send("\x0c");
        is_all(&sh, &format!("TOP\nREADY> {line}"));
    }
    // Then the key is the user's again.
    sh.pty.send("\x15true\r\x0c");
    sh.expect_whole("TOP\nREADY>");
}

fn after_ask(setup: Setup) {
    let sh = setup.model(DANGEROUS).start();
    sh.types("ask throw it all away");
    sh.pty.send("\r");
    is_labelled(&sh, "rm -rf ~");
    sh.pty.send("\x0c");
    is_all(&sh, "READY> rm -rf ~");
}

/// One undo takes the typed text away, the next one the answer; then the keys are the shell's again.
fn it_goes_with_undo(setup: Setup) {
    for top in ["", "TOP\n"] {
        let Some(setup) = Setup::of(setup.shell) else { return };
        let setup = if top.is_empty() { setup } else { setup.after(two_rows) };
        let sh = setup.model(DANGEROUS).start();
        let keys = if sh.shell == Shell::Fish {
            "bind >out; touch done"
        } else {
            "for m in emacs vi vi-insert; do bind -m $m -psX; done >out; touch done"
        };
        let before = sh.runs(keys);
        sh.expect_line("");
        sh.pty.send("clear\r");
        sh.expect_whole(&format!("{top}READY>"));
        sh.asks("throw it all away");
        is_all(&sh, &format!("{top}READY> rm -rf ~"));
        sh.pty.send(" x");
        is_all(&sh, &format!("{top}READY> rm -rf ~ x"));
        sh.undo();
        is_all(&sh, &format!("{top}READY> rm -rf ~"));
        sh.undo();
        sh.expect_whole(&format!("{top}READY> throw it all away"));
        if sh.shell == Shell::Fish {
            sh.pty.send("\x1b/"); // redo
            is_all(&sh, &format!("{top}READY> rm -rf ~"));
            sh.undo();
            sh.expect_whole(&format!("{top}READY> throw it all away"));
        }
        sh.is_well();
        sh.expect_line("");
        // In fish 3 a late answer of the terminal is still drawn, and not typed.
        let after: String =
            sh.runs(keys).split_inclusive('\n').filter(|row| !row.contains("\\[0n ")).collect();
        assert_eq!(after, before);
        sh.expect_line("");
        sh.types("words");
        sh.undo();
        sh.pty.wait("the shell's own undo", |_| !sh.pty.cursor_row().contains("words"));
    }
}

/// An answer to an edited answer: undo shows the label of the line that it brings back.
fn it_comes_back_with_an_older_line(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    sh.asks("throw it all away");
    is_all(&sh, "TOP\nREADY> rm -rf ~");
    sh.pty.send(" or keep it");
    is_all(&sh, "TOP\nREADY> rm -rf ~ or keep it");
    sh.model(r#"{"reply": "true"}"#);
    sh.press();
    sh.expect_line("true");
    sh.pty.wait("the label to go", |screen| !has_label(screen));
    sh.undo();
    is_all(&sh, "TOP\nREADY> rm -rf ~ or keep it");
}

fn it_goes_with_undo_of_long_words(setup: Setup) {
    let sh = setup.model(DANGEROUS).after(two_rows).start();
    types_much(&sh, &"throw everything away ".repeat(8));
    let before = sh.pty.screen();
    sh.press();
    is_all(&sh, "TOP\nREADY> rm -rf ~");
    sh.undo();
    sh.expect_whole(before.trim());
}

fn it_goes_with_undo_in_vi_mode(setup: Setup) {
    let sh = setup.before(vi_mode).model(DANGEROUS).after(two_rows).start();
    sh.asks("throw it all away");
    is_all(&sh, "TOP\nREADY> rm -rf ~");
    if sh.shell == Shell::Fish {
        sh.pty.send("\x1b");
        std::thread::sleep(std::time::Duration::from_millis(700)); // until Esc is not the start of a sequence any more
        sh.pty.send("u");
    } else {
        sh.undo();
    }
    sh.expect_whole("TOP\nREADY> throw it all away");
}

/// A key that you gave to undo gets this, and one that you took from it stays yours.
fn a_key_of_yours_undoes_too(setup: Setup) {
    let keys = |shell| match shell {
        Shell::Fish => "bind \\cz beginning-of-line; bind \\ct undo",
        _ => r#"bind '"\C-_": beginning-of-line'; bind '"\C-t": undo'"#,
    };
    let sh = setup.before(keys).model(DANGEROUS).start();
    sh.asks("throw it all away");
    is_all(&sh, "READY> rm -rf ~");
    sh.undo();
    sh.pty.send(":");
    is_all(&sh, "READY> :rm -rf ~");
    sh.pty.send("\x14");
    is_all(&sh, "READY> rm -rf ~");
    sh.pty.send("\x14");
    sh.expect_whole("READY> throw it all away");
}

/// bash gives the keys back when its script is loaded again, except those that have another meaning by then.
#[test]
fn in_bash_the_keys_stay_yours() {
    let Some(setup) = Setup::of(Shell::Bash) else { return };
    let sh = setup.model(DANGEROUS).start();
    sh.asks("throw it all away");
    is_labelled(&sh, "rm -rf ~");
    let load = "bind '\"\\C-l\": beginning-of-line'; . ./.bashrc; touch done";
    sh.runs(load);
    sh.asks("throw it all away");
    is_labelled(&sh, "rm -rf ~");
    sh.undo();
    sh.pty.wait("the words", |_| sh.pty.cursor_row().trim_end() == "READY> throw it all away");
    sh.runs("touch done"); // the keys are given back at the next prompt
    let keys = "bind -q undo >out; bind -q beginning-of-line >>out; touch done";
    let bound = sh.runs(keys);
    let (undo, begin) = bound.trim_end().split_once('\n').unwrap();
    assert!(undo.contains(r#""\C-_""#) && !undo.contains("askline"), "{bound}");
    assert!(begin.contains(r#""\C-l""#), "{bound}");
}

/// The function of fish that shows the message is around the user's own only while it is needed.
#[test]
fn in_fish_the_prompt_stays_yours() {
    let Some(setup) = Setup::of(Shell::Fish) else { return };
    let status =
        "function fish_prompt; set -l s $status $pipestatus; builtin printf '%s\\nREADY> ' \"$s\"; end";
    let sh = setup.model(DANGEROUS).after(|_| status).start();
    sh.runs("functions fish_prompt | string match --invert '#*' >before; touch done");
    sh.pty.send("clear; false | sh -c 'exit 3'\r");
    sh.pty.wait_for("3 1 3\nREADY>");
    sh.asks("throw it all away");
    is_labelled(&sh, "rm -rf ~");
    sh.pty.wait_for("\n3 1 3\nREADY> rm -rf ~");
    let after = sh.runs("functions fish_prompt | string match --invert '#*' >out; touch done");
    assert_eq!(after, sh.wait_file("before"));
}
