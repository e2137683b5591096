//! Repairs an almost correct line without a model. Uses the fixes of the checks, and fixes for mistakes that no
//! documentation describes. Applies a fix only if it is the only one that passes all checks. Never applies a fix that
//! makes the line more dangerous (but for `sudo` before a program that only root has), that repairs a line which destroys, overwrites or stops something, or that loses
//! quoted text; such a fix is shown and the user decides. Pure except for the answers of [`Reference`] and of the
//! judge; the clock only limits the time for the judge.

mod dialect;
mod find;
mod nushell;
mod quote;
mod scheme;
mod tar;
mod version;
#[cfg(test)]
#[path = "repair/work_tests.rs"]
mod work_tests;

pub use dialect::is_translation;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::finding::{Finding, FindingKind, Fix, Report, Severity};
use crate::reference::Reference;
use askline_risk::{Around, Harm, Label, judge};
use askline_syntax::{ParsedLine, Span};

/// Maximum number of calls of the judge per line.
const JUDGEMENTS_MAX: usize = 64;
/// Maximum number of calls if the shell rejects the line: the judge then asks the shell about each candidate, which is the
/// slowest step.
const ASKING_MAX: usize = 24;
/// Maximum total size of judged candidates per line, in bytes: longer lines get fewer candidates.
const JUDGED_BYTES_MAX: usize = 32 << 10;
/// Number of candidates parsed per judged candidate. Most candidates are dropped for harm only.
const READ_PER_JUDGED: usize = 2;
/// Time limit for the judge per line, from its first call on. A running call is not interrupted.
const JUDGING_TIME: Duration = Duration::from_secs(2);
/// Maximum number of repair rounds per line: one fix may reveal the next problem.
const ROUNDS_MAX: usize = 4;
/// Maximum number of fixes that one after another only reveal the next slip: command, subcommand.
const DEPTH_MAX: usize = 2;
/// Options with which a program does not ask.
const UNASKED: [&str; 4] = ["-y", "--yes", "--assume-yes", "--noconfirm"];
/// Maximum length of a line to repair or to search for mistakes, in bytes.
const LINE_BYTES_MAX: usize = 4096;

/// A line that passes all checks, and the changes made to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The repaired line.
    pub line: String,
    /// Description of each change: "--colour → --color: ls itself refuses it".
    pub changes: Vec<String>,
    /// Kinds of the findings whose fixes were applied, or tried on the way.
    pub kinds: Vec<FindingKind>,
}

/// Repairs a line if exactly one repair passes: the judge finds no error, no new warning, and fewer problems than
/// before. `report` is the judge's report of the original line.
pub fn repair(
    line: &ParsedLine,
    report: &Report,
    reference: &dyn Reference,
    judge: &dyn Fn(&ParsedLine) -> Report,
) -> Option<Repaired> {
    repair_within(JUDGING_TIME, line, report, reference, judge)
}

fn repair_within(
    time: Duration,
    line: &ParsedLine,
    report: &Report,
    reference: &dyn Reference,
    judge: &dyn Fn(&ParsedLine) -> Report,
) -> Option<Repaired> {
    let length = line.text().len();
    if LINE_BYTES_MAX < length {
        return None;
    }
    let most = if report.syntax_ok == Some(false) { ASKING_MAX } else { JUDGEMENTS_MAX };
    let most = most.min(JUDGED_BYTES_MAX / length.max(1));
    let unread = most * READ_PER_JUDGED;
    let mut bench = Bench {
        reference,
        judge,
        most,
        unread,
        time,
        begun: None,
        depth: 0,
        known: HashMap::new(),
        kinds: Vec::new(),
    };
    let first = State::new(line.clone(), report.clone(), reference);
    let mut state = first.clone();
    let mut changes: Vec<String> = Vec::new();
    let mut platform_spans = false;
    for _ in 0..ROUNDS_MAX {
        let Some((better, done)) = bench.round(&state) else { break };
        platform_spans |= done.iter().any(|(kind, _)| *kind == FindingKind::Platform);
        changes.extend(done.into_iter().map(|(_, change)| change));
        state = better;
    }
    let is_right = state.report.syntax_ok != Some(false) && !state.findings.iter().any(is_error);
    let literals = platform_spans || quote::keeps_literals(line, state.line.text());
    (!changes.is_empty() && is_right && state.is_better_than(&first) && literals).then_some(Repaired {
        line: state.line.text().to_owned(),
        changes,
        kinds: bench.kinds,
    })
}

