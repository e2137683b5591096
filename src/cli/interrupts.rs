//! Handling of SIGINT and SIGTERM while a model is asked. The first signal cancels the request, whose usage is still
//! recorded, and then ends the program as the signal itself would, so a shell's loop ends too. A second signal, or
//! one while no model is asked, ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use askline_model::request_control::RequestControl;

/// Signal handlers for the lifetime of the program.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    idle: Arc<AtomicBool>,
    came: Arc<AtomicBool>,
    /// Number of the signal.
    which: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Installs the handlers.
    pub(super) fn listen() -> Self {
        let interrupts = Self::default();
        interrupts.idle.store(true, Ordering::Relaxed);
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the first signal during a request finds both flags unset. If a handler cannot be
            // registered, the signal ends the program as usual.
            let _ = flag::register_conditional_default(signal, Arc::clone(&interrupts.idle));
            let _ = flag::register_conditional_default(signal, Arc::clone(&interrupts.came));
            if let Ok(number) = usize::try_from(signal) {
                let _ = flag::register_usize(signal, Arc::clone(&interrupts.which), number);
            }
            let _ = flag::register(signal, Arc::clone(&interrupts.came));
        }
        interrupts
    }

    /// Runs `work` with a request control that also ends on a signal.
    pub(super) fn during<T>(
        &self,
        control: RequestControl,
        work: impl FnOnce(&RequestControl) -> T,
    ) -> (T, RequestControl) {
        let control = control.cancelled_by(Arc::clone(&self.came));
        self.idle.store(false, Ordering::Relaxed);
        let done = work(&control);
        self.idle.store(true, Ordering::Relaxed);
        (done, control)
    }

    /// Returns the number of the signal that came, if one did.
    pub(super) fn signal(&self) -> Option<i32> {
        let signal = i32::try_from(self.which.load(Ordering::Relaxed)).ok();
        signal.filter(|_| self.came.load(Ordering::Relaxed))
    }

    /// Ends the program with the signal that came, if one did.
    pub(super) fn obey(&self) {
        if let Some(signal) = self.signal() {
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}
