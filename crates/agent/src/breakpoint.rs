//! Breakpoints: limits at which the loop does something else than go on, as data (`breakpoints.toml`).

use std::sync::LazyLock;

use serde::Deserialize;

static BREAKPOINTS: LazyLock<Vec<Breakpoint>> = LazyLock::new(|| {
    let file: File =
        toml::from_str(include_str!("breakpoints.toml")).expect("a test parses breakpoints.toml");
    file.breakpoint
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    breakpoint: Vec<Breakpoint>,
}

/// A limit, and what happens there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breakpoint {
    /// Name.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
    /// Limit that the measure reaches.
    pub at_least: Option<f64>,
    /// Limit below which the measure falls.
    pub below: Option<f64>,
    /// What happens.
    pub then: Then,
    /// Reason, for the model and the person.
    pub why: String,
}

impl Breakpoint {
    /// Returns all breakpoints, in the order in which they decide.
    pub fn all() -> &'static [Self] {
        &BREAKPOINTS
    }

    /// Reports whether the measured value is at the breakpoint.
    pub fn holds(&self, value: f64) -> bool {
        self.at_least.is_some_and(|limit| limit <= value) || self.below.is_some_and(|limit| value < limit)
    }
}

/// A quantity of the loop's state and its next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Requests of the person to stop.
    Interrupts,
    /// Share of the time that is used.
    TimeUsed,
    /// Share of the calls that is used.
    CallsUsed,
    /// Times in a row that the next call would then be made.
    SameCalls,
    /// Times that the commonest error came.
    SameErrors,
    /// Times that two calls would then follow each other.
    Alternations,
    /// Looks in a row that showed nothing new.
    StaleLooks,
    /// Failed steps in a row.
    Failures,
    /// Risk of the next call: 0 safe, 1 cautious, 2 confirm, 3 dangerous.
    Risk,
    /// 1 if the next call leaves the machine.
    External,
    /// Share of the last steps that brought something.
    Momentum,
    /// 1 if the last observation was cut.
    CutOutputs,
    /// Answers in a row that could not be read.
    Malformed,
}

/// What happens at a breakpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The loop ends with what was found.
    Stop,
    /// The model has to answer with what it has seen.
    OutOfBudget,
    /// The model is asked to step back.
    Stuck,
    /// The person is asked.
    Pause,
    /// The loop goes on in smaller steps.
    SlowDown,
}
