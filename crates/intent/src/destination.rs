//! A folder that the request names as the place of what a command makes, and the line does not.

use crate::mark::gives;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::parts::parts;
use crate::request::Token;
use askline_syntax::options::Part;
use askline_syntax::{ParsedLine, SimpleCommand, Word, program_name};

/// Words before a folder.
const BEFORE: [&str; 5] = ["into", "inside", "under", "in", "to"];
/// Words between these and the folder.
const BETWEEN: [&str; 5] = ["the", "folder", "directory", "dir", "a"];
/// Words before a preposition that deny it or begin a clause of their own: "not into", "which holds everything under", "it puts".
const APART: [&str; 21] = [
    "not",
    "no",
    "dont",
    "never",
    "without",
    "avoid",
    "instead",
    "than",
    "which",
    "that",
    "what",
    "where",
    "whose",
    "it",
    "everything",
    "is",
    "are",
    "was",
    "were",
    "keep",
    "if",
];
/// Nouns beside the name of a folder.
const NOUNS: [&str; 3] = ["folder", "directory", "dir"];
/// Words that name no folder.
const NONE: [&str; 20] = [
    "place",
    "here",
    "home",
    "pieces",
    "parts",
    "files",
    "chunks",
    "two",
    "three",
    "half",
    "halves",
    "it",
    "them",
    "this",
    "memory",
    "current",
    "itself",
    "same",
    "parent",
    "temporary",
];

/// Returns the mismatch of a command that makes files in the current folder instead, with the edit that names the folder.
pub(crate) fn compare(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let [command] = line.parsed().commands.as_slice() else { return None };
    let name = program_name(command.name()?);
    if !matches!(name, "split" | "unzip" | "tar") || !command.within.is_empty() {
        return None;
    }
    let mut named = (1..tokens.len()).filter_map(|at| folder(request, tokens, at));
    let ((preposition, token), None) = (named.next()?, named.next()) else { return None };
    let is_new = tokens.iter().any(|it| matches!(it.lower.as_str(), "new" | "create" | "make"));
    let folder = token.text.trim_end_matches('/');
    // "convert it to the folder layout", "into train/test"
    let is_folder = token.text.ends_with('/');
    let is_certain =
        preposition == "into" && (is_folder || !folder.contains('/')) || preposition == "to" && is_folder;
    // `fonts.zip` is no folder `fonts`.
    let is_there = |word: &Word| word.text.ends_with(folder) || word.text.split('/').any(|it| it == folder);
    if command.words.iter().skip(1).any(is_there) || is_new && name != "unzip" {
        return None;
    }
    let end = command.words.last()?.span.end;
    let operands = operands(command)?;
    let (at, new) = match name {
        "unzip" if !["d", "l", "p", "c", "t", "Z", "v"].iter().any(|it| has(command, it)) => {
            (end, format!(" -d {folder}"))
        }
        "tar" => {
            let is_told = command.words.iter().any(|word| {
                ["--directory", "--one-top", "--to-", "--get", "-C"]
                    .iter()
                    .any(|it| word.text.starts_with(it))
            });
            let is_plain = gives(command, 'x') && !gives(command, 'C') && !gives(command, 'O') && !is_told;
            // Behind members `-C` would count for the ones behind it.
            let archives = if gives(command, 'f') { 1 } else { 0 };
            (is_plain && members(command) == archives).then(|| (end, format!(" -C {folder}")))?
        }
        "split" => match operands.as_slice() {
            [_, prefix] if folder.starts_with(&prefix.text) => return None,
            [_, prefix] => (prefix.span.start, format!("{folder}/")),
            [_] => (end, format!(" {folder}/x")),
            _ => return None,
        },
        _ => return None,
    };
    // A quoted prefix keeps its quote in front.
    let at = if line.text().get(at..)?.starts_with(['\'', '"']) { at + 1 } else { at };
    Some(Mismatch {
        span: at..at,
        said: Some(token.span.clone()),
        certainty: if is_certain { Certainty::Sure } else { Certainty::Likely },
        text: format!("you named `{}`; this makes the files in the current folder", token.text),
        edit: is_certain.then(|| Edit::replace(line.text(), at..at, new)),
    })
}

fn has(command: &SimpleCommand, letter: &str) -> bool {
    letter.chars().all(|letter| gives(command, letter))
}

/// Returns the operands of a command.
fn operands(command: &SimpleCommand) -> Option<Vec<&Word>> {
    let operand = |part| match part {
        Part::Operand(at) => command.words.get(at),
        _ => None,
    };
    Some(parts(command)?.into_iter().filter_map(operand).collect())
}

