//! A machine replayed from a file, for tests and bug reports: `ASKLINE_HOST=recorded:FILE`.
//!
//! ```toml
//! current_dir = "/home/ada"
//! programs = ["/usr/bin/ls", "/usr/bin/zsh"]   # executable files
//! directories = ["/home/ada/empty"]            # those that no other path implies
//! [system]
//! os = "linux"                                 # as std::env::consts::OS names it
//! release = "6.1.0"
//! machine = "x86_64"
//! [env]
//! PATH = "/bin"
//! [files]                                      # path = text
//! "/etc/os-release" = "ID=debian\n"
//! [links]                                      # path = target
//! "/bin" = "usr/bin"
//! [modes]                                      # permission bits that differ from 0o644 and 0o755
//! "/tmp" = 0o1777
//! [owners]                                     # user ids that differ from 0
//! "/home/ada" = 1000
//! [[probes]]
//! program = "/usr/bin/zsh"
//! arguments = ["--version"]
//! stdout = "zsh 5.9\n"                          # also: stderr, success = false, and input for the text on stdin
//! ```
//! Anything not recorded does not exist: asking for it is an error that names the missing row. Every file was last
//! changed at the start of 1970.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use super::{FileEntry, Host, OUTPUT_LIMIT, Output, Probe, System};

/// Maximum size of a recording in bytes.
pub const RECORDING_LIMIT: u64 = 16 << 20;

/// Maximum number of links on the way to one file, as in Linux.
const LINKS_LIMIT: usize = 40;

/// A host that replays a recording.
#[derive(Debug, Clone)]
pub struct RecordedHost {
    rows: Rows,
    /// All directories, including those implied by other paths.
    directories: BTreeSet<PathBuf>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    current_dir: Option<PathBuf>,
    #[serde(default)]
    programs: BTreeSet<PathBuf>,
    #[serde(default)]
    directories: BTreeSet<PathBuf>,
    system: SystemRow,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    files: BTreeMap<PathBuf, String>,
    #[serde(default)]
    links: BTreeMap<PathBuf, PathBuf>,
    #[serde(default)]
    modes: BTreeMap<PathBuf, u32>,
    #[serde(default)]
    owners: BTreeMap<PathBuf, u32>,
    #[serde(default)]
    probes: Vec<ProbeRow>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemRow {
    os: String,
    release: String,
    machine: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProbeRow {
    program: PathBuf,
    arguments: Vec<String>,
    input: Option<String>,
    #[serde(default = "succeeded")]
    success: bool,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
}

fn succeeded() -> bool {
    true
}

impl RecordedHost {
    /// Parses a recording; `path` is only used in messages.
    ///
    /// # Errors
    /// When it is not a recording of the format above.
    pub fn parse(path: &Path, text: &str) -> anyhow::Result<Self> {
        let rows: Rows =
            toml::from_str(text).with_context(|| format!("{} is not a recording", path.display()))?;
        let mut directories: BTreeSet<PathBuf> = rows.directories.clone();
        let paths = rows.programs.iter().chain(&rows.directories).chain(rows.current_dir.as_ref());
        for path in paths.chain(rows.files.keys()).chain(rows.links.keys()) {
            ensure!(path.is_absolute(), "{} has a relative path: {path:?}", path.display());
            directories.extend(path.ancestors().skip(1).map(Path::to_owned));
        }
        directories.extend(rows.current_dir.clone());
        Ok(Self { rows, directories })
    }

    /// Resolves the links in `path`; the last component need not exist.
    fn resolve(&self, path: &Path) -> anyhow::Result<PathBuf> {
        let mut left: Vec<OsString> = parts(path);
        let mut resolved = PathBuf::from("/");
        let mut n_links = 0;
        while let Some(part) = left.pop() {
            if part == ".." {
                resolved.pop();
                continue;
            }
            resolved.push(part);
            if let Some(target) = self.rows.links.get(&resolved) {
                n_links += 1;
                ensure!(n_links <= LINKS_LIMIT, "{} has too many links", path.display());
                resolved.pop();
                if target.is_absolute() {
                    resolved = PathBuf::from("/");
                }
                left.extend(parts(target));
            }
        }
        Ok(resolved)
    }
}

/// Returns the components of a path, last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    parts.rev().map(|part| part.as_os_str().to_owned()).collect()
}

impl Host for RecordedHost {
    fn probe(&self, program: &Path, probe: &Probe) -> anyhow::Result<Output> {
        let arguments = probe.arguments();
        let row = self.rows.probes.iter().find(|row| {
            row.program == program
                && row.arguments.iter().map(OsString::from).eq(arguments.iter().cloned())
                && row.input.as_deref() == probe.input()
        });
        let row = row.with_context(|| {
            format!("the recording has no row [[probes]] for {} with {arguments:?}", program.display())
        })?;
        let cut = |text: &str| text.bytes().take(OUTPUT_LIMIT).collect();
        Ok(Output { success: row.success, stdout: cut(&row.stdout), stderr: cut(&row.stderr) })
    }

    fn read(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        let path = &self.resolve(path)?;
        let is_open = self.rows.modes.get(path).is_none_or(|mode| mode & 0o444 != 0);
        ensure!(is_open, "{} can't be read", path.display());
        let text = self.rows.files.get(path);
        let text = text.with_context(|| format!("the recording has no row [files] {path:?}"))?;
        ensure!(text.len() as u64 <= limit, "{} is larger than {limit} bytes", path.display());
        Ok(text.clone().into_bytes())
    }

