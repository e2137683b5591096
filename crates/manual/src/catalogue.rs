//! Catalogue of the commands of a shell that documents them itself, as Nushell does: signatures, descriptions and
//! examples. Pure and total: the shell's own text in, command docs out. Finds the nearest commands for a name or a
//! request.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::retrieve::{Index, terms};
use crate::{Arity, Manual, OptionDoc, Source};

/// Maximum number of commands read.
const COMMANDS_MAX: usize = 8192;
/// Maximum length of a signature, in characters.
pub const SIGNATURE_CHARS_MAX: usize = 160;
/// The commands of a shell.
#[derive(Debug, Default)]
pub struct Catalogue {
    docs: BTreeMap<String, CommandDoc>,
    commands: OnceLock<Index>,
}

/// Documentation of one command of a shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandDoc {
    /// Name as typed; may have several words: `str replace`.
    pub name: String,
    /// Summary in one line.
    pub description: String,
    /// Additional search words.
    pub search_terms: String,
    /// Accepted input types, as named by the shell; "nothing" for a command that starts a pipeline.
    pub inputs: Vec<String>,
    /// Parameters, in the shell's order.
    pub parameters: Vec<Parameter>,
    /// Usage examples.
    pub examples: Vec<Example>,
}

/// A parameter of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Kind of parameter.
    pub role: Role,
    /// Name without dashes.
    pub name: String,
    /// Short name of a flag.
    pub letter: Option<char>,
    /// Type of the value, as named by the shell; empty for a switch.
    pub shape: String,
    /// `true` if it is optional.
    pub optional: bool,
    /// Description in one line; may be empty.
    pub description: String,
}

/// Kind of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A positional argument.
    Positional,
    /// All further arguments.
    Rest,
    /// A flag without a value.
    Switch,
    /// A flag with a value.
    Named,
}

/// A usage example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Description in one line.
    pub request: String,
    /// Command line of the example.
    pub command: String,
}

/// A record of the shell's output (`host::Probe::Commands`).
#[derive(Deserialize)]
struct Row(
    String,
    Option<String>,
    Option<String>,
    Vec<String>,
    Vec<ParameterRow>,
    Vec<(Option<String>, Option<String>)>,
);

/// A parameter in that output: role, name, letter, type, `true` if optional, description.
#[derive(Deserialize)]
struct ParameterRow(Role, Option<String>, Option<String>, Option<String>, bool, Option<String>);

impl Catalogue {
    /// Parses a text with one JSON record per line. Unreadable records are skipped; the later of two with the same
    /// name wins.
    pub fn read(text: &str) -> Self {
        let rows = text.lines().filter_map(|line| serde_json::from_str::<Row>(line).ok());
        let docs = rows.take(COMMANDS_MAX).map(CommandDoc::of).filter(|doc| !doc.name.is_empty());
        Self { docs: docs.map(|doc| (doc.name.clone(), doc)).collect(), ..Self::default() }
    }

    /// Returns a catalogue with the commands of a text in the same form added. They replace commands of the same
    /// name.
    pub fn with(&self, text: &str) -> Self {
        let docs = self.docs.clone().into_iter().chain(Self::read(text).docs);
        Self { docs: docs.collect(), ..Self::default() }
    }

    /// Reports whether the catalogue has no commands.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Returns the doc of a command.
    pub fn get(&self, name: &str) -> Option<&CommandDoc> {
        self.docs.get(name)
    }

    /// Returns all command docs, sorted by name.
    pub fn docs(&self) -> impl Iterator<Item = &CommandDoc> {
        self.docs.values()
    }

    /// Returns the commands that a wrong `name` in an answer to `request` may mean, likeliest first, at most
    /// `most`; never `name` itself. Commands that share a word with the name come first: `math round` for `round`.
    /// If there are any, the others are left out.
    pub fn nearest(&self, request: &str, name: &str, most: usize) -> Vec<&CommandDoc> {
        let index = self.commands.get_or_init(|| {
            Index::of(self.docs.values().map(|doc| {
                let examples = doc.examples.iter().map(|example| (example.request.as_str(), 0.3));
                [(doc.name.as_str(), 3.0), (&doc.search_terms, 2.0), (&doc.description, 1.0)]
                    .into_iter()
                    .chain(examples)
            }))
        });
        let sought = terms(name);
        let shares = |doc: &&CommandDoc| {
            // A stop word may be a name: `each`, `into`.
            let words = || doc.name.split([' ', '-']);
            words().any(|word| name.split([' ', '-', '_']).any(|own| own == word))
                || terms(&doc.name).iter().any(|word| sought.contains(word))
        };
        let docs: Vec<&CommandDoc> = self.docs.values().collect();
        let found = index.search(&format!("{request} {name} {name}"));
        let mut found: Vec<&CommandDoc> = found
            .into_iter()
            .filter_map(|(place, _)| docs.get(place).copied())
            .filter(|doc| doc.name != name && !doc.is_parent())
            .collect();
        // Stable sort: within both groups the order by score remains.
        found.sort_by_key(|doc| !shares(doc));
        let sharing = found.iter().filter(|doc| shares(doc)).count();
        found.truncate(if sharing == 0 { most } else { sharing.min(most) });
        found
    }
}

