//! Decoder of the keys pressed during the wait: cancel, or nothing.
//!
//! Terminals encode Esc, Ctrl-C and Ctrl-G in three ways (bare bytes, CSI-u, xterm's modifyOtherKeys), and most other
//! keys start with the byte that Esc alone sends. Pure functions of bytes and clock readings.

use std::time::{Duration, Instant};

/// Maximum wait for the next byte after an escape byte or in an unfinished sequence.
pub(super) const SEQUENCE_WAIT: Duration = Duration::from_millis(50);
/// Maximum silence in an unfinished paste before bytes count as keys again, to keep Esc working.
const PASTE_WAIT: Duration = Duration::from_secs(2);
/// Maximum number of parameter bytes kept of one sequence; more are discarded.
const PARAMETER_LIMIT: usize = 64;
/// End of a bracketed paste.
const PASTE_END: &[u8] = b"\x1b[201~";

const CTRL_C: u8 = 0x03;
const CTRL_G: u8 = 0x07;
const ESC: u8 = 0x1b;

/// A key press, as far as it matters to the wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyPress {
    /// Any other key.
    Other,
    /// Esc, Ctrl-C or Ctrl-G.
    Cancel,
}

/// A decoder of bytes from a terminal, with its position inside an unfinished sequence.
#[derive(Debug)]
pub(super) struct Keys {
    state: KeyParserState,
    fed: Instant,
    /// `true` if a paste fell silent before its end, which may still come.
    torn_paste: bool,
}

#[derive(Debug)]
enum KeyParserState {
    /// Between keys.
    Ground,
    /// After an escape byte.
    Escape,
    /// After `ESC O`: one more byte follows.
    Shift3,
    /// Inside `ESC [`, with its parameters so far.
    Control(Vec<u8>),
    /// Inside a string from the terminal (an answer to some program's query).
    Text,
    /// Inside a bracketed paste, with the number of matched bytes of its end.
    Paste(usize),
}

impl Keys {
    /// Creates a decoder in the state between two keys.
    pub(super) fn new(now: Instant) -> Self {
        Self { state: KeyParserState::Ground, fed: now, torn_paste: false }
    }

    /// Decodes input and returns the most important key in it. Answers of the terminal, mouse and focus reports, key
    /// releases and pasted text are not keys.
    pub(super) fn feed(&mut self, bytes: &[u8], now: Instant) -> Option<KeyPress> {
        if !bytes.is_empty() {
            self.fed = now;
        }
        bytes.iter().filter_map(|&byte| self.step(byte)).max()
    }

    /// Returns the key that is completed by silence: a lone escape byte was Esc.
    pub(super) fn wait(&mut self, now: Instant) -> Option<KeyPress> {
        let limit = match self.state {
            KeyParserState::Ground => return None,
            KeyParserState::Paste(_) => PASTE_WAIT,
            _ => SEQUENCE_WAIT,
        };
        if now.saturating_duration_since(self.fed) < limit {
            return None;
        }
        match std::mem::replace(&mut self.state, KeyParserState::Ground) {
            KeyParserState::Escape => Some(KeyPress::Cancel),
            KeyParserState::Ground => None,
            KeyParserState::Paste(_) => {
                self.torn_paste = true;
                None
            }
            KeyParserState::Shift3 | KeyParserState::Control(_) | KeyParserState::Text => {
                Some(KeyPress::Other)
            }
        }
    }

    /// Reports whether a key, a sequence or a paste has begun and is not finished by more bytes or silence.
    pub(super) fn undecided(&self) -> bool {
        !matches!(self.state, KeyParserState::Ground)
    }

    /// As [`Self::undecided`], and also `true` if a silent paste has not ended: its rest, perhaps with an Enter,
    /// would be typed after an answer given now.
    pub(super) fn unfinished(&self) -> bool {
        self.undecided() || self.torn_paste
    }

