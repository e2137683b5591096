//! Tests of the statistics: what is counted where, clock jumps, broken files, concurrent writers.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::*;
use askline_model::usage::{Cost, Tokens};

const NOON: u64 = 43_200;

/// Returns noon of a day.
fn at(day: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(day * 86_400 + NOON)
}

fn usage_store(top: &Path) -> UsageStore {
    UsageStore { directory: top.join("stats") }
}

fn asked(name: &str, is_server: bool) -> Usage {
    let mut usage = Usage::default();
    usage.call(name, is_server);
    usage.spend(name, Tokens { prompt: 10, cached: 4, completion: 2 }, is_server.then_some(Cost(5)));
    usage.answered(name, Duration::from_millis(300));
    usage
}

#[test]
fn a_press_is_counted_once_in_its_day_and_in_the_whole() {
    let top = tempfile::tempdir().unwrap();
    let usage_store = usage_store(top.path());
    let mut both = asked("m at h", true);
    both.call("m at h", true);
    for (usage, outcome) in [
        (both, Outcome::Answered),
        (asked("local:x", false), Outcome::Failed("late")),
        (Usage::default(), Outcome::Answered),
        (Usage::default(), Outcome::Cancelled),
        (Usage::default(), Outcome::Failed("late")),
    ] {
        assert!(usage_store.count(&usage, outcome, at(20_779)).unwrap());
    }
    let counts = usage_store.read().unwrap();
    assert_eq!(counts.today(at(20_779)), counts.total);
    assert_eq!(counts.days.len(), 1);
    let total = &counts.total;
    assert_eq!((total.presses, total.answers, total.without_model, total.cancelled), (5, 2, 1, 1));
    assert_eq!(total.failures, BTreeMap::from([("late".to_owned(), 2)]));
    let tokens = Tokens { prompt: 10, cached: 4, completion: 2 };
    assert_eq!(total.servers(), Tally { calls: 2, tokens, cost: Some(Cost(5)) });
    let model = &total.models["m at h"];
    assert_eq!((model.times.len(), total.models["local:x"].tally.calls), (1, 1));
    assert_eq!(counts.today(at(20_780)), Figures::default());
}

#[test]
fn no_clock_makes_a_figure_smaller() {
    let mut counts = Counts::default();
    let press = asked("m at h", true);
    let today = 20_779;
    for day in today - 40..=today {
        counts.count(&press, Outcome::Answered, at(day));
    }
    let kept = |counts: &Counts| counts.days.keys().copied().collect::<Vec<_>>();
    assert_eq!(kept(&counts), (20_779 - 30..=20_779).collect::<Vec<_>>());
    // Clock never set: counts continue in the last recorded day.
    for unset in [UNIX_EPOCH, UNIX_EPOCH - Duration::from_secs(9), at(1)] {
        counts.count(&press, Outcome::Answered, unset);
        assert_eq!(counts.today(unset), counts.today(at(today)));
    }
    assert_eq!((counts.today(at(today)).presses, counts.days.len()), (4, DAYS_MAX));
    // Clock far ahead: one old day is dropped. After the clock is back, the far day is dropped first.
    counts.count(&press, Outcome::Answered, at(60_000));
    assert_eq!((counts.days.len(), counts.today(at(today)).presses), (DAYS_MAX, 4));
    counts.count(&press, Outcome::Answered, at(today + 1));
    assert_eq!(kept(&counts), (20_779 - 29..=20_780).collect::<Vec<_>>());
    // Clock back by one day: counting continues in yesterday.
    counts.count(&press, Outcome::Answered, at(today));
    assert_eq!((counts.today(at(today)).presses, counts.total.presses), (5, 47));
    let mut new = Counts::default();
    new.count(&press, Outcome::Answered, UNIX_EPOCH + Duration::from_secs(u64::MAX >> 8));
    new.count(&press, Outcome::Answered, UNIX_EPOCH);
    assert_eq!((new.total.presses, new.days.len()), (2, 1));
}

#[test]
fn a_file_that_is_broken_is_put_aside_three_times_at_most() {
    let top = tempfile::tempdir().unwrap();
    let usage_store = usage_store(top.path());
    fs::create_dir(&usage_store.directory).unwrap();
    for (n, broken) in
        ["", "askline stats 1\n{", "askline stats 2\n{}", "askline stats 1\n{\"days\":{\"x\":{}}}", "\0\0"]
            .into_iter()
            .enumerate()
    {
        fs::write(usage_store.file(), broken).unwrap();
        assert_eq!(usage_store.read().unwrap(), Counts::default(), "{broken:?}");
        assert!(usage_store.count(&Usage::default(), Outcome::Answered, at(20_779)).unwrap());
        assert_eq!(usage_store.read().unwrap().total.presses, 1);
        let suffix = n.min(BAD_MAX - 1) + 1;
        let kept = fs::read_to_string(usage_store.directory.join(format!("counts.bad-{suffix}"))).unwrap();
        assert_eq!(kept, broken);
    }
    // The lock, the file, and three broken files.
    assert_eq!(fs::read_dir(&usage_store.directory).unwrap().count(), 2 + BAD_MAX);
    // Unknown fields of a later version are ignored; missing ones count as zero.
    let later = br#"{"total":{"presses":7,"new":[1]},"more":1}"#;
    store::write_summed(&usage_store.file(), KIND.0, KIND.1, later).unwrap();
    assert_eq!(usage_store.read().unwrap().total.presses, 7);
}

