//! Numbers of the request that the line must contain, in some form.

use std::ops::RangeInclusive;

use crate::counts::encoded_length;
use crate::demand::Demands;
use crate::literal::has_word;
use crate::mismatch::Mismatch;
use crate::quantity::{nth, number};
use crate::request::Token;
use crate::sample::{is_example, is_open, is_replaced};
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

/// Numbers that must be exact, even if a header or an exception moves a count.
const YEARS: RangeInclusive<u64> = 1900..=2100;
/// Factors between the unit of a request and that of an option.
const FACTORS: [u64; 16] =
    [1, 2, 5, 7, 24, 30, 60, 365, 512, 1000, 1024, 1440, 3600, 86_400, 1_048_576, 1_073_741_824];

/// Factors between a number of the request and a smaller one of the line: lines of a record, hex digits of a byte, units of time.
const MULTIPLES: [u64; 6] = [2, 4, 7, 24, 60, 1000];
/// Letters of units, each 1,024 or 1,000 times the one before.
const UNITS: &str = "KMGT";
/// Numbers that only show a form: "took 123ms".
const SAMPLES: [u64; 5] = [123, 1234, 12_345, 123_456, 1_234_567];
/// Parts of lines that mean a number without saying it: units, forms of dates, defaults, permissions.
const MEANT: [(&str, u64); 25] = [
    ("-mtime -1", 24),
    ("1 day", 24),
    ("%T", 24),
    ("-d @", 1970),
    ("-d \"@", 1970),
    ("-ud \"@", 1970),
    ("curl -f", 400),
    ("curl -f", 404),
    ("net_bind_service", 1024),
    ("/ 2", 50),
    ("/proc/loadavg", 5),
    ("/proc/loadavg", 15),
    ("transpose=", 90),
    ("df -H", 1000),
    ("nmap -F", 100),
    ("=iec", 1024),
    ("=si", 1000),
    ("%s", 1970),
    ("%Y", 1970),
    ("%I", 12),
    ("=rwX", 755),
    ("=rwX", 644),
    ("=rwX,go= ", 700),
    ("=rwX,go= ", 600),
    ("* 1.1", 10),
];
/// Parts of lines in which a header, a limit or an exception moves a number by one.
const MOVES: [&str; 21] = [
    "..", "ps ", "df", "ls -l", "+", "-size", "seq", "{", "NR", "- 1", "-gt", "-lt", "$", "-n -", "~",
    "-newer", "depth ", "select(", "-r 0-", ".csv", ".tsv",
];
/// Returns a mismatch for each number of the request that the line has in no form.
pub(crate) fn missing(
    request: &str,
    tokens: &[Token],
    demands: &Demands,
    line: &ParsedLine,
) -> Vec<Mismatch> {
    let said: Vec<&Span> =
        demands.ages.iter().map(|age| &age.said).chain(demands.sizes.iter().map(|size| &size.said)).collect();
    let is_free = |token: &&Token| {
        !token.quoted && said.iter().all(|span| token.span.end <= span.start || span.end <= token.span.start)
    };
    if is_open(request) {
        return Vec::new();
    }
    let mut given = numbers(line.text());
    // "two levels below", "three digits" are forms, not numbers of the line.
    let is_form = |index: usize| {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
        let is_side = matches!(word(index + 1), "leading" | "trailing");
        let next = word(index + 1 + usize::from(is_side));
        ["level", "digit", "column", "letter", "space", "blank", "tab"]
            .iter()
            .any(|noun| next.starts_with(noun))
    };
    // "between two dates" counts what the line names; "ISO 8601" and "(8 by default)" count nothing.
    let is_other = |index: usize| {
        // "a 64 bit machine"
        let next = tokens.get(index + 1).map_or("", |token| token.lower.as_str());
        if matches!(next, "bit" | "bits" | "-bit") {
            return true;
        }
        let before = index.checked_sub(1).and_then(|before| tokens.get(before));
        let is_default =
            tokens.iter().skip(index.saturating_sub(3)).take(7).any(|it| it.lower.starts_with("default"));
        let is_digits = tokens.get(index).is_some_and(|token| is_digits(&token.lower));
        let of = before.map_or("", |token| token.lower.as_str());
        is_default
            || matches!(of, "iso" | "rfc" | "utf" | "sha" | "md" | "ipv" | "base" | "python" | "version")
            || !is_digits && matches!(of, "between" | "of" | "these" | "both")
    };
    let is_counted = |index: usize| {
        !is_form(index)
            && !is_other(index)
            && !is_loose(tokens, index)
            && !is_example(tokens, index)
            && !is_replaced(tokens, index)
    };
    // "every third line" has no header that moves the number.
    let step = tokens.windows(3).find_map(|three| {
        let [every, token, noun] = three else { return None };
        let is_line = matches!(noun.lower.as_str(), "line" | "row" | "record" | "entry" | "file" | "number");
        let wanted = nth(&token.lower).filter(|n| every.lower == "every" && is_line && !given.contains(n))?;
        (1 < wanted && !line.text().contains(['N', 'n']) || line.text().contains('%')).then_some(token)
    });
    let counted = tokens.iter().enumerate().filter(|(index, _)| is_counted(*index)).map(|(_, token)| token);
    let both_ends = line.text().contains("head") && line.text().contains("tail");
    let excepts = tokens.iter().any(|token| {
        let word = token.lower.as_str();
        matches!(
            word,
            "except" | "not" | "but" | "without" | "header" | "data" | "before" | "until" | "through"
        )
    });
    given.extend(implied(line, &given, both_ends));
    given.extend(written_otherwise(line.text()));
    given.extend(meant_by_words(request, line.text(), &given));
    let slack = u64::from(both_ends || excepts || MOVES.iter().any(|hint| line.text().contains(hint)));
    // `head -n 5` for ten lines is a slip.
    let takes = |command: &SimpleCommand| matches!(command.name(), Some("head" | "tail"));
    let may_multiply = !line.parsed().commands.iter().any(takes);
    let is_other_step = |token: &&Token| step.is_none_or(|step| step.span != token.span);
    let absent = counted.filter(is_free).filter(is_other_step).filter_map(|token| {
        let wanted =
            number(&token.lower).or_else(|| nth(&token.lower).filter(|_| is_digits(&token.lower)))?;
        // "1234567 becomes 1,234,567"
        let is_sample = SAMPLES.contains(&wanted) && (is_glued(request, token) || request.contains("1,234"));
        (!is_sample && !is_given(wanted, &given, slack, may_multiply)).then_some(token)
    });
    step.into_iter()
        .chain(absent)
        .map(|token| {
            Mismatch::likely(
                0..line.text().len(),
                format!(
                    "you said \"{}\"; the line has no such number",
                    request.get(token.span.clone()).unwrap_or_default()
                ),
            )
            .about(token.span.clone())
        })
        .collect()
}

