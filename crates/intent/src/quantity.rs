//! Numbers, times and sizes, as people write them.

/// Unit of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TimeUnit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl TimeUnit {
    /// Parses a unit: `days`, `hrs`. `None` if the word is none.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "second" | "seconds" | "sec" | "secs" => Self::Second,
            "minute" | "minutes" | "min" | "mins" => Self::Minute,
            "hour" | "hours" | "hr" | "hrs" | "h" => Self::Hour,
            "day" | "days" | "d" => Self::Day,
            "week" | "weeks" | "wk" | "wks" => Self::Week,
            "month" | "months" => Self::Month,
            "year" | "years" | "yr" | "yrs" => Self::Year,
            _ => return None,
        })
    }

    /// Returns the length in minutes, with a month of 30 days and a year of 365; 0 for a second.
    pub(crate) fn minutes(self) -> u64 {
        match self {
            Self::Second => 0,
            Self::Minute => 1,
            Self::Hour => 60,
            Self::Day => 24 * 60,
            Self::Week => 7 * 24 * 60,
            Self::Month => 30 * 24 * 60,
            Self::Year => 365 * 24 * 60,
        }
    }
}

/// Returns the number of bytes in a unit of size: `MB`, `kilobytes`. `None` if the word is none.
pub(crate) fn size_unit(word: &str) -> Option<u64> {
    Some(match word {
        "byte" | "bytes" => 1,
        "kb" | "k" | "kib" | "kilobyte" | "kilobytes" | "kibibyte" | "kibibytes" => 1 << 10,
        "mb" | "m" | "mib" | "meg" | "megs" | "megabyte" | "megabytes" | "mebibyte" | "mebibytes" => 1 << 20,
        "gb" | "g" | "gib" | "gig" | "gigs" | "gigabyte" | "gigabytes" | "gibibyte" | "gibibytes" => 1 << 30,
        _ => return None,
    })
}

/// Reports whether a word behind a number is its unit.
pub(crate) fn is_unit(word: &str) -> bool {
    TimeUnit::of(word).is_some() || size_unit(word).is_some() || word == "ms"
}

/// Parses a number in digits or as a word (`two` to `twelve`, tens, `hundred`, `thousand`). `one` and `a` are none:
/// they often count nothing.
pub(crate) fn number(word: &str) -> Option<u64> {
    const WORDS: [&str; 13] =
        ["", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    const TENS: [(&str, u64); 10] = [
        ("fifteen", 15),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("ninety", 90),
        ("hundred", 100),
        ("thousand", 1000),
        ("million", 1_000_000),
    ];
    if word.is_empty() {
        return None;
    }
    let named = WORDS.iter().position(|known| *known == word).map(|n| n as u64);
    let tens = || TENS.iter().find(|(known, _)| *known == word).map(|(_, n)| *n);
    let digits = word.trim_end_matches('%');
    // `4,096` is a number, `100,50` are two.
    let is_one = digits.split(',').skip(1).all(|group| group.len() == 3);
    named.or_else(tens).or_else(|| is_one.then(|| digits.replace(',', "").parse().ok())?)
}

/// Parses an ordinal number: `2nd`, `third`. `first` is 1.
pub(crate) fn nth(word: &str) -> Option<u64> {
    const WORDS: [&str; 11] =
        ["", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let named = WORDS.iter().position(|known| *known == word && !word.is_empty()).map(|n| n as u64);
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let end = word.strip_prefix(digits)?;
    named.or_else(|| matches!(end, "st" | "nd" | "rd" | "th").then(|| digits.parse().ok())?)
}
