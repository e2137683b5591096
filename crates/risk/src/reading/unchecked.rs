//! Options that switch off the check of the other side's certificate, as their name states: no row has to mention them.

use super::{Here, LineReader};
use crate::call::Call;
use crate::effect::{Effect, Scope};
use crate::weigh::Circumstances;
use crate::words::WordLists;

impl LineReader<'_> {
    /// Adds the effect of an option that trusts whoever answers and that no row of the program mentions.
    pub(super) fn unchecked(&mut self, call: &Call<'_>, here: Here<'_>) {
        let words = WordLists::own();
        if words.prints(&call.name) {
            return;
        }
        let trusts = |text: &str| {
            let (option, value) = text.split_once('=').unwrap_or((text, ""));
            words.trusts_anyone(option)
                && !matches!(value, "false" | "0" | "no" | "off")
                && !self.table.knows_option(&call.name, option)
        };
        if let Some(word) = call.words().iter().find(|word| word.literal && trusts(&word.text)) {
            let word = word.clone();
            let says = Some("does not check whom it talks to".to_owned());
            self.add(Effect::SecurityOff, Scope::Own, here.word, &word.text, Circumstances::default(), says);
        }
    }
}
