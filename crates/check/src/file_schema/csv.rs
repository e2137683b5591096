//! Schemas of CSV and TSV text, read like Nushell's `from csv` and `from tsv` without options.

use regex::Regex;

use super::{COLUMNS_MAX, Column, FileSchema};

/// Returns the schema of a table whose first row names the columns. If the text `is_whole`, the last row counts even
/// without a line break.
pub(super) fn schema(text: &str, separator: char, is_whole: bool) -> FileSchema {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let sound = sound(text, separator);
    if is_whole && sound.len() < text.len() {
        return FileSchema::Unknown;
    }
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).delimiter(separator as u8);
    let mut rows = reader.from_reader(sound.as_bytes()).into_records();
    let names: Vec<String> = match rows.next() {
        Some(Ok(names)) if names.len() <= COLUMNS_MAX => names.iter().map(str::to_owned).collect(),
        Some(_) => return FileSchema::Unknown,
        None if is_whole => return FileSchema::Unknown.listed(),
        None => return FileSchema::Unknown,
    };
    let mut shapes: Option<Vec<FileSchema>> = None;
    for row in rows {
        // A row with another number of fields is an error of the reader.
        let Ok(fields) = row else { return FileSchema::Unknown };
        let found = fields.iter().map(of_field);
        shapes = Some(match shapes {
            Some(before) => before.into_iter().zip(found).map(|(one, other)| one.or(other)).collect(),
            None => found.collect(),
        });
    }
    // A table without rows has no columns.
    let Some(shapes) = shapes else {
        return if is_whole { FileSchema::Unknown.listed() } else { FileSchema::Unknown };
    };
    let mut columns: Vec<Column> = Vec::new();
    for (name, schema) in names.into_iter().zip(shapes) {
        // Rows beyond the examined part may contain other types.
        let schema = if is_whole { schema } else { FileSchema::Unknown };
        match columns.iter_mut().find(|column| column.name == name) {
            // For a duplicate column the effective value depends on the command.
            Some(column) => column.schema = FileSchema::Unknown,
            None => columns.push(Column { name, schema, always: true }),
        }
    }
    FileSchema::Table(columns)
}

/// Returns the rows before the first one that ends inside a quoted field or has other text after a closing quote:
/// parsers disagree about such a row and the rest.
fn sound(text: &str, separator: char) -> &str {
    let field = format!(r#"(?:"(?:[^"]|"")*"|[^"{separator}\r\n][^{separator}\r\n]*)?"#);
    let rows = Regex::new(&format!(r"\A(?:{field}(?:{separator}{field})*(?:\r|\n|\z))*"));
    let found = rows.ok().and_then(|rows| rows.find(text));
    found.map_or("", |found| found.as_str())
}

/// Returns the type that Nushell infers for a field.
fn of_field(field: &str) -> FileSchema {
    if field.parse::<i64>().is_ok() {
        FileSchema::Int
    } else if field.parse::<f64>().is_ok() {
        FileSchema::Float
    } else {
        FileSchema::Text
    }
}
