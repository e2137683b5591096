//! Classification of the prompt line: a command, perhaps with mistakes, or a request in words. Pure except for
//! calls to the reference.

use crate::check::check;
use crate::finding::{Finding, FindingKind, Fix};
use crate::reference::{CommandKind, Reference};
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Word};

/// Words that connect English sentences and that people do not pass to a command as an argument. One of them,
/// unquoted, makes the prompt line a request.
const ENGLISH: &[&str] = &[
    "a",
    "all",
    "an",
    "and",
    "any",
    "are",
    "as",
    "below",
    "but",
    "by",
    "did",
    "does",
    "every",
    "everything",
    "for",
    "from",
    "have",
    "how",
    "i",
    "into",
    "is",
    "it",
    "larger",
    "me",
    "more",
    "my",
    "named",
    "not",
    "of",
    "older",
    "only",
    "or",
    "than",
    "that",
    "the",
    "their",
    "them",
    "there",
    "these",
    "this",
    "to",
    "under",
    "was",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whose",
    "with",
    "without",
];

/// Words with which requests begin, also without any other of the words above: "list files", "whats in a.zip". No slip is looked for
/// behind them.
const VERBS: &[&str] = &[
    "add",
    "append",
    "archive",
    "back",
    "backup",
    "calculate",
    "change",
    "check",
    "clean",
    "clear",
    "clone",
    "close",
    "compare",
    "compress",
    "concatenate",
    "connect",
    "convert",
    "copy",
    "count",
    "create",
    "decode",
    "decompress",
    "delete",
    "describe",
    "disable",
    "display",
    "do",
    "download",
    "edit",
    "empty",
    "enable",
    "encode",
    "erase",
    "estimate",
    "examine",
    "execute",
    "explain",
    "export",
    "extract",
    "fetch",
    "filter",
    "find",
    "format",
    "free",
    "generate",
    "get",
    "give",
    "go",
    "hide",
    "hows",
    "identify",
    "insert",
    "install",
    "kill",
    "launch",
    "leave",
    "list",
    "locate",
    "log",
    "look",
    "make",
    "measure",
    "merge",
    "monitor",
    "move",
    "open",
    "pack",
    "pause",
    "pick",
    "play",
    "print",
    "quit",
    "read",
    "reboot",
    "remove",
    "rename",
    "replace",
    "report",
    "reset",
    "restart",
    "restore",
    "resume",
    "retrieve",
    "reverse",
    "rotate",
    "run",
    "save",
    "scan",
    "search",
    "see",
    "select",
    "send",
    "set",
    "shorten",
    "show",
    "shrink",
    "sort",
    "split",
    "start",
    "stop",
    "summarize",
    "swap",
    "switch",
    "tell",
    "test",
    "trim",
    "turn",
    "uninstall",
    "unpack",
    "unzip",
    "update",
    "upgrade",
    "upload",
    "verify",
    "view",
    "wait",
    "watch",
    "whats",
    "wheres",
    "whos",
    "wipe",
    "write",
    "zip",
];

/// Programs that take words with a plus sign.
const SIGNED: [&str; 7] = ["chmod", "date", "dig", "less", "tail", "vi", "vim"];

/// Minimum number of words of a line in which a question mark at the end of a word is one; `rm file?` has a pattern.
const SENTENCE_WORDS_MIN: usize = 4;

/// Reports whether the prompt line is a command rather than a request: its command word is known on this machine,
/// and some part is written as only commands are. "find files named core" is a request, `find -nmae core` a
/// command.
pub fn is_command(line: &ParsedLine, reference: &dyn Reference) -> bool {
    let parsed = line.parsed();
    // A line that is one loop or branch has no command beside it; one that is written out is no sentence.
    let is_block = !parsed.incomplete
        && parsed.errors.is_empty()
        && parsed.commands.iter().all(|command| !command.within.is_empty());
    let is_in_block = |nesting: &Nesting| {
        is_block && matches!(nesting, Nesting::Loop | Nesting::Branch | Nesting::Group | Nesting::Subshell)
    };
    let at_top = || parsed.commands.iter().filter(|command| command.within.iter().all(is_in_block));
    let Some(first) = at_top().next() else { return false };
    let Some(name) = first.name() else { return false };
    let known = reference.known(&[name]).kind != CommandKind::Missing;
    let speaks = at_top().any(|command| command.words.iter().skip(1).any(is_english));
    known && !speaks && (1 < parsed.commands.len() || is_written_as_command(line.text(), first, reference))
}

