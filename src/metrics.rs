//! Usage statistics: counts by day and model. They contain no text of requests or answers.
//!
//! The statistics are one private file, written under a lock after the answer is out. Losing it loses only the
//! figures, so nothing waits for it: if the lock is taken for too long, the key press is not counted.

mod histogram;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use time::Date;

pub use self::histogram::Histogram;
use askline_host::seconds_since_1970;
use askline_host::store;
use askline_host::store::Paths;
use askline_model::failure::Failure;
use askline_model::request_control::RequestControl;
use askline_model::usage::{ModelUsage, Tally, Usage};

/// Maximum number of days kept individually.
pub const DAYS_MAX: usize = 31;
/// Maximum number of models counted by name, per day and in total.
const NAMES_MAX: usize = 32;
/// Maximum length of a model name, in characters.
const NAME_CHARS_MAX: usize = 120;
/// Maximum size of the file to read, in bytes.
const FILE_LIMIT: u64 = 2 << 20;
/// Kind and format version of the file.
const KIND: (&str, u32) = ("stats", 1);
/// Maximum wait for the lock.
const LOCK_WAIT: Duration = Duration::from_millis(100);
/// Interval between attempts to take the lock.
const LOCK_TICK: Duration = Duration::from_millis(1);
/// Maximum number of unreadable files kept for inspection.
const BAD_MAX: usize = 3;
/// Maximum number of files in the directory: figures, lock, unreadable files, and files of other versions.
const FILES_MAX: usize = 16;
/// Earliest day that a correctly set clock can show, in days since 1970: the start of 2025.
const CLOCK_SET: u32 = 20_089;

/// Julian day number of the first day of 1970.
const UNIX_EPOCH_JULIAN: i32 = 2_440_588;

/// Result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A command was suggested.
    Answered,
    /// No command was suggested; the name of the failure kind.
    Failed(&'static str),
    /// The user cancelled.
    Cancelled,
}

impl Outcome {
    /// Returns the outcome for this result.
    pub fn of<T>(result: &anyhow::Result<T>) -> Self {
        match result {
            Ok(_) => Self::Answered,
            Err(error) => match error.downcast_ref() {
                Some(Failure::Cancelled) => Self::Cancelled,
                Some(Failure::NoModel(_)) => Self::Failed("no model"),
                Some(Failure::Unavailable(_)) => Self::Failed("unavailable"),
                Some(Failure::TimedOut | Failure::Preparing(_)) => Self::Failed("late"),
                Some(Failure::NoCommand(_) | Failure::Declined) => Self::Failed("no command"),
                Some(Failure::Unclean(_)) => Self::Failed("unclean"),
                None => Self::Failed("unexpected"),
            },
        }
    }
}

/// All stored figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Figures by day, in days since 1970 (UTC); at most [`DAYS_MAX`].
    pub days: BTreeMap<u32, Figures>,
    /// Figures since counting began.
    pub total: Figures,
    /// Last day on which an unreadable file was replaced by a new one, which makes that day's figures too
    /// small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<u32>,
}

/// Figures of one day, or of all days.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// Number of key presses and of requests from other entry points.
    pub presses: u64,
    /// Number of presses that gave a command.
    pub answers: u64,
    /// Number of those answers that needed no model.
    pub without_model: u64,
    /// Number of presses that the user cancelled.
    pub cancelled: u64,
    /// Number of presses that gave no command, by failure kind.
    pub failures: BTreeMap<String, u64>,
    /// Usage of models, by name.
    pub models: BTreeMap<String, Model>,
    /// Looks of investigations, by tool.
    pub looks: BTreeMap<String, Looks>,
}

/// Figures of one tool of investigations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Looks {
    /// Number of looks that failed or were refused.
    pub failed: u64,
    /// Times of all looks.
    pub times: Histogram,
}

/// One look of an investigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// Name of the tool.
    pub tool: String,
    /// Time it took.
    pub time: Duration,
    /// `true` if it failed or was refused.
    pub failed: bool,
}

/// Figures of one model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// `true` if the model is on a server, so limits apply.
    pub is_server: bool,
    /// Calls, tokens and cost.
    pub tally: Tally,
    /// Times of answers; calls without an entry failed.
    pub times: Histogram,
}

