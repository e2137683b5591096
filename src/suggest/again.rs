//! Showing an earlier suggestion again, with its risk judged anew.

use super::english_request::EnglishRequest;
use super::{Request, guard};
use crate::config::Config;
use crate::environment::{self, Machine};
use crate::examine::Examiner;
use crate::knowledge::Knowledge;
use crate::path_facts::PathFacts;
use askline_model::failure::Failure;
use askline_risk as risk;
use askline_risk::Risk;
use askline_syntax::ParsedLine;
use askline_syntax::line::LineText;

/// Returns an earlier suggestion as it would be suggested now: the line, guarded if needed, and its current risk.
/// Asks no model and starts no program.
///
/// # Errors
/// [`Failure::Unclean`] when the command may not reach a prompt line.
pub fn again(
    request: &Request<'_>,
    command: &str,
    machine: &Machine,
    config: &Config,
) -> Result<(LineText, Risk), Failure> {
    let environment = environment::gather(machine, request.shell, request.facts);
    let knowledge = Knowledge::new(machine, &environment, request.facts, config.help);
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    // The line that the user saw may have a guard in front, which disables it.
    let bare = risk::unguarded(command, request.shell);
    let line = examiner.clean(bare.as_deref().unwrap_or(command)).map_err(Failure::Unclean)?.text;
    let said =
        EnglishRequest::of(request).ok().map(|english_request| english_request.request_text(&examiner));
    let parsed = ParsedLine::new(line.as_str(), request.shell);
    let risk = examiner.risk(&parsed, said.as_deref(), &PathFacts::new(machine.host.as_ref()));
    Ok((guard(line, &risk, request.shell, config.guard), risk))
}
