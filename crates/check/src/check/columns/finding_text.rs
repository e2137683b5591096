//! Findings about columns. Their texts contain no name that occurs only in the file; such names are in the evidence.

use super::path::{self, Member, View};
use super::{Flow, PipedCommand};
use crate::check::nearest;
use crate::file_schema::{Column, FileSchema};
use crate::finding::{Finding, FindingKind, Fix, Severity};
use askline_syntax::Span;
use askline_syntax::clean::visible;

/// Maximum number of the file's names shown in a finding; next, maximum number of characters of one name.
const NAMES_MAX: usize = 12;
const NAME_CHARS_MAX: usize = 40;
/// Minimum length of a name whose plural is recognized, in characters.
const PLURAL_CHARS_MIN: usize = 5;
pub(super) const NAMES_CHARS_MAX: usize = 160;

impl Flow<'_> {
    /// Returns a finding about a missing name.
    pub(super) fn missing(&self, members: &[Member], at: usize, columns: &[Column]) -> Option<Finding> {
        let Member::Name { text, span, .. } = members.get(at)? else { return None };
        let is_inside = members.iter().take(at).any(|member| *member != Member::Index);
        let (subject, noun) = match is_inside {
            true => (inside(members, at, self.file), "key"),
            false => (self.subject.clone(), self.noun),
        };
        let holders: Vec<&Column> = columns
            .iter()
            .filter(|column| {
                let inner = View::of(&column.schema).row().columns();
                inner.is_some_and(|inner| inner.iter().any(|column| column.name == *text))
            })
            .collect();
        let holder: Vec<String> = holders
            .iter()
            .map(|column| format!("; {} is one of {}", shown(text), shown(&column.name)))
            .take(1)
            .collect();
        let fix = same(text, columns).and_then(|name| {
            let change = format!("{} → {}", cut(text), cut(name));
            Some(Fix { span: span.clone(), replacement: written_whole(name)?, change })
        });
        // `city` of the only record that has one: `address.city`.
        let nested = || {
            let [Column { name, schema: FileSchema::Record(_), .. }] = holders.as_slice() else {
                return None;
            };
            let replacement = format!("{}.{}", written_whole(name)?, written_whole(text)?);
            Some(Fix {
                span: span.clone(),
                change: format!("{} → {}", cut(text), cut(&replacement)),
                replacement,
            })
        };
        let fix = fix.or_else(nested);
        // Only a question: a similar name may mean another year, another quarter or the opposite.
        let near = match (&fix, holder.is_empty()) {
            (None, true) => nearest::clear(text, columns.iter().filter_map(nameable)),
            _ => None,
        };
        let near = near.map(|name| format!("; is it {}?", shown(name))).unwrap_or_default();
        let evidence = format!("{}{}{near}", listed(columns), holder.concat());
        let text = format!("{subject} has no {noun} {}", quoted(text));
        Some(finding(FindingKind::Column, span, text, evidence, fix))
    }

    /// Returns a finding about a column of data without columns.
    pub(super) fn bare(
        &self,
        members: &[Member],
        at: usize,
        bare: &FileSchema,
        command: Option<&str>,
    ) -> Option<Finding> {
        let Member::Name { span, .. } = members.get(at)? else { return None };
        let (subject, bare) = match at {
            // At the first member the data itself has no columns.
            0 => (self.subject.clone(), &self.schema),
            _ => (inside(members, at, self.file), bare),
        };
        let text = format!("{subject} is {}, without columns", kind(bare));
        let is_rows = [".jsonl", ".ndjson"].iter().any(|ending| self.file.to_lowercase().ends_with(ending));
        let remedy = match bare {
            FileSchema::Text if at == 0 && self.is_file && is_rows => {
                "; `open --raw` and `from json --objects` read its rows"
            }
            FileSchema::Text if at == 0 && self.is_file => "; `lines` or `parse` takes it apart",
            FileSchema::List(_) if at == 0 && command == Some("where") => {
                "; `$it` stands for each of its values"
            }
            _ => "",
        };
        Some(self.otherwise(span, format!("{text}{remedy}"), None))
    }

    /// Returns a finding about a value of an unsuitable type.
    pub(super) fn otherwise(&self, span: &Span, text: String, fix: Option<Fix>) -> Finding {
        finding(FindingKind::Shape, span, text, format!("read from {}", quoted(self.file)), fix)
    }
}

