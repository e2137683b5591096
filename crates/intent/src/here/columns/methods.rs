//! Methods and statuses of requests that awk compares with columns that hold none: `$2 == 200` where column 9 has the statuses, and
//! `$6 == "POST"` where the field begins with a quote.

use std::sync::LazyLock;

use regex::Regex;

use super::look::{look, only_column, rows_of_words, words};
use crate::here::call::Call;
use crate::here::{Case, Contradiction, Subject};
use crate::tool::is_awk;
use askline_syntax::Span;

/// A comparison of a column with a method or a number of three digits.
static COMPARISON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"\$(?<column>[1-9][0-9]?) ?[=!]= ?(?:(?<method>"(?:GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS)")|(?<status>[1-5][0-9][0-9]|"[1-5][0-9][0-9]")(?:[^.0-9]|$))"#,
    )
    .ok()
});
/// An assignment to a field.
static SET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\$[0-9]+ ?[-+*/]?=[^=~]").ok());

/// Returns the comparisons that can't hold.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let calls = case.calls.iter().filter(|call| is_awk(call.name));
    calls.filter_map(|call| compare(case, call)).flatten().collect()
}

fn compare(case: &Case<'_>, call: &Call<'_>) -> Option<Vec<Contradiction>> {
    let (file, rows) = rows_of_words(case, call)?;
    let script = call.script.filter(|script| script.quoted)?;
    let raw = case.line.text().get(script.span.clone()).filter(|raw| raw.starts_with('\''))?;
    // A field that the program sets is another one.
    if SET.as_ref()?.is_match(raw) {
        return None;
    }
    let (method_look, status_look) = (look("methods")?, look("statuses")?);
    let (of_method, of_status) = (only_column(&rows, method_look), only_column(&rows, status_look));
    let place = |span: std::ops::Range<usize>| -> Span {
        script.span.start + span.start..script.span.start + span.end
    };
    let mut found = Vec::new();
    for comparison in COMPARISON.as_ref()?.captures_iter(raw) {
        let Some(column) = comparison.name("column") else { continue };
        let Ok(number) = column.as_str().parse::<usize>() else { continue };
        if let (Some(method), Some(own)) = (comparison.name("method"), of_method) {
            let is_quoted =
                rows.iter().all(|row| row.get(own - 1).is_some_and(|field| field.starts_with('"')));
            let is_there = words(&rows, number).any(|word| method_look.is_match(word));
            if number != own && !is_there {
                let message =
                    (format!("column {number} of `{file}` has no methods"), format!("column {own} has"));
                found.push(case.contradiction(
                    Subject::Columns,
                    place(column.range()),
                    message,
                    Some((place(column.range()), own.to_string())),
                ));
            } else if number == own && is_quoted {
                let bare = method.as_str().trim_matches('"');
                let message =
                    (format!("the fields of column {own} begin with a quote"), format!("`\"{bare}`"));
                let new = format!("\"\\\"{bare}\"");
                found.push(case.contradiction(
                    Subject::Columns,
                    place(method.range()),
                    message,
                    Some((place(method.range()), new)),
                ));
            }
        }
        if let (Some(_), Some(own)) = (comparison.name("status"), of_status) {
            let is_number = |word: &str| word.parse::<f64>().is_ok();
            if number != own && !words(&rows, number).any(is_number) {
                let message = (
                    format!("column {number} of `{file}` has no numbers"),
                    format!("column {own} has the statuses"),
                );
                let edit = (place(column.range()), own.to_string());
                found.push(case.contradiction(Subject::Columns, place(column.range()), message, Some(edit)));
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use crate::here::{Head, Here, adapt};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    const LOG: &str = r#"10.0.0.1 - - [12/Mar/2026:06:25:01 +0000] "GET /index.html HTTP/1.1" 200 512
10.0.0.2 - - [12/Mar/2026:06:25:09 +0000] "GET /logo.png HTTP/1.1" 404 20
10.0.0.1 - - [12/Mar/2026:06:26:44 +0000] "POST /login HTTP/1.1" 302 210
"#;

    #[test]
    fn methods_and_statuses_are_compared_where_they_are() {
        let mut here = Here::default();
        here.heads.insert("access.log".to_owned(), Head { text: LOG.to_owned(), is_whole: true });
        for (line, expected) in [
            (
                r#"awk '$9 == "POST" && $2 == 200' access.log"#,
                Some(r#"awk '$6 == "\"POST" && $9 == 200' access.log"#),
            ),
            (
                r#"awk '$6 == "GET" {print $7}' access.log"#,
                Some(r#"awk '$6 == "\"GET" {print $7}' access.log"#),
            ),
            (r#"awk '$6 == "\"GET"' access.log"#, None),
            (r#"awk '$6 ~ /GET/ && $9 == 404' access.log"#, None),
            ("awk '$10 == 512' access.log", None),
            ("awk '$9 == \"404\"' access.log", None),
            ("awk '$9 >= 500 && $1 == \"203.0.113.9\"' access.log", None),
        ] {
            let line = ParsedLine::new(line, Shell::Bash);
            let adapted = adapt("requests of this kind", &line, &here).map(|adapted| adapted.line);
            assert_eq!(adapted.as_deref(), expected);
        }
    }
}
