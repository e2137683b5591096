//! Findings of the checks: kind, place, grade, evidence and the edits that may mend them.

use askline_syntax::Span;

/// A problem found in a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Kind of the problem.
    pub kind: FindingKind,
    /// Byte range of the problem in the line.
    pub span: Span,
    /// Severity.
    pub grade: Severity,
    /// Message for the user and for the model: one lower-case sentence without a full stop.
    pub text: String,
    /// Source of the finding: `ls(1) 9.1`, `bash -n`.
    pub evidence: String,
    /// Edits that may fix the problem, most likely first.
    pub fixes: Vec<Fix>,
}

/// An edit of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Byte range to replace; empty for an insertion.
    pub span: Span,
    /// Replacement text.
    pub replacement: String,
    /// Description of the change for the evidence row: `--colour → --color`.
    pub change: String,
}

/// Kinds of findings. Their JSON names are a stable contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingKind {
    /// The shell rejects the line.
    Syntax,
    /// The line is unfinished.
    Incomplete,
    /// The command does not exist on this machine.
    CommandMissing,
    /// The program does not accept this option.
    FlagRefuted,
    /// The program may or may not accept this option: no source decides.
    FlagUnknown,
    /// The line uses a form of another tool family (GNU, BSD, …).
    Platform,
    /// The current shell would read the line differently than intended.
    Quoting,
    /// The file or directory does not exist.
    PathMissing,
    /// The git repository has no branch, tag or remote of this name. The evidence and possibly the fixes have names that are
    /// there: the user's data, which the disclosure policy does not allow for every model.
    RefMissing,
    /// The line still contains a placeholder: `<file>`, `/path/to/…`.
    Placeholder,
    /// The documentation advises against this form.
    Deprecated,
    /// The file that the line reads has no such column or key, or the named one has another place. The evidence and possibly the fixes list the existing
    /// names. These are the user's data, and the disclosure policy does not allow them for every model.
    Column,
    /// Nothing in the working directory is as the line needs it. The evidence and possibly the fixes have names that are there:
    /// the user's data, which the disclosure policy does not allow for every model.
    Here,
    /// The line drops, inverts or bends a condition of the request.
    Intent,
    /// The value has another type than the line needs: text instead of a number, a record instead of rows.
    Shape,
    /// The user prefers another program, which the evidence names: the disclosure policy does not allow it for every model.
    Preference,
}

impl FindingKind {
    /// Returns the name used in JSON.
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
            Self::RefMissing => "ref-missing",
            Self::Placeholder => "placeholder",
            Self::Deprecated => "deprecated",
            Self::Column => "column",
            Self::Here => "here",
            Self::Intent => "intent",
            Self::Shape => "shape",
            Self::Preference => "preference",
        }
    }
}

/// Severity of a finding, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The line would fail or do something else than intended.
    Error,
    /// The line may fail or do something else than intended.
    Warning,
    /// Additional information; never a reason to ask the model again.
    Hint,
}

impl Severity {
    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// Findings and lookup counts of one checked line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Findings, ordered by position.
    pub findings: Vec<Finding>,
    /// Number of options found in the documentation or accepted by the program's own parser.
    pub flags_verified: usize,
    /// Number of options that could not be looked up.
    pub flags_unknown: usize,
    /// Number of options that the program does not accept.
    pub flags_refuted: usize,
    /// Number of command words that exist on this machine.
    pub commands_found: usize,
    /// Number of command words that do not exist on this machine.
    pub commands_missing: usize,
    /// The shell's own syntax verdict; `None` if the shell could not be asked. The caller sets it.
    pub syntax_ok: Option<bool>,
}

impl Report {
    /// Reports whether no problem is left: the shell does not refuse the line, and all findings are hints.
    pub fn is_clear(&self) -> bool {
        self.syntax_ok != Some(false) && self.findings.iter().all(|finding| finding.grade == Severity::Hint)
    }
}
