//! The names below a directory.

use std::collections::{BTreeMap, BTreeSet};

/// Kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A regular file, or a link to one.
    File,
    /// A directory, or a link to one.
    Folder,
    /// A device, a pipe, a broken link.
    Other,
}

/// The names below a directory, by relative path: `notes.txt`, `logs/app.log`. The directory itself is the empty path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    kinds: BTreeMap<String, NameKind>,
    listed: BTreeSet<String>,
    is_cut: bool,
}

impl Names {
    /// Adds a name.
    pub fn add(&mut self, path: String, kind: NameKind) {
        self.kinds.insert(path, kind);
    }

    /// Marks a directory as listed: all names in it were added.
    pub fn add_listed(&mut self, folder: String) {
        self.listed.insert(folder);
    }

    /// Notes that a limit was reached: there may be more directories than those that were listed.
    pub fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Reports whether all directories were listed that matter.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_cut
    }

    /// Returns the kind of a path without `.` and final slash; the empty path is the directory itself.
    pub(super) fn kind(&self, path: &str) -> Option<NameKind> {
        if path.is_empty() { Some(NameKind::Folder) } else { self.kinds.get(path).copied() }
    }

    /// Reports whether nothing has this path. `false` also if that is unknown.
    pub(super) fn is_missing(&self, path: &str) -> bool {
        if self.kind(path).is_some() {
            return false;
        }
        // The nearest directory above that exists was listed.
        let mut above = path;
        while let Some((parent, _)) = above.rsplit_once('/') {
            match self.kind(parent) {
                Some(NameKind::Folder) => return self.listed.contains(parent),
                Some(_) => return true,
                None => above = parent,
            }
        }
        self.listed.contains("")
    }

    /// Reports whether all names in a directory are known.
    pub(super) fn is_listed(&self, folder: &str) -> bool {
        self.listed.contains(folder)
    }

    /// Returns the names in a directory.
    pub(super) fn within(&self, folder: &str) -> impl Iterator<Item = (&str, NameKind)> {
        self.all().filter(move |(above, _, _)| *above == folder).map(|(_, name, kind)| (name, kind))
    }

    /// Returns all names as directory, name and kind.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str, NameKind)> {
        self.kinds.iter().map(|(path, kind)| {
            let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
            (above, name, *kind)
        })
    }
}

/// Reports whether the shell's pattern of one name, with `*`, `?` and `[…]`, matches a name. A leading dot is matched only by a
/// dot.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let is_hidden = |text: &str| text.starts_with('.');
    let (pattern_chars, name_chars): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    is_hidden(pattern) == is_hidden(name) && matches_chars(&pattern_chars, &name_chars)
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

    #[test]
    fn what_was_not_listed_is_not_missing() {
        let mut names = Names::default();
        names.add("logs".to_owned(), NameKind::Folder);
        names.add("a.txt".to_owned(), NameKind::File);
        assert!(!names.is_missing("b.txt"), "nothing was listed");
        names.add_listed(String::new());
        assert!(names.is_missing("b.txt") && names.is_missing("c/d") && names.is_missing("a.txt/b"));
        assert!(!names.is_missing("logs") && !names.is_missing("logs/x") && !names.is_missing(""));
    }
}
