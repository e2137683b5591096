//! Conditions that a line can meet by many means: the line must have a mark of one.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::mark::gives;
use crate::mismatch::Mismatch;
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    feature: Vec<Feature>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Feature {
    phrases: Vec<Phrase>,
    #[serde(default)]
    unless: Vec<Phrase>,
    marks: Vec<String>,
    lacks: String,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("features.toml")).expect("features.toml is well-formed")
});

/// Returns a mismatch for each condition of the request that no mark in the line meets.
pub(crate) fn dropped(request: &str, tokens: &[Token], line: &ParsedLine) -> Vec<Mismatch> {
    let found = |feature: &Feature| {
        let place = feature.phrases.iter().find_map(|phrase| phrase.find(tokens, 0))?;
        let is_other = feature.unless.iter().any(|phrase| phrase.find(tokens, 0).is_some());
        if is_other || feature.marks.iter().any(|mark| has(line, mark)) {
            return None;
        }
        let span = tokens.get(place.first)?.span.start..tokens.get(place.end.checked_sub(1)?)?.span.end;
        Some(
            Mismatch::likely(
                0..line.text().len(),
                format!("you said \"{}\"; {}", request.get(span.clone())?, feature.lacks),
            )
            .about(span),
        )
    };
    TABLE.feature.iter().filter_map(found).collect()
}

/// Reports whether a line has a mark.
fn has(line: &ParsedLine, mark: &str) -> bool {
    let option = |mark: &str| {
        mark.strip_prefix('-').and_then(|letter| {
            let mut letters = letter.chars();
            letters.next().filter(|c| letters.next().is_none() && c.is_ascii_alphabetic())
        })
    };
    match (mark.split_once(' '), option(mark)) {
        (_, Some(letter)) => line.parsed().commands.iter().any(|command| gives(command, letter)),
        (Some((name, rest)), None) if option(rest).is_some() => {
            let of_name = |command: &&SimpleCommand| command.name() == Some(name);
            option(rest).is_some_and(|letter| {
                line.parsed().commands.iter().filter(of_name).any(|command| gives(command, letter))
            })
        }
        _ => line.text().contains(mark),
    }
}
