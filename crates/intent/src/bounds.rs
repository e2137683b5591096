//! Limits for values: "at least 80" against `>= 80` in the programs of a line.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::literal::removes;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::parts::GrepWords;
use crate::phrase::{Found, Phrase};
use crate::quantity::TimeUnit;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

/// Comparisons, the longer ones first.
const OPERATORS: [&str; 10] = [">=", "<=", "==", "!=", ">", "<", "-ge", "-gt", "-le", "-lt"];
/// Programs that compare values.
const PROGRAMS: [&str; 8] = ["awk", "gawk", "mawk", "jq", "[", "test", "[[", "perl"];

/// Marks of a program that does one thing or another with a value.
const BRANCHES: [&str; 3] = ["next", "else", "?"];
/// Years that limits may name.
const YEARS: std::ops::RangeInclusive<u64> = 1900..=2100;
/// Maximum number of words between "drop" or "without" and the limit.
const REMOVED_BEFORE: usize = 8;
/// Maximum number of words between the limit and "left out" or "removed".
const REMOVED_BEHIND: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    bound: Vec<Bound>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    operators: Vec<String>,
    phrases: Vec<Phrase>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("bounds.toml")).expect("bounds.toml is well-formed")
});

/// A comparison with a number in a line.
struct Comparison {
    operator: &'static str,
    span: Span,
    number: u64,
}

/// Compares the limit that the request names with the comparison of the same number in the line.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let (bound, found) = wanted(tokens)?;
    let number = found.number?;
    // Of a line that removes files the limit says which ones go.
    if is_removed(tokens, &found) && !removes(line)
        || is_year_of_age(tokens, &found, number)
        || is_turned_round(line, number)
    {
        return None;
    }
    if let Some(command) = greps_number(line, number) {
        let said = found.span(tokens)?;
        return Some(
            Mismatch::likely(
                command.span.clone(),
                format!("you said \"{}\"; `grep` compares texts, not values", request.get(said.clone())?),
            )
            .about(said),
        );
    }
    let all = comparisons(line);
    let mut same = all.iter().filter(|it| is_same(it.number, number, found.time));
    let (comparison, None) = (same.next()?, same.next()) else { return None };
    // Of values that are sorted into classes, the other branch may be the one that was asked for.
    let words = line.parsed().commands.iter().flat_map(|command| &command.words);
    let holds =
        |word: &&Word| word.span.start <= comparison.span.start && comparison.span.end <= word.span.end;
    let branches = |word: &Word| BRANCHES.iter().any(|branch| word.text.contains(branch));
    if words.filter(holds).any(branches) {
        return None;
    }
    let operator = symbol(comparison.operator);
    if bound.operators.iter().any(|known| known == operator) || operator == "!=" {
        return None;
    }
    let counts_fields = line.text().get(..comparison.span.start)?.trim_end().ends_with("NF");
    let says_fields =
        |token: &Token| ["column", "field", "word"].iter().any(|it| token.lower.starts_with(it));
    // "at least two slashes" are more than two fields.
    if counts_fields && !tokens.iter().any(says_fields) {
        return None;
    }
    let said = found.span(tokens)?;
    let new = bound.operators.first().map(|known| spelled(known, comparison.operator))?;
    let edit = Edit::replace(line.text(), comparison.span.clone(), new);
    Some(Mismatch {
        span: comparison.span.clone(),
        text: format!(
            "you said \"{}\"; the line says `{} {}`",
            request.get(said.clone())?,
            comparison.operator,
            comparison.number
        ),
        said: Some(said),
        certainty: Certainty::Sure,
        edit: Some(edit),
    })
}

/// Reports whether a number of the line is that of the limit, in its unit, in seconds or in milliseconds.
fn is_same(number: u64, wanted: u64, unit: Option<TimeUnit>) -> bool {
    let seconds = match unit {
        None => return number == wanted,
        Some(TimeUnit::Second) => 1,
        Some(unit) => unit.minutes() * 60,
    };
    [1, seconds, seconds * 1000].iter().any(|unit| number == wanted.saturating_mul(*unit))
}

