//! Top-level keys of simple YAML files: `key: value` at the start of a line, with nested content indented. Everything
//! else is unknown; the module is not a YAML parser.

use std::sync::LazyLock;

use regex::Regex;

use super::{COLUMNS_MAX, Column, FileSchema};

/// A key that every YAML parser reads as a string, and the text after it.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a constant; a test reads it")]
    Regex::new(r"^([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*?))? *$").expect("the pattern is well-formed")
});
/// Words that YAML does not read as strings, in lower case.
const WORDS: [&str; 7] = ["yes", "no", "on", "off", "true", "false", "null"];

/// Returns the record schema of a file that consists of such keys only.
pub(super) fn schema(text: &str) -> FileSchema {
    keys(text).map_or(FileSchema::Unknown, FileSchema::Record)
}

fn keys(text: &str) -> Option<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    let mut last = Value::Whole;
    for line in text.lines() {
        let is_inside = line.starts_with(' ') && last != Value::Whole;
        if line.trim().is_empty() || line.starts_with('#') || is_inside {
            continue;
        }
        // A list may have the same indentation as its key.
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
        columns.push(Column { name: name.to_owned(), schema: FileSchema::Unknown, always: true });
    }
    (!columns.is_empty()).then_some(columns)
}

/// The text after a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// The complete value.
    Whole,
    /// A block marker; the text follows on the next lines.
    Text,
    /// Nothing; the value, if any, follows on the next lines.
    Below,
}

impl Value {
    /// Classifies the text after a key; `None` if it is not simple: special characters, or invalid YAML.
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
