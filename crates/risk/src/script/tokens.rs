//! Tokenizer for programs: names, texts, marks. Comments and the content of regular expressions are left out.

use std::ops::Range;

use super::Syntax;

/// Maximum number of tokens per text.
const MAX_TOKENS: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: ScriptTokenKind,
    /// Byte range in the program.
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScriptTokenKind {
    /// A qualified name: `os.path.join`, `$x`, `File::Path`. It begins with a dot after a bracket.
    Name(String),
    /// A text literal; `$x` replaces interpolated values.
    Text(String),
    /// A text literal that a shell runs.
    Runs(String),
    /// Code in the replacement of a pattern (Perl's `s///e`).
    Code(String),
    /// Any other single character.
    Mark(char),
}

/// Returns the tokens of a program.
pub(super) fn tokens(text: &str, syntax: &Syntax) -> Vec<Token> {
    let mut reader = ScriptLexer { text, syntax, pos: 0, tokens: Vec::new() };
    while reader.pos < text.len() && reader.tokens.len() < MAX_TOKENS {
        let before = reader.pos;
        reader.step();
        if reader.pos == before {
            break;
        }
    }
    reader.tokens
}

struct ScriptLexer<'a> {
    text: &'a str,
    syntax: &'a Syntax,
    pos: usize,
    tokens: Vec<Token>,
}

