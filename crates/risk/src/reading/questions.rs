//! Forms of commands that only ask, as their words state, whatever else the program does: `x list`, `x --status`.

use super::LineReader;
use crate::call::{Call, is_running};
use crate::effect::{Effect, Scope};
use crate::table::{Row, Target};
use crate::words::WordLists;

/// Maximum number of operands of a command that asks; more may be further commands.
const OPERANDS_MAX: usize = 2;

/// First parts of the names of subcommands that ask.
const QUESTIONS: [&str; 3] = ["get", "list", "show"];

/// Subcommands that ask about a kind of things, which the word before them names.
const NESTED: [&str; 4] = ["list", "ls", "show", "status"];

/// Options that print what there is, or only try.
const LISTING: [&str; 8] = ["list", "dump", "status", "preview", "dry-run", "info", "query", "verify"];
/// Starts of the names of such options.
const LISTING_PARTS: [&str; 3] = ["dump-", "print-", "get-"];

/// Part of a row that applies to a program that is only asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remainder {
    /// The whole row.
    Whole,
    /// An effect in its place.
    Only(Effect),
    /// None of it.
    Nothing,
}

impl LineReader<'_> {
    /// Reports whether the words of a call only ask: a subcommand that reads, or an option that does as the first word.
    pub(super) fn asks(&self, call: &Call<'_>) -> bool {
        let words = WordLists::own();
        let covered = call.named.map_or(0, |named| named.words);
        let named = covered.checked_sub(1).and_then(|at| call.words().get(at));
        let acts = |word: &str| words.verb(word).is_some();
        let is_else = words.takes_names(&call.name)
            || words.runs_tasks(&call.name)
            || words.operands_are_names(&call.name);
        if is_else || words.tells_secrets(&call.name) || named.is_some_and(|word| acts(&word.text)) {
            return false;
        }
        if call.words().is_empty() && words.asks_alone(&call.name) {
            return true;
        }
        let changes = |word: &str| {
            let name = word.split('=').next().unwrap_or_default();
            // One letter does not say what the option does.
            let Some(name) = name.strip_prefix("--") else { return true };
            acts(name) || name.split(['-', '_']).any(|part| words.changes(part))
        };
        let mut options = call.words().iter().filter(|word| word.text.starts_with('-'));
        if options.any(|word| changes(&word.text)) {
            return false;
        }
        let operands = call.operands();
        // An option asks about what the operands name: `chkconfig --list ntpd`.
        let mut own = call.words().iter().skip(covered).filter(|word| word.text.starts_with("--"));
        if operands.len() <= OPERANDS_MAX && own.any(|word| word.literal && is_list(&word.text)) {
            return true;
        }
        // The operands of a program without subcommands, and those of a subcommand, are names: `kill list`, `git add list`.
        // But `config` is a group of subcommands.
        let is_group = named.is_some_and(|word| words.holds_settings(&word.text));
        if is_group && let Some(first) = operands.first().filter(|first| first.literal) {
            return words.asks(&first.text);
        }
        let may_ask = covered == 0 && self.table.has_subcommands(&call.name);
        // `x snapshot list`: a kind of things, and what to do with them.
        if let [kind, verb, rest @ ..] = operands
            && may_ask
            && rest.len() < OPERANDS_MAX
            && kind.literal
            && verb.literal
            && !words.asks(&kind.text)
            && !acts(&kind.text)
            && !words.changes(&kind.text)
            && !is_running(&kind.text)
            && NESTED.contains(&verb.text.as_str())
        {
            return true;
        }
        match operands.first() {
            // `get` with more words often fetches these.
            Some(first) if first.text == "get" => operands.len() == 1 && may_ask,
            Some(first) if is_compound_question(&first.text) => may_ask && operands.len() <= OPERANDS_MAX,
            Some(first) => {
                may_ask && first.literal && operands.len() <= OPERANDS_MAX && words.asks(&first.text)
            }
            None => call
                .words()
                .get(covered)
                .is_some_and(|word| word.literal && word.text.strip_prefix("--").is_some_and(is_asking)),
        }
    }

    /// Returns what remains of a row of a program that is only asked.
    pub(super) fn remainder(row: &Row) -> Remainder {
        let is_blanket = row.when.is_empty() && matches!(row.to, Target::Scope(Scope::Own | Scope::System));
        // The words of the shell's own commands are names of variables and the like.
        let takes_names = row.does == Effect::Session && row.says.is_none();
        match row.does {
            _ if !is_blanket || takes_names => Remainder::Whole,
            Effect::RemoteChange | Effect::NetSend | Effect::DataDefinition => Remainder::Only(Effect::Read),
            Effect::Session
            | Effect::WriteNew
            | Effect::Overwrite
            | Effect::Delete
            | Effect::Privilege
            | Effect::Persistence
            | Effect::SecurityOff
            | Effect::Stop
            | Effect::Device
            | Effect::Install => Remainder::Nothing,
            _ => Remainder::Whole,
        }
    }
}

/// Reports whether the name of a subcommand asks in its first part: `get-devices`, `list-units`.
fn is_compound_question(name: &str) -> bool {
    let asks = |(first, rest): (&str, &str)| {
        let words = WordLists::own();
        QUESTIONS.contains(&first)
            && words.verb(rest).is_none()
            && !rest.split('-').any(|part| words.changes(part))
    };
    name.split_once('-').is_some_and(asks)
}

/// Reports whether an option prints what there is, or only tries: `--list`, `--dump-json`, `--dry-run`.
fn is_list(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    // `--listhooks` lists, `--listen` does not.
    let is_joined = name.starts_with("list") && !name.starts_with("listen");
    LISTING.contains(&name) || is_joined || LISTING_PARTS.iter().any(|part| name.starts_with(part))
}

/// Reports whether the name of an option asks: `list`, `get-status`, `listDevices`.
fn is_asking(name: &str) -> bool {
    if name.contains(['/', '.', '=', '@', ':']) {
        return false;
    }
    let mut parts = name.split(['-', '_']).filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default();
    let camel = ["list", "show", "get"].iter().any(|verb| {
        first.strip_prefix(verb).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    });
    camel || WordLists::own().asks(first)
}
