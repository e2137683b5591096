//! Agreement of a command with the words of its request and with the directory around it.

use super::continued::{self, tests_of};
use super::{Candidate, DraftedCommand, YOUR_WORDS, cost};
use crate::examine::{Examined, Examiner};
use crate::presses::own_words;
use askline_check::finding::{Finding, FindingKind, Fix, Severity};
use askline_intent::Mismatch;
use askline_intent::here::{self, Contradiction, Here, Subject};
use askline_model::prompt::Solved;
use askline_model::prompt::disclosure::FactKind;
use askline_risk::{Around, Harm, Label, judge};
use askline_syntax::ParsedLine;
use askline_syntax::clean::Cleaned;

/// Evidence of a finding about a line without a request.
const ITS_EFFECT: &str = "what it does";

/// Edits a command where exactly one edit makes it agree with a condition of the request or with the directory, and adds what
/// does not agree to its report. An edited line must pass the checks as well as before, and harm nothing more.
///
/// `before` is the earlier request with its command, which this request changes.
pub(super) fn with(
    request: &str,
    before: Option<&Solved>,
    candidate: Candidate,
    examiner: &Examiner<'_>,
) -> Candidate {
    let own = before.and_then(|before| own_words(request, &before.request));
    let own_from = own.map_or(0, |own| request.len() - own.len());
    let agreeing = with_request(request, own_from, candidate, examiner);
    let Some(before) = before else { return agreeing };
    continued::with(before, own.unwrap_or(request), agreeing, examiner)
}

/// The own words of the request begin at byte `own_from`; before are those that it goes on from.
fn with_request(request: &str, own_from: usize, candidate: Candidate, examiner: &Examiner<'_>) -> Candidate {
    let mut candidate = agreeing(request, &candidate, examiner).unwrap_or(candidate);
    let open = askline_intent::mismatches_of(request, own_from, &candidate.line);
    let facts = examiner.knowledge.here(&candidate.line);
    match adapted(request, &candidate, &facts, &open, examiner) {
        Some(mut adapted) => {
            // An edit may replace a name of the request by the one that is there.
            let left = askline_intent::mismatches_of(request, own_from, &adapted.line);
            let is_old = |it: &Mismatch| open.iter().any(|before| before.text == it.text);
            let facts = examiner.knowledge.here(&adapted.line);
            let left = left.into_iter().filter(is_old).collect();
            let contradictions = here::contradictions(request, &adapted.line, &facts);
            add(&mut adapted, left, contradictions);
            adapted
        }
        None => {
            let contradictions = here::contradictions(request, &candidate.line, &facts);
            add(&mut candidate, open, contradictions);
            candidate
        }
    }
}

/// Puts the place of a file into a command that a person typed, where the file is missing and exactly one of that name is below.
pub fn with_place(typed: &str, candidate: Candidate, examiner: &Examiner<'_>) -> Candidate {
    let is_missing = |finding: &&Finding| finding.kind == FindingKind::PathMissing;
    let missing: Vec<_> =
        candidate.report.findings.iter().filter(is_missing).map(|it| it.span.clone()).collect();
    let [span] = missing.as_slice() else { return candidate };
    let facts = examiner.knowledge.here(&candidate.line);
    let Some(adapted) = adapted(typed, &candidate, &facts, &[], examiner) else { return candidate };
    let (old, new) = (candidate.line.text(), adapted.line.text());
    let is_placed = || {
        let (before, name, behind) = (old.get(..span.start)?, old.get(span.clone())?, old.get(span.end..)?);
        let path = new.strip_prefix(before)?.strip_suffix(behind)?.trim_matches(['\'', '"']);
        path.strip_suffix(name.trim_matches(['\'', '"']))?.strip_suffix('/')
    };
    if is_placed().is_some() { adapted } else { candidate }
}

