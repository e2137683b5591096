//! The wait of `askline line` for entry points inside another process: it answers the caller instead of a script, and
//! leaves the signals of the process alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{TYPING, TerminalSession, Worker, terminal};
use crate::cli::args::Draw;
use crate::config::Evidence;
use crate::suggestion::Suggestion;
use askline_host::Host;
use askline_model::request_control::RequestControl;

/// Waits for `work` with a status row on the controlling terminal; Esc, Ctrl-C and Ctrl-G cancel. The terminal is
/// restored without type-ahead; if it is not available, there is no answer. Returns the suggestion with a message for
/// the user, which has at most three rows and is often empty.
///
/// # Errors
/// The error of `work`; [`askline_model::failure::Failure::Cancelled`] when the user cancelled or typed into a terminal that
/// is not ours.
pub fn run_session(
    host: &dyn Host,
    draw: Draw,
    control: &RequestControl,
    evidence: Evidence,
    work: impl FnOnce() -> anyhow::Result<Suggestion> + Send + 'static,
) -> anyhow::Result<(Suggestion, String)> {
    let started = Instant::now();
    let mut session = TerminalSession::new(draw, host, Arc::default());
    let worker = Worker::start(work);
    let answer = worker.and_then(|worker| session.wait(&worker, control, started));
    let message = answer.as_ref().map(|answer| session.message(&answer.notes(evidence).join("; ")));
    let settle = if answer.is_ok() { Duration::ZERO } else { TYPING };
    session.settle(settle);
    drop(session);
    // This thread continues with other work.
    terminal::accept_job_control();
    let message = message.unwrap_or_default();
    answer.map(|answer| (answer, message))
}
