//! Facts that a shell's script passes besides the prompt line.

use serde::{Deserialize, Serialize};

use askline_syntax::{ParsedLine, Word};

/// Key of an earlier command; the latest comes first.
pub const HISTORY: &str = "history";

/// Facts about the shell at the prompt, as its script passes them: the user's names, earlier commands and the last exit status.
/// Each of them may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellFacts {
    /// Version of the shell.
    pub version: Option<String>,
    /// Aliases: name and expansion, in the order of the script.
    pub aliases: Vec<(String, String)>,
    /// Global aliases of zsh: name and expansion.
    pub global_aliases: Vec<(String, String)>,
    /// Names of functions and of Nushell's custom commands.
    pub functions: Vec<String>,
    /// Earlier commands, latest first.
    pub history: Vec<String>,
    /// Exit status of the last command.
    pub status: Option<i32>,
}

impl ShellFacts {
    /// Adds the fact with this key: `BASH_VERSION` and similar ones, `alias.NAME`, `galias.NAME`, `function.NAME` or
    /// [`HISTORY`]. Other keys belong to newer scripts and are ignored.
    pub fn add(&mut self, key: &str, value: &str) {
        match key.split_once('.') {
            Some(("alias", name)) => self.aliases.push((name.to_owned(), value.to_owned())),
            Some(("galias", name)) => self.global_aliases.push((name.to_owned(), value.to_owned())),
            Some(("function", name)) => self.functions.push(name.to_owned()),
            None if key == HISTORY => self.history.push(value.to_owned()),
            None if key.ends_with("_VERSION") => self.version = Some(value.to_owned()),
            _ => {}
        }
    }

    /// Returns what a command of the line is by the user's own definition, if one has any: it is not the program then.
    pub fn own_definition(&self, line: &ParsedLine) -> Option<String> {
        let raw = |word: &Word| line.text().get(word.span.clone()).unwrap_or_default();
        line.typed().commands.iter().find_map(|command| {
            let first = command.words.first().map(raw)?;
            let alias = self.aliases.iter().find(|(name, _)| name == first);
            let global = || {
                self.global_aliases
                    .iter()
                    .find(|(name, _)| command.words.iter().any(|word| raw(word) == name))
            };
            if let Some((name, expansion)) = alias.or_else(global) {
                return Some(format!("`{name}` is an alias of yours for `{expansion}`"));
            }
            let is_function = self.functions.iter().any(|name| name == first);
            is_function.then(|| format!("`{first}` is a function of yours"))
        })
    }

    /// Returns the command before the prompt; `None` if the script passed none or an empty one.
    pub fn last_command(&self) -> Option<&str> {
        self.history.first().map(|command| command.trim()).filter(|command| !command.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_sorted_by_their_keys() {
        let mut facts = ShellFacts::default();
        for (key, value) in [
            ("ZSH_VERSION", "5.9"),
            ("alias.l.s", "ls -l"),
            ("galias.G", "| grep"),
            ("function.up dir", ""),
            (HISTORY, " make \n"),
            (HISTORY, "ls"),
            ("future", "x"),
            ("future.x", "x"),
        ] {
            facts.add(key, value);
        }
        let pair = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let expected = ShellFacts {
            version: Some("5.9".to_owned()),
            aliases: pair("l.s", "ls -l"),
            global_aliases: pair("G", "| grep"),
            functions: vec!["up dir".to_owned()],
            history: vec![" make \n".to_owned(), "ls".to_owned()],
            status: None,
        };
        assert_eq!((facts.last_command(), &facts), (Some("make"), &expected));
        facts.history.insert(0, "  ".to_owned());
        assert_eq!(facts.last_command(), None);
    }
}
