//! What is wrong with a line on this machine: each finding with its place, its evidence and, where one is known, the
//! edit that mends it. Pure but for what [`Reference`](crate::reference::Reference) answers.

mod columns;
mod commands;
mod flags;
mod hazards;
mod level;
mod nearest;
mod paths;
mod placeholders;
#[cfg(test)]
mod tests;
mod tools;
mod walk;

use std::cell::{Cell, OnceCell};

pub use self::commands::is_well_known;
pub(crate) use self::commands::rewritten as form;
use crate::reference::Reference;
use crate::shell::Shell;
use crate::syntax::{Parsed, SimpleCommand, Span, SyntaxError};

/// Something found in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub kind: Kind,
    /// Where.
    pub span: Span,
    /// How sure and how bad.
    pub grade: Grade,
    /// For people and for the model: lower case, one sentence, without a full stop.
    pub text: String,
    /// What it stands on: `ls(1) 9.1`, `bash -n`.
    pub evidence: String,
    /// Edits that may mend it, likeliest first.
    pub fixes: Vec<Fix>,
}

/// An edit of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// With what.
    pub replacement: String,
    /// The change in words, for the evidence row: `--colour → --color`.
    pub change: String,
}

/// Kinds of findings; their names in JSON are a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The shell refuses the line.
    Syntax,
    /// More would have to follow.
    Incomplete,
    /// No such command here.
    CommandMissing,
    /// The program does not take this option.
    FlagRefuted,
    /// It could not be found out whether the program takes this option.
    FlagUnknown,
    /// A form of another family of tools.
    Platform,
    /// The shell at this prompt would read it differently than meant.
    Quoting,
    /// No such file or directory.
    PathMissing,
    /// Something to be filled in was left: `<file>`, `/path/to/…`.
    Placeholder,
    /// The documentation advises against it.
    Deprecated,
    /// The file that the line opens has no such column or key. The evidence names those that it has, and so may the fixes: names of
    /// the user's, which not every model may be told.
    Column,
    /// It holds something else there than the line takes: a text for a number, a record for rows.
    Shape,
}

impl Kind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Incomplete => "incomplete",
            Self::CommandMissing => "command-missing",
            Self::FlagRefuted => "flag-refuted",
            Self::FlagUnknown => "flag-unknown",
            Self::Platform => "platform",
            Self::Quoting => "quoting",
            Self::PathMissing => "path-missing",
            Self::Placeholder => "placeholder",
            Self::Deprecated => "deprecated",
            Self::Column => "column",
            Self::Shape => "shape",
        }
    }
}

/// How sure and how bad, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// The line would fail, or do something else than it says.
    Error,
    /// It may.
    Warning,
    /// Worth knowing; never a reason to ask the model again.
    Hint,
}

impl Grade {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// All that was found, and what was looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// By place.
    pub findings: Vec<Finding>,
    /// Options found in the documentation, or taken by the program's own parser.
    pub flags_verified: usize,
    /// Options that could not be looked up.
    pub flags_unknown: usize,
    /// Options that the program does not take.
    pub flags_refuted: usize,
    /// Command words that were found here.
    pub commands_found: usize,
    /// Command words that were not.
    pub commands_missing: usize,
    /// What the shell itself says of the line; none where it could not be asked. Set by the caller.
    pub syntax_ok: Option<bool>,
}

/// Commands of one line that are looked at.
const MAX_COMMANDS: usize = 128;
/// Findings that are kept.
const MAX_FINDINGS: usize = 256;

