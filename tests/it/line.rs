//! `askline line` alone in a terminal: what it draws, which keys end it, and that it restores the terminal.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::pty::Pty;

/// The message after the deadline.
const LATE: &str = "askline: no answer in time; try again or raise\n`deadline_ms`";
/// The message beside `ls -la`, the answer of most scripts in this module: none, as all of it was found.
const CHECKED: &str = "";
/// Text on the screen once the helper has ended. The program in the terminal then echoes what it reads.
const ENDED: &str = "ended>";
/// Delay of a scripted model, in milliseconds, when a test acts during the wait.
const LONG: u32 = 60_000;

/// One run of the helper under `sh`, which records the terminal modes before and after, and then reads a line.
struct Run {
    pty: Pty,
    home: TempDir,
}

impl Run {
    /// Starts a run. `model` is the script; `sh` runs `before` first, which may set the variables of the script.
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
            wrap=
            out=out
            err=err
            ask() {{
                printf '%s' "$input" |
                    $wrap sh -c 'echo $$ >pid; exec "$@"' sh "$helper" line --shell bash --draw $draw $extra >$out 2>$err
            }}
            how=ask
            {before}
            stty -g >before
            $how
            echo $? >code
            stty -g >after
            printf '\n{ENDED}'
            read -r typed
            printf '%s\n' "$typed" >typed
            "#
        );
        let runtime = home.path().join("run");
        DirBuilder::new().mode(0o700).create(&runtime).unwrap();
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", &script]);
        command.cwd(home.path());
        command.env_clear();
        let model = format!("scripted:{}", home.path().join("model").display());
        for (name, value) in [
            ("HOME", home.path().to_str().unwrap()),
            ("XDG_RUNTIME_DIR", runtime.to_str().unwrap()),
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

    /// Sends a signal to the helper.
    fn signal(&self, name: &str) {
        let pid = fs::read_to_string(self.home.path().join("pid")).unwrap();
        let status = Command::new("kill").args([&format!("-{name}"), pid.trim()]).status().unwrap();
        assert!(status.success());
    }

    /// Like `says`, with the message of the checks about the answer, or without a message.
    #[track_caller]
    fn ends(self, code: &str, line: &str) -> Ended {
        self.says(code, line, if line == "ls -la" { CHECKED } else { "" })
    }

    /// Waits for the end and checks the exit code and the output: the new line and the message.
    #[track_caller]
    fn says(self, code: &str, line: &str, message: &str) -> Ended {
        let ended = self.ended();
        let out = format!("{line}\u{1f}{message}");
        assert_eq!((ended.code.as_str(), &ended.out), (code, &out), "{}\n{}", ended.err, ended.screen);
        ended
    }

    /// Waits for the end of the helper, types a line for the next reader, and checks that no other input was left and
    /// that the modes are restored.
    #[track_caller]
    fn ended(mut self) -> Ended {
        let screen = self.pty.wait_for(ENDED);
        let describe = self.pty.describe();
        self.pty.send("fresh\r");
        self.pty.wait_exit();
        let read = |name: &str| fs::read_to_string(self.home.path().join(name)).unwrap_or_default();
        assert_eq!(read("before"), read("after"), "the terminal's modes changed; {describe}");
        assert_eq!(read("typed"), "fresh\n", "type-ahead was left over; {describe}");
        let (code, out, err) = (read("code").trim().to_owned(), read("out"), read("err"));
        Ended { screen, code, out, err, raw: self.pty.raw() }
    }
}

/// What a run left behind.
struct Ended {
    screen: String,
    code: String,
    out: String,
    err: String,
    raw: String,
}

