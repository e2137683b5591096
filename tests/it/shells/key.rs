//! Effects of the key: the prompt line becomes the answer or stays as it was, and nothing is ever run.

use askline_syntax::shell::Shell;

use super::sh::{SECOND_TRY, Setup, Sh};

pub(super) const LS: &str = r#"{"reply": "ls -la"}"#;
/// A model whose command would leave a mark, slow enough to type during the wait.
pub(super) const SLOW: &str = r#"{"reply": "touch suggested", "delay_ms": 600}"#;
/// A model that answers too late for any test.
const NEVER: &str = r#"{"reply": "touch suggested", "delay_ms": 60000}"#;

in_every_shell! {
    the_line_becomes_the_answer
    one_undo_brings_the_words_back
    the_second_time_works_too
    the_draft_is_seen_as_it_grows
    typing_during_the_wait_runs_nothing
    typing_in_the_same_moment_runs_nothing
    a_failure_keeps_the_line
    a_panic_keeps_the_line
    a_deadline_keeps_the_line
    cancelling_keeps_line_and_cursor
    a_killed_helper_leaves_a_usable_terminal
    a_second_press_cancels
    the_helper_learns_what_the_shell_knows
    beside_plugins_that_paint
    an_empty_line_gets_a_message
    any_text_arrives_exactly
    the_helper_learns_cursor_and_status
    a_prompt_of_two_rows_stays_whole
    a_right_prompt_stays
    at_the_bottom_of_the_screen_the_line_stands_once
    a_line_of_many_rows_is_replaced_whole
    vi_insert_mode
    vi_command_mode
    the_middle_of_a_command_is_refused
    hidden_characters_reach_neither_line_nor_screen
    a_suggestion_is_not_run
}

pub(super) fn the_line_becomes_the_answer(setup: Setup) {
    let sh = setup.model(LS).start();
    sh.asks("list files");
    sh.expect("ls -la");
    sh.pty.send("h"); // the cursor is at the end
    sh.expect("ls -lah");
}

pub(super) fn one_undo_brings_the_words_back(setup: Setup) {
    let sh = setup.model(LS).start();
    sh.asks("list files");
    sh.expect("ls -la");
    sh.undo();
    sh.expect("list files");
}

