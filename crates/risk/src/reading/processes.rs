//! Processes that a line stops one after the other: all of them, if nothing selects some.

use super::{Here, LineReader};
use crate::call::Call;
use crate::effect::{Effect, Scope};
use crate::weigh::Circumstances;
use askline_syntax::SimpleCommand;

/// Commands that select some of the processes, or some lines.
const SELECTING: [&str; 20] = [
    "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ugrep", "pgrep", "pidof", "lsof", "fuser", "head",
    "tail", "fzf", "where", "first", "last", "find", "jobs", "peco",
];

impl LineReader<'_> {
    /// Adds an effect if a command stops each process that `ps` lists.
    pub(super) fn stop_all(&mut self, call: &Call<'_>, here: Here<'_>) {
        let is_given = here.feed.is_some() || call.operands().iter().any(|word| !word.literal);
        if call.name != "kill" || !is_given {
            return;
        }
        let commands = || here.text.parsed.commands.iter().take(super::COMMANDS_MAX);
        let lists = commands().any(|command| lists_all(command, self.shell.is_nushell()));
        if lists && !commands().any(selects) {
            let says = Some("stops every process that it lists".to_owned());
            self.add(Effect::Stop, Scope::Everything, here.word, "", Circumstances::default(), says);
        }
    }
}

/// Reports whether a command lists all processes.
fn lists_all(command: &SimpleCommand, in_nushell: bool) -> bool {
    let mut words = command.words.iter().skip(1).map(|word| word.text.as_str());
    let is_all = |word: &str| match word.strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') => letters.contains(['e', 'A']) || letters.contains("ax"),
        Some(_) => false,
        None => word.contains('x') && word.bytes().all(|byte| byte.is_ascii_lowercase()),
    };
    command.name() == Some("ps") && (in_nushell && !command.external || words.any(is_all))
}

fn selects(command: &SimpleCommand) -> bool {
    let is_chosen = |name: &str| {
        SELECTING.contains(&name)
            // `awk '/node/ {print $2}'`.
            || matches!(name, "awk" | "gawk" | "mawk" | "sed")
                && command.words.iter().any(|word| word.text.contains(['/', '~']) || word.text.contains("=="))
            || name == "ps" && command.words.iter().any(|word| matches!(word.text.as_str(), "-C" | "-u" | "-U" | "-p"))
    };
    command.name().is_some_and(is_chosen)
}
