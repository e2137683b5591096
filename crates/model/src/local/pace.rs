//! Choice of the number of threads while other programs use the processor too. Pure: numbers in, a number out.
//!
//! llama.cpp's threads wait for one another many hundred times per token, spinning. When one thread loses its
//! core to another program, all others waste theirs waiting, and decoding slows down by far more than the lost
//! share: with two threads on two cores that were busy elsewhere, tokens took several times as long. One thread
//! fewer avoids the wait. Processor time shows the problem: threads that run or spin use all of it, preempted
//! threads don't.

use std::time::Duration;

/// Number of tokens to observe before a decision.
const WINDOW: u32 = 2;

/// A share of the possible processor time below this value means that a thread was preempted.
const SHARE_LOW: f64 = 0.85;

/// Number of tokens with fewer threads before one more is tried again; doubled each time that fails.
const RETRY: u32 = 12;

/// Returns the number of threads to use if `running` tasks of the whole machine, this one included, compete for
/// `processors`: one per free processor, at least one and at most `most`.
///
/// Observed tokens would show a busy neighbour only after waiting for them: on a machine with fifteen tasks per
/// processor, two threads took 100 seconds to read a request of six tokens, and one thread a few.
pub(super) fn undisturbed(most: usize, running: usize, processors: usize) -> usize {
    processors.saturating_sub(running.saturating_sub(1)).clamp(1, most.max(1))
}

/// Parses the number of running or runnable tasks from `/proc/loadavg`.
pub(super) fn running(loadavg: &str) -> Option<usize> {
    loadavg.split_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

/// Returns the number of processors in a list such as `0-3,8`.
pub(super) fn processors(list: &str) -> Option<usize> {
    let mut count = 0_usize;
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

/// Observes the time of each token and chooses the number of threads for the next.
#[derive(Debug)]
pub(super) struct Pace {
    most: usize,
    threads: usize,
    wall: Duration,
    processor: Duration,
    tokens: u32,
    since_change: u32,
    retry: u32,
}

impl Pace {
    /// Starts with `threads` of at most `most`.
    pub(super) fn with_threads(threads: usize, most: usize) -> Self {
        let most = most.max(1);
        let threads = threads.clamp(1, most);
        let (wall, processor) = (Duration::ZERO, Duration::ZERO);
        Self { most, threads, wall, processor, tokens: 0, since_change: 0, retry: RETRY }
    }

    /// Returns the number of threads for the next token, at least one.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Records the wall time of a token and the processor time of all threads for it.
    pub(super) fn observe(&mut self, wall: Duration, processor: Duration) {
        self.wall += wall;
        self.processor += processor;
        self.tokens += 1;
        self.since_change += 1;
        if self.tokens < WINDOW {
            return;
        }
        let share = self.processor.as_secs_f64() / (self.wall.as_secs_f64() * self.threads as f64);
        (self.wall, self.processor, self.tokens) = (Duration::ZERO, Duration::ZERO, 0);
        if share < SHARE_LOW && 1 < self.threads {
            let tried_in_vain = self.threads == self.most || self.since_change <= 2 * WINDOW;
            self.retry = if tried_in_vain { self.retry.saturating_mul(2) } else { RETRY };
            self.threads -= 1;
            self.since_change = 0;
        } else if self.threads < self.most && self.retry <= self.since_change {
            self.threads += 1;
            self.since_change = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: Duration = Duration::from_millis(40);

    fn threads_over(pace: &mut Pace, tokens: usize, share: impl Fn(usize) -> f64) -> Vec<usize> {
        let step = |pace: &mut Pace| {
            let threads = pace.threads();
            pace.observe(TOKEN, TOKEN.mul_f64(threads as f64 * share(threads)));
            threads
        };
        (0..tokens).map(|_| step(pace)).collect()
    }

    #[test]
    fn alone_on_the_machine_all_threads_write() {
        let mut pace = Pace::with_threads(4, 4);
        assert_eq!(threads_over(&mut pace, 50, |_| 0.98), [4; 50]);
    }

    #[test]
    fn a_busy_neighbour_costs_a_thread_at_once_and_gives_it_back() {
        let mut pace = Pace::with_threads(2, 2);
        assert_eq!(
            threads_over(&mut pace, 4, |threads| if threads == 2 { 0.66 } else { 0.95 }),
            [2, 2, 1, 1]
        );
        let later = threads_over(&mut pace, 60, |_| 0.99);
        assert_eq!(later.last(), Some(&2), "{later:?}");
    }

    #[test]
    fn trying_again_gets_rarer_while_the_neighbour_stays() {
        let mut pace = Pace::with_threads(2, 2);
        let threads = threads_over(&mut pace, 300, |threads| if threads == 2 { 0.6 } else { 0.9 });
        let tried = threads.iter().filter(|threads| **threads == 2).count();
        assert!(tried < 20, "{tried} of 300 tokens with two threads");
    }

    #[test]
    fn a_neighbour_seen_beforehand_costs_its_thread_from_the_start() {
        assert_eq!([1, 2, 3, 31].map(|running| undisturbed(2, running, 2)), [2, 1, 1, 1]);
        assert_eq!(undisturbed(2, 20, 64), 2, "confined to two of many");
        assert_eq!((undisturbed(0, 0, 0), undisturbed(4, 0, 4)), (1, 4));
        let mut pace = Pace::with_threads(1, 2);
        let later = threads_over(&mut pace, 60, |_| 0.99);
        assert_eq!((later.first(), later.last()), (Some(&1), Some(&2)), "{later:?}");
    }

    #[test]
    fn the_system_tells_tasks_and_processors() {
        assert_eq!(running("16.90 18.94 15.36 21/412 2293\n"), Some(21));
        assert_eq!(running(""), None);
        assert_eq!(running("0 0 0 many/1 1"), None);
        assert_eq!(
            ["0", "0-1\n", "0-3,8", "", "3-1", "0-18446744073709551615"].map(processors),
            [Some(1), Some(2), Some(5), None, None, None]
        );
    }

    #[test]
    fn one_thread_stays_one() {
        let mut pace = Pace::with_threads(1, 1);
        assert_eq!(threads_over(&mut pace, 20, |_| 0.2), [1; 20]);
        assert_eq!(Pace::with_threads(0, 0).threads(), 1);
    }

    #[test]
    fn no_time_at_all_is_no_reason() {
        let mut pace = Pace::with_threads(2, 2);
        (0..10).for_each(|_| pace.observe(Duration::ZERO, Duration::ZERO));
        assert_eq!(pace.threads(), 2);
    }
}
