//! askline's own files: private, replaced atomically, with owner and type checked before reading.
//!
//! Losing any of them costs speed, never the key press: a reader gets nothing, or an error that it may ignore.

mod directory;
mod paths;

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use rustix::fs::{FlockOperation, OFlags};
use sha2::{Digest as _, Sha256};

pub use self::directory::{clear, held, remove, remove_older, thin_out};
pub use self::paths::Paths;

/// An error of writing caused by the disk or its permissions; downloading from another source would not help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable {
    /// Target of the write, in a form that users know.
    pub place: PathBuf,
    /// Cause, followed by the remedy.
    pub why: String,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't write {}: {}", self.place.display(), self.why)
    }
}

impl std::error::Error for Unwritable {}

/// Returns an error of writing at `place`, a path that users know: [`Unwritable`] if the disk or its permissions are
/// the cause.
pub fn not_written(place: &Path, error: io::Error) -> anyhow::Error {
    use rustix::io::Errno;

    let why = match Errno::from_io_error(&error) {
        Some(Errno::NOSPC) => "the disk is full; free some space on it",
        Some(Errno::DQUOT) => "your disk quota is used up; remove some of your files",
        Some(Errno::ROFS) => "the disk is read-only; remount it for writing",
        Some(Errno::ACCESS | Errno::PERM) => {
            "permission is denied; change the owner or mode of its directory (chown, chmod)"
        }
        Some(Errno::FBIG) => "the limit on file sizes is reached; raise it (`ulimit -f`)",
        _ => return anyhow::Error::new(error).context(format!("can't write {}", place.display())),
    };
    Unwritable { place: place.to_owned(), why: why.to_owned() }.into()
}

/// Creates a directory and its parents, with mode 0700 if new, and refuses one that others can write to.
///
/// # Errors
/// When it cannot be created, is not a directory, belongs to another user or is open to others; the message names it.
pub fn make_directory(path: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| not_written(path, error))?;
    let found = fs::metadata(path).with_context(|| format!("can't access {}", path.display()))?;
    ours(path, &found)
}

/// Writes a file: new directories get mode 0700, the file 0600. A temporary file, fsync and rename ensure that a
/// reader sees either the old or the new content as a whole.
///
/// # Errors
/// When the disk is full or the directory cannot be written; the old content stays.
pub fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    put(path, content, true)
}

/// Writes a file like [`write`], but without waiting for the disk: after a power cut it may be missing or damaged.
/// For data that can be recomputed.
///
/// # Errors
/// As [`write`].
pub fn write_cache(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    put(path, content, false)
}

fn put(path: &Path, content: &[u8], is_synced: bool) -> anyhow::Result<()> {
    let directory = path.parent().context("the file has no directory")?;
    // The parent of "config.toml" is "", which means the working directory.
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let write = || -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let mut file = tempfile::Builder::new().prefix(".tmp-").tempfile_in(directory).map_err(plain)?;
        // Writes to the inner file, because errors of the wrapper name the temporary file.
        file.as_file_mut().write_all(content)?;
        if is_synced {
            file.as_file().sync_all()?;
        }
        file.persist(path).map_err(|error| error.error)?;
        if is_synced {
            sync_directory(directory);
        }
        Ok(())
    };
    write().map_err(|error| not_written(path, error))
}

/// Extracts the system's own error from one that names a temporary file.
fn plain(error: io::Error) -> io::Error {
    use rustix::io::Errno;

    match error.kind() {
        ErrorKind::StorageFull => Errno::NOSPC.into(),
        ErrorKind::QuotaExceeded => Errno::DQUOT.into(),
        ErrorKind::ReadOnlyFilesystem => Errno::ROFS.into(),
        ErrorKind::PermissionDenied => Errno::ACCESS.into(),
        kind => kind.into(),
    }
}

/// Reports whether a path is a directory (not a link to one), owned by this user and closed to all others.
pub fn is_private(directory: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(directory)
        .is_ok_and(|found| found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0)
}

/// Writes a file with a header line that gives its kind, its format version and the SHA-256 of the body, without
/// waiting for the disk, like [`write_cache`].
///
/// # Errors
/// As [`write`].
pub fn write_summed(path: &Path, kind: &str, version: u32, body: &[u8]) -> anyhow::Result<()> {
    write_cache(path, &[summed_header(kind, version, body).as_bytes(), body].concat())
}

