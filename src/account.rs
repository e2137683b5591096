//! What one key press asked of models, what it cost, and how much it may.
//!
//! Money is counted in the unit in which the user stated prices, whatever that is: no table of prices is kept here, for
//! it would be wrong soon.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Most models that one press is counted for by name; a chain has fewer.
const NAMES_MAX: usize = 32;
/// Most answers of one model whose times are kept for one press.
const TIMES_MAX: usize = 64;
/// One unit of money.
const UNIT: u64 = 1_000_000_000_000;

/// Money in trillionths of the unit in which prices are stated, so that sums are exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cost(pub u64);

impl Cost {
    /// In units.
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

/// What tokens cost, in millionths of a unit for a million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Those of them that the server had kept from an earlier request.
    pub cached: u64,
    /// Tokens of the answer.
    pub completion: u64,
}

impl Prices {
    /// The price of these tokens.
    pub fn cost(&self, tokens: Tokens) -> Cost {
        let fresh = tokens.prompt.saturating_sub(tokens.cached);
        let parts =
            [(fresh, self.prompt), (tokens.cached, self.cached), (tokens.completion, self.completion)];
        Cost(
            parts.iter().fold(0, |sum: u64, (count, price)| sum.saturating_add(count.saturating_mul(*price))),
        )
    }
}

/// Tokens of one or more calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Of prompts, all of them.
    pub prompt: u64,
    /// Those of them that were not computed anew.
    pub cached: u64,
    /// Of answers, hidden thoughts included.
    pub completion: u64,
}

/// Calls and what they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Requests that were sent, or computations that were begun; those that failed too.
    pub calls: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their price; none where no prices are set.
    pub cost: Option<Cost>,
}

impl Tally {
    /// Adds another one.
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

    /// Tokens of prompts and answers.
    pub fn all_tokens(&self) -> u64 {
        self.tokens.prompt.saturating_add(self.tokens.completion)
    }
}

/// How much may be asked of servers; 0 stands for no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Requests for one key press, those that failed on the way included.
    pub calls: u64,
    /// Tokens for one key press: no request is sent once so many are used.
    pub tokens: u64,
    /// Requests on one day, UTC.
    pub day_calls: u64,
    /// Tokens on one day.
    pub day_tokens: u64,
    /// Money on one day.
    pub day_cost: Cost,
}

impl Limits {
    /// Something counts by the day.
    pub fn count_days(&self) -> bool {
        0 < self.day_calls || 0 < self.day_tokens || Cost(0) < self.day_cost
    }

    /// Why no further request may be sent, and what to do, after `press` for this key press, of which `day`, what else was
    /// asked today, does not hold the `last` part yet.
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
            let cause = format!("the {} that today (UTC) may cost are used up", self.day_cost);
            Some((cause, "raise `day_cost` in [limits]"))
        } else {
            None
        }
    }
}

/// What one model was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// It is on a server, so that limits count.
    pub is_server: bool,
    /// Calls, tokens, cost.
    pub tally: Tally,
    /// How long each answer took; a call without one failed.
    pub times: Vec<Duration>,
}

/// What one key press asked of models, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    asked: BTreeMap<String, Asked>,
    /// What an earlier part of the same press asked of servers, which is counted with that part.
    earlier: Tally,
}

impl Account {
    /// A call to a model on this machine, or a request to a server, goes out.
    pub fn call(&mut self, name: &str, is_server: bool) {
        let asked = self.asked(name);
        asked.is_server |= is_server;
        asked.tally.calls = asked.tally.calls.saturating_add(1);
    }

    /// What the last call took, whether it gave an answer or not.
    pub fn spend(&mut self, name: &str, tokens: Tokens, cost: Option<Cost>) {
        self.asked(name).tally.add(&Tally { calls: 0, tokens, cost });
    }

    /// The last call gave an answer.
    pub fn answered(&mut self, name: &str, took: Duration) {
        let times = &mut self.asked(name).times;
        if times.len() < TIMES_MAX {
            times.push(took);
        }
    }

