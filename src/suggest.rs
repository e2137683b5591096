//! The main flow: turns a request into a suggestion.

mod again;
mod alternatives;
mod english_request;
mod half_typed;
mod question;
mod remote;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::{Config, Guard};
use crate::environment::{self, Environment, Machine};
use crate::examine::Examiner;
use crate::knowledge::Knowledge;
use crate::path_facts::PathFacts;
use crate::preview::no_effect;
use crate::refine::{self, Candidate, Refined, Spent};
use crate::shell_facts::ShellFacts;
use crate::suggestion::{Suggestion, Timing};
use askline_check::finding::{FindingKind, Severity};
use askline_model::Model;
use askline_model::failure::Failure;
use askline_model::prompt;
use askline_model::prompt::disclosure::FactKind;
use askline_model::prompt::{Prompt, Solved};
use askline_model::request_control::{RequestControl, Stage};
use askline_risk as risk;
use askline_risk::{Label, Risk};
use askline_syntax::clean::clean_made_of;
use askline_syntax::line::{LineText, PromptLine};
use askline_syntax::shell::Shell;

pub use again::again;
pub use alternatives::alternatives;
use english_request::EnglishRequest;
pub use question::{asks_why, wants_words};

/// Time limit after which a model that has answered once is not asked again.
const REFINE_TIME: Duration = Duration::from_secs(8);

/// A request from a shell.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Content of the prompt line.
    pub line: &'a PromptLine,
    /// Shell to write the command for.
    pub shell: Shell,
    /// Facts that the shell's script passes besides the prompt line.
    pub facts: &'a ShellFacts,
    /// Previous request and its answer, when this request changes it. An empty request stands for a command that the user ran: no
    /// model is told of it.
    pub before: Option<&'a Solved>,
    /// What an investigation has seen for this request, a label and lines each: data for the model, never the user's words.
    pub seen: &'a [(&'static str, String)],
    /// `true` if a line is wanted even where no single command seems to do what is asked.
    pub insists: bool,
}

impl<'a> Request<'a> {
    /// Creates a request that stands alone.
    pub fn new(line: &'a PromptLine, shell: Shell, facts: &'a ShellFacts) -> Self {
        Self { line, shell, facts, before: None, seen: &[], insists: false }
    }
}

/// Turns the content of the prompt line into a command.
///
/// # Errors
/// A [`askline_model::failure::Failure`] with the reason why there is no suggestion; any other error is unexpected. In both
/// cases the prompt line stays as typed.
pub fn suggest(
    request: &Request<'_>,
    machine: &Machine,
    model: &mut dyn Model,
    config: &Config,
    control: &RequestControl,
) -> anyhow::Result<Suggestion> {
    if let Some(named) = config.remotes.named_in(&request.line.text) {
        return remote::suggest(named, request, machine, model, config, control);
    }
    let english_request = EnglishRequest::of(request)?;
    let mut watch = Stopwatch::start();
    control.enter(Stage::Starting, Instant::now());
    let environment = environment::gather(machine, request.shell, request.facts);
    tracing::debug!("environment {}", environment.to_json());
    let knowledge = Arc::new(Knowledge::new(machine, &environment, request.facts, config.help));
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    let may_tell = config.disclosure.allows(FactKind::Contents, model.audience());
    let english_request = english_request.on(&examiner).about_file(may_tell, &examiner);
    let environment_time = watch.lap();
    let answer_question = |model: &mut dyn Model| {
        let (words, system) = (&request.line.text, system(&environment));
        question::answer(words, &system, &examiner, model, config.max_tokens, control)
    };
    if english_request.wants_words(&examiner) {
        return Err(Failure::NoCommand(answer_question(model)?).into());
    }
    if english_request.exceeds_command(&examiner) {
        return Err(Failure::Declined.into());
    }

    let mut prompt_time = Duration::ZERO;
    let refined = match english_request.answer_without_model(config, machine, &environment, &examiner) {
        Some(answer) => answer,
        None => {
            english_request.may_be_mended()?;
            let prompt = english_request.prompt(config, machine, &environment, &examiner);
            prompt_time = watch.lap();
            let limits = english_request.limits(config, &examiner);
            refine::run(prompt, model, &examiner, limits, control)
                .and_then(|refined| Ok(english_request.accept(refined)?))
                .map_err(|error| english_request.with_why(error))?
        }
    };
    if english_request.is_question() && question::ends_shell(&refined.best.line) {
        return Err(Failure::NoCommand(answer_question(model)?).into());
    }
    let all = watch.total();
    let Spent { model: model_time, check: check_time } = refined.time;
    let check_time = if refined.rounds == 0 { all - environment_time } else { check_time };
    let (source, fallback) = match refined.best.writer.clone() {
        Some(writer) => (writer.source, writer.notes),
        None => ("checks".to_owned(), Vec::new()),
    };
    let timing = Timing {
        context: environment_time,
        retrieve: prompt_time,
        model: model_time,
        check: check_time,
        total: all,
    };
    let is_asked = 0 < refined.rounds || english_request.goes_on();
    let words = is_asked.then(|| english_request.request_text(&examiner));
    let facts = PathFacts::new(machine.host.as_ref());
    let risk = risk_of(&refined.best, words.as_deref(), &examiner, &facts);
    let no_effect = (words.is_some() && Label::Confirm <= risk.label && risk.destroys())
        .then(|| no_effect(&refined.best.line, request.facts, environment.userland, machine.host.as_ref()));
    let mut suggestion = build_suggestion(request, refined, risk, source, timing, config.guard);
    suggestion.open.extend(no_effect.flatten().map(str::to_owned));
    let about = english_request.about(suggestion.command.as_str(), &mut suggestion.changes);
    suggestion.changes.splice(..0, about);
    suggestion.fallback = fallback;
    machine.later.add(Box::new(move |machine| {
        environment.remember(machine);
        knowledge.remember();
    }));
    Ok(suggestion)
}

