//! The last key press in each terminal, which lets the next press continue from it.
//!
//! Presses are kept in the runtime directory, in one small private file per terminal, and never in a shell's history.
//! A lost file only loses the way back: the key then takes the prompt line as it is.

mod continuation;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use askline_host::seconds_since_1970;
use askline_host::store;
use askline_model::prompt::Solved;
use askline_syntax::shell::Shell;
pub use continuation::{
    EXTENSIONS, changes, goes_on, instead, joined, may_stand_alone, names_earlier, own_words,
    with_other_extension,
};

/// Kind and format version of the files.
const KIND: (&str, u32) = ("press", 2);
/// Directory of the files.
const DIRECTORY: &str = "presses";
/// Maximum size of a file in bytes.
const LIMIT: u64 = 1 << 20;
/// Maximum number of remembered terminals; the least recently used ones are dropped.
const TERMINALS_MAX: usize = 64;
/// Maximum number of accepted requests of a terminal.
const ACCEPTED_MAX: usize = 20;
/// Lifetime of a press.
const AGE_MAX: Duration = Duration::from_hours(1);
/// Time limit within which a similar request counts as a change of the previous one.
const FOLLOW_UP_AGE_MAX: Duration = Duration::from_mins(10);
/// Time limit for the lock on the presses; a writer needs about 1 ms.
const LOCK_WAIT: Duration = Duration::from_millis(100);
/// Time between two attempts to lock.
const LOCK_TICK: Duration = Duration::from_millis(1);

/// One key press: the words on the prompt line and the offers for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Press {
    /// Prompt line as typed.
    pub words: String,
    /// Name of the shell.
    pub shell: String,
    /// Offers in display order; empty if the words were declined.
    pub offers: Vec<Offer>,
    /// Current content of the prompt line.
    pub place: LineContent,
    /// `true` if no further offers need to be searched.
    pub complete: bool,
    /// Time of the key press, in seconds since 1970.
    pub at: u64,
    /// Previous request and its answer, if the words change it.
    #[serde(default)]
    pub before: Option<Solved>,
    /// Digest from [`around`]; `None` if the surroundings do not matter.
    #[serde(default)]
    pub around: Option<String>,
    /// Earlier requests whose commands were run, if the configuration allows it; the latest last.
    #[serde(default)]
    pub accepted: Vec<Accepted>,
}

/// A request and the offered command that was then run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// Words of the request.
    words: String,
    /// Command that was run.
    command: String,
    /// Time of the request, in seconds since 1970.
    at: u64,
}

impl Accepted {
    /// Returns the command that was run after a request in the same words, capitals and blanks aside.
    pub fn for_words<'a>(accepted: &'a [Self], words: &str) -> Option<&'a str> {
        let plain =
            |words: &str| words.to_lowercase().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let asked = plain(words);
        let same = accepted.iter().rev().find(|one| !asked.is_empty() && plain(&one.words) == asked);
        same.map(|one| one.command.as_str())
    }
}

/// An offered command and its notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Command.
    pub command: String,
    /// Notes for the user, without the risk, which is judged again each time the command is shown.
    pub notes: Vec<String>,
    /// Text beside the command in a list: its risk label, and the other notes.
    #[serde(default)]
    pub about: String,
}

/// Content of the prompt line after a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineContent {
    /// Offer with this index.
    Offer(usize),
    /// Original words.
    Words,
    /// Any of them: a list was shown to choose from.
    Any,
}

/// Meaning of the next key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextPress {
    /// Show something already known.
    Show(LineContent),
    /// Everything known was shown; more may be found.
    More,
    /// Treat the line as a new request: it was changed, or there were no offers for it.
    Anew,
}

impl Press {
    /// Creates a press at the current time with one offered command.
    pub fn now(words: &str, shell: Shell, offer: Offer) -> Self {
        Self {
            offers: vec![offer],
            place: LineContent::Offer(0),
            complete: false,
            ..Self::declined(words, shell)
        }
    }

    /// Creates a press at the current time for words that were declined: it has no offers.
    pub fn declined(words: &str, shell: Shell) -> Self {
        Self {
            words: words.to_owned(),
            shell: shell.name().to_owned(),
            offers: Vec::new(),
            place: LineContent::Words,
            complete: true,
            at: seconds_since_1970(SystemTime::now()),
            before: None,
            around: None,
            accepted: Vec::new(),
        }
    }

