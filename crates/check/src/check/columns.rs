//! Checks the columns and keys that a Nushell line uses against the file that it opens. Starting at `open FILE`,
//! follows each command of the pipeline while its output is known (`columns.toml`); later commands are not checked.
//!
//! A finding's text contains no name that occurs only in the file. Such names are in the evidence, which the
//! disclosure policy does not allow for every model.

mod condition;
mod finding_text;
mod line;
mod path;
mod separator;
#[cfg(test)]
mod tests;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use self::finding_text::{inside, quoted};
use self::line::LineScope;
use self::path::{Member, PathEnd, View};
use super::{Finding, ReportDraft};
use crate::file_schema::{Column, FileSchema};
use crate::reference;
use askline_syntax as syntax;
use askline_syntax::{Nesting, Parsed, SimpleCommand, Word};

/// Maximum number of words examined per command.
const WORDS_MAX: usize = 64;
/// Maximum number of findings per line; the check then stops.
const FINDINGS_MAX: usize = 8;

static TABLE: LazyLock<ColumnsFile> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("columns.toml")).expect("columns.toml is well-formed")
});

/// Contents of `columns.toml`; each field is documented there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnsFile {
    rows: BTreeSet<String>,
    rows_switches: BTreeSet<String>,
    conditions: BTreeSet<String>,
    keeps: BTreeSet<String>,
    changes: BTreeSet<String>,
    defines: BTreeSet<String>,
    closures: BTreeMap<String, Closure>,
    leaves: BTreeSet<String>,
    unsure: BTreeSet<String>,
    names: BTreeMap<String, NamedSteps>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedSteps {
    #[serde(default)]
    switches: BTreeSet<String>,
    #[serde(default)]
    first: bool,
    #[serde(default)]
    rows: bool,
    #[serde(default)]
    closures: bool,
    gives: Gives,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Closure {
    #[serde(default)]
    parameters: Vec<ClosureInput>,
    input: ClosureInput,
    #[serde(default)]
    always: bool,
}

/// Part of the pipeline data that a closure receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ClosureInput {
    Row,
    Whole,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Gives {
    Same,
    Retyped,
    Unknown,
    Values,
    Only,
    Without,
}

/// Data that flows through a pipe.
struct Flow<'a> {
    /// File that the data comes from.
    file: &'a str,
    schema: FileSchema,
    /// Description for messages: "`goods.csv`".
    subject: String,
    /// Noun for its names: column or key.
    noun: &'static str,
    /// `true` if the data is the file's content as `open` returns it.
    is_file: bool,
}

/// Commands that take names of columns, and no paths into records.
const FLAT: [&str; 2] = ["uniq-by", "histogram"];

/// Findings about a command, and its output; `None` if the output is unknown.
type Step<'a> = (Vec<Finding>, Option<Flow<'a>>);

/// Creates a step without findings.
fn known(next: Option<Flow<'_>>) -> Step<'_> {
    (Vec::new(), next)
}

/// Adds findings for columns and keys that are missing in the opened files.
pub(super) fn check(parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    if !draft.shell.is_nushell() {
        return;
    }
    // A definition anywhere in the line may change the meaning of a command name.
    let defines = |command: &SimpleCommand| command.name().is_some_and(|name| TABLE.defines.contains(name));
    if parsed.commands.iter().any(defines) {
        return;
    }
    let found = LineScope::new(parsed, draft).findings();
    draft.report.findings.extend(found);
}

/// Returns the file that a command opens as Nushell parses it, with its schema; `None` if another command may have
/// changed it.
fn opened<'a>(
    open: &'a SimpleCommand,
    parsed: &Parsed,
    draft: &ReportDraft<'_>,
) -> Option<(&'a str, Arc<FileSchema>)> {
    let (name, file, is_raw) = match open.words.as_slice() {
        [name, file] => (name, file, false),
        [name, option, file] if matches!(option.text.as_str(), "--raw" | "-r") => (name, file, true),
        _ => return None,
    };
    let is_open = name.text == "open" && name.literal && open.position == 0 && open.redirections.is_empty();
    let is_file = file.literal && !file.text.starts_with('-') && !file.text.contains(['*', '?', '[', '\n']);
    if !is_open || !is_file || is_program(open) {
        return None;
    }
    let is_own = draft.reference.known(&["open"]).kind == reference::CommandKind::Builtin;
    let changes = |other: &SimpleCommand| {
        let own = other.name().filter(|name| syntax::nushell_commands().contains(*name));
        is_program(other) || own.is_none_or(|name| TABLE.changes.contains(name))
    };
    // A closure may run later and more than once.
    let is_at_once = open.within.iter().all(|nesting| *nesting == Nesting::Substitution);
    let is_before = |other: &&SimpleCommand| !is_at_once || other.span.start < open.span.start;
    let mut before = parsed.commands.iter().filter(is_before);
    let writes = |other: &SimpleCommand| !other.redirections.is_empty();
    if !is_own || before.any(|other| changes(other) || writes(other)) {
        return None;
    }
    let schema = draft.reference.schema(&file.text)?;
    if is_raw {
        return Some((file.text.as_str(), Arc::new(FileSchema::Text)));
    }
    // With a user-defined `from log` or with `std/formats`, `open` returns a table for files that are plain text
    // otherwise.
    let is_read_otherwise = || {
        let ending = crate::file_schema::ending(&file.text);
        !ending.is_empty() && draft.reference.own_manual(&format!("from {ending}")).is_some()
    };
    let is_text = matches!(*schema, FileSchema::Text | FileSchema::Binary);
    (!is_text || !is_read_otherwise()).then_some((file.text.as_str(), schema))
}

