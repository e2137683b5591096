//! The parser's core: the cursor, what is open around it, and lists of pipelines, which all three shells share.

use std::mem;
use std::ops::{BitOr, BitOrAssign};

use super::{Nesting, Parsed, SimpleCommand, Span, SyntaxError, Word};
use crate::shell::Shell;

/// Constructs inside each other; what is nested deeper is not read.
const MAX_DEPTH: usize = 48;
/// Commands kept of one line.
const MAX_COMMANDS: usize = 20_000;
/// Errors kept of one line.
const MAX_ERRORS: usize = 100;
/// The longest reserved word, in bytes.
const MAX_RESERVED_BYTES: usize = 9;

/// Takes a line apart.
pub(super) fn parse(line: &str, shell: Shell) -> Parsed {
    if shell == Shell::Nu {
        return Parsed::default();
    }
    let mut parser = Parser::new(line, shell);
    parser.list(Closers::NONE);
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

    fn holds(self, other: Self) -> bool {
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
    /// What ends a list that is open around the cursor, up to the innermost parenthesis.
    expected: Closers,
    pipelines: usize,
    pipeline: usize,
    position: usize,
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
            expected: Closers::NONE,
            pipelines: 0,
            pipeline: 0,
            position: 0,
        }
    }

    fn finish(mut self) -> Parsed {
        self.parsed.incomplete |= !self.bodies.is_empty();
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
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'\\' if self.at(1) == b'\n' => self.pos += 2,
                b'#' if self.shell != Shell::Zsh => {
                    self.pos += self.rest().find('\n').unwrap_or(self.rest().len());
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
        if self.parsed.errors.len() < MAX_ERRORS {
            self.parsed.errors.push(SyntaxError { span, text: text.into() });
        }
    }

    /// An error for what was opened at `span`; the line is incomplete when it simply stopped.
    pub(super) fn unclosed(&mut self, span: Span, what: &str) {
        self.parsed.incomplete |= self.at_end();
        self.error(span, format!("unclosed {what}"));
    }

    /// An error where something has to follow.
    pub(super) fn missing(&mut self, what: &str) {
        self.parsed.incomplete |= self.at_end();
        self.error(self.pos..self.pos, format!("{what} is missing"));
    }

    /// Steps over the next character with an error; keeps every loop moving.
    fn unexpected(&mut self) {
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

    /// What stands between two places, read as a list of its own.
    pub(super) fn between(&mut self, start: usize, stop: usize, read: impl FnOnce(&mut Self)) {
        let (end, incomplete) = (mem::replace(&mut self.end, stop), self.parsed.incomplete);
        self.pos = start;
        read(self);
        // Nothing can follow there: it is closed.
        self.parsed.incomplete = incomplete;
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
        self.parsed.errors.append(&mut parsed.errors);
        self.parsed.errors.truncate(MAX_ERRORS);
    }

    // Reserved words.

    /// The word at the cursor when it is short and plain enough to be a reserved one.
    pub(super) fn reserved(&self) -> &'a str {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let len = bytes
            .iter()
            .take(MAX_RESERVED_BYTES + 1)
            .position(|byte| b" \t\n;|&()<>".contains(byte))
            .unwrap_or(bytes.len());
        rest.get(..len).filter(|word| word.len() <= MAX_RESERVED_BYTES).unwrap_or_default()
    }

    pub(super) fn take_reserved(&mut self, word: &str) -> bool {
        let next = self.reserved() == word;
        if next {
            self.pos += word.len();
        }
        next
    }

    /// The end of some list at the cursor, and its length in bytes.
    fn closer(&self) -> Option<(Closers, usize)> {
        let fish = self.shell == Shell::Fish;
        match self.peek() {
            b')' => return Some((Closers::PAREN, 1)),
            b';' if !fish && matches!(self.at(1), b';' | b'&' | b'|') => {
                return Some((Closers::BRANCH_END, 2));
            }
            b'a'..=b'z' | b'}' => {}
            _ => return None,
        }
        let word = self.reserved();
        let closer = match word {
            "end" if fish || self.expected.holds(Closers::END) => Closers::END,
            "else" => Closers::ELSE,
            "}" => Closers::BRACE,
            "case" if fish => Closers::CASE,
            _ if fish => return None,
            "then" => Closers::THEN,
            "elif" => Closers::ELIF,
            "fi" => Closers::FI,
            "do" => Closers::DO,
            "done" => Closers::DONE,
            "esac" => Closers::ESAC,
            _ => return None,
        };
        Some((closer, word.len()))
    }

    /// Whether the cursor stands before what ends a list that is open.
    pub(super) fn at_closer(&self) -> bool {
        self.closer().is_some_and(|(closer, _)| self.expected.holds(closer))
    }

    // Lists.

    /// Commands up to what closes this list or one around it; gives how many and-or lists there were.
    pub(super) fn list(&mut self, own: Closers) -> usize {
        let outer = self.expected;
        self.expected |= own;
        let mut count = 0;
        loop {
            self.newlines();
            if self.at_end() {
                break;
            }
            if let Some((closer, len)) = self.closer() {
                if self.expected.holds(closer) {
                    break;
                }
                let span = self.pos..self.pos + len;
                self.error(span.clone(), format!("unexpected `{}`", self.raw(span)));
                self.pos += len;
                continue;
            }
            if self.peek() == b';' && self.shell != Shell::Bash {
                self.pos += 1;
                continue;
            }
            let before = self.pos;
            self.and_or();
            if self.pos == before {
                self.unexpected();
                continue;
            }
            count += 1;
            self.blanks();
            let separated = self.separator() || self.at_end() || self.peek() == b'\n' || self.at_closer();
            if separated {
                continue;
            }
            if own.holds(Closers::SHORT) {
                break;
            }
            if self.closer().is_none() {
                self.unexpected();
            }
        }
        self.expected = outer;
        count
    }

    /// A list that may not be empty in bash.
    pub(super) fn body(&mut self, own: Closers) {
        if self.list(own) == 0 && self.shell == Shell::Bash {
            self.missing("a command");
        }
    }

    /// `;`, `&` and zsh's `&|` and `&!`.
    fn separator(&mut self) -> bool {
        match (self.peek(), self.at(1)) {
            (b';', b';' | b'&' | b'|') if self.shell != Shell::Fish => false,
            (b';', _) => self.take(";"),
            (b'&', b'|' | b'!') if self.shell == Shell::Zsh => {
                self.pos += 2;
                true
            }
            (b'&', b'&') => false,
            (b'&', _) => self.take("&"),
            _ => false,
        }
    }

    /// Pipelines joined by `&&` and `||`.
    pub(super) fn and_or(&mut self) {
        let mut complete = self.pipeline();
        loop {
            self.blanks();
            let operator = self.pos..self.pos + 2;
            if !self.take("&&") && !self.take("||") {
                break;
            }
            if !complete {
                self.error(
                    operator.clone(),
                    format!("a command is missing before `{}`", self.raw(operator.clone())),
                );
            }
            self.newlines();
            complete = self.pipeline();
            if !complete && !self.starts_with("&&") && !self.starts_with("||") {
                self.missing("a command");
            }
        }
    }

    /// Commands joined by `|`; gives whether there is any.
    fn pipeline(&mut self) -> bool {
        let number = self.pipelines;
        self.pipelines += 1;
        let mut position = 0;
        let mut complete;
        loop {
            (self.pipeline, self.position) = (number, position);
            complete = self.prefixed_command();
            self.blanks();
            let Some(length) = self.pipe() else { break };
            if !complete {
                self.error(self.pos..self.pos + length, "a command is missing before `|`");
            }
            self.pos += length;
            self.newlines();
            position += 1;
        }
        if !complete && position > 0 {
            self.missing("a command");
        }
        complete || position > 0
    }

    /// The length of a pipe at the cursor: `|`, `|&`, fish's `&|`, `2>|`.
    fn pipe(&self) -> Option<usize> {
        let fish = self.shell == Shell::Fish;
        match (self.peek(), self.at(1)) {
            (b'|', b'|') => None,
            (b'|', b'&') if !fish => Some(2),
            (b'|', _) => Some(1),
            (b'&', b'|') if fish => Some(2),
            _ if fish => {
                let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                (self.at(digits) == b'>' && self.at(digits + 1) == b'|').then_some(digits + 2)
            }
            _ => None,
        }
    }

    /// A command after `!`, `time` and the like; gives whether there is one.
    fn prefixed_command(&mut self) -> bool {
        let mut prefixed = false;
        loop {
            self.blanks();
            let word = self.reserved();
            let fish = self.shell == Shell::Fish;
            match word {
                "!" => {}
                "not" | "and" | "or" if fish => {}
                "time" if self.times() => {}
                "coproc" if !fish => {
                    self.pos += word.len();
                    self.coprocess_name();
                    prefixed = true;
                    continue;
                }
                _ => break,
            }
            self.pos += word.len();
            prefixed = true;
            if word == "time" {
                self.blanks();
                self.take_reserved("-p");
            }
        }
        if self.at_end() || self.closer().is_some() {
            return prefixed;
        }
        self.command() || prefixed
    }

    /// `time` is the shell's own unless an option other than `-p` follows.
    fn times(&self) -> bool {
        let next = self.rest().strip_prefix("time").unwrap_or_default().trim_start_matches([' ', '\t']);
        !next.starts_with('-') || next.starts_with("-p ")
    }

    fn command(&mut self) -> bool {
        let compound = match self.shell {
            Shell::Fish => self.fish_compound(),
            _ => self.posix_compound(),
        };
        if compound {
            self.trailing_redirections();
        }
        compound || self.simple_command()
    }

    /// The words of a list such as that of `for`, up to the end of the statement.
    pub(super) fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.word() {
                Some(word) => words.push(word),
                None => return words,
            }
        }
    }
}
