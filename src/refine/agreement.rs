//! Agreement of a command with the words of its request.

use super::{Candidate, cost};
use crate::examine::{Examined, Examiner};
use askline_check::finding::{Finding, FindingKind, Fix, Grade};
use askline_intent::Mismatch;
use askline_risk::Harm;
use askline_syntax::clean::Cleaned;

/// Evidence of a finding about the request.
const YOUR_WORDS: &str = "your words";

/// Edits a command where exactly one edit makes it agree with a condition of the request, and adds what does not agree to
/// its report. An edited line must pass the checks as well as before, and harm nothing more.
pub(super) fn with(request: &str, candidate: Candidate, examiner: &Examiner<'_>) -> Candidate {
    let mut candidate = edited(request, &candidate, examiner).unwrap_or(candidate);
    let open = askline_intent::mismatches(request, &candidate.line);
    candidate.report.findings.extend(open.into_iter().map(finding));
    candidate
}

fn edited(request: &str, candidate: &Candidate, examiner: &Examiner<'_>) -> Option<Candidate> {
    let agreement = askline_intent::agree(request, &candidate.line)?;
    let cleaned = examiner.clean(&agreement.line).ok()?;
    let Examined { line, report } = examiner.examine(cleaned.text.as_str());
    let is_worse = cost(&candidate.report) < cost(&report)
        || report.syntax_ok == Some(false) && candidate.report.syntax_ok != Some(false)
        || Harm::of(&line).grows(&Harm::of(&candidate.line).harms());
    if is_worse {
        tracing::debug!("not edited to {:?}: it passes fewer checks or harms more", agreement.line);
        return None;
    }
    let before = &candidate.command;
    Some(Candidate {
        command: Cleaned {
            changes: [before.changes.clone(), cleaned.changes.clone()].concat(),
            warnings: before.warnings.clone(),
            ..cleaned
        },
        line,
        report,
        repairs: [candidate.repairs.clone(), agreement.changes].concat(),
        ..candidate.clone()
    })
}

/// Returns the finding that states a mismatch.
fn finding(mismatch: Mismatch) -> Finding {
    let fix = |edit: askline_intent::Edit| Fix {
        span: edit.span,
        replacement: edit.replacement,
        change: edit.change,
    };
    Finding {
        kind: FindingKind::Intent,
        span: mismatch.span,
        grade: Grade::Warning,
        text: mismatch.text,
        evidence: YOUR_WORDS.to_owned(),
        fixes: mismatch.edit.map(fix).into_iter().collect(),
    }
}
