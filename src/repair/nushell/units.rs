//! Durations and sizes with units of other tools.

use super::{Reader, TABLE, slip};
use crate::check::{Finding, Grade};
use crate::reference;
use crate::syntax::SimpleCommand;

impl Reader<'_> {
    /// A time with a unit of other tools: alone, or for a command that waits.
    pub(super) fn duration(&self, command: &SimpleCommand) -> Option<Finding> {
        let is_sleep = self.own(command) == Some("sleep");
        let (word, meant, text) = command.words.iter().skip(usize::from(is_sleep)).find_map(|word| {
            let raw = self.raw(&word.span);
            if is_sleep && raw.parse::<f64>().is_ok() {
                let meant = format!("{raw}sec");
                let text = format!("a time has a unit; other tools wait for seconds: `{meant}`");
                return Some((word, meant, text));
            }
            let (meant, why) = unit_of(raw)?;
            let text = format!("nushell has no unit as in `{raw}`; {why}`{meant}`");
            Some((word, meant, text))
        })?;
        let is_alone = || command.words.len() == 1 && self.kind(&word.text) == reference::Kind::Missing;
        (is_sleep || self.own(command).is_none() && is_alone()).then(|| {
            let change = format!("{} → {meant}", self.raw(&word.span));
            slip(word.span.clone(), Grade::Error, &text, &meant, &change)
        })
    }
}

/// `10M` as `10mb`, `2yr` as `730day`, and what is said before it; none where it is no number with a unit of other tools.
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

/// `7day`, `-2hr`.
pub(super) fn is_duration(raw: &str) -> bool {
    let number = raw.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = raw.get(number.len()..).unwrap_or_default();
    matches!(unit, "ns" | "us" | "ms" | "sec" | "min" | "hr" | "day" | "wk") && number.parse::<f64>().is_ok()
}
