//! Patterns as kinds of files that a request names, and endings in other capitals: cameras write `IMG_1.JPG`, and people ask for
//! "jpg files".

use super::media;
use crate::extension;
use crate::glob::matches;
use crate::here::Case;
use crate::here::patterns::says_case;

/// Minimum length of the part of a name that may be inside a word of the request, in characters.
pub(super) const STEM_CHARS_MIN: usize = 2;
/// Reports whether a pattern such as `*.jpg` stands for a kind of file that the request names without saying how it is spelled.
pub(super) fn may_have_other_capitals(case: &Case<'_>, form: &str) -> bool {
    let Some(ending) = form.strip_prefix("*.") else { return false };
    let is_plain = ending.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_kind = |(words, endings): &(&[&str], &[&str])| {
        let is_said = || case.tokens.iter().any(|token| words.contains(&token.lower.trim_end_matches('s')));
        endings.contains(&ending) && is_said()
    };
    let is_named = is_said(case, form) || media::KINDS.iter().any(is_kind);
    let is_spelled = case.request.contains(&format!(".{ending}")) || says_case(case);
    is_plain && ending.contains(|c: char| c.is_ascii_lowercase()) && !is_spelled && is_named
}

/// Reports whether a name matches a pattern only if capitals don't count.
pub(super) fn is_other_capitals(form: &str, name: &str) -> bool {
    !matches(form, name) && matches(&form.to_lowercase(), &name.to_lowercase())
}

/// Reports whether the request names what a pattern is about: its letters, or its kind of file.
pub(super) fn is_said(case: &Case<'_>, form: &str) -> bool {
    let stem = form.split(|c: char| !c.is_alphanumeric()).max_by_key(|part| part.len()).unwrap_or_default();
    let stem = stem.to_lowercase();
    let is_whole = |word: &str| word.trim_start_matches(['*', '.']) == stem;
    let is_long = STEM_CHARS_MIN <= stem.chars().count();
    let is_in = |word: &str| if is_long { word.contains(&stem) } else { is_whole(word) };
    let is_said = case.tokens.iter().any(|token| is_in(&token.lower));
    !stem.is_empty() && (is_said || extension::is_named(&case.tokens, &stem))
}
