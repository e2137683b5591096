//! The files as they would be after the commands so far: the changes over the real tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use super::effect::{Effect, Move};
use super::tree::{Kind, Node, Tree};
use super::{Foreseen, unforeseen};

/// Maximum number of links followed in one path, as in Linux.
const LINKS_MAX: usize = 40;
/// Maximum number of names that a line may touch.
const NAMES_MAX: usize = 20_000;

/// What the commands so far have made of a name.
#[derive(Debug, Clone)]
enum Change {
    /// Removed, or moved away.
    Gone,
    /// Made, or replaced by something else.
    New(Node),
    /// The same file with an edited content.
    Edited(Node),
}

/// The real files under the changes of the commands so far.
pub(crate) struct Overlay<'t> {
    tree: &'t dyn Tree,
    /// The working directory, which `cd` changes.
    cwd: PathBuf,
    changes: BTreeMap<PathBuf, Change>,
    /// Names whose mode, owner or time changes.
    attributes: BTreeSet<PathBuf>,
    /// `true` while a command runs as root (`sudo`).
    pub(crate) is_root: bool,
    /// Number of names that commands left alone because of an option.
    pub(crate) skipped: usize,
    /// What fails, in the words of a person.
    pub(crate) failures: Vec<String>,
}

impl<'t> Overlay<'t> {
    pub(crate) fn new(tree: &'t dyn Tree) -> Foreseen<Self> {
        let Some(cwd) = tree.current_dir() else { return unforeseen("the working directory is gone") };
        Ok(Self {
            tree,
            cwd,
            changes: BTreeMap::new(),
            attributes: BTreeSet::new(),
            is_root: false,
            skipped: 0,
            failures: Vec::new(),
        })
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    pub(crate) fn enter(&mut self, directory: PathBuf) {
        self.cwd = directory;
    }

    pub(crate) fn home(&self) -> Foreseen<PathBuf> {
        self.tree.home().map_or_else(|| unforeseen("there is no home directory"), Ok)
    }

    /// Returns the name at a resolved path, not followed if it is a link.
    pub(crate) fn node(&self, path: &Path) -> Option<Node> {
        match self.changes.get(path) {
            Some(Change::Gone) => None,
            Some(Change::New(node) | Change::Edited(node)) => Some(node.clone()),
            None => self.tree.node(path),
        }
    }

    /// Returns the absolute path of a name with all links before its last component followed.
    pub(crate) fn resolve(&self, name: &Path) -> Foreseen<PathBuf> {
        self.follow(&self.cwd.join(name), false)
    }

    /// Returns the absolute path with all links followed, also the last one.
    pub(crate) fn target(&self, name: &Path) -> Foreseen<PathBuf> {
        self.follow(&self.cwd.join(name), true)
    }

    fn follow(&self, whole: &Path, to_the_end: bool) -> Foreseen<PathBuf> {
        let mut todo: Vec<OsString> = reversed(whole);
        let mut done = PathBuf::from("/");
        let mut links = 0;
        while let Some(name) = todo.pop() {
            if name == ".." {
                if !self.node(&done).is_some_and(|node| node.is_directory()) {
                    return unforeseen(format!("{} does not lead through directories", shown(whole)));
                }
                done.pop();
                continue;
            }
            let path = done.join(&name);
            if let Some(Node { kind: Kind::Link(target), .. }) = self.node(&path)
                && (to_the_end || !todo.is_empty())
            {
                links += 1;
                if links > LINKS_MAX {
                    return unforeseen(format!("{} leads through too many links", shown(whole)));
                }
                if target.is_absolute() {
                    done = PathBuf::from("/");
                }
                todo.extend(reversed(&target));
            } else {
                done = path;
            }
        }
        Ok(done)
    }

    /// Returns the names in a directory, sorted.
    pub(crate) fn list(&self, directory: &Path) -> Foreseen<Vec<OsString>> {
        if self.tree.is_exhausted() {
            return unforeseen("there are too many files to look at");
        }
        let mut names: BTreeSet<OsString> = BTreeSet::new();
        let was_there = self.tree.node(directory).is_some_and(|node| node.is_directory());
        if was_there {
            let Some(listed) = self.tree.list(directory) else {
                return unforeseen(format!("{} cannot be listed", shown(directory)));
            };
            names.extend(listed.into_iter().filter(|name| self.node(&directory.join(name)).is_some()));
        }
        let below =
            self.changes.range(directory.to_owned()..).take_while(|(path, _)| path.starts_with(directory));
        let made = below
            .filter(|(path, change)| path.parent() == Some(directory) && !matches!(change, Change::Gone));
        names.extend(made.filter_map(|(path, _)| path.file_name().map(OsStr::to_owned)));
        Ok(names.into_iter().collect())
    }

    /// Returns a name and all that is below it, parents first; links are not followed.
    pub(crate) fn walk(&self, top: &Path) -> Foreseen<Vec<(PathBuf, Node)>> {
        let mut found = Vec::new();
        let mut open = vec![top.to_owned()];
        while let Some(path) = open.pop() {
            let Some(node) = self.node(&path) else { continue };
            if node.is_directory() {
                open.extend(self.list(&path)?.into_iter().rev().map(|name| path.join(name)));
            }
            found.push((path, node));
            if found.len() > NAMES_MAX {
                return unforeseen(format!("there are more than {NAMES_MAX} names below {}", shown(top)));
            }
        }
        Ok(found)
    }

    /// Makes a name, or replaces what has it.
    pub(crate) fn make(&mut self, path: PathBuf, node: Node) -> Foreseen<()> {
        self.must_be_writable(&path)?;
        self.change(path, Change::New(node))
    }

    /// Changes the content of a file that exists, or makes it.
    pub(crate) fn edit(&mut self, path: PathBuf) -> Foreseen<()> {
        self.must_be_writable(&path)?;
        let change = match (self.changes.get(&path), self.node(&path)) {
            (None | Some(Change::Edited(_)), Some(node)) => Change::Edited(node),
            _ => Change::New(Node::new(Kind::File, 0, true)),
        };
        self.change(path, change)
    }

    /// Removes a name. Of a directory, the content is removed before or after it.
    pub(crate) fn remove(&mut self, path: PathBuf) -> Foreseen<()> {
        // A directory that is gone was asked before.
        if path.parent().and_then(|parent| self.node(parent)).is_some_and(|parent| !parent.writable) {
            self.must_be_root(&path)?;
        }
        self.attributes.remove(&path);
        self.change(path, Change::Gone)
    }

    /// Changes the mode, owner or time of a name.
    pub(crate) fn touch(&mut self, path: PathBuf) -> Foreseen<()> {
        self.attributes.insert(path);
        self.within_bounds()
    }

    /// Checks that the file, or the directory of a new one, may be written to.
    fn must_be_writable(&self, path: &Path) -> Foreseen<()> {
        let node = self.node(path).or_else(|| self.node(path.parent()?));
        if node.is_some_and(|node| !node.writable) { self.must_be_root(path) } else { Ok(()) }
    }

    fn must_be_root(&self, path: &Path) -> Foreseen<()> {
        if self.is_root { Ok(()) } else { unforeseen(format!("you may not change {}", shown(path))) }
    }

    fn change(&mut self, path: PathBuf, change: Change) -> Foreseen<()> {
        self.changes.insert(path, change);
        self.within_bounds()
    }

    fn within_bounds(&self) -> Foreseen<()> {
        if self.changes.len() + self.attributes.len() > NAMES_MAX {
            return unforeseen(format!("the line touches more than {NAMES_MAX} names"));
        }
        Ok(())
    }

    /// Remembers a failure: "NAME: why".
    pub(crate) fn fail(&mut self, name: &Path, why: &str) {
        self.failures.push(format!("{}: {why}", shown(name)));
    }

    /// Returns all changes.
    pub(crate) fn effect(self) -> Effect {
        let mut effect = Effect { from: self.tree.current_dir().unwrap_or_default(), ..Effect::default() };
        let mut moved: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for (path, change) in &self.changes {
            if let Change::New(Node { source: Some(source), .. }) = change {
                moved.insert(source.clone(), path.clone());
            }
        }
        for (path, change) in self.changes {
            let before = self.tree.node(&path);
            let after = match &change {
                Change::Gone => None,
                Change::New(node) | Change::Edited(node) => Some(node),
            };
            if before.as_ref().or(after).is_some_and(Node::is_directory) {
                effect.directories.insert(path.clone());
            }
            let lost = before.as_ref().map_or(0, Node::content);
            match (before, change) {
                (Some(_), Change::Gone) => match moved.remove(&path) {
                    Some(to) => effect.moved.push(Move { from: path, to }),
                    None => {
                        effect.bytes_lost += lost;
                        effect.removed.push(path);
                    }
                },
                // Moved away and back.
                (Some(_), Change::New(node)) if node.source.as_ref() == Some(&path) => {}
                (Some(before), Change::New(node)) if !(before.is_directory() && node.is_directory()) => {
                    match moved.remove(&path) {
                        Some(to) => effect.moved.push(Move { from: path.clone(), to }),
                        None => effect.bytes_lost += lost,
                    }
                    effect.overwritten.push(path);
                }
                (Some(_), Change::Edited(_)) => effect.edited.push(path),
                (None, Change::New(node) | Change::Edited(node)) => {
                    if node.source.as_ref().is_none_or(|source| source == &path) {
                        effect.created.push(path);
                    } else {
                        effect.arrived.push(path);
                    }
                }
                (None, Change::Gone) | (Some(_), Change::New(_)) => {}
            }
        }
        effect.attributes =
            self.attributes.into_iter().filter(|path| self.tree.node(path).is_some()).collect();
        effect.failures = self.failures;
        effect
    }
}

/// Returns the components after the root, last first; `.` is left out.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    });
    let mut names: Vec<_> = names.collect();
    names.reverse();
    names
}

/// Returns a path as text.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