    fn step(&mut self, byte: u8) -> Option<KeyPress> {
        let (state, key) = match (std::mem::replace(&mut self.state, KeyParserState::Ground), byte) {
            (KeyParserState::Paste(seen), _) => {
                let seen = match byte {
                    _ if byte == PASTE_END[seen] => seen + 1,
                    ESC => 1,
                    _ => 0,
                };
                (
                    if seen == PASTE_END.len() {
                        KeyParserState::Ground
                    } else {
                        KeyParserState::Paste(seen)
                    },
                    None,
                )
            }
            (KeyParserState::Text, CTRL_G) => (KeyParserState::Ground, None), // ends a string, too
            (_, CTRL_C | CTRL_G) => (KeyParserState::Ground, Some(KeyPress::Cancel)),
            (KeyParserState::Escape, ESC) => (KeyParserState::Escape, Some(KeyPress::Cancel)),
            (_, ESC) => (KeyParserState::Escape, None),
            (KeyParserState::Escape, b'[') => (KeyParserState::Control(Vec::new()), None),
            (KeyParserState::Escape, b'O') => (KeyParserState::Shift3, None),
            (KeyParserState::Escape, b'P' | b']' | b'_' | b'^' | b'X') => (KeyParserState::Text, None),
            (KeyParserState::Ground | KeyParserState::Escape | KeyParserState::Shift3, _) => {
                (KeyParserState::Ground, Some(KeyPress::Other))
            }
            (KeyParserState::Text, _) => (KeyParserState::Text, None),
            (KeyParserState::Control(mut parameters), 0x20..=0x3f) => {
                if parameters.len() < PARAMETER_LIMIT {
                    parameters.push(byte);
                }
                (KeyParserState::Control(parameters), None)
            }
            (KeyParserState::Control(parameters), b'~') if parameters == b"200" => {
                (KeyParserState::Paste(0), None)
            }
            (KeyParserState::Control(parameters), b'~') if parameters == b"201" => {
                self.torn_paste = false;
                (KeyParserState::Ground, None)
            }
            (KeyParserState::Control(parameters), _) => (KeyParserState::Ground, control(&parameters, byte)),
        };
        self.state = state;
        key
    }
}

/// Returns the key of a complete sequence `ESC [ parameters last`.
fn control(parameters: &[u8], last: u8) -> Option<KeyPress> {
    let text = String::from_utf8_lossy(parameters);
    let mut fields = text.split(';');
    let mut field = || fields.next().unwrap_or("");
    match last {
        // Mouse reports and answers of the terminal.
        _ if parameters.first().is_some_and(|byte| b"<=>?".contains(byte)) => None,
        b'I' | b'O' | b'M' | b'c' | b'n' | b't' | b'x' | b'y' => None,
        // CSI code:shifted:base ; modifiers:event u
        b'u' => {
            let (codes, modifiers) = (field(), field());
            let mut modifiers = modifiers.split(':');
            let held = modifiers.next().unwrap_or("");
            let is_release = modifiers.next() == Some("3");
            if is_release { None } else { Some(meaning(codes, held)) }
        }
        // CSI 27 ; modifiers ; code ~
        b'~' if field() == "27" => {
            let held = field();
            Some(meaning(field(), held))
        }
        _ => Some(KeyPress::Other),
    }
}

