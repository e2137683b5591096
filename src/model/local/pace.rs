//! How many threads to write with while other programs want the processor too. Pure: figures in, a number out.
//!
//! llama.cpp's threads wait for one another many hundred times a token, spinning. When one of them loses its core to
//! another program, all the others burn theirs waiting, and writing slows down by far more than the share that was
//! taken: with two threads on two cores and both cores busy elsewhere, tokens have taken several times as long. One
//! thread fewer waits for nobody. The sign is processor time: threads that run or spin use all of it, threads that
//! were put aside don't.

use std::time::Duration;

/// Tokens that are looked at before a decision.
const WINDOW: u32 = 2;

/// Below this share of the processor time that all threads could have used, one of them was put aside.
const SHARE_LOW: f64 = 0.85;

/// After so many tokens with fewer threads, one more is tried again; doubled each time that it fails.
const RETRY: u32 = 12;

/// Watches tokens go by and says with how many threads to write the next one.
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
    /// Starts with as many threads as there may be.
    pub(super) fn with_threads(most: usize) -> Self {
        let most = most.max(1);
        let (wall, processor) = (Duration::ZERO, Duration::ZERO);
        Self { most, threads: most, wall, processor, tokens: 0, since_change: 0, retry: RETRY }
    }

    /// The threads for the next token, at least one.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// A token took so much time, and all threads together used so much of the processor for it.
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
        let mut pace = Pace::with_threads(4);
        assert_eq!(threads_over(&mut pace, 50, |_| 0.98), [4; 50]);
    }

    #[test]
    fn a_busy_neighbour_costs_a_thread_at_once_and_gives_it_back() {
        let mut pace = Pace::with_threads(2);
        assert_eq!(
            threads_over(&mut pace, 4, |threads| if threads == 2 { 0.66 } else { 0.95 }),
            [2, 2, 1, 1]
        );
        let later = threads_over(&mut pace, 60, |_| 0.99);
        assert_eq!(later.last(), Some(&2), "{later:?}");
    }

    #[test]
    fn trying_again_gets_rarer_while_the_neighbour_stays() {
        let mut pace = Pace::with_threads(2);
        let threads = threads_over(&mut pace, 300, |threads| if threads == 2 { 0.6 } else { 0.9 });
        let tried = threads.iter().filter(|threads| **threads == 2).count();
        assert!(tried < 20, "{tried} of 300 tokens with two threads");
    }

    #[test]
    fn one_thread_stays_one() {
        let mut pace = Pace::with_threads(1);
        assert_eq!(threads_over(&mut pace, 20, |_| 0.2), [1; 20]);
        assert_eq!(Pace::with_threads(0).threads(), 1);
    }

    #[test]
    fn no_time_at_all_is_no_reason() {
        let mut pace = Pace::with_threads(2);
        (0..10).for_each(|_| pace.observe(Duration::ZERO, Duration::ZERO));
        assert_eq!(pace.threads(), 2);
    }
}
