//! Optional ghost text in Nushell: below words after a # it shows the suggested command. It does not disturb typing,
//! other hints, prompts or `exit`.

use std::time::Duration;

use askline_syntax::shell::Shell;

use super::key;
use super::sh::{Setup, Sh};

const LS: &str = r#"{"reply": "ls -la"}"#;
const TOUCH: &str = r#"{"reply": "touch suggested"}"#;

in_nushell! {
    the_right_arrow_takes_it
    the_key_takes_it_at_once
    the_key_need_not_wait_for_it
    at_the_bottom_of_the_screen_the_words_stand_once
    the_menu_has_it
    it_goes_when_typing_goes_on
    only_the_last_state_of_the_words_is_asked_about
    a_dangerous_one_says_so_in_the_comment
    enter_on_words_runs_nothing
    exit_is_silent
    a_prompt_counts_no_job
    hints_of_the_history_stay
    hints_of_a_database_stay
    hints_of_yours_stay
    vi_mode
    prompts_of_yours_stay
    without_the_helper
    without_hints
    off_unless_wanted
}

fn on(setup: Setup) -> Setup {
    setup.init(&["--inline", "on"])
}

/// Types words and checks the ghost text on the row below.
#[track_caller]
fn sees(sh: &Sh, words: &str, ghost: &str) {
    sh.pty.send(words);
    let shown = format!("READY> {words}\n{ghost}");
    sh.pty.wait(&format!("{shown:?}"), |screen| screen.trim_end().ends_with(&shown));
}

fn the_right_arrow_takes_it(setup: Setup) {
    let sh = on(setup).model(TOUCH).start();
    sees(&sh, "# make a mark", "touch suggested");
    sh.pty.send("\x1b[C");
    sh.pty.wait("the taken text", |screen| {
        screen.trim_end().ends_with("READY> # make a mark\n::: touch suggested")
    });
    sh.lacks("suggested");
    sh.pty.send("\r");
    sh.wait_file("suggested");
}

