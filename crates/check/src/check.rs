//! Checks a command line against this machine. Each finding has a span, its evidence and, if known, the edit that
//! fixes it. All facts about the machine come from [`Reference`](crate::reference::Reference); apart from that the
//! module is pure.

mod columns;
mod commands;
mod flags;
mod git_names;
mod hazards;
mod level;
mod nearest;
mod packages;
mod paths;
mod placeholders;
mod subcommands;
mod tasks;
#[cfg(test)]
mod tests;
mod tools;
mod walk;

pub use self::placeholders::places as places_to_fill;
use std::cell::{Cell, OnceCell};

pub(crate) use self::commands::rewritten as form;
pub use self::commands::{has_equivalent, is_well_known};
pub(crate) use self::hazards::brace_range;
pub use self::nearest::is_slip_of_file;
pub use self::packages::install_command;
#[doc(hidden)]
pub use self::packages::package_names;
use crate::finding::{Finding, FindingKind, Fix, Report, Severity};
use crate::reference::Reference;
use askline_syntax::shell::Shell;
use askline_syntax::{Parsed, ParsedLine, Span, SyntaxError};

/// Maximum number of commands checked per line.
const COMMANDS_MAX: usize = 128;
/// Maximum number of findings kept.
const FINDINGS_MAX: usize = 256;

/// Checks every command, option and path of a line. Asks programs at most a dozen questions.
pub fn check(line: &ParsedLine, reference: &dyn Reference) -> Report {
    check_parsed(line.text(), line.shell(), line.parsed(), reference)
}

/// Checks a line by a parse that includes the commands inside wrappers. Spans that do not fit `line` are ignored.
fn check_parsed(line: &str, shell: Shell, parsed: &Parsed, reference: &dyn Reference) -> Report {
    let mut draft = ReportDraft {
        line,
        shell,
        reference,
        report: Report::default(),
        questions_left: flags::QUESTIONS_MAX,
        names_left: commands::GUESSES_MAX,
        options_left: Cell::new(walk::GUESSES_MAX),
        names: OnceCell::new(),
        paths_left: paths::GUESSES_MAX,
    };
    for command in parsed.commands.iter().take(COMMANDS_MAX) {
        let presence = commands::check(command, parsed, &mut draft);
        let is_here = presence == commands::Presence::Here;
        let name = command.name().filter(|_| is_here);
        let walk = name.map(|name| walk::walk(command, name, &draft));
        if let Some(walk) = &walk {
            flags::check(walk, &command.words, &mut draft);
            paths::check(command, walk, parsed, &mut draft);
            git_names::check(command, walk, parsed, &mut draft);
            tasks::check(command, walk, parsed, &mut draft);
        }
        hazards::check_command(command, walk.as_ref(), &mut draft);
        if FINDINGS_MAX < draft.report.findings.len() {
            break;
        }
    }
    hazards::check_line(parsed, &mut draft);
    placeholders::check(parsed, &mut draft);
    columns::check(parsed, &mut draft);
    syntax(parsed, &mut draft);
    draft.finish()
}

/// A report under construction.
struct ReportDraft<'a> {
    line: &'a str,
    shell: Shell,
    reference: &'a dyn Reference,
    report: Report,
    /// Remaining number of questions to programs.
    questions_left: usize,
    /// Remaining number of missing commands for which to search the nearest name.
    names_left: usize,
    /// Remaining number of undocumented options for which to search the nearest name.
    options_left: Cell<usize>,
    /// Names of runnable commands, loaded on first use.
    names: OnceCell<Vec<String>>,
    /// Remaining number of missing files for which to search the nearest name.
    paths_left: usize,
}

impl ReportDraft<'_> {
    /// Sorts the findings by position and removes duplicates.
    fn finish(self) -> Report {
        let mut report = self.report;
        let placeholders: Vec<Span> = report
            .findings
            .iter()
            .filter(|finding| finding.kind == FindingKind::Placeholder)
            .map(|finding| finding.span.clone())
            .collect();
        // A placeholder is not a missing file.
        report.findings.retain(|finding| {
            let is_inside = |span: &Span| span.start <= finding.span.start && finding.span.end <= span.end;
            finding.kind != FindingKind::PathMissing || !placeholders.iter().any(is_inside)
        });
        report.findings.sort_by_key(|finding| (finding.span.start, finding.grade, finding.span.end));
        report.findings.dedup();
        report.findings.truncate(FINDINGS_MAX);
        report
    }
}

/// Returns the fix of a `for` loop without its `do`. What follows is not its body if a `do` that only lacks its `;`, or a command with
/// the variable, is among the words of the loop.
fn missing_keyword(line: &str, error: &SyntaxError) -> Option<Fix> {
    let at = error.span.start;
    let (_, head) = line.get(..at)?.rsplit_once("for ")?;
    let variable = head.split_whitespace().next()?;
    let is_named = |sign: &str| {
        head.match_indices(&format!("{sign}{variable}")).any(|(at, found)| {
            let next = head.get(at + found.len()..).and_then(|rest| rest.chars().next());
            next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        })
    };
    let has_one = head.split_whitespace().any(|word| word == "do") || is_named("$") || is_named("${");
    (error.text == "`do` is missing" && !has_one).then(|| Fix {
        span: at..at,
        replacement: "do ".to_owned(),
        change: "`do` added".to_owned(),
    })
}

/// Adds the errors of our own parser, except where a more specific finding already covers the place.
fn syntax(parsed: &Parsed, draft: &mut ReportDraft<'_>) {
    let evidence = format!("our reading of {}", draft.shell);
    let end = draft.line.trim_end().len();
    let is_open = |error: &&SyntaxError| end <= error.span.end || error.text.starts_with("unclosed");
    let (at_end, inside): (Vec<_>, Vec<_>) =
        parsed.errors.iter().partition(|error| parsed.incomplete && is_open(error));
    for error in inside {
        let is_explained = draft.report.findings.iter().any(|finding| {
            matches!(finding.kind, FindingKind::Quoting | FindingKind::Placeholder)
                && finding.grade == Severity::Error
                && finding.span.start <= error.span.end
                && error.span.start <= finding.span.end
        });
        if !is_explained {
            draft.report.findings.push(Finding {
                kind: FindingKind::Syntax,
                span: error.span.clone(),
                grade: Severity::Error,
                text: error.text.clone(),
                evidence: evidence.clone(),
                fixes: missing_keyword(draft.line, error).into_iter().collect(),
            });
        }
    }
    if parsed.incomplete {
        draft.report.findings.push(Finding {
            kind: FindingKind::Incomplete,
            span: end..end,
            grade: Severity::Error,
            text: match at_end.first() {
                Some(error) => format!("the line is not finished: {}", error.text),
                None => "the line is not finished".to_owned(),
            },
            evidence,
            fixes: Vec::new(),
        });
    }
}
