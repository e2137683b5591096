//! Follow-ups in Nushell: a stage behind the last line (`rules/follow_up_nushell.toml`).

use std::sync::LazyLock;

use serde::Deserialize;

use super::is_plain_name;
use crate::mismatch::Edit;
use crate::phrase::{Found, Phrase};
use crate::request::Token;
use askline_syntax::{ParsedLine, SimpleCommand};

/// Commands behind which a table is no more, or that do something else than print.
const ENDING: [&str; 20] = [
    "save", "to", "print", "length", "get", "each", "par-each", "math", "group-by", "describe", "is-empty",
    "rm", "mv", "cp", "mkdir", "touch", "cd", "exit", "kill", "table",
];
/// Of these, commands whose result may still be written in another form or to a file.
const PRINTING: [&str; 6] = ["get", "each", "par-each", "math", "group-by", "length"];
/// Endings of files that `open` reads as tables.
const TABLES: [&str; 3] = [".csv", ".tsv", ".ndjson"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    stage: Vec<Stage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stage {
    said: Vec<Phrase>,
    of: Vec<String>,
    then: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples for the test"))]
    examples: Vec<(String, String, String)>,
}

static STAGES: LazyLock<Vec<Stage>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str::<Table>(include_str!("../../rules/follow_up_nushell.toml"))
        .expect("the stages are well-formed")
        .stage
});

/// Returns the edit of the first stage whose phrase says all that these words do.
pub(super) fn by_stage(words: &[Token], line: &ParsedLine) -> Option<Edit> {
    let commands = &line.parsed().commands;
    let (first, last) = (commands.first()?, commands.last()?);
    let is_one = commands
        .iter()
        .all(|it| it.pipeline == first.pipeline && it.within.is_empty() && it.redirections.is_empty());
    let end = line.text().trim_end().len();
    if !is_one || last.span.end != end || first.external || line.text().contains([';', '\n', '#']) {
        return None;
    }
    let ends = |command: &SimpleCommand| command.name().is_some_and(|name| ENDING.contains(&name));
    let prints = |command: &SimpleCommand| command.name().is_some_and(|name| PRINTING.contains(&name));
    let is_table = |name: &str| {
        let opens = || first.words.iter().any(|word| TABLES.iter().any(|ending| word.text.ends_with(ending)));
        name != "open" || opens()
    };
    let applies = |stage: &Stage| match stage.of.as_slice() {
        [any] if any == "*" => !commands.iter().any(|command| ends(command) && !prints(command)),
        names => {
            let is_of = |name: &str| names.iter().any(|own| own == name) && is_table(name);
            first.name().is_some_and(is_of) && !commands.iter().any(ends)
        }
    };
    let says = |stage: &Stage| {
        let is_whole = |found: &Found| found.first == 0 && found.end == words.len();
        stage.said.iter().find_map(|phrase| phrase.find(words, 0).filter(is_whole))
    };
    let (stage, found) =
        STAGES.iter().filter(|stage| applies(stage)).find_map(|stage| Some((stage, says(stage)?)))?;
    let name = found.name.and_then(|at| words.get(at));
    if name.is_some_and(|name| !is_plain_name(name)) {
        return None;
    }
    let text = stage.then.replace("<n>", &found.number.unwrap_or(1).to_string());
    let text = text.replace("<name>", name.map_or("", |name| &name.text));
    Some(Edit::replace(line.text(), end..end, format!(" | {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::follow_up;
    use askline_syntax::shell::Shell;

    #[test]
    fn examples_of_stages() {
        let after = |words: &str, line: &str| {
            follow_up(words, 0, &ParsedLine::new(line, Shell::Nu), &|_| None).map(|it| it.line)
        };
        for stage in STAGES.iter() {
            assert!(!stage.examples.is_empty(), "{}", stage.then);
            for (words, before, expected) in &stage.examples {
                assert_eq!(after(words, before).as_ref(), Some(expected), "{words}: {before}");
            }
        }
        for (words, line) in [
            ("how many", "ls | length"),
            ("how many", "open a.json"),
            ("newest first", "ps"),
            ("newest first", "ls; rm a"),
            ("as json", "ls | save a.txt"),
            ("as json", "rm a.txt"),
            ("only folders", "ls | get name"),
            ("only the first 5", "^ls"),
            ("newest first of ann", "ls"),
        ] {
            assert_eq!(after(words, line), None, "{words}: {line}");
        }
    }
}
