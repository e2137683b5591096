//! A value that does each piece of work in a thread of its own, and is left behind there if the work does not end in time.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Interval between looks at work that has not ended yet.
const TICK: Duration = Duration::from_millis(10);
/// Maximum time to wait for the end of work that was left behind.
const LATE_WAIT: Duration = Duration::from_secs(1);

/// A value that works in threads.
#[derive(Debug)]
pub(crate) struct Threaded<T> {
    /// Name of the threads.
    name: &'static str,
    /// `None` while a thread has it.
    value: Option<T>,
    /// Gets the value at the end of the work.
    back: Option<Receiver<T>>,
}

/// Reason why work gave no result.
#[derive(Debug)]
pub(crate) enum Unfinished<W> {
    /// The value was left behind before, and its work still goes on, or panicked.
    Lost,
    /// The system starts no thread; the value is kept.
    NotStarted(io::Error),
    /// The work panicked, and the value may be in any state: it is lost.
    Panicked,
    /// The caller gave up, for its own reason: the value is lost until the work ends.
    GivenUp(W),
}

impl<T: Send + 'static> Threaded<T> {
    /// Wraps a value.
    pub(crate) fn new(name: &'static str, value: T) -> Self {
        Self { name, value: Some(value), back: None }
    }

    /// Returns the value; `None` if it is lost.
    pub(crate) fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// Returns the value; `None` if it is lost.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.value.as_mut()
    }

    /// Does work in a thread. `give_up` is asked until the work ends; with a reason from it the thread is left behind. A
    /// value that was left behind before is waited for, for at most a second.
    pub(crate) fn run<R: Send + 'static, W>(
        &mut self,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
        mut give_up: impl FnMut(Instant) -> Option<W>,
    ) -> Result<R, Unfinished<W>> {
        let value = self.take().ok_or(Unfinished::Lost)?;
        let (give, given) = mpsc::channel::<T>();
        let (give_back, back) = mpsc::channel();
        let (send, results) = mpsc::channel();
        let thread = move || {
            let Ok(mut value) = given.recv() else { return };
            let done = work(&mut value);
            // A receiver is gone if the caller gave up.
            let _ = give_back.send(value);
            let _ = send.send(done);
        };
        if let Err(error) = thread::Builder::new().name(self.name.to_owned()).spawn(thread) {
            self.value = Some(value);
            return Err(Unfinished::NotStarted(error));
        }
        // A thread that does not take the value has panicked.
        give.send(value).map_err(|_| Unfinished::Panicked)?;
        self.back = Some(back);
        loop {
            match results.recv_timeout(TICK) {
                Ok(done) => {
                    self.value = self.take();
                    return Ok(done);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Unfinished::Panicked),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(why) = give_up(Instant::now()) {
                return Err(Unfinished::GivenUp(why));
            }
        }
    }

    /// Returns the value as soon as no thread has it; `None` if one still does after [`LATE_WAIT`].
    fn take(&mut self) -> Option<T> {
        self.value.take().or_else(|| self.back.as_ref()?.recv_timeout(LATE_WAIT).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never(_: Instant) -> Option<()> {
        None
    }

    #[test]
    fn a_value_comes_back_after_its_work() {
        let mut counter = Threaded::new("counter", 0);
        for expected in 1..4 {
            let done = counter.run(
                |count| {
                    *count += 1;
                    *count
                },
                never,
            );
            assert_eq!((done.unwrap(), counter.get()), (expected, Some(&expected)));
        }
    }

    #[test]
    fn work_that_does_not_end_is_left_behind() {
        let mut value = Threaded::new("stuck", ());
        let stuck = |_: &mut ()| {
            loop {
                thread::park();
            }
        };
        assert!(matches!(value.run::<(), _>(stuck, |_| Some("late")), Err(Unfinished::GivenUp("late"))));
        assert!(matches!(value.run(|()| (), never), Err(Unfinished::Lost)) && value.get().is_none());
    }

    #[test]
    fn late_work_gives_the_value_back() {
        let mut value = Threaded::new("late", 1);
        let (end, wait) = mpsc::channel();
        let late = move |number: &mut i32| {
            wait.recv().unwrap();
            *number = 2;
        };
        assert!(matches!(value.run(late, |_| Some("late")), Err(Unfinished::GivenUp("late"))));
        assert!(value.get().is_none());
        end.send(()).unwrap();
        assert_eq!(value.run(|number| *number, never).unwrap(), 2);
    }

    #[test]
    fn a_panic_loses_the_value() {
        let mut value = Threaded::new("broken", ());
        let broken = |_: &mut ()| -> () { panic!("as a test wants") };
        assert!(matches!(value.run(broken, never), Err(Unfinished::Panicked)));
        assert!(value.get_mut().is_none());
    }
}
