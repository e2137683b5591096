//! A size that the request names, held against the number that `awk` compares with the sizes of another command.

use std::sync::LazyLock;

use regex::Regex;

use crate::demand::Demands;
use crate::find_expression::FindExpression;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::parts::parts;
use crate::tool::{Tool, is_awk};
use askline_syntax::options::Part;
use askline_syntax::{ParsedLine, SimpleCommand, Span, program_name};

/// Part of a size by which a number may differ: 1 MB is a million bytes or 2^20.
const SLACK: u64 = 8;
/// Units in which people write the number by mistake.
const UNITS: [u64; 7] = [1, 512, 1 << 10, 1 << 20, 1 << 30, 1000, 1_000_000];
/// Options of `du` with a letter and their unit.
const LETTERS: [(char, u64); 3] = [('b', 1), ('k', 1 << 10), ('m', 1 << 20)];

static COMPARED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\$(?<column>[0-9]+) ?[<>]=? ?(?<number>[0-9]+( ?\* ?[0-9]+)*)(?<rest>[^0-9]|$)").ok()
});

/// The sizes that a command prints.
struct Sizes<'l> {
    /// Column of the size, from 1.
    column: usize,
    /// Bytes in a unit; `None` if the unit differs from line to line (`-h`).
    unit: Option<u64>,
    /// The option that makes the unit differ.
    human: Option<(&'l str, Span)>,
}

/// A comparison in a program of `awk`.
struct Compared {
    column: usize,
    number: u64,
    span: Span,
}

/// Returns a mismatch if `awk` compares a size with a number that is another size.
pub(crate) fn compare(request: &str, demands: &Demands, line: &ParsedLine) -> Option<Mismatch> {
    let [wanted] = demands.sizes.as_slice() else { return None };
    let bytes = wanted.bytes();
    let awk = line.parsed().commands.iter().find(|it| it.name().is_some_and(is_awk))?;
    let compared = compared(line, awk)?;
    let source = source(line, awk)?;
    let sizes = sizes(source)?;
    if demands.range.is_some() || sizes.column != compared.column {
        return None;
    }
    let is_size = |unit: u64| {
        let value = compared.number.saturating_mul(unit);
        value.abs_diff(bytes) <= (bytes / SLACK).max(unit.min(bytes / 2))
    };
    let said = request.get(wanted.said.clone())?;
    let found = |text: &str, edit: Option<(Span, String)>| Mismatch {
        span: compared.span.clone(),
        said: Some(wanted.said.clone()),
        certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
        text: format!("you said \"{said}\"; {text}"),
        edit: edit.map(|(span, new)| Edit::replace(line.text(), span, new)),
    };
    let Some(unit) = sizes.unit else {
        let (option, span) = sizes.human?;
        // 1024-byte blocks are what the slip of `-h` puts in its place.
        let letter = LETTERS.iter().find(|(_, unit)| is_size(*unit)).map(|(letter, _)| *letter)?;
        let new = option.replacen('h', &letter.to_string(), 1);
        return Some(found("`-h` prints sizes that can't be compared", Some((span, new))));
    };
    if is_size(unit) {
        return None;
    }
    let right = (bytes % unit == 0).then(|| bytes / unit).filter(|right| 0 < *right);
    let edit = right.filter(|_| UNITS.iter().any(|other| is_size(*other)));
    let counts = match unit {
        1 => "bytes".to_owned(),
        unit => format!("units of {unit} bytes"),
    };
    let text = format!("`{}` compares {counts}", compared.number);
    Some(found(&text, edit.map(|right| (compared.span.clone(), right.to_string()))))
}