    fn head(&self, path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
        let mut bytes = self.read(path, RECORDING_LIMIT)?;
        bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    fn list(&self, directory: &Path) -> anyhow::Result<Vec<OsString>> {
        let directory = self.resolve(directory)?;
        ensure!(self.directories.contains(&directory), "the recording has no path below {directory:?}");
        let rows = &self.rows;
        let paths =
            rows.programs.iter().chain(&self.directories).chain(rows.files.keys()).chain(rows.links.keys());
        let names: BTreeSet<OsString> = paths
            .filter(|path| path.parent() == Some(&directory))
            .filter_map(|path| path.file_name().map(OsString::from))
            .collect();
        Ok(names.into_iter().collect())
    }

    fn entry(&self, path: &Path) -> Option<FileEntry> {
        let path = self.resolve(path).ok()?;
        let text = self.rows.files.get(&path);
        let executable = self.rows.programs.contains(&path);
        let is_directory = self.directories.contains(&path);
        let is_file = text.is_some() || executable;
        (is_file || is_directory).then(|| FileEntry {
            is_file,
            is_directory,
            executable,
            writable: is_directory && self.rows.modes.get(&path).is_none_or(|mode| mode & 0o222 != 0),
            owner: self.rows.owners.get(&path).copied().unwrap_or(0),
            mode: self.rows.modes.get(&path).copied().unwrap_or(if text.is_some() { 0o644 } else { 0o755 }),
            size: text.map_or(0, |text| text.len() as u64),
            modified: SystemTime::UNIX_EPOCH,
        })
    }

    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        let directory = self.resolve(path.parent()?).ok()?;
        self.rows.links.get(&directory.join(path.file_name()?)).cloned()
    }

    fn real_path(&self, path: &Path) -> anyhow::Result<PathBuf> {
        let real = self.resolve(path)?;
        self.entry(&real).with_context(|| format!("the recording has no path {path:?}"))?;
        Ok(real)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        self.rows.env.get(name).map(OsString::from)
    }

    fn current_dir(&self) -> Option<PathBuf> {
        self.rows.current_dir.clone()
    }

    fn system(&self) -> System {
        let SystemRow { os, release, machine } = self.rows.system.clone();
        System { os, release, machine }
    }

    fn free_space(&self, _path: &Path) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: &str = r#"
        current_dir = "/home/ada"
        programs = ["/usr/bin/busybox", "/usr/bin/zsh"]
        [system]
        os = "linux"
        release = "6.1.0"
        machine = "x86_64"
        [env]
        PATH = "relative:/bin:/sbin"
        [files]
        "/etc/os-release" = "ID=alpine\n"
        [links]
        "/bin" = "usr/bin"
        "/usr/bin/ls" = "../../bin/busybox"
        "/loop" = "/loop"
        [modes]
        "/etc" = 0o700
        [[probes]]
        program = "/usr/bin/zsh"
        arguments = ["--version"]
        stdout = "zsh 5.9\n"
    "#;

    fn machine() -> RecordedHost {
        RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap()
    }

    #[test]
    fn a_recording_answers_like_a_machine() {
        let host = machine();
        assert_eq!(host.real_path(Path::new("/bin/ls")).unwrap(), Path::new("/usr/bin/busybox"));
        assert_eq!(super::super::find_on_path(&host, "ls").unwrap(), Path::new("/bin/ls"));
        assert_eq!(host.link_target(Path::new("/bin/ls")).unwrap(), Path::new("../../bin/busybox"));
        assert_eq!(host.link_target(Path::new("/bin/zsh")), None);
        assert_eq!(host.list(Path::new("/bin")).unwrap(), ["busybox", "ls", "zsh"]);
        assert_eq!(host.read(Path::new("/etc/../etc/os-release"), 100).unwrap(), b"ID=alpine\n");
        assert_eq!(host.entry(Path::new("/etc")).unwrap().mode, 0o700);
        assert!(host.entry(Path::new("/usr")).unwrap().is_directory);
        let output = host.probe(Path::new("/usr/bin/zsh"), &Probe::Version).unwrap();
        assert_eq!(output, Output { success: true, stdout: b"zsh 5.9\n".into(), stderr: Vec::new() });
    }

    #[test]
    fn a_missing_row_is_named() {
        let host = machine();
        let assert_error =
            |error: anyhow::Error, what: &str| assert!(format!("{error:#}").contains(what), "{error:#}");
        assert_error(host.read(Path::new("/etc/passwd"), 100).unwrap_err(), "[files] \"/etc/passwd\"");
        assert_error(host.read(Path::new("/etc/os-release"), 3).unwrap_err(), "larger than 3 bytes");
        assert_error(
            host.probe(Path::new("/bin/fish"), &Probe::Version).unwrap_err(),
            "/bin/fish with [\"--version\"]",
        );
        assert_error(host.list(Path::new("/opt")).unwrap_err(), "\"/opt\"");
        assert_error(host.real_path(Path::new("/opt")).unwrap_err(), "\"/opt\"");
        assert_error(host.real_path(Path::new("/loop")).unwrap_err(), "too many links");
        assert_error(
            RecordedHost::parse(Path::new("x.toml"), "colour = 1").unwrap_err(),
            "x.toml is not a recording",
        );
        assert!(host.entry(Path::new("/opt")).is_none());
    }
}