/// Returns the prompt that a model would get for a request, without asking one.
///
/// # Errors
/// When there is no request.
pub fn prompt_for(request: &Request<'_>, machine: &Machine, config: &Config) -> anyhow::Result<Prompt> {
    let english_request = EnglishRequest::of(request)?;
    let environment = environment::gather(machine, request.shell, request.facts);
    let knowledge = Knowledge::new(machine, &environment, request.facts, config.help);
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    let may_tell = config.disclosure.is_on(FactKind::Contents);
    let english_request = english_request.on(&examiner).about_file(may_tell, &examiner);
    Ok(english_request.prompt(config, machine, &environment, &examiner))
}

/// Returns the name of the system as used in prompts.
pub fn system(environment: &Environment) -> String {
    prompt::system_name(&environment.system.os, environment.userland)
}

/// Returns the suggestion to show to people and scripts.
fn build_suggestion(
    request: &Request<'_>,
    refined: Refined,
    risk: Risk,
    source: String,
    timing: Timing,
    guard: Guard,
) -> Suggestion {
    let Refined { best, alternatives, rounds, .. } = refined;
    let (confidence, is_unsure) = (refine::confidence(&best), refine::is_unsure(&best));
    let checks = refine::checks(&best.report);
    let mut changes = [best.command.changes, best.command.warnings, best.repairs].concat();
    if 0 < rounds && prompt::is_cut(&request.line.text) {
        changes.push(format!("only the first {} characters were read", prompt::REQUEST_CHARS_MAX));
    }
    let mut open: Vec<_> =
        best.report.findings.into_iter().filter(|finding| finding.grade < Severity::Hint).collect();
    open.sort_by_key(|finding| finding.grade);
    Suggestion {
        command: self::guard(best.command.text, &risk, request.shell, guard),
        risk,
        changes,
        alternatives: alternatives.into_iter().map(|other| other.command.text).collect(),
        checks,
        open: open
            .into_iter()
            .map(|finding| match finding.kind {
                // Users may see the names in their own files.
                FindingKind::Column
                | FindingKind::Here
                | FindingKind::Preference
                | FindingKind::RefMissing
                    if !finding.evidence.is_empty() =>
                {
                    format!("{}; {}", finding.text, finding.evidence)
                }
                _ => finding.text,
            })
            .collect(),
        confidence,
        is_unsure,
        fallback: Vec::new(),
        rounds,
        source,
        timing,
    }
}

/// Judges a command. A destructive one that does not agree with the request is dangerous, whatever it destroys.
fn risk_of(best: &Candidate, request: Option<&str>, examiner: &Examiner<'_>, facts: &PathFacts<'_>) -> Risk {
    let mut risk = examiner.risk(&best.line, request, facts);
    if let Some(open) = best.report.findings.iter().find(|finding| finding.kind == FindingKind::Intent) {
        risk.doubt(&open.text);
    }
    risk
}

/// Puts a dangerous line behind a guard if the configuration asks for it. A line that cannot be guarded stays as it
/// is and keeps its label.
fn guard(line: LineText, risk: &Risk, shell: Shell, guard: Guard) -> LineText {
    if guard != Guard::Comment || risk.label != Label::Dangerous {
        return line;
    }
    clean_made_of(&risk::guarded(line.as_str(), shell), shell, &line).map_or(line, |guarded| guarded.text)
}

/// A stopwatch with laps.
struct Stopwatch {
    started: Instant,
    lap: Instant,
}

impl Stopwatch {
    fn start() -> Self {
        let now = Instant::now();
        Self { started: now, lap: now }
    }

    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.lap, now)
    }

    fn total(&self) -> Duration {
        self.started.elapsed()
    }
}
