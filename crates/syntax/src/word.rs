//! Parser for words: where a word ends, which parts are quoted and what the shell would expand.

use super::parser::Parser;
use super::{Nesting, Span, Word};
use crate::shell::Shell;

/// A word under construction.
#[derive(Debug, Default)]
pub(super) struct WordDraft {
    pub(super) text: String,
    pub(super) quoted: bool,
    pub(super) glob: bool,
    /// `true` if something other than file names is expanded.
    pub(super) expanded: bool,
    /// Command-line offset of each byte of `text`; kept on demand.
    map: Option<Vec<usize>>,
    /// End offset of the last byte of `text`.
    end: usize,
    /// Number of open braces; `brace_list` is `true` if they would expand.
    braces: usize,
    brace_list: bool,
    bracket: bool,
}

impl WordDraft {
    /// Adds text that occurs unchanged at `from` in the command line.
    pub(super) fn add(&mut self, text: &str, from: usize) {
        self.text.push_str(text);
        if let Some(map) = &mut self.map {
            map.extend(from..from + text.len());
            self.end = from + text.len();
        }
    }

    /// Adds the character that the text at `span` stands for.
    pub(super) fn decode(&mut self, character: char, span: Span) {
        self.text.push(character);
        if let Some(map) = &mut self.map {
            map.resize(self.text.len(), span.start);
            self.end = span.end;
        }
    }
}

