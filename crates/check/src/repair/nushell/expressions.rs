//! Repairs arithmetic, dates and durations in the syntax of other languages, anywhere in a line: `2**40`, `2024-05-02
//! 10:30`, `(date now) - 1yr`. Nushell needs blanks around operators, dates in one word and its own units.

use super::units::{is_duration, unit_of};
use super::{FINDINGS_MAX, SlipFinder, slip};
use crate::file_schema::is_date;
use crate::finding::{Finding, Severity};
use crate::reference;
use askline_syntax::{Span, nushell_tokens};

/// Maximum number of pieces per line.
const PIECES_MAX: usize = 1024;
/// Maximum number of operands in an expression.
const OPERANDS_MAX: usize = 64;
/// Operators between two values.
pub(super) const OPERATORS: [&str; 14] =
    ["+", "-", "*", "/", "**", "^", "%", "<", ">", "<=", ">=", "==", "!=", "mod"];
/// Maximum number of repetitions of a text.
const TIMES_MAX: u32 = 10_000;

impl SlipFinder<'_> {
    /// Returns the mistakes in the line's expressions.
    pub(super) fn expressions(&self) -> Vec<Finding> {
        let pieces = pieces(self.line);
        let texts: Vec<&str> = pieces.iter().map(|piece| self.raw(piece)).collect();
        let line = Pieces { spans: &pieces, texts: &texts };
        let mut found = Vec::new();
        for at in 0..pieces.len() {
            found.extend(
                self.unit(&line, at)
                    .or_else(|| self.date(&line, at))
                    .or_else(|| self.letters(&line, at))
                    .or_else(|| self.time(&line, at))
                    .or_else(|| self.joined(&line, at))
                    .or_else(|| self.operator(&line, at))
                    .or_else(|| self.share(&line, at)),
            );
            if FINDINGS_MAX < found.len() {
                break;
            }
        }
        found
    }

    /// Repairs a unit of another tool next to an operator. Conditions are handled separately, by their words.
    fn unit(&self, line: &Pieces<'_>, at: usize) -> Option<Finding> {
        let raw = line.text(at);
        let (meant, why) = unit_of(raw)?;
        let is_left = |left: usize| line.text(left) == ")" || is_value(line.text(left));
        let after_operator =
            2 <= at && OPERATORS.contains(&line.text(at - 1)) && is_left(at - 2) && line.is_operand(at - 2);
        let begins = line.begins(at) && OPERATORS.contains(&line.text(at + 1)) && !line.ends(at + 2);
        (after_operator || begins).then(|| {
            let text = format!("nushell has no unit as in `{raw}`; {why}`{meant}`");
            slip(line.span(at), Severity::Error, &text, &meant, &format!("{raw} → {meant}"))
        })
    }

    /// Repairs a date and a time in two words, or a time without seconds.
    fn date(&self, line: &Pieces<'_>, at: usize) -> Option<Finding> {
        let is_operand =
            line.begins(at) || 2 <= at && is_comparing(line.text(at - 1)) && line.is_operand(at - 2);
        let date = line.text(at);
        let (date, time, end) = match date.split_once('T') {
            Some((date, time)) => (date, time, at),
            None => (date, line.text(at + 1), at + 1),
        };
        if !is_operand || date.len() != 10 || !is_date(date) {
            return None;
        }
        let whole = match shape(time).as_str() {
            "00:00" => format!("{date}T{time}:00"),
            "00:00:00" if end != at => format!("{date}T{time}"),
            _ => return None,
        };
        // An operator or the end of the expression must follow, not another word.
        let goes_on = line.ends(end + 1) || OPERATORS.contains(&line.text(end + 1));
        goes_on.then(|| {
            let span = line.span(at).start..line.span(end).end;
            let text = format!("nushell writes a date with its time as `{whole}`");
            let change = format!("{} → {whole}", self.raw(&span));
            slip(span, Severity::Error, &text, &whole, &change)
        })
    }

    /// Repairs arithmetic without blanks in command position: `2**40`, `$n*2`.
    fn joined(&self, line: &Pieces<'_>, at: usize) -> Option<Finding> {
        let raw = line.text(at);
        if !line.begins(at) || !(line.ends(at + 1) || OPERATORS.contains(&line.text(at + 1))) {
            return None;
        }
        let spread = spread(raw)?;
        let is_other = !raw.starts_with('$')
            && (self.kind(raw) != reference::CommandKind::Missing
                || self.reference.exists(raw) == Some(true));
        (!is_other).then(|| {
            let text = format!("nushell reads `{raw}` as a name; operators stand between blanks");
            slip(line.span(at), Severity::Error, &text, &spread, &format!("{raw} → {spread}"))
        })
    }

    /// Repairs operators of other languages between numbers: `2 ^ 8`.
    fn operator(&self, line: &Pieces<'_>, at: usize) -> Option<Finding> {
        let own = match line.text(at) {
            "^" => "**",
            "%" => "mod",
            "<<" | "shl" => "bit-shl",
            ">>" | "shr" => "bit-shr",
            "&" => "bit-and",
            _ => return None,
        };
        let is_number = |text: &str| text.parse::<f64>().is_ok();
        let before = line.text(at.checked_sub(1)?);
        // After a bracket, `>>` may be a bash redirect.
        let is_sum = before == ")" && matches!(line.text(at), "^" | "%");
        let is_left = (is_sum || is_number(before) || is_variable(before)) && line.is_operand(at - 1);
        let is_right = is_number(line.text(at + 1)) || line.text(at + 1).starts_with(['$', '(']);
        (is_left && is_right).then(|| {
            let raw = line.text(at);
            let text = format!("nushell has no operator `{raw}`; it has `{own}`");
            slip(line.span(at), Severity::Error, &text, own, &format!("{raw} → {own}"))
        })
    }

    /// Repairs a sum of durations divided by a duration: without parentheses the division is done first.
    fn share(&self, line: &Pieces<'_>, at: usize) -> Option<Finding> {
        if !line.begins(at) || !is_duration(line.text(at)) {
            return None;
        }
        let mut end = at;
        while matches!(line.text(end + 1), "+" | "-") && is_duration(line.text(end + 2)) {
            end += 2;
        }
        let divides = end != at && line.text(end + 1) == "/" && is_duration(line.text(end + 2));
        (divides && line.ends(end + 3)).then(|| {
            let span = line.span(at).start..line.span(end).end;
            let sum = format!("({})", self.raw(&span));
            let text = "a division comes before a sum; brackets change that";
            slip(span, Severity::Error, text, &sum, &format!("added brackets: {sum}"))
        })
    }

    /// Repairs a text multiplied by a number; `operator` is the span that the engine rejects.
    pub(super) fn repeated(&self, operator: &Span) -> Option<Finding> {
        let pieces = pieces(self.line);
        let texts: Vec<&str> = pieces.iter().map(|piece| self.raw(piece)).collect();
        let line = Pieces { spans: &pieces, texts: &texts };
        let at = pieces.iter().position(|piece| piece == operator)?;
        let (before, after) = (line.text(at.checked_sub(1)?), line.text(at + 1));
        let is_text = |text: &str| text.starts_with(['\'', '"']);
        let (text, times) = if is_text(before) { (before, after) } else { (after, before) };
        let count = times.parse::<u32>().ok().filter(|count| (1..=TIMES_MAX).contains(count))?;
        let is_whole = line.begins(at - 1) && line.ends(at + 2) && is_text(text) && line.text(at) == "*";
        // A pipe would pass input to the block.
        let is_first = at < 2 || line.text(at - 2) != "|";
        (is_whole && is_first).then(|| {
            let span = line.span(at - 1).start..line.span(at + 1).end;
            let own = format!("1..{count} | each {{ {text} }} | str join");
            let change = format!("{} → {own}", self.raw(&span));
            slip(span, Severity::Error, "nushell multiplies no text", &own, &change)
        })
    }
}

