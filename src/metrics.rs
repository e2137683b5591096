//! What was asked and what it took, counted: numbers by day and model, and nothing of what anybody wrote.
//!
//! One file of ours, written under a lock once an answer is out. Losing it costs nothing but the figures, so nobody waits
//! for it: a press that finds the lock taken for too long is not counted.

mod histogram;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

pub use self::histogram::Histogram;
use crate::account::{Account, Asked, Tally};
use crate::failure::Failure;
use crate::patience::Patience;
use crate::store::{self, Paths};

/// How many days are kept by themselves.
pub const DAYS_MAX: usize = 31;
/// Most models that a day, or the whole, has figures of by name.
const NAMES_MAX: usize = 32;
/// Longest name of one, in characters.
const NAME_CHARS_MAX: usize = 120;
/// Largest file that is read, in bytes.
const FILE_LIMIT: u64 = 2 << 20;
/// What the file is, and the version of its form.
const KIND: (&str, u32) = ("stats", 1);
/// Longest wait for the lock.
const LOCK_WAIT: Duration = Duration::from_millis(100);
/// How often it is tried meanwhile.
const LOCK_TICK: Duration = Duration::from_millis(1);
/// How many files that can't be read are kept aside.
const BAD_MAX: usize = 3;
/// Most files in the directory: the figures, the lock, those aside, and what another version may keep.
const FILES_MAX: usize = 16;
/// Days since 1970 before which no clock that is set can be: the start of 2025.
const CLOCK_SET: u32 = 20_089;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a command.
    Answered,
    /// Without one; the name of the kind of failure.
    Failed(&'static str),
    /// The person gave up.
    Cancelled,
}

impl Outcome {
    /// How a request with this result ended.
    pub fn of<T>(result: &anyhow::Result<T>) -> Self {
        match result {
            Ok(_) => Self::Answered,
            Err(error) => match error.downcast_ref() {
                Some(Failure::Cancelled) => Self::Cancelled,
                Some(Failure::NoModel(_)) => Self::Failed("no model"),
                Some(Failure::Unavailable(_)) => Self::Failed("unavailable"),
                Some(Failure::TimedOut) => Self::Failed("late"),
                Some(Failure::NoCommand(_)) => Self::Failed("no command"),
                Some(Failure::Unclean(_)) => Self::Failed("unclean"),
                None => Self::Failed("unexpected"),
            },
        }
    }
}

/// All figures that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// By day, counted from 1970 in UTC: at most [`DAYS_MAX`].
    pub days: BTreeMap<u32, Figures>,
    /// Since the counting began.
    pub total: Figures,
    /// The last day on which a file that could not be understood gave way to a new one, so that its figures are too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<u32>,
}

/// Figures of a day, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// Key presses, and requests by other doors.
    pub presses: u64,
    /// Those that gave a command.
    pub answers: u64,
    /// Those of them that needed no model.
    pub without_model: u64,
    /// Those that a person gave up.
    pub cancelled: u64,
    /// Those that gave no command, by kind.
    pub failures: BTreeMap<String, u64>,
    /// What models were asked, by their names.
    pub models: BTreeMap<String, Model>,
}

/// Figures of one model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// It is on a server, so that limits count.
    pub is_server: bool,
    /// Calls, tokens, cost.
    pub tally: Tally,
    /// How long answers took; calls without one failed.
    pub times: Histogram,
}

