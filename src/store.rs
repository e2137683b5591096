//! Our own files: private, atomically replaced, owner and type checked before reading.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::host::Host;

/// Where our files live, by the XDG directories (or the platform's own).
#[derive(Debug, Clone)]
pub struct Paths {
    /// `config.toml`.
    pub config_file: PathBuf,
    /// What can be computed again.
    pub cache: PathBuf,
    /// Model files.
    pub models: PathBuf,
}

impl Paths {
    /// The directories of the user this runs as; `ASKLINE_CONFIG` names another configuration file.
    ///
    /// # Errors
    /// When the user has no home directory.
    pub fn of_user(host: &dyn Host) -> anyhow::Result<Self> {
        let user =
            directories::ProjectDirs::from("", "", "askline").context("no home directory; set HOME")?;
        let config_file =
            host.env("ASKLINE_CONFIG").map_or_else(|| user.config_dir().join("config.toml"), PathBuf::from);
        Ok(Self { config_file, cache: user.cache_dir().to_owned(), models: user.data_dir().join("models") })
    }
}

/// Writes one of our files: directories 0700, file 0600, temporary file + fsync + rename, so that a reader sees the
/// old or the new content whole.
///
/// # Errors
/// When the disk is full or the directory can't be written; the old content stays.
pub fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::DirBuilderExt as _;
    let directory = path.parent().context("a file without a directory")?;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut file = tempfile::Builder::new().prefix(".tmp-").tempfile_in(directory)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Reads one of our files of at most `limit` bytes.
///
/// # Errors
/// When it is missing or larger.
pub fn read(path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    let size = std::fs::metadata(path)?.len();
    anyhow::ensure!(size <= limit, "{} is larger than {limit} bytes", path.display());
    Ok(std::fs::read(path)?)
}
