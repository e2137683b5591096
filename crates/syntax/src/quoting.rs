//! Light lexer that separates shell syntax from quoted, commented or heredoc text.
//!
//! It reads one character at a time, accepts damaged text, builds no tree and finds no errors. It answers two
//! questions only: may this character be corrected (`clean`), and does the command continue in the next line
//! (`answer`). If it is wrong, a character stays uncorrected or a line is not joined; no text is lost.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::shell::Shell;

/// Maximum number of heredocs of one command; further ones are read as plain text.
const HEREDOCS_MAX: usize = 8;
/// Maximum length, in bytes, of a word kept to recognise a keyword or the end of a heredoc.
const WORD_BYTES_MAX: usize = 64;
/// Maximum number of substitutions inside double quotes, one in the other, whose quotes are read.
const NESTING_MAX: usize = 16;

/// A lexer that reads a command character by character.
#[derive(Debug)]
pub struct QuoteLexer {
    shell: Shell,
    quote: Option<Quote>,
    escaped: bool,
    comment: bool,
    /// Number of open brackets.
    depth: usize,
    /// For each substitution in double quotes that is open, the number of brackets that were open before it.
    outer: Vec<usize>,
    /// Number of open `for`, `if`, `begin` and similar blocks.
    blocks: usize,
    /// `true` if the next word is a command name.
    at_command: bool,
    word: String,
    /// The last three characters, latest first, to recognise `&&`, `<<` and the character before a `#` or `'`.
    before: [char; 3],
    /// The last two characters that were not blank.
    solid: [char; 2],
    delimiter: Option<String>,
    heredocs: VecDeque<String>,
    in_heredoc: bool,
    heredoc_line: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    Single,
    Double,
    Backtick,
    /// `$'…'` of bash and zsh, where a backslash escapes.
    Ansi,
}

impl QuoteLexer {
    /// Creates a reader at the start of a command.
    pub fn new(shell: Shell) -> Self {
        Self {
            shell,
            quote: None,
            escaped: false,
            comment: false,
            depth: 0,
            outer: Vec::new(),
            blocks: 0,
            at_command: true,
            word: String::new(),
            before: ['\n'; 3],
            solid: ['\n'; 2],
            delimiter: None,
            heredocs: VecDeque::new(),
            in_heredoc: false,
            heredoc_line: String::new(),
        }
    }

    /// Reports whether the next character is syntax, not quoted, escaped, commented or heredoc text.
    pub fn is_plain(&self) -> bool {
        self.quote.is_none() && !self.escaped && !self.comment && !self.in_heredoc
    }

    /// Reports whether the next character is part of a comment.
    pub fn in_comment(&self) -> bool {
        self.comment
    }

    /// Reports whether the next character is part of a heredoc.
    pub fn in_heredoc(&self) -> bool {
        self.in_heredoc
    }

    /// Reports whether the next character is in double quotes.
    pub fn in_double_quotes(&self) -> bool {
        self.quote == Some(Quote::Double) && !self.in_heredoc
    }

    /// Returns the number of open substitutions inside double quotes: 1 for the `b` of `"a $(b)"`, whose quotes and signs are
    /// read like those outside.
    pub fn nesting(&self) -> usize {
        self.outer.len()
    }

    /// Returns the number of open brackets.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Reports whether the command so far is incomplete: something is open, or it ends in a pipe, `&&` or a
    /// backslash.
    pub fn is_open(&self) -> bool {
        let heredoc_open = match self.heredocs.len() {
            0 => self.delimiter.is_some(),
            1 if self.in_heredoc => self.heredocs[0] != self.heredoc_line,
            _ => true,
        };
        let blocks = self.blocks.saturating_sub(usize::from(self.at_command && self.closes_block()));
        self.quote.is_some()
            || self.escaped
            || 0 < self.depth
            || 0 < blocks
            || heredoc_open
            || self.solid[0] == '|'
            || self.solid == ['&', '&']
    }

    /// Reads one character.
    pub fn read(&mut self, c: char) {
        if self.in_heredoc {
            return self.read_heredoc(c);
        }
        if self.comment {
            if c != '\n' {
                return;
            }
            self.comment = false;
        }
        if self.escaped {
            self.escaped = false;
            self.remember(if c == '\n' { ' ' } else { 'x' });
            return;
        }
        if let Some(quote) = self.quote {
            self.read_quoted(quote, c);
        } else {
            self.read_plain(c);
        }
        self.remember(c);
    }

    fn remember(&mut self, c: char) {
        self.before = [c, self.before[0], self.before[1]];
        if !c.is_whitespace() && !self.comment {
            self.solid = [c, self.solid[0]];
        }
    }

