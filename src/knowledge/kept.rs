//! The cache of facts about commands, kept for a day: one file for each level of each program, valid only while the
//! program and its man page are unchanged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use askline_host::store;
use askline_host::{FileEntry, Host, seconds_since_1970};
use askline_manual::Manual;

/// Kind and format version in the header line of each file.
const KIND: (&str, u32) = ("knowledge", 2);

/// Name of the directory in the cache directory.
const DIRECTORY: &str = "knowledge";

/// Lifetime of found facts: a package's data may change without its program.
const FOUND_FOR: Duration = Duration::from_hours(24);

/// Lifetime of the fact that there is no documentation. It is short because users often install documentation next.
const MISSED_FOR: Duration = Duration::from_mins(10);

/// Maximum size of a file in bytes; the largest real ones (compilers, ffmpeg) have 300 kB.
const FILE_LIMIT: u64 = 1 << 20;

/// Maximum length of a file's header line in bytes.
const HEADER_MAX: u64 = 256;

/// Maximum number of files. With [`FILE_LIMIT`] it bounds the size of the directory, which in practice reaches 0.1 %
/// of the bound.
const FILES_MAX: usize = 1000;

/// Maximum number of options with stored answers per level.
const ANSWERS_MAX: usize = 256;

/// Identity of a file at the time when it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    path: PathBuf,
    modified_ns: u64,
    size: u64,
}

impl Stamp {
    pub(super) fn of(path: &Path, entry: &FileEntry) -> Self {
        let since = entry.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let modified_ns = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
        Self { path: path.to_owned(), modified_ns, size: entry.size }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn still_is(&self, host: &dyn Host) -> bool {
        host.entry(&self.path).is_some_and(|entry| *self == Self::of(&self.path, &entry))
    }
}

/// Cached facts about a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Program file, links resolved.
    pub program: Stamp,
    /// File of the man page.
    pub page: Option<Stamp>,
    /// `true` if the man page names `--help`.
    pub page_says_help: bool,
    /// `true` if the page or the program's bytes name `--help`; set for the program itself, not for its subcommands.
    pub says_help: bool,
    /// `true` if the program answered when it was asked for its help text.
    pub help_was_read: bool,
    /// Answers of its parser about options.
    pub answers: BTreeMap<String, Option<bool>>,
    /// Facts of the man page.
    pub page_manual: Option<Arc<Manual>>,
    /// Facts of the help text.
    pub help_manual: Option<Arc<Manual>>,
    /// Time of the lookup, in seconds since 1970.
    written_s: u64,
}

impl Record {
    /// Creates an empty record with the current time.
    pub(super) fn new(program: Stamp) -> Self {
        Self {
            program,
            page: None,
            page_says_help: false,
            says_help: false,
            help_was_read: false,
            answers: BTreeMap::new(),
            page_manual: None,
            help_manual: None,
            written_s: seconds_since_1970(SystemTime::now()),
        }
    }

    /// Stores an answer, unless there are already too many.
    pub(super) fn answer(&mut self, option: &str, accepted: Option<bool>) {
        if self.answers.len() < ANSWERS_MAX {
            self.answers.insert(option.to_owned(), accepted);
        }
    }

    fn is_fresh(&self, host: &dyn Host, program: &Stamp, now: SystemTime) -> bool {
        let is_found = self.page_manual.is_some() || self.help_manual.is_some();
        is_recent(self.written_s, is_found, now)
            && self.program == *program
            && self.page.as_ref().is_none_or(|page| page.still_is(host))
    }
}

/// Cache key of a level: the path of the program as found, its real path, whether it is trusted, and the words of the
/// level. Facts about a trusted program are not used for the same program when it is untrusted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CacheKey {
    /// Command that the facts are about: path and words. It is in the file too.
    command: String,
    file: String,
}

impl CacheKey {
    pub(super) fn new(path: &Path, real_path: &Path, trusted: bool, words: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update([u8::from(trusted)]);
        for part in [path, real_path].map(|path| path.as_os_str().as_encoded_bytes()) {
            hash.update(part);
            hash.update([0]);
        }
        for word in words {
            hash.update(word);
            hash.update([0]);
        }
        let command = [&[&*path.to_string_lossy()], words].concat().join(" ");
        let file = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self { command, file }
    }

    fn file(&self, cache: &Path) -> PathBuf {
        cache.join(DIRECTORY).join(&self.file)
    }
}

/// Reports whether a fact of this time is still used; `is_found` if there was documentation.
pub(super) fn is_recent(written_s: u64, is_found: bool, now: SystemTime) -> bool {
    let lasts = if is_found { FOUND_FOR } else { MISSED_FOR };
    // A time in the future means that the clock was changed.
    let age = seconds_since_1970(now).checked_sub(written_s);
    age.is_some_and(|age| age <= lasts.as_secs())
}

/// Reads the facts under a key, with this kind and format version; `None` if the file is damaged or about another
/// command.
pub(super) fn read<T: DeserializeOwned>(cache: &Path, key: &CacheKey, kind: (&str, u32)) -> Option<T> {
    let body = store::read_summed(&key.file(cache), kind.0, kind.1, FILE_LIMIT).ok().flatten()?;
    let (command, facts): (String, T) = postcard::from_bytes(&body).ok()?;
    (command == key.command).then_some(facts)
}

