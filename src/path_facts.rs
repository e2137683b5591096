//! Path facts for the risk check of a line: targets of its paths, their number of entries, uncommitted changes.
//! Read-only and time-limited: facts that cannot be found in time are left out.

use std::cell::Cell;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use askline_host::{FileEntry, Host};
use askline_risk::{Facts, PathFact};

/// Time limit for all path facts of one line.
const PATIENCE: Duration = Duration::from_millis(15);
/// Number of names at which counting stops.
const COUNT_MAX: usize = 10_000;
/// Maximum size of a git index in bytes.
const INDEX_LIMIT: u64 = 4 << 20;
/// Maximum size of the mount table in bytes.
const MOUNTS_LIMIT: u64 = 256 << 10;
/// Linux's table of mounted file systems.
const MOUNTS: &str = "/proc/self/mounts";

/// Path facts of one machine, as the risk check uses them.
pub struct PathFacts<'a> {
    host: &'a dyn Host,
    cwd: Option<PathBuf>,
    home: Option<PathBuf>,
    until: Cell<Option<Instant>>,
}

impl<'a> PathFacts<'a> {
    /// Creates path facts for `host`, seen from its working directory.
    pub fn new(host: &'a dyn Host) -> Self {
        let home = host.env("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        Self { host, cwd: host.current_dir(), home, until: Cell::new(None) }
    }

    /// Reports whether time is left; the time starts at the first call.
    fn may_look(&self) -> bool {
        let until = self.until.get().unwrap_or_else(|| Instant::now() + PATIENCE);
        self.until.set(Some(until));
        Instant::now() < until
    }

    /// Returns the absolute path that the kernel would get.
    fn whole(&self, path: &str) -> Option<PathBuf> {
        match path.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) => Some(self.home.as_ref()?.join(rest.strip_prefix('/')?)),
            None if path.starts_with('/') => Some(PathBuf::from(path)),
            None => Some(self.cwd.as_ref()?.join(path)),
        }
    }

    fn is_mount(&self, path: &Path) -> bool {
        let Ok(mounts) = self.host.read(Path::new(MOUNTS), MOUNTS_LIMIT) else { return false };
        let text = String::from_utf8_lossy(&mounts);
        // Blanks in names are written as \040: such a mount point is not recognized.
        text.lines().filter_map(|row| row.split(' ').nth(1)).any(|place| Path::new(place) == path)
    }

    /// Counts the names below a directory; `None` if time runs out before much is seen.
    fn count(&self, top: &Path) -> Option<usize> {
        let mut count = 0;
        let mut open = vec![top.to_owned()];
        while let Some(directory) = open.pop() {
            if count >= COUNT_MAX || !self.may_look() {
                break;
            }
            for name in self.host.list(&directory).unwrap_or_default() {
                count += 1;
                let path = directory.join(name);
                // Links are not followed, because deleting programs do not follow them either.
                let leads_elsewhere = || self.host.real_path(&path).is_ok_and(|real| real != path);
                if self.host.entry(&path).is_some_and(|entry| entry.is_directory) && !leads_elsewhere() {
                    open.push(path);
                }
            }
        }
        Some(count)
    }

    /// Reports whether a file tracked by git was changed or removed.
    fn has_changes(&self, top: &Path) -> bool {
        let git = top.join(".git");
        let Ok(index) = self.host.read(&git.join("index"), INDEX_LIMIT) else { return false };
        let config = self.host.read(&git.join("config"), MOUNTS_LIMIT).unwrap_or_default();
        if String::from_utf8_lossy(&config).to_lowercase().contains("objectformat") {
            return false;
        }
        tracked(&index).take_while(|_| self.may_look()).any(|file| {
            let is_changed = |entry: FileEntry| {
                let changed =
                    entry.modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
                entry.is_file && (entry.size as u32 != file.size || u64::from(file.changed) < changed)
            };
            self.host.entry(&top.join(file.name)).is_none_or(is_changed)
        })
    }
}

impl Facts for PathFacts<'_> {
    fn seen(&self, path: &str) -> Option<PathFact> {
        if !self.may_look() {
            return None;
        }
        let whole = self.whole(path)?;
        let entry = self.host.entry(&whole)?;
        let real = self.host.real_path(&whole).ok()?;
        if entry.is_file {
            return Some(PathFact { is_file: true, ..PathFact::default() });
        }
        if !entry.is_directory {
            return Some(PathFact::default());
        }
        let holds = |place: &Option<PathBuf>| {
            let place = place.as_ref().and_then(|place| self.host.real_path(place).ok());
            place.is_some_and(|place| place.starts_with(&real))
        };
        let seen = PathFact {
            is_root: real == Path::new("/"),
            is_home: holds(&self.home),
            is_mount: self.is_mount(&real),
            is_above_cwd: holds(&self.cwd),
            has_changes: self.has_changes(&real),
            ..PathFact::default()
        };
        let entries = if seen.is_root || seen.is_home { None } else { self.count(&real) };
        Some(PathFact { entries, ..seen })
    }

    fn is_missing(&self, path: &str) -> bool {
        let is_plain = !path.contains(['*', '?', '$', '`', '(']);
        let whole = self.whole(path).filter(|_| is_plain && self.may_look());
        let Some(whole) = whole.filter(|path| self.host.entry(path).is_none()) else { return false };
        // A directory that cannot be read may hold it.
        let above = whole.ancestors().skip(1).find(|above| self.host.entry(above).is_some());
        above.is_some_and(|above| self.host.list(above).is_ok())
    }

    fn matches(&self, pattern: &str) -> Option<usize> {
        let (directory, form) = pattern.rsplit_once('/').unwrap_or((".", pattern));
        if directory.contains(['*', '?', '[']) || form.contains(['[', '{', '(', '?']) || !self.may_look() {
            return None;
        }
        let directory = self.whole(if directory.is_empty() { "/" } else { directory })?;
        let names = self.host.list(&directory).ok()?;
        let fits = |name: &OsStr| {
            let name = name.to_string_lossy();
            !name.starts_with('.') && askline_risk::is_like(&name, form)
        };
        Some(names.iter().take(COUNT_MAX).filter(|name| fits(name)).count())
    }

    fn is_root(&self) -> bool {
        let own = self.host.entry(Path::new("/proc/self"));
        own.map_or_else(|| self.host.env("USER").is_some_and(|user| user == "root"), |entry| entry.owner == 0)
    }
}

