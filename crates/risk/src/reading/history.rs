//! Words that the shell replaces with parts of earlier commands, or of the line itself: `!!`, `!rm`, `!#:1-3`.

use super::{LineReader, Text};
use crate::effect::{Effect, Scope};
use crate::weigh::{Circumstances, shown};
use askline_syntax::Word;

/// Signs that may follow `!` in a reference to an earlier command, besides letters and digits.
const AFTER_BANG: &str = "!-?#$^*:{_./~";
/// Modifier with which the shell only prints what it would run.
const PRINTS: &str = ":p";

impl LineReader<'_> {
    /// Adds the effect of a command word that the shell replaces with an earlier command, and reports whether it is one.
    pub(super) fn recalls(&mut self, word: &Word, text: Text<'_>) -> bool {
        let raw = text.line.get(word.span.clone()).unwrap_or_default();
        let is_bang = self.is_recalled(word, raw);
        if !is_bang || raw.ends_with(PRINTS) {
            return is_bang;
        }
        let says = format!("runs {}, an earlier command that the line does not show", shown(raw));
        let manner = Circumstances::default();
        self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, manner, Some(says));
        true
    }

    /// Reports whether the shell replaces a word, which is written as `raw`, with a part of an earlier command: `rm -r !$`.
    pub(super) fn is_recalled(&self, word: &Word, raw: &str) -> bool {
        self.shell.dialect().history.is_some() && !word.quoted && refers(raw)
    }
}

/// Reports whether a word refers to an earlier command. `!=`, `!(a|b)` and a lone `!` do not.
fn refers(raw: &str) -> bool {
    let after = raw.strip_prefix('!').and_then(|rest| rest.chars().next());
    after.is_some_and(|c| c.is_alphanumeric() || AFTER_BANG.contains(c))
}
