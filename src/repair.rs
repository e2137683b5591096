//! A line that is nearly right becomes right without a model: fixes that the checks know, and slips of its own that no
//! documentation tells. A fix is taken only where it is the one that passes all checks, never where the line would
//! become more dangerous or destroys, overwrites or stops something once it works, and never at the cost of text that
//! was quoted: there the fix is shown and a person decides. Pure but for what [`Reference`] answers and what the judge
//! says. The clock is looked at only for how long the judge may be asked.

#[cfg(test)]
mod bounds;
mod danger;
mod dialect;
mod find;
mod nushell;
mod quote;
mod tar;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use self::danger::Reading;
pub(crate) use self::danger::destroys;
use crate::check::{Finding, Fix, Grade, Kind, Report};
use crate::reference::Reference;
use crate::shell::Shell;
use crate::syntax::{self, Span};

/// How often the judge is asked for one line.
const JUDGEMENTS_MAX: usize = 64;
/// The same where the shell refuses the line: the judge asks it about each candidate, which takes longer than all else.
const ASKING_MAX: usize = 24;
/// How many bytes of candidates are judged for one line: the longer it is, the fewer.
const JUDGED_BYTES_MAX: usize = 32 << 10;
/// How many candidates are read, for each that may be judged: most are dropped only for what is dangerous in them.
const READ_PER_JUDGED: usize = 2;
/// How long the judge is asked for one line, from its first judgement on; the one that is under way is waited for.
const JUDGING_TIME: Duration = Duration::from_secs(2);
/// How many rounds of fixes a line gets: one fix may uncover the next.
const ROUNDS_MAX: usize = 4;
/// The longest line that is mended, or read for slips of our own, in bytes.
const LINE_BYTES_MAX: usize = 4096;

/// A line that passes all checks, and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The line.
    pub line: String,
    /// Each change in words: "--colour → --color: ls itself refuses it".
    pub changes: Vec<String>,
}

/// Mends a line if exactly one repair passes: the judge finds no error any more, no new warning, and less than before.
/// `report` is what the judge says of the line as it is.
pub fn repair(
    line: &str,
    shell: Shell,
    report: &Report,
    reference: &dyn Reference,
    judge: &dyn Fn(&str) -> Report,
) -> Option<Repaired> {
    repair_within(JUDGING_TIME, line, shell, report, reference, judge)
}

fn repair_within(
    time: Duration,
    line: &str,
    shell: Shell,
    report: &Report,
    reference: &dyn Reference,
    judge: &dyn Fn(&str) -> Report,
) -> Option<Repaired> {
    if LINE_BYTES_MAX < line.len() {
        return None;
    }
    let most = if report.syntax_ok == Some(false) { ASKING_MAX } else { JUDGEMENTS_MAX };
    let most = most.min(JUDGED_BYTES_MAX / line.len().max(1));
    let unread = most * READ_PER_JUDGED;
    let mut bench = Bench { shell, reference, judge, most, unread, time, begun: None, known: HashMap::new() };
    let first = State::new(line.to_owned(), report.clone(), shell, reference);
    let mut state = first.clone();
    let mut changes: Vec<String> = Vec::new();
    let mut platform_spans = false;
    for _ in 0..ROUNDS_MAX {
        let Some((better, done)) = bench.round(&state) else { break };
        platform_spans |= done.iter().any(|(kind, _)| *kind == Kind::Platform);
        changes.extend(done.into_iter().map(|(_, change)| change));
        state = better;
    }
    let is_right = state.report.syntax_ok != Some(false) && !state.findings.iter().any(is_error);
    let literals = platform_spans || danger::keeps_literals(line, &state.line, shell);
    (!changes.is_empty() && is_right && state.is_better_than(&first) && literals)
        .then_some(Repaired { line: state.line, changes })
}

/// Slips that no documentation tells, each with its fix: `-exec` without an end, `-print0` without `xargs -0`, a wrong
/// letter for an archive's compression, a quote that is never closed. By place; none in a line of more than 4 KiB.
pub fn slips(line: &str, shell: Shell, reference: &dyn Reference) -> Vec<Finding> {
    if LINE_BYTES_MAX < line.len() {
        return Vec::new();
    }
    if shell == Shell::Nu {
        let mut found = nushell::slips(line, reference);
        found.sort_by_key(|finding| finding.span.start);
        return found;
    }
    let plain = syntax::parse(line, shell);
    let mut found = find::unended(line, &plain);
    found.extend(find::separators(line, &plain));
    found.extend(tar::letters(line, &syntax::peel(plain, line, shell), reference));
    found.extend(quote::unclosed(line, shell, reference));
    found.sort_by_key(|finding| finding.span.start);
    found
}

