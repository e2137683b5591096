//! Repairs common mistakes in Nushell lines: bash operators, variables and units; names that Nushell no longer has or
//! never had; tables piped to line-based programs; text where a list is needed. The Nushell engine rejects some of
//! them without a suggestion and accepts others.

mod bash;
mod conditions;
mod definitions;
mod expressions;
mod inputs;
mod names;
mod pipes;
#[cfg(test)]
mod tests;
mod units;
mod values;
mod variables;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

pub(super) use self::variables::sets;
use crate::finding::{Finding, FindingKind, Fix, Report, Severity};
use crate::reference::{self, Reference};
use askline_syntax::shell::Shell;
use askline_syntax::{Parsed, ParsedLine, SimpleCommand, Span};

/// The shell of the lines repaired here.
const SHELL: Shell = Shell::Nu;

/// Maximum number of findings per line.
const FINDINGS_MAX: usize = 32;
/// Maximum number of commands examined per line.
const COMMANDS_MAX: usize = 128;
/// Maximum number of words examined per command.
const WORDS_MAX: usize = 256;
/// Maximum number of words in a command name.
const NAME_WORDS_MAX: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NushellRepairs {
    lists: BTreeSet<String>,
    letters: BTreeSet<String>,
    paths: BTreeSet<String>,
    first_paths: BTreeSet<String>,
    want_lists: BTreeSet<String>,
    structured: BTreeSet<String>,
    plain: BTreeSet<String>,
    conditions: BTreeSet<String>,
    blocks: BTreeSet<String>,
    parameters: BTreeSet<String>,
    dates: BTreeSet<String>,
    tools: BTreeMap<String, String>,
    searched: BTreeMap<String, String>,
    texts: BTreeSet<String>,
    text_columns: BTreeSet<String>,
    passing: BTreeSet<String>,
    sending: BTreeSet<String>,
    years: BTreeMap<String, u32>,
    operators: BTreeMap<String, String>,
    units: BTreeMap<String, String>,
    form: Vec<Form>,
    instead: BTreeMap<String, String>,
    flags: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    from: String,
    to: String,
    /// `true` if the form is correct for a single text only, not for a list of texts.
    #[serde(default)]
    single: bool,
}

static TABLE: LazyLock<NushellRepairs> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("nushell.toml")).expect("nushell.toml is well-formed")
});

/// Returns the mistakes in a line. The engine does not parse them well: many of them make it refuse the line.
pub(super) fn slips(line: &ParsedLine, reference: &dyn Reference) -> Vec<Finding> {
    let reader = SlipFinder::new(line.text(), line.typed(), reference);
    let mut found: Vec<Finding> = reader.operators();
    found.extend(reader.blocks());
    found.extend(reader.expressions());
    found.extend(reader.definition());
    for command in reader.commands {
        let renamed = reader.form(command).or_else(|| reader.instead(command));
        found.extend(renamed.or_else(|| reader.without_parent(command)).or_else(|| reader.child(command)));
        found.extend(reader.unquoted(command));
        found.extend(reader.text_for_numbers(command));
        found.extend(reader.flags(command));
        found.extend(reader.drawn(command));
        found.extend(reader.text_for_list(command));
        found.extend(reader.unnamed(command));
        found.extend(reader.unset(command));
        found.extend(reader.any(command));
        found.extend(reader.duration(command));
        found.extend(reader.file(command));
        found.extend(reader.saved_while_read(command));
        found.extend(reader.redirections(command));
        let words = command.words.iter().enumerate().take(WORDS_MAX);
        found.extend(words.filter_map(|(at, word)| reader.word(command, at, word)));
        if FINDINGS_MAX < found.len() {
            break;
        }
    }
    // Two checks may report the same mistake.
    let mut distinct: Vec<Finding> = Vec::new();
    for finding in found {
        if !distinct.iter().any(|other| other.span == finding.span && other.fixes == finding.fixes) {
            distinct.push(finding);
        }
    }
    distinct
}

/// Returns possible fixes for the errors that the Nushell engine reports.
pub(super) fn refusals(line: &ParsedLine, report: &Report, reference: &dyn Reference) -> Vec<Finding> {
    let reader = SlipFinder::new(line.text(), line.typed(), reference);
    let wrong = report.findings.iter().filter(|finding| finding.kind == FindingKind::Syntax);
    wrong.take(FINDINGS_MAX).filter_map(|finding| reader.refused(finding)).collect()
}

