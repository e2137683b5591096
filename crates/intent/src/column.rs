//! Columns that a request names by their number, and those that the line reads.

use crate::mismatch::Mismatch;
use crate::quantity::{nth, number};
use crate::request::Token;
use crate::tool::is_awk;
use askline_syntax::{ParsedLine, SimpleCommand};

/// Words for a column.
const NOUNS: [&str; 6] = ["column", "columns", "field", "fields", "col", "word"];
/// Largest number of a column that is compared.
const COLUMN_MAX: u64 = 40;

/// Compares the only column that the request names by number with the columns of `awk`, `cut` and `sort -k`.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let (wanted, token) = wanted(tokens)?;
    let text = line.text();
    let is_read = [
        "NF", "-f-", "split", "while", "python", "perl", "mlr", "csvcut", "xsv", "paste", "column", "length",
    ];
    if is_read.iter().any(|hint| text.contains(hint)) {
        return None;
    }
    let commands = &line.parsed().commands;
    let mut columns: Vec<u64> = Vec::new();
    for command in commands {
        columns.extend(read(command)?);
    }
    if columns.is_empty() || columns.contains(&wanted) {
        return None;
    }
    let said = token.span.clone();
    let read: Vec<String> = columns.iter().map(u64::to_string).collect();
    Some(
        Mismatch::likely(
            0..text.len(),
            format!("you said \"{}\"; the line reads column {}", request.get(said.clone())?, read.join(", ")),
        )
        .about(said),
    )
}

/// Returns the only number of a column in the request: "second column", "column 2".
fn wanted(tokens: &[Token]) -> Option<(u64, &Token)> {
    let is_noun = |token: &Token| NOUNS.contains(&token.lower.as_str());
    let mut found = tokens.windows(2).filter_map(|pair| {
        let [one, other] = pair else { return None };
        if is_noun(other) {
            return nth(&one.lower).map(|n| (n, one));
        }
        if is_noun(one) { number(&other.lower).map(|n| (n, other)) } else { None }
    });
    let first = found.next().filter(|(n, _)| (1..=COLUMN_MAX).contains(n))?;
    let others = ["last", "except", "without", "swap", "and", "but", "to", "before", "after", "from"];
    // "with a new second column" is one that the line makes.
    let is_new = tokens
        .windows(2)
        .any(|pair| matches!(pair, [article, next] if article.lower == "new" || article.lower == "a" && next.span == first.1.span));
    if is_new {
        return None;
    }
    let lower = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    // "from a.csv" and "without the header" name no other column.
    let is_harmless = |at: usize| match lower(at) {
        "from" => tokens.get(at + 1).is_some_and(|next| crate::request::is_name(&next.text)),
        "without" => lower(at + 1).starts_with("header") || lower(at + 2).starts_with("header"),
        _ => false,
    };
    let is_other = tokens.iter().enumerate().any(|(at, token)| {
        others.contains(&token.lower.as_str()) && token.span != first.1.span && !is_harmless(at)
    });
    (found.next().is_none() && !is_other).then_some(first)
}

/// Returns the columns that a command reads; `None` if it may read others.
fn read(command: &SimpleCommand) -> Option<Vec<u64>> {
    let words = || command.words.iter().skip(1).map(|word| word.text.as_str());
    match command.name() {
        Some(name) if is_awk(name) => {
            let program = words().find(|text| text.contains('$') && !text.starts_with("-F"));
            let fields = program.unwrap_or_default().split('$').skip(1);
            Some(fields.filter_map(|rest| digits(rest).parse().ok()).filter(|n| 0 < *n).collect())
        }
        Some("cut") => {
            let list = option(command, "-f")?;
            list.split(',').map(|one| one.parse().ok()).collect()
        }
        Some("sort") => {
            let keys = option(command, "-k");
            Some(keys.and_then(|key| digits(key).parse().ok()).into_iter().collect())
        }
        _ => Some(Vec::new()),
    }
}

fn digits(text: &str) -> &str {
    text.get(..text.bytes().take_while(u8::is_ascii_digit).count()).unwrap_or_default()
}

/// Returns the value of a short option, joined or as the next word.
fn option<'c>(command: &'c SimpleCommand, name: &str) -> Option<&'c str> {
    let words = command.words.get(1..)?;
    words.iter().enumerate().find_map(|(at, word)| match word.text.strip_prefix(name)? {
        "" => words.get(at + 1).map(|next| next.text.as_str()),
        value => Some(value),
    })
}
