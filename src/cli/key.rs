//! The key that rewrites the prompt line: parsing of common spellings (`ctrl-g`, `C-g`, `^G`, `ctrl+g`), and each
//! shell's own spelling.
//!
//! Keys with a vital function in the shell are rejected; the error contains the reason.

use std::fmt;
use std::str::FromStr;

/// Accepted forms of a key, for messages.
const FORMS: &str =
    "use ctrl- with a letter (ctrl-g, C-g, ^G), alt- with a letter or digit (alt-a, M-a), f1 to f12, or none";
/// Accepted modifier names, in lower case; a `-` or `+` follows, except after the last one.
const CTRL: [&str; 5] = ["ctrl", "control", "c", "\\c", "^"];
const ALT: [&str; 5] = ["alt", "meta", "m", "\\m", "option"];

/// A key that can be bound, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundKey {
    /// Control and a lower-case letter.
    Ctrl(char),
    /// Alt (Meta, Option) and a lower-case letter or digit.
    Alt(char),
    /// Function key, 1 to 12.
    Function(u8),
    /// No key: the script binds nothing.
    None,
}

impl BoundKey {
    /// Returns the key sequences for a shell's own binding command, several if terminals differ; not quoted. `control`
    /// and `escape` are its notation.
    ///
    /// Nushell and, for function keys, fish use names instead: see their integration.
    pub(super) fn sequences(self, control: fn(char) -> String, escape: &str) -> Vec<String> {
        match self {
            Self::Ctrl(letter) => vec![control(letter)],
            Self::Alt(letter) => vec![format!("{escape}{letter}")],
            Self::Function(n) => {
                function_key_tails(n).into_iter().map(|tail| format!("{escape}{tail}")).collect()
            }
            Self::None => Vec::new(),
        }
    }
}

/// Returns the bytes that terminals send for a function key, after the escape character.
fn function_key_tails(n: u8) -> Vec<String> {
    // VT numbering has gaps: f5 is 15, f6 is 17, f11 is 23.
    let number = match n {
        1..=5 => n + 10,
        6..=10 => n + 11,
        _ => n + 12,
    };
    let mut tails = vec![format!("[{number}~")];
    if n <= 4 {
        tails.push(format!("O{}", char::from(b'O' + n))); // xterm and its heirs
    }
    if n <= 5 {
        tails.push(format!("[[{}", char::from(b'@' + n))); // the Linux console
    }
    tails
}

/// Returns the reason why control with this letter cannot be bound, if there is one.
fn vital(letter: char) -> Option<&'static str> {
    Some(match letter {
        'c' => "it interrupts",
        'd' => "it ends the shell",
        'h' => "terminals send it for backspace",
        'i' => "terminals send it for tab",
        'j' | 'm' => "terminals send it for enter",
        'q' | 's' => "terminals keep it to pause output",
        'z' => "it suspends, and undoes in fish and Nushell",
        _ => return None,
    })
}

impl FromStr for BoundKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.to_ascii_lowercase();
        let one = |rest: &str| {
            let mut chars = rest.chars();
            chars.next().filter(|_| chars.next().is_none())
        };
        let number = |rest: &str| rest.parse().ok().filter(|n: &u8| n.to_string() == rest);
        if name == "none" {
            return Ok(Self::None);
        }
        let held = |names: [&str; 5]| {
            names.into_iter().find_map(|held| {
                let rest = name.strip_prefix(held)?;
                if held == "^" { Some(rest) } else { rest.strip_prefix(['-', '+']) }
            })
        };
        if let Some(letter) = held(CTRL).and_then(one).filter(char::is_ascii_lowercase) {
            return match vital(letter) {
                Some(why) => Err(format!("ctrl-{letter} can't be used: {why}; {FORMS}")),
                None => Ok(Self::Ctrl(letter)),
            };
        }
        if let Some(letter) = held(ALT).and_then(one).filter(char::is_ascii_alphanumeric) {
            return Ok(Self::Alt(letter));
        }
        if let Some(n @ 1..=12) = name.strip_prefix('f').and_then(number) {
            return Ok(Self::Function(n));
        }
        Err(match (name.as_str(), one(&name)) {
            ("enter" | "return" | "tab" | "esc" | "escape" | "space" | "backspace", _) => {
                format!("{name} can't be used: the shell needs it; {FORMS}")
            }
            (_, Some(letter)) => format!("`{letter}` can't be used: it must type the letter; {FORMS}"),
            _ => format!("not a key; {FORMS}"),
        })
    }
}

