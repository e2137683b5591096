//! The seam to this machine: files, environment and the few programs we start.
//!
//! Nothing that a user or a model wrote can be run: a process starts only through [`Host::probe`], and [`Probe`] holds
//! every argument vector there is. Two real users: the machine this runs on ([`local`]) and a recording of one
//! ([`recorded`]), which replays bug reports and tests exactly.

pub mod local;
pub mod recorded;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// This machine, or a recording of one.
pub trait Host: Send + Sync {
    /// Starts `program`, an absolute path, with the fixed arguments of `probe`: in the root directory, without input,
    /// bounded in time by [`Probe::patience`] and in output by [`OUTPUT_LIMIT`].
    ///
    /// # Errors
    /// When it can't be started or has not ended in time. A failing exit status is no error.
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output>;

    /// Reads a file of at most `limit` bytes.
    ///
    /// # Errors
    /// When it can't be read or is larger.
    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>>;

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
pub const OUTPUT_LIMIT: usize = 256 << 10;

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

/// Every argument vector that we ever start a program with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// `program --version`.
    Version,
    /// Asks pip for its version; with `as_module` the program is Python.
    PipVersion {
        /// `python -I -m pip` instead of `pip`.
        as_module: bool,
    },
    /// Lets pip download one wheel without its dependencies and without running anything in it.
    PipDownload {
        /// `python -I -m pip` instead of `pip`.
        as_module: bool,
        /// The package; never starts with a dash.
        package: String,
        /// Its version.
        version: String,
        /// The directory that the wheel goes to.
        into: PathBuf,
    },
}

impl Probe {
    /// The arguments after the program's name.
    pub fn arguments(&self) -> Vec<OsString> {
        // Isolated, so that Python takes no module from the working directory or the environment.
        let pip = |as_module: &bool| if *as_module { &["-I", "-m", "pip"][..] } else { &[] };
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match self {
            Self::Version => words(&["--version"]),
            Self::PipVersion { as_module } => words(&[pip(as_module), &["--version"]].concat()),
            Self::PipDownload { as_module, package, version, into } => {
                let fixed = [
                    "download",
                    "--no-deps",
                    "--no-input",
                    "--no-cache-dir",
                    "--disable-pip-version-check",
                    "--only-binary=:all:",
                    "--dest",
                ];
                let mut arguments = words(&[pip(as_module), &fixed].concat());
                arguments.push(into.into());
                arguments.push(format!("{package}=={version}").into());
                arguments
            }
        }
    }

    /// How long the program may run before it and all it started are killed.
    pub fn patience(&self) -> Duration {
        match self {
            Self::Version => Duration::from_secs(2),
            // Python's first start from a cold disk takes seconds.
            Self::PipVersion { .. } => Duration::from_secs(20),
            // A wheel of 100 MB over a line of 1 MB/s, with ample room.
            Self::PipDownload { .. } => Duration::from_secs(20 * 60),
        }
    }

    /// Whether the program sees the user's whole environment; otherwise only what a program needs to run at all. pip
    /// finds its index, certificates and proxy there.
    pub fn inherits_environment(&self) -> bool {
        matches!(self, Self::PipVersion { .. } | Self::PipDownload { .. })
    }
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
