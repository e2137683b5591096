//! What is wrong with a line on this machine: each finding with its place, its evidence and, where one is known, the
//! edit that mends it. Pure but for what [`Reference`](crate::reference::Reference) answers.

use crate::syntax::Span;

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
    /// What the shell itself says of the line; none where it could not be asked.
    pub syntax_ok: Option<bool>,
}
