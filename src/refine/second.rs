//! The second model: asked as well where the first one is unsure, or where its answer is at fault.

use std::time::{Duration, Instant};

use super::calibration::Calibration;
use super::confidence::UNSURE;
use super::{CANDIDATES_MAX, Candidate, Refined, Spent, confidence, cost, is_refuted, is_useless};
use askline_model::request_control::{RequestControl, Stage};
use askline_syntax::shell::Shell;

/// Reports whether a second model is worth its time in a shell.
pub(super) fn is_worth_asking(source: &str, shell: Shell) -> bool {
    !shell.is_nushell() || Calibration::of(source).second_in_nushell
}

/// Reports whether the second model is asked after this result of the first one: an answer that may be wrong, or that holds no
/// command. A model that can't be asked is a matter of `[fallback]`: else every request would reach a server that is only the
/// second.
pub(super) fn is_needed(drafted: &anyhow::Result<Refined>) -> bool {
    match drafted {
        Ok(first) => cost(&first.best.report) != (0, 0, 0) || confidence(&first.best) < UNSURE,
        Err(error) => is_useless(error),
    }
}

/// Returns the control of the second model. Its time is bounded where there is an answer; a person may end its work if that can
/// be used.
pub(super) fn control(
    drafted: &anyhow::Result<Refined>,
    control: &RequestControl,
    time: Duration,
) -> RequestControl {
    let now = Instant::now();
    match drafted {
        Ok(first) if !is_refuted(&first.best) => {
            control.enter(Stage::Comparing, now);
            control.optional(now + time)
        }
        Ok(_) => {
            control.enter(Stage::Thinking, now);
            control.within(now + time)
        }
        Err(_) => control.clone(),
    }
}

/// Returns the result of the first model alone, with a note if the second could not be asked.
pub(super) fn without(mut alone: Refined, source: &str, failed: &anyhow::Error) -> Refined {
    if let Some(writer) = alone.best.writer.as_mut().filter(|_| !is_useless(failed)) {
        writer.notes.push(format!("{source} gave no second answer: {failed:#}"));
    }
    alone
}

/// Returns the answer with fewer faults; of two with as many, the one of the surer model. The second wins a tie. What the other
/// model wrote is an alternative, if it is as good.
pub(super) fn better(first: Refined, second: Refined) -> Refined {
    let sureness = |refined: &Refined| confidence(&refined.best);
    let faults = cost(&first.best.report).cmp(&cost(&second.best.report));
    let first_wins = faults.then(sureness(&second).total_cmp(&sureness(&first))).is_lt();
    let (taken, other) = if first_wins { (first, second) } else { (second, first) };
    let most = cost(&taken.best.report);
    let mut alternatives = taken.alternatives;
    for candidate in [other.best].into_iter().chain(other.alternatives) {
        let is_same = |known: &Candidate| known.command.text == candidate.command.text;
        let is_as_good = !is_refuted(&candidate) && cost(&candidate.report) <= most;
        if is_as_good && !is_same(&taken.best) && !alternatives.iter().any(is_same) {
            alternatives.push(candidate);
        }
    }
    // The sort is stable: of two that are as good, the one of the model that wrote the answer stays ahead.
    alternatives.sort_by_key(|candidate| cost(&candidate.report));
    alternatives.truncate(CANDIDATES_MAX);
    let (model, check) = (taken.time.model + other.time.model, taken.time.check + other.time.check);
    let rounds = taken.rounds + other.rounds;
    Refined { best: taken.best, alternatives, rounds, time: Spent { model, check } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_larger_model_is_no_second_in_nushell() {
        let larger = "local:qwen2.5-coder-1.5b-instruct-q4_k_m+cookbook-1.5b";
        assert!(is_worth_asking(larger, Shell::Bash) && !is_worth_asking(larger, Shell::Nu));
        assert!(is_worth_asking("team", Shell::Nu), "nothing is known of others");
    }
}