/// A file in git's index.
struct Tracked {
    /// Time of the last change, in seconds.
    changed: u32,
    /// Size, modulo 2^32.
    size: u32,
    name: PathBuf,
}

/// Returns the files in a git index of version 2 or 3. Other versions give none, and an unreadable entry ends the
/// list. Source of the format: git's documentation, `gitformat-index`.
fn tracked(index: &[u8]) -> impl Iterator<Item = Tracked> + '_ {
    const HEADER: usize = 12;
    const FIXED: usize = 62;
    let number = |at: usize| {
        let bytes = index.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    let is_known = index.starts_with(b"DIRC") && matches!(number(4), Some(2 | 3));
    let mut left = if is_known { number(8).unwrap_or(0) } else { 0 };
    let mut at = HEADER;
    std::iter::from_fn(move || {
        left = left.checked_sub(1)?;
        let (changed, size) = (number(at + 8)?, number(at + 36)?);
        let flags = u16::from_be_bytes(index.get(at + 60..at + FIXED)?.try_into().ok()?);
        let start = at + FIXED + if flags & 0x4000 == 0 { 0 } else { 2 };
        let length = index.get(start..)?.iter().position(|byte| *byte == 0)?;
        let name = PathBuf::from(String::from_utf8_lossy(index.get(start..start + length)?).into_owned());
        // One to eight NULs pad an entry to a multiple of eight bytes.
        at += (start + length - at + 8) & !7;
        let is_inside = name.components().all(|component| matches!(component, Component::Normal(_)));
        is_inside.then_some(Tracked { changed, size, name })
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use askline_host::local::LocalHost;

    #[test]
    fn places_that_matter_are_seen() {
        // Each call has its own time limit.
        let seen = |path: &str| PathFacts::new(&LocalHost).seen(path);
        assert!(seen("/").unwrap().is_root);
        assert!(seen("/usr/..").unwrap().is_root);
        assert!(seen(".").unwrap().is_above_cwd);
        assert!(seen("..").unwrap().is_above_cwd);
        assert_eq!(seen("Cargo.toml"), Some(PathFact { is_file: true, ..PathFact::default() }));
        assert_eq!(seen("no such file"), None);
    }

    #[test]
    fn what_is_missing_is_known() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("a"), "").unwrap();
        let missing = |name: &str| {
            let path = directory.path().join(name);
            PathFacts::new(&LocalHost).is_missing(path.to_str().unwrap())
        };
        assert!(missing("new") && missing("new/") && missing("new/inner"));
        assert!(!missing("a") && !missing("") && !missing("$x"));
    }

    #[test]
    fn what_a_directory_holds_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        for name in 0..70 {
            fs::write(directory.path().join(format!("{name}.log")), "").unwrap();
        }
        fs::create_dir(directory.path().join("inner")).unwrap();
        fs::write(directory.path().join("inner/one.txt"), "").unwrap();
        let around = PathFacts::new(&LocalHost);
        // A high limit, for slow test machines.
        around.until.set(Some(Instant::now() + Duration::from_secs(20)));
        let path = directory.path().to_str().unwrap();
        assert_eq!(around.seen(path).unwrap().entries, Some(72));
        assert_eq!(around.matches(&format!("{path}/*.log")), Some(70));
        assert_eq!(around.matches(&format!("{path}/*")), Some(71));
        assert_eq!(around.matches(&format!("{path}/[ab]*")), None);
    }

    #[test]
    fn an_index_is_read() {
        // Two entries of version 2, built after git's description of the format.
        let entry = |name: &str, changed: u32, size: u32| {
            let mut bytes = vec![0; 62];
            bytes[8..12].copy_from_slice(&changed.to_be_bytes());
            bytes[36..40].copy_from_slice(&size.to_be_bytes());
            bytes[60..62].copy_from_slice(&(name.len() as u16).to_be_bytes());
            bytes.extend_from_slice(name.as_bytes());
            bytes.resize((bytes.len() + 8) & !7, 0);
            bytes
        };
        let mut index = [b"DIRC".as_slice(), &[0, 0, 0, 2], &[0, 0, 0, 2]].concat();
        index.extend(entry("a.txt", 7, 3));
        index.extend(entry("dir/longer name", 9, 4));
        let found: Vec<_> = tracked(&index).map(|file| (file.name, file.changed, file.size)).collect();
        let expected = [(PathBuf::from("a.txt"), 7, 3), (PathBuf::from("dir/longer name"), 9, 4)];
        assert_eq!(found, expected);
        for end in 0..index.len() {
            tracked(&index[..end]).for_each(drop);
        }
        index[12 + 62..12 + 62 + 5].copy_from_slice(b"../ab");
        assert_eq!(tracked(&index).count(), 0, "a path out of the work tree is not followed");
    }
}
