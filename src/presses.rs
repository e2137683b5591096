//! What the key did last in each terminal, so that pressing it again goes on from there.
//!
//! Kept in the runtime directory, one small private file a terminal, and never in a shell's history. Losing one costs
//! nothing but the way back: the key then takes the line as it stands.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::prompt::Solved;
use crate::shell::Shell;
use crate::store;

/// What the files are, and the version of their format.
const KIND: (&str, u32) = ("press", 2);
/// The directory of the files.
const DIRECTORY: &str = "presses";
/// Largest file that is read, bytes.
const LIMIT: u64 = 1 << 20;
/// Terminals that are remembered; those used last stay.
const TERMINALS_MAX: usize = 64;
/// After this time a press is forgotten.
const AGE_MAX: Duration = Duration::from_hours(1);
/// Within this time a request that resembles the one before goes on from it.
const FOLLOW_UP_AGE_MAX: Duration = Duration::from_mins(10);

/// A press of the key: the words that stood on the line, and what was offered for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Press {
    /// The line as it was typed.
    pub words: String,
    /// The shell's name.
    pub shell: String,
    /// What was offered, in the order in which it is shown; never empty.
    pub offers: Vec<Offer>,
    /// What stands on the line now.
    pub place: Place,
    /// No other offers need be looked for.
    pub complete: bool,
    /// When the key was pressed, seconds since 1970.
    pub at: u64,
    /// What was asked before and answered, when the words change that.
    #[serde(default)]
    pub before: Option<Solved>,
    /// What was around the line, as [`around`] tells it; none where that doesn't matter.
    #[serde(default)]
    pub around: Option<String>,
}

/// A command and what is to be said beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The command.
    pub command: String,
    /// What a person should know of it besides its risk, which is told as it is when it is shown.
    pub notes: Vec<String>,
    /// What a list says beside it: its risk, whatever that is, and the rest of the notes.
    #[serde(default)]
    pub about: String,
}

/// What of a press stands on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// One of the offers.
    Offer(usize),
    /// The words again.
    Words,
    /// Whichever of these it is: a list of them was shown to choose from.
    Any,
}

/// What pressing the key again means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Show what is known already.
    Show(Place),
    /// All that is known was shown, and more may be found.
    More,
    /// The line was changed, or nothing was offered for it: it is a request of its own.
    Anew,
}

impl Press {
    /// A press now, for which one command was offered.
    pub fn now(words: &str, shell: Shell, offer: Offer) -> Self {
        Self {
            words: words.to_owned(),
            shell: shell.name().to_owned(),
            offers: vec![offer],
            place: Place::Offer(0),
            complete: false,
            at: seconds(SystemTime::now()),
            before: None,
            around: None,
        }
    }

    /// Whether the line is still the one of this press: nothing was run since, and the directory is the same.
    pub fn is_around(&self, around: &str) -> bool {
        self.around.as_deref().is_none_or(|then| then == around)
    }

    /// What pressing the key on `line` means after this press.
    pub fn step(&self, line: &str, shell: Shell) -> Step {
        if self.shell != shell.name() || self.age().is_none_or(|age| AGE_MAX < age) {
            return Step::Anew;
        }
        match self.stands(line) {
            Some(place) if self.place != Place::Any && self.place != place => Step::Anew,
            Some(Place::Offer(at)) => match (at + 1 < self.offers.len(), self.complete) {
                (true, _) => Step::Show(Place::Offer(at + 1)),
                (false, true) => Step::Show(Place::Words),
                (false, false) => Step::More,
            },
            Some(_) => Step::Show(Place::Offer(0)),
            None => Step::Anew,
        }
    }

    /// What of this press `line` is, as a list to choose from shows it: none when it was edited, belongs to another shell or
    /// is too old.
    pub fn listed(&self, line: &str, shell: Shell) -> Option<Place> {
        let counts = self.shell == shell.name() && self.age().is_some_and(|age| age <= AGE_MAX);
        self.stands(line).filter(|_| counts)
    }