/// Reports whether a letter follows a number directly: "123ms".
fn is_glued(request: &str, token: &Token) -> bool {
    token.text.ends_with(char::is_alphabetic)
        || request.get(token.span.end..).is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

/// Reports whether a number only says how many there are ("two files", "these five characters") or is one of a row of which the
/// line has a part ("3, 6, 9").
fn is_loose(tokens: &[Token], index: usize) -> bool {
    let word = |index: Option<usize>| {
        index.and_then(|index| tokens.get(index)).map_or("", |token| token.lower.as_str())
    };
    let (before, next) = (index.checked_sub(1), Some(index + 1));
    let is_digit = |index: Option<usize>| is_digits(word(index));
    let joins = |index: Option<usize>| matches!(word(index), "and" | "or" | "to");
    // "five largest", "last two".
    let is_end = |index: Option<usize>| {
        matches!(word(index), "first" | "last" | "top" | "bottom" | "latest" | "every")
            || word(index).ends_with("est")
    };
    let is_word = number(word(Some(index))).is_some() && !is_digit(Some(index));
    is_word && !is_end(next) && !is_end(before)
        || is_digit(next)
        || is_digit(before)
        || joins(next) && is_digit(Some(index + 2))
        || joins(before) && is_digit(index.checked_sub(2))
}

/// Returns numbers that a line has without saying them: ten lines of a plain `head`, the first line of a range, what a form
/// or a unit means.
fn implied(line: &ParsedLine, given: &[u64], both_ends: bool) -> Vec<u64> {
    let has_count = |word: &Word| {
        word.text.starts_with('-') && word.text.contains(|c: char| c.is_ascii_digit())
            || matches!(word.text.as_str(), "-n" | "-c")
    };
    let default = |command: &SimpleCommand| {
        let default = match command.name()? {
            "head" | "tail" => 10,
            "watch" => 2,
            _ => return None,
        };
        (!command.words.iter().skip(1).any(has_count)).then_some(default)
    };
    let defaults = line.parsed().commands.iter().filter_map(default);
    let first = || {
        let [.., last, count] = given else { return None };
        last.checked_sub(*count).filter(|_| both_ends)?.checked_add(1)
    };
    let meant = MEANT.iter().filter(|(part, _)| line.text().contains(part)).map(|(_, number)| *number);
    // `cut -c11-` leaves out the first 10.
    let words = || line.text().split_whitespace();
    let left_out = words().filter_map(|word| {
        word.trim_start_matches(['-', 'c', 'f']).strip_suffix('-')?.parse::<u64>().ok()?.checked_sub(1)
    });
    // `sed -n 2,6p` prints 5 lines.
    let in_range = words().filter_map(|word| {
        let (first, last) = word.trim_matches('\'').strip_suffix('p')?.split_once(',')?;
        last.parse::<u64>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1)
    });
    defaults
        .chain(left_out)
        .chain(in_range)
        .chain(first())
        .chain(meant)
        .chain(repeated(line))
        .chain(day_before(line.text()))
        .collect()
}

