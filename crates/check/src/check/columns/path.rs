//! Cell paths of Nushell: `name`, `a.b`, `0.name`, `"full name".x?`, and following them in a schema.

use crate::file_schema::{Column, FileSchema};
use askline_syntax::Span;
use askline_syntax::nushell_tokens::quote_end;

/// Maximum number of members in a path.
const MEMBERS_MAX: usize = 32;
/// Characters that make a word something other than a path.
const OTHER: &str = "$(){}[]|;<>\"'` \t\n";
/// Words that are not names where an expression may occur.
const WORDS: [&str; 10] = ["true", "false", "null", "not", "and", "or", "xor", "in", "if", "match"];

/// A member of a cell path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Member {
    /// A column or key.
    Name {
        /// Name without quotes.
        text: String,
        /// Span with quotes, without the marks `?` and `!`.
        span: Span,
        /// `name?`: the column may be missing.
        optional: bool,
        /// `name!`: case is ignored.
        any_case: bool,
    },
    /// A row number.
    Index,
}

/// Parses a path that starts at byte `start` of the line; `None` if it is not a plain path.
pub(super) fn parse(raw: &str, start: usize) -> Option<Vec<Member>> {
    let mut rest = raw.strip_prefix("$.").unwrap_or(raw);
    let mut members = Vec::new();
    loop {
        let at = start + raw.len() - rest.len();
        let quote = rest.bytes().next().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let (name, length) = match quote {
            Some(quote) => {
                let end = quote_end(rest.as_bytes(), 0, quote)?;
                (rest.get(1..end - 1)?, end)
            }
            None => {
                let name = rest.split('.').next()?;
                let name = name.trim_end_matches(['?', '!']);
                (name, name.len())
            }
        };
        let is_plain =
            if quote.is_some() { !name.contains('\\') } else { !name.contains(|c| OTHER.contains(c)) };
        if !is_plain || name.is_empty() || members.len() == MEMBERS_MAX {
            return None;
        }
        let behind = rest.get(length..)?;
        let next = behind.trim_start_matches(['?', '!']);
        let marks = behind.get(..behind.len() - next.len())?;
        // `+1`, `1_000`, `0x1f` are row numbers in another notation.
        let is_plain_number = name.bytes().all(|byte| byte.is_ascii_digit());
        if quote.is_none() && is_number(name) && !is_plain_number {
            return None;
        }
        members.push(match quote {
            None if name.bytes().all(|byte| byte.is_ascii_digit()) => Member::Index,
            _ => Member::Name {
                text: name.to_owned(),
                span: at..at + length,
                optional: marks.contains('?'),
                any_case: marks.contains('!'),
            },
        });
        match next.strip_prefix('.') {
            Some(more) => rest = more,
            None => return next.is_empty().then_some(members),
        }
    }
}

/// Returns a name as written in a path; `None` if it cannot be quoted.
pub(super) fn written(name: &str) -> Option<String> {
    let is_bare = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    // A name that starts with a digit may be a number, a date or a size.
    let is_other = name.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        || WORDS.contains(&name.to_lowercase().as_str())
        || is_number(name);
    if !name.is_empty() && name.chars().all(is_bare) && !is_other {
        return Some(name.to_owned());
    }
    let quoted = !name.contains(['"', '\\']) && !name.chars().any(char::is_control);
    quoted.then(|| format!("\"{name}\""))
}

/// Reports whether Nushell may read a bare word as a number, such as `inf` or `+1_000`.
fn is_number(name: &str) -> bool {
    let digits = name.replace('_', "").to_lowercase();
    let is_radix = ["0x", "0o", "0b"].iter().any(|radix| digits.starts_with(radix));
    is_radix || digits.parse::<f64>().is_ok()
}

/// A borrowed schema or part of one: its innermost values and the number of enclosing lists.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    values: &'a FileSchema,
    lists: usize,
}

impl<'a> View<'a> {
    pub(super) fn of(schema: &'a FileSchema) -> Self {
        let (mut values, mut lists) = (schema, 0);
        while let FileSchema::List(inner) = values {
            (values, lists) = (inner, lists + 1);
        }
        // A table is a list of records.
        let is_table = matches!(values, FileSchema::Table(_));
        Self { values, lists: lists + usize::from(is_table) }
    }

    /// Returns one row of a list; any other value is its own row.
    pub(super) fn row(self) -> Self {
        Self { lists: self.lists.saturating_sub(1), ..self }
    }

    /// Returns the columns of a table or the keys of a record; `None` for other values.
    pub(super) fn columns(self) -> Option<&'a [Column]> {
        self.values.columns().filter(|_| self.lists <= 1)
    }

    /// Reports whether the value is a list.
    pub(super) fn is_list(self) -> bool {
        0 < self.lists
    }

    /// Returns an owned copy.
    pub(super) fn schema(self) -> FileSchema {
        let (mut schema, mut left) = match self.values {
            FileSchema::Table(columns) => (FileSchema::Record(columns.clone()), self.lists),
            other => (other.clone(), self.lists),
        };
        while 0 < left {
            (schema, left) = (schema.listed(), left - 1);
        }
        schema
    }
}