    /// Reports whether these words were declined by this press.
    pub fn has_declined(&self, words: &str, shell: Shell) -> bool {
        self.offers.is_empty() && self.counts(shell) && self.words == words
    }

    /// Reports whether the prompt line still belongs to this press: no command was run since, and the directory is
    /// the same.
    pub fn is_around(&self, around: &str) -> bool {
        self.around.as_deref().is_none_or(|then| then == around)
    }

    /// Returns the meaning of a key press on `line` after this press.
    pub fn step(&self, line: &str, shell: Shell) -> NextPress {
        if self.offers.is_empty() || !self.counts(shell) {
            return NextPress::Anew;
        }
        match self.content_of(line) {
            Some(place) if self.place != LineContent::Any && self.place != place => NextPress::Anew,
            Some(LineContent::Offer(at)) => match (at + 1 < self.offers.len(), self.complete) {
                (true, _) => NextPress::Show(LineContent::Offer(at + 1)),
                (false, true) => NextPress::Show(LineContent::Words),
                (false, false) => NextPress::More,
            },
            Some(_) => NextPress::Show(LineContent::Offer(0)),
            None => NextPress::Anew,
        }
    }

    /// Returns the content that `line` matches, for a list to choose from: `None` if the line was edited, belongs to
    /// another shell or is too old.
    pub fn listed(&self, line: &str, shell: Shell) -> Option<LineContent> {
        let counts = self.counts(shell) && !self.offers.is_empty();
        self.content_of(line).filter(|_| counts)
    }

    /// Reports whether this press belongs to the shell and is not too old.
    fn counts(&self, shell: Shell) -> bool {
        self.shell == shell.name() && self.age().is_some_and(|age| age <= AGE_MAX)
    }

    /// Returns the content that `line` matches. After an accepted ghost text, the command is on the row below the
    /// words, which then begin with a #.
    fn content_of(&self, line: &str) -> Option<LineContent> {
        if line == self.words {
            return Some(LineContent::Words);
        }
        let below = line.split_once('\n').filter(|(first, _)| first.starts_with('#'));
        let below = below.filter(|(first, _)| first.starts_with(&self.words)).map(|(_, rest)| rest);
        let is_it = |offer: &Offer| offer.command == line || below == Some(offer.command.as_str());
        self.offers.iter().position(is_it).map(LineContent::Offer)
    }

    /// Returns the previous request and its answer if `words` are this press's words after an edit, which then corrects the
    /// answer, or only make sense as a continuation.
    pub fn before(&self, words: &str, shell: Shell) -> Option<Solved> {
        let is_fresh = self.age().is_some_and(|age| age <= FOLLOW_UP_AGE_MAX);
        let offer = match self.place {
            LineContent::Offer(at) => self.offers.get(at),
            LineContent::Words => self.offers.first(),
            // It is unknown which of them the user saw.
            LineContent::Any => None,
        };
        let command = &offer.filter(|_| is_fresh && self.shell == shell.name())?.command;
        // A continuation that was corrected goes on from the same request again.
        if let Some(before) = &self.before
            && is_corrected(&self.words, words)
            && goes_on(before, words, shell)
        {
            return self.before.clone();
        }
        let last = Solved { request: self.request(shell), command: command.clone() };
        let is_change = is_edited(&self.words, words)
            || goes_on(&Solved { request: self.words.clone(), ..last.clone() }, words, shell);
        is_change.then_some(last)
    }

    /// Returns the request of the press, with those that it goes on from.
    fn request(&self, shell: Shell) -> String {
        let earlier = self.before.as_ref().filter(|before| goes_on(before, &self.words, shell));
        earlier.map_or_else(
            || self.words.clone(),
            |before| {
                with_other_extension(&before.request, &self.words)
                    .unwrap_or_else(|| joined(&before.request, &self.words))
            },
        )
    }

