//! Tools, and which of their operands name files. The rows are in `tools.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::parts::parts;
use askline_syntax::options::{Given, Part};
use askline_syntax::{SimpleCommand, program_name};

/// Operands of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Wants {
    File,
    Folder,
    Any,
    Copy,
    None,
}

/// A row of `tools.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    names: Vec<String>,
    #[serde(default)]
    when: Vec<String>,
    pub(super) wants: Wants,
    #[serde(default)]
    skip: usize,
    pub(super) most: Option<usize>,
    #[serde(default)]
    scripts: Vec<String>,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    pub(super) deep: Vec<String>,
    #[serde(default)]
    opaque: Vec<String>,
    #[serde(default)]
    pub(super) endings: Vec<String>,
    #[serde(default)]
    pub(super) rows: bool,
    #[serde(default)]
    pub(super) changes: bool,
    #[serde(default)]
    pub(super) destroys: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    tool: Vec<Tool>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("tools.toml")).expect("tools.toml is well-formed")
});

/// The rows by name.
static ROWS: LazyLock<BTreeMap<&'static str, Vec<&'static Tool>>> = LazyLock::new(|| {
    let mut rows: BTreeMap<&str, Vec<&Tool>> = BTreeMap::new();
    for tool in &TABLE.tool {
        for name in &tool.names {
            rows.entry(name).or_default().push(tool);
        }
    }
    rows
});

impl Tool {
    /// Returns the row of a command; `None` if the tool is unknown.
    pub(super) fn of(command: &SimpleCommand) -> Option<&'static Self> {
        let name = program_name(command.name()?);
        let operation = command.words.get(1).filter(|word| word.literal);
        let named = operation.and_then(|word| ROWS.get(format!("{name} {}", word.text).as_str()));
        let rows = named.or_else(|| ROWS.get(name))?;
        if let [only] = rows.as_slice() {
            return Some(only);
        }
        let parts = parts(command)?;
        let has = |tool: &&&'static Self| {
            let is_given = |part: &Part<'_>| matches!(part, Part::Option(given) if lists(&tool.when, given));
            tool.when.is_empty() || parts.iter().any(is_given)
        };
        rows.iter().find(has).copied()
    }

    /// Reports whether nothing is said about a call with an option.
    pub(super) fn hides(&self, option: &str) -> bool {
        self.opaque.iter().any(|known| known == option)
    }

    /// Returns the number of operands before the first file.
    pub(super) fn skipped(&self, options: &[Given<'_>]) -> usize {
        if options.iter().any(|given| lists(&self.scripts, given)) { 0 } else { self.skip }
    }

    /// Reports whether the value of an option is a file that is read.
    pub(super) fn reads(&self, given: &Given<'_>) -> bool {
        lists(&self.reads, given)
    }
}

fn lists(options: &[String], given: &Given<'_>) -> bool {
    options.iter().any(|known| *known == given.name)
}