/// Returns the numbers of a request that the numbers of the line mean: `23:00` is 11 pm, and `0.9`, `1.1` and `> 90` are
/// percentages.
fn meant_by_words(request: &str, line: &str, given: &[u64]) -> Vec<u64> {
    let request = request.to_lowercase();
    let mut meant = Vec::new();
    if ["pm", "p.m"].iter().any(|word| has_word(&request, word)) {
        meant.extend(given.iter().filter(|n| (13..24).contains(*n)).map(|n| n - 12));
    }
    if request.contains('%') || request.contains("percent") {
        meant.extend(given.iter().filter(|n| (50..100).contains(*n)).map(|n| 100 - n));
        let decimals =
            line.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| word.contains('.'));
        let percent = decimals.filter_map(|word| {
            let (whole, part) = word.split_once('.')?;
            let part = if part.len() == 1 { part.parse::<u64>().ok()? * 10 } else { part.parse().ok()? };
            Some((whole.parse::<u64>().ok()?, part))
        });
        meant.extend(
            percent.filter(|(whole, _)| *whole < 2).flat_map(|(_, part)| [part, 100u64.saturating_sub(part)]),
        );
    }
    meant
}

/// Returns the numbers of the last day of a month, with its year, for a date that is the first of the next: "after 31 December 2023"
/// is `-newermt 2024-01-01`.
fn day_before(line: &str) -> Vec<u64> {
    let Some((year, month)) = line.split(|c: char| !c.is_ascii_digit() && c != '-').find_map(|word| {
        let (year, month) = word.strip_suffix("-01")?.split_once('-')?;
        Some((year.parse::<u64>().ok()?, month))
    }) else {
        return Vec::new();
    };
    let years = (month == "01").then(|| year.saturating_sub(1));
    (28..=31).chain(years).collect()
}

/// Returns how often a line repeats a sign that stands for one of something: `.....`, `??`, `cd ../..`, `paste - -`.
fn repeated(line: &ParsedLine) -> Vec<u64> {
    let is_path = |word: &str| {
        let word = word.trim_start_matches(['\'', '"']);
        word == ".."
            || word.starts_with("../")
            || word.starts_with(['/', '~', '.']) && word.split('/').any(|part| part == "..")
    };
    let texts = || line.text().split_whitespace();
    let runs = texts()
        .filter(|word| !is_path(word))
        .flat_map(|word| word.split(|c| !matches!(c, '.' | '?' | '#')).map(str::len));
    let folders = line.parsed().commands.iter().filter(|command| command.name() == Some("cd"));
    let ups = folders
        .flat_map(|command| command.words.iter().skip(1))
        .map(|word| word.text.split('/').filter(|part| *part == "..").count());
    let inputs = texts().filter(|word| *word == "-").count();
    runs.chain(ups).chain([inputs]).filter(|count| 1 < *count).map(|count| count as u64).collect()
}

