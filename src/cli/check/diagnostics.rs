//! `askline check --diagnostics FILE`: a row `FILE:LINE:COLUMN: SEVERITY: MESSAGE` for each finding in a script, as
//! compilers print them, which editors read. Columns count bytes from 1.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::ensure;

use super::super::{AppContext, Exit, one_line, print};
use crate::examine::Examiner;
use crate::path_facts::PathFacts;
use crate::shell_facts::ShellFacts;
use askline_check::finding::Severity;
use askline_model::failure::UsageError;
use askline_risk::Label;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Maximum size of a script in bytes.
const SCRIPT_BYTES_MAX: u64 = 1 << 20;

/// Maximum number of rows of one command, such as a loop; of a longer one the first row is examined alone.
const ROWS_MAX: usize = 200;

pub(super) fn run(file: &Path, shell: Option<Shell>, app: &AppContext) -> anyhow::Result<Exit> {
    let script = read(file).map_err(|error| {
        UsageError(format!("can't read {}: {error:#}; name a script, or - for stdin", file.display()))
    })?;
    let name = if file == Path::new("-") { "stdin".into() } else { file.to_string_lossy() };
    let shell = shell.or_else(|| named(&script)).unwrap_or_else(|| app.login_shell());
    let rows: Vec<&str> = script.split_inclusive('\n').collect();
    let facts = ShellFacts {
        functions: rows.iter().filter_map(|row| defined(row)).collect(),
        ..ShellFacts::default()
    };
    let knowledge = app.knowledge(shell, &facts)?;
    let examiner = Examiner { shell, knowledge: &knowledge };
    let mut exit = Exit::Done;
    let mut next = 0;
    while let Some(rest) = rows.get(next..).filter(|rest| !rest.is_empty()) {
        let n_rows = rows_of_command(rest, shell);
        let text = rest.iter().take(n_rows).copied().collect::<String>();
        if !is_idle(&text) {
            knowledge.begin_line();
            let (report, found) = examined(&text, &examiner, app);
            print(&report.iter().map(|(at, said)| row(&name, next, &text, *at, said)).collect::<String>())?;
            exit = if found { Exit::None } else { exit };
        }
        next += n_rows;
    }
    knowledge.remember();
    Ok(exit)
}

/// Returns what there is to say about a command, each with its byte in it, and whether a finding is among it.
fn examined(text: &str, examiner: &Examiner<'_>, app: &AppContext) -> (Vec<(usize, String)>, bool) {
    let examined = super::examine(text, examiner);
    let findings = &examined.report.findings;
    let mut said: Vec<(usize, String)> = findings
        .iter()
        .map(|finding| {
            let severity = if finding.grade == Severity::Hint { "note" } else { finding.grade.name() };
            (finding.span.start, format!("{severity}: {}", one_line(&finding.text)))
        })
        .collect();
    let risk = examiner.risk(&examined.line, None, &PathFacts::new(app.machine.host.as_ref()));
    if risk.label >= Label::Confirm {
        let severity = if risk.label == Label::Dangerous { "warning" } else { "note" };
        let at = risk.span.as_ref().map_or(0, |span| span.start);
        said.push((at, format!("{severity}: {}: {}", risk.label.name(), one_line(&risk.cause))));
    }
    said.sort_by_key(|(at, _)| *at);
    (said, !findings.is_empty())
}

/// Returns the row about a byte of a text whose first row has the index `first` in the script.
fn row(name: &str, first: usize, text: &str, at: usize, said: &str) -> String {
    let before = text.get(..at).unwrap_or_default();
    let line = first + 1 + before.matches('\n').count();
    let column = 1 + before.rsplit('\n').next().map_or(0, str::len);
    let mut row = String::new();
    let _ = writeln!(row, "{}:{line}:{column}: {said}", one_line(name));
    row
}

/// Returns the number of rows, at least one, of the command that the first row begins.
fn rows_of_command(rows: &[&str], shell: Shell) -> usize {
    let mut text = String::new();
    for (n, row) in rows.iter().take(ROWS_MAX).enumerate() {
        text.push_str(row);
        if !text.trim_end().ends_with('\\') && !ParsedLine::new(&text, shell).parsed().incomplete {
            return n + 1;
        }
    }
    1
}

/// Reports whether nothing is said in a text but comments.
fn is_idle(text: &str) -> bool {
    text.lines().all(|row| row.trim_start().is_empty() || row.trim_start().starts_with('#'))
}

/// Returns the shell that the first row of a script names.
fn named(script: &str) -> Option<Shell> {
    let program = script.lines().next()?.strip_prefix("#!")?;
    program.split_whitespace().rev().find_map(Shell::of_program)
}

/// Returns the name of the function that a row begins to define.
fn defined(row: &str) -> Option<String> {
    let row = row.trim_start();
    let keyed = ["function ", "def ", "export def "].iter().find_map(|keyword| row.strip_prefix(keyword));
    let name = match keyed {
        Some(rest) => rest.trim_start().split([' ', '(', '{', '[', ';', '\n']).next()?,
        None => row.split_once("()")?.0.trim_end(),
    };
    let is_name =
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "$\"'=;|&<>`".contains(c));
    is_name.then(|| name.to_owned())
}

fn read(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let limit = SCRIPT_BYTES_MAX + 1;
    if file == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    } else {
        File::open(file)?.take(limit).read_to_end(&mut bytes)?;
    }
    ensure!(bytes.len() as u64 <= SCRIPT_BYTES_MAX, "it is longer than {SCRIPT_BYTES_MAX} bytes");
    Ok(String::from_utf8(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_joined_to_commands() {
        for (rows, n_rows) in [
            (&["ls\n", "pwd\n"][..], 1),
            (&["for x in a; do\n", "  ls\n", "done\n", "pwd\n"], 3),
            (&["ls \\\n", " -l\n", "pwd\n"], 2),
            (&["cat <<E\n", "fi (\n", "E\n", "pwd\n"], 3),
            (&["if true; then\n", "ls\n"], 1),
        ] {
            assert_eq!(rows_of_command(rows, Shell::SH), n_rows, "{rows:?}");
        }
    }

    #[test]
    fn functions_and_shells_are_found() {
        for (row, name) in [
            ("  up() {", Some("up")),
            ("function up {", Some("up")),
            ("function up; cd ..; end", Some("up")),
            ("def up [n] {", Some("up")),
            ("x=$(f ()", None),
            ("ls", None),
        ] {
            assert_eq!(defined(row).as_deref(), name, "{row}");
        }
        for (row, shell) in
            [("#!/usr/bin/env -S fish -N\n", Some("fish")), ("#!/bin/zsh", Some("zsh")), ("ls", None)]
        {
            assert_eq!(named(row).map(Shell::name), shell, "{row}");
        }
    }
}