/// Who knows what a missing command is called here says more than who only knows that it is missing, or guesses by its letters.
pub(crate) fn outdone(findings: &mut Vec<Finding>, slips: &[Finding]) {
    let is_within = |inner: &Span, outer: &Span| outer.start <= inner.start && inner.end <= outer.end;
    findings.retain(|finding| {
        finding.kind != Kind::CommandMissing
            || !slips.iter().any(|slip| {
                is_error(slip)
                    && is_within(&finding.span, &slip.span)
                    && (!slip.fixes.is_empty() || slip.span == finding.span)
            })
    });
}

fn is_error(finding: &Finding) -> bool {
    finding.grade == Grade::Error
}

/// A line with all that is known of it.
#[derive(Clone)]
struct State {
    line: String,
    report: Report,
    /// The judge's and our own.
    findings: Vec<Finding>,
}

impl State {
    fn new(line: String, report: Report, shell: Shell, reference: &dyn Reference) -> Self {
        let mut findings = report.findings.clone();
        // A judge may have told some of them.
        let slips = slips(&line, shell, reference);
        outdone(&mut findings, &slips);
        findings.extend(slips.into_iter().filter(|slip| !report.findings.contains(slip)));
        Self { line, report, findings }
    }

    /// Fewer findings, none of the bad ones new, and no verdict of the shell lost.
    fn is_better_than(&self, other: &Self) -> bool {
        let bad = |state: &Self| {
            let mut count: HashMap<(Kind, Grade), usize> = HashMap::new();
            for finding in state.findings.iter().filter(|finding| finding.grade != Grade::Hint) {
                *count.entry((finding.kind, finding.grade)).or_default() += 1;
            }
            count
        };
        let before = bad(other);
        let none_new = bad(self).iter().all(|(key, count)| {
            // What the shell refuses may show in another place once a part is mended.
            *count <= before.get(key).copied().unwrap_or_default()
        });
        let verdict = self.report.syntax_ok != Some(false) || other.report.syntax_ok == Some(false);
        let weight = |state: &Self| {
            let serious = state.findings.iter().filter(|finding| finding.grade != Grade::Hint).count();
            (state.report.syntax_ok == Some(false), serious, state.findings.len())
        };
        let fewer = weight(self) < weight(other);
        none_new && verdict && fewer
    }
}

/// Who is asked, how often and how long.
struct Bench<'a> {
    shell: Shell,
    reference: &'a dyn Reference,
    judge: &'a dyn Fn(&str) -> Report,
    most: usize,
    /// How many candidates may still be read.
    unread: usize,
    time: Duration,
    begun: Option<Instant>,
    /// What was said of each line: none is asked about twice.
    known: HashMap<String, State>,
}

impl Bench<'_> {
    /// One round: for each finding the one fix that helps; all of them together where they don't touch.
    fn round(&mut self, state: &State) -> Option<(State, Vec<(Kind, String)>)> {
        let mut findings = state.findings.clone();
        let is_refused = state.report.syntax_ok == Some(false) || findings.iter().any(is_error);
        findings.extend(dialect::foreign(&state.line, self.shell, self.reference).filter(|_| is_refused));
        if self.shell == Shell::Nu {
            findings.extend(nushell::refusals(&state.line, &state.report, self.reference));
        }
        findings.sort_by_key(|finding| finding.span.start);
        let before = Reading::new(&state.line, self.shell).dangers();
        let mut taken: Vec<(Kind, Fix, String)> = Vec::new();
        'findings: for finding in findings.iter().filter(|finding| !finding.fixes.is_empty()) {
            let touches = |fix: &Fix| {
                taken
                    .iter()
                    .any(|(_, other, _)| fix.span.start <= other.span.end && other.span.start <= fix.span.end)
            };
            let mut passing: Vec<(String, &Fix)> = Vec::new();
            for fix in finding.fixes.iter().filter(|fix| !touches(fix)) {
                let Some(line) = applied(&state.line, fix) else { continue };
                if passing.iter().any(|(other, _)| *other == line) {
                    continue;
                }
                let Some(unread) = self.unread.checked_sub(1) else { break 'findings };
                self.unread = unread;
                let reading = Reading::new(&line, self.shell);
                if reading.grows(&before) || is_unsafe(finding.kind, &reading) {
                    continue;
                }
                let Some(candidate) = self.judged(line) else { break 'findings };
                if candidate.is_better_than(state) {
                    passing.push((candidate.line, fix));
                }
            }
            if let [(_, fix)] = passing.as_slice() {
                taken.push((finding.kind, (*fix).clone(), said(finding, fix)));
            }
        }
        // What is wrong with the words of a line tells little before its quotes and blocks are right.
        let is_structure = |kind| matches!(kind, Kind::Syntax | Kind::Incomplete);
        if taken.iter().any(|(kind, ..)| is_structure(*kind)) {
            taken.retain(|(kind, ..)| is_structure(*kind));
        }
        if taken.is_empty() {
            return None;
        }
        let mut line = state.line.clone();
        taken.sort_by_key(|(_, fix, _)| std::cmp::Reverse(fix.span.start));
        for (_, fix, _) in &taken {
            line = applied(&line, fix)?;
        }
        if danger::destroys(&line, self.shell) {
            return None;
        }
        let together = self.judged(line)?;
        taken.reverse();
        let changes = taken.into_iter().map(|(kind, _, change)| (kind, change)).collect();
        together.is_better_than(state).then_some((together, changes))
    }

    /// What is known of a line; none where the judge was asked often or long enough.
    fn judged(&mut self, line: String) -> Option<State> {
        if let Some(state) = self.known.get(&line) {
            return Some(state.clone());
        }
        let is_late = self.begun.is_some_and(|begun| self.time <= begun.elapsed());
        if is_late || self.most <= self.known.len() {
            return None;
        }
        self.begun.get_or_insert_with(Instant::now);
        let state = State::new(line.clone(), (self.judge)(&line), self.shell, self.reference);
        self.known.insert(line, state.clone());
        Some(state)
    }
}

