//! The explain key in the four shells: what the line does, part by part, with its risk; the line stays, and nothing runs.

use askline_syntax::shell::Shell;

use super::sh::{Setup, Sh};

/// Alt-E, the default.
const KEY: &str = "\x1be";

in_every_shell! {
    it_says_what_each_part_does_and_its_risk
    the_line_stays_ready_to_edit_and_to_run
    an_empty_line_and_unknown_words
    a_long_line_is_cut_after_some_rows
    vi_mode
    another_key
    no_key
    a_key_of_yours_is_not_taken
    the_label_of_an_answer_is_not_said_twice
}

/// Returns what a manual, or Nushell about its own command, says of `touch`.
fn touch(shell: Shell) -> &'static str {
    if shell == Shell::Nu { "touch: creates one or more files" } else { "touch: change file timestamps" }
}

/// Waits until these texts are on the screen, however they are wrapped, in capitals or not.
#[track_caller]
fn says(sh: &Sh, texts: &[&str]) {
    let without_space = |text: &str| text.split_whitespace().collect::<String>().to_lowercase();
    sh.pty.wait(&format!("{texts:?}"), |screen| {
        let screen = without_space(screen);
        texts.iter().all(|text| screen.contains(&without_space(text)))
    });
}

fn it_says_what_each_part_does_and_its_risk(setup: Setup) {
    let line =
        if setup.shell == Shell::Nu { "^sort -r list; ^rm -r build" } else { "sort -r list; rm -r build" };
    let sh = setup.start();
    sh.types(line);
    sh.pty.send(KEY);
    says(
        &sh,
        &[
            "askline: ! Confirm: ",
            "build",
            "sort lines of text files; -r: reverse the result",
            "rm: remove files",
        ],
    );
    sh.expect_line(line);
    sh.is_well();
}

fn the_line_stays_ready_to_edit_and_to_run(setup: Setup) {
    let sh = setup.start();
    sh.types("touch one");
    sh.pty.send(KEY);
    says(&sh, &[touch(sh.shell)]);
    sh.expect_line("touch one");
    sh.lacks("one");
    sh.insists("s", "touch ones");
    sh.pty.send("\r");
    sh.wait_file("ones");
    sh.lacks("one");
}

fn an_empty_line_and_unknown_words(setup: Setup) {
    let sh = setup.start();
    sh.pty.send(KEY);
    says(&sh, &["askline: the line is empty; type a command, and this key says what it does"]);
    sh.expect_line("");
    sh.runs("touch done");
    sh.pty.send("frobnicate -x");
    sh.expect_line("frobnicate -x");
    sh.pty.send(KEY);
    says(&sh, &["askline: frobnicate: not found here"]);
    sh.expect_line("frobnicate -x");
}

/// The screen keeps the prompt and the line.
fn a_long_line_is_cut_after_some_rows(setup: Setup) {
    let sh = setup.start();
    let line = "ls -l -a -h -t -r -S -d -i";
    sh.types(line);
    sh.pty.send(KEY);
    says(&sh, &["askline: ls: list"]);
    sh.expect_line(line);
    sh.is_well();
}

/// In the insert modes of bash and zsh the key is left alone: Esc and a quick `e` are two keys there.
fn vi_mode(setup: Setup) {
    let shell = setup.shell;
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh => "bindkey -v",
            Shell::Bash => "set -o vi",
            Shell::Fish => "fish_vi_key_bindings",
            Shell::Nu => "$env.config.edit_mode = 'vi'",
        })
        .start();
    sh.types("touch one");
    sh.pty.send(KEY);
    if matches!(shell, Shell::Zsh | Shell::Bash) {
        // Esc, the motion to the end of the word, and a letter at the line's last character.
        sh.pty.send("A1");
        sh.expect("touch one1");
    } else {
        says(&sh, &[touch(shell)]);
        sh.expect_line("touch one");
    }
    sh.lacks("one");
}

fn another_key(setup: Setup) {
    let sh = setup.init(&["--explain-key", "f4"]).start();
    sh.types("touch one");
    sh.pty.send("\x1bOS");
    says(&sh, &[touch(sh.shell)]);
    sh.expect_line("touch one");
}

fn no_key(setup: Setup) {
    let script = setup.init(&["--explain-key", "none"]).script();
    let settings: Vec<&str> = script.lines().take(10).filter(|line| line.contains("explain")).collect();
    assert!(!settings.is_empty() && settings.iter().all(|line| !line.contains("alt-e")), "{settings:?}");
}

fn key_of_yours(shell: Shell) -> &'static str {
    match shell {
        Shell::Zsh => "mine() { BUFFER=mine }; zle -N mine; bindkey '^[e' mine",
        Shell::Bash => "mine() { READLINE_LINE=mine; }; bind -x '\"\\ee\": mine'",
        Shell::Fish => "function mine; commandline -r mine; end; bind \\ee mine",
        Shell::Nu => {
            "$env.config.keybindings ++= [{name: mine, modifier: alt, keycode: char_e, mode: emacs, \
             event: {edit: insertstring, value: mine}}]"
        }
    }
}

fn a_key_of_yours_is_not_taken(setup: Setup) {
    let shell = setup.shell;
    let sh = setup.before(key_of_yours).start();
    let said = sh.pty.wait_for("or --force").replace('\n', "");
    assert!(said.contains("askline: alt-e is already bound to mine; choose another key"), "{said}");
    assert!(said.contains(&format!("askline init {shell} --explain-key f8")), "{said}");
    sh.pty.send(KEY);
    sh.expect_line("mine");
}

fn the_label_of_an_answer_is_not_said_twice(setup: Setup) {
    let sh = setup.model(r#"{"reply": "rm -r build"}"#).start();
    sh.asks("throw away the build");
    sh.expect_line("rm -r build");
    says(&sh, &["! Confirm: deletes: build"]);
    sh.pty.send(KEY);
    says(&sh, &["; rm: remove files"]);
    sh.expect_line("rm -r build");
    if matches!(sh.shell, Shell::Zsh | Shell::Fish) {
        assert_eq!(sh.pty.screen().matches("Confirm").count(), 1, "{}", sh.pty.screen());
    }
}
