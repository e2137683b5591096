//! The assessment before every step: decides, from the state and the model's turn alone, what happens next.

use std::time::Duration;

use crate::breakpoint::{Breakpoint, Measure, Then};
use crate::momentum::Momentum;
use crate::protocol::Turn;
use crate::stuck::StuckDetector;
use crate::tool::Registry;

/// What the loop has done so far, as far as the assessment needs it.
#[derive(Debug, Clone, Default)]
pub struct Situation {
    /// Number of calls made.
    pub calls: usize,
    /// Maximum number of calls.
    pub calls_max: usize,
    /// Time since the start.
    pub elapsed: Duration,
    /// Maximum time.
    pub time_max: Duration,
    /// `true` if the person wants it to end.
    pub is_interrupted: bool,
    /// Failed steps in a row.
    pub failures: usize,
    /// Answers in a row that could not be read.
    pub malformed: usize,
    /// `true` if the last observation was cut.
    pub is_cut: bool,
    /// Outcomes of the last steps.
    pub momentum: Momentum,
    /// Calls and observations so far.
    pub stuck: StuckDetector,
}

/// What happens next.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The model has given its answer.
    Complete,
    /// The person is asked the model's question.
    Ask,
    /// A breakpoint was reached.
    At(&'static Breakpoint),
    /// The step is taken.
    Continue,
}

/// Decides what happens after the model's turn.
pub fn assess(situation: &Situation, turn: &Turn, registry: &Registry) -> Decision {
    let reached =
        || Breakpoint::all().iter().find(|at| at.holds(measure(situation, turn, registry, at.measure)));
    let stops = |at: &&Breakpoint| at.then == Then::Stop;
    match turn {
        Turn::Final { .. } => Decision::Complete,
        Turn::Question(_) => reached().filter(stops).map_or(Decision::Ask, Decision::At),
        Turn::Call { .. } | Turn::Malformed(_) => reached().map_or(Decision::Continue, Decision::At),
    }
}

/// Returns the value of a measure.
fn measure(situation: &Situation, turn: &Turn, registry: &Registry, measure: Measure) -> f64 {
    let Situation { stuck, .. } = situation;
    let call = match turn {
        Turn::Call { call, .. } => Some(call),
        _ => None,
    };
    let tool = call.and_then(|call| registry.tool(&call.name));
    match measure {
        Measure::Interrupts => f64::from(u8::from(situation.is_interrupted)),
        Measure::TimeUsed => share(situation.elapsed.as_secs_f64(), situation.time_max.as_secs_f64()),
        Measure::CallsUsed => share(situation.calls as f64, situation.calls_max as f64),
        Measure::SameCalls => call.map_or(0, |call| stuck.same_calls(call)) as f64,
        Measure::SameErrors => stuck.same_errors() as f64,
        Measure::Alternations => call.map_or(0, |call| stuck.alternations(call)) as f64,
        Measure::StaleLooks => stuck.stale() as f64,
        Measure::Failures => situation.failures as f64,
        Measure::Risk => tool.map_or(0.0, |tool| f64::from(tool.risk as u8)),
        Measure::External => tool.map_or(0.0, |tool| f64::from(u8::from(tool.external))),
        Measure::Momentum => situation.momentum.score(),
        Measure::CutOutputs => f64::from(u8::from(situation.is_cut)),
        Measure::Malformed => situation.malformed as f64,
    }
}