/// Returns the number of words of `tar` that are no options: the archive and members.
fn members(command: &SimpleCommand) -> usize {
    let words = command.words.get(1..).unwrap_or_default();
    let is_bundle = words.first().is_some_and(|first| !first.text.starts_with('-'));
    words.iter().skip(usize::from(is_bundle)).filter(|word| !word.text.starts_with('-')).count()
}

/// Returns the preposition and the token at a place, if it is the name of a folder that something goes into.
fn folder<'t>(request: &str, tokens: &'t [Token], at: usize) -> Option<(&'t str, &'t Token)> {
    let token = tokens.get(at).filter(|token| !token.quoted)?;
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let name = token.text.trim_end_matches('/');
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_/".contains(c))
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && 1 < name.len();
    let is_between = BETWEEN.contains(&token.lower.as_str());
    if !is_plain
        || is_between
        || NONE.contains(&token.lower.as_str())
        || NOUNS.contains(&token.lower.as_str())
    {
        return None;
    }
    let before = (0..at).rev().find(|at| !BETWEEN.contains(&word(*at)))?;
    let preposition = tokens.get(before)?.lower.as_str();
    // "put it into photos" is no clause.
    let clause = request.get(..token.span.start)?.rfind([',', ';', '(']).unwrap_or(0);
    let start = tokens.iter().position(|it| clause <= it.span.start)?;
    let is_apart =
        (start..before).any(|at| APART.contains(&word(at)) && (word(at) != "it" || at + 1 < before));
    if is_apart || matches!(word(before.checked_sub(1)?), "files" | "all" | "contents") {
        return None;
    }
    let behind = request.get(token.span.end..).unwrap_or_default();
    let is_end = behind.is_empty() || behind.starts_with([',', ';', '.', '!', '?', ')']);
    let has_noun = NOUNS.contains(&word(at + 1)) || NOUNS.contains(&word(at - 1));
    let is_direct = before + 1 == at && is_end && matches!(preposition, "into" | "inside" | "under");
    let is_named = token.text.ends_with('/') || has_noun;
    (BEFORE.contains(&preposition) && (is_named || is_direct)).then_some((preposition, token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn folders_that_a_command_is_to_fill() {
        for (request, line, expected) in [
            ("unpack b.zip into photos", "unzip b.zip", "unzip b.zip -d photos"),
            ("unzip b.zip in the folder photos", "unzip -q b.zip", ""),
            ("unpack b.zip, not into the folder photos", "unzip b.zip", ""),
            ("unpack b.tgz; it puts its files into app/", "tar -xf b.tgz", ""),
            ("unzip b.zip, no subfolders, into photos", "unzip -j b.zip", "unzip -j b.zip -d photos"),
            ("unzip b.zip which has everything under site/", "unzip b.zip", ""),
            ("unpack b.tgz into photos/", "tar -xzf b.tgz", "tar -xzf b.tgz -C photos"),
            ("unpack b.tgz to photos/, quietly", "tar xzf b.tgz", "tar xzf b.tgz -C photos"),
            (
                "cut b.bin in pieces of 9 bytes, into parts/",
                "split -b 9 b.bin p-",
                "split -b 9 b.bin parts/p-",
            ),
            ("split b.txt at 5 lines into cut/", "split -l 5 b.txt", "split -l 5 b.txt cut/x"),
            ("split b.txt at 5 lines into cut/", "split -l 5 b.txt 'b c'", "split -l 5 b.txt 'cut/b c'"),
            ("split b.txt into p_aa, p_ab and so on", "split b.txt p_", ""),
            ("unzip photos.zip into the photos folder", "unzip photos.zip", "unzip photos.zip -d photos"),
            ("unpack b.zip into photos", "unzip b.zip -d photos", ""),
            ("unpack b.zip into photos", "unzip b.zip -dphotos", ""),
            ("unpack b.zip", "unzip b.zip", ""),
            ("unpack b.tgz in a new folder out", "tar -xzf b.tgz", ""),
            ("split b.txt into pieces of 5 lines", "split -l 5 b.txt", ""),
            ("what is in b.zip in the folder docs", "unzip -l b.zip", ""),
            ("unpack only a.txt of b.tgz into photos", "tar -xzf b.tgz a.txt", ""),
        ] {
            let tokens = crate::request::tokens(request);
            let line = ParsedLine::new(line, Shell::Bash);
            let found = compare(request, &tokens, &line);
            let mended = found.and_then(|it| it.applied_to(line.text())).unwrap_or_default();
            assert_eq!(mended, expected, "{request}");
        }
    }
}
