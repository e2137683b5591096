//! The questions that wait, and the one thread that works on them with the one model that is loaded.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, PipeReader, PipeWriter};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Bell, Waits};
use crate::failure::Failure;
use crate::host::Host as _;
use crate::host::local::LocalHost;
use crate::model::local::Local;
use crate::model::memory;
use crate::model::resident::wire::{Ask, Event, Failed, Spec, Status, What};
use crate::model::scripted::Scripted;
use crate::model::{Further, Model, Reply, Usage};
use crate::patience::Patience;
use crate::prompt::Prompt;

/// Most questions that wait.
const WAITING_MAX: usize = 4;
/// Most tokens of an answer, whatever is asked; as the configuration's own bound.
const TOKENS_MAX: usize = 4096;
/// Most further answers at a time.
const OTHERS_MAX: usize = 8;
/// Longest time without a question, whatever is asked.
const IDLE_MAX: Duration = Duration::from_hours(24);
/// Largest script that is read, bytes.
const SCRIPT_LIMIT: u64 = 1 << 20;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Now: who waits is told so.
    AtOnce,
    /// When all who are there have their answer.
    Finish,
}

/// The questions that wait, shared between conversations and worker.
pub(super) struct Post {
    state: Mutex<State>,
    changed: Condvar,
    waits: Waits,
    started: Instant,
    bell: Arc<Bell>,
}

struct State {
    waiting: VecDeque<Job>,
    /// Being worked on: whether somebody waits for it, and how to stop it.
    current: Option<(bool, Patience)>,
    end: Option<End>,
    /// When something was asked or answered last.
    active: Instant,
    idle: Duration,
    model: Option<String>,
    rests: bool,
    answered: u64,
    /// Those who have not heard their last word yet.
    inside: usize,
}

/// A question on its way.
struct Job {
    ask: Box<Ask>,
    patience: Patience,
    say: mpsc::Sender<Event>,
    /// Closed when the last word was said, or will never be.
    _done: PipeWriter,
}

impl Job {
    fn drop_it(self) {
        // Who has gone needs no answer.
        let _ = self.say.send(Event::Dropped);
    }
}

/// What whoever asked holds of a question.
pub(super) struct Pending {
    /// Readable when there is something in `said`, or never will be.
    pub(super) done: PipeReader,
    /// The last word.
    pub(super) said: mpsc::Receiver<Event>,
}

