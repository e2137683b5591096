//! Commits of a git repository, read from its object files, loose ones and packs: which are in the history of another.

use std::collections::{BinaryHeap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use askline_host::Host;
use flate2::read::ZlibDecoder;

use crate::looks::Bounds;

/// Maximum number of packs that are searched.
const PACKS_MAX: usize = 64;
/// Maximum size of a commit in bytes.
const COMMIT_BYTES_MAX: usize = 64 << 10;
/// Maximum number of bytes of a pack that are read for one object.
const PACKED_BYTES_MAX: u64 = 64 << 10;
/// Maximum number of bytes of the names in an index that begin with the same byte.
const BUCKET_BYTES_MAX: u64 = 4 << 20;
/// Maximum number of objects of which each is stored as a change of the next.
const CHANGES_MAX: usize = 60;
/// Time by which clocks may differ, in seconds: a commit that is older than all that are wanted by more than this has none of
/// them in its history.
const CLOCKS_DIFFER: u64 = 24 * 60 * 60;

/// Begins an index of the second version, which git has written since 2007.
const INDEX_HEAD: [u8; 8] = *b"\xfftOc\0\0\0\x02";
/// Size of the table in an index that counts the names up to each first byte.
const COUNTS_BYTES: u64 = 4 * 256;

/// Kinds of objects in a pack.
const COMMIT: u8 = 1;
const CHANGE_BEFORE: u8 = 6;
const CHANGE_OF_NAMED: u8 = 7;

/// The commits of a repository.
pub(super) struct Commits<'h> {
    host: &'h dyn Host,
    objects: PathBuf,
    packs: Vec<Pack>,
}

/// A pack with its index.
struct Pack {
    index: PathBuf,
    data: PathBuf,
    /// For each first byte, the number of names that begin with it or a lower one.
    counts: Vec<u64>,
}

/// The part of a commit that its history needs.
struct Commit {
    parents: Vec<String>,
    time: u64,
}

/// What a walk through a history found.
pub(super) struct Reached {
    /// The wanted commits that are part of it.
    pub(super) found: HashSet<String>,
    /// `true` if the others are not part of it; `false` if that is not known.
    pub(super) is_whole: bool,
}

impl<'h> Commits<'h> {
    /// Opens the repository in `git`.
    pub(super) fn of(host: &'h dyn Host, git: &Path) -> Self {
        let objects = git.join("objects");
        let directory = objects.join("pack");
        let names = host.list(&directory).unwrap_or_default();
        let indexes = names.iter().map(|name| directory.join(name));
        let indexes = indexes.filter(|file| file.extension().is_some_and(|ending| ending == "idx"));
        let packs = indexes.take(PACKS_MAX).filter_map(|index| Pack::open(host, index)).collect();
        Self { host, objects, packs }
    }

    /// Returns which of the wanted commits are in the history of `from`, itself included.
    pub(super) fn reached(&self, from: &str, wanted: &HashSet<String>, bounds: &mut Bounds) -> Reached {
        let mut reached = Reached { found: HashSet::new(), is_whole: false };
        let times: Option<Vec<u64>> = wanted.iter().map(|id| Some(self.commit(id)?.time)).collect();
        let Some((oldest, start)) = times.and_then(|times| times.into_iter().min()).zip(self.commit(from))
        else {
            return reached;
        };
        let mut known = HashSet::from([from.to_owned()]);
        let mut open = BinaryHeap::from([(start.time, from.to_owned(), start.parents)]);
        let mut is_cut = false;
        while let Some((time, id, parents)) = open.pop() {
            if wanted.contains(&id) {
                reached.found.insert(id);
            }
            if reached.found.len() == wanted.len() || time.saturating_add(CLOCKS_DIFFER) < oldest {
                reached.is_whole = true;
                return reached;
            }
            for parent in parents {
                if !known.insert(parent.clone()) {
                    continue;
                }
                // A shallow clone lacks some.
                let commit = if bounds.admit() { self.commit(&parent) } else { None };
                match commit {
                    Some(commit) => open.push((commit.time, parent, commit.parents)),
                    None => is_cut = true,
                }
            }
        }
        reached.is_whole = !is_cut;
        reached
    }

