//! Slips as data: a command whose text has a form of `forms.toml`, alone or beside others in a pipe.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex};
use serde::Deserialize;

use super::{after, before, slip};
use crate::mismatch::Mismatch;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, ParsedLine, SimpleCommand, Span, program_name};

/// Maximum bytes of a line that is compared with the forms.
const LINE_BYTES_MAX: usize = 4096;
/// Commands that pass the lines of a file on; a command behind them in a pipe reads that file.
const PASSING: [&str; 9] = ["cat", "tail", "head", "grep", "sort", "sed", "uniq", "tac", "nl"];
/// Begins the name of a form that compares the whole line, before a text that the line then contains.
const LINE: &str = "* ";

/// Contents of `forms.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    form: Vec<Form>,
}

/// A form; its fields are described in `forms.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    of: Vec<String>,
    #[serde(default)]
    shells: Vec<Shell>,
    has: Pattern,
    needs: Option<Pattern>,
    lacks: Option<Pattern>,
    from: Option<Pattern>,
    from_lacks: Option<Pattern>,
    pipe_lacks: Option<Pattern>,
    into: Option<Pattern>,
    into_lacks: Option<Pattern>,
    inside: Option<Pattern>,
    reads: Option<Pattern>,
    to: Option<To>,
    #[serde(default)]
    onward: bool,
    #[serde(default)]
    all: bool,
    says: String,
    put: Option<String>,
    #[expect(dead_code, reason = "evidence for readers")]
    source: String,
}

/// Place where the output of a command goes.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum To {
    /// A pipe.
    Pipe,
    /// A file, but not one under `/dev`.
    File,
    /// The same with `>`.
    NewFile,
    /// A pipe or a file.
    Elsewhere,
}

/// A regular expression, compiled when it is first used.
#[derive(Deserialize)]
#[serde(from = "String")]
struct Pattern {
    text: String,
    regex: OnceLock<Option<Regex>>,
}

impl From<String> for Pattern {
    fn from(text: String) -> Self {
        Self { text, regex: OnceLock::new() }
    }
}

impl Pattern {
    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| Regex::new(&self.text).ok()).as_ref()
    }

    fn matches(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and a test reads it")]
    let table: Table = toml::from_str(include_str!("forms.toml")).expect("forms.toml is well-formed");
    table.form
});

/// Indices of the forms by the name of their command.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, form) in FORMS.iter().enumerate() {
        for name in &form.of {
            found.entry(name).or_default().push(index);
        }
    }
    found
});

/// Returns the slips of a line that have a known form.
pub(super) fn slips(line: &ParsedLine) -> Vec<Mismatch> {
    if LINE_BYTES_MAX < line.text().len() {
        return Vec::new();
    }
    let mut found: Vec<Mismatch> =
        whole(line.text()).filter_map(|form| form.found(line, line.text(), 0)).collect();
    for command in &line.parsed().commands {
        let Some(name) = command.name().map(program_name) else { continue };
        let sub =
            command.words.get(1).filter(|word| word.literal).map(|word| format!("{name} {}", word.text));
        let forms = named(name).chain(sub.iter().flat_map(|sub| named(sub)));
        found.extend(forms.filter_map(|form| form.slip(line, command)));
    }
    found
}

/// Returns the forms that compare a whole line with this text.
fn whole(text: &str) -> impl Iterator<Item = &'static Form> {
    FORMS.iter().filter(move |form| {
        form.of.iter().filter_map(|name| name.strip_prefix(LINE)).any(|part| text.contains(part))
    })
}

fn named(name: &str) -> impl Iterator<Item = &'static Form> {
    BY_NAME.get(name).into_iter().flatten().filter_map(|index| FORMS.get(*index))
}

impl Form {
    fn slip(&self, line: &ParsedLine, command: &SimpleCommand) -> Option<Mismatch> {
        let end = if self.onward { line.text().len() } else { end(line, command) };
        let start = command.words.first()?.span.start;
        let text = line.text().get(start..end)?;
        let next = after(line, command);
        let neighbour = |pattern: &Pattern, other: Option<&SimpleCommand>| {
            other.is_some_and(|other| pattern.matches(raw(line, other)))
        };
        let is_excluded = self.into_lacks.as_ref().is_some_and(|into| neighbour(into, next))
            || self.from_lacks.as_ref().is_some_and(|from| neighbour(from, before(line, command)))
            || self.pipe_lacks.as_ref().is_some_and(|pipe| reads_from(line, command, pipe));
        let fits = !is_excluded
            && self.from.as_ref().is_none_or(|from| neighbour(from, before(line, command)))
            && self.into.as_ref().is_none_or(|into| neighbour(into, next))
            && self.inside.as_ref().is_none_or(|inside| neighbour(inside, user(line, command)))
            && self.reads.as_ref().is_none_or(|reads| reads_file(line, command, reads))
            && self.to.is_none_or(|to| goes(line, command, to));
        if fits { self.found(line, text, start) } else { None }
    }

