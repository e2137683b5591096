//! Momentum: the share of the last steps that brought something.

use std::collections::VecDeque;

/// Number of steps that count.
const WINDOW: usize = 5;
/// Number of steps below which the score says nothing.
const STEPS_MIN: usize = 3;

/// Outcomes of the last steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Momentum(VecDeque<bool>);

impl Momentum {
    /// Adds the outcome of a step.
    pub fn add(&mut self, is_success: bool) {
        if self.0.len() == WINDOW {
            self.0.pop_front();
        }
        self.0.push_back(is_success);
    }

    /// Returns the share of successes, 0 to 1; 1 while there are too few steps to tell.
    pub fn score(&self) -> f64 {
        if self.0.len() < STEPS_MIN {
            return 1.0;
        }
        self.0.iter().filter(|success| **success).count() as f64 / self.0.len() as f64
    }

    /// Starts anew, such as after the person allowed to go on.
    pub fn reset(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_steps_count() {
        let mut momentum = Momentum::default();
        let mut scores = Vec::new();
        for success in [false, false, true, true, true, true, true] {
            momentum.add(success);
            scores.push((momentum.score() * 10.0).round());
        }
        assert_eq!(scores, [10.0, 10.0, 3.0, 5.0, 6.0, 8.0, 10.0]);
        momentum.add(false);
        momentum.reset();
        assert_eq!(momentum, Momentum::default());
    }
}
