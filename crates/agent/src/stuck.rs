//! Notices that the loop goes round in circles.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::call::{Call, Observation};

/// Number of calls that are remembered.
const CALLS_MAX: usize = 16;
/// Number of different lines and errors that are remembered.
const LINES_MAX: usize = 4_000;

/// Calls and observations so far.
#[derive(Debug, Clone, Default)]
pub struct StuckDetector {
    calls: VecDeque<String>,
    errors: BTreeMap<String, usize>,
    lines: BTreeSet<String>,
    stale: usize,
}

impl StuckDetector {
    /// Adds a call and what came of it. Returns whether it brought a line that was not seen before.
    pub fn add(&mut self, call: &Call, observation: &Observation) -> bool {
        if self.calls.len() == CALLS_MAX {
            self.calls.pop_front();
        }
        self.calls.push_back(call.signature());
        if observation.is_error {
            if self.errors.len() < LINES_MAX {
                *self.errors.entry(kind_of(&observation.text)).or_default() += 1;
            }
            return false;
        }
        let mut is_new = false;
        for line in observation.text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            is_new |= self.lines.len() < LINES_MAX && self.lines.insert(line.to_owned());
        }
        self.stale = if is_new { 0 } else { self.stale + 1 };
        is_new
    }

    /// Returns how many times in a row `next` would then have been called.
    pub fn same_calls(&self, next: &Call) -> usize {
        let next = next.signature();
        1 + self.calls.iter().rev().take_while(|call| **call == next).count()
    }

    /// Returns how many times the commonest error came.
    pub fn same_errors(&self) -> usize {
        self.errors.values().copied().max().unwrap_or_default()
    }

    /// Returns how many times two different calls would then have followed each other (A-B-A-B is 2).
    pub fn alternations(&self, next: &Call) -> usize {
        let next = next.signature();
        let Some(before) = self.calls.back().filter(|before| **before != next) else { return 0 };
        let expected = [before, &next].into_iter().cycle();
        self.calls
            .iter()
            .rev()
            .zip(expected)
            .take_while(|(call, expected)| call == expected)
            .count()
            .div_ceil(2)
    }

    /// Returns how many of the last looks in a row showed nothing new.
    pub fn stale(&self) -> usize {
        self.stale
    }

    /// Forgets what counts against the next step, such as after a reflection; lines stay known.
    pub fn reset(&mut self) {
        self.calls.clear();
        self.errors.clear();
        self.stale = 0;
    }
}

/// Returns the kind of an error: its text without numbers and quoted names.
fn kind_of(error: &str) -> String {
    let mut quoted = false;
    let mut kind = String::new();
    for c in error.chars() {
        match c {
            '`' | '"' => quoted = !quoted,
            _ if quoted || c.is_ascii_digit() => {}
            _ => kind.push(c),
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str) -> Call {
        Call { name: name.to_owned(), parameters: serde_json::Map::new() }
    }

    fn after(calls: &[&str]) -> StuckDetector {
        let mut detector = StuckDetector::default();
        for (n, name) in calls.iter().enumerate() {
            detector.add(&call(name), &Observation::seen("", n.to_string(), false));
        }
        detector
    }

    #[test]
    fn repeated_calls_are_counted() {
        for (calls, next, same, alternating) in [
            (&[][..], "a", 1, 0),
            (&["a"], "a", 2, 0),
            (&["a", "a"], "a", 3, 0),
            (&["a", "b", "a"], "b", 1, 2),
            (&["a", "b"], "a", 1, 1),
            (&["x", "b", "a"], "b", 1, 1),
            (&["a", "b", "a", "b", "a"], "b", 1, 3),
            (&["a", "b", "c"], "d", 1, 1),
        ] {
            let detector = after(calls);
            let next = call(next);
            assert_eq!(
                (detector.same_calls(&next), detector.alternations(&next)),
                (same, alternating),
                "{calls:?}"
            );
        }
    }

    #[test]
    fn errors_of_one_kind_count_together() {
        let mut detector = StuckDetector::default();
        for error in ["can't read `a 1`: not there", "no 5", "can't read `b`: not there", "no 17"] {
            detector.add(&call("a"), &Observation::failed(error));
        }
        assert_eq!((detector.same_errors(), detector.stale()), (2, 0));
        detector.reset();
        assert_eq!(detector.same_errors(), 0);
    }

    #[test]
    fn a_look_that_shows_known_lines_is_stale() {
        let mut detector = StuckDetector::default();
        for (text, is_new, stale) in [("a\nb", true, 0), ("b\n", false, 1), ("", false, 2), ("c", true, 0)] {
            assert_eq!(
                detector.add(&call("x"), &Observation::seen("", text.to_owned(), false)),
                is_new,
                "{text}"
            );
            assert_eq!(detector.stale(), stale, "{text}");
        }
    }
}