/// Looks every command, option and path of a line up, and reads it as the shell at the prompt will. `parsed` is the line
/// with the commands inside wrappers ([`SimpleCommand`](crate::syntax::SimpleCommand)); spans are trusted only where they
/// fit the line. Asks programs at most a dozen questions.
pub fn check(line: &str, shell: Shell, parsed: &Parsed, reference: &dyn Reference) -> Report {
    let mut draft = Draft {
        line,
        shell,
        reference,
        report: Report::default(),
        questions_left: flags::MAX_QUESTIONS,
        names_left: commands::MAX_GUESSES,
        options_left: Cell::new(walk::MAX_GUESSES),
        names: OnceCell::new(),
    };
    for command in parsed.commands.iter().take(MAX_COMMANDS) {
        let presence = commands::check(command, parsed, &mut draft);
        let is_here = presence == commands::Presence::Here;
        let name = command.name().filter(|_| is_here);
        let walk = name.map(|name| walk::walk(command, name, &draft));
        if let Some(walk) = &walk {
            flags::check(walk, &command.words, &mut draft);
            paths::check(command, walk, parsed, &mut draft);
        }
        hazards::check_command(command, walk.as_ref(), &mut draft);
        if MAX_FINDINGS < draft.report.findings.len() {
            break;
        }
    }
    hazards::check_line(parsed, &mut draft);
    placeholders::check(parsed, &mut draft);
    columns::check(parsed, &mut draft);
    syntax(parsed, &mut draft);
    draft.finish()
}

/// A report in the making.
struct Draft<'a> {
    line: &'a str,
    shell: Shell,
    reference: &'a dyn Reference,
    report: Report,
    /// How often programs may still be asked.
    questions_left: usize,
    /// For how many missing commands the nearest name may still be looked for.
    names_left: usize,
    /// For how many options that are not documented.
    options_left: Cell<usize>,
    /// The names that could be run, once they were asked for.
    names: OnceCell<Vec<String>>,
}

impl Draft<'_> {
    /// The name by which the machine knows a command: `^ls` where Nushell is told to start the program.
    fn looked_up(&self, command: &SimpleCommand, name: &str) -> String {
        let before = command.words.first().and_then(|word| self.line.get(..word.span.start));
        let is_program = self.shell == Shell::Nu && before.is_some_and(|before| before.ends_with('^'));
        if is_program { format!("^{name}") } else { name.to_owned() }
    }

    /// By place, each once.
    fn finish(self) -> Report {
        let mut report = self.report;
        let placeholders: Vec<Span> = report
            .findings
            .iter()
            .filter(|finding| finding.kind == Kind::Placeholder)
            .map(|finding| finding.span.clone())
            .collect();
        // A name to be filled in is no missing file.
        report.findings.retain(|finding| {
            let is_inside = |span: &Span| span.start <= finding.span.start && finding.span.end <= span.end;
            finding.kind != Kind::PathMissing || !placeholders.iter().any(is_inside)
        });
        report.findings.sort_by_key(|finding| (finding.span.start, finding.grade, finding.span.end));
        report.findings.dedup();
        report.findings.truncate(MAX_FINDINGS);
        report
    }
}

/// What our own reading of the line complains about, unless something more telling was found in the same place.
fn syntax(parsed: &Parsed, draft: &mut Draft<'_>) {
    let evidence = format!("our reading of {}", draft.shell);
    let end = draft.line.trim_end().len();
    let is_open = |error: &&SyntaxError| end <= error.span.end || error.text.starts_with("unclosed");
    let (at_end, inside): (Vec<_>, Vec<_>) =
        parsed.errors.iter().partition(|error| parsed.incomplete && is_open(error));
    for error in inside {
        let is_explained = draft.report.findings.iter().any(|finding| {
            matches!(finding.kind, Kind::Quoting | Kind::Placeholder)
                && finding.grade == Grade::Error
                && finding.span.start <= error.span.end
                && error.span.start <= finding.span.end
        });
        if !is_explained {
            draft.report.findings.push(Finding {
                kind: Kind::Syntax,
                span: error.span.clone(),
                grade: Grade::Error,
                text: error.text.clone(),
                evidence: evidence.clone(),
                fixes: Vec::new(),
            });
        }
    }
    if parsed.incomplete {
        draft.report.findings.push(Finding {
            kind: Kind::Incomplete,
            span: end..end,
            grade: Grade::Error,
            text: match at_end.first() {
                Some(error) => format!("the line is not finished: {}", error.text),
                None => "the line is not finished".to_owned(),
            },
            evidence,
            fixes: Vec::new(),
        });
    }
}