fn reply(command: &str, delay_ms: u32) -> String {
    format!(r#"{{"reply": {command:?}, "delay_ms": {delay_ms}}}"#)
}

#[test]
fn a_quick_answer_draws_nothing() {
    // On a busy machine no single answer may be quick; one of several is.
    let drawn = (0..9).map(|_| Run::start(&reply("ls -la", 0), "").ends("0", "ls -la").raw);
    let mut drawn = drawn.skip_while(|raw| raw.contains('\x1b'));
    assert!(drawn.next().is_some(), "a row was drawn each time");
}

#[test]
fn a_slow_answer_shows_a_row_and_erases_it() {
    let run = Run::start(&reply("ls -la", 1500), "printf 'prompt$ list files'");
    let screen = run.pty.wait_for("thinking · local 1 s — Esc keeps your line");
    assert!(screen.starts_with("prompt$ list files\n"), "{screen}");
    let ended = run.ends("0", "ls -la");
    assert_eq!(ended.screen, format!("prompt$ list files\n{ENDED}"));
}

#[test]
fn the_draft_grows_on_the_row_which_is_never_empty_in_between() {
    let run = Run::start(r#"{"reply": "```bash\nls -la\n```", "writing_ms": 2500}"#, "draw=here");
    run.pty.wait(" a draft", |screen| {
        screen.contains(" ls -l")
            && screen.contains(" · local ")
            && screen.contains(" s — Esc keeps your line")
    });
    let ended = run.ends("0", "ls -la");
    // Each frame replaces the one before it in one piece, and is dim.
    let frames: Vec<&str> = ended.raw.split("\r\x1b[K").skip(1).collect();
    let (last, shown) = frames.split_last().unwrap();
    assert!(4 < shown.len() && shown.iter().all(|frame| frame.starts_with("\x1b[2m")), "{:?}", ended.raw);
    assert!(!last.contains("\x1b[2m") && !ended.raw.contains('`'), "{:?}", ended.raw);
}

#[test]
fn a_long_draft_is_cut_to_the_row() {
    let reply = format!(r#"{{"reply": "echo {}", "writing_ms": 1500}}"#, r"\u0007 word".repeat(20));
    let run = Run::start(&reply, "printf 'prompt$ list files'");
    let screen = run.pty.wait(" a cut draft", |screen| screen.contains("… · local "));
    assert!(screen.ends_with("Esc keeps your line") && screen.lines().count() == 2, "{screen}");
    run.ended();
}

#[test]
fn cancel_keys_keep_the_line() {
    for keys in
        ["\x1b", "\x03", "\x07", "\x1b[99;5u", "\x1b[103;5u", "\x1b[27u", "\x1b[27;5;99~", "rm -rf x\r\x1b"]
    {
        let run = Run::start(&reply("ls -la", LONG), "printf 'prompt$ list files'");
        run.pty.wait_for("thinking");
        run.pty.send(keys);
        let ended = run.ends("130", "");
        assert_eq!(ended.screen, format!("prompt$ list files\n{ENDED}"), "{}", keys.escape_debug());
    }
}

/// While an answer is compared with others, Esc takes it. A second one cancels.
#[test]
fn esc_takes_the_first_answer_while_others_are_compared() {
    let model = concat!(
        r#"{"reply": "ls -la", "mean": 0.5, "others": [{"reply": "ls -a", "mean": 0.6}], "#,
        r#""others_ms": 600000}"#
    );
    let run = Run::start(model, "printf 'prompt$ list files'");
    run.pty.wait_for("Esc takes the first answer");
    run.pty.send("\x1b");
    let ended = run.ends("0", "ls -la");
    assert_eq!(ended.screen, format!("prompt$ list files\n{ENDED}"));
}

#[test]
fn other_keys_and_pastes_do_not_cancel_and_are_dropped() {
    let run = Run::start(&reply("ls -la", 2000), "printf 'prompt$ list files'");
    run.pty.wait_for("thinking");
    for keys in [
        "\r",
        "touch marker\r",
        "\x1b[A",
        "\x1bOP",
        "é",
        "\x1b[200~\x03 paste\r\x1b[201~",
        "\x1bx",
        "\x1a",
        "\x13",
    ] {
        run.pty.send(keys);
        std::thread::sleep(Duration::from_millis(20));
    }
    let ended = run.ends("0", "ls -la");
    assert_eq!(ended.screen, format!("prompt$ list files\n{ENDED}"));
}

/// The rest of a paste, typed after an answer, would run it.
#[test]
fn a_paste_that_outlasts_the_wait_is_swallowed() {
    for (model, key, code, out, message) in [
        (reply("ls -la", 500).as_str(), "", "0", "ls -la", CHECKED),
        (&reply("ls -la", LONG), "\x03", "130", "", ""),
        (r#"{"fail": "the server is gone", "delay_ms": 500}"#, "x", "3", "", "askline: the server is gone"),
    ] {
        let run = Run::start(model, "");
        run.pty.wait_for("thinking");
        run.pty.send(&format!("{key}\x1b[200~first line\r"));
        std::thread::sleep(Duration::from_millis(1000));
        run.pty.send("echo PASTED\r");
        std::thread::sleep(Duration::from_millis(1000));
        run.pty.send("more\r\x1b[201~");
        let ended = run.says(code, out, message);
        assert!(!ended.raw.contains("PASTED"), "{}", ended.raw.escape_debug());
    }
}

/// A paste with a pause longer than the wait: its rest would run the answer, so no answer is given.
#[test]
fn a_paste_that_never_ends_gets_no_answer() {
    let run = Run::start(&reply("ls -la", 500), "");
    run.pty.wait_for("thinking");
    let since = Instant::now();
    run.pty.send("\x1b[200~first line\r");
    run.ends("130", "");
    assert!(Duration::from_secs(9) < since.elapsed(), "after {:?}", since.elapsed());
}

/// A paste with a pause longer than a lost key may last, which then continues.
#[test]
fn a_paste_that_pauses_is_swallowed() {
    let run = Run::start(&reply("ls -la", 500), "");
    run.pty.wait_for("thinking");
    run.pty.send("\x1b[200~first line\r");
    std::thread::sleep(Duration::from_millis(3500));
    run.pty.send("echo PASTED\r\x1b[201~");
    let ended = run.ends("0", "ls -la");
    assert!(!ended.raw.contains("PASTED"), "{}", ended.raw.escape_debug());
}

/// A repeated Enter was not meant for an answer that the user has not seen yet.
#[test]
fn someone_who_is_still_typing_is_waited_for() {
    for (model, code, line, message) in [
        (reply("ls -la", 400).as_str(), "0", "ls -la", CHECKED),
        (r#"{"fail": "the server is gone", "delay_ms": 400}"#, "3", "", "askline: the server is gone"),
    ] {
        let run = Run::start(model, "");
        run.pty.wait_for("thinking");
        let since = Instant::now();
        while since.elapsed() < Duration::from_millis(1500) {
            run.pty.send("\r");
            std::thread::sleep(Duration::from_millis(30));
            assert!(!run.pty.screen().contains(ENDED), "ended while keys were coming");
        }
        run.says(code, line, message);
    }
}

/// The terminal echoes what is typed before the helper owns it, but the input is dropped all the same.
#[test]
fn type_ahead_from_before_the_start_is_dropped() {
    let run = Run::start(&reply("ls -la", 300), "printf ready; sleep 0.5");
    run.pty.wait_for("ready");
    run.pty.send("touch marker\rand more");
    run.ends("0", "ls -la");
}

/// More input than the helper reads at a time.
#[test]
fn type_ahead_that_was_never_read_is_dropped() {
    let run = Run::start(r#"{"hang_ms": 60000}"#, "");
    run.pty.wait_for("thinking");
    run.pty.send(&format!("\x03{}\rtouch marker\r", "x".repeat(1000)));
    run.ends("130", "");
}

/// The script shows the failure, so the helper neither waits nor draws.
#[test]
fn a_failure_is_handed_over_at_once() {
    let run = Run::start(r#"{"fail": "the server\nis \u001b[31mgone"}"#, "printf 'prompt$ list files'");
    let ended = run.says("3", "", "askline: the server is \\u{1b}[31mgone");
    assert_eq!(ended.screen, format!("prompt$ list files\n{ENDED}"));
    assert_eq!(ended.err, "");
}

#[test]
fn a_panic_at_work_is_a_failure() {
    let run = Run::start(r#"{"panic": "on purpose"}"#, "printf 'prompt$ list files'");
    let message = "askline: a bug in askline stopped it; `askline suggest\n--debug` shows more";
    let ended = run.says("3", "", message);
    assert_eq!(ended.err, "");
}

#[test]
fn signals_restore_the_terminal() {
    for signal in ["TERM", "HUP", "INT", "QUIT"] {
        let run = Run::start(&reply("ls -la", LONG), "printf 'prompt$ list files'");
        run.pty.wait_for("thinking");
        run.signal(signal);
        let ended = run.ends("130", "");
        assert_eq!(ended.screen, format!("prompt$ list files\n{ENDED}"), "{signal}");
    }
}

/// A stop in raw mode would leave an unusable terminal.
#[test]
fn a_stop_signal_is_ignored() {
    // A job of its own: the process group of a session leader is never stopped.
    let run = Run::start(&reply("ls -la", 1500), "job() { set -m; ask; }; how=job");
    run.pty.wait_for("thinking");
    run.signal("TSTP");
    run.ends("0", "ls -la");
}

/// A worker inside the model's library cannot be stopped; the helper ends without it.
#[test]
fn a_stuck_worker_is_left_behind() {
    let run = Run::start(r#"{"hang_ms": 60000}"#, "");
    run.pty.wait_for("thinking");
    run.pty.send("\x1b");
    run.ends("130", "");
    let run = Run::start(r#"{"hang_ms": 60000}"#, "export ASKLINE_DEADLINE_MS=300");
    run.says("3", "", LATE);
}

#[test]
fn the_deadline_ends_the_wait() {
    let before = "export ASKLINE_DEADLINE_MS=400";
    Run::start(&reply("ls -la", LONG), before).says("3", "", LATE);
}

/// The words above the status row stay in place and complete, and the row is removed.
#[test]
fn at_the_bottom_of_the_screen_the_line_stays_whole() {
    let before = "for n in 1 2 3 4 5 6 7 8; do echo $n; done; printf 'prompt$ list files'";
    let run = Run::sized(6, 40, &reply("ls -la", 1500), before);
    let screen = run.pty.wait_for("thinking");
    assert!(screen.starts_with("5\n6\n7\n8\nprompt$ list files\n"), "{screen}");
    assert_eq!(run.pty.cursor(), (4, 18), "{}", run.pty.describe());
    let ended = run.ends("0", "ls -la");
    assert_eq!(ended.screen, format!("5\n6\n7\n8\nprompt$ list files\n{ENDED}"));
}

#[test]
fn drawn_here_the_row_replaces_the_blanked_line() {
    let run = Run::start(&reply("ls -la", 1500), "draw=here; echo above");
    let screen = run.pty.wait_for("thinking");
    assert!(screen.starts_with("above\n") && screen.lines().count() == 2, "{screen}");
    let ended = run.ends("0", "ls -la");
    assert_eq!(ended.screen, format!("above\n\n{ENDED}"));
}

/// The terminal's output continues behind this row. The cursor stays at the start of the row, so the terminal finds it
/// when it rewraps.
#[test]
fn drawn_here_the_cursor_stays_before_the_row() {
    let run = Run::start(&reply("ls -la", 1500), "draw=here; echo above");
    run.pty.wait_for("thinking · local 1 s");
    assert_eq!(run.pty.cursor(), (1, 0), "{}", run.pty.describe());
    run.ends("0", "ls -la");
}

/// The answer comes before the row is redrawn, so the code that erases the row must notice the resize.
#[test]
fn a_resize_just_before_the_end_leaves_nothing_behind() {
    for draw in ["here", "below"] {
        let run = Run::start(&reply("ls -la", LONG), &format!("draw={draw}"));
        run.pty.wait_for("thinking");
        run.signal("STOP");
        run.pty.resize(12, 30);
        run.pty.send("\x1b");
        run.signal("CONT");
        let ended = run.ends("130", "");
        let (_, after) = ended.raw.rsplit_once("Esc keeps").unwrap();
        assert!(after.contains("\x1b[J"), "{}", after.escape_debug());
    }
}

#[test]
fn drawn_nowhere_keys_count_all_the_same() {
    let ended = Run::start(&reply("ls -la", 400), "draw=none").ends("0", "ls -la");
    assert!(!ended.raw.contains('\x1b'), "{}", ended.raw.escape_debug());
    let run = Run::start(&reply("ls -la", LONG), "draw=none; printf ready");
    run.pty.wait_for("ready");
    std::thread::sleep(Duration::from_millis(300));
    run.pty.send("\x1b");
    run.ends("130", "");
}

#[test]
fn a_dumb_terminal_gets_no_sequences() {
    for dumb in ["export TERM=dumb", "unset TERM"] {
        let ended = Run::start(&reply("ls -la", 400), dumb).ends("0", "ls -la");
        assert!(!ended.raw.contains('\x1b'), "{}", ended.raw.escape_debug());
    }
}

#[test]
fn notes_come_with_the_answer() {
    let run = Run::start(&reply("echo “hi”", 0), "");
    run.says("0", "echo \"hi\"", "askline: curly quotes made straight");
}

#[test]
fn an_answer_that_changes_nothing_says_so() {
    let run = Run::start(&reply("echo hello", 0), "input='echo hello '");
    run.says("0", "echo hello", "askline: the model's answer is the same line");
}

/// A command with known options needs no model: the script has no reply.
#[test]
fn a_line_that_is_right_says_so() {
    let run = Run::start("", "input='ls -la'");
    run.says("0", "ls -la", "askline: the line is already right");
}

#[test]
fn what_was_looked_up_and_mended_is_told() {
    let run = Run::start(&reply("ls -la", 0), "export ASKLINE_EVIDENCE=all");
    run.says("0", "ls -la", "askline: checked 2/2 flags");
    let ended = Run::start(&reply("ls --colour", 0), "").ended();
    assert!(ended.out.starts_with("ls --color\u{1f}askline: --colour → --color: "), "{}", ended.out);
}

#[test]
fn what_was_found_out_is_kept_for_the_next_press() {
    let cache = tempfile::tempdir().unwrap();
    let run = Run::start(&reply("ls -la", 0), &format!("export XDG_CACHE_HOME={}", cache.path().display()));
    run.ends("0", "ls -la");
    for kept in ["askline/commands", "askline/knowledge"] {
        assert!(cache.path().join(kept).exists(), "{kept}");
    }
}

/// Every press is counted by the time the helper has ended, whatever its result.
#[test]
fn a_press_is_counted() {
    let data = tempfile::tempdir().unwrap();
    let start = |model: &str| Run::start(model, &format!("export XDG_DATA_HOME={}", data.path().display()));
    start(&reply("ls -la", 0)).ends("0", "ls -la");
    start(r#"{"fail": "gone"}"#).says("3", "", "askline: gone");
    let cancelled = start(&reply("ls", LONG));
    cancelled.pty.wait_for("thinking");
    cancelled.pty.send("\u{3}");
    cancelled.ends("130", "");
    let counts = fs::read_to_string(data.path().join("askline/stats/counts")).unwrap();
    let counts: serde_json::Value = serde_json::from_str(counts.split_once('\n').unwrap().1).unwrap();
    let total = &counts["total"];
    let figures = ["presses", "answers", "cancelled"].map(|name| total[name].as_u64().unwrap());
    assert_eq!((figures, &total["failures"]["unexpected"]), ([3, 1, 1], &1.into()), "{total}");
}

/// Log output and the status row would overwrite each other.
#[test]
fn logs_on_the_screen_take_the_row_s_place() {
    let run = Run::start(&reply("ls -la", 900), "extra=--debug; err=/dev/tty");
    let ended = run.ends("0", "ls -la");
    assert!(ended.raw.contains("a line of 10 characters"), "{}", ended.raw.escape_debug());
    assert!(!ended.raw.contains("Esc keeps"), "{}", ended.raw.escape_debug());
}

#[test]
fn no_color_and_other_locales_are_respected() {
    let run = Run::start(&reply("ls -la", 900), "export NO_COLOR=1 LC_ALL=C");
    run.pty.wait_for("thinking - local 0 s - Esc keeps your line");
    let ended = run.ends("0", "ls -la");
    assert!(!ended.raw.contains('\u{1b}') || !ended.raw.contains("\x1b[2m"), "{}", ended.raw.escape_debug());
    assert!(ended.raw.is_ascii(), "{}", ended.raw.escape_debug());
    let run = Run::start(&reply("ls -la", 900), "");
    run.pty.wait_for("thinking");
    assert!(run.ends("0", "ls -la").raw.contains("\x1b[2m"));
}

#[test]
fn a_narrow_terminal_gets_a_cut_row() {
    let before = "export ASKLINE_EVIDENCE=all; printf '日本語 prompt$ list files'";
    let run = Run::sized(8, 20, &reply("ls -la", 1500), before);
    let screen = run.pty.wait_for("thinking");
    let rows: Vec<&str> = screen.lines().collect();
    assert_eq!(rows[0], "日本語 prompt$ list files", "wrapped by the terminal, left alone by us");
    assert!(rows.len() == 2 && rows[1].ends_with('…') && rows[1].chars().count() == 19, "{screen}");
    run.says("0", "ls -la", "askline: checked\n2/2 flags");
    let failure = r#"{"fail": "日本語日本語日本語日本語日本語日本語; run `this`"}"#;
    let message = "askline:\n日本語日本語日本語\n日本語…; run `this`";
    Run::sized(8, 20, failure, "").says("3", "", message);
}

#[test]
fn a_resize_moves_the_row_along() {
    let before = "for n in 1 2 3 4 5 6 7 8; do echo $n; done; printf 'prompt$ list files'";
    let run = Run::sized(12, 60, &reply("ls -la", 3000), before);
    run.pty.wait_for("thinking");
    // So small that the cursor's row becomes the last one, and the status row must scroll the rest up.
    run.pty.resize(9, 30);
    let screen = run.pty.wait("a shorter row", |screen| screen.trim_end().ends_with('…'));
    assert!(run.pty.last_row().contains("thinking"), "{screen}");
    assert!(screen.contains("8\nprompt$ list files\n"), "{screen}");
    run.pty.resize(20, 60);
    let screen = run.pty.wait_for("Esc keeps your line");
    assert_eq!(screen.matches("thinking").count(), 1, "{screen}");
    // This emulator cuts rows; one that rewraps would leave a piece of the old row below the new one.
    assert!(run.pty.raw().contains("\x1b[J"), "{}", run.pty.raw().escape_debug());
    let ended = run.ends("0", "ls -la");
    assert!(ended.screen.ends_with(&format!("8\nprompt$ list files\n{ENDED}")), "{}", ended.screen);
}

#[test]
fn the_request_arrives_whole() {
    let model = r#"{"reply": "echo a\necho b", "must_contain": "größe 日本"}"#;
    let before = "input='größe 日本
zweite Zeile
'; extra='--cursor 3 --keymap vicmd --status -1'";
    Run::start(model, before).says(
        "0",
        "echo a\necho b",
        "askline: it spans 2 lines, and each may be a command of its\nown",
    );
}

#[test]
fn a_blank_line_is_refused_politely() {
    let run = Run::start(&reply("ls -la", 0), "input=' '");
    run.says("3", "", "askline: type what you want in your words first");
}

/// Shell scripts treat any other exit code as a crash.
#[test]
fn what_is_wrong_around_us_is_told_like_the_rest() {
    for (before, reason) in [
        ("export ASKLINE_HOST=bad", "ASKLINE_HOST must be recorded:FILE, not bad"),
        ("export ASKLINE_CONFIG=/nowhere", "/nowhere: there is no such file"),
        ("export ASKLINE_DEADLINE_MS=soon", "ASKLINE_DEADLINE_MS"),
    ] {
        let ended = Run::sized(12, 120, &reply("ls -la", 0), before).ended();
        assert_eq!((ended.code.as_str(), ended.err.as_str()), ("3", ""));
        assert!(ended.out.starts_with("\u{1f}askline: ") && ended.out.contains(reason), "{}", ended.out);
    }
}

#[test]
fn a_line_that_nobody_takes_is_a_failure() {
    let ended = Run::start(&reply("ls -la", 300), "out=/dev/full").ended();
    assert_eq!(ended.code, "3");
}

/// A later round that hangs costs the user time, not the draft.
#[test]
fn a_draft_outlives_a_round_that_hangs() {
    let model = format!("{}\n{}", reply("ls --nosuchthing", 0), r#"{"reply": "ls", "hang_ms": 600000}"#);
    let ended = Run::start(&model, "export ASKLINE_DEADLINE_MS=3000").ended();
    assert_eq!(ended.code, "0", "{}", ended.out);
    assert!(ended.out.starts_with("ls --nosuchthing\u{1f}askline: "), "{}", ended.out);
}

#[test]
fn a_cold_press_ends_at_its_deadline() {
    let model = r#"{"reply": "ls -la", "prepare_ms": 600000}"#;
    let ended = Run::start(model, "export ASKLINE_DEADLINE_MS=1000").ended();
    let told = "askline: the model is being prepared, about 59";
    assert!(ended.code == "3" && ended.out.contains(told), "{} {}", ended.code, ended.out);
}

/// Without a controlling terminal everything works except the status row.
#[test]
fn without_a_terminal_the_reply_is_the_same() {
    for (model, code, line, message) in [
        (reply("ls -la", 0), "0", "ls -la", CHECKED),
        (r#"{"fail": "the server is gone"}"#.to_owned(), "3", "", "askline: the server is gone"),
        (
            r#"{"panic": "on purpose"}"#.to_owned(),
            "3",
            "",
            "askline: a bug in askline stopped it; `askline suggest --debug` shows more",
        ),
    ] {
        let run = Run::start(&model, "wrap='setsid -w'");
        assert_eq!(run.says(code, line, message).err, "");
    }
}

/// A background process must not draw, change the modes, or be stopped for trying. It also cannot drop typed input, so
/// its answer is kept back.
#[test]
fn in_the_background_nothing_is_touched() {
    let before = "background() { set -m; ask & wait $!; }; how=background; stty tostop";
    let ended = Run::start(&reply("ls -la", 400), before).ends("130", "");
    assert!(!ended.raw.contains("thinking"), "{}", ended.raw.escape_debug());
}

/// A terminal that is handed over after the work has begun is still used, and input typed until then is dropped.
#[test]
fn a_terminal_handed_over_late_is_taken() {
    let before = "late() { set -m; ask & sleep 0.7; fg %1 >fg; }; how=late; printf ready";
    let run = Run::start(&reply("ls -la", 2500), before);
    run.pty.wait_for("ready");
    run.pty.send("touch marker\r");
    run.pty.wait_for("thinking");
    run.pty.send("touch marker\r");
    run.ends("0", "ls -la");
}

/// The helper is stopped by force and continued in the background: by then the terminal has other modes and another
/// owner.
#[test]
fn a_terminal_that_was_lost_is_left_alone() {
    let before = "
        job() {
            set -m
            ask
            printf stopped
            stty -echo
            stty -g >before
            bg %1 >bg
            wait %1
        }
        how=job";
    let run = Run::start(&reply("ls -la", LONG), before);
    run.pty.wait_for("thinking");
    run.signal("STOP");
    run.pty.wait_for("stopped");
    run.ends("130", "");
}
