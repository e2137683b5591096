//! Messages beside the prompt line: readable, visible while the user types on, and without losing keys.

use askline_syntax::shell::Shell;

use super::fix::inside_tmux;
use super::key::{LS, SLOW, fills_the_screen, ran_nothing, two_rows};
use super::sh::Setup;

in_every_shell! {
    a_helper_of_another_version_keeps_the_line
    a_note_stays_beside_the_answer
    an_answer_that_changes_nothing_says_so
    a_dangerous_answer_says_why
    a_long_reason_keeps_its_remedy
    a_message_below_the_line_goes
    a_cancelled_line_takes_its_message_along
    a_failure_under_a_prompt_of_two_rows
    a_failure_at_the_bottom_of_the_screen
    a_narrow_terminal_shows_the_label
    a_resize_during_the_wait
    a_message_outlives_a_resize_of_a_terminal_that_rewraps
    a_missing_helper_keeps_the_line
    a_dead_helper_keeps_the_line
}

/// A helper that refuses the script's options, and one that only prints a line, as another version might.
fn a_helper_of_another_version_keeps_the_line(setup: Setup) {
    for body in ["exit 2", "printf 'touch suggested'", "exit 3"] {
        let Some(setup) = Setup::of(setup.shell) else { return };
        let sh = setup.helper(body).start();
        sh.asks("list files");
        sh.pty.wait_for("are of different versions");
        sh.expect_line("list files");
        ran_nothing(&sh);
    }
}

