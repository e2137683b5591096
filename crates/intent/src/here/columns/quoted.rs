//! Quoted fields of a table, which awk, cut and sort take as they are written: a separator in the quotes counts as one, and the quotes
//! as a part of the text (RFC 4180, 2.5 to 2.7; POSIX.1-2024, awk, cut).

use super::refs::ColumnRef;
use super::table::{is_in_quotes, quoted_fields};
use super::{refs, separators, table, unquote};
use crate::here::call::Call;
use crate::here::{Case, Contradiction, Subject};

/// Maximum number of rows that are read.
const ROWS_MAX: usize = 200;
/// Ways of gawk to read quoted fields.
const QUOTE_AWARE: [&str; 3] = ["--csv", "FPAT", "gawk -k"];
/// Signs of a program that takes the quotes into account.
const QUOTES: [&str; 4] = ["\\\"", "/\"/", "\\042", "\\x22"];

/// Returns each call that takes a column behind a quoted separator, or the field that has it, and each that compares or adds up
/// fields with their quotes.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    case.calls.iter().filter_map(|call| compare(case, call)).collect()
}

fn compare(case: &Case<'_>, call: &Call<'_>) -> Option<Contradiction> {
    let (file, _) = table::file_of(case, call, table::PIPES_MAX)?;
    let head = case.here.heads.get(&call.path(file))?;
    let (_, given) = call.value(separators::form(call.name)?.options)?;
    let separator = given.chars().next().filter(|it| given.len() == 1 && matches!(it, ',' | ';' | '|'))?;
    let written = case.line.text().get(call.command.span.clone())?;
    if !head.text.contains('"') || QUOTE_AWARE.iter().any(|way| written.contains(way)) {
        return None;
    }
    let rows = head.text.lines().take(ROWS_MAX).filter_map(|row| quoted_fields(row, separator));
    let rows: Vec<Vec<&str>> = rows.collect();
    let width = rows.first().map_or(0, Vec::len);
    let rows: Vec<Vec<&str>> = rows.into_iter().filter(|row| row.len() == width && 1 < width).collect();
    let heeds_quotes = QUOTES.iter().any(|sign| written.contains(sign));
    let text = if is_split_in_quotes(case, call, &rows, separator)? {
        format!("`{}` counts a `{separator}` inside quotes in `{file}` as a separator", call.name)
    } else if !heeds_quotes && takes_quotes(case, call, &rows) {
        format!("`{}` takes the quotes in `{file}` for a part of the fields", call.name)
    } else {
        return None;
    };
    let may_edit = !heeds_quotes && is_plain(&head.text, separator) && !takes_amounts(case, call, &rows);
    let edit = may_edit.then(|| unquote::edit(case, call, separator)).flatten();
    let facts = if edit.is_some() { "" } else { "`mlr --csv` and `csvcut` read quotes" }.to_owned();
    let subject = if edit.is_some() { Subject::Columns } else { Subject::Absence };
    let mut found = case.contradiction(subject, call.command.span.clone(), (text, facts), edit);
    if let Some(edit) = &mut found.mismatch.edit {
        edit.change = format!("`{separator}` outside quotes → tab, quotes left out");
    }
    Some(found)
}

/// Reports whether the reader of quotes makes the same rows of a table as RFC 4180 does: all rows have the same fields, each on its line,
/// without quotes or tabs in them.
fn is_plain(text: &str, separator: char) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    // The last line may be cut.
    let whole = if text.ends_with('\n') { lines.len() } else { lines.len().saturating_sub(1).max(1) };
    let rows: Option<Vec<_>> = lines.iter().take(whole).map(|row| quoted_fields(row, separator)).collect();
    let has_quotes =
        |field: &&str| field.get(1..field.len().saturating_sub(1)).is_some_and(|inner| inner.contains('"'));
    rows.is_some_and(|rows| {
        let width = rows.first().map_or(0, Vec::len);
        !text.contains('\t') && rows.iter().all(|row| row.len() == width && !row.iter().any(has_quotes))
    })
}

/// Reports whether the call calculates with numbers that have separators in them: `"1,200"`.
fn takes_amounts(case: &Case<'_>, call: &Call<'_>, rows: &[Vec<&str>]) -> bool {
    let uses = refs::of(call, rows.first().map_or(0, Vec::len), case.line).unwrap_or_default();
    let is_amount = |field: &&str| {
        is_in_quotes(field)
            && field.contains(',')
            && field.trim_matches('"').chars().all(|c| "0123456789,.-+ ".contains(c))
    };
    let numeric = uses.iter().filter(|used| used.is_numeric || used.is_summed || call.name == "sort");
    numeric.into_iter().any(|used| rows.iter().any(|row| row.get(used.column - 1).is_some_and(&is_amount)))
}

