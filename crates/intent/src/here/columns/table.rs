//! The table in a file that a call reads: its separator, its header, its rows. Fields may be in quotes (RFC 4180, 2.5 to 2.7).

use std::sync::LazyLock;

use regex::Regex;

use super::Case;
use super::formats::Format;
use super::reader;
use crate::here::call::Call;
use crate::tool::is_awk;

/// Maximum number of rows that are compared.
const ROWS_MAX: usize = 60;
/// Maximum number of columns of a table.
const COLUMNS_MAX: usize = 64;
/// Maximum length of a column's name, in characters.
const NAME_CHARS_MAX: usize = 40;
/// Maximum number of pipes that are followed back to a file.
pub(super) const PIPES_MAX: usize = 8;
/// Separators of fields; a blank means any number of blanks.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];
/// A tab.
pub(super) const TAB: char = '\t';
/// The separator of tables that are aligned with blanks.
pub(super) const BLANKS: char = ' ';

/// A time with a comma before the fractions of its second, as logs have it.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a test reads the pattern")]
    Regex::new(r"\d\d:\d\d:\d\d,\d{3}\b").expect("the pattern is well-formed")
});

/// Place of a file's first line in the input of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstLine {
    /// It is the first line of the input.
    Top,
    /// It is not in the input.
    Gone,
    /// It may be anywhere.
    Somewhere,
}

/// A call with the table that it reads.
pub(super) struct Source<'a> {
    pub(super) call: Call<'a>,
    pub(super) file: &'a str,
    pub(super) table: Table<'a>,
    pub(super) first: FirstLine,
}

/// A table in text.
#[derive(Debug, Clone)]
pub(super) struct Table<'h> {
    /// The text that was read.
    pub(super) text: &'h str,
    pub(super) separator: char,
    /// `true` if the rows also have the same number of words, so blanks may separate them.
    pub(super) has_words: bool,
    /// Names of the columns, in lower case.
    pub(super) header: Option<Vec<String>>,
    /// The format that names the columns, if no line does. Rows of logs may have different numbers of words then.
    pub(super) format: Option<&'static Format>,
    /// Rows below the header.
    pub(super) rows: Vec<Vec<&'h str>>,
    /// `true` if these are all rows.
    pub(super) is_whole: bool,
}

impl<'a> Source<'a> {
    /// Returns all calls of a line that read a table of which the first lines are known.
    pub(super) fn all(case: &Case<'a>) -> Vec<Self> {
        let read = |call: &Call<'a>| {
            let (file, first) = file_of(case, call, PIPES_MAX)?;
            if let Some((_, sample)) = Format::at(file) {
                return Some(Self {
                    table: Table::of(file, sample, false)?,
                    call: call.clone(),
                    file,
                    first,
                });
            }
            let head = case.here.heads.get(&call.path(file))?;
            let mut table = Table::of(file, &head.text, head.is_whole)?;
            if is_unquoted(case, call) {
                table.separator = TAB;
            }
            Some(Self { table, call: call.clone(), file, first })
        };
        // The reader of quotes takes no column.
        case.calls.iter().filter(|call| !reader::is_reader(call)).filter_map(read).collect()
    }
}

/// Returns the file whose lines a call reads, also through pipes.
pub(super) fn file_of<'a>(case: &Case<'a>, call: &Call<'a>, pipes: usize) -> Option<(&'a str, FirstLine)> {
    let known = || Format::at(&call.only_word()?.text).map(|(path, _)| path);
    if let Some(file) = call.only_file().or_else(known) {
        return Some((file, FirstLine::Top));
    }
    let command = call.command;
    let has_input = command.redirections.iter().any(|it| it.operator.starts_with('<'));
    if pipes == 0 || !call.operands.is_empty() || has_input {
        return None;
    }
    let before = case.calls.iter().find(|other| {
        let other = other.command;
        other.pipeline == command.pipeline
            && other.position + 1 == command.position
            && other.within == command.within
    })?;
    let (file, first) = file_of(case, before, pipes - 1)?;
    Some((file, after(before, first)?))
}

/// Reports whether a call reads what the reader of quotes prints.
fn is_unquoted(case: &Case<'_>, call: &Call<'_>) -> bool {
    let command = call.command;
    case.calls.iter().any(|other| {
        let other_command = other.command;
        other_command.pipeline == command.pipeline
            && other_command.within == command.within
            && other_command.position < command.position
            && reader::is_reader(other)
    })
}

/// Returns the place of the first line behind a call; `None` if the call changes the rows.
fn after(call: &Call<'_>, first: FirstLine) -> Option<FirstLine> {
    let count = call.value(&["-n", "--lines"]).map(|(_, count)| count);
    match call.name {
        "sed" => (call.script?.text == "1d").then_some(FirstLine::Gone),
        "tail" if count.is_some_and(|count| count.starts_with('+')) => Some(FirstLine::Gone),
        _ if reader::is_reader(call) => Some(first),
        "tail" | "grep" | "uniq" | "sort" | "shuf" | "tac" if first == FirstLine::Top => {
            Some(FirstLine::Somewhere)
        }
        _ => call.tool.rows.then_some(first),
    }
}