fn the_key_takes_it_at_once(setup: Setup) {
    let sh = on(setup).model(TOUCH).start();
    sees(&sh, "# make a mark", "touch suggested");
    sh.model(r#"{"fail": "asked once more"}"#);
    sh.press();
    sh.expect_line("touch suggested");
    sh.pty.wait_for("askline: 1 of 1");
    sh.undo();
    sh.expect_line("# make a mark");
    sh.lacks("suggested");
}

fn the_key_need_not_wait_for_it(setup: Setup) {
    let sh = on(setup).model(key::SLOW).start();
    sh.types("# make a mark");
    std::thread::sleep(Duration::from_millis(400)); // the request is running
    sh.press();
    sh.expect_line("touch suggested");
    let jobs = sh.runs("job list | length | save -f out; touch done");
    assert_eq!(jobs.trim(), "0");
    sh.lacks("suggested");
}

fn at_the_bottom_of_the_screen_the_words_stand_once(setup: Setup) {
    let sh = on(setup).model(TOUCH).start();
    key::fills_the_screen(&sh);
    sees(&sh, "# make a mark", "touch suggested");
    let screen = sh.pty.screen();
    assert_eq!(screen.matches("make a mark").count(), 1, "{screen}");
    sh.pty.send("\x15");
    sh.expect_line("");
    assert!(!sh.pty.screen().contains("touch"), "{}", sh.pty.screen());
    sees(&sh, "# make a mark", "touch suggested");
    sh.press();
    sh.expect_line("touch suggested");
    // The message appears above the prompt line it belongs to.
    let screen = sh.pty.wait_for("READY> # make a mark\naskline: 1 of 1\n");
    assert_eq!(screen.matches("make a mark").count(), 1, "{screen}");
}

fn the_menu_has_it(setup: Setup) {
    let sh = on(setup).model(TOUCH).start();
    sees(&sh, "# make a mark", "touch suggested");
    sh.pty.send("\x1b[C");
    sh.pty.wait_for("::: touch suggested");
    sh.pty.send("\x1bg");
    sh.pty.wait_for("total: 2");
    sh.pty.send("\r");
    sh.expect_line("touch suggested");
    sh.lacks("suggested");
}

fn it_goes_when_typing_goes_on(setup: Setup) {
    let sh = on(setup).model(LS).start();
    sees(&sh, "# list files", "ls -la");
    sh.model(r#"{"reply": "ls -a"}"#);
    sh.pty.send(" by size");
    let shown = "READY> # list files by size\nls -a";
    sh.pty.wait("the other one", |screen| screen.trim_end().ends_with(shown));
    sh.pty.send("\x15");
    sh.expect_whole("READY>");
}

fn only_the_last_state_of_the_words_is_asked_about(setup: Setup) {
    let sh = on(setup).model(r##"{"reply": "ls -la", "must_contain": "# list files\n"}"##).start();
    for key in "# list file".chars() {
        sh.pty.send(&key.to_string());
        std::thread::sleep(Duration::from_millis(30));
    }
    sh.pty.send("s");
    sh.pty.wait("the ghost text", |screen| screen.trim_end().ends_with("READY> # list files\nls -la"));
}

fn a_dangerous_one_says_so_in_the_comment(setup: Setup) {
    let sh = on(setup).model(r#"{"reply": "rm -rf build; touch suggested"}"#).start();
    sh.pty.send("# show what is here");
    let screen = sh.pty.wait_for("rm -rf build; touch suggested");
    assert!(screen.contains("# show what is here  !! Dangerous"), "{screen}");
    sh.pty.send("\x1b[C");
    let screen = sh.pty.wait_for("::: rm -rf build; touch suggested");
    assert!(screen.contains("# show what is here  !! Dangerous"), "{screen}");
    sh.lacks("suggested");
}

fn enter_on_words_runs_nothing(setup: Setup) {
    let sh = on(setup).model(TOUCH).start();
    sees(&sh, "# make a mark", "touch suggested");
    sh.pty.send("\r");
    sh.expect_line("");
    sh.is_well();
    sh.lacks("suggested");
    let jobs = sh.runs("job list | length | save -f out; touch done");
    assert_eq!(jobs.trim(), "0");
}

fn exit_is_silent(setup: Setup) {
    for keys in [
        &["# make a mark", "\x15exit\r"][..], // at once
        &["# make a mark", "\x15", "exit\r"],
        &["# make a mark", "\r", "\x04"],
        &["# make a mark", "\x03", "exit\r"],
        &["exit\r"],
        &["\x04"],
    ] {
        let mut sh = on(Setup::of(setup.shell).unwrap()).model(TOUCH).start();
        for (n, key) in keys.iter().enumerate() {
            if n == 0 && keys.len() > 1 {
                sees(&sh, key, "touch suggested");
            } else {
                sh.pty.send(key);
            }
            if n + 1 < keys.len() {
                std::thread::sleep(Duration::from_millis(300));
            }
        }
        sh.pty.wait_exit();
        let said = sh.pty.raw();
        assert!(!said.contains("job"), "{keys:?}: {said}");
    }
}

/// Some prompts show the number of background jobs.
fn a_prompt_counts_no_job(setup: Setup) {
    let counting = "$env.PROMPT_COMMAND = {|| $'(job list | length)READY> '}";
    let sh = on(setup).after(|_| counting).model(TOUCH).launch();
    sh.expect("");
    for leave in ["\r", "\x03", "\x07"] {
        sh.pty.send("# make a mark");
        sh.pty.wait("the ghost text", |screen| screen.trim_end().ends_with("\ntouch suggested"));
        sh.pty.send(leave);
        sh.pty.wait("the next line", |screen| !screen.trim_end().ends_with("\ntouch suggested"));
        sh.insists("\x05\x15", "");
    }
    let screen = sh.pty.screen();
    assert!(
        screen.lines().filter(|row| row.contains("READY>")).all(|row| row.starts_with("0READY>")),
        "{screen}"
    );
    assert!(screen.contains("0READY>"), "{screen}");
}

fn hints_of_the_history_stay(setup: Setup) {
    let sh = on(setup).model(LS).start();
    sh.runs("touch done; print 'größer' | ignore");
    sh.pty.wait("the next prompt", |screen| screen.trim_end().ends_with("\nREADY>"));
    sh.pty.send("[second\x1b\rrow] | ignore\r");
    sh.pty.wait("the next prompt", |screen| screen.trim_end().ends_with("\nrow] | ignore\nREADY>"));
    sh.pty.send("[sec");
    sh.pty.wait("both rows", |screen| screen.trim_end().ends_with("READY> [second\nrow] | ignore"));
    sh.pty.send("\x05\x15");
    sh.pty.send("touch done; print 'g");
    sh.expect_line("touch done; print 'größer' | ignore");
    sh.pty.send("\x1b[C");
    sh.pty.send("x");
    sh.expect_line("touch done; print 'größer' | ignorex");
    sh.pty.send("\x05\x15nothing that was");
    sh.expect_line("nothing that was");
}

fn hints_of_a_database_stay(setup: Setup) {
    let sh = on(setup).before(|_| "$env.config.history.file_format = 'sqlite'").model(LS).start();
    sh.runs("touch done; print 'größer' | ignore");
    sh.pty.wait("the next prompt", |screen| screen.trim_end().ends_with("\nREADY>"));
    sh.pty.send("touch done; print 'g");
    sh.expect_line("touch done; print 'größer' | ignore");
}

fn hints_of_yours_stay(setup: Setup) {
    let yours = "$env.config.hinter = {closure: {|it| if $it.line == 'my' { ' own' } }}";
    let sh = on(setup).before(|_| yours).model(LS).start();
    sh.pty.send("my");
    sh.expect_line("my own");
    sh.pty.send("\x05\x15");
    sees(&sh, "# list files", "ls -la");
}

fn vi_mode(setup: Setup) {
    let sh = on(setup).before(|_| "$env.config.edit_mode = 'vi'").model(TOUCH).start();
    sees(&sh, "# make a mark", "touch suggested");
    sh.pty.send("\x1b[C");
    sh.pty.wait_for("::: touch suggested");
    sh.lacks("suggested");
}

/// The user's prompt text for later rows is kept when the ghost text is taken, and so are transient prompts, drawn
/// after a line has run.
fn prompts_of_yours_stay(setup: Setup) {
    let yours = "$env.PROMPT_MULTILINE_INDICATOR = 'mine> '; $env.TRANSIENT_PROMPT_COMMAND = {|| 'RAN> '}\n\
                 $env.TRANSIENT_PROMPT_MULTILINE_INDICATOR = 'ran> '";
    let sh = on(setup).after(|_| yours).model(TOUCH).start();
    sh.pty.send("# make a mark");
    sh.pty.wait_for("\ntouch suggested");
    sh.pty.send("\x1b[C");
    sh.pty.wait_for("mine> touch suggested");
    sh.pty.send("\r");
    sh.wait_file("suggested");
    sh.pty.wait_for("RAN> # make a mark\nran> touch suggested");
}

fn without_the_helper(setup: Setup) {
    let sh = on(setup).model(LS).start();
    std::fs::remove_file(sh.home().join("bin/askline")).unwrap();
    sh.types("# list files");
    std::thread::sleep(Duration::from_millis(600));
    sh.pty.send(" here");
    sh.expect_whole("READY> # list files here");
    sh.is_well();
}

/// If Nushell is configured without hints, no job remains that `exit` would warn about.
fn without_hints(setup: Setup) {
    for off in ["$env.config.show_hints = false", "$env.config.use_ansi_coloring = false"] {
        let setup = Setup::of(setup.shell).unwrap();
        let mut sh = on(setup).before(move |_| off).model(LS).start();
        sh.types("# list files");
        sh.pty.send("\x15exit\r");
        sh.pty.wait_exit();
        assert!(!sh.pty.raw().contains("job"), "{off}: {}", sh.pty.raw());
    }
}

fn off_unless_wanted(setup: Setup) {
    let sh = setup.model(LS).start();
    sh.types("# list files");
    let found = sh.runs("$env.config.hinter | to nuon | save -f out; touch done");
    assert_eq!(found.trim(), "{closure: null}");
}

/// Older versions parse the script and have everything else.
pub(super) fn an_older_one_does_without(setup: Setup) {
    let sh = on(setup).model(LS).start();
    sh.expect_whole("READY>");
    sh.types("# list files");
    std::thread::sleep(Duration::from_millis(600));
    sh.expect_whole("READY> # list files");
    sh.press();
    sh.expect("ls -la");
}

#[test]
fn whoever_asks_for_it_in_an_older_one_is_told() {
    for (version, told) in
        [("0.114.1", true), ("0.107.0", true), ("0.115.1", false), ("1.0.0", false), ("", false)]
    {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_askline"))
            .args(["init", Shell::Nu.name(), "--inline", "on"])
            .env("NU_VERSION", version)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.lines().count() == usize::from(told), "{version}: {said}");
        assert_eq!(said.contains("0.115"), told, "{version}: {said}");
    }
}