    /// Compares a text, which begins at a byte of the line.
    fn found(&self, line: &ParsedLine, text: &str, start: usize) -> Option<Mismatch> {
        if !self.shells.is_empty() && !self.shells.contains(&line.shell())
            || self.needs.as_ref().is_some_and(|needs| !needs.matches(text))
            || self.lacks.as_ref().is_some_and(|lacks| lacks.matches(text))
        {
            return None;
        }
        let regex = self.has.regex()?;
        let captures = regex.captures(text)?;
        let place = captures.name("at").or(captures.get(0))?;
        let span = |from: usize, to: usize| -> Span { start + from..start + to };
        let expanded = |template: &str, captures: &Captures<'_>| {
            let mut new = String::new();
            captures.expand(template, &mut new);
            new
        };
        let says = expanded(&self.says, &captures);
        let Some(put) = &self.put else {
            return Some(Mismatch::likely(span(place.start(), place.end()), says));
        };
        if !self.all {
            return Some(slip(line.text(), span(place.start(), place.end()), expanded(put, &captures), says));
        }
        let mut new = String::new();
        let mut done = place.start();
        for captures in regex.captures_iter(text) {
            let place = captures.name("at")?;
            new.push_str(text.get(done..place.start())?);
            new.push_str(&expanded(put, &captures));
            done = place.end();
        }
        Some(slip(line.text(), span(place.start(), done), new, says))
    }
}

/// Returns the offset behind the last word of a command; of a wrapper, behind the words of the command that it runs.
fn end(line: &ParsedLine, command: &SimpleCommand) -> usize {
    let start = command.words.first().map(|word| word.span.start);
    let typed =
        line.typed().commands.iter().find(|typed| typed.words.first().map(|word| word.span.start) == start);
    typed.unwrap_or(command).words.last().map_or(command.span.end, |word| word.span.end)
}

/// Returns the text of a command without its redirections.
pub(super) fn raw<'l>(line: &'l ParsedLine, command: &SimpleCommand) -> &'l str {
    let start = command.words.first().map_or(command.span.start, |word| word.span.start);
    line.text().get(start..end(line, command)).unwrap_or_default()
}

/// Returns the command in whose words the output of a command is inserted: `kill` for the `lsof` in `kill $(lsof)`.
fn user<'l>(line: &'l ParsedLine, command: &SimpleCommand) -> Option<&'l SimpleCommand> {
    if command.within.last() != Some(&Nesting::Substitution) {
        return None;
    }
    let holds = |span: &Span| span.start < command.span.start && command.span.end < span.end;
    line.parsed().commands.iter().rev().find(|other| other.words.iter().any(|word| holds(&word.span)))
}

/// Reports whether a command, or those before it that pass lines on, name a file of this form.
fn reads_file(line: &ParsedLine, command: &SimpleCommand, reads: &Pattern) -> bool {
    if reads.matches(raw(line, command)) {
        return true;
    }
    let mut current = command;
    for _ in 0..command.position {
        let Some(source) = before(line, current) else { return false };
        if !source.name().is_some_and(|name| PASSING.contains(&name)) {
            return false;
        }
        if reads.matches(raw(line, source)) {
            return true;
        }
        current = source;
    }
    false
}

/// Reports whether any command before this one in its pipe has a form.
fn reads_from(line: &ParsedLine, command: &SimpleCommand, form: &Pattern) -> bool {
    let sources = std::iter::successors(before(line, command), |source| before(line, source));
    sources.take(command.position).any(|source| form.matches(raw(line, source)))
}

fn goes(line: &ParsedLine, command: &SimpleCommand, to: To) -> bool {
    let is_piped = after(line, command).is_some();
    let in_file = |operators: &[&str]| {
        command.redirections.iter().any(|redirection| {
            operators.contains(&redirection.operator.as_str())
                && redirection.descriptor.is_none_or(|descriptor| descriptor == 1)
                && redirection.target.as_ref().is_some_and(|target| !target.text.starts_with("/dev/"))
        })
    };
    match to {
        To::Pipe => is_piped,
        To::File => in_file(&[">", ">>", ">|"]),
        To::NewFile => in_file(&[">", ">|"]),
        To::Elsewhere => is_piped || in_file(&[">", ">>", ">|"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pattern_compiles_and_marks_its_place() {
        for form in FORMS.iter() {
            let regex = form.has.regex().unwrap_or_else(|| panic!("`has`: {}", form.says));
            let marks = regex.capture_names().flatten().any(|name| name == "at");
            assert!(marks || form.put.is_none(), "no place to edit: {}", form.says);
            let others = [
                &form.needs,
                &form.lacks,
                &form.from,
                &form.from_lacks,
                &form.pipe_lacks,
                &form.into,
                &form.into_lacks,
                &form.inside,
                &form.reads,
            ];
            assert!(others.into_iter().flatten().all(|pattern| pattern.regex().is_some()), "{}", form.says);
        }
    }

    #[derive(Deserialize)]
    struct Rows {
        slip: Vec<Row>,
    }

    #[derive(Deserialize)]
    struct Row {
        line: String,
        shell: Option<Shell>,
    }

    /// Each form has a row that shows its effect.
    #[test]
    fn each_form_has_a_row() {
        let rows: Rows = toml::from_str(include_str!("../../tests/data/slips.toml")).unwrap();
        let lines: Vec<ParsedLine> = rows
            .slip
            .iter()
            .map(|row| ParsedLine::new(row.line.as_str(), row.shell.unwrap_or(Shell::Bash)))
            .collect();
        for form in FORMS.iter() {
            let shown = lines.iter().any(|line| {
                form.of.iter().any(|name| name.starts_with(LINE))
                    && form.found(line, line.text(), 0).is_some()
                    || line.parsed().commands.iter().any(|command| {
                        let name = command.name().map(program_name).unwrap_or_default();
                        let sub = command
                            .words
                            .get(1)
                            .map(|word| format!("{name} {}", word.text))
                            .unwrap_or_default();
                        form.of.iter().any(|of| of == name || *of == sub)
                            && form.slip(line, command).is_some()
                    })
            });
            assert!(shown, "no row for: {}", form.says);
        }
    }
}
