//! The credential in an `Authorization` header. Any word may be its scheme (`Bearer`, `Splunk`, `Hawk`), and some schemes
//! have several parts (`id="…", mac="…"`), so everything after the scheme is secret.

use std::ops::Range;

/// Maximum length of a header's value, in bytes.
const BYTES_MAX: usize = 4096;
/// Maximum length of the name of a scheme, in bytes.
const SCHEME_BYTES_MAX: usize = 32;

/// Returns the span of the credential after `lead`, which covers the header's name, its colon and an opening quote.
/// `None` if it is no secret, such as a variable.
pub(super) fn credential(
    text: &str,
    lead: Range<usize>,
    is_secret: &dyn Fn(&str) -> bool,
) -> Option<Range<usize>> {
    let name = text.get(lead.clone())?;
    let before = text.get(..lead.start)?.chars().next_back();
    let after = name.chars().next_back();
    let quote = [after, before].into_iter().flatten().find(|c| matches!(c, '"' | '\''));
    let end = text.ceil_char_boundary(lead.end.saturating_add(BYTES_MAX));
    let rest = text.get(lead.end..end)?;
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let is_escaped = name.ends_with("\\\"") || text.get(..lead.start)?.ends_with("\\\"");
    let value = match quote {
        Some(_) if is_escaped => line.split("\\\"").next(),
        Some(quote) => line.split(quote).next(),
        None => Some(line),
    }?;
    let span = |part: &str| {
        let start = lead.end + (part.as_ptr().addr() - rest.as_ptr().addr());
        start..start + part.len()
    };
    let value = value.trim();
    let Some((scheme, credential)) = value.split_once([' ', '\t']) else {
        return is_secret(value).then(|| span(value));
    };
    let credential = credential.trim_start();
    if quote.is_none() {
        return bare(scheme, credential, is_secret).map(span);
    }
    let secret = if is_scheme(scheme) { credential } else { value };
    is_secret(secret).then(|| span(secret))
}

/// Returns the spans of the values in `name=value; name=value`, which begins at an offset and ends at a quote or line end.
pub(super) fn pairs(text: &str, at: usize) -> Vec<Range<usize>> {
    let end = text.ceil_char_boundary(at.saturating_add(BYTES_MAX));
    let rest = text.get(at..end).unwrap_or_default();
    let row = rest.split(['\n', '\r', '"', '\'']).next().unwrap_or_default();
    let values = row.split(';').filter_map(|pair| pair.split_once('='));
    let word = |value: &'_ str| value.split_whitespace().next().map_or(0, str::len);
    values
        .map(|(name, value)| {
            let start = at + (name.as_ptr().addr() - rest.as_ptr().addr()) + name.len() + 1;
            start..start + word(value)
        })
        .collect()
}

/// Returns the credential of a header without quotes: parts up to the end of the line, or one word.
fn bare<'t>(scheme: &'t str, rest: &'t str, is_secret: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    let is_word_of_shell = word.contains("://") || word.starts_with(['-', '/', '|', '>', '<', '&', ';']);
    let secret = match () {
        () if !is_scheme(scheme) || is_word_of_shell => scheme,
        () if word.trim_end_matches('=').contains('=') => rest,
        () => word,
    };
    is_secret(secret).then_some(secret)
}

/// Reports whether a word may be the name of a scheme.
fn is_scheme(word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    word.len() <= SCHEME_BYTES_MAX
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(is_name)
        // `AWS4-HMAC-SHA256` is one, `hunter2x81` is none.
        && !(word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_lowercase()))
}
