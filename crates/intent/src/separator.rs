//! Columns of a csv or tsv file that a later command of the pipe reads with another separator.

use crate::effect::{Shape, before, shape};
use crate::mark::gives;
use crate::mismatch::Mismatch;
use crate::request::Token;
use crate::tool::{Tool, is_awk};
use askline_syntax::{ParsedLine, SimpleCommand};

/// Words of a request that name another separator.
const OTHERS: [&str; 7] = ["semicolon", "pipe", "blank", "space", "colon", "tab", "delimit"];

/// Returns a mismatch for a command that reads the second column of names, which have one.
pub(crate) fn beyond_names(line: &ParsedLine) -> Option<Mismatch> {
    let commands = &line.parsed().commands;
    let command = commands.iter().filter(|command| reads_second(command)).find(|command| {
        let is_list = |it: &SimpleCommand| matches!(it.name(), Some("find" | "ls" | "pgrep" | "fd"));
        before(line, command)
            .is_some_and(|it| is_list(it) && !prints_fields(it) && shape(line, it) == Some(Shape::Names))
    })?;
    Some(Mismatch::likely(command.span.clone(), "the names that it reads have one column".to_owned()))
}

/// Reports whether a format of `find -printf` has a blank or tab between its parts.
fn prints_fields(command: &SimpleCommand) -> bool {
    let is_format = |text: &str| text.contains('%') && (text.contains([' ', '\t']) || text.contains("\\t"));
    command.words.iter().any(|word| is_format(&word.text))
}

/// Reports whether a command reads a second column that blanks separate.
fn reads_second(command: &SimpleCommand) -> bool {
    let words = || command.words.iter().skip(1).map(|word| word.text.as_str());
    let has = |start: &str| words().any(|text| text.starts_with(start));
    let key = |text: &str| text.starts_with(|c: char| ('2'..='9').contains(&c));
    match command.name() {
        Some("sort") => {
            let is_key = words().any(|text| text.strip_prefix("-k").is_some_and(key) || key(text));
            is_key && has("-k") && !has("-t") && !has("--")
        }
        Some(name) if is_awk(name) => {
            words().next().is_some_and(|program| program.starts_with("{print $") && program.contains("$2"))
        }
        _ => false,
    }
}

/// Returns a mismatch for `awk` or `cut` without a separator behind a command that reads a csv file.
pub(crate) fn compare(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    if tokens.iter().any(|token| OTHERS.iter().any(|other| token.lower.starts_with(other))) {
        return None;
    }
    let mut commands = line.parsed().commands.iter();
    let first = commands.next().filter(|first| passes(first) && reads_csv(first))?;
    let mut before = first;
    let command = loop {
        let next =
            commands.next().filter(|next| next.pipeline == first.pipeline && next.within == first.within)?;
        if next.position != before.position + 1 {
            return None;
        }
        if splits_otherwise(next) {
            break next;
        }
        before = Some(next).filter(|next| passes(next))?;
    };
    Some(Mismatch::likely(
        command.span.clone(),
        format!(
            "`{}` splits at something else than commas, and the columns of a csv are separated by them",
            command.name()?
        ),
    ))
}

fn passes(command: &SimpleCommand) -> bool {
    let prints_parts =
        |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains(['o', 'c', 'l']);
    let is_grep = matches!(command.name(), Some("grep" | "egrep"));
    let counts = command.name() == Some("uniq") && gives(command, 'c');
    command.name().is_some_and(Tool::passes_rows)
        && !counts
        && !(is_grep && command.words.iter().skip(1).any(|word| prints_parts(&word.text)))
}

fn reads_csv(command: &SimpleCommand) -> bool {
    command.words.iter().skip(1).any(|word| word.text.ends_with(".csv"))
}

/// Reports whether a command reads fields and sets no separator.
fn splits_otherwise(command: &SimpleCommand) -> bool {
    let words = || command.words.iter().skip(1).map(|word| word.text.as_str());
    match command.name() {
        Some(name) if is_awk(name) => {
            let sets = |text: &str| {
                text.starts_with("-F")
                    || text.contains("FS")
                    || text.contains("FPAT")
                    || text.contains("split(")
            };
            let field = |text: &str| text.match_indices('$').any(|(at, _)| is_field(text.get(at + 1..)));
            !words().any(sets)
                && !words().any(|text| text.starts_with("--") || text == "-f")
                && words().any(field)
        }
        Some("cut") => {
            words().any(|text| text.starts_with("-f"))
                && !words().any(|text| text.starts_with("-d") || text.starts_with("--"))
        }
        _ => false,
    }
}

fn is_field(behind: Option<&str>) -> bool {
    behind.is_some_and(|text| text.starts_with(|c: char| ('1'..='9').contains(&c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn names_have_one_column() {
        for (line, is_found) in [
            ("find . -type f -printf '%P\\n' | sort -k 2", true),
            ("find . -type f -printf '%d %P\\n' | sort -k 2", false),
            ("ls | awk '{print $2}'", true),
            ("ls -l | awk '{print $2}'", false),
            ("find . | sort -t/ -k2", false),
            ("find . -printf '%f %h\\n' | sort -k2", false),
            ("pgrep -a nginx | awk '{print $2}'", false),
        ] {
            assert_eq!(beyond_names(&ParsedLine::new(line, Shell::Bash)).is_some(), is_found, "{line}");
        }
    }

    #[test]
    fn separators_behind_a_pipe() {
        for (line, is_found) in [
            ("grep York s.csv | awk '{print $1}'", true),
            ("tail -n +2 s.csv | sort | cut -f2", true),
            ("tail -n +2 s.csv | awk -F, '{print $1}'", false),
            ("tail -n +2 s.csv | wc -l | awk '{print $1}'", false),
            ("grep York s.txt | awk '{print $1}'", false),
            ("cut -d, -f1 s.csv | awk '{print $1}'", false),
            ("sort s.csv | uniq -c | awk '$1 > 1'", false),
        ] {
            let found = compare(&[], &ParsedLine::new(line, Shell::Bash));
            assert_eq!(found.is_some(), is_found, "{line}");
        }
    }
}
