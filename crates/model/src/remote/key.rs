//! API key of a model server: sent only to that server and never shown.

use super::echo::Echo;
use anyhow::{Context as _, ensure};
use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

/// Maximum length of a key, in bytes. Signed tokens of a kilobyte exist.
const KEY_BYTES_MAX: usize = 4096;

/// A key and the setting it came from. It has neither `Debug` nor `Display`, so no log, panic or message can
/// contain the secret; users see `setting`. Its memory is overwritten on drop.
#[expect(
    missing_debug_implementations,
    reason = "printing a value that contains a key must not print the key"
)]
pub struct ApiKey {
    secret: Zeroizing<String>,
    setting: String,
}

impl ApiKey {
    /// Creates a key from its text. `setting` describes the source for users, such as ``key_env = "TEAM_KEY"``.
    /// Surrounding blanks and line breaks, which files and commands leave, are removed.
    ///
    /// # Errors
    ///
    /// If it is empty, too long, or contains characters that a header must not. The message never contains the
    /// secret.
    pub fn new(secret: &str, setting: impl Into<String>) -> anyhow::Result<Self> {
        let (secret, setting) = (secret.trim(), setting.into());
        ensure!(!secret.is_empty(), "the key from {setting} is empty");
        ensure!(secret.len() <= KEY_BYTES_MAX, "the key from {setting} is longer than {KEY_BYTES_MAX} bytes");
        ensure!(
            secret.bytes().all(|byte| byte.is_ascii_graphic()),
            "the key from {setting} contains a blank, a control character or a letter that no key has; copy it again"
        );
        Ok(Self { secret: Zeroizing::new(secret.to_owned()), setting })
    }

    /// Returns the source of the key, for display.
    pub fn setting(&self) -> &str {
        &self.setting
    }

    /// Returns the secret, for redaction of what leaves the machine.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// Returns the secret as a header value that is left out of logs.
    pub(super) fn header(&self, before: &str) -> anyhow::Result<HeaderValue> {
        let mut value = HeaderValue::from_str(&Zeroizing::new(format!("{before}{}", self.secret())))
            .ok()
            .with_context(|| format!("the key from {} can't be sent", self.setting))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// Removes the secret and its parts from a text in any of the forms in which a server may repeat it.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        Echo::of(self.secret()).hidden_in(&text.replace(self.secret(), "…"))
    }

    /// Reports whether a text contains the secret, or a part that identifies it, in any of these forms.
    pub(super) fn is_in(&self, text: &str) -> bool {
        Echo::of(self.secret()).is_in(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_header_may_hold_is_refused_without_being_shown() {
        for bad in ["", " \n", "abc\r\nX-Evil: 1", "abc\ndef", "a\0b", "a b", "schlüssel", "x\u{7f}"] {
            let error = ApiKey::new(bad, "key_file").err().unwrap().to_string();
            assert!(error.starts_with("the key from key_file "), "{error}");
            assert!(!error.contains("abc") && !error.contains("schl"), "{error}");
        }
        assert!(ApiKey::new(&"x".repeat(KEY_BYTES_MAX + 1), "key_file").is_err());
        let key = ApiKey::new("  sk-1234\n", "key_file").unwrap();
        assert_eq!(key.secret(), "sk-1234");
        assert_eq!(format!("{:?}", key.header("Bearer ").unwrap()), "Sensitive");
        assert_eq!(key.hidden_in("wrong: sk-1234!"), "wrong: …!");
    }
}
