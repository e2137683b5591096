//! The call of a known tool: which of its words name files, and what they are for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use askline_syntax::options::{Form, Given, Options, Part, Reader, Takes, Value};
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Word, program_name};

/// Maximum number of operands that are looked at.
const OPERANDS_MAX: usize = 32;

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
    pub(super) wants: Wants,
    #[serde(default)]
    skip: usize,
    #[serde(default)]
    scripts: Vec<String>,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    pub(super) deep: Vec<String>,
    #[serde(default)]
    opaque: Vec<String>,
    #[serde(default)]
    pub(super) rows: bool,
    #[serde(default)]
    changes: bool,
    #[serde(default)]
    destroys: bool,
}

static TOOLS: LazyLock<BTreeMap<String, Tool>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    toml::from_str(include_str!("tools.toml")).expect("tools.toml is well-formed")
});

impl Options for Tool {
    fn takes(&self, option: &str) -> Option<Takes> {
        self.values.iter().any(|known| known == option).then_some(Takes::Value)
    }
}

/// Reports whether a tool is known neither to delete, move or overwrite what it reads, nor to run or send it.
pub(super) fn is_harmless(name: &str) -> bool {
    TOOLS.get(name).is_some_and(|tool| !tool.destroys)
}

/// A call of a known tool.
pub(super) struct Call<'l> {
    pub(super) command: &'l SimpleCommand,
    pub(super) name: &'l str,
    pub(super) tool: &'static Tool,
    pub(super) options: Vec<Given<'l>>,
    /// The words that name files.
    pub(super) operands: Vec<&'l Word>,
    /// The script of awk, sed or grep.
    pub(super) script: Option<&'l Word>,
}

impl<'l> Call<'l> {
    /// Reads a command. `None` if the tool is unknown, or may run elsewhere or after a change of files or directory.
    pub(super) fn of(command: &'l SimpleCommand, line: &'l ParsedLine) -> Option<Self> {
        let name = program_name(command.name()?);
        let tool = TOOLS.get(name).filter(|tool| tool.wants != Wants::None)?;
        let is_apart = |nesting: &Nesting| {
            matches!(nesting, Nesting::Wrapper(_) | Nesting::Function | Nesting::HereDocument)
        };
        if command.within.iter().any(is_apart) || is_late(command, line) {
            return None;
        }
        let (mut options, mut operands) = if name == "find" { find(command) } else { read(command, tool) };
        operands.truncate(OPERANDS_MAX);
        if options.iter().any(|given| tool.opaque.iter().any(|known| *known == given.name)) {
            return None;
        }
        let is_scripted = options.iter().any(|given| tool.scripts.iter().any(|known| *known == given.name));
        let skip = if is_scripted { 0 } else { tool.skip.min(operands.len()) };
        let script = operands.drain(..skip).next();
        options.truncate(OPERANDS_MAX);
        Some(Self { command, name, tool, options, operands, script })
    }

    /// Reports whether one of these options is given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.name.as_ref()))
    }

    /// Returns the option with one of these names that has a value.
    pub(super) fn value(&self, names: &[&str]) -> Option<(Value, &str)> {
        let given = self.options.iter().rev().find(|given| names.contains(&given.name.as_ref()))?;
        let value = given.value?;
        Some((value, value.text(&self.command.words)))
    }

    /// Reports whether folders are read too.
    pub(super) fn is_deep(&self) -> bool {
        let is_deep = |given: &Given<'_>| self.tool.deep.iter().any(|known| *known == given.name);
        self.options.iter().any(is_deep)
    }

    /// Returns the relative path of the only file that the tool reads, as operand or by `<`.
    pub(super) fn only_file(&self) -> Option<&'l str> {
        if self.tool.wants != Wants::File {
            return None;
        }
        let input = self.command.redirections.iter().find(|redirection| redirection.operator == "<");
        let word = match (self.operands.as_slice(), input) {
            ([word], _) => word,
            ([], Some(input)) => input.target.as_ref()?,
            _ => return None,
        };
        relative(word).filter(|path| !path.is_empty())
    }

    /// Returns the operands that name sources, and the target if the tool has one.
    pub(super) fn sources(&self) -> (&[&'l Word], Option<&'l Word>) {
        match (self.tool.wants, self.operands.as_slice()) {
            (Wants::Copy, [sources @ .., target]) if !sources.is_empty() => (sources, Some(*target)),
            (Wants::Copy, _) => (&[], None),
            (_, operands) => (operands, None),
        }
    }
}

fn read<'l>(command: &'l SimpleCommand, tool: &Tool) -> (Vec<Given<'l>>, Vec<&'l Word>) {
    let (mut options, mut operands) = (Vec::new(), Vec::new());
    let mut reader = Reader::new(&command.words, 1, Form::Getopt);
    while let Some(part) = reader.next(tool) {
        match part {
            Part::Option(given) => options.push(given),
            Part::Operand(index) => operands.extend(command.words.get(index)),
            Part::End(_) => {}
        }
    }
    (options, operands)
}

/// Returns the starting points of `find`.
fn find<'l>(command: &'l SimpleCommand) -> (Vec<Given<'l>>, Vec<&'l Word>) {
    let words = command.words.iter().skip(1);
    let starts = words.skip_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P"));
    let is_start = |word: &&Word| !word.text.starts_with(['-', '(', '!', ')']);
    (Vec::new(), starts.take_while(is_start).collect())
}

/// Reports whether an earlier command of the line may have changed files or the directory.
fn is_late(command: &SimpleCommand, line: &ParsedLine) -> bool {
    let writes = |other: &SimpleCommand| {
        other.redirections.iter().any(|redirection| {
            let target = redirection.target.as_ref().map_or("", |target| target.text.as_str());
            redirection.operator.contains('>')
                && !redirection.operator.ends_with('&')
                && target != "/dev/null"
        })
    };
    let changes = |other: &SimpleCommand| match other.name() {
        Some(name) => TOOLS.get(program_name(name)).is_none_or(|tool| tool.changes),
        None => !other.words.is_empty(),
    };
    let before = line.parsed().commands.iter().filter(|other| other.span.start < command.span.start);
    let mut apart = before.filter(|other| other.pipeline != command.pipeline);
    apart.any(|other| changes(other) || writes(other))
}

/// Returns the relative path that a word names, without `./` in front and a final slash. `None` for every other word.
pub(super) fn relative(word: &Word) -> Option<&str> {
    if !word.literal {
        return None;
    }
    relative_path(&word.text)
}

/// Does the same for a text.
pub(super) fn relative_path(text: &str) -> Option<&str> {
    let is_other = text.is_empty()
        || text.starts_with(['-', '~', '+', '=', '%', '/', '&'])
        || text.contains("://")
        || text.contains("{}")
        || text.contains("//")
        || text.contains('\n')
        || text.split('/').any(|part| part == "..");
    if is_other {
        return None;
    }
    let bare = text.trim_start_matches("./").trim_end_matches('/');
    let bare = bare.strip_suffix("/.").unwrap_or(bare);
    Some(if bare == "." { "" } else { bare }).filter(|bare| !bare.contains("/./"))
}
