//! Options that name a file to write, as their name states: no row has to mention them.

use super::{Here, LineReader};
use crate::call::Call;
use crate::effect::Effect;
use crate::weigh::Circumstances;
use crate::words::WordLists;

/// Maximum length of the ending of a file's name.
const MAX_ENDING: usize = 5;

impl LineReader<'_> {
    /// Adds the effect of an option that writes a file and that no row of a known program mentions.
    pub(super) fn outputs(&mut self, call: &Call<'_>, here: Here<'_>) {
        let is_output = |option: &str| {
            WordLists::own().names_output(option) && !self.table.knows_option(&call.name, option)
        };
        for word in call.given(is_output) {
            if is_file_name(&word.text) {
                let settled = self.settled(&word, here.text);
                let place = self.class(&settled, here.command);
                self.place(Effect::WriteNew, &place, &settled, Circumstances::default(), None);
            }
        }
    }
}

/// Reports whether a text looks like the name of a file: `report.txt`, not `json` or `a.b=c`.
fn is_file_name(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let is_plain = |c: char| c.is_alphanumeric() || "._-/~$".contains(c);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    text.chars().all(is_plain)
        && (1..=MAX_ENDING).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
}
