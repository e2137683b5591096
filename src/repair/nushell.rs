//! Slips in Nushell's lines: bash's operators, variables and units, names that Nushell has no more or never had, tables
//! handed to programs for lines, lists wanted where text comes. Its engine refuses some of them without saying what would
//! be right and lets others pass.

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
use crate::check::{Finding, Fix, Grade, Kind, Report};
use crate::reference::{self, Reference};
use crate::shell::Shell;
use crate::syntax::{self, Parsed, SimpleCommand, Span};

/// Findings of one line.
const FINDINGS_MAX: usize = 32;
/// Commands of one line that are looked at.
const COMMANDS_MAX: usize = 128;
/// Words of one command that are looked at.
const WORDS_MAX: usize = 256;
/// Words that a command's name may have.
const NAME_WORDS_MAX: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
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
    /// Right for a single text only, not for a list of them.
    #[serde(default)]
    single: bool,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("nushell.toml")).expect("nushell.toml is well-formed")
});

/// The slips of a line, by place.
pub(super) fn slips(line: &str, reference: &dyn Reference) -> Vec<Finding> {
    let parsed = syntax::parse(line, Shell::Nu);
    let reader = Reader::new(line, &parsed, reference);
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
    // What two of them see is told once.
    let mut told: Vec<Finding> = Vec::new();
    for finding in found {
        if !told.iter().any(|other| other.span == finding.span && other.fixes == finding.fixes) {
            told.push(finding);
        }
    }
    told
}

/// What may mend that the engine refuses a line, by what it says.
pub(super) fn refusals(line: &str, report: &Report, reference: &dyn Reference) -> Vec<Finding> {
    let parsed = syntax::parse(line, Shell::Nu);
    let reader = Reader::new(line, &parsed, reference);
    let wrong = report.findings.iter().filter(|finding| finding.kind == Kind::Syntax);
    wrong.take(FINDINGS_MAX).filter_map(|finding| reader.refused(finding)).collect()
}

struct Reader<'a> {
    line: &'a str,
    parsed: &'a Parsed,
    /// The first of them.
    commands: &'a [SimpleCommand],
    reference: &'a dyn Reference,
    /// What names stand for, each looked up once.
    kinds: RefCell<HashMap<String, reference::Kind>>,
    /// The names that the line defines.
    defined: BTreeSet<&'a str>,
    /// It brings in names that aren't seen here.
    imports: bool,
}

impl<'a> Reader<'a> {
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

impl Reader<'_> {
    fn raw(&self, span: &Span) -> &str {
        self.line.get(span.clone()).unwrap_or_default()
    }

    /// One of Nushell's own commands, by its name; none where the user gave the name another meaning.
    fn own<'c>(&self, command: &'c SimpleCommand) -> Option<&'c str> {
        let name = command.name()?;
        let is_own = !self.is_program(command)
            && self.kind(name) == reference::Kind::Builtin
            && !self.is_users(command);
        is_own.then_some(name)
    }

    /// Whether the words of a command begin with the name of one that the user defined, also of several words.
    fn is_users(&self, command: &SimpleCommand) -> bool {
        let mut name = String::new();
        command.words.iter().take(NAME_WORDS_MAX).any(|word| {
            name.push_str(if name.is_empty() { "" } else { " " });
            name.push_str(&word.text);
            matches!(self.looked_up(&name), reference::Kind::Function | reference::Kind::Alias(_))
        })
    }

    /// Whether one of Nushell's own commands with a condition begins here: `where`, `if`.
    fn has_condition(&self, text: &str) -> bool {
        let first = text.split_whitespace().next();
        first.is_some_and(|name| {
            TABLE.conditions.contains(name) && self.kind(name) == reference::Kind::Builtin
        })
    }

    /// `^name`.
    fn is_program(&self, command: &SimpleCommand) -> bool {
        let before = command.words.first().and_then(|word| self.line.get(..word.span.start));
        before.is_some_and(|before| before.ends_with('^'))
    }

    /// What a name stands for in this line.
    fn kind(&self, name: &str) -> reference::Kind {
        match self.looked_up(name) {
            reference::Kind::Missing if self.imports => reference::Kind::Function,
            kind => kind,
        }
    }

    fn looked_up(&self, name: &str) -> reference::Kind {
        if self.defined.contains(name) {
            return reference::Kind::Function;
        }
        if let Some(kind) = self.kinds.borrow().get(name) {
            return kind.clone();
        }
        let kind = self.reference.known(&[name]).kind.clone();
        self.kinds.borrow_mut().insert(name.to_owned(), kind.clone());
        kind
    }

    /// Whether a command may be one that the line defines or brings in, or the user: `def "str count" …`.
    fn may_be_defined(&self, command: &SimpleCommand) -> bool {
        self.imports || self.is_users(command)
    }

    /// What a command gets its input from; none where that is no command.
    fn feeder(&self, command: &SimpleCommand) -> Option<&SimpleCommand> {
        self.beside(command, command.position.checked_sub(1)?)
    }

    /// What a command's output goes into.
    fn next(&self, command: &SimpleCommand) -> Option<&SimpleCommand> {
        self.beside(command, command.position + 1)
    }

    /// The command at a place of the same pipeline.
    fn beside(&self, command: &SimpleCommand, position: usize) -> Option<&SimpleCommand> {
        self.commands.iter().find(|other| {
            other.pipeline == command.pipeline && other.position == position && other.within == command.within
        })
    }
}

/// A slip with the edit that mends it.
fn slip(span: Span, grade: Grade, text: &str, replacement: &str, change: &str) -> Finding {
    finding(
        grade,
        text.to_owned(),
        Fix { span, replacement: replacement.to_owned(), change: change.to_owned() },
    )
}

fn finding(grade: Grade, text: String, fix: Fix) -> Finding {
    let kind = if grade == Grade::Error { Kind::Syntax } else { Kind::Quoting };
    Finding { kind, span: fix.span.clone(), grade, text, evidence: "nushell".to_owned(), fixes: vec![fix] }
}
