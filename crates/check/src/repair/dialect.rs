//! Translates a bash line typed in fish or Nushell into that shell. The translation is complete or absent: a
//! construct without an exact counterpart leaves the line unchanged.

mod fish;
mod nu;

use super::version::{STOPS_SINCE, is_since};
use crate::finding::{Finding, FindingKind, Fix, Severity};
use crate::reference::Reference;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Grammar;

/// The reason of a translation, before the name of the shell.
const FOREIGN: &str = "this is bash, not";

/// Reports whether a change of a repair is a translation from bash.
pub fn is_translation(change: &str) -> bool {
    change.contains(FOREIGN)
}

/// Returns the translated line as one fix; `None` if nothing is foreign or a part has no counterpart.
pub(super) fn foreign(line: &ParsedLine, reference: &dyn Reference) -> Option<Finding> {
    let shell = line.shell();
    let convert = match shell.dialect().grammar {
        Grammar::Fish => fish::convert,
        Grammar::Nushell => nu::convert,
        Grammar::Posix => return None,
    };
    let parsed = line.as_bash();
    if !parsed.errors.is_empty() || parsed.incomplete {
        return None;
    }
    let line = line.text();
    let (replacement, mut changes) = convert(line)?;
    // Before that version, Nushell continues after `;` even if a program failed.
    let goes_on = || !reference.shell_version().is_some_and(|version| is_since(&version, STOPS_SINCE));
    if shell.is_nushell() && changes.iter().any(|change| nu::STOPPING.contains(&change.as_str())) && goes_on()
    {
        return None;
    }
    let has_jobs =
        || reference.shell_version().is_some_and(|version| is_since(&version, nu::blocks::JOBS_SINCE));
    if shell.is_nushell() && changes.iter().any(|change| change == nu::blocks::JOB) && !has_jobs() {
        return None;
    }
    changes.dedup();
    Some(Finding {
        kind: FindingKind::Syntax,
        span: 0..line.len(),
        grade: Severity::Error,
        text: format!("{FOREIGN} {shell}"),
        evidence: shell.name().to_owned(),
        fixes: vec![Fix { span: 0..line.len(), replacement, change: changes.join(", ") }],
    })
}

/// A token of a line, split by bash's rules.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    Blank(&'a str),
    /// `;`, `|`, `&&` and the like, newlines, and redirects with their file descriptors.
    Operator(&'a str),
    /// A word as written, with quotes and substitutions.
    Word(&'a str),
}

/// Maximum nesting depth of substitutions.
const DEPTH_MAX: usize = 8;

/// Splits a line into tokens; `None` for unsupported syntax: other brackets, here-documents.
fn tokens(line: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let length = if c == ' ' || c == '\t' {
            rest.find(|c| c != ' ' && c != '\t').unwrap_or(rest.len())
        } else if let Some(operator) = operator(rest) {
            operator
        } else if c == '#' {
            return None;
        } else {
            // Unsupported syntax such as `<<<` gives an empty word.
            word(rest).filter(|length| 0 < *length)?
        };
        let (token, left) = rest.split_at_checked(length)?;
        tokens.push(match c {
            ' ' | '\t' => Token::Blank(token),
            _ if operator(rest).is_some() => Token::Operator(token),
            _ => Token::Word(token),
        });
        rest = left;
    }
    Some(tokens)
}

/// Returns the length of the operator at the start of a text.
fn operator(text: &str) -> Option<usize> {
    const OPERATORS: [&str; 20] = [
        "&>>", "2>&1", "1>&2", "2>>", ">&2", "&>", "2>", "1>", ">>", ">|", "&&", "||", "|&", ";;", ";", "|",
        "&", ">", "<", "\n",
    ];
    if text.starts_with("<<") || text.starts_with("<(") || text.starts_with(">(") {
        return None;
    }
    OPERATORS.iter().find(|operator| text.starts_with(*operator)).map(|operator| operator.len())
}

/// Returns the length of the word at the start of a text; `None` if it is unclosed or unsupported.
fn word(text: &str) -> Option<usize> {
    let mut depth = Vec::new();
    let (mut single, mut double, mut escaped, mut backquoted) = (false, false, false, false);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let nested = !depth.is_empty() || backquoted;
        if escaped {
            escaped = false;
        } else if single {
            single = c != '\'';
        } else {
            match c {
                '\\' => escaped = true,
                '\'' if !double => single = true,
                '"' => double = !double,
                '`' => backquoted = !backquoted,
                '(' if before == '$' || !depth.is_empty() => depth.push(double),
                '(' if !double => return None,
                ')' if !depth.is_empty() => double = depth.pop()?,
                ')' if !double => return None,
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' if !double && !nested => return Some(at),
                _ => {}
            }
            if c == '(' && before == '$' {
                double = false;
            }
            if DEPTH_MAX < depth.len() {
                return None;
            }
        }
        before = c;
    }
    (!single && !double && !escaped && !backquoted && depth.is_empty()).then_some(text.len())
}

/// Returns the variable name at the start of a text after `$`, and the length including braces: `NAME…`, `{NAME}…`.
fn variable(text: &str) -> Option<(&str, usize)> {
    let braced = text.strip_prefix('{');
    let name = braced.unwrap_or(text);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    let (name, rest) = name.split_at_checked(end)?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match braced {
        Some(_) if is_name && rest.starts_with('}') => Some((name, end + 2)),
        None if is_name => Some((name, end)),
        _ => None,
    }
}