    fn commit(&self, id: &str) -> Option<Commit> {
        let (kind, content) = self.object(id, 0)?;
        if kind != COMMIT {
            return None;
        }
        let text = String::from_utf8_lossy(&content);
        let head = text.lines().take_while(|line| !line.is_empty());
        let mut commit = Commit { parents: Vec::new(), time: 0 };
        for line in head {
            if let Some(parent) = line.strip_prefix("parent ") {
                commit.parents.push(parent.to_owned());
            } else if let Some(committer) = line.strip_prefix("committer ") {
                commit.time = committer.rsplit(' ').nth(1)?.parse().ok()?;
            }
        }
        Some(commit)
    }

    /// Returns the kind and the content of a small object.
    fn object(&self, id: &str, depth: usize) -> Option<(u8, Vec<u8>)> {
        let (directory, name) = id.split_at_checked(2)?;
        match self.host.read(&self.objects.join(directory).join(name), PACKED_BYTES_MAX) {
            Ok(packed) => {
                let whole = inflated(&packed)?;
                let end = whole.iter().position(|byte| *byte == 0)?;
                whole.starts_with(b"commit ").then(|| Some((COMMIT, whole.get(end + 1..)?.to_vec())))?
            }
            Err(_) => {
                let id = bytes_of(id)?;
                self.packs.iter().find_map(|pack| {
                    let at = pack.place(self.host, &id)?;
                    self.packed(pack, at, id.len(), depth)
                })
            }
        }
    }

    /// Returns the object at an offset of a pack. One that is stored as a change is put together.
    fn packed(&self, pack: &Pack, at: u64, id_bytes: usize, depth: usize) -> Option<(u8, Vec<u8>)> {
        if CHANGES_MAX < depth {
            return None;
        }
        let bytes = self.host.part(&pack.data, at, PACKED_BYTES_MAX).ok()?;
        let mut bytes = bytes.as_slice();
        let first = next(&mut bytes)?;
        let kind = first >> 4 & 7;
        if first & 0x80 != 0 {
            number(&mut bytes)?;
        }
        let (kind, base) = match kind {
            COMMIT => return Some((COMMIT, inflated(bytes)?)),
            CHANGE_BEFORE => {
                self.packed(pack, at.checked_sub(distance(&mut bytes)?)?, id_bytes, depth + 1)?
            }
            CHANGE_OF_NAMED => {
                let (id, rest) = bytes.split_at_checked(id_bytes)?;
                bytes = rest;
                self.object(&hex(id), depth + 1)?
            }
            _ => return None,
        };
        Some((kind, changed(&base, &inflated(bytes)?)?))
    }
}

impl Pack {
    fn open(host: &dyn Host, index: PathBuf) -> Option<Self> {
        let head = INDEX_HEAD.len() as u64;
        let table = host.part(&index, 0, head + COUNTS_BYTES).ok()?;
        let counts = table.strip_prefix(&INDEX_HEAD)?.chunks_exact(4).map(big_endian).collect::<Vec<u64>>();
        let data = index.with_extension("pack");
        (counts.len() == 256).then_some(Self { index, data, counts })
    }

    /// Returns the offset of an object in the pack.
    fn place(&self, host: &dyn Host, id: &[u8]) -> Option<u64> {
        let size = id.len() as u64;
        let first = usize::from(*id.first()?);
        let before = first.checked_sub(1).and_then(|below| self.counts.get(below)).copied().unwrap_or(0);
        let bucket = self.counts.get(first)?.checked_sub(before)?.checked_mul(size)?;
        if BUCKET_BYTES_MAX < bucket {
            return None;
        }
        let names_at = INDEX_HEAD.len() as u64 + COUNTS_BYTES;
        let names = host.part(&self.index, names_at + before.checked_mul(size)?, bucket).ok()?;
        let names: Vec<&[u8]> = names.chunks_exact(id.len()).collect();
        let number = before + names.binary_search(&id).ok()? as u64;
        let all = *self.counts.last()?;
        // Behind the names is a checksum of each object, then its offset; a large one is in another table.
        let offsets_at = names_at + all.checked_mul(size + 4)?;
        let word = |at, bytes| Some(big_endian(&host.part(&self.index, at, bytes).ok()?));
        let offset = word(offsets_at + 4 * number, 4)?;
        match offset & 0x8000_0000 {
            0 => Some(offset),
            _ => word(offsets_at + 4 * all + 8 * (offset & 0x7fff_ffff), 8),
        }
    }
}

