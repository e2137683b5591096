//! Sums of numbers with a decimal comma, of which awk adds the part before the comma (POSIX.1-2024, awk, "Expressions in awk").

use super::table::Source;
use super::uses;
use super::{Case, Contradiction, Subject};
use crate::mismatch::{Certainty, Edit};

/// Returns the sums of columns that have decimal commas.
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
    let mut columns = sums(program);
    columns.retain(|column| has_commas(*column));
    let first = *columns.first()?;
    let changes = ["sub(", "split("].iter().any(|function| program.contains(function));
    if changes || call.has(&["-N", "--use-lc-numeric"]) {
        return None;
    }
    let text = format!(
        "column {} of `{}` has decimal commas; `{}` adds only what is before them",
        first, source.file, call.name
    );
    let mut found =
        case.contradiction(Subject::Columns, call.command.span.clone(), (text, String::new()), None);
    if only_sums(program) && !case.destroys {
        let points: Vec<String> =
            columns.iter().map(|column| format!("gsub(\",\", \".\", ${column})")).collect();
        let new = format!("{{{}}} ", points.join("; "));
        found.mismatch.certainty = Certainty::Sure;
        found.mismatch.edit = Some(Edit::replace(case.line.text(), start..start, new));
    }
    Some(found)
}

/// Returns the columns that a program adds up, each once: `s += $3`.
fn sums(program: &str) -> Vec<usize> {
    let column = |behind: &str| {
        let digits = behind.trim_start().strip_prefix('$')?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end)?.parse().ok()
    };
    let mut columns: Vec<usize> = program.split("+=").skip(1).filter_map(column).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Reports whether a program is `NR > 1 {…} END {…}` and prints at the end alone: a changed field changes `$0`, whose separators are
/// gone then, and is compared as text.
fn only_sums(program: &str) -> bool {
    let Some((rows, end)) = program.split_once("END") else { return false };
    let Some((condition, action)) = rows.split_once('{') else { return false };
    let is_plain = |c: char| c.is_ascii_digit() || "NR><=!&| ".contains(c);
    let action = action.trim_end().strip_suffix('}');
    condition.chars().all(is_plain)
        && action.is_some_and(|it| !it.contains(['{', '}', '<', '>', '~']) && !it.contains("print"))
        && !program.contains("$0")
        && !end.contains("END")
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
