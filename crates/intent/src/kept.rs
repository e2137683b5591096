//! Deletions that keep the newest N: "all but the last 3" against `tail -n +3 | xargs rm`.

use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, Word};

/// Words before the name of what is kept, and words between.
const KEEP: [&str; 3] = ["keep", "keeping", "except"];
const BETWEEN: [&str; 10] =
    ["the", "for", "folder", "file", "directory", "named", "called", "one", "and", "or"];
/// Words before "keep" that turn it round, and words between: "no need to keep".
const NOT: [&str; 6] = ["not", "dont", "never", "without", "no", "nothing"];
const NOT_BETWEEN: [&str; 8] = ["need", "needs", "want", "have", "to", "you", "should", "worth"];
/// Words with which another part of the request begins.
const THEN: [&str; 8] = ["delete", "remove", "erase", "rm", "drop", "clear", "but", "then"];
/// Maximum number of names behind "keep" that are looked at.
const NAMES_MAX: usize = 4;
/// Minimum length of such a name, in characters: shorter ones are numbers.
const NAME_MIN: usize = 3;
/// Phrases for what is kept.
const KEEPS: [&str; 2] = ["keep|leave|retain .. <n>", "all_but|except|everything_but|besides the? .. <n>"];

/// Returns a mismatch if the line deletes the very thing that the request keeps: "remove photos but keep 2023".
pub(crate) fn deleted(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let is_one = |token: &Token, words: &[&str]| !token.quoted && words.contains(&token.lower.as_str());
    let at = tokens.iter().position(|token| is_one(token, &KEEP))?;
    let mut before = tokens
        .iter()
        .take(at + 1)
        .rev()
        .skip_while(|token| !token.after_comma && (is_one(token, &KEEP) || is_one(token, &NOT_BETWEEN)));
    if before.next().is_some_and(|before| is_one(before, &NOT)) {
        return None;
    }
    let behind = tokens.iter().skip(at + 1).take_while(|token| !is_one(token, &THEN));
    let mut named = behind.filter(|token| !is_one(token, &BETWEEN)).take(NAMES_MAX);
    named.find_map(|token| {
        let name = token.text.trim_end_matches('/');
        let removers = line.parsed().commands.iter().filter(|command| {
            matches!(command.name(), Some("rm" | "rmdir" | "trash" | "trash-put" | "shred" | "unlink"))
        });
        let is_it = |word: &&Word| {
            let path = word.text.trim_end_matches('/');
            !word.glob && path.rsplit('/').next() == Some(name)
        };
        let word = removers.flat_map(|command| command.words.iter().skip(1)).find(is_it)?;
        (NAME_MIN <= name.chars().count()).then(|| {
            Mismatch::likely(word.span.clone(), format!("you want to keep `{name}`; this deletes it"))
                .about(token.span.clone())
        })
    })
}

/// Compares the number that is kept with what `head` or `tail` hands to a deletion.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let found = KEEPS.iter().find_map(|phrase| Phrase::from((*phrase).to_owned()).find(tokens, 0))?;
    let count = found.number?;
    let commands = &line.parsed().commands;
    if !commands.iter().any(|command| matches!(command.name(), Some("rm" | "rmdir" | "trash"))) {
        return None;
    }
    let said = found.span(tokens)?;
    let words = request.get(said.clone())?;
    let mismatch = |command: &SimpleCommand, text: String, edit: Option<Edit>| Mismatch {
        span: command.span.clone(),
        said: Some(said.clone()),
        certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
        text,
        edit,
    };
    commands.iter().find_map(|command| {
        let numbers = || command.words.iter().skip(1).rev();
        match command.name()? {
            "head" => {
                let taken = numbers().find_map(|word| {
                    word.text.trim_start_matches("-n").trim_start_matches('-').parse::<u64>().ok()
                })?;
                let is_rest = numbers().any(|word| word.text.starts_with("-n-"))
                    || numbers().any(|word| word.text == "-n")
                        && numbers().any(|word| word.text == format!("-{taken}"));
                (taken == count && !is_rest).then(|| {
                    mismatch(command, format!("you said \"{words}\"; this deletes these {count}"), None)
                })
            }
            "tail" => {
                let word = numbers().find(|word| word.text.contains('+'))?;
                let (start, from) = word.text.rsplit_once('+')?;
                let from: u64 = from.parse().ok()?;
                let edit = Edit::replace(line.text(), word.span.clone(), format!("{start}+{}", count + 1));
                (from != count + 1).then(|| {
                    mismatch(
                        command,
                        format!("you said \"{words}\"; this keeps {}", from.saturating_sub(1)),
                        Some(edit),
                    )
                })
            }
            _ => None,
        }
    })
}