/// Returns the content of packed bytes, which may have others behind them; `None` if it is too large for a commit.
fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    ZlibDecoder::new(bytes).take(COMMIT_BYTES_MAX as u64 + 1).read_to_end(&mut content).ok()?;
    (content.len() <= COMMIT_BYTES_MAX).then_some(content)
}

/// Returns a content after a change: parts of the old one, and new bytes.
fn changed(base: &[u8], mut change: &[u8]) -> Option<Vec<u8>> {
    number(&mut change)?; // the size of the old content
    let size = number(&mut change)?;
    let mut content = Vec::new();
    while let Some(command) = next(&mut change) {
        if command & 0x80 == 0 {
            let (new, rest) = change.split_at_checked(usize::from(command))?;
            content.extend(new);
            change = rest;
        } else {
            // One bit for each byte of the place and of the length that is there.
            let mut field = |bits: std::ops::Range<u32>| {
                let mut value = 0_usize;
                for (bit, shift) in bits.zip((0..).step_by(8)) {
                    if command >> bit & 1 == 1 {
                        value |= usize::from(next(&mut change)?) << shift;
                    }
                }
                Some(value)
            };
            let (from, length) = (field(0..4)?, field(4..7)?);
            let length = if length == 0 { 0x10000 } else { length };
            content.extend(base.get(from..from.checked_add(length)?)?);
        }
        if COMMIT_BYTES_MAX < content.len() {
            return None;
        }
    }
    (content.len() as u64 == size).then_some(content)
}

/// Takes the next byte.
fn next(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

/// Takes a number in groups of seven bits, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = next(bytes)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Takes a distance in groups of seven bits, the highest first, each further one counted from 1.
fn distance(bytes: &mut &[u8]) -> Option<u64> {
    let mut byte = next(bytes)?;
    let mut value = u64::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = next(bytes)?;
        value = (value + 1).checked_mul(128)? | u64::from(byte & 0x7f);
    }
    Some(value)
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes of a name in hexadecimal digits.
fn bytes_of(id: &str) -> Option<Vec<u8>> {
    if !matches!(id.len(), 40 | 64) || !id.is_ascii() {
        return None;
    }
    (0..id.len()).step_by(2).map(|at| u8::from_str_radix(id.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_copies_and_inserts() {
        // Sizes 11 and 10; copy 6 from 5; insert "!!"; copy 2 from 0.
        let change = [11, 10, 0x91, 5, 6, 2, b'!', b'!', 0x90, 2];
        assert_eq!(changed(b"hello world", &change).unwrap(), b" world!!he");
        assert_eq!(changed(b"hello", &change), None, "it copies what is not there");
        assert_eq!(changed(b"hello world", &[11, 9, 0x90, 2]), None, "the size is another");
        assert_eq!(changed(b"hello world", &[11]), None);
    }

    #[test]
    fn numbers_and_distances_are_read() {
        assert_eq!(number(&mut [0xe5, 0x8e, 0x26].as_slice()), Some(624_485));
        assert_eq!(number(&mut [0xff; 20].as_slice()), None);
        assert_eq!(distance(&mut [0x80, 0x00].as_slice()), Some(128));
        assert_eq!(distance(&mut [0xff; 20].as_slice()), None);
        assert_eq!(bytes_of(&"0a".repeat(20)).unwrap(), [10; 20]);
        assert_eq!((bytes_of("0a"), bytes_of(&"é".repeat(20))), (None, None));
    }

    proptest::proptest! {
        #[test]
        fn any_change_is_survived(base: Vec<u8>, change: Vec<u8>) {
            let _ = changed(&base, &change);
            let _ = inflated(&change);
        }
    }
}
