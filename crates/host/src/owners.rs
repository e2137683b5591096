//! File ownership checks: finds files that only root or the user can have put in place. askline trusts a command or a
//! man page only if this holds.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{FileEntry, Host};

/// Maximum number of directories whose owners are remembered.
const MEMORY_MAX: usize = 4096;

/// Checks owners, each directory once.
#[derive(Debug, Default)]
pub struct Owners {
    /// User id, from the owner of the home directory; `None` if unknown, and then only root is trusted.
    user: Option<u32>,
    directories: Mutex<HashMap<PathBuf, Ownership>>,
}

/// Permissions of a directory; both `false` if its owner is not trusted.
#[derive(Debug, Default, Clone, Copy)]
struct Ownership {
    /// `true` if others cannot add files.
    is_closed: bool,
    /// `true` if others cannot replace files that they do not own.
    keeps: bool,
}

impl Owners {
    /// Returns the trusted owners of a machine: root and the user.
    pub fn of(host: &dyn Host) -> Self {
        let home = host.env("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let user = home.and_then(|home| host.entry(&home)).map(|entry| entry.owner);
        Self { user, ..Self::default() }
    }

    /// Reports whether only trusted owners can have made or changed a file: they own it and every directory above it,
    /// on both the given and the real path.
    pub fn made_file(&self, host: &dyn Host, path: &Path) -> bool {
        let above = |path: &Path| path.parent().is_some_and(|above| self.made_directory(host, above));
        above(path)
            && host.real_path(path).is_ok_and(|real| {
                let is_theirs = |entry: FileEntry| entry.is_file && self.own(&entry) && is_closed(&entry);
                above(&real) && host.entry(&real).is_some_and(is_theirs)
            })
    }

    /// Reports whether only trusted owners can have put files into a directory: no other user can write to it or
    /// replace it.
    pub fn made_directory(&self, host: &dyn Host, directory: &Path) -> bool {
        let mut places = directory.ancestors();
        directory.is_absolute()
            && places.next().is_some_and(|directory| self.look(host, directory).is_closed)
            && places.all(|above| self.look(host, above).keeps)
    }

    fn look(&self, host: &dyn Host, directory: &Path) -> Ownership {
        // Each cached answer is valid even if a thread panicked while it held the lock.
        let known = || self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = known().get(directory) {
            return *seen;
        }
        let entry = host.entry(directory).filter(|entry| entry.is_directory && self.own(entry));
        let seen = entry.map_or(Ownership::default(), |entry| Ownership {
            is_closed: is_closed(&entry),
            keeps: is_closed(&entry) || is_sticky(&entry),
        });
        let mut known = known();
        if known.len() < MEMORY_MAX {
            known.insert(directory.to_owned(), seen);
        }
        seen
    }

    fn own(&self, entry: &FileEntry) -> bool {
        entry.owner == 0 || Some(entry.owner) == self.user
    }
}

/// Reports whether only the owner can change a file. Group members are unknown, so a group-writable file counts as
/// open to everyone.
pub fn is_closed(entry: &FileEntry) -> bool {
    entry.mode & 0o022 == 0
}

/// Reports whether others may add to a directory but not replace files of other owners: `/nix/store`, `/var/tmp`.
pub fn is_sticky(entry: &FileEntry) -> bool {
    entry.is_directory && entry.mode & 0o1000 != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::RecordedHost;

    const MACHINE: &str = r#"
        programs = [
            "/usr/bin/ls", "/usr/bin/open", "/usr/bin/theirs", "/home/ada/bin/mine", "/home/eve/bin/hers",
            "/open/safe/x", "/group/safe/x", "/tmp/x", "/tmp/mine/x", "/nix/store/git/bin/git",
        ]
        [system]
        os = "linux"
        release = "6"
        machine = "x86_64"
        [env]
        HOME = "/home/ada"
        [links]
        "/usr/bin/out" = "/open/safe/x"
        "/open/safe/in" = "/usr/bin/ls"
        "/sbin" = "usr/bin"
        [modes]
        "/usr/bin/open" = 0o775
        "/open" = 0o777
        "/group" = 0o775
        "/tmp" = 0o1777
        "/nix/store" = 0o1775
        [owners]
        "/home/ada" = 1000
        "/home/ada/bin" = 1000
        "/home/ada/bin/mine" = 1000
        "/home/eve" = 1001
        "/usr/bin/theirs" = 1001
    "#;

    #[test]
    fn only_root_and_the_user_count_all_the_way_up() {
        let host = RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap();
        let owners = Owners::of(&host);
        for (path, made) in [
            ("/usr/bin/ls", true),
            ("/sbin/ls", true),
            ("/home/ada/bin/mine", true),
            ("/nix/store/git/bin/git", true),
            ("/usr/bin/open", false),
            ("/usr/bin/theirs", false),
            ("/home/eve/bin/hers", false),
            ("/tmp/mine/x", true),
            ("/tmp/x", false),
            ("/open/safe/x", false),
            ("/open/safe/in", false),
            ("/group/safe/x", false),
            ("/usr/bin/out", false),
            ("/usr/bin/../../open/safe/x", false),
            ("/usr/bin", false),
            ("/usr/bin/none", false),
            ("usr/bin/ls", false),
            ("", false),
        ] {
            for _ in 0..2 {
                assert_eq!(owners.made_file(&host, Path::new(path)), made, "{path}");
            }
        }
        assert!(owners.made_directory(&host, Path::new("/")) && !owners.made_directory(&host, Path::new("")));
        let strangers = Owners::default();
        assert!(!strangers.made_file(&host, Path::new("/home/ada/bin/mine")));
        assert!(strangers.made_file(&host, Path::new("/usr/bin/ls")));
    }
}
