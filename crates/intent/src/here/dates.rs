//! Dates without a year: "commits since nov 20" means the last 20 November, in whatever year a model writes.

use std::ops::Range;

use crate::here::{Case, Contradiction, Date, Subject};
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::tool::Tool;
use askline_syntax::{SimpleCommand, Span, Word};

/// Beginnings of the names of months, in order.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Whole names of months.
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
/// Number of days of the months, in a leap year.
const MONTH_DAYS: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/// Words before a day that stands before its month: "since 20 nov". Without one the number may count something else.
const BEFORE_DAYS: [&str; 11] =
    ["after", "and", "before", "between", "from", "of", "on", "since", "the", "till", "until"];
/// Options and tests whose value is a time in the past.
const PAST: [&str; 8] =
    ["-newermt", "-newerct", "-newerat", "-newerBt", "--since", "--until", "--after", "--before"];
/// Subcommands of git that print commits.
const LOGS: [&str; 4] = ["log", "rev-list", "shortlog", "whatchanged"];
/// Words of requests that are about another year.
const OTHER_YEAR: [&str; 5] = ["year", "years", "yr", "yrs", "decade"];
/// Years that a date may have.
const YEARS: Range<u16> = 1970..2100;
/// Number of years by which a date may differ from today's without being said.
const NEAR_YEARS: u16 = 1;
/// The year in which clocks of computers begin.
const EPOCH: u16 = 1970;
/// Number of digits of a year.
const YEAR_DIGITS: usize = 4;
/// Maximum number of days between the date of the request and that of the line ("after nov 23" begins on the 24th), and by
/// which the user's date may be ahead of the world's.
const DAYS_MAX: u16 = 1;
/// Length of a date such as `2026-11-20`.
const DATE_BYTES: usize = 10;

/// A day of any year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Day {
    month: u8,
    day: u8,
}

/// A day that the request names.
#[derive(Debug, Clone)]
struct Said {
    day: Day,
    span: Span,
}

/// Returns the dates of the line with another year than the one that is meant, and else those with a year from nowhere.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let of_days = of_days(case);
    if of_days.is_empty() { from_nowhere(case) } else { of_days }
}

/// Returns the dates with a year that is neither said nor near: models write those of their training.
fn from_nowhere(case: &Case<'_>) -> Vec<Contradiction> {
    let Some(today) = case.here.today else { return Vec::new() };
    if case.tokens.iter().any(|token| has_year(&token.lower)) || case.has_word(&OTHER_YEAR) {
        return Vec::new();
    }
    let is_date = |command: &&SimpleCommand| matches!(command.name(), Some("date" | "gdate"));
    let of_date =
        case.line.own().commands.iter().filter(is_date).flat_map(|command| command.words.iter().skip(1));
    let is_far = |year: u16| NEAR_YEARS < today.year.abs_diff(year) && year != EPOCH;
    let words = values(case).chain(of_date);
    let far = words.filter(|word| years(&word.text).any(is_far));
    far.map(|word| Contradiction {
        mismatch: Mismatch::likely(
            word.span.clone(),
            format!("you named no year; the line has `{}`", word.text),
        ),
        facts: String::new(),
        subject: Subject::Calendar,
        copies_folder: false,
    })
    .collect()
}

/// Returns the dates of the line with another year than the last one in which there was such a day. Says nothing unless it knows
/// what is meant by each date.
fn of_days(case: &Case<'_>) -> Vec<Contradiction> {
    let Some(today) = case.here.today else { return Vec::new() };
    let said = days(case);
    let found: Vec<(Span, Date)> = values(case).flat_map(|word| dates(case.line.text(), word)).collect();
    let [first, rest @ ..] = said.as_slice() else { return Vec::new() };
    // From december to january the years are two.
    if rest.iter().any(|other| other.day.place() < first.day.place()) {
        return Vec::new();
    }
    let today = Day { month: today.month, day: today.day }.place();
    let year = case.here.today.map(|today| today.year);
    // If the first day is still to come this year, the last one was a year ago.
    let is_over = first.day.place() <= today + DAYS_MAX;
    let Some(year) = year.and_then(|year| if is_over { Some(year) } else { year.checked_sub(1) }) else {
        return Vec::new();
    };
    let meant = |date: &Date| {
        let place = Day { month: date.month, day: date.day }.place();
        said.iter().find(|said| said.day.place().abs_diff(place) <= DAYS_MAX)
    };
    if !found.iter().all(|(_, date)| meant(date).is_some() && is_day(Date { year, ..*date })) {
        return Vec::new();
    }
    let others = found.iter().filter(|(_, date)| date.year != year);
    others
        .filter_map(|(span, date)| Some(contradiction(case, meant(date)?, span.clone(), *date, year)))
        .collect()
}