impl Parser<'_> {
    /// Parses the word at the cursor. `None` if there is none.
    pub(super) fn word(&mut self) -> Option<Word> {
        Some(self.word_or_assignment(false)?.0)
    }

    /// Parses the word at `start` again. Returns the command-line offset of each byte of its text, and the end
    /// offset of the last one.
    pub(super) fn word_map(&mut self, start: usize) -> Vec<usize> {
        self.pos = start;
        let mut draft = WordDraft { map: Some(Vec::new()), end: start, ..WordDraft::default() };
        self.read_word(&mut draft);
        let mut map = draft.map.unwrap_or_default();
        map.push(draft.end);
        map
    }

    /// Parses the word at the cursor. The second value is `true` if the word is an assignment and `may_assign`
    /// allows one.
    pub(super) fn word_or_assignment(&mut self, may_assign: bool) -> Option<(Word, bool)> {
        let start = self.pos;
        let mut draft = WordDraft::default();
        self.read_word(&mut draft);
        if self.pos == start {
            return None;
        }
        let assigns = may_assign && assignment_prefix(self.raw(start..self.pos), self.shell).is_some();
        let glob = draft.glob && !assigns;
        let word = Word {
            span: start..self.pos,
            text: draft.text,
            literal: !draft.expanded && !glob,
            quoted: draft.quoted,
            glob,
        };
        Some((word, assigns))
    }

    fn read_word(&mut self, draft: &mut WordDraft) {
        let start = self.pos;
        if self.peek() == b'~'
            || (self.peek() == b'=' && self.dialect().has_equals_words && starts_name(self.at(1)))
        {
            draft.expanded = true;
        }
        while !self.at_end() && self.read_piece(draft, start) {}
        if draft.braces > 0 && self.shell.is_fish() {
            self.unclosed(start..self.pos, "`{`");
        }
    }

    /// Reads one piece of the word that began at `start`. Returns `false` at the end of the word.
    fn read_piece(&mut self, draft: &mut WordDraft, start: usize) -> bool {
        let here = self.pos;
        let fish = self.shell.is_fish();
        match self.peek() {
            b' ' | b'\t' | b'\n' if fish && draft.braces > 0 => self.keep(draft, 1),
            b' ' | b'\t' | b'\n' | b';' | b'|' | b')' => return false,
            b'&' => {
                // In fish `&` ends the word only before a separator.
                let inside = fish
                    && here > start
                    && !matches!(
                        self.at(1),
                        0 | b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b')'
                    );
                if !inside {
                    return false;
                }
                self.keep(draft, 1);
            }
            b'<' | b'>' => return self.angle(draft),
            b'(' => return self.parenthesis(draft, start),
            b'\'' => self.single_quotes(draft),
            b'"' => self.double_quotes(draft),
            b'`' if !fish => self.backquotes(draft),
            b'$' => self.dollar(draft, false),
            b'\\' => self.escape(draft),
            b'*' => {
                draft.glob = true;
                self.keep(draft, 1);
            }
            b'?' => {
                draft.glob |= !fish;
                self.keep(draft, 1);
            }
            b'[' if fish && here > start => self.subscript(draft),
            b'[' => {
                draft.bracket = !fish;
                self.keep(draft, 1);
            }
            b']' => {
                draft.glob |= draft.bracket;
                self.keep(draft, 1);
            }
            b'{' => {
                draft.braces += 1;
                draft.brace_list = false;
                self.keep(draft, 1);
            }
            b',' => {
                draft.brace_list |= draft.braces > 0;
                self.keep(draft, 1);
            }
            b'.' if !fish && draft.braces > 0 && self.at(1) == b'.' => {
                draft.brace_list = true;
                self.keep(draft, 2);
            }
            b'}' => {
                draft.expanded |= draft.braces > 0 && draft.brace_list;
                draft.braces = draft.braces.saturating_sub(1);
                self.keep(draft, 1);
            }
            b'~' if !fish
                && here > start
                && assignment_prefix(self.raw(start..here), self.shell) == Some(here - start) =>
            {
                draft.expanded = true;
                self.keep(draft, 1);
            }
            _ => {
                let plain = self.rest().bytes().take_while(|byte| !ENDS_PLAIN_TEXT.contains(byte)).count();
                self.keep(draft, plain.max(1));
            }
        }
        true
    }

    /// Adds the next `bytes` bytes unchanged.
    pub(super) fn keep(&mut self, draft: &mut WordDraft, bytes: usize) {
        let from = self.pos;
        self.pos += bytes;
        draft.add(self.raw(from..self.pos), from);
    }

    /// Adds the text read since `from` unchanged and marks the word as expanded.
    pub(super) fn keep_expanded(&mut self, draft: &mut WordDraft, from: usize) {
        draft.expanded = true;
        draft.add(self.raw(from..self.pos), from);
    }

    /// Reads `<` or `>` in a word: a process substitution, a number range, or the end of the word.
    fn angle(&mut self, draft: &mut WordDraft) -> bool {
        let from = self.pos;
        if !self.shell.is_fish() && self.at(1) == b'(' {
            self.pos += 2;
            self.enclosed(from..self.pos, Nesting::ProcessSubstitution, "process substitution");
            self.keep_expanded(draft, from);
            return true;
        }
        if self.dialect().has_pattern_groups
            && let Some(bytes) = self.numeric_glob()
        {
            draft.glob = true;
            self.keep(draft, bytes);
            return true;
        }
        false
    }

    /// Reads `(` in a word: an array, a substitution, a pattern, or the end of the word.
    fn parenthesis(&mut self, draft: &mut WordDraft, start: usize) -> bool {
        let from = self.pos;
        let before = self.raw(start..from);
        let assigns = assignment_prefix(before, self.shell) == Some(before.len());
        let dialect = self.dialect();
        match before {
            _ if self.shell.is_fish() => {
                self.pos += 1;
                self.enclosed(from..self.pos, Nesting::Substitution, "command substitution");
                self.keep_expanded(draft, from);
                // The result of a substitution can be indexed.
                if self.peek() == b'[' {
                    self.subscript(draft);
                }
            }
            "=" if dialect.has_equals_words => {
                self.pos += 1;
                self.enclosed(from..self.pos, Nesting::ProcessSubstitution, "process substitution");
                self.keep_expanded(draft, from);
            }
            _ if assigns => {
                self.array();
                self.keep_expanded(draft, from);
            }
            _ if dialect.has_pattern_groups && self.empty_parentheses() => return false,
            _ if !dialect.has_pattern_groups && !before.ends_with(['?', '*', '+', '@', '!']) => return false,
            _ => {
                self.pattern_group();
                draft.glob = true;
                draft.add(self.raw(from..self.pos), from);
            }
        }
        true
    }

    /// Reads `(…)` after `NAME=`.
    fn array(&mut self) {
        let open = self.pos..self.pos + 1;
        self.pos += 1;
        loop {
            self.newlines();
            if self.take(")") {
                return;
            }
            if self.at_end() {
                return self.unclosed(open, "array");
            }
            let mut progress = false;
            self.deeper(|parser| progress = parser.word().is_some());
            if !progress && let Some(character) = self.bump() {
                self.error(self.pos - character.len_utf8()..self.pos, format!("unexpected `{character}`"));
            }
        }
    }

    /// Reads a pattern in parentheses: `@(a|b)`, zsh's `(a|b)` and `(.om[1,5])`. Only its parentheses count.
    pub(super) fn pattern_group(&mut self) {
        let open = self.pos..self.pos + 1;
        let mut depth = 0usize;
        while !self.at_end() {
            match self.peek() {
                b'(' => {
                    depth += 1;
                    self.pos += 1;
                }
                b')' => {
                    depth -= 1;
                    self.pos += 1;
                    if depth == 0 {
                        return;
                    }
                }
                b';' | b'\n' => break,
                _ => self.skip_piece(),
            }
        }
        self.unclosed(open, "`(`");
    }

    /// Reads fish's `[…]` after a variable or substitution; it may contain blanks and expansions.
    pub(super) fn subscript(&mut self, draft: &mut WordDraft) {
        let from = self.pos;
        self.pos += 1;
        self.deeper(|parser| {
            while !parser.at_end() && !matches!(parser.peek(), b']' | b')' | b'\n' | b';') {
                if parser.peek() == b'(' {
                    let open = parser.pos..parser.pos + 1;
                    parser.pos += 1;
                    parser.enclosed(open, Nesting::Substitution, "command substitution");
                } else {
                    parser.skip_piece();
                }
            }
        });
        if !self.take("]") {
            self.unclosed(from..from + 1, "`[`");
        }
        draft.add(self.raw(from..self.pos), from);
    }

    /// Skips a quoted part, an expansion or one character, in places where words do not matter.
    pub(super) fn skip_piece(&mut self) {
        let mut ignored = WordDraft::default();
        match self.peek() {
            b'\'' => self.single_quotes(&mut ignored),
            b'"' => self.double_quotes(&mut ignored),
            b'`' if !self.shell.is_fish() => self.backquotes(&mut ignored),
            b'$' => self.dollar(&mut ignored, false),
            b'\\' => self.escape(&mut ignored),
            b'<' | b'>' if self.angle(&mut ignored) => {}
            _ => {
                self.bump();
            }
        }
    }
}

/// Bytes with a special meaning in some word; all others are read in one step.
const ENDS_PLAIN_TEXT: &[u8] = b" \t\n;|&<>()'\"`$\\*?[]{},.~";

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Returns the length of `NAME=`, `NAME+=` or `NAME[…]=` at the start of `raw`.
pub(super) fn assignment_prefix(raw: &str, shell: Shell) -> Option<usize> {
    let bytes = raw.as_bytes();
    if !starts_name(*bytes.first()?) {
        return None;
    }
    let mut at = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    if !shell.is_fish() {
        if bytes.get(at) == Some(&b'[') {
            at += 1 + bytes.iter().skip(at).position(|byte| *byte == b']')?;
        }
        if bytes.get(at) == Some(&b'+') {
            at += 1;
        }
    }
    (bytes.get(at) == Some(&b'=')).then_some(at + 1)
}
