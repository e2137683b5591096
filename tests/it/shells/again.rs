//! Pressing the key again: other suggestions, the user's words, and words that change the last request.

use askline_syntax::shell::Shell;

use super::sh::Setup;

/// A model with one answer and two alternatives.
const THREE: &str = r#"{"reply": "ls -la", "others": ["ls -l", "ls -la", "ls -a"]}"#;

in_every_shell! {
    the_key_goes_round_and_comes_back_to_the_words
    an_edited_suggestion_is_no_longer_one
    edited_words_change_the_last_request
    other_suggestions_for_edited_words_know_the_last_request_too
    elsewhere_and_after_another_command_the_line_is_asked_about_anew
    a_suggestion_that_is_shown_again_has_the_risk_of_now
    a_model_without_another_command_leaves_the_words
    declined_words_get_a_line_with_the_next_press
}

fn the_key_goes_round_and_comes_back_to_the_words(setup: Setup) {
    let sh = setup.model(THREE).start();
    sh.asks("list files");
    sh.expect("ls -la");
    for line in ["ls -l", "ls -a", "list files", "ls -la", "ls -l"] {
        sh.press();
        sh.expect(line);
    }
    // Cycling asks the model nothing more and leaves nothing in the shell.
    sh.is_well();
}

/// One shell is enough: prefetching is not part of the scripts.
#[test]
fn the_others_are_there_before_the_key_is_pressed_again() {
    let Some(setup) = Setup::of(Shell::Bash) else { return };
    // More shell facts than a pipe takes.
    let much = |_| "printf -v much '%040000d' 0; alias much=\"${much//0/\\\"}\"";
    let setup = setup.before(much).variable("ASKLINE_DAEMON", "force");
    let sh = setup.model(&format!("{THREE}\n{THREE}")).start();
    sh.asks("list files");
    sh.expect("ls -la");
    let presses = sh.home().join("run/askline/presses");
    let is_complete = || {
        let entries = std::fs::read_dir(&presses).into_iter().flatten().flatten();
        let texts = entries.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
        texts.into_iter().any(|text| text.contains("\"complete\":true"))
    };
    let started = std::time::Instant::now();
    while !is_complete() {
        assert!(started.elapsed().as_secs() < 20, "nobody looked ahead; {}", sh.pty.describe());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    sh.model(r#"{"fail": "asked once more"}"#);
    sh.press();
    sh.expect("ls -l");
    sh.runs("askline daemon stop >out 2>&1; touch done");
}

fn an_edited_suggestion_is_no_longer_one(setup: Setup) {
    let sh = setup.model(THREE).start();
    sh.asks("list files");
    sh.expect("ls -la");
    sh.model(r##"{"reply": "pwd", "must_contain": "# ls -la of the folder above\n"}"##);
    sh.pty.send(" of the folder above");
    sh.expect("ls -la of the folder above");
    sh.press();
    sh.expect("pwd");
}

fn edited_words_change_the_last_request(setup: Setup) {
    let sh = setup.model(THREE).start();
    sh.asks("list files");
    sh.expect("ls -la");
    sh.undo();
    sh.expect("list files");
    sh.model(r##"{"reply": "ls -a", "must_contain": "# list files\nls -la\n\n# list files by size\n"}"##);
    sh.pty.send(" by size");
    sh.expect("list files by size");
    sh.press();
    sh.expect("ls -a");
}

fn other_suggestions_for_edited_words_know_the_last_request_too(setup: Setup) {
    let sh = setup.model(THREE).start();
    sh.asks("list files");
    sh.expect("ls -la");
    sh.undo();
    sh.expect("list files");
    sh.model(r#"{"reply": "ls -a"}"#);
    sh.pty.send(" by size");
    sh.expect("list files by size");
    sh.press();
    sh.expect("ls -a");
    sh.model(
        r##"{"reply": "ls -a", "others": ["ls -l"], "must_contain": "# list files\nls -la\n\n# list files by size\n"}"##,
    );
    sh.press();
    sh.expect("ls -l");
}

fn elsewhere_and_after_another_command_the_line_is_asked_about_anew(setup: Setup) {
    let sh = setup.model(THREE).start();
    std::fs::create_dir(sh.home().join("deep")).unwrap();
    sh.asks("list files");
    sh.expect("ls -la");
    for line in ["ls -l", "ls -a", "list files"] {
        sh.press();
        sh.expect(line);
    }
    sh.runs("cd deep; touch ../done");
    sh.model(r#"{"reply": "ls deep"}"#);
    sh.asks("list files");
    sh.expect("ls deep");
    if sh.shell == Shell::Nu {
        return; // this shell reports its last command only in response to a question
    }
    // A suggestion that was run and comes back with the arrow key is an ordinary line to check.
    sh.pty.send("\r");
    sh.expect("");
    sh.pty.send("\x1b[A");
    sh.expect("ls deep");
    sh.model(r##"{"reply": "ls", "must_contain": "# ls deep\n"}"##);
    sh.press();
    sh.expect("ls");
}

fn a_suggestion_that_is_shown_again_has_the_risk_of_now(setup: Setup) {
    let sh = setup.model(r#"{"reply": "cp one two", "others": ["cp one three"]}"#).start();
    std::fs::write(sh.home().join("one"), "").unwrap();
    sh.asks("copy one to two");
    sh.expect("cp one two");
    for line in ["cp one three", "copy one to two"] {
        sh.press();
        sh.expect(line);
    }
    assert!(!sh.pty.screen().contains("! Confirm"), "{}", sh.pty.screen());
    std::fs::write(sh.home().join("two"), "").unwrap();
    sh.press();
    sh.expect("cp one two");
    sh.pty.wait_for("1 of 2; ! Confirm");
}

fn a_model_without_another_command_leaves_the_words(setup: Setup) {
    let sh = setup.model(r#"{"reply": "ls -la", "others": ["ls  -la\n"]}"#).start();
    sh.asks("list files");
    sh.expect("ls -la");
    sh.press();
    sh.expect("list files");
    sh.press();
    sh.expect("ls -la");
}

fn declined_words_get_a_line_with_the_next_press(setup: Setup) {
    let sh = setup.model(THREE).start();
    sh.asks("make my code faster");
    sh.pty.wait_for("no single command does that");
    sh.expect("make my code faster");
    sh.press();
    sh.expect("ls -la");
    sh.is_well();
}