/// Returns the only comparison of a column with a number in the program of `awk`, if nothing is computed before it.
fn compared(line: &ParsedLine, awk: &SimpleCommand) -> Option<Compared> {
    let word = awk.words.iter().skip(1).find(|word| word.text.contains('$') && word.literal)?;
    let raw = line.text().get(word.span.clone())?;
    let mut all = COMPARED.as_ref()?.captures_iter(raw);
    let (only, None) = (all.next()?, all.next()) else { return None };
    let column = only.name("column")?.as_str().parse().ok()?;
    let number = only.name("number")?;
    let is_part = only.name("rest")?.as_str().starts_with(['.', '*', '/', '^', 'e', 'E', '%', '+']);
    let is_set = ["/=", "*=", "+=", "gsub", "sub("].iter().any(|it| raw.contains(it));
    let has_separator = awk.words.iter().any(|word| word.text.starts_with("-F") && word.text != "-F\\t");
    if is_part || is_set || has_separator {
        return None;
    }
    let factors: Option<Vec<u64>> = number.as_str().split('*').map(|it| it.trim().parse().ok()).collect();
    Some(Compared {
        column,
        number: factors?.into_iter().fold(1, u64::saturating_mul),
        span: word.span.start + number.start()..word.span.start + number.end(),
    })
}

/// Returns the command whose columns `awk` reads.
fn source<'l>(line: &'l ParsedLine, awk: &SimpleCommand) -> Option<&'l SimpleCommand> {
    let is_before = |it: &&SimpleCommand| {
        it.pipeline == awk.pipeline && it.within == awk.within && it.position < awk.position
    };
    let mut before: Vec<&SimpleCommand> = line.parsed().commands.iter().filter(is_before).collect();
    before.sort_by_key(|it| std::cmp::Reverse(it.position));
    before.into_iter().find(|it| !it.name().is_some_and(Tool::passes_rows))
}

fn sizes(command: &SimpleCommand) -> Option<Sizes<'_>> {
    match program_name(command.name()?) {
        "du" => sizes_of_du(command),
        "ls" => sizes_of_ls(command),
        "find" | "gfind" => {
            let find = FindExpression::of(command)?;
            let format = find.named(&["-printf"]).next()?.value?;
            column_of(&format.text, &[("%s", 1), ("%k", 1 << 10), ("%b", 512)])
        }
        "stat" => {
            let (_, format) = options(command)?
                .into_iter()
                .find(|(name, _)| matches!(name.as_str(), "-c" | "--format" | "--printf"))?;
            column_of(format?, &[("%s", 1), ("%b", 512)])
        }
        _ => None,
    }
}

/// Returns the options of a command with their values.
fn options(command: &SimpleCommand) -> Option<Vec<(String, Option<&str>)>> {
    let option = |part| match part {
        Part::Option(given) => {
            Some((given.name.to_string(), given.value.map(|value| value.text(&command.words))))
        }
        _ => None,
    };
    Some(parts(command)?.into_iter().filter_map(option).collect())
}

/// Returns the word with the option `h` among short options.
fn human(command: &SimpleCommand) -> Option<(&str, Span)> {
    command.words.iter().skip(1).find_map(|word| {
        let letters = word.text.strip_prefix('-')?;
        let is_plain = letters.chars().all(|c| c.is_ascii_alphabetic());
        (is_plain && letters.contains('h')).then(|| (word.text.as_str(), word.span.clone()))
    })
}

fn sizes_of_du(command: &SimpleCommand) -> Option<Sizes<'_>> {
    let options = options(command)?;
    let given = |name: &str| options.iter().any(|(it, _)| it == name);
    if given("--si") || given("--inodes") || given("-0") {
        return None;
    }
    if given("-h") || given("--human-readable") {
        return Some(Sizes { column: 1, unit: None, human: human(command) });
    }
    let unit = match options
        .iter()
        .rev()
        .find(|(name, _)| matches!(name.as_str(), "-b" | "--bytes" | "-k" | "-m" | "-B" | "--block-size"))
    {
        None => 1 << 10,
        Some((name, value)) => match (name.as_str(), value.unwrap_or_default()) {
            ("-b" | "--bytes", _) | (_, "1") => 1,
            ("-k", _) | (_, "1K" | "K" | "1k" | "k" | "1024") => 1 << 10,
            ("-m", _) | (_, "1M" | "M") => 1 << 20,
            (_, "1G" | "G") => 1 << 30,
            _ => return None,
        },
    };
    Some(Sizes { column: 1, unit: Some(unit), human: None })
}