/// Stores facts without waiting for the disk: the terminal is waiting, and a damaged file is simply rebuilt.
///
/// # Errors
/// When the cache cannot be written.
pub(super) fn write<T: Serialize>(
    cache: &Path,
    key: &CacheKey,
    kind: (&str, u32),
    facts: &T,
) -> anyhow::Result<()> {
    let body = postcard::to_allocvec(&(&key.command, facts))?;
    if FILE_LIMIT <= body.len() as u64 + HEADER_MAX {
        return Ok(());
    }
    store::write_summed(&key.file(cache), kind.0, kind.1, &body)
}

/// Returns the cached record under a key, if it is still valid for `program`.
pub(super) fn recall(host: &dyn Host, cache: &Path, key: &CacheKey, program: &Stamp) -> Option<Record> {
    let record: Record = read(cache, key, KIND)?;
    record.is_fresh(host, program, SystemTime::now()).then_some(record)
}

/// Stores a record as [`write`] does.
///
/// # Errors
/// When the cache cannot be written.
pub(super) fn keep(cache: &Path, key: &CacheKey, record: &Record) -> anyhow::Result<()> {
    write(cache, key, KIND, record)
}

/// Removes all but the last written records, up to the maximum number.
///
/// # Errors
/// When the directory cannot be listed.
pub(super) fn thin_out(cache: &Path) -> anyhow::Result<()> {
    store::thin_out(&cache.join(DIRECTORY), FILES_MAX)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use askline_host::local::LocalHost;

    struct Setting {
        home: tempfile::TempDir,
        program: PathBuf,
        key: CacheKey,
    }

    impl Setting {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            let program = home.path().join("program");
            fs::write(&program, "1").unwrap();
            let key = CacheKey::new(&program, &program, true, &["log"]);
            Self { home, program, key }
        }

        fn stamp(&self, path: &Path) -> Stamp {
            Stamp::of(path, &LocalHost.entry(path).unwrap())
        }

        fn recall(&self) -> Option<Record> {
            recall(&LocalHost, self.home.path(), &self.key, &self.stamp(&self.program))
        }

        fn keep(&self, change: impl FnOnce(&mut Record)) -> Record {
            let mut record = Record::new(self.stamp(&self.program));
            record.page_manual = Some(Arc::new(Manual { name: "x".to_owned(), ..Manual::default() }));
            change(&mut record);
            keep(self.home.path(), &self.key, &record).unwrap();
            record
        }
    }

    #[test]
    fn what_is_kept_comes_back_until_the_program_changes() {
        let setting = Setting::new();
        assert_eq!(setting.recall(), None);
        let record = setting.keep(|record| record.answer("-a", Some(true)));
        assert_eq!(setting.recall(), Some(record));
        fs::write(&setting.program, "22").unwrap();
        assert_eq!(setting.recall(), None);
    }

    #[test]
    fn a_changed_or_removed_page_ends_it() {
        let setting = Setting::new();
        let page = setting.home.path().join("page.1");
        fs::write(&page, "1").unwrap();
        setting.keep(|record| record.page = Some(setting.stamp(&page)));
        assert!(setting.recall().is_some());
        fs::write(&page, "22").unwrap();
        assert!(setting.recall().is_none());
        fs::remove_file(&page).unwrap();
        assert!(setting.recall().is_none());
    }

    #[test]
    fn nothing_found_is_forgotten_sooner() {
        let setting = Setting::new();
        let hour = |record: &mut Record| record.written_s -= 3600;
        setting.keep(hour);
        assert!(setting.recall().is_some());
        setting.keep(|record| {
            hour(record);
            record.page_manual = None;
        });
        assert!(setting.recall().is_none());
        setting.keep(|record| record.written_s -= 25 * 3600);
        assert!(setting.recall().is_none());
        setting.keep(|record| record.written_s += 3600);
        assert!(setting.recall().is_none(), "from the future");
    }

    #[test]
    fn broken_files_are_nothing() {
        let setting = Setting::new();
        setting.keep(|_| {});
        let file = setting.key.file(setting.home.path());
        let whole = fs::read(&file).unwrap();
        for cut in 0..whole.len() {
            store::write(&file, &whole[..cut]).unwrap();
            assert_eq!(setting.recall(), None, "{cut}");
        }
        for flipped in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[flipped] ^= 0x55;
            store::write(&file, &bytes).unwrap();
            assert_eq!(setting.recall(), None, "{flipped}");
        }
    }

    #[test]
    fn facts_about_another_command_are_nothing() {
        let setting = Setting::new();
        setting.keep(|_| {});
        let other = CacheKey::new(&setting.program, &setting.program, true, &["show"]);
        let (from, to) = (setting.key.file(setting.home.path()), other.file(setting.home.path()));
        fs::rename(from, to).unwrap();
        let stamp = setting.stamp(&setting.program);
        assert_eq!(recall(&LocalHost, setting.home.path(), &other, &stamp), None);
    }

    #[test]
    fn answers_are_bounded() {
        let setting = Setting::new();
        let record = setting.keep(|record| (0..1000).for_each(|n| record.answer(&format!("-{n}"), None)));
        assert_eq!(record.answers.len(), ANSWERS_MAX);
    }

    #[test]
    fn levels_have_names_of_their_own() {
        let (path, other) = (Path::new("/usr/bin/git"), Path::new("/usr/bin/got"));
        let keys = [
            CacheKey::new(path, path, true, &[]),
            CacheKey::new(path, path, false, &[]),
            CacheKey::new(path, path, true, &["log"]),
            CacheKey::new(path, path, true, &["lo", "g"]),
            CacheKey::new(path, other, true, &[]),
            CacheKey::new(other, path, true, &[]),
        ];
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }
}
