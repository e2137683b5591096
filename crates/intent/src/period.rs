//! Months and years as periods ("in january 2026"), held against lines that have only the lower limit of them.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::quantity::{nth, number};
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

/// Names of the months.
const MONTHS: [&str; 12] = [
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
/// Words before a period.
const IN: [&str; 5] = ["in", "during", "of", "within", "throughout"];
/// Words between them and the period.
const FILLERS: [&str; 8] = ["the", "month", "year", "all", "whole", "entire", "last", "of"];
/// Words of a request with limits of its own.
const LIMITS: [&str; 36] = [
    "since",
    "after",
    "until",
    "till",
    "before",
    "between",
    "newer",
    "older",
    "later",
    "onwards",
    "onward",
    "from",
    "to",
    "through",
    "up",
    "earlier",
    "starting",
    "ago",
    "prior",
    "not",
    "except",
    "outside",
    "thereafter",
    "afterwards",
    "afterward",
    "oldest",
    "earliest",
    "first",
    "begun",
    "began",
    "begin",
    "beginning",
    "started",
    "start",
    "plus",
    "point",
];
/// Words before a period that take a part of it: "the first of march", "the second half of 2023".
const PARTS: [&str; 18] = [
    "start",
    "beginning",
    "end",
    "half",
    "quarter",
    "week",
    "weekend",
    "day",
    "days",
    "middle",
    "last",
    "first",
    "months",
    "but",
    "never",
    "dont",
    "no",
    "any",
];

/// A month or a year.
struct Period {
    year: Option<u64>,
    month: Option<u64>,
    said: Span,
}

/// Returns a mismatch if the line begins with the period that the request states and has no end.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    if tokens.iter().any(|token| LIMITS.contains(&token.lower.as_str())) {
        return None;
    }
    let period = (0..tokens.len()).find_map(|at| Period::at(tokens, at))?;
    let commands = &line.parsed().commands;
    let (at, limit) =
        commands.iter().enumerate().find_map(|(at, command)| Some((at, limit(command, line, &period)?)))?;
    if commands.iter().enumerate().any(|(other, command)| other != at && may_end(command)) {
        return None;
    }
    let (span, replacement) = (limit.at..limit.at, limit.end);
    Some(Mismatch {
        span: span.clone(),
        text: format!("you said \"{}\"; this has no end", request.get(period.said.clone())?),
        said: Some(period.said),
        certainty: if replacement.is_some() { Certainty::Sure } else { Certainty::Likely },
        edit: replacement.map(|new| Edit::replace(line.text(), span, new)),
    })
}

/// Reports whether a command may set the end of the period: it compares, or names a year.
fn may_end(command: &SimpleCommand) -> bool {
    let is_year = |run: &str| run.len() == 4 && (run.starts_with("19") || run.starts_with("20"));
    command
        .words
        .iter()
        .skip(1)
        .any(|word| word.text.contains('<') || word.text.split(|c: char| !c.is_ascii_digit()).any(is_year))
}

/// Parses a year.
fn year(token: &Token) -> Option<u64> {
    let digits = token.lower.strip_suffix("s").unwrap_or(&token.lower);
    let is_year = digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
    digits.parse().ok().filter(|_| is_year && digits == token.lower)
}

impl Period {
    /// Reads the period behind the word at an index.
    fn at(tokens: &[Token], at: usize) -> Option<Self> {
        let lower = |at: usize| tokens.get(at).filter(|it| !it.quoted).map_or("", |it| it.lower.as_str());
        if !IN.contains(&lower(at)) {
            return None;
        }
        let is_part = |word: &str| PARTS.contains(&word) || nth(word).is_some() || number(word).is_some();
        if (at.saturating_sub(3)..at).any(|before| is_part(lower(before))) {
            return None;
        }
        let first = (at + 1..tokens.len()).find(|next| !FILLERS.contains(&lower(*next)))?;
        let month = MONTHS.iter().zip(1..).find_map(|(name, n)| (*name == lower(first)).then_some(n));
        let next = first + usize::from(month.is_some());
        let year = tokens.get(next).filter(|it| !it.quoted).and_then(year);
        let end = next + usize::from(year.is_some());
        let goes_on =
            ["on", "or", "and", "plus", "&", "-"].contains(&lower(end)) || number(lower(end)).is_some();
        (end > first && !goes_on).then(|| Self {
            year,
            month,
            said: tokens.get(at).map_or(0, |it| it.span.start)
                ..tokens.get(end - 1).map_or(0, |it| it.span.end),
        })
    }

