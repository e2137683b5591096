//! Helpers for the expansion of words: ends of quotes, brackets and escapes, and parts of values.

use crate::path_class::matches;

pub(super) fn name_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// Returns the offset of the bracket that closes one opened before `text`; brackets in quotes are ignored.
pub(super) fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (1usize, None, false);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', None | Some('"')) => escaped = true,
            (_, Some(end)) if c == end => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            _ if c == open => depth += 1,
            _ if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the offset of the quote that ends `$'…'`.
pub(super) fn ansi_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the number of bytes of `text` that belong to an escape whose backslash is before `text`.
pub(super) fn escape_length(text: &str) -> usize {
    let Some(letter) = text.chars().next() else { return 0 };
    let digits = |radix, limit| text.chars().skip(1).take(limit).take_while(|c| c.is_digit(radix)).count();
    match letter {
        'x' | 'X' => 1 + digits(16, 2),
        'u' => 1 + digits(16, 4),
        'U' => 1 + digits(16, 8),
        '0'..='7' => 1 + digits(8, 2),
        'c' => 1 + text.chars().nth(1).map_or(0, char::len_utf8),
        _ => letter.len_utf8(),
    }
}

/// Reports whether the text after a `{` is a brace list.
pub(super) fn is_list(text: &str) -> bool {
    text.split_once('}').is_some_and(|(inside, _)| inside.contains(',') || inside.contains(".."))
}

pub(super) fn capitals(value: &str, first_only: bool, change: impl Fn(char) -> String) -> String {
    value
        .chars()
        .enumerate()
        .map(|(at, c)| if at == 0 || !first_only { change(c) } else { c.to_string() })
        .collect()
}

/// Returns the part `off` or `off:len` of a value, in characters; negative numbers count from the end.
pub(super) fn part(value: &str, range: &str) -> Option<String> {
    let (offset, length) =
        range.split_once(':').map_or((range, None), |(offset, length)| (offset, Some(length)));
    let count = i64::try_from(value.chars().count()).ok()?;
    let offset: i64 = offset.trim().parse().ok()?;
    let start = if offset < 0 { count + offset } else { offset };
    let end = match length.map(|length| length.trim().parse::<i64>().ok()) {
        None => count,
        Some(length) => match length? {
            length if length < 0 => count + length,
            length => start.checked_add(length)?,
        },
    };
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    Some(value.chars().skip(start).take(end.saturating_sub(start)).collect())
}

/// Returns the value without the part at its head or tail that the pattern matches.
pub(super) fn without(value: &str, pattern: &str, head: bool, longest: bool) -> String {
    let mut places: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
    // Shortest match first; at the tail the last position gives the shortest match.
    if head == longest {
        places.reverse();
    }
    for at in places {
        let Some((before, after)) = value.split_at_checked(at) else { continue };
        let (taken, kept) = if head { (before, after) } else { (after, before) };
        if matches(pattern, taken) {
            return kept.to_owned();
        }
    }
    value.to_owned()
}
