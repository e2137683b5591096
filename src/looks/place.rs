//! Places: where a tool may look.

use std::path::{Component, Path, PathBuf};

use askline_host::{FileEntry, Host};
use askline_risk::allow::is_secret;

/// An existing file or directory.
#[derive(Debug)]
pub(super) struct Place {
    /// Path as the call names it.
    pub(super) shown: String,
    /// Path with all links resolved.
    pub(super) real: PathBuf,
    /// Its properties.
    pub(super) entry: FileEntry,
}

impl Place {
    /// Returns the place of a path, seen from the working directory.
    ///
    /// # Errors
    /// When it does not exist, or a link leads out of the working directory to it.
    pub(super) fn of(host: &dyn Host, path: &str) -> Result<Self, String> {
        let missing = || format!("`{path}` does not exist or can't be read");
        let here = host.current_dir().ok_or("the working directory is gone")?;
        let named = normal(&here.join(expanded(host, path)));
        let real = host.real_path(&named).map_err(|_| missing())?;
        let entry = host.entry(&real).ok_or_else(missing)?;
        let real_here = host.real_path(&here).map_err(|_| missing())?;
        let is_inside = named.starts_with(&here) || named.starts_with(&real_here);
        if is_inside && !real.starts_with(&real_here) {
            return Err(format!("`{path}` is a link that leads out of the directory; it is not followed"));
        }
        Ok(Self { shown: path.to_owned(), real, entry })
    }

    /// Checks that the content may be shown: a file in the working directory, or a public file of the system.
    ///
    /// # Errors
    /// The reason why not.
    pub(super) fn may_show_content(&self, host: &dyn Host) -> Result<(), String> {
        let shown = &self.shown;
        if is_secret_path(&self.real) {
            return Err(format!("`{shown}` may hold secrets; it is not read"));
        }
        let here = host.current_dir().and_then(|here| host.real_path(&here).ok());
        let is_inside = here.is_some_and(|here| self.real.starts_with(here));
        let is_public = self.entry.owner == 0 && self.entry.mode & 0o004 != 0;
        match is_inside || is_public {
            true => Ok(()),
            false => {
                Err(format!("`{shown}` is outside of the directory; only names and sizes are shown there"))
            }
        }
    }
}

/// Reports whether a path names keys, passwords, histories or devices.
pub(super) fn is_secret_path(path: &Path) -> bool {
    path.to_str().is_none_or(is_secret)
}

/// Returns the path with `~` replaced by the home directory.
pub(super) fn expanded(host: &dyn Host, path: &str) -> PathBuf {
    let home = || Some(PathBuf::from(host.env("HOME")?));
    match path.strip_prefix('~') {
        Some("") => home().unwrap_or_else(|| path.into()),
        Some(rest) if rest.starts_with('/') => {
            home().map_or_else(|| path.into(), |home| home.join(rest.trim_start_matches('/')))
        }
        _ => path.into(),
    }
}

/// Returns the path without `.` and `..`, by its text alone.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}
