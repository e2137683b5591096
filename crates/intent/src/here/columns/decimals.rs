//! Numbers with a decimal comma: awk adds the part before the comma, and compares them as text (POSIX.1-2024, awk, "Expressions in awk").

use super::refs;
use super::table::Source;
use crate::here::{Case, Contradiction, Subject};
use crate::tool::is_awk;

/// Returns the calls of awk that add up or compare a column with decimal commas.
pub(super) fn find(case: &Case<'_>, sources: &[Source<'_>]) -> Vec<Contradiction> {
    sources.iter().filter_map(|source| compare(case, source)).collect()
}

fn compare(case: &Case<'_>, source: &Source<'_>) -> Option<Contradiction> {
    let (call, table) = (&source.call, &source.table);
    if !is_awk(call.name) || table.separator == ',' {
        return None;
    }
    let (start, program) = refs::program(call.script?, case.line)?;
    let has_commas = |column: usize| {
        let mut fields = table.column(column).peekable();
        // `12,500` may be twelve thousand five hundred.
        fields.peek().is_some() && fields.all(is_number) && table.column(column).any(has_decimals)
    };
    let uses = column_uses(program);
    let is_read = |it: &&ColumnUse| has_commas(it.column) && it.kind != UseKind::Other;
    let first = uses.iter().find(is_read)?;
    // gawk reads the commas itself with these, in a locale that writes them.
    let is_local = call.has(&["-N", "--use-lc-numeric", "-P", "--posix"])
        || case.line.text().contains("POSIXLY_CORRECT")
        || ["LC_ALL=", "LC_NUMERIC=", "LANG="].iter().any(|name| sets_locale(case.line.text(), name));
    let is_other = |(_, given): (_, &str)| {
        let bare = given.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(given);
        bare != table.separator.to_string() && bare != "\\t"
    };
    if ["sub(", "split("].iter().any(|function| program.contains(function))
        || is_local
        || call.value(&["-F", "--field-separator"]).is_some_and(is_other)
    {
        return None;
    }
    let effect = match first.kind {
        UseKind::Comparison => "compares them as text",
        _ => "adds only what is before them",
    };
    let text =
        format!("column {} of `{}` has decimal commas; `{}` {effect}", first.column, source.file, call.name);
    let mut found =
        case.contradiction(Subject::Columns, call.command.span.clone(), (text, String::new()), None);
    let mut summed: Vec<usize> =
        uses.iter().map(|it| it.column).filter(|column| has_commas(*column)).collect();
    summed.sort_unstable();
    summed.dedup();
    let only_sums = uses.iter().all(|it| it.kind == UseKind::Sum || !has_commas(it.column));
    if only_sums && prints_at_end(program) && !case.destroys {
        let points: Vec<String> =
            summed.iter().map(|column| format!("gsub(\",\", \".\", ${column})")).collect();
        let new = format!("{{{}}} ", points.join("; "));
        case.mend(&mut found, start..start, new);
    }
    Some(found)
}

/// A place of a program that names a column.
struct ColumnUse {
    column: usize,
    kind: UseKind,
}

/// What a program does with a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UseKind {
    /// Adds it up, alone: `s += $3;`.
    Sum,
    /// Calculates with it: `s += $3 * $4`.
    Term,
    /// Compares it with a number by size: `$3 > 50`.
    Comparison,
    Other,
}

/// Returns the columns that a program names by number, in its order.
fn column_uses(program: &str) -> Vec<ColumnUse> {
    let places = program.match_indices('$').filter_map(|(at, _)| {
        let (before, behind) = (program.get(..at)?.trim_end(), program.get(at + 1..)?);
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let column = behind.get(..end)?.parse().ok()?;
        let next = behind.get(end..)?.trim_start();
        let is_row_end = behind.get(end..)?.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        let is_end = next.is_empty() || is_row_end || next.starts_with([';', '}']);
        let limit = next.strip_prefix(['<', '>']).map(|rest| rest.trim_start_matches('=').trim_start());
        let has_number = limit.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        // `print $3 > 50` would write a file.
        let is_printed = before.rsplit(['{', '}', ';']).next().is_some_and(|part| part.contains("print"));
        // `50 < $3`
        let bound = before.trim_end_matches('=').strip_suffix(['<', '>']).map(str::trim_end);
        let is_bounded = bound.is_some_and(|it| it.ends_with(|c: char| c.is_ascii_digit()))
            && !next.starts_with(['+', '-', '*', '/']);
        let is_term = before.ends_with("+=") || before.ends_with(['*', '/']) || next.starts_with(['*', '/']);
        let kind = match () {
            () if before.ends_with("+=") && is_end => UseKind::Sum,
            () if is_term && !before.ends_with("=/") => UseKind::Term,
            () if is_bounded && !is_printed => UseKind::Comparison,
            () if has_number && !before.ends_with(['+', '-', '*', '/']) && !is_printed => UseKind::Comparison,
            () => UseKind::Other,
        };
        Some(ColumnUse { column, kind })
    });
    places.collect()
}

/// Reports whether a line sets a variable to a locale that may write commas.
fn sets_locale(line: &str, name: &str) -> bool {
    let value = line.split_once(name).map(|(_, rest)| rest.split([' ', ';']).next().unwrap_or_default());
    value.is_some_and(|value| !matches!(value.trim_matches(['"', '\'']), "C" | "POSIX" | "C.UTF-8" | ""))
}

/// Reports whether a program is `NR > 1 {…} END {…}` and prints at the end alone, and no fields: a changed field changes `$0`, whose
/// separators are gone then.
fn prints_at_end(program: &str) -> bool {
    let Some((rows, end)) = program.split_once("END") else { return false };
    let Some((condition, action)) = rows.split_once('{') else { return false };
    let is_condition = |c: char| c.is_ascii_digit() || "NR><=!&| ".contains(c);
    let action = action.trim_end().strip_suffix('}');
    let prints_line = |part: &str| part.trim().trim_start_matches(['{', ' ']) == "print";
    condition.chars().all(is_condition)
        && action.is_some_and(|it| !it.contains(['{', '}']) && !it.contains("print"))
        && !program.contains("$0")
        && !end.contains(['$'])
        && !end.split([';', '}']).any(prints_line)
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
