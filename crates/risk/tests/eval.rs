//! Figures on labelled sets, printed and compared with earlier figures.
//!
//! `cargo test -p askline-risk --test eval` prints them also when the tests pass.

#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use askline_risk as risk;
use askline_risk::{Around, Label};
use askline_syntax::shell::Shell;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    id: String,
    command: String,
    shell: String,
    label: String,
    /// A second label that is as good.
    alt: Option<String>,
    class: String,
    #[serde(default)]
    obfuscated: bool,
    #[serde(default)]
    scary: bool,
}

struct Judged {
    row: Row,
    expected: Label,
    found: Label,
    /// `true` if the label that was found is the expected one or as good.
    right: bool,
    cause: String,
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/risk").join(name)
}

fn judged(name: &str) -> Vec<Judged> {
    let text = fs::read_to_string(data(name)).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Row>(line).unwrap());
    rows.map(|row| {
        let shell = match row.shell.as_str() {
            "posix" | "bash" => Shell::Bash,
            "zsh" => Shell::Zsh,
            "fish" => Shell::Fish,
            "nu" => Shell::Nu,
            other => panic!("{}: shell {other}", row.id),
        };
        let named = |name: &str| Label::ALL.into_iter().find(|label| label.name() == name).unwrap();
        let expected = named(&row.label);
        let risk = risk::judge_line(&row.command, shell, &Around::nothing());
        let right = risk.label == expected || row.alt.as_deref().is_some_and(|alt| named(alt) == risk.label);
        Judged { row, expected, found: risk.label, right, cause: risk.cause }
    })
    .collect()
}

/// Prints text also when the test passes.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").unwrap();
}

fn matrix(title: &str, rows: &[&Judged]) -> String {
    let mut text = format!("\n{title}: {} lines, labelled (down) and found (across)\n{:>12}", rows.len(), "");
    for found in Label::ALL {
        write!(text, "{:>11}", found.name()).unwrap();
    }
    for expected in Label::ALL {
        write!(text, "\n{:>12}", expected.name()).unwrap();
        for found in Label::ALL {
            let count = rows.iter().filter(|row| row.expected == expected && row.found == found).count();
            write!(text, "{count:>11}").unwrap();
        }
    }
    text
}

/// Returns the share of rows that meet a condition or have a label that is as good, in per cent.
fn share(rows: &[&Judged], of: impl Fn(&Judged) -> bool, is: impl Fn(&Judged) -> bool) -> f64 {
    let all: Vec<_> = rows.iter().filter(|row| of(row)).collect();
    let hit = all.iter().filter(|row| row.right || is(row)).count();
    if all.is_empty() { 100.0 } else { (hit as f64 * 10_000.0 / all.len() as f64).round() / 100.0 }
}

fn scores(rows: &[&Judged]) -> BTreeMap<&'static str, f64> {
    let dangerous = |row: &Judged| row.expected == Label::Dangerous;
    let flagged = |row: &Judged| row.found >= Label::Confirm;
    let is_look_alike =
        |row: &Judged| (row.row.scary || row.row.class == "lookalike") && row.expected < Label::Confirm;
    let other = |row: &Judged| matches!(row.row.shell.as_str(), "fish" | "nu");
    BTreeMap::from([
        ("dangerous flagged", share(rows, dangerous, flagged)),
        ("dangerous exact", share(rows, dangerous, |row| row.found == Label::Dangerous)),
        ("dangerous not safe", share(rows, dangerous, |row| row.found > Label::Safe)),
        ("obfuscated flagged", share(rows, |row| row.row.obfuscated && dangerous(row), flagged)),
        ("fish and nushell dangerous flagged", share(rows, |row| other(row) && dangerous(row), flagged)),
        ("confirm flagged", share(rows, |row| row.expected == Label::Confirm, flagged)),
        ("safe not flagged", share(rows, |row| row.expected == Label::Safe, |row| !flagged(row))),
        ("cautious not flagged", share(rows, |row| row.expected == Label::Cautious, |row| !flagged(row))),
        ("look-alikes not flagged", share(rows, is_look_alike, |row| !flagged(row))),
        ("exact", share(rows, |_| true, |row| row.right)),
    ])
}

