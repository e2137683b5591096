//! Repairs variables: missing block parameters and unset variables; also finds names that a line defines.

use super::{SlipFinder, TABLE, slip};
use crate::finding::{Finding, Severity};
use askline_syntax::SimpleCommand;

impl SlipFinder<'_> {
    /// Repairs `$env.NAME | default …`, which fails before the default applies.
    pub(super) fn unset(&self, command: &SimpleCommand) -> Option<Finding> {
        self.own(command).filter(|name| *name == "default" && command.words.len() == 2)?;
        let before =
            self.line.get(..command.words.first()?.span.start)?.trim_end().strip_suffix('|')?.trim_end();
        let path = before.rsplit(|c: char| c.is_whitespace() || "({[=".contains(c)).next()?;
        let name = path.strip_prefix("$env.")?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let at = before.len();
        is_name.then(|| {
            let text = format!("`{path}` fails where it is not set; `{path}?` does not");
            slip(at..at, Severity::Warning, &text, "?", &format!("{path} → {path}?"))
        })
    }

    /// Repairs `$it` and similar names in a block without a parameter.
    pub(super) fn unnamed(&self, command: &SimpleCommand) -> Option<Finding> {
        let name = self.own(command).filter(|name| TABLE.blocks.contains(*name))?;
        command.words.iter().skip(1).find_map(|word| {
            let body = self.raw(&word.span).strip_prefix('{')?;
            let mut used: Vec<&str> = body.split('$').skip(1).filter_map(leading_name).collect();
            used.retain(|variable| TABLE.parameters.contains(*variable) && !self.is_set(variable));
            used.dedup();
            // In these commands `$it` is the row.
            let is_row = used == ["it"] && ["where ", "any ", "all "].iter().any(|row| body.contains(row));
            let [parameter] = used.as_slice() else { return None };
            if is_row || body.trim_start().starts_with('|') {
                return None;
            }
            let at = word.span.start + 1;
            let gap = if body.starts_with(' ') { "" } else { " " };
            let text = format!("nothing is named `${parameter}` in the block of `{name}`");
            let change = format!("added `|{parameter}|`");
            Some(slip(at..at, Severity::Error, &text, &format!("|{parameter}|{gap}"), &change))
        })
    }

    /// Reports whether the line defines a variable.
    pub(super) fn is_set(&self, variable: &str) -> bool {
        sets(self.line, variable)
    }
}

/// Reports whether a Nushell line defines this variable: by a keyword, as a parameter or in a `match` pattern.
/// Returns `true` if unclear.
pub(in crate::repair) fn sets(line: &str, variable: &str) -> bool {
    let has_patterns = line.contains("=>");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(variable).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + variable.len()..).unwrap_or_default();
        if after.starts_with(is_part) || before.ends_with(is_part) || before.ends_with('.') {
            return false;
        }
        if before.ends_with('$') {
            return has_patterns;
        }
        let word = before.trim_end().rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
        // `{|a, X|`, `def f [a: int, --X]`.
        let list = before.rfind(['[', ']', '|']).and_then(|open| before.split_at_checked(open));
        let is_parameter = list.is_some_and(|(outside, list)| {
            list.starts_with('[') || list.starts_with('|') && outside.trim_end().ends_with('{')
        });
        is_parameter || before.ends_with(' ') && matches!(word, "let" | "mut" | "const" | "for")
    })
}

/// Returns the name at the start of a text.
fn leading_name(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}
