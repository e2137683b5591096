//! Checks conditions (`where price > 50 and not sold`): finds the columns and checks that their types can be compared
//! with the other operand.

use super::finding_text::{kind, quoted};
use super::path::{self, Member, PathEnd, View};
use super::{Flow, PipedCommand};
use crate::file_schema::{Column, FileSchema, is_date};
use crate::finding::{Finding, Fix};
use askline_syntax::{Word, nushell_units};

/// Operators between conditions or before one.
pub(super) const JOINS: [&str; 4] = ["and", "or", "xor", "not"];
/// Words that are values, not columns.
const VALUES: [&str; 3] = ["true", "false", "null"];
/// Comparison operators between a column and a value: equality, then order.
const EQUAL: [&str; 2] = ["==", "!="];
const ORDER: [&str; 4] = ["<", "<=", ">", ">="];
/// Operators that search in text.
const TEXT: [&str; 8] =
    ["=~", "!~", "like", "not-like", "starts-with", "not-starts-with", "ends-with", "not-ends-with"];
/// Common spellings of true and false.
const YES: [&str; 4] = ["1", "true", "yes", "y"];
const NO: [&str; 4] = ["0", "false", "no", "n"];

/// Type of a literal that a column is compared with.
#[derive(Debug, PartialEq, Eq)]
enum Literal {
    Number,
    Text,
    /// A date, or a size or duration with its unit.
    Measure,
}

/// Returns findings about the columns of a condition.
pub(super) fn findings(through: &PipedCommand<'_>, flow: &Flow<'_>) -> Vec<Finding> {
    let row = View::of(&flow.schema).row();
    let words = through.arguments();
    let mut found = Vec::new();
    let mut is_begun = false;
    let mut is_guarded = false;
    for (at, word) in words.iter().enumerate() {
        let raw = through.raw(word);
        is_guarded |= may_guard(raw, word);
        if JOINS.contains(&raw) {
            is_begun = false;
            continue;
        }
        if std::mem::replace(&mut is_begun, true) {
            continue;
        }
        let Some(members) = column(raw, word) else {
            // A constant may decide the condition alone.
            is_guarded = true;
            continue;
        };
        let before = words.get(..at).unwrap_or_default();
        let is_begin = before.iter().all(|word| through.raw(word) == "not") && before.len() < 2;
        let is_joined = before.last().is_some_and(|word| matches!(through.raw(word), "and" | "or" | "xor"));
        let next = words.get(at + 1).map(|word| through.raw(word));
        let is_compared = is_joined && next.is_some_and(|next| !JOINS.contains(&next));
        let is_read = raw.starts_with("$it.") || is_begin || is_compared;
        match path::follow(row, &members) {
            // The word is a string, not a condition; Nushell itself reports that.
            PathEnd::Missing(..) if is_joined && !is_read => {}
            // An earlier operand may check that the column exists; `value` checks paths that start with `$it`.
            PathEnd::Missing(..) | PathEnd::Bare(..) if is_guarded && is_joined || raw.starts_with('$') => {}
            PathEnd::Missing(at, columns) => found.extend(flow.missing(&members, at, columns)),
            PathEnd::Bare(at, bare) => found.extend(flow.bare(&members, at, &bare, through.command.name())),
            PathEnd::There(_) if !is_read => found.push(bare_word(flow, raw, word)),
            PathEnd::There(view) => {
                // Check only a single comparison with one value.
                let ends = words.get(at + 3).is_none_or(|next| JOINS.contains(&through.raw(next)));
                if let (Some(operator), Some(value), true) = (words.get(at + 1), words.get(at + 2), ends) {
                    let columns = row.columns().unwrap_or_default();
                    found.extend(compared(through, flow, at, &view.schema(), operator, value, columns));
                }
            }
            PathEnd::Unsure => {}
        }
    }
    found
}

/// Reports whether a word may ask if a column exists: `"amount" in $it`, `amount? != null`.
fn may_guard(raw: &str, word: &Word) -> bool {
    let is_plain = !raw.starts_with(['(', '{', '[', '$']) || raw.starts_with("$it.");
    !is_plain || !word.quoted && raw.contains('?')
}

/// Returns a finding about a bare column name after the first operand, which Nushell reads as a string.
fn bare_word(flow: &Flow<'_>, raw: &str, word: &Word) -> Finding {
    let column = format!("$it.{raw}");
    let text = format!(
        "{} alone is a text here; {} is the column of {}",
        quoted(raw),
        quoted(&column),
        quoted(flow.file)
    );
    let change = format!("{raw} → {column}");
    let fix = Fix { span: word.span.clone(), replacement: column, change };
    flow.otherwise(&word.span, text, Some(fix))
}

/// Returns the path of a word that is a column: `price`, `a.b`, `$it.price`.
fn column(raw: &str, word: &Word) -> Option<Vec<Member>> {
    if let Some(path) = raw.strip_prefix("$it.") {
        return path::parse(path, word.span.start + raw.len() - path.len());
    }
    let is_other = raw.starts_with(['-', '+', '$', '!']) || raw.starts_with(|c: char| c.is_ascii_digit());
    if is_other || VALUES.contains(&raw) { None } else { path::parse(raw, word.span.start) }
}