/// Reports whether a separator is in quotes, in a column that the call takes or before it. `None` if the columns can't be read.
fn is_split_in_quotes(case: &Case<'_>, call: &Call<'_>, rows: &[Vec<&str>], separator: char) -> Option<bool> {
    let open =
        call.value(&["-f", "--fields"]).filter(|_| call.name == "cut" && !call.has(&["--output-delimiter"]));
    let open = open.and_then(|(_, value)| open_from(value)).map(|first| first - 1);
    let width = rows.first().map_or(0, Vec::len);
    let last = match open {
        Some(last) => last,
        None => refs::of(call, width, case.line)?.iter().map(|it| it.column).max()?,
    };
    let is_split = |field: &&str| is_in_quotes(field) && field.contains(separator);
    Some(rows.iter().any(|row| row.iter().take(last).any(is_split)))
}

/// Reports whether the call adds up, orders or compares a column that has quoted fields.
fn takes_quotes(case: &Case<'_>, call: &Call<'_>, rows: &[Vec<&str>]) -> bool {
    let uses = refs::of(call, rows.first().map_or(0, Vec::len), case.line).unwrap_or_default();
    let is_taken = |used: &&ColumnRef| used.is_numeric || used.is_summed || used.literal.is_some();
    let is_quoted =
        |column: usize| rows.iter().any(|row| row.get(column - 1).is_some_and(|field| is_in_quotes(field)));
    uses.iter().filter(is_taken).any(|used| is_quoted(used.column))
}

