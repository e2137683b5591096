//! The loop: think, assess, look, and at last a finding. Everything that it does to the world goes through [`Host`] and
//! [`Model`].

use std::collections::VecDeque;
use std::iter;
use std::time::Duration;

use crate::agent_definition::AgentDefinition;
use crate::aide::Aide;
use crate::assess::{Decision, Situation, assess};
use crate::breakpoint::{Breakpoint, Then};
use crate::call::{Call, Observation};
use crate::context::{Context, Exchange, Message};
use crate::event::AgentEvent;
use crate::plan::{self, Plan};
use crate::protocol::{self, Turn};
use crate::review;
use crate::summary;
use crate::tool::{Permission, Registry};

/// Maximum number of turns for each look: some turns bring no look.
const TURNS_PER_CALL: usize = 2;
/// Maximum number of calls of one turn that are made.
const TURN_CALLS_MAX: usize = 4;
/// Share of the time after which no aide is asked any more.
const AIDED: f64 = 0.5;
/// Most that a reviewer's estimate counts: only the answer makes it whole.
const ESTIMATE_MAX: f64 = 0.9;
/// Maximum number of questions to the person.
const QUESTIONS_MAX: usize = 3;

/// The world around the loop.
pub trait Host {
    /// Makes a call that the registry has checked. A failure is an observation, too.
    fn look(&mut self, call: &Call) -> Observation;

    /// Asks the person a question; `None` if there is nobody or no answer.
    fn ask(&mut self, question: &str) -> Option<String>;

    /// Asks the person to allow something.
    fn approve(&mut self, what: &str) -> bool;

    /// Returns whether a call that the registry has checked may be made.
    fn permission(&self, call: &Call) -> Permission;

    /// Shows or records an event.
    fn tell(&mut self, event: &AgentEvent);

    /// Keeps a look for a later investigation.
    fn keep(&mut self, _made: &Exchange) {}

    /// Returns the time since the start.
    fn elapsed(&self) -> Duration;

    /// Reports whether the person wants the loop to end.
    fn is_interrupted(&self) -> bool;
}

/// The model that decides what to look at.
pub trait Model {
    /// Returns the model's turn; several if it makes calls that need nothing of each other.
    ///
    /// # Errors
    /// The reason why there is none.
    fn turn(&mut self, asked: &Asked<'_>) -> Result<Vec<Turn>, String>;

    /// Returns what an aide answers to its question; `None` if there is no such aide.
    ///
    /// # Errors
    /// The reason why there is no answer.
    fn advise(&mut self, _aide: Aide, _question: &str) -> Option<Result<String, String>> {
        None
    }
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The definition's instruction, without the tools.
    pub prompt: &'a str,
    /// The tools that it may call.
    pub tools: &'a Registry,
    /// The conversation in the text protocol; the first message describes the tools.
    pub messages: &'a [Message],
    /// `true` if the turn must be the final answer.
    pub is_last: bool,
}

/// Limits of an investigation.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of calls.
    pub calls: usize,
    /// Maximum time.
    pub time: Duration,
    /// Size of the model's window, in bytes.
    pub window: usize,
}

/// What an investigation found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Finding {
    /// The answer in words; empty if there is nothing to say.
    pub answer: String,
    /// The command line as the model wrote it.
    pub command: Option<String>,
    /// The reason why the loop ended before the model was done.
    pub cut_short: Option<String>,
}

/// An investigation.
#[derive(Debug)]
pub struct AgentLoop {
    /// What the model sees.
    pub context: Context,
    /// The steps so far.
    pub plan: Plan,
    prompt: String,
    registry: Registry,
    situation: Situation,
    limits: Limits,
    note: Option<String>,
    /// Further calls of the model's last turn.
    pending: VecDeque<Turn>,
    questions: usize,
    reflections: usize,
    is_last_turn: bool,
    is_plan_due: bool,
    is_review_due: bool,
    /// Number of looks that are summed up, or that need no summary.
    summed_up: usize,
    /// Aides that failed.
    lost: Vec<Aide>,
    /// The share that was told to be done.
    progress: f64,
    resumed: usize,
}

