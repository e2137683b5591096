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
    for line in text.lines() {
        let is_inside = line.starts_with(' ') && !columns.is_empty();
        if line.trim().is_empty() || line.starts_with('#') || is_inside {
            continue;
        }
        // A list may stand as far out as its key.
        if (line == "-" || line.starts_with("- ")) && !columns.is_empty() {
            continue;
        }
        let entry = ENTRY.captures(line)?;
        let (name, value) = (entry.get(1)?.as_str(), entry.get(2).map_or("", |value| value.as_str()));
        let is_new = columns.iter().all(|column| column.name != name);
        // Quotes and brackets that are closed further down, and names for parts that stand elsewhere.
        let is_plain = !value.starts_with(['"', '\'', '{', '[', '&', '*', '!'])
            || matches!((value.chars().next(), value.chars().last()), (Some('"'), Some('"')) | (Some('['), Some(']')) if 1 < value.len());
        if !is_new
            || !is_plain
            || WORDS.contains(&name.to_lowercase().as_str())
            || columns.len() == COLUMNS_MAX
        {
            return None;
        }
        columns.push(Column { name: name.to_owned(), shape: Shape::Unknown, always: true });
    }
    (!columns.is_empty()).then_some(columns)
}