/// Returns mistakes that no documentation describes, each with its fix: `-exec` without an end, `-print0` without
/// `xargs -0`, the wrong letter for an archive's compression, an unclosed quote. Ordered by position; empty for a
/// line longer than 4 KiB.
pub fn slips(line: &ParsedLine, reference: &dyn Reference) -> Vec<Finding> {
    let text = line.text();
    if LINE_BYTES_MAX < text.len() {
        return Vec::new();
    }
    if line.shell().is_nushell() {
        let mut found = nushell::slips(line, reference);
        found.sort_by_key(|finding| finding.span.start);
        return found;
    }
    let mut found = find::unended(text, line.typed());
    found.extend(find::late_start(text, line.typed(), reference));
    found.extend(find::separators(text, line.typed()));
    found.extend(tar::letters(text, line.own(), reference));
    found.extend(tar::operations(text, line.own()));
    found.extend(quote::unclosed(line, reference));
    found.extend(scheme::misspelled(text, line.own()));
    found.sort_by_key(|finding| finding.span.start);
    found
}

/// Removes findings about missing commands that a mistake explains better: it knows the intended command, while the
/// finding only reports the absence or guesses by spelling.
pub fn outdone(findings: &mut Vec<Finding>, slips: &[Finding]) {
    let is_within = |inner: &Span, outer: &Span| outer.start <= inner.start && inner.end <= outer.end;
    findings.retain(|finding| {
        finding.kind != FindingKind::CommandMissing
            || !slips.iter().any(|slip| {
                is_error(slip)
                    && is_within(&finding.span, &slip.span)
                    && (!slip.fixes.is_empty() || slip.span == finding.span)
            })
    });
}

fn is_error(finding: &Finding) -> bool {
    finding.grade == Severity::Error
}

/// A line with its report and findings.
#[derive(Clone)]
struct State {
    line: ParsedLine,
    report: Report,
    /// Findings of the judge and of this module.
    findings: Vec<Finding>,
}

impl State {
    fn new(line: ParsedLine, report: Report, reference: &dyn Reference) -> Self {
        let mut findings = report.findings.clone();
        // The judge may already have reported some of them.
        let slips = slips(&line, reference);
        outdone(&mut findings, &slips);
        findings.extend(slips.into_iter().filter(|slip| !report.findings.contains(slip)));
        Self { line, report, findings }
    }

    /// Reports whether this state has fewer findings, no new error or warning, and no lost verdict of the shell.
    fn is_better_than(&self, other: &Self) -> bool {
        let bad = |state: &Self| {
            let mut count: HashMap<(FindingKind, Severity), usize> = HashMap::new();
            for finding in state.findings.iter().filter(|finding| finding.grade != Severity::Hint) {
                *count.entry((finding.kind, finding.grade)).or_default() += 1;
            }
            count
        };
        let before = bad(other);
        let none_new = bad(self).iter().all(|(key, count)| {
            // Counts are compared by kind, because a syntax error may move to another place after a fix.
            *count <= before.get(key).copied().unwrap_or_default()
        });
        let verdict = self.report.syntax_ok != Some(false) || other.report.syntax_ok == Some(false);
        let weight = |state: &Self| {
            let serious = state.findings.iter().filter(|finding| finding.grade != Severity::Hint).count();
            (state.report.syntax_ok == Some(false), serious, state.findings.len())
        };
        let fewer = weight(self) < weight(other);
        none_new && verdict && fewer
    }
}

/// The judge, its limits and its earlier answers.
struct Bench<'a> {
    reference: &'a dyn Reference,
    judge: &'a dyn Fn(&ParsedLine) -> Report,
    most: usize,
    /// Remaining number of candidates to parse.
    unread: usize,
    time: Duration,
    begun: Option<Instant>,
    /// Number of fixes whose revealed slips are being mended.
    depth: usize,
    /// Kinds of the findings whose fixes were taken.
    kinds: Vec<FindingKind>,
    /// Judged lines, so that no line is judged twice.
    known: HashMap<String, State>,
}

