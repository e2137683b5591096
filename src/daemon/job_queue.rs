//! Job queue, and the single worker thread that runs the jobs with the one loaded model.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, PipeReader, PipeWriter};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Waits, Waker};
use askline_host::Host as _;
use askline_host::local::LocalHost;
use askline_model::failure::{EngineLost, Failure};
use askline_model::local::Local;
use askline_model::memory;
use askline_model::prompt::Prompt;
use askline_model::request_control::{RequestControl, Stage};
use askline_model::resident::wire::{Ask, Event, Failed, ModelSpec, Operation, Status};
use askline_model::scripted::Scripted;
use askline_model::{Cut, Further, Model, Reply, Usage};

/// Maximum number of queued jobs.
const WAITING_MAX: usize = 4;
/// Upper bound on the tokens of an answer, as in the configuration.
const TOKENS_MAX: usize = 4096;
/// Maximum number of alternatives per job.
const OTHERS_MAX: usize = 8;
/// Upper bound on the idle time.
const IDLE_MAX: Duration = Duration::from_hours(24);
/// Maximum size of a script, in bytes.
const SCRIPT_LIMIT: u64 = 1 << 20;

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
    answered: u64,
    /// Number of clients that have not received their final event yet.
    inside: usize,
}

/// The job in progress.
struct Current {
    /// `true` if a user waits.
    urgent: bool,
    spec: ModelSpec,
    control: RequestControl,
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
        // A model that is prepared for this request, too, is prepared to the end.
        if let Some(current) = state.current.as_ref().filter(|_| job.ask.urgent) {
            let serves = current.control.stage().is_one_time() && current.spec == job.ask.spec;
            match serves {
                true if current.urgent => {}
                true => current.control.abandon(),
                false if current.urgent && !current.control.is_abandoned() => {}
                false => current.control.cancel(),
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
            state.current.iter().for_each(|current| current.control.cancel());
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

    /// Returns the stage of a request and the estimated rest of it. A request that waits while a model is prepared for
    /// another one is in that stage, too.
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
            answered: state.answered,
            waiting: state.waiting.len() + usize::from(state.current.is_some()),
            memory: memory::held(&LocalHost),
            idle: state.idle,
        }
    }

