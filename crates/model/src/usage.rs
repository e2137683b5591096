//! Model usage of one key press: calls, tokens, cost and their limits.
//!
//! Money is counted in the unit in which the user stated prices. askline has no price table of its own, because
//! such a table would soon be wrong.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Maximum number of models counted by name for one key press; a chain has fewer.
const NAMES_MAX: usize = 32;
/// Maximum number of answer times kept per model for one key press.
const TIMES_MAX: usize = 64;
/// [`Cost`] value of one unit of money.
const UNIT: u64 = 1_000_000_000_000;

/// Money in trillionths of the unit in which prices are stated, so sums are exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cost(pub u64);

impl Cost {
    /// Returns the amount in units.
    pub fn units(self) -> f64 {
        self.0 as f64 / UNIT as f64
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.units() {
            0.0 => f.write_str("0"),
            little if little < 0.0001 => f.write_str("<0.0001"),
            some if some < 1.0 => write!(f, "{some:.4}"),
            much => write!(f, "{much:.2}"),
        }
    }
}

/// Prices of tokens, in millionths of a unit per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// Price of prompt tokens.
    pub prompt: u64,
    /// Price of prompt tokens that the server had cached from an earlier request.
    pub cached: u64,
    /// Price of answer tokens.
    pub completion: u64,
}

impl Prices {
    /// Returns the price of these tokens.
    pub fn cost(&self, tokens: Tokens) -> Cost {
        let fresh = tokens.prompt.saturating_sub(tokens.cached);
        let parts =
            [(fresh, self.prompt), (tokens.cached, self.cached), (tokens.completion, self.completion)];
        Cost(
            parts.iter().fold(0, |sum: u64, (count, price)| sum.saturating_add(count.saturating_mul(*price))),
        )
    }
}

/// Token counts of one or more calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Number of prompt tokens, cached ones included.
    pub prompt: u64,
    /// Number of prompt tokens that came from a cache and were not computed again.
    pub cached: u64,
    /// Number of answer tokens, hidden reasoning included.
    pub completion: u64,
}

/// Calls with their tokens and cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Number of requests sent or computations started, failed ones included.
    pub calls: u64,
    /// Tokens of these calls.
    pub tokens: Tokens,
    /// Price of these calls; `None` if no prices are set.
    pub cost: Option<Cost>,
}

impl Tally {
    /// Adds another tally to this one.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tokens.prompt = self.tokens.prompt.saturating_add(other.tokens.prompt);
        self.tokens.cached = self.tokens.cached.saturating_add(other.tokens.cached);
        self.tokens.completion = self.tokens.completion.saturating_add(other.tokens.completion);
        self.cost = match (self.cost, other.cost) {
            (Some(Cost(one)), Some(Cost(two))) => Some(Cost(one.saturating_add(two))),
            (one, two) => one.or(two),
        };
    }

    /// Returns the number of prompt and answer tokens.
    pub fn all_tokens(&self) -> u64 {
        self.tokens.prompt.saturating_add(self.tokens.completion)
    }
}

/// Limits on requests to servers; 0 means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Requests per key press, failed ones included.
    pub calls: u64,
    /// Tokens per key press: no request is sent once this many are used.
    pub tokens: u64,
    /// Requests per day (UTC).
    pub day_calls: u64,
    /// Tokens per day (UTC).
    pub day_tokens: u64,
    /// Money per day (UTC).
    pub day_cost: Cost,
}

impl Limits {
    /// Reports whether any limit counts by the day.
    pub fn count_days(&self) -> bool {
        0 < self.day_calls || 0 < self.day_tokens || Cost(0) < self.day_cost
    }