impl Figures {
    /// Adds other figures to these.
    pub fn add(&mut self, other: &Self) {
        for (own, more) in [
            (&mut self.presses, other.presses),
            (&mut self.answers, other.answers),
            (&mut self.without_model, other.without_model),
            (&mut self.cancelled, other.cancelled),
        ] {
            *own = own.saturating_add(more);
        }
        for (kind, count) in &other.failures {
            let own = self.failures.entry(kind.clone()).or_default();
            *own = own.saturating_add(*count);
        }
        for (name, model) in &other.models {
            let own = self.model(name);
            own.is_server |= model.is_server;
            own.tally.add(&model.tally);
            own.times.add(&model.times);
        }
        for (tool, looks) in &other.looks {
            let own = self.looks(tool);
            own.failed = own.failed.saturating_add(looks.failed);
            own.times.add(&looks.times);
        }
    }

    /// Returns the usage of all server models together.
    pub fn servers(&self) -> Tally {
        let servers = self.models.values().filter(|model| model.is_server);
        servers.fold(Tally::default(), |mut sum, model| {
            sum.add(&model.tally);
            sum
        })
    }

    /// Returns the figures of a tool. A model may write any name, so their number is bounded.
    fn looks(&mut self, tool: &str) -> &mut Looks {
        let has_room = self.looks.len() < NAMES_MAX || self.looks.contains_key(tool);
        let name: String =
            if has_room { tool.chars().take(NAME_CHARS_MAX).collect() } else { "others".to_owned() };
        self.looks.entry(name).or_default()
    }

    fn count_looks(&mut self, looked: &[Looked]) {
        for look in looked {
            let own = self.looks(&look.tool);
            own.failed = own.failed.saturating_add(u64::from(look.failed));
            own.times.add(&[look.time].into_iter().collect());
        }
    }

    fn count(&mut self, usage: &Usage, outcome: Outcome) {
        let mut press = Self { presses: 1, ..Self::default() };
        match outcome {
            Outcome::Answered => {
                press.answers = 1;
                press.without_model = u64::from(usage.total().calls == 0);
            }
            Outcome::Failed(kind) => drop(press.failures.insert(kind.to_owned(), 1)),
            Outcome::Cancelled => press.cancelled = 1,
        }
        for (name, ModelUsage { is_server, tally, times }) in usage.models() {
            let times = times.iter().copied().collect();
            press.models.insert(name.to_owned(), Model { is_server: *is_server, tally: *tally, times });
        }
        self.add(&press);
    }

    fn model(&mut self, name: &str) -> &mut Model {
        let name: String = name.chars().take(NAME_CHARS_MAX).collect();
        let has_room = self.models.len() < NAMES_MAX || self.models.contains_key(&name);
        self.models.entry(if has_room { name } else { "others".to_owned() }).or_default()
    }
}

impl Counts {
    /// Returns the current day. If the clock was never set, returns the last recorded day: otherwise daily
    /// limits would start again.
    pub fn day(&self, now: SystemTime) -> u32 {
        let day = u32::try_from(seconds_since_1970(now) / 86_400).unwrap_or(u32::MAX);
        if CLOCK_SET <= day { day } else { self.days.keys().next_back().copied().unwrap_or(day) }
    }

    /// Returns the figures of today.
    pub fn today(&self, now: SystemTime) -> Figures {
        self.days.get(&self.day(now)).cloned().unwrap_or_default()
    }

    fn count(&mut self, usage: &Usage, outcome: Outcome, now: SystemTime) {
        self.change(now, |figures| figures.count(usage, outcome));
    }

    /// Changes the figures of today and of all days.
    fn change(&mut self, now: SystemTime, change: impl Fn(&mut Figures)) {
        let today = self.day(now);
        change(&mut self.total);
        change(self.days.entry(today).or_default());
        // After a clock jump, only the days farthest from today are dropped, so at most one day is lost per
        // jump.
        while DAYS_MAX < self.days.len() {
            let Some(farthest) = self.days.keys().copied().max_by_key(|day| day.abs_diff(today)) else {
                break;
            };
            self.days.remove(&farthest);
        }
    }
}

/// Storage of the figures.
#[derive(Debug, Clone)]
pub struct UsageStore {
    directory: PathBuf,
}

impl UsageStore {
    /// Returns the user's storage.
    pub fn of(paths: &Paths) -> Self {
        Self { directory: paths.stats.clone() }
    }

