//! Words after a #: fish completes them with tab, zsh shows the suggestion behind the cursor.

use std::path::Path;

use askline_syntax::shell::Shell;

use super::sh::Setup;

const LS: &str = r#"{"reply": "ls -la"}"#;

/// The prompt's row while zsh shows a suggestion.
const SHOWN: &str = "# list files  ⇥ ls -la";

macro_rules! in_one_shell {
    ($shell:ident: $($case:ident)+) => {
        $(#[test]
        fn $case() {
            Setup::of(Shell::$shell).into_iter().for_each(cases::$case);
        })+
    };
}

in_one_shell! { Zsh:
    tab_takes_what_is_shown
    the_right_arrow_takes_what_is_shown
    what_is_shown_goes_when_typing_goes_on
    only_the_last_state_of_the_words_is_asked_about
    each_line_is_answered
    a_helper_that_ends_is_started_once_a_line
    the_helper_is_as_urgent_as_the_shell
    a_hash_behind_a_command_stays_what_it_is
    enter_on_words_runs_nothing_and_leaves_no_process
    tab_elsewhere_completes_as_before
    the_arrow_elsewhere_moves_as_before
    beside_the_plugins_that_suggest_and_paint
    without_inline_a_hash_is_left_alone
    a_helper_that_dies_is_not_missed
    a_coprocess_of_yours_stays
}

in_one_shell! { Fish:
    tab_on_words_makes_the_command
    tab_on_the_word_makes_the_command
    tab_on_an_ask_of_yours_is_tab
    tab_below_a_comment_is_tab
    tab_elsewhere_is_tab
    a_tab_of_yours_stays
}

mod cases {
    use super::*;

    pub(super) fn tab_takes_what_is_shown(setup: Setup) {
        let sh = setup.model(LS).start();
        sh.suggests("# list files", SHOWN);
        sh.pty.send("\t");
        sh.expect("ls -la");
        sh.undo();
        sh.pty.send("x");
        sh.expect("# list filesx");
        sh.is_well();
    }

    pub(super) fn the_right_arrow_takes_what_is_shown(setup: Setup) {
        let sh = setup.model(LS).start();
        sh.suggests("# list files", SHOWN);
        sh.pty.send("\x1b[C");
        sh.expect("ls -la");
    }

