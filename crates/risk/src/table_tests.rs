//! Tests of the examples in the effect tables.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::table::{EffectEntry, EffectTable, Row};
use super::*;

/// Returns the tables in a directory: name and content.
fn files(directory: &Path) -> Vec<(String, String)> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|it| it == "toml")).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// Returns the tables and the number of entries to check. To work on tables elsewhere, set `RISK_EFFECTS_DIR` to their
/// directory, and `RISK_EFFECTS_ALSO` to the tables of others, which may be unfinished.
fn table() -> (EffectTable, usize) {
    let read = |files: &[(String, String)]| {
        EffectTable::read(files.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    };
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/effects"));
    let mut all = files(&std::env::var_os("RISK_EFFECTS_DIR").map_or(own, PathBuf::from));
    let looked_at = read(&all).unwrap().programs().len();
    let also = std::env::var("RISK_EFFECTS_ALSO").unwrap_or_default();
    for directory in also.split(':').filter(|directory| !directory.is_empty()) {
        all.extend(
            files(Path::new(directory)).into_iter().filter(|file| read(std::slice::from_ref(file)).is_ok()),
        );
    }
    (read(&all).unwrap(), looked_at)
}

/// Returns the first names of an entry, at most three.
fn named(program: &EffectEntry) -> String {
    program.names.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn shell_of(program: &EffectEntry) -> Shell {
    let named =
        Shell::ALL.into_iter().find(|shell| program.shells.first().is_some_and(|name| name == shell.name()));
    named.unwrap_or(Shell::Bash)
}

#[test]
fn examples_hold() {
    let (table, looked_at) = table();
    let mut failures = String::new();
    let mut fail = |text: String| writeln!(failures, "{text}").unwrap();
    let (mut programs, mut rows) = (0, 0);
    for program in table.programs().iter().take(looked_at) {
        programs += program.names.len();
        rows += program.rows.len();
        let shell = shell_of(program);
        let name = named(program);
        if program.rows.is_empty() && program.safe.is_empty() {
            fail(format!("{name}: an entry without rows needs `safe` examples"));
        }
        for line in &program.safe {
            let risk = judge_with(&table, &ParsedLine::new(line, shell), &Around::nothing());
            let most = if program.otherwise.is_some() { Label::Cautious } else { Label::Safe };
            if risk.label > most {
                fail(format!("{name}: `{line}` is {:?}, not {most:?}: {}", risk.label, risk.cause));
            }
        }
        for row in &program.rows {
            check(&table, program, row, shell, &mut fail);
        }
    }
    eprint_counts(programs, rows);
    assert!(failures.is_empty(), "\n{failures}");
}

#[expect(clippy::print_stderr, reason = "counts for whoever writes tables")]
fn eprint_counts(programs: usize, rows: usize) {
    eprintln!("{programs} programs and subcommands, {rows} rows");
}

fn check(table: &EffectTable, program: &EffectEntry, row: &Row, shell: Shell, fail: &mut impl FnMut(String)) {
    let name = named(program);
    let (yes, no) = row.examples();
    if yes.is_empty() || no.is_empty() {
        fail(format!("{name}: {} needs a `yes` and a `no`", row.does.name()));
    }
    for (line, label) in yes {
        let risk = judge_with(table, &ParsedLine::new(line, shell), &Around::nothing());
        if risk.label != *label {
            fail(format!("{name}: `{line}` is {:?}, not {label:?}: {}", risk.label, risk.cause));
        }
        if !speaks(table, row, line, shell) {
            fail(format!("{name}: {} has no effect in `{line}`", row.does.name()));
        }
    }
    for line in no {
        if speaks(table, row, line, shell) {
            fail(format!("{name}: {} has an effect in `{line}`", row.does.name()));
        }
    }
}

/// Reports whether exactly this row applies to a command line.
fn speaks(table: &EffectTable, row: &Row, line: &str, shell: Shell) -> bool {
    let heard = std::cell::Cell::new(false);
    let parsed = askline_syntax::commands(line, shell);
    let hears = |other: &Row| heard.set(heard.get() || std::ptr::eq(other, row));
    LineReader::new(shell, table, &|_| None).hearing(&hears).read(line, &parsed);
    heard.get()
}

/// Of two entries with the same name only the first would ever apply.
#[test]
fn no_name_stands_twice() {
    let (table, _) = table();
    let mut seen = std::collections::BTreeSet::new();
    for program in table.programs() {
        let shells = if program.shells.is_empty() { vec![String::new()] } else { program.shells.clone() };
        for (name, shell) in
            program.names.iter().flat_map(|name| shells.iter().map(move |shell| (name, shell)))
        {
            assert!(seen.insert((name.clone(), shell.clone())), "{name} {shell}");
        }
    }
}

/// Examples of the closed allow list are at most Cautious by the tables.
#[test]
fn the_closed_list_and_the_tables_agree() {
    for line in super::allow::examples() {
        for shell in [Shell::Bash, Shell::Zsh] {
            let risk = judge_line(&line, shell, &Around::nothing());
            if super::allow::allowed(&line, shell).is_ok() {
                assert!(risk.label <= Label::Cautious, "{line}: {risk:?}");
            }
        }
    }
}
