//! What a repair must not do: add what destroys, mend a line that destroys, or lose what was quoted.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::quote;
use crate::shell::Shell;
use crate::syntax::{self, Parsed, Redirection, SimpleCommand, Word};

/// Words of a command, options aside, among which its subcommands are looked for: `docker -H x system prune`.
const SUBCOMMAND_WORDS_MAX: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    commands: Vec<String>,
    privileges: Vec<String>,
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
    /// By a program's name, or by that and a word of it: letters.
    after: BTreeMap<String, String>,
    in_place: BTreeMap<String, String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("danger.toml")).expect("danger.toml is well-formed")
});

/// How often each dangerous thing stands in a line.
pub(super) type Dangers = HashMap<String, usize>;

/// A line as it is read once for all that may be dangerous in it.
pub(super) struct Reading<'a> {
    line: &'a str,
    shell: Shell,
    /// The commands as they are typed.
    typed: Parsed,
    /// With those that commands run.
    run: Parsed,
}

impl<'a> Reading<'a> {
    pub(super) fn new(line: &'a str, shell: Shell) -> Self {
        let typed = syntax::parse(line, shell);
        let run = syntax::peel(typed.clone(), line, shell);
        Self { line, shell, typed, run }
    }

    /// Whether it has something dangerous more often than the line that had these.
    pub(super) fn grows(&self, before: &Dangers) -> bool {
        let has_more =
            |(danger, count): (&String, &usize)| before.get(danger).copied().unwrap_or_default() < *count;
        self.dangers().iter().any(has_more)
    }

    pub(super) fn dangers(&self) -> Dangers {
        let mut count = Dangers::new();
        let mut add = |danger: String| *count.entry(danger).or_default() += 1;
        for command in &self.typed.commands {
            let harmless = command.name().is_some_and(|name| has(&TABLE.harmless, name));
            command
                .redirections
                .iter()
                .filter(|redirection| overwrites(redirection))
                .for_each(|_| add(">".to_owned()));
            for word in &command.words {
                let text = word.text.as_str();
                let option = text.split('=').next().unwrap_or(text);
                // Wrapped commands are words of their wrapper: any word may be a command word.
                let base = base(text);
                if is_destroyer(base) || has(&TABLE.privileges, base) {
                    add(base.to_owned());
                }
                if self.shell == Shell::Nu && has(&TABLE.senders, text) {
                    add(text.to_owned());
                }
                if has(&TABLE.options, option) {
                    add(option.to_owned());
                }
                // What begins with a bracket is a list in Nushell, or parameters.
                if word.glob && !(self.shell == Shell::Nu && text.starts_with('[')) {
                    add("*".to_owned());
                }
                if !harmless {
                    letters(word).filter(|c| TABLE.letters.contains(*c)).for_each(|c| add(format!("-{c}")));
                }
            }
        }
        count
    }

    /// Whether it destroys, overwrites, publishes or stops something, so that nothing in it may be guessed: what failed as
    /// it was typed would do so once it is mended. Rather too often than too seldom.
    pub(super) fn destroys(&self) -> bool {
        // The words of scripts in quotes and of what runs elsewhere, too.
        let mut words = self.line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.'));
        words.any(is_destroyer) || self.is_any(|command| command_destroys(command, self.shell))
    }

    /// Whether it rewrites files in place, which its writer has asked for in so many words.
    pub(super) fn edits_in_place(&self) -> bool {
        self.is_any(|command| {
            let flagged = TABLE.in_place.get(command.name().map_or("", base));
            let has_letter =
                |word: &Word| letters(word).any(|c| flagged.is_some_and(|flagged| flagged.contains(c)));
            command.words.iter().any(|word| word.text.starts_with("--in-place") || has_letter(word))
        })
    }

    /// Whether it forces something, so that neither the command nor the subcommand may be a guess: `git brnch -D`.
    pub(super) fn forces(&self) -> bool {
        self.is_any(|command| {
            let harmless = command.name().is_some_and(|name| has(&TABLE.harmless, base(name)));
            !harmless && command.words.iter().flat_map(letters).any(|c| TABLE.forceful.contains(c))
        })
    }

    /// Whether it holds of a command of the line, be it typed or run by another one.
    fn is_any(&self, holds: impl Fn(&SimpleCommand) -> bool) -> bool {
        [&self.typed, &self.run].into_iter().flat_map(|parsed| &parsed.commands).any(holds)
    }
}

/// [`Reading::destroys`] of a line that is read for nothing else.
pub(crate) fn destroys(line: &str, shell: Shell) -> bool {
    Reading::new(line, shell).destroys()
}

fn command_destroys(command: &SimpleCommand, shell: Shell) -> bool {
    let name = command.name().map_or("", base);
    // Nushell's `save` writes over nothing unless it is forced.
    let may_overwrite = shell != Shell::Nu || name != "save" || command.words.iter().any(forces_save);
    let is_nu_own = shell == Shell::Nu && syntax::nushell_commands().contains(name);
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
    // `stor delete`, `history clear`; what stands behind `str` only makes another text.
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

/// `--force`, `-f`, and what can't be read.
fn forces_save(word: &Word) -> bool {
    word.text == "--force" || letters(word).any(|c| c == 'f') || word.text.starts_with("...")
}

/// Whether what stood in the target is lost.
fn overwrites(redirection: &Redirection) -> bool {
    let operator = redirection.operator.as_str();
    // Nushell's `o+e>|` leads into a pipe.
    let to_file = operator.contains('>') && !operator.contains(">>") && !operator.ends_with('|');
    let target = redirection.target.as_ref().map_or("", |word| word.text.as_str());
    let is_device = target == "/dev/null" || target.bytes().all(|byte| byte.is_ascii_digit());
    to_file && !is_device
}

/// The name of a program without its directory.
fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// A command that destroys by itself, also under the name that GNU's has among BSD's: `gdd`.
fn is_destroyer(name: &str) -> bool {
    let is_known = |name| has(&TABLE.commands, name);
    is_known(name) || name.strip_prefix('g').is_some_and(is_known) || name.starts_with("mkfs.")
}

/// The letters of a word such as `-abc`.
fn letters(word: &Word) -> impl Iterator<Item = char> {
    let letters = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.unwrap_or_default().chars()
}

/// Whether each text that was quoted in the old line stands in the new one, byte for byte.
pub(super) fn keeps_literals(old: &str, new: &str, shell: Shell) -> bool {
    // A quote that is never closed quotes what was not meant.
    let open = quote::open_quote(old, shell).map_or(old.len(), |(start, _)| start);
    // bash's quotes expand what Nushell's don't: a line of bash at Nushell is read as that.
    let grammar = if shell == Shell::Nu { Shell::Bash } else { shell };
    syntax::parse(old, grammar).commands.iter().all(|command| {
        let words = command.words.iter().chain(&command.assignments).filter(|word| word.span.end <= open);
        // In Nushell what is expanded within quotes is written otherwise.
        words.filter(|word| word.quoted && (word.literal || shell != Shell::Nu)).all(|word| {
            let raw = old.get(word.span.clone()).unwrap_or_default();
            new.contains(raw) || quoted_parts(raw).all(|part| new.contains(part))
        })
    })
}

/// What stands between the quotes of a word.
fn quoted_parts(raw: &str) -> impl Iterator<Item = &str> {
    let quote = raw.chars().find(|c| matches!(c, '\'' | '"')).unwrap_or('\'');
    raw.split(quote).skip(1).step_by(2)
}