    pub(super) fn what_is_shown_goes_when_typing_goes_on(setup: Setup) {
        let sh = setup.model(&format!("{LS}\n{}", r#"{"reply": "ls -laS"}"#)).start();
        sh.suggests("# list files", SHOWN);
        sh.pty.send(" by size");
        sh.expect("# list files by size  ⇥ ls -laS");
        sh.pty.send("\x15");
        sh.expect("");
    }

    pub(super) fn only_the_last_state_of_the_words_is_asked_about(setup: Setup) {
        let sh = setup.model(r##"{"reply": "ls -la", "must_contain": "# list files\n"}"##).start();
        for key in ["# l", "i", "s", "t", " ", "f", "i", "l", "e", "s"] {
            sh.pty.send(key);
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
        sh.expect(SHOWN);
    }

    pub(super) fn each_line_is_answered(setup: Setup) {
        let sh = setup.model(LS).start();
        for end in ["\r", "\x03", "\x03", "\r", "\x15"] {
            sh.suggests("# list files", SHOWN);
            // zsh delays a ctrl-c until the next key if it comes while a handler of `zle -F` runs. The expected text is
            // also on the screen a moment before our handler has ended.
            sh.insists(end, "");
        }
        sh.is_well();
    }

    pub(super) fn a_helper_that_ends_is_started_once_a_line(setup: Setup) {
        // A helper also ends early like this when the model is on a server.
        let sh = instead(setup, "echo >>\"$HOME/starts\"; exit 3").start();
        let starts = || std::fs::read(sh.home().join("starts")).unwrap_or_default().len();
        for (line, end) in [(1, "\r"), (2, "\x03"), (3, "\r")] {
            for key in ["# l", "i", "s", "t", " ", "f", "i", "l", "e", "s"] {
                sh.pty.send(key);
                std::thread::sleep(std::time::Duration::from_millis(60));
            }
            sh.expect("# list files");
            assert_eq!(starts(), line);
            sh.pty.send(end);
            sh.expect("");
        }
        assert!(!sh.pty.screen().contains("error"), "{}", sh.pty.screen());
        sh.is_well();
    }

    pub(super) fn the_helper_is_as_urgent_as_the_shell(setup: Setup) {
        let sh = instead(setup, "nice >\"$HOME/nice.new\"; mv \"$HOME/nice.new\" \"$HOME/nice\"").start();
        sh.types("# list files");
        let ours = std::process::Command::new("nice").output().unwrap().stdout;
        assert_eq!(sh.wait_file("nice").into_bytes(), ours);
    }

    /// Replaces the helper by a test program that keeps its own input.
    fn instead(setup: Setup, body: &str) -> Setup {
        let setup = setup.helper("");
        std::fs::write(setup.home().join("fake/askline"), format!("#!/bin/sh\n{body}\n")).unwrap();
        setup
    }

    pub(super) fn a_hash_behind_a_command_stays_what_it_is(setup: Setup) {
        let sh = setup.model(LS).start();
        assert_eq!(sh.runs("print -r a #b >out; touch done"), "a #b\n");
        sh.suggests("# list files", SHOWN);
        sh.pty.send("\r");
        sh.expect("");
        assert!(!sh.pty.screen().contains("not found"), "{}", sh.pty.screen());
        assert_eq!(sh.runs("print -r a #b >out; touch done"), "a #b\n");
        sh.pty.send("setopt interactive_comments\r# list files\r");
        sh.expect("");
        assert_eq!(sh.runs("{ setopt | grep comments } >out; touch done").trim(), "interactivecomments");
    }

    pub(super) fn enter_on_words_runs_nothing_and_leaves_no_process(setup: Setup) {
        let sh = setup.model(r#"{"reply": "touch suggested"}"#).start();
        sh.suggests("# touch suggested", "# touch suggested  ⇥ touch suggested");
        sh.pty.send("\r");
        sh.is_well();
        sh.lacks("suggested");
        assert_eq!(sh.runs("jobs >out; touch done").trim(), "");
        assert!(!sh.pty.screen().contains("not found"), "{}", sh.pty.screen());
    }

    pub(super) fn tab_elsewhere_completes_as_before(setup: Setup) {
        let sh = setup.model(LS).start();
        std::fs::write(sh.home().join("unmistakable"), "").unwrap();
        sh.types("ls unmist");
        sh.pty.send("\t");
        sh.expect("ls unmistakable");
    }

    pub(super) fn the_arrow_elsewhere_moves_as_before(setup: Setup) {
        let sh = setup.model(LS).start();
        sh.types("ls");
        sh.pty.send("\x01\x1b[Cx");
        sh.expect("lxs");
    }

    pub(super) fn beside_the_plugins_that_suggest_and_paint(setup: Setup) {
        let found = [
            "zsh-autosuggestions/zsh-autosuggestions.zsh",
            "zsh-syntax-highlighting/zsh-syntax-highlighting.zsh",
        ]
        .map(|file| Path::new("/usr/share").join(file).exists());
        if found != [true, true] {
            assert!(std::env::var_os("CI").is_none(), "the plugins are not installed");
            return;
        }
        let plugins = "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh\n\
                       source /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh";
        let sh = setup.after(|_| plugins).model(LS).start();
        sh.suggests("# list files", SHOWN);
        sh.pty.send("\x1b[C");
        sh.expect("ls -la");
        sh.pty.send("\x15echo one\r");
        sh.pty.wait_for("\none");
        sh.pty.send("echo o");
        sh.expect("echo one");
        sh.pty.send("\x1b[C");
        sh.expect("echo one");
        sh.is_well();
    }

    pub(super) fn without_inline_a_hash_is_left_alone(setup: Setup) {
        let sh = setup.init(&["--inline", "off"]).model(LS).start();
        sh.types("# list files");
        let found = sh.runs("{ bindkey '^I'; setopt | grep comments } >out; touch done");
        assert_eq!(found.trim(), "\"^I\" expand-or-complete");
    }

    pub(super) fn a_helper_that_dies_is_not_missed(setup: Setup) {
        let sh = setup.model(r#"{"panic": "oh"}"#).start();
        sh.types("# list files");
        std::thread::sleep(std::time::Duration::from_millis(600));
        sh.pty.send(" here");
        sh.expect("# list files here");
        sh.pty.send("\r");
        sh.is_well();
    }

    pub(super) fn a_coprocess_of_yours_stays(setup: Setup) {
        let sh = setup.model(LS).start();
        // Our coprocess from an earlier line must not count as the user's.
        sh.suggests("# list files", SHOWN);
        sh.runs("coproc cat; touch done");
        sh.types("# list files");
        std::thread::sleep(std::time::Duration::from_millis(600));
        sh.expect("# list files");
        sh.pty.send("\x15");
        sh.expect("");
        assert_eq!(sh.runs("print -p yours; read -p answer; print $answer >out; touch done").trim(), "yours");
    }

    pub(super) fn tab_on_words_makes_the_command(setup: Setup) {
        let sh = setup.model(r##"{"reply": "ls -la", "must_contain": "\n# list files\n"}"##).start();
        sh.types("# list files");
        sh.pty.send("\t");
        sh.expect("ls -la");
    }

    pub(super) fn tab_on_the_word_makes_the_command(setup: Setup) {
        let sh = setup.model(r##"{"reply": "ls -la", "must_contain": "\n# what's here\n"}"##).start();
        sh.types("ask what's here");
        sh.pty.send("\t");
        sh.expect("ls -la");
    }

    pub(super) fn tab_on_an_ask_of_yours_is_tab(setup: Setup) {
        let yours = "function ask; echo yours; end; complete -c ask -f -a unmistakable";
        let (before, after) = (setup.before(|_| yours), Setup::of(Shell::Fish).unwrap().after(|_| yours));
        for setup in [before, after] {
            let sh = setup.model(LS).start();
            sh.types("ask unmist");
            sh.pty.send("\t");
            sh.expect("ask unmistakable");
        }
    }

    pub(super) fn tab_below_a_comment_is_tab(setup: Setup) {
        let sh = setup.model(LS).start();
        std::fs::write(sh.home().join("unmistakable"), "").unwrap();
        sh.types("# first step");
        sh.pty.send("\x1b\rls unmist");
        sh.pty.wait_for("ls unmist");
        sh.pty.send("\t");
        sh.pty.wait_for("ls unmistakable");
        assert!(sh.pty.screen().contains("# first step"), "{}", sh.pty.screen());
    }

    pub(super) fn tab_elsewhere_is_tab(setup: Setup) {
        let sh = setup.model(LS).start();
        std::fs::write(sh.home().join("unmistakable"), "").unwrap();
        sh.types("ls unmist");
        sh.pty.send("\t");
        sh.expect("ls unmistakable");
    }

    pub(super) fn a_tab_of_yours_stays(setup: Setup) {
        let sh = setup.before(|_| "bind \\t 'commandline -i yours'").model(LS).start();
        sh.types("# list files");
        sh.pty.send("\t");
        sh.expect("# list filesyours");
    }
}
