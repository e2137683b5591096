//! The mark beside a model file that says which bytes were found intact, so that a key press needs no hashing.
//!
//! A seal holds size, time of change and SHA-256 of the file as it was when it was hashed. It protects against damage
//! and mix-ups, not against somebody who can write to the user's own directory.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::manifest::Entry;
use crate::store;

const KIND: &str = "seal";
const VERSION: u32 = 1;
/// Largest seal that is read, bytes.
const LIMIT: u64 = 1 << 10;

/// Seals a file whose hash was found to be the entry's, as it is now.
pub(super) fn set(entry: &Entry, file: &Path) -> anyhow::Result<()> {
    let found = fs::metadata(file).with_context(|| format!("can't look at {}", file.display()))?;
    set_as(entry, file, &found)
}

/// Seals a file as it was when it was hashed.
pub(super) fn set_as(entry: &Entry, file: &Path, hashed: &Metadata) -> anyhow::Result<()> {
    store::write_versioned(&path_of(file), KIND, VERSION, body(entry, hashed).as_bytes())
}

/// Nothing was written to a file between two looks at it.
pub(super) fn same(entry: &Entry, before: &Metadata, after: &Metadata) -> bool {
    body(entry, before) == body(entry, after)
}

/// The file is as it was when it was sealed for this entry.
pub(super) fn holds(entry: &Entry, file: &Path) -> bool {
    let kept = store::read_versioned(&path_of(file), KIND, VERSION, LIMIT).ok().flatten();
    kept.is_some_and(|kept| fs::metadata(file).is_ok_and(|now| body(entry, &now).as_bytes() == kept))
}

/// Where the seal of a file lies.
pub(super) fn path_of(file: &Path) -> PathBuf {
    super::beside(file, "seal")
}

fn body(entry: &Entry, found: &Metadata) -> String {
    format!("{} {}.{:09} {}\n", found.len(), found.mtime(), found.mtime_nsec(), entry.sha256)
}
