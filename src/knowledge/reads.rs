//! Reads that may never end, because a directory may be on an unreachable server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Maximum number of concurrent reads in a long-lived process: reads that never end remain counted.
const READS_MAX: usize = 16;
static READS: AtomicUsize = AtomicUsize::new(0);

/// Reads in a thread of its own; `None` if that takes longer than `patience` or too many reads have not ended.
pub(super) fn in_time<T: Send + 'static>(
    patience: Duration,
    read: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    if READS_MAX <= READS.load(Ordering::Relaxed) {
        return None;
    }
    READS.fetch_add(1, Ordering::Relaxed);
    let (sender, receiver) = mpsc::sync_channel(1);
    let read = move || {
        // The receiver may be gone.
        let _ = sender.send(read());
        READS.fetch_sub(1, Ordering::Relaxed);
    };
    let begun = thread::Builder::new().name("read".to_owned()).spawn(read).ok();
    if begun.is_none() {
        READS.fetch_sub(1, Ordering::Relaxed);
    }
    begun.and_then(|_| receiver.recv_timeout(patience).ok())
}
