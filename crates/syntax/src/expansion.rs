//! Parser for the parts of a word: quotes, escapes and `$` expansions.

use super::Nesting;
use super::parser::{Closers, Parser};
use super::word::WordDraft;

/// Maximum length in bytes of zsh's subscript of a variable.
const SUBSCRIPT_BYTES_MAX: usize = 256;

/// Removes the backslashes that escape characters inside backquotes. Also returns the command-line offset of each
/// byte of the result, and of its end.
fn unescaped(raw: &str, start: usize) -> (String, Vec<usize>) {
    let mut text = String::with_capacity(raw.len());
    let mut map = Vec::with_capacity(raw.len() + 1);
    let mut characters = raw.char_indices().peekable();
    while let Some((at, mut character)) = characters.next() {
        if character == '\\'
            && let Some((_, next)) = characters.next_if(|(_, next)| matches!(next, '`' | '\\' | '$'))
        {
            character = next;
        }
        text.push(character);
        map.resize(text.len(), start + at);
    }
    map.push(start + raw.len());
    (text, map)
}

impl Parser<'_> {
    /// Reads `'…'`.
    pub(super) fn single_quotes(&mut self, draft: &mut WordDraft) {
        let open = self.pos..self.pos + 1;
        draft.quoted = true;
        self.pos += 1;
        loop {
            let plain = self.rest().bytes().take_while(|byte| !matches!(byte, b'\'' | b'\\')).count();
            self.keep(draft, plain);
            match self.peek() {
                b'\'' => {
                    self.pos += 1;
                    return;
                }
                b'\\' => {
                    // In fish `\'` and `\\` are the only escapes in single quotes.
                    let escaped = self.at(1);
                    if self.shell.is_fish() && matches!(escaped, b'\'' | b'\\') {
                        self.pos += 2;
                        draft.decode(char::from(escaped), self.pos - 2..self.pos);
                    } else {
                        self.keep(draft, 1);
                    }
                }
                _ => return self.unclosed(open, "quote"),
            }
        }
    }

    /// Reads `"…"`.
    pub(super) fn double_quotes(&mut self, draft: &mut WordDraft) {
        let open = self.pos..self.pos + 1;
        draft.quoted = true;
        self.pos += 1;
        loop {
            let plain =
                self.rest().bytes().take_while(|byte| !matches!(byte, b'"' | b'\\' | b'$' | b'`')).count();
            self.keep(draft, plain);
            match self.peek() {
                _ if self.at_end() => return self.unclosed(open, "quote"),
                b'"' => {
                    self.pos += 1;
                    return;
                }
                b'\\' => self.quoted_escape(draft),
                b'$' => self.dollar(draft, true),
                b'`' if !self.shell.is_fish() => self.backquotes(draft),
                _ => self.keep(draft, 1),
            }
        }
    }

    /// Reads a backslash in `"…"` or a here-document. It is removed only before a character that is special there.
    fn quoted_escape(&mut self, draft: &mut WordDraft) {
        match self.at(1) {
            b'\n' => self.pos += 2,
            byte @ (b'$' | b'"' | b'\\' | b'`') if byte != b'`' || !self.shell.is_fish() => {
                self.pos += 2;
                draft.decode(char::from(byte), self.pos - 2..self.pos);
            }
            _ => self.keep(draft, 1),
        }
    }

    /// Reads text in which only expansions count: the body of a here-document.
    pub(super) fn expansions(&mut self) {
        let mut ignored = WordDraft::default();
        while !self.at_end() {
            match self.peek() {
                b'\\' => self.quoted_escape(&mut ignored),
                b'$' => self.dollar(&mut ignored, true),
                b'`' => self.backquotes(&mut ignored),
                _ => {
                    self.pos +=
                        self.rest().bytes().take_while(|byte| !matches!(byte, b'\\' | b'$' | b'`')).count();
                }
            }
            ignored.text.clear();
        }
    }

    /// Reads a backslash outside quotes.
    pub(super) fn escape(&mut self, draft: &mut WordDraft) {
        let from = self.pos;
        self.pos += 1;
        if self.shell.is_fish() {
            return self.fish_escape(draft, from);
        }
        match self.bump() {
            None => {
                self.parsed.incomplete = true;
                draft.add("\\", from);
            }
            Some('\n') => {}
            Some(character) => {
                draft.quoted = true;
                draft.decode(character, from..self.pos);
            }
        }
    }

    /// Reads `` `…` ``: a backslash inside is removed before `` ` ``, `\` and `$`.
    pub(super) fn backquotes(&mut self, draft: &mut WordDraft) {
        let from = self.pos;
        self.pos += 1;
        let start = self.pos;
        let mut escaped = false;
        loop {
            self.pos += self.rest().bytes().take_while(|byte| !matches!(byte, b'`' | b'\\')).count();
            match self.peek() {
                b'`' => break,
                b'\\' => {
                    escaped |= matches!(self.at(1), b'`' | b'\\' | b'$');
                    self.pos += 1;
                    self.bump();
                }
                _ => {
                    self.unclosed(from..start, "backquote");
                    break;
                }
            }
        }
        let stop = self.pos;
        self.nested(Nesting::Substitution, |parser| {
            if escaped {
                let (text, map) = unescaped(parser.raw(start..stop), start);
                parser.derived(&text, &map);
            } else {
                parser.between(start, stop, |parser| {
                    parser.separate(Closers::NONE);
                });
            }
        });
        self.pos = stop;
        self.take("`");
        self.keep_expanded(draft, from);
    }

    /// Reads an expansion that starts with `$`.
    pub(super) fn dollar(&mut self, draft: &mut WordDraft, quoted: bool) {
        let from = self.pos;
        let fish = self.shell.is_fish();
        match self.at(1) {
            b'(' if !fish && self.at(2) == b'(' && self.is_arithmetic(self.pos + 1) => {
                self.pos += 1;
                self.arithmetic();
            }
            b'(' => {
                self.pos += 2;
                self.enclosed(from..self.pos, Nesting::Substitution, "command substitution");
                if fish && self.peek() == b'[' {
                    self.subscript(&mut WordDraft::default());
                }
            }
            _ if fish => return self.fish_variable(draft, quoted),
            b'{' => self.braced(quoted),
            b'[' => {
                self.pos += 2;
                while !self.at_end() && self.peek() != b']' {
                    if self.peek() == b'\n' {
                        break;
                    }
                    self.skip_piece();
                }
                if !self.take("]") {
                    self.unclosed(from..from + 2, "`$[`");
                }
            }
            b'\'' if !quoted => {
                self.pos += 2;
                return self.ansi_quotes(draft, from);
            }
            b'"' if !quoted && self.dialect().has_translated_quotes => {
                self.pos += 1;
                return self.double_quotes(draft);
            }
            _ => {
                self.pos += 1;
                if !self.variable() {
                    draft.add("$", from);
                    return;
                }
            }
        }
        self.keep_expanded(draft, from);
    }

    /// Reads the name after `$`, with zsh's flags before it and zsh's subscript after it. Returns `false` if there
    /// is no name.
    fn variable(&mut self) -> bool {
        let zsh = self.dialect().has_variable_flags;
        if zsh
            && matches!(self.peek(), b'+' | b'^' | b'=' | b'~' | b'#')
            && (self.at(1).is_ascii_alphanumeric() || self.at(1) == b'_')
        {
            self.pos += 1;
        }
        let name =
            self.rest().bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if name > 0 {
            // `$12` is `$1` and a 2, except in zsh.
            self.pos += if self.peek().is_ascii_digit() && !zsh { 1 } else { name };
        } else if matches!(self.peek(), b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            self.pos += 1;
        } else {
            return false;
        }
        if zsh && self.peek() == b'[' {
            self.zsh_subscript();
        }
        true
    }

    /// Reads zsh's `[1,-1]` or `[(r)a*]` after a variable, if it closes before the word could end.
    fn zsh_subscript(&mut self) {
        let mut depth = 0usize;
        let mut close = None;
        for (index, byte) in self.rest().bytes().take(SUBSCRIPT_BYTES_MAX).enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'"' | b'\'' => break,
                _ => {}
            }
            if depth == 0 {
                close = Some(self.pos + index);
                break;
            }
        }
        let Some(close) = close else { return };
        self.deeper(|parser| {
            while parser.pos < close {
                parser.skip_piece();
            }
        });
        self.take("]");
    }

    /// Reads `${…}`, and bash's `${ command; }`.
    fn braced(&mut self, quoted: bool) {
        let open = self.pos..self.pos + 2;
        self.pos += 2;
        if self.dialect().has_brace_substitution && matches!(self.peek(), b' ' | b'\t' | b'\n') {
            return self.nested(Nesting::Substitution, |parser| {
                parser.separate(Closers::BRACE);
                if !parser.take("}") {
                    parser.unclosed(open, "`${`");
                }
            });
        }
        // In double quotes a single quote has its quoting meaning only in patterns.
        let name = self
            .rest()
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_!#@*".contains(byte))
            .count();
        let quotes =
            !quoted || (self.dialect().quotes_in_patterns && matches!(self.at(name), b'%' | b'/' | b'#'));
        self.deeper(|parser| {
            while !parser.at_end() && parser.peek() != b'}' {
                if parser.peek() == b'\'' && !quotes {
                    parser.pos += 1;
                } else {
                    parser.skip_piece();
                }
            }
            if !parser.take("}") {
                parser.unclosed(open, "`${`");
            }
        });
    }

    /// Reports whether `((` at `start` is arithmetic: it closes with `))`. Otherwise it is a subshell in
    /// parentheses.
    pub(super) fn is_arithmetic(&self, start: usize) -> bool {
        let bytes = self.raw(start..self.end).as_bytes();
        let mut depth = 0usize;
        let mut quote = 0;
        let mut escaped = false;
        for (index, byte) in bytes.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = quote != b'\'',
                b'\'' | b'"' if quote == 0 => quote = *byte,
                _ if quote == *byte => quote = 0,
                _ if quote != 0 => {}
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 1 {
                        return bytes.get(index + 1) == Some(&b')');
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// Reads `((…))` at the cursor; only its parentheses and its expansions count.
    pub(super) fn arithmetic(&mut self) {
        let open = self.pos..self.pos + 2;
        self.pos += 2;
        self.deeper(|parser| {
            let mut depth = 2usize;
            while !parser.at_end() && depth > 0 {
                match parser.peek() {
                    b'(' => {
                        depth += 1;
                        parser.pos += 1;
                    }
                    b')' => {
                        depth -= 1;
                        parser.pos += 1;
                    }
                    _ => parser.skip_piece(),
                }
            }
            if depth > 0 {
                parser.unclosed(open, "`((`");
            }
        });
    }

    /// Reads the rest of `$'…'` and decodes its escapes.
    fn ansi_quotes(&mut self, draft: &mut WordDraft, from: usize) {
        draft.quoted = true;
        loop {
            let here = self.pos;
            match self.bump() {
                None => return self.unclosed(from..from + 2, "quote"),
                Some('\'') => return,
                Some('\\') => self.ansi_escape(draft, here),
                Some(character) => draft.decode(character, here..self.pos),
            }
        }
    }

    /// Decodes an escape of `$'…'` after its backslash at `from`.
    fn ansi_escape(&mut self, draft: &mut WordDraft, from: usize) {
        let Some(letter) = self.bump() else { return };
        let code = match letter {
            'n' => Some(10),
            't' => Some(9),
            'r' => Some(13),
            'a' => Some(7),
            'b' => Some(8),
            'e' | 'E' => Some(27),
            'f' => Some(12),
            'v' => Some(11),
            '\\' | '\'' | '"' | '?' => Some(u32::from(letter)),
            'x' => self.number(16, 2),
            'u' => self.number(16, 4),
            'U' => self.number(16, 8),
            'c' => self.bump().map(|letter| u32::from(letter) & 0x1f),
            '0'..='7' => {
                self.pos -= 1;
                self.number(8, 3)
            }
            _ => None,
        };
        match code {
            Some(code) => self.decode(draft, letter, code, from),
            None => draft.add(self.raw(from..self.pos), from),
        }
    }

    /// Adds the character for the escape `letter` with the number `code`. Bytes above 127 are parts of characters
    /// that the parser cannot combine: such a word is not literal.
    pub(super) fn decode(&mut self, draft: &mut WordDraft, letter: char, code: u32, from: usize) {
        match char::from_u32(code) {
            Some(character) if code < 0x80 || matches!(letter, 'u' | 'U') => {
                draft.decode(character, from..self.pos)
            }
            _ => self.keep_expanded(draft, from),
        }
    }

    /// Reads up to `digits` digits as a number; `None` if there is no digit.
    pub(super) fn number(&mut self, radix: u32, digits: usize) -> Option<u32> {
        let count =
            self.rest().chars().take(digits).take_while(|character| character.is_digit(radix)).count();
        let number = u32::from_str_radix(self.raw(self.pos..self.pos + count), radix).ok();
        self.pos += count;
        number
    }
}
