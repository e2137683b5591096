//! The checks on this machine, with its real manuals and programs: valid lines raise no alarm, invented options are
//! found.

#![expect(clippy::print_stdout, reason = "the figures are for whoever runs these by hand")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use askline::config::Help;
use askline::environment::{self, Environment, Machine};
use askline::knowledge::Knowledge;
use askline::shell_facts::ShellFacts;
use askline_check::check;
use askline_check::finding::{Finding, FindingKind, Report, Severity};
use askline_check::reference;
use askline_check::reference::{CommandFacts, Reference};
use askline_host::local::LocalHost;
use askline_model::prompt::solved;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Permitted false alarms per thousand options.
const FALSE_ALARMS_PER_THOUSAND: f64 = 1.0;
/// Minimum share of invented long options that must be found.
const LONG_FLOOR: f64 = 0.95;
/// Minimum share of the short options refused by the program itself that must be found from its documentation alone.
const SHORT_FLOOR: f64 = 0.90;
/// Tools on which detection is measured, if they are installed.
const TOOLS: &str = "ls cp mv ln mkdir touch cat tac head tail wc sort uniq cut paste join comm tr expand fold fmt \
    split tee du df stat date seq shuf basename readlink realpath mktemp sha256sum base64 truncate id uname nproc grep \
    sed tar gzip xz find xargs diff cmp ps free lsblk file curl wget rsync zip less column git jq dpkg";
/// Options that no program has.
const INVENTED: [&str; 8] = [
    "--recursivly",
    "--show-hidden-entries",
    "--zzz",
    "--human-size",
    "--with-everything",
    "--sort-by-biggest",
    "--quick-mode",
    "--outfile-path",
];

/// This machine, with a separate cache.
struct Here {
    machine: Machine,
    environment: Environment,
    _cache: tempfile::TempDir,
}

impl Here {
    fn new(shell: Shell) -> Self {
        let cache = tempfile::tempdir().unwrap();
        let machine = Machine::new(Arc::new(LocalHost), Some(cache.path().to_owned()));
        let environment = environment::gather(&machine, shell, &ShellFacts::default());
        Self { machine, environment, _cache: cache }
    }

    /// Returns a new instance for each line, as on a key press, so each line has the full time budget for questions.
    fn knowledge(&self) -> Knowledge {
        Knowledge::new(&self.machine, &self.environment, &ShellFacts::default(), Help::System)
    }

    fn report(&self, line: &str) -> Report {
        let knowledge = self.knowledge();
        let report = check::check(&ParsedLine::new(line, self.environment.shell), &knowledge);
        knowledge.remember();
        report
    }
}

/// Knowledge from documentation only; programs are not asked about single options.
struct DocumentsOnly<'a>(&'a Knowledge);

impl Reference for DocumentsOnly<'_> {
    fn known(&self, command: &[&str]) -> Arc<CommandFacts> {
        self.0.known(command)
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn exists(&self, path: &str) -> Option<bool> {
        self.0.exists(path)
    }

    fn accepts(&self, _: &[&str], _: &str) -> Option<bool> {
        None
    }
}

fn checked(line: &str, reference: &dyn Reference) -> Report {
    check::check(&ParsedLine::new(line, Shell::Bash), reference)
}

/// Returns the findings that would be shown to a user or sent back to the model. Files and branches named in the lines need not
/// exist.
fn alarms(report: &Report) -> impl Iterator<Item = &Finding> {
    let is_name =
        |finding: &&Finding| matches!(finding.kind, FindingKind::PathMissing | FindingKind::RefMissing);
    let serious = report.findings.iter().filter(|finding| finding.grade < Severity::Hint);
    serious.filter(move |finding| !is_name(finding))
}

#[test]
fn valid_lines_raise_no_alarm() {
    let here = Here::new(Shell::Bash);
    let lines = include_str!("../../crates/check/tests/data/check/valid.txt")
        .lines()
        .filter(|line| !line.starts_with("# --") && !line.starts_with("# "));
    let (mut n_lines, mut passed_over, mut flags, mut verified) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut missing = BTreeSet::new();
    let mut unknown = Vec::new();
    for line in lines {
        n_lines += 1;
        let report = here.report(line);
        if 0 < report.commands_missing {
            passed_over += 1;
            let gone = report.findings.iter().filter(|finding| finding.kind == FindingKind::CommandMissing);
            missing.extend(gone.filter_map(|finding| line.get(finding.span.clone())));
            continue;
        }
        flags += report.flags_verified + report.flags_unknown + report.flags_refuted;
        verified += report.flags_verified;
        wrong.extend(
            alarms(&report).map(|finding| format!("{line}\n    {} [{}]", finding.text, finding.evidence)),
        );
        let doubtful = report.findings.iter().filter(|finding| finding.kind == FindingKind::FlagUnknown);
        unknown.extend(doubtful.map(|finding| format!("{line}: {}", finding.text)));
    }
    println!("{n_lines} lines, {passed_over} passed over for {missing:?}");
    println!("{flags} options, {verified} verified, {} alarms", wrong.len());
    println!("unknown:\n  {}", unknown.join("\n  "));
    assert!(400 <= n_lines);
    let allowed = flags as f64 * FALSE_ALARMS_PER_THOUSAND / 1000.0;
    assert!(wrong.len() as f64 <= allowed, "{} of {flags} options:\n{}", wrong.len(), wrong.join("\n"));
}

