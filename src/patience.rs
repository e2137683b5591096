//! How long the person waits, whether they gave up, and what they are told meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::failure::Failure;

/// Longest that [`Stage::Preparing`] may take before the deadline counts again.
const PREPARING_LIMIT: Duration = Duration::from_mins(5);

/// What the status row ends with; a row of a screen that holds it is ours.
pub const CANCEL_HINT: &str = "Esc keeps your line";

/// A deadline, a cancel flag, the stage of the work, who is asked and what it has cost, shared between whoever waits and
/// whoever works.
/// Cloning shares all four.
///
/// The deadline stands still during [`Stage::Preparing`]: that is done once per model, and a person who sees it
/// named on the status row rather waits than fails.
#[derive(Debug, Clone, Default)]
pub struct Patience {
    cancelled: Arc<AtomicBool>,
    clock: Arc<Mutex<Clock>>,
    account: Arc<Mutex<Account>>,
    who: Arc<Mutex<String>>,
}

#[derive(Debug, Default)]
struct Clock {
    deadline: Option<Instant>,
    stage: Stage,
    /// When the stage began.
    since: Option<Instant>,
}

/// What the worker is doing, for the status row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Stage {
    /// Looking at the machine.
    #[default]
    Starting,
    /// Reading the model's weights.
    Loading,
    /// Computing the fixed part of the prompt, once per model.
    Preparing,
    /// The model is writing.
    Thinking,
    /// The answer is looked up.
    Checking,
}

impl Stage {
    /// The words on the status row.
    pub fn words(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Loading => "loading the model",
            Self::Preparing => "preparing the model (first time only)",
            Self::Thinking => "thinking",
            Self::Checking => "checking",
        }
    }
}

impl Patience {
    /// Waits until cancelled.
    pub fn endless() -> Self {
        Self::default()
    }

    /// Waits until `deadline` or cancelled.
    pub fn until(deadline: Instant) -> Self {
        let patience = Self::default();
        patience.clock().deadline = Some(deadline);
        patience
    }

    /// A patience until `deadline` for the next part of the same press, within whose bounds it stays.
    pub fn next_part(&self, deadline: Instant) -> Self {
        let next = Self::until(deadline);
        *next.account() = self.account().next_part();
        next
    }

    /// The same patience, cancelled by this flag, which a signal may set.
    pub fn cancelled_by(self, flag: Arc<AtomicBool>) -> Self {
        Self { cancelled: flag, ..self }
    }

    /// The same patience, but spent at `deadline` if that comes earlier. What is cancelled, who is asked and what was spent
    /// stay shared; the stage does not.
    pub fn within(&self, deadline: Instant) -> Self {
        let earlier = {
            let clock = self.clock();
            let own = clock.deadline.map(|own| own + clock.paused(Instant::now()));
            own.map_or(deadline, |own| own.min(deadline))
        };
        let clock = Clock { deadline: Some(earlier), ..Clock::default() };
        Self { clock: Arc::new(Mutex::new(clock)), ..self.clone() }
    }

    /// The person gave up: workers stop at their next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Why to stop working now, if there is a reason. Cheap enough to ask between the steps of a computation.
    pub fn spent(&self, now: Instant) -> Option<Failure> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Failure::Cancelled);
        }
        self.overdue(now).map(|_| Failure::TimedOut)
    }

    /// How long ago the deadline passed, if it did.
    pub fn overdue(&self, now: Instant) -> Option<Duration> {
        let clock = self.clock();
        now.checked_duration_since(clock.deadline? + clock.paused(now))
    }

    /// Tells whoever waits what is being done from now on.
    pub fn enter(&self, stage: Stage, now: Instant) {
        let mut clock = self.clock();
        let paused = clock.paused(now);
        clock.deadline = clock.deadline.map(|deadline| deadline + paused);
        clock.stage = stage;
        clock.since = Some(now);
    }

    /// What is being done.
    pub fn stage(&self) -> Stage {
        self.clock().stage
    }

    /// What was asked of models so far; to be let go at once, for others wait.
    pub fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whoever waits who is asked from now on: `local`, or the host of a server.
    pub fn ask(&self, who: &str) {
        who.clone_into(&mut self.who.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Who is asked; empty while nobody was.
    pub fn asked(&self) -> String {
        self.who.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock {
    /// For how long the deadline has been standing still.
    fn paused(&self, now: Instant) -> Duration {
        match (self.stage, self.since) {
            (Stage::Preparing, Some(since)) => now.saturating_duration_since(since).min(PREPARING_LIMIT),
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadline_stands_still_while_the_model_is_prepared() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let patience = Patience::until(at(10));
        patience.enter(Stage::Loading, at(1));
        assert_eq!(patience.spent(at(9)), None);
        patience.enter(Stage::Preparing, at(2));
        assert_eq!(patience.spent(at(100)), None);
        patience.enter(Stage::Thinking, at(32));
        assert_eq!(patience.overdue(at(39)), None);
        assert_eq!(patience.overdue(at(41)), Some(Duration::from_secs(1)));
        assert_eq!(patience.spent(at(41)), Some(Failure::TimedOut));
    }

    #[test]
    fn a_part_of_the_work_has_less_time_and_is_cancelled_with_the_whole() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let whole = Patience::until(at(10));
        assert_eq!(whole.within(at(5)).spent(at(6)), Some(Failure::TimedOut));
        assert_eq!(whole.within(at(20)).spent(at(11)), Some(Failure::TimedOut));
        assert_eq!(whole.spent(at(6)), None);
        whole.within(at(5)).ask("api.example.com");
        assert_eq!(whole.asked(), "api.example.com");
        let part = Patience::endless().within(at(5));
        assert_eq!(part.spent(at(4)), None);
        let part = whole.within(at(5));
        whole.cancel();
        assert_eq!(part.spent(at(1)), Some(Failure::Cancelled));
    }

    #[test]
    fn preparing_is_bounded_and_can_be_cancelled() {
        let start = Instant::now();
        let patience = Patience::until(start + Duration::from_secs(10));
        patience.enter(Stage::Preparing, start);
        assert_eq!(patience.spent(start + PREPARING_LIMIT), None);
        assert_eq!(
            patience.spent(start + PREPARING_LIMIT + Duration::from_secs(11)),
            Some(Failure::TimedOut)
        );
        patience.clone().cancel();
        assert_eq!(patience.spent(start), Some(Failure::Cancelled));
    }
}
