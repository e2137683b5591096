//! Patterns of shells for one name of a path.

/// A character of a word after its quotes are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) character: char,
    /// `true` if the shell gives the character a meaning: it was neither quoted nor escaped.
    pub(crate) active: bool,
}

impl Letter {
    /// Reports whether this is the active character `character`.
    pub(crate) fn is(self, character: char) -> bool {
        self.active && self.character == character
    }
}

/// Reports whether the letters hold a pattern.
pub(crate) fn is_pattern(letters: &[Letter]) -> bool {
    letters.iter().any(|letter| letter.active && matches!(letter.character, '*' | '?' | '['))
}

/// Reports whether a name matches a pattern without slashes. A leading dot must be written.
pub(crate) fn matches(pattern: &[Letter], name: &str) -> bool {
    let hides = name.starts_with('.') && pattern.first().is_none_or(|first| first.character != '.');
    let name: Vec<char> = name.chars().collect();
    !hides && matches_from(pattern, &name)
}

/// Reports whether a text matches a pattern in which `*` also takes slashes and leading dots, as `find` reads it.
pub(crate) fn matches_text(pattern: &str, text: &str) -> bool {
    let mut letters = Vec::new();
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        letters.push(match character {
            '\\' => Letter { character: rest.next().unwrap_or('\\'), active: false },
            _ => Letter { character, active: true },
        });
    }
    matches_from(&letters, &text.chars().collect::<Vec<_>>())
}

/// Matches without recursion: on a mismatch the last `*` takes one more character.
fn matches_from(pattern: &[Letter], name: &[char]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while seen < name.len() {
        let step = pattern.get(at).and_then(|letter| match letter {
            letter if letter.is('*') => Some((at + 1, false)),
            letter if letter.is('?') => Some((at + 1, true)),
            letter if letter.is('[') => match set(&pattern[at..], name[seen]) {
                Some((length, true)) => Some((at + length, true)),
                Some((_, false)) => None,
                None => (name[seen] == '[').then_some((at + 1, true)),
            },
            letter => (letter.character == name[seen]).then_some((at + 1, true)),
        });
        match (step, last_star) {
            (Some((next, takes)), _) => {
                if !takes {
                    last_star = Some((next, seen));
                }
                seen += usize::from(takes);
                at = next;
            }
            (None, Some((after, from))) => {
                last_star = Some((after, from + 1));
                (at, seen) = (after, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[at..].iter().all(|letter| letter.is('*'))
}

/// Reads a set `[…]` at the start of `pattern`. Returns its length and whether it has the character; `None` if it does
/// not end.
fn set(pattern: &[Letter], character: char) -> Option<(usize, bool)> {
    let negated = pattern.get(1).is_some_and(|letter| letter.is('!') || letter.is('^'));
    let first = 1 + usize::from(negated);
    let end = (first + 1..pattern.len()).find(|index| pattern[*index].is(']'))?;
    let inner = &pattern[first..end];
    let (mut index, mut found) = (0, false);
    while index < inner.len() {
        let low = inner[index].character;
        if inner.get(index + 1).is_some_and(|dash| dash.is('-')) && index + 2 < inner.len() {
            found |= (low..=inner[index + 2].character).contains(&character);
            index += 3;
        } else {
            found |= low == character;
            index += 1;
        }
    }
    Some((end + 1, found != negated))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(pattern: &str, name: &str) -> bool {
        let letters: Vec<Letter> =
            pattern.chars().map(|character| Letter { character, active: true }).collect();
        matches(&letters, name)
    }

    #[test]
    fn patterns_match_names() {
        for (pattern, name) in [
            ("*", "a"),
            ("*.txt", "a.txt"),
            ("a*b*c", "axxbyyc"),
            ("?", "x"),
            ("[a-c]x", "bx"),
            ("[!a]x", "bx"),
            ("[]a]", "]"),
            ("[a", "[a"),
            (".*", ".x"),
            ("a**", "a"),
            ("*a*a*", "banana"),
            ("[^0-9]", "z"),
        ] {
            assert!(is_match(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*", ".a"),
            ("*.txt", "a.txt2"),
            ("?", ""),
            ("[a-c]x", "dx"),
            ("[!a]x", "ax"),
            ("a*b*c", "acb"),
            ("?x", ".x"),
        ] {
            assert!(!is_match(pattern, name), "{pattern} {name}");
        }
    }
}
