//! The harm that a line would do if a guess made it work. It is about broken lines too, so it reads words rather than
//! effects, and errs on the side of harm.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::words::WordLists;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;
use askline_syntax::{ParsedLine, Redirection, SimpleCommand, Word, program_name};

/// Maximum number of words, without options, among which a subcommand is searched: `docker -H x system prune`.
const SUBCOMMAND_WORDS_MAX: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    commands: Vec<String>,
    overwriters: Vec<String>,
    senders: Vec<String>,
    options: Vec<String>,
    beginnings: Vec<String>,
    columns: Vec<String>,
    letters: String,
    forceful: String,
    harmless: Vec<String>,
    verbs: Vec<String>,
    verb_beginnings: Vec<String>,
    readers: Vec<String>,
    /// Letters by program name, or by program name and one of its words.
    after: BTreeMap<String, String>,
    in_place: BTreeMap<String, String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("harm.toml")).expect("harm.toml is well-formed")
});

/// Number of occurrences of each harmful item in a line.
pub type Harms = HashMap<String, usize>;

/// The harm that a line would do.
pub struct Harm<'a> {
    line: &'a ParsedLine,
}

impl<'a> Harm<'a> {
    /// Reads a line.
    pub fn of(line: &'a ParsedLine) -> Self {
        Self { line }
    }

    /// Reports whether a harmful item occurs more often than in `before`.
    pub fn grows(&self, before: &Harms) -> bool {
        let has_more =
            |(harm, count): (&String, &usize)| before.get(harm).copied().unwrap_or_default() < *count;
        self.harms().iter().any(has_more)
    }

    /// Counts the harmful items.
    pub fn harms(&self) -> Harms {
        let mut count = Harms::new();
        let mut add = |harm: String| *count.entry(harm).or_default() += 1;
        for command in &self.line.typed().commands {
            let harmless = command.name().is_some_and(|name| has(&TABLE.harmless, name));
            command
                .redirections
                .iter()
                .filter(|redirection| overwrites(redirection))
                .for_each(|_| add(">".to_owned()));
            for word in &command.words {
                let text = word.text.as_str();
                let option = text.split('=').next().unwrap_or(text);
                // Wrapped commands are words of their wrapper, so any word may be a command name.
                let base = program_name(text);
                if is_destroyer(base) || WordLists::own().gives_rights(base) {
                    add(base.to_owned());
                }
                if self.line.shell().is_nushell() && has(&TABLE.senders, text) {
                    add(text.to_owned());
                }
                // `ls --all`, `grep --recursive`
                let widens = matches!(option, "--all" | "--recursive");
                if has(&TABLE.options, option) && !(harmless && widens) {
                    add(option.to_owned());
                }
                // In Nushell a word that starts with a bracket is a list or parameters.
                if word.glob && !(self.line.shell().is_nushell() && text.starts_with('[')) {
                    add("*".to_owned());
                }
                if !harmless {
                    letters(word).filter(|c| TABLE.letters.contains(*c)).for_each(|c| add(format!("-{c}")));
                }
            }
        }
        count
    }

    /// Reports whether the line destroys, overwrites, publishes or stops something. Nothing in such a line may be
    /// guessed: it failed as typed, and the repair would make it work. Errs on the side of danger.
    pub fn destroys(&self) -> bool {
        // Include the words of quoted scripts and of remote commands.
        let mut words =
            self.line.text().split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.'));
        words.any(is_destroyer) || self.is_any(|command| command_destroys(command, self.line.shell()))
    }

    /// Reports whether the line edits files in place, as the user explicitly asked.
    pub fn edits_in_place(&self) -> bool {
        self.is_any(|command| {
            let flagged = TABLE.in_place.get(command.name().map_or("", program_name));
            let has_letter =
                |word: &Word| letters(word).any(|c| flagged.is_some_and(|flagged| flagged.contains(c)));
            command.words.iter().any(|word| word.text.starts_with("--in-place") || has_letter(word))
        })
    }

    /// Reports whether the line forces something; then neither the command nor the subcommand may be a guess: `git
    /// brnch -D`.
    pub fn forces(&self) -> bool {
        self.is_any(|command| {
            let harmless = command.name().is_some_and(|name| has(&TABLE.harmless, program_name(name)));
            !harmless && command.words.iter().flat_map(letters).any(|c| TABLE.forceful.contains(c))
        })
    }

    /// Reports whether `holds` is true for a command that is typed or run by another one.
    fn is_any(&self, holds: impl Fn(&SimpleCommand) -> bool) -> bool {
        [self.line.typed(), self.line.own()].into_iter().flat_map(|parsed| &parsed.commands).any(holds)
    }
}

