//! Dates without a year: "commits since nov 20" means the last 20 November, in whatever year a model writes.

use std::ops::Range;

use super::{Case, Contradiction, Date, Subject};
use crate::mismatch::{Certainty, Edit, Mismatch};
use askline_syntax::Span;

/// Beginnings of the names of months, in order.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Whole names of months; of these words only a name or its beginning is a month, not `march` of "marching".
const MONTH_NAMES: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Options and tests whose value is a time in the past.
const PAST: [&str; 8] =
    ["-newermt", "-newerct", "-newerat", "-newerBt", "--since", "--until", "--after", "--before"];
/// Words of requests that are about another year.
const OTHER_YEAR: [&str; 5] = ["year", "years", "yr", "yrs", "decade"];
/// Years that a date may have.
const YEARS: Range<u16> = 1970..2100;
/// Maximum number of days between the date of the request and that of the line: "after nov 23" begins on the 24th.
const DAYS_MAX: u16 = 1;
/// Length of a date such as `2026-11-20`.
const DATE_BYTES: usize = 10;

/// A day of any year.
#[derive(Clone, Copy)]
struct Day {
    month: u8,
    day: u8,
}

/// Returns the dates of the line with another year than the last one in which there was such a day.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let Some(today) = case.here.today else { return Vec::new() };
    let wanted = days(case);
    let text = case.line.text();
    if wanted.is_empty() || !PAST.iter().any(|option| text.contains(option)) {
        return Vec::new();
    }
    let mut found = dates(text).collect::<Vec<_>>();
    // The only date of the line, in the month of the only day that was said, is meant to be that day.
    if let ([(_, date)], [(meant, _)]) = (found.as_mut_slice(), wanted.as_slice())
        && date.month == meant.month
        && meant.place().abs_diff(Day { month: date.month, day: date.day }.place()) > DAYS_MAX
    {
        date.day = meant.day;
    }
    found.into_iter().filter_map(|(span, date)| compare(case, &wanted, today, span, date)).collect()
}

fn compare(
    case: &Case<'_>,
    wanted: &[(Day, Span)],
    today: Date,
    span: Span,
    date: Date,
) -> Option<Contradiction> {
    let day = Day { month: date.month, day: date.day };
    let (meant, said) = wanted.iter().find(|(meant, _)| meant.place().abs_diff(day.place()) <= DAYS_MAX)?;
    let is_over = meant.place() <= Day { month: today.month, day: today.day }.place();
    let year = if is_over { today.year } else { today.year.checked_sub(1)? };
    let new = format!("{year:04}-{:02}-{:02}", date.month, date.day);
    let text = case.line.text();
    if text.get(span.clone())? == new {
        return None;
    }
    Some(Contradiction {
        mismatch: Mismatch {
            text: format!("you said \"{}\"; the line has another day", case.request.get(said.clone())?),
            said: Some(said.clone()),
            certainty: Certainty::Sure,
            edit: Some(Edit::replace(text, span.clone(), new)),
            span,
        },
        facts: String::new(),
        subject: Subject::Calendar,
        copies_folder: false,
    })
}

/// Returns the days that a request names, if it names no year.
fn days(case: &Case<'_>) -> Vec<(Day, Span)> {
    let word = |at: usize| case.tokens.get(at).map_or("", |token| token.lower.as_str());
    let is_year = |word: &str| word.parse().is_ok_and(|year: u16| YEARS.contains(&year));
    if case.tokens.iter().any(|token| is_year(&token.lower)) || case.has_word(&OTHER_YEAR) {
        return Vec::new();
    }
    let day = |at: usize| {
        let month = month(word(at))?;
        let beside = [Some(at + 1), at.checked_sub(1), at.checked_sub(2).filter(|_| word(at - 1) == "of")]
            .into_iter()
            .flatten()
            .find_map(|at| Some((at, day_number(word(at))?)));
        let (other, day) = beside?;
        let (first, last) = (case.tokens.get(at.min(other))?, case.tokens.get(at.max(other))?);
        Some((Day { month, day }, first.span.start..last.span.end))
    };
    (0..case.tokens.len()).filter_map(day).collect()
}

fn month(word: &str) -> Option<u8> {
    let is_it =
        |(short, name): (&&str, &&str)| word == *short || word == *name || word == "sept" && *short == "sep";
    let at = MONTHS.iter().zip(&MONTH_NAMES).position(is_it)?;
    u8::try_from(at + 1).ok()
}

/// Returns the number of `20` or `3rd`, if a month can have it.
fn day_number(word: &str) -> Option<u8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

/// Returns the dates of a line that are written as `2026-11-20`.
fn dates(text: &str) -> impl Iterator<Item = (Span, Date)> {
    let is_date = |at: usize| {
        let part = text.get(at..at + DATE_BYTES)?;
        let is_apart = |at: Option<&u8>| at.is_none_or(|byte| !byte.is_ascii_digit() && *byte != b'-');
        let bytes = text.as_bytes();
        let is_whole =
            is_apart(at.checked_sub(1).and_then(|at| bytes.get(at))) && is_apart(bytes.get(at + DATE_BYTES));
        Some((at..at + DATE_BYTES, Date::read(part)?)).filter(|_| is_whole)
    };
    (0..text.len()).filter_map(is_date)
}

impl Day {
    /// Returns its place in a year of months with 31 days.
    fn place(self) -> u16 {
        u16::from(self.month) * 31 + u16::from(self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Date, Here, adapt};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn a_date_without_a_year_is_the_last_such_day() {
        let here = Here { today: Date::read("2026-11-28"), ..Here::default() };
        for (request, line, expected) in [
            (
                "files changed between nov 20 and nov 24",
                "find . -type f -newermt 2023-11-20 ! -newermt 2023-11-25",
                Some("find . -type f -newermt 2026-11-20 ! -newermt 2026-11-25"),
            ),
            (
                "commits since the 3rd of december",
                "git log --since='2024-12-03 00:00'",
                Some("git log --since='2025-12-03 00:00'"),
            ),
            ("commits since dec 3", "git log --since=2025-12-03", None),
            ("commits since dec 3 2024", "git log --since=2024-12-03", None),
            ("commits since dec 3 last year", "git log --since=2024-12-03", None),
            ("commits since march", "git log --since=2024-03-01", None),
            ("files older than the ones of nov 20", "ls 2023-11-20", None),
            (
                "logs after november 23",
                "journalctl --since 2023-11-24",
                Some("journalctl --since 2026-11-24"),
            ),
            ("logs after november 23", "journalctl --since 2023-10-24", None),
            (
                "commits since nov 20",
                "git log --since='2021-11-01 00:00'",
                Some("git log --since='2026-11-20 00:00'"),
            ),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            let adapted = adapt(request, &line, &here).map(|adapted| adapted.line);
            assert_eq!(adapted.as_deref(), expected, "{request}");
        }
    }
}
