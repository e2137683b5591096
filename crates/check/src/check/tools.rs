//! Rules for reading the words of particular tools, stored as data (`tools.toml`).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer};

use askline_manual::{Arity, Manual, OptionDoc, Source};
use askline_syntax::program_name;
use askline_syntax::shell::Shell;

/// The table, parsed once.
pub(super) static TOOLS: LazyLock<Tools> =
    LazyLock::new(|| toml::from_str(include_str!("tools.toml")).expect("tools.toml is checked by a test"));

/// Manuals by command name.
type Manuals = HashMap<String, Arc<Manual>>;

/// Contents of `tools.toml`; each field is documented there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tools {
    pub(super) open: HashSet<String>,
    pub(super) flat: HashSet<String>,
    pub(super) numbers: HashSet<String>,
    pub(super) signals: HashSet<String>,
    pub(super) modes: HashSet<String>,
    pub(super) well_known: HashSet<String>,
    pub(super) filters: HashSet<String>,
    pub(super) no_options: HashSet<String>,
    pub(super) operands: HashSet<String>,
    pub(super) installers: HashSet<String>,
    pub(super) elevating: HashSet<String>,
    pub(super) for_users: HashSet<String>,
    pub(super) bystanders: HashSet<String>,
    pub(super) runs: HashMap<String, Vec<String>>,
    pub(super) like: HashMap<String, String>,
    pub(super) reads: HashMap<String, usize>,
    pub(super) interpreters: NamedTools,
    pub(super) makes_last: NamedTools,
    pub(super) unless: HashMap<String, Vec<String>>,
    pub(super) find: Find,
    pub(super) patterns: HashMap<String, Vec<String>>,
    pub(super) deprecated: HashMap<String, String>,
    pub(super) stand_ins: NamedTools,
    #[serde(deserialize_with = "by_words")]
    pub(super) also: Manuals,
    #[serde(deserialize_with = "by_letters")]
    pub(super) builtins: HashMap<Shell, Manuals>,
    pub(super) unasked: NamedTools,
}

/// A list with its own heading in `tools.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedTools {
    pub(super) names: HashSet<String>,
}

/// Words of a `find` expression.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Find {
    pub(super) options_without: HashSet<String>,
    pub(super) options_with: HashSet<String>,
    pub(super) operators: HashSet<String>,
    pub(super) with_two: HashSet<String>,
    pub(super) patterns: HashSet<String>,
}

/// Reports whether a tool's list contains `name`.
pub(super) fn lists(table: &HashMap<String, Vec<String>>, tool: &str, name: &str) -> bool {
    table.get(tool).is_some_and(|names| names.iter().any(|listed| listed == name))
}

/// Reports whether the words of this command are a `find` expression.
pub(super) fn is_find(name: &str) -> bool {
    matches!(program_name(name), "find" | "gfind")
}

impl Find {
    /// Reports whether a word is an option, which may precede the paths, and not a part of the expression.
    pub(super) fn is_option(&self, word: &str) -> bool {
        self.options_without.contains(word) || self.options_with.contains(word)
    }

    /// Reports whether every `find` accepts a word: an operator, `-newerXY`, `-O3`.
    pub(super) fn accepts(&self, word: &str) -> bool {
        let level = word.strip_prefix("-O").filter(|level| !level.is_empty());
        self.operators.contains(word)
            || is_newer(word)
            || level.is_some_and(|level| level.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

/// Reports whether a word is `-newerXY`, with one letter for each of the two times.
fn is_newer(text: &str) -> bool {
    text.strip_prefix("-newer").is_some_and(|times| {
        let mut letters = times.chars();
        letters.next().is_some_and(|c| "aBcm".contains(c))
            && letters.next().is_some_and(|c| "aBcmt".contains(c))
            && letters.next().is_none()
    })
}

/// Parses manuals written as `-n= --namespace= --all`.
fn by_words<'de, D: Deserializer<'de>>(source: D) -> Result<Manuals, D::Error> {
    let rows = HashMap::<String, String>::deserialize(source)?;
    let doc = |word: &str| doc(word.trim_end_matches('='), word.ends_with('='));
    let manual = |words: &str| of_cards(words.split_whitespace().map(doc).collect());
    Ok(rows.into_iter().map(|(name, words)| (name, manual(&words))).collect())
}

/// Parses manuals by shell, written as `ab:c`.
fn by_letters<'de, D>(source: D) -> Result<HashMap<Shell, Manuals>, D::Error>
where
    D: Deserializer<'de>,
{
    let shells = HashMap::<String, HashMap<String, String>>::deserialize(source)?;
    let manual = |letters: &str| {
        let following = letters.chars().skip(1).chain([' ']);
        let docs = letters.chars().zip(following).filter(|(letter, _)| *letter != ':');
        of_cards(docs.map(|(letter, next)| doc(&format!("-{letter}"), next == ':')).collect())
    };
    let manuals = |rows: HashMap<String, String>| {
        rows.into_iter().map(|(name, letters)| (name, manual(&letters))).collect()
    };
    shells
        .into_iter()
        .map(|(shell, rows)| Ok((shell.parse().map_err(serde::de::Error::custom)?, manuals(rows))))
        .collect()
}

fn of_cards(options: Vec<OptionDoc>) -> Arc<Manual> {
    Arc::new(Manual { options, ..Manual::default() })
}

fn doc(name: &str, takes_value: bool) -> OptionDoc {
    OptionDoc {
        names: vec![name.to_owned()],
        value: if takes_value { Arity::Required } else { Arity::None },
        placeholder: String::new(),
        text: String::new(),
        source: Source::Table,
    }
}
