//! Subcommands of programs whose documentation does not list all of them, stored as data (`subcommands.toml`).

use std::collections::HashMap;
use std::sync::LazyLock;

use askline_syntax::{Word, program_name};

static TABLE: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    toml::from_str(include_str!("subcommands.toml")).expect("subcommands.toml is checked by a test")
});

/// Maximum number of words before a subcommand.
pub(super) const DEPTH_MAX: usize = 2;

/// Returns the names that may stand in the place of a word, with the command before them; `None` if it is not in the table, or one of
/// these names stands there.
pub(super) fn in_place_of(
    words: &[Word],
    index: usize,
) -> Option<(String, impl Iterator<Item = &'static str> + Clone)> {
    let before = words.get(..index)?;
    let wanted = words.get(index)?.text.as_str();
    let names = before.iter().enumerate().map(|(at, word)| match at {
        0 => program_name(&word.text),
        _ => word.text.as_str(),
    });
    let command = names.collect::<Vec<_>>().join(" ");
    let listed = TABLE.get(&command)?.split_whitespace();
    (!listed.clone().any(|name| name == wanted)).then_some((command, listed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_parses_and_lists_each_name_once() {
        for (command, names) in TABLE.iter() {
            let names: Vec<&str> = names.split_whitespace().collect();
            let mut unique = names.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), names.len(), "{command}");
        }
    }
}
