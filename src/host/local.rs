//! The machine this runs on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Entry, Host, Output, Probe};

/// The machine this runs on.
#[derive(Debug, Clone, Copy)]
pub struct LocalHost;

impl Host for LocalHost {
    fn probe(&self, _program: &Path, _probe: &Probe) -> anyhow::Result<Output> {
        anyhow::bail!("not written yet")
    }

    fn read(&self, path: &Path, _limit: u64) -> anyhow::Result<Vec<u8>> {
        Ok(std::fs::read(path)?)
    }

    fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>> {
        Ok(std::fs::read_dir(directory)?.filter_map(Result::ok).map(|entry| entry.file_name()).collect())
    }

    fn entry(&self, _path: &Path) -> Option<Entry> {
        None
    }

    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        Ok(path.canonicalize()?)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }

    fn current_dir(&self) -> Option<PathBuf> {
        std::env::current_dir().ok()
    }
}
