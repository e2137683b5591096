//! Parser for the compound commands of bash and zsh: groups, loops, branches, functions, tests.

use super::Nesting;
use super::parser::{Closers, Parser};

impl Parser<'_> {
    /// Parses a compound command at the cursor. Returns `false` if there is none.
    pub(super) fn posix_compound(&mut self) -> bool {
        let zsh = self.dialect().has_short_forms;
        if self.peek() == b'(' {
            return self.parenthesized();
        }
        let start = self.pos;
        let word = self.reserved();
        match word {
            "{" | "[[" | "if" | "while" | "until" | "for" | "select" | "case" | "function" => {}
            "repeat" | "foreach" if zsh => {}
            _ => return false,
        }
        self.pos += word.len();
        match word {
            "{" => self.group(start),
            "[[" => self.test(start),
            "if" => self.nested(Nesting::Branch, |parser| parser.branches(start)),
            "while" | "until" => self.nested(Nesting::Loop, |parser| {
                parser.condition(Closers::DO);
                parser.loop_body(start);
            }),
            "case" => self.nested(Nesting::Branch, |parser| parser.case(start)),
            "function" => self.function(),
            "repeat" => self.nested(Nesting::Loop, |parser| {
                parser.blanks();
                if parser.word().is_none() {
                    parser.missing("a count");
                }
                parser.loop_body(start);
            }),
            _ => self.nested(Nesting::Loop, |parser| parser.counted_loop(start, word)),
        }
        true
    }

    /// Parses `((…))`, `(…)`, zsh's `() {…}`.
    fn parenthesized(&mut self) -> bool {
        let open = self.pos..self.pos + 1;
        if self.at(1) == b'(' && self.is_arithmetic(self.pos) {
            self.arithmetic();
        } else if self.dialect().has_short_forms && self.empty_parentheses() {
            self.function_body();
            self.words();
        } else {
            self.pos += 1;
            let mut empty = false;
            self.nested(Nesting::Subshell, |parser| empty = parser.separate(Closers::PAREN) == 0);
            if !self.take(")") {
                self.unclosed(open, "`(`");
            } else if empty && !self.dialect().has_empty_lists {
                self.error(open.start..self.pos, "a command is missing between `(` and `)`");
            }
        }
        true
    }

    /// Parses the rest of `{ …; }`, with zsh's `always`.
    fn group(&mut self, start: usize) {
        self.nested(Nesting::Group, |parser| parser.braces(start));
        if self.dialect().has_short_forms {
            self.blanks();
            if self.take_reserved("always") {
                self.blanks();
                let start = self.pos;
                if self.take("{") {
                    self.nested(Nesting::Group, |parser| parser.braces(start));
                } else {
                    self.missing("`{`");
                }
            }
        }
    }

    /// Parses the rest of `{ …; }` that opened at `start`.
    fn braces(&mut self, start: usize) {
        self.body(Closers::BRACE);
        self.close("}", start, "`{`");
    }

    /// Takes the word that ends the construct begun at `start`, or adds an error.
    pub(super) fn close(&mut self, word: &str, start: usize, what: &str) {
        if !self.take_reserved(word) {
            self.unclosed(start..(start + 1).min(self.end), what);
        }
    }

    /// Parses the rest of `[[ … ]]`: only its expansions count.
    fn test(&mut self, start: usize) {
        while !self.at_end() {
            match self.peek() {
                b' ' | b'\t' | b'\n' => {
                    self.pos += 1;
                    if self.take_reserved("]]") {
                        return;
                    }
                }
                b';' => break,
                _ => self.skip_piece(),
            }
        }
        self.unclosed(start..start + 2, "`[[`");
    }

    /// Parses the commands between `if` or `while` and the body.
    fn condition(&mut self, closer: Closers) {
        if self.dialect().has_short_forms {
            self.list(closer | Closers::SHORT);
        } else {
            self.body(closer);
        }
    }

    /// Parses the rest of `if …; then …; fi`, zsh's `if … { … }` and `if (…) command`.
    fn branches(&mut self, start: usize) {
        loop {
            self.condition(Closers::THEN);
            let open = self.pos;
            if self.take_reserved("then") {
                self.body(Closers::ELIF | Closers::ELSE | Closers::FI);
                if self.take_reserved("elif") {
                    continue;
                }
                if self.take_reserved("else") {
                    self.body(Closers::FI);
                }
                return self.close("fi", start, "`if`");
            }
            if !self.dialect().has_short_forms || self.at_end() {
                return self.unclosed(start..start + 2, "`if`");
            }
            if !self.take_reserved("{") {
                return self.and_or();
            }
            self.braces(open);
            self.blanks();
            if self.take_reserved("elif") {
                continue;
            }
            if self.take_reserved("else") {
                self.newlines();
                let open = self.pos;
                if self.take_reserved("{") {
                    self.braces(open);
                } else {
                    self.and_or();
                }
            }
            return;
        }
    }

    /// Parses the rest of `for`, `select` or zsh's `foreach`.
    fn counted_loop(&mut self, start: usize, keyword: &str) {
        self.blanks();
        if keyword == "for" && self.starts_with("((") {
            self.arithmetic();
            return self.loop_body(start);
        }
        let mut names = Vec::new();
        while !matches!(self.reserved(), "in" | "do") && self.peek() != b'(' {
            let Some(name) = self.word() else { break };
            names.push(name.text);
            self.blanks();
            if !self.dialect().has_short_forms {
                break;
            }
        }
        self.newlines();
        if names.is_empty() {
            self.missing("a variable's name");
        }
        let mut words = Vec::new();
        if self.dialect().has_short_forms && self.peek() == b'(' {
            let open = self.pos..self.pos + 1;
            self.pos += 1;
            loop {
                self.newlines();
                let Some(word) = self.word() else { break };
                words.push(word);
            }
            if !self.take(")") {
                return self.unclosed(open, "`(`");
            }
        } else if self.take_reserved("in") {
            words = self.words();
        }
        if keyword == "foreach" {
            self.list(Closers::END);
            self.close("end", start, "`foreach`");
        } else {
            self.loop_body(start);
        }
        self.push_loop(start, names.into_iter().next().unwrap_or_default(), words);
    }

    /// Parses `do …; done`, `{ …; }` or, in zsh, one command.
    fn loop_body(&mut self, start: usize) {
        self.blanks();
        if self.peek() == b';' && self.at(1) != b';' {
            self.pos += 1;
        }
        self.newlines();
        let open = self.pos;
        if self.take_reserved("do") {
            self.body(Closers::DONE);
            self.close("done", start, "`do`");
        } else if self.take_reserved("{") {
            self.braces(open);
        } else if self.at_end() {
            self.unclosed(start..start + 1, "loop");
        } else if self.dialect().has_short_forms {
            self.and_or();
        } else {
            self.missing("`do`");
        }
    }

    /// Parses the rest of `case WORD in … esac`, zsh's `case WORD { … }`.
    fn case(&mut self, start: usize) {
        self.blanks();
        if self.word().is_none() {
            self.missing("a word");
        }
        self.newlines();
        if self.dialect().has_short_forms && self.take(";") {
            self.newlines();
        }
        let braces = self.dialect().has_short_forms && self.take("{");
        if !braces && !self.take_reserved("in") {
            return self.missing("`in`");
        }
        let (closer, end) = if braces { (Closers::BRACE, "}") } else { (Closers::ESAC, "esac") };
        loop {
            self.newlines();
            if self.at_end() || self.reserved() == end {
                break;
            }
            if !self.case_pattern() {
                break;
            }
            self.list(Closers::BRANCH_END | closer);
            if !(self.take(";;&") || self.take(";;") || self.take(";&") || self.take(";|")) {
                break;
            }
        }
        self.close(end, start, "`case`");
    }

    /// Parses `(a|b)` or `a|b)` before a branch of `case`. Returns `false` if it is not closed.
    fn case_pattern(&mut self) -> bool {
        let start = self.pos;
        let mut opened = self.take("(");
        let mut depth = 1usize;
        while !self.at_end() {
            match self.peek() {
                b'(' => {
                    depth += 1;
                    self.pos += 1;
                }
                b')' => {
                    depth -= 1;
                    self.pos += 1;
                    // In zsh the parenthesis may belong to the pattern itself, as in `(a|b)*)`.
                    let ends = matches!(self.peek(), 0 | b' ' | b'\t' | b'\n' | b';')
                        || !opened
                        || !self.dialect().has_pattern_groups;
                    if depth == 0 && ends {
                        return true;
                    }
                    if depth == 0 {
                        (depth, opened) = (1, false);
                    }
                }
                b';' | b'\n' => break,
                _ => self.skip_piece(),
            }
        }
        self.unclosed(start..self.pos, "pattern");
        false
    }

    /// Parses the rest of `function NAME [()] { … }`.
    fn function(&mut self) {
        loop {
            self.blanks();
            if self.reserved() == "{" || self.peek() == b'(' || self.word().is_none() {
                break;
            }
        }
        self.function_body();
        if self.dialect().has_short_forms {
            self.words();
        }
    }

    /// Parses the command that forms a function's body; bash requires a compound one.
    pub(super) fn function_command(&mut self) {
        if self.posix_compound() {
            self.trailing_redirections();
        } else if self.dialect().has_short_forms {
            self.and_or();
        } else if self.simple_command() {
            self.error(self.pos..self.pos, "a function's body needs `{ … }`");
        }
    }

    /// Skips the optional name between `coproc` and a compound command.
    pub(super) fn coprocess_name(&mut self) {
        self.blanks();
        let start = self.pos;
        if matches!(self.reserved(), "{" | "while" | "until" | "for" | "if" | "case" | "[[") {
            return;
        }
        self.pos +=
            self.rest().bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let named = self.pos > start && matches!(self.peek(), b' ' | b'\t');
        self.blanks();
        if !(named && (self.peek() == b'(' || self.reserved() == "{")) {
            self.pos = start;
        }
    }
}
