//! The wait of `askline line` for a door that is no process of its own: it answers the caller instead of a script, and
//! leaves the signals of the process to it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Attendant, TYPING, Worker, terminal};
use crate::cli::args::Draw;
use crate::config::Evidence;
use crate::host::Host;
use crate::patience::Patience;
use crate::suggestion::Suggestion;

/// Waits for `work` with a status row on the controlling terminal, where Esc, Ctrl-C and Ctrl-G give up. The terminal is
/// left as it was found, without anything typed meanwhile; where it can't be had, there is no answer. With the suggestion
/// comes what a person should be told of it, of at most three rows and often empty.
///
/// # Errors
/// What `work` says; [`crate::failure::Failure::Cancelled`] when the person gave up or typed into a terminal that is not ours.
pub fn attended(
    host: &dyn Host,
    draw: Draw,
    patience: &Patience,
    evidence: Evidence,
    work: impl FnOnce() -> anyhow::Result<Suggestion> + Send + 'static,
) -> anyhow::Result<(Suggestion, String)> {
    let started = Instant::now();
    let mut attendant = Attendant::new(draw, host, Arc::default());
    let worker = Worker::start(work);
    let answer = worker.and_then(|worker| attendant.wait(&worker, patience, started));
    let message = answer.as_ref().map(|answer| attendant.message(&answer.notes(evidence).join("; ")));
    let settle = if answer.is_ok() { Duration::ZERO } else { TYPING };
    attendant.settle(settle);
    drop(attendant);
    // This thread goes on to other work.
    terminal::accept_job_control();
    let message = message.unwrap_or_default();
    answer.map(|answer| (answer, message))
}