/// Where the loop is.
enum Phase {
    Think,
    Assess(Turn),
    Ask(String),
    Pause(&'static Breakpoint, Turn),
    Step(Turn),
    Done(Finding),
}

impl AgentLoop {
    /// Creates an investigation of a request; `facts` are known of the machine.
    pub fn new(
        request: &str,
        definition: &AgentDefinition,
        registry: Registry,
        facts: Vec<String>,
        limits: Limits,
    ) -> Self {
        let registry = registry.only(|tool| definition.has(&tool.name));
        let system = format!("{}\n\n{}", definition.prompt, protocol::instruction(&registry));
        let calls_max = limits.calls.min(definition.calls);
        Self {
            context: Context { system, goal: request.to_owned(), project_facts: facts, ..Context::default() },
            plan: Plan::new(request),
            prompt: definition.prompt.clone(),
            registry,
            situation: Situation { calls_max, time_max: limits.time, ..Situation::default() },
            limits,
            note: None,
            pending: VecDeque::new(),
            questions: 0,
            reflections: 0,
            is_last_turn: false,
            is_plan_due: true,
            is_review_due: false,
            summed_up: 0,
            lost: Vec::new(),
            progress: 0.0,
            resumed: 0,
        }
    }

    /// Goes on from an earlier investigation: its looks, and what was said.
    pub fn resume(&mut self, looks: Vec<Exchange>, said: Vec<String>) {
        (self.resumed, self.summed_up) = (looks.len(), looks.len());
        self.context.exchanges = looks;
        self.context.session_facts = said;
    }

    /// Returns the looks of this investigation, without those from before.
    pub fn looks(&self) -> &[Exchange] {
        self.context.exchanges.get(self.resumed..).unwrap_or_default()
    }

    /// Runs the loop to its end.
    pub fn run(&mut self, model: &mut dyn Model, host: &mut dyn Host) -> Finding {
        let mut phase = Phase::Think;
        for _ in 0..=self.turns_max() {
            phase = match phase {
                Phase::Think => self.think(model, host),
                Phase::Assess(turn) => self.assess(turn, host),
                Phase::Ask(question) => self.ask(&question, host),
                Phase::Pause(at, turn) => self.pause(at, turn, host),
                Phase::Step(turn) => self.step(turn, host),
                Phase::Done(finding) => return self.end(finding, host),
            };
        }
        let finding = self.partial("no turn is left");
        self.end(finding, host)
    }

    /// Makes these calls in order, without a model, and then those that `next` returns for all looks so far, until it returns
    /// none. Returns what they showed, in short.
    pub fn look(
        &mut self,
        calls: Vec<Call>,
        next: &dyn Fn(&[Exchange]) -> Vec<Call>,
        host: &mut dyn Host,
    ) -> Finding {
        let mut cut_short = None;
        let mut calls = VecDeque::from(calls);
        for _ in 0..self.situation.calls_max {
            if calls.is_empty() {
                calls.extend(next(self.looks()));
            }
            let Some(call) = calls.pop_front() else { break };
            self.situation.elapsed = host.elapsed();
            self.situation.is_interrupted = host.is_interrupted();
            let turn = Turn::Call { thought: String::new(), call };
            if let Decision::At(at) = assess(&self.situation, &turn, &self.registry)
                && at.then == Then::Stop
            {
                cut_short = Some(at.why.clone());
                break;
            }
            self.step(turn, host);
        }
        let finding = Finding { cut_short, ..self.partial("") };
        self.end(finding, host)
    }

    /// Returns a bound on the phases: each turn has at most four.
    fn turns_max(&self) -> usize {
        4 * (TURNS_PER_CALL * self.situation.calls_max + QUESTIONS_MAX + 2)
    }