/// Reads a file from [`write_summed`]; `None` if it does not exist, is of another kind or version, or was changed since:
/// a flipped bit would otherwise become a wrong fact. The caller then writes a new one.
///
/// # Errors
/// As [`read`]; `limit` includes the header line.
pub fn read_summed(path: &Path, kind: &str, version: u32, limit: u64) -> anyhow::Result<Option<Vec<u8>>> {
    let content = read(path, limit)?;
    Ok(content.and_then(|content| summed_body(&content, kind, version).map(<[u8]>::to_vec)))
}

/// Returns the body of the content of a file from [`write_summed`]; `None` if it is of another kind or version, or was
/// changed.
pub fn summed_body<'a>(content: &'a [u8], kind: &str, version: u32) -> Option<&'a [u8]> {
    let end = content.iter().position(|byte| *byte == b'\n')?;
    let (header, body) = content.split_at_checked(end + 1)?;
    (header == summed_header(kind, version, body).as_bytes()).then_some(body)
}

fn summed_header(kind: &str, version: u32, body: &[u8]) -> String {
    let sum = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("askline {kind} {version} {sum}\n")
}

/// Reads a file of at most `limit` bytes; `None` if it does not exist.
///
/// # Errors
/// When it is a link, not a regular file, another user's, writable by others, too large, or cannot be read.
pub fn read(path: &Path, limit: u64) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(file) = open(path)? else { return Ok(None) };
    let mut content = Vec::new();
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut content);
    read.with_context(|| format!("can't read {}", path.display()))?;
    ensure!(content.len() as u64 <= limit, "{} is larger than {limit} bytes; remove it", path.display());
    Ok(Some(content))
}

/// Writes a file with a header line that gives its kind and format version.
///
/// # Errors
/// As [`write`].
pub fn write_versioned(path: &Path, kind: &str, version: u32, body: &[u8]) -> anyhow::Result<()> {
    write(path, &[header(kind, version).as_bytes(), body].concat())
}

/// Reads a file from [`write_versioned`]; `None` if it does not exist or is of another kind or version. The caller
/// then writes a new one.
///
/// # Errors
/// As [`read`]; `limit` includes the header line.
pub fn read_versioned(path: &Path, kind: &str, version: u32, limit: u64) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(content) = read(path, limit)? else { return Ok(None) };
    Ok(content.strip_prefix(header(kind, version).as_bytes()).map(<[u8]>::to_vec))
}

fn header(kind: &str, version: u32) -> String {
    format!("askline {kind} {version}\n")
}

/// Opens a file for reading, after the checks of [`read`]; `None` if it does not exist.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path) -> anyhow::Result<Option<File>> {
    // Without NONBLOCK, opening a named pipe would block forever.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => checked(path, file).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("can't open {}", path.display())),
    }
}

/// Opens a file for reading and appending, with mode 0600 if new, after the checks of [`read`].
///
/// # Errors
/// As [`read`], and when it cannot be created.
pub fn open_to_append(path: &Path) -> anyhow::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened =
        OpenOptions::new().read(true).append(true).create(true).mode(0o600).custom_flags(flags).open(path);
    // A link gives its own kind of error, which is not a disk error.
    checked(path, opened.map_err(|error| not_written(path, error))?)
}

/// Moves a finished file to its final path in a way that survives a power cut.
///
/// # Errors
/// When it cannot be synced or renamed; `to` is then unchanged.
pub fn install(file: &File, from: &Path, to: &Path) -> anyhow::Result<()> {
    file.sync_all().and_then(|()| fs::rename(from, to)).map_err(|error| not_written(to, error))?;
    sync_directory(to.parent().context("the file has no directory")?);
    Ok(())
}

/// An exclusive lock on a lock file; released on drop or when the process ends in any way.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Takes a lock without waiting; `None` if another process has it.
///
/// # Errors
/// When the lock file cannot be created or the file system has no locks.
pub fn lock(path: &Path) -> anyhow::Result<Option<Lock>> {
    let file = open_to_append(path)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(Lock { _file: file })),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("can't lock {}", path.display())),
    }
}

fn checked(path: &Path, file: File) -> anyhow::Result<File> {
    let found = file.metadata().with_context(|| format!("can't access {}", path.display()))?;
    if !found.is_file() {
        bail!("{} is not a regular file; remove it", path.display());
    }
    ours(path, &found)?;
    Ok(file)
}

fn ours(path: &Path, found: &fs::Metadata) -> anyhow::Result<()> {
    let user = rustix::process::geteuid().as_raw();
    ensure!(
        found.uid() == user,
        "{} belongs to another user; remove it or change its owner (chown)",
        path.display()
    );
    ensure!(
        found.mode() & 0o022 == 0,
        "{} can be written by others; run `chmod go-w {}`",
        path.display(),
        path.display()
    );
    Ok(())
}

