//! The wait of `askline line` for a door that is no process of its own: it answers the caller instead of a script, and
//! leaves the signals of the process to it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::terminal::{self, Terminal};
use super::{
    Attendant, CANCEL_GRACE, DEADLINE_GRACE, FOREGROUND_TICK, FOREGROUND_WAIT, Glyphs, Key, Keys, QUIET,
    TYPING, Worker,
};
use crate::cli::args::Draw;
use crate::config::Evidence;
use crate::failure::Failure;
use crate::host::Host;
use crate::patience::Patience;
use crate::suggestion::Suggestion;

/// Waits for `work` with a status row on the controlling terminal, where Esc, Ctrl-C and Ctrl-G give up. The terminal is
/// left as it was found, without anything typed meanwhile; where it can't be had, there is no answer. With the suggestion
/// comes what a person should be told of it, of at most three rows and often empty.
///
/// # Errors
/// What `work` says; [`Failure::Cancelled`] when the person gave up or typed into a terminal that is not ours.
pub fn attended(
    host: &dyn Host,
    draw: Draw,
    patience: &Patience,
    evidence: Evidence,
    work: impl FnOnce() -> anyhow::Result<Suggestion> + Send + 'static,
) -> anyhow::Result<(Suggestion, String)> {
    let started = Instant::now();
    let mut attendant = attendant(host, draw);
    let worker = Worker::start(work);
    let answer = worker.and_then(|worker| wait(&mut attendant, &worker, patience, started));
    let message = answer.as_ref().map(|answer| attendant.message(&answer.notes(evidence).join("; ")));
    let settle = if answer.is_ok() { Duration::ZERO } else { TYPING };
    attendant.settle(settle);
    drop(attendant);
    // This thread goes on to other work.
    terminal::accept_job_control();
    let message = message.unwrap_or_default();
    answer.map(|answer| (answer, message))
}

fn attendant(host: &dyn Host, draw: Draw) -> Attendant {
    let env = |name: &str| host.env(name).and_then(|value| value.into_string().ok()).unwrap_or_default();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(env).into_iter().find(|value| !value.is_empty());
    let is_utf8 = locale.is_some_and(|name| name.to_lowercase().replace('-', "").contains("utf8"));
    let is_dumb = matches!(env("TERM").as_str(), "" | "dumb");
    let mut attendant = Attendant {
        tty: Terminal::find(),
        terminal: None,
        draw: if is_dumb { Draw::None } else { draw },
        colour: env("NO_COLOR").is_empty(),
        keys: Keys::new(Instant::now()),
        typed_at: None,
        settled_by: None,
        glyphs: if is_utf8 { Glyphs::UNICODE } else { Glyphs::ASCII },
        ended: Arc::default(),
        machine: None,
        memory: None,
        errand: None,
        asked: None,
    };
    let until = Instant::now() + FOREGROUND_WAIT;
    while !attendant.take_terminal() && Instant::now() < until {
        std::thread::sleep(FOREGROUND_TICK);
    }
    attendant
}

/// Until there is an answer, the deadline has passed or a key says to give up.
fn wait(
    attendant: &mut Attendant,
    worker: &Worker<Suggestion>,
    patience: &Patience,
    started: Instant,
) -> anyhow::Result<Suggestion> {
    let mut done = false;
    loop {
        let now = Instant::now();
        let has_terminal = attendant.take_terminal();
        let key = if done { attendant.settle(TYPING) } else { attendant.key(now) };
        if key == Some(Key::Cancel) || done && !has_terminal {
            patience.cancel();
            let _ = worker.said.recv_timeout(CANCEL_GRACE);
            return Err(Failure::Cancelled.into());
        }
        if done {
            return worker.result();
        }
        if patience.overdue(now).is_some_and(|by| DEADLINE_GRACE <= by) {
            patience.cancel();
            return Err(Failure::TimedOut.into());
        }
        let elapsed = now - started;
        if let Some(terminal) = attendant.terminal.as_mut().filter(|_| QUIET <= elapsed) {
            let row =
                attendant.glyphs.working(patience.stage(), &patience.asked(), elapsed, terminal.columns());
            terminal.show(row);
        }
        done |= attendant.pause((!done).then_some(&worker.done));
    }
}
