//! A directory to work on, and the files of this machine as a preview reads them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use askline_preview::{Kind, Node, Tree};

/// Number of names after which the preview gives up.
const NAMES_MAX: usize = 2_000;

/// The real files, counted.
pub(crate) struct Disk {
    home: PathBuf,
    seen: Cell<usize>,
}

impl Disk {
    /// Returns the files as seen from `work` in this home directory.
    pub(crate) fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), seen: Cell::new(0) }
    }
}

impl Tree for Disk {
    fn node(&self, path: &Path) -> Option<Node> {
        let metadata = fs::symlink_metadata(path).ok()?;
        let kind = match metadata.file_type() {
            kind if kind.is_symlink() => Kind::Link(fs::read_link(path).ok()?),
            kind if kind.is_dir() => Kind::Directory,
            kind if kind.is_file() => Kind::File,
            _ => Kind::Other,
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
        Some(
            Node::new(kind, metadata.len(), true)
                .aged(now as i64 - metadata.mtime() * 1_000_000_000 - metadata.mtime_nsec()),
        )
    }

    fn list(&self, directory: &Path) -> Option<Vec<OsString>> {
        let names: Vec<OsString> =
            fs::read_dir(directory).ok()?.map(|entry| entry.unwrap().file_name()).collect();
        self.seen.set(self.seen.get() + names.len());
        Some(names)
    }

    fn current_dir(&self) -> Option<PathBuf> {
        Some(self.home.join("work"))
    }

    fn home(&self) -> Option<PathBuf> {
        Some(self.home.clone())
    }

    fn is_exhausted(&self) -> bool {
        self.seen.get() > NAMES_MAX
    }
}

/// Makes the directory that the lines are about.
pub(crate) fn make(home: &Path) {
    let work = home.join("work");
    for directory in ["docs/old/deep", "empty", "src/.hidden", "target/debug", "my dir", "full", "moved/docs"]
    {
        fs::create_dir_all(work.join(directory)).unwrap();
    }
    for (file, size) in [
        ("a.txt", 10),
        ("b.txt", 20),
        ("c.md", 30),
        (".env", 5),
        ("docs/one.txt", 100),
        ("docs/two.md", 200),
        ("docs/old/three.txt", 300),
        ("docs/old/deep/four.log", 400),
        ("docs/.keep", 0),
        ("src/main.rs", 50),
        ("src/lib.rs", 60),
        ("src/.hidden/x.rs", 7),
        ("target/debug/app", 5_000),
        ("my dir/file one.txt", 11),
        ("my dir/b.txt", 12),
        ("full/a.txt", 13),
        ("full/b.txt", 14),
        ("moved/docs/one.txt", 1),
        ("name with space.log", 3),
        ("*.star", 2),
        ("x.star", 2),
        ("run.sh", 40),
        ("log.gz", 9),
        ("-rf", 1),
    ] {
        fs::write(work.join(file), "x".repeat(size)).unwrap();
        fs::set_permissions(work.join(file), fs::Permissions::from_mode(0o644)).unwrap();
    }
    fs::write(home.join("outside.txt"), "outside").unwrap();
    symlink("a.txt", work.join("link.txt")).unwrap();
    symlink("docs", work.join("linked")).unwrap();
    symlink("nowhere", work.join("broken")).unwrap();
    let then =
        Command::new("find").arg(home).args(["-exec", "touch", "-h", "-d", "2024-01-01", "{}", "+"]).status();
    assert!(then.unwrap().success());
}

/// What can be seen of a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) size: u64,
    content: Vec<u8>,
    attributes: (u32, i64),
}

/// Returns all names below a directory.
pub(crate) fn look(home: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut seen = BTreeMap::new();
    let mut open = vec![home.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let is_directory = metadata.is_dir();
            let size = if metadata.is_file() { metadata.len() } else { 0 };
            let content = match () {
                () if metadata.is_symlink() => {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                }
                () if is_directory => Vec::new(),
                () => fs::read(&path).unwrap(),
            };
            // A directory's time changes with each name in it.
            let time = if is_directory { 0 } else { metadata.mtime() };
            seen.insert(path.clone(), Seen { size, content, attributes: (metadata.mode(), time) });
            if is_directory {
                open.push(path);
            }
        }
    }
    seen
}