    /// Reads the figures; returns empty ones if the file is missing or unreadable.
    ///
    /// # Errors
    ///
    /// If the file is a link, belongs to another user, is writable by others, or can't be read; the text gives
    /// the remedy.
    pub fn read(&self) -> anyhow::Result<Counts> {
        Ok(self.understood()?.unwrap_or_default())
    }

    /// Returns today's server usage, for daily limits.
    ///
    /// # Errors
    ///
    /// As [`UsageStore::read`], and if the file was damaged today: a limit that is silently not enforced would be
    /// worse than none.
    pub fn servers_today(&self, now: SystemTime) -> anyhow::Result<Tally> {
        let counts = self.understood()?.filter(|counts| counts.damaged != Some(counts.day(now)));
        let counts =
            counts.context("the statistics are damaged; run `askline forget stats` to reset them")?;
        Ok(counts.today(now).servers())
    }

    /// Reads the figures; `None` if a file exists but can't be parsed.
    fn understood(&self) -> anyhow::Result<Option<Counts>> {
        let Some(content) = store::read(&self.file(), FILE_LIMIT)? else {
            return Ok(Some(Counts::default()));
        };
        let body = store::summed_body(&content, KIND.0, KIND.1);
        Ok(body.and_then(|body| serde_json::from_slice(body).ok()))
    }

    /// Counts a request after its answer is out. Returns `false` if other processes held the lock for too long.
    ///
    /// # Errors
    ///
    /// If the file can't be read or written.
    pub fn count(&self, usage: &Usage, outcome: Outcome, now: SystemTime) -> anyhow::Result<bool> {
        self.update(now, |counts| counts.count(usage, outcome, now))
    }

    /// Counts the looks of an investigation. Errors are only logged.
    pub fn record_looks(&self, looked: &[Looked]) {
        let now = SystemTime::now();
        let count = |counts: &mut Counts| counts.change(now, |figures| figures.count_looks(looked));
        match if looked.is_empty() { Ok(true) } else { self.update(now, count) } {
            Ok(true) => {}
            Ok(false) => tracing::debug!("not counted: another process is writing the statistics"),
            Err(error) => tracing::debug!("not counted: {error:#}"),
        }
    }

    /// Changes the figures under the lock; `false` if other processes held it for too long.
    fn update(&self, now: SystemTime, change: impl FnOnce(&mut Counts)) -> anyhow::Result<bool> {
        store::make_directory(&self.directory)?;
        let until = Instant::now() + LOCK_WAIT;
        let _lock = loop {
            match store::lock(&self.directory.join("lock"))? {
                Some(lock) => break lock,
                None if until <= Instant::now() => return Ok(false),
                None => thread::sleep(LOCK_TICK),
            }
        };
        let mut counts = match self.understood()? {
            Some(counts) => counts,
            None => {
                self.put_aside()?;
                let new = Counts::default();
                Counts { damaged: Some(new.day(now)), ..new }
            }
        };
        change(&mut counts);
        store::write_summed(&self.file(), KIND.0, KIND.1, &serde_json::to_vec(&counts)?)?;
        store::thin_out(&self.directory, FILES_MAX)?;
        Ok(true)
    }

    /// Counts a request after its answer is out, with the usage of its request control. Errors are only logged.
    pub fn record(&self, control: &RequestControl, outcome: Outcome) {
        let usage = control.usage().clone();
        match self.count(&usage, outcome, SystemTime::now()) {
            Ok(true) => {}
            Ok(false) => tracing::debug!("not counted: another process is writing the statistics"),
            Err(error) => tracing::debug!("not counted: {error:#}"),
        }
    }

    fn file(&self) -> PathBuf {
        self.directory.join("counts")
    }

    /// Renames an unreadable file for later inspection; the last name is reused if all are taken.
    fn put_aside(&self) -> anyhow::Result<()> {
        let place = |n| self.directory.join(format!("counts.bad-{n}"));
        let free = (1..=BAD_MAX).find(|n| fs::symlink_metadata(place(*n)).is_err());
        fs::rename(self.file(), place(free.unwrap_or(BAD_MAX))).context("can't rename the damaged statistics")
    }
}

/// Formats a day, in days since 1970, as a date such as `2026-11-22`.
pub fn date(day: u32) -> String {
    let julian = i32::try_from(day).ok().and_then(|day| UNIX_EPOCH_JULIAN.checked_add(day));
    let date = julian.and_then(|julian| Date::from_julian_day(julian).ok());
    date.unwrap_or(Date::MAX).to_string()
}

#[cfg(test)]
mod tests;
