//! What a request leaves out by a word that the line does not have.

use crate::mismatch::{Certainty, Mismatch};
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{ParsedLine, program_name};
use std::sync::LazyLock;

/// Phrases that end before the word that is left out.
const BEFORE: &[&str] = &[
    "everything|anything|all but|except the?",
    "not including the?",
    "but none|nothing of|from the?",
    "leave|leaving|leaves out the?",
    "but leave|leaving out? the?",
    "except for? the?",
    "excluding|exclude the?",
    "apart from the?",
    "other than the?",
    "but not from|in? the?",
    "but without the",
    "not counting the",
    "skip|skipping the",
    "ignore|ignoring the",
    "all but the",
];
/// Phrases that may also leave out a column or a part of a line, unless the line adds or counts.
const OF_SUMS: [&str; 3] = ["without the", "minus the", "not the"];
/// Programs whose lines name what they leave out.
const PROGRAMS: [&str; 15] = [
    "awk", "gawk", "mawk", "grep", "egrep", "find", "sort", "tar", "zip", "wc", "cat", "ls", "mv", "cp", "rm",
];
/// Marks of a line that leaves something out, or that takes what remains in another way.
const NEGATIONS: &[&str] = &[
    "!",
    "-not",
    "-v",
    "exclude",
    "[^",
    "-prune",
    "-L",
    "invert",
    "except",
    "NR-",
    "--no-",
    "-perm",
    "-newer",
    "-x",
    "next",
    "||",
    "-X",
    "<",
    "-empty",
    "%",
    "^",
    "-w",
    "-o ",
    "-u",
    "-n ",
    "-maxdepth",
    "-f",
    "{}",
    "..",
    "-iw",
    "-nw",
    "-lw",
    "-cw",
    "-i ",
    "-d",
    "-I",
];
/// Words that are no names, or that a line leaves out without naming them.
const GENERAL: &[&str] = &[
    "both",
    "whole",
    "exact",
    "backup",
    "header",
    "first",
    "last",
    "those",
    "that",
    "ones",
    "one",
    "empty",
    "blank",
    "hidden",
    "extension",
    "path",
    "file",
    "line",
    "folder",
    "director",
    "subfolder",
    "subdirector",
    "duplicate",
    "total",
    "zero",
    "case",
    "name",
    "its",
    "it",
    "this",
    "these",
    "current",
    "newest",
    "oldest",
    "latest",
    "most",
    "two",
    "three",
    "when",
    "where",
    "if",
    "in",
    "on",
    "by",
    "at",
    "from",
    "of",
    "for",
    "any",
    "every",
    "all",
    "with",
    "which",
    "what",
    "second",
    "third",
    "top",
    "largest",
    "biggest",
    "other",
    "same",
    "leading",
    "trailing",
    "white",
    "space",
    "punctuation",
    "comment",
    "number",
    "digit",
    "error",
    "warning",
    "extra",
    "link",
    "symlink",
    "column",
    "row",
    "field",
    "word",
    "character",
    "to",
    "a",
    "an",
    "my",
    "your",
    "them",
    "not",
    "is",
    "are",
    "be",
    "do",
    "only",
    "and",
    "or",
    "under",
    "below",
    "inside",
    "into",
    "time",
    "date",
    "size",
    "suffix",
    "prefix",
    "upper",
    "lower",
    "capital",
    "sub",
    "merge",
    "remote",
    "local",
    "test",
    "binar",
    "root",
    "value",
    "key",
    "quote",
    "content",
    "as",
    "itself",
    "parent",
    "nothing",
    "already",
    "anything",
    "everything",
    "just",
    "git",
    "version",
    "here",
    "there",
    "their",
    "write",
    "read",
    "owner",
    "alone",
    "onto",
    "missing",
    "staged",
    "untracked",
    "count",
    "matching",
    "matched",
    "result",
    "output",
    "end",
    "rest",
];

static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrases(BEFORE));
static SUM_PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrases(&OF_SUMS));

fn phrases(texts: &[&str]) -> Vec<Phrase> {
    texts.iter().map(|text| Phrase::from((*text).to_owned())).collect()
}

/// Returns a mismatch for a word that is left out, if the line neither has it nor leaves anything out.
pub(crate) fn dropped(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let text = line.text().to_lowercase();
    let is_known = |name: &str| PROGRAMS.contains(&name);
    if !line.parsed().commands.iter().all(|it| it.name().map(program_name).is_some_and(is_known)) {
        return None;
    }
    if NEGATIONS.iter().any(|mark| line.text().contains(mark)) {
        return None;
    }
    let adds = text.contains("+=") || text.contains("wc ");
    let (first, token) = PHRASES
        .iter()
        .chain(SUM_PHRASES.iter().filter(|_| adds))
        .find_map(|phrase| {
            let found = phrase.find(tokens, 0)?;
            Some((found.first, tokens.get(found.end)?))
        })
        .or_else(|| left_out(tokens))?;
    let word = token.lower.trim_end_matches('s');
    let is_general = GENERAL.iter().any(|general| {
        if general.len() < 4 {
            word == *general || token.lower == *general
        } else {
            word.starts_with(general)
        }
    });
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    let stem: String = word.chars().take(5).collect();
    let is_adjective = ["ed", "ing", "ly"].iter().any(|end| word.ends_with(end));
    if is_general || is_adjective || !is_plain || stem.len() < 3 || text.contains(&stem) {
        return None;
    }
    let said = tokens.get(first)?.span.start..token.span.end;
    Some(Mismatch {
        span: 0..line.text().len(),
        text: format!("you said \"{}\"; nothing here leaves that out", request.get(said.clone())?),
        said: Some(said),
        certainty: Certainty::Likely,
        edit: None,
    })
}

/// Returns the word of "leave the rent out" and "rent excluded".
fn left_out(tokens: &[Token]) -> Option<(usize, &Token)> {
    tokens
        .windows(4)
        .enumerate()
        .find_map(|(at, four)| {
            let [leave, the, word, out] = four else { return None };
            let is_row = matches!(leave.lower.as_str(), "leave" | "leaving") && out.lower == "out";
            (is_row && the.lower == "the").then_some((at, word))
        })
        .or_else(|| {
            let is_out = |it: &Token| matches!(it.lower.as_str(), "excluded" | "excepted");
            tokens.windows(2).enumerate().find_map(|(at, pair)| {
                pair.first().filter(|_| pair.last().is_some_and(is_out)).map(|it| (at, it))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn words_that_are_left_out() {
        for (request, line, is_found) in [
            ("sum of costs.csv, leave out the fuel", "awk -F, '{s += $2} END {print s}' costs.csv", true),
            ("sum of costs.csv but leave the fuel out", "awk -F, '{s += $2} END {print s}' costs.csv", true),
            (
                "sum of costs.csv except fuel",
                "awk -F, '$1 != \"fuel\" {s += $2} END {print s}' costs.csv",
                false,
            ),
            ("sum of costs.csv without the header", "awk -F, '{s += $2} END {print s}' costs.csv", false),
            ("sum of costs.csv without the fuel", "awk -F, '{s += $2} END {print s}' costs.csv", true),
            ("costs.csv without the fuel column", "awk -F, '{print $1}' costs.csv", false),
            ("all notes but not from vendor", "grep -rn note .", true),
            ("all notes but not from vendor", "grep -rn --exclude-dir=vendor note .", false),
        ] {
            let tokens = crate::request::tokens(request);
            let found = dropped(request, &tokens, &ParsedLine::new(line, Shell::Bash));
            assert_eq!(found.is_some(), is_found, "{request}: {line}");
        }
    }
}
