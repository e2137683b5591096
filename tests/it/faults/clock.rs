//! Clock jumps (row S11), made by a preloaded library where it is installed. Ages that such a clock makes impossible
//! are tested beside the code that stores them: `presses`, `metrics`, `knowledge`.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{CHECKED, LS, Place};

/// Returns the path of the library, or `None` if it is missing, which only a developer's machine may be.
fn library() -> Option<PathBuf> {
    let name = "faketime/libfaketimeMT.so.1";
    let found = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib", "/usr/lib64"]
        .map(|directory| PathBuf::from(directory).join(name))
        .into_iter()
        .find(|path| path.exists());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "libfaketime is not installed");
        crate::parser::skipped("clocks can't be set here: libfaketime is not installed");
    }
    found
}

/// Returns the shell commands that give a key press another clock, read anew from the file `clock`.
fn with_clock(library: &std::path::Path) -> String {
    format!(
        "set -- env LD_PRELOAD={} FAKETIME_TIMESTAMP_FILE=$top/clock FAKETIME_NO_CACHE=1 NO_FAKE_STAT=1 \
         DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1 \"$@\"",
        library.display()
    )
}

#[test]
fn presses_work_in_any_year() {
    let Some(library) = library() else { return };
    let place = Place::new();
    place.is_well();
    let today = place.counts()["days"].as_object().unwrap().keys().next().unwrap().clone();
    for (n, clock) in (1..).zip([
        "+365d",
        "-365d",
        "@1970-01-01 00:00:10",
        "@1969-12-31 00:00:00",
        "@2037-12-31 23:59:59",
        "+0",
    ]) {
        fs::write(place.path("clock"), clock).unwrap();
        for _ in 0..2 {
            place.press(&with_clock(&library)).answers();
        }
        assert_eq!(place.counted(), 1 + 2 * n, "after {clock}");
        place.sound();
    }
    let days: Vec<String> = place.counts()["days"].as_object().unwrap().keys().cloned().collect();
    assert!(
        days.contains(&today) && days.len() == 4,
        "the clocks that were never set count for none: {days:?}"
    );
    place.is_well();
}

/// A deadline is a span of time, independent of the wall clock.
#[test]
fn a_clock_that_jumps_during_a_press_moves_no_deadline() {
    let Some(library) = library() else { return };
    for jump in ["+400d", "-400d", "@1970-01-01 00:00:00"] {
        let place = Place::new();
        fs::write(place.path("clock"), "+0").unwrap();
        place.model(&LS.replace('}', ", \"delay_ms\": 1500}"));
        let started = Instant::now();
        let mut pty = place.start("list files", &with_clock(&library));
        pty.wait_for("thinking");
        fs::write(place.path("clock"), jump).unwrap();
        pty.wait_exit();
        place.pressed(started).is(0, "ls -la", CHECKED);

        fs::write(place.path("clock"), "+0").unwrap();
        place.model(&LS.replace('}', ", \"delay_ms\": 60000}"));
        let started = Instant::now();
        let before = format!("export ASKLINE_DEADLINE_MS=1500; {}", with_clock(&library));
        let mut pty = place.start("list files", &before);
        pty.wait_for("thinking");
        fs::write(place.path("clock"), jump).unwrap();
        pty.wait_exit();
        let late = place.pressed(started).says("no answer in time");
        assert!(Duration::from_millis(1400) < late.took && late.took < Duration::from_secs(10), "{late:?}");
    }
}
