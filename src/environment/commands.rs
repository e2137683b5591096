//! The commands on `PATH`, and those of root. Their names are kept in a cache; a directory is scanned again only when it changes.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use askline_host::owners::Owners;
use askline_host::{Host, store};

/// File name of the cache in the cache directory.
const CACHE_FILE: &str = "commands";
/// Maximum size in bytes of the cache of command names; a larger one is rebuilt.
const CACHE_LIMIT: u64 = 4 << 20;

/// Directories that root has on `PATH`, and users of Debian have not.
const ROOT_DIRECTORIES: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Maximum number of directories of `PATH` that are scanned.
const DIRECTORIES_LIMIT: usize = 128;

/// Maximum number of files read from one directory.
const FILES_LIMIT: usize = 20_000;

/// Time limit of a scan; remaining directories wait for the next time (WSL and network mounts).
const SCAN_BUDGET: Duration = Duration::from_millis(150);

/// Minimum age of a directory's last change at the time of the scan. A younger directory may change again within the
/// same tick of the file system's clock, so its scan is not trusted next time.
const CLOCK_GRAIN: Duration = Duration::from_secs(2);

/// Kind and format version of the cache; a different version makes it invalid.
const CACHE_KIND: (&str, u32) = ("commands", 3);
/// Maximum number of other files next to it in the cache directory. Usually there are none, because other data has
/// its own directories.
const CACHE_FILES_MAX: usize = 16;

/// Programs that can be run from `PATH`, by directory in search order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commands {
    /// Directories, without duplicates.
    pub directories: Vec<Directory>,
    /// Directories of root's programs that are not on `PATH`.
    for_root: Vec<Directory>,
    /// `true` if every directory was scanned, so a program in none of them is not installed.
    pub complete: bool,
    /// `true` if a scan result is not in the cache yet.
    changed: bool,
}

/// Programs of one directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Path with links resolved.
    pub path: PathBuf,
    /// `true` if `PATH` has it as an absolute path, and only root or the user can write to it and to all directories
    /// above: no other user can have put its programs there.
    pub trusted: bool,
    /// Time of the last change of its list of files.
    modified: SystemTime,
    /// Sorted names without duplicates, control characters or invalid UTF-8.
    pub(super) names: Vec<String>,
}

impl Commands {
    /// Scans the directories on `PATH`; unchanged ones come from the cache in the directory `cache`.
    ///
    /// A file that becomes executable, or a link that loses its target, is noticed only when its directory changes.
    pub(super) fn on_path(host: &dyn Host, cache: Option<&Path>) -> Self {
        let started = Instant::now();
        let mut known = cache.map_or_else(BTreeMap::new, |cache| recall(&cache.join(CACHE_FILE)));
        let path = host.env("PATH").unwrap_or_default();
        let mut commands = Self { complete: true, ..Self::default() };
        let mut seen = HashSet::new();
        let owners = Owners::of(host);
        let on_path = std::env::split_paths(&path).map(|named| (named, true));
        let for_root = ROOT_DIRECTORIES.map(|named| (PathBuf::from(named), false));
        for (n_seen, (named, is_on_path)) in on_path.chain(for_root).enumerate() {
            if n_seen == DIRECTORIES_LIMIT || (SCAN_BUDGET < started.elapsed() && commands.changed) {
                commands.complete &= !is_on_path;
                break;
            }
            // An empty entry means the working directory.
            let whole = match host.current_dir() {
                _ if named.is_absolute() => named.clone(),
                Some(current) => current.join(&named),
                None => continue,
            };
            let Ok(real) = host.real_path(&whole) else { continue };
            let Some(entry) = host.entry(&real).filter(|entry| entry.is_directory) else { continue };
            if !seen.insert(real.clone()) {
                continue;
            }
            let names = match known.remove(&real) {
                Some((modified, names)) if modified == nanoseconds(entry.modified) => names,
                _ => match scan(host, &real) {
                    Ok(names) => {
                        commands.changed = true;
                        names
                    }
                    // It may have programs that can be run, so nothing is missing.
                    Err(error) => {
                        tracing::debug!("{error:#}");
                        commands.complete &= !is_on_path;
                        continue;
                    }
                },
            };
            let directories = if is_on_path { &mut commands.directories } else { &mut commands.for_root };
            directories.push(Directory {
                trusted: named.is_absolute() && owners.made_directory(host, &real),
                path: real,
                modified: entry.modified,
                names,
            });
        }
        commands
    }

