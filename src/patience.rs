//! How long the person waits, whether they gave up, and what they are told meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Instant;

use crate::suggestion::Failure;

/// A deadline, a cancel flag and the stage of the work, shared between whoever waits and whoever works. Cloning
/// shares all three.
#[derive(Debug, Clone, Default)]
pub struct Patience {
    deadline: Option<Instant>,
    cancelled: Arc<AtomicBool>,
    stage: Arc<AtomicU8>,
}

/// What the worker is doing, for the status row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// Looking at the machine.
    Starting,
    /// Reading the model's weights.
    Loading,
    /// Computing the fixed part of the prompt, once per model.
    Preparing,
    /// The model is writing.
    Thinking,
}

impl Stage {
    const ALL: [Self; 4] = [Self::Starting, Self::Loading, Self::Preparing, Self::Thinking];

    /// The words on the status row.
    pub fn words(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Loading => "loading the model",
            Self::Preparing => "preparing the model (first time only)",
            Self::Thinking => "thinking",
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
        Self { deadline: Some(deadline), ..Self::default() }
    }

    /// The person gave up: workers stop at their next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Why to stop working now, if there is a reason. Cheap enough to ask between tokens.
    pub fn spent(&self, now: Instant) -> Option<Failure> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Failure::Cancelled);
        }
        self.deadline.is_some_and(|deadline| deadline <= now).then_some(Failure::TimedOut)
    }

    /// Tells whoever waits what is being done.
    pub fn enter(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::Relaxed);
    }

    /// What is being done.
    pub fn stage(&self) -> Stage {
        Stage::ALL[usize::from(self.stage.load(Ordering::Relaxed))]
    }
}
