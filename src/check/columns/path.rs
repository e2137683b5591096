//! Cell paths of Nushell: `name`, `a.b`, `0.name`, `"full name".x?`, and where they lead in what a file holds.

use crate::shape::{Column, Shape};
use crate::syntax::Span;

/// Members of one path that are followed.
const MEMBERS_MAX: usize = 32;
/// Letters that make a word something else than a path.
const OTHER: &str = "$(){}[]|;<>\"'`\n";

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
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    if name.chars().all(is_bare) && !is_number && !name.starts_with('-') {
        return Some(name.to_owned());
    }
    let quoted = !name.contains(['"', '\\']) && !name.chars().any(char::is_control);
    quoted.then(|| format!("\"{name}\""))
}

/// Where a path leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// To values of this shape.
    There(Shape),
    /// The member at this place is none of these columns.
    Missing(usize, Vec<Column>),
    /// The member at this place asks for a column of what has none.
    Bare(usize, Shape),
    /// It can't be told.
    Unsure,
}

/// Follows a path from a shape on.
pub(super) fn follow(shape: &Shape, members: &[Member]) -> End {
    let mut shape = shape.clone();
    for (at, member) in members.iter().enumerate() {
        shape = match (shape, member) {
            (Shape::Table(columns), Member::Index) => Shape::Record(columns),
            (Shape::List(values), Member::Index) => *values,
            (Shape::Table(columns), Member::Name { .. }) => match column(&columns, member) {
                Some(column) => column.shape.clone().listed(),
                None if is_optional(member) => return End::Unsure,
                None => return End::Missing(at, columns),
            },
            (Shape::Record(columns), Member::Name { .. }) => match column(&columns, member) {
                Some(column) => column.shape.clone(),
                None if is_optional(member) => return End::Unsure,
                None => return End::Missing(at, columns),
            },
            (bare, Member::Name { optional: false, .. }) if is_bare(&bare) => return End::Bare(at, bare),
            _ => return End::Unsure,
        };
    }
    End::There(shape)
}

/// Values and lists of these have no columns.
fn is_bare(shape: &Shape) -> bool {
    let is_value = |shape: &Shape| matches!(shape, Shape::Text | Shape::Int | Shape::Float | Shape::Bool);
    match shape {
        Shape::List(values) => is_value(values),
        shape => is_value(shape),
    }
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
            ("a\"b", None),
            ("a\nb", None),
        ] {
            assert_eq!(written(name).as_deref(), expected, "{name}");
        }
    }
}
