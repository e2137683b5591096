//! Seed phrases of wallets: a row of short words in small letters.

use std::ops::Range;

/// Minimum and maximum number of words of a phrase.
const MIN_WORDS: usize = 12;
const MAX_WORDS: usize = 24;
/// Lengths of the words, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=8;
/// Words that occur in sentences and in no phrase.
const SENTENCE: [&str; 12] =
    ["the", "and", "for", "from", "with", "then", "into", "please", "are", "was", "which", "without"];
/// Maximum length of a phrase and the text before it, in bytes.
const MAX_BYTES: usize = 512;

/// Returns the phrase that begins at an offset, after blanks, quotes and a few words such as `is:`.
pub(super) fn after(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..text.ceil_char_boundary(at.saturating_add(MAX_BYTES)))?;
    let mut span: Option<Range<usize>> = None;
    let mut count = 0;
    for word in rest.split(|c: char| !c.is_ascii_lowercase()) {
        if !word.is_empty() {
            let start = at + (word.as_ptr().addr() - rest.as_ptr().addr());
            if !LENGTHS.contains(&word.len()) || SENTENCE.contains(&word) {
                // A phrase that is long enough ends here; a shorter row was the sentence before it.
                if MIN_WORDS <= count {
                    break;
                }
                (span, count) = (None, 0);
                continue;
            }
            span = Some(span.map_or(start, |span| span.start)..start + word.len());
            count += 1;
            if count == MAX_WORDS {
                break;
            }
        }
    }
    span.filter(|_| MIN_WORDS <= count)
}