impl PipedCommand<'_> {
    /// Returns a finding about a record where the command needs rows.
    pub(super) fn is_record(&self, name: &str, flow: &Flow<'_>) -> Finding {
        let remedy = match name {
            "length" => "counts rows; `columns | length` counts keys",
            _ => "takes rows; `get` leads to what a key holds, `transpose key value` makes rows of all",
        };
        let keys = flow.schema.columns().unwrap_or_default();
        let span = self.command.words.first().map_or(0..0, |word| word.span.clone());
        let row = if flow.noun == "column" { "a row of " } else { "" };
        let text = format!("{row}{} is a record, and {} {remedy}", flow.subject, quoted(name));
        finding(FindingKind::Column, &span, text, listed(keys), None)
    }

    /// Returns a finding about `lines` on data that is not text.
    pub(super) fn no_text(&self, flow: &Flow<'_>) -> Finding {
        let span = self.command.words.first().map_or(0..0, |word| word.span.clone());
        let text = format!(
            "`lines` takes text apart, and {} is {} already; `open --raw` gives text",
            flow.subject,
            kind(&flow.schema)
        );
        flow.otherwise(&span, text, None)
    }

    /// Returns a finding about a column that already exists.
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

fn finding(kind: FindingKind, span: &Span, text: String, evidence: String, fix: Option<Fix>) -> Finding {
    Finding {
        kind,
        span: span.clone(),
        grade: Severity::Warning,
        text,
        evidence,
        fixes: fix.into_iter().collect(),
    }
}

/// Describes the value that a path leads to before member number `before`: "`a.b` of `goods.json`".
pub(super) fn inside(members: &[Member], before: usize, file: &str) -> String {
    let names = members.iter().take(before).filter_map(|member| match member {
        Member::Name { text, .. } => Some(text.as_str()),
        Member::Index => None,
    });
    let names = names.collect::<Vec<_>>().join(".");
    if names.is_empty() { quoted(file) } else { format!("{} of {}", quoted(&names), quoted(file)) }
}

/// Describes the type of a schema: "a list of values".
pub(super) fn kind(schema: &FileSchema) -> &'static str {
    match schema {
        FileSchema::Table(_) => "a table",
        FileSchema::Record(_) => "a record",
        FileSchema::List(_) => "a list of values",
        FileSchema::Text => "text",
        FileSchema::Int | FileSchema::Float => "a number",
        FileSchema::Bool => "true or false",
        FileSchema::Binary => "bytes",
        FileSchema::Unknown => "a value",
    }
}

/// Returns the only column whose name equals `wanted` except for case, blanks and dashes between letters, a plural,
/// or a trailing comma. A larger difference may mean another column: another year, a quarter, the opposite.
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

/// Returns a name in lower case without separators between two letters.
fn plain(name: &str) -> String {
    let letters: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let is_letter = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphabetic());
    let is_between = |at: usize| is_letter(at.checked_sub(1)) && is_letter(at.checked_add(1));
    let kept = |(at, c): (usize, &char)| (!matches!(c, ' ' | '_' | '-') || !is_between(at)).then_some(*c);
    letters.iter().enumerate().filter_map(kept).collect()
}

/// Reports whether a name is the plural of another one. In short words an `s` makes a different word: `new`, `true`.
fn is_plural(name: &str, of: &str) -> bool {
    name.strip_suffix('s') == Some(of)
        && !of.ends_with('s')
        && of.ends_with(char::is_alphabetic)
        && PLURAL_CHARS_MIN <= of.chars().count()
}

/// Lists column names within the limits.
pub(super) fn listed(columns: &[Column]) -> String {
    let mut names = String::new();
    let mut left = columns.len();
    for column in columns.iter().take(NAMES_MAX) {
        let name = shown(&column.name);
        if NAMES_CHARS_MAX < names.chars().count() + name.chars().count() + 2 {
            break;
        }
        names.push_str(if names.is_empty() { "" } else { ", " });
        names.push_str(&name);
        left -= 1;
    }
    match (names.is_empty(), left) {
        (true, 0) => "it has none".to_owned(),
        (true, _) => format!("it has {left}"),
        (false, 0) => format!("it has {names}"),
        (false, _) => format!("it has {names} and {left} more"),
    }
}

/// Returns a name in Nushell syntax, cut to the limit. A name that cannot be written is replaced by `…`, because text
/// from a file must not pass as our own.
fn shown(name: &str) -> String {
    let short: String = name.chars().take(NAME_CHARS_MAX).collect();
    match path::written(&short).filter(|_| visible(name) == name) {
        Some(written) if short.len() == name.len() => written,
        Some(written) => format!("{written}…"),
        None => "…".to_owned(),
    }
}

/// Returns the column's name if it can be shown completely.
fn nameable(column: &Column) -> Option<&str> {
    written_whole(&column.name).map(|_| column.name.as_str())
}

/// Returns a name in Nushell syntax; `None` if a part would be cut or look different.
fn written_whole(name: &str) -> Option<String> {
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