    fn think(&mut self, model: &mut dyn Model, host: &mut dyn Host) -> Phase {
        if let Some(turn) = self.pending.pop_front() {
            return Phase::Assess(turn);
        }
        if std::mem::take(&mut self.is_plan_due) {
            self.plan_ahead(model, host);
        }
        if std::mem::take(&mut self.is_review_due)
            && let Some(end) = self.review_by_model(model, host)
        {
            return end;
        }
        self.sum_up(model, host);
        let messages = self.context.messages(self.note.take().as_deref(), self.limits.window);
        let is_last = self.is_last_turn;
        let asked = Asked { prompt: &self.prompt, tools: &self.registry, messages: &messages, is_last };
        self.context.latest = 0;
        match model.turn(&asked) {
            Ok(turns) => self.receive(turns, host),
            Err(why) => {
                host.tell(&AgentEvent::Warning(why.clone()));
                Phase::Done(self.partial(&why))
            }
        }
    }

    /// Takes up a turn: its calls are made one after the other.
    fn receive(&mut self, turns: Vec<Turn>, host: &mut dyn Host) -> Phase {
        let mut turns = turns.into_iter();
        let first = turns.next().unwrap_or_else(|| Turn::Malformed("the answer is empty".to_owned()));
        self.pending = turns.by_ref().take(TURN_CALLS_MAX - 1).collect();
        self.leave_out(turns, &format!("at most {TURN_CALLS_MAX} calls are made in one turn"), host);
        Phase::Assess(first)
    }

    /// Tells which calls are not made.
    fn leave_out(&mut self, turns: impl Iterator<Item = Turn>, why: &str, host: &mut dyn Host) {
        let called = |turn| match turn {
            Turn::Call { call, .. } => Some(call.signature()),
            _ => None,
        };
        let left: Vec<String> = turns.filter_map(called).collect();
        if !left.is_empty() {
            let told = format!("not called: {}; {why}", left.join(", "));
            self.note(&format!("Note: {told}."));
            host.tell(&AgentEvent::Warning(told));
        }
    }

    /// Adds a note for the model's next turn.
    fn note(&mut self, note: &str) {
        let known = self.note.get_or_insert_default();
        if !known.contains(note) {
            known.push_str(if known.is_empty() { "" } else { " " });
            known.push_str(note);
        }
    }

    /// Returns an aide's answer. An aide that fails is told once and not asked again, and none is asked late: the looks come first.
    fn advice(
        &mut self,
        aide: Aide,
        question: &str,
        (model, host): (&mut dyn Model, &mut dyn Host),
    ) -> Option<String> {
        let is_late = self.limits.time.mul_f64(AIDED) < host.elapsed() || host.is_interrupted();
        if is_late || self.lost.contains(&aide) {
            return None;
        }
        match model.advise(aide, question)? {
            Ok(answer) => Some(answer),
            Err(why) => {
                self.lost.push(aide);
                host.tell(&AgentEvent::Warning(format!(
                    "no help from the profile for `{}`: {why}",
                    aide.role()
                )));
                None
            }
        }
    }

    /// Tells the share that is done; it never falls.
    fn tell_progress(&mut self, share: f64, host: &mut dyn Host) {
        self.progress = self.progress.max(share);
        host.tell(&AgentEvent::Progress(self.progress));
    }

    /// Lets a planner propose the steps.
    fn plan_ahead(&mut self, model: &mut dyn Model, host: &mut dyn Host) {
        let question = plan::question(&self.context.goal, &self.context.project_facts, &self.registry);
        let answer = self.advice(Aide::Planner, &question, (model, &mut *host));
        if let Some(steps) = answer.and_then(|answer| plan::read(&answer)) {
            host.tell(&AgentEvent::Plan(steps.clone()));
            self.context.proposed.clone_from(&steps);
            self.plan.proposed = steps;
        }
    }

    /// Lets a summarizer sum up the looks that the next turn no longer shows whole.
    fn sum_up(&mut self, model: &mut dyn Model, host: &mut dyn Host) {
        for at in self.summed_up..self.context.older() {
            self.summed_up = at + 1;
            let Some(made) = self.context.exchanges.get(at) else { continue };
            if made.observation.is_error || made.observation.text.len() < summary::WORTH_BYTES {
                continue;
            }
            let question = summary::question(&self.context.goal, made);
            let answer = self.advice(Aide::Summarizer, &question, (&mut *model, &mut *host));
            let summary = answer.and_then(|answer| summary::read(&answer));
            self.context.summaries.extend(summary.map(|summary| (at, summary)));
        }
    }

