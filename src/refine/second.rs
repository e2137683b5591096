//! The second model: asked as well where the first one is unsure, or where its answer is at fault.

use std::time::{Duration, Instant};

use super::confidence::UNSURE;
use super::{Candidate, Refined, Spent, confidence, cost, is_refuted};
use askline_model::failure::Failure;
use askline_model::request_control::{RequestControl, Stage};

/// Reports whether the second model is asked after this result of the first one.
pub(super) fn is_needed(first: &anyhow::Result<Refined>) -> bool {
    match first {
        Ok(first) => cost(&first.best.report) != (0, 0, 0) || confidence(&first.best) < UNSURE,
        Err(error) => error.downcast_ref() != Some(&Failure::Cancelled),
    }
}

/// Returns the control of the second model. A person may end its work if the first answer can be used.
pub(super) fn control(
    first: &anyhow::Result<Refined>,
    control: &RequestControl,
    time: Duration,
) -> RequestControl {
    let now = Instant::now();
    match first {
        Ok(first) if !is_refuted(&first.best) => {
            control.enter(Stage::Comparing, now);
            control.optional(now + time)
        }
        _ => control.clone(),
    }
}

/// Returns the answer with fewer faults; of two with as many, the one of the surer model. The second wins a tie.
pub(super) fn better(first: Refined, second: Refined) -> Refined {
    let sureness = |refined: &Refined| confidence(&refined.best);
    let faults = cost(&first.best.report).cmp(&cost(&second.best.report));
    let is_first = faults.then(sureness(&second).total_cmp(&sureness(&first))).is_lt();
    let (taken, other) = if is_first { (first, second) } else { (second, first) };
    let is_alternative = !is_refuted(&other.best) && cost(&other.best.report) <= cost(&taken.best.report);
    let others = is_alternative.then_some(other.best).into_iter().chain(other.alternatives);
    let mut alternatives = taken.alternatives;
    for candidate in others {
        let is_same = |known: &Candidate| known.command.text == candidate.command.text;
        if !is_same(&taken.best) && !alternatives.iter().any(is_same) {
            alternatives.push(candidate);
        }
    }
    let time =
        Spent { model: taken.time.model + other.time.model, check: taken.time.check + other.time.check };
    Refined { best: taken.best, alternatives, rounds: taken.rounds + other.rounds, time }
}
