//! The plan: one step per look, with its state.

use serde::Serialize;

/// The steps towards a goal.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Plan {
    /// What the person wants.
    pub goal: String,
    /// The steps so far, in order.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// What is done.
    pub what: String,
    /// How far it is.
    pub state: StepState,
    /// What came of it, in one line.
    pub result: String,
}

/// State of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepState {
    /// It is planned.
    Pending,
    /// It brought something.
    Done,
    /// It failed.
    Failed,
}

impl Plan {
    /// Creates a plan without steps.
    pub fn new(goal: &str) -> Self {
        Self { goal: goal.to_owned(), steps: Vec::new() }
    }

    /// Adds a step that is planned.
    pub fn add(&mut self, what: String) {
        self.steps.push(Step { what, state: StepState::Pending, result: String::new() });
    }

    /// Ends the first step that is planned.
    pub fn end(&mut self, is_success: bool, result: &str) {
        if let Some(step) = self.steps.iter_mut().find(|step| step.state == StepState::Pending) {
            step.state = if is_success { StepState::Done } else { StepState::Failed };
            step.result = result.to_owned();
        }
    }

    /// Returns the share of the steps, and the answer after them, that is done: 0 to 1, and 1 only with the answer.
    pub fn progress(&self, is_answered: bool) -> f64 {
        let done = self.steps.iter().filter(|step| step.state == StepState::Done).count();
        match is_answered {
            true => 1.0,
            false => done as f64 / (self.steps.len() + 1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_grows_with_steps_that_bring_something() {
        let mut plan = Plan::new("free the disk");
        assert_eq!(plan.progress(false), 0.0);
        plan.add("a".into());
        assert_eq!(plan.progress(false), 0.0);
        plan.end(true, "big");
        plan.add("b".into());
        plan.end(false, "no");
        assert_eq!((plan.progress(false) * 3.0).round(), 1.0);
        assert_eq!(plan.progress(true), 1.0);
        plan.end(true, "nothing is pending");
        assert_eq!(
            plan.steps.iter().map(|step| step.state).collect::<Vec<_>>(),
            [StepState::Done, StepState::Failed]
        );
    }
}