    /// Reports whether a program of this name exists. Shell builtins, functions and aliases are not programs.
    pub fn contains(&self, name: &str) -> bool {
        self.directories.iter().any(|directory| directory.holds(name))
    }

    /// Returns the file that a shell would run for this name.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.directories
            .iter()
            .find(|directory| directory.holds(name))
            .map(|directory| directory.path.join(name))
    }

    /// Like [`Self::find`], but `None` if anyone except root and the user could have put the file there.
    pub fn find_trusted(&self, name: &str) -> Option<PathBuf> {
        let directory = self.directories.iter().find(|directory| directory.holds(name))?;
        directory.trusted.then(|| directory.path.join(name))
    }

    /// Returns the file of a program that root has on `PATH` and the user has not; `None` if there is none, or if anyone else
    /// could have put it there.
    pub fn find_for_root(&self, name: &str) -> Option<PathBuf> {
        let directory = self.for_root.iter().find(|directory| directory.trusted && directory.holds(name))?;
        (!self.contains(name)).then(|| directory.path.join(name))
    }

    /// Returns all names in no particular order; a name in two directories comes twice.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.directories.iter().flat_map(|directory| directory.names.iter().map(String::as_str))
    }

    /// Writes new scan results to the directory `cache`. This waits for the disk: call it after the answer is shown.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub fn remember(&self, cache: &Path) -> anyhow::Result<()> {
        if !self.changed {
            return Ok(());
        }
        let mut text = String::new();
        for directory in self.directories.iter().chain(&self.for_root) {
            // A path with control characters does not fit on a line of the cache, so it is scanned every time.
            let Some(path) = directory.path.to_str().filter(|path| is_plain(path)) else { continue };
            text.push_str(&format!("/{}\t{path}\n", nanoseconds(directory.modified)));
            for name in &directory.names {
                text.push_str(name);
                text.push('\n');
            }
        }
        store::write_summed(&cache.join(CACHE_FILE), CACHE_KIND.0, CACHE_KIND.1, text.as_bytes())?;
        store::thin_out(cache, CACHE_FILES_MAX)
    }
}

impl Directory {
    fn holds(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }
}

/// Reads the cached names by directory, with the time of change. Names contain no slash, so a line with a leading
/// slash starts the next directory: `/NANOSECONDS TAB PATH`.
fn recall(file: &Path) -> BTreeMap<PathBuf, (u128, Vec<String>)> {
    let mut known: BTreeMap<PathBuf, (u128, Vec<String>)> = BTreeMap::new();
    // The time is read first: a cache that is replaced meanwhile then counts as older than it is, and is trusted
    // less.
    let Some(written) = fs::symlink_metadata(file).ok().and_then(|found| found.modified().ok()) else {
        return known;
    };
    let read = store::read_summed(file, CACHE_KIND.0, CACHE_KIND.1, CACHE_LIMIT).ok().flatten();
    let Some(text) = read.and_then(|bytes| String::from_utf8(bytes).ok()) else { return known };
    let mut names = None;
    for line in text.lines() {
        if let Some((modified, path)) = line.strip_prefix('/').and_then(|line| line.split_once('\t')) {
            let (_, last) = known.entry(path.into()).or_insert((modified.parse().unwrap_or(0), Vec::new()));
            names = Some(last);
        } else if let Some(names) = &mut names {
            names.push(line.to_owned());
        }
    }
    let settled = nanoseconds(written).saturating_sub(CLOCK_GRAIN.as_nanos());
    known.retain(|_, (modified, names)| *modified < settled && names.is_sorted());
    known
}

