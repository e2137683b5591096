//! Words of a log that are known by their look: `awk '{print $7}'` for the addresses, where each line begins with one.

use std::sync::LazyLock;

use regex::Regex;

use super::named::{BY_PLACE, renamed};
use super::refs::{self, ColumnRef};
use super::table::Table;
use super::words::CHANGES;
use crate::here::call::Call;
use crate::here::{Case, Contradiction, Subject};
use crate::request::Token;
use crate::request::is_same_noun;
use crate::tool::is_awk;
use askline_syntax::Span;

/// Minimum number of lines that are compared.
const LINES_MIN: usize = 3;
/// Maximum number of lines that are compared.
const LINES_MAX: usize = 60;
/// Maximum number of words of a line that are compared.
const WORDS_MAX: usize = 24;
/// Signs that surround a word of a log.
const AROUND: [char; 8] = ['"', '\'', '[', ']', '(', ')', ',', ';'];

/// Words for those who asked for a page.
const VISITORS: [&str; 12] = [
    "visitor", "visitors", "viewer", "viewers", "caller", "callers", "client", "clients", "user", "users",
    "who", "people",
];

/// A kind of word.
struct Kind {
    /// Name in messages, in the plural.
    name: &'static str,
    /// Words of requests for it, in the singular.
    words: &'static [&'static str],
    look: Regex,
}

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let rows: [(&'static str, &'static [&'static str], &str); 6] = [
        ("IP addresses", &["ip"], r"^(?:\d{1,3}\.){3}\d{1,3}$|^(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}$"),
        ("statuses", &["status"], r"^[1-5]\d\d$"),
        ("URLs", &["url", "uri", "page", "endpoint", "path"], r"^(?:https?:/)?/\S*$"),
        ("methods", &["method", "verb"], "^(?:GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS)$"),
        (
            "levels",
            &["level", "severity"],
            "^(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL):?$",
        ),
        ("email addresses", &["email", "e-mail", "mail"], r"^<?[^@\s]+@[^@\s]+\.[a-z]+>?$"),
    ];
    let kind = |(name, words, look): (_, _, &str)| Some(Kind { name, words, look: Regex::new(look).ok()? });
    rows.into_iter().filter_map(kind).collect()
});

/// Returns how the words of a kind look, by its name in messages.
pub(super) fn look(name: &str) -> Option<&'static Regex> {
    KINDS.iter().find(|kind| kind.name == name).map(|kind| &kind.look)
}

/// A column that the request names by the kind of its words.
struct Named {
    kind: &'static Kind,
    said: Span,
    column: usize,
}

/// A time of the day.
static TIME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?$").ok());
/// A comparison of a word with a time: `$1 >= "06:12"`.
static COMPARISON: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\$(?<column>[1-9][0-9]?) ?[<>]=? ?"\d\d:\d\d"#).ok());

/// Returns the calls that take another column than the named one.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    if case.has_word(&BY_PLACE) {
        return Vec::new();
    }
    let compared = |call: &Call<'_>| {
        let (file, rows) = rows(case, call)?;
        time(case, call, file, &rows).or_else(|| compare(case, call, file, &rows))
    };
    case.calls.iter().filter_map(compared).collect()
}

/// Returns the file that a call splits at blanks, and the words of its first lines. `None` for a table with a header: its
/// columns have names.
fn rows<'c>(case: &Case<'c>, call: &Call<'c>) -> Option<(&'c str, Vec<Vec<&'c str>>)> {
    let file = call.only_file()?;
    let head = case.here.heads.get(&call.path(file))?;
    let has_header = Table::of(file, &head.text, head.is_whole).is_some_and(|table| table.header.is_some());
    rows_of_words(case, call).filter(|_| !has_header)
}

/// Returns the file that a call splits at blanks, and the words of its first lines.
pub(super) fn rows_of_words<'c>(case: &Case<'c>, call: &Call<'c>) -> Option<(&'c str, Vec<Vec<&'c str>>)> {
    let file = call.only_file()?;
    let head = case.here.heads.get(&call.path(file))?;
    let is_split_at_blanks = match call.name {
        name if is_awk(name) => {
            let script = call.script?.text.as_str();
            call.options.is_empty() && !CHANGES.iter().any(|it| script.contains(it))
        }
        "cut" => call.value(&["-d", "--delimiter"]).is_some_and(|(_, text)| text == " "),
        _ => false,
    };
    if !is_split_at_blanks || call.name == "cut" && head.text.contains("  ") {
        return None;
    }
    let end = if head.is_whole { head.text.len() } else { head.text.rfind('\n')? };
    let lines = head.text.get(..end)?.lines().filter(|line| !line.trim().is_empty()).take(LINES_MAX);
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split_whitespace().take(WORDS_MAX).collect()).collect();
    (LINES_MIN <= rows.len()).then_some((file, rows))
}

