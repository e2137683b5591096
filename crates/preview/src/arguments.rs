//! The options and operands of a command, after all expansions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use askline_syntax::Word;
use askline_syntax::options::{Form, Options, Part, Reader, Takes};

use super::expand::Argument;
use super::{Foreseen, unforeseen};

static PROGRAMS: LazyLock<BTreeMap<String, Program>> =
    LazyLock::new(|| toml::from_str(include_str!("options.toml")).expect("options.toml is tested"));

/// Options of a program: spellings by meaning.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    #[serde(default)]
    flags: BTreeMap<String, String>,
    #[serde(default)]
    values: BTreeMap<String, String>,
    /// Options with a value in the same word, if any.
    #[serde(default)]
    attached: BTreeMap<String, String>,
}

impl Program {
    fn meaning(&self, option: &str) -> Option<&str> {
        let mut all = self.flags.iter().chain(&self.values).chain(&self.attached);
        all.find(|(_, spellings)| spellings.split(' ').any(|spelling| spelling == option))
            .map(|(meaning, _)| meaning.as_str())
    }
}

impl Options for Program {
    fn takes(&self, option: &str) -> Option<Takes> {
        let meaning = self.meaning(option)?;
        Some(match () {
            () if self.values.contains_key(meaning) => Takes::Value,
            () if self.attached.contains_key(meaning) => Takes::Attached,
            () => Takes::Nothing,
        })
    }
}

/// The arguments of one command.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    flags: BTreeSet<&'static str>,
    values: BTreeMap<&'static str, Vec<String>>,
    /// Operands after all expansions, in order.
    pub(crate) operands: Vec<Argument>,
    /// The words after the command that `xargs` runs.
    pub(crate) rest: Vec<Word>,
}

impl Arguments {
    /// Reads the words of a command whose options are listed under `key`. `expand` returns the names that an operand
    /// stands for.
    pub(crate) fn read(
        key: &str,
        words: &[Word],
        expand: &dyn Fn(&Word) -> Foreseen<Vec<Argument>>,
    ) -> Foreseen<Self> {
        let Some(program) = PROGRAMS.get(key) else { return unforeseen(not_evaluated(key)) };
        let name = words.first().map_or(key, |word| &word.text);
        let mut arguments = Self::default();
        let mut reader = Reader::new(words, 1, Form::Getopt);
        let mut is_ended = false;
        while let Some(part) = reader.next(program) {
            match part {
                Part::End(_) => is_ended = true,
                Part::Operand(index) => {
                    let found = expand(&words[index])?;
                    let is_disguised = |argument: &Argument| {
                        argument.found && argument.name.as_os_str().as_encoded_bytes().starts_with(b"-")
                    };
                    if let Some(argument) = found.iter().find(|argument| !is_ended && is_disguised(argument))
                    {
                        let name = argument.name.display();
                        return unforeseen(format!(
                            "the file `{name}` would be read as an option; write `--` before the pattern"
                        ));
                    }
                    arguments.operands.extend(found);
                    if key == "xargs" {
                        arguments.rest = words.get(index + 1..).unwrap_or_default().to_vec();
                        break;
                    }
                }
                Part::Option(given) => {
                    let Some(meaning) = program.meaning(&given.name) else {
                        return unforeseen(format!("what `{name} {}` does is not evaluated", given.name));
                    };
                    match given.value {
                        _ if meaning == "asks" => {
                            return unforeseen(format!("`{name} {}` asks you first", given.name));
                        }
                        Some(value) => {
                            let text = literal(words, value.word)?;
                            let text = text.get(value.from..).unwrap_or_default().to_owned();
                            arguments.values.entry(meaning).or_default().push(text);
                        }
                        _ if !words[given.word].literal => {
                            return unforeseen("an option has an expansion in it");
                        }
                        _ => {
                            arguments.flags.insert(meaning);
                        }
                    }
                }
            }
        }
        Ok(arguments)
    }

    pub(crate) fn has(&self, meaning: &str) -> bool {
        self.flags.contains(meaning) || self.values.contains_key(meaning)
    }

    pub(crate) fn value(&self, meaning: &str) -> Option<&str> {
        self.values_of(meaning).last().map(String::as_str)
    }

    /// Returns all values of an option that may be repeated.
    pub(crate) fn values_of(&self, meaning: &str) -> &[String] {
        self.values.get(meaning).map(Vec::as_slice).unwrap_or_default()
    }
}

fn literal(words: &[Word], index: usize) -> Foreseen<&str> {
    match words.get(index) {
        Some(word) if word.literal => Ok(&word.text),
        _ => unforeseen("the value of an option has an expansion in it"),
    }
}

/// Returns the reason for a command without an evaluation.
pub(crate) fn not_evaluated(name: &str) -> String {
    format!("what `{name}` changes is not evaluated")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_has_one_meaning() {
        for (name, program) in PROGRAMS.iter() {
            let mut seen = BTreeSet::new();
            for spelling in program
                .flags
                .values()
                .chain(program.values.values())
                .chain(program.attached.values())
                .flat_map(|text| text.split(' '))
            {
                assert!(spelling.starts_with('-') && seen.insert(spelling), "{name} {spelling}");
            }
        }
    }
}
