//! Cell paths of Nushell: `name`, `a.b`, `0.name`, `"full name".x?`, and where they lead in what a file holds.

use crate::shape::{Column, Shape};
use crate::syntax::Span;

/// Members of one path that are followed.
const MEMBERS_MAX: usize = 32;
/// Letters that make a word something else than a path.
const OTHER: &str = "$(){}[]|;<>\"'` \t\n";
/// Words that are something else than a name where an expression may stand.
const WORDS: [&str; 10] = ["true", "false", "null", "not", "and", "or", "xor", "in", "if", "match"];

/// A part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Member {
    /// A column or key.
    Name {
        /// Without quotes.
        text: String,
        /// With quotes, without the marks behind it.
        span: Span,
        /// `name?`: it need not be there.
        optional: bool,
        /// `name!`: capitals don't count.
        any_case: bool,
    },
    /// A row.
    Index,
}

/// The parts of a path that begins at a byte of the line; none where it is none, or not a plain one.
pub(super) fn parse(raw: &str, start: usize) -> Option<Vec<Member>> {
    let mut rest = raw.strip_prefix("$.").unwrap_or(raw);
    let mut members = Vec::new();
    loop {
        let at = start + raw.len() - rest.len();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let (name, length) = match quote {
            Some(quote) => {
                let (name, _) = rest.strip_prefix(quote)?.split_once(quote)?;
                (name, name.len() + 2)
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
        // `+1`, `1_000`, `0x1f` are numbers of rows, written in another way.
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

/// A name as it stands in a path; none where quotes don't hold it.
pub(super) fn written(name: &str) -> Option<String> {
    let is_bare = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    // What begins with a digit may be a number, a date or a size.
    let is_other = name.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        || WORDS.contains(&name.to_lowercase().as_str())
        || is_number(name);
    if !name.is_empty() && name.chars().all(is_bare) && !is_other {
        return Some(name.to_owned());
    }
    let quoted = !name.contains(['"', '\\']) && !name.chars().any(char::is_control);
    quoted.then(|| format!("\"{name}\""))
}

/// Whether Nushell may read a bare word as a number, as `inf` and `+1_000` are.
fn is_number(name: &str) -> bool {
    let digits = name.replace('_', "").to_lowercase();
    let is_radix = ["0x", "0o", "0b"].iter().any(|radix| digits.starts_with(radix));
    is_radix || digits.parse::<f64>().is_ok()
}

/// A shape, or a part of one, without a copy of it: what its innermost values are, and how many lists these stand in.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    values: &'a Shape,
    lists: usize,
}

impl<'a> View<'a> {
    pub(super) fn of(shape: &'a Shape) -> Self {
        let (mut values, mut lists) = (shape, 0);
        while let Shape::List(inner) = values {
            (values, lists) = (inner, lists + 1);
        }
        // A table is a list of records.
        let is_table = matches!(values, Shape::Table(_));
        Self { values, lists: lists + usize::from(is_table) }
    }

    /// What one row of a list is; what is no list is its own.
    pub(super) fn row(self) -> Self {
        Self { lists: self.lists.saturating_sub(1), ..self }
    }

    /// The columns of a table, the keys of a record; none for all else.
    pub(super) fn columns(self) -> Option<&'a [Column]> {
        self.values.columns().filter(|_| self.lists <= 1)
    }

    /// Whether it is a list of these.
    pub(super) fn is_list(self) -> bool {
        0 < self.lists
    }

    /// A copy of it.
    pub(super) fn shape(self) -> Shape {
        let (mut shape, mut left) = match self.values {
            Shape::Table(columns) => (Shape::Record(columns.clone()), self.lists),
            other => (other.clone(), self.lists),
        };
        while 0 < left {
            (shape, left) = (shape.listed(), left - 1);
        }
        shape
    }
}

/// Where a path leads.
#[derive(Debug)]
pub(super) enum End<'a> {
    /// To values of this shape.
    There(View<'a>),
    /// The member at this place is none of these columns.
    Missing(usize, &'a [Column]),
    /// The member at this place asks for a column of what has none.
    Bare(usize, Shape),
    /// It can't be told.
    Unsure,
}

/// Follows a path from a shape on.
pub(super) fn follow<'a>(from: View<'a>, members: &[Member]) -> End<'a> {
    let mut view = from;
    for (at, member) in members.iter().enumerate() {
        view = match (member, view.columns()) {
            (Member::Index, _) if 0 < view.lists => view.row(),
            (Member::Index, _) => return End::Unsure,
            (Member::Name { .. }, Some(columns)) => match column(columns, member) {
                Some(column) => {
                    let inner = View::of(&column.shape);
                    View { lists: inner.lists + view.lists, ..inner }
                }
                None if is_optional(member) => return End::Unsure,
                None => return End::Missing(at, columns),
            },
            (Member::Name { optional: false, .. }, None) if is_bare(view) => {
                return End::Bare(at, view.shape());
            }
            _ => return End::Unsure,
        };
    }
    End::There(view)
}

/// Values and lists of these have no columns.
fn is_bare(view: View<'_>) -> bool {
    let is_value = matches!(view.values, Shape::Text | Shape::Int | Shape::Float | Shape::Bool);
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

    fn told(members: &[Member]) -> String {
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
            assert_eq!(parse(raw, 10).as_deref().map(told).as_deref(), expected, "{raw}");
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