    /// Hears another model's verdict on the looks so far; `Some` if the loop ends there.
    fn review_by_model(&mut self, model: &mut dyn Model, host: &mut dyn Host) -> Option<Phase> {
        let question = review::question(&self.context.goal, &self.plan.proposed, self.looks());
        let verdict = review::read(&self.advice(Aide::Reviewer, &question, (model, &mut *host))?)?;
        self.tell_progress(verdict.progress.min(ESTIMATE_MAX), host);
        let words = verdict.words();
        if !words.is_empty() {
            host.tell(&AgentEvent::Warning(format!("reviewer: {words}")));
            self.note(&format!("Note: a reviewer says: {words}."));
        }
        if verdict.pause {
            let what = format!("the reviewer asks before going on: {words}");
            let is_allowed = host.approve(&what);
            host.tell(&AgentEvent::Approval(what, is_allowed));
            if !is_allowed {
                return Some(Phase::Done(self.partial("the reviewer asked to stop")));
            }
        }
        if verdict.is_ready() {
            self.is_last_turn = true;
            self.note(&format!("Note: {words}. Enough was seen; write the final answer now."));
        }
        None
    }

    fn assess(&mut self, turn: Turn, host: &mut dyn Host) -> Phase {
        self.situation.elapsed = host.elapsed();
        self.situation.is_interrupted = host.is_interrupted();
        let decision = assess(&self.situation, &turn, &self.registry);
        match (decision, turn) {
            (_, Turn::Final { answer, command }) => Phase::Done(Finding { answer, command, cut_short: None }),
            (Decision::Ask, Turn::Question(question)) => Phase::Ask(question),
            (Decision::At(at), turn) => self.apply_breakpoint(at, turn, host),
            (_, turn) => Phase::Step(turn),
        }
    }

    /// Goes on at a breakpoint.
    fn apply_breakpoint(&mut self, at: &'static Breakpoint, turn: Turn, host: &mut dyn Host) -> Phase {
        let can_go_on = !self.is_last_turn;
        match at.then {
            Then::Pause => return Phase::Pause(at, turn),
            Then::SlowDown => {
                host.tell(&AgentEvent::Warning(at.why.clone()));
                self.note(&format!("Note: {}.", at.why));
                return Phase::Step(turn);
            }
            Then::Stuck if can_go_on && self.reflections == 0 => {
                self.reflections += 1;
                self.situation.stuck.reset();
                self.situation.failures = 0;
                let next = "Take a step back: what do you know, and what should happen next?";
                self.note(&format!("Note: {}. {next}", at.why));
            }
            Then::OutOfBudget | Then::Stuck if can_go_on => {
                self.is_last_turn = true;
                self.note(&format!("Note: {}. Write the final answer now, with what you have seen.", at.why));
            }
            Then::Stop | Then::Stuck | Then::OutOfBudget => return Phase::Done(self.partial(&at.why)),
        }
        host.tell(&AgentEvent::Warning(at.why.clone()));
        // Of several calls, the rest is not made either.
        if 0 < self.context.latest || !self.pending.is_empty() {
            let left: Vec<Turn> = iter::once(turn).chain(self.pending.drain(..)).collect();
            self.leave_out(left.into_iter(), &at.why, host);
        }
        Phase::Think
    }

    fn ask(&mut self, question: &str, host: &mut dyn Host) -> Phase {
        self.questions += 1;
        host.tell(&AgentEvent::Question(question.to_owned()));
        let answer = if self.questions <= QUESTIONS_MAX { host.ask(question) } else { None };
        let Some(answer) = answer else {
            let finding = self.partial("a question is open");
            return Phase::Done(Finding {
                answer: format!("{question} {}", finding.answer).trim().into(),
                ..finding
            });
        };
        self.context.session_facts.push(format!("{question} {answer}"));
        Phase::Think
    }