impl Bench<'_> {
    /// Runs one round: takes the only helpful fix of each finding and applies all fixes that do not overlap.
    fn round(&mut self, state: &State) -> Option<(State, Vec<(FindingKind, String)>)> {
        let mut findings = state.findings.clone();
        let is_refused = state.report.syntax_ok == Some(false) || findings.iter().any(is_error);
        let shell = state.line.shell();
        findings.extend(dialect::foreign(&state.line, self.reference).filter(|_| is_refused));
        if shell.is_nushell() {
            findings.extend(nushell::refusals(&state.line, &state.report, self.reference));
        }
        findings.sort_by_key(|finding| finding.span.start);
        let before = Harm::of(&state.line).harms();
        let mut taken: Vec<(FindingKind, Fix, String, bool)> = Vec::new();
        'findings: for finding in findings.iter().filter(|finding| !finding.fixes.is_empty()) {
            let touches = |fix: &Fix| {
                taken.iter().any(|(_, other, ..)| {
                    fix.span.start <= other.span.end && other.span.start <= fix.span.end
                })
            };
            let mut passing: Vec<(String, Fix, bool)> = Vec::new();
            for fix in finding.fixes.iter().filter(|fix| !touches(fix)) {
                let Some(line) = applied(state.line.text(), fix) else { continue };
                if passing.iter().any(|(other, ..)| *other == line) {
                    continue;
                }
                let Some(unread) = self.unread.checked_sub(1) else { break 'findings };
                self.unread = unread;
                let line = ParsedLine::new(line, shell);
                let harm = Harm::of(&line);
                let is_told = is_unsafe(finding.kind, &line, &harm) && !is_verb(finding, &state.line, &line);
                let grows = harm.grows(&before) && !only_elevates(finding, fix, state.line.text());
                if grows || is_told {
                    continue;
                }
                let may_destroy = harm.destroys();
                let Some(candidate) = self.judged(line) else { break 'findings };
                if candidate.is_better_than(state) {
                    passing.push((candidate.line.text().to_owned(), fix.clone(), may_destroy));
                } else if finding.kind == FindingKind::CommandMissing
                    && let Some((line, whole)) = self.further(state, candidate, fix)
                {
                    passing.push((line, whole, may_destroy));
                }
            }
            if let [(_, fix, may_destroy)] = passing.as_slice() {
                taken.push((finding.kind, fix.clone(), describe_change(finding, fix), *may_destroy));
            }
        }
        // Findings about words are unreliable until quotes and blocks are correct.
        let is_structure = |kind| matches!(kind, FindingKind::Syntax | FindingKind::Incomplete);
        if taken.iter().any(|(kind, ..)| is_structure(*kind)) {
            taken.retain(|(kind, ..)| is_structure(*kind));
        }
        if taken.is_empty() {
            return None;
        }
        self.kinds.extend(taken.iter().map(|(kind, ..)| *kind));
        let mut line = state.line.text().to_owned();
        taken.sort_by_key(|(_, fix, ..)| std::cmp::Reverse(fix.span.start));
        for (_, fix, ..) in &taken {
            line = applied(&line, fix)?;
        }
        let line = ParsedLine::new(line, shell);
        let is_told = Harm::of(&line).destroys() && !taken.iter().all(|(.., may_destroy)| *may_destroy);
        if is_told {
            return None;
        }
        let together = self.judged(line)?;
        taken.reverse();
        let changes = taken.into_iter().map(|(kind, _, change, _)| (kind, change)).collect();
        together.is_better_than(state).then_some((together, changes))
    }

    /// Follows a fix that reveals the next slip: in `gti stauts` only `git` tells that `stauts` is wrong. Returns the
    /// line that is better than `state` once the revealed slips are mended too, and all edits together as one.
    fn further(&mut self, state: &State, revealed: State, fix: &Fix) -> Option<(String, Fix)> {
        if DEPTH_MAX <= self.depth {
            return None;
        }
        self.depth += 1;
        let mut changes = vec![fix.change.clone()];
        let mut current = Some(revealed);
        for _ in 0..ROUNDS_MAX {
            let round = current.take().and_then(|state| self.round(&state));
            let Some((better, done)) = round else { break };
            let change = |(_, said): (FindingKind, String)| said.split(": ").next().map(str::to_owned);
            changes.extend(done.into_iter().filter_map(change));
            current = Some(better);
            if current.as_ref().is_some_and(|better| better.is_better_than(state)) {
                break;
            }
        }
        self.depth -= 1;
        let line = current.filter(|better| better.is_better_than(state))?.line.text().to_owned();
        let whole = edit(state.line.text(), &line, changes.join(", "));
        Some((line, whole))
    }

    /// Returns the state of a line; `None` if the limit of calls or time is reached.
    fn judged(&mut self, line: ParsedLine) -> Option<State> {
        if let Some(state) = self.known.get(line.text()) {
            return Some(state.clone());
        }
        let is_late = self.begun.is_some_and(|begun| self.time <= begun.elapsed());
        if is_late || self.most <= self.known.len() {
            return None;
        }
        self.begun.get_or_insert_with(Instant::now);
        let report = (self.judge)(&line);
        let state = State::new(line, report, self.reference);
        self.known.insert(state.line.text().to_owned(), state.clone());
        Some(state)
    }
}

