//! The beginnings of tables and JSON files that a request is about: header and first row, or the shape of the value.
//!
//! A request names them ("the names in staff.csv"), or says their name without its ending ("the names of all users"), or
//! names at least two columns of only one of them ("quantity times price").

use serde_json::Value;

use crate::knowledge::Knowledge;
use crate::looks::shown_text;

/// Maximum number of files.
const FILES_MAX: usize = 2;
/// Maximum length of the ending of a name.
const ENDING_MAX: usize = 6;
/// Maximum number of files whose columns are read.
const READ_MAX: usize = 8;
/// Minimum number of columns that a request names of a file that it does not name.
const COLUMNS_MIN: usize = 2;
/// Minimum length of a column name among them.
const COLUMN_CHARS_MIN: usize = 3;
/// Minimum length of a file name without its ending.
const STEM_CHARS_MIN: usize = 4;
/// File names without their endings that are ordinary words of requests as well.
const NO_SUBJECTS: [&str; 12] = [
    "config", "copy", "default", "index", "info", "name", "names", "package", "settings", "size", "test",
    "this",
];
/// Words of requests about files or the machine, which have names, sizes and dates as well.
const OTHER_SUBJECTS: [&str; 36] = [
    "file",
    "files",
    "folder",
    "folders",
    "directory",
    "directories",
    "dir",
    "dirs",
    "process",
    "processes",
    "commit",
    "commits",
    "branch",
    "branches",
    "package",
    "packages",
    "pdf",
    "pdfs",
    "txt",
    "jpg",
    "jpgs",
    "png",
    "pngs",
    "mp3",
    "mp3s",
    "mp4",
    "log",
    "logs",
    "image",
    "images",
    "photo",
    "photos",
    "picture",
    "pictures",
    "video",
    "videos",
];
/// Number of rows of a table, with its header.
const ROWS: usize = 2;
/// Files whose columns or keys a command must name, by their endings. The beginning of any other file made answers worse
/// (`benches/accuracy.md`).
const FORMS: [(&[&str], Form); 3] =
    [(&["csv", "tsv"], Form::Table), (&["json"], Form::Json), (&["jsonl", "ndjson"], Form::JsonLines)];
/// Maximum size of the JSON file whose shape is shown, in bytes.
const JSON_LIMIT: u64 = 256 << 10;
/// Length of the beginning of another file that is read, in bytes.
const HEAD_LIMIT: u64 = 4 << 10;
/// Maximum depth of a shape.
const DEPTH_MAX: usize = 4;
/// Maximum number of keys of one object in a shape.
const KEYS_MAX: usize = 8;
/// Maximum length of a string in a shape, in characters.
const TEXT_CHARS_MAX: usize = 20;

/// How a file is written.
#[derive(Clone, Copy)]
enum Form {
    Table,
    Json,
    JsonLines,
}

/// Returns the names of files that the words are about, each with its first rows or its shape. Files that may hold
/// secrets, that are outside of the working directory (but public files of the system), or that are no text are left out.
pub fn beginnings(words: &str, knowledge: &Knowledge) -> Vec<(String, String)> {
    let names = names(words);
    // Words that name a file are about no other one.
    if names.iter().any(|name| is_file_name(name)) {
        return with_beginnings(names.into_iter().map(str::to_owned), knowledge);
    }
    let words: Vec<String> = words.split(|c: char| !c.is_alphanumeric()).map(singular).collect();
    if OTHER_SUBJECTS.iter().any(|subject| words.contains(&singular(subject))) {
        return Vec::new();
    }
    let files = files(knowledge);
    let is_said = |name: &&String| {
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let mut parts = stem.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).peekable();
        STEM_CHARS_MIN <= stem.chars().count()
            && !NO_SUBJECTS.contains(&stem)
            && parts.peek().is_some()
            && parts.all(|part| words.contains(&singular(part)))
    };
    let said = with_beginnings(files.iter().filter(is_said).cloned(), knowledge);
    if said.is_empty() { by_columns(&words, files, knowledge) } else { said }
}

/// Reports whether a word is a name with an ending.
pub(super) fn is_file_name(word: &str) -> bool {
    let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
    !ending.is_empty() && ending.len() <= ENDING_MAX && ending.chars().any(char::is_alphabetic)
}

