//! Effects of redis commands.

use super::{ScriptEffect, TABLE};
use crate::effect::{Effect, Scope};

/// Returns the effects of redis commands, one per line.
pub(super) fn read(text: &str) -> Vec<ScriptEffect> {
    let table = &TABLE.redis;
    let mut deeds = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start..start + line.trim_end().len();
        start += line.len();
        let mut words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        let Some(first) = words.next() else { continue };
        let command = first.to_ascii_uppercase();
        let second = words.next().unwrap_or_default();
        let is = |list: &[String]| list.contains(&command);
        let own = || ScriptEffect::new(Effect::DataDefinition, Scope::Own, first, at.clone());
        let deed = if first.starts_with('$') {
            ScriptEffect::new(Effect::DataDefinition, Scope::Unreadable, first, at.clone())
        } else if is(&table.everything) {
            ScriptEffect::new(Effect::DataDefinition, Scope::Everything, first, at.clone()).forced()
        } else if is(&table.stops) {
            ScriptEffect::new(Effect::Stop, Scope::System, first, at.clone())
        } else if is(&table.control) {
            let lists = ["LIST", "WHOAMI", "CAT", "GETUSER", "LOG", "HELP"]
                .iter()
                .any(|word| second.eq_ignore_ascii_case(word));
            if lists {
                ScriptEffect::new(Effect::Read, Scope::Remote, first, at.clone())
            } else {
                ScriptEffect::new(Effect::SecurityOff, Scope::System, first, at.clone())
            }
        } else if command == "CONFIG" && second.eq_ignore_ascii_case("set") {
            let setting = words.next().unwrap_or_default().to_ascii_lowercase();
            if table.settings.contains(&setting) {
                ScriptEffect::new(Effect::SecurityOff, Scope::System, first, at.clone())
            } else {
                ScriptEffect::new(Effect::RemoteChange, Scope::Own, first, at.clone())
            }
        } else if is(&table.own) {
            own()
        } else {
            ScriptEffect::new(Effect::Read, Scope::Remote, first, at.clone())
        };
        deeds.push(deed);
    }
    deeds
}