fn command_destroys(command: &SimpleCommand, shell: Shell) -> bool {
    let name = command.name().map_or("", program_name);
    // Nushell's `save` overwrites a file only if forced.
    let may_overwrite = !shell.is_nushell() || name != "save" || command.words.iter().any(forces_save);
    let is_nu_own = shell.is_nushell() && syntax::nushell_commands().contains(name);
    let is_overwriter = has(&TABLE.overwriters, name) && may_overwrite
        || name.strip_prefix('g').is_some_and(|name| has(&TABLE.overwriters, name));
    let is_option = |word: &&Word| word.text.starts_with('-');
    let has_option = command.words.iter().filter(is_option).any(|word| {
        let is_shown = word.text.starts_with("--out") && has(&TABLE.columns, name);
        !is_shown && TABLE.beginnings.iter().any(|beginning| word.text.starts_with(beginning.as_str()))
    });
    let has_verb = !has(&TABLE.readers, name)
        && !is_nu_own
        && command.words.iter().skip(1).filter(|word| !is_option(word)).take(SUBCOMMAND_WORDS_MAX).any(
            |word| {
                has(&TABLE.verbs, &word.text)
                    || TABLE.verb_beginnings.iter().any(|beginning| word.text.starts_with(beginning.as_str()))
            },
        );
    let has_letter = TABLE.after.iter().any(|(words, flagged)| {
        let (program, subcommand) = words.split_once(' ').unwrap_or((words, ""));
        program == name
            && (subcommand.is_empty() || command.words.iter().any(|word| word.text == subcommand))
            && command.words.iter().flat_map(letters).any(|c| flagged.contains(c))
    });
    // `stor delete`, `history clear`; subcommands of `str` only return a changed text.
    let is_verb = is_nu_own
        && !name.starts_with("str ")
        && name.rsplit_once(' ').is_some_and(|(_, verb)| has(&TABLE.verbs, verb));
    is_overwriter
        || is_verb
        || has_option
        || has_verb
        || has_letter
        || command.redirections.iter().any(overwrites)
}

/// Reports whether a word is `--force`, `-f`, or cannot be read.
fn forces_save(word: &Word) -> bool {
    word.text == "--force" || letters(word).any(|c| c == 'f') || word.text.starts_with("...")
}

/// Reports whether a redirect overwrites its target.
fn overwrites(redirection: &Redirection) -> bool {
    let operator = redirection.operator.as_str();
    // Nushell's `o+e>|` writes to a pipe.
    let to_file = operator.contains('>') && !operator.contains(">>") && !operator.ends_with('|');
    let target = redirection.target.as_ref().map_or("", |word| word.text.as_str());
    let is_device = target == "/dev/null" || target.bytes().all(|byte| byte.is_ascii_digit());
    to_file && !is_device
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// Reports whether a command is destructive by itself, also under GNU's name on BSD: `gdd`.
fn is_destroyer(name: &str) -> bool {
    let is_known = |name: &str| WordLists::own().deletes(name) || has(&TABLE.commands, name);
    is_known(name) || name.strip_prefix('g').is_some_and(is_known) || name.starts_with("mkfs.")
}

/// Returns the letters of a word such as `-abc`.
fn letters(word: &Word) -> impl Iterator<Item = char> {
    let letters = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.unwrap_or_default().chars()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bash(line: &str) -> ParsedLine {
        ParsedLine::new(line, Shell::Bash)
    }

    #[test]
    fn some_lines_do_harm() {
        for line in
            ["rm a", "echo 'rm a'", "xargs shred", "ls > a", "git push", "sudo cp a b", "foo delete x"]
        {
            assert!(Harm::of(&bash(line)).destroys(), "{line}");
        }
        for line in ["ls -l", "ls > /dev/null", "git status", "grep -r delete .", "sed -i s/a/b/ c"] {
            assert!(!Harm::of(&bash(line)).destroys(), "{line}");
        }
    }

    #[test]
    fn a_line_does_more_harm_than_another() {
        for (line, other) in
            [("sudo ls", "ls"), ("gosu a ls", "ls"), ("cat *", "cat a"), ("sudo sudo ls", "sudo ls")]
        {
            let (line, other) = (bash(line), bash(other));
            assert!(Harm::of(&line).grows(&Harm::of(&other).harms()), "{line:?}");
            assert!(!Harm::of(&other).grows(&Harm::of(&line).harms()), "{line:?}");
        }
    }
}
