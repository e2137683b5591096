//! The reviewer: a verdict on the last steps, by rules, which the next turn gets.

use serde::Serialize;

use crate::assess::Situation;

/// A verdict.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Review {
    /// `true` if the loop should go on like this.
    pub on_track: bool,
    /// Confidence in that, 0 to 1.
    pub confidence: f64,
    /// Share of the way that is done, 0 to 1.
    pub progress: f64,
    /// What is wrong.
    pub concerns: Vec<String>,
    /// What to do next.
    pub suggestions: Vec<String>,
    /// `true` if the person should be asked before the next step.
    pub pause: bool,
    /// `true` if no further step makes sense.
    pub abort: bool,
}

/// Returns the verdict on a situation.
pub fn review(situation: &Situation, progress: f64) -> Review {
    let score = situation.momentum.score();
    let mut review = Review { confidence: score, progress, ..Review::default() };
    let mut note = |is_so: bool, concern: &str, suggestion: &str| {
        if is_so {
            review.concerns.push(concern.to_owned());
            review.suggestions.push(suggestion.to_owned());
        }
    };
    note(0 < situation.failures, "the last step failed", "reassess and try a different approach");
    note(2 <= situation.stuck.stale(), "the last looks showed nothing new", "look elsewhere or conclude");
    note(
        0 < situation.malformed,
        "the last answer was not understood",
        "write one tool call or one final answer",
    );
    note(situation.is_cut, "there was more than fits", "ask for less at once");
    let left = situation.calls_max.saturating_sub(situation.calls);
    note(left <= 1, &format!("looks left: {left}"), "conclude with what you have seen");
    review.on_track = review.concerns.is_empty();
    review.pause = score < 0.3;
    review.abort = left == 0 || situation.is_interrupted;
    review
}

impl Review {
    /// Returns the nudge for the next turn; `None` if the observations speak for themselves.
    pub fn nudge(&self) -> Option<String> {
        let notes = self.concerns.iter().zip(&self.suggestions);
        let notes: Vec<String> =
            notes.map(|(concern, suggestion)| format!("{concern}: {suggestion}")).collect();
        (!notes.is_empty()).then(|| format!("Note: {}.", notes.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_names_the_concern_and_the_way_on() {
        let calm = Situation { calls_max: 12, ..Situation::default() };
        let verdict = review(&calm, 0.5);
        assert!(verdict.on_track && verdict.nudge().is_none() && verdict.progress == 0.5);
        for (situation, said) in [
            (Situation { failures: 1, ..calm.clone() }, "different approach"),
            (Situation { is_cut: true, ..calm.clone() }, "ask for less"),
            (Situation { malformed: 1, ..calm.clone() }, "one tool call"),
            (Situation { calls: 11, ..calm.clone() }, "looks left: 1: conclude"),
        ] {
            let verdict = review(&situation, 0.0);
            assert!(!verdict.on_track && verdict.nudge().is_some_and(|nudge| nudge.contains(said)), "{said}");
        }
        assert!(review(&Situation { calls: 12, ..calm }, 0.0).abort);
    }
}