/// Returns a part of a whole, 0 to 1; 1 if there is no whole.
fn share(part: f64, whole: f64) -> f64 {
    if whole <= 0.0 { 1.0 } else { (part / whole).min(1.0) }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::call::{Call, Observation};
    use crate::tool::{Tool, ToolRisk};

    fn call(name: &str) -> Turn {
        Turn::Call { thought: String::new(), call: Call { name: name.to_owned(), parameters: Map::new() } }
    }

    fn situation() -> Situation {
        Situation { calls_max: 12, time_max: Duration::from_mins(1), ..Situation::default() }
    }

    fn seen(mut situation: Situation, looks: &[(&str, &str)]) -> Situation {
        for (name, text) in looks {
            let Turn::Call { call, .. } = call(name) else { continue };
            let observation = match text.strip_prefix("error ") {
                Some(why) => Observation::failed(why),
                None => Observation::seen("", (*text).to_owned(), false),
            };
            situation.stuck.add(&call, &observation);
        }
        situation
    }

    fn registry() -> Registry {
        let tool = |name: &str, risk, external| Tool {
            name: name.to_owned(),
            about: String::new(),
            risk,
            external,
            calls_max: 9,
            bytes_max: 100,
            parameter: Vec::new(),
        };
        Registry::new(vec![
            tool("a", ToolRisk::Safe, false),
            tool("b", ToolRisk::Cautious, false),
            tool("risky", ToolRisk::Confirm, false),
            tool("away", ToolRisk::Safe, true),
        ])
    }

    fn momentum(outcomes: &[bool]) -> Momentum {
        let mut momentum = Momentum::default();
        outcomes.iter().for_each(|outcome| momentum.add(*outcome));
        momentum
    }

    #[test]
    fn each_situation_has_its_decision() {
        let full = Situation { calls: 12, ..situation() };
        let late = Situation { elapsed: Duration::from_mins(1), ..situation() };
        let cancelled = Situation { is_interrupted: true, ..situation() };
        let end = || Turn::Final { answer: "done".into(), command: None };
        let ask = || Turn::Question("which?".into());
        let fresh = [("a", "1"), ("b", "2"), ("a", "3")];
        for (what, situation, turn, expected) in [
            ("complete", situation(), end(), "complete"),
            ("complete, although late", late.clone(), end(), "complete"),
            ("ask", situation(), ask(), "ask"),
            ("no question after ctrl-c", cancelled.clone(), ask(), "explicit"),
            ("a question needs no look", full.clone(), ask(), "ask"),
            ("continue", situation(), call("a"), "continue"),
            ("an unreadable answer is answered", situation(), Turn::Malformed("x".into()), "continue"),
            ("explicit", cancelled, call("a"), "explicit"),
            ("time", late, call("a"), "time"),
            ("budget", full, call("a"), "budget"),
            ("no budget at all", Situation { calls_max: 0, ..situation() }, call("a"), "budget"),
            ("budget low", Situation { calls: 9, ..situation() }, call("a"), "budget low"),
            ("twice is allowed", seen(situation(), &[("a", "1")]), call("a"), "continue"),
            ("same call", seen(situation(), &[("a", "1"), ("a", "2")]), call("a"), "same call"),
            ("a-b-a-b", seen(situation(), &fresh), call("b"), "alternation"),
            ("a-b-a-c", seen(situation(), &fresh), call("c"), "continue"),
            (
                "same error",
                seen(situation(), &[("a", "error e"), ("b", "error e"), ("c", "error e")]),
                call("d"),
                "same error",
            ),
            (
                "nothing new",
                seen(situation(), &[("a", ""), ("b", ""), ("c", "")]),
                call("d"),
                "no new information",
            ),
            ("failures", Situation { failures: 4, ..situation() }, call("a"), "repeated failure"),
            ("risk", situation(), call("risky"), "risk"),
            ("cautious needs no consent", situation(), call("b"), "continue"),
            ("external", situation(), call("away"), "external action"),
            (
                "low",
                Situation { momentum: momentum(&[false, false, false]), ..situation() },
                call("a"),
                "low momentum",
            ),
            (
                "slow",
                Situation { momentum: momentum(&[false, false, true]), ..situation() },
                call("a"),
                "slow momentum",
            ),
            (
                "half",
                Situation { momentum: momentum(&[false, true, true, false]), ..situation() },
                call("a"),
                "continue",
            ),
            ("large output", Situation { is_cut: true, ..situation() }, call("a"), "large output"),
            (
                "ambiguity",
                Situation { malformed: 2, ..situation() },
                Turn::Malformed("x".into()),
                "ambiguity",
            ),
        ] {
            let decided = match assess(&situation, &turn, &registry()) {
                Decision::Complete => "complete",
                Decision::Ask => "ask",
                Decision::Continue => "continue",
                Decision::At(breakpoint) => &breakpoint.name,
            };
            assert_eq!(decided, expected, "{what}");
        }
    }

    #[test]
    fn every_breakpoint_has_one_limit() {
        for at in Breakpoint::all() {
            assert!(at.at_least.is_some() != at.below.is_some(), "{}", at.name);
        }
    }
}
