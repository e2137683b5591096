//! The seam to this machine: files, environment and the few programs we start.
//!
//! Nothing that a user or a model wrote can be run: a process starts only through [`Host::probe`], and [`Probe`] holds
//! every argument vector there is.

pub mod local;
pub mod recorded;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// This machine, or a recording of one.
pub trait Host: Sync {
    /// Starts `program` with the fixed arguments of `probe`, without input, bounded in time and output.
    ///
    /// # Errors
    /// When it can't be started or ran out of its bounds.
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
}

/// Every argument vector that we ever start a program with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// `program --version`.
    Version,
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
    /// This process may execute it.
    pub executable: bool,
    /// Size in bytes.
    pub size: u64,
    /// When it last changed.
    pub modified: SystemTime,
}
