//! Kinds of requests: words, words that change the previous request, or an empty prompt line after a failed command.

use super::{REFINE_TIME, Request, system};
use crate::config::Config;
use crate::environment::{Environment, Machine};
use crate::examine::Examiner;
use crate::fix::Failed;
use crate::prompt_context;
use crate::refine::{self, Limits, Refined, Spent};
use askline_check::typed;
use askline_model::failure::Failure;
use askline_model::prompt;
use askline_model::prompt::{Prompt, PromptContext};

/// Maximum length in characters of a failed command when it is quoted back.
const ABOUT_CHARS_MAX: usize = 60;

/// A request in words.
#[derive(Debug)]
pub(super) struct EnglishRequest<'a> {
    request: &'a Request<'a>,
    /// The failed command to correct, if the prompt line is empty.
    failed: Option<Failed>,
    /// The request in words.
    words: String,
}

impl<'a> EnglishRequest<'a> {
    /// Reads a request.
    ///
    /// # Errors
    /// When there is nothing to do: no words and no failed command.
    pub(super) fn of(request: &'a Request<'a>) -> Result<Self, Failure> {
        let text = &request.line.text;
        if !text.trim().is_empty() {
            return Ok(Self { request, failed: None, words: text.clone() });
        }
        let failed = Failed::of(request.facts)
            .ok_or_else(|| Failure::NoCommand("type what you want in your words first".into()))?;
        Ok(Self { request, words: failed.request(), failed: Some(failed) })
    }

    /// Returns the answer if the checks alone find it; `None` if a model must be asked.
    pub(super) fn answer_without_model(&self, examiner: &Examiner<'_>) -> Option<Refined> {
        match &self.failed {
            Some(failed) => failed.repaired(examiner),
            None => already_right(&self.words, examiner),
        }
    }

    /// Builds the model's prompt.
    pub(super) fn prompt(&self, config: &Config, machine: &Machine, environment: &Environment) -> Prompt {
        let Request { shell, facts, before, .. } = *self.request;
        let prompt_context = match &self.failed {
            Some(failed) => failed.prompt_context(config, machine, environment, facts),
            None => prompt_context::gather(
                PromptContext::new(config.disclosure),
                machine.host.as_ref(),
                environment,
                facts,
            ),
        };
        let draft =
            prompt::draft(config.form, &self.words, shell, &system(environment)).within(prompt_context);
        before.map_or(draft.clone(), |before| draft.after(before))
    }

    /// Returns the answers, without one that repeats the failed command.
    ///
    /// # Errors
    /// When there are none.
    pub(super) fn reject_repeat(&self, refined: Refined) -> Result<Refined, Failure> {
        self.failed.as_ref().map_or(Ok(refined.clone()), |failed| failed.another(refined))
    }

    /// Returns a note that names the corrected command if it may not be the last one: bash passes the last command of
    /// its history, which omits what `HISTCONTROL` excludes, such as a command with a leading blank.
    pub(super) fn about(&self) -> Option<String> {
        let failed = self.failed.as_ref().filter(|_| self.request.shell.dialect().may_omit_commands)?;
        let mut command: String = failed.command.chars().take(ABOUT_CHARS_MAX).collect();
        if command.len() < failed.command.len() {
            command.push('…');
        }
        Some(format!("for {command}"))
    }

    /// Returns the limits for the model's answers, with the words that they must agree with.
    pub(super) fn limits(&self, config: &Config) -> Limits<'_> {
        Limits {
            // A failed command is no description of what is wanted.
            request: self.failed.is_none().then_some(self.words.as_str()),
            rounds: config.refine_rounds,
            time: REFINE_TIME,
            max_tokens: config.max_tokens,
        }
    }

    /// Returns everything that the user wrote, and nothing that was read on the machine.
    pub(super) fn request_text(&self) -> String {
        let before = self.request.before.map(|before| format!("{}\n", before.request));
        before.unwrap_or_default() + &self.words
    }
}

/// Returns the answer for a prompt line that is already a correct command.
fn already_right(line: &str, examiner: &Examiner<'_>) -> Option<Refined> {
    if !typed::is_command(&examiner.parse(line), examiner.knowledge) {
        return None;
    }
    let cleaned = examiner.clean(line).ok()?;
    let best = refine::look_over(cleaned, examiner, None);
    let right = best.report.findings.is_empty() && 0 < best.report.flags_verified;
    right.then(|| Refined { best, alternatives: Vec::new(), rounds: 0, time: Spent::default() })
}