fn is_digits(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns all numbers in a line.
fn numbers(line: &str) -> Vec<u64> {
    line.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Returns the numbers that a line writes in another form: `4K`, `0.2` for 200 thousandths, `202406` for a month, `95,105p` for the
/// lines around line 100.
fn written_otherwise(line: &str) -> Vec<u64> {
    let mut found = Vec::new();
    for word in line.split(|c: char| !c.is_ascii_alphanumeric() && c != '.') {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = word.get(digits.len()..).and_then(|unit| unit.chars().next());
        let power = unit.and_then(|unit| UNITS.find(unit.to_ascii_uppercase()));
        if let (Ok(count), Some(power)) = (digits.parse::<u64>(), power) {
            found.extend(
                [1000_u64, 1024].iter().filter_map(|step| count.checked_mul(step.pow(1 + power as u32))),
            );
        }
        if let Some((whole, part)) = digits.split_once('.') {
            let thousandths = format!("{whole}{part:0<3}");
            found.extend(thousandths.parse::<u64>().ok().filter(|_| part.len() <= 3));
        }
        if matches!(digits.len(), 6 | 8) && (digits.starts_with("19") || digits.starts_with("20")) {
            found.extend(numbers(
                &[digits.get(..4), digits.get(4..6), digits.get(6..)]
                    .map(Option::unwrap_or_default)
                    .join(" "),
            ));
        }
    }
    if line.contains("openssl rand") {
        found.extend(numbers(line).into_iter().filter_map(|bytes| encoded_length(line, bytes)));
    }
    let ranges = line.split(|c: char| !c.is_ascii_digit() && c != ',' && c != 'p').filter_map(|word| {
        let (first, last) = word.strip_suffix('p')?.split_once(',')?;
        Some((first.parse::<u64>().ok()?, last.parse::<u64>().ok()?))
    });
    for (first, last) in ranges.filter(|(first, last)| first < last && (last - first) % 2 == 0) {
        found.extend([first + (last - first) / 2, (last - first) / 2]);
    }
    found
}

/// Reports whether one of the numbers is the wanted one, the next or previous (a header, `head` before `tail`), or the
/// same in another unit.
fn is_given(wanted: u64, given: &[u64], slack: u64, may_multiply: bool) -> bool {
    // A year is no count to which a header adds one.
    let slack = if YEARS.contains(&wanted) { 0 } else { slack };
    let is_near = |n: &u64| n.abs_diff(wanted) <= slack;
    let is_converted = |n: &u64| FACTORS.iter().any(|factor| wanted.checked_mul(*factor) == Some(*n));
    let is_multiple = |n: &u64| {
        may_multiply && 1 < *n && MULTIPLES.iter().any(|factor| n.checked_mul(*factor) == Some(wanted))
    };
    wanted < 2 || given.iter().any(|n| is_near(n) || is_converted(n) || is_multiple(n))
}

#[cfg(test)]
mod tests {
    use crate::mismatches;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn only_cd_counts_folders_above() {
        let count = |line| super::repeated(&ParsedLine::new(line, Shell::Bash));
        assert!(count("rm -r ../../x").is_empty());
        assert!(count("cd ..").is_empty());
        assert_eq!(count("cd ../../.."), [3]);
    }

    #[test]
    fn numbers_that_the_line_lacks() {
        for (request, line, expected) in [
            ("print every 3rd line of a.txt", "awk 'NR%5==0' a.txt", 1),
            ("print every 3rd line of a.txt", "awk 'NR%3==0' a.txt", 0),
            ("lines of a.txt with 5 characters", "grep -x '.....' a.txt", 0),
            ("run a.sh at 11 pm", "echo ./a.sh | at 23:00", 0),
            ("the next 4 newest a*.log after the newest", "ls -t a*.log | sed -n 2,5p", 0),
            ("raise the price by 10%", "awk '{$4 *= 1.1} 1' a.csv", 0),
            ("the last line of a", "head -n 18446744073709551615 a | tail -n 0", 0),
        ] {
            let found = mismatches(request, &ParsedLine::new(line, Shell::Bash));
            let count = found.iter().filter(|it| it.text.contains("no such number")).count();
            assert_eq!(count, expected, "{line}: {found:?}");
        }
    }
}
