//! Conditions of `where` and its like: the signs and words of other languages.

use super::units::{is_duration, with_unit};
use super::{Reader, TABLE, slip};
use crate::check::{Finding, Grade, Kind};
use crate::syntax::{SimpleCommand, Span, Word};

impl Reader<'_> {
    /// A condition with one `=`, which would assign.
    pub(super) fn equals(&self, span: &Span) -> Option<Finding> {
        let part = self.line.get(..span.start)?.rsplit(['|', ';', '{', '(', '\n']).next()?;
        let words: Vec<&str> = part.split_whitespace().collect();
        let [first, .., _] = words.as_slice() else { return None };
        let text = "nushell compares by `==`; `=` assigns";
        TABLE.conditions.contains(*first).then(|| slip(span.clone(), Grade::Error, text, "==", "= → =="))
    }

    /// A word of a condition: units, patterns, `=`.
    pub(super) fn condition(&self, command: &SimpleCommand, at: usize, word: &Word) -> Option<Finding> {
        let raw = self.raw(&word.span);
        let (before, after) = (command.words.get(at.checked_sub(1)?)?, command.words.get(at + 1));
        let before = self.raw(&before.span);
        let compares = matches!(before, ">" | "<" | ">=" | "<=" | "==" | "!=");
        let column = at.checked_sub(2).and_then(|at| command.words.get(at)).map(|word| self.raw(&word.span));
        let column = column.map(|path| path.rsplit('.').next().unwrap_or(path));
        let duration = with_unit(raw).unwrap_or_else(|| raw.to_owned());
        if compares && column.is_some_and(|column| TABLE.dates.contains(column)) && is_duration(&duration) {
            let column = column.unwrap_or_default();
            return Some(Finding {
                kind: Kind::Syntax,
                span: word.span.clone(),
                grade: Grade::Error,
                text: format!(
                    "`{column}` is a date; compare it with a date such as `(date now) - {duration}`"
                ),
                evidence: "nushell".to_owned(),
                fixes: Vec::new(),
            });
        }
        if (compares || matches!(before, "-" | "+"))
            && let Some(meant) = with_unit(raw)
        {
            let text = format!("nushell has no unit as in `{raw}`; write `{meant}`");
            return Some(slip(word.span.clone(), Grade::Error, &text, &meant, &format!("{raw} → {meant}")));
        }
        if matches!(raw, "contains" | "includes" | "matches") && 1 < at {
            let pattern = after.filter(|after| is_plain_pattern(&after.text));
            let text = format!("nushell has no operator `{raw}`; `=~` looks for a pattern in text");
            let mut finding = slip(word.span.clone(), Grade::Error, &text, "=~", &format!("{raw} → =~"));
            finding.fixes.retain(|_| pattern.is_some());
            return Some(finding);
        }
        None
    }
}

/// Whether a pattern means the text that it is.
pub(super) fn is_plain_pattern(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.chars().all(|c| c.is_alphanumeric() || "_- ".contains(c))
}
