//! Parser for fish: blocks up to `end`, variables and escapes.

use super::parser::{Closers, Parser};
use super::word::WordDraft;
use super::{Nesting, Word};

impl Parser<'_> {
    /// Parses a block at the cursor. Returns `false` if there is none.
    pub(super) fn fish_compound(&mut self) -> bool {
        let start = self.pos;
        let word = self.reserved();
        let nesting = match word {
            "if" | "switch" => Nesting::Branch,
            "while" | "for" => Nesting::Loop,
            "begin" | "{" => Nesting::Group,
            "function" => Nesting::Function,
            _ => return false,
        };
        self.pos += word.len();
        self.nested(nesting, |parser| {
            match word {
                "if" => parser.fish_branches(),
                "while" => {
                    parser.fish_condition();
                    parser.list(Closers::END);
                }
                "for" => {
                    let (variable, words) = parser.for_words();
                    parser.list(Closers::END);
                    parser.push_loop(start, variable, words);
                }
                "switch" => parser.switch(),
                "function" => {
                    if parser.words().is_empty() {
                        parser.missing("a function's name");
                    }
                    parser.list(Closers::END);
                }
                "{" => {
                    parser.list(Closers::BRACE);
                    return parser.close("}", start, "`{`");
                }
                _ => {
                    parser.list(Closers::END);
                }
            }
            parser.close("end", start, &format!("`{word}`"));
        });
        true
    }

    fn fish_condition(&mut self) {
        let start = self.pos;
        self.and_or();
        self.blanks();
        if self.pos == start {
            self.missing("a condition");
        }
    }

    fn fish_branches(&mut self) {
        self.fish_condition();
        loop {
            self.list(Closers::ELSE | Closers::END);
            if !self.take_reserved("else") {
                return;
            }
            self.blanks();
            if self.take_reserved("if") {
                self.fish_condition();
            }
        }
    }

    /// Returns the variable and the words of a loop.
    fn for_words(&mut self) -> (String, Vec<Word>) {
        self.blanks();
        let name = if self.reserved() == "in" { None } else { self.word() };
        self.blanks();
        match name {
            Some(name) if self.take_reserved("in") => (name.text, self.words()),
            _ => {
                self.missing("`NAME in`");
                (String::new(), Vec::new())
            }
        }
    }

    fn switch(&mut self) {
        if self.words().is_empty() {
            self.missing("a word");
        }
        loop {
            self.list(Closers::CASE | Closers::END);
            if !self.take_reserved("case") {
                return;
            }
            self.words();
        }
    }

    /// Reads a variable after `$`, with its index.
    pub(super) fn fish_variable(&mut self, draft: &mut WordDraft, quoted: bool) {
        let from = self.pos;
        self.pos += self.rest().bytes().take_while(|byte| *byte == b'$').count();
        let name =
            self.rest().chars().take_while(|character| character.is_alphanumeric() || *character == '_');
        let bytes: usize = name.map(char::len_utf8).sum();
        self.pos += bytes;
        let text = match self.peek() {
            _ if bytes > 0 => None,
            b'{' => Some("fish writes `${NAME}` as `{$NAME}`"),
            b'?' => Some("fish has `$status` for `$?`"),
            b'#' => Some("fish has `(count $NAME)` for `$#`"),
            b'@' | b'*' => Some("fish has `$argv` for `$@` and `$*`"),
            b'(' if quoted => None,
            _ => Some("a variable's name is missing after `$`"),
        };
        if let Some(text) = text {
            self.error(from..self.pos, text);
        }
        self.keep_expanded(draft, from);
        if bytes > 0 && self.peek() == b'[' {
            self.subscript(draft);
        }
    }

    /// Decodes an escape outside quotes, after its backslash at `from`.
    pub(super) fn fish_escape(&mut self, draft: &mut WordDraft, from: usize) {
        let Some(letter) = self.bump() else {
            self.parsed.incomplete = true;
            return draft.add("\\", from);
        };
        let code = match letter {
            '\n' => return,
            'n' => Some(10),
            't' => Some(9),
            'r' => Some(13),
            'a' => Some(7),
            'b' => Some(8),
            'e' => Some(27),
            'f' => Some(12),
            'v' => Some(11),
            'x' | 'X' => self.number(16, 2),
            'u' => self.number(16, 4),
            'U' => self.number(16, 8),
            'c' => self.bump().map(|letter| u32::from(letter) & 0x1f),
            '0'..='7' => {
                self.pos -= 1;
                self.number(8, 3)
            }
            other => Some(u32::from(other)),
        };
        draft.quoted = true;
        match code {
            Some(code) if letter.is_ascii_alphanumeric() => self.decode(draft, letter, code, from),
            Some(_) => draft.decode(letter, from..self.pos),
            None => self.error(from..self.pos, "an escape without its digits"),
        }
    }
}
