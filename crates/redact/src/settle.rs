//! Adjustment of spans so each can be replaced by a placeholder that is recognised on return.

use std::ops::Range;

use super::kept::own_quote;
use super::placeholder::stands_free;

/// Returns the spans in order, none touching another. Each is widened until a placeholder in its place is free: not
/// part of a longer word, and not after a character that [`restore`](super::Redactor::restore) would remove with the
/// placeholder.
///
/// Each byte is added to a span at most once. A span that grows into its neighbour is merged with it.
pub(super) fn settled(text: &str, mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.retain(|span| span.start < span.end);
    for span in &mut spans {
        span.start = text.floor_char_boundary(span.start);
        span.end = text.ceil_char_boundary(span.end);
    }
    spans.sort_by_key(|span| (span.start, span.end));
    let mut settled: Vec<Range<usize>> = Vec::new();
    for mut span in spans {
        loop {
            // The span touches the one before: merge them and check again.
            while let Some(last) = settled.pop_if(|last| span.start <= last.end) {
                span = last.start.min(span.start)..last.end.max(span.end);
            }
            let floor = settled.last().map_or(0, |last| last.end);
            match widened(text, floor, &span) {
                Some(wider) => span = wider,
                None => break,
            }
        }
        settled.push(span);
    }
    settled
}

/// Returns the span with one more character, or `None` if it needs none.
fn widened(text: &str, floor: usize, span: &Range<usize>) -> Option<Range<usize>> {
    let (before, after) = (text.get(floor..span.start)?, text.get(span.end..)?);
    let quoted = own_quote(text.get(span.clone())?);
    let more_before = || Some(span.start - before.chars().next_back()?.len_utf8()..span.end);
    if !stands_free("", after) {
        return Some(span.start..span.end + after.chars().next()?.len_utf8());
    }
    // Another placeholder ends at the floor, so no option begins directly after it.
    let is_free = stands_free(before, "") && !(0 < floor && before.len() == 2 && before.starts_with('-'));
    if (!is_free && !before.is_empty())
        || before.ends_with(['$', '{', '<'])
        || (quoted && before.ends_with(['\'', '"']))
    {
        return more_before();
    }
    None
}
