//! Faults that a shell sees: a program that cannot be run, other jobs that print, a window resized by dragging. Rows P2
//! and P6 of the fault table; its other rows are in `faults`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::shells::sh::{Setup, Sh};

in_every_shell! {
    a_program_that_cannot_be_run_keeps_the_line
    a_job_that_prints_meanwhile_changes_no_line
    a_window_that_is_dragged_changes_no_line
}

fn set_mode(file: &Path, mode: u32) {
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

/// P2: the program is replaced by a file that cannot be run: the line stays, and the script reports it.
fn a_program_that_cannot_be_run_keeps_the_line(setup: Setup) {
    let shell = setup.shell;
    let file = setup.home().join("bin/broken");
    let script = setup.script().replace("askline'", "broken'");
    fs::write(&file, "\u{7f}ELF and no more").unwrap();
    set_mode(&file, 0o755);
    let sh = setup.launch_with(&script);
    sh.expect("");
    sh.asks("list files");
    sh.pty.wait("a word of it", |screen| screen.contains("broken"));
    sh.expect_line("list files");
    set_mode(&file, 0o644);
    sh.pty.send("\x05\x15");
    sh.expect_line("");
    sh.asks("list files");
    sh.pty.wait(&format!("a word of it in {shell}"), |screen| screen.contains("broken"));
    sh.expect_line("list files");
    sh.is_well();
}

/// P6: another job prints while the helper works: the answer arrives complete, and the shell goes on.
fn a_job_that_prints_meanwhile_changes_no_line(setup: Setup) {
    let sh = setup.model(r#"{"reply": "ls -la", "delay_ms": 2500}"#).start();
    let job = "(sleep 1; for n in 1 2 3; do echo NOISE; sleep 0.2; done) & : >done";
    fs::write(sh.home().join("job"), job).unwrap();
    sh.runs("sh job");
    sh.asks("list files");
    sh.pty.wait_for("NOISE");
    sh.pty.wait("the answer", |screen| screen.contains("ls -la"));
    // A shell does not notice what others print over its line; redrawn, the line is correct.
    sh.pty.send("\x0c");
    is_answered(&sh);
    sh.is_well();
}

/// P6: the window changes its size again and again while the helper works.
fn a_window_that_is_dragged_changes_no_line(setup: Setup) {
    let sh = setup.model(r#"{"reply": "ls -la", "delay_ms": 1500}"#).start();
    sh.asks("list files");
    sh.expect_busy();
    for n in 0..20_u16 {
        sh.pty.resize(12 + n % 7, 40 + 3 * (n % 11));
        thread::sleep(Duration::from_millis(40));
    }
    sh.pty.resize(24, 80);
    is_answered(&sh);
    sh.is_well();
}

/// Checks that the prompt line is exactly the answer, whatever was printed around it.
#[track_caller]
fn is_answered(sh: &Sh) {
    sh.pty.wait("the answer", |_| sh.pty.cursor_row().trim_end().ends_with("ls -la"));
    sh.pty.send(" x");
    sh.pty.wait("the answer and what is typed behind it", |_| {
        sh.pty.cursor_row().trim_end().ends_with("READY> ls -la x")
    });
}