impl Figures {
    /// Adds those of another day.
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
    }

    /// What servers were asked, together.
    pub fn servers(&self) -> Tally {
        let servers = self.models.values().filter(|model| model.is_server);
        servers.fold(Tally::default(), |mut sum, model| {
            sum.add(&model.tally);
            sum
        })
    }

    fn count(&mut self, account: &Account, outcome: Outcome) {
        let mut press = Self { presses: 1, ..Self::default() };
        match outcome {
            Outcome::Answered => {
                press.answers = 1;
                press.without_model = u64::from(account.total().calls == 0);
            }
            Outcome::Failed(kind) => drop(press.failures.insert(kind.to_owned(), 1)),
            Outcome::Cancelled => press.cancelled = 1,
        }
        for (name, Asked { is_server, tally, times }) in account.models() {
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
    /// The day that the clock shows. Where it was never set that is the last day that is known: bounds for a day would
    /// begin anew otherwise.
    pub fn day(&self, now: SystemTime) -> u32 {
        let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let day = u32::try_from(seconds / 86_400).unwrap_or(u32::MAX);
        if CLOCK_SET <= day { day } else { self.days.keys().next_back().copied().unwrap_or(day) }
    }

    /// What was counted today.
    pub fn today(&self, now: SystemTime) -> Figures {
        self.days.get(&self.day(now)).cloned().unwrap_or_default()
    }

    fn count(&mut self, account: &Account, outcome: Outcome, now: SystemTime) {
        let today = self.day(now);
        self.total.count(account, outcome);
        self.days.entry(today).or_default().count(account, outcome);
        // A clock that jumps loses one day at most, for those that are farthest away go first.
        while DAYS_MAX < self.days.len() {
            let Some(farthest) = self.days.keys().copied().max_by_key(|day| day.abs_diff(today)) else {
                break;
            };
            self.days.remove(&farthest);
        }
    }
}

/// Where the figures are kept.
#[derive(Debug, Clone)]
pub struct Book {
    directory: PathBuf,
}

impl Book {
    /// The user's.
    pub fn of(paths: &Paths) -> Self {
        Self { directory: paths.stats.clone() }
    }

    /// What was counted so far; nothing where the file isn't there or can't be understood.
    ///
    /// # Errors
    /// When the file is a link, another user's or writable by others, or can't be read; the text says what to do.
    pub fn read(&self) -> anyhow::Result<Counts> {
        Ok(self.understood()?.unwrap_or_default())
    }

    /// What servers were asked today, for bounds that count by the day.
    ///
    /// # Errors
    /// As [`Book::read`], and when the file was damaged today: a bound that doesn't hold would be worse than none.
    pub fn servers_today(&self, now: SystemTime) -> anyhow::Result<Tally> {
        let counts = self.understood()?.filter(|counts| counts.damaged != Some(counts.day(now)));
        let counts =
            counts.context("the figures are damaged; run `askline forget stats` to begin them anew")?;
        Ok(counts.today(now).servers())
    }

    /// What was counted so far; none when there is a file that can't be understood.
    fn understood(&self) -> anyhow::Result<Option<Counts>> {
        let Some(content) = store::read(&self.file(), FILE_LIMIT)? else {
            return Ok(Some(Counts::default()));
        };
        let body = content.strip_prefix(format!("askline {} {}\n", KIND.0, KIND.1).as_bytes());
        Ok(body.and_then(|body| serde_json::from_slice(body).ok()))
    }

    /// Counts a request whose answer is out. False where others kept the lock for too long.
    ///
    /// # Errors
    /// When the file can't be read or written.
    pub fn count(&self, account: &Account, outcome: Outcome, now: SystemTime) -> anyhow::Result<bool> {
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
        counts.count(account, outcome, now);
        store::write_passing(&self.file(), KIND.0, KIND.1, &serde_json::to_vec(&counts)?)?;
        store::thin_out(&self.directory, FILES_MAX)?;
        Ok(true)
    }

    /// Counts a request whose answer is out, by what its patience was asked for. What can't be counted is only logged.
    pub fn record(&self, patience: &Patience, outcome: Outcome) {
        let account = patience.account().clone();
        match self.count(&account, outcome, SystemTime::now()) {
            Ok(true) => {}
            Ok(false) => tracing::debug!("not counted: others are writing the figures"),
            Err(error) => tracing::debug!("not counted: {error:#}"),
        }
    }

    fn file(&self) -> PathBuf {
        self.directory.join("counts")
    }

    /// Keeps a file that can't be understood for whoever wants to know why; the last place is used again.
    fn put_aside(&self) -> anyhow::Result<()> {
        let place = |n| self.directory.join(format!("counts.bad-{n}"));
        let free = (1..=BAD_MAX).find(|n| fs::symlink_metadata(place(*n)).is_err());
        fs::rename(self.file(), place(free.unwrap_or(BAD_MAX))).context("the figures can't be put aside")
    }
}

/// A day, counted from 1970, as a date such as `2026-11-22`.
pub fn date(day: u32) -> String {
    // Years from March on, so that a leap day is the last of its year; 400 of them have 146,097 days.
    let days = u64::from(day) + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{of_month:02}", era * 400 + year + later)
}

#[cfg(test)]
mod tests;
