//! Verified stamp: a file beside a model file that records a successful hash check, so a key press needs no
//! hashing.
//!
//! A stamp contains the size, modification time and SHA-256 of the file when it was hashed. It protects against
//! damage and mix-ups, not against an attacker who can write to the user's own directory.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::manifest::ModelEntry;
use askline_host::store;

const KIND: &str = "seal";
const VERSION: u32 = 1;
/// Maximum size of a stamp, in bytes.
const LIMIT: u64 = 1 << 10;

/// Writes the stamp for a file whose hash was verified, in its current state.
pub(super) fn set(entry: &ModelEntry, file: &Path) -> anyhow::Result<()> {
    let found = fs::metadata(file).with_context(|| format!("can't access {}", file.display()))?;
    set_as(entry, file, &found)
}

/// Writes the stamp for a file in the state in which it was hashed.
pub(super) fn set_as(entry: &ModelEntry, file: &Path, hashed: &Metadata) -> anyhow::Result<()> {
    store::write_versioned(&path_of(file), KIND, VERSION, body(entry, hashed).as_bytes())
}

/// Reports whether a file was not written between two metadata reads.
pub(super) fn same(entry: &ModelEntry, before: &Metadata, after: &Metadata) -> bool {
    body(entry, before) == body(entry, after)
}

/// Reports whether the file is unchanged since its stamp was written for this entry.
pub(super) fn holds(entry: &ModelEntry, file: &Path) -> bool {
    let kept = store::read_versioned(&path_of(file), KIND, VERSION, LIMIT).ok().flatten();
    kept.is_some_and(|kept| fs::metadata(file).is_ok_and(|now| body(entry, &now).as_bytes() == kept))
}

/// Returns the path of a file's stamp.
pub(super) fn path_of(file: &Path) -> PathBuf {
    super::beside(file, "seal")
}

fn body(entry: &ModelEntry, found: &Metadata) -> String {
    format!("{} {}.{:09} {}\n", found.len(), found.mtime(), found.mtime_nsec(), entry.sha256)
}
