//! The product's story: a request becomes a suggestion.

use std::thread;
use std::time::{Duration, Instant};

use crate::answer::{self, Answer};
use crate::clean::{Cleaned, clean};
use crate::config::Config;
use crate::context::{self, Context, Machine};
use crate::line::PromptLine;
use crate::model::Model;
use crate::patience::{Patience, Stage};
use crate::prompt;
use crate::shell::Shell;
use crate::suggestion::{Failure, Suggestion, Timing};

/// What a shell asks for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What stands on the prompt line.
    pub line: &'a PromptLine,
    /// The shell to write for.
    pub shell: Shell,
    /// What the shell's script told besides the line, by name, such as `ZSH_VERSION`.
    pub told: &'a [(String, String)],
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
    let context_time = watch.lap();

    let prompt =
        prompt::draft(prompt::Form::Completion, &request.line.text, request.shell, &system(&context));
    // Beside the model, which makes the person wait anyhow; nobody waits for this.
    let (scanned, kept_for) = (context, machine.clone());
    thread::spawn(move || scanned.remember(&kept_for));
    let reply = model.complete(&prompt, config.max_tokens, patience)?;
    tracing::debug!(usage = ?reply.usage, "the model said {:?}", reply.text);
    let model_time = watch.lap();

    let commands = match answer::extract(&reply.text, request.shell) {
        Answer::Commands(commands) => commands,
        Answer::Words(words) => return Err(Failure::NoCommand(words).into()),
        Answer::Nothing => {
            return Err(Failure::NoCommand("the model gave no answer; say it in other words".into()).into());
        }
    };
    let (best, others) = first_clean(&commands, request.shell)?;
    let check_time = watch.lap();

    let mut changes = [best.changes, best.warnings].concat();
    if prompt::is_cut(&request.line.text) {
        changes.push(format!("only the first {} characters were read", prompt::REQUEST_CHARS_MAX));
    }
    Ok(Suggestion {
        command: best.text,
        changes,
        alternatives: others.into_iter().map(|other| other.text).collect(),
        rounds: 1,
        source: model.source(),
        timing: Timing {
            context: context_time,
            retrieve: Duration::ZERO,
            model: model_time,
            check: check_time,
            total: watch.total(),
        },
    })
}

/// The system as prompts name it.
pub fn system(context: &Context) -> String {
    prompt::system_name(&context.system.os, context.userland)
}

/// The first command that may reach a prompt line, and the others that may.
fn first_clean(commands: &[String], shell: Shell) -> Result<(Cleaned, Vec<Cleaned>), Failure> {
    let (clean, refused): (Vec<_>, Vec<_>) =
        commands.iter().map(|command| clean(command, shell)).partition(Result::is_ok);
    let mut clean = clean.into_iter().flatten();
    match clean.next() {
        Some(best) => Ok((best, clean.collect())),
        None => Err(Failure::Unclean(refused.into_iter().find_map(Result::err).unwrap_or_default())),
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