/// Takes the fixes out that are paths into records.
fn without_paths(mut finding: Finding) -> Finding {
    finding.fixes.retain(|fix| !fix.replacement.contains('.'));
    finding
}

/// Reports whether a command is an external program: `^name`.
fn is_program(command: &SimpleCommand) -> bool {
    command.external || command.words.is_empty()
}

impl Flow<'_> {
    /// Returns the data that a path leads to.
    fn inner(&self, members: &[Member], schema: FileSchema) -> Self {
        let is_key = matches!(schema, FileSchema::Record(_)) && self.noun == "key";
        let noun = if is_key { "key" } else { "column" };
        let is_row = members.iter().all(|member| *member == Member::Index);
        let subject = if is_row { self.subject.clone() } else { inside(members, members.len(), self.file) };
        Self { file: self.file, schema, subject, noun, is_file: false }
    }
}

/// A command that receives pipeline data.
struct PipedCommand<'a> {
    command: &'a SimpleCommand,
    draft: &'a ReportDraft<'a>,
}

impl<'a> PipedCommand<'a> {
    fn step(&self, flow: Flow<'a>) -> Step<'a> {
        let Some(name) = self.command.name().filter(|_| !is_program(self.command)) else {
            return known(None);
        };
        let takes_rows = TABLE.rows.contains(name) || TABLE.conditions.contains(name);
        let names = TABLE.names.get(name);
        if matches!(flow.schema, FileSchema::Record(_))
            && (takes_rows || name == "length" || names.is_some_and(|names| names.rows))
        {
            return (vec![self.is_record(name, &flow)], None);
        }
        if let Some(names) = names {
            return self.named(name, names, flow);
        }
        let begins = |sign| self.arguments().iter().any(|word| self.raw(word).starts_with(sign));
        let (has_option, has_closure) = (begins('-'), begins('{'));
        match name {
            _ if TABLE.conditions.contains(name) => {
                let found = condition::findings(self, &flow);
                let goes_on = name == "where" && (found.is_empty() || flow.schema.columns().is_some());
                (found, goes_on.then_some(flow))
            }
            // The closure may change the data.
            _ if TABLE.keeps.contains(name) => known(if has_closure { None } else { Some(flow) }),
            _ if takes_rows && !self.has_only(&TABLE.rows_switches) => known(None),
            // For text these commands return bytes, which are not followed.
            _ if takes_rows => {
                known(if flow.schema == FileSchema::Text { None } else { self.some_rows(name, flow) })
            }
            "columns" if flow.schema.columns().is_some() => {
                known(Some(self.made(flow.file, FileSchema::Text.listed())))
            }
            "lines" if flow.is_file && flow.schema == FileSchema::Text => {
                known(if has_option { None } else { Some(self.made(flow.file, FileSchema::Text.listed())) })
            }
            // The content is already parsed and is not text.
            "lines"
                if flow.is_file && matches!(flow.schema, FileSchema::Table(_) | FileSchema::Record(_)) =>
            {
                (vec![self.no_text(&flow)], None)
            }
            "enumerate" => known(self.counted(flow)),
            "from csv" | "from tsv" if flow.schema == FileSchema::Text => known(self.separated(name, flow)),
            "insert" | "upsert" | "default" if !has_option => self.added(name, flow),
            "rename" => self.renamed(flow),
            _ => known(None),
        }
    }

    fn raw(&self, word: &Word) -> &str {
        self.draft.line.get(word.span.clone()).unwrap_or_default()
    }

    /// Reports whether the command has no options other than `switches`.
    fn has_only(&self, switches: &BTreeSet<String>) -> bool {
        let mut options =
            self.arguments().iter().map(|word| self.raw(word)).filter(|raw| raw.starts_with('-'));
        options.all(|option| switches.contains(option))
    }

    fn arguments(&self) -> &[Word] {
        self.command.words.get(1..self.command.words.len().min(WORDS_MAX)).unwrap_or_default()
    }

    /// Returns output that is described by the name of this command.
    fn made(&self, file: &'a str, schema: FileSchema) -> Flow<'a> {
        let name = self.command.name().unwrap_or_default();
        let subject = format!("what {} gives", quoted(name));
        Flow { file, schema, subject, noun: "column", is_file: false }
    }

    /// Handles a command whose words are column names.
    fn named(&self, name: &str, names: &NamedSteps, flow: Flow<'a>) -> Step<'a> {
        let mut paths = Vec::new();
        for word in self.arguments().iter().take(if names.first { 1 } else { WORDS_MAX }) {
            let raw = self.raw(word);
            if raw.starts_with('-') {
                if names.switches.contains(raw) {
                    continue;
                }
                return known(None);
            }
            if names.closures && raw.starts_with('{') {
                continue;
            }
            // A closure or a variable: its value is unknown.
            let Some(members) = path::parse(raw, word.span.start) else { return known(None) };
            paths.push(members);
        }
        let whole = View::of(&flow.schema);
        let from = match names.gives {
            Gives::Values | Gives::Only | Gives::Without => whole,
            // These commands look at each row separately.
            _ => whole.row(),
        };
        let mut is_certain = true;
        let mut found = Vec::new();
        // Data that the path of `get` leads to.
        let mut inner = None;
        for members in &paths {
            match path::follow(from, members) {
                PathEnd::There(view) if names.gives == Gives::Values && paths.len() == 1 => {
                    inner = Some(flow.inner(members, view.schema()));
                }
                PathEnd::There(_) => {}
                PathEnd::Unsure => is_certain = false,
                PathEnd::Missing(at, columns) => {
                    let missing = flow.missing(members, at, columns);
                    let is_flat = FLAT.contains(&name);
                    found.extend(if is_flat { missing.map(without_paths) } else { missing });
                }
                PathEnd::Bare(at, bare) => found.extend(flow.bare(members, at, &bare, None)),
            }
        }
        if !found.is_empty() {
            let goes_on = names.gives == Gives::Same && flow.schema.columns().is_some();
            return (found, goes_on.then_some(flow));
        }
        known(match names.gives {
            Gives::Same => Some(flow),
            Gives::Unknown => None,
            Gives::Values => inner,
            _ if !is_certain => None,
            Gives::Retyped => self.with_columns(flow, None, |columns| {
                // Without names, the command changes all columns.
                let names = tops(&paths);
                let is_meant =
                    |column: &&mut Column| paths.is_empty() || names.contains(&column.name.as_str());
                columns.iter_mut().filter(is_meant).for_each(|column| column.schema = FileSchema::Unknown);
                Some(())
            }),
            gives @ (Gives::Only | Gives::Without) => self.with_columns(flow, Some(name), |columns| {
                let is_only = gives == Gives::Only;
                let is_plain = paths
                    .iter()
                    .all(|members| matches!(members.as_slice(), [Member::Name { any_case: false, .. }]));
                let names = tops(&paths);
                columns.retain(|column| names.contains(&column.name.as_str()) == is_only);
                (is_plain && !paths.is_empty()).then_some(())
            }),
        })
    }

    /// Returns the same table or record with changed columns. `left_by` is the command that keeps only some of them.
    fn with_columns(
        &self,
        flow: Flow<'a>,
        left_by: Option<&str>,
        change: impl FnOnce(&mut Vec<Column>) -> Option<()>,
    ) -> Option<Flow<'a>> {
        let mut flow = flow;
        match &mut flow.schema {
            FileSchema::Table(columns) | FileSchema::Record(columns) => change(columns)?,
            _ => return None,
        }
        if let Some(name) = left_by {
            flow.subject = format!("what {} leaves", quoted(name));
        }
        Some(Flow { is_file: false, ..flow })
    }

    /// Returns some rows of the input; a single row is not a list.
    fn some_rows(&self, name: &str, flow: Flow<'a>) -> Option<Flow<'a>> {
        let is_one = matches!(name, "first" | "last")
            && self.arguments().iter().all(|word| self.raw(word).starts_with('-'));
        let schema = if is_one { View::of(&flow.schema).row().schema() } else { flow.schema };
        Some(Flow { schema, is_file: false, ..flow })
    }

    /// Returns the output of `enumerate`: each value with its index.
    fn counted(&self, flow: Flow<'a>) -> Option<Flow<'a>> {
        if !matches!(flow.schema, FileSchema::Table(_) | FileSchema::List(_)) {
            return None;
        }
        let column = |name: &str, schema| Column { name: name.to_owned(), schema, always: true };
        Some(self.made(
            flow.file,
            FileSchema::Table(vec![
                column("index", FileSchema::Int),
                column("item", View::of(&flow.schema).row().schema()),
            ]),
        ))
    }

    /// Handles a command that adds a column.
    fn added(&self, name: &str, flow: Flow<'a>) -> Step<'a> {
        let words = self.arguments();
        // `default VALUE COLUMN …`; without a column it fills values.
        let words = if name == "default" {
            words.get(1..).unwrap_or_default()
        } else {
            words.get(..1).unwrap_or_default()
        };
        let mut added = Vec::new();
        for word in words {
            let Some(members) = path::parse(self.raw(word), word.span.start) else { return known(None) };
            let [Member::Name { text, span, .. }] = members.as_slice() else { return known(None) };
            let columns = View::of(&flow.schema).row().columns().unwrap_or_default();
            let known = columns.iter().find(|column| column.name == *text);
            if name == "insert" && known.is_some_and(|column| column.always) {
                return (vec![self.is_there(text, span, &flow)], None);
            }
            // `upsert port` where the only port is that of a record in it.
            let is_closure =
                self.arguments().get(1).is_some_and(|value| self.raw(value).contains(['{', '$']));
            if name == "upsert" && known.is_none() && !is_closure {
                let nested = flow.missing(&members, 0, columns);
                if let Some(nested) =
                    nested.filter(|it| it.fixes.iter().any(|fix| fix.replacement.contains('.')))
                {
                    return (vec![nested], None);
                }
            }
            added.push(text.clone());
        }
        known(self.with_columns(flow, None, |columns| {
            for name in added {
                columns.retain(|column| column.name != name);
                columns.push(Column { name, schema: FileSchema::Unknown, always: true });
            }
            Some(())
        }))
    }

    /// Handles `rename --column {OLD: NEW}` with one column. Renaming by position is not followed.
    fn renamed(&self, flow: Flow<'a>) -> Step<'a> {
        let [option, record] = self.arguments() else { return known(None) };
        let pair = || {
            let inside = self.raw(record).strip_prefix('{')?.strip_suffix('}')?;
            let (old, new) = inside.split_once(':')?;
            if new.contains([':', ',', '\n']) {
                return None;
            }
            let start = record.span.start + 1 + old.len() - old.trim_start().len();
            Some((path::parse(old.trim(), start)?, path::parse(new.trim(), 0)?))
        };
        let is_column = matches!(self.raw(option), "-c" | "--column");
        let Some((members, new)) = pair().filter(|_| is_column) else { return known(None) };
        match (members.as_slice(), new.as_slice()) {
            (
                [Member::Name { text: old, optional: false, any_case: false, .. }],
                [Member::Name { text: new, optional: false, any_case: false, .. }],
            ) => {
                if let PathEnd::Missing(at, columns) = path::follow(View::of(&flow.schema).row(), &members) {
                    return (
                        flow.missing(&members, at, columns).map(without_paths).into_iter().collect(),
                        None,
                    );
                }
                known(self.with_columns(flow, Some("rename"), |columns| {
                    columns
                        .iter_mut()
                        .filter(|column| column.name == *old)
                        .for_each(|column| column.name.clone_from(new));
                    Some(())
                }))
            }
            _ => known(None),
        }
    }
}

/// Returns the first name of each path.
fn tops(paths: &[Vec<Member>]) -> Vec<&str> {
    paths
        .iter()
        .filter_map(|members| {
            members.iter().find_map(|member| match member {
                Member::Name { text, .. } => Some(text.as_str()),
                Member::Index => None,
            })
        })
        .collect()
}