impl<'h> Table<'h> {
    /// Reads the first bytes of a file. `None` if they are no table.
    pub(super) fn of(file: &str, text: &'h str, is_whole: bool) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // A cut line says nothing.
        let end = if is_whole { text.len() } else { text.rfind('\n')? };
        let text = text.get(..end)?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(ROWS_MAX).collect();
        let is_whole = is_whole && lines.len() < ROWS_MAX;
        if let Some(format) = Format::of(&lines) {
            let rows = lines.iter().map(|line| split(line, format.separator)).collect();
            let (separator, format) = (format.separator, Some(format));
            return Some(Self { text, separator, has_words: false, header: None, format, rows, is_whole });
        }
        if text.contains('\0') {
            return None;
        }
        if text.contains('"') {
            return Self::quoted(text, &lines, is_whole);
        }
        let words = rows(&lines, BLANKS);
        // "12:00:31,285" is a time.
        let is_free = |separator: char| separator != ',' || !lines.iter().all(|line| TIME.is_match(line));
        let separators = SEPARATORS.iter().filter(|separator| is_free(**separator));
        let mut separated = separators.filter_map(|separator| Some((*separator, rows(&lines, *separator)?)));
        let (separator, mut rows) = match (separated.next(), separated.next()) {
            (Some(found), None) => found,
            (None, _) => (BLANKS, words.clone()?),
            // Decimal commas between semicolons, lists between tabs: the ending may say which.
            (Some(_), Some(_)) if file.ends_with(".tsv") => ('\t', rows(&lines, '\t')?),
            _ => return None,
        };
        let header = header(&rows, separator);
        if header.is_some() {
            rows.remove(0);
        }
        Some(Self {
            text,
            separator,
            has_words: words.is_some() && separator != BLANKS,
            header,
            format: None,
            rows,
            is_whole,
        })
    }

    /// Reads a table with quoted fields. `None` unless just one separator splits the lines into rows.
    fn quoted(text: &'h str, lines: &[&'h str], is_whole: bool) -> Option<Self> {
        let rows_of = |separator: char| {
            let rows: Option<Vec<_>> = lines.iter().map(|line| quoted_fields(line, separator)).collect();
            rows.filter(|rows| are_rows(rows))
        };
        let mut separated =
            SEPARATORS.iter().filter_map(|separator| Some((*separator, rows_of(*separator)?)));
        let ((separator, quoted), None) = (separated.next()?, separated.next()) else { return None };
        let mut rows: Vec<Vec<&str>> =
            quoted.into_iter().map(|row| row.into_iter().map(unquoted).collect()).collect();
        let header = header(&rows, separator);
        if header.is_some() {
            rows.remove(0);
        }
        Some(Self { text, separator, has_words: false, header, format: None, rows, is_whole })
    }

    /// Returns the fields of a column, counted from 1.
    pub(super) fn column(&self, number: usize) -> impl Iterator<Item = &'h str> {
        let index = number.checked_sub(1);
        self.rows.iter().filter_map(move |row| row.get(index?).copied())
    }

    /// Reports whether all fields of a column are numbers.
    pub(super) fn is_numeric(&self, number: usize) -> bool {
        if let Some(format) = self.format.filter(|format| format.knows(number)) {
            return format.is_numeric(number);
        }
        let mut fields = self.column(number).peekable();
        fields.peek().is_some() && fields.all(is_number)
    }

    /// Reports whether all fields of a column are sizes such as `1.5G`.
    pub(super) fn is_size(&self, number: usize) -> bool {
        let mut fields = self.column(number).peekable();
        fields.peek().is_some()
            && fields.all(|field| is_number(field.trim_end_matches(['K', 'M', 'G', 'T', 'k', 'B', 'i'])))
    }

    /// Reports whether all fields of a column are words.
    pub(super) fn has_words_alone(&self, number: usize) -> bool {
        let mut fields = self.column(number).map(str::trim).peekable();
        fields.peek().is_some() && fields.all(|field| field.starts_with(char::is_alphabetic))
    }

    /// Reports whether no field of a column is a number.
    pub(super) fn lacks_numbers(&self, number: usize) -> bool {
        let mut fields = self.column(number).peekable();
        !self.is_numeric(number) && fields.peek().is_some() && !fields.any(is_number)
    }

    /// Returns the number of columns.
    pub(super) fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }
}

fn is_number(field: &str) -> bool {
    let field = field.trim();
    field.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && field.parse::<f64>().is_ok()
}

/// Splits a line.
fn split(line: &str, separator: char) -> Vec<&str> {
    match separator {
        BLANKS => line.split_whitespace().collect(),
        _ => line.split(separator).collect(),
    }
}

/// Splits lines; `None` unless all have the same number of fields, and at least two.
fn rows<'h>(lines: &[&'h str], separator: char) -> Option<Vec<Vec<&'h str>>> {
    let rows: Vec<Vec<&str>> = lines.iter().map(|line| split(line, separator)).collect();
    are_rows(&rows).then_some(rows)
}

