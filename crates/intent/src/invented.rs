//! Texts and files of a line that the request does not mention, although it names others.

use crate::mismatch::Mismatch;
use crate::phrase::is_slip;
use crate::request::{Token, is_name};
use crate::tool::is_awk;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Minimum length of a text that is compared, in characters.
const TEXT_MIN: usize = 3;
/// Length of the beginning by which words are compared: `errors`, `ERROR`.
const STEM: usize = 4;
/// Programs whose first argument is a text to find.
const SEARCHES: [&str; 5] = ["grep", "egrep", "fgrep", "rg", "ag"];
/// States of connections as `ss` prints them: "connected" is `ESTAB`.
const STATES: [&str; 4] = ["ESTAB", "LISTEN", "UNCONN", "ESTABLISHED"];
/// Values of columns that requests say by other words: "the paid ones".
const VALUES: [&str; 3] = ["yes", "true", "false"];
/// Programs that read their operands as files.
pub(crate) const READERS: [&str; 22] = [
    "cat", "head", "tail", "sort", "uniq", "wc", "cut", "diff", "cmp", "comm", "paste", "join", "grep",
    "egrep", "awk", "sed", "cp", "mv", "rm", "jq", "column", "nl",
];

/// Returns what the line has and the request has not.
pub(crate) fn compare(tokens: &[Token], line: &ParsedLine) -> Vec<Mismatch> {
    // Requests that name no file are about the output of programs, whose words are known.
    // A path of several parts is often a table with words of its own.
    let is_path = |text: &str| text.contains('/') && text.starts_with(char::is_alphanumeric);
    if !tokens.iter().any(|token| is_name(&token.text) && !is_path(&token.text)) {
        return Vec::new();
    }
    let commands = &line.parsed().commands;
    let texts = commands.iter().filter_map(|command| text(tokens, command));
    let files = commands.iter().filter_map(|command| file(tokens, line, command));
    texts.chain(files).collect()
}

fn mismatch(word: &Word, text: String) -> Mismatch {
    Mismatch::likely(word.span.clone(), text)
}

/// Finds a text to search for in a named file that is no word of the request.
fn text(tokens: &[Token], command: &SimpleCommand) -> Option<Mismatch> {
    let name = command.name()?;
    let reads_named =
        command.words.iter().skip(1).any(|word| tokens.iter().any(|token| token.text == word.text));
    let searched: Vec<(&Word, &str)> = if SEARCHES.contains(&name) {
        let word = command.words.iter().skip(1).find(|word| !word.text.starts_with('-'))?;
        vec![(word, word.text.as_str())]
    } else if name == "jq" || is_awk(name) {
        let compared = |word| quoted_texts(word).into_iter().map(move |text| (word, text));
        command.words.iter().skip(1).flat_map(compared).collect()
    } else {
        return None;
    };
    let is_plain = |text: &str| {
        text.chars().count() >= TEXT_MIN && text.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '^'))
    };
    searched.into_iter().filter(|(_, text)| reads_named && is_plain(text)).find_map(|(word, text)| {
        let known = text.split([' ', '^']).filter(|part| !part.is_empty()).any(|part| is_said(tokens, part));
        (!known && !STATES.contains(&text) && !VALUES.contains(&text.to_lowercase().as_str()))
            .then(|| mismatch(word, format!("`{text}` is no word of your request")))
    })
}

/// Returns the texts that a program compares with `==`.
fn quoted_texts(word: &Word) -> Vec<&str> {
    let behind = word.text.split("==").skip(1);
    behind.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next()).collect()
}

/// Reports whether the request has a word with the same beginning.
fn is_said(tokens: &[Token], part: &str) -> bool {
    let part = part.to_lowercase();
    let stem: String = part.chars().take(STEM).collect();
    tokens.iter().any(|token| {
        let word = token.text.to_lowercase();
        // "errs" is `error`.
        let short = word.strip_suffix('s').filter(|short| short.chars().count() >= TEXT_MIN);
        word.contains(&stem)
            || word.chars().count() >= TEXT_MIN && part.contains(&word)
            || short.is_some_and(|short| part.contains(short))
    })
}

/// Finds a file that is read and not named, while others are.
fn file(tokens: &[Token], line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
    let name = command.name().filter(|name| READERS.contains(name))?;
    // The program of `sed` and `awk` and the pattern of `grep` are no files.
    let has_program = is_awk(name) || matches!(name, "sed" | "jq" | "grep" | "egrep");
    let operands = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let files = operands.skip(usize::from(has_program)).filter(|word| word.literal && is_file(&word.text));
    let written: Vec<&str> = line.parsed().commands.iter().flat_map(outputs).collect();
    files.into_iter().find_map(|word| {
        let base = word.text.rsplit('/').next()?;
        let stem = base.split('.').next().filter(|stem| !stem.is_empty())?;
        let is_known = tokens.iter().any(|token| {
            let text = token.lower.as_str();
            text.contains(&base.to_lowercase())
                || text.contains(&stem.to_lowercase())
                || base.to_lowercase().contains(text) && 2 < text.len()
                || is_slip(text, &base.to_lowercase(), false)
        });
        let is_made = written.contains(&word.text.as_str()) || base.contains("tmp") || base.contains("temp");
        (!is_known && !is_made).then(|| mismatch(word, format!("you did not name `{}`", word.text)))
    })
}

/// Returns the files that a command writes.
fn outputs(command: &SimpleCommand) -> Vec<&str> {
    let targets = command.redirections.iter().filter_map(|it| it.target.as_ref());
    let last = command
        .words
        .last()
        .filter(|_| matches!(command.name(), Some("cp" | "mv" | "tee" | "ln" | "mktemp")));
    targets.chain(last).map(|word| word.text.as_str()).collect()
}

/// Reports whether a word of the line is the name of a file of the user.
fn is_file(text: &str) -> bool {
    let is_system = ["/etc", "/proc", "/dev", "/var", "/sys", "/usr", "/tmp", "~", "/home"]
        .iter()
        .any(|start| text.starts_with(start));
    is_name(text) && !is_system && !text.contains(['*', '?', '{', '$', '['])
}
