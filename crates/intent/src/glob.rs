//! Patterns of file names, as the shell and `find` match them.

/// Reports whether the shell's pattern of one name, with `*`, `?` and `[…]`, matches a name. A leading dot is matched only by a
/// dot.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let is_hidden = |text: &str| text.starts_with('.');
    is_hidden(pattern) == is_hidden(name) && matches_in_find(pattern, name)
}

/// Does the same for `find`, whose `*` also matches a leading dot.
pub(crate) fn matches_in_find(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    matches_chars(&pattern, &name)
}

/// Compares iteratively; a `*` is tried again with one character more.
fn matches_chars(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, from));
            at += 1;
        } else if let Some(length) = one(pattern.get(at..).unwrap_or_default(), name.get(from).copied()) {
            at += length;
            from += 1;
        } else if let Some((place, taken)) = star {
            star = Some((place, taken + 1));
            (at, from) = (place + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|c| *c == '*')
}

/// Returns the length of the first part of a pattern, if that part matches a character.
fn one(pattern: &[char], c: Option<char>) -> Option<usize> {
    let (first, c) = (pattern.first()?, c?);
    match first {
        '?' => Some(1),
        '[' => {
            let end = 2 + pattern.get(2..)?.iter().position(|c| *c == ']')?;
            let inner = pattern.get(1..end)?;
            let (is_not, set) = match inner {
                ['!' | '^', rest @ ..] => (true, rest),
                set => (false, set),
            };
            let in_range = |three: &[char]| matches!(three, [low, '-', high] if (low..=high).contains(&&c));
            let has = set.contains(&c) || set.windows(3).any(in_range);
            (has != is_not).then_some(end + 1)
        }
        first => (*first == c).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_the_shell() {
        for (pattern, name, expected) in [
            ("*.log", "app.log", true),
            ("*.log", "app.log.1", false),
            ("*.log", ".log", false),
            (".*", ".log", true),
            ("a?c*", "abcd", true),
            ("*a*b", "xaxbxb", true),
            ("[a-c]x", "bx", true),
            ("[!a]x", "ax", false),
            ("*", "", true),
            ("", "a", false),
            ("[", "[", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