    /// Returns why no further request may be sent and what the user can do, or `None` if one may be sent.
    /// `press` is the usage of this key press. `day` is the other usage of today, without the `last` part of
    /// this press.
    pub fn reached(&self, press: &Tally, last: &Tally, day: &Tally) -> Option<(String, &'static str)> {
        let mut all = *day;
        all.add(last);
        let cost = all.cost.unwrap_or_default();
        let over = |limit: u64, used: u64| 0 < limit && limit <= used;
        if over(self.calls, press.calls) {
            Some((
                format!("the {} calls for one key press are used up", self.calls),
                "raise `calls` in [limits]",
            ))
        } else if over(self.tokens, press.all_tokens()) {
            let cause = format!("the {} tokens for one key press are used up", self.tokens);
            Some((cause, "raise `tokens` in [limits]"))
        } else if over(self.day_calls, all.calls) {
            let cause = format!("the {} calls of today (UTC) are used up", self.day_calls);
            Some((cause, "raise `day_calls` in [limits]"))
        } else if over(self.day_tokens, all.all_tokens()) {
            let cause = format!("the {} tokens of today (UTC) are used up", self.day_tokens);
            Some((cause, "raise `day_tokens` in [limits]"))
        } else if over(self.day_cost.0, cost.0) {
            let cause = format!("the cost limit of {} for today (UTC) is used up", self.day_cost);
            Some((cause, "raise `day_cost` in [limits]"))
        } else {
            None
        }
    }
}

/// Usage of one model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// `true` if the model is on a server, so limits apply.
    pub is_server: bool,
    /// Calls, tokens and cost.
    pub tally: Tally,
    /// Time of each answer. A call without an entry failed.
    pub times: Vec<Duration>,
}

/// Usage of all models in one key press, by model name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    asked: BTreeMap<String, ModelUsage>,
    /// Server usage of earlier parts of the same key press; it is recorded with those parts.
    earlier: Tally,
}

impl Usage {
    /// Counts a call to a local model or a request to a server.
    pub fn call(&mut self, name: &str, is_server: bool) {
        let asked = self.asked(name);
        asked.is_server |= is_server;
        asked.tally.calls = asked.tally.calls.saturating_add(1);
    }

    /// Adds the tokens and cost of the last call, whether it gave an answer or not.
    pub fn spend(&mut self, name: &str, tokens: Tokens, cost: Option<Cost>) {
        self.asked(name).tally.add(&Tally { calls: 0, tokens, cost });
    }

    /// Records the time of the last call, which gave an answer.
    pub fn answered(&mut self, name: &str, took: Duration) {
        let times = &mut self.asked(name).times;
        if times.len() < TIMES_MAX {
            times.push(took);
        }
    }

    /// Returns each model that was asked, with its usage.
    pub fn models(&self) -> impl Iterator<Item = (&str, &ModelUsage)> {
        self.asked.iter().map(|(name, asked)| (name.as_str(), asked))
    }

    /// Returns the usage of all models together.
    pub fn total(&self) -> Tally {
        sum(self.asked.values())
    }

    /// Returns the usage of all server models together.
    pub fn servers(&self) -> Tally {
        sum(self.asked.values().filter(|asked| asked.is_server))
    }

    /// Returns the server usage of the whole key press, earlier parts included; limits apply to this sum.
    pub fn servers_of_press(&self) -> Tally {
        let mut all = self.earlier;
        all.add(&self.servers());
        all
    }

    /// Returns the usage for the next part of the same key press: nothing is counted yet, but earlier server
    /// usage still counts towards the limits.
    pub fn next_part(&self) -> Self {
        Self { asked: BTreeMap::new(), earlier: self.servers_of_press() }
    }

    fn asked(&mut self, name: &str) -> &mut ModelUsage {
        let name =
            if self.asked.len() < NAMES_MAX || self.asked.contains_key(name) { name } else { "others" };
        self.asked.entry(name.to_owned()).or_default()
    }
}