fn sync_directory(directory: &Path) {
    // Some file systems cannot sync a directory; the file itself is safe by then.
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn what_is_written_is_private_and_read_back() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("a/b/file");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(read(&path, 3).unwrap().as_deref(), Some(&b"two"[..]));
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "no temporary file stays");
        assert!(read(&path, 2).unwrap_err().to_string().contains("larger than 2 bytes"));
        assert_eq!(read(&top.path().join("none"), 9).unwrap(), None);
    }

    #[test]
    fn a_failed_write_keeps_the_old_content() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("taken");
        fs::create_dir_all(path.join("inside")).unwrap();
        assert!(write(&path, b"x").is_err());
        assert!(path.join("inside").is_dir());
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn what_the_disk_refuses_is_told_with_a_remedy_and_no_temporary_name() {
        let error_of = |code| not_written(Path::new("/d/file"), io::Error::from_raw_os_error(code));
        for (code, cause) in [
            (28, "the disk is full; free "),
            (122, "your disk quota is used up; remove "),
            (30, "the disk is read-only; remount "),
            (13, "permission is denied; change "),
            (27, "the limit on file sizes is reached; raise "),
        ] {
            let error = error_of(code);
            assert!(error.is::<Unwritable>() && error.to_string().contains(cause), "{error}");
            let kind = plain(io::Error::from_raw_os_error(code));
            assert!(code == 27 || not_written(Path::new("/d"), kind).is::<Unwritable>(), "{code}");
        }
        assert!(!error_of(5).is::<Unwritable>());
        let below_a_file = write(Path::new("/dev/null/x/file"), b"x").unwrap_err();
        assert_eq!(
            format!("{below_a_file:#}"),
            "can't write /dev/null/x/file: Not a directory (os error 20)"
        );
        // Nobody can create files in /proc.
        let denied = format!("{:#}", write(Path::new("/proc/self/none"), b"x").unwrap_err());
        assert!(denied.starts_with("can't write /proc/self/none: ") && !denied.contains(".tmp-"), "{denied}");
    }

    #[test]
    fn other_versions_read_as_nothing() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("state");
        write_versioned(&path, "prefix", 2, b"body\n").unwrap();
        let read = |kind, version| read_versioned(&path, kind, version, 100).unwrap();
        assert_eq!(read("prefix", 2).as_deref(), Some(&b"body\n"[..]));
        assert_eq!(read("prefix", 1), None);
        assert_eq!(read("prefix", 22), None);
        assert_eq!(read("other", 2), None);
        write(&path, b"").unwrap();
        assert_eq!(read("prefix", 2), None);
    }

    #[test]
    fn a_changed_byte_anywhere_makes_a_file_nothing() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("facts");
        write_summed(&path, "facts", 2, b"ls takes -l\nand -a\n").unwrap();
        let read = |kind, version| read_summed(&path, kind, version, 200).unwrap();
        assert_eq!(read("facts", 2).as_deref(), Some(&b"ls takes -l\nand -a\n"[..]));
        assert_eq!((read("facts", 1), read("other", 2)), (None, None));
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(summed_body(&changed, "facts", 2), None, "byte {at}");
            assert_eq!(summed_body(&whole[..at], "facts", 2), None, "cut after {at}");
        }
        assert_eq!(summed_body(&[&whole[..], b"x"].concat(), "facts", 2), None);
    }

    #[test]
    fn links_pipes_directories_and_open_files_are_refused() {
        let top = tempfile::tempdir().unwrap();
        let real = top.path().join("real");
        write(&real, b"secret").unwrap();
        let refused = |path: &Path, why: &str| {
            let error = format!("{:#}", read(path, 100).unwrap_err());
            assert!(error.contains(why), "{error}");
            open_to_append(path).unwrap_err();
        };
        let link = top.path().join("link");
        symlink(&real, &link).unwrap();
        refused(&link, "can't open");
        let pipe = top.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = read(&pipe, 100).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
        refused(top.path(), "not a regular file");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o666)).unwrap();
        refused(&real, "can be written by others; run `chmod go-w");
        let shared = top.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(make_directory(&shared).is_err());
        assert!(make_directory(&real).is_err());
        make_directory(&top.path().join("new/er")).unwrap();
        assert_eq!(mode(&top.path().join("new")), 0o700);
    }

    #[test]
    fn one_at_a_time_holds_a_lock() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("lock");
        let held = lock(&path).unwrap();
        assert!(held.is_some());
        assert!(lock(&path).unwrap().is_none());
        drop(held);
        assert!(lock(&path).unwrap().is_some());
    }
}