    /// Each model that was asked.
    pub fn models(&self) -> impl Iterator<Item = (&str, &Asked)> {
        self.asked.iter().map(|(name, asked)| (name.as_str(), asked))
    }

    /// All of them together.
    pub fn total(&self) -> Tally {
        sum(self.asked.values())
    }

    /// Those on servers together.
    pub fn servers(&self) -> Tally {
        sum(self.asked.values().filter(|asked| asked.is_server))
    }

    /// The same with those of earlier parts of the press, for which its bounds hold as well.
    pub fn servers_of_press(&self) -> Tally {
        let mut all = self.earlier;
        all.add(&self.servers());
        all
    }

    /// An account for the next part of the same press: nothing is counted in it yet, but its bounds go on.
    pub fn next_part(&self) -> Self {
        Self { asked: BTreeMap::new(), earlier: self.servers_of_press() }
    }

    fn asked(&mut self, name: &str) -> &mut Asked {
        let name =
            if self.asked.len() < NAMES_MAX || self.asked.contains_key(name) { name } else { "others" };
        self.asked.entry(name.to_owned()).or_default()
    }
}

fn sum<'a>(asked: impl Iterator<Item = &'a Asked>) -> Tally {
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
        // 0.15, 0.075 and 0.60 for a million.
        assert_eq!(PRICES.cost(tokens(1000, 400, 10)), Cost(600 * 150_000 + 400 * 75_000 + 10 * 600_000));
        let million = PRICES.cost(tokens(1_000_000, 0, 1_000_000));
        assert_eq!((million, million.to_string()), (Cost(UNIT / 4 * 3), "0.7500".to_owned()));
        assert_eq!(PRICES.cost(tokens(u64::MAX, 7, u64::MAX)), Cost(u64::MAX));
        // A server that says it had kept more than there was.
        assert_eq!(PRICES.cost(tokens(1, 2, 0)), Cost(150_000));
        for (cost, text) in [(0, "0"), (1, "<0.0001"), (UNIT / 1000, "0.0010"), (UNIT * 25 / 2, "12.50")] {
            assert_eq!(Cost(cost).to_string(), text);
        }
    }

    #[test]
    fn only_servers_count_against_limits_and_all_count_in_the_total() {
        let mut account = Account::default();
        account.call("local:x", false);
        account.spend("local:x", tokens(100, 90, 5), None);
        account.answered("local:x", Duration::from_millis(9));
        account.call("m at h", true);
        account.call("m at h", true);
        account.spend("m at h", tokens(50, 0, 5), Some(Cost(7)));
        assert_eq!(account.servers(), Tally { calls: 2, tokens: tokens(50, 0, 5), cost: Some(Cost(7)) });
        assert_eq!(account.total(), Tally { calls: 3, tokens: tokens(150, 90, 10), cost: Some(Cost(7)) });
        let answers: Vec<_> = account.models().map(|(name, asked)| (name, asked.times.len())).collect();
        assert_eq!(answers, [("local:x", 1), ("m at h", 0)]);
        let mut next = account.next_part();
        assert_eq!((next.servers(), next.servers_of_press()), (Tally::default(), account.servers()));
        next.call("m at h", true);
        assert_eq!((next.servers().calls, next.next_part().servers_of_press().calls), (1, 3));
        for n in 0..1000 {
            account.call(&format!("name {n}"), true);
            account.answered("m at h", Duration::ZERO);
        }
        assert_eq!((account.models().count(), account.total().calls), (NAMES_MAX + 1, 1003));
        assert!(account.models().all(|(_, asked)| asked.times.len() <= TIMES_MAX));
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
            // What earlier presses of the day took counts only where the day is bounded.
            assert_eq!(limits.reached(&none, &none, &used).is_some(), by_day, "{name}");
            assert_eq!(by_day, name.starts_with("day_"));
            let less = Tally { calls: 2, tokens: tokens(89, 0, 10), cost: Some(Cost(UNIT - 1)) };
            assert_eq!(limits.reached(&less, &less, &none), None, "{name}");
        }
    }
}
