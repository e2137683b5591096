//! A key for a model server: it is sent to that server and shown to nobody.

use anyhow::{Context as _, ensure};
use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

/// Longest key, in bytes. Signed tokens of a kilobyte exist.
const KEY_BYTES_MAX: usize = 4096;

/// A key and the setting it came from. It has neither `Debug` nor `Display`, so that no log, panic or message can hold
/// the secret; `setting` is what people are told. Its memory is overwritten when it is dropped.
#[expect(missing_debug_implementations, reason = "whoever prints what holds a key must not print the key")]
pub struct Key {
    secret: Zeroizing<String>,
    setting: String,
}

impl Key {
    /// A key read from `setting`, which is named to people, such as ``key_env = "TEAM_KEY"``. Blanks and line breaks
    /// around the secret, which files and commands leave there, are no part of it.
    ///
    /// # Errors
    /// When it is empty, too long, or holds what no header may hold. The message never holds the secret.
    pub fn new(secret: &str, setting: impl Into<String>) -> anyhow::Result<Self> {
        let (secret, setting) = (secret.trim(), setting.into());
        ensure!(!secret.is_empty(), "the key from {setting} is empty");
        ensure!(secret.len() <= KEY_BYTES_MAX, "the key from {setting} is longer than {KEY_BYTES_MAX} bytes");
        ensure!(
            secret.bytes().all(|byte| byte.is_ascii_graphic()),
            "the key from {setting} holds a blank, a control character or a letter that no key has; copy it again"
        );
        Ok(Self { secret: Zeroizing::new(secret.to_owned()), setting })
    }

    /// Where the key came from, in words for people.
    pub fn setting(&self) -> &str {
        &self.setting
    }

    /// The secret itself, for the redaction of what leaves the machine.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// The secret as a header's value that is left out of any log.
    pub(super) fn header(&self, before: &str) -> anyhow::Result<HeaderValue> {
        let mut value = HeaderValue::from_str(&Zeroizing::new(format!("{before}{}", self.secret())))
            .ok()
            .with_context(|| format!("the key from {} can't be sent", self.setting))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// The text without the secret, should a server have repeated it.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        text.replace(self.secret(), "…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_header_may_hold_is_refused_without_being_shown() {
        for bad in ["", " \n", "abc\r\nX-Evil: 1", "abc\ndef", "a\0b", "a b", "schlüssel", "x\u{7f}"] {
            let error = Key::new(bad, "key_file").err().unwrap().to_string();
            assert!(error.starts_with("the key from key_file "), "{error}");
            assert!(!error.contains("abc") && !error.contains("schl"), "{error}");
        }
        assert!(Key::new(&"x".repeat(KEY_BYTES_MAX + 1), "key_file").is_err());
        let key = Key::new("  sk-1234\n", "key_file").unwrap();
        assert_eq!(key.secret(), "sk-1234");
        assert_eq!(format!("{:?}", key.header("Bearer ").unwrap()), "Sensitive");
        assert_eq!(key.hidden_in("wrong: sk-1234!"), "wrong: …!");
    }
}
