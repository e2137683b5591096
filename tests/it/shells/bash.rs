//! Cases of bash alone: what readline hides, hooks, continued commands, and ble.sh in its place.

use askline_syntax::shell::Shell;

use super::key::{LS, SLOW, two_rows};
use super::label::is_all;
use super::sh::{Setup, Sh};

const DANGEROUS: &str = r#"{"reply": "rm -rf ~", "delay_ms": 300}"#;

/// A minimal copy of what ble.sh does: its function for a key keeps the upper rows of the prompt, and draws the whole
/// prompt so many rows further up; a command sets the next line by a function.
const BLE: &str = r#"_ble_attached=1 _ble_prompt_ps1_data=(0 0 0 7 1)
ble_key() { __askline_line; printf '\e[1A\r' >/dev/tty; return 124; }
bind -x '"\C-g": ble_key'
ble-edit/content/reset() { printf '%s' "$1" >next.new; mv next.new next; }"#;

macro_rules! in_bash {
    ($($case:ident)*) => {$(
        #[test]
        fn $case() {
            Setup::of(Shell::Bash).into_iter().for_each(cases::$case);
        }
    )*};
}

in_bash! {
    the_words_are_seen_during_the_wait
    words_that_fill_the_screen_are_cut_during_the_wait
    a_cancelled_press_leaves_the_screen_as_it_was
    ask_before_a_slow_prompt_leaves_no_answer_of_the_terminal
    the_rest_of_a_command_is_refused
    a_second_prompt_of_yours_is_known_too
    without_our_hook_the_key_works
    the_status_reaches_the_prompt
    the_hook_of_others_stays_the_last
    the_message_is_above_what_ble_draws
    ask_gives_ble_the_line
}

mod cases {
    use super::*;

    pub(super) fn the_words_are_seen_during_the_wait(setup: Setup) {
        let words = "list the files of this directory and all below it, with their sizes, newest first";
        let sh = setup.model(SLOW).after(two_rows).start();
        sh.pty.send(words);
        sh.pty.wait_for("newest");
        sh.press();
        sh.expect_busy();
        let screen = sh.pty.screen();
        let above: Vec<&str> = screen.lines().take_while(|row| !row.contains("Esc keeps")).collect();
        assert_eq!(above.concat(), format!("TOPREADY> {words}"), "{screen}");
        sh.expect_whole("TOP\nREADY> touch suggested");
    }

    pub(super) fn words_that_fill_the_screen_are_cut_during_the_wait(setup: Setup) {
        let sh = setup.model(SLOW).start();
        sh.pty.send(&"word ".repeat(600));
        sh.pty.send("END");
        sh.pty.wait_for("END");
        sh.press();
        sh.expect_busy();
        sh.expect("touch suggested");
        let screen = sh.pty.screen();
        assert!(!screen.contains("word"), "{screen}");
    }

