//! Histogram of times with a few fixed classes: precise enough for the median and the 95th percentile, small
//! for any number of times.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Upper bounds of the classes in milliseconds, each about 1.4 times the previous one. One more class contains
/// all longer times.
const BOUNDS_MS: [u64; 27] = [
    10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320, 453, 640, 905, 1_280, 1_810, 2_560, 3_620, 5_120, 7_241,
    10_240, 14_482, 20_480, 28_963, 40_960, 57_926, 81_920,
];

/// Number of times in each class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram([u64; BOUNDS_MS.len() + 1]);

impl Histogram {
    /// Adds another histogram.
    pub fn add(&mut self, other: &Self) {
        for (own, more) in self.0.iter_mut().zip(other.0) {
            *own = own.saturating_add(more);
        }
    }

    /// Returns the number of times.
    pub fn len(&self) -> u64 {
        self.0.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Reports whether the histogram is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the time that this share of entries (0 to 1) did not exceed. The class is exact; values within a
    /// class are assumed to be evenly distributed. `None` if the histogram is empty.
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
            let estimate = all.quantile(share).unwrap().as_secs_f64() * 1e3;
            assert!((estimate / exact - 1.0).abs() < 0.2, "{share}: {estimate}");
        }
        let one: Histogram = std::iter::once(Duration::from_millis(1000)).collect();
        let estimate = one.quantile(0.5).unwrap();
        assert!(
            (Duration::from_millis(905)..=Duration::from_millis(1280)).contains(&estimate),
            "{estimate:?}"
        );
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