/// Returns a finding about a comparison that is never true or fails.
fn compared(
    through: &PipedCommand<'_>,
    flow: &Flow<'_>,
    at: usize,
    schema: &FileSchema,
    operator: &Word,
    value: &Word,
    columns: &[Column],
) -> Option<Finding> {
    let column = through.arguments().get(at)?;
    let (sign, raw) = (through.raw(operator), through.raw(value));
    let literal = literal(raw, value)?;
    let (is_equal, is_order) = (EQUAL.contains(&sign), ORDER.contains(&sign));
    let is_number = matches!(schema, FileSchema::Int | FileSchema::Float);
    let subject = format!("{} of {}", quoted(through.raw(column)), quoted(flow.file));
    let unquoted = Word { quoted: false, ..value.clone() };
    let numeric = value.quoted && self::literal(&value.text, &unquoted) == Some(Literal::Number);
    // A bare word on the right side is a string, even if a column has that name.
    let other = columns.iter().find(|column| !value.quoted && column.name == raw);
    let held = match literal {
        Literal::Text if other.is_some() => format!("the text {}; `$it.{raw}` is the column", quoted(raw)),
        Literal::Number => format!("the number {}", quoted(raw)),
        Literal::Text => format!("the text {}", quoted(raw)),
        Literal::Measure => quoted(raw),
    };
    let why = match schema {
        FileSchema::Bool if is_equal => format!("never equal to {held}"),
        FileSchema::Text if is_equal && literal != Literal::Text => format!("never equal to {held}"),
        FileSchema::Int | FileSchema::Float if is_equal && numeric => format!("never equal to {held}"),
        FileSchema::Text if is_order && is_date(raw) => {
            let column = through.raw(column);
            format!("which can't be compared with a date; `into datetime {column}` before makes it one")
        }
        FileSchema::Bool if is_order => format!("which can't be compared with {held}"),
        FileSchema::Text if is_order && literal != Literal::Text => {
            format!("which can't be compared with {held}")
        }
        FileSchema::Int | FileSchema::Float if is_order && literal != Literal::Number => {
            format!("which can't be compared with {held}")
        }
        FileSchema::Bool | FileSchema::Int | FileSchema::Float if TEXT.contains(&sign) => {
            format!("and {} looks into text", quoted(sign))
        }
        _ => return None,
    };
    let whole = column.span.start..value.span.end;
    let wanted = value.text.to_lowercase();
    let change = |span, replacement: String| {
        let change = format!("{} → {replacement}", through.draft.line.get(whole.clone()).unwrap_or_default());
        Some(Fix { span, replacement, change })
    };
    let name = through.raw(column);
    // A bare column is a string except as first operand.
    let is_bare = 0 < at && !name.starts_with("$it.");
    let is_negated = at
        .checked_sub(1)
        .and_then(|before| through.arguments().get(before))
        .is_some_and(|word| through.raw(word) == "not");
    let alone = if is_bare && !(at == 1 && is_negated) { format!("$it.{name}") } else { name.to_owned() };
    let fix = match schema {
        FileSchema::Bool if sign == "==" && YES.contains(&wanted.as_str()) => change(whole.clone(), alone),
        FileSchema::Bool if sign == "==" && NO.contains(&wanted.as_str()) && !is_negated => {
            change(whole.clone(), format!("not {alone}"))
        }
        _ if is_number && is_order && other.is_some() => change(value.span.clone(), format!("$it.{raw}")),
        _ if is_number && numeric && !TEXT.contains(&sign) => change(value.span.clone(), value.text.clone()),
        _ => None,
    };
    Some(flow.otherwise(&whole, format!("{subject} is {}, {why}", kind(schema)), fix))
}

/// Returns the type of a literal; `None` for columns, variables, calls and unclear words.
fn literal(raw: &str, word: &Word) -> Option<Literal> {
    let digits = raw.strip_prefix(['-', '+']).unwrap_or(raw);
    let is_text = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | '/');
    if !word.literal || raw.is_empty() {
        None
    } else if word.quoted {
        Some(Literal::Text)
    } else if digits.parse::<f64>().is_ok() && digits.starts_with(|c: char| c.is_ascii_digit()) {
        Some(Literal::Number)
    } else if digits.starts_with(|c: char| c.is_ascii_digit()) {
        (is_date(raw) || is_sized(digits)).then_some(Literal::Measure)
    } else if VALUES.contains(&raw) || !raw.chars().all(is_text) {
        None
    } else {
        Some(Literal::Text)
    }
}

/// Reports whether a word is a number with a unit: `10kb`, `3day`.
fn is_sized(digits: &str) -> bool {
    let unit = digits.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_'));
    nushell_units().contains(&unit.to_lowercase().as_str())
}