fn sum<'a>(asked: impl Iterator<Item = &'a ModelUsage>) -> Tally {
    asked.fold(Tally::default(), |mut sum, asked| {
        sum.add(&asked.tally);
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices = Prices { prompt: 150_000, cached: 75_000, completion: 600_000 };

    fn tokens(prompt: u64, cached: u64, completion: u64) -> Tokens {
        Tokens { prompt, cached, completion }
    }

    #[test]
    fn a_price_is_exact_and_never_overflows() {
        // Prices per million: 0.15, 0.075 and 0.60.
        assert_eq!(PRICES.cost(tokens(1000, 400, 10)), Cost(600 * 150_000 + 400 * 75_000 + 10 * 600_000));
        let million = PRICES.cost(tokens(1_000_000, 0, 1_000_000));
        assert_eq!((million, million.to_string()), (Cost(UNIT / 4 * 3), "0.7500".to_owned()));
        assert_eq!(PRICES.cost(tokens(u64::MAX, 7, u64::MAX)), Cost(u64::MAX));
        // A server may report more cached tokens than the prompt has.
        assert_eq!(PRICES.cost(tokens(1, 2, 0)), Cost(150_000));
        for (cost, text) in [(0, "0"), (1, "<0.0001"), (UNIT / 1000, "0.0010"), (UNIT * 25 / 2, "12.50")] {
            assert_eq!(Cost(cost).to_string(), text);
        }
    }

    #[test]
    fn only_servers_count_against_limits_and_all_count_in_the_total() {
        let mut usage = Usage::default();
        usage.call("local:x", false);
        usage.spend("local:x", tokens(100, 90, 5), None);
        usage.answered("local:x", Duration::from_millis(9));
        usage.call("m at h", true);
        usage.call("m at h", true);
        usage.spend("m at h", tokens(50, 0, 5), Some(Cost(7)));
        assert_eq!(usage.servers(), Tally { calls: 2, tokens: tokens(50, 0, 5), cost: Some(Cost(7)) });
        assert_eq!(usage.total(), Tally { calls: 3, tokens: tokens(150, 90, 10), cost: Some(Cost(7)) });
        let answers: Vec<_> = usage.models().map(|(name, asked)| (name, asked.times.len())).collect();
        assert_eq!(answers, [("local:x", 1), ("m at h", 0)]);
        let mut next = usage.next_part();
        assert_eq!((next.servers(), next.servers_of_press()), (Tally::default(), usage.servers()));
        next.call("m at h", true);
        assert_eq!((next.servers().calls, next.next_part().servers_of_press().calls), (1, 3));
        for n in 0..1000 {
            usage.call(&format!("name {n}"), true);
            usage.answered("m at h", Duration::ZERO);
        }
        assert_eq!((usage.models().count(), usage.total().calls), (NAMES_MAX + 1, 1003));
        assert!(usage.models().all(|(_, asked)| asked.times.len() <= TIMES_MAX));
    }

    #[test]
    fn each_limit_says_what_to_raise_and_zero_bounds_nothing() {
        let used = Tally { calls: 3, tokens: tokens(90, 0, 10), cost: Some(Cost(UNIT)) };
        let none = Tally::default();
        assert_eq!(Limits::default().reached(&used, &used, &used), None);
        let one = |limits: Limits| (limits, limits.count_days());
        for ((limits, by_day), name) in [
            (one(Limits { calls: 3, ..Limits::default() }), "calls"),
            (one(Limits { tokens: 100, ..Limits::default() }), "tokens"),
            (one(Limits { day_calls: 3, ..Limits::default() }), "day_calls"),
            (one(Limits { day_tokens: 100, ..Limits::default() }), "day_tokens"),
            (one(Limits { day_cost: Cost(UNIT), ..Limits::default() }), "day_cost"),
        ] {
            let (cause, remedy) = limits.reached(&used, &used, &none).unwrap();
            assert_eq!(remedy, format!("raise `{name}` in [limits]"), "{cause}");
            assert!(cause.chars().count() < 60, "{cause}");
            // Usage of earlier key presses counts only for daily limits.
            assert_eq!(limits.reached(&none, &none, &used).is_some(), by_day, "{name}");
            assert_eq!(by_day, name.starts_with("day_"));
            let less = Tally { calls: 2, tokens: tokens(89, 0, 10), cost: Some(Cost(UNIT - 1)) };
            assert_eq!(limits.reached(&less, &less, &none), None, "{name}");
        }
    }
}
