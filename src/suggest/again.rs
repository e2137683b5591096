//! An earlier suggestion that is shown again: its risk is what is true now.

use super::asked::Asked;
use super::{Request, guard};
use crate::clean::clean;
use crate::config::Config;
use crate::context::{self, Machine};
use crate::examine::Examiner;
use crate::failure::Failure;
use crate::knowledge::Knowledge;
use crate::line::LineText;
use crate::risk::{self, Risk};
use crate::surroundings::Surroundings;

/// A command that was suggested for a request, as it would be suggested now: the line, behind its guard where it needs one,
/// and how careful to be with it. No model is asked, and no program is started.
///
/// # Errors
/// [`Failure::Unclean`] when it may not reach a prompt line.
pub fn again(
    request: &Request<'_>,
    command: &str,
    machine: &Machine,
    config: &Config,
) -> Result<(LineText, Risk), Failure> {
    let context = context::gather(machine, request.shell, request.told);
    let knowledge = Knowledge::new(machine, &context, request.told, config.help);
    let examiner = Examiner { shell: request.shell, knowledge: &knowledge };
    // The line that the person saw may be behind a guard, where it does nothing.
    let bare = risk::unguarded(command, request.shell);
    let line = clean(bare.as_deref().unwrap_or(command), request.shell).map_err(Failure::Unclean)?.text;
    let said = Asked::of(request).ok().map(|asked| asked.said());
    let risk = examiner.risk(line.as_str(), said.as_deref(), &Surroundings::new(machine.host.as_ref()));
    Ok((guard(line, &risk, request.shell, config.guard), risk))
}
