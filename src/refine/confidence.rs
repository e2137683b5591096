//! Confidence in a command: an estimate of the probability that it does what was asked.

use super::calibration::Calibration;
use super::{Candidate, cost};
use askline_check::finding::Severity;

/// Factor for each error; not measured.
const ERROR: f64 = 0.5;
/// Factor for each warning, measured with the 1.5B on the dev tasks of `benches`: of 7 answers with one, 1 was right, of 279
/// others 167.
const WARNING: f64 = 0.3;

/// Factor for each repair: the model did not know the command well.
const REPAIR: f64 = 0.95;

/// Below this confidence most answers are wrong: of 19 answers to fresh requests without a finding 14 were (2026-11-27,
/// `benches/accuracy.md`). A second model is asked there: of 166 hard requests and 179 dev tasks, .5 solves as many, .7 four and one more
/// with 72 more questions to it.
pub(super) const UNSURE: f64 = 0.6;

/// Reports whether the model was unsure of a command, and no finding says why it may be wrong. Never of a model whose
/// confidence was not measured.
pub fn is_unsure(candidate: &Candidate) -> bool {
    let is_told = candidate.report.findings.iter().any(|finding| finding.grade < Severity::Hint);
    let is_measured = candidate.certainty.is_some() && Calibration::is_known(candidate.source());
    is_measured && !is_told && confidence(candidate) < UNSURE
}

/// Returns the confidence in a command, 0 to 1: how sure the model was, weighed with what the checks found.
pub fn confidence(candidate: &Candidate) -> f64 {
    let report = &candidate.report;
    let looked_up = report.flags_verified + report.flags_unknown + report.flags_refuted;
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let flags = share(report.flags_verified, looked_up);
    let commands = share(report.commands_found, report.commands_found + report.commands_missing);
    let syntax = match report.syntax_ok {
        Some(true) => 1.0,
        Some(false) => 0.1,
        None => 0.9,
    };
    let (errors, warnings, _) = cost(report);
    let power = |factor: f64, count: usize| factor.powi(i32::try_from(count).unwrap_or(i32::MAX));
    let found = power(ERROR, errors) * power(WARNING, warnings) * power(REPAIR, candidate.repairs.len());
    let checks = (0.5 + 0.5 * flags) * commands * syntax * found;
    let calibration = Calibration::of(candidate.source());
    let model = candidate.certainty.map_or(1.0, |certainty| calibration.share_right(certainty.mean));
    (checks.min(1.0) * model * 100.0).round() / 100.0
}
