//! The keys at the top of a YAML file, where it is as plain as most are: `key: value` at the start of a line, with what belongs
//! to it further in. All else is unknown; there is no parser of YAML here.

use std::sync::LazyLock;

use regex::Regex;

use super::{COLUMNS_MAX, Column, Shape};

/// A key that nobody reads as anything but text, and what stands behind it.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a constant; a test reads it")]
    Regex::new(r"^([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*?))? *$").expect("the pattern is well-formed")
});
/// Words that YAML takes for something else than text, in small letters.
const WORDS: [&str; 7] = ["yes", "no", "on", "off", "true", "false", "null"];

/// The record of a file with nothing but such keys.
pub(super) fn shape(text: &str) -> Shape {
    keys(text).map_or(Shape::Unknown, Shape::Record)
}

fn keys(text: &str) -> Option<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    let mut last = Value::Whole;
    for line in text.lines() {
        let is_inside = line.starts_with(' ') && last != Value::Whole;
        if line.trim().is_empty() || line.starts_with('#') || is_inside {
            continue;
        }
        // A list may stand as far out as its key.
        if (line == "-" || line.starts_with("- ")) && last == Value::Below {
            continue;
        }
        let entry = ENTRY.captures(line)?;
        let (name, value) = (entry.get(1)?.as_str(), entry.get(2).map_or("", |value| value.as_str()));
        let is_new = columns.iter().all(|column| column.name != name);
        let kind = Value::of(value)?;
        if !is_new || WORDS.contains(&name.to_lowercase().as_str()) || columns.len() == COLUMNS_MAX {
            return None;
        }
        last = kind;
        columns.push(Column { name: name.to_owned(), shape: Shape::Unknown, always: true });
    }
    (!columns.is_empty()).then_some(columns)
}

/// What stands behind a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// All of it stands there.
    Whole,
    /// A sign, and the text stands below.
    Text,
    /// It stands below, if anywhere.
    Below,
}

impl Value {
    /// None where it is not as plain as most: signs that mean something else, or what YAML refuses.
    fn of(text: &str) -> Option<Self> {
        let text =
            if text.starts_with('#') { "" } else { text.split(" #").next().unwrap_or(text).trim_end() };
        let Some(first) = text.chars().next() else { return Some(Self::Below) };
        let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        let is_closed = |last: char| 1 < text.len() && text.ends_with(last);
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | ',' | '/');
        let is_sign = text.len() == 1 || text.starts_with("- ") || text.starts_with("? ");
        match first {
            '|' | '>' => matches!(text.get(1..)?, "" | "-" | "+").then_some(Self::Text),
            '"' | '\'' => (is_closed(first) && !inside.contains([first, '\\'])).then_some(Self::Whole),
            '[' => (is_closed(']') && inside.chars().all(is_word) && !inside.contains("- "))
                .then_some(Self::Whole),
            ']' | '{' | '}' | ',' | '&' | '*' | '!' | '@' | '`' | '%' => None,
            '-' | '?' | ':' if is_sign => None,
            _ => (!text.contains(": ") && !text.ends_with(':')).then_some(Self::Whole),
        }
    }
}
