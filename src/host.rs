//! The seam to this machine: files, environment and the few programs we start.
//!
//! Nothing on a prompt line and nothing that a model wrote can be run: a process starts only through [`Host::probe`], and
//! [`Probe`] holds every argument vector there is, through [`Host::key`], and only the user's own configuration makes a
//! [`KeyCommand`], or through [`Host::start_resident`], which takes nothing and starts ourselves, as [`Host::start_ahead`] does. Two real users: the machine this runs on ([`local`]) and a recording of one
//! ([`recorded`]), which replays bug reports and tests exactly.

mod keyring;
pub mod local;
mod probe;
pub mod recorded;
mod sandbox;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::bail;

use crate::config::{KeyCommand, KeyringItem};
pub use probe::{Level, OptionName, Probe, Screen, Spelling};

/// This machine, or a recording of one.
pub trait Host: Send + Sync {
    /// Starts `program`, an absolute path, with the fixed arguments of `probe`: in the root directory, without input,
    /// bounded in time by [`Probe::patience`] and in output by [`OUTPUT_LIMIT`]. With [`Probe::is_caged`] it can read
    /// the system's files and nothing else, change nothing and reach nobody, and stands in an empty directory.
    ///
    /// # Errors
    /// When it can't be started, has not ended in time, or this system has no sandbox for a probe that needs one. A
    /// failing exit status is no error.
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output>;

    /// Runs the command with which the user's own configuration gets a key, and gives what it prints: in the root
    /// directory, without input, with the user's environment, bounded by [`KEY_PATIENCE`] and [`KEY_LIMIT`].
    ///
    /// # Errors
    /// When it can't be started, fails, has not ended in time or prints too much. The text holds neither the command nor
    /// anything that it printed. A recording runs none.
    fn key(&self, _command: &KeyCommand) -> anyhow::Result<Vec<u8>> {
        bail!("no key command is run on a machine that is replayed")
    }

    /// The secret of an item in the desktop's keyring, bounded by [`KEY_PATIENCE`] and [`KEY_LIMIT`]. Opens no window.
    ///
    /// # Errors
    /// When there is no keyring, it is locked, holds no such item or does not answer in time; the text says what to do
    /// and holds nothing secret. A recording has none.
    fn keyring(&self, _item: &KeyringItem) -> anyhow::Result<Vec<u8>> {
        bail!("no keyring is asked on a machine that is replayed")
    }

    /// Starts this very program once more, as the process that keeps a model at hand: with [`RESIDENT_ARGUMENTS`], in the
    /// root directory, without input, output or terminal, and of the environment only [`RESIDENT_VARIABLES`]. It outlives
    /// this process.
    ///
    /// # Errors
    /// When it can't be started. A recording starts none.
    fn start_resident(&self) -> anyhow::Result<()> {
        bail!("no process is started on a machine that is replayed")
    }

    /// Starts this very program once more, to look for further suggestions: with [`AHEAD_ARGUMENTS`], where this process
    /// stands and with its environment, with `errand` as its input, no output and not in the terminal's foreground. It
    /// outlives this process for some seconds.
    ///
    /// # Errors
    /// When it can't be started. A recording starts none.
    fn start_ahead(&self, _errand: &[u8]) -> anyhow::Result<()> {
        bail!("no process is started on a machine that is replayed")
    }

    /// What the shell that asks says itself of one of its lines, as `probe` asks, with all that its user defined. None
    /// where it can't be asked so, which is everywhere but in a plugin.
    fn own_shell(&self, _probe: &Probe) -> Option<Output> {
        None
    }

    /// Whether [`Host::own_shell`] answers.
    fn is_in_shell(&self) -> bool {
        false
    }

    /// Reads a file of at most `limit` bytes.
    ///
    /// # Errors
    /// When it can't be read or is larger.
    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>>;

    /// The first bytes of a file, `limit` at most.
    ///
    /// # Errors
    /// When it can't be read, or not in part.
    fn head(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        self.read(path, limit)
    }

    /// The names in a directory, in no order.
    ///
    /// # Errors
    /// When it can't be listed.
    fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>>;

    /// What kind of thing stands at `path`, links followed.
    fn entry(&self, path: &Path) -> Option<Entry>;

    /// The path with every link followed.
    ///
    /// # Errors
    /// When nothing stands there.
    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf>;

    /// A variable of the environment.
    fn env(&self, name: &str) -> Option<OsString>;

    /// The working directory, if it still exists.
    fn current_dir(&self) -> Option<PathBuf>;

    /// The operating system and the processor.
    fn system(&self) -> System;

    /// Bytes that this user may still write on the file system of `path`; none when it can't be told.
    fn free_space(&self, path: &Path) -> Option<u64>;
}

/// Most bytes kept of each stream of a probed program; the rest is read and dropped.
pub const OUTPUT_LIMIT: usize = 512 << 10;

/// How long a command that prints a key, or the keyring, may take.
pub const KEY_PATIENCE: Duration = Duration::from_secs(5);

/// Most bytes that such a command, an item of the keyring, or a file with a key, may hold.
pub const KEY_LIMIT: usize = 4 << 10;

/// The arguments of the process that keeps a model at hand.
pub const RESIDENT_ARGUMENTS: [&str; 2] = ["daemon", "run"];

/// The arguments of the process that looks for further suggestions.
pub const AHEAD_ARGUMENTS: [&str; 1] = ["ahead"];

/// What it gets of the environment: where its socket goes, and what its program may need to start at all.
pub const RESIDENT_VARIABLES: [&str; 4] =
    ["XDG_RUNTIME_DIR", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];

/// Where `program`, a name without a slash, stands on `PATH`. Relative directories are passed over: what they hold
/// depends on where the user stands.
pub fn find_on_path(host: &dyn Host, program: &str) -> Option<PathBuf> {
    if program.is_empty() || program.contains('/') {
        return None;
    }
    let path = host.env("PATH")?;
    std::env::split_paths(&path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(program))
        .find(|file| host.entry(file).is_some_and(|entry| entry.executable))
}

/// What a probe printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// It exited with status 0.
    pub success: bool,
    /// Standard output, cut at the bound.
    pub stdout: Vec<u8>,
    /// Standard error, cut at the bound.
    pub stderr: Vec<u8>,
}

/// A file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// It is a regular file.
    pub is_file: bool,
    /// It is a directory.
    pub is_directory: bool,
    /// It is a file that this process may execute.
    pub executable: bool,
    /// It is a directory in which this process may create files.
    pub writable: bool,
    /// The permission bits, such as 0o644.
    pub mode: u32,
    /// The user id of its owner; 0 is root.
    pub owner: u32,
    /// Size in bytes.
    pub size: u64,
    /// When it last changed.
    pub modified: SystemTime,
}

/// The operating system and the processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// As `std::env::consts::OS` names it: `linux`, `macos`, `freebsd`, `android` …
    pub os: String,
    /// The kernel's release, such as `6.1.0-18-amd64`.
    pub release: String,
    /// The processor as the kernel names it, such as `x86_64` or `aarch64`.
    pub machine: String,
}
