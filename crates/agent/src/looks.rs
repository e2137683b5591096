//! Rules that choose what to look at, from the words of a request, as data (`looks.toml`): for models too small to choose.

mod followup;

use std::cmp::Reverse;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::tool::{Registry, Tool};
pub use followup::{followups, rows};

/// Maximum number of looks for one request.
const LOOKS_MAX: usize = 3;
/// Minimum length of a word that is compared with descriptions, in characters.
const WORD_MIN: usize = 4;

static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("looks.toml")).expect("a test parses looks.toml"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    look: Vec<Look>,
    kind: Vec<Kind>,
}

/// A kind of files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    /// Words of requests about such files.
    words: Vec<String>,
    /// Endings of their names.
    endings: Vec<String>,
    /// `true` if they are text, which a look opens.
    #[serde(default = "opened")]
    opened: bool,
}

fn opened() -> bool {
    true
}

impl Kind {
    fn has(&self, name: &str) -> bool {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
        ending.is_some_and(|ending| self.endings.contains(&ending))
    }

    /// Reports whether a name has this kind and the words are about it.
    fn fits(&self, words: &[String], name: &str) -> bool {
        self.has(name) && words.iter().any(|word| self.words.contains(word))
    }
}

/// A rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    /// Groups of words: one word of each group must be in the request.
    words: Vec<Vec<String>>,
    /// What is looked at. `<number>`, `<path>` and `<quoted>` stand for what the request names; a parameter without
    /// such a word is left out.
    calls: Vec<Call>,
    /// Requests for which the rule holds, and some for which it does not.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test reads the examples"))]
    yes: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "only the test reads the examples"))]
    no: Vec<String>,
}

impl Look {
    fn fits(&self, words: &[String]) -> bool {
        let has = |word: &String| words.iter().any(|other| other == word);
        self.words.iter().all(|group| group.iter().any(has))
    }
}

/// Returns the looks that a request needs, in the order of the rules; the names in the directory if no rule knows it.
pub fn chosen(request: &str) -> Vec<Call> {
    let words = words(request);
    let mut calls: Vec<Call> = Vec::new();
    for call in FILE.look.iter().filter(|look| look.fits(&words)).flat_map(|look| &look.calls) {
        let call = filled(call, request);
        if !calls.iter().any(|known| known.name == call.name) {
            calls.push(call);
        }
    }
    if calls.is_empty() {
        calls.push(Call { name: "list_dir".to_owned(), parameters: Map::new() });
    }
    calls.truncate(LOOKS_MAX);
    calls
}

/// Returns the tools that fit a request best, at most `most`: those that the rules choose, then those whose description has the most
/// words of the request, then in the order of the registry.
pub fn fitting(request: &str, registry: &Registry, most: usize) -> Registry {
    let by_rules = chosen(request);
    let words: Vec<String> =
        words(request).into_iter().filter(|word| WORD_MIN <= word.chars().count()).collect();
    let rank = |tool: &Tool| {
        let about = format!("{} {}", tool.name.replace('_', " "), tool.about).to_lowercase();
        let shared = words.iter().filter(|word| about.contains(word.as_str())).count();
        (by_rules.iter().position(|call| call.name == tool.name).unwrap_or(usize::MAX), Reverse(shared))
    };
    let mut names: Vec<&Tool> = registry.tools().iter().collect();
    names.sort_by_key(|tool| rank(tool));
    names.truncate(most);
    registry.clone().only(|tool| names.iter().any(|kept| kept.name == tool.name))
}

/// Returns the words of a request in lower case, without marks around them.
fn words(request: &str) -> Vec<String> {
    let trimmed = request.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    trimmed.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Returns a call with what the request names.
fn filled(call: &Call, request: &str) -> Call {
    let mut call = call.clone();
    call.parameters.retain(|_, value| {
        let named = match value.as_str() {
            Some("<number>") => number(request).map(Value::from),
            Some("<path>") => path(request).map(Value::from),
            Some("<quoted>") => quoted(request).map(Value::from),
            _ => return true,
        };
        named.is_some_and(|named| {
            *value = named;
            true
        })
    });
    call
}

fn number(request: &str) -> Option<u64> {
    request.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse().ok())
}

/// Returns the first word that is surely a path: one with a slash.
fn path(request: &str) -> Option<&str> {
    let word = request.split_whitespace().find(|word| word.contains('/') && !word.contains("://"))?;
    Some(word.trim_matches(['"', '\'', '`', ',', '?']))
}

/// Returns the first text in quotes.
fn quoted(request: &str) -> Option<&str> {
    ['"', '`', '\'']
        .iter()
        .find_map(|quote| request.split(*quote).nth(1).filter(|text| !text.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_examples_and_sound_calls() {
        for (n, look) in FILE.look.iter().enumerate() {
            assert!(!look.yes.is_empty() && !look.no.is_empty() && !look.words.is_empty(), "rule {n}");
            for request in &look.yes {
                assert!(look.fits(&words(request)), "rule {n}: {request}");
                for call in chosen(request) {
                    assert_eq!(Registry::built_in().check(&call).err(), None, "{request}");
                }
            }
            for request in &look.no {
                assert!(!look.fits(&words(request)), "rule {n}: {request}");
            }
        }
    }

    #[test]
    fn the_tools_that_fit_are_offered() {
        let registry = Registry::built_in();
        for (request, expected) in [
            ("free port 8080", vec!["ports"]),
            ("which of my branches are merged", vec!["git_state"]),
            ("why is this disk full", vec!["disk_usage"]),
            ("sort the lines of a text", vec!["read_file", "search_text"]),
        ] {
            let offered = fitting(request, &registry, 6);
            assert_eq!(offered.tools().len(), 6, "{request}");
            assert!(expected.iter().all(|name| offered.tool(name).is_some()), "{request}: {offered:?}");
        }
        let few = registry.only(|tool| tool.name == "stat");
        assert_eq!(fitting("free port 8080", &few, 6), few);
    }

    #[test]
    fn names_in_the_request_become_parameters() {
        for (request, expected) in [
            ("free port 8080", "ports port=8080"),
            ("which ports are open?", "ports"),
            ("why is /var/log so big", "disk_usage path=/var/log"),
            ("find the files that contain \"time out\"", "search_text text=time out"),
            ("say hello", "list_dir"),
        ] {
            let calls: Vec<String> = chosen(request).iter().map(Call::signature).collect();
            assert_eq!(calls.first().map_or("", String::as_str), expected, "{request}");
        }
    }
}