/// Daily limits stay enforced on the day on which the figures were lost; they restart the next day in any case.
#[test]
fn a_day_whose_figures_were_lost_has_no_tally() {
    let top = tempfile::tempdir().unwrap();
    let usage_store = usage_store(top.path());
    let press = || usage_store.count(&asked("m at h", true), Outcome::Answered, at(20_779)).unwrap();
    assert_eq!(usage_store.servers_today(at(20_779)).unwrap().calls, 0, "nothing was ever counted");
    assert!(press());
    assert_eq!(usage_store.servers_today(at(20_779)).unwrap().calls, 1);
    fs::write(usage_store.file(), "").unwrap();
    let refused = |day| format!("{:#}", usage_store.servers_today(at(day)).unwrap_err());
    assert!(refused(20_779).contains("run `askline forget stats`"), "{}", refused(20_779));
    // Also after a refused press has created a new file.
    assert!(press() && press());
    refused(20_779);
    assert_eq!(usage_store.read().unwrap().total.presses, 2);
    assert_eq!(usage_store.servers_today(at(20_780)).unwrap().calls, 0);
}

#[test]
fn a_link_in_its_place_is_neither_read_nor_written_through() {
    let top = tempfile::tempdir().unwrap();
    let usage_store = usage_store(top.path());
    fs::create_dir(&usage_store.directory).unwrap();
    let other = top.path().join("other");
    fs::write(&other, "mine").unwrap();
    std::os::unix::fs::symlink(&other, usage_store.file()).unwrap();
    assert!(usage_store.read().is_err());
    assert!(usage_store.count(&Usage::default(), Outcome::Answered, at(20_779)).is_err());
    assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
}

/// Each writer has its own model, so one writer must not undo the counts of another.
#[test]
fn a_hundred_writers_at_once_lose_nothing_that_they_were_told_is_written() {
    let top = tempfile::tempdir().unwrap();
    let usage_store = usage_store(top.path());
    let written: Vec<String> = thread::scope(|scope| {
        let writers: Vec<_> = (0..100)
            .map(|n| {
                let usage_store = &usage_store;
                scope.spawn(move || {
                    // As many names as are kept.
                    let name = format!("model {}", n % NAMES_MAX);
                    let begun = Instant::now();
                    let done = usage_store.count(&asked(&name, true), Outcome::Answered, at(20_779)).unwrap();
                    // A busy machine may be late, but the wait for the lock is bounded.
                    assert!(done || begun.elapsed() < LOCK_WAIT + Duration::from_secs(5));
                    done.then_some(name)
                })
            })
            .collect();
        writers.into_iter().filter_map(|writer| writer.join().unwrap()).collect()
    });
    assert!(!written.is_empty());
    let counts = usage_store.read().unwrap();
    assert_eq!(counts.total.presses, written.len() as u64);
    for n in 0..NAMES_MAX {
        let name = format!("model {n}");
        let expected = written.iter().filter(|written| **written == name).count() as u64;
        assert_eq!(counts.total.models.get(&name).map_or(0, |model| model.tally.calls), expected, "{name}");
    }
    assert!(!usage_store.directory.join("counts.bad-1").exists());
}

/// The lock of a hanging process is not waited for.
#[test]
fn a_lock_that_is_kept_costs_a_tenth_of_a_second_and_one_press() {
    let top = tempfile::tempdir().unwrap();
    let usage_store = usage_store(top.path());
    assert!(usage_store.count(&Usage::default(), Outcome::Answered, at(20_779)).unwrap());
    let held = store::lock(&usage_store.directory.join("lock")).unwrap().unwrap();
    let begun = Instant::now();
    assert!(!usage_store.count(&Usage::default(), Outcome::Answered, at(20_779)).unwrap());
    assert!(LOCK_WAIT <= begun.elapsed());
    drop(held);
    assert_eq!(usage_store.read().unwrap().total.presses, 1);
}

#[test]
fn names_are_bounded_in_length_and_number() {
    let mut figures = Figures::default();
    for n in 0..1000 {
        figures.count(&asked(&format!("{n} {}", "é".repeat(500)), true), Outcome::Answered);
    }
    assert_eq!(figures.models.len(), NAMES_MAX + 1);
    assert!(figures.models.keys().all(|name| name.chars().count() <= NAME_CHARS_MAX));
    assert_eq!(figures.servers().calls, 1000);
    let mut counts = Counts { total: figures.clone(), ..Counts::default() };
    counts.days.extend((0..DAYS_MAX as u32).map(|day| (30_000 + day, figures.clone())));
    let largest = serde_json::to_vec(&counts).unwrap().len() as u64;
    assert!(largest < FILE_LIMIT / 2, "{largest}");
}

#[test]
fn days_have_dates() {
    for (day, text) in [
        (0, "1970-01-01"),
        (58, "1970-02-28"),
        (59, "1970-03-01"),
        (789, "1972-02-29"),
        (CLOCK_SET, "2025-01-01"),
        (11_016, "2000-02-29"),
        (20_779, "2026-11-22"),
        (47_540, "2100-02-28"),
        (47_541, "2100-03-01"),
    ] {
        assert_eq!(date(day), text);
    }
    date(u32::MAX);
}

#[test]
fn looks_are_counted_by_tool() {
    let top = tempfile::tempdir().unwrap();
    let usage_store = usage_store(top.path());
    let look =
        |tool: &str, ms, failed| Looked { tool: tool.to_owned(), time: Duration::from_millis(ms), failed };
    usage_store.record_looks(&[look("stat", 3, false), look("stat", 5, true), look("ports", 30, false)]);
    usage_store.record_looks(&[]);
    let names: Vec<Looked> = (0..99).map(|n| look(&format!("tool{n}"), 1, true)).collect();
    usage_store.record_looks(&names);
    let looks = usage_store.read().unwrap().total.looks;
    assert_eq!((looks["stat"].times.len(), looks["stat"].failed, looks["ports"].failed), (2, 1, 0));
    assert_eq!((looks.len(), looks["others"].failed), (NAMES_MAX + 1, 69));
}
