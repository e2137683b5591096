//! Units of numbers: "10 MiB" against `-s 10K`, "2 weeks" against `--vacuum-time=2d`.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::quantity::{TimeUnit, number, size_unit};
use crate::request::Token;
use askline_syntax::ParsedLine;

/// Letters of the units of sizes and times.
const SIZES: &str = "KkMmGg";
const TIMES: &str = "smhdw";

/// Compares the unit of a number in the request with the letter behind the same number in the line.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    // `find` has units of its own.
    if line
        .parsed()
        .commands
        .iter()
        .any(|command| matches!(command.name(), Some("find" | "date" | "sed" | "awk")))
    {
        return None;
    }
    tokens.windows(2).find_map(|pair| {
        let [count, unit] = pair else { return None };
        let (wanted, known) = letter(&unit.lower)?;
        let count_value = number(&count.lower)?;
        let digits = count_value.to_string();
        let text = line.text();
        let mut letters = text.match_indices(&digits).filter_map(|(at, _)| {
            let behind = text.get(at + digits.len()..)?.chars().next()?;
            let before = text.get(..at)?.chars().next_back();
            let is_whole = before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '.');
            let next = text.get(at + digits.len() + behind.len_utf8()..)?.chars().next();
            let is_end = next.is_none_or(|c| !c.is_ascii_alphanumeric());
            (is_whole && is_end && known.contains(behind)).then_some((at + digits.len(), behind))
        });
        let (at, given) = letters.next()?;
        if letters.next().is_some() || given.eq_ignore_ascii_case(&wanted) {
            return None;
        }
        let said = count.span.start..unit.span.end;
        // `sleep 2h` is 120 minutes, and so on: only other counts make the same time.
        let new = if given.is_ascii_uppercase() {
            wanted.to_ascii_uppercase()
        } else {
            wanted.to_ascii_lowercase()
        };
        Some(Mismatch {
            span: at..at + 1,
            text: format!("you said \"{}\"; the line says `{digits}{given}`", request.get(said.clone())?),
            said: Some(said),
            certainty: Certainty::Sure,
            edit: Some(Edit::replace(text, at..at + 1, new.to_string())),
        })
    })
}

/// Returns the letter of a unit, and all letters of its kind.
fn letter(word: &str) -> Option<(char, &'static str)> {
    if let Some(unit) = TimeUnit::of(word).filter(|_| word.len() > 1) {
        let letter = match unit {
            TimeUnit::Second => 's',
            TimeUnit::Minute => 'm',
            TimeUnit::Hour => 'h',
            TimeUnit::Day => 'd',
            TimeUnit::Week => 'w',
            TimeUnit::Month | TimeUnit::Year => return None,
        };
        return Some((letter, TIMES));
    }
    let letter = match size_unit(word)? {
        bytes if bytes == 1 << 10 => 'k',
        bytes if bytes == 1 << 20 => 'm',
        bytes if bytes == 1 << 30 => 'g',
        _ => return None,
    };
    Some((letter, SIZES))
}

#[cfg(test)]
mod tests {
    use crate::agree;
    use askline_syntax::ParsedLine;
    use askline_syntax::shell::Shell;

    #[test]
    fn the_letter_is_the_one_that_was_said() {
        for (request, line, expected) in [
            ("cut big.bin down to 10 MiB", "truncate -s 10K big.bin", Some("truncate -s 10M big.bin")),
            ("cut big.bin down to 10 MiB", "truncate -s 10M big.bin", None),
            ("wait 5 minutes", "sleep 5h", Some("sleep 5m")),
            ("wait 5 minutes", "sleep 300", None),
        ] {
            let agreed = agree(request, &ParsedLine::new(line, Shell::Bash)).map(|it| it.line);
            assert_eq!(agreed.as_deref(), expected, "{request}");
        }
    }
}