    /// What of this press `line` is. A ghost text that was taken stands below the words, which begin with a # then.
    fn stands(&self, line: &str) -> Option<Place> {
        if line == self.words {
            return Some(Place::Words);
        }
        let below = line.split_once('\n').filter(|(first, _)| first.starts_with('#'));
        let below = below.filter(|(first, _)| first.starts_with(&self.words)).map(|(_, rest)| rest);
        let is_it = |offer: &Offer| offer.command == line || below == Some(offer.command.as_str());
        self.offers.iter().position(is_it).map(Place::Offer)
    }

    /// What was asked before and answered, when `words` are those of this press, edited: then they say what is wrong with the
    /// answer.
    pub fn before(&self, words: &str, shell: Shell) -> Option<Solved> {
        let is_fresh = self.age().is_some_and(|age| age <= FOLLOW_UP_AGE_MAX);
        let offer = match self.place {
            Place::Offer(at) => self.offers.get(at),
            Place::Words => self.offers.first(),
            // Nobody says which of them was seen.
            Place::Any => None,
        };
        let goes_on = is_fresh && self.shell == shell.name() && is_edited(&self.words, words);
        let command = &offer.filter(|_| goes_on)?.command;
        Some(Solved { request: self.words.clone(), command: command.clone() })
    }

    /// The same press with all other offers that were found.
    #[must_use]
    pub fn and(mut self, offers: Vec<Offer>) -> Self {
        self.offers.extend(offers);
        self.complete = true;
        self
    }

    /// How long ago it was; none when the clock says it is still to come.
    fn age(&self) -> Option<Duration> {
        seconds(SystemTime::now()).checked_sub(self.at).map(Duration::from_secs)
    }
}

