//! Handling of one connection: handshake, one request, and events until the final one.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::job_queue::{JobQueue, Pending, Shutdown};
use askline_model::request_control::{RequestControl, Stage};
use askline_model::resident::endpoint::is_ours;
use askline_model::resident::wire::{Ask, BEAT, Event, Hello, PROTOCOL, Question, Wire};

/// Interval between checks of the current stage.
const WATCH: Duration = Duration::from_millis(20);
/// Maximum time to send one message.
const SEND_WAIT: Duration = Duration::from_secs(2);
/// Time to keep the connection of a client that asked this process to end, because the client waits for its
/// close.
const END_LIMIT: Duration = Duration::from_secs(5);

/// Handles a connection to its end. `limit` is the time for the client to send its request.
///
/// # Errors
///
/// If the other side disconnects or sends an invalid message. A connection of another user is closed silently.
pub(super) fn hold(stream: UnixStream, queue: &JobQueue, hello: &Hello, limit: Duration) -> io::Result<()> {
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
            queue.end(if finish { Shutdown::Finish } else { Shutdown::AtOnce });
            wire.receive::<Question>(Instant::now() + END_LIMIT).map(drop)
        }
        Question::Status => wire.send(&Event::Status(Box::new(queue.status())), until),
        Question::Ask(_) if theirs.protocol != PROTOCOL => wire.send(&Event::Dropped, until),
        Question::Ask(ask) => answer(&mut wire, ask, queue),
    }
}

/// Submits a request and reports its progress until the answer. The request is abandoned if the client
/// disconnects or sends anything more.
fn answer(wire: &mut Wire, ask: Box<Ask>, queue: &JobQueue) -> io::Result<()> {
    let visit = Visit::new(queue);
    let Some(pending) = queue.submit(ask, &visit.control)? else {
        return wire.send(&Event::Busy, Instant::now() + SEND_WAIT);
    };
    let (mut stage, mut said_at, mut said) = (Stage::Starting, Instant::now(), String::new());
    loop {
        match wait(wire, &pending) {
            Incoming::Shutdown(event) => return wire.send(&event, Instant::now() + SEND_WAIT),
            Incoming::Gone => return Ok(()),
            Incoming::Nothing => {}
        }
        let now = Instant::now();
        let (next, left) = queue.progress(&visit.control, now);
        if next == stage && now - said_at < BEAT {
            continue;
        }
        let draft = visit.control.draft();
        let event = match left {
            _ if next != stage => Event::Stage(next),
            Some(left) => Event::Left(left),
            None if draft != said => Event::Draft(draft.clone()),
            None => Event::Beat,
        };
        said = if next == stage { draft } else { String::new() };
        (stage, said_at) = (next, now);
        wire.send(&event, now + SEND_WAIT)?;
    }
}

/// Guard of a client that waits for an answer. Dropping it, on any path, stops the work except loading the model.
struct Visit<'a> {
    queue: &'a JobQueue,
    control: RequestControl,
}

impl<'a> Visit<'a> {
    fn new(queue: &'a JobQueue) -> Self {
        queue.come();
        Self { queue, control: RequestControl::endless() }
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        // The next press needs a loaded model, too.
        self.control.abandon();
        self.queue.leave();
    }
}

enum Incoming {
    /// Final event of the worker.
    Shutdown(Event),
    /// The client has disconnected or sent something more.
    Gone,
    Nothing,
}

fn wait(wire: &Wire, pending: &Pending) -> Incoming {
    let timeout = Timespec::try_from(WATCH).unwrap_or_default();
    let mut ready = [PollFd::new(&pending.done, PollFlags::IN), PollFd::new(wire.stream(), PollFlags::IN)];
    // If the wait fails, the loop runs again earlier.
    if poll(&mut ready, Some(&timeout)).is_err() {
        return Incoming::Nothing;
    }
    let [done, gone] = ready.map(|ready| !ready.revents().is_empty());
    if done {
        // A worker that sent no event has panicked.
        return Incoming::Shutdown(pending.events.try_recv().unwrap_or(Event::Broken));
    }
    if gone { Incoming::Gone } else { Incoming::Nothing }
}