/// Whether a person has to look before a line becomes this one by a fix for such a finding.
fn is_unsafe(kind: Kind, line: &Reading<'_>) -> bool {
    // What another platform calls its options is known, not guessed; `sed -i ''` says itself that it edits a file.
    let is_guess = kind != Kind::Platform;
    line.destroys() || is_guess && line.edits_in_place() || kind == Kind::CommandMissing && line.forces()
}

fn applied(line: &str, fix: &Fix) -> Option<String> {
    let (before, after) = (line.get(..fix.span.start)?, line.get(fix.span.end..)?);
    Some(format!("{before}{}{after}", fix.replacement))
}

/// The change and its reason in words.
fn said(finding: &Finding, fix: &Fix) -> String {
    match finding.kind {
        Kind::FlagRefuted => format!("{}: {}", fix.change, finding.evidence),
        _ => format!("{}: {}", fix.change, finding.text),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::platform::Userland;
    use crate::reference::{self, Known};

    /// Has every program.
    struct Machine;

    impl Reference for Machine {
        fn known(&self, command: &[&str]) -> Arc<Known> {
            let path = PathBuf::from("/usr/bin").join(command.first().copied().unwrap_or_default());
            let kind = reference::Kind::Program { path: path.clone(), real_path: path };
            let userland = Userland::Gnu;
            Arc::new(Known { kind, manual: None, above: Vec::new(), userland, version: None, askable: false })
        }

        fn names(&self) -> Vec<String> {
            Vec::new()
        }

        fn exists(&self, _path: &str) -> Option<bool> {
            None
        }

        fn accepts(&self, _command: &[&str], _option: &str) -> Option<bool> {
            None
        }
    }

    /// A judge who takes offence at each `x`, and how often he was asked of which lines.
    fn asked(line: &str, syntax_ok: Option<bool>, time: Duration) -> (Option<Repaired>, Vec<String>) {
        let asked = Cell::new(Vec::new());
        let judged = |line: &str| {
            let finding = |(at, _): (usize, &str)| Finding {
                kind: Kind::Syntax,
                span: at..at + 1,
                grade: Grade::Error,
                text: "no".to_owned(),
                evidence: "test".to_owned(),
                fixes: vec![Fix {
                    span: at..at + 1,
                    replacement: "o".to_owned(),
                    change: "x → o".to_owned(),
                }],
            };
            let findings: Vec<Finding> = line.match_indices('x').map(finding).collect();
            let syntax_ok = if findings.is_empty() { syntax_ok.map(|_| true) } else { syntax_ok };
            Report { findings, syntax_ok, ..Report::default() }
        };
        let judge = |line: &str| {
            let mut all = asked.take();
            all.push(line.to_owned());
            asked.set(all);
            judged(line)
        };
        let repaired = repair_within(time, line, Shell::Bash, &judged(line), &Machine, &judge);
        (repaired, asked.take())
    }

    #[test]
    fn the_judge_is_asked_about_no_line_twice() {
        let (repaired, asked) = asked("a x", Some(false), JUDGING_TIME);
        assert_eq!(repaired.unwrap().line, "a o");
        assert_eq!(asked, ["a o"]);
    }

    #[test]
    fn the_judge_is_asked_so_often_and_so_long() {
        let line = "x ".repeat(100);
        assert_eq!(asked(&line, Some(false), Duration::MAX).1.len(), ASKING_MAX);
        assert_eq!(asked(&line, None, Duration::MAX).1.len(), JUDGEMENTS_MAX);
        let long = "x ".repeat(LINE_BYTES_MAX / 2);
        assert_eq!(asked(&long, None, Duration::MAX).1.len(), JUDGED_BYTES_MAX / LINE_BYTES_MAX);
        assert_eq!(asked(&line, None, Duration::ZERO).1.len(), 1, "none once the time is up");
    }
}
