//! Where the resident process is found, and whether what is found there is ours.
//!
//! A directory that only this user can enter holds a socket and a lock; who holds the lock serves. The kernel tells each side
//! which user the other is.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use rustix::process::geteuid;

use super::wire::Identity;
use crate::host::Host;

/// The socket, beside the lock.
const SOCKET: &str = "resident.sock";
/// Held by the process that serves.
const LOCK: &str = "resident.lock";

/// Why a directory is none of ours when it is somebody else's.
const OTHERS: &str = "belongs to another user";

/// The directory of what lives no longer than a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Door {
    directory: PathBuf,
}

impl Door {
    /// The door in a directory that [`Door::find`] would accept; for tests.
    pub fn of(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// The user's door: below `XDG_RUNTIME_DIR` where that is a directory that only they can enter, else below `TMPDIR` or
    /// `/tmp`. It may not be there yet.
    ///
    /// # Errors
    /// When something else stands in its place, or others can enter it; the text names it.
    pub fn find(host: &dyn Host) -> anyhow::Result<Self> {
        let full = |name| host.env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let private = |base: &PathBuf| fs::metadata(base).is_ok_and(|found| refusal(&found).is_none());
        let directory = match full("XDG_RUNTIME_DIR").filter(private) {
            Some(base) => base.join("askline"),
            None => full("TMPDIR")
                .unwrap_or_else(|| PathBuf::from("/tmp"))
                .join(format!("askline-{}", geteuid().as_raw())),
        };
        let door = Self { directory };
        door.check()?;
        Ok(door)
    }

    /// Makes the directory where it is missing.
    ///
    /// # Errors
    /// When it can't be made, or as [`Door::find`].
    pub fn make(&self) -> anyhow::Result<()> {
        match fs::DirBuilder::new().mode(0o700).create(&self.directory) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(error).with_context(|| format!("can't make {}", self.directory.display()))
            }
            _ => self.check(),
        }
    }

    fn check(&self) -> anyhow::Result<()> {
        // Not followed: a link is somebody's, wherever it leads.
        let found = match fs::symlink_metadata(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            found => found.with_context(|| format!("can't look at {}", self.directory.display()))?,
        };
        match refusal(&found) {
            // In a directory such as /tmp nobody can remove what is another's.
            Some(OTHERS) => bail!(
                "{} {OTHERS}; set XDG_RUNTIME_DIR or TMPDIR to a directory of your own",
                self.directory.display()
            ),
            Some(why) => bail!("{} {why}; remove it", self.directory.display()),
            None => Ok(()),
        }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The socket.
    pub fn socket(&self) -> PathBuf {
        self.directory.join(SOCKET)
    }

    /// The lock.
    pub fn lock(&self) -> PathBuf {
        self.directory.join(LOCK)
    }

    /// Goes in; none where nobody listens.
    ///
    /// # Errors
    /// When it can't be told who listens, it is another user, or too many stand before the door.
    pub fn enter(&self) -> anyhow::Result<Option<UnixStream>> {
        let address = SocketAddrUnix::new(self.socket())?;
        let stream = UnixStream::from(socket()?);
        // A process that was stopped lets nobody in: that must not be waited for.
        stream.set_nonblocking(true)?;
        match rustix::net::connect(&stream, &address) {
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::CONNREFUSED) => return Ok(None),
            // So many were let in by nobody that the kernel takes no more.
            Err(error @ rustix::io::Errno::AGAIN) => {
                return Err(error).context(format!(
                    "the process at {} lets nobody in; find it with `pgrep -af 'askline daemon run'` and `kill -9` it",
                    self.socket().display()
                ));
            }
            other => other?,
        }
        ensure!(is_ours(&stream)?, "another user listens at {}", self.socket().display());
        Ok(Some(stream))
    }
}

#[cfg(target_os = "linux")]
fn socket() -> io::Result<OwnedFd> {
    let flags = rustix::net::SocketFlags::CLOEXEC;
    Ok(rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)
}

#[cfg(not(target_os = "linux"))]
fn socket() -> io::Result<OwnedFd> {
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    Ok(socket)
}

/// Why a directory is not one that this user alone can enter.
fn refusal(found: &fs::Metadata) -> Option<&'static str> {
    if !found.is_dir() {
        Some("is not a directory")
    } else if found.uid() != geteuid().as_raw() {
        Some(OTHERS)
    } else if found.mode() & 0o077 != 0 {
        Some("can be entered by others")
    } else {
        None
    }
}

/// Whether the process at the other end is this user's.
///
/// # Errors
/// When the kernel doesn't tell.
pub fn is_ours(stream: &impl AsFd) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    let user = rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw();
    #[cfg(not(target_os = "linux"))]
    let user = nix::unistd::getpeereid(stream)?.0.as_raw();
    Ok(user == geteuid().as_raw())
}

/// The process that listens at the other end, where the kernel tells.
#[cfg(target_os = "linux")]
pub fn process(stream: &impl AsFd) -> Option<i32> {
    Some(rustix::net::sockopt::socket_peercred(stream).ok()?.pid.as_raw_nonzero().get())
}

/// The process that listens at the other end: not asked for on this system.
#[cfg(not(target_os = "linux"))]
pub fn process(_: &impl AsFd) -> Option<i32> {
    None
}

/// Which file stands there now.
///
/// # Errors
/// When none does.
pub fn identity(file: &Path) -> io::Result<Identity> {
    let found = fs::metadata(file)?;
    let (device, inode, size) = (found.dev(), found.ino(), found.size());
    Ok(Identity { device, inode, size, modified: (found.mtime(), found.mtime_nsec()) })
}
