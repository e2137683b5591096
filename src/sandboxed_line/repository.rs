//! The repository that the git of a sandboxed line reads: none whose settings may start a program.
//!
//! Git asks each submodule for its state by a git of its own, which reads the settings there. So a repository with
//! submodules is refused, too. Its attributes start nothing without a setting.

use std::path::{Path, PathBuf};

use crate::repository::{Found, find, is_bare};
use askline_host::Host;
use askline_risk::allow::git_settings;

/// Maximum size of a configuration file, and of the files that name another directory, in bytes.
const SETTINGS_MAX: u64 = 64 << 10;
/// Maximum size of an index in bytes.
const INDEX_MAX: u64 = 64 << 20;
/// Mode of a submodule in an index.
const SUBMODULE: [u8; 4] = [0, 0, 0xe0, 0];
/// Files of settings in a git directory.
const SETTINGS: [&str; 2] = ["config", "config.worktree"];
/// File that names the git directory with the settings.
const COMMON: &str = "commondir";

/// A repository whose settings start nothing.
#[derive(Debug)]
pub(super) struct HarmlessRepository {
    /// The directory that holds its `.git`.
    pub(super) top: PathBuf,
    /// The directories of git: its own, and of a linked worktree the common one.
    pub(super) places: Vec<PathBuf>,
}

impl HarmlessRepository {
    /// Returns the repository that git finds from a directory, a path without links.
    ///
    /// # Errors
    /// The reason why git may not read it.
    pub(super) fn around(here: &Path, host: &dyn Host) -> Result<Option<Self>, String> {
        let top = match find(host, here) {
            // Where the `.git` is not sound, git takes the directory itself for a repository, with its `config`.
            Some(Found::WorkTree(top)) if !is_bare(host, &top) => top,
            Some(Found::WorkTree(bare) | Found::Bare(bare)) => {
                return Err(format!("{} is a bare repository; look from elsewhere", bare.display()));
            }
            None => return Ok(None),
        };
        let git = top.join(".git");
        let is_directory = host.entry(&git).is_some_and(|entry| entry.is_directory);
        let places = if is_directory { own(&git, host)? } else { linked(&git, host)? };
        let repository = Self { top, places };
        repository.check(host)?;
        Ok(Some(repository))
    }

    fn check(&self, host: &dyn Host) -> Result<(), String> {
        for place in &self.places {
            for name in SETTINGS {
                let file = place.join(name);
                if is_there(&file, host) {
                    let bytes = read(&file, SETTINGS_MAX, host)?;
                    let text = std::str::from_utf8(&bytes)
                        .map_err(|_| format!("{} is no text; look without git", file.display()))?;
                    git_settings(text)?;
                }
            }
            let names = host.list(place).map_err(|error| format!("{error:#}"))?;
            if names.iter().any(|name| name.as_encoded_bytes().starts_with(b"sharedindex.")) {
                return Err("its index is split; look without git".to_owned());
            }
            let index = place.join("index");
            // Another field with this value is rare, and refused.
            if is_there(&index, host)
                && read(&index, INDEX_MAX, host)?.windows(SUBMODULE.len()).any(|field| field == SUBMODULE)
            {
                return Err("git would read the settings of its submodules; look without git".to_owned());
            }
        }
        Ok(())
    }
}

/// Returns the git directory `git` itself. It must not name another one for its settings, as only linked worktrees do.
fn own(git: &Path, host: &dyn Host) -> Result<Vec<PathBuf>, String> {
    let own = real(git, host)?;
    if is_there(&own.join(COMMON), host) { Err(foreign(git)) } else { Ok(vec![own]) }
}

/// Returns the directories of the worktree whose `.git` is a file. The main repository must know it: a file could name any
/// other directory.
fn linked(git: &Path, host: &dyn Host) -> Result<Vec<PathBuf>, String> {
    let line = |file: &Path| -> Result<PathBuf, String> {
        let text = String::from_utf8(read(file, SETTINGS_MAX, host)?).map_err(|_| foreign(git))?;
        let text = text.trim_end_matches(['\n', '\r']);
        let text = text.strip_prefix("gitdir: ").unwrap_or(text);
        // As git does: from the directory of the file.
        Ok(file.parent().unwrap_or(Path::new("/")).join(text))
    };
    let own = real(&line(git)?, host)?;
    let back = own.join("gitdir");
    let common = own.join(COMMON);
    if !is_there(&back, host) || !is_there(&common, host) || real(&line(&back)?, host)? != real(git, host)? {
        return Err(foreign(git));
    }
    let common = real(&line(&common)?, host)?;
    Ok(vec![own, common])
}

fn foreign(git: &Path) -> String {
    format!("{} leads to another repository; look without git", git.display())
}

fn real(path: &Path, host: &dyn Host) -> Result<PathBuf, String> {
    host.real_path(path).map_err(|error| format!("{error:#}"))
}

fn read(path: &Path, bytes_max: u64, host: &dyn Host) -> Result<Vec<u8>, String> {
    host.read(path, bytes_max).map_err(|error| format!("{error:#}"))
}

/// Reports whether there is a name, also of a link to nothing.
fn is_there(path: &Path, host: &dyn Host) -> bool {
    host.entry(path).is_some() || host.link_target(path).is_some()
}
