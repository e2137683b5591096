//! Profiles of models on servers: checks on each setting, which ensure that a key reaches only its own server.
//!
//! Invalid values are refused when the file is read, before anything is sent. No message repeats a value that
//! may be a key, because people paste keys into the wrong setting.

use std::path::Path;

use askline_host::KeyCommand;
use askline_model::server::Address;

/// Maximum length of a variable name, in bytes.
const VARIABLE_BYTES_MAX: usize = 128;

/// Default time to wait for a server's first byte, in milliseconds.
pub(super) const FIRST_BYTE_MS: u64 = 3_000;

/// Default time limit for one answer of a server, in milliseconds.
pub(super) const DEADLINE_MS: u64 = 8_000;

/// Returns the fault in a text value of a profile, or `None`.
pub(super) fn fault(key: &str, text: &str) -> Option<String> {
    match key {
        "url" => Address::parse(text).err(),
        "key_env" => (!is_variable(text)).then(|| {
            "must be the name of a variable (capitals, digits and `_`), not the key itself".to_owned()
        }),
        "key_cmd" => KeyCommand::parse(text, Path::new("")).err(),
        // The value is not repeated: a user may have entered the key itself.
        "key_file" => (!Path::new(text).is_absolute()).then(|| "must be a full path".to_owned()),
        "ca_file" | "file" => {
            (!Path::new(text).is_absolute()).then(|| format!("must be a full path, not {text:?}"))
        }
        _ => None,
    }
}

/// Reports whether a name has only capitals, digits and `_`. Nearly every key has small letters, so a key
/// entered by mistake is neither stored nor shown.
fn is_variable(name: &str) -> bool {
    let starts = name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_');
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    starts && name.len() <= VARIABLE_BYTES_MAX && name.bytes().all(is_part)
}
