//! The preview against the truth: each line runs in bash, in a copy of a directory, and must change what the preview said.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use askline_preview::{Effect, Kind, Node, Tree, preview};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Number of names after which the preview gives up.
const NAMES_MAX: usize = 2_000;

/// The real files, counted.
struct Disk {
    home: PathBuf,
    seen: Cell<usize>,
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
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() as i64;
        Some(Node::new(kind, metadata.len(), true).aged(now - metadata.mtime()))
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
fn make(home: &Path) {
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
struct Seen {
    size: u64,
    content: Vec<u8>,
    attributes: (u32, i64),
}

fn look(home: &Path) -> BTreeMap<PathBuf, Seen> {
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

/// Runs a line in bash.
fn run(line: &str, home: &Path) {
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-c", line]).current_dir(home.join("work"));
    bash.env("HOME", home)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    bash.status().unwrap();
}

/// Returns the preview of a line in a new directory, and checks it against what bash does there.
fn check(line: &str) -> Result<Effect, String> {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().canonicalize().unwrap();
    make(&home);
    let before = look(&home);
    let disk = Disk { home: home.clone(), seen: Cell::new(0) };
    let effect = preview(&ParsedLine::new(line, Shell::Bash), &disk).map_err(|unforeseen| unforeseen.0)?;
    assert_eq!(look(&home), before, "{line}: the preview changed something");
    run(line, &home);
    let after = look(&home);

    let gone: Vec<&PathBuf> = before.keys().filter(|path| !after.contains_key(*path)).collect();
    let made: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    let mut said_gone: Vec<&PathBuf> =
        effect.removed.iter().chain(effect.moved.iter().map(|moved| &moved.from)).collect();
    said_gone.retain(|path| !effect.overwritten.contains(path));
    said_gone.sort();
    let mut said_made: Vec<&PathBuf> = effect.created.iter().chain(&effect.arrived).collect();
    said_made.sort();
    assert_eq!(said_gone, gone, "{line}: gone");
    assert_eq!(said_made, made, "{line}: made");

    let differs = |path: &&PathBuf| after.get(*path).is_some_and(|now| now != &before[*path]);
    let changed: Vec<&PathBuf> = before.keys().filter(differs).collect();
    let said = |path: &PathBuf| {
        [&effect.overwritten, &effect.edited, &effect.attributes].iter().any(|paths| paths.contains(path))
    };
    for path in &changed {
        assert!(said(path), "{line}: {} changed, and the preview did not say so", path.display());
    }
    // Attributes may be set to what they are; contents are new each time.
    for path in effect.overwritten.iter().chain(&effect.edited) {
        assert!(changed.contains(&path), "{line}: {} did not change", path.display());
    }
    let is_moved = |path: &&PathBuf| effect.moved.iter().any(|moved| &moved.from == *path);
    let replaced = effect.overwritten.iter().filter(|path| !is_moved(path));
    let lost: u64 = effect.removed.iter().chain(replaced).map(|path| before[path].size).sum();
    assert_eq!(effect.bytes_lost, lost, "{line}: bytes lost");
    Ok(effect)
}

#[test]
fn lines_change_what_the_preview_says() {
    let rows = include_str!("data/lines.txt").lines();
    let lines: Vec<&str> = rows.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let without: Vec<_> = lines.iter().filter_map(|line| Some((line, check(line).err()?))).collect();
    assert!(without.is_empty(), "no preview: {without:#?}");
}

#[test]
fn lines_without_a_preview_say_why() {
    let rows =
        include_str!("data/unforeseen.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_wrong = |row: &str| {
        let (line, why) = row.split_once(" => ").unwrap();
        let reason = check(line).err();
        (!reason.as_ref().is_some_and(|reason| reason.contains(why))).then(|| (line.to_owned(), reason))
    };
    let wrong: Vec<_> = rows.filter_map(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