fn contradiction(case: &Case<'_>, said: &Said, span: Span, date: Date, year: u16) -> Contradiction {
    let text = case.line.text();
    let (old, new) =
        (text.get(span.clone()).unwrap_or_default(), format!("{year:04}-{:02}-{:02}", date.month, date.day));
    let words = case.request.get(said.span.clone()).unwrap_or_default();
    // What a line deletes or moves is not left to a guess.
    let edit = (!case.destroys || reads_log(case)).then(|| Edit::replace(text, span.clone(), new));
    Contradiction {
        mismatch: Mismatch {
            text: format!("you said \"{words}\"; `{old}` has another year"),
            said: Some(said.span.clone()),
            certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
            edit,
            span,
        },
        facts: String::new(),
        subject: Subject::Calendar,
        copies_folder: false,
    }
}

/// Reports whether a line prints a log, and hands it to tools that only read.
fn reads_log(case: &Case<'_>) -> bool {
    let mut commands = case.line.own().commands.iter();
    let is_log = |command: &SimpleCommand| match command.name() {
        Some("journalctl") => true,
        Some("git") => command.words.get(1).is_some_and(|word| LOGS.contains(&word.text.as_str())),
        _ => false,
    };
    let reads = |command: &SimpleCommand| Tool::of(command).is_some_and(|tool| !tool.destroys);
    commands.next().is_some_and(is_log) && commands.all(reads)
}

/// Returns the days that a request names, in order; none if it names a year, or if a number may be something else.
fn days(case: &Case<'_>) -> Vec<Said> {
    let word = |at: usize| case.tokens.get(at).map_or("", |token| token.lower.as_str());
    if case.tokens.iter().any(|token| has_year(&token.lower)) || case.has_word(&OTHER_YEAR) {
        return Vec::new();
    }
    let said = |at: usize| {
        let month = month(word(at))?;
        let of = usize::from(at.checked_sub(1).is_some_and(|before| word(before) == "of"));
        let before = at.checked_sub(1 + of).filter(|before| {
            let is_day = day_number(word(*before)).is_some();
            let has_ending = word(*before).parse::<u8>().is_err();
            let is_led = before.checked_sub(1).is_some_and(|led| BEFORE_DAYS.contains(&word(led)));
            is_day && (has_ending || of == 1 || is_led)
        });
        let behind = Some(at + 1).filter(|behind| day_number(word(*behind)).is_some());
        let other = match (before, behind) {
            (Some(at), None) | (None, Some(at)) => at,
            _ => return None,
        };
        let day = Day { month, day: day_number(word(other))? };
        let (first, last) = (case.tokens.get(at.min(other))?, case.tokens.get(at.max(other))?);
        // "november, 10 at most"
        let between = case.request.get(first.span.end..last.span.start)?;
        (!between.contains([',', ';', ':'])).then_some(Said { day, span: first.span.start..last.span.end })
    };
    (0..case.tokens.len()).filter_map(said).collect()
}

/// Reports whether a word has a year in it: `2024`, `2024-11-20`.
fn has_year(word: &str) -> bool {
    years(word).next().is_some()
}

/// Returns the years in a text.
fn years(text: &str) -> impl Iterator<Item = u16> {
    let parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| part.len() == YEAR_DIGITS);
    parts.filter_map(|part| part.parse().ok()).filter(|year| YEARS.contains(year))
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

/// Reports whether there is such a day in such a year.
fn is_day(date: Date) -> bool {
    let is_leap =
        date.year.is_multiple_of(4) && !date.year.is_multiple_of(100) || date.year.is_multiple_of(400);
    let most = usize::from(date.month).checked_sub(1).and_then(|month| MONTH_DAYS.get(month));
    most.is_some_and(|most| date.day <= *most) && (is_leap || (date.month, date.day) != (2, 29))
}

/// Returns the words of the line that are, or hold behind a `=`, a time in the past.
fn values<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c Word> {
    let own = case.line.own().commands.iter();
    own.flat_map(|command| {
        let words = command.words.iter().zip(command.words.iter().skip(1));
        words.flat_map(|(option, value)| {
            let is_past = |word: &Word| PAST.contains(&word.text.as_str());
            let is_joined =
                |word: &Word| word.text.split_once('=').is_some_and(|(name, _)| PAST.contains(&name));
            [(is_past(option), value), (is_joined(value), value)]
        })
    })
    .filter_map(|(is_value, word)| is_value.then_some(word))
}

/// Returns the dates in a word that are written as `2026-11-20`.
fn dates<'t>(text: &'t str, word: &Word) -> impl Iterator<Item = (Span, Date)> + use<'t> {
    let is_date = |at: usize| {
        let date = Date::read(text.get(at..at + DATE_BYTES)?)?;
        let is_apart = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_digit() && *byte != b'-');
        let bytes = text.as_bytes();
        let is_whole =
            is_apart(at.checked_sub(1).and_then(|at| bytes.get(at))) && is_apart(bytes.get(at + DATE_BYTES));
        is_whole.then_some((at..at + DATE_BYTES, date))
    };
    word.span.clone().filter_map(is_date)
}