/// Reports whether what is beyond the limit goes: "drop the items under 4", "with rooms below 18 removed". The line then has the
/// opposite comparison.
fn is_removed(tokens: &[Token], found: &Found) -> bool {
    const REMOVING: [&str; 18] = [
        "excluding",
        "exclude",
        "drop",
        "dropping",
        "delete",
        "remove",
        "removing",
        "except",
        "without",
        "never",
        "skip",
        "skipping",
        "ignore",
        "ignoring",
        "leave",
        "leaving",
        "omit",
        "nobody",
    ];
    const REMOVED: [&str; 6] = ["removed", "dropped", "excluded", "ignored", "skipped", "omitted"];
    const TURNED: [(&str, &[&str]); 3] =
        [("left", &["out"]), ("not", &["counted", "included", "shown", "listed"]), ("don't", &["count"])];
    let has = |range: std::ops::Range<usize>, words: &[&str]| {
        tokens
            .get(range.start..range.end.min(tokens.len()))
            .is_some_and(|some| some.iter().any(|token| words.contains(&token.lower.as_str())))
    };
    has(found.first.saturating_sub(REMOVED_BEFORE)..found.first, &REMOVING)
        || has(found.end..found.end + REMOVED_BEHIND, &REMOVED)
        || tokens.get(found.end..).is_some_and(|behind| {
            behind.windows(2).take(REMOVED_BEHIND).any(|two| {
                let [first, next] = two else { return false };
                let is_next = |words: &[&str]| words.contains(&next.lower.as_str());
                TURNED.iter().any(|(word, words)| first.lower == *word && is_next(words))
            })
        })
}

/// Reports whether the line tests the opposite of a limit and leaves out what meets it (`bad[$2]` and `!(k in bad)`), or moves
/// values to the limit 0: `if ($2 < 0) $2 = 0`.
fn is_turned_round(line: &ParsedLine, number: u64) -> bool {
    line.text().contains("!(") || number == 0 && line.text().contains(" = 0")
}

/// Reports whether a limit is the year from which an age counts: "older than 2005" is before it.
fn is_year_of_age(tokens: &[Token], found: &Found, number: u64) -> bool {
    let mut words = tokens.get(found.first..found.end).into_iter().flatten();
    YEARS.contains(&number)
        && words.any(|token| matches!(token.lower.as_str(), "older" | "younger" | "newer"))
}

/// Returns the `grep` that looks for the digits of a limit, if nothing in the line compares values. A pattern with repeats
/// tests lengths.
fn greps_number(line: &ParsedLine, number: u64) -> Option<&SimpleCommand> {
    const OTHERS: [&str; 7] = ["find", "sort", "uniq", "while", "bc", "python3", "git"];
    let commands = &line.parsed().commands;
    let is_other = |name: &str| PROGRAMS.contains(&name) || OTHERS.contains(&name);
    if commands.iter().any(|command| command.name().is_none_or(is_other)) {
        return None;
    }
    let digits = number.to_string();
    let has_digits = |pattern: &&str| {
        !pattern.contains(['{', '.'])
            && pattern.split(|c: char| !c.is_ascii_digit()).any(|part| part == digits)
    };
    let looks_for = |command: &&SimpleCommand| {
        GrepWords::of(command).is_some_and(|it| it.patterns.iter().any(has_digits))
    };
    let greps = |command: &&SimpleCommand| matches!(command.name(), Some("grep" | "egrep" | "fgrep"));
    commands.iter().filter(greps).find(looks_for)
}

/// Returns the only limit of the request.
fn wanted(tokens: &[Token]) -> Option<(&'static Bound, Found)> {
    let mut wanted: Option<(&'static Bound, Found)> = None;
    for bound in &TABLE.bound {
        for phrase in &bound.phrases {
            let Some(found) = phrase.find(tokens, 0) else { continue };
            // "6 two or more times" has two numbers, "50 or more than 500" another limit.
            let numbers = tokens.get(found.first..found.end).into_iter().flatten();
            let n_numbers = numbers.filter(|token| crate::quantity::number(&token.lower).is_some()).count();
            let is_before_than = tokens.get(found.end).is_some_and(|next| next.lower == "than");
            if 1 < n_numbers || is_before_than {
                continue;
            }
            // "below 10 or above 50" has two limits.
            if tokens.get(found.end).is_some_and(|next| crate::quantity::number(&next.lower).is_some()) {
                continue;
            }
            match &wanted {
                Some((_, other)) if found.first < other.end && other.first < found.end => {}
                Some(_) => return None,
                None => wanted = Some((bound, found)),
            }
        }
    }
    wanted
}

fn comparisons(line: &ParsedLine) -> Vec<Comparison> {
    let is_program = |name: &str| PROGRAMS.contains(&name);
    let mut found = Vec::new();
    for command in line.parsed().commands.iter().filter(|command| command.name().is_some_and(is_program)) {
        let Some(text) = line.text().get(command.span.clone()) else { continue };
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(operator) = OPERATORS.into_iter().find(|known| rest.starts_with(known)) else {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            };
            let start = command.span.start + at;
            at += operator.len();
            let behind = text.get(at..).unwrap_or_default().trim_start();
            let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
            let is_whole = !behind.get(digits.len()..).is_some_and(|rest| rest.starts_with(['.', '-']));
            // `NR > 1` leaves out the header, and `++n[$1] == 3` is true once for all with at least 3.
            let before = text.get(..start - command.span.start).unwrap_or_default().trim_end();
            let value = before.rsplit([' ', '\'', '"', '(', '{', '&', '|', ';']).next().unwrap_or_default();
            let is_counter =
                value.starts_with("++") && operator == "==" || value.ends_with("++") && operator == "<";
            let is_value = !is_counter && (!value.ends_with("NR") || digits != "1");
            if let Some(number) = digits.parse().ok().filter(|_| is_whole && is_value) {
                found.push(Comparison { operator, span: start..start + operator.len(), number });
            }
        }
    }
    found
}