fn the_second_time_works_too(setup: Setup) {
    let sh = setup.model(r#"{"reply": "pwd"}"#).start();
    sh.asks("list files");
    sh.expect("pwd");
    sh.model(r#"{"reply": "df -h"}"#);
    sh.pty.send("\x05\x15");
    sh.expect("");
    sh.asks("free space");
    sh.expect("df -h");
}

fn the_draft_is_seen_as_it_grows(setup: Setup) {
    let sh = setup.model(r#"{"reply": "ls -la /usr", "writing_ms": 2000}"#).start();
    sh.asks("list files");
    sh.pty.wait("a part of the answer", |screen| {
        let row = screen.lines().find(|row| row.contains("Esc keeps your line")).unwrap_or_default();
        row.contains(" ls -l") && !row.contains("/usr") && row.contains("local")
    });
    sh.expect("ls -la /usr");
    assert!(!sh.pty.screen().contains("Esc keeps"), "{}", sh.pty.screen());
    sh.is_well();
}

fn typing_during_the_wait_runs_nothing(setup: Setup) {
    let sh = setup.model(SLOW).start();
    sh.asks("touch typed");
    sh.expect_busy();
    sh.pty.send("\rtouch late\r\rx");
    sh.expect("touch suggested");
    ran_nothing(&sh);
}

pub(super) fn typing_in_the_same_moment_runs_nothing(setup: Setup) {
    let sh = setup.model(SLOW).start();
    sh.types("touch typed");
    sh.pty.send("\x07\rtouch late\r");
    sh.expect("touch suggested");
    ran_nothing(&sh);
}

#[track_caller]
pub(super) fn ran_nothing(sh: &Sh) {
    sh.is_well();
    for mark in ["typed", "late", "suggested"] {
        sh.lacks(mark);
    }
}

pub(super) fn a_failure_keeps_the_line(setup: Setup) {
    let sh = setup.model(r#"{"fail": "the server is gone"}"#).start();
    sh.types("list files");
    sh.home_key();
    sh.press();
    sh.pty.wait_for("askline: the server is gone");
    sh.expect_line("list files");
    // The first key decides, and the reason stays visible while more keys are typed.
    sh.pty.send("xyz ");
    sh.expect_line("xyz list files");
    sh.pty.wait_for("askline: the server is gone");
}

fn a_panic_keeps_the_line(setup: Setup) {
    let sh = setup.model(r#"{"panic": "to see the line kept"}"#).start();
    sh.asks("list files");
    sh.pty.wait_for("a bug in askline stopped it");
    sh.expect_line("list files");
    sh.is_well();
}

fn a_deadline_keeps_the_line(setup: Setup) {
    let sh = setup.model(NEVER).variable("ASKLINE_DEADLINE_MS", "200").start();
    sh.asks("touch typed");
    sh.pty.wait_for("no answer in time");
    sh.expect_line("touch typed");
    ran_nothing(&sh);
}

pub(super) fn cancelling_keeps_line_and_cursor(setup: Setup) {
    let sh = setup.model(NEVER).start();
    sh.types("touch typed");
    for key in ["\x03", "\x1b", "\x07"] {
        sh.home_key();
        sh.presses_until(|| sh.pty.screen().contains("Esc keeps"));
        sh.pty.send(key);
        sh.pty.wait("the status row to go", |screen| !screen.contains("Esc keeps"));
        sh.expect("touch typed");
        sh.insists("x", "xtouch typed");
        sh.pty.send("\x7f");
        sh.expect("touch typed");
    }
    ran_nothing(&sh);
}

pub(super) fn a_killed_helper_leaves_a_usable_terminal(setup: Setup) {
    let sh = setup
        .helper("stty raw -echo -isig </dev/tty; printf '\\033[1Ebusy\\033[1A' >/dev/tty; kill -9 $$")
        .start();
    let modes = "sh -c 'stty -g >out; touch done'";
    let before = sh.runs(modes);
    sh.pty.send("list files");
    sh.pty.wait_for("READY> list files");
    sh.press();
    let screen = sh.pty.wait_for("ended unexpectedly");
    sh.expect_line("list files");
    assert!(!screen.contains("busy"), "{screen}");
    let after = sh.runs(modes);
    if sh.shell == Shell::Nu {
        // Nushell gives no moment to save the modes, so they are reset to the usual ones; output and local flags are
        // compared.
        let usual = |modes: &str| modes.split(':').skip(1).take(3).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(usual(&after), usual(&before));
    } else {
        assert_eq!(after, before);
    }
}

fn a_second_press_cancels(setup: Setup) {
    let sh = setup.model(NEVER).start();
    sh.types("touch typed");
    for _ in 0..3 {
        sh.press();
        sh.pty.wait_for("Esc keeps");
        sh.press();
        sh.pty.wait("the status row to go", |screen| !screen.contains("Esc keeps"));
        sh.expect("touch typed");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    ran_nothing(&sh);
}

/// Version, function names, and aliases with their definitions, if the shell can list them quickly.
pub(super) fn the_helper_learns_what_the_shell_knows(setup: Setup) {
    let shell = setup.shell;
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh | Shell::Bash => "alias up='cd .. && ls'; mkcd() { :; }",
            Shell::Fish => "function mkcd; end; alias up 'cd ..'",
            Shell::Nu => "alias up = ls -l; def mkcd [] {}",
        })
        .variable("SECRET_TOKEN", "hunter2")
        .answers("ls")
        .start();
    // Nushell reports only the names that appear on the line.
    sh.types("mkcd files");
    let (line, facts) = sh.presses_and_sees();
    assert_eq!(line.trim_end(), "mkcd files");
    let fields: Vec<&str> = facts.split('\0').collect();
    let fact = |key: &str| fields.chunks(2).find(|pair| pair[0] == key).map(|pair| pair[1]);
    let version = format!("{}_VERSION", shell.name().to_uppercase());
    assert!(fact(&version).is_some_and(|version| version.contains('.')), "{facts:?}");
    let functions: Vec<&str> = fact("functions").unwrap_or_default().lines().collect();
    assert!(functions.contains(&"mkcd"), "{facts:?}");
    let expansion = match shell {
        Shell::Zsh | Shell::Bash => Some("cd .. && ls"),
        Shell::Fish => None,
        Shell::Nu => Some("ls -l"),
    };
    assert_eq!(fact("alias.up"), expansion, "{facts:?}");
    assert!(!facts.contains("hunter2"), "{facts:?}");
}

/// The most common plugins, which draw ghost text and colours and wrap every widget.
fn beside_plugins_that_paint(setup: Setup) {
    if setup.shell != Shell::Zsh {
        return;
    }
    let plugins = [
        "/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh",
        "/usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh",
    ];
    if let Some(missing) = plugins.iter().find(|path| !std::path::Path::new(path).exists()) {
        assert!(std::env::var_os("CI").is_none(), "{missing} is not installed");
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("SKIPPED: {missing} is not installed\n").as_bytes(),
        );
        return;
    }
    let load = "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh; \
                source /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh; \
                print -s 'list files of yesterday'; (exit 7)";
    for first in [true, false] {
        let Some(setup) = Setup::of(Shell::Zsh) else { return };
        let setup = if first { setup.before(|_| load) } else { setup.after(|_| load) };
        let sh = setup.model(SLOW).launch();
        sh.expect_line("");
        sh.pty.send("list files");
        sh.pty.wait_for("READY> list files of yesterday"); // its ghost text
        sh.press();
        let screen = sh.pty.wait_for("Esc keeps your line");
        assert!(!screen.contains("yesterday"), "{screen}");
        sh.expect_whole("READY> touch suggested");
        sh.undo();
        sh.expect_line("list files of yesterday");
        sh.model(r#"{"fail": "the server is gone"}"#);
        sh.press();
        sh.pty.wait_for("askline: the server is gone");
        sh.pty.send(" of");
        sh.expect_line("list files of yesterday");
        sh.pty.wait_for("askline: the server is gone");
        ran_nothing(&sh);
    }
}

fn an_empty_line_gets_a_message(setup: Setup) {
    let sh = setup.model(LS).start();
    sh.types("x");
    sh.pty.send("\x7f");
    sh.expect("");
    sh.press();
    sh.pty.wait_for("type what you want");
    sh.expect_line("");
    sh.pty.send("  ");
    sh.press();
    sh.pty.wait_for("type what you want");
    sh.expect_line("");
    sh.is_well();
}

/// The helper's answer returns, byte for byte, as the line of the next press.
fn any_text_arrives_exactly(setup: Setup) {
    let long = "x".repeat(3000);
    let texts = [
        "echo \"$HOME\" '$x' `date` \\n %s %d !! !$ ~ * ? [a] {b,c} $(id) <(x) # no",
        "for f in *.txt; do\n  echo \"$f\"\ndone",
        "-n leading dash",
        "--help",
        "echo 'naïve — 日本語 🎉 e\u{301}'",
        "trailing blanks  ",
        "two rows and newlines at the end\n\n",
        "tab\there",
        "\\",
        "%",
        "'",
        &long,
    ];
    let sh = setup.answers("").start();
    sh.types("words");
    for text in texts {
        std::fs::write(sh.home().join("answer"), text).unwrap();
        sh.presses_and_sees();
        let (seen, _) = sh.presses_and_sees();
        // fish adds a newline to what it hands over.
        let seen = if sh.shell == Shell::Fish { seen.strip_suffix('\n').unwrap_or(&seen) } else { &seen };
        assert_eq!(seen, text, "{}", sh.pty.describe());
    }
}

fn the_helper_learns_cursor_and_status(setup: Setup) {
    let sh = setup.answers("").start();
    sh.pty.send("sh -c 'exit 7'\r");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.types("größe");
    sh.home_key();
    sh.pty.send("\x1b[C\x1b[C\x1b[C");
    sh.press();
    let arguments = sh.wait_file("arguments");
    assert!(arguments.contains("--cursor 3"), "{arguments}");
    assert!(arguments.contains("--status 7"), "{arguments}");
    assert!(arguments.contains(&format!("--shell {}", sh.shell)), "{arguments}");
    assert!(!arguments.contains("gr"), "the line is on a command line that others can read: {arguments}");
}

pub(super) fn two_rows(shell: Shell) -> &'static str {
    match shell {
        Shell::Zsh => "PROMPT=$'TOP\\nREADY> '",
        Shell::Bash => "PS1='TOP\\nREADY> '",
        Shell::Fish => "function fish_prompt; builtin printf 'TOP\\nREADY> '; end",
        Shell::Nu => "$env.PROMPT_COMMAND = {|| \"TOP\\nREADY> \"}",
    }
}

fn a_prompt_of_two_rows_stays_whole(setup: Setup) {
    let sh = setup.model(SLOW).after(two_rows).start();
    sh.asks("list files");
    sh.expect_busy();
    sh.expect_whole("TOP\nREADY> touch suggested");
    sh.undo();
    sh.expect_whole("TOP\nREADY> list files");
}

pub(super) fn fills_the_screen(sh: &Sh) {
    for _ in 0..30 {
        sh.pty.send("\r");
    }
    // Nushell may lose some of these many keys, and one typed before a prompt leaves an empty row; extra keys do no
    // harm.
    let is_full = || {
        let screen = sh.pty.screen();
        screen.lines().count() == 24 && screen.lines().all(|row| row.trim_end() == "READY>")
    };
    sh.sends_until("\r", SECOND_TRY / 10, is_full);
    // Ensures that no key is still on its way.
    std::thread::sleep(SECOND_TRY / 3);
}

fn at_the_bottom_of_the_screen_the_line_stands_once(setup: Setup) {
    let sh = setup.model(SLOW).start();
    fills_the_screen(&sh);
    sh.asks("list files");
    sh.expect("touch suggested");
    let screen = sh.pty.screen();
    assert_eq!(screen.matches("touch suggested").count(), 1, "{screen}");
    assert!(!screen.contains("list files"), "{screen}");
}

fn a_right_prompt_stays(setup: Setup) {
    let has_none = setup.shell == Shell::Bash;
    let sh = setup
        .model(SLOW)
        .after(|shell| match shell {
            Shell::Zsh => "RPROMPT=RIGHT",
            Shell::Bash => "",
            Shell::Fish => "function fish_right_prompt; builtin printf RIGHT; end",
            Shell::Nu => "$env.PROMPT_COMMAND_RIGHT = {|| 'RIGHT'}",
        })
        .launch();
    if has_none {
        return;
    }
    sh.pty.wait_for("RIGHT");
    sh.pty.send("list files");
    sh.pty.wait_for("list files");
    sh.press();
    sh.expect_busy();
    let screen = sh.pty.wait("the answer", |screen| {
        screen
            .lines()
            .any(|row| row.starts_with("READY> touch suggested ") && row.trim_end().ends_with("RIGHT"))
    });
    assert_eq!(screen.matches("READY>").count(), 1, "{screen}");
}

fn a_line_of_many_rows_is_replaced_whole(setup: Setup) {
    let words = "list the files ".repeat(12);
    let sh = setup.model(SLOW).start();
    sh.pty.send(words.trim_end());
    sh.pty.wait("the words", |screen| screen.replace('\n', "").contains(words.trim_end()));
    sh.press();
    sh.expect_busy();
    sh.expect_whole("READY> touch suggested");
}

pub(super) fn vi_mode(shell: Shell) -> &'static str {
    match shell {
        Shell::Zsh => "bindkey -v; KEYTIMEOUT=1",
        Shell::Bash => "set -o vi",
        Shell::Fish => "fish_vi_key_bindings; function fish_mode_prompt; end",
        Shell::Nu => "$env.config.edit_mode = 'vi'",
    }
}

pub(super) fn vi_insert_mode(setup: Setup) {
    let sh = setup.before(vi_mode).model(LS).start();
    sh.asks("list files");
    sh.expect("ls -la");
    sh.pty.send("h");
    sh.expect("ls -lah");
}

fn vi_command_mode(setup: Setup) {
    let sh = setup.before(vi_mode).model(LS).start();
    sh.types("list files");
    sh.pty.send("\x1b");
    std::thread::sleep(std::time::Duration::from_millis(700)); // until Esc is not the start of a sequence any more
    sh.press();
    sh.expect("ls -la");
    if sh.shell != Shell::Nu {
        sh.pty.send("x"); // deletes the character under the cursor, the last one
        sh.expect("ls -l");
    }
    sh.pty.send("u");
}

fn hidden_characters_reach_neither_line_nor_screen(setup: Setup) {
    let payloads = [
        (r"ls \u001b]0;pwned\u0007", "\x1b]0;pwned"),
        (r"ls \u001b]52;c;cm0gLXJmIC8=\u0007", "\x1b]52;"),
        (r"ls \u001b[2J\u001b[31mred", "\x1b[31mred"),
        (r"ls \u009b31m", "\u{9b}31m"),
        (r"ls \u202etxt.exe", "\u{202e}"),
        (r"ls \u200bfiles", "\u{200b}"),
        (r"ls \udb40\udc41", "\u{e0041}"),
        (r"ls \u0000 -la", "\0"),
    ];
    let sh = setup.start();
    sh.types("list files");
    for (payload, escape) in payloads {
        sh.model(&format!(r#"{{"reply": "{payload}"}}"#));
        sh.runs("clear; touch done");
        sh.types("list files");
        sh.presses_until(|| sh.pty.screen().contains("the answer was refused"));
        sh.expect_line("list files");
        assert!(!sh.pty.raw().contains(escape), "{payload} reached the terminal");
    }
}

fn a_suggestion_is_not_run(setup: Setup) {
    let sh = setup.model(r#"{"reply": "touch suggested"}"#).start();
    sh.asks("make a mark");
    sh.expect("touch suggested");
    ran_nothing(&sh);
}

/// Text above the last row of a continued command cannot be replaced, so the script disables it in zsh; for bash see
/// `bash`. fish and Nushell keep all rows in one line.
fn the_middle_of_a_command_is_refused(setup: Setup) {
    if setup.shell != Shell::Zsh {
        return;
    }
    let sh = setup.model(LS).start();
    sh.pty.send("for f in a; do\r");
    sh.pty.wait_for("for>");
    sh.pty.send("list files\x07");
    let screen = sh.pty.wait_for("for> askline: works on a fresh prompt, not inside a continued command");
    assert!(screen.trim_end().ends_with("\nlist files"), "{screen}");
}
