//! zsh beside plugins, options and set-ups of other people: the message stays as long as the line, and the key works.

use std::path::Path;
use std::time::Duration;

use askline_syntax::shell::Shell;

use super::sh::{Setup, Sh};

const LS: &str = r#"{"reply": "ls -la"}"#;
const DANGEROUS: &str = r#"{"reply": "rm -rf ~"}"#;
/// A request for it.
const WORDS: &str = "throw everything of mine away";
/// The start of its message, on the prompt's row.
const SEEN: &str = "READY> askline: !! Dangerous";
/// Time in which the plugins of these tests draw.
const PLUGIN_DRAWS: Duration = Duration::from_millis(900);

/// How zsh-autocomplete works: some time after each change a handler of `zle -F` clears everything below the line, or
/// shows a list there.
const AUTOCOMPLETE: &str = r#"
lists() { compadd -U -J mine -- first second third; compstate[list]='list force'; compstate[insert]='' }
zle -C lists list-choices lists
draws() { builtin zle -F $1; exec {1}<&-; builtin zle lists; builtin zle -Rc; print -n . >>drawn }
starts() { local fd; exec {fd}< <(sleep 0.1; echo); builtin zle -F $fd draws }
autoload -Uz add-zle-hook-widget compinit; add-zle-hook-widget line-pre-redraw starts"#;

/// How prompts with a part that comes later draw themselves again.
const LATE_PROMPT: &str = r#"
draws() { builtin zle -F $1; exec {1}<&-; builtin zle reset-prompt; builtin zle -R; print -n . >>drawn }
starts() { local fd; exec {fd}< <(sleep 0.1; echo); builtin zle -F $fd draws }
zmodload zsh/zle; autoload -Uz add-zle-hook-widget; add-zle-hook-widget line-pre-redraw starts"#;

/// How oh-my-zsh sets hooks, and its vi mode: without regard to hooks that are there.
const OH_MY_ZSH: &str = "zle-line-init() { : }; zle -N zle-line-init; zle-line-finish() { : }; zle -N zle-line-finish\n\
                         zle-line-pre-redraw() { : }; zle -N zle-line-pre-redraw; bindkey -v";

fn zsh() -> Option<Setup> {
    Setup::of(Shell::Zsh)
}

/// Returns a shell with a dangerous suggestion on the line.
#[track_caller]
fn endangered(setup: Setup) -> Sh {
    let sh = setup.model(DANGEROUS).start();
    sh.pty.send(WORDS);
    sh.expect_line(WORDS);
    sh.press();
    sh.pty.wait_for(SEEN);
    sh.expect_line("rm -rf ~");
    sh
}

#[test]
fn a_message_outlives_what_plugins_draw() {
    for plugin in [AUTOCOMPLETE, LATE_PROMPT] {
        for first in [true, false] {
            let Some(setup) = zsh() else { return };
            let setup = if first { setup.before(|_| plugin) } else { setup.after(|_| plugin) };
            let sh = endangered(setup);
            let drawn = || std::fs::read(sh.home().join("drawn")).unwrap_or_default().len();
            let before = drawn();
            sh.pty.send("x");
            std::thread::sleep(PLUGIN_DRAWS);
            sh.wait_file("drawn");
            assert!(before < drawn(), "the plugin did nothing");
            let screen = sh.pty.wait_for(SEEN);
            assert!(screen.contains("\nrm -rf ~x"), "{screen}");
            sh.pty.send("\x7f");
        }
    }
}