impl<'a> ScriptLexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    fn push(&mut self, kind: ScriptTokenKind, from: usize) {
        self.tokens.push(Token { kind, at: from..self.pos });
    }

    fn step(&mut self) {
        let from = self.pos;
        let Some(c) = self.rest().chars().next() else { return };
        if self.comment() {
            return;
        }
        if c == '\n' || !c.is_whitespace() {
            if self.syntax.runs.contains(c) {
                let inside = self.quoted(c, 1);
                return self.push(ScriptTokenKind::Runs(inside), from);
            }
            if self.syntax.quotes.contains(c) {
                // Triple quotes of Python.
                let triple: String = [c; 3].iter().collect();
                let width = if self.syntax.is("python") && self.rest().starts_with(&triple) { 3 } else { 1 };
                let raw = self.quoted(c, width);
                let inside = self.filled(&raw, self.syntax.interpolates.contains(c));
                return self.push(ScriptTokenKind::Text(inside), from);
            }
            if self.name(from) {
                return;
            }
            if c == '%' && self.syntax.letters == "ruby" && self.ruby_literal(from) {
                return;
            }
            if c == '/' && self.syntax.regex && self.pattern_may_stand() && self.pattern() {
                return;
            }
            // Perl's `<*.c>`.
            if c == '<' && self.syntax.letters == "perl" {
                let inside =
                    self.rest().get(1..).and_then(|rest| rest.split_once('>')).map(|(inside, _)| inside);
                let files =
                    |inside: &&str| inside.contains(['*', '?', '/', '~']) && !inside.contains(['\n', ';']);
                if let Some(inside) = inside.filter(files) {
                    self.pos += inside.len() + 2;
                    return self.push(ScriptTokenKind::Text(inside.to_owned()), from);
                }
            }
            self.pos += c.len_utf8();
            return self.push(ScriptTokenKind::Mark(c), from);
        }
        self.pos += c.len_utf8();
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        for (open, close) in &self.syntax.blocks {
            if let Some(inside) = rest.strip_prefix(open.as_str()) {
                let length =
                    inside.find(close.as_str()).map_or(rest.len(), |end| open.len() + end + close.len());
                self.pos += length;
                return true;
            }
        }
        // `$#array` and `#{` begin no comment.
        let variable = self.text.get(..self.pos).is_some_and(|before| before.ends_with(['$', '@']));
        if !variable && self.syntax.comments.iter().any(|open| rest.starts_with(open.as_str())) {
            self.pos += rest.find('\n').unwrap_or(rest.len());
            return true;
        }
        false
    }

    /// Moves past a quoted text and returns its content with escapes decoded.
    fn quoted(&mut self, quote: char, width: usize) -> String {
        self.pos += quote.len_utf8() * width;
        let end: String = std::iter::repeat_n(quote, width).collect();
        let rest = self.rest();
        let mut inside = String::new();
        let mut characters = rest.char_indices();
        while let Some((at, c)) = characters.next() {
            if c == quote && rest.get(at..).is_some_and(|tail| tail.starts_with(&end)) {
                self.pos += at + end.len();
                return inside;
            }
            if c == '\\' {
                match characters.next().map(|(_, next)| next) {
                    Some('n') => inside.push('\n'),
                    Some('t') => inside.push('\t'),
                    Some('x') => {
                        let digits: String = characters.clone().map(|(_, c)| c).take(2).collect();
                        match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                            Some(c) if digits.len() == 2 => {
                                inside.push(c);
                                characters.nth(1);
                            }
                            _ => inside.push('x'),
                        }
                    }
                    Some('\n') | None => {}
                    Some(next) => inside.push(next),
                }
            } else {
                inside.push(c);
            }
        }
        self.pos = self.text.len();
        inside
    }

    /// Returns a text with `$x` or `~` in place of interpolated values.
    fn filled(&self, text: &str, interpolates: bool) -> String {
        if !interpolates {
            return text.to_owned();
        }
        let mut out = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let hole = self
                .syntax
                .holes
                .iter()
                .find_map(|open| rest.strip_prefix(open.as_str()).map(|tail| (open, tail)));
            let Some((open, tail)) = hole else {
                let c = rest.chars().next().unwrap_or_default();
                out.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
                continue;
            };
            let name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let (inside, tail) = if open.contains('{') {
                let (inside, tail) = tail.split_once('}').unwrap_or((tail, ""));
                (inside.to_owned(), tail)
            } else {
                let count = tail.find(|c: char| !name(c)).unwrap_or(tail.len());
                let (inside, after) = tail.split_at_checked(count).unwrap_or((tail, ""));
                if inside.is_empty() {
                    out.push_str(open);
                    rest = tail;
                    continue;
                }
                // `$ENV{HOME}`, `$_SERVER['HOME']`.
                let close = match after.chars().next() {
                    Some('{') => Some('}'),
                    Some('[') => Some(']'),
                    _ => None,
                };
                match close.and_then(|close| after.get(1..)?.split_once(close)) {
                    Some((index, after)) => (format!("{inside}{{{index}}}"), after),
                    None => (inside.to_owned(), after),
                }
            };
            let plain: String = inside.chars().filter(|c| !"'\"`() {}[]".contains(*c)).collect();
            let home = [
                "ENVHOME",
                "_ENVHOME",
                "_SERVERHOME",
                "ENV.fetchHOME",
                "process.env.HOME",
                "os.environHOME",
                "ENVIRONHOME",
            ];
            let home = home.contains(&plain.as_str()) || self.syntax.home.contains(&plain);
            out.push_str(if home { "~" } else { "$x" });
            rest = tail;
        }
        out
    }

    /// Reads a name at the cursor, or a literal that begins with letters.
    fn name(&mut self, from: usize) -> bool {
        let rest = self.rest();
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        let perl = self.syntax.letters == "perl";
        let sigil = |c: char| match c {
            '$' | '@' => perl || self.syntax.is("php") || self.syntax.is("ruby"),
            '%' => perl,
            _ => false,
        };
        let behind_bracket = matches!(
            self.tokens.last().map(|token| &token.kind),
            Some(ScriptTokenKind::Mark(')' | ']' | '}') | ScriptTokenKind::Text(_))
        ) && self
            .text
            .get(..from)
            .is_some_and(|before| before.ends_with([')', ']', '}', '\'', '"', '`']));
        let mut end = 0;
        let mut characters = rest.char_indices().peekable();
        let mut last = ' ';
        while let Some((at, c)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            let joins = match c {
                _ if end > 0 && self.syntax.inside.contains(c) => true,
                '.' => {
                    (end > 0 || behind_bracket)
                        && next.is_some_and(letter)
                        && !self.syntax.is("php")
                        && !perl
                        && !last.is_ascii_digit()
                }
                ':' => end > 0 && (next == Some(':') || last == ':'),
                '-' => end > 0 && next == Some('>') && (perl || self.syntax.is("php")),
                '>' => end > 0 && last == '-',
                '!' | '?' => false,
                _ if at == 0 && sigil(c) => next.is_some_and(|next| letter(next) || "_{".contains(next)),
                _ => letter(c),
            };
            if !joins || (at == 0 && c == '-') {
                break;
            }
            last = c;
            end = at + c.len_utf8();
        }
        let Some(name) = rest.get(..end).filter(|name| !name.is_empty()) else { return false };
        let next = rest.get(end..).and_then(|rest| rest.chars().next());
        // String prefixes of Python: `r'…'`, `f"…"`.
        if self.syntax.is("python")
            && name.len() <= 2
            && name.chars().all(|c| "rbfuRBFU".contains(c))
            && let Some(quote @ ('\'' | '"')) = next
        {
            self.pos += end;
            let triple: String = [quote; 3].iter().collect();
            let width = if self.rest().starts_with(&triple) { 3 } else { 1 };
            let raw = self.quoted(quote, width);
            let text = if name.contains(['f', 'F']) { braced_holes(&raw, self.syntax) } else { raw };
            self.push(ScriptTokenKind::Text(text), from);
            return true;
        }
        if self.syntax.letters == "perl" && self.perl_literal(name, from) {
            return true;
        }
        self.pos += end;
        let name = name.trim_end_matches(['-', '>', ':']).to_owned();
        self.push(ScriptTokenKind::Name(name), from);
        true
    }

    /// Reads a literal of Perl: `q(…)`, `qq{…}`, `qw/…/`, `qx/…/`, `m/…/`, `s/…/…/e`, `y/…/…/`.
    fn perl_literal(&mut self, name: &str, from: usize) -> bool {
        let parts = match name {
            "q" | "qq" | "qw" | "qx" | "m" | "qr" => 1,
            "s" | "tr" | "y" => 2,
            _ => return false,
        };
        let after = self.rest().get(name.len()..).unwrap_or_default();
        let Some(open) = after.chars().next().filter(|c| !c.is_alphanumeric() && !" \t\n,;=)".contains(*c))
        else {
            return false;
        };
        self.pos += name.len();
        let first = self.delimited(open);
        let mut second = String::new();
        if parts == 2 {
            let close = closing(open);
            let next = if close == open { Some(open) } else { self.rest().trim_start().chars().next() };
            if close == open {
                // The middle delimiter ends the first part and begins the second.
                self.pos = self.pos.saturating_sub(open.len_utf8());
            } else {
                self.pos += self.rest().len() - self.rest().trim_start().len();
            }
            second = next.map(|open| self.delimited(open)).unwrap_or_default();
        }
        let flags: String = self.rest().chars().take_while(char::is_ascii_alphabetic).collect();
        if matches!(name, "m" | "s" | "tr" | "y" | "qr") {
            self.pos += flags.len();
        }
        match name {
            "qx" => {
                let script = self.filled(&first, false);
                self.push(ScriptTokenKind::Runs(script), from);
            }
            "q" => self.push(ScriptTokenKind::Text(first), from),
            "qq" => {
                let text = self.filled(&first, true);
                self.push(ScriptTokenKind::Text(text), from);
            }
            "qw" => {
                self.push(ScriptTokenKind::Mark('('), from);
                for word in first.split_whitespace() {
                    self.push(ScriptTokenKind::Text(word.to_owned()), from);
                    self.push(ScriptTokenKind::Mark(','), from);
                }
                self.push(ScriptTokenKind::Mark(')'), from);
            }
            "s" if flags.contains('e') => self.push(ScriptTokenKind::Code(second), from),
            // A pattern is not a path.
            _ => self.push(ScriptTokenKind::Mark('≈'), from),
        }
        true
    }

    /// Reads a literal of Ruby: `%x(…)`, `%q(…)`, `%w[…]`.
    fn ruby_literal(&mut self, from: usize) -> bool {
        let mut after = self.rest().chars().skip(1);
        let (Some(letter), Some(open)) = (after.next(), after.next()) else { return false };
        if !"xqQw".contains(letter) || open.is_alphanumeric() || open.is_whitespace() {
            return false;
        }
        self.pos += 2;
        let inside = self.delimited(open);
        let inside = self.filled(&inside, letter != 'q');
        match letter {
            'x' => self.push(ScriptTokenKind::Runs(inside), from),
            'w' => {
                self.push(ScriptTokenKind::Mark('['), from);
                for word in inside.split_whitespace() {
                    self.push(ScriptTokenKind::Text(word.to_owned()), from);
                    self.push(ScriptTokenKind::Mark(','), from);
                }
                self.push(ScriptTokenKind::Mark(']'), from);
            }
            _ => self.push(ScriptTokenKind::Text(inside), from),
        }
        true
    }

    /// Moves past the text between the delimiter at the cursor and its counterpart, and returns the text.
    fn delimited(&mut self, open: char) -> String {
        let close = closing(open);
        let rest = self.rest();
        let mut depth = 0usize;
        let mut escaped = false;
        for (at, c) in rest.char_indices() {
            if at == 0 {
                depth = 1;
            } else if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    self.pos += at + c.len_utf8();
                    return rest.get(open.len_utf8()..at).unwrap_or_default().to_owned();
                }
            } else if c == open {
                depth += 1;
            }
        }
        self.pos = self.text.len();
        rest.get(open.len_utf8()..).unwrap_or_default().to_owned()
    }

    /// Reports whether a `/` at the cursor begins a pattern; otherwise it divides.
    fn pattern_may_stand(&self) -> bool {
        match self.tokens.last().map(|token| &token.kind) {
            None => true,
            Some(ScriptTokenKind::Mark(c)) => !")]}".contains(*c) || (*c == '}' && self.syntax.is("awk")),
            Some(ScriptTokenKind::Name(name)) => {
                matches!(
                    name.as_str(),
                    "if" | "unless" | "and" | "or" | "not" | "split" | "return" | "grep" | "while" | "print"
                )
            }
            Some(_) => false,
        }
    }

    /// Moves past `/…/` if it ends on the same line.
    fn pattern(&mut self) -> bool {
        let (mut escaped, mut class) = (false, false);
        let from = self.pos;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => class = true,
                ']' => class = false,
                '\n' => return false,
                '/' if !class => {
                    self.pos += at + 1;
                    self.pos += self.rest().chars().take_while(char::is_ascii_alphabetic).count();
                    // A pattern is not a path.
                    self.push(ScriptTokenKind::Mark('≈'), from);
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// Replaces `{x}` in the text of Python's `f"{x}"`.
fn braced_holes(text: &str, syntax: &Syntax) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once('{') {
        out.push_str(before);
        let (hole, after) = inside.split_once('}').unwrap_or((inside, ""));
        let plain: String = hole.chars().filter(|c| !"'\"()[]".contains(*c)).collect();
        out.push_str(if syntax.home.contains(&plain) || plain == "os.environHOME" { "~" } else { "$x" });
        rest = after;
    }
    out.push_str(rest);
    out
}
