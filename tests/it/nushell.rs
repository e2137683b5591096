//! Our own reading of Nushell's lines against that of its engine.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use askline::shell::Shell;
use askline::syntax::{self, Parsed, Redirection, SimpleCommand, Word};

use crate::parser::installed;

/// Rows of a text; ⏎ is the end of a line in one.
fn rows(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|row| !row.is_empty() && !row.starts_with("# ")).map(|row| row.replace('⏎', "\n"))
}

/// The lines of Nushell under one key of a table's rows.
fn column(table: &str, rows: &str, key: &str, is_ours: impl Fn(&toml::Value) -> bool) -> Vec<String> {
    let table: toml::Table = toml::from_str(table).unwrap();
    let rows = table[rows].as_array().unwrap().iter().filter(|row| is_ours(row));
    rows.filter_map(|row| row.get(key)?.as_str().map(str::to_owned)).collect()
}

/// Every line of Nushell that the tree has.
fn lines() -> Vec<String> {
    let for_nu = |row: &toml::Value| row.get("shell").and_then(toml::Value::as_str) == Some("nu");
    let mut lines: Vec<String> = rows(include_str!("../data/syntax/nushell.txt")).collect();
    lines.extend(column(include_str!("../data/syntax/nu.toml"), "line", "line", |_| true));
    lines.extend(column(include_str!("../../src/prompt/solved-nu.toml"), "solved", "command", |_| true));
    for key in ["line", "mended"] {
        lines.extend(column(include_str!("../data/repair/mended.toml"), "row", key, for_nu));
    }
    let left: toml::Table = toml::from_str(include_str!("../data/repair/left.toml")).unwrap();
    lines.extend(left["nu"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()));
    lines.sort();
    lines.dedup();
    lines
}

/// Every line, cut off anywhere, is read.
#[test]
fn halves_are_read() {
    for line in lines() {
        for (cut, _) in line.char_indices() {
            let (before, after) = line.split_at(cut);
            syntax::commands(before, Shell::Nu);
            syntax::commands(after, Shell::Nu);
        }
    }
}

/// A text four times as long takes about four times as long, not sixteen.
#[test]
fn time_grows_with_the_text() {
    let took = |text: &str| {
        let round = || {
            let begun = Instant::now();
            syntax::parse(text, Shell::Nu);
            begun.elapsed()
        };
        (0..3).map(|_| round()).min().unwrap()
    };
    let mut pieces: Vec<String> = lines().into_iter().step_by(20).map(|line| line + "\n").collect();
    let deep = [
        "(",
        "{",
        "[",
        "{a: ",
        "$\"(",
        "{|x| ",
        "match a { b => ",
        "if a {} else ",
        "let x = ",
        "-a=",
        "a | ",
    ];
    pieces.extend(deep.map(str::to_owned));
    pieces.extend(
        ["r#", "r#'", "'#", "e>", "1..", "a\"b\"", "$\"a'", "\n|", "# a\n", "()", "{}"].map(str::to_owned),
    );
    for piece in pieces {
        let (short, long) = (piece.repeat(10_000 / piece.len()), piece.repeat(40_000 / piece.len()));
        let (short, long) = (took(&short), took(&long));
        assert!(long < short * 10 + Duration::from_millis(50), "{piece:?}: {short:?}, then {long:?}");
    }
}

/// What Nushell's engine makes of each line; none where it isn't installed.
fn engine(lines: &[String]) -> Option<Vec<Parsed>> {
    let mut nu = Command::new(installed(Shell::Nu)?)
        .args(["-n", "--no-std-lib", "--stdin", "-c"])
        .arg("from json | each { |line| ast $line --flatten --json --minify } | to json --raw")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = nu.stdin.take().unwrap();
    let asked = serde_json::to_vec(lines).unwrap();
    let writer = std::thread::spawn(move || input.write_all(&asked));
    let output = nu.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let said: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said.len(), lines.len());
    Some(said.iter().zip(lines).map(|(flat, line)| syntax::nu::parse(flat, line)).collect())
}

/// The place of a command's name, and each word.
fn told(command: &SimpleCommand) -> String {
    let texts = |words: &[Word]| {
        let text = |word: &Word| {
            let mark = |is: bool, mark| if is { mark } else { "" };
            let marks = [mark(!word.literal, "?"), mark(word.quoted, "'"), mark(word.glob, "*")].concat();
            format!("{marks}{}", word.text)
        };
        words.iter().map(text).collect::<Vec<_>>()
    };
    let redirection = |redirection: &Redirection| {
        let target = redirection.target.as_ref().map_or("", |target| &target.text);
        format!("{} {target}", redirection.operator)
    };
    format!(
        "{:?} {} {:?} {:?} {:?} {:?} {:?}",
        command.words.first().map(|word| &word.span),
        command.position,
        command.span,
        texts(&command.assignments),
        texts(&command.words),
        command.redirections.iter().map(redirection).collect::<Vec<_>>(),
        command.within,
    )
}

/// Of the commands in lines that the engine accepts, 99 in 100 are the same to the last word.
#[test]
fn the_engine_agrees() {
    let lines = lines();
    let Some(engine) = engine(&lines) else { return };
    let (mut commands, mut compared, mut wrong, mut refused) = (0, 0, Vec::new(), Vec::new());
    for (line, theirs) in lines.iter().zip(&engine).filter(|(_, theirs)| theirs.errors.is_empty()) {
        let ours = syntax::parse(line, Shell::Nu);
        compared += 1;
        commands += theirs.commands.len();
        if !ours.errors.is_empty() {
            refused.push(format!("{line:?}: {:?}", ours.errors));
        }
        let (ours, theirs): (Vec<String>, Vec<String>) =
            (ours.commands.iter().map(told).collect(), theirs.commands.iter().map(told).collect());
        let missing = theirs.iter().filter(|told| !ours.contains(told));
        let more = ours.iter().filter(|told| !theirs.contains(told));
        let mut said: Vec<String> = missing.map(|told| format!("  engine {told}")).collect();
        said.extend(more.map(|told| format!("  ours   {told}")));
        if !said.is_empty() {
            wrong.push((said.len(), format!("{line:?}\n{}", said.join("\n"))));
        }
    }
    let all: Vec<&str> = wrong.iter().map(|(_, said)| said.as_str()).collect();
    let share = 1.0 - wrong.len() as f64 / compared as f64;
    assert!(share >= 0.99, "{share:.3} of {compared} lines, {commands} commands:\n{}", all.join("\n"));
    assert!(compared >= 350, "{compared} lines");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