impl CommandDoc {
    fn of(row: Row) -> Self {
        let Row(name, description, search_terms, inputs, parameters, examples) = row;
        let one_line =
            |text: Option<String>| text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let parameter = |ParameterRow(role, name, letter, shape, optional, description)| Parameter {
            role,
            name: name.unwrap_or_default(),
            letter: letter.and_then(|letter| letter.chars().next()),
            shape: one_line(shape),
            optional,
            description: one_line(description),
        };
        let example = |(request, command)| Example {
            request: one_line(request),
            command: Option::unwrap_or_default(command),
        };
        Self {
            name,
            description: one_line(description),
            search_terms: one_line(search_terms),
            inputs,
            parameters: parameters.into_iter().map(parameter).collect(),
            examples: examples.into_iter().map(example).collect(),
        }
    }

    /// Returns the signature in one line of at most [`SIGNATURE_CHARS_MAX`] characters:
    /// `str join [separator: string]`. Dots replace parameters without space.
    pub fn signature(&self) -> String {
        let mut line = self.name.clone();
        // Positional parameters come first: a call cannot omit them.
        let (flags, places): (Vec<_>, Vec<_>) =
            self.parameters.iter().partition(|parameter| parameter.is_flag());
        for parameter in places.into_iter().chain(flags) {
            let form = parameter.form();
            if SIGNATURE_CHARS_MAX < line.chars().count() + form.chars().count() + " …".chars().count() + 1
            {
                line.push_str(" …");
                break;
            }
            line.push(' ');
            line.push_str(&form);
        }
        line
    }

    /// Converts the doc to the documentation of a program.
    pub fn manual(&self) -> Manual {
        let option = |flag: &Parameter| OptionDoc {
            names: flag
                .letter
                .map(|letter| format!("-{letter}"))
                .into_iter()
                .chain((!flag.name.is_empty()).then(|| format!("--{}", flag.name)))
                .collect(),
            value: if flag.role == Role::Named { Arity::Required } else { Arity::None },
            placeholder: flag.shape.clone(),
            text: flag.description.chars().take(OptionDoc::TEXT_MAX).collect(),
            source: Source::Help,
        };
        Manual {
            name: format!("help {}", self.name),
            summary: self.description.clone(),
            synopsis: self.signature(),
            options: self.parameters.iter().filter(|parameter| parameter.is_flag()).map(option).collect(),
            ..Manual::default()
        }
    }

    /// Reports whether the command requires piped input.
    pub fn needs_input(&self) -> bool {
        !self.inputs.is_empty()
            && !self.inputs.iter().any(|input| matches!(input.as_str(), "nothing" | "any"))
    }

    /// Reports whether the command accepts piped input.
    pub fn takes_input(&self) -> bool {
        self.inputs.is_empty() || self.inputs.iter().any(|input| input != "nothing")
    }

    /// Reports whether the command only groups its subcommands and does nothing itself.
    fn is_parent(&self) -> bool {
        self.parameters.is_empty() && self.examples.is_empty() && self.inputs == ["nothing"]
    }
}

impl Parameter {
    fn is_flag(&self) -> bool {
        matches!(self.role, Role::Switch | Role::Named)
    }

    fn form(&self) -> String {
        let Self { role, name, letter, shape, optional, .. } = self;
        let letter = letter.map(|letter| format!("(-{letter})")).unwrap_or_default();
        match role {
            Role::Positional if *optional => format!("[{name}: {shape}]"),
            Role::Positional => format!("<{name}: {shape}>"),
            Role::Rest => format!("...[{}: {shape}]", if name.is_empty() { "rest" } else { name }),
            Role::Switch => format!("[--{name}{letter}]"),
            Role::Named => format!("[--{name}{letter}: {shape}]"),
        }
    }
}

#[cfg(test)]
mod tests;
