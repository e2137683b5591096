#![doc = include_str!("../README.md")]

pub mod key_command;
pub mod local;
pub mod owners;
mod probe;
pub mod recorded;
mod sandbox;
pub mod sandboxed_command;
pub mod store;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::bail;

pub use key_command::KeyCommand;
pub use probe::{Level, OptionName, Probe, Screen, Spelling};
use sandboxed_command::{CommandOutput, SandboxedCommand};

/// The local machine, or a recording of one.
pub trait Host: Send + Sync {
    /// Starts `program`, an absolute path, with the fixed arguments of `probe`: in the root directory, without input,
    /// limited in time by [`Probe::patience`] and in output by [`OUTPUT_LIMIT`]. With [`Probe::is_sandboxed`] it runs in
    /// an empty directory, can read only the system's files, and can neither change anything nor connect anywhere.
    ///
    /// # Errors
    /// When it cannot be started, does not end in time, or this system has no sandbox for a probe that needs one. A
    /// failing exit status is not an error.
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output>;

    /// Runs `command` with `program`, the absolute path of what it starts, in a sandbox: it reads the system's files and the
    /// places that the command names but no secrets, writes only into a directory of its own that is gone afterwards, reaches
    /// no network, and gets no input, no terminal and none of the user's variables.
    ///
    /// # Errors
    /// When it cannot be started, exceeds the limits of the sandbox, or this system has none. A failing exit status and a
    /// reached time limit are not errors. A recording runs nothing.
    fn run_in_sandbox(&self, _program: &Path, _command: &SandboxedCommand) -> anyhow::Result<CommandOutput> {
        bail!("commands are not run on a recorded machine")
    }

    /// Runs the command that the user's configuration gives for a key, and returns its output. It runs in the root
    /// directory, without input, with the user's environment, limited by [`KEY_PATIENCE`] and [`KEY_LIMIT`].
    ///
    /// # Errors
    /// When it cannot be started, fails, does not end in time or prints too much. The message contains neither the
    /// command nor its output. A recording runs none.
    fn key(&self, _command: &KeyCommand) -> anyhow::Result<Vec<u8>> {
        bail!("key commands are not run on a recorded machine")
    }

    /// Starts this program again as the resident process, which keeps a model loaded: with [`RESIDENT_ARGUMENTS`], in
    /// the root directory, without input, output or terminal, and with only the variables [`RESIDENT_VARIABLES`]. It
    /// outlives this process.
    ///
    /// # Errors
    /// When it cannot be started. A recording starts none.
    fn start_resident(&self) -> anyhow::Result<()> {
        bail!("processes are not started on a recorded machine")
    }

    /// Starts this program again to prefetch further suggestions: with [`PREFETCH_ARGUMENTS`], in the same directory and
    /// environment, with `input` as its input, no output and in the background of the terminal. It outlives this
    /// process by some seconds.
    ///
    /// # Errors
    /// When it cannot be started. A recording starts none.
    fn start_prefetch(&self, _errand: &[u8]) -> anyhow::Result<()> {
        bail!("processes are not started on a recorded machine")
    }

    /// Returns the answer of the user's running shell to `probe`, with all definitions of the user. `None` if that
    /// shell cannot be asked, which is the case everywhere except in a plugin.
    fn own_shell(&self, _probe: &Probe) -> Option<Output> {
        None
    }

    /// Reports whether [`Host::own_shell`] answers.
    fn is_in_shell(&self) -> bool {
        false
    }

    /// Reads a file of at most `limit` bytes.
    ///
    /// # Errors
    /// When it cannot be read or is larger.
    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>>;

    /// Reads the first bytes of a file, at most `limit`.
    ///
    /// # Errors
    /// When it cannot be read, or not in part.
    fn head(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        self.read(path, limit)
    }

    /// Reads a part of a file: at most `most` bytes from an offset; fewer if the file ends before.
    ///
    /// # Errors
    /// When it cannot be read, or not in part.
    fn part(&self, _path: &Path, _from: u64, _most: u64) -> anyhow::Result<Vec<u8>> {
        bail!("files are not read in part on a recorded machine")
    }

    /// Returns the names in a directory, in no particular order.
    ///
    /// # Errors
    /// When it cannot be listed.
    fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>>;

    /// Returns at most `most` names in a directory, each with its kind, in no particular order.
    ///
    /// # Errors
    /// When it cannot be listed.
    fn list_kinds(&self, directory: &Path, most: usize) -> anyhow::Result<Vec<(OsString, NameKind)>> {
        let names = self.list(directory)?.into_iter().take(most);
        let kind = |name: &OsString| NameKind::of(self.entry(&directory.join(name)));
        Ok(names.map(|name| (name.clone(), kind(&name))).collect())
    }