/// What a press is bound to: the directory, and the last command that was run. Only a digest, for a command may hold a
/// secret.
pub fn around(directory: Option<&Path>, last: Option<&str>) -> String {
    let mut digest = Sha256::new();
    digest.update(directory.map(|directory| directory.as_os_str().as_encoded_bytes()).unwrap_or_default());
    digest.update([0]);
    digest.update(last.unwrap_or_default());
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// At least half of the earlier words are still there, but something changed.
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

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Where the press of one terminal is kept.
#[derive(Debug, Clone)]
pub struct Terminal {
    file: PathBuf,
    name: String,
}

impl Terminal {
    /// The terminal `name`, made of letters, digits and dashes, below the runtime directory.
    pub fn new(runtime: &Path, name: &str) -> Self {
        Self { file: runtime.join(DIRECTORY).join(name), name: name.to_owned() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The last press here, unless it is lost.
    pub fn last(&self) -> Option<Press> {
        let kept = store::read_versioned(&self.file, KIND.0, KIND.1, LIMIT);
        let body = kept.unwrap_or_else(|error| {
            tracing::debug!("no earlier press: {error:#}");
            None
        })?;
        let press: Press = serde_json::from_slice(&body).ok()?;
        (!press.offers.is_empty()).then_some(press)
    }

    /// Remembers a press in place of the last one.
    pub fn keep(&self, press: &Press) {
        let keep = || -> anyhow::Result<()> {
            let directory = self.file.parent().unwrap_or(Path::new("/"));
            store::make_directory(directory)?;
            forget(directory)?;
            store::write_passing(&self.file, KIND.0, KIND.1, &serde_json::to_vec(press)?)
        };
        if let Err(error) = keep() {
            tracing::debug!("the press is not kept: {error:#}");
        }
    }
}

/// Removes the presses that are forgotten below a runtime directory.
pub fn forget_old(runtime: &Path) {
    if let Err(error) = forget(&runtime.join(DIRECTORY)) {
        tracing::debug!("old presses stay: {error:#}");
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

    fn press(commands: &[&str], place: Place, complete: bool) -> Press {
        let mut press = Press::now("list files", Shell::Zsh, offer(""));
        press.offers = commands.iter().map(|command| offer(command)).collect();
        Press { place, complete, ..press }
    }

    #[test]
    fn the_key_goes_round() {
        let two = &["ls", "ls -a"];
        for (commands, place, complete, line, expected) in [
            (&two[..1], Place::Offer(0), false, "ls", Step::More),
            (two, Place::Offer(0), false, "ls", Step::Show(Place::Offer(1))),
            (two, Place::Offer(1), false, "ls -a", Step::More),
            (two, Place::Offer(1), true, "ls -a", Step::Show(Place::Words)),
            (two, Place::Words, true, "list files", Step::Show(Place::Offer(0))),
            (two, Place::Offer(0), true, "ls ", Step::Anew),
            (two, Place::Offer(0), true, "ls -a", Step::Anew),
            (two, Place::Offer(0), true, "list files", Step::Anew),
            (two, Place::Words, true, "ls", Step::Anew),
            (two, Place::Offer(9), true, "ls", Step::Anew),
            (two, Place::Any, true, "ls", Step::Show(Place::Offer(1))),
            (two, Place::Any, true, "ls -a", Step::Show(Place::Words)),
            (two, Place::Any, false, "ls -a", Step::More),
            (two, Place::Any, true, "list files", Step::Show(Place::Offer(0))),
            (two, Place::Any, true, "ls -l", Step::Anew),
        ] {
            let press = press(commands, place, complete);
            assert_eq!(press.step(line, Shell::Zsh), expected, "{place:?} {line:?}");
            assert_eq!(press.step(line, Shell::Fish), Step::Anew);
        }
    }

    #[test]
    fn an_old_press_and_one_from_the_future_are_forgotten() {
        let now = press(&["ls", "ls -a"], Place::Offer(0), false);
        for (at, forgotten) in [(now.at, false), (now.at - 3700, true), (now.at + 60, true), (0, true)] {
            let press = Press { at, ..now.clone() };
            assert_eq!(press.step("ls", Shell::Zsh) == Step::Anew, forgotten, "{at}");
            assert_eq!(press.before("list big files", Shell::Zsh).is_none(), forgotten, "{at}");
        }
        let old = Press { at: now.at - 601, ..now };
        assert_eq!(old.before("list big files", Shell::Zsh), None);
    }

    #[test]
    fn edited_words_go_on_from_the_answer() {
        let press = press(&["ls", "ls -a"], Place::Offer(1), true);
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
        let (one, other) = (Terminal::new(runtime.path(), "1-a"), Terminal::new(runtime.path(), "2-b"));
        assert_eq!(one.last(), None);
        let press = press(&["ls"], Place::Offer(0), false);
        one.keep(&press);
        assert_eq!((one.last().as_ref(), other.last()), (Some(&press), None));
        for damage in
            [&b""[..], b"askline press 1\n", b"askline press 1\n{}", b"askline press 9\n{}", b"\xff\0"]
        {
            store::write(&one.file, damage).unwrap();
            assert_eq!(one.last(), None);
        }
        one.keep(&Press { offers: Vec::new(), ..press });
        assert_eq!(one.last(), None);
    }

    #[test]
    fn old_presses_leave_no_file() {
        let runtime = tempfile::tempdir().unwrap();
        let [old, new, other] = ["1-a", "2-b", "3-c"].map(|name| Terminal::new(runtime.path(), name));
        let press = press(&["ls"], Place::Offer(0), false);
        let age = |terminal: &Terminal, age: Duration| {
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
        let here = around(Some(Path::new("/a")), Some("ls"));
        let press = Press { around: Some(here.clone()), ..press(&["ls"], Place::Offer(0), false) };
        assert!(press.is_around(&here));
        for (directory, last) in [("/b", Some("ls")), ("/a", Some("ls -a")), ("/a", None), ("/als", None)] {
            assert!(!press.is_around(&around(Some(Path::new(directory)), last)), "{directory} {last:?}");
        }
        assert!(Press { around: None, ..press }.is_around(&here));
    }
}