/// Returns the names of the programs in a directory.
///
/// # Errors
/// When it cannot be listed, for example because too many files are open.
fn scan(host: &dyn Host, directory: &Path) -> anyhow::Result<Vec<String>> {
    let mut names: Vec<String> = host
        .list(directory)?
        .into_iter()
        .take(FILES_LIMIT)
        .filter_map(|name| name.into_string().ok())
        .filter(|name| {
            is_plain(name) && host.entry(&directory.join(name)).is_some_and(|entry| entry.executable)
        })
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// Reports whether a text fits on one line.
fn is_plain(text: &str) -> bool {
    !text.contains(char::is_control)
}

fn nanoseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use askline_host::System;
    use askline_host::local::LocalHost;

    /// This machine with another `PATH`; while the flag is set, no directory can be listed.
    struct WithPath(PathBuf, AtomicBool);

    impl Host for WithPath {
        fn probe(&self, _: &Path, _: &askline_host::Probe) -> anyhow::Result<askline_host::Output> {
            panic!("context must start no program")
        }
        fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
            LocalHost.read(path, limit)
        }
        fn list(&self, directory: &Path) -> anyhow::Result<Vec<std::ffi::OsString>> {
            anyhow::ensure!(!self.1.load(Ordering::Relaxed), "too many files are open");
            LocalHost.list(directory)
        }
        fn entry(&self, path: &Path) -> Option<askline_host::FileEntry> {
            LocalHost.entry(path)
        }
        fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
            LocalHost.real_path(path)
        }
        fn env(&self, name: &str) -> Option<std::ffi::OsString> {
            (name == "PATH").then(|| self.0.clone().into())
        }
        fn current_dir(&self) -> Option<PathBuf> {
            None
        }
        fn system(&self) -> System {
            LocalHost.system()
        }
        fn free_space(&self, path: &Path) -> Option<u64> {
            LocalHost.free_space(path)
        }
    }

    fn add_program(directory: &Path, name: &str) {
        let file = directory.join(name);
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn set_modified(path: &Path, ago_s: u64) {
        let time = SystemTime::now() - Duration::from_secs(ago_s);
        fs::File::open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn a_cache_that_is_a_link_or_open_to_others_is_not_believed() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("commands");
        store::write_summed(&file, CACHE_KIND.0, CACHE_KIND.1, b"/1\t/x\nls\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(recall(&file).len(), 1);
        let link = home.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(recall(&link).is_empty());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(recall(&file).is_empty());
    }

    #[test]
    fn a_directory_that_cannot_be_listed_is_not_remembered_as_empty() {
        let home = tempfile::tempdir().unwrap();
        let (bin, cache) = (home.path().join("bin"), home.path().join("cache"));
        fs::create_dir(&bin).unwrap();
        add_program(&bin, "one");
        set_modified(&bin, 60);
        let host = WithPath(bin.clone(), AtomicBool::new(true));
        let look = || {
            let commands = Commands::on_path(&host, Some(&cache));
            commands.remember(&cache).unwrap();
            (commands.complete, commands.contains("one"))
        };
        assert_eq!(look(), (false, false), "it may have anything");
        host.1.store(false, Ordering::Relaxed);
        assert_eq!(look(), (true, true));
    }

    #[test]
    fn the_cache_is_used_until_a_directory_changes() {
        let home = tempfile::tempdir().unwrap();
        let (bin, cache) = (home.path().join("bin"), home.path().join("cache"));
        fs::create_dir(&bin).unwrap();
        add_program(&bin, "one");
        let host = WithPath(bin.clone(), AtomicBool::new(false));
        let look = || {
            let commands = Commands::on_path(&host, Some(&cache));
            commands.remember(&cache).unwrap();
            (commands.changed, commands.contains("one"), commands.contains("two"))
        };
        set_modified(&bin, 60);
        assert_eq!(look(), (true, true, false), "the first time it is scanned");
        assert_eq!(look(), (false, true, false), "then it is known");
        add_program(&bin, "two");
        assert_eq!(look(), (true, true, true), "a change is seen");
        assert_eq!(look(), (true, true, true), "a change of a moment ago may not be the last");
        set_modified(&bin, 30);
        assert_eq!(look(), (true, true, true));
        assert_eq!(look(), (false, true, true), "and settles");
        fs::write(cache.join("commands"), "askline commands 0\n/1\t/x\nls\n").unwrap();
        assert_eq!(look(), (true, true, true), "a cache of another version is made anew");
        fs::write(cache.join("commands"), b"\xff\x00").unwrap();
        assert_eq!(look(), (true, true, true), "so is a broken one");
        assert_eq!(look(), (false, true, true));
        let whole = fs::read(cache.join("commands")).unwrap();
        fs::write(cache.join("commands"), &whole[..whole.len() - "two\n".len()]).unwrap();
        assert_eq!(look(), (true, true, true), "and one that lost its end");
        assert_eq!(look(), (false, true, true));
    }
}