/// Compares `$1 >= "06:12"` with the words that are times.
fn time(case: &Case<'_>, call: &Call<'_>, file: &str, rows: &[Vec<&str>]) -> Option<Contradiction> {
    let time = only_column(rows, TIME.as_ref()?)?;
    let script = call.script.filter(|script| script.quoted)?;
    let raw = case.line.text().get(script.span.clone())?;
    let columns: Vec<_> =
        COMPARISON.as_ref()?.captures_iter(raw).filter_map(|found| found.name("column")).collect();
    let (first, last) = (columns.first()?, columns.last()?);
    let wrong: usize = first.as_str().parse().ok()?;
    // Text that is in the order of times may be compared as well: `2026-03-12T06:12`.
    let is_time = wrong == time || words(rows, wrong).any(|word| word.contains(':'));
    if is_time || columns.iter().any(|column| column.as_str() != first.as_str()) {
        return None;
    }
    let mut new = String::new();
    let mut end = first.start();
    for column in &columns {
        new.push_str(raw.get(end..column.start())?);
        new.push_str(&time.to_string());
        end = column.end();
    }
    let span = script.span.start + first.start()..script.span.start + last.end();
    let message = (format!("column {wrong} of `{file}` has no times"), format!("column {time} has"));
    let found = case.contradiction(Subject::Columns, span.clone(), message, Some((span, new)));
    Some(renamed(found, wrong, time))
}

/// Compares the kinds of words that the request names with the words that a call takes.
fn compare(case: &Case<'_>, call: &Call<'_>, file: &str, rows: &[Vec<&str>]) -> Option<Contradiction> {
    let taken = refs::of(call, WORDS_MAX, case.line)?;
    let named: Vec<Named> = KINDS.iter().filter_map(|kind| named(case, kind, rows)).collect();
    let is_taken = |column: usize| taken.iter().any(|used| used.column == column);
    let mut left = named.iter().filter(|named| !is_taken(named.column));
    let (Some(left), None) = (left.next(), left.next()) else { return None };
    // A column that is compared with one of its words is meant.
    let is_meant = |used: &ColumnRef| {
        let value = used.value.as_deref();
        named.iter().any(|named| named.column == used.column)
            || value.is_some_and(|value| words(rows, used.column).any(|word| word == value))
    };
    let mut wrong: Vec<usize> = taken.iter().filter(|used| !is_meant(used)).map(|used| used.column).collect();
    wrong.dedup();
    let [wrong] = wrong.as_slice() else { return None };
    if words(rows, *wrong).any(|word| left.kind.look.is_match(word)) {
        return None;
    }
    let mut uses = taken.iter().filter(|used| used.column == *wrong);
    let (used, None) = (uses.next()?, uses.next()) else { return None };
    let span = used.span.clone()?;
    // The kind may be what a pattern chooses lines by: `/ERROR/ {print $2}`.
    let script = call.script.map(|script| script.text.as_str()).unwrap_or_default();
    if script.contains(['/', '~']) || script.contains("$0") {
        return None;
    }
    // "page visitors" are no pages.
    if left.kind.name == "URLs" && case.has_word(&VISITORS) {
        return None;
    }
    let said = case.request.get(left.said.clone())?;
    let text = format!("you said \"{said}\"; column {wrong} of `{file}` has no {}", left.kind.name);
    let facts = format!("column {} has", left.column);
    // Lines that are chosen by a value may be of what the request names.
    if used.is_numeric || used.value.is_some() {
        return None;
    }
    let edit = Some((span.clone(), left.column.to_string()));
    let mut found = case.contradiction(Subject::Columns, span, (text, facts), edit);
    found.mismatch.said = Some(left.said.clone());
    Some(renamed(found, *wrong, left.column))
}