    /// Returns the properties of the file or directory at `path`, links followed.
    fn entry(&self, path: &Path) -> Option<FileEntry>;

    /// Returns the target of the link at `path`, as it is written; `None` if there is no link.
    fn link_target(&self, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// Returns the path with all links resolved.
    ///
    /// # Errors
    /// When it does not exist.
    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf>;

    /// Returns an environment variable.
    fn env(&self, name: &str) -> Option<OsString>;

    /// Returns the working directory, if it still exists.
    fn current_dir(&self) -> Option<PathBuf>;

    /// Returns the operating system and the processor.
    fn system(&self) -> System;

    /// Reports whether the user is root. A recording doesn't say.
    fn is_root(&self) -> bool {
        false
    }

    /// Returns the number of bytes that this user may still write on the file system of `path`; `None` if unknown.
    fn free_space(&self, path: &Path) -> Option<u64>;
}

/// Kind of a name in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A regular file, or a link to one.
    File,
    /// A directory.
    Directory,
    /// A link to a directory.
    LinkedDirectory,
    /// Anything else.
    Other,
}

impl NameKind {
    /// Returns the kind of a file or directory with these properties.
    pub fn of(entry: Option<FileEntry>) -> Self {
        match entry {
            Some(entry) if entry.is_file => Self::File,
            Some(entry) if entry.is_directory => Self::Directory,
            _ => Self::Other,
        }
    }
}

/// Maximum number of bytes kept of each output stream of a probed program; the rest is read and dropped.
pub const OUTPUT_LIMIT: usize = 512 << 10;

/// Time limit for a key command.
pub const KEY_PATIENCE: Duration = Duration::from_secs(5);

/// Maximum size in bytes of a key from a command or a file.
pub const KEY_LIMIT: usize = 4 << 10;

/// Arguments of the resident process, which keeps a model loaded.
pub const RESIDENT_ARGUMENTS: [&str; 2] = ["daemon", "run"];

/// Arguments of the process that prefetches further suggestions.
pub const PREFETCH_ARGUMENTS: [&str; 1] = ["prefetch"];

/// Environment variables of the resident process: the location of its socket, and library paths that it may need to
/// start.
pub const RESIDENT_VARIABLES: [&str; 4] =
    ["XDG_RUNTIME_DIR", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];

/// Returns the path of `program`, a name without a slash, on `PATH`. Relative directories are skipped, because their
/// content depends on the working directory.
pub fn find_on_path(host: &dyn Host, program: &str) -> Option<PathBuf> {
    find_in(host, &host.env("PATH")?, program)
}

/// Returns the path of `program`, a name without a slash, in the directories of a look.
pub fn find_in_system(host: &dyn Host, program: &str) -> Option<PathBuf> {
    find_in(host, local::SYSTEM_PATH.as_ref(), program)
}

fn find_in(host: &dyn Host, path: &OsStr, program: &str) -> Option<PathBuf> {
    if program.is_empty() || program.contains('/') {
        return None;
    }
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(program))
        .find(|file| host.entry(file).is_some_and(|entry| entry.executable))
}

/// Returns the whole seconds from the start of 1970 to `time`; 0 if it is earlier.
pub fn seconds_since_1970(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Output of a probe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// `true` if the exit status is 0.
    pub success: bool,
    /// Standard output, truncated at the limit.
    pub stdout: Vec<u8>,
    /// Standard error, truncated at the limit.
    pub stderr: Vec<u8>,
}

/// Properties of a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEntry {
    /// `true` for a regular file.
    pub is_file: bool,
    /// `true` for a directory.
    pub is_directory: bool,
    /// `true` for a file that this process may execute.
    pub executable: bool,
    /// `true` for a file that this process may write to, and for a directory in which it may create files.
    pub writable: bool,
    /// Permission bits, such as 0o644.
    pub mode: u32,
    /// User id of the owner; 0 is root.
    pub owner: u32,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change.
    pub modified: SystemTime,
}

/// Operating system and processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// System name as in `std::env::consts::OS`: `linux`, `macos`, `freebsd`, `android` …
    pub os: String,
    /// Kernel release, such as `6.1.0-18-amd64`.
    pub release: String,
    /// Processor name of the kernel, such as `x86_64` or `aarch64`.
    pub machine: String,
}
