//! Failed commands one word of which is not what the program reads: a name with parentheses, an unfinished `s` of sed, a script
//! that is no program.

use super::{FailedCommand, Fixed, NOT_EXECUTABLE, NOT_FOUND};
use crate::examine::Examiner;
use askline_check::reference::Reference as _;
use askline_syntax::Word;

/// Maximum number of blanks behind which the name of a file may begin.
const BLANKS_MAX: usize = 16;
/// Usual names of files without an ending.
const FILES: [&str; 10] = [
    "Makefile",
    "Dockerfile",
    "README",
    "LICENSE",
    "CHANGELOG",
    "passwd",
    "group",
    "hosts",
    "fstab",
    "crontab",
];
/// Interpreters by the ending of their scripts.
const INTERPRETERS: [(&str, &str); 7] = [
    (".py", "python3"),
    (".sh", "bash"),
    (".js", "node"),
    (".mjs", "node"),
    (".rb", "ruby"),
    (".pl", "perl"),
    (".php", "php"),
];

/// Returns the line with quotes around the name of a file in which the shell reads signs of its own: `cat Report (2).txt`.
pub(super) fn quoted_name(line: &str, examiner: &Examiner<'_>) -> Option<Fixed> {
    let blanks = line.match_indices(' ').map(|(at, _)| at + 1).take(BLANKS_MAX);
    let name = blanks.filter_map(|start| line.get(start..)).find(|name| {
        name.contains(['(', ')'])
            && !name.contains(['\'', '"', '\\', '\n', '[', '*', '?', ';', '$'])
            && !name.starts_with([' ', '-'])
            && examiner.knowledge.exists(name) == Some(true)
    })?;
    let change = format!("{name} → '{name}': the shell reads signs of the name as its own");
    Some(Fixed { line: format!("{}'{name}'", line.strip_suffix(name)?), change })
}

impl FailedCommand<'_> {
    /// Returns the line with the last sign of the `s` command of sed: `sed s/a/b` → `sed s/a/b/`.
    pub(super) fn with_closed_substitution(&self) -> Option<Fixed> {
        let words = &self.command.words;
        if self.name.text != "sed" || self.status == 0 {
            return None;
        }
        let is_option = |word: &&Word| word.text.starts_with('-');
        let expression = words.iter().skip(1).find(|word| !is_option(word))?;
        let has_other =
            words.iter().any(|word| matches!(word.text.as_str(), "-e" | "-f" | "--expression" | "--file"));
        let script = expression.text.strip_prefix('s')?;
        let sign = script.chars().next().filter(|sign| "/|#,:@".contains(*sign))?;
        let has_two = script.matches(sign).count() == 2 && !script.contains('\\') && !script.ends_with(sign);
        let raw = self.line.get(expression.span.clone())?;
        let is_plain = raw == expression.text
            || raw == format!("'{}'", expression.text)
            || raw == format!("\"{}\"", expression.text);
        if has_other || !has_two || !is_plain || script.contains([';', '\n']) {
            return None;
        }
        let end = expression.span.end - usize::from(raw.len() > expression.text.len());
        let change = format!("+ {sign}: the `s` of sed ends with a third `{sign}`");
        Some(Fixed { line: self.replaced(end..end, &sign.to_string())?, change })
    }

    /// Returns the line with quotes around a pattern of several words before the name of a file: `grep not found app.log`.
    pub(super) fn with_quoted_pattern(&self) -> Option<Fixed> {
        let knowledge = self.examiner.knowledge;
        if !matches!(self.name.text.as_str(), "grep" | "egrep" | "fgrep") || self.status != 2 {
            return None;
        }
        let from = self.command.words.iter().skip(1).position(|word| !word.text.starts_with('-'))? + 1;
        let operands = self.command.words.get(from..)?;
        let n = operands.iter().position(|word| knowledge.exists(&word.text) == Some(true))?;
        let pattern = operands.get(..n).filter(|pattern| 2 <= pattern.len())?;
        let is_plain = |word: &Word| {
            word.literal
                && !word.quoted
                && !word.text.starts_with('-')
                && !word.text.contains(['\'', '/', '.'])
                && !FILES.contains(&word.text.as_str())
        };
        // With `-r` the words behind the pattern are rather folders.
        let has_value = self
            .command
            .words
            .get(1..from)?
            .iter()
            .any(|word| word.text.contains(['e', 'f', 'm', 'r', 'A', 'B', 'C', 'R']));
        let span = pattern.first()?.span.start..pattern.last()?.span.end;
        let text = self.line.get(span.clone())?;
        let change = format!("'{text}': the pattern is one word");
        let is_it = pattern.iter().all(is_plain) && !has_value;
        is_it.then_some(())?;
        Some(Fixed { line: self.replaced(span, &format!("'{text}'"))?, change })
    }

    /// Returns the line with the interpreter of a script that was called as a program: `app.py` → `python3 app.py`.
    pub(super) fn by_interpreter(&self) -> Option<Fixed> {
        let (path, knowledge) = (self.name.text.as_str(), self.examiner.knowledge);
        let (_, interpreter) = INTERPRETERS.iter().find(|(ending, _)| path.ends_with(ending))?;
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+~".contains(c);
        if !matches!(self.status, NOT_FOUND | NOT_EXECUTABLE)
            || !self.is_file(self.name)
            || !path.chars().all(is_plain)
            || path.starts_with('-')
            || !self.command.assignments.is_empty()
            || !knowledge.has_command(interpreter)
        {
            return None;
        }
        let change = match self.status {
            NOT_FOUND => format!("{interpreter} {path}: it is a script here, and no program on PATH"),
            _ => format!("{interpreter} {path}: it can't be run directly"),
        };
        Some(Fixed { line: format!("{interpreter} {}", self.line.trim()), change })
    }
}
