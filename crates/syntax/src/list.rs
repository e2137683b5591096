//! Parser for lists of pipelines, and for the words that end them.

use super::Word;
use super::parser::{Closers, Parser};

/// Length of the longest reserved word, in bytes.
const RESERVED_BYTES_MAX: usize = 9;

impl<'a> Parser<'a> {
    /// Returns the word at the cursor if it is short and plain enough to be a reserved word; otherwise an empty
    /// text.
    pub(super) fn reserved(&self) -> &'a str {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let len = bytes
            .iter()
            .take(RESERVED_BYTES_MAX + 1)
            .position(|byte| b" \t\n;|&()<>".contains(byte))
            .unwrap_or(bytes.len());
        rest.get(..len).filter(|word| word.len() <= RESERVED_BYTES_MAX).unwrap_or_default()
    }

    pub(super) fn take_reserved(&mut self, word: &str) -> bool {
        let next = self.reserved() == word;
        if next {
            self.pos += word.len();
        }
        next
    }

    /// Returns the list terminator at the cursor and its length in bytes.
    fn closer(&self) -> Option<(Closers, usize)> {
        let fish = self.shell.is_fish();
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

    /// Reports whether a terminator of an open list is at the cursor.
    pub(super) fn at_closer(&self) -> bool {
        self.closer().is_some_and(|(closer, _)| self.expected.holds(closer))
    }

    /// Parses commands up to a terminator of this list or of an enclosing one. Returns the number of and-or lists.
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
            if self.peek() == b';' && self.dialect().has_empty_lists {
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

    /// Parses a list that may not be empty in bash.
    pub(super) fn body(&mut self, own: Closers) {
        if self.list(own) == 0 && !self.dialect().has_empty_lists {
            self.missing("a command");
        }
    }

    /// Takes `;`, `&` or zsh's `&|` and `&!`.
    fn separator(&mut self) -> bool {
        match (self.peek(), self.at(1)) {
            (b';', b';' | b'&' | b'|') if !self.shell.is_fish() => false,
            (b';', _) => self.take(";"),
            (b'&', b'|' | b'!') if self.dialect().has_disown_operators => {
                self.pos += 2;
                true
            }
            (b'&', b'&') => false,
            (b'&', _) => self.take("&"),
            _ => false,
        }
    }

    /// Parses pipelines joined by `&&` and `||`.
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

    /// Parses commands joined by `|`. Returns `false` if there is none.
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

    /// Returns the length of the pipe operator at the cursor: `|`, `|&`, fish's `&|`, `2>|`.
    fn pipe(&self) -> Option<usize> {
        let fish = self.shell.is_fish();
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

    /// Parses a command after `!`, `time` and similar prefixes. Returns `false` if there is neither.
    fn prefixed_command(&mut self) -> bool {
        let mut prefixed = false;
        loop {
            self.blanks();
            let word = self.reserved();
            let fish = self.shell.is_fish();
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

    /// Reports whether `time` is the shell keyword: no option other than `-p` follows.
    fn times(&self) -> bool {
        let next = self.rest().strip_prefix("time").unwrap_or_default().trim_start_matches([' ', '\t']);
        !next.starts_with('-') || next.starts_with("-p ")
    }

    fn command(&mut self) -> bool {
        let compound = if self.shell.is_fish() { self.fish_compound() } else { self.posix_compound() };
        if compound {
            self.trailing_redirections();
        }
        compound || self.simple_command()
    }

    /// Parses a list of words such as that of `for`, up to the end of the statement.
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
