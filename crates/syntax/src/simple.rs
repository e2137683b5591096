//! Parser for simple commands: assignments, words, redirections; and functions, which look like a simple command up
//! to their `()`.

use super::parser::{Parser, PendingBody};
use super::{Nesting, Redirection, SimpleCommand, Span, Word};

/// Maximum number of here-documents that wait for the end of the line.
const BODIES_MAX: usize = 16;

impl Parser<'_> {
    /// Parses a simple command at the cursor. Returns `false` if there is none.
    pub(super) fn simple_command(&mut self) -> bool {
        let mut assignments = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut redirections = Vec::new();
        let mut span: Option<Span> = None;
        loop {
            self.blanks();
            if self.peek() == b'}' && self.dialect().has_short_forms && self.reserved() == "}" {
                break;
            }
            if self.peek() == b'(' && !self.shell.is_fish() && self.empty_parentheses() {
                if words.is_empty() {
                    break;
                }
                self.function_body();
                return true;
            }
            let piece = if let Some(redirection) = self.redirection() {
                let piece = redirection.span.clone();
                redirections.push(redirection);
                piece
            } else if let Some((word, assigns)) = self.word_or_assignment(words.is_empty()) {
                let piece = word.span.clone();
                if assigns {
                    assignments.push(word)
                } else {
                    words.push(word)
                }
                piece
            } else if self.peek() == b'(' && !words.is_empty() {
                // No shell accepts this, but the parentheses may contain commands.
                let open = self.pos..self.pos + 1;
                self.error(open.clone(), "unexpected `(`");
                self.pos += 1;
                self.enclosed(open.clone(), Nesting::Subshell, "`(`");
                open
            } else {
                break;
            };
            span = Some(span.map_or_else(|| piece.clone(), |span| span.start..piece.end));
        }
        let Some(span) = span else { return false };
        if self.shell.is_fish() {
            self.check_fish_command(&assignments, &words);
        }
        self.push(SimpleCommand {
            span,
            assignments,
            words,
            redirections,
            pipeline: 0,
            position: 0,
            within: Vec::new(),
            external: false,
        });
        true
    }

    /// Parses the redirections after a loop or group, kept as a command without words.
    pub(super) fn trailing_redirections(&mut self) {
        let mut redirections: Vec<Redirection> = Vec::new();
        loop {
            self.blanks();
            match self.redirection() {
                Some(redirection) => redirections.push(redirection),
                None => break,
            }
        }
        if let (Some(first), Some(last)) = (redirections.first(), redirections.last()) {
            self.push(SimpleCommand {
                span: first.span.start..last.span.end,
                assignments: Vec::new(),
                words: Vec::new(),
                redirections,
                pipeline: 0,
                position: 0,
                within: Vec::new(),
                external: false,
            });
        }
    }

    /// Parses `()` after a name and the command that follows: the function's body.
    pub(super) fn function_body(&mut self) {
        if self.empty_parentheses() {
            while self.bump().is_some_and(|character| character != ')') {}
        }
        self.newlines();
        self.nested(Nesting::Function, |parser| {
            let start = parser.pos;
            parser.function_command();
            if parser.pos == start {
                parser.missing("a function body");
            }
        });
    }

    /// Reports whether `(`, optional blanks and `)` come next.
    pub(super) fn empty_parentheses(&self) -> bool {
        let inside = self.rest().strip_prefix('(');
        inside.is_some_and(|inside| inside.trim_start_matches([' ', '\t']).starts_with(')'))
    }

    fn check_fish_command(&mut self, assignments: &[Word], words: &[Word]) {
        if let (Some(first), true) = (assignments.first(), words.is_empty()) {
            self.error(first.span.clone(), "fish sets variables with `set NAME VALUE`");
        }
        if let Some(first) = words.first()
            && (self.raw(first.span.clone()).starts_with('(')
                || self.raw(first.span.clone()).starts_with("$("))
        {
            self.error(first.span.clone(), "a command substitution can't be a command word");
        }
    }

    /// Parses the redirection at the cursor. `None` if there is none.
    fn redirection(&mut self) -> Option<Redirection> {
        let start = self.pos;
        let (descriptor, prefix) = self.descriptor()?;
        let after = self.raw(self.pos + prefix..self.end).as_bytes();
        let mut operators = self.dialect().operators.iter();
        let operator = *operators.find(|operator| after.starts_with(operator.as_bytes()))?;
        // `&>` and its like take no descriptor.
        if prefix > 0 && operator.starts_with('&') {
            return None;
        }
        // `<(` and `>(` start words; so does zsh's `<1-9>`. fish's `>|` is a pipe.
        let next = after.get(operator.len()).copied().unwrap_or(0);
        let single = operator == "<" || operator == ">";
        let starts_word = if self.shell.is_fish() {
            next == b'|'
        } else {
            prefix == 0
                && (next == b'(' || self.dialect().has_pattern_groups && self.numeric_glob().is_some())
        };
        if single && starts_word {
            return None;
        }
        self.pos += prefix + operator.len();
        self.blanks();
        let target = self.word();
        if target.is_none() {
            self.error(start..self.pos, format!("the target of `{operator}` is missing"));
        }
        if let (Some(target), "<<" | "<<-") = (&target, operator) {
            if self.bodies.len() < BODIES_MAX {
                let body = PendingBody {
                    delimiter: target.text.clone(),
                    quoted: target.quoted || self.raw(target.span.clone()).contains('\\'),
                    tabs: operator == "<<-",
                };
                self.bodies.push(body);
            } else {
                self.error(target.span.clone(), "too many here-documents");
            }
        }
        let end = target.as_ref().map_or(start + prefix + operator.len(), |target| target.span.end);
        Some(Redirection { span: start..end, descriptor, operator: operator.to_owned(), target })
    }

    /// Returns the descriptor before a redirection operator and its length in bytes: `2`, `{fd}`, or nothing.
    fn descriptor(&self) -> Option<(Option<u32>, usize)> {
        let bytes = self.rest().as_bytes();
        match bytes.first()? {
            b'<' | b'>' | b'&' => Some((None, 0)),
            b'0'..=b'9' => {
                let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let number = self.raw(self.pos..self.pos + digits).parse().ok();
                matches!(bytes.get(digits), Some(b'<' | b'>')).then_some((number, digits))
            }
            b'{' if !self.shell.is_fish() => {
                let name = bytes
                    .iter()
                    .skip(1)
                    .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                    .count();
                (name > 0
                    && bytes.get(name + 1) == Some(&b'}')
                    && matches!(bytes.get(name + 2), Some(b'<' | b'>')))
                .then_some((None, name + 2))
            }
            _ => None,
        }
    }

    /// Returns the length of zsh's `<1-9>` at the cursor.
    pub(super) fn numeric_glob(&self) -> Option<usize> {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let dash = 1 + digits(1);
        let close = dash + 1 + digits(dash + 1);
        (bytes.first() == Some(&b'<') && bytes.get(dash) == Some(&b'-') && bytes.get(close) == Some(&b'>'))
            .then_some(close + 1)
    }
}
