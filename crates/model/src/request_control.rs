//! Request control: deadline, cancellation and progress of one request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::usage::Usage;

/// Longest time for which [`Stage::Preparing`] pauses the deadline.
const PREPARING_LIMIT: Duration = Duration::from_mins(5);

/// End of the status row. A screen row that contains this text or [`CONTENT_HINT`] was written by askline.
pub const CANCEL_HINT: &str = "Esc keeps your line";

/// The same while the first answer is compared with others.
pub const CONTENT_HINT: &str = "Esc takes the first answer";

/// Maximum length of what is kept of a growing draft, in bytes: more than a row of a terminal shows.
const DRAFT_BYTES_MAX: usize = 1 << 10;

/// Deadline, cancel flag, current stage, current model, its draft and usage, shared between the waiting thread and the
/// working thread. Clones share all of them.
///
/// The deadline of a [`RequestControl::patient`] request is paused during [`Stage::Preparing`], which happens once per
/// model.
#[derive(Debug, Clone, Default)]
pub struct RequestControl {
    cancelled: Arc<AtomicBool>,
    /// `true` if the work is cancelled, or as soon as the model is loaded.
    abandoned: Arc<AtomicBool>,
    /// `true` if the answers so far are enough: optional work ends.
    contented: Arc<AtomicBool>,
    /// `true` if the work is optional, because there is an answer already.
    is_optional: bool,
    clock: Arc<Mutex<Clock>>,
    usage: Arc<Mutex<Usage>>,
    who: Arc<Mutex<String>>,
    draft: Arc<Mutex<String>>,
}

#[derive(Debug, Default)]
struct Clock {
    deadline: Option<Instant>,
    stage: Stage,
    /// Start of the stage.
    since: Option<Instant>,
    /// Expected end of the stage, if there is an estimate.
    ready_at: Option<Instant>,
    /// `true` if the deadline is paused while the model is prepared.
    is_patient: bool,
}

/// Current step of the work, shown on the status row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Stage {
    /// Gathers facts about the machine.
    #[default]
    Starting,
    /// Reads the model's weights.
    Loading,
    /// Computes the fixed part of the prompt, once per model.
    Preparing,
    /// The model generates an answer.
    Thinking,
    /// Checks the answer.
    Checking,
    /// Has an answer, of which the model was unsure, and compares it with others.
    Comparing,
}

impl Stage {
    /// Returns the text for the status row.
    pub fn words(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Loading => "loading the model",
            Self::Preparing => "preparing the model (first time only)",
            Self::Thinking => "thinking",
            Self::Checking => "checking",
            Self::Comparing => "comparing answers",
        }
    }

    /// Returns the end of the status row.
    pub fn hint(self) -> &'static str {
        if self == Self::Comparing { CONTENT_HINT } else { CANCEL_HINT }
    }

    /// Reports whether the work of this stage serves later requests, too.
    pub fn is_one_time(self) -> bool {
        matches!(self, Self::Loading | Self::Preparing)
    }
}

impl RequestControl {
    /// Returns a control without a deadline: it waits until cancelled.
    pub fn endless() -> Self {
        Self::default()
    }

    /// Returns a control that waits until `deadline` or until cancelled.
    pub fn until(deadline: Instant) -> Self {
        let control = Self::default();
        control.clock().deadline = Some(deadline);
        control
    }

    /// Returns the same control with a deadline that is paused while the model is prepared: for many requests at once,
    /// of which the first should not be lost.
    #[must_use]
    pub fn patient(self) -> Self {
        self.clock().is_patient = true;
        self
    }

    /// Returns a control for the next part of the same key press: new deadline, same usage limits.
    pub fn next_part(&self, deadline: Instant) -> Self {
        let next = Self::until(deadline);
        *next.usage() = self.usage().next_part();
        next
    }

    /// Returns the same control with `flag` as its cancel flag, which a signal handler may set.
    pub fn cancelled_by(self, flag: Arc<AtomicBool>) -> Self {
        Self { cancelled: flag, ..self }
    }

