//! A model file on its way: grows at its end, is hashed as it grows, and becomes the model only when the hash says so.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};

use super::manifest::Entry;
use super::seal;
use super::{News, megabytes};
use crate::host::Host;
use crate::store::{self, Unwritable};

/// Bytes read and hashed at once.
pub(super) const CHUNK: usize = 1 << 20;
/// What must stay free on the disk beside what a fetch writes, bytes.
const MARGIN: u64 = 64 << 20;
/// The way out that people have besides the disk itself.
const ELSEWHERE: &str = "set XDG_DATA_HOME to a directory on another disk";

/// A model file on its way. What was written stays when the process is killed.
pub(super) struct Partial<'a> {
    entry: &'a Entry,
    path: PathBuf,
    /// Where it goes when it is whole, which is also what messages name.
    to: PathBuf,
    file: File,
    hash: Sha256,
    length: u64,
}

/// The bytes are not the model's.
#[derive(Debug)]
pub(super) struct WrongBytes;

impl std::fmt::Display for WrongBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bytes are not this model's (SHA-256 differs)")
    }
}

impl std::error::Error for WrongBytes {}

impl<'a> Partial<'a> {
    /// Goes on with what an earlier fetch left at `path`, or starts there, on the way to `to`. What is there is read and
    /// hashed.
    pub(super) fn resume(
        entry: &'a Entry,
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
            news(News::Begin { what: "reading what is here", total: length, done: 0 });
            partial.hash = hash(&mut partial.file, news)?;
            partial.length = length;
        }
        Ok(partial)
    }

    /// Starts at `path` afresh, on the way to `to`.
    pub(super) fn start(entry: &'a Entry, path: &Path, to: &Path) -> anyhow::Result<Self> {
        let mut partial = Self::open(entry, path, to)?;
        partial.restart()?;
        Ok(partial)
    }

    fn open(entry: &'a Entry, path: &Path, to: &Path) -> anyhow::Result<Self> {
        let file = store::open_to_append(path).map_err(|error| going_to(to, entry.size, error))?;
        let (path, to) = (path.to_owned(), to.to_owned());
        Ok(Self { entry, path, to, file, hash: Sha256::new(), length: 0 })
    }

    /// Bytes that are here.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Forgets what is here.
    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        self.file.set_len(0).map_err(|error| store::not_written(&self.to, error))?;
        self.hash = Sha256::new();
        self.length = 0;
        Ok(())
    }

    /// Adds bytes at the end; more than the model has are refused.
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

    /// Fails unless what is still to come, and `beside` it, fits on the disk.
    pub(super) fn check_space(&self, host: &dyn Host, beside: u64) -> anyhow::Result<()> {
        let directory = self.to.parent().context("a file without a directory")?;
        let needed = (self.entry.size - self.length).saturating_add(beside).saturating_add(MARGIN);
        // Where the system can't tell, the disk itself will.
        let free = host.free_space(directory).unwrap_or(u64::MAX);
        if free < needed {
            let (needed, free) = (megabytes(needed), megabytes(free));
            let why =
                format!("the disk is too full: {needed} needed, {free} free; free some, or {ELSEWHERE}");
            bail!(Unwritable { place: directory.to_owned(), why });
        }
        Ok(())
    }

    /// Puts the file in its place if it is the model; else the bytes are thrown away.
    ///
    /// # Errors
    /// [`WrongBytes`], or what failed.
    pub(super) fn install(self) -> anyhow::Result<()> {
        if self.length < self.entry.size {
            bail!("it ended after {} of {} bytes", self.length, self.entry.size);
        }
        if hex(&self.hash.finalize()) != self.entry.sha256 {
            store::remove(&self.path)?;
            return Err(WrongBytes.into());
        }
        store::install(&self.file, &self.path, &self.to)?;
        seal::set(self.entry, &self.to)
    }
}

/// What the disk refused on the way to `to`, of which `still` bytes are to come: names that file and a way out.
pub(super) fn going_to(to: &Path, still: u64, error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Unwritable>() {
        Ok(Unwritable { why, .. }) => {
            let still = megabytes(still);
            let why = format!("{why}, or {ELSEWHERE}; {still} are still to come, and what is fetched stays");
            Unwritable { place: to.to_owned(), why }.into()
        }
        Err(other) => other,
    }
}

/// Reads a file from its start to its end through SHA-256.
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

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
