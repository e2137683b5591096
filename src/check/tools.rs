//! How the words of particular tools are read, as data (`tools.toml`).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

/// The table, parsed once.
pub(super) static TOOLS: LazyLock<Tools> =
    LazyLock::new(|| toml::from_str(include_str!("tools.toml")).expect("tools.toml is checked by a test"));

/// What `tools.toml` says; each field is explained there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tools {
    pub(super) stop: HashSet<String>,
    pub(super) open: HashSet<String>,
    pub(super) flat: HashSet<String>,
    pub(super) bundle: HashSet<String>,
    pub(super) numbers: HashSet<String>,
    pub(super) signals: HashSet<String>,
    pub(super) modes: HashSet<String>,
    pub(super) no_options: HashSet<String>,
    pub(super) operands: HashSet<String>,
    pub(super) elsewhere: HashSet<String>,
    pub(super) installers: HashSet<String>,
    pub(super) bystanders: HashSet<String>,
    pub(super) last: HashMap<String, Vec<String>>,
    pub(super) runs: HashMap<String, Vec<String>>,
    pub(super) like: HashMap<String, String>,
    pub(super) reads: HashMap<String, usize>,
    pub(super) makes_last: Names,
    pub(super) unless: HashMap<String, Vec<String>>,
    pub(super) find: Find,
    pub(super) patterns: HashMap<String, Vec<String>>,
    pub(super) deprecated: HashMap<String, String>,
    pub(super) stand_ins: Names,
}

/// A list under a heading of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    pub(super) names: HashSet<String>,
}

/// What the words of a `find` expression take.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Find {
    pub(super) options_without: HashSet<String>,
    pub(super) options_with: HashSet<String>,
    pub(super) operators: HashSet<String>,
    pub(super) runs: HashSet<String>,
    pub(super) with_one: HashSet<String>,
    pub(super) with_two: HashSet<String>,
    pub(super) patterns: HashSet<String>,
}

/// Whether a list of a tool's names holds this one.
pub(super) fn lists(table: &HashMap<String, Vec<String>>, tool: &str, name: &str) -> bool {
    table.get(tool).is_some_and(|names| names.iter().any(|listed| listed == name))
}

/// The name of a program in a command word: `/usr/bin/ls` is `ls`.
pub(super) fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
