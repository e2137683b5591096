//! Time to judge the risk of a line: microseconds per line over the labelled sets, and for long and deeply nested lines.
//! Prints a table; not a test. Targets: p99 of 1,000 µs per line, 20,000 µs for 64 KB.
//!
//! `cargo bench -p askline-risk`
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints and may stop")]

use std::hint::black_box;
use std::time::Instant;

use askline_risk::{Around, judge_line};
use askline_syntax::shell::Shell;

const ROUNDS: usize = 30;

fn main() {
    let started = Instant::now();
    black_box(judge_line("ls", Shell::Bash, &Around::nothing()));
    println!("first line, tables read: {:.2} ms", started.elapsed().as_secs_f64() * 1e3);
    println!("{:<6} {:>6} {:>10} {:>10} {:>10}", "shell", "lines", "p50, µs", "p99, µs", "most, µs");
    let sets = [
        include_str!("../tests/data/risk/dangerous.jsonl"),
        include_str!("../tests/data/risk/benign.jsonl"),
        include_str!("../tests/data/risk/fish.jsonl"),
        include_str!("../tests/data/risk/nu.jsonl"),
    ];
    let rows: Vec<serde_json::Value> =
        sets.iter().flat_map(|set| set.lines()).map(|line| serde_json::from_str(line).unwrap()).collect();
    for (shell, names) in [
        (Shell::Bash, &["posix", "bash"][..]),
        (Shell::Zsh, &["posix", "zsh"]),
        (Shell::Fish, &["fish"]),
        (Shell::Nu, &["nu"]),
    ] {
        let is_of = |row: &&serde_json::Value| names.contains(&row["shell"].as_str().unwrap());
        let lines: Vec<&str> =
            rows.iter().filter(is_of).map(|row| row["command"].as_str().unwrap()).collect();
        let mut times: Vec<f64> = lines.iter().map(|line| time(line, shell)).collect();
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{:<6} {:>6} {:>10.1} {:>10.1} {:>10.1}",
            shell.name(),
            lines.len(),
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
    for (what, piece) in [
        ("words", "a "),
        ("commands", "rm -rf a; "),
        ("pipes", "cat a | "),
        ("open substitutions", "rm $("),
        ("variables", "rm $a; "),
        ("assignments", "a=b; $a c; "),
        ("decoders", "echo cm0gLXJmIH4= | base64 -d | sh; "),
        ("here-strings", "bash <<< 'rm a'; "),
        ("finds", "find . -exec rm {} \\; "),
        ("code", "python3 -c 'import os; os.system(\"rm a\")'; "),
    ] {
        let micros = |bytes: usize| {
            let line = piece.repeat(bytes / piece.len());
            [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Nu]
                .into_iter()
                .map(|shell| time(&line, shell))
                .fold(0.0, f64::max)
        };
        println!("{what:<20} 32 KB {:>10.0} µs   64 KB {:>10.0} µs", micros(32_000), micros(64_000));
    }
}

/// Returns the median of several rounds.
fn time(line: &str, shell: Shell) -> f64 {
    let rounds = if line.len() > 10_000 { 3 } else { ROUNDS };
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let started = Instant::now();
            black_box(judge_line(black_box(line), shell, &Around::nothing()));
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
