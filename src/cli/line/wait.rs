//! The wait of `askline line` for other entry points. [`run_session`] and [`run_look`] are for those inside another process:
//! they answer the caller instead of a script, and leave the signals of the process alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{TYPING, TerminalSession, Worker, terminal};
use crate::cli::args::Draw;
use crate::cli::investigation::{InvestigationResult, InvestigationSession};
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
    let answer = answer.map(|answer| {
        let notes = answer.notes(evidence);
        (answer, notes)
    });
    leave(session, answer)
}

/// Investigates as [`run_session`] waits: looks are shown above the status row, questions are answered in place, and a key that
/// cancels ends with what was found.
///
/// # Errors
/// When there is no command: what was found, or the reason.
pub fn run_look(
    host: &dyn Host,
    case: InvestigationSession,
    control: &RequestControl,
) -> anyhow::Result<(Suggestion, String)> {
    let mut session = TerminalSession::new(Draw::Here, host, Arc::default());
    let evidence = case.evidence();
    let ended = session.investigate(case, control);
    let answer = ended.and_then(|ended| session.conclude(ended, evidence));
    leave(session, answer)
}

/// Investigates with the person at the controlling terminal of this program, which does nothing else. Returns also the signal
/// with which it has to end.
///
/// # Errors
/// When even a part of it is not handed over in time.
pub(in crate::cli) fn investigate(
    host: &dyn Host,
    case: InvestigationSession,
    control: &RequestControl,
) -> anyhow::Result<(InvestigationResult, Option<i32>)> {
    let mut session = TerminalSession::open(Draw::Here, host);
    let ended = session.investigate(case, control);
    session.settle(Duration::ZERO);
    let signal = session.signal();
    ended.map(|ended| (ended, signal))
}

/// Ends a session, whose thread continues with other work. Returns the suggestion with its notes as a message.
fn leave(
    mut session: TerminalSession,
    answer: anyhow::Result<(Suggestion, Vec<String>)>,
) -> anyhow::Result<(Suggestion, String)> {
    let answer = answer.map(|(suggestion, notes)| (suggestion, session.message(&notes.join("; "))));
    session.settle(if answer.is_ok() { Duration::ZERO } else { TYPING });
    drop(session);
    terminal::accept_job_control();
    answer
}
