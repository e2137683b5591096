//! Time to parse a shell line: microseconds per line over the test tables, for each shell. Prints a table; not a test.
//!
//! `cargo bench -p askline-syntax`
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints and may stop")]

use std::hint::black_box;
use std::time::Instant;

use askline_syntax as syntax;
use askline_syntax::shell::Shell;

const ROUNDS: usize = 50;

fn main() {
    println!("{:<6} {:>6} {:>22} {:>22}", "", "", "parse, µs", "parse and peel, µs");
    println!("{:<6} {:>6} {:>10} {:>11} {:>10} {:>11}", "shell", "lines", "median", "p95", "median", "p95");
    for (shell, table) in [
        (Shell::Bash, include_str!("../tests/data/syntax/bash.toml")),
        (Shell::Zsh, include_str!("../tests/data/syntax/zsh.toml")),
        (Shell::Fish, include_str!("../tests/data/syntax/fish.toml")),
        (Shell::Nu, include_str!("../tests/data/syntax/nu.toml")),
    ] {
        let table: toml::Table = toml::from_str(table).unwrap();
        let lines: Vec<&str> =
            table["line"].as_array().unwrap().iter().map(|case| case["line"].as_str().unwrap()).collect();
        let plain = times(&lines, |line| {
            black_box(syntax::parse(black_box(line), shell));
        });
        let peeled = times(&lines, |line| {
            black_box(syntax::commands(black_box(line), shell));
        });
        let at = |times: &[f64], share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{:<6} {:>6} {:>10.2} {:>11.2} {:>10.2} {:>11.2}",
            shell.name(),
            lines.len(),
            at(&plain, 0.5),
            at(&plain, 0.95),
            at(&peeled, 0.5),
            at(&peeled, 0.95)
        );
    }
    // Parsing is linear: the time grows in proportion to the length of the line.
    for (what, piece) in [
        ("words", "a "),
        ("pipes", "ls | "),
        ("open substitutions", "$("),
        ("quotes", "'a\"b' \"c'd\" "),
        ("braces", "${x:-"),
        ("arithmetic", "$(( a ) "),
        ("subscripts", "$x[$x["),
        ("backquotes", "`ls \\`id\\`` "),
        ("records", "{a: ["),
        ("templates", "$\"("),
    ] {
        let micros = |bytes: usize| {
            let line = piece.repeat(bytes / piece.len());
            let worst = |shell| times(&[&line], |line| drop(black_box(syntax::commands(line, shell))))[0];
            Shell::ALL.into_iter().map(worst).fold(0.0, f64::max)
        };
        println!("{what:<20} 64 KiB {:>10.0} µs   1 MiB {:>10.0} µs", micros(64 << 10), micros(1 << 20));
    }
}

/// Returns the fastest of several rounds for each line, in microseconds, sorted.
fn times(lines: &[&str], work: impl Fn(&str)) -> Vec<f64> {
    let rounds = if lines.len() == 1 { 2 } else { ROUNDS };
    let mut fastest: Vec<f64> = lines
        .iter()
        .map(|line| {
            let round = || {
                let begun = Instant::now();
                work(line);
                begun.elapsed().as_secs_f64() * 1e6
            };
            (0..rounds).map(|_| round()).fold(f64::INFINITY, f64::min)
        })
        .collect();
    fastest.sort_by(f64::total_cmp);
    fastest
}
