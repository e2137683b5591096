//! Further suggestions for a request that was already answered.

use std::time::Duration;

use super::asked::Asked;
use super::{Request, told};
use crate::config::Config;
use crate::context::{self, Machine};
use crate::examine::Examiner;
use crate::knowledge::Knowledge;
use crate::refine::{self, Refined};
use crate::suggestion::{Suggestion, Timing};
use crate::surroundings::Surroundings;
use askline_model::Model;
use askline_model::patience::Patience;

/// Returns suggestions other than the `known` ones for a request, each checked and labelled, best first.
///
/// # Errors
/// As [`super::suggest`].
pub fn alternatives(
    request: &Request<'_>,
    known: &[String],
    machine: &Machine,
    model: &mut dyn Model,
    config: &Config,
    patience: &Patience,
) -> anyhow::Result<Vec<Suggestion>> {
    let asked = Asked::of(request)?;
    let context = context::gather(machine, request.shell, request.told);
    let knowledge = Knowledge::new(machine, &context, request.told, config.help);
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    let prompt = asked.prompt(config, machine, &context, &knowledge);
    let found = refine::others(&prompt, model, &examiner, known, config.max_tokens, patience)?;
    let facts = Surroundings::new(machine.host.as_ref());
    let Refined { best, others, rounds, time } = found;
    let total = time.model + time.check;
    let timing = Timing {
        context: Duration::ZERO,
        retrieve: Duration::ZERO,
        model: time.model,
        check: time.check,
        total,
    };
    let suggestions = std::iter::once(best).chain(others).map(|best| {
        let risk = examiner.risk(best.command.text.as_str(), Some(&asked.said()), &facts);
        let alone = Refined { best, others: Vec::new(), rounds, time };
        let mut suggestion = told(request, alone, risk, model.source(), timing, config.guard);
        suggestion.changes.splice(..0, asked.about());
        suggestion
    });
    Ok(suggestions.collect())
}
