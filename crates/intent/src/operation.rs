//! Operations: what the verbs and nouns of a request ask for, held against what the whole line does and prints.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::effect::{Effect, Effects, Shape};
use crate::mark::Mark;
use crate::mismatch::Mismatch;
use crate::phrase::Phrase;
use crate::request::Token;
use askline_syntax::{ParsedLine, Span};

/// Words before a verb that asks for something.
const BEFORE: [&str; 13] = [
    "and",
    "then",
    "please",
    "plz",
    "also",
    "but",
    "you",
    "finally",
    "just",
    "now",
    "afterwards",
    "me",
    "or",
];
/// Words before "to" and a verb that asks for something.
const BEFORE_TO: [&str; 14] = [
    "want", "need", "like", "love", "have", "has", "how", "going", "try", "trying", "way", "command",
    "order", "and",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    operation: Vec<Operation>,
}

/// A row: what is asked, and the effects and shapes that the line needs for it or must not have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    /// Verbs at the beginning of the request or of a part of it.
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    said: Vec<Phrase>,
    #[serde(default)]
    unless: Vec<Phrase>,
    /// One of these effects is needed.
    #[serde(default)]
    needs: Vec<Effect>,
    /// None of these effects may be there.
    #[serde(default)]
    never: Vec<Effect>,
    /// The output has none of these shapes.
    #[serde(default)]
    prints: Vec<Shape>,
    /// Marks of a line that meets the condition in another way.
    #[serde(default)]
    lacks: Vec<Mark>,
    text: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    wrong: Vec<(String, String)>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    right: Vec<(String, String)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("operations.toml")).expect("operations.toml is well-formed")
});

/// Returns a mismatch for each operation of the request that the line does not do, or does without being asked.
pub(crate) fn compare(
    request: &str,
    tokens: &[Token],
    line: &ParsedLine,
    effects: &Effects,
) -> Vec<Mismatch> {
    TABLE.operation.iter().filter_map(|row| row.mismatch(request, tokens, line, effects)).collect()
}

impl Operation {
    fn mismatch(
        &self,
        request: &str,
        tokens: &[Token],
        line: &ParsedLine,
        effects: &Effects,
    ) -> Option<Mismatch> {
        let is_met = (self.needs.is_empty() || effects.any(&self.needs))
            && !effects.any(&self.never)
            && !effects.prints.is_some_and(|shape| self.prints.contains(&shape));
        if is_met || self.lacks.iter().any(|mark| mark.is_in(line)) {
            return None;
        }
        let said = self.asked(tokens)?;
        if self.unless.iter().any(|phrase| phrase.find(tokens, 0).is_some()) {
            return None;
        }
        Some(
            Mismatch::likely(
                0..line.text().len(),
                format!("you said \"{}\"; {}", request.get(said.clone())?, self.text),
            )
            .about(said),
        )
    }

    /// Returns the words of the request that ask for the operation.
    fn asked(&self, tokens: &[Token]) -> Option<Span> {
        let verb = tokens
            .iter()
            .enumerate()
            .find(|(at, token)| !token.quoted && self.verbs.contains(&token.lower) && is_asked(tokens, *at));
        if !self.verbs.is_empty() && verb.is_none() {
            return None;
        }
        let phrase = self.said.iter().find_map(|phrase| phrase.find_affirmed(tokens));
        if !self.said.is_empty() && phrase.is_none() {
            return None;
        }
        verb.map(|(_, token)| token.span.clone()).or_else(|| phrase?.span(tokens))
    }
}

/// Reports whether a verb is asked for: it begins the request, or it comes after a word that begins a part of it. "to
/// VERB" asks for something only behind a word such as "want": "list the files to delete" deletes nothing.
fn is_asked(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| tokens.get(before)) else { return true };
    if before.lower == "to" {
        let first = at.checked_sub(2).and_then(|first| tokens.get(first));
        return first.is_none_or(|first| BEFORE_TO.contains(&first.lower.as_str()));
    }
    BEFORE.contains(&before.lower.as_str()) || at == 1 && before.lower.ends_with("ly")
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax::shell::Shell;

    #[test]
    fn examples_of_operations() {
        let mut faults = Vec::new();
        let found = |(request, line): &(String, String)| {
            let line = ParsedLine::new(line.as_str(), Shell::Bash);
            crate::mismatches(request, &line).into_iter().map(|it| it.text).collect::<Vec<_>>()
        };
        for row in &TABLE.operation {
            let is_noticed = |it: &&(String, String)| found(it).iter().any(|text| text.ends_with(&row.text));
            faults.extend(
                row.wrong.iter().filter(|it| !is_noticed(it)).map(|it| format!("not noticed: {it:?}")),
            );
            faults.extend(
                row.right
                    .iter()
                    .filter(|it| !found(it).is_empty())
                    .map(|it| format!("{it:?}: {:?}", found(it))),
            );
            assert!(!row.wrong.is_empty() && !row.right.is_empty(), "without examples: {}", row.text);
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
