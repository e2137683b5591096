//! Endpoint of the resident process: location, ownership checks and connection.
//!
//! A private directory of the user contains a socket and a lock; the process with the lock serves. The kernel
//! reports to each side the user of the other.

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
use askline_host::Host;

/// File name of the socket, beside the lock.
const SOCKET: &str = "resident.sock";
/// File name of the lock, which the serving process takes.
const LOCK: &str = "resident.lock";

/// Reason to refuse a directory that belongs to another user.
const OTHERS: &str = "belongs to another user";

/// Runtime directory of the socket and the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    directory: PathBuf,
}

impl Endpoint {
    /// Returns the endpoint in a directory that [`Endpoint::find`] would accept; for tests.
    pub fn of(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Returns the user's endpoint: below `XDG_RUNTIME_DIR` if that is a private directory of the user, else
    /// below `TMPDIR` or `/tmp`. It may not exist yet.
    ///
    /// # Errors
    ///
    /// If its path is not a directory or others can enter it; the text contains the path.
    pub fn find(host: &dyn Host) -> anyhow::Result<Self> {
        let full = |name| host.env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let private = |base: &PathBuf| fs::metadata(base).is_ok_and(|found| refusal(&found).is_none());
        let directory = match full("XDG_RUNTIME_DIR").filter(private) {
            Some(base) => base.join("askline"),
            None => full("TMPDIR")
                .unwrap_or_else(|| PathBuf::from("/tmp"))
                .join(format!("askline-{}", geteuid().as_raw())),
        };
        let endpoint = Self { directory };
        endpoint.check()?;
        Ok(endpoint)
    }

    /// Creates the directory if it is missing.
    ///
    /// # Errors
    ///
    /// If it can't be created, or as [`Endpoint::find`].
    pub fn make(&self) -> anyhow::Result<()> {
        match fs::DirBuilder::new().mode(0o700).create(&self.directory) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(error).with_context(|| format!("can't make {}", self.directory.display()))
            }
            _ => self.check(),
        }
    }

    fn check(&self) -> anyhow::Result<()> {
        // Links are not followed: another user may own the link.
        let found = match fs::symlink_metadata(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            found => found.with_context(|| format!("can't access {}", self.directory.display()))?,
        };
        match refusal(&found) {
            // In a directory such as /tmp, users can't remove files of others.
            Some(OTHERS) => bail!(
                "{} {OTHERS}; set XDG_RUNTIME_DIR or TMPDIR to a directory of your own",
                self.directory.display()
            ),
            Some(why) => bail!("{} {why}; remove it", self.directory.display()),
            None => Ok(()),
        }
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> PathBuf {
        self.directory.join(SOCKET)
    }

    /// Returns the path of the lock.
    pub fn lock(&self) -> PathBuf {
        self.directory.join(LOCK)
    }

    /// Connects; `None` if nothing listens.
    ///
    /// # Errors
    ///
    /// If the listener's user is unknown or another one, or the connection queue is full.
    pub fn enter(&self) -> anyhow::Result<Option<UnixStream>> {
        let address = SocketAddrUnix::new(self.socket())?;
        let stream = UnixStream::from(socket()?);
        // A stopped process accepts no connection; don't wait for it.
        stream.set_nonblocking(true)?;
        match rustix::net::connect(&stream, &address) {
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::CONNREFUSED) => return Ok(None),
            // The process accepts nothing, and the kernel's connection queue is full.
            Err(error @ rustix::io::Errno::AGAIN) => {
                return Err(error).context(format!(
                    "the process at {} accepts no connections; find it with `pgrep -af 'askline daemon run'` and `kill -9` it",
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

/// Returns why a directory is not private to this user, or `None`.
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

/// Reports whether the process at the other end belongs to this user.
///
/// # Errors
///
/// If the kernel doesn't report it.
pub fn is_ours(stream: &impl AsFd) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    let user = rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw();
    #[cfg(not(target_os = "linux"))]
    let user = nix::unistd::getpeereid(stream)?.0.as_raw();
    Ok(user == geteuid().as_raw())
}

/// Returns the listening process's id, if the kernel reports it.
#[cfg(target_os = "linux")]
pub fn process(stream: &impl AsFd) -> Option<i32> {
    Some(rustix::net::sockopt::socket_peercred(stream).ok()?.pid.as_raw_nonzero().get())
}

/// Returns `None`: the listening process's id is not available on this system.
#[cfg(not(target_os = "linux"))]
pub fn process(_: &impl AsFd) -> Option<i32> {
    None
}

/// Returns the identity of the file at this path.
///
/// # Errors
///
/// If there is no such file.
pub fn identity(file: &Path) -> io::Result<Identity> {
    let found = fs::metadata(file)?;
    let (device, inode, size) = (found.dev(), found.ino(), found.size());
    Ok(Identity { device, inode, size, modified: (found.mtime(), found.mtime_nsec()) })
}
