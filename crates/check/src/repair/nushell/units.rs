//! Repairs durations and sizes with units of other tools.

use super::{SlipFinder, TABLE, slip};
use crate::finding::{Finding, Severity};
use crate::reference;
use askline_syntax::{SimpleCommand, Span, Word};

impl SlipFinder<'_> {
    /// Repairs a duration with a unit of another tool: alone, or as an argument of a command that waits.
    pub(super) fn duration(&self, command: &SimpleCommand) -> Option<Finding> {
        let raw = |word: &Word| self.raw(&word.span);
        if self.own(command) == Some("sleep") {
            return command.words.iter().enumerate().skip(1).find_map(|(at, word)| {
                let next = command.words.get(at + 1);
                if let Some((next, meant)) = next.and_then(|next| Some((next, in_two(raw(word), raw(next))?)))
                {
                    let text = format!("nushell writes this time as `{meant}`");
                    return Some(self.in_units(word.span.start..next.span.end, &meant, &text));
                }
                if is_number(raw(word)) {
                    let meant = format!("{}sec", raw(word));
                    let text = format!("a time has a unit; other tools wait for seconds: `{meant}`");
                    return Some(self.in_units(word.span.clone(), &meant, &text));
                }
                self.other_unit(word)
            });
        }
        let [word] = command.words.as_slice() else { return None };
        let is_missing = || self.kind(&word.text) == reference::CommandKind::Missing;
        (self.own(command).is_none() && is_missing()).then(|| self.other_unit(word))?
    }

    fn other_unit(&self, word: &Word) -> Option<Finding> {
        let raw = self.raw(&word.span);
        let (meant, why) = unit_of(raw)?;
        let text = format!("nushell has no unit as in `{raw}`; {why}`{meant}`");
        Some(self.in_units(word.span.clone(), &meant, &text))
    }

    fn in_units(&self, span: Span, meant: &str, text: &str) -> Finding {
        let change = format!("{} → {meant}", self.raw(&span));
        slip(span, Severity::Error, text, meant, &change)
    }
}

/// Returns a separate number and unit as a duration: `2 hours`. A single letter may be another word and is not
/// accepted.
pub(super) fn in_two(number: &str, unit: &str) -> Option<String> {
    let own = TABLE.units.get(unit).map_or(unit, String::as_str);
    let time = format!("{number}{own}");
    (1 < unit.len() && is_number(number) && is_duration(&time)).then_some(time)
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.') && text.parse::<f64>().is_ok()
}

/// Returns `10M` as `10mb`, `2yr` as `730day`, with the text for the message; `None` if it is no number with a
/// foreign unit.
pub(super) fn unit_of(raw: &str) -> Option<(String, String)> {
    let number = raw.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = raw.get(number.len()..)?;
    if let Some(days) = TABLE.years.get(unit) {
        let count = number.parse::<u32>().ok()?;
        let all = count.checked_mul(*days)?;
        return Some((format!("{all}day"), format!("taken for {days} days each, it is ")));
    }
    let own = TABLE.units.get(unit)?;
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok();
    is_number.then(|| (format!("{number}{own}"), "write ".to_owned()))
}

/// Reports whether a text is a Nushell duration: `7day`, `-2hr`.
pub(super) fn is_duration(raw: &str) -> bool {
    let number = raw.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = raw.get(number.len()..).unwrap_or_default();
    matches!(unit, "ns" | "us" | "ms" | "sec" | "min" | "hr" | "day" | "wk") && number.parse::<f64>().is_ok()
}
