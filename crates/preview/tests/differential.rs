//! The preview against the truth: each line runs in bash, in a copy of a directory, and must change what the preview said.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod disk;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use askline_preview::{Effect, preview};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

use disk::{Disk, look, make};

/// Runs a line in bash.
fn run(line: &str, home: &Path) {
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-c", line]).current_dir(home.join("work"));
    bash.env("HOME", home)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    bash.status().unwrap();
}

/// Returns the preview of a line in a new directory, and checks it against what bash does there.
fn check(line: &str) -> Result<Effect, String> {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().canonicalize().unwrap();
    make(&home);
    let before = look(&home);
    let disk = Disk::new(&home);
    let effect = preview(&ParsedLine::new(line, Shell::Bash), &disk).map_err(|unforeseen| unforeseen.0)?;
    assert_eq!(look(&home), before, "{line}: the preview changed something");
    run(line, &home);
    let after = look(&home);

    let gone: Vec<&PathBuf> = before.keys().filter(|path| !after.contains_key(*path)).collect();
    let made: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    let mut said_gone: Vec<&PathBuf> =
        effect.removed.iter().chain(effect.moved.iter().map(|moved| &moved.from)).collect();
    said_gone.retain(|path| !effect.overwritten.contains(path));
    said_gone.sort();
    let mut said_made: Vec<&PathBuf> = effect.created.iter().chain(&effect.arrived).collect();
    said_made.sort();
    assert_eq!(said_gone, gone, "{line}: gone");
    assert_eq!(said_made, made, "{line}: made");

    let differs = |path: &&PathBuf| after.get(*path).is_some_and(|now| now != &before[*path]);
    let changed: Vec<&PathBuf> = before.keys().filter(differs).collect();
    let said = |path: &PathBuf| {
        [&effect.overwritten, &effect.edited, &effect.attributes].iter().any(|paths| paths.contains(path))
    };
    for path in &changed {
        assert!(said(path), "{line}: {} changed, and the preview did not say so", path.display());
    }
    // Attributes may be set to what they are; contents are new each time.
    for path in effect.overwritten.iter().chain(&effect.edited) {
        assert!(changed.contains(&path), "{line}: {} did not change", path.display());
    }
    let is_moved = |path: &&PathBuf| effect.moved.iter().any(|moved| &moved.from == *path);
    let replaced = effect.overwritten.iter().filter(|path| !is_moved(path));
    let lost: u64 = effect.removed.iter().chain(replaced).map(|path| before[path].size).sum();
    assert_eq!(effect.bytes_lost, lost, "{line}: bytes lost");
    Ok(effect)
}

#[test]
fn lines_change_what_the_preview_says() {
    let rows = include_str!("data/lines.txt").lines();
    let lines: Vec<&str> = rows.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let without: Vec<_> = lines.iter().filter_map(|line| Some((line, check(line).err()?))).collect();
    assert!(without.is_empty(), "no preview: {without:#?}");
}

#[test]
fn lines_without_a_preview_say_why() {
    let rows =
        include_str!("data/unforeseen.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_wrong = |row: &str| {
        let (line, why) = row.split_once(" => ").unwrap();
        let reason = check(line).err();
        (!reason.as_ref().is_some_and(|reason| reason.contains(why))).then(|| (line.to_owned(), reason))
    };
    let wrong: Vec<_> = rows.filter_map(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
