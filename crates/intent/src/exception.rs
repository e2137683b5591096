//! What a request leaves out by a word that the line does not have.

use crate::mismatch::{Certainty, Mismatch};
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand, program_name};
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
const OF_SUMS: [&str; 1] = ["without the"];
/// Programs that take files, and say by an exclusion which they leave out.
const OF_FILES: [&str; 6] = ["find", "tar", "zip", "mv", "cp", "rm"];
/// Marks of a line of files that leaves something out, or chooses what it takes.
const CHOICES: [&str; 13] =
    ["!", "-not", "exclude", "[", "-prune", "-L", "-perm", "-x", "-X", "-empty", "-maxdepth", "-name", "{"];
/// Marks of a program of `awk` that adds or counts, and of one that chooses lines or computes.
const ADDING: [&str; 2] = ["+=", "++"];
const CHOOSING: [&str; 12] = ["!", "~", "==", "<", ">", "if", "/", "-$", "- ", "next", "[", "NR"];
/// Beginnings of words that name a column, a kind of line or file, or nothing at all.
const GENERAL: &[&str] = &[
    "both",
    "limit",
    "bound",
    "whole",
    "exact",
    "backup",
    "header",
    "first",
    "last",
    "those",
    "that",
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
    "sub",
    "duplicate",
    "total",
    "zero",
    "name",
    "this",
    "these",
    "current",
    "newest",
    "oldest",
    "latest",
    "largest",
    "biggest",
    "most",
    "two",
    "three",
    "what",
    "other",
    "same",
    "column",
    "field",
    "number",
    "link",
    "symlink",
    "content",
    "parent",
    "tax",
    "discount",
    "price",
    "net",
    "gross",
    "any",
    "every",
    "all",
    "root",
    "size",
    "under",
    "already",
    "onto",
    "case",
    "alone",
    "confirm",
    "compress",
    "trash",
    "prompt",
];

static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrases(BEFORE));
static SUM_PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrases(&OF_SUMS));

fn phrases(texts: &[&str]) -> Vec<Phrase> {
    texts.iter().map(|text| Phrase::from((*text).to_owned())).collect()
}

/// Returns a mismatch for a word that is left out, if the line neither has it nor leaves anything out.
pub(crate) fn dropped(request: &str, tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let text = line.text().to_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| line.text().contains(mark));
    let is_all = |names: &[&str]| {
        let is_known =
            |command: &SimpleCommand| command.name().is_some_and(|it| names.contains(&program_name(it)));
        line.parsed().commands.iter().all(is_known)
    };
    let rows = line.text().replace("NR > 1", "").replace("NR>1", "");
    let chooses = CHOOSING.iter().any(|mark| rows.contains(mark));
    let adds = is_all(&["awk", "gawk", "mawk"]) && has(&ADDING) && !chooses;
    // One file that is named is no row of files from which one could be left out.
    let is_row = text.contains('*') || has(&["find ", "tar ", "zip ", " -r", " -a"]);
    if !adds && (!is_all(&OF_FILES) || !is_row || has(&CHOICES)) {
        return None;
    }
    let (first, token) = PHRASES
        .iter()
        .chain(SUM_PHRASES.iter().filter(|_| adds))
        .find_map(|phrase| {
            let found = phrase.find(tokens, 0)?;
            Some((found.first, tokens.get(found.end)?))
        })
        .or_else(|| left_out(tokens))?;
    let word = token.lower.trim_end_matches('s');
    let is_general = GENERAL.iter().any(|general| word.starts_with(general));
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
            (
                "sum of costs.csv, leave out the fuel",
                "awk -F, 'NR > 1 {s += $2} END {print s}' costs.csv",
                true,
            ),
            ("sum of costs.csv but leave the fuel out", "awk -F, '{s += $2} END {print s}' costs.csv", true),
            (
                "sum of costs.csv except fuel",
                "awk -F, '$1 != \"fuel\" {s += $2} END {print s}' costs.csv",
                false,
            ),
            ("sum of costs.csv without the header", "awk -F, '{s += $2} END {print s}' costs.csv", false),
            ("sum of costs.csv without the fuel", "awk -F, '{s += $2} END {print s}' costs.csv", true),
            ("costs.csv without the fuel column", "awk -F, '{print $1}' costs.csv", false),
            ("sum everything but the tax", "awk '{s += $3} END {print s}' a.txt", false),
            (
                "number of people other than managers",
                "awk '$3 == \"staff\" {n++} END {print n}' a.txt",
                false,
            ),
            ("names in a.txt excluding the surname", "awk '{print $1}' a.txt", false),
            ("pack everything except vendor", "tar -czf a.tgz .", true),
            ("pack everything except vendor", "tar -czf a.tgz --exclude=vendor .", false),
        ] {
            let tokens = crate::request::tokens(request);
            let found = dropped(request, &tokens, &ParsedLine::new(line, Shell::Bash));
            assert_eq!(found.is_some(), is_found, "{request}: {line}");
        }
    }
}
