//! Random text that is public: a checksum, the name of a container, a disk, a commit (`public.toml`).
//!
//! The text around it decides, because a checksum and a key look alike.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::name::parts;

/// Maximum length of the text before and after a run that is looked at, in bytes.
const BEFORE_BYTES: usize = 96;
const AFTER_BYTES: usize = 80;
/// Maximum number of words between a deciding word and a run.
const FAR_WORDS: usize = 8;
const ANY_WORDS: usize = 3;
const NEAR_WORDS: usize = 2;

static PUBLIC: LazyLock<Public> =
    LazyLock::new(|| toml::from_str(include_str!("public.toml")).expect("public.toml is well-formed"));

/// Content of `public.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Public {
    far: HashSet<String>,
    near: HashSet<String>,
    any: HashSet<String>,
    secret: HashSet<String>,
    after: HashSet<String>,
    starts: Vec<String>,
    places: Vec<String>,
    sites: Vec<String>,
}

/// Reports whether the text around a random run says that it is public.
pub(super) fn is_public(text: &str, run: &Range<usize>) -> bool {
    let start = text.ceil_char_boundary(run.start.saturating_sub(BEFORE_BYTES));
    let end = text.floor_char_boundary(run.end.saturating_add(AFTER_BYTES));
    let (Some(before), Some(itself), Some(after)) =
        (text.get(start..run.start), text.get(run.clone()), text.get(run.end..end))
    else {
        return false;
    };
    let is_hex = itself.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_id = is_hex
        || itself.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let before = before.rsplit('\n').next().unwrap_or_default();
    let lower = before.to_ascii_lowercase();
    let starts = PUBLIC.starts.iter().any(|start| itself.starts_with(start.as_str()));
    let is_known_host = lower.ends_with('|') && lower.contains("|1|");
    if starts || is_known_host || PUBLIC.places.iter().any(|place| lower.ends_with(place.as_str())) {
        return true;
    }
    if PUBLIC.is_on_site(&lower) {
        return true;
    }
    if is_hex && (is_file(before, after) || is_listed(before, after)) {
        return true;
    }
    PUBLIC.verdict(&words_before(before), is_id).unwrap_or_else(|| is_hex && PUBLIC.is_named(after))
}

impl Public {
    /// Returns the verdict of the words before a run, the nearest first; `None` if they have none.
    fn verdict(&self, words: &[String], is_id: bool) -> Option<bool> {
        let row = words.iter().enumerate().filter(|(_, word)| !word.is_empty());
        row.take(FAR_WORDS).find_map(|(at, word)| {
            let is_any = at < ANY_WORDS && self.any.contains(word);
            let is_of_hex = self.far.contains(word) || at < NEAR_WORDS && self.near.contains(word);
            if is_any || is_id && is_of_hex {
                return Some(true);
            }
            self.secret.contains(word).then_some(false)
        })
    }

    /// Reports whether a run is in the path of an address on a site where everything has an identifier.
    fn is_on_site(&self, before: &str) -> bool {
        let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let path =
            word.rsplit_once("://").map(|(_, path)| path).filter(|path| !path.contains(['?', '@', '#']));
        path.is_some_and(|path| {
            self.sites.iter().any(|site| path.trim_start_matches("www.").starts_with(site.as_str()))
        })
    }

    fn is_named(&self, after: &str) -> bool {
        let line = after.split('\n').next().unwrap_or_default().to_ascii_lowercase();
        line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| self.after.contains(word))
    }
}

/// Returns the words before a run in lower case, the nearest first; before a value only those of its name.
fn words_before(before: &str) -> Vec<String> {
    let before = before.trim_end_matches(['"', '\'', ' ', '\\', '(', '0', 'x']);
    let scope = match before.strip_suffix(['=', ':']) {
        Some(name) => name.trim_end().rsplit([' ', '\t', '&', '?', ',', ';', '/']).next().unwrap_or_default(),
        None => before,
    };
    let mut words: Vec<String> = parts(scope).into_iter().filter(|part| !part.is_empty()).collect();
    words.reverse();
    // In `public key`, the word before `key` decides.
    if words.get(1).is_some_and(|word| matches!(word.as_str(), "public" | "publishable" | "site")) {
        words.remove(0);
    }
    words
}

/// Reports whether a run is a checksum in a list: alone before two blanks, or a blank and `*`, and a file.
fn is_listed(before: &str, after: &str) -> bool {
    let is_alone = before.is_empty() || before.ends_with(['"', '\'']);
    let file = after.strip_prefix("  ").or_else(|| after.strip_prefix(" *"));
    is_alone && file.is_some_and(|file| file.starts_with(|c: char| !c.is_whitespace()))
}

/// Reports whether a run is the name of a file: part of a path, or before an extension; in an address only with a file
/// behind it.
fn is_file(before: &str, after: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '?' | ')');
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let rest = after.split(is_end).next().unwrap_or_default();
    let file = rest.rsplit('/').next().unwrap_or_default();
    let is_extended = file.split('.').skip(1).any(|end| end.starts_with(|c: char| c.is_ascii_alphabetic()));
    let is_address = word.contains("http://") || word.contains("https://");
    let value = word.rsplit('=').next().unwrap_or_default();
    is_extended || (value.contains('/') && !is_address)
}
