//! One connection: hello, a question, and events until its end.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::post::{End, Pending, Post};
use crate::model::resident::door::is_ours;
use crate::model::resident::wire::{Ask, BEAT, Event, Hello, PROTOCOL, Question, Wire};
use crate::patience::{Patience, Stage};

/// How often the stage of the work is looked at.
const WATCH: Duration = Duration::from_millis(20);
/// How long somebody may take to hear something.
const SEND_WAIT: Duration = Duration::from_secs(2);
/// How long the connection of whoever ended this process is held, for they wait for its close.
const END_LIMIT: Duration = Duration::from_secs(5);

/// Holds a conversation to its end. `limit` is how long it may take to put the question.
///
/// # Errors
/// When the other side is another user, goes away or says what can't be understood.
pub(super) fn hold(stream: UnixStream, post: &Post, hello: &Hello, limit: Duration) -> io::Result<()> {
    if !is_ours(&stream)? {
        return Ok(());
    }
    let mut wire = Wire::new(stream)?;
    let until = Instant::now() + limit;
    wire.send(hello, until)?;
    let Some(theirs) = wire.receive::<Hello>(until)? else { return Ok(()) };
    let Some(question) = wire.receive::<Question>(until)? else { return Ok(()) };
    match question {
        Question::Stop { finish } => {
            wire.send(&Event::Ending, until)?;
            post.end(if finish { End::Finish } else { End::AtOnce });
            wire.receive::<Question>(Instant::now() + END_LIMIT).map(drop)
        }
        Question::Status => wire.send(&Event::Status(Box::new(post.status())), until),
        Question::Ask(_) if theirs.protocol != PROTOCOL => wire.send(&Event::Dropped, until),
        Question::Ask(ask) => answer(&mut wire, *ask, post),
    }
}

/// Has a question answered, and says meanwhile what is done. Whoever asked and goes away, or says anything more, cancels it.
fn answer(wire: &mut Wire, ask: Ask, post: &Post) -> io::Result<()> {
    let visit = Visit::new(post);
    let Some(pending) = post.submit(ask, &visit.patience)? else {
        return wire.send(&Event::Busy, Instant::now() + SEND_WAIT);
    };
    let (mut stage, mut said_at) = (Stage::Starting, Instant::now());
    loop {
        match wait(wire, &pending) {
            Heard::End(event) => return wire.send(&event, Instant::now() + SEND_WAIT),
            Heard::Gone => return Ok(()),
            Heard::Nothing => {}
        }
        let (now, next) = (Instant::now(), visit.patience.stage());
        if next != stage {
            stage = next;
            said_at = now;
            wire.send(&Event::Stage(stage), now + SEND_WAIT)?;
        } else if BEAT <= now - said_at {
            said_at = now;
            wire.send(&Event::Beat, now + SEND_WAIT)?;
        }
    }
}

/// Somebody who waits for an answer. When they leave, on whatever path, the work on it stops.
struct Visit<'a> {
    post: &'a Post,
    patience: Patience,
}

impl<'a> Visit<'a> {
    fn new(post: &'a Post) -> Self {
        post.come();
        Self { post, patience: Patience::endless() }
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.patience.cancel();
        self.post.leave();
    }
}

enum Heard {
    /// The worker's last word.
    End(Event),
    /// Whoever asked is gone.
    Gone,
    Nothing,
}

fn wait(wire: &Wire, pending: &Pending) -> Heard {
    let timeout = Timespec::try_from(WATCH).unwrap_or_default();
    let mut ready = [PollFd::new(&pending.done, PollFlags::IN), PollFd::new(wire.stream(), PollFlags::IN)];
    // A failed wait is a short one: the loop comes here again.
    if poll(&mut ready, Some(&timeout)).is_err() {
        return Heard::Nothing;
    }
    let [done, gone] = ready.map(|ready| !ready.revents().is_empty());
    if done {
        // Without a word the worker panicked.
        return Heard::End(pending.said.try_recv().unwrap_or(Event::Broken));
    }
    if gone { Heard::Gone } else { Heard::Nothing }
}
