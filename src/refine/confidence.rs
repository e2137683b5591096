//! Confidence in a command: an estimate of the probability that it does what was asked.

use super::{Candidate, cost};

/// Share of answers that were right by the mean probability of their tokens, with lines between. Measured with the 1.5B
/// on the 286 dev tasks of `benches`, after the comparison of answers, without an open finding.
const RIGHT: [(f64, f64); 8] = [
    (0.0, 0.1),
    (0.7, 0.27),
    (0.8, 0.33),
    (0.845, 0.49),
    (0.87, 0.67),
    (0.91, 0.74),
    (0.95, 0.9),
    (1.0, 0.97),
];

/// Factor for each error. For each warning, measured as above: of 7 answers with one, 1 was right, of 279 others 167.
const ERROR: f64 = 0.5;
const WARNING: f64 = 0.3;

/// Factor for each repair: the model did not know the command well.
const REPAIR: f64 = 0.95;

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
    let model = candidate.certainty.map_or(1.0, |certainty| share_right(certainty.mean));
    (checks.min(1.0) * model * 100.0).round() / 100.0
}

/// Returns the share of right answers for a mean probability of tokens.
fn share_right(mean: f64) -> f64 {
    let pairs = RIGHT.iter().zip(RIGHT.iter().skip(1));
    let (low, high) = pairs
        .clone()
        .find(|(_, high)| mean <= high.0)
        .or_else(|| pairs.clone().next_back())
        .unwrap_or((&RIGHT[0], &RIGHT[0]));
    let width = (high.0 - low.0).max(f64::EPSILON);
    low.1 + (high.1 - low.1) * ((mean - low.0) / width).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_points_are_met() {
        for (mean, right) in RIGHT {
            assert!((share_right(mean) - right).abs() < 1e-9, "{mean}");
        }
        assert!((share_right(0.35) - 0.185).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn a_likelier_answer_is_no_less_sure(one in 0.0..1.0_f64, other in 0.0..1.0_f64) {
            let (low, high) = (one.min(other), one.max(other));
            prop_assert!(share_right(low) <= share_right(high));
            prop_assert!((0.0..=1.0).contains(&share_right(one)));
        }
    }
}
