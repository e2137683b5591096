//! The product's story: a request becomes a suggestion.

mod again;
mod alternatives;
mod asked;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::check::{Grade, Kind};
use crate::clean::clean;
use crate::config::{Config, Guard};
use crate::context::{self, Context, Machine};
use crate::examine::Examiner;
use crate::knowledge::Knowledge;
use crate::line::{LineText, PromptLine};
use crate::model::Model;
use crate::patience::{Patience, Stage};
use crate::prompt::{self, Prompt, Solved};
use crate::refine::{self, Limits, Refined, Spent};
use crate::risk::{self, Label, Risk};
use crate::shell::Shell;
use crate::suggestion::{Suggestion, Timing};
use crate::surroundings::Surroundings;

pub use again::again;
pub use alternatives::alternatives;
use asked::Asked;

/// After this time nothing more is asked of a model that has answered once.
const REFINE_TIME: Duration = Duration::from_secs(8);

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

/// Turns what stands on the prompt line into a command.
///
/// # Errors
/// A [`crate::failure::Failure`] says why there is no suggestion; anything else is unexpected. Either way the line stays as typed.
pub fn suggest(
    request: &Request<'_>,
    machine: &Machine,
    model: &mut dyn Model,
    config: &Config,
    patience: &Patience,
) -> anyhow::Result<Suggestion> {
    let asked = Asked::of(request)?;
    let mut watch = Stopwatch::start();
    patience.enter(Stage::Starting, Instant::now());
    let context = context::gather(machine, request.shell, request.told);
    tracing::debug!("context {}", context.to_json());
    let knowledge = Arc::new(Knowledge::new(machine, &context, request.told, config.help));
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    let context_time = watch.lap();

    let mut retrieve_time = Duration::ZERO;
    let refined = match asked.settled(&examiner) {
        Some(settled) => settled,
        None => {
            let prompt = asked.prompt(config, machine, &context, &knowledge);
            retrieve_time = watch.lap();
            let limits =
                Limits { rounds: config.refine_rounds, time: REFINE_TIME, max_tokens: config.max_tokens };
            asked.worth(refine::run(prompt, model, &examiner, limits, patience)?)?
        }
    };
    let all = watch.total();
    let Spent { model: model_time, check: check_time } = refined.time;
    let check_time = if refined.rounds == 0 { all - context_time } else { check_time };
    let (source, fallback) = match refined.best.writer.clone() {
        Some(writer) => (writer.source, writer.notes),
        None => ("checks".to_owned(), Vec::new()),
    };
    let timing = Timing {
        context: context_time,
        retrieve: retrieve_time,
        model: model_time,
        check: check_time,
        total: all,
    };
    let said = (0 < refined.rounds).then(|| asked.said());
    let facts = Surroundings::new(machine.host.as_ref());
    let risk = examiner.risk(refined.best.command.text.as_str(), said.as_deref(), &facts);
    let mut suggestion = told(request, refined, risk, source, timing, config.guard);
    suggestion.changes.splice(..0, asked.about());
    suggestion.fallback = fallback;
    machine.later.add(Box::new(move |machine| {
        context.remember(machine);
        knowledge.remember();
    }));
    Ok(suggestion)
}

/// The prompt that a model would get for a request; none is asked.
///
/// # Errors
/// When there is no request.
pub fn prompt_for(request: &Request<'_>, machine: &Machine, config: &Config) -> anyhow::Result<Prompt> {
    let asked = Asked::of(request)?;
    let context = context::gather(machine, request.shell, request.told);
    let knowledge = Knowledge::new(machine, &context, request.told, config.help);
    let prompt = asked.prompt(config, machine, &context, &knowledge);
    knowledge.remember();
    Ok(prompt)
}

/// The system as prompts name it.
pub fn system(context: &Context) -> String {
    prompt::system_name(&context.system.os, context.userland)
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
    Suggestion {
        command: self::guard(best.command.text, &risk, request.shell, guard),
        risk,
        changes,
        alternatives: others.into_iter().map(|other| other.command.text).collect(),
        checks,
        open: open
            .into_iter()
            .map(|finding| match finding.kind {
                // People may know what their files hold.
                Kind::Column => format!("{}; {}", finding.text, finding.evidence),
                _ => finding.text,
            })
            .collect(),
        confidence,
        fallback: Vec::new(),
        rounds,
        source,
        timing,
    }
}

/// The line, behind a guard where its risk asks for that. What can't be guarded stays as it is, with its label.
fn guard(line: LineText, risk: &Risk, shell: Shell, guard: Guard) -> LineText {
    if guard != Guard::Comment || risk.label != Label::Dangerous {
        return line;
    }
    clean(&risk::guarded(line.as_str(), shell), shell).map_or(line, |guarded| guarded.text)
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
