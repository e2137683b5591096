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
pub(crate) enum Wants {
    File,
    Folder,
    Any,
    Copy,
    None,
}

/// A row of `tools.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    names: Vec<String>,
    #[serde(default)]
    when: Vec<String>,
    pub(crate) wants: Wants,
    #[serde(default)]
    skip: usize,
    #[serde(default)]
    pub(crate) behind_dashes: bool,
    pub(crate) most: Option<usize>,
    #[serde(default)]
    scripts: Vec<String>,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    pub(crate) deep: Vec<String>,
    #[serde(default)]
    opaque: Vec<String>,
    #[serde(default)]
    pub(crate) endings: Vec<String>,
    #[serde(default)]
    pub(crate) rows: bool,
    #[serde(default)]
    text: bool,
    #[serde(default)]
    pub(crate) changes: bool,
    #[serde(default)]
    pub(crate) destroys: bool,
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
    pub(crate) fn of(command: &SimpleCommand) -> Option<&'static Self> {
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

    /// Returns the number of operands before the files, for a tool that works on lines of text and reads standard input if no file is
    /// named. `None` for another tool.
    pub(crate) fn text_operands(name: &str) -> Option<usize> {
        let [tool] = ROWS.get(program_name(name))?.as_slice() else { return None };
        tool.text.then_some(tool.skip)
    }

    /// Reports whether the lines of the input come out of a tool as they are, perhaps fewer or in another order.
    pub(crate) fn passes_rows(name: &str) -> bool {
        ROWS.get(program_name(name)).is_some_and(|tools| tools.iter().all(|tool| tool.rows))
    }

    /// Reports whether the tool reads the files that its operands name, and changes none.
    pub(crate) fn reads_files(&self) -> bool {
        self.wants == Wants::File && !self.changes
    }

    /// Reports whether nothing is said about a call with an option.
    pub(crate) fn hides(&self, option: &str) -> bool {
        self.opaque.iter().any(|known| known == option)
    }

    /// Reports whether an option takes the place of the script among the operands.
    pub(crate) fn takes_script(&self, given: &Given<'_>) -> bool {
        lists(&self.scripts, given)
    }

    /// Returns the number of operands before the first file.
    pub(crate) fn skipped(&self, options: &[Given<'_>]) -> usize {
        if options.iter().any(|given| self.takes_script(given)) { 0 } else { self.skip }
    }

    /// Reports whether the value of an option is a file that is read.
    pub(crate) fn reads(&self, given: &Given<'_>) -> bool {
        lists(&self.reads, given)
    }
}

/// Reports whether a command is an implementation of awk.
pub(crate) fn is_awk(name: &str) -> bool {
    matches!(program_name(name), "awk" | "gawk" | "mawk" | "nawk")
}

fn lists(options: &[String], given: &Given<'_>) -> bool {
    options.iter().any(|known| *known == given.name)
}
