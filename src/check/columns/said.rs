//! What is said of columns, in words that hold no name which only the file holds; those are the evidence.

use super::path::{self, Member, View};
use super::{Flow, Through};
use crate::check::{Finding, Fix, Grade, Kind, nearest};
use crate::clean::visible;
use crate::shape::{Column, Shape};
use crate::syntax::Span;

/// Names that are told of what a file holds, and most characters of one and of all.
const NAMES_MAX: usize = 12;
const NAME_CHARS_MAX: usize = 40;
/// Shortest name that a plural is made of.
const PLURAL_CHARS_MIN: usize = 5;
pub(super) const NAMES_CHARS_MAX: usize = 160;

impl Flow<'_> {
    /// A name that isn't there.
    pub(super) fn missing(&self, members: &[Member], at: usize, columns: &[Column]) -> Option<Finding> {
        let Member::Name { text, span, .. } = members.get(at)? else { return None };
        let is_inside = members.iter().take(at).any(|member| *member != Member::Index);
        let (subject, noun) = match is_inside {
            true => (inside(members, at, self.file), "key"),
            false => (self.subject.clone(), self.noun),
        };
        let holder: Vec<String> = columns
            .iter()
            .filter(|column| {
                let inner = View::of(&column.shape).row().columns();
                inner.is_some_and(|inner| inner.iter().any(|column| column.name == *text))
            })
            .map(|column| format!("; {} is one of {}", shown(text), shown(&column.name)))
            .take(1)
            .collect();
        let fix = same(text, columns).and_then(|name| {
            let change = format!("{} → {}", cut(text), cut(name));
            Some(Fix { span: span.clone(), replacement: told_whole(name)?, change })
        });
        // Another year, another quarter, the opposite: as near as a slip, and not what is on the line.
        let near = match (&fix, holder.is_empty()) {
            (None, true) => nearest::clear(text, columns.iter().filter_map(nameable)),
            _ => None,
        };
        let near = near.map(|name| format!("; is it {}?", shown(name))).unwrap_or_default();
        let evidence = format!("{}{}{near}", listed(columns), holder.concat());
        let text = format!("{subject} has no {noun} {}", quoted(text));
        Some(finding(Kind::Column, span, text, evidence, fix))
    }

    /// A column of what has none.
    pub(super) fn bare(
        &self,
        members: &[Member],
        at: usize,
        bare: &Shape,
        command: Option<&str>,
    ) -> Option<Finding> {
        let Member::Name { span, .. } = members.get(at)? else { return None };
        let (subject, bare) = match at {
            // What they look at is a value of it.
            0 => (self.subject.clone(), &self.shape),
            _ => (inside(members, at, self.file), bare),
        };
        let text = format!("{subject} is {}, without columns", kind(bare));
        let is_rows = [".jsonl", ".ndjson"].iter().any(|ending| self.file.to_lowercase().ends_with(ending));
        let remedy = match bare {
            Shape::Text if at == 0 && self.is_file && is_rows => {
                "; `open --raw` and `from json --objects` read its rows"
            }
            Shape::Text if at == 0 && self.is_file => "; `lines` or `parse` takes it apart",
            Shape::List(_) if at == 0 && command == Some("where") => "; `$it` stands for each of its values",
            _ => "",
        };
        Some(self.otherwise(span, format!("{text}{remedy}"), None))
    }

    /// Something else is there than the line takes.
    pub(super) fn otherwise(&self, span: &Span, text: String, fix: Option<Fix>) -> Finding {
        finding(Kind::Shape, span, text, format!("read from {}", quoted(self.file)), fix)
    }
}

impl Through<'_> {
    /// A record where rows are wanted.
    pub(super) fn is_record(&self, name: &str, flow: &Flow<'_>) -> Finding {
        let remedy = match name {
            "length" => "counts rows; `columns | length` counts keys",
            _ => "takes rows; `get` leads to what a key holds, `transpose key value` makes rows of all",
        };
        let keys = flow.shape.columns().unwrap_or_default();
        let span = self.command.words.first().map_or(0..0, |word| word.span.clone());
        let row = if flow.noun == "column" { "a row of " } else { "" };
        let text = format!("{row}{} is a record, and {} {remedy}", flow.subject, quoted(name));
        finding(Kind::Column, &span, text, listed(keys), None)
    }

    /// `lines` on what is no text.
    pub(super) fn no_text(&self, flow: &Flow<'_>) -> Finding {
        let span = self.command.words.first().map_or(0..0, |word| word.span.clone());
        let text = format!(
            "`lines` takes text apart, and {} is {} already; `open --raw` gives text",
            flow.subject,
            kind(&flow.shape)
        );
        flow.otherwise(&span, text, None)
    }

    /// A column that is there already.
    pub(super) fn is_there(&self, name: &str, span: &Span, flow: &Flow<'_>) -> Finding {
        let word = self.command.words.first().map_or(0..0, |word| word.span.clone());
        let text = format!(
            "{} has a {} {} already, and `insert` makes a new one; `update` changes it",
            flow.subject,
            flow.noun,
            quoted(name)
        );
        let fix =
            Fix { span: word, replacement: "update".to_owned(), change: "insert → update".to_owned() };
        flow.otherwise(span, text, Some(fix))
    }
}

