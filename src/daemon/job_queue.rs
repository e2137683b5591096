//! Job queue, and the single worker thread that runs the jobs with the loaded models.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::loaded::{LoadedModels, Short};
use super::{Waits, Waker};
use askline_host::local::LocalHost;
use askline_model::failure::{EngineLost, Failure};
use askline_model::memory;
use askline_model::request_control::{RequestControl, Stage};
use askline_model::resident::wire::{Ask, Event, Failed, ModelSpec, Operation, Status};
use askline_model::{Further, Reply};

/// Maximum number of queued jobs.
const WAITING_MAX: usize = 4;
/// Upper bound on the tokens of an answer, as in the configuration.
const TOKENS_MAX: usize = 4096;
/// Maximum number of alternatives per job.
const OTHERS_MAX: usize = 8;
/// Upper bound on the idle time.
const IDLE_MAX: Duration = Duration::from_hours(24);
/// Pause after a request before a fixed part is prepared: the checks of an answer may ask for others.
const PREPARE_PAUSE: Duration = Duration::from_secs(1);
/// Note about a brief reply.
const BRIEF_NOTE: &str = "the model is still being prepared for this shell, so the next answers are better";

/// Way in which the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shutdown {
    /// At once: waiting clients are notified.
    AtOnce,
    /// After all connected clients have their answer.
    Finish,
}

/// Job queue, shared by connections and worker.
pub(super) struct JobQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    waits: Waits,
    started: Instant,
    waker: Arc<Waker>,
}

struct QueueState {
    waiting: VecDeque<Job>,
    /// Job in progress.
    current: Option<Current>,
    end: Option<Shutdown>,
    /// Time of the last request or answer.
    active: Instant,
    idle: Duration,
    model: Option<String>,
    rests: bool,
    prepares: bool,
    answered: u64,
    /// Number of clients that have not received their final event yet.
    inside: usize,
}

/// The work in progress.
struct Current {
    rank: Rank,
    spec: ModelSpec,
    control: RequestControl,
}

/// Importance of work; a request interrupts work of a lower rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A fixed part is prepared. What was done of it is kept.
    Background,
    /// An answer is prefetched; no user waits for it.
    Idle,
    /// A user waits.
    Urgent,
}

impl Rank {
    fn of(ask: &Ask) -> Self {
        if ask.urgent { Self::Urgent } else { Self::Idle }
    }
}

/// A queued request.
struct Job {
    ask: Box<Ask>,
    control: RequestControl,
    sender: mpsc::Sender<Event>,
    /// Closed after the final event was sent, or when none will be.
    _done: PipeWriter,
}

impl Job {
    fn drop_it(self) {
        // A disconnected client needs no answer.
        let _ = self.sender.send(Event::Dropped);
    }
}

/// Client side of a queued request.
pub(super) struct Pending {
    /// Readable when `said` has an event or never will have one.
    pub(super) done: PipeReader,
    /// Channel of the final event.
    pub(super) events: mpsc::Receiver<Event>,
}

impl JobQueue {
    pub(super) fn new(waits: Waits, waker: Arc<Waker>) -> Self {
        let state = QueueState {
            waiting: VecDeque::new(),
            current: None,
            end: None,
            active: Instant::now(),
            idle: waits.idle,
            model: None,
            rests: false,
            prepares: false,
            answered: 0,
            inside: 0,
        };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Self { state, changed, waits, started: Instant::now(), waker }
    }

    /// Appends a job to the queue; `None` if the queue is full. An urgent job drops all jobs that are not
    /// urgent.
    pub(super) fn submit(&self, ask: Box<Ask>, control: &RequestControl) -> io::Result<Option<Pending>> {
        let (done, end) = io::pipe()?;
        let (sender, events) = mpsc::channel();
        let job = Job { ask, control: control.clone(), sender, _done: end };
        let pending = Pending { done, events };
        let mut state = self.state();
        if state.end.is_some() {
            job.drop_it();
            return Ok(Some(pending));
        }
        state.active = Instant::now();
        let all = std::mem::take(&mut state.waiting);
        for other in all {
            if other.control.spent(Instant::now()).is_some() || job.ask.urgent && !other.ask.urgent {
                other.drop_it();
            } else {
                state.waiting.push_back(other);
            }
        }
        if WAITING_MAX <= state.waiting.len() {
            return Ok(None);
        }
        if let Some(Current { rank, spec, control }) = &state.current {
            let gives_way = *rank < Rank::of(&job.ask) || job.ask.urgent && control.is_abandoned();
            match () {
                () if !gives_way => {}
                // A model that is loaded for this request, too, is loaded to the end.
                () if *spec == job.ask.spec => control.abandon(),
                () => control.cancel(),
            }
        }
        state.idle = job.ask.idle.min(IDLE_MAX);
        state.waiting.push_back(job);
        self.changed.notify_one();
        Ok(Some(pending))
    }