fn a_note_stays_beside_the_answer(setup: Setup) {
    let sh = setup.model(r#"{"reply": "echo “hi”"}"#).start();
    sh.asks("say hi");
    sh.expect_line("echo \"hi\"");
    sh.pty.wait_for("askline: curly quotes made straight");
    sh.pty.send("x");
    sh.expect_line("echo \"hi\"x");
    sh.pty.wait_for("askline: curly quotes made straight");
    sh.is_well();
}

fn an_answer_that_changes_nothing_says_so(setup: Setup) {
    let sh = setup.model(r#"{"reply": "echo hello"}"#).start();
    sh.asks("echo hello");
    sh.pty.wait_for("the model's answer is the same line");
    sh.expect_line("echo hello");
}

/// The label comes from our code; the line is put there all the same, and no part of it has run.
pub(super) fn a_dangerous_answer_says_why(setup: Setup) {
    let sh = setup.model(r#"{"reply": "rm -rf ~"}"#).start();
    std::fs::write(sh.home().join("mine"), "").unwrap();
    sh.asks("throw everything of mine away");
    sh.expect_line("rm -rf ~");
    sh.pty.wait_for("askline: !! Dangerous: deletes: ~");
    sh.is_well();
    assert!(sh.home().join("mine").exists());
    sh.model(r#"{"reply": "rm gone.txt"}"#);
    sh.insists("\x05\x15remove the file gone.txt", "remove the file gone.txt");
    sh.press();
    sh.pty.wait_for("askline: ! Confirm: deletes: gone.txt");
}

fn a_long_reason_keeps_its_remedy(setup: Setup) {
    let reason = "the server is gone and so is the one behind it ".repeat(8);
    let sh = setup.model(&format!(r#"{{"fail": "{reason}; run `askline doctor`"}}"#)).start();
    sh.asks("list files");
    let is_whole = |screen: &str| {
        let rows: Vec<&str> = screen.lines().skip_while(|row| !row.contains("askline: ")).take(4).collect();
        rows.concat().contains("run `askline doctor`")
    };
    sh.pty.wait("the remedy", is_whole);
    sh.expect_line("list files");
    sh.pty.send("x");
    sh.expect_line("list filesx");
}

/// If the message is below the line, the next press and the next command remove it.
fn a_message_below_the_line_goes(setup: Setup) {
    if setup.shell != Shell::Zsh {
        return;
    }
    let reason = "the server is gone and so is the one behind it ".repeat(4);
    let sh = setup.model(&format!(r#"{{"fail": "{reason}"}}"#)).start();
    sh.asks("list files");
    sh.pty.wait_for("behind it");
    sh.model(SLOW);
    sh.press();
    sh.expect_whole("READY> touch suggested");
    sh.model(&format!(r#"{{"fail": "{reason}"}}"#));
    sh.press();
    sh.pty.wait_for("behind it");
    sh.is_well();
    // A command may run before the terminal has processed all earlier output.
    sh.pty.wait("the message to go", |screen| !screen.contains("behind"));
}

/// Number of times that Ctrl-C is pressed at most, and the time between.
const CANCELS_MAX: usize = 10;
const CANCEL_TIME: std::time::Duration = std::time::Duration::from_millis(500);

/// The message stays above the line that was cancelled, and is not shown again with the next one.
fn a_cancelled_line_takes_its_message_along(setup: Setup) {
    let sh = setup.model(r#"{"reply": "rm -rf ~"}"#).start();
    sh.asks("throw everything of mine away");
    sh.pty.wait_for("!! Dangerous");
    sh.expect_line("rm -rf ~");
    // A shell that draws may not read the key yet. Fish's prompt, interrupted by the key, is empty before the line.
    let is_new = |screen: &str| {
        let prompt = screen.lines().rfind(|row| row.contains("READY>"));
        prompt.is_some_and(|row| !row.contains("rm -rf"))
    };
    for _ in 0..CANCELS_MAX {
        sh.pty.send("\x03");
        std::thread::sleep(CANCEL_TIME);
        if is_new(&sh.pty.screen()) {
            break;
        }
    }
    sh.pty.wait("a new prompt", is_new);
    sh.pty.send("echo new");
    sh.expect_line("echo new");
    let screen = sh.pty.screen();
    assert!(screen.matches("!! Dangerous").count() <= 1, "{screen}");
    ran_nothing(&sh);
}

fn a_failure_under_a_prompt_of_two_rows(setup: Setup) {
    let sh = setup.model(r#"{"fail": "the server is gone"}"#).after(two_rows).start();
    sh.asks("list files");
    sh.pty.wait_for("askline: the server is gone");
    sh.expect_line("list files");
    sh.model(LS);
    sh.press();
    sh.expect_line("ls -la");
    let screen = sh.pty.wait_for("READY> ls -la");
    assert!(screen.lines().any(|row| row == "TOP"), "{screen}");
}

fn a_failure_at_the_bottom_of_the_screen(setup: Setup) {
    let sh = setup.model(r#"{"fail": "the server is gone", "delay_ms": 300}"#).start();
    fills_the_screen(&sh);
    sh.asks("list files");
    let screen = sh.pty.wait_for("askline: the server is gone");
    sh.expect_line("list files");
    sh.pty.send("x");
    sh.expect_line("list filesx");
    assert!(sh.pty.screen().contains("askline: the server is gone"), "{screen}");
}

/// A message of several notes is cut, its risk label is not.
fn a_narrow_terminal_shows_the_label(setup: Setup) {
    if setup.shell != Shell::Nu {
        return; // zsh, bash and fish have cases of their own
    }
    let sh = setup.model(r#"{"reply": "rm -rf ~; echo “gone”"}"#).start();
    sh.pty.resize(6, 20);
    sh.pty.send("clean up");
    sh.expect_line("clean up");
    sh.press();
    let screen = sh.pty.wait_for("READY> rm -rf ~; ech");
    let letters: String = screen.split_whitespace().collect();
    assert!(letters.contains("!!Dangerous:deletes"), "{screen}");
}

/// If the terminal becomes narrower during the wait, answer and message are complete.
fn a_resize_during_the_wait(setup: Setup) {
    let sh = setup.model(r#"{"fail": "the server is gone; run `askline doctor`", "delay_ms": 1500}"#).start();
    sh.asks("list files");
    sh.expect_busy();
    sh.pty.resize(20, 44);
    let screen = sh.pty.wait_for("run");
    sh.expect_line("list files");
    assert!(!sh.pty.screen().contains("thinking"), "{screen}");
    sh.pty.send("x");
    sh.expect_line("list filesx");
    // Still visible after the shell has redrawn everything.
    let screen = sh.pty.screen();
    assert!(screen.contains("the server is gone; run"), "{screen}");
}

/// As above in a terminal that rewraps its rows, and with the line in the last row.
fn a_message_outlives_a_resize_of_a_terminal_that_rewraps(setup: Setup) {
    if matches!(setup.shell, Shell::Bash | Shell::Fish) {
        return; // have cases of their own
    }
    for (is_low, rows, columns) in [(false, 24, 40), (true, 24, 40), (true, 40, 80)] {
        let Some(setup) = Setup::of(setup.shell) else { return };
        let model = setup.model(r#"{"reply": "rm -rf ~", "delay_ms": 1500}"#);
        let Some((sh, _tmux)) = inside_tmux(model) else { return };
        if is_low {
            fills_the_screen(&sh);
        } else {
            sh.types("echo hello");
            sh.pty.send("\r");
            sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
        }
        sh.pty.send("throw everything of mine away");
        sh.expect_line("throw everything of mine away");
        sh.press();
        sh.expect_busy();
        sh.pty.resize(rows, columns);
        sh.pty.wait_for("askline: !! Dangerous");
        sh.expect_line("rm -rf ~");
        let screen = sh.pty.screen();
        assert!(!screen.contains("Esc keeps") && !screen.contains("thinking"), "{screen}");
    }
}

fn a_missing_helper_keeps_the_line(setup: Setup) {
    let script = setup.script().replace("askline'", "no-such-askline'");
    let sh = setup.launch_with(&script);
    sh.expect("");
    sh.asks("list files");
    sh.pty.wait_for("no-such-askline can't be run; install it again");
    sh.expect_line("list files");
    sh.is_well();
}

fn a_dead_helper_keeps_the_line(setup: Setup) {
    let sh = setup.helper("exit 101").start();
    sh.asks("list files");
    sh.pty.wait_for("ended unexpectedly (101)");
    sh.expect_line("list files");
    sh.is_well();
}
