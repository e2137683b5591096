//! The slips: each is found and mended, does in bash what its row says, and lines that are right are left alone.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::process::Command;

use askline_intent::{Mismatch, slips};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;
use serde::Deserialize;

#[derive(Deserialize)]
struct Rows {
    slip: Vec<Slip>,
    right: Vec<Right>,
}

#[derive(Deserialize)]
struct Slip {
    line: String,
    #[serde(default = "bash")]
    shell: Shell,
    mended: Option<String>,
    setup: Option<String>,
    shows: Option<String>,
    right: Option<String>,
}

#[derive(Deserialize)]
struct Right {
    lines: Vec<String>,
}

fn rows() -> Rows {
    toml::from_str(include_str!("data/slips.toml")).unwrap()
}

fn bash() -> Shell {
    Shell::Bash
}

/// Returns a line after the edit of a slip.
fn edited(line: &str, slip: &Mismatch) -> Option<String> {
    let edit = slip.edit.as_ref()?;
    let (before, after) = (line.get(..edit.span.start)?, line.get(edit.span.end..)?);
    Some(format!("{before}{}{after}", edit.replacement))
}

#[test]
fn slips_are_found_and_mended() {
    for Slip { line, shell, mended, .. } in rows().slip {
        let found = slips(&ParsedLine::new(line.as_str(), shell));
        let [slip] = found.as_slice() else { panic!("{line}: {found:?}") };
        assert_eq!(edited(&line, slip), mended, "{line}");
        if let Some(mended) = mended {
            assert_eq!(slips(&ParsedLine::new(mended.as_str(), shell)), [], "{mended}");
        }
    }
}

#[test]
fn right_lines_are_left_alone() {
    for line in rows().right.iter().flat_map(|right| &right.lines) {
        for shell in [Shell::Bash, Shell::Zsh] {
            assert_eq!(slips(&ParsedLine::new(line.as_str(), shell)), [], "{line}");
        }
    }
}

/// Runs the setup and the line in a new directory; returns all that it prints.
fn run(setup: &str, line: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let script = format!("{{ {setup}\n}} && {{ {line}\n}}");
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", &script]).current_dir(directory.path()).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("LC_ALL", "C");
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
fn slips_do_what_their_rows_say() {
    let rows = rows().slip;
    let shown = rows.iter().filter(|row| row.shows.is_some());
    for Slip { line, mended, setup, shows, right, .. } in shown {
        let setup = setup.as_deref().filter(|setup| !setup.is_empty()).unwrap_or(":");
        assert_eq!(Some(&run(setup, line)), shows.as_ref(), "{line}");
        if let (Some(mended), Some(right)) = (mended, right) {
            assert_eq!(&run(setup, mended), right, "{mended}");
            assert_ne!(shows.as_ref(), Some(right), "{line}");
        }
    }
}
