//! What a person asks: words, words that change the request before, or an empty line after a command that failed.

use super::{Request, system};
use crate::clean::clean;
use crate::config::Config;
use crate::context::{Context, Machine};
use crate::examine::Examiner;
use crate::failure::Failure;
use crate::fix::Failed;
use crate::knowledge::Knowledge;
use crate::prompt::{self, Prompt, Situation, Solved};
use crate::refine::{self, Refined, Spent};
use crate::shell::Shell;
use crate::situation;
use crate::typed;

/// Most characters of a command that are told again.
const ABOUT_CHARS_MAX: usize = 60;

/// A request in words.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    request: &'a Request<'a>,
    /// The command to put right, where the line is empty.
    failed: Option<Failed>,
    /// What to look for.
    words: String,
}

impl<'a> Asked<'a> {
    /// What a request comes to.
    ///
    /// # Errors
    /// When there is nothing to do: no words, and no command that failed.
    pub(super) fn of(request: &'a Request<'a>) -> Result<Self, Failure> {
        let text = &request.line.text;
        if !text.trim().is_empty() {
            return Ok(Self { request, failed: None, words: text.clone() });
        }
        let failed = Failed::of(request.told)
            .ok_or_else(|| Failure::NoCommand("type what you want in your words first".into()))?;
        Ok(Self { request, words: failed.request(), failed: Some(failed) })
    }

    /// The answer where the checks alone have it; none when a model must be asked.
    pub(super) fn settled(&self, examiner: &Examiner<'_>) -> Option<Refined> {
        match &self.failed {
            Some(failed) => failed.mended(examiner),
            None => already_right(&self.words, examiner),
        }
    }

    /// What a model gets.
    pub(super) fn prompt(
        &self,
        config: &Config,
        machine: &Machine,
        context: &Context,
        knowledge: &Knowledge,
    ) -> Prompt {
        let Request { shell, told, before, .. } = *self.request;
        let situation = match &self.failed {
            Some(failed) => failed.situation(config, machine, context, told),
            None => situation::gather(Situation::new(config.told), machine.host.as_ref(), context, told),
        };
        let draft = prompt::draft(config.form, &self.words, shell, &system(context)).within(situation);
        let draft = if config.retrieve { draft.like(self.like(knowledge)) } else { draft };
        before.map_or(draft.clone(), |before| draft.after(before))
    }

    /// Solved requests that are like this one, from what the shell documents of its commands; none for a command that failed.
    fn like(&self, knowledge: &Knowledge) -> Vec<Solved> {
        let commands = if self.failed.is_some() { None } else { knowledge.all_commands() };
        commands.map(|commands| commands.examples(&self.words)).unwrap_or_default()
    }

    /// The answers that are worth showing.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn worth(&self, refined: Refined) -> Result<Refined, Failure> {
        self.failed.as_ref().map_or(Ok(refined.clone()), |failed| failed.another(refined))
    }

    /// Which command is put right, where that may not be the last one: bash tells what it keeps, and leaves out what
    /// `HISTCONTROL` says, such as a command behind a blank.
    pub(super) fn about(&self) -> Option<String> {
        let failed = self.failed.as_ref().filter(|_| self.request.shell == Shell::Bash)?;
        let mut command: String = failed.command.chars().take(ABOUT_CHARS_MAX).collect();
        if command.len() < failed.command.len() {
            command.push('…');
        }
        Some(format!("for {command}"))
    }

    /// All that the person said. Nothing that was read on the machine is among it.
    pub(super) fn said(&self) -> String {
        let before = self.request.before.map(|before| format!("{}\n", before.request));
        before.unwrap_or_default() + &self.words
    }
}

/// What stands on the line is a command already: it is right as it is, or the checks mend it.
fn already_right(line: &str, examiner: &Examiner<'_>) -> Option<Refined> {
    if !typed::is_command(line, &examiner.parse(line), examiner.knowledge) {
        return None;
    }
    let cleaned = clean(line, examiner.shell).ok()?;
    let best = refine::look_over(cleaned, examiner, None);
    let right = best.report.findings.is_empty() && 0 < best.report.flags_verified;
    right.then(|| Refined { best, others: Vec::new(), rounds: 0, time: Spent::default() })
}
