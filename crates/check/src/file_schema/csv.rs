//! Schemas of CSV and TSV text, read like Nushell's `from csv` and `from tsv` without options.

use super::{COLUMNS_MAX, Column, FileSchema};

/// An iterator over the rows of a text whose fields are separated by `separator`.
struct Rows<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    separator: char,
}

/// The fields of a row.
enum Row {
    /// A complete row.
    Whole(Vec<String>),
    /// The text ends inside a quoted field, or other text follows a closing quote: parsers disagree about the rest.
    Odd,
}

/// Returns the schema of a table whose first row names the columns. If the text `is_whole`, the last row counts even
/// without a line break.
pub(super) fn schema(text: &str, separator: char, is_whole: bool) -> FileSchema {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = Rows { rest: text.chars().peekable(), separator };
    let names = match rows.next() {
        Some(Row::Whole(names)) if names.len() <= COLUMNS_MAX => names,
        Some(_) => return FileSchema::Unknown,
        None if is_whole => return FileSchema::Unknown.listed(),
        None => return FileSchema::Unknown,
    };
    let mut shapes: Option<Vec<FileSchema>> = None;
    for row in rows {
        let fields = match row {
            Row::Whole(fields) if fields.len() == names.len() => fields,
            // An incomplete last row is ignored.
            Row::Odd if !is_whole => break,
            _ => return FileSchema::Unknown,
        };
        let found = fields.iter().map(|field| of_field(field));
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

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        // Empty lines are not rows.
        while self.rest.next_if(|c| matches!(c, '\r' | '\n')).is_some() {}
        self.rest.peek()?;
        let mut fields = Vec::new();
        loop {
            let mut field = String::new();
            if self.rest.next_if_eq(&'"').is_some() {
                loop {
                    match self.rest.next() {
                        Some('"') if self.rest.next_if_eq(&'"').is_some() => field.push('"'),
                        Some('"') => break,
                        Some(c) => field.push(c),
                        None => return Some(Row::Odd),
                    }
                }
            } else {
                let ends = |c: &char| *c == self.separator || matches!(c, '\r' | '\n');
                while let Some(c) = self.rest.next_if(|c| !ends(c)) {
                    field.push(c);
                }
            }
            fields.push(field);
            match self.rest.next() {
                Some(c) if c == self.separator => {}
                None | Some('\r' | '\n') => return Some(Row::Whole(fields)),
                // The rest cannot be parsed reliably either.
                Some(_) => {
                    self.rest.by_ref().last();
                    return Some(Row::Odd);
                }
            }
        }
    }
}