/// Returns the meaning of a key with one of these codes (of its layout, shifted, of a Latin layout) and these
/// modifiers.
fn meaning(codes: &str, held: &str) -> KeyPress {
    const ALT: u32 = 0b10;
    const CTRL: u32 = 0b100;
    let held = held.parse().unwrap_or(1u32).saturating_sub(1);
    let ctrl = held & (CTRL | ALT) == CTRL;
    let cancels = codes.split(':').any(|code| match code {
        "27" => true,
        "67" | "71" | "99" | "103" => ctrl, // C, G, c, g
        _ => false,
    });
    if cancels { KeyPress::Cancel } else { KeyPress::Other }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds the bytes at once and one by one, then lets `SEQUENCE_WAIT` pass; both results must agree.
    fn check(bytes: &[u8], expected: Option<KeyPress>) {
        let start = Instant::now();
        let mut at_once = Keys::new(start);
        let key = at_once.feed(bytes, start).max(at_once.wait(start + SEQUENCE_WAIT));
        assert_eq!(key, expected, "{}", bytes.escape_ascii());
        let mut singly = Keys::new(start);
        let key = bytes.iter().filter_map(|byte| singly.feed(&[*byte], start)).max();
        assert_eq!(key.max(singly.wait(start + SEQUENCE_WAIT)), expected, "{}", bytes.escape_ascii());
    }

    #[test]
    fn keys_that_cancel() {
        for bytes in [
            &b"\x03"[..],
            b"\x07",
            b"\x1b",
            b"abc\x03",
            b"\x1b\x1b",
            b"\x1b\x03",
            b"\x1b[27u",
            b"\x1b[27;1u",
            b"\x1b[99;5u",
            b"\x1b[103;5u",
            b"\x1b[99;69u",      // Caps Lock on
            b"\x1b[99;5:1u",     // press, with event types reported
            b"\x1b[1089::99;5u", // a Cyrillic layout
            b"\x1b[27;5;99~",
            b"\x1b[27;5;103~",
            b"\x1b[27;1;27~",
            b"\x1b[1;\x03", // a sequence that never ended
            b"\x1b[200~paste\x1b[201~\x07",
        ] {
            check(bytes, Some(KeyPress::Cancel));
        }
    }

    #[test]
    fn keys_that_do_nothing() {
        for bytes in [
            &b"a"[..],
            b"\r",
            "é".as_bytes(),
            b"\x1b[A",
            b"\x1bOP",
            b"\x1bx",
            b"\x1b[",
            b"\x1b]",
            b"\x1b[99u",
            b"\x1b[99;3u",
            b"\x1b[99;7u",
            b"\x1b[97;5u",
            b"\x1b[27;5;97~",
            b"\x1b[3~",
            b"\x1b[1;5C",
            b"\x1b[99999999999999999999;99999999999u",
        ] {
            check(bytes, Some(KeyPress::Other));
        }
    }

    #[test]
    fn no_keys_at_all() {
        for bytes in [
            &b""[..],
            b"\x1b[200~\x03\x07\x1b[A rm -rf /\r\x1b[201~",
            b"\x1b[200~never ended \x03",
            b"\x1b[99;5:3u",
            b"\x1b[I\x1b[O",
            b"\x1b[<0;10;5M",
            b"\x1b[?62;22c",
            b"\x1b]11;rgb:0000/0000/0000\x07",
        ] {
            check(bytes, None);
        }
    }

    #[test]
    fn a_paste_that_never_ends_gives_the_keys_back() {
        let start = Instant::now();
        let mut keys = Keys::new(start);
        assert_eq!(keys.feed(b"\x1b[200~\x03", start), None);
        assert_eq!(keys.wait(start + PASTE_WAIT), None);
        assert_eq!(keys.feed(b"\x03", start + PASTE_WAIT), Some(KeyPress::Cancel));
    }

    #[test]
    fn an_escape_byte_is_undecided_until_silence() {
        let start = Instant::now();
        let mut keys = Keys::new(start);
        assert_eq!(keys.feed(b"\x1b", start), None);
        assert!(keys.undecided());
        assert_eq!(keys.wait(start), None);
        assert_eq!(keys.wait(start + SEQUENCE_WAIT), Some(KeyPress::Cancel));
        assert!(!keys.undecided());
    }

    #[test]
    fn a_paste_or_sequence_is_undecided_until_its_end_or_silence() {
        for (begun, rest, limit) in [
            (&b"\x1b[200~first\r"[..], &b"second\r\x1b[201~"[..], PASTE_WAIT),
            (b"\x1b[1;", b"5C", SEQUENCE_WAIT),
            (b"\x1b]11;", b"rgb:0\x07", SEQUENCE_WAIT),
            (b"\x1bO", b"P", SEQUENCE_WAIT),
        ] {
            let start = Instant::now();
            let mut keys = Keys::new(start);
            keys.feed(begun, start);
            assert!(keys.undecided(), "{}", begun.escape_ascii());
            keys.wait(start + limit - Duration::from_millis(1));
            assert!(keys.undecided(), "{}", begun.escape_ascii());
            keys.feed(rest, start);
            assert!(!keys.undecided(), "{}", begun.escape_ascii());
            keys.feed(begun, start);
            keys.wait(start + limit);
            assert!(!keys.undecided(), "{}", begun.escape_ascii());
        }
    }

    #[test]
    fn a_paste_that_fell_silent_stays_unfinished_until_its_end() {
        let start = Instant::now();
        let mut keys = Keys::new(start);
        keys.feed(b"\x1b[200~first\r", start);
        assert_eq!(keys.wait(start + PASTE_WAIT), None);
        assert_eq!((keys.undecided(), keys.unfinished()), (false, true));
        assert_eq!(keys.feed(b"second\r", start), Some(KeyPress::Other));
        assert!(keys.unfinished());
        assert_eq!(keys.feed(b"\x1b[201~", start), None);
        assert!(!keys.unfinished());
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>) {
            let start = Instant::now();
            let mut keys = Keys::new(start);
            keys.feed(&bytes, start);
            keys.wait(start + PASTE_WAIT);
            proptest::prop_assert_eq!(keys.feed(b"\x03", start), Some(KeyPress::Cancel));
        }
    }
}
