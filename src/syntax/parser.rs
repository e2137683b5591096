//! The parser's core: the cursor, what was found so far and what is open around it.

use std::mem;
use std::ops::{BitOr, BitOrAssign};

use super::{Nesting, Parsed, SimpleCommand, Span, SyntaxError};
use crate::shell::Shell;

/// Constructs inside each other; what is nested deeper is not read.
const MAX_DEPTH: usize = 48;
/// Commands kept of one line.
const MAX_COMMANDS: usize = 20_000;
/// Errors kept of one line.
const MAX_ERRORS: usize = 100;

/// Takes a line apart.
pub(super) fn parse(line: &str, shell: Shell) -> Parsed {
    let mut parser = Parser::new(line, shell);
    if shell == Shell::Nu {
        parser.nushell();
    } else {
        parser.list(Closers::NONE);
    }
    parser.finish()
}

/// What may end a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closers(u16);

impl Closers {
    pub(super) const NONE: Self = Self(0);
    pub(super) const PAREN: Self = Self(1);
    pub(super) const BRACE: Self = Self(1 << 1);
    /// `;;`, `;&`, `;;&`, `;|` in `case`.
    pub(super) const BRANCH_END: Self = Self(1 << 2);
    pub(super) const THEN: Self = Self(1 << 3);
    pub(super) const ELIF: Self = Self(1 << 4);
    pub(super) const ELSE: Self = Self(1 << 5);
    pub(super) const FI: Self = Self(1 << 6);
    pub(super) const DO: Self = Self(1 << 7);
    pub(super) const DONE: Self = Self(1 << 8);
    pub(super) const ESAC: Self = Self(1 << 9);
    /// fish's `end`, and zsh's after `foreach`.
    pub(super) const END: Self = Self(1 << 10);
    /// fish's `case`.
    pub(super) const CASE: Self = Self(1 << 11);
    /// zsh's conditions: a command that nothing separates from what follows.
    pub(super) const SHORT: Self = Self(1 << 12);

    pub(super) fn holds(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Closers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Closers {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// A here-document whose body starts after the next end of line.
#[derive(Debug)]
pub(super) struct PendingBody {
    pub(super) delimiter: String,
    /// The delimiter is quoted: nothing in the body is expanded.
    pub(super) quoted: bool,
    /// `<<-`: tabs before the delimiter don't count.
    pub(super) tabs: bool,
}

/// The cursor and all that was found so far.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    line: &'a str,
    pub(super) shell: Shell,
    /// Where the next byte is; always between two characters.
    pub(super) pos: usize,
    /// Where reading stops: the line's end, or that of a here-document's body.
    pub(super) end: usize,
    pub(super) parsed: Parsed,
    pub(super) bodies: Vec<PendingBody>,
    within: Vec<Nesting>,
    depth: usize,
    /// There is an error that nothing that follows can mend.
    beyond_help: bool,
    /// What ends a list that is open around the cursor, up to the innermost parenthesis.
    pub(super) expected: Closers,
    /// Pipelines begun so far; the number of the one at hand, and the place in it.
    pub(super) pipelines: usize,
    pub(super) pipeline: usize,
    pub(super) position: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(line: &'a str, shell: Shell) -> Self {
        Self {
            line,
            shell,
            pos: 0,
            end: line.len(),
            parsed: Parsed::default(),
            bodies: Vec::new(),
            within: Vec::new(),
            depth: 0,
            beyond_help: false,
            expected: Closers::NONE,
            pipelines: 0,
            pipeline: 0,
            position: 0,
        }
    }

    fn finish(mut self) -> Parsed {
        self.parsed.incomplete |= !self.bodies.is_empty();
        self.parsed.incomplete &= !self.beyond_help;
        self.parsed.commands.sort_by_key(|command| (command.span.start, usize::MAX - command.span.end));
        self.parsed.errors.sort_by_key(|error| error.span.start);
        self.parsed
    }

    // The cursor.

    /// The byte `ahead` of the cursor; 0 at the end.
    pub(super) fn at(&self, ahead: usize) -> u8 {
        let index = self.pos + ahead;
        if index < self.end { self.line.as_bytes().get(index).copied().unwrap_or(0) } else { 0 }
    }

    pub(super) fn peek(&self) -> u8 {
        self.at(0)
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.end
    }

    /// What is left to read.
    pub(super) fn rest(&self) -> &'a str {
        self.raw(self.pos..self.end)
    }

    pub(super) fn raw(&self, span: Span) -> &'a str {
        self.line.get(span).unwrap_or_default()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().as_bytes().starts_with(text.as_bytes())
    }