impl Post {
    pub(super) fn new(waits: Waits, bell: Arc<Bell>) -> Self {
        let state = State {
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
        Self { state, changed, waits, started: Instant::now(), bell }
    }

    /// Puts a question behind those that wait; none when too many do. One that somebody waits for drops all that nobody
    /// waits for.
    pub(super) fn submit(&self, ask: Box<Ask>, patience: &Patience) -> io::Result<Option<Pending>> {
        let (done, end) = io::pipe()?;
        let (say, said) = mpsc::channel();
        let job = Job { ask, patience: patience.clone(), say, _done: end };
        let pending = Pending { done, said };
        let mut state = self.state();
        if state.end.is_some() {
            job.drop_it();
            return Ok(Some(pending));
        }
        state.active = Instant::now();
        let all = std::mem::take(&mut state.waiting);
        for other in all {
            if other.patience.spent(Instant::now()).is_some() || job.ask.urgent && !other.ask.urgent {
                other.drop_it();
            } else {
                state.waiting.push_back(other);
            }
        }
        if WAITING_MAX <= state.waiting.len() {
            return Ok(None);
        }
        match &state.current {
            Some((false, current)) if job.ask.urgent => current.cancel(),
            _ => {}
        }
        state.idle = job.ask.idle.min(IDLE_MAX);
        state.waiting.push_back(job);
        self.changed.notify_one();
        Ok(Some(pending))
    }

    /// Somebody came for an answer.
    pub(super) fn come(&self) {
        self.state().inside += 1;
    }

    /// They have heard it, or gave up.
    pub(super) fn leave(&self) {
        self.state().inside -= 1;
    }

    /// Whether nobody is left to hear anything.
    pub(super) fn is_left(&self) -> bool {
        self.state().inside == 0
    }

    /// Begins to end; an end at once counts more than one that waits.
    pub(super) fn end(&self, end: End) {
        let mut state = self.state();
        if state.end != Some(End::AtOnce) {
            state.end = Some(end);
        }
        if end == End::AtOnce {
            state.waiting.drain(..).for_each(Job::drop_it);
            state.current.iter().for_each(|(_, patience)| patience.cancel());
        }
        self.changed.notify_one();
        self.bell.ring();
    }

    /// How the process ends, if it does.
    pub(super) fn ending(&self) -> Option<End> {
        self.state().end
    }

    /// When the process ends if nobody asks.
    pub(super) fn idle_at(&self) -> Instant {
        let state = self.state();
        let active = if state.current.is_some() { Instant::now() } else { state.active };
        active + state.idle
    }

    /// How it all is.
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

    /// The next question, which is then the current one; waits for it. `has_model` tells that one is there to rest.
    fn next(&self, has_model: bool) -> Next {
        let mut state = self.state();
        loop {
            if let Some(job) = state.waiting.pop_front() {
                state.current = Some((job.ask.urgent, job.patience.clone()));
                return Next::Job(job);
            }
            if state.end.is_some() {
                return Next::End;
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

    fn state(&self) -> MutexGuard<'_, State> {
        // Plain data that is fit to use whatever happened while it was held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Next {
    Job(Job),
    Rest,
    End,
}

/// Works on the questions until the end.
pub(super) fn work(post: &Post) {
    let mut loaded: Option<Loaded> = None;
    loop {
        let job = match post.next(loaded.is_some()) {
            Next::Job(job) => job,
            Next::Rest => {
                if let Some(loaded) = &mut loaded {
                    loaded.last = None;
                    loaded.model.rest();
                }
                continue;
            }
            Next::End => return,
        };
        let answer = panic::catch_unwind(AssertUnwindSafe(|| answer(&mut loaded, &job.ask, &job.patience)));
        let event = match answer {
            Ok(Ok((replies, notes))) => Event::Replies(replies, notes),
            Ok(Err(error)) => match error.downcast_ref::<Failure>() {
                Some(Failure::Cancelled) => Event::Dropped,
                _ if error.is::<Short>() => {
                    // Whoever presses next may start one with more room.
                    post.end(End::Finish);
                    Event::Unable(format!("{error:#}"))
                }
                failure => Event::Failed(Failed { failure: failure.cloned(), text: format!("{error:#}") }),
            },
            Err(_) => {
                // What is left of it may be in any state.
                loaded = None;
                Event::Broken
            }
        };
        let mut state = post.state();
        state.current = None;
        state.active = Instant::now();
        state.model = loaded.as_ref().map(|loaded| loaded.model.source());
        state.rests = false;
        state.answered += u64::from(matches!(event, Event::Replies(..) | Event::Failed(_)));
        drop(state);
        // The main thread counts the time without questions anew.
        post.bell.ring();
        let _ = job.say.send(event);
    }
}

/// The model that is loaded.
struct Loaded {
    spec: Spec,
    model: Box<dyn Model>,
    /// What it was asked last, with how many tokens at most, and its answer.
    last: Option<(Prompt, usize, Reply)>,
}

impl Loaded {
    /// An answer; the last one again where the same is asked again, for a model's answer to a prompt is always the same. Whoever
    /// looks for further answers begins so.
    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        if let Some((known, most, reply)) = &self.last
            && (known, *most) == (prompt, max_tokens)
        {
            let cached_tokens = reply.usage.prefill_tokens + reply.usage.cached_tokens;
            return Ok(Reply { usage: Usage { cached_tokens, ..Usage::default() }, ..reply.clone() });
        }
        self.last = None;
        let reply = self.model.complete(prompt, max_tokens, patience)?;
        self.last = Some((prompt.clone(), max_tokens, reply.clone()));
        Ok(reply)
    }
}

fn answer(
    loaded: &mut Option<Loaded>,
    ask: &Ask,
    patience: &Patience,
) -> anyhow::Result<(Vec<Reply>, Vec<String>)> {
    if let Some(failure) = patience.spent(Instant::now()) {
        return Err(failure.into());
    }
    if loaded.as_ref().is_none_or(|loaded| loaded.spec != ask.spec) {
        // Two of them may be more than the machine holds.
        *loaded = None;
        *loaded = Some(Loaded { spec: ask.spec.clone(), model: load(&ask.spec)?, last: None });
    }
    let loaded = loaded.as_mut().context("just loaded")?;
    let replies = match &ask.what {
        What::Prepare { fixed } => {
            loaded.last = None;
            loaded.model.prepare(fixed, patience)?;
            Vec::new()
        }
        What::Complete { prompt, max_tokens } => {
            if matches!(loaded.spec, Spec::Scripted { .. }) {
                loaded.last = None;
            }
            vec![loaded.complete(prompt, (*max_tokens).min(TOKENS_MAX), patience)?]
        }
        What::Others { prompt, further } => {
            let (most, max_tokens) = (further.most.min(OTHERS_MAX), further.max_tokens.min(TOKENS_MAX));
            // Somebody else may have asked in between; the model goes on from what it was asked last.
            loaded.complete(prompt, max_tokens, patience)?;
            loaded.model.others(prompt, Further { most, max_tokens, ..*further }, patience)?
        }
    };
    Ok((replies, loaded.model.notes()))
}

/// This process has no room for a model.
#[derive(Debug)]
struct Short;

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no room for it where it was started")
    }
}

/// A model whose weights are read when it is asked.
fn load(spec: &Spec) -> anyhow::Result<Box<dyn Model>> {
    Ok(match spec {
        Spec::Local { name, file, room, threads, states, memory, .. } => {
            let local = Local::new(name.clone(), file.clone(), states.clone(), *room, *threads);
            // The file knows best; what it leaves open was estimated by whoever asks.
            let needs = local.needs()?.map_or(*memory, |needs| needs.mapped.saturating_add(needs.own));
            if let Some(shortage) = memory::shortage(&LocalHost, name, needs) {
                return Err(anyhow::Error::new(shortage).context(Short));
            }
            Box::new(local)
        }
        Spec::Scripted { file, .. } => {
            let text = LocalHost.read(file, SCRIPT_LIMIT)?;
            Box::new(Scripted::parse(file, &String::from_utf8_lossy(&text))?)
        }
    })
}