/// Returns the sign of a comparison of `test`.
fn symbol(operator: &str) -> &str {
    match operator {
        "-ge" => ">=",
        "-gt" => ">",
        "-le" => "<=",
        "-lt" => "<",
        sign => sign,
    }
}

/// Returns a sign as the line spells its comparisons.
fn spelled(sign: &str, like: &str) -> String {
    let word = match sign {
        ">=" => "-ge",
        ">" => "-gt",
        "<=" => "-le",
        "<" => "-lt",
        _ => "-eq",
    };
    if like.starts_with('-') { word } else { sign }.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::agree;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn the_sign_follows_the_words() {
        for (request, line, expected) in [
            (
                "rows of a.csv with 23 points or more",
                "awk -F, '$3 > 23' a.csv",
                Some("awk -F, '$3 >= 23' a.csv"),
            ),
            (
                "mean per team, teams with fewer than 3 people left out",
                "awk 'END {for (k in n) if (n[k] >= 3) print k}' a.txt",
                None,
            ),
            (
                "skip those that have under 5 lines",
                "awk 'END {for (k in n) if (n[k] >= 5) print k}' a.txt",
                None,
            ),
            (
                "requests in app.jsonl slower than 1 second",
                "jq 'select(.duration_ms < 1000)' app.jsonl",
                Some("jq 'select(.duration_ms > 1000)' app.jsonl"),
            ),
            (
                "info lines of a.jsonl faster than 100ms",
                "jq 'select(.ms > 100)' a.jsonl",
                Some("jq 'select(.ms < 100)' a.jsonl"),
            ),
            ("jobs slower than 2 minutes in a.csv", "awk -F, '$3 > 120' a.csv", None),
            ("cars in b.csv faster than 100 mph", "awk -F, '$2 > 100' b.csv", None),
            ("drives in b.csv slower than 7200 rpm", "awk -F, '$3 < 7200' b.csv", None),
            ("requests in b.csv not slower than 2 seconds", "awk -F, '$2 <= 2' b.csv", None),
            ("paths with at least four slashes", "git ls-files | awk -F/ 'NF > 4'", None),
            ("status over 400 in a.log", "awk '$9 < 400' a.log", Some("awk '$9 > 400' a.log")),
            ("events in e.jsonl that took at least 80 ms", "jq 'select(.ms >= 80)' e.jsonl", None),
            ("rows of a.csv with less than 5", "awk -F, '$3 < 5 && NR > 1' a.csv", None),
            ("filesystems with less than 1 GB free", "df -k | awk 'NR > 1 && $4 < 1048576'", None),
            ("lines of a.txt that occur at least 3 times", "awk '++n[$0] == 3' a.txt", None),
            ("keep at most 2 lines of a.txt per name", "awk 'seen[$1]++ < 2' a.txt", None),
            (
                "delete all files here that have more than 5 lines",
                "for f in *; do [ $(wc -l < \"$f\") -lt 5 ] && rm \"$f\"; done",
                Some("for f in *; do [ $(wc -l < \"$f\") -gt 5 ] && rm \"$f\"; done"),
            ),
            ("cars older than 2005 in cars.csv", "awk -F, '$5 < 2005' cars.csv", None),
            ("drop the items under 4 from a.json", "jq 'map(select(.value >= 4))' a.json", None),
            ("o.json without the entries under 100", "jq 'with_entries(select(.value >= 100))' o.json", None),
            ("rows with less than 50 or more than 500", "awk -F, '$4 < 50 || $4 > 500' a.csv", None),
            (
                "names with 6 two or more times in a.csv",
                "awk -F, '$4 == 6 && ++n[$1] == 2 {print $1}' a.csv",
                None,
            ),
            (
                "mean of a.csv excluding those above 1000",
                "awk -F, '$2 <= 1000 {s += $2; n++} END {print s / n}' a.csv",
                None,
            ),
        ] {
            let agreed = agree(request, &ParsedLine::new(line, Shell::Bash)).map(|it| it.line);
            assert_eq!(agreed.as_deref(), expected, "{request}");
        }
    }
}
