//! Destructive lines that drop or turn round a condition of their request, each beside the right line.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use askline_intent::mismatches;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Minimum number of rows.
const ROWS_MIN: usize = 80;

fn rows() -> Vec<(&'static str, &'static str, &'static str)> {
    let row = |row: &'static str| {
        let mut columns = row.split('\t');
        (columns.next().unwrap(), columns.next().unwrap(), columns.next().unwrap())
    };
    let rows: Vec<_> = include_str!("data/destructive.tsv").lines().map(row).collect();
    assert!(ROWS_MIN <= rows.len());
    rows
}

fn found(request: &str, line: &str) -> Vec<String> {
    mismatches(request, &ParsedLine::new(line, Shell::Bash)).into_iter().map(|it| it.text).collect()
}

/// No destructive line whose condition is dropped passes unsaid.
#[test]
fn wrong_lines_are_noticed() {
    let unsaid: Vec<_> =
        rows().into_iter().filter(|(request, wrong, _)| found(request, wrong).is_empty()).collect();
    assert!(unsaid.is_empty(), "{unsaid:#?}");
}

#[test]
fn right_lines_are_left_alone() {
    let all = rows().into_iter().map(|(request, _, right)| (request, right, found(request, right)));
    let touched: Vec<_> = all.filter(|(.., found)| !found.is_empty()).collect();
    assert!(touched.is_empty(), "{touched:#?}");
}
