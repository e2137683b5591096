//! Repairs commands that are defined like functions of other languages: `def double(n) { n * 2 }`.

use super::expressions::pieces;
use super::{SlipFinder, finding};
use crate::finding::{Finding, Fix, Severity};
use askline_syntax::Span;

/// Maximum number of parameters of a definition.
const PARAMETERS_MAX: usize = 16;

impl SlipFinder<'_> {
    /// Repairs a definition with its parameters in parentheses directly after the name. Parameter names in the body
    /// also get a `$` if they are next to an operator or alone.
    pub(super) fn definition(&self) -> Option<Finding> {
        let spans = pieces(self.line);
        let text = |at: usize| spans.get(at).map(|span| self.raw(span)).unwrap_or_default();
        let span = |at: usize| spans.get(at).cloned().unwrap_or_default();
        if text(0) != "def" || text(2) != "(" || span(1).end != span(2).start {
            return None;
        }
        let close = (3..spans.len().min(3 + 2 * PARAMETERS_MAX)).find(|at| text(*at) == ")")?;
        let mut names = Vec::new();
        for at in 3..close {
            let name = text(at).trim_start_matches('$');
            let is_name = name.starts_with(|c: char| c.is_alphabetic())
                && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            match (is_name, text(at)) {
                (true, _) => names.push(name),
                (false, ",") => {}
                _ => return None,
            }
        }
        if text(close + 1) != "{" {
            return None;
        }
        let mut own = String::new();
        let mut done = span(2).start;
        let mut put = |span: Span, text: &str| {
            own.push_str(self.line.get(done..span.start).unwrap_or_default());
            own.push_str(text);
            done = span.end;
        };
        put(span(2).start..span(close).end, &format!(" [{}]", names.join(", ")));
        let is_beside = |text: &str| {
            matches!(text, "{" | "}" | "(" | ")" | ";" | "+" | "-" | "*" | "/" | "**" | "<" | ">" | "==")
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut is_sure = true;
        for at in close + 2..spans.len() {
            if names.contains(&text(at)) && is_beside(text(at - 1)) && is_beside(text(at + 1)) {
                put(span(at), &format!("${}", text(at)));
            } else {
                // In other places it may be the parameter or a word: `print name`, `n*2`.
                let mut words = text(at)
                    .split('$')
                    .enumerate()
                    .flat_map(|(part, text)| text.split(|c| !is_word(c)).skip(usize::from(0 < part)));
                is_sure &= !words.any(|word| names.contains(&word));
            }
        }
        let whole = span(2).start..done;
        let text = "nushell's `def` has its parameters in square brackets, and a `$` where one is used";
        let change = format!("{} → {own}", self.raw(&whole));
        let mut found =
            finding(Severity::Error, text.to_owned(), Fix { span: whole, replacement: own, change });
        found.fixes.retain(|_| is_sure);
        Some(found)
    }
}
