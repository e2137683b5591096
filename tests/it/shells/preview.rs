//! The preview key in the four shells: what the line would change; the line stays, and nothing runs.

use askline_syntax::shell::Shell;

use super::sh::{SECOND_TRY, Setup, Sh};

/// Alt-P, the default.
const KEY: &str = "\x1bp";

in_every_shell! {
    it_says_what_the_line_would_change
    it_says_why_it_does_not_know
    a_line_that_only_reads_shows_its_rows
    an_empty_line
    another_key
    no_key
    a_key_of_yours_is_not_taken
}

/// Waits until these texts are on the screen, however they are wrapped.
#[track_caller]
fn says(sh: &Sh, texts: &[&str]) {
    let without_space = |text: &str| text.split_whitespace().collect::<String>();
    sh.pty.wait(&format!("{texts:?}"), |screen| {
        let screen = without_space(screen);
        texts.iter().all(|text| screen.contains(&without_space(text)))
    });
}

fn it_says_what_the_line_would_change(setup: Setup) {
    let sh = setup.start();
    sh.runs("touch one.tmp two.tmp done");
    sh.types("rm *.tmp");
    sh.pty.send(KEY);
    says(&sh, &["askline: removes 2 files: one.tmp, two.tmp"]);
    sh.expect_line("rm *.tmp");
    sh.wait_file("one.tmp");
    sh.insists("x", "rm *.tmpx");
    sh.is_well();
}

fn it_says_why_it_does_not_know(setup: Setup) {
    let line = if setup.shell == Shell::Nu { "^python3 clean.py" } else { "python3 clean.py" };
    let sh = setup.start();
    sh.types(line);
    sh.pty.send(KEY);
    says(&sh, &["askline: no preview: what `python3` changes is not evaluated"]);
    sh.expect_line(line);
    sh.is_well();
}

/// Nushell's lines are not on the list, so its key names the effect.
fn a_line_that_only_reads_shows_its_rows(setup: Setup) {
    if setup.shell == Shell::Nu {
        return;
    }
    let sh = setup.start();
    sh.runs("printf 'b  2\\na  1\\n' > t; touch done");
    sh.types("sort t");
    sh.pty.send(KEY);
    let screen = sh.pty.wait("the rows, each on its own", |screen| {
        let rows: Vec<&str> = screen.lines().map(str::trim_end).collect();
        rows.windows(3).any(|rows| {
            rows[0].ends_with("askline: 2 rows, read-only preview") && rows[1..] == ["a  1", "b  2"]
        })
    });
    assert!(!screen.contains("no preview"), "{screen}");
    sh.expect_line("sort t");
    // In zsh the rows are between prompt and line.
    sh.sends_until("x", SECOND_TRY, || sh.pty.cursor_row().trim_end().ends_with("sort tx"));
    sh.is_well();
}

fn an_empty_line(setup: Setup) {
    let sh = setup.start();
    sh.pty.send(KEY);
    says(&sh, &["askline: the line is empty; type a command, and this key says what it would change"]);
    sh.expect_line("");
    sh.is_well();
}

fn another_key(setup: Setup) {
    let sh = setup.init(&["--preview-key", "f4"]).start();
    sh.types("mkdir new");
    sh.pty.send("\x1bOS");
    says(&sh, &["askline: creates 1 directory: new"]);
    sh.expect_line("mkdir new");
    sh.lacks("new");
}

fn no_key(setup: Setup) {
    let script = setup.init(&["--preview-key", "none"]).script();
    let settings: Vec<&str> = script.lines().take(12).filter(|line| line.contains("preview")).collect();
    assert!(!settings.is_empty() && settings.iter().all(|line| !line.contains("alt-p")), "{settings:?}");
}

fn key_of_yours(shell: Shell) -> &'static str {
    match shell {
        Shell::Zsh => "mine() { BUFFER=mine }; zle -N mine; bindkey '^[p' mine",
        Shell::Bash => "mine() { READLINE_LINE=mine; }; bind -x '\"\\ep\": mine'",
        Shell::Fish => "function mine; commandline -r mine; end; bind \\ep mine",
        Shell::Nu => {
            "$env.config.keybindings ++= [{name: mine, modifier: alt, keycode: char_p, mode: emacs, \
             event: {edit: insertstring, value: mine}}]"
        }
    }
}

fn a_key_of_yours_is_not_taken(setup: Setup) {
    let shell = setup.shell;
    let sh = setup.before(key_of_yours).start();
    let said = sh.pty.wait_for("or --force").replace('\n', "");
    assert!(said.contains("askline: alt-p is already bound to mine; choose another key"), "{said}");
    assert!(said.contains(&format!("askline init {shell} --preview-key f10")), "{said}");
    sh.pty.send(KEY);
    sh.expect_line("mine");
}
