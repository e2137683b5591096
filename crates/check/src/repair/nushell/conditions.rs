//! Repairs conditions of `where` and similar commands: operators and words of other languages.

use super::units::{is_duration, unit_of};
use super::{SlipFinder, TABLE, slip};
use crate::finding::{Finding, FindingKind, Severity};
use askline_syntax::{SimpleCommand, Span, Word};

impl SlipFinder<'_> {
    /// Repairs a single `=` in a condition, which would assign.
    pub(super) fn equals(&self, span: &Span) -> Option<Finding> {
        let part = self.line.get(..span.start)?.rsplit(['|', ';', '{', '(', '\n']).next()?;
        // `where =` has no left side.
        part.split_whitespace().nth(1)?;
        let text = "nushell compares by `==`; `=` assigns";
        self.has_condition(part).then(|| slip(span.clone(), Severity::Error, text, "==", "= → =="))
    }

    /// Repairs a word of a condition: units, patterns, `=`.
    pub(super) fn condition(&self, command: &SimpleCommand, at: usize, word: &Word) -> Option<Finding> {
        let raw = self.raw(&word.span);
        let (before, after) = (command.words.get(at.checked_sub(1)?)?, command.words.get(at + 1));
        let before = self.raw(&before.span);
        let compares = matches!(before, ">" | "<" | ">=" | "<=" | "==" | "!=");
        let column = at.checked_sub(2).and_then(|at| command.words.get(at)).map(|word| self.raw(&word.span));
        let column = column.map(|path| path.rsplit('.').next().unwrap_or(path));
        let duration = unit_of(raw).map_or_else(|| raw.to_owned(), |(meant, _)| meant);
        if compares && column.is_some_and(|column| TABLE.dates.contains(column)) && is_duration(&duration) {
            let column = column.unwrap_or_default();
            return Some(Finding {
                kind: FindingKind::Syntax,
                span: word.span.clone(),
                grade: Severity::Error,
                text: format!(
                    "`{column}` is a date; compare it with a date such as `(date now) - {duration}`"
                ),
                evidence: "nushell".to_owned(),
                fixes: Vec::new(),
            });
        }
        if (compares || matches!(before, "-" | "+"))
            && let Some((meant, why)) = unit_of(raw)
        {
            let text = format!("nushell has no unit as in `{raw}`; {why}`{meant}`");
            return Some(slip(
                word.span.clone(),
                Severity::Error,
                &text,
                &meant,
                &format!("{raw} → {meant}"),
            ));
        }
        // The word after an operator is a value, whatever it looks like.
        if OPERATORS.contains(&before) || matches!(before, "+" | "-" | "*" | "/" | "mod") {
            return None;
        }
        if let Some(own) = TABLE.operators.get(raw).filter(|_| 1 < at && after.is_some()) {
            let text = format!("nushell has no operator `{raw}`; it has `{own}`");
            return Some(slip(word.span.clone(), Severity::Error, &text, own, &format!("{raw} → {own}")));
        }
        if let Some(found) = self.unnamed_value(command, at, word) {
            return Some(found);
        }
        let sql = match raw {
            "between" => self.between(command, at),
            "is" => self.null(command, at),
            "like" => self.like(command, at, "=~"),
            "not-like" => self.like(command, at, "!~"),
            _ => None,
        };
        if sql.is_some() {
            return sql;
        }
        if matches!(raw, "contains" | "includes" | "matches") && 1 < at {
            let pattern = after.filter(|after| is_plain_pattern(&after.text));
            let text = format!("nushell has no operator `{raw}`; `=~` looks for a pattern in text");
            let mut finding = slip(word.span.clone(), Severity::Error, &text, "=~", &format!("{raw} → =~"));
            finding.fixes.retain(|_| pattern.is_some());
            return Some(finding);
        }
        None
    }

    /// Reports whether the word is a lone column: it starts the condition or a part of it that is not negated.
    fn is_column(&self, command: &SimpleCommand, at: usize) -> bool {
        let words: Vec<&str> = command.words.iter().take(at).map(|word| self.raw(&word.span)).collect();
        let begins = words.len() == 1 || matches!(words.last(), Some(&("and" | "or")));
        begins && !words.contains(&"not")
    }

    /// Returns the words of a command from index `at` on, as written.
    fn words_from<'c>(&'c self, command: &'c SimpleCommand, at: usize) -> Vec<&'c str> {
        command.words.iter().skip(at).map(|word| self.raw(&word.span)).collect()
    }

    /// Repairs `price between 50 and 100`.
    fn between(&self, command: &SimpleCommand, at: usize) -> Option<Finding> {
        let [column, _, low, "and", high, ..] = self.words_from(command, at.checked_sub(1)?)[..] else {
            return None;
        };
        if !self.is_column(command, at.checked_sub(1)?) {
            return None;
        }
        let span = command.words.get(at)?.span.start..command.words.get(at + 3)?.span.end;
        let own = format!(">= {low} and {column} <= {high}");
        let text = "nushell has no operator `between`; two comparisons say the same";
        Some(slip(span, Severity::Error, text, &own, &format!("between … → {own}")))
    }

    /// Repairs `name is null`, `name is not null`.
    fn null(&self, command: &SimpleCommand, at: usize) -> Option<Finding> {
        if !self.is_column(command, at.checked_sub(1)?) {
            return None;
        }
        let null = |word: &str| word.eq_ignore_ascii_case("null");
        let (own, last) = match self.words_from(command, at + 1)[..] {
            [not, word, ..] if not.eq_ignore_ascii_case("not") && null(word) => ("!= null", at + 2),
            [word, ..] if null(word) => ("== null", at + 1),
            _ => return None,
        };
        let span = command.words.get(at)?.span.start..command.words.get(last)?.span.end;
        let change = format!("{} → {own}", self.raw(&span));
        Some(slip(span, Severity::Error, "nushell compares with null as with other values", own, &change))
    }

    /// Repairs `name like '%a%'`: Nushell's `like` takes a regular expression, in which `%` is a plain character.
    fn like(&self, command: &SimpleCommand, at: usize, anywhere: &str) -> Option<Finding> {
        let pattern = command.words.get(at + 1)?;
        let text = pattern.text.as_str();
        let inner = text.trim_matches('%');
        if !pattern.quoted || !is_plain_pattern(inner) || inner.len() == text.len() {
            return None;
        }
        let own = match (text.starts_with('%'), text.ends_with('%'), anywhere) {
            (true, true, _) => anywhere,
            (false, _, "=~") => "starts-with",
            (_, false, "=~") => "ends-with",
            (false, ..) => "not-starts-with",
            (_, false, _) => "not-ends-with",
        };
        let own = format!("{own} '{inner}'");
        let span = command.words.get(at)?.span.start..pattern.span.end;
        let change = format!("{} → {own}", self.raw(&span));
        Some(slip(
            span,
            Severity::Error,
            "`like` takes a regular expression, where `%` is a letter",
            &own,
            &change,
        ))
    }

    /// Repairs an operator without a left side if the input is a list of plain values: each value is meant.
    fn unnamed_value(&self, command: &SimpleCommand, at: usize, word: &Word) -> Option<Finding> {
        let raw = self.raw(&word.span);
        let is_operator = raw == "contains" || OPERATORS.contains(&raw);
        let has_value = command.words.len() > 2;
        if at != 1 || !is_operator || !has_value || !self.gives_values(command) {
            return None;
        }
        let own = if raw == "contains" { "=~" } else { raw };
        let whole = format!("$it {own}");
        let text = format!("`{raw}` has nothing to compare; each value is `$it`");
        let mut found = slip(word.span.clone(), Severity::Error, &text, &whole, &format!("{raw} → {whole}"));
        let looks_for = matches!(raw, "contains" | "like");
        let is_plain = command.words.get(at + 1).is_some_and(|pattern| is_plain_pattern(&pattern.text));
        found.fixes.retain(|_| is_plain || !looks_for);
        Some(found)
    }

    /// Reports whether the input of a command is a list of plain values.
    fn gives_values(&self, command: &SimpleCommand) -> bool {
        if let Some(feeder) = self.feeder(command) {
            return self.own(feeder).is_some_and(|name| {
                TABLE.texts.contains(name) || TABLE.searched.get(name).is_some_and(|column| column == "$it")
            });
        }
        let before = command.words.first().and_then(|word| self.line.get(..word.span.start));
        let before = before.and_then(|before| before.trim_end().strip_suffix('|'));
        let list = before.and_then(|before| before.trim_end().strip_suffix(']')?.rsplit_once('['));
        list.is_some_and(|(_, values)| !values.contains(['{', ']', ';', '(']))
    }

    /// Repairs `any` after `where`, which already takes the condition.
    pub(super) fn any(&self, command: &SimpleCommand) -> Option<Finding> {
        let [word] = command.words.as_slice() else { return None };
        self.own(command).filter(|name| *name == "any")?;
        self.own(self.feeder(command)?).filter(|name| *name == "where")?;
        let own = "is-not-empty";
        let text = "`any` needs a condition; `is-not-empty` tests whether `where` left something";
        Some(slip(word.span.clone(), Severity::Error, text, own, "any → is-not-empty"))
    }
}

/// Operators that need a value on both sides.
const OPERATORS: [&str; 13] =
    ["==", "!=", "=~", "!~", "<", ">", "<=", ">=", "in", "not-in", "starts-with", "ends-with", "like"];

/// Reports whether a pattern matches only its own text.
pub(super) fn is_plain_pattern(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.chars().all(|c| c.is_alphanumeric() || "_- ".contains(c))
}