impl fmt::Display for BoundKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ctrl(letter) => write!(f, "ctrl-{letter}"),
            Self::Alt(letter) => write!(f, "alt-{letter}"),
            Self::Function(n) => write!(f, "f{n}"),
            Self::None => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::shell_integration;
    use askline_syntax::shell::Shell;

    #[test]
    fn every_key_is_read_as_it_is_written() {
        let letters = ('a'..='z').filter(|letter| vital(*letter).is_none()).map(BoundKey::Ctrl);
        let alts = ('a'..='z').chain('0'..='9').map(BoundKey::Alt);
        for key in letters.chain(alts).chain((1..=12).map(BoundKey::Function)).chain([BoundKey::None]) {
            assert_eq!(key.to_string().parse(), Ok(key));
            assert_eq!(key.to_string().to_uppercase().parse(), Ok(key));
        }
    }

    #[test]
    fn keys_are_read_as_other_tools_write_them() {
        let keys = [
            (BoundKey::Ctrl('g'), &["C-g", "c-g", "^G", "^g", "ctrl+g", "Ctrl-G", "control-g", r"\C-g"][..]),
            (BoundKey::Alt('a'), &["M-a", "alt+a", "Alt-A", "meta-a", r"\M-a", "option+a"]),
            (BoundKey::Alt('5'), &["M-5"]),
            (BoundKey::Function(5), &["F5", "f5"]),
            (BoundKey::None, &["None"]),
        ];
        for (key, spellings) in keys {
            for spelling in spellings {
                assert_eq!(spelling.parse(), Ok(key), "{spelling}");
            }
        }
    }

    #[test]
    fn vital_and_impossible_keys_are_refused_with_the_reason() {
        for (text, why) in [
            ("ctrl-c", "interrupts"),
            ("ctrl-d", "ends the shell"),
            ("ctrl-h", "backspace"),
            ("ctrl-i", "tab"),
            ("ctrl-j", "enter"),
            ("ctrl-m", "enter"),
            ("ctrl-z", "suspends"),
            ("ctrl-s", "pause"),
            ("enter", "the shell needs it"),
            ("tab", "the shell needs it"),
            ("?", "must type the letter"),
            ("ä", "must type the letter"),
            ("f0", "not a key"),
            ("f13", "not a key"),
            ("f+1", "not a key"),
            ("^C", "interrupts"),
            ("C-m", "enter"),
            ("^[", "not a key"),
            ("^", "must type the letter"),
            ("ctrl g", "not a key"),
            ("ctrl-alt-g", "not a key"),
            ("ctrl-", "not a key"),
            ("ctrl-[", "not a key"),
            ("ctrl-gg", "not a key"),
            ("alt-é", "not a key"),
            ("", "not a key"),
        ] {
            let error = text.parse::<BoundKey>().unwrap_err();
            assert!(error.contains(why) && error.ends_with(FORMS), "{text}: {error}");
        }
    }

    #[test]
    fn function_keys_are_spelled_as_terminals_send_them() {
        assert_eq!(
            shell_integration::of(Shell::Bash).sequences(BoundKey::Function(1)),
            [r"\e[11~", r"\eOP", r"\e[[A"]
        );
        assert_eq!(shell_integration::of(Shell::Zsh).sequences(BoundKey::Function(5)), ["^[[15~", "^[[[E"]);
        assert_eq!(shell_integration::of(Shell::Zsh).sequences(BoundKey::Function(6)), ["^[[17~"]);
        assert_eq!(shell_integration::of(Shell::Zsh).sequences(BoundKey::Function(10)), ["^[[21~"]);
        assert_eq!(shell_integration::of(Shell::Zsh).sequences(BoundKey::Function(12)), ["^[[24~"]);
    }
}
