//! What Nushell's `open` makes of a file: a table with columns, a record with keys, a list, text. Told from the file's ending
//! and its first bytes, and unknown wherever that can't be told for sure. Pure.

mod csv;
#[cfg(test)]
mod tests;
mod yaml;

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Most bytes of a file that are looked at. Of tables in text the rows up to there tell; what has to be read whole is unknown
/// when it is longer.
pub const HEAD_BYTES_MAX: usize = 256 << 10;
/// Most names of one table or record; with more it is unknown.
const COLUMNS_MAX: usize = 256;
/// What the parser of TOML calls a date inside.
const TOML_DATE: &str = "$__toml_private_datetime";

/// Endings of files that `open` parses as nothing but text, in Nushell without `std/formats`.
const TEXT: [&str; 24] = [
    "", "txt", "text", "log", "out", "conf", "cfg", "env", "html", "css", "js", "ts", "py", "rs", "c", "h",
    "go", "sh", "bash", "zsh", "fish", "sql", "jsonl", "ndjson",
];

/// A value as Nushell sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A list of records: rows with columns.
    Table(Vec<Column>),
    /// Keys with values.
    Record(Vec<Column>),
    /// Any other list, and what its values are.
    List(Box<Self>),
    /// Text: of a whole file, or a value.
    Text,
    /// A whole number.
    Int,
    /// A number with a fraction, or some with and some without.
    Float,
    /// True or false.
    Bool,
    /// Bytes that are no text.
    Binary,
    /// It can't be told, or differs from row to row.
    Unknown,
}

/// A column of a table, or a key of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// As it is written in the file.
    pub name: String,
    /// What its values are.
    pub shape: Shape,
    /// Every row has it.
    pub always: bool,
}

impl Shape {
    /// The shape of a file called `name` that begins with `head`; `is_whole` where nothing follows. Only the first
    /// [`HEAD_BYTES_MAX`] bytes count.
    pub fn of(name: &str, head: &[u8], is_whole: bool) -> Self {
        let is_whole = is_whole && head.len() <= HEAD_BYTES_MAX;
        let head = head.get(..HEAD_BYTES_MAX).unwrap_or(head);
        // Of a file that is longer the last line may be cut, even inside a character.
        let end = if is_whole { head.len() } else { memchr::memrchr(b'\n', head).map_or(0, |at| at + 1) };
        let Ok(text) = str::from_utf8(head.get(..end).unwrap_or_default()) else {
            return if TEXT.contains(&ending(name).as_str()) { Self::Binary } else { Self::Unknown };
        };
        match ending(name).as_str() {
            "csv" => csv::shape(text, ',', is_whole),
            "tsv" => csv::shape(text, '\t', is_whole),
            _ if text.contains('\0') => Self::Unknown,
            ending if TEXT.contains(&ending) => Self::Text,
            _ if !is_whole => Self::Unknown,
            // What is no JSON may still be what Nushell reads for it.
            "json" | "nuon" => serde_json::from_str(text).unwrap_or(Self::Unknown),
            "toml" => toml::from_str(text).unwrap_or(Self::Unknown),
            "yaml" | "yml" => yaml::shape(text),
            _ => Self::Unknown,
        }
    }

    /// The columns of a table, the keys of a record; none for all else.
    pub fn columns(&self) -> Option<&[Column]> {
        match self {
            Self::Table(columns) | Self::Record(columns) => Some(columns),
            _ => None,
        }
    }

    /// What values of both shapes have in common.
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

    /// The list of values that have this in common.
    pub fn listed(self) -> Self {
        match self {
            Self::Record(columns) => Self::Table(columns),
            other => Self::List(Box::new(other)),
        }
    }
}

/// The columns of both, in the order in which they come; none where they are too many.
fn united(mut one: Vec<Column>, other: Vec<Column>) -> Option<Vec<Column>> {
    let before = one.len();
    let mut is_in_both = vec![false; before];
    for (at, column) in other.into_iter().enumerate() {
        // Rows mostly have the same columns in the same order.
        let same = |known: &Column| known.name == column.name;
        let place = if one.get(at).is_some_and(same) { Some(at) } else { one.iter().position(same) };
        match place.and_then(|place| Some((one.get_mut(place)?, is_in_both.get_mut(place)?))) {
            Some((known, mark)) => {
                *mark = true;
                known.always &= column.always;
                known.shape = std::mem::replace(&mut known.shape, Shape::Unknown).or(column.shape);
            }
            None => one.push(Column { always: false, ..column }),
        }
    }
    for (column, is_in_both) in one.iter_mut().zip(is_in_both) {
        column.always &= is_in_both;
    }
    (one.len() <= COLUMNS_MAX).then_some(one)
}

/// What stands behind the last dot of a file's name, in small letters; empty where there is none.
pub fn ending(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_lowercase())
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// Reads values for their shape alone. How deep they may be nested is bounded by the parsers.
struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Shape;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Bool)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Int)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Shape, E> {
        Ok(if i64::try_from(value).is_ok() { Shape::Int } else { Shape::Unknown })
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Float)
    }

    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Text)
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Unknown)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Shape, A::Error> {
        let mut all: Option<Shape> = None;
        while let Some(value) = values.next_element::<Shape>()? {
            all = Some(match all {
                Some(before) => before.or(value),
                None => value,
            });
        }
        Ok(all.unwrap_or(Shape::Unknown).listed())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Shape, A::Error> {
        let mut columns: Vec<Column> = Vec::new();
        let mut is_plain = true;
        while let Some(name) = entries.next_key::<String>()? {
            if !is_plain || columns.len() == COLUMNS_MAX || name == TOML_DATE {
                is_plain = false;
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let shape = entries.next_value::<Shape>()?;
            // Of a key that stands there twice the last value counts.
            match columns.iter_mut().find(|column| column.name == name) {
                Some(column) => column.shape = shape,
                None => columns.push(Column { name, shape, always: true }),
            }
        }
        Ok(if is_plain { Shape::Record(columns) } else { Shape::Unknown })
    }
}
