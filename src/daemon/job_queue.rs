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
use askline_model::prompt::{Form, Prompt};
use askline_model::request_control::{RequestControl, Stage};
use askline_model::resident::wire::{Ask, Event, Failed, ModelSpec, Operation, Status};
use askline_model::scripted::Scripted;
use askline_model::{Cut, Further, Model, Reply, Usage};
use askline_syntax::shell::Shell;

/// Maximum number of queued jobs.
const WAITING_MAX: usize = 4;
/// Upper bound on the tokens of an answer, as in the configuration.
const TOKENS_MAX: usize = 4096;
/// Maximum number of fixed parts to prepare: one per shell.
const UNPREPARED_MAX: usize = Shell::ALL.len();
/// Maximum number of alternatives per job.
const OTHERS_MAX: usize = 8;
/// Upper bound on the idle time.
const IDLE_MAX: Duration = Duration::from_hours(24);
/// Pause after a request before a fixed part is prepared: the checks of an answer may ask for others.
const PREPARE_PAUSE: Duration = Duration::from_secs(1);
/// Note about a brief reply.
const BRIEF_NOTE: &str = "the model is still being prepared for this shell, so the next answers are better";
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

    /// Waits for the next work and makes it the current one: a job, or after a pause, something for the loaded model.
    fn next(&self, loaded: Option<&Loaded>) -> Next {
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
            let unprepared = loaded.filter(|loaded| !loaded.unprepared.is_empty());
            let pause = if unprepared.is_some() { PREPARE_PAUSE } else { self.waits.rest };
            let left = (state.active + pause).saturating_duration_since(Instant::now());
            state = match unprepared {
                None if loaded.is_none() || state.rests => {
                    self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
                }
                _ if !left.is_zero() => {
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
                Some(Loaded { spec, .. }) => {
                    let (spec, control) = (spec.clone(), RequestControl::endless());
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

    /// Ends the current work and takes over the state of the loaded model.
    fn finish(&self, loaded: Option<&Loaded>, is_answered: bool) {
        let mut state = self.state();
        state.current = None;
        state.active = Instant::now();
        state.model = loaded.map(|loaded| loaded.model.source());
        state.rests = false;
        state.prepares = loaded.is_some_and(|loaded| !loaded.unprepared.is_empty());
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
    let mut loaded: Option<Loaded> = None;
    loop {
        match queue.next(loaded.as_ref()) {
            Next::Job(job) => {
                let answer = attempt(queue, &mut loaded, |loaded| answer(loaded, &job.ask, &job.control));
                let event = event(answer);
                let is_answered = matches!(event, Event::Replies(..) | Event::Failed(_));
                queue.finish(loaded.as_ref(), is_answered);
                let _ = job.sender.send(event);
            }
            Next::Prepare(control) => {
                let prepared = attempt(queue, &mut loaded, |loaded| {
                    loaded.as_mut().map_or(Ok(()), |loaded| loaded.prepare(&control))
                });
                tracing::debug!(?prepared, "prepared in the background");
                queue.finish(loaded.as_ref(), false);
            }
            Next::Rest => {
                if let Some(loaded) = &mut loaded {
                    loaded.last = None;
                    loaded.model.rest();
                }
            }
            Next::Shutdown => return,
        }
    }
}

/// Does work with the model; `None` if it panicked. After an error that another process may not have, this one ends.
fn attempt<T>(
    queue: &JobQueue,
    loaded: &mut Option<Loaded>,
    work: impl FnOnce(&mut Option<Loaded>) -> anyhow::Result<T>,
) -> Option<anyhow::Result<T>> {
    let Ok(done) = panic::catch_unwind(AssertUnwindSafe(|| work(loaded))) else {
        // After a panic the model may be in any state.
        *loaded = None;
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

/// The loaded model.
struct Loaded {
    spec: ModelSpec,
    model: Box<dyn Model>,
    /// Last prompt, its token limit, and the answer.
    last: Option<(Prompt, usize, Reply)>,
    /// Fixed parts that are not prepared yet, at least not wholly; the oldest is the first.
    unprepared: VecDeque<String>,
}

impl Loaded {
    /// Creates it with nothing to prepare.
    fn new(spec: ModelSpec, model: Box<dyn Model>) -> Self {
        Self { spec, model, last: None, unprepared: VecDeque::new() }
    }

    /// Remembers a fixed part to prepare. The oldest one gives way to it if there are too many.
    fn prepare_later(&mut self, fixed: &str) {
        if self.unprepared.iter().any(|other| other == fixed) {
            return;
        }
        if UNPREPARED_MAX <= self.unprepared.len() {
            self.unprepared.pop_front();
        }
        self.unprepared.push_back(fixed.to_owned());
    }

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
        if prompt.form == Form::Completion {
            self.prepare_later(&prompt.fixed);
        }
        let reply = self.model.complete(prompt, max_tokens, control)?;
        if !reply.brief {
            self.unprepared.retain(|fixed| *fixed != prompt.fixed);
        }
        // With more time the answer may be whole.
        let is_late = reply.cut == Some(Cut::Time);
        self.last = (!is_late).then(|| (prompt.clone(), max_tokens, reply.clone()));
        Ok(reply)
    }

    /// Prepares the oldest fixed part. If a request interrupts it, it goes on after that.
    fn prepare(&mut self, control: &RequestControl) -> anyhow::Result<()> {
        let Some(fixed) = self.unprepared.pop_front() else { return Ok(()) };
        // With more of the fixed part the answer may be a better one.
        self.last = None;
        let prepared = self.model.prepare(&fixed, control);
        if prepared.as_ref().is_err_and(|error| error.downcast_ref() == Some(&Failure::Cancelled)) {
            self.unprepared.push_front(fixed);
        }
        prepared
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
        *loaded = Some(Loaded::new(ask.spec.clone(), load(&ask.spec)?));
    }
    let loaded = loaded.as_mut().context("just loaded")?;
    let replies = match &ask.what {
        Operation::Prepare { fixed } => {
            loaded.prepare_later(fixed);
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
            let is_known = loaded.last.as_ref().is_some_and(|(known, ..)| known == prompt);
            // Another client may have asked in between, and the model continues from its last prompt.
            let reply = loaded.complete(prompt, max_tokens, control)?;
            let further = Further { most, max_tokens, ..*further };
            let others = loaded.model.alternatives(prompt, further, control)?;
            // With more of the fixed part, the answer may be another one than the asker has.
            (!is_known).then_some(reply).into_iter().chain(others).collect()
        }
    };
    let is_brief = replies.iter().any(|reply| reply.brief);
    let notes = loaded.model.notes().into_iter().chain(is_brief.then(|| BRIEF_NOTE.to_owned()));
    Ok((replies, notes.collect()))
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
        ModelSpec::Local {
            name, file, room, threads, states, memory, adapter, saves_memory, gpu, ..
        } => {
            let local = Local::new(name.clone(), file.clone(), states.clone(), *room, *threads);
            let local = local.adapted(adapter.clone()).on_gpu(*gpu);
            // The file gives the best figure; the client's estimate is used if the file leaves it open.
            let needs = local.needs()?.map_or(*memory, |needs| needs.mapped.saturating_add(needs.own));
            if let Some(shortage) = memory::shortage(&LocalHost, name, needs) {
                return Err(anyhow::Error::new(shortage).context(Short));
            }
            let is_roomy = !saves_memory && memory::is_ample(&LocalHost, needs);
            local.rearranged(is_roomy).early().guarded()
        }
        ModelSpec::Scripted { file, .. } => {
            let text = LocalHost.read(file, SCRIPT_LIMIT)?;
            Box::new(Scripted::parse(file, &String::from_utf8_lossy(&text))?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_model::resident::wire::Identity;
    use std::path::PathBuf;

    /// A model whose first answer to each fixed part is brief; a request that contains "fail" gets an error.
    struct Brief {
        prepared: Vec<String>,
        fails: Option<Failure>,
    }

    impl Model for Brief {
        fn source(&self) -> String {
            "brief".into()
        }

        fn complete(&mut self, prompt: &Prompt, _: usize, _: &RequestControl) -> anyhow::Result<Reply> {
            anyhow::ensure!(!prompt.fresh.contains("fail"), "it failed");
            Ok(Reply { brief: !self.prepared.contains(&prompt.fixed), ..Reply::default() })
        }

        fn prepare(&mut self, fixed: &str, _: &RequestControl) -> anyhow::Result<()> {
            if let Some(failure) = self.fails.take() {
                return Err(failure.into());
            }
            self.prepared.push(fixed.to_owned());
            Ok(())
        }
    }

    fn brief(fails: Option<Failure>) -> Loaded {
        let identity = Identity { device: 0, inode: 0, size: 0, modified: (0, 0) };
        let spec = ModelSpec::Scripted { file: PathBuf::new(), identity };
        Loaded::new(spec, Box::new(Brief { prepared: Vec::new(), fails }))
    }

    fn ask(loaded: &mut Loaded, fixed: &str, fresh: &str) -> Option<bool> {
        let prompt = Prompt::new(Form::Completion, fixed.into(), fresh.into());
        loaded.complete(&prompt, 9, &RequestControl::endless()).ok().map(|reply| reply.brief)
    }

    #[test]
    fn the_fixed_parts_of_two_shells_are_both_prepared() {
        let control = RequestControl::endless();
        let mut loaded = brief(Some(Failure::Cancelled));
        assert_eq!(ask(&mut loaded, "bash", "one"), Some(true));
        assert_eq!(ask(&mut loaded, "zsh", "two"), Some(true));
        assert_eq!(ask(&mut loaded, "bash", "three"), Some(true));
        assert_eq!(ask(&mut loaded, "fish", "fail"), None);
        assert_eq!(loaded.unprepared, ["bash", "zsh", "fish"]);
        assert!(loaded.prepare(&control).is_err());
        assert_eq!(loaded.unprepared, ["bash", "zsh", "fish"], "an interrupted one stays the first");
        loaded.prepare(&control).unwrap();
        assert_eq!(loaded.unprepared, ["zsh", "fish"]);
        assert_eq!(ask(&mut loaded, "bash", "four"), Some(false));
        assert_eq!(loaded.unprepared, ["zsh", "fish"], "a whole answer forgets only its own");
        loaded.prepare(&control).unwrap();
        loaded.prepare(&control).unwrap();
        assert!(loaded.unprepared.is_empty());
    }

    #[test]
    fn an_impossible_preparation_is_not_repeated_and_there_are_few() {
        let mut loaded = brief(Some(Failure::TimedOut));
        assert_eq!(ask(&mut loaded, "bash", "one"), Some(true));
        assert!(loaded.prepare(&RequestControl::endless()).is_err());
        assert!(loaded.unprepared.is_empty());
        for fixed in ["a", "b", "c", "d", "e"] {
            loaded.prepare_later(fixed);
        }
        assert_eq!(loaded.unprepared, ["b", "c", "d", "e"]);
    }
}