    /// Waits for the next job and makes it the current one. `has_model` is `true` if a loaded model could
    /// release memory.
    fn next(&self, has_model: bool) -> Next {
        let mut state = self.state();
        loop {
            if let Some(job) = state.waiting.pop_front() {
                let (urgent, spec, control) = (job.ask.urgent, job.ask.spec.clone(), job.control.clone());
                state.current = Some(Current { urgent, spec, control });
                return Next::Job(job);
            }
            if state.end.is_some() {
                return Next::Shutdown;
            }
            let rest = state.active + self.waits.rest;
            let left = rest.saturating_duration_since(Instant::now());
            state = if !has_model || state.rests {
                self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
            } else if left.is_zero() {
                state.rests = true;
                return Next::Rest;
            } else {
                self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
            };
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        // The state is plain data and stays valid after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Next {
    Job(Job),
    Rest,
    Shutdown,
}

/// Runs jobs until the end.
pub(super) fn work(queue: &JobQueue) {
    let mut loaded: Option<Loaded> = None;
    loop {
        let job = match queue.next(loaded.is_some()) {
            Next::Job(job) => job,
            Next::Rest => {
                if let Some(loaded) = &mut loaded {
                    loaded.last = None;
                    loaded.model.rest();
                }
                continue;
            }
            Next::Shutdown => return,
        };
        let answer = panic::catch_unwind(AssertUnwindSafe(|| answer(&mut loaded, &job.ask, &job.control)));
        let event = match answer {
            Ok(Ok((replies, notes))) => Event::Replies(replies, notes),
            Ok(Err(error)) => match error.downcast_ref::<Failure>() {
                Some(Failure::Cancelled) => Event::Dropped,
                _ if error.is::<Short>() => {
                    // The next key press may start a process with higher limits.
                    queue.end(Shutdown::Finish);
                    Event::Unable(format!("{error:#}"))
                }
                failure if error.is::<EngineLost>() => {
                    // What the engine had is lost to this process.
                    queue.end(Shutdown::Finish);
                    Event::Failed(Failed { failure: failure.cloned(), text: format!("{error:#}") })
                }
                failure => Event::Failed(Failed { failure: failure.cloned(), text: format!("{error:#}") }),
            },
            Err(_) => {
                // After a panic the model may be in any state.
                loaded = None;
                Event::Broken
            }
        };
        let mut state = queue.state();
        state.current = None;
        state.active = Instant::now();
        state.model = loaded.as_ref().map(|loaded| loaded.model.source());
        state.rests = false;
        state.answered += u64::from(matches!(event, Event::Replies(..) | Event::Failed(_)));
        drop(state);
        // The main thread must compute its idle time again.
        queue.waker.ring();
        let _ = job.sender.send(event);
    }
}

/// The loaded model.
struct Loaded {
    spec: ModelSpec,
    model: Box<dyn Model>,
    /// Last prompt, its token limit, and the answer.
    last: Option<(Prompt, usize, Reply)>,
}

impl Loaded {
    /// Returns the answer to a prompt. Repeats the last answer for the same prompt, because a model's answer to
    /// a prompt is always the same; requests for alternatives start this way.
    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        if let Some((known, most, reply)) = &self.last
            && (known, *most) == (prompt, max_tokens)
        {
            let cached_tokens = reply.usage.prefill_tokens + reply.usage.cached_tokens;
            return Ok(Reply { usage: Usage { cached_tokens, ..Usage::default() }, ..reply.clone() });
        }
        self.last = None;
        let reply = self.model.complete(prompt, max_tokens, control)?;
        // With more time the answer may be whole.
        let is_late = reply.cut == Some(Cut::Time);
        self.last = (!is_late).then(|| (prompt.clone(), max_tokens, reply.clone()));
        Ok(reply)
    }
}

fn answer(
    loaded: &mut Option<Loaded>,
    ask: &Ask,
    control: &RequestControl,
) -> anyhow::Result<(Vec<Reply>, Vec<String>)> {
    if let Some(failure) = control.spent(Instant::now()) {
        return Err(failure.into());
    }
    if loaded.as_ref().is_none_or(|loaded| loaded.spec != ask.spec) {
        // Two models may need more memory than the machine has.
        *loaded = None;
        *loaded = Some(Loaded { spec: ask.spec.clone(), model: load(&ask.spec)?, last: None });
    }
    let loaded = loaded.as_mut().context("just loaded")?;
    let replies = match &ask.what {
        Operation::Prepare { fixed } => {
            loaded.last = None;
            loaded.model.prepare(fixed, control)?;
            Vec::new()
        }
        Operation::Complete { prompt, max_tokens } => {
            if matches!(loaded.spec, ModelSpec::Scripted { .. }) {
                loaded.last = None;
            }
            vec![loaded.complete(prompt, (*max_tokens).min(TOKENS_MAX), control)?]
        }
        Operation::Others { prompt, further } => {
            let (most, max_tokens) = (further.most.min(OTHERS_MAX), further.max_tokens.min(TOKENS_MAX));
            // Another client may have asked in between, and the model continues from its last prompt.
            loaded.complete(prompt, max_tokens, control)?;
            loaded.model.alternatives(prompt, Further { most, max_tokens, ..*further }, control)?
        }
    };
    Ok((replies, loaded.model.notes()))
}

/// Context of an error: this process has too little memory for a model.
#[derive(Debug)]
struct Short;

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it has too little memory where it was started")
    }
}

/// Creates a model; weights are read at the first request.
fn load(spec: &ModelSpec) -> anyhow::Result<Box<dyn Model>> {
    Ok(match spec {
        ModelSpec::Local { name, file, room, threads, states, memory, saves_memory, .. } => {
            let local = Local::new(name.clone(), file.clone(), states.clone(), *room, *threads);
            // The file gives the best figure; the client's estimate is used if the file leaves it open.
            let needs = local.needs()?.map_or(*memory, |needs| needs.mapped.saturating_add(needs.own));
            if let Some(shortage) = memory::shortage(&LocalHost, name, needs) {
                return Err(anyhow::Error::new(shortage).context(Short));
            }
            let is_roomy = !saves_memory && memory::is_ample(&LocalHost, needs);
            local.rearranged(is_roomy).guarded()
        }
        ModelSpec::Scripted { file, .. } => {
            let text = LocalHost.read(file, SCRIPT_LIMIT)?;
            Box::new(Scripted::parse(file, &String::from_utf8_lossy(&text))?)
        }
    })
}
