//! Tables whose fields another separator divides than the one that Nushell expects of their ending: `a;b` in a `.csv`.

use super::{Flow, PipedCommand, ReportDraft, quoted};
use crate::file_schema::{Column, FileSchema};
use crate::finding::{Finding, FindingKind, Fix, Severity};
use askline_syntax::SimpleCommand;

/// Separators that a header with only one column shows.
const SEPARATORS: [char; 3] = [';', '\t', '|'];

/// Returns the separator and the columns that the only column of a file is made of; `None` if it is one.
fn separated(schema: &FileSchema) -> Option<(char, Vec<Column>)> {
    let FileSchema::Table(columns) = schema else { return None };
    let [only] = columns.as_slice() else { return None };
    let mut found = SEPARATORS.into_iter().filter(|separator| only.name.contains(*separator));
    let (separator, None) = (found.next()?, found.next()) else { return None };
    let names: Vec<&str> = only.name.split(separator).collect();
    let column = |name: &&str| Column { name: (*name).to_owned(), schema: FileSchema::Unknown, always: true };
    let is_plain = names.iter().all(|name| !name.is_empty() && name.trim() == *name && !name.contains('"'));
    is_plain.then(|| (separator, names.iter().map(column).collect()))
}

/// Returns a finding about `open` of a table that it would read as one column.
pub(super) fn unread(
    open: &SimpleCommand,
    file: &str,
    schema: &FileSchema,
    draft: &ReportDraft<'_>,
) -> Option<Finding> {
    let (separator, _) = separated(schema)?;
    if ![".csv", ".tsv"].iter().any(|ending| file.to_lowercase().ends_with(ending)) {
        return None;
    }
    // `get 'a;b'` takes the only column.
    let is_meant = schema.columns()?.iter().any(|only| draft.line.contains(&only.name));
    if is_meant {
        return None;
    }
    let (first, last) = (open.words.first()?, open.words.last()?);
    let span = first.span.start..last.span.end;
    let reader = match separator {
        '\t' => "from tsv".to_owned(),
        _ => format!("from csv --separator '{separator}'"),
    };
    let raw = draft.line.get(last.span.clone())?;
    let replacement = format!("open --raw {raw} | {reader}");
    let said = if separator == '\t' { "tabs".to_owned() } else { format!("`{separator}`") };
    Some(Finding {
        kind: FindingKind::Shape,
        span: span.clone(),
        grade: Severity::Warning,
        text: format!("the fields of {} are separated by {said}", quoted(file)),
        evidence: format!("read from {}", quoted(file)),
        fixes: vec![Fix { span, change: format!("open → open --raw … | {reader}"), replacement }],
    })
}

impl<'a> PipedCommand<'a> {
    /// Returns the table that `from csv --separator` makes of a file; `None` if its columns are not known.
    pub(super) fn separated(&self, name: &str, flow: Flow<'a>) -> Option<Flow<'a>> {
        let schema = self.draft.reference.schema(flow.file)?;
        let (separator, columns) = separated(&schema)?;
        let given = match self.arguments() {
            [] if name == "from tsv" => '\t',
            [option, value] if matches!(option.text.as_str(), "--separator" | "-s") => {
                value.text.chars().next()?
            }
            _ => return None,
        };
        let table = Flow { schema: FileSchema::Table(columns), noun: "column", is_file: false, ..flow };
        (given == separator).then_some(table)
    }
}
