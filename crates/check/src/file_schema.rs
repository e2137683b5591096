//! The schema of a file as Nushell's `open` reads it: a table with columns, a record with keys, a list, text. Derived
//! from the file extension and the first bytes; unknown if not certain. The module is pure.

mod csv;
#[cfg(test)]
mod tests;
mod yaml;

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Maximum number of bytes read from a file. A longer CSV or TSV table is judged by its rows within the limit; a
/// longer file of a format that must be read completely is unknown.
pub const HEAD_BYTES_MAX: usize = 256 << 10;
/// Maximum number of columns or keys of one table or record; larger ones are unknown.
const COLUMNS_MAX: usize = 256;
/// Internal key of the TOML parser for a date.
const TOML_DATE: &str = "$__toml_private_datetime";

/// Extensions of files that `open` reads as plain text, in Nushell without `std/formats`.
const TEXT: [&str; 24] = [
    "", "txt", "text", "log", "out", "conf", "cfg", "env", "html", "css", "js", "ts", "py", "rs", "c", "h",
    "go", "sh", "bash", "zsh", "fish", "sql", "jsonl", "ndjson",
];

/// The schema of a Nushell value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSchema {
    /// A list of records: rows with columns.
    Table(Vec<Column>),
    /// Keys with values.
    Record(Vec<Column>),
    /// Any other list, with the schema of its values.
    List(Box<Self>),
    /// Text: a whole file or a value.
    Text,
    /// A whole number.
    Int,
    /// A number with a fraction, or a mix of whole numbers and fractions.
    Float,
    /// A boolean.
    Bool,
    /// Bytes that are not text.
    Binary,
    /// Unknown, or different between rows.
    Unknown,
}

/// A column of a table or a key of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name as written in the file.
    pub name: String,
    /// Schema of its values.
    pub schema: FileSchema,
    /// `true` if every row has it.
    pub always: bool,
}

impl FileSchema {
    /// Returns the schema of a file called `name` that starts with `head`. `is_whole` means that `head` is the whole
    /// file. Only the first [`HEAD_BYTES_MAX`] bytes count.
    pub fn of(name: &str, head: &[u8], is_whole: bool) -> Self {
        let is_whole = is_whole && head.len() <= HEAD_BYTES_MAX;
        let head = head.get(..HEAD_BYTES_MAX).unwrap_or(head);
        // In a longer file the last line may be incomplete, even within a character.
        let end = if is_whole { head.len() } else { memchr::memrchr(b'\n', head).map_or(0, |at| at + 1) };
        let Ok(text) = str::from_utf8(head.get(..end).unwrap_or_default()) else {
            return if TEXT.contains(&ending(name).as_str()) { Self::Binary } else { Self::Unknown };
        };
        match ending(name).as_str() {
            "csv" => csv::schema(text, ',', is_whole),
            "tsv" => csv::schema(text, '\t', is_whole),
            _ if text.contains('\0') => Self::Unknown,
            ending if TEXT.contains(&ending) => Self::Text,
            _ if !is_whole => Self::Unknown,
            // Invalid JSON is unknown, because Nushell may still read it.
            "json" | "nuon" => serde_json::from_str(text).unwrap_or(Self::Unknown),
            "toml" => toml::from_str(text).unwrap_or(Self::Unknown),
            "yaml" | "yml" => yaml::schema(text),
            _ => Self::Unknown,
        }
    }

    /// Returns the columns of a table or the keys of a record; `None` for other values.
    pub fn columns(&self) -> Option<&[Column]> {
        match self {
            Self::Table(columns) | Self::Record(columns) => Some(columns),
            _ => None,
        }
    }