/// Edits a command that a person typed where it surely does something else than it looks like, whatever was wanted, and adds what
/// is left of that to its report.
pub fn with_slips(candidate: Candidate, examiner: &Examiner<'_>) -> Candidate {
    let mended = askline_intent::mend_slips(&candidate.line);
    let mended = mended.and_then(|it| edited(&candidate, &it.line, it.changes, false, examiner));
    let mut mended = mended.unwrap_or(candidate);
    mended.report.findings.extend(slips(&mended.line));
    mended
}

/// Returns the findings about what a line does, whatever was wanted.
pub fn slips(line: &ParsedLine) -> Vec<Finding> {
    let slips = askline_intent::distinct(askline_intent::slips(line));
    slips.into_iter().map(|slip| finding(FindingKind::Intent, slip, ITS_EFFECT.to_owned())).collect()
}

/// Returns the kind of fact that evidence and fixes of such findings have; `None` if models may see it.
pub(super) fn fact_kind(kind: FindingKind) -> Option<FactKind> {
    match kind {
        FindingKind::Column => Some(FactKind::Columns),
        FindingKind::Here => Some(FactKind::Listing),
        FindingKind::RefMissing => Some(FactKind::Git),
        FindingKind::Preference => Some(FactKind::Preferences),
        _ => None,
    }
}

fn agreeing(request: &str, candidate: &Candidate, examiner: &Examiner<'_>) -> Option<Candidate> {
    let agreement = askline_intent::agree(request, &candidate.line)?;
    edited(candidate, &agreement.line, agreement.changes, false, examiner)
}

/// Edits a command where exactly one edit makes it agree with the directory. Keeps the command before the edit.
fn adapted(
    request: &str,
    candidate: &Candidate,
    facts: &Here,
    open: &[Mismatch],
    examiner: &Examiner<'_>,
) -> Option<Candidate> {
    let (mut adapted, mut subjects) = adapted_once(request, candidate, facts, examiner)?;
    // A file that was found has columns of its own.
    let facts_now = examiner.knowledge.here(&adapted.line);
    if facts_now.heads.len() != facts.heads.len()
        && let Some((again, more)) = adapted_once(request, &adapted, &facts_now, examiner)
    {
        adapted = again;
        subjects.extend(more);
    }
    let mut before = candidate.clone();
    add(&mut before, open.to_vec(), here::contradictions(request, &candidate.line, facts));
    let mut written = adapted.written.take().unwrap_or_else(|| {
        Box::new(DraftedCommand { facts: Vec::new(), line: before.line, report: before.report })
    });
    written.facts.extend(subjects.into_iter().filter_map(|subject| match subject {
        Subject::Columns => Some(FactKind::Columns),
        Subject::Names | Subject::Absence => Some(FactKind::Listing),
        Subject::Calendar => None,
    }));
    Some(Candidate { written: Some(written), ..adapted })
}

/// Returns the command after the edits that these facts allow, and the origins of what they inserted.
fn adapted_once(
    request: &str,
    candidate: &Candidate,
    facts: &Here,
    examiner: &Examiner<'_>,
) -> Option<(Candidate, Vec<Subject>)> {
    let here::Adapted { line, changes, subjects, copies_folder } =
        here::adapt(request, &candidate.line, facts)?;
    Some((edited(candidate, &line, changes, copies_folder, examiner)?, subjects))
}