/// A line split at blanks and brackets; a quoted text is one piece.
pub(super) struct Pieces<'a> {
    spans: &'a [Span],
    texts: &'a [&'a str],
}

impl Pieces<'_> {
    /// Returns the text of a piece; empty past the end.
    pub(super) fn text(&self, at: usize) -> &str {
        self.texts.get(at).copied().unwrap_or_default()
    }

    pub(super) fn span(&self, at: usize) -> Span {
        self.spans.get(at).cloned().unwrap_or_default()
    }

    /// Reports whether an expression or a command starts at a piece.
    pub(super) fn begins(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        match self.text(before) {
            "=" => {
                let sets = |at: usize| matches!(self.text(at), "let" | "mut" | "const");
                // `let x: int = …`, `$x = …`; in `print a = …` the `=` is a word.
                before.checked_sub(1).is_some_and(|name| self.text(name).starts_with('$'))
                    || (2..=3).filter_map(|back| before.checked_sub(back)).any(sets)
            }
            // A bracket inside a word starts no expression: `stash@{…}`.
            "(" | "{" => before.checked_sub(1).is_none_or(|outside| {
                self.span(outside).end < self.span(before).start
                    || self.text(outside).ends_with(['(', '{', '[', ',', ';', '|', '='])
            }),
            text => text == ";" || text.ends_with('|'),
        }
    }

    /// Reports whether a piece, or the bracketed group that it closes, is a value in an arithmetic expression or a
    /// condition: it or the value on its left starts an expression. After a command name it is a word.
    pub(super) fn is_operand(&self, at: usize) -> bool {
        let mut at = at;
        for _ in 0..OPERANDS_MAX {
            if self.text(at) == ")" {
                let Some(open) = self.open(at) else { return false };
                at = open;
            }
            let Some(before) = at.checked_sub(1).filter(|_| !self.begins(at)) else { return true };
            at = match self.text(before) {
                "if" | "while" | "where" if self.begins(before) => return true,
                "not" => before,
                text if OPERATORS.contains(&text) || matches!(text, "and" | "or") => {
                    match before.checked_sub(1) {
                        Some(left) => left,
                        None => return false,
                    }
                }
                _ => return false,
            };
        }
        false
    }

    /// Returns the index of the matching open bracket.
    fn open(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (0..=at).rev().find(|at| {
            match self.text(*at) {
                ")" => depth += 1,
                "(" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    }

    /// Reports whether an expression ends before a piece.
    pub(super) fn ends(&self, at: usize) -> bool {
        matches!(self.text(at), "" | ")" | "}" | "|" | ";")
    }
}

/// Splits a line into pieces.
pub(super) fn pieces(line: &str) -> Vec<Span> {
    nushell_tokens::pieces(line, PIECES_MAX)
}

fn is_comparing(text: &str) -> bool {
    matches!(text, "<" | ">" | "<=" | ">=" | "==" | "!=" | "-")
}

/// Reports whether a text is a variable: `$x`, `$x.y`; `$"…"` is a string.
fn is_variable(text: &str) -> bool {
    text.strip_prefix('$').is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Reports whether a text is a variable, a duration or a date.
fn is_value(text: &str) -> bool {
    is_variable(text) || is_duration(text) || unit_of(text).is_some() || shape(text).starts_with("0000-00-00")
}

/// Replaces each digit of a text with 0.
fn shape(text: &str) -> String {
    text.chars().take(32).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// Rewrites `2**40` as `2 ** 40`; `None` if the text is not arithmetic with numbers and variables, or may be a date,
/// a fraction or a telephone number.
fn spread(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut operators: Vec<&str> = Vec::new();
    let mut rest = text;
    loop {
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length = match rest.strip_prefix('$') {
            Some(name) => 1 + name.find(|c| !is_name(c)).unwrap_or(name.len()),
            None => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
        };
        let (value, after) = rest.split_at_checked(length)?;
        if value.len() < 2 && value.starts_with('$')
            || !value.starts_with('$') && value.parse::<f64>().is_err()
        {
            return None;
        }
        out.push_str(value);
        if after.is_empty() {
            break;
        }
        // A column name may contain an operator character.
        if value.starts_with('$') && value.contains('.') {
            return None;
        }
        let (sign, own) =
            [("**", "**"), ("*", "*"), ("/", "/"), ("+", "+"), ("-", "-"), ("^", "**"), ("%", "mod")]
                .into_iter()
                .find(|(sign, _)| after.starts_with(sign))?;
        operators.push(sign);
        out.push_str(&format!(" {own} "));
        rest = after.get(sign.len()..)?;
    }
    let only = |sign: &str| operators.iter().all(|operator| *operator == sign);
    // A variable name may contain a dash, and a path may start with a variable.
    let is_other = only("-")
        || only("/") && 1 < operators.len()
        || text.contains('$') && (operators.contains(&"-") || operators.contains(&"/"));
    (!is_other).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_spread_and_nothing_else() {
        for (text, right) in [
            ("2**40", Some("2 ** 40")),
            ("3*4", Some("3 * 4")),
            ("10/4", Some("10 / 4")),
            ("2^8", Some("2 ** 8")),
            ("7%3", Some("7 mod 3")),
            ("1+2-3", Some("1 + 2 - 3")),
            ("2.5*4", Some("2.5 * 4")),
            ("$n*2", Some("$n * 2")),
            ("2*$x.price", Some("2 * $x.price")),
            ("10-4", None),
            ("2024-05-02", None),
            ("2/5/2024", None),
            ("10.0.0.1/24", None),
            ("$a-1+2", None),
            ("$r.p*2", None),
            ("2*$r.p*2", None),
            ("$n/2", None),
            ("$env.HOME/2024", None),
            ("3x4", None),
            ("a*b", None),
            ("*", None),
            ("2*", None),
            ("$", None),
            ("$*2", None),
            ("", None),
            ("é*2", None),
        ] {
            assert_eq!(spread(text).as_deref(), right, "{text}");
        }
    }

    #[test]
    fn a_line_is_cut_at_blanks_and_brackets() {
        let cut = |line: &str| {
            pieces(line).into_iter().map(|piece| line.get(piece).unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(cut("(date now) - 1yr"), ["(", "date", "now", ")", "-", "1yr"]);
        assert_eq!(cut("'a b'*2 é"), ["'a b'*2", "é"]);
        assert_eq!(cut("echo 'open"), ["echo"]);
        assert_eq!(cut("ls # (2**40)\nps"), ["ls", "ps"]);
        assert_eq!(cut(r#"git -m "see \"(2**40)\" now" a"#), ["git", "-m", r#""see \"(2**40)\" now""#, "a"]);
        assert_eq!(cut("r#'it's (3*4) now'# r##'a'# b"), ["r#'it's (3*4) now'#", "r##'a'# b"]);
        assert_eq!(cut("a#b r#x"), ["a#b", "r#x"]);
        assert_eq!(cut(&"a ".repeat(9000)).len(), PIECES_MAX);
    }
}