/// Returns the first column of an open range, which prints the rest of the line as it is, with those that stand directly before it in the
/// same list: 2 of `3-,2`. `None` if the list has none.
fn open_from(list: &str) -> Option<usize> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|column| 0 < *column);
    let mut first = list.split(',').filter_map(|item| number(item.strip_suffix('-')?)).min()?;
    let closed: Vec<(usize, usize)> = list
        .split(',')
        .filter_map(|item| match item.split_once('-') {
            Some((_, "")) => None,
            Some((start, end)) => Some((if start.is_empty() { 1 } else { number(start)? }, number(end)?)),
            None => Some((number(item)?, number(item)?)),
        })
        .collect();
    while let Some((start, _)) =
        closed.iter().find(|(start, end)| *start < first && first <= end.saturating_add(1))
    {
        first = *start;
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use crate::here::{Head, Here, adapt, contradictions};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    const ORDERS: &str = "id,customer,city,amount\n1,\"Lee, Ann\",York,12.50\n2,Bob,\"Hull, East\",7\n";
    const STAFF: &str = "\"name\";\"team\";\"pay\"\n\"Ann\";\"ops\";\"2900\"\n\"Bob\";\"dev\";\"3100\"\n";
    const TABS: &str = r#"awk -F'"' -v OFS= '{for(i=1;i<=NF;i+=2)gsub(",","\t",$i)}1'"#;
    const SEMICOLONS: &str = r#"awk -F'"' -v OFS= '{for(i=1;i<=NF;i+=2)gsub(";","\t",$i)}1'"#;

    fn adapted(line: &str, shell: Shell) -> Option<String> {
        let mut here = Here::default();
        for (name, text) in [
            ("orders.csv", ORDERS),
            ("staff.csv", STAFF),
            ("pipes.csv", "id,part,n\n1,\"a, b\",40\n2,5\" pipe,40\n"),
            ("tabs.csv", "id,part,n\n1,\"a, b\",40\n2,\"x\ty\",40\n"),
            ("amounts.csv", "id,n\n1,\"1,200\"\n2,40\n"),
        ] {
            here.heads.insert(name.to_owned(), Head { text: text.to_owned(), is_whole: true });
        }
        adapt("", &ParsedLine::new(line, shell), &here).map(|adapted| adapted.line)
    }

    #[test]
    fn quotes_are_read_before_fields_are_taken() {
        for (line, expected) in [
            (
                "awk -F, '{s+=$4} END{print s}' orders.csv",
                "{TABS} orders.csv | awk -F'\\t' '{s+=$4} END{print s}'",
            ),
            (
                "awk -F ',' 'NR>1 {print $2}' < orders.csv",
                "{TABS} < orders.csv | awk -F '\\t' 'NR>1 {print $2}'",
            ),
            ("cut -d, -f2 orders.csv", "{TABS} orders.csv | cut -f2"),
            ("cut -d ',' -f 2 orders.csv | sort", "{TABS} orders.csv | cut -f 2 | sort"),
            (
                "tail -n +2 orders.csv | sort -t, -k4 -nr | head -n 3 | cut -d, -f2",
                "tail -n +2 orders.csv | {TABS} | sort -t$'\\t' -k4 -nr | head -n 3 | cut -f2",
            ),
            ("awk -F, '$4 > 10' orders.csv", "{TABS} orders.csv | awk -F'\\t' '$4 > 10'"),
            (
                "awk -F, '{print $2 \";\" $4}' orders.csv",
                "{TABS} orders.csv | awk -F'\\t' '{print $2 \";\" $4}'",
            ),
            (
                "awk -F';' '$3 > 3000 {print $1}' staff.csv",
                "{SEMICOLONS} staff.csv | awk -F'\\t' '$3 > 3000 {print $1}'",
            ),
            (
                "awk -F';' '$2 == \"ops\" {print $1}' staff.csv",
                "{SEMICOLONS} staff.csv | awk -F'\\t' '$2 == \"ops\" {print $1}'",
            ),
        ] {
            let expected = expected.replace("{TABS}", TABS).replace("{SEMICOLONS}", SEMICOLONS);
            assert_eq!(adapted(line, Shell::Bash), Some(expected), "{line}");
        }
        let in_fish = adapted("sort -t, -k4 -n orders.csv", Shell::Fish);
        assert_eq!(in_fish, Some(format!("{TABS} orders.csv | sort -t\\t -k4 -n")));
    }

    #[test]
    fn columns_are_compared_behind_the_reader_too() {
        let mut here = Here::default();
        here.heads.insert("staff.csv".to_owned(), Head { text: STAFF.to_owned(), is_whole: true });
        let line = ParsedLine::new("awk -F';' '$2 > 3000' staff.csv", Shell::Bash);
        let adapted = adapt("people who get more than 3000", &line, &here).unwrap();
        assert_eq!(adapted.line, format!("{SEMICOLONS} staff.csv | awk -F'\\t' '$2 > 3000'"));
        let line = ParsedLine::new(adapted.line, Shell::Bash);
        let left = contradictions("people who get more than 3000", &line, &here);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].told(), "column 2 of `staff.csv` has no numbers");
    }

    #[test]
    fn lines_whose_fields_are_right_stay() {
        for line in [
            "cut -d, -f1 orders.csv",
            "awk -F, '{print $1}' orders.csv",
            "awk -F';' '{print $1}' staff.csv",
            "awk -F';' '$2 == \"\\\"ops\\\"\"' staff.csv",
            "awk --csv '{print $2}' orders.csv",
            // The rows would be others in the file, or go to a program that reads commas.
            "awk -F, '$4 > 10' orders.csv > big.csv",
            "sort -t, -k4 -n orders.csv | tee sorted.csv",
            "sort -t, -k4 -n orders.csv | sed 's/,/ /'",
            "sort -t, -k4 -no orders.csv orders.csv",
            "(head -n 1 orders.csv && tail -n +2 orders.csv | sort -t, -k4 -n) > sorted.csv",
            "x=$(cut -d, -f2,4 orders.csv) && echo \"$x\" > out.csv",
            "cut -d, -f2,4 orders.csv | while IFS=, read -r name total; do echo \"$name\"; done",
            "sort -t, -k4 -n orders.csv | grep -E '(^|,)York(,|$)'",
            "awk -F, -v OFS=, '{print $2,$4}' orders.csv",
            "awk -F, '{print > ($3 \".csv\")}' orders.csv",
            "awk -F, 'NF != 4 {print $2}' orders.csv",
            "awk -F, '/,York,/ {print $2}' orders.csv",
            "join -t, <(sort -t, -k2 orders.csv) <(sort -t, -k2 amounts.csv)",
            // Other quotes than those around fields, tabs, amounts with commas.
            "awk -F, '{s += $3} END {print s}' pipes.csv",
            "cut -d, -f3 tabs.csv",
            "awk -F, '{s += $2} END {print s}' amounts.csv",
            "awk -F'[\",]+' '{print $3}' orders.csv",
            "awk -v FPAT='[^,]*|\"[^\"]*\"' '{print $2}' orders.csv",
        ] {
            assert_eq!(adapted(line, Shell::Bash), None, "{line}");
        }
    }
}