    fn pause(&mut self, at: &Breakpoint, turn: Turn, host: &mut dyn Host) -> Phase {
        let next = match &turn {
            Turn::Call { call, .. } => call.signature(),
            _ => "going on".to_owned(),
        };
        let what = format!("{}: {next}", at.why);
        let is_allowed = host.approve(&what);
        host.tell(&AgentEvent::Approval(what, is_allowed));
        if !is_allowed {
            return Phase::Done(self.partial(&at.why));
        }
        self.situation.momentum.reset();
        Phase::Step(turn)
    }

    /// Makes the call of a turn, and notes what came of it.
    fn step(&mut self, turn: Turn, host: &mut dyn Host) -> Phase {
        let (thought, call) = match turn {
            Turn::Call { thought, call } => (thought, call),
            Turn::Malformed(why) => {
                self.situation.malformed += 1;
                self.situation.failures += 1;
                self.situation.momentum.add(false);
                host.tell(&AgentEvent::Warning(why.clone()));
                self.note(&format!("Note: {why}."));
                return Phase::Think;
            }
            Turn::Question(_) | Turn::Final { .. } => return Phase::Think,
        };
        if !thought.is_empty() {
            host.tell(&AgentEvent::Thought(thought.clone()));
        }
        host.tell(&AgentEvent::ToolCall(call.clone()));
        self.plan.add(call.signature());
        let observation = self.allowed(&call, host).unwrap_or_else(|why| Observation::failed(&why));
        self.record(&call, &observation);
        host.tell(&AgentEvent::Observation(observation.clone()));
        self.tell_progress(self.plan.progress(false), host);
        let made = Exchange { thought, call, observation };
        host.keep(&made);
        self.context.exchanges.push(made);
        self.context.latest += 1;
        let by_rules = review::rule_note(&self.situation);
        // Rules first: another model is asked only where they have nothing to say.
        let is_due = self.is_review_due || self.looks().len().is_multiple_of(review::EVERY);
        self.is_review_due = by_rules.is_none() && is_due;
        self.note = self.note.take().or(by_rules);
        Phase::Think
    }

    /// Makes a call if tool, parameters, policy and the limit of the tool allow it.
    fn allowed(&self, call: &Call, host: &mut dyn Host) -> Result<Observation, String> {
        let tool = self.registry.check(call)?;
        let made = self.looks().iter().filter(|made| made.call.name == call.name).count();
        if tool.calls_max <= made {
            return Err(format!(
                "{} may be called {} times; use another tool or conclude",
                tool.name, tool.calls_max
            ));
        }
        let is_allowed = match host.permission(call) {
            Permission::Allow => true,
            Permission::Deny => {
                return Err(format!("{} is denied by the person's configuration", call.signature()));
            }
            Permission::Ask => {
                let is_allowed = host.approve(&call.signature());
                host.tell(&AgentEvent::Approval(call.signature(), is_allowed));
                is_allowed
            }
        };
        if is_allowed {
            Ok(host.look(call))
        } else {
            Err("the person did not allow it; look elsewhere".to_owned())
        }
    }

    fn record(&mut self, call: &Call, observation: &Observation) {
        let Situation { calls, failures, malformed, is_cut, momentum, stuck, .. } = &mut self.situation;
        let is_new = stuck.add(call, observation);
        *calls += 1;
        *malformed = 0;
        *failures = if observation.is_error { *failures + 1 } else { 0 };
        *is_cut = observation.is_cut;
        momentum.add(is_new);
        self.plan.end(!observation.is_error, &observation.headline);
    }

    /// Returns the best finding so far: what the looks showed, in short.
    fn partial(&self, why: &str) -> Finding {
        let seen = self.context.exchanges.iter().map(|made| &made.observation).filter(|seen| !seen.is_error);
        let mut headlines: Vec<&str> = Vec::new();
        for headline in seen.map(|seen| seen.headline.as_str()) {
            if !headlines.contains(&headline) {
                headlines.push(headline);
            }
        }
        Finding { answer: headlines.join("; "), command: None, cut_short: Some(why.to_owned()) }
    }

    fn end(&mut self, finding: Finding, host: &mut dyn Host) -> Finding {
        self.tell_progress(self.plan.progress(finding.cut_short.is_none()), host);
        host.tell(&AgentEvent::Final(finding.answer.clone()));
        finding
    }
}

#[cfg(test)]
mod tests;
