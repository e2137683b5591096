//! Terminals that close or are narrow, output without a reader, low memory, models that never end. Rows P1, P4, S15 and
//! S16 of the fault table.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::{LS, Place, figure};

/// P1: the terminal closes while the helper works: the helper ends with all its child processes.
#[test]
fn a_closed_terminal_ends_the_helper() {
    let place = Place::new();
    place.model(&LS.replace('}', ", \"delay_ms\": 60000}"));
    let mut slowest = Duration::ZERO;
    for hang in [false, false, false, true] {
        if hang {
            // The model hangs in a library call and does not notice a cancellation.
            place.model("{\"hang_ms\": 60000}");
        }
        let pty = place.start("list files", "");
        pty.wait_for("thinking");
        assert!(!place.processes().is_empty());
        let closed = Instant::now();
        drop(pty);
        while !place.processes().is_empty() {
            assert!(closed.elapsed() < Duration::from_secs(10), "{:?}", place.processes());
            thread::sleep(Duration::from_millis(1));
        }
        slowest = slowest.max(closed.elapsed());
        assert_eq!(fs::read_to_string(place.path("told/out")).unwrap().trim_end_matches('\u{1f}'), "");
    }
    figure(&format!("a closed terminal ended all within {slowest:?}"));
    place.model(LS);
    place.is_well();
}

/// P4: nothing reads the answer, and the status row is not visible.
#[test]
fn output_may_go_nowhere() {
    let place = Place::new();
    for (before, code) in [
        ("exec >&-", 0),
        ("exec 2>&-", 0),
        ("exec 2>/dev/full", 0),
        ("exec >&- 2>&-", 0),
        ("exec >/dev/full", 3),
    ] {
        let pressed = place.press(before);
        assert_eq!((pressed.code, pressed.err.as_str()), (code, ""), "{before}: {pressed:?}");
        let answered = pressed.out.starts_with("ls -la\u{1f}");
        assert_eq!(answered, !before.contains('>') || before.starts_with("exec 2"), "{before}: {pressed:?}");
    }
    for before in ["exec 2>/dev/full", "ulimit -f 0; exec 2>$top/told/debug", "exec 2>&-"] {
        place.press(&format!("set -- \"$@\" --debug; {before}")).answers();
    }
    // A reader that ends before the answer comes.
    let mut child = place
        .command(&["line", "--shell", "bash"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"list files").unwrap();
    let ran = child.wait_with_output().unwrap();
    assert_eq!((ran.status.code(), ran.stderr.as_slice()), (Some(3), &b""[..]), "{ran:?}");
    for size in ["stty rows 1 cols 1", "stty rows 0 cols 0", "stty rows 3 cols 5", "stty rows 9999 cols 9999"]
    {
        place.model(&LS.replace('}', ", \"delay_ms\": 400}"));
        let pressed = place.press(&format!("{size} </dev/tty"));
        assert!(
            pressed.code == 0 && pressed.out.starts_with("ls -la\u{1f}") && pressed.err.is_empty(),
            "{size}: {pressed:?}"
        );
    }
}

/// S15: with too little memory for the program itself, only the helper dies, at once and without an answer; the shell
/// script reports it.
#[test]
fn short_of_memory_it_answers_or_dies_alone() {
    let place = Place::new();
    place.is_well();
    let (mut answers, mut deaths) = (0, 0);
    // Each thread reserves 64 MB of addresses, so about 160 MB are the limit of a debug build.
    for kilobytes in
        [400_000, 300_000, 160_000, 120_000, 100_000, 90_000, 80_000, 70_000, 60_000, 50_000, 40_000, 20_000]
    {
        let pressed = place.press(&format!("ulimit -v {kilobytes}"));
        match pressed.code {
            0 => {
                assert!(pressed.out.starts_with("ls -la\u{1f}"), "{kilobytes}: {pressed:?}");
                answers += 1;
            }
            3 => drop(pressed.says("")),
            // Abort, segmentation fault, or failure to start: no separator, so no script takes the output for an
            // answer.
            127 | 134 | 139 => {
                assert_eq!(pressed.out, "", "{kilobytes}: {pressed:?}");
                deaths += 1;
            }
            _ => panic!("{kilobytes}: {pressed:?}"),
        }
        assert!(place.processes().is_empty());
    }
    assert!(2 <= answers && 1 <= deaths, "{answers} answers, {deaths} deaths");
    place.sound();
    place.is_well();
}

/// S15: a press works without a resident process that gets no memory.
#[test]
fn a_resident_process_without_memory_is_done_without() {
    let place = Place::new();
    for kilobytes in [100, 20_000, 40_000, 60_000] {
        let mut resident = std::process::Command::new("sh");
        resident.args([
            "-c",
            &format!("ulimit -v {kilobytes}; exec \"$@\""),
            "sh",
            env!("CARGO_BIN_EXE_askline"),
        ]);
        resident.args(["daemon", "run"]).env_clear().envs(place.environment());
        resident.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut resident = resident.spawn().unwrap();
        thread::sleep(Duration::from_millis(200));
        place.press("").answers();
        place.model(&format!("{LS}\n").repeat(9));
        // With `force` there is no fallback: either another process is started, or the message gives the reason.
        let forced = place.press("export ASKLINE_DAEMON=force");
        if forced.code == 0 {
            forced.answers()
        } else {
            forced.says("the resident process does not answer")
        };
        place.model(LS);
        let _ = resident.kill();
        resident.wait().unwrap();
        for pid in place.processes() {
            super::signal(pid, rustix::process::Signal::KILL);
        }
    }
}

/// S16: the length of a model's output is limited, and empty output is no answer.
#[test]
fn a_model_that_does_not_end_is_cut_off() {
    let place = Place::new();
    let reply = |text: &str| place.model(&serde_json::json!({"reply": text}).to_string());
    for text in ["", " \n\t\n", "```\n```", "\u{0}", "\u{200b}"] {
        reply(text);
        let pressed = place.press("");
        assert!(pressed.code == 3 && pressed.out.starts_with("\u{1f}askline: "), "{text:?}: {pressed:?}");
    }
    for text in
        ["a".repeat(5 << 20), "ls -la\n".repeat(500_000), "((".repeat(1 << 20), "ls | ".repeat(200_000)]
    {
        reply(&text);
        let pressed = place.press("");
        assert!(
            pressed.out.len() < 70 << 10 && pressed.err.is_empty(),
            "{} bytes, {}",
            pressed.out.len(),
            pressed.code
        );
        assert!([0, 3].contains(&pressed.code), "{}", pressed.code);
        assert!(pressed.took < Duration::from_secs(10), "{:?}", pressed.took);
    }
}
