//! The preview against the truth: each line runs in bash, in a copy of a directory, and must change what the preview said.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod disk;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use askline_preview::{Effect, preview};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

use disk::{Disk, look, make};

/// Returns the program of a shell with the options that keep the user's settings out; `None` if it is not installed.
fn program(shell: Shell) -> Option<Command> {
    let options: &[&str] = match shell {
        Shell::Bash => &["--noprofile", "--norc"],
        Shell::Zsh => &["-f"],
        Shell::Fish => &["--no-config"],
        Shell::Nu => &["-n"],
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = std::env::split_paths(&path)
        .map(|directory| directory.join(shell.name()))
        .find(|file| file.is_file())?;
    let mut command = Command::new(program);
    command.args(options);
    Some(command)
}

/// Runs a line in its shell.
fn run(line: &str, shell: Shell, home: &Path) {
    let mut command = program(shell).unwrap();
    command.args(["-c", line]).current_dir(home.join("work"));
    command
        .env("HOME", home)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().unwrap();
}

/// Returns the preview of a line in a new directory, and checks it against what its shell does there.
fn check(line: &str, shell: Shell) -> Result<Effect, String> {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().canonicalize().unwrap().join("home");
    std::fs::create_dir(&home).unwrap();
    make(&home);
    // fish makes its own directories at its first start.
    run("true", shell, &home);
    let before = look(&home);
    let disk = Disk::new(&home);
    let effect = preview(&ParsedLine::new(line, shell), &disk).map_err(|unforeseen| unforeseen.0)?;
    assert_eq!(look(&home), before, "{shell}: {line}: the preview changed something");
    run(line, shell, &home);
    let after = look(&home);

    let gone: Vec<&PathBuf> = before.keys().filter(|path| !after.contains_key(*path)).collect();
    let made: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    let mut said_gone: Vec<&PathBuf> =
        effect.removed.iter().chain(effect.moved.iter().map(|moved| &moved.from)).collect();
    said_gone.retain(|path| !effect.overwritten.contains(path));
    said_gone.sort();
    let mut said_made: Vec<&PathBuf> = effect.created.iter().chain(&effect.arrived).collect();
    said_made.sort();
    assert_eq!(said_gone, gone, "{shell}: {line}: gone");
    assert_eq!(said_made, made, "{shell}: {line}: made");

    let differs = |path: &&PathBuf| after.get(*path).is_some_and(|now| now != &before[*path]);
    let changed: Vec<&PathBuf> = before.keys().filter(differs).collect();
    let said = |path: &PathBuf| {
        [&effect.overwritten, &effect.edited, &effect.attributes].iter().any(|paths| paths.contains(path))
    };
    for path in &changed {
        assert!(said(path), "{shell}: {line}: {} changed, and the preview did not say so", path.display());
    }
    // Attributes may be set to what they are; contents are new each time.
    for path in effect.overwritten.iter().chain(&effect.edited) {
        assert!(changed.contains(&path), "{shell}: {line}: {} did not change", path.display());
    }
    let is_moved = |path: &&PathBuf| effect.moved.iter().any(|moved| &moved.from == *path);
    let replaced = effect.overwritten.iter().filter(|path| !is_moved(path));
    let lost: u64 = effect.removed.iter().chain(replaced).map(|path| before[path].size).sum();
    assert_eq!(effect.bytes_lost, lost, "{shell}: {line}: bytes lost");
    Ok(effect)
}

/// Returns the lines of a data file.
fn lines(data: &'static str) -> impl Iterator<Item = &'static str> {
    data.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[test]
fn lines_change_what_the_preview_says() {
    let lines = lines(include_str!("data/lines.txt"));
    let without: Vec<_> = lines.filter_map(|line| Some((line, check(line, Shell::Bash).err()?))).collect();
    assert!(without.is_empty(), "no preview: {without:#?}");
}

#[test]
fn lines_without_a_preview_say_why() {
    let rows = lines(include_str!("data/unforeseen.txt"));
    let is_wrong = |row: &str| {
        let (line, why) = row.split_once(" => ").unwrap();
        let reason = check(line, Shell::Bash).err();
        (!reason.as_ref().is_some_and(|reason| reason.contains(why))).then(|| (line.to_owned(), reason))
    };
    let wrong: Vec<_> = rows.filter_map(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// In the other shells the same lines may have no preview, or another effect; what is said must be true.
#[test]
fn the_other_shells_agree() {
    for shell in [Shell::Zsh, Shell::Fish] {
        if program(shell).is_none() {
            assert!(std::env::var_os("CI").is_none(), "{shell} is not installed");
            continue;
        }
        let known = lines(include_str!("data/lines.txt")).filter(|line| check(line, shell).is_ok()).count();
        assert!(known > 150, "{shell}: {known}");
    }
}

#[test]
fn nushell_agrees() {
    if program(Shell::Nu).is_none() {
        assert!(std::env::var_os("CI").is_none(), "Nushell is not installed");
        return;
    }
    let without: Vec<_> = lines(include_str!("data/nushell.txt"))
        .filter_map(|line| Some((line, check(line, Shell::Nu).err()?)))
        .collect();
    assert!(without.is_empty(), "no preview: {without:#?}");
}