    /// Returns the year and the month of a date in the period, and `true` if it is the beginning.
    fn holds(&self, date: &str) -> Option<(u64, bool)> {
        let year: u64 = date.get(..4)?.parse().ok()?;
        let month: Option<u64> = date.get(4..7).and_then(|it| it.strip_prefix('-')?.parse().ok());
        if self.year.is_some_and(|it| it != year) || self.month.is_some() && self.month != month {
            return None;
        }
        let rest = match self.month {
            Some(_) => date.get(7..)?,
            None => date.get(4..)?.strip_prefix("-01")?,
        };
        let is_zero = |rest: &str| rest.chars().all(|c| " T0:Z".contains(c));
        let is_start = rest.is_empty() || rest.strip_prefix("-01").is_some_and(is_zero);
        Some((year, is_start))
    }

    /// Returns the first day behind the period.
    fn next(&self, year: u64) -> String {
        match self.month {
            Some(month) if month < 12 => format!("{year}-{:02}-01", month + 1),
            _ => format!("{}-01-01", year + 1),
        }
    }

    /// Returns the last day of the period.
    fn last(&self, year: u64) -> String {
        let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
        let month = self.month.unwrap_or(12);
        let day = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        format!("{year}-{month:02}-{day}")
    }
}

/// The place behind a lower limit, and the upper limit to write there.
struct Limit {
    at: usize,
    end: Option<String>,
}

/// Returns the only limit of a command, if it is a lower one in the period.
fn limit(command: &SimpleCommand, line: &ParsedLine, period: &Period) -> Option<Limit> {
    match command.name()? {
        "git" | "journalctl" => since(command, period),
        "find" => newer(command, period),
        "awk" | "gawk" | "mawk" | "jq" => compared(command, line, period),
        _ => None,
    }
}

/// Returns the value of a word `--since=V` or of the word behind `--since`.
fn since(command: &SimpleCommand, period: &Period) -> Option<Limit> {
    let has = |start: &str| command.words.iter().any(|word| word.text.starts_with(start));
    if ["--until", "--before", "-U", "--date-order"].iter().any(|start| has(start)) {
        return None;
    }
    let (at, value, word): (usize, &str, &Word) =
        command.words.iter().enumerate().find_map(|(at, word)| {
            let rest = word.text.strip_prefix("--since").or_else(|| word.text.strip_prefix("--after"))?;
            match rest.strip_prefix('=') {
                Some(value) => Some((at, value, word)),
                None => command.words.get(at + 1).map(|next| (at + 1, next.text.as_str(), next)),
            }
        })?;
    let (year, is_start) = period.holds(value)?;
    let is_known = command.words.get(..at).is_some_and(|words| !words.iter().any(|it| it.text == "--"));
    let end = format!(" --until='{} 23:59:59'", period.last(year));
    Some(Limit { at: word.span.end, end: (is_start && is_known).then_some(end) })
}

/// Returns the limit of `-newermt`, if it is the only one.
fn newer(command: &SimpleCommand, period: &Period) -> Option<Limit> {
    let mut tests = command.words.iter().enumerate().filter(|(_, word)| word.text.starts_with("-newer"));
    let (at, test) = tests.next()?;
    let is_negated = matches!(command.words.get(at - 1)?.text.as_str(), "!" | "-not");
    if tests.next().is_some() || is_negated || !test.text.ends_with('t') {
        return None;
    }
    let value = command.words.get(at + 1)?;
    let (year, is_start) = period.holds(&value.text)?;
    let is_plain =
        !command.words.iter().any(|word| matches!(word.text.as_str(), "-o" | "-or" | "!" | "-not"));
    let end = format!(" ! {} {}", test.text, period.next(year));
    Some(Limit { at: value.span.end, end: (is_start && is_plain).then_some(end) })
}

