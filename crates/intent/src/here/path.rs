//! Paths below the directory: read off a word of the line, written as one, shown in a message.

use askline_syntax::Word;
use askline_syntax::clean::visible;

/// Maximum length of a name that a message shows, in characters.
const NAME_CHARS_MAX: usize = 60;

/// Returns the relative path that a word names, without `./` in front and a final slash. `None` for every other word.
pub(super) fn relative(word: &Word) -> Option<&str> {
    if !word.literal {
        return None;
    }
    relative_path(&word.text)
}

/// Does the same for a text.
pub(super) fn relative_path(text: &str) -> Option<&str> {
    let is_other = text.is_empty()
        || text.starts_with(['-', '~', '+', '=', '%', '/', '&'])
        || text.contains(':')
        || text.contains("{}")
        || text.contains("//")
        || text.contains('\n')
        || is_assignment(text)
        || text.split('/').any(|part| part == "..");
    if is_other {
        return None;
    }
    let bare = text.trim_start_matches("./").trim_end_matches('/');
    let bare = bare.strip_suffix("/.").unwrap_or(bare);
    Some(if bare == "." { "" } else { bare }).filter(|bare| !bare.contains("/./"))
}

/// Reports whether a text is `NAME=…`, which awk and others take for a variable.
fn is_assignment(text: &str) -> bool {
    let name = text.split_once('=').map_or("", |(name, _)| name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the path of a name in a folder.
pub(super) fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns a path out of the directory as a word of the line; `None` if it holds anything that is better not written there.
pub(super) fn quoted(path: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+/".contains(c);
    let is_safe = |c: char| is_plain(c) || c == ' ' || ",@=&()".contains(c);
    let is_fit =
        !path.starts_with(['-', '~']) && visible(path) == path && path.chars().count() <= NAME_CHARS_MAX;
    match path {
        _ if !is_fit => None,
        _ if path.chars().all(is_plain) => Some(path.to_owned()),
        _ if path.chars().all(is_safe) => Some(format!("'{path}'")),
        _ => None,
    }
}

/// Returns a name out of the directory as it may be shown.
pub(super) fn shown(name: &str) -> String {
    let visible = visible(name).replace('\n', " ");
    visible.chars().take(NAME_CHARS_MAX).collect()
}