/// The solved requests in every prompt are correct on any machine that has their programs.
#[test]
fn solved_requests_raise_no_alarm() {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let here = Here::new(shell);
        for solved in solved(shell) {
            let report = here.report(&solved.command);
            let found: Vec<&Finding> =
                alarms(&report).filter(|finding| finding.kind != FindingKind::CommandMissing).collect();
            assert!(found.is_empty(), "{shell}: {}: {found:#?}", solved.command);
        }
    }
}

#[test]
fn invented_options_are_found() {
    let here = Here::new(Shell::Bash);
    let knowledge = here.knowledge();
    let tools: Vec<&str> = TOOLS.split_whitespace().filter(|tool| is_program(&knowledge, tool)).collect();
    let (mut asked_found, mut documents_found, mut n_invented) = (0, 0, 0);
    let mut missed = Vec::new();
    for tool in &tools {
        for option in INVENTED {
            let subcommand = if *tool == "git" { " log" } else { "" };
            let line = format!("{tool}{subcommand} {option}");
            n_invented += 1;
            asked_found += here.report(&line).flags_refuted;
            let by_documents = checked(&line, &DocumentsOnly(&here.knowledge())).flags_refuted;
            documents_found += by_documents;
            if by_documents == 0 {
                missed.push(line);
            }
        }
    }
    let share = |found: usize| found as f64 / n_invented as f64;
    println!(
        "{n_invented} invented long options of {} tools: found {:.3}, by documents alone {:.3}; missed {missed:?}",
        tools.len(),
        share(asked_found),
        share(documents_found)
    );
    let few = std::env::var_os("CI").is_none() && tools.len() < 40;
    assert!(few || 40 <= tools.len(), "only {} tools are installed", tools.len());
    assert!(LONG_FLOOR <= share(asked_found));
    assert!(LONG_FLOOR <= share(documents_found), "{missed:?}");
}

/// The program's own parser decides what is wrong; the finding must come from the documentation alone.
#[test]
fn wrong_short_options_are_found() {
    let here = Here::new(Shell::Bash);
    let knowledge = here.knowledge();
    let tools: Vec<&str> =
        TOOLS.split_whitespace().filter(|tool| is_program(&knowledge, tool) && *tool != "git").collect();
    let (mut n_refused, mut found, mut n_taken, mut falsely) = (0, 0, 0, 0);
    let mut missed = Vec::new();
    let mut false_alarms = Vec::new();
    for tool in &tools {
        let judge = here.knowledge();
        for letter in ('a'..='z').chain('A'..='Z') {
            let option = format!("-{letter}");
            let documented =
                judge.known(&[tool]).manual.as_ref().is_some_and(|manual| manual.option(&option).is_some());
            // Half of the letters are enough and stay within the time for questions.
            if documented || u32::from(letter) % 2 == 0 {
                continue;
            }
            let judge = here.knowledge();
            let Some(is_taken) = judge.accepts(&[tool], &option) else { continue };
            let report = checked(&format!("{tool} {option}"), &DocumentsOnly(&judge));
            judge.remember();
            match is_taken {
                true => {
                    n_taken += 1;
                    falsely += report.flags_refuted;
                    if 0 < report.flags_refuted {
                        false_alarms.push(format!("{tool} {option}"));
                    }
                }
                false => {
                    n_refused += 1;
                    found += report.flags_refuted;
                    if report.flags_refuted == 0 {
                        missed.push(format!("{tool} {option}"));
                    }
                }
            }
        }
    }
    let share = found as f64 / n_refused as f64;
    println!(
        "{n_refused} refused short options of {} tools: found {share:.3}; {n_taken} undocumented but taken, of them refuted by documents {falsely}: {false_alarms:?}",
        tools.len()
    );
    println!("missed: {missed:?}");
    assert!(SHORT_FLOOR <= share, "{missed:?}");
}

/// Reads lines from the file named by `ASKLINE_CHECK_LINES`, for the shell named by `ASKLINE_CHECK_SHELL` (default
/// bash), and prints the findings.
#[test]
#[ignore = "a tool for looking at the findings of many lines"]
fn lines_of_a_file() {
    let Some(file) = std::env::var_os("ASKLINE_CHECK_LINES") else {
        panic!("ASKLINE_CHECK_LINES names no file")
    };
    let text = std::fs::read_to_string(Path::new(&file)).unwrap();
    let shell = std::env::var("ASKLINE_CHECK_SHELL").unwrap_or("bash".to_owned());
    let here = Here::new(shell.parse().unwrap());
    let (mut flags, mut refuted, mut n_lines) = (0, 0, 0);
    let mut times = Vec::new();
    for line in text.lines() {
        let knowledge = here.knowledge();
        let again = || check::check(&ParsedLine::new(line, here.environment.shell), &knowledge);
        let report = again();
        let started = std::time::Instant::now();
        again();
        times.push(started.elapsed());
        knowledge.remember();
        n_lines += 1;
        flags += report.flags_verified + report.flags_unknown + report.flags_refuted;
        refuted += report.flags_refuted;
        let shown: Vec<&Finding> =
            report.findings.iter().filter(|finding| finding.kind != FindingKind::PathMissing).collect();
        if !shown.is_empty() {
            println!("{line}");
        }
        for finding in shown {
            println!(
                "    {} {}: {} [{}]",
                finding.grade.name(),
                finding.kind.name(),
                finding.text,
                finding.evidence
            );
        }
    }
    times.sort();
    let percentile = |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1));
    println!("{n_lines} lines, {flags} options, {refuted} refuted");
    println!("a second look, with everything known: median {:?}, p95 {:?}", percentile(50), percentile(95));
}

fn is_program(knowledge: &Knowledge, name: &str) -> bool {
    matches!(knowledge.known(&[name]).kind, reference::CommandKind::Program { .. })
}
