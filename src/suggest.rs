//! The product's story: a request becomes a suggestion.

use std::time::Instant;

use crate::answer::{self, Answer};
use crate::clean::clean;
use crate::config::Config;
use crate::host::Host;
use crate::line::PromptLine;
use crate::model::Model;
use crate::patience::{Patience, Stage};
use crate::prompt;
use crate::shell::Shell;
use crate::suggestion::{Failure, Suggestion, Timing};

/// Turns what stands on the prompt line into a command for `shell`.
///
/// # Errors
/// A [`Failure`] says why there is no suggestion; anything else is unexpected. Either way the line stays as typed.
pub fn suggest(
    line: &PromptLine,
    shell: Shell,
    _host: &dyn Host,
    model: &mut dyn Model,
    config: &Config,
    patience: &Patience,
) -> anyhow::Result<Suggestion> {
    let started = Instant::now();
    let prompt = prompt::draft(&line.text, shell);
    patience.enter(Stage::Thinking);
    let reply = model.complete(&prompt, config.max_tokens, patience)?;
    let answered = Instant::now();
    let mut commands = match answer::extract(&reply.text, shell) {
        Answer::Commands(commands) => commands.into_iter(),
        Answer::Words(words) => return Err(Failure::NoCommand(words).into()),
        Answer::Nothing => {
            return Err(Failure::NoCommand("the model gave no answer; say it in other words".into()).into());
        }
    };
    let first = commands.next().expect("an answer with commands has one");
    let cleaned = clean(&first).map_err(Failure::Unclean)?;
    Ok(Suggestion {
        command: cleaned.text,
        changes: [cleaned.changes, cleaned.warnings].concat(),
        alternatives: commands
            .filter_map(|command| clean(&command).ok())
            .map(|cleaned| cleaned.text)
            .collect(),
        rounds: 1,
        source: model.source(),
        timing: Timing {
            model: answered - started,
            check: answered.elapsed(),
            total: started.elapsed(),
            ..Timing::default()
        },
    })
}
