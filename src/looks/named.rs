//! The beginnings of tables and JSON files that a request names: header and first row, or the shape of the value.

use askline_host::Host;
use serde_json::Value;

use super::contents::text;
use super::place::Place;
use crate::cage::PRIVATE_KEY;

/// Maximum number of files.
const FILES_MAX: usize = 2;
/// Number of rows of a table, with its header.
const ROWS: usize = 2;
/// Files whose columns or keys a command must name, by their endings. The beginning of any other file made answers worse
/// (`benches/accuracy.md`).
const FORMS: [(&[&str], Form); 3] =
    [(&["csv", "tsv"], Form::Table), (&["json"], Form::Json), (&["jsonl", "ndjson"], Form::JsonLines)];
/// Maximum size in bytes of the JSON file whose shape is shown, and of the beginning of another file.
const JSON_LIMIT: u64 = 256 << 10;
const HEAD_LIMIT: u64 = 4 << 10;
/// Bounds of a shape: depth, keys of one object, characters of a string that is shown.
const DEPTH_MAX: usize = 4;
const KEYS_MAX: usize = 8;
const TEXT_CHARS_MAX: usize = 20;

/// How a file is written.
#[derive(Clone, Copy)]
enum Form {
    Table,
    Json,
    JsonLines,
}

/// Returns the names of files in the words, each with its first rows or its shape. Files that may hold
/// secrets, that are outside of the working directory (but public files of the system), or that are no text are left out.
pub fn beginnings(words: &str, host: &dyn Host) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for word in words.split_whitespace() {
        // The end of a name with blanks is no name.
        if word.ends_with(['"', '\'']) && !word.starts_with(['"', '\'']) {
            continue;
        }
        let name = word.trim_matches(|c: char| "\"'`,;:!?()".contains(c)).trim_end_matches('.');
        let is_known = found.iter().any(|(other, _)| other == name);
        if is_known || !name.contains(char::is_alphanumeric) {
            continue;
        }
        if let Some(beginning) = beginning(name, host) {
            found.push((name.to_owned(), beginning));
        }
        if FILES_MAX <= found.len() {
            break;
        }
    }
    found
}

fn beginning(name: &str, host: &dyn Host) -> Option<String> {
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    let form = FORMS.iter().find(|(endings, _)| endings.contains(&ending.as_str()))?.1;
    let place = Place::of(host, name).ok().filter(|place| place.entry.is_file)?;
    place.may_show_content(host).ok()?;
    let limit = if matches!(form, Form::Json) { JSON_LIMIT } else { HEAD_LIMIT };
    let text = text(host, &place.real, limit)?;
    if text.contains(PRIVATE_KEY) {
        return None;
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    match form {
        Form::Table => Some(lines.take(ROWS).collect::<Vec<_>>().join("\n")),
        Form::Json => Some(shape(&serde_json::from_str(&text).ok()?, 0)),
        Form::JsonLines => {
            Some(format!("each line {}", shape(&serde_json::from_str(lines.next()?).ok()?, 0)))
        }
    }
}

/// Returns a value with the first element of each list, as `{name: 'Ada', tags: ['a', …]}`: without quotes that a prompt
/// would escape.
fn shape(value: &Value, depth: usize) -> String {
    match value {
        Value::Array(all) => match all.first() {
            Some(_) if depth == DEPTH_MAX => "[…]".to_owned(),
            Some(first) if all.len() == 1 => format!("[{}]", shape(first, depth + 1)),
            Some(first) => format!("[{}, …]", shape(first, depth + 1)),
            None => "[]".to_owned(),
        },
        Value::Object(_) if depth == DEPTH_MAX => "{…}".to_owned(),
        Value::Object(all) => {
            let entries = all.iter().take(KEYS_MAX);
            let mut parts: Vec<String> =
                entries.map(|(key, value)| format!("{key}: {}", shape(value, depth + 1))).collect();
            if KEYS_MAX < all.len() {
                parts.push("…".to_owned());
            }
            format!("{{{}}}", parts.join(", "))
        }
        // The beginning of a secret would not be recognised as one.
        Value::String(text) if TEXT_CHARS_MAX < text.chars().count() => "'…'".to_owned(),
        Value::String(text) => format!("'{}'", text.replace(['\n', '\''], " ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use askline_host::recorded::RecordedHost;

    use super::*;

    const HOME: &str = r#"
        current_dir = "/home/ada"
        [system]
        os = "linux"
        release = "6.1.0"
        machine = "x86_64"
        [files]
        "/home/ada/staff.csv" = "id;name;team\n\n1;Ada;ops\n2;Bo;web\n"
        "/home/ada/users.json" = '[{"name": "Ada", "tags": ["a", "b"], "address": {"city": "York"}, "admin": true}, {}]'
        "/home/ada/events.jsonl" = """{"type": "login", "ms": 31}\n{}\n"""
        "/home/ada/.env" = "KEY=1\n"
        "/home/ada/id_rsa" = "x\n"
        "/home/ada/secrets.json" = "{}"
        "/home/ada/notes.txt" = "a\n"
        "/home/ada/picture.csv" = "\u0000\u0001"
    "#;

    fn named(words: &str) -> Vec<(String, String)> {
        beginnings(words, &RecordedHost::parse(Path::new("home.toml"), HOME).unwrap())
    }

    #[test]
    fn a_named_file_shows_its_first_lines_or_its_shape() {
        let staff = ("staff.csv".to_owned(), "id;name;team\n1;Ada;ops".to_owned());
        let users = (
            "users.json".to_owned(),
            "[{address: {city: 'York'}, admin: true, name: 'Ada', tags: ['a', …]}, …]".to_owned(),
        );
        assert_eq!(named("names in staff.csv, and in staff.csv again"), std::slice::from_ref(&staff));
        assert_eq!(named("compare 'staff.csv' with users.json."), [staff, users]);
        assert_eq!(named("logins in events.jsonl?")[0].1, "each line {ms: 31, type: 'login'}");
    }

    #[test]
    fn secrets_other_files_and_what_is_no_text_stay_unread() {
        for words in [
            "",
            "list files",
            "show .env",
            "id_rsa",
            "secrets.json",
            "picture.csv",
            "notes.txt",
            "nothere.csv",
            "'all of staff.csv'",
        ] {
            assert_eq!(named(words), [], "{words}");
        }
    }
}