/// Returns the words that may be names of files.
pub(super) fn names(words: &str) -> Vec<&str> {
    // The end of a name with blanks is no name.
    let is_end = |word: &str| word.ends_with(['"', '\'']) && !word.starts_with(['"', '\'']);
    let mut names: Vec<&str> = Vec::new();
    for word in words.split_whitespace().filter(|word| !is_end(word)) {
        let name = word.trim_matches(|c: char| "\"'`,;:!?()".contains(c)).trim_end_matches('.');
        if name.contains(char::is_alphanumeric) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn with_beginnings(names: impl Iterator<Item = String>, knowledge: &Knowledge) -> Vec<(String, String)> {
    names
        .filter_map(|name| beginning(&name, knowledge).map(|beginning| (name, beginning)))
        .take(FILES_MAX)
        .collect()
}

/// Returns the tables and JSON files of the working directory, by name.
fn files(knowledge: &Knowledge) -> Vec<String> {
    let Some(here) = knowledge.names_here() else { return Vec::new() };
    let is_meant = |name: &&String| !name.starts_with('.') && form(name).is_some();
    let mut files: Vec<String> = here.names.iter().filter(is_meant).cloned().collect();
    files.sort();
    files
}

/// Returns the one file of which the words name the most columns or keys.
fn by_columns(words: &[String], files: Vec<String>, knowledge: &Knowledge) -> Vec<(String, String)> {
    let is_said =
        |column: &&str| COLUMN_CHARS_MIN <= column.chars().count() && words.contains(&singular(column));
    let rated = files.into_iter().take(READ_MAX).filter_map(|name| {
        let beginning = beginning(&name, knowledge)?;
        // Of JSON only the keys are columns; they end with a colon.
        let columns = match form(&name)? {
            Form::Table => beginning.lines().next()?.split(|c: char| !c.is_alphanumeric()).collect(),
            Form::Json | Form::JsonLines => keys(&beginning),
        };
        let mut said: Vec<&str> = columns.into_iter().filter(is_said).collect();
        said.sort_unstable();
        said.dedup();
        let rating = said.len();
        (COLUMNS_MIN <= rating).then_some((rating, name, beginning))
    });
    let mut rated: Vec<(usize, String, String)> = rated.collect();
    rated.sort_by_key(|(rating, ..)| std::cmp::Reverse(*rating));
    let is_tied = matches!(rated.as_slice(), [(one, ..), (two, ..), ..] if one == two);
    let best = rated.into_iter().next().filter(|_| !is_tied);
    best.map(|(_, name, beginning)| (name, beginning)).into_iter().collect()
}

/// Returns the keys of a shape.
fn keys(shape: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = shape.split(": ").collect();
    parts.pop();
    parts.into_iter().filter_map(|part| part.rsplit(['{', ' ']).next()).collect()
}

/// Returns a word in small letters, without the `s` of the plural.
pub(super) fn singular(word: &str) -> String {
    let lower = word.to_lowercase();
    let stem = lower.strip_suffix('s').filter(|stem| 2 < stem.len());
    stem.unwrap_or(&lower).to_owned()
}

/// Returns how a file is written, by its ending; `None` if its beginning would not help.
fn form(name: &str) -> Option<Form> {
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    FORMS.iter().find(|(endings, _)| endings.contains(&ending.as_str())).map(|(_, form)| *form)
}

fn beginning(name: &str, knowledge: &Knowledge) -> Option<String> {
    let (form, path) = (form(name)?, name.to_owned());
    let limit = if matches!(form, Form::Json) { JSON_LIMIT } else { HEAD_LIMIT };
    let text = knowledge.in_time(move |host| shown_text(host, &path, limit)).flatten()?;
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
    use super::super::tests::knowing;
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
        beginnings(words, &knowing(HOME))
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
    fn a_file_is_meant_by_its_name_without_the_ending() {
        let names = |words| named(words).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("names of all users in York"), ["users.json"]);
        assert_eq!(names("which user is an admin"), ["users.json"]);
        assert_eq!(names("the staff of team ops"), ["staff.csv"]);
        assert_eq!(names("users in staff.csv"), ["staff.csv"]);
        // Another file is named, or the words are about something else.
        for words in [
            "users in /srv/users.txt",
            "sort staff.xlsx",
            "processes of all users",
            "list all files of users",
        ] {
            assert_eq!(names(words), [""; 0], "{words}");
        }
    }

    #[test]
    fn a_file_is_meant_by_two_of_its_columns() {
        let names = |words| named(words).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("names and teams"), ["staff.csv"]);
        assert_eq!(names("names of the admins, with the city"), ["users.json"]);
        assert_eq!(names("names and teams of all files"), [""; 0]);
        assert_eq!(names("name and team of each process"), [""; 0]);
        assert_eq!(names("names only"), [""; 0]);
        assert_eq!(
            keys("[{address: {city: 'York'}, admin: true, name: 'Ada'}, …]"),
            ["address", "city", "admin", "name"]
        );
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
        ] {
            assert_eq!(named(words), [], "{words}");
        }
    }
}