/// Reports whether the prompt line may be a command whose name or subcommand is misspelt: no word is English, and one
/// has a sure correction. What it was meant to be decides: [`is_command`] must hold for the corrected line.
pub fn may_be_slip(line: &ParsedLine, reference: &dyn Reference) -> bool {
    let commands = &line.parsed().commands;
    let verb = commands.first().and_then(SimpleCommand::name).map(str::to_lowercase);
    let has_english = commands.iter().any(|command| command.words.iter().any(is_english))
        || verb.is_some_and(|verb| VERBS.binary_search(&verb.as_str()).is_ok());
    // "cron jobs": to name root's program or run it as root mends no slip.
    let name = commands.first().and_then(SimpleCommand::name).unwrap_or_default();
    let is_other = |fix: &Fix| fix.replacement.rsplit([' ', '/']).next() != Some(name);
    let is_slip =
        |finding: &Finding| finding.kind == FindingKind::CommandMissing && finding.fixes.iter().any(is_other);
    !has_english && check(line, reference).findings.iter().any(is_slip)
}

/// Reports whether two lines differ only in the plural of words: `docker containers` is a request for them, no slip.
pub fn is_other_number(line: &str, other: &str) -> bool {
    let is_plural = |word: &str, other: &str| word.strip_suffix('s') == Some(other);
    line.split_whitespace()
        .zip(other.split_whitespace())
        .any(|(one, two)| is_plural(one, two) || is_plural(two, one))
}

/// Reports whether the prompt line consists of plain words only: a person's request or a model's echo of it. Then
/// the command nearest to its first word is not intended.
pub fn is_plain_words(line: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_end_matches([',', '.', '?']);
        // An apostrophe occurs within a word, a quote around it.
        word.chars().all(|c| c.is_alphabetic() || c == '\'')
            && !word.starts_with('\'')
            && !word.ends_with('\'')
    };
    line.split_whitespace().all(is_word)
}

fn is_english(word: &Word) -> bool {
    !word.quoted && ENGLISH.binary_search(&word.text.to_lowercase().as_str()).is_ok()
}

/// Reports whether the command has options, redirections, assignments, quotes, variables, globs, paths, or a
/// documented subcommand.
fn is_written_as_command(line: &str, command: &SimpleCommand, reference: &dyn Reference) -> bool {
    // "who lives in York?" ends in a question mark, `rm file?.txt` has one within.
    let asks = |raw: &str| {
        raw.strip_suffix('?').is_some_and(|word| !word.is_empty() && word.chars().all(char::is_alphabetic))
    };
    let takes_signs = command.name().is_some_and(|name| SIGNED.contains(&name));
    let is_long = SENTENCE_WORDS_MIN <= command.words.len();
    let telling = |word: &Word| {
        let raw = line.get(word.span.clone()).unwrap_or_default();
        if is_long && asks(raw) {
            return false;
        }
        (word.text.len() > 1 && (raw.starts_with('-') || takes_signs && raw.starts_with('+')))
            || word.quoted
            || !word.literal
            || raw.contains('/')
    };
    let subcommand = || {
        let words: Vec<&str> = command.words.iter().take(2).map(|word| word.text.as_str()).collect();
        let [name, second] = words.as_slice() else { return false };
        let manual = reference.known(&[name]).manual.clone();
        manual.is_some_and(|manual| manual.subcommands.iter().any(|subcommand| subcommand.name == *second))
    };
    !command.redirections.is_empty()
        || !command.assignments.is_empty()
        || command.words.iter().skip(1).any(telling)
        || subcommand()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_machine::TestMachine;
    use askline_syntax::shell::Shell;

    #[test]
    fn plain_words_are_told_from_commands() {
        assert!(is_plain_words("list files") && is_plain_words("what's here, and where"));
        assert!(
            !is_plain_words("gti status -s") && !is_plain_words("sl | head") && !is_plain_words("cat a.txt")
        );
    }

    #[test]
    fn a_loop_is_a_command() {
        let machine = TestMachine::with_every_program();
        let is_command = |line: &str| is_command(&ParsedLine::new(line, Shell::Bash), &machine);
        assert!(
            is_command("for f in *.txt; do wc -l \"$f\"; done")
                && is_command("if [ -e x.txt ]; then cat x.txt; fi")
        );
        assert!(!is_command("for each file show the size") && !is_command("while it runs print the load"));
    }

    #[test]
    fn another_number_is_no_slip() {
        assert!(is_other_number("docker containers", "docker container"));
        assert!(!is_other_number("gti stauts", "git status") && !is_other_number("ls", "ls"));
    }

    #[test]
    fn the_words_are_sorted_so_that_they_are_found() {
        assert!(ENGLISH.is_sorted() && VERBS.is_sorted());
    }
}