/// Checks the labels on the development half and on our own sets against the minimums in `ratchet.toml`.
#[test]
fn risk_labels_agree() {
    let half: Vec<_> = ["dangerous.jsonl", "benign.jsonl"].into_iter().flat_map(judged).collect();
    let own: Vec<_> = ["fish.jsonl", "nu.jsonl"].into_iter().flat_map(judged).collect();
    let sets = [
        ("development half", half),
        ("own fish and Nushell lines", own),
        ("blind lines of real use", judged("blind.jsonl")),
        ("first drawn lines", judged("drawn-1.jsonl")),
        ("second drawn lines", judged("drawn-2.jsonl")),
        ("third drawn lines", judged("drawn-3.jsonl")),
        ("evasions", judged("evasions.jsonl")),
        ("second evasions", judged("evasions-2.jsonl")),
        ("fourth drawn lines", judged("drawn-4.jsonl")),
        ("third evasions", judged("evasions-3.jsonl")),
        ("fifth drawn lines", judged("drawn-5.jsonl")),
        ("fourth evasions", judged("evasions-4.jsonl")),
        ("sixth drawn lines", judged("drawn-6.jsonl")),
        ("fifth evasions", judged("evasions-5.jsonl")),
        ("seventh drawn lines", judged("drawn-7.jsonl")),
        ("seventh evasions", judged("evasions-7.jsonl")),
        ("eighth drawn lines", judged("drawn-8.jsonl")),
        ("eighth evasions", judged("evasions-8.jsonl")),
        ("everyday lines of an author", judged("everyday.jsonl")),
        ("evasions of an author", judged("evasions-6.jsonl")),
    ];
    let floors: BTreeMap<String, BTreeMap<String, f64>> =
        toml::from_str(&fs::read_to_string(data("ratchet.toml")).unwrap()).unwrap();
    let mut worse = String::new();
    for (title, rows) in &sets {
        let rows: Vec<&Judged> = rows.iter().collect();
        say(&matrix(title, &rows));
        for (name, score) in scores(&rows) {
            let floor = floors.get(*title).and_then(|floors| floors.get(name)).copied().unwrap_or(0.0);
            say(&format!("{name:>36} {score:6.2} %  (at least {floor:.2})"));
            if score < floor {
                writeln!(worse, "{title}: {name} is {score}, was {floor}").unwrap();
            }
        }
        // Lists the wrong rows for a developer.
        if std::env::var_os("RISK_SHOW").is_some() {
            for row in rows.iter().filter(|row| !row.right) {
                let Judged { row, expected, found, cause, .. } = row;
                say(&format!(
                    "{} {} {expected:?} -> {found:?}: {:?} ({cause})",
                    row.id, row.shell, row.command
                ));
            }
        }
    }
    assert!(worse.is_empty(), "\n{worse}");
}

/// Another user's rights, a lower priority and the like change nothing about what a command does.
#[test]
fn no_wrapper_lowers_a_label() {
    let rows = ["dangerous.jsonl", "benign.jsonl", "blind.jsonl"].into_iter().flat_map(judged);
    let mut lower = String::new();
    for Judged { row, found, .. } in
        rows.filter(|judged| matches!(judged.row.shell.as_str(), "posix" | "bash"))
    {
        let parsed = askline_syntax::parse(&row.command, Shell::Bash);
        let [command] = parsed.commands.as_slice() else { continue };
        // Constructs of the shell and its own commands are no programs.
        let is_program = command.span.start == 0
            && command.assignments.is_empty()
            && command.name().is_some_and(|name| !SHELL_COMMANDS.contains(&name));
        for wrapper in ["sudo", "nice", "env", "timeout 9"].into_iter().filter(|_| is_program) {
            let line = format!("{wrapper} {}", row.command);
            let risk = risk::judge_line(&line, Shell::Bash, &Around::nothing());
            if risk.label < found {
                writeln!(lower, "{line}: {:?}, without it {found:?}", risk.label).unwrap();
            }
        }
    }
    assert!(lower.is_empty(), "\n{lower}");
}

/// A person reads the cause: a placeholder, a lone variable or `*` tells nothing.
#[test]
fn no_cause_names_a_placeholder() {
    let rows = ["dangerous.jsonl", "benign.jsonl", "fish.jsonl", "nu.jsonl", "blind.jsonl"]
        .into_iter()
        .flat_map(judged);
    for Judged { row, cause, .. } in rows {
        let named = cause.split_once(": ").map_or("", |(_, named)| named);
        let named = named.split_once(" (").map_or(named, |(named, _)| named);
        let is_variable =
            named.starts_with('$') && named.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric());
        assert!(!matches!(named, "{}" | "%" | "*" | "-") && !is_variable, "{}: {cause}", row.command);
    }
}

/// Commands of the shell itself in the labelled sets.
const SHELL_COMMANDS: [&str; 12] =
    [".", "alias", "cd", "command", "eval", "exec", "export", "history", "set", "source", "trap", "unset"];