fn finding(kind: Kind, span: &Span, text: String, evidence: String, fix: Option<Fix>) -> Finding {
    Finding {
        kind,
        span: span.clone(),
        grade: Grade::Warning,
        text,
        evidence,
        fixes: fix.into_iter().collect(),
    }
}

/// What a path leads to before one of its members, in words: "`a.b` of `goods.json`".
pub(super) fn inside(members: &[Member], before: usize, file: &str) -> String {
    let names = members.iter().take(before).filter_map(|member| match member {
        Member::Name { text, .. } => Some(text.as_str()),
        Member::Index => None,
    });
    let names = names.collect::<Vec<_>>().join(".");
    if names.is_empty() { quoted(file) } else { format!("{} of {}", quoted(&names), quoted(file)) }
}

/// In words: "a list of values".
pub(super) fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Table(_) => "a table",
        Shape::Record(_) => "a record",
        Shape::List(_) => "a list of values",
        Shape::Text => "text",
        Shape::Int | Shape::Float => "a number",
        Shape::Bool => "true or false",
        Shape::Binary => "bytes",
        Shape::Unknown => "a value",
    }
}

/// The one column that has this name but for capitals, blanks and dashes between letters, a plural, or a comma behind it. What
/// differs in more than that may be another column: another year, a quarter, the opposite.
pub(super) fn same<'a>(wanted: &str, columns: &'a [Column]) -> Option<&'a str> {
    let sought = plain(wanted.strip_suffix(',').unwrap_or(wanted));
    let is_same = |column: &&Column| {
        let name = plain(&column.name);
        name == sought || is_plural(&sought, &name) || is_plural(&name, &sought)
    };
    let mut same = columns.iter().filter(is_same);
    match (same.next(), same.next()) {
        (Some(column), None) => Some(column.name.as_str()),
        _ => None,
    }
}

/// A name in small letters, without what stands between two of them.
fn plain(name: &str) -> String {
    let letters: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let is_letter = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphabetic());
    let is_between = |at: usize| is_letter(at.checked_sub(1)) && is_letter(at.checked_add(1));
    let kept = |(at, c): (usize, &char)| (!matches!(c, ' ' | '_' | '-') || !is_between(at)).then_some(*c);
    letters.iter().enumerate().filter_map(kept).collect()
}

/// Whether a name is the plural of another. Of short words an `s` makes others: `new`, `true`.
fn is_plural(name: &str, of: &str) -> bool {
    name.strip_suffix('s') == Some(of)
        && !of.ends_with('s')
        && of.ends_with(char::is_alphabetic)
        && PLURAL_CHARS_MIN <= of.chars().count()
}

/// The names of columns, as many as there is room for.
pub(super) fn listed(columns: &[Column]) -> String {
    let mut told = String::new();
    let mut left = columns.len();
    for column in columns.iter().take(NAMES_MAX) {
        let name = shown(&column.name);
        if NAMES_CHARS_MAX < told.chars().count() + name.chars().count() + 2 {
            break;
        }
        told.push_str(if told.is_empty() { "" } else { ", " });
        told.push_str(&name);
        left -= 1;
    }
    match (told.is_empty(), left) {
        (true, 0) => "it has none".to_owned(),
        (true, _) => format!("it has {left}"),
        (false, 0) => format!("it has {told}"),
        (false, _) => format!("it has {told} and {left} more"),
    }
}

/// A name as it is written, cut. One that can't be written isn't told: a file's text must not pose as ours.
fn shown(name: &str) -> String {
    let short: String = name.chars().take(NAME_CHARS_MAX).collect();
    match path::written(&short).filter(|_| visible(name) == name) {
        Some(written) if short.len() == name.len() => written,
        Some(written) => format!("{written}…"),
        None => "…".to_owned(),
    }
}

/// A name that can be told.
fn nameable(column: &Column) -> Option<&str> {
    told_whole(&column.name).map(|_| column.name.as_str())
}

/// A name as it is written, where nothing of it would be left out or seem to be something else.
fn told_whole(name: &str) -> Option<String> {
    let is_whole = name.chars().nth(NAME_CHARS_MAX).is_none() && visible(name) == name;
    path::written(name).filter(|_| is_whole)
}

pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", cut(name))
}

fn cut(name: &str) -> String {
    let line: String = name.chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }).collect();
    let mut short: String = visible(&line).chars().take(NAME_CHARS_MAX + 1).collect();
    if NAME_CHARS_MAX < short.chars().count() {
        short.pop();
        short.push('…');
    }
    short
}
