//! Unusual spaces in names of files that exist.

use std::collections::HashSet;

use super::characters::is_space;
use crate::quoting::QuoteLexer;
use crate::shell::Shell;

/// Maximum number of words that are looked up.
const LOOKED_UP_MAX: usize = 8;

/// Returns the places, in characters, of the unusual spaces inside quotes of words that exist.
pub(super) fn spaces(text: &str, shell: Shell, exists: &dyn Fn(&str) -> bool) -> HashSet<usize> {
    let parsed = crate::commands(text, shell);
    let words = parsed.commands.iter().flat_map(|command| {
        let targets = command.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
        command.words.iter().chain(targets)
    });
    let spaced = words.filter(|word| word.quoted && word.literal && word.text.contains(is_space));
    let known: Vec<_> = spaced.take(LOOKED_UP_MAX).filter(|word| exists(&word.text)).collect();
    let mut reader = QuoteLexer::new(shell);
    let mut places = HashSet::new();
    for (place, (at, c)) in text.char_indices().enumerate() {
        let is_known = is_space(c) && !reader.is_plain() && !reader.in_comment();
        if is_known && known.iter().any(|word| word.span.contains(&at)) {
            places.insert(place);
        }
        reader.read(c);
    }
    places
}
