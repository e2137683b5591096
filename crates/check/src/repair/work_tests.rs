//! Cost limits for adversarial lines, measured in parsed bytes, judged lines and questions to the machine instead of
//! time.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::*;
use crate::check::check;
use crate::test_machine::TestMachine;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;

/// Maximum number of name lookups per judged line.
const LOOK_UPS_MAX: usize = 500;

/// Number of unrelated programs on the machine.
const OTHERS: usize = 400;

/// Parts that are repeated to build a line.
const PARTS: [&str; 40] = [
    "(",
    "{",
    "[",
    "$(",
    "`",
    "'",
    "\"",
    "|",
    "&&",
    "||",
    ">",
    "$",
    "a | ",
    "a && ",
    "a || ",
    "$(ls ",
    "'a' ",
    "\"$(",
    "${HOME} ",
    "A=b; ",
    "if a; then ",
    "each { ",
    "match a { a => ",
    "gti; ",
    "grpe a | ",
    "git comit; ",
    "find . -exec a {} ",
    "find . -print0 | xargs a; ",
    "tar xjf a.tar.gz; ",
    "2>&1 | ",
    "ls | wc -l; ",
    "ls | each { $f } | ",
    "ls | where a = b ",
    "open a.txt | lines | math sum; ",
    "1yr + ",
    "2**40 ",
    "- ",
    "$env.A | default b; ",
    "str upper | ",
    "r#' ",
];

/// A machine with some of the programs.
fn machine(shell: Shell) -> TestMachine {
    let some = ["ls", "grep", "git", "find"].map(str::to_owned);
    let programs = ["xargs", "tar", "ps", "wc", "sort", "sh"].map(str::to_owned);
    let others = (0..OTHERS).map(|number| format!("g{number}"));
    TestMachine {
        builtins: if shell == Shell::Nu { syntax::nushell_commands().clone() } else { BTreeSet::new() },
        programs: some.iter().cloned().chain(programs).collect(),
        names: some.into_iter().chain(others).collect(),
        paths: Some(BTreeSet::new()),
        shell_version: Some("0.115.1".to_owned()),
        ..TestMachine::default()
    }
}

/// Cost of one line: lines judged and their bytes, names looked up, name lists requested.
#[derive(Debug)]
struct Work {
    judged: usize,
    bytes: usize,
    looked_up: usize,
    listed: usize,
}

fn work(line: &str, shell: Shell) -> Work {
    let machine = machine(shell);
    let judged = Cell::new(0);
    let bytes = Cell::new(0);
    let judge = |line: &ParsedLine| {
        judged.set(judged.get() + 1);
        bytes.set(bytes.get() + line.text().len());
        let mut report = check(line, &machine);
        let slips = slips(line, &machine);
        outdone(&mut report.findings, &slips);
        report.findings.extend(slips);
        report.syntax_ok = Some(line.own().errors.is_empty() && !line.own().incomplete);
        report
    };
    let line = ParsedLine::new(line, shell);
    let report = judge(&line);
    let _ = repair_within(Duration::MAX, &line, &report, &machine, &judge);
    Work {
        judged: judged.get(),
        bytes: bytes.get(),
        looked_up: machine.looked_up.get(),
        listed: machine.listed.get(),
    }
}

#[test]
fn no_line_takes_much_work() {
    for shell in Shell::ALL {
        for part in PARTS {
            let line = part.repeat(LINE_BYTES_MAX / part.len());
            let done = work(&line, shell);
            // One more for the line itself.
            assert!(done.judged <= 1 + JUDGED_BYTES_MAX / line.len(), "{shell} {part:?}: {done:?}");
            // A judged line was parsed once, before the judge read it.
            assert!(done.bytes <= 2 * JUDGED_BYTES_MAX, "{shell} {part:?}: {done:?}");
            // Each judged line is searched for mistakes twice, and each round searches for mistakes of another shell.
            assert!(
                done.looked_up <= LOOK_UPS_MAX * (2 * done.judged + ROUNDS_MAX),
                "{shell} {part:?}: {done:?}"
            );
            assert!(done.listed <= done.judged, "{shell} {part:?}: {done:?}");
        }
    }
}

/// A line that is too long is looked up once and not examined further.
#[test]
fn a_line_too_long_is_not_mended() {
    for shell in Shell::ALL {
        for part in ["gti; ", "ls | wc -l; ", "$(", "${HOME} ", "'a' "] {
            let line = part.repeat((64 << 10) / part.len());
            let done = work(&line, shell);
            assert!(done.judged == 1 && done.listed <= 1, "{shell} {part:?}: {done:?}");
            assert!(done.looked_up <= LOOK_UPS_MAX, "{shell} {part:?}: {done:?}");
        }
    }
}
