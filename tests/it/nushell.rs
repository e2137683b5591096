//! Our parser for Nushell compared with Nushell's own engine.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use askline::config::Help;
use askline::environment::{self, Machine};
use askline::examine::{Examined, Examiner};
use askline::knowledge::Knowledge;
use askline::shell_facts::ShellFacts;
use askline_check::finding::Report;
use askline_check::repair::Repaired;
use askline_host::local::LocalHost;
use askline_syntax as syntax;
use askline_syntax::shell::{NU_BUILT_FOR, Shell};
use askline_syntax::{Parsed, Redirection, SimpleCommand, Word};

use serde::Deserialize;

use crate::cli::Askline;
use crate::parser::{installed, skipped};

/// Returns the rows of a text; ⏎ in a row is a line break.
fn rows(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|row| !row.is_empty() && !row.starts_with("# ")).map(|row| row.replace('⏎', "\n"))
}

/// Returns the Nushell lines under one key of a table's rows.
fn column(table: &str, rows: &str, key: &str, is_ours: impl Fn(&toml::Value) -> bool) -> Vec<String> {
    let table: toml::Table = toml::from_str(table).unwrap();
    let rows = table[rows].as_array().unwrap().iter().filter(|row| is_ours(row));
    rows.filter_map(|row| row.get(key)?.as_str().map(str::to_owned)).collect()
}

/// Returns every Nushell line in the repository.
fn lines() -> Vec<String> {
    let for_nu = |row: &toml::Value| row.get("shell").and_then(toml::Value::as_str) == Some("nu");
    let mut lines: Vec<String> =
        rows(include_str!("../../crates/syntax/tests/data/syntax/nushell.txt")).collect();
    lines.extend(column(
        include_str!("../../crates/syntax/tests/data/syntax/nu.toml"),
        "line",
        "line",
        |_| true,
    ));
    lines.extend(column(
        include_str!("../../crates/model/src/prompt/solved-nu.toml"),
        "solved",
        "command",
        |_| true,
    ));
    for key in ["line", "mended"] {
        lines.extend(column(
            include_str!("../../crates/check/tests/data/repair/mended.toml"),
            "row",
            key,
            for_nu,
        ));
    }
    let left: toml::Table =
        toml::from_str(include_str!("../../crates/check/tests/data/repair/left.toml")).unwrap();
    lines.extend(left["nu"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()));
    lines.sort();
    lines.dedup();
    lines
}

/// Every line, cut at any point, is parsed.
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
            let begun = cpu_time();
            syntax::parse(text, Shell::Nu);
            cpu_time() - begun
        };
        // The quickest of several runs: other work on the machine makes times longer, never shorter.
        (0..7).map(|_| round()).min().unwrap()
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

/// Returns the time that this thread has spent on a processor; unlike the time of day it does not grow while other
/// tests run.
fn cpu_time() -> Duration {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().unwrap()
}

