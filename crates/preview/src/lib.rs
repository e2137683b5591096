#![doc = include_str!("../README.md")]

mod arguments;
mod commands;
mod effect;
mod expand;
mod find;
mod glob;
mod overlay;
mod redirect;
mod sequence;
mod tree;

pub use self::effect::{Effect, Move};
pub use self::tree::{Kind, Node, Tree};

use askline_syntax::ParsedLine;

/// Why a line has no preview, as text that continues "no preview: …".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unforeseen(pub String);

/// Result of an evaluation that knows everything, or says what it does not know.
type Foreseen<T> = Result<T, Unforeseen>;

/// Returns what a line would change in `tree`. Nothing is run, and nothing is changed.
///
/// # Errors
/// The first thing that is not known: an unknown program or option, a variable, a loop, too many files.
pub fn preview(line: &ParsedLine, tree: &dyn Tree) -> Result<Effect, Unforeseen> {
    sequence::run(line, tree)
}

/// Returns an error with this reason.
fn unforeseen<T>(reason: impl Into<String>) -> Foreseen<T> {
    Err(Unforeseen(reason.into()))
}
