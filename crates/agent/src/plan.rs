//! The plan: the steps that a planner proposes, and the steps that are taken, one per look, with their states.

use serde::{Deserialize, Serialize};

use crate::text::{line, object};
use crate::tool::Registry;

/// Maximum number of steps that a planner proposes.
const PROPOSED_MAX: usize = 6;

/// Instruction to a model that plans.
pub const INSTRUCTION: &str = "\
You plan how an assistant looks around on a person's machine before it suggests one command. It can only look, with the tools \
below; it changes nothing. Answer with one JSON object and nothing else:
{\"steps\": [\"what to look at first\", \"what to look at next\"]}
At most 6 short steps; none if no look is needed.";

/// The steps towards a goal.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Plan {
    /// What the person wants.
    pub goal: String,
    /// The steps that a planner proposed; empty without one.
    pub proposed: Vec<String>,
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
        Self { goal: goal.to_owned(), ..Self::default() }
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

/// Returns what a model plans: the goal, what is known of the machine, and the tools.
pub fn question(goal: &str, facts: &[String], tools: &Registry) -> String {
    let facts: Vec<String> = facts.iter().map(|fact| line(fact)).collect();
    let tools = tools.tools().iter().map(|tool| line(&format!("{}: {}", tool.name, tool.about)));
    let tools = tools.collect::<Vec<_>>().join("\n");
    format!("Request: {}\nKnown of this machine:\n{}\nTools:\n{tools}", line(goal), facts.join("\n"))
}

/// Reads the steps that a model proposes; `None` if there are none.
pub fn read(answer: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Answer {
        steps: Vec<String>,
    }
    let Answer { steps } = serde_json::from_str(object(answer)?).ok()?;
    let steps = steps.iter().map(|step| line(step.trim())).filter(|step| !step.is_empty());
    let steps: Vec<String> = steps.take(PROPOSED_MAX).collect();
    (!steps.is_empty()).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposed_steps_are_few_short_lines_without_tags() {
        for (answer, expected) in [
            (
                r#"{"steps": ["sizes below /var", " ", "open\nfiles"]}"#,
                Some(vec!["sizes below /var", "open files"]),
            ),
            ("```\n{\"steps\": [\"<tool_code>\"]}\n```", Some(vec!["‹tool_code›"])),
            (r#"{"steps": []}"#, None),
            (r#"{"steps": [1]}"#, None),
            ("1. look", None),
        ] {
            let expected = expected.map(|steps| steps.into_iter().map(str::to_owned).collect());
            assert_eq!(read(answer), expected, "{answer}");
        }
        let many = format!(r#"{{"steps": [{}]}}"#, vec![format!("\"{}\"", "x".repeat(999)); 50].join(","));
        let steps = read(&many).unwrap();
        assert!(steps.len() == PROPOSED_MAX && steps.iter().all(|step| step.len() <= 200));
    }

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
