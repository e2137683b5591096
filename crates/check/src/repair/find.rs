//! Repairs mistakes around `find` and `xargs`: `-exec` without an end, NUL-terminated names on only one side of the
//! pipe.

use crate::finding::{Finding, FindingKind, Fix, Severity};
use crate::reference::Reference;
use askline_syntax::{Parsed, SimpleCommand, Span, Word};

/// Actions that run a command and need an end.
const RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
/// Tests that take one value.
const WITH_VALUE: [&str; 16] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-size",
    "-type",
    "-mtime",
    "-mmin",
    "-atime",
    "-ctime",
    "-maxdepth",
    "-mindepth",
    "-newer",
    "-user",
    "-group",
    "-perm",
];
/// Actions after which `-print0` would be too late, and operators that would bind to it.
const NO_PRINT: [&str; 15] = [
    "-exec", "-execdir", "-ok", "-okdir", "-delete", "-print", "-print0", "-printf", "-fprint", "-fprint0",
    "-ls", "-o", "-or", ",", "-quit",
];

/// Finds `find … -exec cmd {}` whose end is missing or was consumed by the shell.
pub(super) fn unended(line: &str, parsed: &Parsed) -> Vec<Finding> {
    parsed.commands.iter().filter_map(|command| unended_command(line, command)).collect()
}

fn unended_command(line: &str, command: &SimpleCommand) -> Option<Finding> {
    if command.name() != Some("find") {
        return None;
    }
    let action = command.words.iter().rposition(|word| RUNS.contains(&word.text.as_str()))?;
    let (action, after) = (command.words.get(action)?, command.words.get(action + 1..)?);
    let is_end = |word: &Word| word.text == ";" || word.text == "+";
    let last = after.last()?;
    if after.iter().any(is_end) {
        return None;
    }
    let raw = line.get(last.span.clone())?;
    let fix = if let Some(braces) = raw.strip_suffix("\\;").or_else(|| raw.strip_suffix('+')).filter(|_| {
        // `{}\;` and `{}+` are one word.
        last.text.starts_with("{}")
    }) {
        let at = last.span.start + braces.len();
        Fix { span: at..at, replacement: " ".to_owned(), change: "blank before the end of -exec".to_owned() }
    } else if !command.redirections.is_empty() {
        return None;
    } else {
        let rest = line.get(last.span.end..)?;
        let blanks = rest.len() - rest.trim_start().len();
        let at = last.span.end + blanks;
        match rest.trim_start().strip_prefix(';').map(str::trim_start) {
            // The shell consumed the `;`.
            Some(more) if more.is_empty() || more.starts_with('-') || more.starts_with('|') => {
                let replacement = if blanks == 0 { " \\;" } else { "\\;" };
                Fix { span: at..at + 1, replacement: replacement.to_owned(), change: "; → \\;".to_owned() }
            }
            _ => {
                let at = last.span.end;
                Fix { span: at..at, replacement: " \\;".to_owned(), change: "added `\\;`".to_owned() }
            }
        }
    };
    let text = format!("{} has no end: a quoted `;` or, after {{}}, a `+`", action.text);
    Some(finding(action.span.clone(), Severity::Error, text, "find", fix))
}

/// Finds `find -name '*.txt' docs`: the starting point stands before the expression (POSIX.1-2024, find, SYNOPSIS).
pub(super) fn late_start(line: &str, parsed: &Parsed, reference: &dyn Reference) -> Vec<Finding> {
    parsed.commands.iter().filter_map(|command| late_start_of(line, command, reference)).collect()
}

fn late_start_of(line: &str, command: &SimpleCommand, reference: &dyn Reference) -> Option<Finding> {
    let [name, expression @ .., start] = command.words.as_slice() else { return None };
    let (first, [.., test, value]) = (expression.first()?, expression) else { return None };
    let is_late = name.text == "find"
        && first.text.starts_with('-')
        && !["-H", "-L", "-P", "-D", "-O"].iter().any(|option| first.text.starts_with(option))
        && WITH_VALUE.contains(&test.text.as_str())
        && !start.text.starts_with(['-', '(', ')', '!'])
        && !start.glob
        && !expression.iter().any(|word| RUNS.contains(&word.text.as_str()))
        && !command.redirections.iter().any(|it| it.span.start < start.span.start)
        // `-name my docs` may be one name without its quotes.
        && line.get(value.span.clone()).is_some_and(|raw| {
            raw.contains(['\'', '"', '*', '\\', '.']) || !test.text.contains("name") && !test.text.contains("path")
        })
        && (start.text.ends_with('/') || reference.is_directory(&start.text) == Some(true));
    if !is_late {
        return None;
    }
    let (span, end) = (first.span.start..start.span.end, expression.last()?.span.end);
    let path = line.get(start.span.clone())?;
    let fix = Fix {
        span: span.clone(),
        replacement: format!("{path} {}", line.get(first.span.start..end)?),
        change: format!("{path} goes before the tests"),
    };
    let text = format!("find takes {path} before its tests");
    Some(finding(start.span.clone(), Severity::Error, text, "find", fix))
}

