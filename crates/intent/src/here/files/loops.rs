//! Loops over files: `for f in *.log; do … "$f"; done`.

use super::Case;
use crate::here::call::Call;
use crate::tool::Wants;
use askline_syntax::{Nesting, Span, Word, WordLoop};

/// Maximum number of loops that are looked at.
const LOOPS_MAX: usize = 8;
/// Maximum number of words of a loop that are looked at.
const WORDS_MAX: usize = 32;
/// Tools that print a name, or a part of one.
const PRINTERS: [&str; 4] = ["echo", "printf", "basename", "dirname"];

/// A loop over files.
pub(super) struct Loop<'l> {
    /// The folder in which its words are expanded.
    pub(super) base: String,
    /// What the first tool takes that gets the variable.
    pub(super) wants: Wants,
    /// The words that are surely names: patterns, and paths that a tool gets.
    pub(super) names: Vec<&'l Word>,
    /// `true` if another path may take the place of a name: nothing is made out of it.
    pub(super) is_free: bool,
}

impl<'l> Loop<'l> {
    /// Returns the loops of a line that run in a known folder.
    pub(super) fn all(case: &Case<'l>) -> Vec<Self> {
        let loops = case.line.parsed().loops.iter().take(LOOPS_MAX);
        loops.filter_map(|words| Self::of(case, words)).collect()
    }

    fn of(case: &Case<'l>, words: &'l WordLoop) -> Option<Self> {
        let is_apart = |nesting: &Nesting| matches!(nesting, Nesting::Function | Nesting::HereDocument);
        if words.within.iter().any(is_apart) {
            return None;
        }
        let base = case.dirs.at(words.span.start)?;
        let mut calls = case.calls.iter().filter(|call| is_inside(call, words));
        let is_variable = |word: &Word| is_variable(&word.text, &words.variable);
        let takes = |call: &&Call<'l>| call.sources().0.iter().any(|word| is_variable(word));
        let wants = calls.find(|call| takes(call)).map_or(Wants::None, |call| call.tool.wants);
        let is_path = |word: &Word| word.text.contains(['.', '/']) || wants == Wants::Folder;
        let is_name = |word: &&Word| word.glob || wants != Wants::None && is_path(word);
        Some(Self {
            base,
            wants,
            names: words.words.iter().filter(is_name).take(WORDS_MAX).collect(),
            is_free: is_free(case, words),
        })
    }
}

fn is_inside(call: &Call<'_>, words: &WordLoop) -> bool {
    words.span.start < call.command.span.start && call.command.span.end <= words.span.end
}

/// Reports whether a text is the variable and nothing else.
fn is_variable(text: &str, variable: &str) -> bool {
    let name = text.strip_prefix('$').unwrap_or_default();
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    name == variable && !name.is_empty()
}

/// Reports whether each use of the variable is a whole operand or input of a known tool, or printed.
fn is_free(case: &Case<'_>, words: &WordLoop) -> bool {
    let mut free: Vec<Span> = Vec::new();
    let mut kept: Vec<Span> = Vec::new();
    let inside = |span: &Span| words.span.start < span.start && span.end <= words.span.end;
    for command in case.line.parsed().commands.iter().filter(|command| inside(&command.span)) {
        let is_printer = command.name().is_some_and(|name| PRINTERS.contains(&name));
        let is_free = |word: &&Word| is_printer || is_variable(&word.text, &words.variable);
        free.extend(command.words.iter().filter(is_free).map(|word| word.span.clone()));
        for redirection in &command.redirections {
            let Some(target) = &redirection.target else { continue };
            let is_input = redirection.operator == "<" && is_variable(&target.text, &words.variable);
            if is_input { free.push(target.span.clone()) } else { kept.push(target.span.clone()) }
        }
    }
    let body = case.line.text().get(words.span.clone()).unwrap_or_default();
    body.match_indices('$').map(|(at, _)| words.span.start + at).all(|at| {
        let name = case.line.text().get(at + 1..).unwrap_or_default().trim_start_matches('{');
        let is_other = name
            .strip_prefix(words.variable.as_str())
            .is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        let is_in = |spans: &[Span]| spans.iter().any(|span| span.contains(&at));
        is_other || is_in(&free) && !is_in(&kept)
    })
}
