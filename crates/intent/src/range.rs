//! Two limits in a request: "between 7 and 30 days ago", "more than 2 but less than 4 hours", "200k to 1 MB".

use crate::quantity::{TimeUnit, number, size_unit};
use crate::request::Token;
use askline_syntax::Span;

/// Maximum number of words between the two numbers.
const BETWEEN_MAX: usize = 5;

/// Unit of both limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Ages; the limits are minutes.
    Time(TimeUnit),
    /// Sizes; the limits are bytes.
    Bytes(u64),
}

/// Two limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) unit: Unit,
    pub(crate) said: Span,
}

impl Range {
    /// Returns one unit, in minutes or bytes.
    pub(crate) fn step(&self) -> u64 {
        match self.unit {
            Unit::Time(unit) => {
                if unit < TimeUnit::Day {
                    0
                } else {
                    TimeUnit::Day.minutes()
                }
            }
            Unit::Bytes(_) => 1,
        }
    }
}

/// Returns the first two numbers of a request that are limits of one kind.
pub(crate) fn of(tokens: &[Token]) -> Option<Range> {
    let word =
        |at: usize| tokens.get(at).filter(|token| !token.quoted).map_or("", |token| token.lower.as_str());
    let numbers: Vec<(usize, u64)> =
        (0..tokens.len()).filter_map(|at| Some((at, number(word(at))?))).collect();
    let (first, second) = numbers.windows(2).find_map(|pair| {
        let [first, second] = pair else { return None };
        (second.0 - first.0 <= BETWEEN_MAX && unit(word(second.0 + 1)).is_some()).then_some((*first, *second))
    })?;
    let last = unit(word(second.0 + 1))?;
    let own = unit(word(first.0 + 1)).unwrap_or(last);
    let joins = tokens.get(first.0 + 1..second.0)?;
    let has = |words: &[&str]| joins.iter().any(|token| words.contains(&token.lower.as_str()));
    let before = word(first.0.wrapping_sub(1));
    let is_range = matches!(before, "between" | "from") && has(&["and", "to", "till", "until"])
        || has(&["to"]) && matches!(own, Unit::Bytes(_))
        || has(&["but", "and"]) && has(&["less", "under", "smaller", "below", "newer", "younger", "most"]);
    let value = |count: u64, unit: Unit| match unit {
        Unit::Time(unit) => count.saturating_mul(unit.minutes()),
        Unit::Bytes(bytes) => count.saturating_mul(bytes),
    };
    let (low, high) = (value(first.1, own), value(second.1, last));
    let is_one_kind =
        matches!((own, last), (Unit::Time(_), Unit::Time(_)) | (Unit::Bytes(_), Unit::Bytes(_)));
    let said = tokens.get(first.0.saturating_sub(1))?.span.start..tokens.get(second.0 + 1)?.span.end;
    (is_range && is_one_kind && 0 < low && low < high).then_some(Range { low, high, unit: last, said })
}

fn unit(word: &str) -> Option<Unit> {
    let time = TimeUnit::of(word).filter(|unit| *unit != TimeUnit::Second).map(Unit::Time);
    time.or_else(|| size_unit(word).map(Unit::Bytes))
}

#[cfg(test)]
mod tests {
    use crate::request::tokens;

    #[test]
    fn two_limits_of_one_kind() {
        for (request, expected) in [
            ("files modified between 7 and 30 days ago", Some((7 * 1440, 30 * 1440))),
            ("more than 2 but less than 4 hours ago", Some((120, 240))),
            ("mp3s of 200k to 1 MB", Some((200 << 10, 1 << 20))),
            ("the first 2 lines of 4 files", None),
            ("files larger than 5 MB, 3 days old", None),
        ] {
            assert_eq!(
                super::of(&tokens(request)).map(|range| (range.low, range.high)),
                expected,
                "{request}"
            );
        }
    }
}
