//! Tables in text, as Nushell's `from csv` and `from tsv` read them without options.

use super::{COLUMNS_MAX, Column, Shape};

/// Rows by their fields, for a text in which `separator` stands between these.
struct Rows<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    separator: char,
}

/// A row's fields.
enum Row {
    /// All of them.
    Whole(Vec<String>),
    /// The text ends inside a quoted one, or a quote is followed by something else: whoever reads on reads it otherwise.
    Odd,
}

/// The shape of a table whose first row names the columns. Where the text `is_whole` the last row counts even without the end
/// of a line.
pub(super) fn shape(text: &str, separator: char, is_whole: bool) -> Shape {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = Rows { rest: text.chars().peekable(), separator };
    let names = match rows.next() {
        Some(Row::Whole(names)) if names.len() <= COLUMNS_MAX => names,
        Some(_) => return Shape::Unknown,
        None if is_whole => return Shape::Unknown.listed(),
        None => return Shape::Unknown,
    };
    let mut shapes: Option<Vec<Shape>> = None;
    for row in rows {
        let fields = match row {
            Row::Whole(fields) if fields.len() == names.len() => fields,
            // A row that only begins here is as long as it is.
            Row::Odd if !is_whole => break,
            _ => return Shape::Unknown,
        };
        let found = fields.iter().map(|field| of_field(field));
        shapes = Some(match shapes {
            Some(before) => before.into_iter().zip(found).map(|(one, other)| one.or(other)).collect(),
            None => found.collect(),
        });
    }
    // A table without rows has no columns.
    let Some(shapes) = shapes else {
        return if is_whole { Shape::Unknown.listed() } else { Shape::Unknown };
    };
    let mut columns: Vec<Column> = Vec::new();
    for (name, shape) in names.into_iter().zip(shapes) {
        // Further down there may be anything.
        let shape = if is_whole { shape } else { Shape::Unknown };
        match columns.iter_mut().find(|column| column.name == name) {
            // Which of two counts depends on who asks.
            Some(column) => column.shape = Shape::Unknown,
            None => columns.push(Column { name, shape, always: true }),
        }
    }
    Shape::Table(columns)
}

/// What Nushell takes a field for.
fn of_field(field: &str) -> Shape {
    if field.parse::<i64>().is_ok() {
        Shape::Int
    } else if field.parse::<f64>().is_ok() {
        Shape::Float
    } else {
        Shape::Text
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        // Empty lines are no rows.
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
                // It would not be read on from here either.
                Some(_) => {
                    self.rest.by_ref().last();
                    return Some(Row::Odd);
                }
            }
        }
    }
}