    /// Steps over `text` when it is next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let next = self.starts_with(text);
        if next {
            self.pos += text.len();
        }
        next
    }

    /// Steps over one character and gives it.
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.rest().chars().next();
        self.pos += next.map_or(0, char::len_utf8);
        next
    }

    /// Blanks, escaped ends of lines and comments.
    pub(super) fn blanks(&mut self) {
        let mut continued = false;
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'\\' if self.at(1) == b'\n' => {
                    self.pos += 2;
                    continued = true;
                }
                b'#' if self.shell != Shell::Zsh => {
                    self.pos += self.rest().find('\n').unwrap_or(self.rest().len());
                    // fish: a comment in a continued line takes its end of line with it.
                    if continued && self.shell == Shell::Fish {
                        self.pos += usize::from(self.peek() == b'\n');
                    }
                }
                _ => break,
            }
        }
    }

    /// Blanks and ends of lines, with the here-documents that start there.
    pub(super) fn newlines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != b'\n' {
                break;
            }
            self.pos += 1;
            self.read_bodies();
        }
    }

    fn read_bodies(&mut self) {
        for body in mem::take(&mut self.bodies) {
            let start = self.pos;
            let mut stop = None;
            for line in self.rest().split_inclusive('\n') {
                let text = line.strip_suffix('\n').unwrap_or(line);
                let text = if body.tabs { text.trim_start_matches('\t') } else { text };
                if text == body.delimiter {
                    stop = Some((self.pos, self.pos + line.len()));
                    break;
                }
                self.pos += line.len();
            }
            let (stop, next) = stop.unwrap_or_else(|| {
                self.parsed.incomplete = true;
                (self.end, self.end)
            });
            if !body.quoted {
                self.between(start, stop, |parser| parser.nested(Nesting::HereDocument, Self::expansions));
            }
            self.pos = next;
        }
    }

    // What is found.

    pub(super) fn error(&mut self, span: Span, text: impl Into<String>) {
        self.beyond_help = true;
        self.keep_error(span, text.into());
    }

    fn keep_error(&mut self, span: Span, text: String) {
        if self.parsed.errors.len() < MAX_ERRORS {
            self.parsed.errors.push(SyntaxError { span, text });
        }
    }

    /// An error that is mended by what follows, if the line ends here.
    fn open_error(&mut self, span: Span, text: String) {
        if self.pos >= self.line.len() {
            self.parsed.incomplete = true;
            self.keep_error(span, text);
        } else {
            self.error(span, text);
        }
    }

    /// An error for what was opened at `span`; the line is incomplete when it simply stopped.
    pub(super) fn unclosed(&mut self, span: Span, what: &str) {
        self.open_error(span, format!("unclosed {what}"));
    }

    /// An error where something has to follow.
    pub(super) fn missing(&mut self, what: &str) {
        self.open_error(self.pos..self.pos, format!("{what} is missing"));
    }

    /// Steps over the next character with an error; keeps every loop moving.
    pub(super) fn unexpected(&mut self) {
        let start = self.pos;
        if let Some(character) = self.bump() {
            self.error(start..self.pos, format!("unexpected `{character}`"));
        }
    }

    /// Keeps a command that starts where `span` does.
    pub(super) fn push(&mut self, mut command: SimpleCommand) {
        if self.parsed.commands.len() < MAX_COMMANDS {
            command.within.clone_from(&self.within);
            command.pipeline = self.pipeline;
            command.position = self.position;
            self.parsed.commands.push(command);
        } else {
            self.error(command.span, "too many commands");
            self.pos = self.end;
        }
    }

    /// Reads what stands inside something, unless that is too deep.
    pub(super) fn nested(&mut self, nesting: Nesting, read: impl FnOnce(&mut Self)) {
        self.within.push(nesting);
        let place = (self.pipeline, self.position);
        self.deeper(read);
        (self.pipeline, self.position) = place;
        self.within.pop();
    }

    /// Bounds recursion: reads on, or gives up the rest of the line.
    pub(super) fn deeper(&mut self, read: impl FnOnce(&mut Self)) {
        if self.depth == MAX_DEPTH {
            self.error(self.pos..self.pos, "nested too deeply");
            self.pos = self.end;
            return;
        }
        self.depth += 1;
        read(self);
        self.depth -= 1;
    }

    /// A list up to the parenthesis that closes the one at `open`.
    pub(super) fn enclosed(&mut self, open: Span, nesting: Nesting, what: &str) {
        self.nested(nesting, |parser| {
            parser.separate(Closers::PAREN);
        });
        if !self.take(")") {
            self.unclosed(open, what);
        }
    }

    /// A list of its own: what ends lists outside ends none inside, and its here-documents start in it.
    pub(super) fn separate(&mut self, own: Closers) -> usize {
        let outer = mem::replace(&mut self.expected, Closers::NONE);
        let mut bodies = mem::take(&mut self.bodies);
        let count = self.list(own);
        bodies.append(&mut self.bodies);
        self.bodies = bodies;
        self.expected = outer;
        count
    }

    /// Reads what stands between two places, and goes on behind it.
    pub(super) fn between(&mut self, start: usize, stop: usize, read: impl FnOnce(&mut Self)) {
        let end = mem::replace(&mut self.end, stop);
        self.pos = start;
        read(self);
        self.end = end;
        self.pos = stop;
    }

    /// A list in text that was made from this line; `map` says for each byte of it, and its end, where that stands.
    pub(super) fn derived(&mut self, text: &str, map: &[usize]) {
        let mut inner = Parser::new(text, self.shell);
        inner.depth = self.depth;
        inner.within.clone_from(&self.within);
        inner.pipelines = self.pipelines;
        inner.list(Closers::NONE);
        self.pipelines = inner.pipelines;
        let mut parsed = inner.parsed;
        parsed.translate(map);
        self.parsed.commands.append(&mut parsed.commands);
        self.parsed.commands.truncate(MAX_COMMANDS);
        self.beyond_help |= !parsed.errors.is_empty();
        self.parsed.errors.append(&mut parsed.errors);
        self.parsed.errors.truncate(MAX_ERRORS);
    }
}