    /// Returns the accepted requests, with this one if one of its commands is among those that were run.
    pub fn accepted_after(&self, ran: &[String], shell: Shell) -> Vec<Accepted> {
        if self.shell != shell.name() {
            return Vec::new();
        }
        let now = seconds_since_1970(SystemTime::now());
        let is_fresh = |at: u64| now.checked_sub(at).is_some_and(|age| age <= AGE_MAX.as_secs());
        let mut accepted: Vec<Accepted> =
            self.accepted.iter().filter(|one| is_fresh(one.at)).cloned().collect();
        let was_run = |offer: &&Offer| ran.iter().any(|command| command.trim() == offer.command.trim());
        if let Some(offer) = self.offers.iter().find(was_run).filter(|_| is_fresh(self.at)) {
            accepted.retain(|one| one.words != self.words);
            let (words, command) = (self.words.clone(), offer.command.clone());
            accepted.push(Accepted { words, command, at: self.at });
        }
        let spare = accepted.len().saturating_sub(ACCEPTED_MAX);
        accepted.split_off(spare)
    }

    /// Adds all other offers that were found and marks the press as complete.
    #[must_use]
    pub fn and(mut self, offers: Vec<Offer>) -> Self {
        self.offers.extend(offers);
        self.complete = true;
        self
    }

    /// Returns the age of the press; `None` if its time is in the future.
    fn age(&self) -> Option<Duration> {
        seconds_since_1970(SystemTime::now()).checked_sub(self.at).map(Duration::from_secs)
    }
}

