//! The figures of the fault table, a row for each question that a test of it asks: how wide its message is, how much later than its
//! deadline it was over, how much memory it took.
//!
//! `ASKLINE_FAULT_FIGURES=FILE cargo test --test it -- remote:: --test-threads 1` appends them to FILE, with tabs: row, columns, time and
//! time behind the deadline in milliseconds, memory in KiB, message. One thread, for the memory is that of the whole process,
//! the server of the test included.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use super::DEADLINE;

/// Where the figures go, if anywhere.
fn file() -> Option<PathBuf> {
    std::env::var_os("ASKLINE_FAULT_FIGURES").map(PathBuf::from)
}

/// What this process held before a question, KiB; none where nobody wants to know.
pub(super) struct Memory(Option<u64>);

impl Memory {
    pub(super) fn begin() -> Self {
        Self(file().map(|_| {
            // Sets the peak back to what is held now.
            fs::write("/proc/self/clear_refs", "5").unwrap();
            peak()
        }))
    }
}

/// The most that this process has held since that was set back, KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Appends a row under the name of the test that runs.
pub(super) fn note(message: Option<&str>, took: Duration, before: Memory) {
    let (Some(file), Memory(Some(before))) = (file(), before) else { return };
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default().rsplit("::").next().unwrap_or_default();
    let columns = message.map_or(0, UnicodeWidthStr::width);
    let row = format!(
        "{test}\t{columns}\t{}\t{}\t{}\t{}\n",
        took.as_millis(),
        took.saturating_sub(DEADLINE).as_millis(),
        peak().saturating_sub(before),
        message.unwrap_or("an answer")
    );
    fs::OpenOptions::new().create(true).append(true).open(file).unwrap().write_all(row.as_bytes()).unwrap();
}