#[test]
fn a_message_outlives_a_resize_and_a_cancelled_press() {
    let Some(setup) = zsh() else { return };
    let sh = endangered(setup);
    for (rows, columns) in [(24, 40), (10, 70), (24, 80)] {
        sh.pty.resize(rows, columns);
        std::thread::sleep(Duration::from_millis(300));
        sh.pty.wait_for(SEEN);
        sh.expect_line("rm -rf ~");
    }
    sh.model(r#"{"reply": "ls", "delay_ms": 60000}"#);
    sh.press();
    sh.expect_busy();
    sh.pty.send("\x1b");
    sh.pty.wait("the message again", |screen| screen.contains(SEEN) && !screen.contains("Esc keeps"));
    sh.expect_line("rm -rf ~");
}

#[test]
fn a_message_goes_with_undo_and_comes_with_redo() {
    let Some(setup) = zsh() else { return };
    let sh = endangered(setup.after(|_| "bindkey '^Xr' redo"));
    sh.undo();
    sh.expect_whole(&format!("READY> {WORDS}"));
    sh.pty.send("\x18r");
    sh.pty.wait_for(SEEN);
    sh.expect_line("rm -rf ~");
    sh.pty.send("\x15echo other");
    sh.expect_whole("READY> echo other");
    sh.pty.send("\x15print -s old\r");
    sh.expect("");
    sh.model(DANGEROUS);
    sh.asks(WORDS);
    sh.pty.wait_for(SEEN);
    sh.pty.send("\x1b[A"); // a line of the history
    sh.pty.wait("the message to go", |screen| !screen.contains("Dangerous"));
    sh.pty.send("\x03");
    sh.expect("");
}

#[test]
fn a_label_outlives_other_presses_on_its_line() {
    let Some(setup) = zsh() else { return };
    let sh = endangered(setup);
    sh.pty.send(" or keep it");
    sh.expect_line("rm -rf ~ or keep it");
    sh.model(r#"{"reply": "ls", "delay_ms": 60000}"#);
    sh.press();
    sh.expect_busy();
    sh.pty.send("\x1b");
    sh.pty.wait("the message again", |screen| screen.contains(SEEN) && !screen.contains("Esc keeps"));
    sh.model(r#"{"fail": "the server is gone"}"#);
    sh.press();
    let screen = sh.pty.wait_for("the server is gone");
    assert!(screen.contains(SEEN), "{screen}");
    sh.model(r#"{"reply": "true"}"#);
    sh.press();
    sh.expect_line("true");
    sh.pty.wait("the label to go", |screen| !screen.contains(SEEN));
    sh.undo();
    sh.pty.wait_for(SEEN);
    sh.expect_line("rm -rf ~ or keep it");
    " or keep it".chars().for_each(|_| sh.undo());
    sh.expect_line("rm -rf ~");
    assert!(sh.pty.screen().contains(SEEN), "{}", sh.pty.screen());
    sh.undo();
    sh.expect_whole(&format!("READY> {WORDS}"));
}

#[test]
fn a_narrow_terminal_shows_the_label() {
    let long = "rm -rf ~; echo a long command that goes on; echo and on; echo and still more of it all";
    for reply in ["rm -rf ~", long] {
        let Some(setup) = zsh() else { return };
        let sh = setup.model(&format!(r#"{{"reply": "{reply}"}}"#)).start();
        sh.pty.resize(5, 20);
        sh.pty.send("clean up");
        sh.expect_line("clean up");
        sh.press();
        let screen = sh.pty.wait("the label", |screen| screen.replace('\n', "").contains("!! Dangerous"));
        assert!(screen.contains("\nrm -rf ~"), "{screen}");
    }
}

/// A line that has one row, with an option or on a terminal that can do no more, shares it with the label.
#[test]
fn in_a_line_of_one_row_the_label_comes_first() {
    let Some(setup) = zsh() else { return };
    let sh = setup.before(|_| "setopt single_line_zle").model(DANGEROUS).start();
    sh.asks(WORDS);
    sh.expect_whole("READY> !! Dangerous: rm -rf ~");
    sh.undo();
    sh.expect_whole(&format!("READY> {WORDS}"));
}

#[test]
fn options_of_other_shells_change_nothing() {
    for options in ["setopt ksh_arrays", "emulate sh; PS1='READY> '", "emulate ksh; PS1='READY> '"] {
        for first in [true, false] {
            let Some(setup) = zsh() else { return };
            let setup = if first { setup.before(|_| options) } else { setup.after(|_| options) };
            let sh = endangered(setup);
            sh.undo();
            sh.expect_whole(&format!("READY> {WORDS}"));
            sh.pty.send("\x15");
            sh.expect("");
            sh.model(LS);
            sh.suggests("# list files", "# list files  ⇥ ls -la");
            sh.pty.send("\t");
            sh.expect("ls -la");
            sh.pty.send("\x15");
            sh.expect("");
            sh.pty.send("# some words\r");
            sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
            assert!(!sh.pty.screen().contains("not found"), "{options}: {}", sh.pty.screen());
            assert_eq!(sh.runs("print -r a #b >out; touch done"), "a #b\n", "{options}");
        }
    }
}

#[test]
fn hooks_that_another_plugin_takes_are_ours_again_and_undo_has_its_key() {
    for first in [true, false] {
        let Some(setup) = zsh() else { return };
        let setup = if first { setup.before(|_| OH_MY_ZSH) } else { setup.after(|_| OH_MY_ZSH) };
        let sh = endangered(setup);
        sh.undo();
        sh.expect_whole(&format!("READY> {WORDS}"));
        sh.runs("touch done");
        sh.model(LS);
        sh.suggests("# list files", "# list files  ⇥ ls -la");
    }
}

#[test]
fn a_ghost_names_its_risk() {
    let Some(setup) = zsh() else { return };
    let sh = setup.model(DANGEROUS).start();
    sh.suggests("# throw everything away", "# throw everything away  ⇥ !! Dangerous: rm -rf ~");
    sh.pty.send("\t");
    sh.pty.wait_for(SEEN);
    sh.expect_line("rm -rf ~");
    sh.undo();
    sh.pty.wait("the message to go", |screen| !screen.contains("READY> askline"));
}

/// Its keys take ghost text of any origin: the end of the line all of it, a word a part.
#[test]
fn beside_autosuggestions_a_ghost_is_taken_whole_and_its_history_comes_second() {
    let plugin = "/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
    if !Path::new(plugin).exists() {
        assert!(std::env::var_os("CI").is_none(), "{plugin} is not installed");
        return;
    }
    for first in [true, false] {
        let Some(setup) = zsh() else { return };
        let load = "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
        let setup = if first { setup.before(|_| load) } else { setup.after(|_| load) };
        let sh = setup.model(&format!("{LS}\n").repeat(40)).start();
        for (words, end) in
            [("# list files by size", "\r"), ("# list files", "\r"), ("# list files by", "\x15")]
        {
            sh.suggests(words, &format!("{words}  ⇥ ls -la"));
            sh.pty.send(end);
            sh.insists("", "");
        }
        sh.suggests("# list f", "# list f  ⇥ ls -la");
        sh.pty.send("\x1bf");
        sh.expect("# list f  ⇥ ls -la");
        sh.pty.send("\x05");
        sh.expect("ls -la");
        sh.undo();
        sh.pty.send("\x15");
        sh.is_well();
    }
}

/// It also closes the file of its last request by number, long after that file: the number may be one of ours by then.
/// Keys that go on with what it shows make no request, so this begins with the second line of the same words.
#[test]
fn beside_autosuggestions_each_line_of_the_same_words_is_answered() {
    let plugin = "/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
    if !Path::new(plugin).exists() {
        assert!(std::env::var_os("CI").is_none(), "{plugin} is not installed");
        return;
    }
    let Some(setup) = zsh() else { return };
    let load = "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
    let sh = setup.before(|_| load).model(&format!("{LS}\n").repeat(40)).start();
    for _ in 0..5 {
        for key in "# list f".chars() {
            sh.pty.send(&key.to_string());
            std::thread::sleep(Duration::from_millis(100));
        }
        sh.expect("# list f  ⇥ ls -la");
        sh.suggests("q", "# list fq  ⇥ ls -la");
        sh.pty.send("\r");
        sh.insists("", "");
    }
}

#[test]
fn a_sign_alone_asks_no_model() {
    let Some(setup) = zsh() else { return };
    let sh = setup.model(LS).start();
    for line in ["## #", "# ", "#"] {
        sh.pty.send(line);
        sh.expect_line(line.trim_end());
        sh.press();
        sh.pty.wait_for("askline: type what you want behind the #");
        sh.pty.send("\x15");
        sh.expect_whole("READY>");
    }
}

#[test]
fn a_line_that_fills_the_screen_is_drawn_whole() {
    let Some(setup) = zsh() else { return };
    let sh = setup.model(r#"{"fail": "the server is gone", "delay_ms": 500}"#).start();
    let words: Vec<String> = (0..650).map(|n| format!("word{n:03}")).collect();
    sh.pty.send(&format!("\x1b[200~{}\x1b[201~", words.join(" ")));
    sh.pty.wait_for("word649");
    sh.press();
    sh.expect_busy();
    let screen = sh.pty.wait_for("askline: the server is gone");
    let rows: Vec<&str> = screen.lines().collect();
    // The rows of the line follow each other: nothing is lost or drawn twice.
    let shown = rows[1..].concat();
    assert!(words.join(" ").starts_with(shown.trim_end_matches(['.', '>', '<', ' '])), "{screen}");
    sh.pty.send("\x05");
    let screen = sh.pty.wait("the end of the line", |screen| screen.trim_end().ends_with("word649"));
    let rows: Vec<&str> = screen.lines().skip(1).collect();
    assert!(words.join(" ").ends_with(&rows.concat()), "{screen}");
    sh.pty.send("\x03");
    sh.insists("", "");
}

#[test]
fn a_job_that_ends_during_the_wait_is_told_above_the_line() {
    let Some(setup) = zsh() else { return };
    let sh = setup.model(r#"{"reply": "ls -la", "delay_ms": 1500}"#).start();
    sh.pty.send("sleep 1 &\r");
    sh.pty.wait_for("[1] ");
    sh.pty.wait("the next prompt", |screen| screen.matches("READY>").count() == 2);
    sh.asks("list files");
    sh.expect_busy();
    let screen = sh.pty.wait_for("READY> ls -la");
    let rows: Vec<&str> = screen.trim_end().lines().collect();
    let said = rows.iter().position(|row| row.starts_with("[1]") && row.contains("done"));
    assert_eq!(said, Some(rows.len() - 2), "{screen}");
    assert_eq!(screen.matches("done").count(), 1, "{screen}");
    sh.is_well();
}
