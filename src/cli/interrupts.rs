//! SIGINT and SIGTERM while a model is asked: they give up the request, so that what it took is counted, and end the program
//! only then, as if they had ended it at once: a shell's loop ends, too. A second one does, and so does one that comes
//! while nobody is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::patience::Patience;

/// Listens as long as the program runs.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    idle: Arc<AtomicBool>,
    came: Arc<AtomicBool>,
    /// Its number.
    which: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Listens from now on.
    pub(super) fn listen() -> Self {
        let interrupts = Self::default();
        interrupts.idle.store(true, Ordering::Relaxed);
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal while somebody is asked finds both unset. What can't be registered ends the
            // program, as it always did.
            let _ = flag::register_conditional_default(signal, Arc::clone(&interrupts.idle));
            let _ = flag::register_conditional_default(signal, Arc::clone(&interrupts.came));
            if let Ok(number) = usize::try_from(signal) {
                let _ = flag::register_usize(signal, Arc::clone(&interrupts.which), number);
            }
            let _ = flag::register(signal, Arc::clone(&interrupts.came));
        }
        interrupts
    }

    /// Does the work, whose patience until then a signal ends.
    pub(super) fn during<T>(&self, deadline: Instant, work: impl FnOnce(&Patience) -> T) -> (T, Patience) {
        let patience = Patience::until(deadline).cancelled_by(Arc::clone(&self.came));
        self.idle.store(false, Ordering::Relaxed);
        let done = work(&patience);
        self.idle.store(true, Ordering::Relaxed);
        (done, patience)
    }

    /// Ends the program by the signal that came, if one did.
    pub(super) fn obey(&self) {
        if self.came.load(Ordering::Relaxed)
            && let Ok(signal) = i32::try_from(self.which.load(Ordering::Relaxed))
        {
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}
