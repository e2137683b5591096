//! Lines of somebody who did not know the rules. The rules were written with a view of one half (`dev`); of the other
//! (`measure`) only totals are known, so that it stays a measurement.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

#[path = "blind/tally.rs"]
mod tally;

use askline_redact::Redactor;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tally::Tally;

/// Maximum number of secrets left and of lines touched; in `dev` none is. They only ever get smaller.
const MEASURE_LEFT: usize = 11;
const MEASURE_TOUCHED: usize = 3;
/// The same for our own lines, which were invented before the rules for them.
const OWN_LEFT: usize = 38;
const OWN_TOUCHED: usize = 3;

#[test]
#[expect(clippy::print_stdout, reason = "the figures are for people who run the test alone")]
fn secrets_of_somebody_else_are_gone_and_other_lines_stay() {
    let redactor = Redactor::new();
    let dev = Tally::of(
        &redactor,
        &decoded(include_str!("data/blind/invented-secrets-dev.b64")),
        include_str!("data/blind/invented-ordinary-dev.txt"),
    );
    let measure = Tally::of(
        &redactor,
        &decoded(include_str!("data/blind/invented-secrets-measure.b64")),
        include_str!("data/blind/invented-ordinary-measure.txt"),
    );
    for (name, tally) in [("dev", &dev), ("measure", &measure)] {
        println!(
            "{name}: {} of {} secrets left, {} of {} lines touched",
            tally.left, tally.secrets, tally.touched, tally.lines
        );
    }
    assert!(dev.left + dev.touched == 0, "{:#?}", dev.misses);
    // No list of misses here.
    assert!(measure.left <= MEASURE_LEFT, "{} secrets left", measure.left);
    assert!(measure.touched <= MEASURE_TOUCHED, "{} lines touched", measure.touched);
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are for people who run the test alone")]
fn invented_secrets_are_gone_and_lines_like_them_stay() {
    let secrets = decoded(include_str!("data/invented-secrets.b64"));
    let tally = Tally::of(&Redactor::new(), &secrets, include_str!("data/invented-ordinary.txt"));
    let Tally { secrets, left, lines, touched, ref misses } = tally;
    println!("invented: {left} of {secrets} secrets left, {touched} of {lines} lines touched");
    assert!(left <= OWN_LEFT && touched <= OWN_TOUCHED, "{misses:#?}");
}

/// Returns the lines of a file with one line in base64 on each.
fn decoded(file: &str) -> String {
    let rows = file.lines().filter(|line| !line.starts_with('#'));
    let line = |row: &str| String::from_utf8(STANDARD.decode(row).unwrap()).unwrap() + "\n";
    rows.map(line).collect()
}
