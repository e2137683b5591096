//! Programs that `jq` can't read (jq manual, "Conditionals and Comparisons", "Variable / Symbolic Binding Operator").

use super::has_option;
use crate::mismatch::Mismatch;
use crate::parts::operands;
use askline_syntax::{ParsedLine, SimpleCommand};

/// Returns the slip of a program that `jq` refuses.
pub(super) fn slips(line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    if command.name()? != "jq" || has_option(command, "fL", &["--from-file"]) {
        return None;
    }
    let program = operands(command).next()?;
    let raw = line.text().get(program.span.clone())?;
    let inner = raw.strip_prefix('\'')?.strip_suffix('\'').filter(|inner| !inner.contains('\''))?;
    let fault = fault(inner)?;
    Some(Mismatch::likely(program.span.clone(), fault))
}

/// Returns what `jq` does not understand in a program.
fn fault(program: &str) -> Option<String> {
    // Strings within strings, comments and definitions are not read here.
    if ["\\(", "#", "def ", "import ", "include "].iter().any(|it| program.contains(it)) {
        return None;
    }
    let code = without_strings(program)?;
    let mut open: Vec<char> = Vec::new();
    for (at, c) in code.char_indices() {
        let opener = match c {
            '(' | '[' | '{' => {
                open.push(c);
                continue;
            }
            ')' => '(',
            ']' => '[',
            '}' => '{',
            // A key, a part of an array, or a name of a module has a colon.
            ':' if open.iter().all(|it| *it == '(') && !code.contains("::") => {
                let has_question = code.get(..at).is_some_and(|before| before.contains('?'));
                let instead = if has_question { "; `if A then B else C end` does" } else { "" };
                return Some(format!("`jq` does not read `:` here{instead}"));
            }
            _ => continue,
        };
        if open.pop() != Some(opener) {
            return Some(format!("in this program of `jq`, `{c}` closes nothing"));
        }
    }
    if let Some(left) = open.last() {
        return Some(format!("in this program of `jq`, `{left}` is never closed"));
    }
    unbound(&code)
}

/// Returns a program with each string replaced by `""`.
fn without_strings(program: &str) -> Option<String> {
    let mut code = String::new();
    let mut chars = program.chars();
    while let Some(c) = chars.next() {
        code.push(c);
        if c != '"' {
            continue;
        }
        loop {
            match chars.next()? {
                '\\' => {
                    chars.next()?;
                }
                '"' => break,
                _ => {}
            }
        }
        code.push('"');
    }
    Some(code)
}

/// Finds `A as $x` without the `|` behind which `$x` counts.
fn unbound(code: &str) -> Option<String> {
    code.match_indices(" as $").find_map(|(at, found)| {
        let rest = code.get(at + found.len()..)?;
        let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        let behind = rest.get(name.len()..)?.trim_start();
        let is_read = behind.starts_with(['|', '(', '?', ':']);
        (!name.is_empty() && !is_read).then(|| format!("`jq` wants a `|` behind `as ${name}`"))
    })
}