/// Result of following a path.
#[derive(Debug)]
pub(super) enum PathEnd<'a> {
    /// The path leads to values of this schema.
    There(View<'a>),
    /// The member at this index is not among these columns.
    Missing(usize, &'a [Column]),
    /// The member at this index names a column of a value without columns.
    Bare(usize, FileSchema),
    /// Unknown.
    Unsure,
}

/// Follows a path from a schema.
pub(super) fn follow<'a>(from: View<'a>, members: &[Member]) -> PathEnd<'a> {
    let mut view = from;
    for (at, member) in members.iter().enumerate() {
        view = match (member, view.columns()) {
            (Member::Index, _) if 0 < view.lists => view.row(),
            (Member::Index, _) => return PathEnd::Unsure,
            (Member::Name { .. }, Some(columns)) => match column(columns, member) {
                Some(column) => {
                    let inner = View::of(&column.schema);
                    View { lists: inner.lists + view.lists, ..inner }
                }
                None if is_optional(member) => return PathEnd::Unsure,
                None => return PathEnd::Missing(at, columns),
            },
            (Member::Name { optional: false, .. }, None) if is_bare(view) => {
                return PathEnd::Bare(at, view.schema());
            }
            _ => return PathEnd::Unsure,
        };
    }
    PathEnd::There(view)
}

/// Reports whether the data has no columns: a value or a list of values.
fn is_bare(view: View<'_>) -> bool {
    let is_value =
        matches!(view.values, FileSchema::Text | FileSchema::Int | FileSchema::Float | FileSchema::Bool);
    is_value && view.lists <= 1
}

fn is_optional(member: &Member) -> bool {
    matches!(member, Member::Name { optional: true, .. })
}

fn column<'a>(columns: &'a [Column], member: &Member) -> Option<&'a Column> {
    let Member::Name { text, any_case, .. } = member else { return None };
    let is_it = |column: &&Column| {
        column.name == *text || *any_case && column.name.to_lowercase() == text.to_lowercase()
    };
    columns.iter().find(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(members: &[Member]) -> String {
        let one = |member: &Member| match member {
            Member::Index => "#".to_owned(),
            Member::Name { text, span, optional, any_case } => {
                let mark = |is: bool, mark| if is { mark } else { "" };
                format!("{text}{}{}@{}", mark(*optional, "?"), mark(*any_case, "!"), span.start)
            }
        };
        members.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn paths_are_taken_apart() {
        for (raw, expected) in [
            ("name", Some("name@10")),
            ("a.b", Some("a@10 b@12")),
            ("0.name", Some("# name@12")),
            ("a.b?.c!", Some("a@10 b?@12 c!@15")),
            ("a?!", Some("a?!@10")),
            ("\"full name\".x?", Some("full name@10 x?@22")),
            ("'a.b'?.`c d`", Some("a.b?@10 c d@17")),
            ("$.a.b", Some("a@12 b@14")),
            ("\"1\"", Some("1@10")),
            ("name,", Some("name,@10")),
            ("é.ü", Some("é@10 ü@13")),
            ("inf", None),
            ("1_000", None),
            ("0x1f", None),
            ("+1", None),
            ("1kb", Some("1kb@10")),
            ("a b", None),
            ("", None),
            ("a..b", None),
            ("a.", None),
            ("$it.a", None),
            ("(a)", None),
            ("\"a\"b", None),
            ("\"a\\n\"", None),
            ("\"a", None),
        ] {
            assert_eq!(parse(raw, 10).as_deref().map(described).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn a_name_is_written_so_that_it_is_one() {
        for (name, expected) in [
            ("price", Some("price")),
            ("unit-price_2", Some("unit-price_2")),
            ("full name", Some("\"full name\"")),
            ("a.b", Some("\"a.b\"")),
            ("12", Some("\"12\"")),
            ("", Some("\"\"")),
            ("-x", Some("\"-x\"")),
            ("true", Some("\"true\"")),
            ("Null", Some("\"Null\"")),
            ("not", Some("\"not\"")),
            ("nothing", Some("nothing")),
            ("2024-01-31", Some("\"2024-01-31\"")),
            ("1e5", Some("\"1e5\"")),
            ("inf", Some("\"inf\"")),
            ("info", Some("info")),
            ("+1", Some("\"+1\"")),
            ("a\"b", None),
            ("a\nb", None),
        ] {
            assert_eq!(written(name).as_deref(), expected, "{name}");
        }
    }
}
