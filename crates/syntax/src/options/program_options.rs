//! Options of known programs that take a value, from `program_options.toml`.

use super::{Options, Takes};

/// Entry of the table.
#[derive(Debug)]
struct ProgramEntry {
    /// Options whose value may be the next word; a trailing `*` stands for any text.
    values: &'static [&'static str],
    /// Options whose value is only the rest of their word.
    attached: &'static [&'static str],
}

/// The words of a command's name after the first, and the index of its entry.
type Level = (&'static [&'static str], usize);

static ENTRIES: &[ProgramEntry] = include!(concat!(env!("OUT_DIR"), "/program_entries.rs"));
/// The levels of each command, by its first word in order.
static COMMANDS: &[(&str, &[Level])] = include!(concat!(env!("OUT_DIR"), "/commands.rs"));

/// Options that take a value at some levels of a command.
#[derive(Debug, Clone, Default)]
pub struct ProgramOptions(Vec<&'static ProgramEntry>);

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
        let levels = levels(program).iter().filter(|(level, _)| is_one(level));
        Self(levels.filter_map(|(_, entry)| ENTRIES.get(*entry)).collect())
    }

    /// Reports whether the table lists the option.
    pub fn lists(&self, option: &str) -> bool {
        self.takes(option).is_some()
    }
}

impl Options for ProgramOptions {
    fn takes(&self, option: &str) -> Option<Takes> {
        let has = |list: &[&str]| list.iter().any(|known| is_like(option, known));
        match () {
            () if self.0.iter().any(|entry| has(entry.values)) => Some(Takes::Value),
            () if self.0.iter().any(|entry| has(entry.attached)) => Some(Takes::Attached),
            () => None,
        }
    }
}

/// Returns the levels of a command; of several names with `*` the first counts.
fn levels(program: &str) -> &'static [Level] {
    let exact = COMMANDS.binary_search_by(|(word, _)| (*word).cmp(program)).ok();
    let found = exact.and_then(|at| COMMANDS.get(at));
    let found =
        found.or_else(|| COMMANDS.iter().find(|(word, _)| word.ends_with('*') && is_like(program, word)));
    found.map_or(&[], |(_, levels)| levels)
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
        for entry in ENTRIES {
            let all: Vec<&str> = entry.values.iter().chain(entry.attached).copied().collect();
            assert!(!all.is_empty());
            for option in &all {
                let star = option.find('*').is_none_or(|at| at + 1 == option.len());
                assert!(star && option.len() > 1 && !option.contains(char::is_whitespace), "{option}");
                assert!(entry.values.contains(option) != entry.attached.contains(option), "{option}");
            }
        }
        assert!(COMMANDS.is_sorted_by_key(|(word, _)| word));
    }
}