    /// Returns a control that ends at `deadline` if that is earlier. It shares the cancel flag, the current
    /// model, what that wrote and the usage with this one, but not the stage.
    pub fn within(&self, deadline: Instant) -> Self {
        let earlier = {
            let clock = self.clock();
            let own = clock.deadline.map(|own| own + clock.paused(Instant::now()));
            own.map_or(deadline, |own| own.min(deadline))
        };
        let is_patient = self.clock().is_patient;
        let clock = Clock { deadline: Some(earlier), is_patient, ..Clock::default() };
        Self { clock: Arc::new(Mutex::new(clock)), ..self.clone() }
    }

    /// Returns a control for optional work, which ends at `deadline`, if that is earlier, and when
    /// [`RequestControl::content`] is called.
    pub fn optional(&self, deadline: Instant) -> Self {
        Self { is_optional: true, ..self.within(deadline) }
    }

    /// Ends the optional work: the answers so far are enough.
    pub fn content(&self) {
        self.contented.store(true, Ordering::Relaxed);
    }

    /// Reports whether the answers so far are enough.
    pub fn is_contented(&self) -> bool {
        self.contented.load(Ordering::Relaxed)
    }

    /// Cancels the request: workers stop at their next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Cancels the request, but not while the model is loaded: half of that would be lost to the next request.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    /// Reports whether the request was abandoned.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Reports whether both control the same request.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cancelled, &other.cancelled)
    }

    /// Returns the reason to stop working now, or `None`. Cheap enough to call between the steps of a
    /// computation.
    pub fn spent(&self, now: Instant) -> Option<Failure> {
        let is_abandoned = || self.is_abandoned() && self.stage() != Stage::Loading;
        if self.cancelled.load(Ordering::Relaxed) || is_abandoned() {
            return Some(Failure::Cancelled);
        }
        if self.is_optional && self.is_contented() {
            return Some(Failure::TimedOut);
        }
        self.overdue(now)?;
        Some(match self.stage().is_one_time() {
            true => Failure::Preparing(self.left(now).map(|left| left.as_secs().max(1))),
            false => Failure::TimedOut,
        })
    }

    /// Sets the expected rest of the current stage.
    pub fn expect(&self, left: Duration, now: Instant) {
        self.clock().ready_at = Some(now + left);
    }

    /// Returns the expected rest of the current stage; `None` without an estimate.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        Some(self.clock().ready_at?.saturating_duration_since(now))
    }

    /// Returns the time since the deadline passed, or `None` if it has not.
    pub fn overdue(&self, now: Instant) -> Option<Duration> {
        let clock = self.clock();
        now.checked_duration_since(clock.deadline? + clock.paused(now))
    }

    /// Returns the time until the deadline; `None` without a deadline.
    pub fn remaining(&self, now: Instant) -> Option<Duration> {
        let clock = self.clock();
        Some((clock.deadline? + clock.paused(now)).saturating_duration_since(now))
    }

    /// Sets the current stage, in which nothing is written yet.
    pub fn enter(&self, stage: Stage, now: Instant) {
        let mut clock = self.clock();
        let paused = clock.paused(now);
        clock.deadline = clock.deadline.map(|deadline| deadline + paused);
        clock.stage = stage;
        clock.since = Some(now);
        clock.ready_at = None;
        drop(clock);
        self.write("");
    }

    /// Returns the current stage.
    pub fn stage(&self) -> Stage {
        self.clock().stage
    }

    /// Locks and returns the usage so far. Release the guard at once: other threads wait for it.
    pub fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the current model: `local`, or the host of a server.
    pub fn ask(&self, who: &str) {
        who.clone_into(&mut self.who.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the current model: `local` or a host; empty if no model was asked yet.
    pub fn asked(&self) -> String {
        self.who.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets what the model has written so far, as it is; keeps its first [`DRAFT_BYTES_MAX`] bytes.
    pub fn write(&self, draft: &str) {
        let end = draft.floor_char_boundary(DRAFT_BYTES_MAX);
        draft
            .get(..end)
            .unwrap_or_default()
            .clone_into(&mut self.draft.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns what the model has written so far; empty if nothing.
    pub fn draft(&self) -> String {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock {
    /// Returns how long the deadline has been paused.
    fn paused(&self, now: Instant) -> Duration {
        match (self.stage, self.since) {
            (Stage::Preparing, Some(since)) if self.is_patient => {
                now.saturating_duration_since(since).min(PREPARING_LIMIT)
            }
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadline_stands_still_for_the_patient_while_the_model_is_prepared() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let control = RequestControl::until(at(10)).patient();
        control.enter(Stage::Loading, at(1));
        assert_eq!(control.spent(at(9)), None);
        control.enter(Stage::Preparing, at(2));
        assert_eq!(control.spent(at(100)), None);
        control.enter(Stage::Thinking, at(32));
        assert_eq!(control.overdue(at(39)), None);
        assert_eq!(control.overdue(at(41)), Some(Duration::from_secs(1)));
        assert_eq!(control.spent(at(41)), Some(Failure::TimedOut));
    }

    #[test]
    fn a_cold_press_ends_at_its_deadline_and_tells_how_long_the_model_takes() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let control = RequestControl::until(at(10));
        control.enter(Stage::Loading, at(1));
        assert_eq!(control.spent(at(11)), Some(Failure::Preparing(None)));
        control.enter(Stage::Preparing, at(2));
        control.expect(Duration::from_secs(30), at(2));
        assert_eq!(control.spent(at(9)), None);
        assert_eq!(control.spent(at(12)), Some(Failure::Preparing(Some(20))));
        control.enter(Stage::Thinking, at(13));
        assert_eq!(control.spent(at(13)), Some(Failure::TimedOut));
    }

    #[test]
    fn what_is_abandoned_loads_the_model_and_stops() {
        let now = Instant::now();
        let control = RequestControl::endless();
        control.enter(Stage::Loading, now);
        control.clone().abandon();
        assert_eq!(control.spent(now), None);
        control.enter(Stage::Preparing, now);
        assert_eq!(control.spent(now), Some(Failure::Cancelled));
        assert!(control.is_same(&control.clone()) && !control.is_same(&RequestControl::endless()));
    }

    #[test]
    fn a_part_of_the_work_has_less_time_and_is_cancelled_with_the_whole() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let whole = RequestControl::until(at(10));
        assert_eq!(whole.within(at(5)).spent(at(6)), Some(Failure::TimedOut));
        assert_eq!(whole.within(at(20)).spent(at(11)), Some(Failure::TimedOut));
        assert_eq!(whole.spent(at(6)), None);
        whole.within(at(5)).ask("api.example.com");
        assert_eq!(whole.asked(), "api.example.com");
        let part = RequestControl::endless().within(at(5));
        assert_eq!(part.spent(at(4)), None);
        let part = whole.within(at(5));
        whole.cancel();
        assert_eq!(part.spent(at(1)), Some(Failure::Cancelled));
    }

    #[test]
    fn a_draft_is_that_of_one_stage() {
        let now = Instant::now();
        let control = RequestControl::endless();
        control.enter(Stage::Thinking, now);
        control.within(now).write("ls -");
        control.write("ls -l");
        assert_eq!(control.draft(), "ls -l");
        control.write(&"ü".repeat(DRAFT_BYTES_MAX));
        assert_eq!(control.draft().len(), DRAFT_BYTES_MAX);
        control.within(now).enter(Stage::Thinking, now);
        assert_eq!(control.draft(), "");
    }

    #[test]
    fn preparing_is_bounded_and_can_be_cancelled() {
        let start = Instant::now();
        let control = RequestControl::until(start + Duration::from_secs(10)).patient();
        control.enter(Stage::Preparing, start);
        assert_eq!(control.spent(start + PREPARING_LIMIT), None);
        let late = start + PREPARING_LIMIT + Duration::from_secs(11);
        assert_eq!(control.spent(late), Some(Failure::Preparing(None)));
        control.clone().cancel();
        assert_eq!(control.spent(start), Some(Failure::Cancelled));
    }
}
