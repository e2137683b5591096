//! What a shell line consists of: simple commands, their words and where each stands. Tolerant: every text gives a
//! result, with the errors found on the way. Pure.
//!
//! One hand-written parser for bash, zsh and fish: `list` reads pipelines, `simple` a command with its
//! words and redirections, `word` and `expansion` what a word is made of, `posix` and `fish` the compound commands.
//! Nushell's lines are read by `nushell` or, where its engine was asked, from what that says (`nu`). `peel` then finds
//! the commands that commands run.

mod expansion;
mod fish;
mod list;
pub mod nu;
mod nushell;
mod parser;
mod peel;
mod posix;
mod simple;
#[cfg(test)]
mod tests;
mod word;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::shell::Shell;

pub(crate) use self::nushell::tokens as nushell_tokens;

#[cfg(test)]
thread_local! {
    /// How many bytes this thread has parsed, for tests that bound the work rather than the time.
    pub(crate) static PARSED_BYTES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Byte offsets into the line.
pub type Span = Range<usize>;

/// Takes a line apart, as an interactive prompt would read it: in zsh `#` starts no comment.
///
/// Never fails. Time is linear in the line's length; nesting deeper than 48, commands beyond the 20,000th and errors
/// beyond the 100th are left out, the first two with an error. Of Nushell's commands only its own are known here, not
/// those that the user defined: where the engine can be asked, [`nu::parse`] knows better.
pub fn parse(line: &str, shell: Shell) -> Parsed {
    #[cfg(test)]
    PARSED_BYTES.set(PARSED_BYTES.get() + line.len());
    parser::parse(line, shell)
}

/// Like [`parse`], with the commands that commands run: those after `sudo` or `xargs`, between `find`'s `-exec` and
/// `;`, in the script of `sh -c`.
///
/// Each has [`Nesting::Wrapper`] in `within`. The words that it took are no longer among the wrapper's own, so that
/// options stand with the command that takes them; a script stays there as the word that it is. Redirections stay with
/// the wrapper. Errors in a script count, unless it runs elsewhere.
pub fn commands(line: &str, shell: Shell) -> Parsed {
    peel(parse(line, shell), line, shell)
}

/// The names of Nushell's own commands, some of several words (`str trim`).
pub fn nushell_commands() -> &'static BTreeSet<String> {
    &nushell::COMMANDS
}

/// Adds the commands that commands run, for a line taken apart by [`parse`] or [`nu::parse`].
pub fn peel(parsed: Parsed, line: &str, shell: Shell) -> Parsed {
    peel::peel(parsed, line, shell)
}

/// A line taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Every simple command, also those inside substitutions, loops and wrappers, by the place of their first byte.
    pub commands: Vec<SimpleCommand>,
    /// What no shell of this kind would accept.
    pub errors: Vec<SyntaxError>,
    /// More would have to follow: an open quote, a trailing `|` or `&&`, a loop without its end. There is an error
    /// beside it that says what is open, except for here-documents: a script may end inside one.
    pub incomplete: bool,
}

/// A command word with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// From its first to its last word or redirection.
    pub span: Span,
    /// `NAME=value` before the command word.
    pub assignments: Vec<Word>,
    /// The command word and its arguments; empty for assignments or redirections alone, which includes the
    /// redirections after a loop or group.
    pub words: Vec<Word>,
    /// In order.
    pub redirections: Vec<Redirection>,
    /// Which pipeline of the line, counted from 0; a substitution starts one of its own.
    pub pipeline: usize,
    /// Which command of its pipeline, counted from 0.
    pub position: usize,
    /// What it stands inside of, outermost first; empty at the top.
    pub within: Vec<Nesting>,
}

/// A word as it stands and as the command gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where it stands; `line[span]` is the raw text.
    pub span: Span,
    /// Without quotes and backslashes; what the shell would expand stays as written.
    pub text: String,
    /// The command gets exactly `text`: nothing in it is expanded by the shell.
    pub literal: bool,
    /// Some of it is quoted.
    pub quoted: bool,
    /// It holds an unquoted `*`, `?` or `[…]` that the shell may expand to file names.
    pub glob: bool,
}

/// `2> file`, `<<< text`, `<< END`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// Operator and target.
    pub span: Span,
    /// The descriptor before the operator, when one is named.
    pub descriptor: Option<u32>,
    /// `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<`, `<<-`, `<<<`, fish's `>?`, Nushell's `out>`.
    pub operator: String,
    /// The file, descriptor or text; the delimiter of a here-document; none where it is missing.
    pub target: Option<Word>,
}

/// What a command stands inside of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nesting {
    /// `$(…)`, backquotes, fish's `(…)`.
    Substitution,
    /// `<(…)`, `>(…)`, zsh's `=(…)`.
    ProcessSubstitution,
    /// `(…)`.
    Subshell,
    /// `{ …; }`, `begin … end`.
    Group,
    /// `while`, `until`, `for`, `repeat`, `select`: condition and body.
    Loop,
    /// `if`, `case`, `switch`: condition and branches.
    Branch,
    /// The body of a function that the line defines.
    Function,
    /// A here-document's body.
    HereDocument,
    /// Another command that runs this one, by name (`sudo`, `xargs`, `find`).
    Wrapper(String),
}

/// What no shell of this kind would accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where; may be empty at the end of the line.
    pub span: Span,
    /// What, in lower case: "unclosed quote".
    pub text: String,
}

impl SimpleCommand {
    /// The command word, when there is one and nothing in it is expanded.
    pub fn name(&self) -> Option<&str> {
        self.words.first().filter(|word| word.literal).map(|word| word.text.as_str())
    }

    /// It runs on another machine or in a container: what is installed here tells nothing about it.
    pub fn runs_elsewhere(&self) -> bool {
        self.within.iter().any(|nesting| matches!(nesting, Nesting::Wrapper(name) if peel::elsewhere(name)))
    }
}

impl Parsed {
    /// Moves all spans from a text to the line it was made from; `map` says for each byte of that text, and its end,
    /// where it stands in the line.
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
        for error in &mut self.errors {
            moved(&mut error.span);
        }
    }
}