/// Reports whether lines have the same number of fields, and at least two.
fn are_rows(rows: &[Vec<&str>]) -> bool {
    let width = rows.first().map_or(0, Vec::len);
    2 <= rows.len() && (2..=COLUMNS_MAX).contains(&width) && rows.iter().all(|row| row.len() == width)
}

/// Splits a line where a separator is in no quotes. The fields keep their quotes. `None` if a field has quotes elsewhere than
/// around it.
pub(super) fn quoted_fields(line: &str, separator: char) -> Option<Vec<&str>> {
    let (mut fields, mut start, mut is_quoted) = (Vec::new(), 0, false);
    for (at, c) in line.char_indices() {
        if c == '"' {
            is_quoted = !is_quoted;
        } else if c == separator && !is_quoted {
            fields.push(line.get(start..at)?);
            start = at + separator.len_utf8();
        }
    }
    fields.push(line.get(start..)?);
    let is_field = |field: &&str| !field.contains('"') || is_in_quotes(field);
    (!is_quoted && fields.iter().all(is_field)).then_some(fields)
}

/// Reports whether a field is in quotes.
pub(super) fn is_in_quotes(field: &str) -> bool {
    1 < field.len() && field.starts_with('"') && field.ends_with('"')
}

fn unquoted(field: &str) -> &str {
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}

/// Returns the first row if it has names: words, no two alike, above at least one column of numbers or dates. A table without
/// such a column has a header only if the names are all in lower case and the fields are not.
fn header(rows: &[Vec<&str>], separator: char) -> Option<Vec<String>> {
    let (first, rest) = rows.split_first()?;
    let is_name = |field: &&&str| {
        let begins = field.trim().starts_with(char::is_alphabetic);
        begins && field.chars().count() <= NAME_CHARS_MAX && !field.contains(['=', ':', '@', '/'])
    };
    let names: Vec<String> = first.iter().filter(is_name).map(|field| field.trim().to_lowercase()).collect();
    let has_twins =
        names.iter().enumerate().any(|(at, name)| names.iter().skip(at + 1).any(|other| other == name));
    if names.len() < first.len() || has_twins || rest.is_empty() {
        return None;
    }
    let begins_with_digit = |at: usize| {
        let field = |row: &Vec<&str>| {
            row.get(at).is_some_and(|field| field.trim().starts_with(|c: char| c.is_ascii_digit()))
        };
        rest.iter().all(field)
    };
    let is_lower = |text: &str| !text.contains(char::is_uppercase);
    let is_other_case = separator != BLANKS
        && first.iter().all(|field| is_lower(field))
        && !rest.iter().any(|row| row.iter().all(|field| is_lower(field)));
    let has_numbers = (0..first.len()).any(begins_with_digit);
    (has_numbers || is_other_case).then_some(names)
}

/// Reports whether a call takes columns.
pub(super) fn takes_columns(source: &Source<'_>) -> bool {
    (is_awk(source.call.name) || matches!(source.call.name, "cut" | "sort"))
        && (source.call.name != "sort" || source.call.has(&["-k", "--key"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str, text: &str) -> Option<(char, Option<Vec<String>>)> {
        Table::of(file, text, true).map(|table| (table.separator, table.header))
    }

    #[test]
    fn tables_are_told_from_text() {
        let names = |names: &str| Some(names.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for (file, text, expected) in [
            ("a.csv", "date,Price\n2026-01-05,2\n", Some((',', names("date price")))),
            ("a.csv", "id;name\n7;Ann Lee\n3;Raj, Mr\n", Some((';', names("id name")))),
            ("a.tsv", "player\tround\nkiwi\t1\n", Some(('\t', names("player round")))),
            ("ps.txt", "PID CMD\n1 init\n2 sh\n", Some((' ', names("pid cmd")))),
            ("a.csv", "name,city\nAnn,York\n", Some((',', names("name city")))),
            ("a.csv", "ann,york\nbob,hull\n", Some((',', None))),
            ("m.txt", "1 2 3\n4 5 6\n", Some((' ', None))),
            ("s.txt", "cache 1.5G\nimages 300M\n", Some((' ', None))),
            ("letter.txt", "Dear Ann,\nall is well\n", None),
            ("a.csv", "a,b\n\"x,y\",1\n", Some((',', names("a b")))),
            ("a.csv", "\"Name\",\"Age\"\n\"Ann\",\"7\"\n", Some((',', names("name age")))),
            ("a.txt", "6\" pipe,3\n7\" pipe,4\n", None),
            ("a.jsonl", "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n", None),
            ("a.txt", "alpha\nbeta\n", None),
            ("a.log", "2026-11-30 00:01:31,285 INFO a\n2026-11-30 00:01:32,001 INFO b c\n", None),
            ("a.csv", "a,b\n", None),
            ("", "", None),
        ] {
            assert_eq!(read(file, text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_cut_row_does_not_count() {
        let table = Table::of("a.csv", "a,b\n1,2\n3", false).unwrap();
        assert_eq!((table.rows, table.is_whole), (vec![vec!["1", "2"]], false));
        assert!(Table::of("a.csv", "a,b", false).is_none());
    }
}