/// Reports whether the user must confirm a fix of this kind that results in `line`, which does this harm.
fn is_unsafe(kind: FindingKind, line: &ParsedLine, harm: &Harm<'_>) -> bool {
    // Options of another platform are known, not guessed, and `sed -i ''` states that it edits a file.
    let is_guess = kind != FindingKind::Platform;
    harm.destroys() && !names_branch(kind, line)
        || is_guess && harm.edits_in_place()
        || kind == FindingKind::CommandMissing && harm.forces()
}

/// Reports whether a fix only mends the subcommand of a line that does no harm beside it, and that is not dangerous then: `git
/// psuh`. That verb was written, and nothing runs.
fn is_verb(finding: &Finding, before: &ParsedLine, after: &ParsedLine) -> bool {
    let [command] = before.own().commands.as_slice() else { return false };
    let is_first = command.words.first().is_none_or(|word| finding.span.start <= word.span.start);
    let harm = Harm::of(before);
    let is_asked = !command.words.iter().any(|word| UNASKED.contains(&word.text.as_str()));
    let is_quiet = is_asked && !harm.destroys() && !harm.forces() && !harm.edits_in_place();
    let is_dangerous = || judge(after, &Around::nothing()).label == Label::Dangerous;
    finding.kind == FindingKind::CommandMissing && !is_first && is_quiet && !is_dangerous()
}

/// Reports whether a fix only runs a program with root's rights that users don't have: without them the line does nothing.
fn only_elevates(finding: &Finding, fix: &Fix, line: &str) -> bool {
    let is_prefixed = |program| fix.replacement.strip_prefix(program) == line.get(fix.span.clone());
    finding.kind == FindingKind::CommandMissing && ["sudo ", "doas "].into_iter().any(is_prefixed)
}

/// Reports whether a fix of this kind only puts the name of a branch into a line that does nothing else: `git checkout`, which
/// loses no changes. The check gives no such fix for commands that do.
fn names_branch(kind: FindingKind, line: &ParsedLine) -> bool {
    kind == FindingKind::RefMissing && line.own().commands.len() == 1
}

fn applied(line: &str, fix: &Fix) -> Option<String> {
    let (before, after) = (line.get(..fix.span.start)?, line.get(fix.span.end..)?);
    Some(format!("{before}{}{after}", fix.replacement))
}

/// Returns the smallest edit that turns one line into another.
fn edit(from: &str, to: &str, change: String) -> Fix {
    let same = |(one, other): &(char, char)| one == other;
    let before: usize = from.chars().zip(to.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let rests = from.get(before..).unwrap_or_default().chars().rev();
    let rests = rests.zip(to.get(before..).unwrap_or_default().chars().rev());
    let behind: usize = rests.take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let replacement = to.get(before..to.len() - behind).unwrap_or_default().to_owned();
    Fix { span: before..from.len() - behind, replacement, change }
}

/// Returns the description of a change with its reason.
fn describe_change(finding: &Finding, fix: &Fix) -> String {
    match finding.kind {
        FindingKind::FlagRefuted => format!("{}: {}", fix.change, finding.evidence),
        FindingKind::FlagUnknown => fix.change.clone(),
        _ => format!("{}: {}", fix.change, finding.text),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::test_machine::TestMachine;
    use askline_syntax::shell::Shell;

    /// Repairs with a judge that rejects each `x`; returns the result and the judged lines.
    fn asked(line: &str, syntax_ok: Option<bool>, time: Duration) -> (Option<Repaired>, Vec<String>) {
        let asked = Cell::new(Vec::new());
        let judged = |line: &str| {
            let finding = |(at, _): (usize, &str)| Finding {
                kind: FindingKind::Syntax,
                span: at..at + 1,
                grade: Severity::Error,
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
        let judge = |line: &ParsedLine| {
            let mut all = asked.take();
            all.push(line.text().to_owned());
            asked.set(all);
            judged(line.text())
        };
        let parsed = ParsedLine::new(line, Shell::Bash);
        let repaired =
            repair_within(time, &parsed, &judged(line), &TestMachine::with_every_program(), &judge);
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
