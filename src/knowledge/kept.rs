//! What was found out about a command, kept in our cache directory for a day: one file for each level of each program, believed
//! only while the program and its man page are the files that they were.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::host::{Entry, Host};
use crate::manual::Manual;
use crate::store;

/// Kind and version in the first line of each file.
const KIND: (&str, u32) = ("knowledge", 1);

/// The directory's name in our cache directory.
const DIRECTORY: &str = "knowledge";

/// How long what was found is believed: a package's data may change without its program.
pub(super) const FOUND_FOR: Duration = Duration::from_hours(24);

/// How long it is believed that there is no documentation: the next thing people do is to install it.
pub(super) const MISSED_FOR: Duration = Duration::from_mins(10);

/// Largest file kept or read, bytes; the largest real ones (compilers, ffmpeg) have 300 kB.
pub(super) const FILE_LIMIT: u64 = 1 << 20;

/// Most files kept: with [`FILE_LIMIT`] the bound of the directory, which in practice holds a tenth of a percent of it.
const FILES_MAX: usize = 1000;

/// Most options whose answers are kept with a level.
const ANSWERS_MAX: usize = 256;

/// A file as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    path: PathBuf,
    modified_ns: u64,
    size: u64,
}

impl Stamp {
    pub(super) fn of(path: &Path, entry: &Entry) -> Self {
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

/// What is kept of a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The program, links followed.
    pub program: Stamp,
    /// The man page's file.
    pub page: Option<Stamp>,
    /// The man page names `--help`.
    pub page_says_help: bool,
    /// The page, or the program's bytes, name `--help`; told with the program itself, not with its subcommands.
    pub says_help: bool,
    /// The help text was read, or asking for it led nowhere.
    pub help_was_read: bool,
    /// What the program said to `--version`; the inner none stands for nothing usable.
    pub version: Option<Option<String>>,
    /// What its parser said to options.
    pub answers: BTreeMap<String, Option<bool>>,
    /// What is documented.
    pub manual: Option<Arc<Manual>>,
    /// When it was found out, seconds since 1970.
    written_s: u64,
}

impl Record {
    /// A record of now, with nothing found yet.
    pub(super) fn new(program: Stamp) -> Self {
        Self {
            program,
            page: None,
            page_says_help: false,
            says_help: false,
            help_was_read: false,
            version: None,
            answers: BTreeMap::new(),
            manual: None,
            written_s: seconds(SystemTime::now()),
        }
    }

    /// Keeps an answer, unless there are already too many.
    pub(super) fn answer(&mut self, option: &str, accepted: Option<bool>) {
        if self.answers.len() < ANSWERS_MAX {
            self.answers.insert(option.to_owned(), accepted);
        }
    }

    fn is_fresh(&self, host: &dyn Host, program: &Stamp, now: SystemTime) -> bool {
        let lasts = if self.manual.is_some() { FOUND_FOR } else { MISSED_FOR };
        // One written in the future is from before the clock was set.
        let age = seconds(now).checked_sub(self.written_s);
        age.is_some_and(|age| age <= lasts.as_secs())
            && self.program == *program
            && self.page.as_ref().is_none_or(|page| page.still_is(host))
    }
}

pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The name under which a level is kept: the program as found and as it is, whether it is trusted here, and the words that lead
/// to the level. What was read of a trusted program is not there for the same one where it isn't.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(String);

impl Key {
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
        Self(hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    pub(super) fn file(&self, cache: &Path) -> PathBuf {
        cache.join(DIRECTORY).join(&self.0)
    }
}

/// What is kept under a name, if it is still true of `program`.
pub(super) fn recall(host: &dyn Host, cache: &Path, key: &Key, program: &Stamp) -> Option<Record> {
    let body = store::read_versioned(&key.file(cache), KIND.0, KIND.1, FILE_LIMIT).ok().flatten()?;
    let record: Record = postcard::from_bytes(&body).ok()?;
    record.is_fresh(host, program, SystemTime::now()).then_some(record)
}

/// Keeps a record, without waiting for the disk: somebody waits for the terminal, and a record that is damaged is made anew.
///
/// # Errors
/// When the cache can't be written.
pub(super) fn keep(cache: &Path, key: &Key, record: &Record) -> anyhow::Result<()> {
    let body = postcard::to_allocvec(record)?;
    if FILE_LIMIT <= body.len() as u64 + 64 {
        return Ok(());
    }
    store::write_passing(&key.file(cache), KIND.0, KIND.1, &body)
}

/// Leaves the records that were written last, as many as may be kept.
///
/// # Errors
/// When the directory can't be listed.
pub(super) fn thin_out(cache: &Path) -> anyhow::Result<()> {
    store::thin_out(&cache.join(DIRECTORY), FILES_MAX)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::host::local::LocalHost;

    struct Setting {
        home: tempfile::TempDir,
        program: PathBuf,
        key: Key,
    }

    impl Setting {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            let program = home.path().join("program");
            fs::write(&program, "1").unwrap();
            let key = Key::new(&program, &program, true, &["log"]);
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
            record.manual = Some(Arc::new(Manual { name: "x".to_owned(), ..Manual::default() }));
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
            record.manual = None;
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
            let _ = setting.recall();
        }
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
            Key::new(path, path, true, &[]),
            Key::new(path, path, false, &[]),
            Key::new(path, path, true, &["log"]),
            Key::new(path, path, true, &["lo", "g"]),
            Key::new(path, other, true, &[]),
            Key::new(other, path, true, &[]),
        ];
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }
}