    /// Counts a client that waits for an answer.
    pub(super) fn come(&self) {
        self.state().inside += 1;
    }

    /// Counts a client as done: it has its answer or gave up.
    pub(super) fn leave(&self) {
        self.state().inside -= 1;
    }

    /// Reports whether no client is waiting.
    pub(super) fn is_left(&self) -> bool {
        self.state().inside == 0
    }

    /// Starts to end. [`Shutdown::AtOnce`] overrides [`Shutdown::Finish`].
    pub(super) fn end(&self, end: Shutdown) {
        let mut state = self.state();
        if state.end != Some(Shutdown::AtOnce) {
            state.end = Some(end);
        }
        if end == Shutdown::AtOnce {
            state.waiting.drain(..).for_each(Job::drop_it);
        }
        if let Some(current) = &state.current
            && (end == Shutdown::AtOnce || current.rank == Rank::Background)
        {
            current.control.cancel();
        }
        self.changed.notify_one();
        self.waker.ring();
    }

    /// Returns the way in which the process ends, if it is ending.
    pub(super) fn ending(&self) -> Option<Shutdown> {
        self.state().end
    }

    /// Returns the time at which the process ends unless a request arrives.
    pub(super) fn idle_at(&self) -> Instant {
        let state = self.state();
        let active = if state.current.is_some() { Instant::now() } else { state.active };
        active + state.idle
    }

    /// Returns the stage of a request and the estimated rest of it. A request that waits while a model is loaded or
    /// prepared for another one is in that stage, too.
    pub(super) fn progress(&self, control: &RequestControl, now: Instant) -> (Stage, Option<Duration>) {
        let state = self.state();
        let current = state.current.as_ref().map(|current| &current.control);
        let ahead = current.filter(|ahead| !ahead.is_same(control) && ahead.stage().is_one_time());
        let is_waiting = state.waiting.iter().any(|job| job.control.is_same(control));
        let shown = ahead.filter(|_| is_waiting).unwrap_or(control);
        (shown.stage(), shown.left(now))
    }

    /// Returns the current status.
    pub(super) fn status(&self) -> Status {
        let state = self.state();
        Status {
            since: self.started.elapsed(),
            model: state.model.clone(),
            rests: state.rests,
            prepares: state.prepares,
            answered: state.answered,
            waiting: state.waiting.len() + usize::from(state.current.is_some()),
            memory: memory::held(&LocalHost),
            idle: state.idle,
        }
    }