/// Returns the output of a Nushell program for a text on its input; `None` if Nushell is not installed.
pub(crate) fn nushell(program: &str, input: &[u8]) -> Option<Vec<u8>> {
    let mut nu = Command::new(installed(Shell::Nu)?)
        .args(["-n", "--no-std-lib", "--stdin", "-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, asked) = (nu.stdin.take().unwrap(), input.to_vec());
    // A program that does not read may end before everything is written.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&asked)));
    let output = nu.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{program}");
    Some(output.stdout)
}

/// Returns how Nushell's engine parses each line.
fn engine(lines: &[String]) -> Option<Vec<Parsed>> {
    let program = "from json | each { |line| ast $line --flatten --json --minify } | to json --raw";
    let output = nushell(program, &serde_json::to_vec(lines).unwrap())?;
    let said: Vec<String> = serde_json::from_slice(&output).unwrap();
    assert_eq!(said.len(), lines.len());
    Some(said.iter().zip(lines).map(|(flat, line)| syntax::nu::parse(flat, line)).collect())
}

/// Formats all facts of a parsed command except its pipeline number.
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

/// Checks that we refuse no line that the engine accepts, and that at least the given share (99 in 100) parses exactly
/// as it does, to the last word.
fn agree(lines: &[String], at_least: usize) {
    let Some(engine) = engine(lines) else { return };
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
        if ours != theirs {
            wrong.push(format!(
                "{line:?}\nengine {}\nours   {}",
                theirs.join("\n       "),
                ours.join("\n       ")
            ));
        }
    }
    let share = 1.0 - wrong.len() as f64 / compared as f64;
    assert!(share >= 0.99, "{share:.3} of {compared} lines, {commands} commands:\n{}", wrong.join("\n"));
    assert!(compared >= at_least, "{compared} lines");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn the_engine_agrees() {
    agree(&lines(), 350);
}

/// Examples from Nushell's own help.
#[test]
fn the_engine_agrees_on_its_examples() {
    let program = "scope commands | get examples | flatten | get example | uniq | to json --raw";
    let Some(examples) = nushell(program, b"") else { return };
    agree(&serde_json::from_slice::<Vec<String>>(&examples).unwrap(), 1500);
}

/// Returns a version without its last number.
pub(crate) fn minor(version: &str) -> &str {
    version.rsplit_once('.').unwrap().0
}

/// The table of commands matches the Nushell it was made from.
#[test]
fn all_commands_are_known() {
    let program = "{version: (version | get version), names: (scope commands | get name)} | to json --raw";
    let Some(said) = nushell(program, b"") else { return };
    let said: serde_json::Value = serde_json::from_slice(&said).unwrap();
    let version = said["version"].as_str().unwrap();
    if minor(version) != minor(NU_BUILT_FOR) {
        return skipped(&format!("the table is Nushell {NU_BUILT_FOR}'s, this is {version}"));
    }
    let names = said["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
    assert_eq!(&names.collect::<BTreeSet<_>>(), syntax::nushell_commands());
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mended {
    /// Subject of the rows.
    about: String,
    /// Lines that are repaired, with the result.
    mended: Vec<(String, String)>,
    /// Lines that stay unchanged.
    left: Vec<String>,
}

/// Lines that this machine's Nushell refuses, and their repair without a model (`tests/data/repair/nushell.toml`).
#[test]
fn what_the_engine_refuses_is_mended() {
    #[derive(Deserialize)]
    struct Table {
        files: Vec<(String, String)>,
        group: Vec<Mended>,
    }
    let Some(version) = nushell("version | get version", b"") else { return };
    let version = String::from_utf8(version).unwrap().trim().to_owned();
    if minor(&version) != minor(NU_BUILT_FOR) {
        return skipped(&format!("the table is for Nushell {NU_BUILT_FOR}, this is {version}"));
    }
    let table: Table =
        toml::from_str(include_str!("../../crates/check/tests/data/repair/nushell.toml")).unwrap();
    let (top, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (name, text) in &table.files {
        fs::write(top.path().join(name), text).unwrap();
    }
    let machine = Machine::new(Arc::new(LocalHost), Some(cache.path().to_owned()));
    let mut environment = environment::gather(&machine, Shell::Nu, &ShellFacts::default());
    environment.current_dir = Some(top.path().to_owned());
    environment.shell_version = Some(version);
    let repaired = |line: &str| {
        let knowledge = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
        let examiner = Examiner { shell: Shell::Nu, knowledge: &knowledge };
        let Examined { line: parsed, report } = examiner.examine(line);
        let repaired = examiner.repair(&parsed, &report);
        knowledge.remember();
        let read = repaired.as_ref().and_then(|repaired| knowledge.verdict(&repaired.line).ok);
        (repaired, read, report)
    };
    let mut faults = Vec::new();
    for group in &table.group {
        let mended = group.mended.iter().map(|(line, right)| (line, Some(right)));
        for (line, right) in mended.chain(group.left.iter().map(|line| (line, None))) {
            // Nushell may not answer in time on a machine that is busy with other tests.
            let is_right = |(got, read, report): &(Option<Repaired>, Option<bool>, Report)| {
                let is_asked = got.as_ref().map_or(report.syntax_ok.is_some(), |_| *read == Some(true));
                got.as_ref().map(|repaired| &repaired.line) == right && is_asked
            };
            let (got, read, report) =
                (0..3).map(|_| repaired(line)).find(is_right).unwrap_or_else(|| repaired(line));
            if !is_right(&(got.clone(), read, report.clone())) {
                let found: Vec<_> = report.findings.iter().map(|finding| &finding.text).collect();
                faults.push(format!(
                    "{}: {line}\n  got      {got:?} {read:?}\n  expected {right:?}\n  {found:?}",
                    group.about
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
}

/// Quotes and brackets are text in a template of the other quotes; what is open in it is still an error.
#[test]
fn quotes_and_brackets_in_a_template_are_text() {
    let checked = |line: &str| Askline::new(["check", "--shell", "nu", "--", line]).run();
    for line in [
        r#"["a" "b"] | each {|x| $"'($x)'" } | str join ','"#,
        r#"["a" "b"] | each {|x| $'"($x)"' }"#,
        "[a b] | each {|x| $'[($x)]' }",
        "$'(1 + 1))}'",
        r#"$"\('(1 + 1)')""#,
    ] {
        checked(line).code(0);
    }
    for line in [r#"$"'(ls""#, r#"$"a (1 + 1"#, r#"$"(1 + 'a)""#, "ls ]"] {
        checked(line).code(1);
    }
}