/// Finds pipes from NUL-terminated names to a line reader, and the reverse.
pub(super) fn separators(line: &str, parsed: &Parsed) -> Vec<Finding> {
    let commands = &parsed.commands;
    commands
        .iter()
        .filter_map(|writer| {
            let reader = commands.iter().find(|reader| {
                reader.pipeline == writer.pipeline
                    && reader.position == writer.position + 1
                    && reader.within == writer.within
                    && reader.name() == Some("xargs")
            })?;
            pair(line, writer, reader)
        })
        .collect()
}

fn pair(line: &str, writer: &SimpleCommand, reader: &SimpleCommand) -> Option<Finding> {
    let options = |command: &SimpleCommand| -> Vec<String> {
        command.words.iter().skip(1).map(|word| word.text.clone()).collect()
    };
    let reads_nul = reader.words.iter().skip(1).take_while(|word| word.text.starts_with('-')).any(|word| {
        word.text == "--null"
            || !word.text.starts_with("--") && word.text.contains('0') && is_null_cluster(&word.text)
    });
    // The user chose another separator, or the words are not clear.
    if options(reader).iter().any(|option| option.starts_with("-d") || option.starts_with("--delimiter")) {
        return None;
    }
    let (writes_nul, end) = written(writer)?;
    if writes_nul == reads_nul {
        return None;
    }
    let (span, fix, text) = if writes_nul {
        let at = reader.words.first()?.span.end;
        let fix =
            Fix { span: at..at, replacement: " -0".to_owned(), change: "xargs → xargs -0".to_owned() };
        (reader.words.first()?.span.clone(), fix, "the names end with NUL; xargs reads them with -0")
    } else {
        let (span, replacement) = end?;
        let old = line.get(span.clone())?;
        let change = if old.is_empty() {
            format!("added `{}`", replacement.trim())
        } else {
            format!("{old} → {replacement}")
        };
        let fix = Fix { span, replacement, change };
        (
            writer.words.first()?.span.clone(),
            fix,
            "xargs -0 reads names that end with NUL; these end with lines",
        )
    };
    Some(finding(span, Severity::Error, text.to_owned(), "xargs", fix))
}

/// Reports whether `0` is one of the letters and not a digit of a value (`-n10`).
fn is_null_cluster(text: &str) -> bool {
    text.chars().skip(1).take_while(|c| "0prtxo".contains(*c)).any(|c| c == '0')
}

/// Returns whether a command writes NUL-terminated names, and the edit that makes it do so; `None` if unclear.
fn written(writer: &SimpleCommand) -> Option<(bool, Option<(Span, String)>)> {
    let words = &writer.words;
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.text.as_str()));
    let last = words.last()?.span.end;
    match writer.name()? {
        "find" if has(&["-print0", "-fprint0"]) => Some((true, None)),
        "find" => {
            if words.iter().any(|word| word.text.contains("\\0") || word.text == "-printf") {
                return None;
            }
            let print = words.iter().find(|word| word.text == "-print");
            let prints: Vec<&Word> =
                words.iter().filter(|word| NO_PRINT.contains(&word.text.as_str())).collect();
            match (print, prints.len()) {
                (Some(print), 1) => Some((false, Some((print.span.clone(), "-print0".to_owned())))),
                (None, 0) => Some((false, Some((last..last, " -print0".to_owned())))),
                _ => None,
            }
        }
        "git" if words.get(1)?.text == "ls-files" => {
            let at = words.get(1)?.span.end;
            let is_nul = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.ends_with('z');
            let writes_nul = words.iter().any(|word| is_nul(&word.text));
            Some((writes_nul, Some((at..at, " -z".to_owned()))))
        }
        "grep" => {
            let letters = |letters: &str| {
                words.iter().any(|word| {
                    let text = word.text.as_str();
                    text.starts_with('-') && !text.starts_with("--") && text.contains(|c| letters.contains(c))
                })
            };
            if !letters("lL") && !has(&["--files-with-matches", "--files-without-match"]) {
                return None;
            }
            let at = words.first()?.span.end;
            Some((letters("Z") || has(&["--null"]), Some((at..at, " --null".to_owned()))))
        }
        _ => None,
    }
}

fn finding(span: Span, grade: Severity, text: String, evidence: &str, fix: Fix) -> Finding {
    Finding {
        kind: FindingKind::Syntax,
        span,
        grade,
        text,
        evidence: format!("{evidence}(1)"),
        fixes: vec![fix],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_machine::TestMachine;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn a_folder_behind_the_tests_is_known_from_the_machine() {
        let found = |paths: Option<&[&str]>, line: &str| {
            let paths = paths.map(|paths| paths.iter().map(ToString::to_string).collect());
            let machine = TestMachine { paths, ..TestMachine::default() };
            late_start(line, ParsedLine::new(line, Shell::Bash).parsed(), &machine).len()
        };
        assert_eq!(found(Some(&["docs"]), "find -name '*.txt' docs"), 1);
        assert_eq!(found(Some(&["docs"]), "find -name my docs"), 0);
        assert_eq!(found(None, "find -name '*.txt' docs"), 0);
        assert_eq!(found(None, "find -name '*.txt' docs/"), 1);
    }
}
