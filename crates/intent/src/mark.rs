//! Marks: patterns for the commands of a line, written as data.
//!
//! A mark is a program name and parts that its command must have: `sort -u`, `find -delete`, `tar -x !-C|--directory`.
//! `a|b` is one of several; `*` is any program; `!` says that the command has none of them. A part is
//!
//! * `-x`: a short option, alone or in a cluster; `-name` and `--name`: a word, alone or with `=VALUE`;
//! * `@word`: the first operand, as in `git commit`; `=word`: an argument; `^text`, `$text`, `~text`: the beginning, end or a part of an argument;
//! * `<`, `>`, `>>`, `&>`: a redirection; `:first`, `:last`: the place in its pipeline; `:piped`: it reads another command;
//!   `:wrapped`: another command runs it (`xargs`, `find -exec`); `:bare`: its first operand, as in `git log`, is the only one.
//!
//! A keyword such as `for` has no parts. A mark in double quotes is a text that the line contains: `"NR"`.

use serde::Deserialize;

use askline_syntax::{Nesting, ParsedLine, SimpleCommand, program_name};

/// Maximum number of letters in a cluster of short options.
const CLUSTER_MAX: usize = 8;

/// Words of the shell that begin no command of a line.
const KEYWORDS: [&str; 5] = ["for", "while", "until", "if", "[["];

/// A compiled mark.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "String")]
pub(crate) enum Mark {
    /// Text of the line.
    Text(String),
    /// A command.
    Command { names: Vec<String>, parts: Vec<Part> },
}

/// A condition on a command: one of the pieces, or none of them.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    negated: bool,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Letter(char),
    Option(String),
    Argument(String),
    Subcommand(String),
    Begins(String),
    Ends(String),
    Contains(String),
    Redirects(String),
    First,
    Last,
    Piped,
    Wrapped,
    Bare,
}

impl From<String> for Mark {
    fn from(text: String) -> Self {
        if let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return Self::Text(inner.to_owned());
        }
        let mut words = text.split_whitespace();
        let names = words.next().unwrap_or_default().split('|').map(str::to_owned).collect();
        Self::Command { names, parts: words.map(Part::of).collect() }
    }
}

impl Part {
    fn of(word: &str) -> Self {
        let (negated, rest) = word.strip_prefix('!').map_or((false, word), |rest| (true, rest));
        Self { negated, pieces: rest.split('|').map(Piece::of).collect() }
    }
}

impl Piece {
    fn of(word: &str) -> Self {
        let rest = || word.chars().skip(1).collect::<String>();
        let letter = || word.strip_prefix('-').and_then(|rest| rest.parse::<char>().ok());
        match word {
            ":first" => Self::First,
            ":last" => Self::Last,
            ":piped" => Self::Piped,
            ":wrapped" => Self::Wrapped,
            ":bare" => Self::Bare,
            "<" | ">" | ">>" | ">|" | "&>" | "&>>" | ">&" => Self::Redirects(word.to_owned()),
            _ if word.starts_with('@') => Self::Subcommand(rest()),
            _ if word.starts_with('=') => Self::Argument(rest()),
            _ if word.starts_with('^') => Self::Begins(rest()),
            _ if word.starts_with('$') => Self::Ends(rest()),
            _ if word.starts_with('~') => Self::Contains(rest()),
            _ => letter().map_or_else(|| Self::Option(word.to_owned()), Self::Letter),
        }
    }

    fn is_in(&self, line: &ParsedLine, command: &SimpleCommand) -> bool {
        let arguments = || command.words.iter().skip(1).map(|word| word.text.as_str());
        match self {
            Self::Letter(letter) => gives(command, *letter),
            Self::Option(name) => arguments().any(|text| {
                text.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            }),
            Self::Subcommand(word) => arguments().find(|text| !text.starts_with('-')) == Some(word.as_str()),
            Self::Argument(word) => arguments().any(|text| text == word),
            Self::Begins(start) => arguments().any(|text| text.starts_with(start.as_str())),
            Self::Ends(end) => arguments().any(|text| text.ends_with(end.as_str())),
            Self::Contains(part) => arguments().any(|text| text.contains(part.as_str())),
            Self::Redirects(operator) => {
                command.redirections.iter().any(|it| it.operator == *operator && it.descriptor != Some(2))
            }
            Self::Bare => {
                arguments().take_while(|text| *text != "--").filter(|text| !text.starts_with('-')).count() < 2
            }
            Self::First => command.position == 0,
            Self::Last => is_last(line, command),
            Self::Piped => 0 < command.position,
            Self::Wrapped => {
                let runs = |name: &String| matches!(program_name(name), "xargs" | "find" | "parallel" | "fd");
                command.within.iter().any(|it| matches!(it, Nesting::Wrapper(name) if runs(name)))
            }
        }
    }
}

impl Mark {
    /// Reports whether the line has the mark.
    pub(crate) fn is_in(&self, line: &ParsedLine) -> bool {
        match self {
            Self::Text(text) => line.text().contains(text.as_str()),
            Self::Command { names, parts } => {
                let is_keyword = |name: &String| KEYWORDS.contains(&name.as_str());
                let opens = |name: &String| line.text().split([' ', ';']).any(|word| word == name);
                self.command(line).is_some()
                    || parts.is_empty() && names.iter().filter(|name| is_keyword(name)).any(opens)
            }
        }
    }

    /// Returns the first command with the mark.
    pub(crate) fn command<'l>(&self, line: &'l ParsedLine) -> Option<&'l SimpleCommand> {
        line.parsed().commands.iter().find(|command| self.is_of(line, command))
    }

    /// Reports whether a command of the line has the mark.
    pub(crate) fn is_of(&self, line: &ParsedLine, command: &SimpleCommand) -> bool {
        let Self::Command { names, parts } = self else { return false };
        let name = command.name().map_or("", program_name);
        names.iter().any(|known| known == "*" || known == name)
            && parts
                .iter()
                .all(|part| part.negated != part.pieces.iter().any(|piece| piece.is_in(line, command)))
    }
}

/// Reports whether no command reads the output of this one.
pub(crate) fn is_last(line: &ParsedLine, command: &SimpleCommand) -> bool {
    !line.parsed().commands.iter().any(|other| {
        other.pipeline == command.pipeline
            && other.position == command.position + 1
            && other.within == command.within
    })
}

/// Reports whether a command has a short option with this letter, alone or in a cluster. `find` has no clusters, and the
/// first word of `tar` needs no dash.
pub(crate) fn gives(command: &SimpleCommand, letter: char) -> bool {
    let name = command.name().map_or("", program_name);
    let is_cluster = |(at, text): (usize, &str)| match text.strip_prefix('-') {
        Some(rest) => !rest.starts_with('-'),
        None => name == "tar" && at == 0,
    };
    command.words.iter().skip(1).map(|word| word.text.as_str()).enumerate().any(|(at, text)| {
        if matches!(name, "find" | "gfind") {
            return text.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter]));
        }
        let mut letters = text.trim_start_matches('-').chars().take_while(char::is_ascii_alphanumeric);
        is_cluster((at, text)) && letters.by_ref().take(CLUSTER_MAX).any(|c| c == letter)
    })
}
