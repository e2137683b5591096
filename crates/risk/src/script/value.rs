//! Static values of expressions in a program: concatenated texts, joined paths, variables followed to their
//! assignments. `$x` replaces unknown parts.

use std::cell::Cell;
use std::ops::Range;

use super::tokens::{ScriptTokenKind, Token, tokens};
use super::{Bindings, Syntax, UNKNOWN};

/// Maximum nesting of values.
const DEPTH_MAX: usize = 4;
/// Maximum size of a value, in bytes.
const VALUE_BYTES_MAX: usize = 16 << 10;
/// Maximum number of tokens in one expression.
const EXPRESSION_MAX: usize = 500;
/// Maximum number of tokens read for all values of a program together.
const WORK_MAX: usize = 20_000;

/// Methods that keep a path the same for this purpose.
const NEUTRAL: &[&str] = &[
    ".each",
    ".forEach",
    ".map",
    ".filter",
    ".select",
    ".reject",
    ".strip",
    ".trim",
    ".toString",
    ".to_s",
    ".sort",
    ".sorted",
    ".expanduser",
    ".resolve",
    ".absolute",
    ".realpath",
    ".expand_path",
    ".first",
    ".to_a",
    ".name",
    ".path",
];

/// A value that is read token by token.
struct Value {
    text: String,
    /// `true` if the value is a list of files in a directory.
    lists: bool,
    /// For each open parenthesis: `true` if commas in it join parts of a path.
    joining: Vec<bool>,
    /// `true` if commas in the next parenthesis join parts of a path.
    joins_next: bool,
}

impl Default for Value {
    fn default() -> Self {
        Self { text: String::new(), lists: false, joining: vec![false], joins_next: false }
    }
}

impl Value {
    /// Adds a slash unless one ends the text or the text is empty.
    fn separate(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('/') {
            self.text.push('/');
        }
    }

    /// Adds a mark. Returns `false` if it ends the value.
    fn mark(&mut self, mark: char) -> bool {
        match mark {
            '(' | '[' => self.joining.push(std::mem::take(&mut self.joins_next)),
            ')' | ']' => {
                self.joining.pop();
            }
            ',' if self.joining.last() == Some(&true) && !self.text.ends_with('/') => self.text.push('/'),
            ',' => return false,
            '/' => self.text.push('/'),
            '+' | '.' | '&' | '{' | '}' | '\\' | '"' | '\n' => {}
            '-' if self.text.is_empty() => self.text.push('-'),
            _ => self.text.push_str(UNKNOWN),
        }
        true
    }

    fn finish(mut self) -> String {
        if self.lists {
            self.separate();
            self.text.push('*');
        }
        self.text
    }
}

/// A tokenized program.
pub(super) struct TokenizedProgram<'a> {
    pub(super) syntax: &'a Syntax,
    pub(super) tokens: Vec<Token>,
    bindings: Bindings,
    /// For each token that opens a bracket, the index of the token that closes it.
    closings: Vec<usize>,
    work: Cell<usize>,
}

impl<'a> TokenizedProgram<'a> {
    pub(super) fn new(text: &str, syntax: &'a Syntax) -> Self {
        let tokens = tokens(text, syntax);
        let closings = closings(&tokens);
        let mut program =
            Self { syntax, tokens, bindings: Bindings::new(), closings, work: Cell::new(WORK_MAX) };
        program.bind();
        program
    }

    pub(super) fn kind(&self, at: usize) -> Option<&ScriptTokenKind> {
        self.tokens.get(at).map(|token| &token.kind)
    }

    fn is_mark(&self, at: usize, mark: char) -> bool {
        self.kind(at) == Some(&ScriptTokenKind::Mark(mark))
    }

