//! Programs that did not end when they were asked. Each such question costs seconds, so it is not asked again on every
//! key press, but after a while: the machine may have been too busy.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::kept::Stamp;
use askline_host::{Host, Probe, seconds_since_1970, store};

/// Kind and format version in the header line of the file.
const KIND: (&str, u32) = ("hung", 1);

/// Name of the file in the cache directory.
const FILE: &str = "hung";

/// Maximum size of the file in bytes.
const FILE_LIMIT: u64 = 64 << 10;

/// Time for which a program that did not end is not asked again.
const HUNG_FOR: Duration = Duration::from_mins(10);

/// Maximum number of questions that are remembered; the oldest are forgotten first.
const HUNG_MAX: usize = 256;

/// A question to a program file in its present state. All questions to a program for its documentation are one,
/// because its start is what usually hangs; for a shell each line is one of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asked(String);

impl Asked {
    pub(super) fn new(host: &dyn Host, program: &Path, probe: &Probe) -> Self {
        let stamp = host.entry(program).map(|entry| Stamp::of(program, &entry));
        let mut hash = Sha256::new();
        hash.update(format!("{stamp:?}"));
        hash.update(probe.input().unwrap_or_default());
        Self(hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The questions that got no answer in time, with the second since 1970 of the last attempt.
#[derive(Debug, Default)]
pub(super) struct HungPrograms {
    known: BTreeMap<String, u64>,
    is_changed: bool,
}

impl HungPrograms {
    /// Reads what earlier key presses found; nothing without a cache directory.
    pub(super) fn of(cache: Option<&Path>) -> Self {
        let read = cache.and_then(|cache| {
            store::read_summed(&cache.join(FILE), KIND.0, KIND.1, FILE_LIMIT).ok().flatten()
        });
        let known = read.and_then(|body| postcard::from_bytes(&body).ok()).unwrap_or_default();
        Self { known, is_changed: false }
    }

    /// Reports whether this question got no answer a short time ago.
    pub(super) fn contains(&self, asked: &Asked, now: SystemTime) -> bool {
        self.known.get(&asked.0).is_some_and(|at| is_recent(*at, now))
    }

    /// Remembers that this question got no answer.
    pub(super) fn add(&mut self, asked: Asked, now: SystemTime) {
        self.known.retain(|_, at| is_recent(*at, now));
        if HUNG_MAX <= self.known.len() {
            let oldest = self.known.iter().min_by_key(|(_, at)| **at).map(|(asked, _)| asked.clone());
            oldest.and_then(|oldest| self.known.remove(&oldest));
        }
        self.known.insert(asked.0, seconds_since_1970(now));
        self.is_changed = true;
    }

    /// Writes what is new. An error costs only time at the next request.
    pub(super) fn keep(&mut self, cache: &Path) {
        if !std::mem::take(&mut self.is_changed) {
            return;
        }
        let body = postcard::to_allocvec(&self.known).map_err(anyhow::Error::from);
        let kept = body.and_then(|body| store::write_summed(&cache.join(FILE), KIND.0, KIND.1, &body));
        if let Err(error) = kept {
            tracing::debug!("can't remember the programs that hang: {error:#}");
        }
    }
}

/// Reports whether a time is a short time ago; one in the future means that the clock was changed.
fn is_recent(at: u64, now: SystemTime) -> bool {
    seconds_since_1970(now).checked_sub(at).is_some_and(|age| age <= HUNG_FOR.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_host::local::LocalHost;
    use askline_host::{Level, Spelling};
    use askline_syntax::shell::Shell;

    #[test]
    fn a_question_without_an_answer_is_remembered_for_minutes() {
        let cache = tempfile::tempdir().unwrap();
        let program = cache.path().join("program");
        std::fs::write(&program, "1").unwrap();
        let help =
            |words: &[&str]| Probe::Help { level: Level::new(words).unwrap(), spelling: Spelling::Long };
        let line = |line: &str| Probe::Syntax { shell: Shell::Bash, line: line.to_owned() };
        let asked = |probe: &Probe| Asked::new(&LocalHost, &program, probe);
        let now = SystemTime::now();
        let mut hung = HungPrograms::of(Some(cache.path()));
        assert!(!hung.contains(&asked(&help(&[])), now));
        hung.add(asked(&help(&["log"])), now);
        hung.add(asked(&line("a")), now);
        hung.keep(cache.path());
        let hung = HungPrograms::of(Some(cache.path()));
        for (probe, expected) in
            [(help(&[]), true), (help(&["log"]), true), (line("a"), true), (line("b"), false)]
        {
            assert_eq!(hung.contains(&asked(&probe), now), expected, "{probe:?}");
        }
        assert!(!hung.contains(&asked(&help(&[])), now + HUNG_FOR + Duration::from_secs(1)));
        assert!(!hung.contains(&asked(&help(&[])), now - Duration::from_secs(5)), "the clock was changed");
        std::fs::write(&program, "22").unwrap();
        assert!(!hung.contains(&asked(&help(&[])), now), "another version of the program");
        assert!(!HungPrograms::of(None).contains(&asked(&help(&[])), now));
    }

    #[test]
    fn only_so_many_are_remembered() {
        let mut hung = HungPrograms::default();
        let now = SystemTime::now();
        for n in 0..2 * HUNG_MAX as u64 {
            hung.add(Asked(n.to_string()), now + Duration::from_secs(n));
        }
        assert_eq!(hung.known.len(), HUNG_MAX);
        assert!(!hung.known.contains_key("0"));
    }
}