    fn read_heredoc(&mut self, c: char) {
        if c != '\n' {
            // Tabs before the end word are allowed for `<<-`; this tolerates them for `<<` too.
            if self.heredoc_line.len() < WORD_BYTES_MAX && !(c == '\t' && self.heredoc_line.is_empty()) {
                self.heredoc_line.push(c);
            }
            return;
        }
        if self.heredocs.front() == Some(&self.heredoc_line) {
            self.heredocs.pop_front();
            self.in_heredoc = !self.heredocs.is_empty();
        }
        self.heredoc_line.clear();
    }

    fn read_quoted(&mut self, quote: Quote, c: char) {
        let (end, escapes) = match quote {
            Quote::Single => ('\'', self.shell.is_fish()),
            Quote::Ansi => ('\'', true),
            Quote::Double => ('"', true),
            Quote::Backtick => ('`', !self.shell.is_nushell()),
        };
        if c == '\\' && escapes {
            self.escaped = true;
        } else if c == end {
            self.quote = None;
        } else if c == '(' && quote == Quote::Double && self.begins_substitution() {
            self.outer.push(self.depth);
            self.quote = None;
            self.open_bracket();
        }
    }

    /// Reports whether a `(` in double quotes begins a substitution. In Nushell the quotes around it end at the next `"`.
    fn begins_substitution(&self) -> bool {
        let is_value = self.before[0] == '$' && self.before[1] != '$';
        is_value && !self.shell.is_nushell() && self.outer.len() < NESTING_MAX
    }

    fn read_plain(&mut self, c: char) {
        let posix = self.shell.is_posix();
        if posix && self.read_delimiter(c) {
            return;
        }
        match c {
            '\\' if !self.shell.is_nushell() => {
                self.escaped = true;
                self.push(c);
            }
            '\'' => {
                self.quote = Some(if posix && self.before[0] == '$' { Quote::Ansi } else { Quote::Single });
                self.push(c);
            }
            '"' => {
                self.quote = Some(Quote::Double);
                self.push(c);
            }
            '`' if !self.shell.is_fish() => {
                self.quote = Some(Quote::Backtick);
                self.push(c);
            }
            '#' if matches!(self.before[0], ' ' | '\t' | '\n' | ';') => self.comment = true,
            '(' | '{' => self.open_bracket(),
            '[' if self.shell.is_nushell() => self.open_bracket(),
            ')' | '}' => self.close_bracket(c),
            ']' if self.shell.is_nushell() => self.close_bracket(c),
            ' ' | '\t' => self.end_word(),
            '\n' => {
                self.end_word();
                self.at_command = true;
                self.in_heredoc = !self.heredocs.is_empty();
            }
            ';' | '|' | '&' => {
                self.end_word();
                self.at_command = true;
            }
            _ => self.push(c),
        }
    }

    /// Reads the end word after `<<`, without its quotes. Returns whether `c` belonged to it.
    fn read_delimiter(&mut self, c: char) -> bool {
        if let Some(delimiter) = &mut self.delimiter {
            match c {
                '-' | ' ' | '\t' if delimiter.is_empty() => return true,
                '\'' | '"' | '\\' => return true,
                _ if (c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
                    && delimiter.len() < WORD_BYTES_MAX =>
                {
                    delimiter.push(c);
                    return true;
                }
                _ => {}
            }
            // A leading digit means a shift (`1 << 2`), not an end word.
            let word = self.delimiter.take().unwrap_or_default();
            if word.starts_with(|c: char| c.is_alphabetic() || c == '_') && self.heredocs.len() < HEREDOCS_MAX
            {
                self.heredocs.push_back(word);
            }
            return false;
        }
        // `<<` but not `<<<`, and not the shift inside `((…))`.
        let heredoc = self.before[0] == '<' && self.before[1] == '<' && self.before[2] != '<' && c != '<';
        if heredoc && self.depth < 2 {
            self.delimiter = Some(String::new());
            return self.read_delimiter(c);
        }
        false
    }

    fn open_bracket(&mut self) {
        self.end_word();
        self.depth += 1;
        self.at_command = true;
    }

    fn close_bracket(&mut self, c: char) {
        self.end_word();
        let ends = self.outer.last().is_some_and(|outer| self.depth <= outer + 1);
        if ends && c == ')' {
            self.depth = self.outer.pop().unwrap_or_default();
            self.quote = Some(Quote::Double);
            return;
        }
        if !ends {
            self.depth = self.depth.saturating_sub(1);
        }
        // A command follows the pattern of a `case`.
        self.at_command = true;
    }

    fn push(&mut self, c: char) {
        if self.word.len() < WORD_BYTES_MAX {
            self.word.push(c);
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        if self.at_command {
            if self.shell.dialect().block_openers.contains(&self.word.as_str()) {
                self.blocks += 1;
            } else if self.closes_block() {
                self.blocks = self.blocks.saturating_sub(1);
            }
            self.at_command = matches!(
                self.word.as_str(),
                "do" | "then" | "else" | "elif" | "if" | "while" | "until" | "!"
            );
        }
        self.word.clear();
    }

    fn closes_block(&self) -> bool {
        self.shell.dialect().block_closers.contains(&self.word.as_str())
    }
}
