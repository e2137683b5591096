//! What a line changes, and the sentences that say so.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Maximum number of names in a sentence.
const NAMES_MAX: usize = 4;

/// What a line would change. All paths are absolute, sorted, and without links before their last component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effect {
    /// The working directory before the line, for relative names.
    pub(crate) from: PathBuf,
    /// Those of the names below that are directories, before or after the line.
    pub(crate) directories: BTreeSet<PathBuf>,
    /// Names that are gone for good, directories included.
    pub removed: Vec<PathBuf>,
    /// Names that get another place.
    pub moved: Vec<Move>,
    /// Places of moved names that were free.
    pub arrived: Vec<PathBuf>,
    /// Files whose whole content is replaced.
    pub overwritten: Vec<PathBuf>,
    /// Files whose content is changed in part, or may be.
    pub edited: Vec<PathBuf>,
    /// Names that did not exist.
    pub created: Vec<PathBuf>,
    /// Names whose mode, owner or time is set.
    pub attributes: Vec<PathBuf>,
    /// Bytes of the files that are removed or overwritten.
    pub bytes_lost: u64,
    /// What the line cannot do, "NAME: why".
    pub failures: Vec<String>,
}

/// A name that gets another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Path before the line.
    pub from: PathBuf,
    /// Path after it.
    pub to: PathBuf,
}

impl Effect {
    /// Reports whether the line changes nothing.
    pub fn is_nothing(&self) -> bool {
        self.removed.is_empty()
            && self.moved.is_empty()
            && self.arrived.is_empty()
            && self.overwritten.is_empty()
            && self.edited.is_empty()
            && self.created.is_empty()
            && self.attributes.is_empty()
    }

    /// Returns the effect in sentences, the worst first.
    pub fn sentences(&self) -> Vec<String> {
        let tell = |does: &str, paths: &[PathBuf]| self.sentence(does, paths);
        let lost = match self.bytes_lost {
            0 => String::new(),
            size => format!("; {} cannot be recovered", bytes(size)),
        };
        let mut sentences = Vec::new();
        let is_last = self.overwritten.is_empty();
        sentences
            .extend(tell("removes", &self.removed).map(|text| if is_last { text + &lost } else { text }));
        sentences.extend(tell("overwrites", &self.overwritten).map(|text| text + &lost));
        let from: Vec<PathBuf> = self.moved.iter().map(|moved| moved.from.clone()).collect();
        sentences.extend(tell("moves", &from).map(|text| text + &self.destination()));
        sentences.extend(tell("edits", &self.edited));
        sentences.extend(tell("sets attributes of", &self.attributes));
        sentences.extend(tell("creates", &self.created));
        sentences.extend(self.failures.iter().take(NAMES_MAX).map(|failure| format!("fails: {failure}")));
        if sentences.is_empty() {
            sentences.push("changes no file".to_owned());
        }
        sentences
    }

    fn sentence(&self, does: &str, paths: &[PathBuf]) -> Option<String> {
        let directories = paths.iter().filter(|path| self.directories.contains(*path)).count();
        let files = paths.len() - directories;
        let counts = [(files, "file", "files"), (directories, "directory", "directories")];
        let counts = counts.iter().filter(|(count, ..)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        if counts.is_empty() {
            return None;
        }
        let names: Vec<String> = paths.iter().take(NAMES_MAX).map(|path| self.name(path)).collect();
        let more = if paths.len() > NAMES_MAX { ", …" } else { "" };
        Some(format!("{does} {}: {}{more}", counts.join(" and "), names.join(", ")))
    }

    /// Returns " to X" if all moved names go to one place.
    fn destination(&self) -> String {
        match self.moved.as_slice() {
            [] => String::new(),
            [one] => format!(" to {}", self.name(&one.to)),
            [first, rest @ ..] => {
                let Some(place) = first.to.parent() else { return String::new() };
                let is_common = rest.iter().all(|moved| moved.to.starts_with(place));
                if is_common { format!(" to {}/", self.name(place)) } else { String::new() }
            }
        }
    }

    /// Returns a path as a person would type it here.
    fn name(&self, path: &Path) -> String {
        match path.strip_prefix(&self.from) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => rest.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }
}

/// Returns a size with a unit: `12 bytes`, `4.2 MB`.
fn bytes(size: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.iter().find(|(unit, _)| size >= *unit) {
        Some((unit, name)) => {
            let tenths = size / (unit / 10);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None if size == 1 => "1 byte".to_owned(),
        None => format!("{size} bytes"),
    }
}