/// Returns the limit of a comparison `$1 >= "2026-01-01"`, if it is the only one of the program.
fn compared(command: &SimpleCommand, line: &ParsedLine, period: &Period) -> Option<Limit> {
    let word = command.words.iter().skip(1).find(|word| word.text.contains(">="))?;
    let raw = line.text().get(word.span.clone())?;
    let has_others = ["<", "~", "substr", "startswith", "test(", "=="].iter().any(|it| raw.contains(it));
    let (before, behind) = raw.split_once(">=").filter(|(_, behind)| !behind.contains(">="))?;
    if has_others || before.contains('>') {
        return None;
    }
    let value = behind.trim_start().strip_prefix('"')?;
    let date = value.get(..value.find('"')?)?;
    let (year, is_start) = period.holds(date)?;
    let before = before.trim_end();
    let is_operand = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
    let operand = before.get(before.trim_end_matches(is_operand).len()..)?;
    let sign = match operand.chars().next()? {
        '$' if command.name().is_some_and(|name| name.ends_with("awk")) => "&&",
        '.' => "and",
        _ => return None,
    };
    let at = word.span.start + raw.len() - value.len() + date.len() + 1;
    let is_plain = !["||", " or ", "not"].iter().any(|it| raw.contains(it));
    let next = period.next(year);
    let next = next.get(..date.len().min(next.len()))?;
    let end = format!(" {sign} {operand} < \"{next}\"");
    Some(Limit { at, end: (is_start && is_plain).then_some(end) })
}

#[cfg(test)]
mod tests {
    use crate::request::tokens;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn lower_limits_alone() {
        for (request, line, expected) in [
            (
                "commits in april 2025",
                "git log --since=2025-04-01",
                Some("git log --since=2025-04-01 --until='2025-04-30 23:59:59'"),
            ),
            (
                "commits in february",
                "git log --after '2024-02-01 00:00'",
                Some("git log --after '2024-02-01 00:00' --until='2024-02-29 23:59:59'"),
            ),
            ("commits of last april", "git log --since=2025-04-10", Some("")),
            ("commits in april 2025", "git log --since=2025-04-01 --until=2025-05-01", None),
            ("commits since april 2025", "git log --since=2025-04-01", None),
            ("commits in april 2025 or later", "git log --since=2025-04-01", None),
            ("commits of the first of april 2025", "git log --since=2025-04-01", None),
            ("commits in april 2025", "git log --since=2024-04-01", None),
            ("our release of march 2025: all commits thereafter", "git log --since=2025-03-01", None),
            ("commits in 2025 plus this year", "git log --since=2025-01-01", None),
            ("dates of commits in 2025", "git log --since=2025-01-01 --format=%as | grep '^2025'", None),
            (
                "files changed during 2025",
                "find . -newermt 2025-01-01",
                Some("find . -newermt 2025-01-01 ! -newermt 2026-01-01"),
            ),
            (
                "files changed in december 2025",
                "find . -newermt 2025-12-01 -delete",
                Some("find . -newermt 2025-12-01 ! -newermt 2026-01-01 -delete"),
            ),
            ("files changed in 2025", "find . -newermt 2025-01-01 ! -newermt 2026-01-01", None),
            ("files changed on the second day of may 2025", "find . -newermt 2025-05-02", None),
            (
                "orders of may 2025",
                "awk -F, '$1 >= \"2025-05-01\"' o.csv",
                Some("awk -F, '$1 >= \"2025-05-01\" && $1 < \"2025-06-01\"' o.csv"),
            ),
            ("orders of may 2025", "awk -F, '$1 >= \"2025-05-01\" && $1 <= \"2025-05-31\"' o.csv", None),
            (
                "orders of 2025",
                "jq '.[] | select(.day >= \"2025-01-01\")' o.json",
                Some("jq '.[] | select(.day >= \"2025-01-01\" and .day < \"2026-01-01\")' o.json"),
            ),
        ] {
            let parsed = ParsedLine::new(line, Shell::Bash);
            let found = super::compare(request, &tokens(request), &parsed);
            let mended = found.map(|it| it.applied_to(line).unwrap_or_default());
            assert_eq!(mended.as_deref(), expected, "{request}");
        }
    }
}
