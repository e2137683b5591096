//! Names of variables, options and fields.

/// Returns the words of a name in lower case: `dbPwd`, `db-pwd`, `DB_PWD`.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (was_small && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        was_small = c.is_ascii_lowercase();
        if let (true, Some(part)) = (c.is_ascii_alphanumeric(), parts.last_mut()) {
            part.push(c.to_ascii_lowercase());
        }
    }
    parts
}