fn sizes_of_ls(command: &SimpleCommand) -> Option<Sizes<'_>> {
    let options = options(command)?;
    let given = |names: &[&str]| options.iter().any(|(it, _)| names.contains(&it.as_str()));
    let is_other = ["-s", "-i", "-g", "-o", "-G", "-h", "-Z", "--block-size", "--human-readable", "--si"];
    let is_long = given(&["-l"]) && !given(&is_other);
    is_long.then_some(Sizes { column: 5, unit: Some(1), human: None })
}

/// Returns the column of a format that holds a size.
fn column_of(format: &str, directives: &[(&str, u64)]) -> Option<Sizes<'static>> {
    let format = format.replace("\\t", " ").replace("\\n", " ");
    let mut columns = format.split(' ').enumerate().filter_map(|(at, column)| {
        let (_, unit) = directives.iter().find(|(name, _)| *name == column)?;
        Some(Sizes { column: at + 1, unit: Some(*unit), human: None })
    });
    columns.next().filter(|_| columns.next().is_none())
}

#[cfg(test)]
mod tests {
    use crate::{agree, mismatches};
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn numbers_are_held_against_the_unit_of_the_command() {
        for (request, line, expected) in [
            ("folders over 3 megabytes", "du -k | awk '$1 > 3145728'", "du -k | awk '$1 > 3072'"),
            ("folders over 3 MB", "du | sort -n | awk '$1 > 3'", "du | sort -n | awk '$1 > 3072'"),
            ("folders over 3 MB", "du -m | awk '$1 > 3145728'", "du -m | awk '$1 > 3'"),
            ("folders over 3 MB", "du -h | awk '$1 > 3145728'", "du -b | awk '$1 > 3145728'"),
            ("folders over 3 MB", "du -h src | awk '$1 > 3072'", "du -k src | awk '$1 > 3072'"),
            ("folders over 3 MB", "du -sh */ | awk '$1 > 3'", "du -sm */ | awk '$1 > 3'"),
            ("files larger than 20 KB", "ls -l | awk '$5 > 20'", "ls -l | awk '$5 > 20480'"),
            (
                "files under docs larger than 20 KB",
                "find docs -type f -printf '%s %p\\n' | awk '$1 > 20'",
                "find docs -type f -printf '%s %p\\n' | awk '$1 > 20480'",
            ),
            (
                "files here larger than 20 KB",
                "stat -c '%n %s' * | awk '$2 > 20'",
                "stat -c '%n %s' * | awk '$2 > 20480'",
            ),
        ] {
            let agreed = agree(request, &ParsedLine::new(line, Shell::Bash)).map(|it| it.line);
            assert_eq!(agreed.as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn right_numbers_and_other_columns_are_left_alone() {
        for (request, line, is_found) in [
            ("folders over 3 MB", "du -k | awk '$1 > 3072'", false),
            ("folders over 3 MB", "du -k | awk '$1 > 3*1024'", false),
            ("folders over 3 MB", "du -b | awk '$1 > 3000000'", false),
            ("folders over 3 MB", "du -B1 | awk '$1 > 3 * 1024 * 1024'", false),
            ("folders over 3 MB", "du -m | awk '$1 > 3'", false),
            ("folders over 3 MB", "du -k | awk '$1/1024 > 3'", false),
            ("folders over 3 MB", "du -k | awk '$2 > 3'", false),
            ("folders with over 3 files", "du -a | awk '$1 > 3'", false),
            ("folders over 3 MB", "du -k | awk '$1 > 777'", true),
        ] {
            let found = mismatches(request, &ParsedLine::new(line, Shell::Bash));
            let is_told = found.iter().any(|it| it.text.contains("compares"));
            assert_eq!(is_told, is_found, "{line}: {found:?}");
        }
    }
}
