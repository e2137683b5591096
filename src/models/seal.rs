//! The mark beside a model file that says which bytes were found intact, so that a key press needs no hashing.
//!
//! A seal holds size, time of change and SHA-256 of the file as it was when it was hashed. It protects against damage
//! and mix-ups, not against somebody who can write to the user's own directory.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::manifest::Entry;
use crate::store;

const KIND: &str = "seal";
const VERSION: u32 = 1;
/// Largest seal that is read, bytes.
const LIMIT: u64 = 1 << 10;

/// Seals a file whose hash was found to be the entry's.
pub(super) fn set(entry: &Entry, file: &Path) -> anyhow::Result<()> {
    store::write_versioned(&path_of(file), KIND, VERSION, body(entry, file)?.as_bytes())
}

/// The file is as it was when it was sealed for this entry.
pub(super) fn holds(entry: &Entry, file: &Path) -> bool {
    let kept = store::read_versioned(&path_of(file), KIND, VERSION, LIMIT).ok().flatten();
    kept.is_some_and(|kept| body(entry, file).is_ok_and(|now| now.as_bytes() == kept))
}

/// Where the seal of a file lies.
pub(super) fn path_of(file: &Path) -> PathBuf {
    super::beside(file, "seal")
}

fn body(entry: &Entry, file: &Path) -> anyhow::Result<String> {
    let found = fs::metadata(file).with_context(|| format!("can't look at {}", file.display()))?;
    Ok(format!("{} {}.{:09} {}\n", found.len(), found.mtime(), found.mtime_nsec(), entry.sha256))
}
