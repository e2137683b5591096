//! Core of the parser: the cursor, the results so far and the open constructs.

use std::mem;
use std::ops::{BitOr, BitOrAssign};

use super::{Nesting, Parsed, SimpleCommand, Span, SyntaxError, Word, WordLoop};
use crate::shell::{Dialect, Shell};

/// Maximum nesting depth; deeper constructs are not parsed.
pub(super) const DEPTH_MAX: usize = 48;
/// Maximum number of commands kept for one command line.
pub(super) const COMMANDS_MAX: usize = 20_000;
/// Maximum number of errors kept for one command line.
const ERRORS_MAX: usize = 100;

/// Parses a command line.
pub(super) fn parse(line: &str, shell: Shell) -> Parsed {
    let mut parser = Parser::new(line, shell);
    if shell.is_nushell() {
        parser.nushell();
    } else {
        parser.list(Closers::NONE);
    }
    parser.finish()
}

/// A set of terminators that may end a list of commands.
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
    /// zsh's conditions: a command that no separator divides from the text after it.
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
    /// `true` if the delimiter is quoted: nothing in the body is expanded.
    pub(super) quoted: bool,
    /// `true` for `<<-`: tabs before the delimiter are ignored.
    pub(super) tabs: bool,
}

/// Parser state: the cursor and everything found so far.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    line: &'a str,
    pub(super) shell: Shell,
    /// Offset of the next byte; always between two characters.
    pub(super) pos: usize,
    /// Offset where parsing stops: the end of the command line or of a here-document's body.
    pub(super) end: usize,
    pub(super) parsed: Parsed,
    pub(super) bodies: Vec<PendingBody>,
    within: Vec<Nesting>,
    depth: usize,
    /// `true` after an error that no further text can fix.
    beyond_help: bool,
    /// Terminators of the open lists around the cursor, up to the innermost parenthesis.
    pub(super) expected: Closers,
    /// Number of pipelines begun so far; `pipeline` is the current one, `position` the place in it.
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
        self.parsed.loops.sort_by_key(|words| words.span.start);
        self.parsed.errors.sort_by_key(|error| error.span.start);
        self.parsed
    }

    pub(super) fn dialect(&self) -> &'static Dialect {
        self.shell.dialect()
    }

    // The cursor.

    /// Returns the byte `ahead` bytes after the cursor; 0 at the end.
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

    /// Returns the text left to parse.
    pub(super) fn rest(&self) -> &'a str {
        self.raw(self.pos..self.end)
    }

    pub(super) fn raw(&self, span: Span) -> &'a str {
        self.line.get(span).unwrap_or_default()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().as_bytes().starts_with(text.as_bytes())
    }

    /// Takes `text` if it comes next. Returns whether it did.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let next = self.starts_with(text);
        if next {
            self.pos += text.len();
        }
        next
    }

    /// Takes and returns one character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.rest().chars().next();
        self.pos += next.map_or(0, char::len_utf8);
        next
    }

    /// Skips blanks, escaped newlines and comments.
    pub(super) fn blanks(&mut self) {
        let mut continued = false;
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'\\' if self.at(1) == b'\n' => {
                    self.pos += 2;
                    continued = true;
                }
                b'#' if self.dialect().has_comments => {
                    self.pos += self.rest().find('\n').unwrap_or(self.rest().len());
                    // In fish a comment in a continued line includes its newline.
                    if continued && self.shell.is_fish() {
                        self.pos += usize::from(self.peek() == b'\n');
                    }
                }
                _ => break,
            }
        }
    }

    /// Skips blanks and newlines, and reads the here-documents that start there.
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

    // Results.

    pub(super) fn error(&mut self, span: Span, text: impl Into<String>) {
        self.beyond_help = true;
        self.keep_error(span, text.into());
    }

    fn keep_error(&mut self, span: Span, text: String) {
        if self.parsed.errors.len() < ERRORS_MAX {
            self.parsed.errors.push(SyntaxError { span, text });
        }
    }

    /// Adds an error that further text can fix, if the command line ends at the cursor; otherwise a final error.
    fn open_error(&mut self, span: Span, text: String) {
        if self.pos >= self.line.len() {
            self.parsed.incomplete = true;
            self.keep_error(span, text);
        } else {
            self.error(span, text);
        }
    }

    /// Adds an error for the construct opened at `span`. The command line is incomplete if it ends at the cursor.
    pub(super) fn unclosed(&mut self, span: Span, what: &str) {
        self.open_error(span, format!("unclosed {what}"));
    }

    /// Adds an error for a missing part at the cursor.
    pub(super) fn missing(&mut self, what: &str) {
        self.open_error(self.pos..self.pos, format!("{what} is missing"));
    }

    /// Skips the next character with an error; this ensures that every loop makes progress.
    pub(super) fn unexpected(&mut self) {
        let start = self.pos;
        if let Some(character) = self.bump() {
            self.error(start..self.pos, format!("unexpected `{character}`"));
        }
    }

    /// Adds a command in the current pipeline and nesting.
    pub(super) fn push(&mut self, mut command: SimpleCommand) {
        if self.parsed.commands.len() < COMMANDS_MAX {
            command.within.clone_from(&self.within);
            command.pipeline = self.pipeline;
            command.position = self.position;
            let first = command.words.first().filter(|_| self.shell.is_nushell());
            command.external = first.is_some_and(|word| self.raw(0..word.span.start).ends_with('^'));
            self.parsed.commands.push(command);
        } else {
            self.error(command.span, "too many commands");
            self.pos = self.end;
        }
    }

    /// Adds a loop over words, whose inside ends at the cursor.
    pub(super) fn push_loop(&mut self, start: usize, variable: String, words: Vec<Word>) {
        if self.parsed.loops.len() < COMMANDS_MAX {
            let (_, around) = self.within.split_last().unwrap_or((&Nesting::Loop, &[]));
            let within = around.to_vec();
            self.parsed.loops.push(WordLoop { span: start..self.pos, variable, words, within });
        }
    }

    /// Parses the inside of a construct, unless it is nested too deeply.
    pub(super) fn nested(&mut self, nesting: Nesting, read: impl FnOnce(&mut Self)) {
        self.within.push(nesting);
        let place = (self.pipeline, self.position);
        self.deeper(read);
        (self.pipeline, self.position) = place;
        self.within.pop();
    }

    /// Bounds recursion: calls `read`, or abandons the rest of the command line.
    pub(super) fn deeper(&mut self, read: impl FnOnce(&mut Self)) {
        if self.depth == DEPTH_MAX {
            self.error(self.pos..self.pos, "nested too deeply");
            self.pos = self.end;
            return;
        }
        self.depth += 1;
        read(self);
        self.depth -= 1;
    }

    /// Parses a list up to the parenthesis that closes the one at `open`.
    pub(super) fn enclosed(&mut self, open: Span, nesting: Nesting, what: &str) {
        self.nested(nesting, |parser| {
            parser.separate(Closers::PAREN);
        });
        if !self.take(")") {
            self.unclosed(open, what);
        }
    }

    /// Parses an independent list: terminators of outer lists do not end it, and only its own here-documents start
    /// in it.
    pub(super) fn separate(&mut self, own: Closers) -> usize {
        let outer = mem::replace(&mut self.expected, Closers::NONE);
        let mut bodies = mem::take(&mut self.bodies);
        let count = self.list(own);
        bodies.append(&mut self.bodies);
        self.bodies = bodies;
        self.expected = outer;
        count
    }

    /// Parses the text between two offsets, then continues at the second one.
    pub(super) fn between(&mut self, start: usize, stop: usize, read: impl FnOnce(&mut Self)) {
        let end = mem::replace(&mut self.end, stop);
        self.pos = start;
        read(self);
        self.end = end;
        self.pos = stop;
    }

    /// Parses a list in a text derived from this command line. `map` has the command-line offset of each byte of
    /// that text, and of its end.
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
        self.parsed.commands.truncate(COMMANDS_MAX);
        self.parsed.loops.append(&mut parsed.loops);
        self.parsed.loops.truncate(COMMANDS_MAX);
        self.beyond_help |= !parsed.errors.is_empty();
        self.parsed.errors.append(&mut parsed.errors);
        self.parsed.errors.truncate(ERRORS_MAX);
    }
}
