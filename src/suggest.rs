//! The product's story: a request becomes a suggestion.

mod alternatives;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::check::Grade;
use crate::clean::clean;
use crate::config::{Config, Guard};
use crate::context::{self, Context, Machine};
use crate::examine::Examiner;
use crate::failure::Failure;
use crate::knowledge::Knowledge;
use crate::line::PromptLine;
use crate::model::Model;
use crate::patience::{Patience, Stage};
use crate::prompt::{self, Prompt, Solved};
use crate::refine::{self, Limits, Refined, Spent};
use crate::risk::{self, Label, Risk};
use crate::shell::Shell;
use crate::suggestion::{Suggestion, Timing};
use crate::surroundings::Surroundings;
use crate::typed;

pub use alternatives::alternatives;

/// After this time nothing more is asked of a model that has answered once.
const REFINE_TIME: Duration = Duration::from_secs(5);

/// What a shell asks for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What stands on the prompt line.
    pub line: &'a PromptLine,
    /// The shell to write for.
    pub shell: Shell,
    /// What the shell's script told besides the line, by name, such as `ZSH_VERSION`.
    pub told: &'a [(String, String)],
    /// What was asked and answered just before, when this request changes it.
    pub before: Option<&'a Solved>,
}

impl Request<'_> {
    /// What a model gets.
    fn prompt(&self, config: &Config, context: &Context) -> Prompt {
        let draft = prompt::draft(config.form, &self.line.text, self.shell, &system(context));
        self.before.map_or(draft.clone(), |before| draft.after(before))
    }

    /// All that the person said; the risk of an answer is held against it.
    fn said(&self) -> String {
        self.before.map_or_else(
            || self.line.text.clone(),
            |before| format!("{}\n{}", before.request, self.line.text),
        )
    }
}

/// Turns what stands on the prompt line into a command.
///
/// # Errors
/// A [`Failure`] says why there is no suggestion; anything else is unexpected. Either way the line stays as typed.
pub fn suggest(
    request: &Request<'_>,
    machine: &Machine,
    model: &mut dyn Model,
    config: &Config,
    patience: &Patience,
) -> anyhow::Result<Suggestion> {
    if request.line.text.trim().is_empty() {
        return Err(Failure::NoCommand("type what you want in your words first".into()).into());
    }
    let mut watch = Stopwatch::start();
    patience.enter(Stage::Starting, Instant::now());
    let context = context::gather(machine, request.shell, request.told);
    tracing::debug!("context {}", context.to_json());
    let knowledge = Arc::new(Knowledge::new(machine, &context, request.told, config.help));
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    let context_time = watch.lap();

    let refined = match typed(&request.line.text, &examiner) {
        Some(settled) => settled,
        None => {
            let prompt = request.prompt(config, &context);
            let limits =
                Limits { rounds: config.refine_rounds, time: REFINE_TIME, max_tokens: config.max_tokens };
            refine::run(prompt, model, &examiner, limits, patience)?
        }
    };
    let all = watch.total();
    let Spent { model: model_time, check: check_time } = refined.time;
    let check_time = if refined.rounds == 0 { all - context_time } else { check_time };
    let (source, fallback) = match refined.rounds {
        0 => ("checks".to_owned(), Vec::new()),
        _ => (model.source(), model.notes()),
    };
    let timing = Timing {
        context: context_time,
        retrieve: Duration::ZERO,
        model: model_time,
        check: check_time,
        total: all,
    };
    let asked = (0 < refined.rounds).then(|| request.said());
    let facts = Surroundings::new(machine.host.as_ref());
    let risk = examiner.risk(refined.best.command.text.as_str(), asked.as_deref(), &facts);
    let mut suggestion = told(request, refined, risk, source, timing, config.guard);
    suggestion.fallback = fallback;
    machine.later.add(Box::new(move |machine| {
        context.remember(machine);
        knowledge.remember();
    }));
    Ok(suggestion)
}

/// The system as prompts name it.
pub fn system(context: &Context) -> String {
    prompt::system_name(&context.system.os, context.userland)
}

/// What stands on the line is a command already: it is right as it is, or the checks mend it. None when a model must be
/// asked.
fn typed(line: &str, examiner: &Examiner<'_>) -> Option<Refined> {
    if !typed::is_command(line, &examiner.parse(line), examiner.knowledge) {
        return None;
    }
    let cleaned = clean(line, examiner.shell).ok()?;
    let best = refine::look_over(cleaned, examiner, None);
    let right = best.report.findings.is_empty() && 0 < best.report.flags_verified;
    right.then(|| Refined { best, others: Vec::new(), rounds: 0, time: Spent::default() })
}

/// The suggestion for people and scripts.
fn told(
    request: &Request<'_>,
    refined: Refined,
    risk: Risk,
    source: String,
    timing: Timing,
    guard: Guard,
) -> Suggestion {
    let Refined { best, others, rounds, .. } = refined;
    let confidence = refine::confidence(&best);
    let checks = refine::checks(&best.report);
    let mut changes = [best.command.changes, best.command.warnings, best.repairs].concat();
    if 0 < rounds && prompt::is_cut(&request.line.text) {
        changes.push(format!("only the first {} characters were read", prompt::REQUEST_CHARS_MAX));
    }
    let mut open: Vec<_> =
        best.report.findings.into_iter().filter(|finding| finding.grade < Grade::Hint).collect();
    open.sort_by_key(|finding| finding.grade);
    let mut command = best.command.text;
    if guard == Guard::Comment && risk.label == Label::Dangerous {
        // What can't be guarded stays as it is, with its label.
        if let Ok(guarded) = clean(&risk::guarded(command.as_str(), request.shell), request.shell) {
            command = guarded.text;
        }
    }
    Suggestion {
        command,
        risk,
        changes,
        alternatives: others.into_iter().map(|other| other.command.text).collect(),
        checks,
        open: open.into_iter().map(|finding| finding.text).collect(),
        confidence,
        fallback: Vec::new(),
        rounds,
        source,
        timing,
    }
}

/// Time from lap to lap.
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
