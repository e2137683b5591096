//! Hostile lines: the preview changes nothing, whatever it reads, and ends in time.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod disk;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use askline_preview::preview;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;
use proptest::prelude::*;

use disk::{Disk, look, make};

/// Maximum time for one line; the bound in names is reached long before, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the lines of a data set of `askline-risk`, each with its shell.
fn dangerous_lines() -> Vec<(String, Shell)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../risk/tests/data/risk");
    let mut lines = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for row in fs::read_to_string(path).unwrap().lines() {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let shell = row["shell"].as_str().and_then(|name| name.parse().ok()).unwrap_or(Shell::Bash);
            lines.extend(row["command"].as_str().map(|line| (line.to_owned(), shell)));
        }
    }
    lines
}

#[test]
fn no_line_changes_anything() {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().canonicalize().unwrap();
    make(&home);
    let before = look(&home);
    let lines = dangerous_lines();
    assert!(lines.len() > 1_000, "{}", lines.len());
    let mut with_numbers = 0;
    for (line, shell) in &lines {
        let started = Instant::now();
        let previewed = preview(&ParsedLine::new(line.as_str(), *shell), &Disk::new(&home));
        with_numbers += usize::from(previewed.is_ok_and(|effect| !effect.is_nothing()));
        assert!(started.elapsed() < PATIENCE, "{line}");
    }
    assert!(with_numbers > 20, "{with_numbers} of {}", lines.len());
    assert_eq!(look(&home), before);
}

proptest! {
    #[test]
    fn any_text_is_read(line in "\\PC{0,80}", shell in prop::sample::select(Shell::ALL.to_vec())) {
        let _ = preview(&ParsedLine::new(line.as_str(), shell), &Disk::new(Path::new("/nowhere")));
    }

    #[test]
    fn any_operands_are_read(
        program in "(rm -r|mv|cp -r|find|touch|mkdir -p|ln -s|sed -i|truncate -s 0|tee) ",
        operands in r#"([a-c./*?\[\]{},~$'" ;|&><()-]|docs|-name|-delete|-exec|\{\}| ){0,30}"#,
        shell in prop::sample::select(Shell::ALL.to_vec()),
    ) {
        let home = std::env::temp_dir();
        let _ = preview(&ParsedLine::new(format!("{program}{operands}"), shell), &Disk::new(&home));
    }
}