    pub(super) fn a_cancelled_press_leaves_the_screen_as_it_was(setup: Setup) {
        let sh = setup.model(r#"{"reply": "pwd", "delay_ms": 60000}"#).after(two_rows).start();
        sh.types("list files");
        for _ in 0..3 {
            sh.presses_until(|| sh.pty.screen().contains("Esc keeps"));
            sh.pty.send("\x03");
            sh.expect_whole("TOP\nREADY> list files");
        }
    }

    /// The terminal answers `ask` while other programs of the prompt run; such an answer would be echoed.
    pub(super) fn ask_before_a_slow_prompt_leaves_no_answer_of_the_terminal(setup: Setup) {
        let slow = |_| "PS1='TOP\\nREADY> '; PROMPT_COMMAND[0]='sleep 1'";
        let sh = setup.model(LS).after(slow).start();
        sh.types("ask list files");
        sh.pty.send("\r");
        sh.expect("ls -la");
        sh.expect_whole("TOP\nREADY> ask list files\nTOP\nREADY> ls -la");
    }

    pub(super) fn the_rest_of_a_command_is_refused(setup: Setup) {
        let sh = setup.model(LS).start();
        is_refused_in_a_loop(&sh, "> ");
        sh.pty.send("\x03");
        sh.expect("");
        sh.asks("list files");
        sh.expect("ls -la");
        sh.pty.send("\x15for f in a; do\rtouch $f; done\r");
        sh.wait_file("a");
        sh.expect("");
        sh.model(LS);
        sh.asks("list files");
        sh.expect("ls -la");
    }

    /// Another tool sets it after us.
    pub(super) fn a_second_prompt_of_yours_is_known_too(setup: Setup) {
        let sh = setup.model(LS).after(|_| "PS2='more> '").start();
        is_refused_in_a_loop(&sh, "more> ");
    }

    #[track_caller]
    fn is_refused_in_a_loop(sh: &Sh, prompt: &str) {
        sh.pty.send("for f in a; do\r");
        sh.pty.wait("the second prompt", |_| sh.pty.cursor_row().trim_end() == prompt.trim_end());
        sh.pty.send("list files");
        let row = format!("{prompt}list files");
        sh.pty.wait("the words", |_| sh.pty.cursor_row().trim_end() == row);
        sh.press();
        sh.pty.wait_for("askline: works on a fresh prompt, not inside a continued command");
        sh.pty.wait("the words, untouched", |_| sh.pty.cursor_row().trim_end() == row);
    }

    pub(super) fn without_our_hook_the_key_works(setup: Setup) {
        let sh = setup.model(LS).after(|_| "unset PROMPT_COMMAND; __askline_continued=1").start();
        sh.asks("list files");
        sh.expect("ls -la");
    }

    pub(super) fn the_status_reaches_the_prompt(setup: Setup) {
        let sh = setup.model(DANGEROUS).after(|_| "PS1='$?\\nREADY> '").start();
        sh.pty.send("clear; (exit 7)\r");
        sh.pty.wait_for("7\nREADY>");
        sh.asks("throw it all away");
        sh.pty.wait_for("7\nREADY> rm -rf ~");
        sh.pty.send("\x15");
        sh.expect("");
        sh.model(r#"{"fail": "the server is gone", "delay_ms": 300}"#);
        sh.asks("throw it all away");
        sh.pty.wait_for("the server is gone\n7\nREADY> throw it all away");
    }

    /// bash-preexec sees no command after another hook than its own.
    pub(super) fn the_hook_of_others_stays_the_last(setup: Setup) {
        let hooks = "__bp_interactive_mode() { :; }; PROMPT_COMMAND=(: __bp_interactive_mode)";
        let sh = setup.before(|_| hooks).start();
        let seen = sh.runs("printf '%s|' \"${PROMPT_COMMAND[@]}\" >out; touch done");
        assert_eq!(seen, ":|__askline_prompt\n__bp_interactive_mode|");
        let Some(setup) = Setup::of(Shell::Bash) else { return };
        let sh = setup.before(|_| "__bp_install() { :; }; PROMPT_COMMAND=__bp_install").start();
        let seen = sh.runs("printf '%s|' \"${PROMPT_COMMAND[@]}\" >out; touch done");
        assert_eq!(seen, "__askline_prompt\n__bp_install|");
        let Some(setup) = Setup::of(Shell::Bash) else { return };
        let sh = setup.after(|_| "PROMPT_COMMAND=:").start();
        let seen = sh.runs("printf '%s|' \"${PROMPT_COMMAND[@]}\" >out; touch done");
        assert_eq!(seen, ":|__askline_prompt|");
    }

    pub(super) fn the_message_is_above_what_ble_draws(setup: Setup) {
        let sh = setup.model(DANGEROUS).after(|_| "PS1='TOP\\nREADY> '; source ble").with_ble().start();
        sh.asks("throw it all away");
        is_all(&sh, "TOP\nREADY> rm -rf ~");
        sh.model(r#"{"reply": "true"}"#);
        sh.pty.send("\x15");
        sh.expect_line("");
        sh.asks("do nothing");
        sh.expect_whole("TOP\nREADY> true");
    }

    pub(super) fn ask_gives_ble_the_line(setup: Setup) {
        let sh = setup.model(DANGEROUS).after(|_| "source ble").with_ble().start();
        sh.types("ask throw it all away");
        sh.pty.send("\r");
        assert_eq!(sh.wait_file("next"), "rm -rf ~");
        sh.pty.wait_for("askline: !! Dangerous");
        sh.expect_line("");
        assert!(!sh.pty.raw().contains("\x1b[5n"), "{}", sh.pty.describe());
    }
}

impl Setup {
    /// Writes the copy of ble.sh for a start-up file.
    fn with_ble(self) -> Self {
        std::fs::write(self.home().join("ble"), BLE).unwrap();
        self
    }
}