/// Returns the column of a kind that the request names: the only one where most lines have such a word.
fn named(case: &Case<'_>, kind: &'static Kind, rows: &[Vec<&str>]) -> Option<Named> {
    let is_it =
        |token: &&Token| !token.quoted && kind.words.iter().any(|word| is_same_noun(&token.lower, word));
    let said = case.tokens.iter().find(is_it)?.span.clone();
    Some(Named { kind, said, column: only_column(rows, &kind.look)? })
}

/// Returns the only column, counted from 1, where nine of ten lines have such a word.
pub(super) fn only_column(rows: &[Vec<&str>], look: &Regex) -> Option<usize> {
    let has_look = |column: &usize| {
        let matching = words(rows, *column).filter(|word| look.is_match(word)).count();
        rows.len() * 9 <= matching * 10
    };
    let mut columns = (1..=WORDS_MAX).filter(has_look);
    columns.next().filter(|_| columns.next().is_none())
}

/// Returns the words of a column, counted from 1, without the signs around them.
pub(super) fn words<'r>(rows: &'r [Vec<&'r str>], column: usize) -> impl Iterator<Item = &'r str> {
    let at = column.checked_sub(1);
    rows.iter().filter_map(move |row| row.get(at?).map(|word| word.trim_matches(AROUND)))
}

#[cfg(test)]
mod tests {
    use crate::here::{Head, Here, adapt, contradictions};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    const ACCESS: &str = r#"10.0.0.1 - - [12/Mar/2026:06:25:01 +0000] "GET /index.html HTTP/1.1" 200 512
10.0.0.2 - - [12/Mar/2026:06:25:09 +0000] "GET /logo.png HTTP/1.1" 404 20
10.0.0.1 - - [12/Mar/2026:06:26:44 +0000] "POST /login HTTP/1.1" 302 210
"#;
    const APP: &str = "2026-03-12 06:10:01 INFO 10.0.0.1 GET /a 200 12ms
2026-03-12 06:10:02 ERROR 10.0.0.2 GET /b 500 9ms
2026-03-12 06:10:03 WARN 10.0.0.1 POST /c 404 7ms
";

    #[test]
    fn words_of_logs_are_known_by_their_look() {
        let mut here = Here::default();
        for (name, text) in [("access.log", ACCESS), ("app.log", APP)] {
            here.heads.insert(name.to_owned(), Head { text: text.to_owned(), is_whole: true });
        }
        for (request, line, expected) in [
            (
                "count requests per ip in app.log",
                "awk '{print $1}' app.log | sort | uniq -c",
                Some("awk '{print $4}' app.log | sort | uniq -c"),
            ),
            (
                "count lines per level in app.log",
                "awk '{print $4}' app.log | sort | uniq -c",
                Some("awk '{print $3}' app.log | sort | uniq -c"),
            ),
            (
                "how often each status code is in app.log",
                "cut -d' ' -f9 app.log | sort | uniq -c",
                Some("cut -d' ' -f7 app.log | sort | uniq -c"),
            ),
            ("which urls in app.log gave a status of 404", "awk '$7 == \"404\" {print $7}' app.log", None),
            (
                "ips in access.log with status 404",
                "awk '$9 == 404 {print $7}' access.log",
                Some("awk '$9 == 404 {print $1}' access.log"),
            ),
            (
                "errors in app.log between 06:10 and 06:12",
                "awk '$1 >= \"06:10\" && $1 <= \"06:12\" && /ERROR/' app.log",
                Some("awk '$2 >= \"06:10\" && $2 <= \"06:12\" && /ERROR/' app.log"),
            ),
            ("time of each line with level ERROR in app.log", "awk '/ERROR/{print $2}' app.log", None),
            ("lines of app.log after 06:10", "awk '$2 >= \"06:10\"' app.log", None),
            ("list the ips in access.log", "awk '{print $1}' access.log", None),
            ("pages of access.log by hits", "awk '{print $7}' access.log | sort | uniq -c | sort -rn", None),
            (
                "sum of the bytes per ip",
                "awk '{s[$1] += $10} END {for (i in s) print i, s[i]}' access.log",
                None,
            ),
            ("fourth column of app.log, not the ip", "awk '{print $3}' app.log", None),
            ("the ip is in access.log", "awk -F: '{print $2}' access.log", None),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            let adapted = adapt(request, &line, &here).map(|adapted| adapted.line);
            assert_eq!(adapted.as_deref(), expected, "{request}");
            if expected.is_none() && !request.starts_with("which urls") {
                assert_eq!(contradictions(request, &line, &here), [], "{request}");
            }
        }
    }
}
