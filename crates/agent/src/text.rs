//! Texts of models and tools, cut to what fits and unable to pose as something else.

use askline_syntax::clean::visible;

/// Maximum length of one line of a summary, fact or proposal, in bytes.
pub(crate) const LINE_BYTES_MAX: usize = 200;

/// Returns the start of a text, of at most `most` bytes.
pub(crate) fn head(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// Returns the start of a text, of at most `most` bytes, that can't pose as a tag.
pub(crate) fn tagless(text: &str, most: usize) -> String {
    head(&visible(head(text, most)).replace('<', "‹").replace('>', "›"), most).to_owned()
}

/// Returns a text as one short line that can't pose as a tag.
pub(crate) fn line(text: &str) -> String {
    tagless(&head(text, LINE_BYTES_MAX).replace('\n', " "), LINE_BYTES_MAX)
}

/// Returns the JSON object in an answer: models put words or a fence around it. `None` without one.
pub(crate) fn object(answer: &str) -> Option<&str> {
    let (from, to) = (answer.find('{')?, answer.rfind('}')?);
    answer.get(from..=to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_stays_within_the_bound() {
        for text in ["<", "\u{1b}", "é<", "\n"] {
            assert!(line(&text.repeat(999)).len() <= LINE_BYTES_MAX, "{text:?}");
            assert!(tagless(&text.repeat(999), 300).len() <= 300, "{text:?}");
        }
        assert_eq!(line("a\n<b>\u{1b}"), "a ‹b›\\u{1b}");
    }
}
