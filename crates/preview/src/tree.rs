//! The files of a machine, as the preview reads them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The files of a machine, read-only and bounded.
pub trait Tree {
    /// Returns the properties of the name at `path`; a link is not followed. `None` if there is no such name.
    fn node(&self, path: &Path) -> Option<Node>;

    /// Returns the names in a directory, in any order; `None` if it cannot be listed.
    fn list(&self, directory: &Path) -> Option<Vec<OsString>>;

    /// Returns the working directory, absolute and without links.
    fn current_dir(&self) -> Option<PathBuf>;

    /// Returns the home directory.
    fn home(&self) -> Option<PathBuf>;

    /// Reports whether the time or the number of names that may be read is used up.
    fn is_exhausted(&self) -> bool;
}

/// Kind of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, with its target as written.
    Link(PathBuf),
    /// A device, a pipe, a socket.
    Other,
}

/// Properties of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Kind.
    pub kind: Kind,
    /// Size in bytes as the system says it, also of directories and links.
    pub size: u64,
    /// `true` if this user may write to the file, or create and remove names in the directory.
    pub writable: bool,
    /// Time since the last change in nanoseconds; negative if it is in the future.
    pub age: i64,
    /// The path that this content had before the line, if the line has moved it.
    pub(crate) source: Option<PathBuf>,
}

impl Node {
    /// Creates a node that was changed just now.
    pub fn new(kind: Kind, size: u64, writable: bool) -> Self {
        Self { kind, size, writable, age: 0, source: None }
    }

    /// Returns the same node, changed `age` nanoseconds ago.
    #[must_use]
    pub fn aged(self, age: i64) -> Self {
        Self { age, ..self }
    }

    /// Returns the number of bytes of content: 0 for what is no file.
    pub(crate) fn content(&self) -> u64 {
        if self.kind == Kind::File { self.size } else { 0 }
    }

    /// Reports whether this is a directory, and no link to one.
    pub(crate) fn is_directory(&self) -> bool {
        self.kind == Kind::Directory
    }
}
