//! Numbers with a decimal comma, of which awk reads the part before the comma (POSIX.1-2024, awk, "Expressions in awk").

use super::table::Source;
use super::uses;
use super::{Case, Contradiction, Subject};
use crate::mismatch::{Certainty, Edit};

/// Returns the sums and comparisons of columns that have decimal commas.
pub(super) fn find(case: &Case<'_>, sources: &[Source<'_>]) -> Vec<Contradiction> {
    sources.iter().filter_map(|source| compare(case, source)).collect()
}

fn compare(case: &Case<'_>, source: &Source<'_>) -> Option<Contradiction> {
    let (call, table) = (&source.call, &source.table);
    if !matches!(call.name, "awk" | "gawk" | "mawk") || table.separator == ',' {
        return None;
    }
    let (start, program) = uses::program(call.script?, case.line)?;
    let has_commas = |column: usize| {
        let mut fields = table.column(column).peekable();
        // `12,500` may be twelve thousand five hundred.
        fields.peek().is_some() && fields.all(is_number) && table.column(column).any(has_decimals)
    };
    let uses = uses::of(call, table.width(), case.line)?;
    let mut columns: Vec<usize> =
        uses.iter().filter(|it| it.is_numeric && has_commas(it.column)).map(|it| it.column).collect();
    columns.sort_unstable();
    columns.dedup();
    let first = *columns.first()?;
    if ["sub(", "split("].iter().any(|function| program.contains(function)) {
        return None;
    }
    let text = format!(
        "column {} of `{}` has decimal commas; `{}` reads only what is before them",
        first, source.file, call.name
    );
    let mut found =
        case.contradiction(Subject::Columns, call.command.span.clone(), (text, String::new()), None);
    // A changed field changes `$0`: its separators are gone.
    let prints_row = program.contains("$0") || !program.contains('{') || {
        let mut rest = program.split("print").skip(1).map(str::trim_start);
        rest.any(|rest| rest.starts_with([';', '}']))
    };
    if !prints_row {
        let points: Vec<String> =
            columns.iter().map(|column| format!("gsub(\",\", \".\", ${column})")).collect();
        let new = format!("{{{}}} ", points.join("; "));
        found.mismatch.certainty = Certainty::Sure;
        found.mismatch.edit = Some(Edit::replace(case.line.text(), start..start, new));
    }
    Some(found)
}

/// Reports whether a field is a number, with a comma or without.
fn is_number(field: &str) -> bool {
    let digits = field.trim().trim_start_matches('-');
    let parts = || digits.split(',');
    parts().count() <= 2
        && parts().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reports whether a field has a comma with other than three digits behind it.
fn has_decimals(field: &str) -> bool {
    field.trim().split_once(',').is_some_and(|(_, digits)| digits.len() != 3)
}
