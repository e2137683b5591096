//! Measures redaction on files of your own.
//!
//! `cargo run -p askline-redact --example measure -- SECRETS ORDINARY [shown]`. The form of the files: `tests/blind/tally.rs`.
//! With `shown`, each miss is printed; without it only totals are, so that a set stays blind.

#[path = "../tests/blind/tally.rs"]
mod tally;

use std::error::Error;
use std::time::Instant;

use askline_redact::Redactor;
use tally::Tally;

#[expect(clippy::print_stdout, reason = "the figures are for the person who runs it")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(secrets), Some(ordinary)) = (args.next(), args.next()) else {
        return Err("two files are needed: SECRETS ORDINARY".into());
    };
    let is_shown = args.next().is_some_and(|word| word == "shown");
    let (secrets, ordinary) = (std::fs::read_to_string(secrets)?, std::fs::read_to_string(ordinary)?);
    let redactor = Redactor::new();
    let start = Instant::now();
    let tally = Tally::of(&redactor, &secrets, &ordinary);
    let micros = start.elapsed().as_micros() / (tally.secrets + tally.lines).max(1) as u128;
    if is_shown {
        tally.misses.iter().for_each(|miss| println!("{miss}"));
    }
    println!("secrets {}: {} left", tally.secrets, tally.left);
    println!("ordinary lines {}: {} touched", tally.lines, tally.touched);
    println!("time per line: {micros} µs");
    Ok(())
}
