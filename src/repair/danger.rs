//! What a repair must not do: add what destroys, or lose what was quoted.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::shell::Shell;
use crate::syntax;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    commands: Vec<String>,
    options: Vec<String>,
    letters: String,
    harmless: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("danger.toml")).expect("danger.toml is well-formed")
});

/// Nushell's lines are read as bash's here: only words are counted.
fn grammar(shell: Shell) -> Shell {
    if shell == Shell::Nu { Shell::Bash } else { shell }
}

/// Whether the new line has something dangerous more often than the old one.
pub(super) fn grows(old: &str, new: &str, shell: Shell) -> bool {
    let before = dangers(old, grammar(shell));
    // Nushell's pipe of both outputs is no redirection to a file.
    dangers(&new.replace("o+e>|", "|"), grammar(shell))
        .iter()
        .any(|(danger, count)| before.get(danger).copied().unwrap_or_default() < *count)
}

/// How often each dangerous thing stands in a line.
fn dangers(line: &str, shell: Shell) -> HashMap<String, usize> {
    let mut count = HashMap::new();
    let mut add = |danger: String| *count.entry(danger).or_default() += 1;
    for command in syntax::parse(line, shell).commands {
        let harmless = command.name().is_some_and(|name| TABLE.harmless.iter().any(|known| known == name));
        for redirection in &command.redirections {
            let to_file = redirection.operator.starts_with('>') || redirection.operator.starts_with('&');
            let target = redirection.target.as_ref().map_or("", |word| word.text.as_str());
            let is_device =
                target.starts_with("/dev/null") || target.bytes().all(|byte| byte.is_ascii_digit());
            if to_file && !is_device && !redirection.operator.contains(">>") {
                add(">".to_owned());
            }
        }
        for word in &command.words {
            let text = word.text.as_str();
            let option = text.split('=').next().unwrap_or(text);
            // Wrapped commands are words of their wrapper: any word may be a command word.
            let base = text.rsplit('/').next().unwrap_or(text);
            if TABLE.commands.iter().any(|known| known == base) || base.starts_with("mkfs.") {
                add(base.to_owned());
            }
            if TABLE.options.iter().any(|known| known == option) {
                add(option.to_owned());
            }
            if word.glob {
                add("*".to_owned());
            }
            let is_cluster = text.starts_with('-') && !text.starts_with("--");
            if is_cluster && !harmless {
                text.chars().filter(|c| TABLE.letters.contains(*c)).for_each(|c| add(format!("-{c}")));
            }
        }
    }
    count
}

/// Whether each text that was quoted in the old line stands in the new one, byte for byte.
pub(super) fn keeps_literals(old: &str, new: &str, shell: Shell) -> bool {
    // A quote that is never closed quotes what was not meant.
    if syntax::parse(old, grammar(shell)).incomplete {
        return true;
    }
    syntax::parse(old, grammar(shell)).commands.iter().all(|command| {
        let words = command.words.iter().chain(&command.assignments);
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

/// Whether a line destroys something, so that nothing in it may be guessed.
pub(super) fn destroys(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
        .any(|word| TABLE.commands.iter().any(|known| known == word) || word == "-delete")
}
