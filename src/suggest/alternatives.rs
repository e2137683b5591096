//! Further suggestions for a request that was already answered.

use std::time::Duration;

use super::english_request::EnglishRequest;
use super::{Request, build_suggestion, question, risk_of};
use crate::config::Config;
use crate::environment::{self, Machine};
use crate::examine::Examiner;
use crate::knowledge::Knowledge;
use crate::path_facts::PathFacts;
use crate::refine::{self, Refined};
use crate::suggestion::{Suggestion, Timing};
use askline_model::Model;
use askline_model::failure::Failure;
use askline_model::prompt::disclosure::FactKind;
use askline_model::request_control::RequestControl;

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
    control: &RequestControl,
) -> anyhow::Result<Vec<Suggestion>> {
    if config.remotes.named_in(&request.line.text).is_some() {
        return Err(
            Failure::NoCommand("there are no other suggestions for another machine".to_owned()).into()
        );
    }
    let english_request = EnglishRequest::of(request)?;
    let environment = environment::gather(machine, request.shell, request.facts);
    let knowledge = Knowledge::new(machine, &environment, request.facts, config.help);
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    let may_tell = config.disclosure.allows(FactKind::Contents, model.audience());
    let english_request = english_request.on(&examiner).about_file(may_tell, &examiner);
    let prompt = english_request.prompt(config, machine, &environment, &examiner);
    let found = refine::alternatives(
        &prompt,
        model,
        &examiner,
        known,
        english_request.limits(config, &examiner),
        control,
    )?;
    let facts = PathFacts::new(machine.host.as_ref());
    let Refined { best, alternatives, rounds, time } = found;
    let total = time.model + time.check;
    let timing = Timing {
        context: Duration::ZERO,
        retrieve: Duration::ZERO,
        model: time.model,
        check: time.check,
        total,
    };
    let words = english_request.request_text(&examiner);
    let is_wanted = |found: &refine::Candidate| {
        let is_kept = english_request
            .half_typed()
            .is_none_or(|half_typed| super::half_typed::is_kept(half_typed, found));
        is_kept && !(english_request.is_question() && question::ends_shell(&found.line))
    };
    let suggestions = std::iter::once(best).chain(alternatives).filter(is_wanted).map(|best| {
        let risk = risk_of(&best, Some(&words), &examiner, &facts);
        let alone = Refined { best, alternatives: Vec::new(), rounds, time };
        let mut suggestion = build_suggestion(request, alone, risk, model.source(), timing, config.guard);
        let about = english_request.about(suggestion.command.as_str(), &mut suggestion.changes);
        suggestion.changes.splice(..0, about);
        suggestion
    });
    Ok(suggestions.collect())
}
