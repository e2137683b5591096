//! Lists of Nushell whose items become words of a command: `^git ...[push -f]`, `let a = [-rf ~]; rm ...$a`.

use super::{LineReader, Text};
use askline_syntax::SimpleCommand;

/// Maximum length of a list, in bytes.
const BYTES_MAX: usize = 1024;
/// Maximum number of lists that are kept.
const LISTS_MAX: usize = 16;

impl LineReader<'_> {
    /// Keeps the lists that a command of Nushell gives a name: `let a = […]`, `do {|a| …} […]`.
    pub(super) fn keep_lists(&mut self, command: &SimpleCommand) {
        let words = command.words.get(1..).filter(|_| self.shell.is_nushell()).unwrap_or_default();
        match command.name() {
            Some("let" | "mut" | "const") => {
                if let [name, .., value] = words {
                    self.keep_list(&name.text, &value.text);
                }
            }
            Some("do") => {
                let Some((closure, given)) = words.split_first() else { return };
                let names = closure.text.trim_start().strip_prefix('{').map(str::trim_start);
                let names =
                    names.and_then(|rest| rest.strip_prefix('|')?.split_once('|')).map(|(names, _)| names);
                for (at, name) in
                    names.unwrap_or_default().split([',', ' ']).filter(|it| !it.is_empty()).enumerate()
                {
                    let rest =
                        || given.iter().skip(at).map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                    match name.strip_prefix("...") {
                        Some(name) => self.keep_list(name, &format!("[{}]", rest())),
                        None => self.keep_list(name, given.get(at).map_or("", |word| &word.text)),
                    }
                }
            }
            _ => {}
        }
    }

    fn keep_list(&mut self, name: &str, list: &str) {
        if list.starts_with('[') && list.len() <= BYTES_MAX && self.lists.len() < LISTS_MAX {
            self.lists.insert(name.to_owned(), list.to_owned());
        }
    }

    /// Returns a command of Nushell with the items of lists in the place of these, as far as the line states them; `None` if it
    /// has no such list.
    pub(super) fn spread(&self, command: &SimpleCommand, text: Text<'_>) -> Option<String> {
        if !self.shell.is_nushell() || !command.words.iter().any(|word| word.text.starts_with("...")) {
            return None;
        }
        let mut is_spread = false;
        let words = command.words.iter().filter_map(|word| {
            let list = word.text.strip_prefix("...").and_then(|list| self.items(list, command, text));
            is_spread |= list.is_some();
            list.or_else(|| text.line.get(word.span.clone()).map(str::to_owned))
        });
        let line = words.collect::<Vec<_>>().join(" ");
        let caret = if command.external && !line.starts_with('^') { "^" } else { "" };
        is_spread.then(|| format!("{caret}{line}"))
    }

    /// Returns the items of a list, or of the list that a variable holds, as words.
    fn items(&self, list: &str, command: &SimpleCommand, text: Text<'_>) -> Option<String> {
        let list = match list.strip_prefix('$') {
            Some("in") => list_before(command, text)?,
            Some(name) => self.lists.get(name)?.as_str(),
            None => list,
        };
        let inside = list.strip_prefix('[')?.strip_suffix(']')?;
        let is_plain = inside.len() <= BYTES_MAX && !inside.contains(['[', '{', '(', ';', '|', '\n']);
        is_plain.then(|| inside.replace(',', " "))
    }
}

/// Reports whether all lists of a command stand in it, and none in a variable.
pub(super) fn states_lists(command: &SimpleCommand) -> bool {
    command.words.iter().filter_map(|word| word.text.strip_prefix("...")).all(|list| list.starts_with('['))
}

/// Returns the list at the head of a pipeline whose second part is the command.
fn list_before<'t>(command: &SimpleCommand, text: Text<'t>) -> Option<&'t str> {
    let before = text.line.get(..command.span.start)?.trim_end_matches('^').trim_end().strip_suffix('|')?;
    let head = before.rsplit([';', '|', '\n', '{']).next()?.trim();
    head.starts_with('[').then_some(head)
}
