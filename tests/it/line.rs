//! `askline line`, alone in a terminal: what it draws, which keys end it, and that the terminal is as it was before.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::pty::Pty;

/// What stands on the screen once the helper has ended; the program in the terminal then repeats what it reads.
const ENDED: &str = "ended>";
/// The wait a scripted model makes when a test wants to do something meanwhile.
const LONG: u32 = 60_000;

/// One run of the helper under `sh`, which notes the terminal's modes before and after, and then reads a line.
struct Run {
    pty: Pty,
    home: TempDir,
}

impl Run {
    /// `model` is the script, `before` what `sh` does first (it may define `$input` and `$extra`).
    fn start(model: &str, before: &str) -> Self {
        Self::sized(12, 60, model, before)
    }

    fn sized(rows: u16, columns: u16, model: &str, before: &str) -> Self {
        let home = TempDir::new().unwrap();
        fs::write(home.path().join("model"), model).unwrap();
        let script = format!(
            r#"
            input='list files'
            extra=
            draw=below
            {before}
            stty -g >before
            printf '%s' "$input" | $helper line --shell bash --draw $draw $extra >out 2>err
            echo $? >code
            stty -g >after
            printf '\n{ENDED}'
            read -r typed
            printf '%s\n' "$typed" >typed
            "#
        );
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", &script]);
        command.cwd(home.path());
        command.env_clear();
        let model = format!("scripted:{}", home.path().join("model").display());
        for (name, value) in [
            ("HOME", home.path().to_str().unwrap()),
            ("PATH", &std::env::var("PATH").unwrap()),
            ("TERM", "xterm-256color"),
            ("LC_ALL", "C.UTF-8"),
            ("ASKLINE_MODEL", &model),
            ("helper", env!("CARGO_BIN_EXE_askline")),
        ] {
            command.env(name, value);
        }
        Self { pty: Pty::start(rows, columns, command), home }
    }

    /// Waits for the end of the helper, types a line for whoever reads next, and checks that nothing else was left for
    /// them, that the modes are back and how the helper ended.
    #[track_caller]
    fn ends(mut self, code: &str, out: &str) -> Ended {
        let screen = self.pty.wait_for(ENDED);
        let describe = self.pty.describe();
        self.pty.send("fresh\r");
        self.pty.wait_exit();
        let read = |name: &str| fs::read_to_string(self.home.path().join(name)).unwrap_or_default();
        let err = read("err");
        assert_eq!((read("code").trim(), read("out").as_str()), (code, out), "stderr: {err}; {describe}");
        assert_eq!(read("typed"), "fresh\n", "type-ahead was left over; {describe}");
        assert_eq!(read("before"), read("after"), "the terminal's modes changed; {describe}");
        Ended { screen, err, raw: self.pty.raw() }
    }
}

/// What a run left behind.
struct Ended {
    screen: String,
    err: String,
    raw: String,
}

fn reply(command: &str, delay_ms: u32) -> String {
    format!(r#"{{"reply": {command:?}, "delay_ms": {delay_ms}}}"#)
}

#[test]
fn a_quick_answer_draws_nothing() {
    let ended = Run::start(&reply("ls -la", 0), "").ends("0", "ls -la");
    assert_eq!(ended.raw.trim_start().lines().next(), Some(ENDED));
}

#[test]
fn a_slow_answer_shows_a_row_and_erases_it() {
    let run = Run::start(&reply("ls -la", 1500), "printf 'prompt$ list files'");
    let screen = run.pty.wait_for("thinking 1 s — Esc keeps your line");
    assert!(screen.starts_with("prompt$ list files\n"), "{screen}");
    let ended = run.ends("0", "ls -la");
    assert_eq!(ended.screen, format!("prompt$ list files\n{ENDED}"));
}
