#![doc = include_str!("../README.md")]

pub mod clean;
mod expansion;
mod fish;
pub mod git;
pub mod line;
mod list;
pub mod nu;
mod nushell;
pub mod options;
mod parsed_line;
mod parser;
mod peel;
mod posix;
pub mod quoting;
pub mod shell;
mod simple;
#[cfg(test)]
mod tests;
mod word;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::shell::Shell;

pub use self::nushell::{strings as nushell_strings, tokens as nushell_tokens};
pub use self::parsed_line::ParsedLine;

/// Byte offsets into the command line.
pub type Span = Range<usize>;

/// Parses a command line as an interactive prompt reads it: in zsh `#` starts no comment.
///
/// Never fails. Time is linear in the length. Three things are left out: nesting deeper than 48, commands beyond
/// the 20,000th, and errors beyond the 100th; the first two add an error. For Nushell only the built-in commands
/// are known, not user-defined ones: use [`nu::parse`] where the engine is available.
pub fn parse(line: &str, shell: Shell) -> Parsed {
    parser::parse(line, shell)
}

/// Parses like [`parse`] and adds the commands that wrapper commands run: those after `sudo` or `xargs`, between
/// `find`'s `-exec` and `;`, in the script of `sh -c`.
///
/// Each added command has [`Nesting::Wrapper`] in `within`. Its words are removed from the wrapper's words: each
/// option belongs to the command that takes it. A script stays in the wrapper as one word. Redirections stay with
/// the wrapper. Errors in a script count, unless the script runs elsewhere.
pub fn commands(line: &str, shell: Shell) -> Parsed {
    peel(parse(line, shell), line, shell)
}

/// Returns the names of Nushell's built-in commands, some of several words (`str trim`).
pub fn nushell_commands() -> &'static BTreeSet<String> {
    &nushell::COMMANDS
}

/// Returns the units that Nushell reads after a number, in lower case: `kb`, `day`.
pub fn nushell_units() -> &'static [&'static str] {
    &nushell::UNITS
}

/// Returns the program name of a command word: `ls` for `/usr/bin/ls`.
pub fn program_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Adds the commands that wrapper commands run to the result of [`parse`] or [`nu::parse`].
pub fn peel(parsed: Parsed, line: &str, shell: Shell) -> Parsed {
    peel::peel(parsed, line, shell)
}

/// Reports whether a wrapper (`xargs`, `sudo`, `nice`) runs the words after its options: words added at its end become
/// arguments of the inner command.
pub fn runs_words(wrapper: &str) -> bool {
    peel::runs_words(wrapper)
}

/// A parsed command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// All simple commands, also those inside substitutions, loops and wrappers, ordered by their first byte.
    pub commands: Vec<SimpleCommand>,
    /// Loops over words, ordered by their first byte; not those in the scripts of wrappers.
    pub loops: Vec<WordLoop>,
    /// Syntax errors: text that no shell of this kind accepts.
    pub errors: Vec<SyntaxError>,
    /// `true` if the command line needs more text: an open quote, a trailing `|` or `&&`, a loop without its end.
    /// An error names the open part, except for here-documents: a script may end inside one.
    pub incomplete: bool,
}

/// A command word with its assignments, arguments and redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Span from the first to the last word or redirection.
    pub span: Span,
    /// Assignments `NAME=value` before the command word.
    pub assignments: Vec<Word>,
    /// The command word and its arguments. Empty for assignments or redirections alone, which includes the
    /// redirections after a loop or group.
    pub words: Vec<Word>,
    /// Redirections in source order.
    pub redirections: Vec<Redirection>,
    /// Index of the pipeline in the command line, from 0. A substitution starts a pipeline of its own.
    pub pipeline: usize,
    /// Index of the command in its pipeline, from 0.
    pub position: usize,
    /// Enclosing constructs, outermost first; empty at the top level.
    pub within: Vec<Nesting>,
    /// `true` if Nushell starts a program of this name even if it has a command of its own: `^name`.
    pub external: bool,
}

/// A loop over words: `for NAME in WORD …` of bash, zsh and fish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordLoop {
    /// Span from `for` to the end of the body.
    pub span: Span,
    /// The variable; of several the first.
    pub variable: String,
    /// The words after `in`.
    pub words: Vec<Word>,
    /// Enclosing constructs without the loop itself, outermost first.
    pub within: Vec<Nesting>,
}