struct SlipFinder<'a> {
    line: &'a str,
    parsed: &'a Parsed,
    /// The first commands of the line, up to the limit.
    commands: &'a [SimpleCommand],
    reference: &'a dyn Reference,
    /// Kinds of names, each looked up once.
    kinds: RefCell<HashMap<String, reference::CommandKind>>,
    /// Names that the line defines.
    defined: BTreeSet<&'a str>,
    /// `true` if the line imports unknown names.
    imports: bool,
}

impl<'a> SlipFinder<'a> {
    fn new(line: &'a str, parsed: &'a Parsed, reference: &'a dyn Reference) -> Self {
        let mut defined = BTreeSet::new();
        let mut imports = false;
        let commands = parsed.commands.get(..COMMANDS_MAX).unwrap_or(&parsed.commands);
        for command in commands {
            let name = command.name().unwrap_or_default();
            let name = name.strip_prefix("export ").unwrap_or(name);
            let keyword = name.split(' ').next().unwrap_or_default();
            imports |= matches!(keyword, "use" | "source" | "source-env" | "module" | "overlay");
            if matches!(name, "def" | "alias" | "extern") {
                let mut words = command.words.iter().skip(1).map(|word| word.text.as_str());
                defined.extend(words.find(|word| !word.starts_with('-')));
            }
        }
        Self { line, parsed, commands, reference, kinds: RefCell::default(), defined, imports }
    }
}

impl SlipFinder<'_> {
    fn raw(&self, span: &Span) -> &str {
        self.line.get(span.clone()).unwrap_or_default()
    }

    /// Returns the name of a Nushell builtin command; `None` if the user redefined the name.
    fn own<'c>(&self, command: &'c SimpleCommand) -> Option<&'c str> {
        let name = command.name()?;
        let is_own = !command.external
            && self.kind(name) == reference::CommandKind::Builtin
            && !self.is_users(command);
        is_own.then_some(name)
    }

    /// Reports whether a command starts with a user-defined name, which may have several words.
    fn is_users(&self, command: &SimpleCommand) -> bool {
        let mut name = String::new();
        command.words.iter().take(NAME_WORDS_MAX).any(|word| {
            name.push_str(if name.is_empty() { "" } else { " " });
            name.push_str(&word.text);
            matches!(
                self.looked_up(&name),
                reference::CommandKind::Function | reference::CommandKind::Alias(_)
            )
        })
    }

    /// Reports whether the text starts with a Nushell builtin that takes a condition: `where`, `if`.
    fn has_condition(&self, text: &str) -> bool {
        let first = text.split_whitespace().next();
        first.is_some_and(|name| {
            TABLE.conditions.contains(name) && self.kind(name) == reference::CommandKind::Builtin
        })
    }

    /// Returns the kind of a name in this line.
    fn kind(&self, name: &str) -> reference::CommandKind {
        match self.looked_up(name) {
            reference::CommandKind::Missing if self.imports => reference::CommandKind::Function,
            kind => kind,
        }
    }

    fn looked_up(&self, name: &str) -> reference::CommandKind {
        if self.defined.contains(name) {
            return reference::CommandKind::Function;
        }
        if let Some(kind) = self.kinds.borrow().get(name) {
            return kind.clone();
        }
        let kind = self.reference.known(&[name]).kind.clone();
        self.kinds.borrow_mut().insert(name.to_owned(), kind.clone());
        kind
    }

    /// Reports whether a command may be defined or imported by the line, or defined by the user: `def "str count" …`.
    fn may_be_defined(&self, command: &SimpleCommand) -> bool {
        self.imports || self.is_users(command)
    }

    /// Returns the command before the pipe; `None` if the input is not from a command.
    fn feeder(&self, command: &SimpleCommand) -> Option<&SimpleCommand> {
        self.beside(command, command.position.checked_sub(1)?)
    }

    /// Returns the command after the pipe.
    fn next(&self, command: &SimpleCommand) -> Option<&SimpleCommand> {
        self.beside(command, command.position + 1)
    }

    /// Returns the command at a position of the same pipeline.
    fn beside(&self, command: &SimpleCommand, position: usize) -> Option<&SimpleCommand> {
        self.commands.iter().find(|other| {
            other.pipeline == command.pipeline && other.position == position && other.within == command.within
        })
    }
}

/// Creates a finding with one fix.
fn slip(span: Span, grade: Severity, text: &str, replacement: &str, change: &str) -> Finding {
    finding(
        grade,
        text.to_owned(),
        Fix { span, replacement: replacement.to_owned(), change: change.to_owned() },
    )
}

fn finding(grade: Severity, text: String, fix: Fix) -> Finding {
    let kind = if grade == Severity::Error { FindingKind::Syntax } else { FindingKind::Quoting };
    Finding { kind, span: fix.span.clone(), grade, text, evidence: "nushell".to_owned(), fixes: vec![fix] }
}