impl Day {
    /// Returns its place in a year of months with 31 days.
    fn place(self) -> u16 {
        u16::from(self.month) * 31 + u16::from(self.day)
    }
}

#[cfg(test)]
mod tests {
    use crate::here::{Date, Here, adapt, contradictions};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    fn here() -> Here {
        Here { today: Date::read("2026-11-28"), ..Here::default() }
    }

    #[test]
    fn a_date_without_a_year_is_the_last_such_day() {
        for (request, line, expected) in [
            (
                "files changed between nov 20 and nov 24",
                "find . -type f -newermt 2023-11-20 ! -newermt 2023-11-25",
                "find . -type f -newermt 2026-11-20 ! -newermt 2026-11-25",
            ),
            (
                "commits since the 3rd of december",
                "git log --since='2024-12-03 00:00'",
                "git log --since='2025-12-03 00:00'",
            ),
            (
                "commits of nov 20",
                "git log --since=2023-11-20 --until=2023-11-21",
                "git log --since=2026-11-20 --until=2026-11-21",
            ),
            ("logs after 23 november", "journalctl --since 2023-11-24", "journalctl --since 2026-11-24"),
            ("logs after november 23", "journalctl --since 2023-11-24", "journalctl --since 2026-11-24"),
            (
                "between nov 20 and nov 30",
                "find . -newermt 2025-11-20 ! -newermt 2025-11-30",
                "find . -newermt 2026-11-20 ! -newermt 2026-11-30",
            ),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            let adapted = adapt(request, &line, &here()).map(|adapted| adapted.line);
            assert_eq!(adapted.as_deref(), Some(expected), "{request}");
        }
    }

    #[test]
    fn a_year_from_nowhere_is_told() {
        for (request, line, expected) in [
            ("days until christmas", "echo $(( ($(date -d '2024-12-25' +%s) - $(date +%s)) / 86400 ))", 1),
            ("days until christmas", "echo $(( ($(date -d 'Dec 25' +%s) - $(date +%s)) / 86400 ))", 0),
            ("files from nov 23 on", "find . -newermt 2023-11-23 ! -newermt 2023-11-01", 2),
            ("commits since march", "git log --since=2024-03-01", 1),
            ("commits since march", "git log --since=2025-03-01", 0),
            ("commits since march 2024", "git log --since=2024-03-01", 0),
            ("commits of the last two years", "git log --since=2024-03-01", 0),
            ("seconds since the epoch", "echo $(( $(date +%s) - $(date -d 1970-01-01 +%s) ))", 0),
            ("what weekday was 2024-02-29", "date -d 2024-02-29 +%A", 0),
            ("when is that", "date -d @1700000000", 0),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            assert_eq!(contradictions(request, &line, &here()).len(), expected, "{request}: {line:?}");
        }
    }

    #[test]
    fn other_dates_are_left_alone() {
        for (request, line) in [
            ("commits since dec 3", "git log --since=2025-12-03"),
            // The user's day may have begun before the world's.
            ("commits since nov 29", "git log --since=2026-11-29"),
            ("commits since dec 3 2024", "git log --since=2024-12-03"),
            ("files between 2024-11-20 and nov 25", "find . -newermt 2024-11-20 ! -newermt 2024-11-25"),
            ("commits since dec 3 last year", "git log --since=2024-12-03"),
            ("commits since march", "git log --since=2024-03-01"),
            ("commits since november, 10 at most", "git log --since=2024-11-10 -n 10"),
            ("the last 5 november commits", "git log --since=2024-11-05 -n 5"),
            ("commits since 3 nov 10 am", "git log --since='2024-11-03 10:00'"),
            ("files older than the ones of nov 20", "ls 2023-11-20"),
            ("copy files changed since nov 20 to the backup", "cp $(find . -newermt 2026-11-20) 2023-11-20/"),
            ("files since nov 20", "find . -newermt 2026-11-20 ! -name report_2024-11-20.csv"),
            ("3 lines after nov 20", "grep --after-context=3 2024-11-20 app.log"),
            ("logs after november 23", "journalctl --since 2023-10-24"),
            ("between nov 20 and 24", "find . -newermt 2023-11-20 ! -newermt 2023-11-25"),
            ("between dec 20 and jan 5", "find . -newermt 2025-12-20 ! -newermt 2026-01-05"),
            ("since feb 29", "git log --since=2024-02-29"),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            assert_eq!(adapt(request, &line, &here()), None, "{request}");
        }
        let deletes = ParsedLine::new("find . -newermt 2023-11-20 -delete", Shell::Bash);
        let request = "delete what changed since nov 20";
        assert_eq!(adapt(request, &deletes, &here()), None);
        assert_eq!(contradictions(request, &deletes, &here()).len(), 1);
    }
}
