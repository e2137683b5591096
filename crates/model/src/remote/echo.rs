//! Echoes of a key: the forms in which a server may repeat it, as it is, in capitals, in hex or base64, whole or in
//! parts, with other characters between. Only letters and digits are compared, without case.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use zeroize::Zeroizing;

/// Lengths of parts that are compared, in characters.
#[derive(Debug, Clone, Copy)]
struct PartLengths {
    plain: usize,
    base64: usize,
    hex: usize,
}

/// Parts that are hidden in a message: it is no loss if a word that only looks like one is hidden, too.
const HIDDEN: PartLengths = PartLengths { plain: 4, base64: 6, hex: 8 };
/// Parts that identify the key in an answer, which may contain similar words.
const TELLING: PartLengths = PartLengths { plain: 12, base64: 11, hex: 16 };
/// Length of parts that identify the key in an answer if they mix letters and digits.
const MIXED: usize = 6;
/// Length of parts that identify the key in an answer if they have a digit, and minimum length of a key without one.
const WORD: usize = 8;

/// The key in each of its forms.
pub(super) struct Echo {
    plain: Zeroizing<String>,
    hex: Zeroizing<String>,
    /// For each position of the key in a group of three bytes.
    base64: [Zeroizing<String>; 3],
}

impl Echo {
    /// Returns the forms of a key.
    pub(super) fn of(key: &str) -> Self {
        let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
        let base64 = [0, 1, 2].map(|before| {
            let encoded = STANDARD_NO_PAD.encode([&b"\0\0"[..before], key.as_bytes()].concat());
            // The first and the last characters depend on the neighbours, too.
            let first = if before == 0 { 0 } else { before + 1 };
            let is_open = !(before + key.len()).is_multiple_of(3);
            let last = encoded.len().saturating_sub(usize::from(is_open));
            compared(encoded.get(first..last).unwrap_or_default())
        });
        Self { plain: compared(key), hex: Zeroizing::new(hex), base64 }
    }

    /// Returns the text with an ellipsis in place of each part of the key.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        let letters: Vec<(usize, u8)> = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| byte.is_ascii_alphanumeric())
            .map(|(at, byte)| (at, byte.to_ascii_lowercase()))
            .collect();
        let mut is_part = vec![false; letters.len()];
        for (form, length) in self.forms(HIDDEN) {
            let length = length.min(form.len());
            let parts: HashSet<&[u8]> = form.as_bytes().windows(length.max(1)).collect();
            let bytes: Zeroizing<Vec<u8>> = Zeroizing::new(letters.iter().map(|(_, byte)| *byte).collect());
            for (at, window) in bytes.windows(length.max(1)).enumerate() {
                if parts.contains(window) {
                    is_part.iter_mut().skip(at).take(length).for_each(|part| *part = true);
                }
            }
        }
        let mut shown = String::with_capacity(text.len());
        let (mut end, mut was_part) = (0, false);
        for ((at, _), is_part) in letters.iter().zip(is_part) {
            if is_part {
                // Other characters between two parts belong to the key, too.
                let between = text.get(end..*at).filter(|_| !was_part).unwrap_or_default();
                shown.push_str(between);
                shown.push_str(if was_part { "" } else { "…" });
            } else {
                shown.push_str(text.get(end..=*at).unwrap_or_default());
            }
            (end, was_part) = (at + 1, is_part);
        }
        shown.push_str(text.get(end..).unwrap_or_default());
        shown
    }

    /// Reports whether the text contains the key, or a part that identifies it. A key that is one short word, as
    /// servers without keys get it, may occur in any answer and counts as none.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let text = compared(text);
        let is_word = self.plain.bytes().all(|byte| byte.is_ascii_alphabetic());
        if self.plain.is_empty() || is_word && self.plain.len() < WORD {
            return false;
        }
        let has_part = |form: &str, length: usize, tells: fn(&[u8]) -> bool| {
            let length = if is_word { form.len() } else { length.min(form.len()) }.max(1);
            let parts: HashSet<&[u8]> = form.as_bytes().windows(length).filter(|part| tells(part)).collect();
            text.as_bytes().windows(length).any(|part| parts.contains(part))
        };
        let is_mixed =
            |part: &[u8]| part.iter().any(u8::is_ascii_digit) && part.iter().any(u8::is_ascii_alphabetic);
        self.forms(TELLING).any(|(form, length)| !form.is_empty() && has_part(form, length, |_| true))
            || MIXED <= self.plain.len() && has_part(&self.plain, MIXED, is_mixed)
            || WORD <= self.plain.len()
                && has_part(&self.plain, WORD, |part| part.iter().any(u8::is_ascii_digit))
    }

    /// Returns each form with the length of its parts.
    fn forms(&self, lengths: PartLengths) -> impl Iterator<Item = (&str, usize)> {
        let base64 = self.base64.iter().map(move |form| (form.as_str(), lengths.base64));
        [(self.plain.as_str(), lengths.plain), (self.hex.as_str(), lengths.hex)].into_iter().chain(base64)
    }
}