/// Returns the command with another line, unless that one passes fewer checks or harms more.
pub(super) fn edited(
    candidate: &Candidate,
    line: &str,
    changes: Vec<String>,
    copies_folder: bool,
    examiner: &Examiner<'_>,
) -> Option<Candidate> {
    let cleaned = examiner.clean(line).ok()?;
    let Examined { line: parsed, report } = examiner.examine(cleaned.text.as_str());
    let mut harms = Harm::of(&candidate.line).harms();
    if copies_folder {
        // `cp -r` into a place where nothing has that name replaces nothing.
        *harms.entry("-r".to_owned()).or_default() += 1;
    }
    if !Harm::of(&parsed).destroys() {
        // A line that only reads may read more: `ls *.jpg *.JPG`.
        harms.insert("*".to_owned(), usize::MAX);
    }
    let is_worse = cost(&candidate.report) < cost(&report)
        || report.syntax_ok == Some(false) && candidate.report.syntax_ok != Some(false)
        || Harm::of(&parsed).grows(&harms)
        || is_dangerous(&parsed) && !is_dangerous(&candidate.line)
        || widens_deletion(&candidate.line, &parsed);
    if is_worse {
        tracing::debug!("not edited to {line:?}: it passes fewer checks or harms more");
        return None;
    }
    let before = &candidate.command;
    Some(Candidate {
        command: Cleaned {
            changes: [before.changes.clone(), cleaned.changes.clone()].concat(),
            warnings: before.warnings.clone(),
            ..cleaned
        },
        line: parsed,
        report,
        repairs: [candidate.repairs.clone(), changes].concat(),
        ..candidate.clone()
    })
}

/// Reports whether a line that destroys what `find` finds lost one of its tests: it would destroy more.
fn widens_deletion(before: &ParsedLine, after: &ParsedLine) -> bool {
    tests_of(after).len() < tests_of(before).len() && judge(after, &Around::nothing()).destroys()
}

/// Reports whether a line is dangerous, whatever is around it: `git branch -D` loses what `-d` keeps.
fn is_dangerous(line: &ParsedLine) -> bool {
    judge(line, &Around::nothing()).label == Label::Dangerous
}

/// Adds what does not agree to the report of a command. What is said about a name replaces that it is missing.
fn add(candidate: &mut Candidate, mismatches: Vec<Mismatch>, contradictions: Vec<Contradiction>) {
    let findings = &mut candidate.report.findings;
    findings.retain(|finding| {
        let is_same = |it: &Contradiction| it.mismatch.span == finding.span;
        finding.kind != FindingKind::PathMissing || !contradictions.iter().any(is_same)
    });
    let distinct = askline_intent::distinct(mismatches).into_iter();
    let words = distinct.map(|it| finding(FindingKind::Intent, it, YOUR_WORDS.to_owned()));
    findings.extend(words);
    findings.extend(contradictions.into_iter().map(|Contradiction { mismatch, facts, subject, .. }| {
        let kind = match subject {
            Subject::Names => FindingKind::Here,
            Subject::Columns => FindingKind::Column,
            Subject::Absence => FindingKind::PathMissing,
            Subject::Calendar => FindingKind::Intent,
        };
        finding(kind, mismatch, facts)
    }));
}

/// Returns the finding that states a mismatch.
fn finding(kind: FindingKind, mismatch: Mismatch, evidence: String) -> Finding {
    let fix = |edit: askline_intent::Edit| Fix {
        span: edit.span,
        replacement: edit.replacement,
        change: edit.change,
    };
    Finding {
        kind,
        span: mismatch.span,
        grade: Severity::Warning,
        text: mismatch.text,
        evidence,
        fixes: mismatch.edit.map(fix).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn a_deletion_keeps_its_tests() {
        let widens = |before: &str, after: &str| {
            let line = |text: &str| ParsedLine::new(text, Shell::Bash);
            widens_deletion(&line(before), &line(after))
        };
        assert!(widens("find . -name '*.log' -type f -delete", "find . -type f -delete"));
        assert!(widens("find . -maxdepth 1 -name a -exec rm {} +", "find . -name a -exec rm {} +"));
        assert!(!widens("find . -name '*.log' -delete", "find . -name '*.log' -mtime +30 -delete"));
        assert!(!widens("find . -mtime -2 -delete", "find . -mmin -120 -delete"));
        assert!(!widens("find . -name '*.log' -type f", "find . -type f"), "it only lists");
        assert!(widens("/usr/bin/find . -xdev -name a -delete", "/usr/bin/find . -name a -delete"));
        assert!(!widens("find . -name a -exec rm -f {} +", "find . -name a -exec rm {} +"));
    }
}
