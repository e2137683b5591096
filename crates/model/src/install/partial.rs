//! Partial model file: grows at its end, is hashed as it grows, and is installed only if the hash is right.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};

use super::manifest::ModelEntry;
use super::verified_stamp;
use super::{News, megabytes};
use crate::gguf;
use askline_host::Host;
use askline_host::store;
use askline_host::store::Unwritable;

/// Number of bytes to read and hash at once.
pub(super) const CHUNK: usize = 1 << 20;
/// Space that must stay free on the disk in addition to the download, in bytes.
const MARGIN: u64 = 64 << 20;
/// Remedy for a full disk, besides freeing space.
const ELSEWHERE: &str = "set XDG_DATA_HOME to a directory on another disk";

/// Partial model file. Written bytes stay if the process is killed.
pub(super) struct Partial<'a> {
    entry: &'a ModelEntry,
    path: PathBuf,
    /// Final path, which messages contain.
    to: PathBuf,
    file: File,
    hash: Sha256,
    length: u64,
}

/// Error: the bytes are not the model's.
#[derive(Debug)]
pub(super) struct WrongBytes;

impl std::fmt::Display for WrongBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the file is not this model (SHA-256 differs)")
    }
}

impl std::error::Error for WrongBytes {}

impl<'a> Partial<'a> {
    /// Continues the earlier download at `path`, or starts one; `to` is the final path. Existing bytes are read
    /// and hashed.
    pub(super) fn resume(
        entry: &'a ModelEntry,
        path: &Path,
        to: &Path,
        news: &mut dyn FnMut(News<'_>),
    ) -> anyhow::Result<Self> {
        let mut partial = Self::open(entry, path, to)?;
        let length = partial.file.metadata()?.len();
        if entry.size < length {
            partial.restart()?;
            return Ok(partial);
        }
        if 0 < length {
            news(News::Begin { what: "reading the partial download", total: length, done: 0 });
            partial.hash = hash(&mut partial.file, news)?;
            partial.length = length;
        }
        Ok(partial)
    }

    /// Starts a new download at `path`; `to` is the final path.
    pub(super) fn start(entry: &'a ModelEntry, path: &Path, to: &Path) -> anyhow::Result<Self> {
        let mut partial = Self::open(entry, path, to)?;
        partial.restart()?;
        Ok(partial)
    }

    fn open(entry: &'a ModelEntry, path: &Path, to: &Path) -> anyhow::Result<Self> {
        let file = store::open_to_append(path).map_err(|error| going_to(to, entry.size, error))?;
        let (path, to) = (path.to_owned(), to.to_owned());
        Ok(Self { entry, path, to, file, hash: Sha256::new(), length: 0 })
    }

    /// Returns the number of bytes present.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Discards the bytes present.
    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        self.file.set_len(0).map_err(|error| store::not_written(&self.to, error))?;
        self.hash = Sha256::new();
        self.length = 0;
        Ok(())
    }

    /// Appends bytes; fails if they exceed the model's size.
    pub(super) fn append(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let length = self.length + bytes.len() as u64;
        ensure!(length <= self.entry.size, "it sends more than {} bytes", self.entry.size);
        self.file.write_all(bytes).map_err(|error| {
            let still = self.entry.size - self.length;
            going_to(&self.to, still, store::not_written(&self.to, error))
        })?;
        self.hash.update(bytes);
        self.length = length;
        Ok(())
    }

    /// Checks that the missing bytes and `beside` further ones fit on the disk.
    pub(super) fn check_space(&self, host: &dyn Host, beside: u64) -> anyhow::Result<()> {
        let directory = self.to.parent().context("the file has no directory")?;
        let needed = (self.entry.size - self.length).saturating_add(beside).saturating_add(MARGIN);
        // If the system can't report free space, writing will show it.
        let free = host.free_space(directory).unwrap_or(u64::MAX);
        if free < needed {
            let (needed, free) = (megabytes(needed), megabytes(free));
            let why =
                format!("the disk is too full: {needed} needed, {free} free; free some, or {ELSEWHERE}");
            bail!(Unwritable { place: directory.to_owned(), why });
        }
        Ok(())
    }

    /// Moves the file to its final path and returns its hash, if that is the model's (or none is known yet) and it is a whole
    /// GGUF file; otherwise deletes it.
    ///
    /// # Errors
    ///
    /// [`WrongBytes`], or the error of a failed step.
    pub(super) fn install(self) -> anyhow::Result<String> {
        if self.length < self.entry.size {
            bail!("it ended after {} of {} bytes", self.length, self.entry.size);
        }
        let sha256 = hex(&self.hash.finalize());
        let known = self.entry.sha256.as_str();
        let is_other = !known.is_empty() && known != sha256;
        let right = if is_other { Err(WrongBytes.into()) } else { gguf::check(&self.path) };
        if let Err(why) = right {
            store::remove(&self.path)?;
            return Err(why);
        }
        store::install(&self.file, &self.path, &self.to)?;
        verified_stamp::set(&ModelEntry { sha256: sha256.clone(), ..self.entry.clone() }, &self.to)?;
        Ok(sha256)
    }
}

/// Extends a disk error with the final path `to`, the number of bytes missing, `still`, and a remedy.
pub(super) fn going_to(to: &Path, still: u64, error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Unwritable>() {
        Ok(Unwritable { why, .. }) => {
            let still = megabytes(still);
            let why = format!("{why}, or {ELSEWHERE}; {still} are missing, and the partial download is kept");
            Unwritable { place: to.to_owned(), why }.into()
        }
        Err(other) => other,
    }
}

/// Hashes a whole file with SHA-256.
pub(super) fn hash(file: &mut File, news: &mut dyn FnMut(News<'_>)) -> anyhow::Result<Sha256> {
    file.seek(SeekFrom::Start(0))?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(hash),
            n => {
                hash.update(chunk.get(..n).unwrap_or_default());
                news(News::Advance(n as u64));
            }
        }
    }
}

/// Returns lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
