//! Replies in JSON: `{"command": "…"}` and many variants, whole, fenced, in a list, or with unescaped quotes.

use serde_json::Value;

use super::ExtractedParts;
use askline_syntax::shell::Shell;

/// Fields that contain one or several commands, in search order.
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "suggestion",
    "suggestions",
    "candidates",
    "alternatives",
    "answer",
    "code",
    "line",
    "result",
];
/// Fields with prose for people.
const WORDS: &[&str] =
    &["error", "refusal", "question", "message", "explanation", "description", "reason", "text"];
/// Maximum depth of nested lists and records.
const DEPTH_MAX: usize = 4;

/// Reads a reply that is JSON, with at most prose after it. `None` if it is not, or if it is a plain value that may
/// be shell code.
pub(super) fn read(text: &str, shell: Shell) -> Option<ExtractedParts> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let Some(Ok(value)) = values.next() else {
        return without_last_comma(text)
            .and_then(|repaired| read(&repaired, shell))
            .or_else(|| unescaped(text))
            // Truncated JSON is not a command.
            .or_else(|| starts_a_reply(text).then(ExtractedParts::default));
    };
    // `{…}` or `[…]` before more text on its line is a Nushell command, not a JSON reply.
    let rest = text.get(values.byte_offset()..).unwrap_or_default();
    if !rest.trim_start_matches([' ', '\t']).starts_with('\n') && !rest.trim().is_empty() {
        return None;
    }
    if shell.is_nushell() && value.as_array().is_some_and(|items| items.iter().all(|item| !item.is_object()))
    {
        return None;
    }
    let mut found = ExtractedParts::default();
    collect(&value, DEPTH_MAX, &mut found);
    let has_content = !found.commands.is_empty() || !found.words.is_empty();
    (has_content || starts_a_reply(text)).then_some(found)
}

/// Removes the commas before the last brace. `None` if there are none, so that the text is corrected at most once.
fn without_last_comma(text: &str) -> Option<String> {
    let inner = text.trim_end().strip_suffix('}')?;
    let repaired = inner.trim_end_matches(|c: char| c == ',' || c.is_whitespace());
    inner.trim_end().ends_with(',').then(|| format!("{repaired}}}"))
}

/// Reports whether the text starts like `{"command":`, which is never meant as shell code.
fn starts_a_reply(text: &str) -> bool {
    let name = text.strip_prefix('{').and_then(|rest| rest.trim_start().strip_prefix('"')?.split_once('"'));
    name.is_some_and(|(name, rest)| COMMANDS.contains(&name) && rest.trim_start().starts_with(':'))
}

fn collect(value: &Value, depth: usize, found: &mut ExtractedParts) {
    match value {
        _ if depth == 0 => {}
        Value::String(command) => found.commands.push(command.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth - 1, found)),
        Value::Object(fields) => {
            for field in COMMANDS.iter().filter_map(|name| fields.get(*name)) {
                collect(field, depth - 1, found);
            }
            if found.words.is_empty() {
                let words = WORDS.iter().find_map(|name| fields.get(*name)?.as_str());
                found.words = words.unwrap_or_default().to_owned();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Reads `{"command": "grep "a b" f"}`: a record with one command whose quotes are unescaped.
fn unescaped(text: &str) -> Option<ExtractedParts> {
    let inner = text.strip_prefix('{')?.trim_end().strip_suffix('}')?.trim();
    let (name, value) = inner.strip_prefix('"')?.split_once('"')?;
    let value = value.trim_start().strip_prefix(':')?.trim().strip_prefix('"')?.strip_suffix('"')?;
    let one = COMMANDS.contains(&name) && !value.contains("\",");
    one.then(|| ExtractedParts { commands: vec![value.to_owned()], words: String::new() })
}
