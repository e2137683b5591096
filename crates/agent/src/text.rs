//! Texts of models and tools, cut to what fits and unable to pose as something else.

use askline_syntax::clean::visible;

/// Maximum length of one line of a summary, fact or proposal, in bytes.
pub(crate) const LINE_BYTES_MAX: usize = 200;

/// Returns the start of a text, of at most `most` bytes.
pub(crate) fn head(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// Returns a text as one short line that can't pose as a tag.
pub(crate) fn line(text: &str) -> String {
    head(&visible(text).replace('\n', " "), LINE_BYTES_MAX).replace('<', "‹").replace('>', "›")
}

/// Returns the JSON object in an answer: models put words or a fence around it. `None` without one.
pub(crate) fn object(answer: &str) -> Option<&str> {
    let (from, to) = (answer.find('{')?, answer.rfind('}')?);
    answer.get(from..=to)
}