    fn name(&self, at: usize) -> Option<&str> {
        match self.kind(at)? {
            ScriptTokenKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the index of the token that closes the bracket at `open`, or the number of tokens.
    pub(super) fn closing(&self, open: usize) -> usize {
        self.closings.get(open).copied().unwrap_or(self.tokens.len())
    }

    /// Returns the end of the statement that contains `from`.
    fn statement_end(&self, from: usize, names_end: bool) -> usize {
        let mut depth = 0usize;
        let last = self.tokens.len().min(from + EXPRESSION_MAX);
        for (at, token) in self.tokens.iter().enumerate().take(last).skip(from) {
            match &token.kind {
                ScriptTokenKind::Mark('(' | '[' | '{') => depth += 1,
                ScriptTokenKind::Mark(')' | ']' | '}') if depth == 0 => return at,
                ScriptTokenKind::Mark(')' | ']' | '}') => depth -= 1,
                ScriptTokenKind::Mark(';') if depth == 0 => return at,
                ScriptTokenKind::Mark('\n') if depth == 0 => return at,
                ScriptTokenKind::Name(name)
                    if depth == 0
                        && names_end
                        && matches!(
                            name.as_str(),
                            "or" | "and"
                                | "if"
                                | "unless"
                                | "for"
                                | "foreach"
                                | "while"
                                | "then"
                                | "end"
                                | "do"
                        ) =>
                {
                    return at;
                }
                _ => {}
            }
        }
        last
    }

    /// Returns the start of the statement that contains `at`.
    fn statement_start(&self, at: usize) -> usize {
        let first = at.saturating_sub(EXPRESSION_MAX);
        let before = self.tokens.get(first..at).unwrap_or_default();
        before
            .iter()
            .rposition(|token| matches!(token.kind, ScriptTokenKind::Mark(';' | '\n')))
            .map_or(first, |end| first + end + 1)
    }

    /// Returns the arguments of the call whose name is at `at`, or `None` if it is not a call.
    pub(super) fn arguments(&self, at: usize) -> Option<Vec<Range<usize>>> {
        if self.syntax.prefix {
            return self.elements(at);
        }
        let (from, to) = if self.is_mark(at + 1, '(') {
            (at + 2, self.closing(at + 1))
        } else if self.syntax.bare {
            let assigned =
                matches!(self.kind(at + 1), Some(ScriptTokenKind::Mark('=' | '-' | '.' | ',' | '>')));
            (at + 1, if assigned { return None } else { self.statement_end(at + 1, true) })
        } else if self.is_mark(at + 1, '[') && self.syntax.is("ruby") {
            (at + 2, self.closing(at + 1))
        } else {
            return None;
        };
        let to = to.min(from + EXPRESSION_MAX);
        let mut found = Vec::new();
        let (mut start, mut depth) = (from, 0usize);
        for (at, token) in self.tokens.iter().enumerate().take(to).skip(from) {
            match token.kind {
                ScriptTokenKind::Mark('(' | '[' | '{') => depth += 1,
                ScriptTokenKind::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
                ScriptTokenKind::Mark(',') if depth == 0 => {
                    found.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
        }
        if start < to {
            found.push(start..to);
        }
        Some(found)
    }

    /// Returns the arguments of a call in the way of Lisp, whose name is at `at`: `(f a b)`.
    fn elements(&self, at: usize) -> Option<Vec<Range<usize>>> {
        let open = at.checked_sub(1).filter(|open| self.is_mark(*open, '('))?;
        let end = self.closing(open).min(at + EXPRESSION_MAX).min(self.tokens.len());
        let mut found = Vec::new();
        let mut next = at + 1;
        while next < end {
            let is_group = ['(', '[', '{'].iter().any(|mark| self.is_mark(next, *mark));
            let after = if is_group { self.closing(next) + 1 } else { next + 1 };
            // A quote before an element, and line breaks, are none.
            let is_sign =
                matches!(self.kind(next), Some(ScriptTokenKind::Mark('\'' | '`' | '#' | ':' | '\n')));
            if !is_sign {
                found.push(next..after.min(end));
            }
            next = after;
        }
        Some(found)
    }

    /// Returns the words of a list, or of each argument: `["rm", "-rf", x]`.
    pub(super) fn words(&self, range: &Range<usize>) -> Vec<String> {
        let mut inside = range.clone();
        if self.is_mark(range.start, '[') || self.is_mark(range.start, '(') {
            inside = range.start + 1..self.closing(range.start).min(range.end);
        }
        let mut words = Vec::new();
        let (mut start, mut depth) = (inside.start, 0usize);
        inside.end = inside.end.min(inside.start + EXPRESSION_MAX);
        for at in inside.clone() {
            match self.kind(at) {
                Some(ScriptTokenKind::Mark('(' | '[' | '{')) => depth += 1,
                Some(ScriptTokenKind::Mark(')' | ']' | '}')) => depth = depth.saturating_sub(1),
                Some(ScriptTokenKind::Mark(',')) if depth == 0 => {
                    words.push(self.value(&(start..at)));
                    start = at + 1;
                }
                _ => {}
            }
        }
        if start < inside.end {
            words.push(self.value(&(start..inside.end)));
        }
        words
    }

    /// Returns the expression assigned to a variable if the range is a single variable, otherwise the range itself.
    pub(super) fn resolved(&self, range: &Range<usize>) -> Range<usize> {
        let bound =
            self.name(range.start).filter(|_| range.len() == 1).and_then(|name| self.bindings.get(name));
        bound.unwrap_or(range).clone()
    }

    /// Returns the value of an expression.
    pub(super) fn value(&self, range: &Range<usize>) -> String {
        self.value_at(range, 0)
    }

    /// Returns the value of a variable if the program assigns one.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        self.bindings.get(name).map(|range| self.value_at(range, 1))
    }

    /// Returns the value of the object on which the method at `at` is called.
    pub(super) fn receiver(&self, at: usize) -> String {
        let Some(name) = self.name(at) else { return UNKNOWN.to_owned() };
        if let Some((receiver, _)) = name.rsplit_once('.').filter(|(receiver, _)| !receiver.is_empty()) {
            return self.variable(receiver).unwrap_or_else(|| UNKNOWN.to_owned());
        }
        let (mut start, mut depth) = (at, 0usize);
        while let Some(before) = start.checked_sub(1).filter(|before| at - before < EXPRESSION_MAX) {
            match self.kind(before) {
                Some(ScriptTokenKind::Mark(')' | ']')) => depth += 1,
                Some(ScriptTokenKind::Mark('(' | '[')) if depth == 0 => break,
                Some(ScriptTokenKind::Mark('(' | '[')) => depth -= 1,
                Some(ScriptTokenKind::Mark(';' | '\n' | ',' | '=' | '{' | ':')) if depth == 0 => break,
                Some(ScriptTokenKind::Name(name))
                    if depth == 0 && matches!(name.as_str(), "in" | "return" | "if" | "and" | "await") =>
                {
                    break;
                }
                _ => {}
            }
            start = before;
        }
        self.value(&(start..at))
    }

    fn value_at(&self, range: &Range<usize>, depth: usize) -> String {
        let mut value = Value::default();
        let mut at = range.start;
        while at < range.end.min(self.tokens.len()) {
            let left = self.work.get();
            if left == 0 || value.text.len() > VALUE_BYTES_MAX {
                return UNKNOWN.to_owned();
            }
            self.work.set(left - 1);
            let here = at;
            at += 1;
            let goes_on = match &self.tokens[here].kind {
                ScriptTokenKind::Text(text) => {
                    value.text.push_str(text);
                    true
                }
                ScriptTokenKind::Runs(_) | ScriptTokenKind::Code(_) => {
                    value.text.push_str(UNKNOWN);
                    true
                }
                // Fields of awk.
                ScriptTokenKind::Mark('$') => {
                    value.text.push_str(UNKNOWN);
                    at += usize::from(self.name(at).is_some());
                    true
                }
                ScriptTokenKind::Mark(mark) => value.mark(*mark),
                ScriptTokenKind::Name(name) => match self.named(name, here, depth, &mut value) {
                    Some(next) => {
                        at = next;
                        true
                    }
                    None => false,
                },
            };
            if !goes_on {
                break;
            }
        }
        value.finish()
    }

    /// Adds the value of the name at `here`. Returns the index after it; `None` for a keyword that ends the expression.
    fn named(&self, name: &str, here: usize, depth: usize, value: &mut Value) -> Option<usize> {
        let at = here + 1;
        let group = ['(', '[', '{'].iter().any(|mark| self.is_mark(at, *mark));
        let after_group = if group { self.closing(at) + 1 } else { at };
        let within = |list: &[String]| list.iter().any(|known| fits(known, name));
        if within(&self.syntax.home) {
            // `require('os').homedir()`
            if name.starts_with('.') {
                value.text.clear();
            }
            value.text.push('~');
            return Some(after_group);
        }
        if within(&self.syntax.cwd) {
            value.text.push('.');
            return Some(after_group);
        }
        if within(&self.syntax.env) {
            let key = match self.kind(at + usize::from(group)) {
                Some(ScriptTokenKind::Text(key) | ScriptTokenKind::Name(key)) => key.as_str(),
                _ => "",
            };
            value.text.push_str(match key {
                "HOME" | "USERPROFILE" => "~",
                "PWD" => ".",
                _ => UNKNOWN,
            });
            return Some(if group { after_group } else { at + 1 });
        }
        if within(&self.syntax.joins) {
            self.join(name, depth, value);
        } else if within(&self.syntax.lists) {
            value.lists = true;
        } else if within(&self.syntax.clear) || NEUTRAL.contains(&name) {
        } else if matches!(name, "for" | "else" | "do" | "while") {
            return None;
        } else if name.chars().all(|c| c.is_ascii_digit()) {
            value.text.push_str(name);
        } else {
            value.text.push_str(&self.bound(name, here, depth));
            return Some(after_group);
        }
        Some(at)
    }

    /// Adds the object on which a path is joined: `base.join(…)`. The parts follow in parentheses.
    fn join(&self, name: &str, depth: usize, value: &mut Value) {
        if let Some((receiver, _)) = name.split_once('.') {
            if let Some(bound) = self.bindings.get(receiver).filter(|_| depth < DEPTH_MAX) {
                value.text.push_str(&self.value_at(bound, depth + 1));
            }
            if name.starts_with('.') || self.bindings.contains_key(receiver) {
                value.separate();
            }
        }
        value.joins_next = true;
    }

    /// Returns the value of a variable, also after a method that keeps it.
    fn bound(&self, name: &str, here: usize, depth: usize) -> String {
        let (head, method) = match name.split_once('.') {
            Some((head, _)) if !head.is_empty() => (head, name.get(head.len()..).unwrap_or_default()),
            _ => (name, ""),
        };
        let keeps = method.is_empty() || NEUTRAL.contains(&method);
        match self.bindings.get(head).filter(|_| depth < DEPTH_MAX && keeps) {
            Some(bound) if !bound.contains(&here) => self.value_at(bound, depth + 1),
            _ => UNKNOWN.to_owned(),
        }
    }

    /// Finds the assignments of variables.
    fn bind(&mut self) {
        let mut found: Vec<(String, Range<usize>)> = Vec::new();
        for at in 0..self.tokens.len() {
            let Some(name) = self.name(at) else {
                // Block parameters of Ruby: `{ |f| …`.
                if self.is_mark(at, '|') && self.is_mark(at + 2, '|') && at > 0 {
                    let opens = self.is_mark(at - 1, '{') || self.name(at - 1) == Some("do");
                    if let Some(name) = self.name(at + 1).filter(|_| opens) {
                        found.push((name.to_owned(), self.statement_start(at)..at - 1));
                    }
                }
                continue;
            };
            if self.is_mark(at + 1, '=') {
                match self.kind(at + 2) {
                    // Arrow functions of JavaScript: `f => …`.
                    Some(ScriptTokenKind::Mark('>')) => {
                        found.push((name.to_owned(), self.statement_start(at)..at))
                    }
                    Some(ScriptTokenKind::Mark('=' | '~')) | None => {}
                    Some(_) => found.push((name.to_owned(), at + 2..self.statement_end(at + 2, false))),
                }
                continue;
            }
            match name {
                "in" | "of" if at > 0 => {
                    if let Some(variable) = self.name(at - 1) {
                        let end = self.statement_end(at + 1, false);
                        let colon = (at + 1..end).find(|at| self.is_mark(*at, ':') || self.is_mark(*at, '{'));
                        found.push((variable.to_owned(), at + 1..colon.unwrap_or(end)));
                    }
                }
                "as" => {
                    if let Some(variable) = self.name(at + 1) {
                        let mut before = (at.saturating_sub(EXPRESSION_MAX)..at).rev();
                        let each = before.find(|at| self.name(*at) == Some("foreach"));
                        found.extend(each.map(|each| (variable.to_owned(), each + 2..at)));
                    }
                }
                "for" | "foreach" if self.syntax.letters == "perl" => {
                    let mut next = at + 1;
                    next += usize::from(matches!(self.name(next), Some("my" | "our")));
                    let variable = match self.name(next).filter(|_| self.is_mark(next + 1, '(')) {
                        Some(name) if name.starts_with('$') => {
                            next += 1;
                            name
                        }
                        _ => "$_",
                    };
                    let range = if self.is_mark(next, '(') {
                        next + 1..self.closing(next)
                    } else {
                        next..self.statement_end(next, false)
                    };
                    found.push((variable.to_owned(), range));
                }
                _ => {}
            }
        }
        self.bindings.extend(found);
    }
}

/// Returns, for each token that opens a bracket, the index of the token that closes it.
fn closings(tokens: &[Token]) -> Vec<usize> {
    let mut closings = vec![tokens.len(); tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            ScriptTokenKind::Mark('(' | '[' | '{') => open.push(at),
            ScriptTokenKind::Mark(')' | ']' | '}') => {
                if let Some(closed) = open.pop().and_then(|open: usize| closings.get_mut(open)) {
                    *closed = at;
                }
            }
            _ => {}
        }
    }
    closings
}

/// Reports whether a name matches a table name: `*.x` matches any method or plain call `x`, `.x` any method, `a.b` also
/// `c.a.b`.
pub(super) fn fits(known: &str, name: &str) -> bool {
    let ends = |tail: &str| {
        name.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with(['.', ':', '>']))
    };
    match known.strip_prefix("*.") {
        Some(tail) => ends(tail),
        None if known.starts_with('.') => name.ends_with(known),
        None => name == known || (known.contains(['.', ':']) && ends(known)),
    }
}
