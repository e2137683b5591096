//! Options of known programs that take a value, from `program_options.toml`.

use std::cmp::Ordering;
use std::sync::LazyLock;

use super::{Options, Takes};

/// Entries of the table, one a line: options whose value may be the next word (a trailing `*` stands for any text), a tab,
/// options whose value is only the rest of their word.
static ENTRIES: Lines = Lines {
    text: include_str!(concat!(env!("OUT_DIR"), "/program_entries.txt")),
    starts: include!(concat!(env!("OUT_DIR"), "/program_entries.rs")),
};
/// Commands in order, one a line: the first word, and behind a tab each level with its further words and its entry.
static COMMANDS: Lines = Lines {
    text: include_str!(concat!(env!("OUT_DIR"), "/commands.txt")),
    starts: include!(concat!(env!("OUT_DIR"), "/commands.rs")),
};

/// The commands whose word ends in `*`.
static STARRED: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let is_starred = |line: &&str| line.split('\t').next().is_some_and(|word| word.ends_with('*'));
    COMMANDS.all().filter(is_starred).collect()
});

/// A text whose lines are found by number.
struct Lines {
    text: &'static str,
    /// The offset of each line, and of the end.
    starts: &'static [u32],
}

impl Lines {
    fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn line(&self, at: usize) -> Option<&'static str> {
        let offset = |at: usize| usize::try_from(*self.starts.get(at)?).ok();
        self.text.get(offset(at)?..offset(at + 1)?)?.strip_suffix('\n')
    }

    fn all(&self) -> impl Iterator<Item = &'static str> {
        (0..self.count()).filter_map(|at| self.line(at))
    }
}

/// Options that take a value at some levels of a command.
#[derive(Debug, Clone, Default)]
pub struct ProgramOptions(Vec<&'static str>);

impl ProgramOptions {
    /// Returns the options of a program and all its subcommands.
    pub fn of_all(program: &str) -> Self {
        Self::at(program, |_| true)
    }

    /// Returns the options of a program and of each subcommand that `words` begins with.
    pub fn of(program: &str, words: &[&str]) -> Self {
        Self::at(program, |level| words.starts_with(level))
    }

    /// Returns the options of the command that a name such as `git push` means, without those of `git`.
    pub fn named(name: &str) -> Self {
        let (program, words) = name.split_once(' ').unwrap_or((name, ""));
        let words: Vec<&str> = words.split_terminator(' ').collect();
        Self::at(program, |level| words == level)
    }

    /// Returns the options of the levels above one: those of `docker` and `docker compose` for `docker compose run`.
    pub fn above(program: &str, words: &[&str]) -> Self {
        Self::at(program, |level| words != level && words.starts_with(level))
    }

    fn at(program: &str, is_one: impl Fn(&[&str]) -> bool) -> Self {
        let levels = line_of(program).unwrap_or_default().split('\t').skip(1);
        let entry = |level: &'static str| {
            let (words, entry) = level.rsplit_once(':')?;
            let words: Vec<&str> = words.split_terminator(' ').collect();
            ENTRIES.line(entry.parse().ok().filter(|_| is_one(&words))?)
        };
        Self(levels.filter_map(entry).collect())
    }

    /// Reports whether the table lists the option.
    pub fn lists(&self, option: &str) -> bool {
        self.takes(option).is_some()
    }
}

impl Options for ProgramOptions {
    fn takes(&self, option: &str) -> Option<Takes> {
        let has = |list: &str| list.split(' ').any(|known| is_like(option, known));
        let mut lists = self.0.iter().filter_map(|entry| entry.split_once('\t'));
        match () {
            () if lists.clone().any(|(values, _)| has(values)) => Some(Takes::Value),
            () if lists.any(|(_, attached)| has(attached)) => Some(Takes::Attached),
            () => None,
        }
    }
}

/// Returns the line of a command; of several names with `*` the first counts.
fn line_of(program: &str) -> Option<&'static str> {
    let word = |line: &'static str| line.split('\t').next().unwrap_or_default();
    let (mut start, mut end) = (0, COMMANDS.count());
    while start < end {
        let middle = start + (end - start) / 2;
        let line = COMMANDS.line(middle)?;
        match word(line).cmp(program) {
            Ordering::Less => start = middle + 1,
            Ordering::Greater => end = middle,
            Ordering::Equal => return Some(line),
        }
    }
    STARRED.iter().copied().find(|line| is_like(program, word(line)))
}

/// Reports whether a text is the known one, of which a trailing `*` stands for any text.
fn is_like(text: &str, known: &str) -> bool {
    known.strip_suffix('*').map_or(text == known, |start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_add_their_options() {
        let takes = |options: ProgramOptions, option: &str| options.takes(option);
        assert_eq!(takes(ProgramOptions::of("tar", &[]), "-f"), Some(Takes::Value));
        assert_eq!(takes(ProgramOptions::of("sed", &[]), "-i"), Some(Takes::Attached));
        assert_eq!(takes(ProgramOptions::of("tar", &[]), "-x"), None);
        assert_eq!(takes(ProgramOptions::of("find", &[]), "-newermt"), Some(Takes::Value));
        assert_eq!(takes(ProgramOptions::of("mkfs.ext4", &[]), "-L"), Some(Takes::Value));
        assert_eq!(takes(ProgramOptions::of("no-such-program", &[]), "-f"), None);
        let (docker, run) = ("docker", ["run", "image"]);
        assert!(ProgramOptions::of(docker, &run).lists("--volume"));
        assert!(ProgramOptions::of(docker, &run).lists("--context"));
        assert!(!ProgramOptions::of(docker, &[]).lists("--volume"));
        assert!(ProgramOptions::of_all(docker).lists("--volume"));
        assert!(!ProgramOptions::named("docker run").lists("--context"));
        assert!(ProgramOptions::above(docker, &["run"]).lists("--context"));
        assert!(!ProgramOptions::above(docker, &["run"]).lists("--volume"));
    }

    #[test]
    fn the_table_is_consistent() {
        for entry in ENTRIES.all() {
            let (values, attached) = entry.split_once('\t').unwrap();
            let all: Vec<&str> = values.split_terminator(' ').chain(attached.split_terminator(' ')).collect();
            assert!(!all.is_empty());
            for option in &all {
                assert!(
                    option.find('*').is_none_or(|at| at + 1 == option.len()) && option.len() > 1,
                    "{option}"
                );
                assert_eq!(all.iter().filter(|other| *other == option).count(), 1, "{option}");
            }
        }
        assert!(COMMANDS.all().all(|line| line_of(line.split('\t').next().unwrap()) == Some(line)));
    }
}
