//! Times in a few fixed classes: enough for "half of them" and "nearly all", small however many there are.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Upper bounds of the classes in milliseconds, each about 1.4 times the one before; a last class holds what is longer.
const BOUNDS_MS: [u64; 27] = [
    10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320, 453, 640, 905, 1_280, 1_810, 2_560, 3_620, 5_120, 7_241,
    10_240, 14_482, 20_480, 28_963, 40_960, 57_926, 81_920,
];

/// How many times fell into each class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram([u64; BOUNDS_MS.len() + 1]);

impl Histogram {
    /// Adds another one.
    pub fn add(&mut self, other: &Self) {
        for (own, more) in self.0.iter_mut().zip(other.0) {
            *own = own.saturating_add(more);
        }
    }

    /// How many times there are.
    pub fn len(&self) -> u64 {
        self.0.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The time that this share of them, 0 to 1, did not exceed: exact to the class, evenly divided within it. None where
    /// there are no times.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let wanted = share.clamp(0.0, 1.0) * self.len() as f64;
        let (mut below, mut passed) = (0, 0.0);
        for (count, bound) in self.0.iter().zip(BOUNDS_MS.iter().chain(BOUNDS_MS.last())) {
            let count = *count as f64;
            if 0.0 < count && wanted <= passed + count {
                let within = (bound - below) as f64 * ((wanted - passed) / count).clamp(0.0, 1.0);
                return Some(Duration::from_micros((1e3 * (below as f64 + within)) as u64));
            }
            (below, passed) = (*bound, passed + count);
        }
        None
    }
}

impl FromIterator<Duration> for Histogram {
    fn from_iter<T: IntoIterator<Item = Duration>>(times: T) -> Self {
        let mut all = Self::default();
        for time in times {
            let class = BOUNDS_MS.iter().take_while(|bound| u128::from(**bound) < time.as_millis()).count();
            if let Some(count) = all.0.get_mut(class) {
                *count += 1;
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_within_their_class() {
        assert_eq!(Histogram::default().quantile(0.5), None);
        let all: Histogram = (1..=10_000).map(Duration::from_millis).collect();
        assert_eq!(all.len(), 10_000);
        for (share, exact) in [(0.05, 500.0), (0.5, 5000.0), (0.95, 9500.0)] {
            let told = all.quantile(share).unwrap().as_secs_f64() * 1e3;
            assert!((told / exact - 1.0).abs() < 0.2, "{share}: {told}");
        }
        let one: Histogram = std::iter::once(Duration::from_millis(1000)).collect();
        let told = one.quantile(0.5).unwrap();
        assert!((Duration::from_millis(905)..=Duration::from_millis(1280)).contains(&told), "{told:?}");
    }

    #[test]
    fn the_shortest_and_the_longest_have_their_class() {
        let edge: Histogram = [Duration::ZERO, Duration::MAX].into_iter().collect();
        assert_eq!((edge.0[0], edge.0[BOUNDS_MS.len()]), (1, 1));
        assert_eq!(edge.quantile(1.0), Some(Duration::from_millis(81_920)));
        assert!(edge.quantile(0.0).unwrap() < Duration::from_millis(10));
        let mut full = Histogram([u64::MAX; BOUNDS_MS.len() + 1]);
        full.add(&edge);
        assert_eq!(full.len(), u64::MAX);
        full.quantile(0.5).unwrap();
        assert!(BOUNDS_MS.is_sorted());
    }
}
