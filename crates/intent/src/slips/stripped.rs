//! Endings and beginnings that no name of a loop has: `for f in *.jpg; do … "${f%.JPG}"` (POSIX.1-2024, 2.6.2).

use super::slip;
use crate::mismatch::Mismatch;
use askline_syntax::{ParsedLine, Span, Word, WordLoop};

/// Characters that make a pattern or an expansion.
const PATTERN: [char; 11] = ['*', '?', '[', ']', '{', '}', '(', ')', '|', '$', '`'];

/// Returns the slips of the loops of a line.
pub(super) fn slips(line: &ParsedLine) -> Vec<Mismatch> {
    let text = line.text();
    if !line.shell().is_posix() || ["nocase", "setopt", "extglob"].iter().any(|it| text.contains(it)) {
        return Vec::new();
    }
    line.parsed().loops.iter().filter_map(|words| in_loop(text, words)).collect()
}

fn in_loop(text: &str, words: &WordLoop) -> Option<Mismatch> {
    let (body, variable) = (text.get(words.span.clone())?, words.variable.as_str());
    let sets = [
        format!(" {variable}="),
        format!(";{variable}="),
        format!("read {variable}"),
        format!("read -r {variable}"),
    ];
    if words.words.is_empty()
        || !words.words.iter().all(|word| word.glob)
        || sets.iter().any(|it| body.contains(it))
    {
        return None;
    }
    let begin = format!("${{{variable}");
    body.match_indices(&begin).find_map(|(at, _)| {
        let from = at + begin.len();
        let (inner, _) = body.get(from..)?.split_once('}')?;
        let sign = if inner.starts_with('%') { '%' } else { '#' };
        let part = inner.trim_start_matches(sign);
        if inner.len() == part.len()
            || part.is_empty()
            || part.contains(PATTERN)
            || part.contains(['\'', '"', '\\'])
        {
            return None;
        }
        let start = words.span.start + from + inner.len() - part.len();
        let place = start..start + part.len();
        if sign == '%' { ending(text, words, place) } else { beginning(text, words, place) }
    })
}

/// Finds an ending that no name has.
fn ending(text: &str, words: &WordLoop, place: Span) -> Option<Mismatch> {
    let part = text.get(place.clone())?;
    let tail = |word: &Word| word.text.rsplit(PATTERN).next().unwrap_or_default().to_owned();
    let tails: Vec<String> = words.words.iter().map(tail).collect();
    if tails.iter().any(|tail| tail.ends_with(part) || part.ends_with(tail.as_str())) {
        return None;
    }
    let says = format!("no name that the loop finds ends in `{part}`, so nothing is cut off");
    let [tail] = tails.as_slice() else { return Some(Mismatch::likely(place, says)) };
    let [word] = words.words.as_slice() else { return None };
    if !tail.eq_ignore_ascii_case(part) {
        return Some(Mismatch::likely(place, says));
    }
    // The new name has the ending of the pattern: the names with the other one are meant.
    let becomes_tail =
        text.get(place.end..)?.strip_prefix('}').is_some_and(|rest| rest.starts_with(tail.as_str()));
    if becomes_tail && text.get(..word.span.end)?.ends_with(tail.as_str()) {
        return Some(slip(text, word.span.end - tail.len()..word.span.end, part.to_owned(), says));
    }
    Some(slip(text, place, tail.clone(), says))
}

/// Finds a beginning that no name has.
fn beginning(text: &str, words: &WordLoop, place: Span) -> Option<Mismatch> {
    let part = text.get(place.clone())?;
    let head = |word: &Word| word.text.split(PATTERN).next().unwrap_or_default().to_owned();
    let may = |head: String| head.starts_with(part) || part.starts_with(head.as_str());
    if words.words.iter().any(|word| may(head(word))) {
        return None;
    }
    Some(Mismatch::likely(
        place,
        format!("no name that the loop finds begins with `{part}`, so nothing is cut off"),
    ))
}