/// A word, raw and as the command receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Span of the raw text: `line[span]`.
    pub span: Span,
    /// Text without quotes and backslashes. Expansions stay as written.
    pub text: String,
    /// `true` if the command receives exactly `text`: the shell expands nothing in it.
    pub literal: bool,
    /// `true` if any part is quoted.
    pub quoted: bool,
    /// `true` if the word contains an unquoted `*`, `?` or `[…]` that the shell may expand to file names.
    pub glob: bool,
}

/// A redirection such as `2> file`, `<<< text`, `<< END`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// Span of operator and target.
    pub span: Span,
    /// The descriptor before the operator, if one is named.
    pub descriptor: Option<u32>,
    /// Operator: `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<`, `<<-`, `<<<`, fish's `>?`, Nushell's
    /// `out>`.
    pub operator: String,
    /// The file, descriptor or text, or the delimiter of a here-document. `None` if it is missing.
    pub target: Option<Word>,
}

/// A construct that encloses a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nesting {
    /// Command substitution: `$(…)`, backquotes, fish's `(…)`.
    Substitution,
    /// Process substitution: `<(…)`, `>(…)`, zsh's `=(…)`.
    ProcessSubstitution,
    /// Subshell `(…)`.
    Subshell,
    /// Group: `{ …; }`, `begin … end`.
    Group,
    /// Condition and body of `while`, `until`, `for`, `repeat`, `select`.
    Loop,
    /// Condition and branches of `if`, `case`, `switch`.
    Branch,
    /// Body of a function defined on the command line.
    Function,
    /// Body of a here-document.
    HereDocument,
    /// A wrapper: another command that runs this one, by name (`sudo`, `xargs`, `find`).
    Wrapper(String),
}

/// An error that no shell of this kind accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Span of the error; may be empty at the end of the command line.
    pub span: Span,
    /// Message in lower case: "unclosed quote".
    pub text: String,
}

impl SimpleCommand {
    /// Returns the command word, if the command has one and nothing in it is expanded.
    pub fn name(&self) -> Option<&str> {
        self.words.first().filter(|word| word.literal).map(|word| word.text.as_str())
    }

    /// Returns the name used to look up the command: `^ls` if Nushell starts the program `ls`.
    pub fn looked_up(&self) -> Option<Cow<'_, str>> {
        let name = self.name()?;
        Some(if self.external { Cow::from(format!("^{name}")) } else { Cow::from(name) })
    }

    /// Reports whether the command runs on another machine or in a container. The programs installed on this
    /// machine do not matter for it.
    pub fn runs_elsewhere(&self) -> bool {
        self.within.iter().any(|nesting| matches!(nesting, Nesting::Wrapper(name) if peel::elsewhere(name)))
    }
}

impl Word {
    /// Returns the text before the first expansion: all of a literal word.
    pub fn beginning(&self) -> &str {
        // Inside quotes only these two expand. If only a part of the word is quoted, the result may include a glob.
        let expanding: &[char] = match () {
            () if self.literal => &[],
            () if self.quoted => &['$', '`'],
            () => &['$', '`', '*', '?', '[', '{', '(', '~', '<', '>'],
        };
        self.text.split(expanding).next().unwrap_or_default()
    }
}

impl Parsed {
    /// Moves all spans from a derived text to the command line it was made from. `map` has one entry for each byte
    /// of the derived text, and one for its end: the offset in the command line.
    fn translate(&mut self, map: &[usize]) {
        let place = |at: usize| map.get(at).or(map.last()).copied().unwrap_or_default();
        let moved = |span: &mut Span| *span = place(span.start)..place(span.end);
        for command in &mut self.commands {
            moved(&mut command.span);
            let targets =
                command.redirections.iter_mut().filter_map(|redirection| redirection.target.as_mut());
            for word in command.assignments.iter_mut().chain(&mut command.words).chain(targets) {
                moved(&mut word.span);
            }
            for redirection in &mut command.redirections {
                moved(&mut redirection.span);
            }
        }
        for words in &mut self.loops {
            moved(&mut words.span);
            words.words.iter_mut().for_each(|word| moved(&mut word.span));
        }
        for error in &mut self.errors {
            moved(&mut error.span);
        }
    }
}
