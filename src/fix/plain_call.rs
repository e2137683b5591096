//! Lines of Nushell that only call a program: every shell reads them alike, so that what is known of the program's mistakes holds.

use crate::examine::Examiner;
use askline_check::reference::{CommandKind, Reference as _};

/// Signs that Nushell reads in its own way outside of quotes.
const SIGNS: [char; 16] = ['$', '(', ')', '[', ']', '{', '}', ';', '|', '&', '<', '>', '`', '#', '\\', '^'];

/// Reports whether a line has signs that Nushell reads in its own way, or a quote without an end.
pub(super) fn has_signs(line: &str) -> bool {
    let mut open = None;
    for sign in line.chars() {
        match open {
            // In double quotes Nushell refuses other escapes than other shells do.
            Some('"') if sign == '\\' => return true,
            Some(quote) if sign == quote => open = None,
            None if matches!(sign, '\'' | '"') => open = Some(sign),
            None if SIGNS.contains(&sign) => return true,
            _ => {}
        }
    }
    open.is_some()
}

/// Reports whether a line calls one program of this machine, with words that every shell reads alike.
pub(super) fn is_plain_call(line: &str, examiner: &Examiner<'_>) -> bool {
    let parsed = examiner.parse(line);
    let name = parsed.parsed().commands.first().and_then(|command| command.name());
    let is_program = |name| matches!(examiner.knowledge.known(&[name]).kind, CommandKind::Program { .. });
    !has_signs(line) && name.is_some_and(is_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_in_quotes_are_no_signs() {
        for line in ["git push", "grep -E 'main(' a", "grep \"a|b\" x", ""] {
            assert!(!has_signs(line), "{line}");
        }
        for line in ["ls | wc", "echo $HOME", "grep \"a\\n\" x", "echo don't", "^ls", "a; b", "x 'a' > b"] {
            assert!(has_signs(line), "{line}");
        }
    }
}