/// Returns a digest of the directory and of the last command that was run. It is only a digest, because a command may
/// contain a secret.
pub fn around(directory: Option<&Path>, last: Option<&str>) -> String {
    let mut digest = Sha256::new();
    digest.update(directory.map(|directory| directory.as_os_str().as_encoded_bytes()).unwrap_or_default());
    digest.update([0]);
    digest.update(last.unwrap_or_default());
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reports whether the words changed but at least half of the earlier ones remain.
fn is_edited(before: &str, after: &str) -> bool {
    let words = |text: &str| text.to_lowercase().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (before, mut after) = (words(before), words(after));
    if before == after || before.is_empty() {
        return false;
    }
    let mut kept = 0;
    for word in &before {
        if let Some(at) = after.iter().position(|other| other == word) {
            after.swap_remove(at);
            kept += 1;
        }
    }
    before.len() <= 2 * kept
}

/// Reports whether the words are the earlier ones with other numbers: "only the top 5" after "only the top 3".
fn is_corrected(before: &str, after: &str) -> bool {
    let words = |text: &str| text.to_lowercase().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (words(before), words(after));
    let has_number = |word: &String| word.contains(|c: char| c.is_ascii_digit());
    let is_same = |(one, other): (&String, &String)| one == other || has_number(one) && has_number(other);
    before != after && before.len() == after.len() && before.iter().zip(&after).all(is_same)
}

/// Store for the press of one terminal.
#[derive(Debug, Clone)]
pub struct PressStore {
    file: PathBuf,
    name: String,
    /// Time limit for the lock.
    lock_wait: Duration,
}

impl PressStore {
    /// Creates the store of terminal `name` (letters, digits and dashes) below the runtime directory.
    pub fn new(runtime: &Path, name: &str) -> Self {
        Self { file: runtime.join(DIRECTORY).join(name), name: name.to_owned(), lock_wait: LOCK_WAIT }
    }

    /// Returns the terminal's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the last press in this terminal, if it can be read.
    pub fn last(&self) -> Option<Press> {
        let kept = store::read_summed(&self.file, KIND.0, KIND.1, LIMIT);
        let body = kept.unwrap_or_else(|error| {
            tracing::debug!("can't read the last press: {error:#}");
            None
        })?;
        serde_json::from_slice(&body).ok()
    }

    /// Replaces the stored press.
    pub fn keep(&self, press: &Press) {
        let _lock = self.lock();
        if let Err(error) = self.write(press) {
            tracing::debug!("can't store the press: {error:#}");
        }
    }

    /// Replaces the stored press by the result of `change`, if there are both. Another process that changes it at the
    /// same time comes before or after this one, so neither change is lost.
    pub fn update(&self, change: impl FnOnce(Press) -> Option<Press>) {
        let _lock = self.lock();
        let changed = self.last().and_then(change);
        if let Some(Err(error)) = changed.map(|press| self.write(&press)) {
            tracing::debug!("can't store the press: {error:#}");
        }
    }

    fn write(&self, press: &Press) -> anyhow::Result<()> {
        let directory = self.file.parent().unwrap_or(Path::new("/"));
        store::make_directory(directory)?;
        forget(directory)?;
        store::write_summed(&self.file, KIND.0, KIND.1, &serde_json::to_vec(press)?)
    }

    /// Locks all presses. `None` if this file system has no locks, or if another process keeps the lock for longer than
    /// [`LOCK_WAIT`]: a key press must not hang.
    fn lock(&self) -> Option<store::Lock> {
        let file = self.file.parent()?.with_extension("lock");
        let until = Instant::now() + self.lock_wait;
        loop {
            match store::lock(&file) {
                Ok(None) if Instant::now() < until => thread::sleep(LOCK_TICK),
                Ok(lock) => return lock,
                Err(error) => {
                    tracing::debug!("can't lock the presses: {error:#}");
                    return None;
                }
            }
        }
    }
}

/// Removes expired presses below a runtime directory.
pub fn forget_old(runtime: &Path) {
    if let Err(error) = forget(&runtime.join(DIRECTORY)) {
        tracing::debug!("can't remove old presses: {error:#}");
    }
}

fn forget(directory: &Path) -> anyhow::Result<()> {
    store::remove_older(directory, AGE_MAX)?;
    store::thin_out(directory, TERMINALS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(command: &str) -> Offer {
        Offer { command: command.to_owned(), notes: Vec::new(), about: String::new() }
    }

    fn press(commands: &[&str], place: LineContent, complete: bool) -> Press {
        let mut press = Press::now("list files", Shell::Zsh, offer(""));
        press.offers = commands.iter().map(|command| offer(command)).collect();
        Press { place, complete, ..press }
    }

    #[test]
    fn the_key_goes_round() {
        let two = &["ls", "ls -a"];
        for (commands, place, complete, line, expected) in [
            (&two[..1], LineContent::Offer(0), false, "ls", NextPress::More),
            (two, LineContent::Offer(0), false, "ls", NextPress::Show(LineContent::Offer(1))),
            (two, LineContent::Offer(1), false, "ls -a", NextPress::More),
            (two, LineContent::Offer(1), true, "ls -a", NextPress::Show(LineContent::Words)),
            (two, LineContent::Words, true, "list files", NextPress::Show(LineContent::Offer(0))),
            (two, LineContent::Offer(0), true, "ls ", NextPress::Anew),
            (two, LineContent::Offer(0), true, "ls -a", NextPress::Anew),
            (two, LineContent::Offer(0), true, "list files", NextPress::Anew),
            (two, LineContent::Words, true, "ls", NextPress::Anew),
            (two, LineContent::Offer(9), true, "ls", NextPress::Anew),
            (two, LineContent::Any, true, "ls", NextPress::Show(LineContent::Offer(1))),
            (two, LineContent::Any, true, "ls -a", NextPress::Show(LineContent::Words)),
            (two, LineContent::Any, false, "ls -a", NextPress::More),
            (two, LineContent::Any, true, "list files", NextPress::Show(LineContent::Offer(0))),
            (two, LineContent::Any, true, "ls -l", NextPress::Anew),
        ] {
            let press = press(commands, place, complete);
            assert_eq!(press.step(line, Shell::Zsh), expected, "{place:?} {line:?}");
            assert_eq!(press.step(line, Shell::Fish), NextPress::Anew);
        }
    }

    #[test]
    fn declined_words_are_asked_about_anew() {
        let press = Press::declined("order a pizza", Shell::Zsh);
        assert_eq!(press.step("order a pizza", Shell::Zsh), NextPress::Anew);
        assert_eq!(press.listed("order a pizza", Shell::Zsh), None);
        assert!(press.has_declined("order a pizza", Shell::Zsh));
        assert!(
            !press.has_declined("order a pizza", Shell::Fish) && !press.has_declined("order", Shell::Zsh)
        );
        let old = Press { at: press.at - 3700, ..press };
        assert!(!old.has_declined("order a pizza", Shell::Zsh));
        assert!(!Press::now("list files", Shell::Zsh, offer("ls")).has_declined("list files", Shell::Zsh));
    }

    #[test]
    fn an_old_press_and_one_from_the_future_are_forgotten() {
        let now = press(&["ls", "ls -a"], LineContent::Offer(0), false);
        for (at, forgotten) in [(now.at, false), (now.at - 3700, true), (now.at + 60, true), (0, true)] {
            let press = Press { at, ..now.clone() };
            assert_eq!(press.step("ls", Shell::Zsh) == NextPress::Anew, forgotten, "{at}");
            assert_eq!(press.before("list big files", Shell::Zsh).is_none(), forgotten, "{at}");
        }
        let old = Press { at: now.at - 601, ..now };
        assert_eq!(old.before("list big files", Shell::Zsh), None);
    }

    #[test]
    fn edited_words_go_on_from_the_answer() {
        let press = press(&["ls", "ls -a"], LineContent::Offer(1), true);
        for (words, expected) in [
            ("list files by size", true),
            ("List all files", true),
            ("list", true),
            ("list files", false),
            ("LIST  files", false),
            ("free disk space", false),
            ("", false),
        ] {
            let before = press.before(words, Shell::Zsh);
            assert_eq!(before.is_some(), expected, "{words:?}");
            assert_eq!(press.before(words, Shell::Bash), None);
            if let Some(before) = before {
                assert_eq!((before.request.as_str(), before.command.as_str()), ("list files", "ls -a"));
            }
        }
    }

    #[test]
    fn each_terminal_has_its_own_and_a_damaged_one_is_none() {
        let runtime = tempfile::tempdir().unwrap();
        let (one, other) = (PressStore::new(runtime.path(), "1-a"), PressStore::new(runtime.path(), "2-b"));
        assert_eq!(one.last(), None);
        let press = press(&["ls"], LineContent::Offer(0), false);
        one.keep(&press);
        assert_eq!((one.last().as_ref(), other.last()), (Some(&press), None));
        for damage in
            [&b""[..], b"askline press 1\n", b"askline press 1\n{}", b"askline press 9\n{}", b"\xff\0"]
        {
            store::write(&one.file, damage).unwrap();
            assert_eq!(one.last(), None);
        }
        let declined = Press::declined("order a pizza", Shell::Zsh);
        one.keep(&declined);
        assert_eq!(one.last(), Some(declined));
    }

    #[test]
    fn no_change_is_lost() {
        let runtime = tempfile::tempdir().unwrap();
        // On a busy machine a thread may wait for longer than a key press does.
        let terminal =
            PressStore { lock_wait: Duration::from_mins(10), ..PressStore::new(runtime.path(), "1-a") };
        terminal.update(|press| Some(press.and(vec![offer("ls -a")])));
        assert_eq!(terminal.last(), None);
        terminal.keep(&press(&["ls"], LineContent::Offer(0), false));
        thread::scope(|scope| {
            for thread in 0..4 {
                let terminal = terminal.clone();
                scope.spawn(move || {
                    for nth in 0..10 {
                        let more = vec![offer(&format!("ls {thread} {nth}"))];
                        terminal.update(|press| Some(press.and(more)));
                    }
                });
            }
        });
        assert_eq!(terminal.last().unwrap().offers.len(), 41);
        terminal.update(|_| None);
        assert_eq!(terminal.last().unwrap().offers.len(), 41);
    }

    #[test]
    fn old_presses_leave_no_file() {
        let runtime = tempfile::tempdir().unwrap();
        let [old, new, other] = ["1-a", "2-b", "3-c"].map(|name| PressStore::new(runtime.path(), name));
        let press = press(&["ls"], LineContent::Offer(0), false);
        let age = |terminal: &PressStore, age: Duration| {
            let file = std::fs::File::options().write(true).open(&terminal.file).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        };
        forget_old(runtime.path());
        old.keep(&press);
        age(&old, AGE_MAX + Duration::from_secs(60));
        new.keep(&press);
        assert!(!old.file.exists() && new.file.exists());
        age(&new, AGE_MAX - Duration::from_secs(60));
        other.keep(&press);
        age(&other, AGE_MAX + Duration::from_secs(60));
        forget_old(runtime.path());
        assert!(new.file.exists() && !other.file.exists());
    }

    #[test]
    fn a_press_is_bound_to_where_it_was() {
        let place = around(Some(Path::new("/a")), Some("ls"));
        let press = Press { around: Some(place.clone()), ..press(&["ls"], LineContent::Offer(0), false) };
        assert!(press.is_around(&place));
        for (directory, last) in [("/b", Some("ls")), ("/a", Some("ls -a")), ("/a", None), ("/als", None)] {
            assert!(!press.is_around(&around(Some(Path::new(directory)), last)), "{directory} {last:?}");
        }
        assert!(Press { around: None, ..press }.is_around(&place));
    }
}