    /// Returns the common schema of two values.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Int | Self::Float, Self::Int | Self::Float) => Self::Float,
            (Self::Record(one), Self::Record(other)) => {
                united(one, other).map_or(Self::Unknown, Self::Record)
            }
            (Self::Table(one), Self::Table(other)) => united(one, other).map_or(Self::Unknown, Self::Table),
            (Self::List(one), Self::List(other)) => Self::List(Box::new(one.or(*other))),
            _ => Self::Unknown,
        }
    }

    /// Returns the schema of a list whose values have this schema.
    pub fn listed(self) -> Self {
        match self {
            Self::Record(columns) => Self::Table(columns),
            other => Self::List(Box::new(other)),
        }
    }
}

/// Merges the columns of both lists in order; `None` if there are too many.
fn united(mut one: Vec<Column>, other: Vec<Column>) -> Option<Vec<Column>> {
    let before = one.len();
    let mut is_in_both = vec![false; before];
    for (at, column) in other.into_iter().enumerate() {
        // Rows usually have the same columns in the same order, so the same index is tried first.
        let same = |known: &Column| known.name == column.name;
        let place = if one.get(at).is_some_and(same) { Some(at) } else { one.iter().position(same) };
        match place.and_then(|place| Some((one.get_mut(place)?, is_in_both.get_mut(place)?))) {
            Some((known, mark)) => {
                *mark = true;
                known.always &= column.always;
                known.schema = std::mem::replace(&mut known.schema, FileSchema::Unknown).or(column.schema);
            }
            None => one.push(Column { always: false, ..column }),
        }
    }
    for (column, is_in_both) in one.iter_mut().zip(is_in_both) {
        column.always &= is_in_both;
    }
    (one.len() <= COLUMNS_MAX).then_some(one)
}

/// Reports whether a text starts with a date such as `2024-05-02`; a time may follow.
pub(crate) fn is_date(text: &str) -> bool {
    let shape: String = text.chars().take(10).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00"
}

/// Returns the file extension in lower case; empty if there is none.
pub fn ending(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_lowercase())
}

impl<'de> Deserialize<'de> for FileSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SchemaVisitor)
    }
}

/// A visitor that reads only the schema of values. The parsers limit the nesting depth.
struct SchemaVisitor;

impl<'de> Visitor<'de> for SchemaVisitor {
    type Value = FileSchema;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<FileSchema, E> {
        Ok(FileSchema::Bool)
    }

    fn visit_i64<E>(self, _: i64) -> Result<FileSchema, E> {
        Ok(FileSchema::Int)
    }

    fn visit_u64<E>(self, value: u64) -> Result<FileSchema, E> {
        Ok(if i64::try_from(value).is_ok() { FileSchema::Int } else { FileSchema::Unknown })
    }

    fn visit_f64<E>(self, _: f64) -> Result<FileSchema, E> {
        Ok(FileSchema::Float)
    }

    fn visit_str<E>(self, _: &str) -> Result<FileSchema, E> {
        Ok(FileSchema::Text)
    }

    fn visit_unit<E>(self) -> Result<FileSchema, E> {
        Ok(FileSchema::Unknown)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<FileSchema, A::Error> {
        let mut all: Option<FileSchema> = None;
        while let Some(value) = values.next_element::<FileSchema>()? {
            all = Some(match all {
                Some(before) => before.or(value),
                None => value,
            });
        }
        Ok(all.unwrap_or(FileSchema::Unknown).listed())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<FileSchema, A::Error> {
        let mut columns: Vec<Column> = Vec::new();
        let mut is_plain = true;
        while let Some(name) = entries.next_key::<String>()? {
            if !is_plain || columns.len() == COLUMNS_MAX || name == TOML_DATE {
                is_plain = false;
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let schema = entries.next_value::<FileSchema>()?;
            // For a duplicate key the last value counts.
            match columns.iter_mut().find(|column| column.name == name) {
                Some(column) => column.schema = schema,
                None => columns.push(Column { name, schema, always: true }),
            }
        }
        Ok(if is_plain { FileSchema::Record(columns) } else { FileSchema::Unknown })
    }
}
