//! Options that name a file to write, as their name states: no row has to mention them.

use super::{Here, LineReader};
use crate::call::Call;
use crate::effect::{Effect, Label};
use crate::path_class::PathKind;
use crate::weigh::Circumstances;
use crate::words::WordLists;
use askline_syntax::Word;

/// Maximum length of the ending of a file's name.
const ENDING_MAX: usize = 5;

impl LineReader<'_> {
    /// Adds the effect of an option that writes a file and that no row of a known program mentions.
    pub(super) fn outputs(&mut self, before: usize, call: &Call<'_>, here: Here<'_>) {
        let is_output = |option: &str| {
            WordLists::own().names_output(option) && !self.table.knows_option(&call.name, option)
        };
        for word in call.given(is_output) {
            self.output_file(&word, is_file_name(&word.text), here);
        }
        // `-o` of a program that does more than read is often such an option; other values of it look like no such files.
        let writes = self.acts.iter().skip(before).any(|act| act.label > Label::Safe);
        let is_short = |option: &str| option == "-o" && !self.table.knows_option(&call.name, option);
        for word in call.given(is_short).iter().filter(|_| writes) {
            self.output_file(word, false, here);
        }
    }

    /// Adds the effect of writing a file that an option names. It counts always if something starts or records with it.
    fn output_file(&mut self, word: &Word, is_file: bool, here: Here<'_>) {
        let settled = self.settled(word, here.text);
        let place = self.class(&settled, here.command);
        let is_history = place.kind == PathKind::Log && place.private;
        if is_file || is_history || place.kind == PathKind::Startup {
            let effect = if is_history { Effect::Overwrite } else { Effect::WriteNew };
            self.place(effect, &place, &settled, Circumstances::default(), None);
        }
    }
}

/// Reports whether a text looks like the name of a file: `report.txt`, not `json` or `a.b=c`.
fn is_file_name(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let is_plain = |c: char| c.is_alphanumeric() || "._-/~$".contains(c);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    text.chars().all(is_plain)
        && (1..=ENDING_MAX).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
}
