//! The figures of the fault table, one row per request of its tests: width of the message, delay beyond the deadline,
//! memory used.
//!
//! `ASKLINE_FAULT_FIGURES=FILE cargo test --test it -- remote:: --test-threads 1` appends them to FILE, separated by tabs:
//! row, columns, time and time beyond the deadline in milliseconds, memory in KiB, message. One thread, because the memory
//! is that of the whole process, including the server of the test.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use super::DEADLINE;

/// Returns the file for the figures, if one is set.
fn file() -> Option<PathBuf> {
    std::env::var_os("ASKLINE_FAULT_FIGURES").map(PathBuf::from)
}

/// Memory of this process before a request, in KiB; `None` if no figures are collected.
pub(super) struct Memory(Option<u64>);

impl Memory {
    pub(super) fn begin() -> Self {
        Self(file().map(|_| {
            // Resets the peak to the current memory.
            fs::write("/proc/self/clear_refs", "5").unwrap();
            peak()
        }))
    }
}

/// Returns the peak memory of this process since the reset, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Appends a row under the name of the running test.
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
