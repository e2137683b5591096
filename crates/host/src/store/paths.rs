//! Locations of askline's files.

use std::path::PathBuf;

use anyhow::{Context as _, ensure};

use crate::Host;

/// Locations of askline's files, by the XDG directories (or the platform's own).
#[derive(Debug, Clone)]
pub struct Paths {
    /// The file `config.toml`.
    pub config_file: PathBuf,
    /// Data that can be recomputed.
    pub cache: PathBuf,
    /// Model files.
    pub models: PathBuf,
    /// Usage statistics.
    pub stats: PathBuf,
    /// Sessions of investigations.
    pub sessions: PathBuf,
}

impl Paths {
    /// Returns the locations for the current user; `ASKLINE_CONFIG` names another configuration file.
    ///
    /// # Errors
    /// When the user has no home directory, or one that depends on the working directory.
    pub fn of_user(host: &dyn Host) -> anyhow::Result<Self> {
        let user =
            directories::ProjectDirs::from("", "", "askline").context("no home directory; set HOME")?;
        // A relative path would put configuration and models into the working directory.
        let is_full =
            [user.config_dir(), user.cache_dir(), user.data_dir()].iter().all(|path| path.is_absolute());
        ensure!(is_full, "HOME is not a full path; set it to your home directory");
        let config_file =
            host.env("ASKLINE_CONFIG").map_or_else(|| user.config_dir().join("config.toml"), PathBuf::from);
        let data = user.data_dir();
        let (models, stats, sessions) = (data.join("models"), data.join("stats"), data.join("sessions"));
        Ok(Self { config_file, cache: user.cache_dir().to_owned(), models, stats, sessions })
    }
}
