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
    passed: BTreeSet<String>,
    is_cut: bool,
}

impl Names {
    /// Returns no names.
    pub(super) const fn nothing() -> Self {
        Self { kinds: BTreeMap::new(), listed: BTreeSet::new(), passed: BTreeSet::new(), is_cut: false }
    }

    /// Adds a name.
    pub fn add(&mut self, path: String, kind: NameKind) {
        self.kinds.insert(path, kind);
    }

    /// Marks a directory as listed: all names in it were added.
    pub fn add_listed(&mut self, folder: String) {
        self.listed.insert(folder);
    }

    /// Adds an empty directory, unless it is there or its place is not known.
    pub(super) fn add_made(&mut self, folder: &str) {
        if self.is_missing(folder) {
            self.add(folder.to_owned(), NameKind::Folder);
            self.add_listed(folder.to_owned());
        }
    }

    /// Marks a directory as passed over: it is not listed, and no search is for what is in it (a link, generated files).
    pub fn add_passed(&mut self, folder: String) {
        self.passed.insert(folder);
    }

    /// Notes that a limit was reached: there may be more directories than those that were listed.
    pub fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Returns the names below a directory, relative to it; none if it is no directory.
    pub(super) fn below(&self, folder: &str) -> Self {
        if self.kind(folder) != Some(NameKind::Folder) {
            return Self::default();
        }
        let inside = |path: &str| path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned);
        let kinds = self.kinds.iter().filter_map(|(path, kind)| Some((inside(path)?, *kind)));
        let listed = self.listed.iter().filter_map(|path| inside(path));
        let itself = self.listed.contains(folder).then(String::new);
        let passed = self.passed.iter().filter_map(|path| inside(path));
        Self {
            kinds: kinds.collect(),
            listed: listed.chain(itself).collect(),
            passed: passed.collect(),
            is_cut: self.is_cut,
        }
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

    /// Reports whether all names of a tree are known that a search may find.
    pub(super) fn is_known(&self, folder: &str) -> bool {
        let is_inside = |path: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let is_seen = |path: &String| self.listed.contains(path) || self.passed.contains(path);
        let mut folders = self.kinds.iter().filter(|(_, kind)| **kind == NameKind::Folder);
        let is_whole = !self.is_cut && self.listed.contains(folder);
        is_whole && folders.all(|(path, _)| !is_inside(path) || is_seen(path))
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

#[cfg(test)]
mod tests {
    use super::*;

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