    /// Waits for the next work and makes it the current one: a job, or after a pause, something for the loaded models.
    fn next(&self, models: &LoadedModels) -> Next {
        let mut state = self.state();
        loop {
            if let Some(job) = state.waiting.pop_front() {
                let (spec, control) = (job.ask.spec.clone(), job.control.clone());
                state.current = Some(Current { rank: Rank::of(&job.ask), spec, control });
                return Next::Job(job);
            }
            if state.end.is_some() {
                return Next::Shutdown;
            }
            let unprepared = models.unprepared();
            let pause = if unprepared.is_some() { PREPARE_PAUSE } else { self.waits.rest };
            let left = (state.active + pause).saturating_duration_since(Instant::now());
            state = match unprepared {
                None if models.is_empty() || state.rests => {
                    self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
                }
                _ if !left.is_zero() => {
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
                Some(unprepared) => {
                    let (spec, control) = (unprepared.spec().clone(), RequestControl::endless());
                    state.current = Some(Current { rank: Rank::Background, spec, control: control.clone() });
                    return Next::Prepare(control);
                }
                None => {
                    state.rests = true;
                    return Next::Rest;
                }
            };
        }
    }

    /// Ends the current work and takes over the state of the loaded models.
    fn finish(&self, models: &LoadedModels, is_answered: bool) {
        let mut state = self.state();
        state.current = None;
        state.active = Instant::now();
        state.model = models.names();
        state.rests = false;
        state.prepares = models.unprepared().is_some();
        state.answered += u64::from(is_answered);
        drop(state);
        // The main thread must compute its idle time again.
        self.waker.ring();
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        // The state is plain data and stays valid after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Next {
    Job(Job),
    Prepare(RequestControl),
    Rest,
    Shutdown,
}

/// Runs jobs until the end.
pub(super) fn work(queue: &JobQueue) {
    let mut models = LoadedModels::default();
    loop {
        match queue.next(&models) {
            Next::Job(job) => {
                let answer = attempt(queue, &mut models, |models| answer(models, &job.ask, &job.control));
                let event = event(answer);
                let is_answered = matches!(event, Event::Replies(..) | Event::Failed(_));
                queue.finish(&models, is_answered);
                let _ = job.sender.send(event);
            }
            Next::Prepare(control) => {
                let prepared = attempt(queue, &mut models, |models| models.prepare(&control));
                tracing::debug!(?prepared, "prepared in the background");
                queue.finish(&models, false);
            }
            Next::Rest => models.rest(),
            Next::Shutdown => return,
        }
    }
}

/// Does work with the models; `None` if it panicked. After an error that another process may not have, this one ends.
fn attempt<T>(
    queue: &JobQueue,
    models: &mut LoadedModels,
    work: impl FnOnce(&mut LoadedModels) -> anyhow::Result<T>,
) -> Option<anyhow::Result<T>> {
    let Ok(done) = panic::catch_unwind(AssertUnwindSafe(|| work(models))) else {
        // After a panic a model may be in any state.
        *models = LoadedModels::default();
        return None;
    };
    // The next key press may start a process with higher limits; and what the engine had is lost to this one.
    if done.as_ref().is_err_and(|error| error.is::<Short>() || error.is::<EngineLost>()) {
        queue.end(Shutdown::Finish);
    }
    Some(done)
}

/// Returns the final event for an answer.
fn event(answer: Option<anyhow::Result<(Vec<Reply>, Vec<String>)>>) -> Event {
    let error = match answer {
        None => return Event::Broken,
        Some(Ok((replies, notes))) => return Event::Replies(replies, notes),
        Some(Err(error)) => error,
    };
    match error.downcast_ref::<Failure>() {
        Some(Failure::Cancelled) => Event::Dropped,
        _ if error.is::<Short>() => Event::Unable(format!("{error:#}")),
        failure => Event::Failed(Failed { failure: failure.cloned(), text: format!("{error:#}") }),
    }
}

fn answer(
    models: &mut LoadedModels,
    ask: &Ask,
    control: &RequestControl,
) -> anyhow::Result<(Vec<Reply>, Vec<String>)> {
    if let Some(failure) = control.spent(Instant::now()) {
        return Err(failure.into());
    }
    let loaded = models.get(&ask.spec, ask.role)?;
    let replies = match &ask.what {
        Operation::Prepare { fixed } => {
            loaded.prepare_later(fixed);
            Vec::new()
        }
        Operation::Complete { prompt, max_tokens } => {
            if matches!(ask.spec, ModelSpec::Scripted { .. }) {
                loaded.forget_last();
            }
            vec![loaded.complete(prompt, (*max_tokens).min(TOKENS_MAX), control)?]
        }
        Operation::Others { prompt, further } => {
            let (most, max_tokens) = (further.most.min(OTHERS_MAX), further.max_tokens.min(TOKENS_MAX));
            let is_known = loaded.has_answered(prompt);
            // Another client may have asked in between, and the model continues from its last prompt.
            let reply = loaded.complete(prompt, max_tokens, control)?;
            let further = Further { most, max_tokens, ..*further };
            let others = loaded.alternatives(prompt, further, control)?;
            // With more of the fixed part, the answer may be another one than the asker has.
            (!is_known).then_some(reply).into_iter().chain(others).collect()
        }
    };
    let is_brief = replies.iter().any(|reply| reply.brief);
    let notes = loaded.notes().into_iter().chain(is_brief.then(|| BRIEF_NOTE.to_owned()));
    Ok((replies, notes.collect()))
}