/// Returns the letters and digits of a text in lower case.
fn compared(text: &str) -> Zeroizing<String> {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
    Zeroizing::new(letters.map(|byte| char::from(byte.to_ascii_lowercase())).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-Aq7-Zt3Kd9wPx2";

    /// Returns the forms in which servers repeat a key.
    fn echoes() -> Vec<String> {
        let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
        let percent: String = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let spaced: String = KEY.chars().flat_map(|c| [c, ' ']).collect();
        vec![
            KEY.to_owned(),
            KEY.to_uppercase(),
            KEY.replace("t3", "t … and 3"),
            KEY.replace("t3", "t\n3"),
            spaced,
            hex.clone(),
            hex.to_uppercase(),
            percent,
            STANDARD_NO_PAD.encode(KEY),
            STANDARD_NO_PAD.encode(format!("Bearer {KEY}")),
            STANDARD_NO_PAD.encode(format!("user:{KEY}!")),
        ]
    }

    #[test]
    fn every_form_is_hidden() {
        for echo in echoes() {
            let shown = Echo::of(KEY).hidden_in(&format!("the key “{echo}” is wrong"));
            let left = compared(shown.strip_prefix("the key").unwrap().strip_suffix("is wrong").unwrap());
            assert!(left.len() <= 12 && shown.contains('…'), "{echo}: {shown}");
            assert!(!left.contains("zt3kd9") && !left.contains("aq7zt"), "{echo}: {shown}");
        }
        let words = "it has no model `gpt-5` or no such path (404): check `name`";
        assert_eq!(Echo::of(KEY).hidden_in(words), words);
        assert_eq!(Echo::of("k-1").hidden_in("K1?"), "…?");
        assert_eq!(Echo::of("--").hidden_in("a -- b"), "a -- b");
    }

    #[test]
    fn an_answer_with_the_key_is_told_from_one_with_a_common_word() {
        for echo in echoes() {
            assert!(Echo::of(KEY).is_in(&format!("curl -H 'x: {echo}' host")), "{echo}");
        }
        assert!(Echo::of(KEY).is_in("echo Zt3Kd9"));
        for (key, answer) in [
            (KEY, "find . -name '*.txt' -size +10M"),
            ("ollama", "ollama list"),
            ("EMPTY", "find . -empty"),
            ("sk-no-key-required", "pip install -r requirements.txt"),
            ("", "ls"),
        ] {
            assert!(!Echo::of(key).is_in(answer), "{key}: {answer}");
        }
        assert!(Echo::of("key-42").is_in("echo key-42") && Echo::of("top-secret").is_in("echo TOPSECRET"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_text_stays_a_text(text in "(.|key|4b4559){0,80}", key in "[!-~]{1,40}") {
            let shown = Echo::of(&key).hidden_in(&text);
            prop_assert!(shown.chars().count() <= text.chars().count());
            let _ = Echo::of(&key).is_in(&text);
        }
    }
}
