//! Parser for Nushell without its engine: statements, pipelines and assignments. `tokens` is the tokenizer, `strings`
//! reads quotes, `calls` parses a command and its words, `values` the parts of words.
//!
//! The result equals that of [`super::nu`], which uses the engine, as far as this is possible without the user's
//! definitions.

mod calls;
pub mod strings;
pub mod tokens;
mod values;
mod word;

pub(super) use self::calls::{COMMANDS, body_of};
use self::tokens::{Inside, Problem, Token, TokenKind};
pub(super) use self::values::UNITS;
use self::values::WordPosition;
pub(super) use self::values::is_env_assignment;
pub(super) use self::word::{external_word, word};
use super::parser::Parser;
use super::{Nesting, Redirection, SimpleCommand, Span, Word};

/// Start of the error message about a piece that Nushell cannot classify.
pub const NOT_UNDERSTOOD: &str = "nushell doesn't understand";

impl<'a> Parser<'a> {
    /// Parses the whole command line.
    pub(super) fn nushell(&mut self) {
        let whole = self.pos..self.end;
        let (tokens, problem) = tokens::tokens(self.raw(0..self.end), whole, Inside::Block);
        // This tokenizing also covers nested brackets: later calls ignore their problems.
        match problem {
            Some(Problem::Unexpected(span)) => {
                let text = format!("unexpected `{}`", self.raw(span.clone()));
                self.error(span, text);
            }
            Some(Problem::Unclosed(span, what)) => {
                self.pos = self.end;
                self.unclosed(span, what);
            }
            None => {}
        }
        self.statements(&tokens, self.end);
    }

    /// Parses the commands in a span.
    fn nu_block(&mut self, span: Span, inside: Inside) {
        let end = span.end;
        let (tokens, _) = tokens::tokens(self.raw(0..end), span, inside);
        self.statements(&tokens, end);
    }

    fn statements(&mut self, tokens: &[Token], end: usize) {
        let mut rest = tokens;
        while !rest.is_empty() {
            let stop = rest.iter().position(|token| token.kind.ends_statement()).unwrap_or(rest.len());
            let (statement, tail) = rest.split_at(stop);
            let next = tail.first().map_or(end, |token| token.span.start);
            if !statement.is_empty() {
                self.begin_pipeline();
                self.elements(statement, next);
            }
            if let Some(token) = tail.first().filter(|token| token.kind == TokenKind::AndOr) {
                let text = format!("nushell has no `{}`", self.raw(token.span.clone()));
                self.error(token.span.clone(), text);
            }
            rest = tail.get(1..).unwrap_or_default();
        }
    }

    fn begin_pipeline(&mut self) {
        (self.pipeline, self.position) = (self.pipelines, 0);
        self.pipelines += 1;
    }

    /// Parses elements connected by pipes, up to `end`.
    fn elements(&mut self, tokens: &[Token], end: usize) {
        let mut rest = tokens;
        loop {
            let cuts = |token: &&Token| matches!(token.kind, TokenKind::Pipe | TokenKind::Assignment);
            let (stop, equals) = match rest.iter().enumerate().find(|(_, token)| cuts(token)) {
                Some((at, token)) if token.kind == TokenKind::Pipe => (at, None),
                // An assignment takes the pipes that follow.
                found => (rest.len(), found.map(|(at, _)| at)),
            };
            let (element, tail) = rest.split_at(stop);
            if element.is_empty() {
                self.pos = tail.first().map_or(end, |token| token.span.start);
                self.missing("a command");
            }
            let mut waiting = self.element(element, equals, end);
            while !waiting.is_empty() {
                self.begin_pipeline();
                let equals = equals.and_then(|at| at.checked_sub(element.len() - waiting.len()));
                waiting = self.element(waiting, equals, end);
            }
            let Some((_, next)) = tail.split_first() else { return };
            self.position += 1;
            rest = next;
        }
    }

    /// Parses a command, a value or an assignment; `equals` is the index of its `=`. Returns the tokens left: a
    /// command with a pipeline of its own, such as the `if` after `else`.
    fn element<'t>(&mut self, tokens: &'t [Token], equals: Option<usize>, end: usize) -> &'t [Token] {
        let all = tokens.len();
        let (mut command, tokens) = self.env_assignments(tokens);
        let equals = equals.and_then(|at| at.checked_sub(all - tokens.len()));
        let Some(first) = tokens.first() else {
            if let (Some(first), Some(last)) = (command.assignments.first(), command.assignments.last()) {
                let text = "nushell sets variables with `$env.NAME = value`";
                self.error(first.span.start..last.span.end, text);
            }
            return &[];
        };
        let raw = self.raw(first.span.clone());
        let name = self.command_name(tokens);
        match (name.as_ref().map(|(name, _)| name.as_str()), equals) {
            (Some("let" | "mut" | "const" | "export const"), _) => {
                self.binding(command, tokens, name, equals, end);
                &[]
            }
            (Some("alias" | "export alias"), Some(equals)) => {
                let (head, call) = tokens.split_at(equals);
                self.call(command, head, name);
                call.get(1..).unwrap_or_default()
            }
            (_, Some(equals)) => {
                let (target, set) = tokens.split_at(equals);
                if !raw.starts_with('$') {
                    let operator = set.first().map_or(first.span.clone(), |token| token.span.clone());
                    let text = format!("unexpected `{}`", self.raw(operator.clone()));
                    self.error(operator, text);
                }
                let mut left = self.element(target, None, end);
                while !left.is_empty() {
                    left = self.element(left, None, end);
                }
                self.set_to(None, set.get(1..).unwrap_or_default(), end);
                &[]
            }
            (_, None) if values::is_value(raw) => {
                let left = self.expression(&mut command, tokens, end);
                if !command.redirections.is_empty() {
                    command.words.clear();
                    self.push(command);
                }
                left
            }
            (_, None) => self.call(command, tokens, name),
        }
    }

    /// Parses `NAME=value` before a command.
    fn env_assignments<'t>(&mut self, tokens: &'t [Token]) -> (SimpleCommand, &'t [Token]) {
        let mut command = SimpleCommand {
            span: tokens.first().map_or(0..0, |token| token.span.start..token.span.start),
            assignments: Vec::new(),
            words: Vec::new(),
            redirections: Vec::new(),
            pipeline: 0,
            position: 0,
            within: Vec::new(),
            external: false,
        };
        let mut rest = tokens;
        while let Some((token, tail)) = rest.split_first()
            && token.kind == TokenKind::Word
            && is_env_assignment(self.raw(token.span.clone()))
        {
            let raw = self.raw(token.span.clone());
            let (name, value) = raw.split_once('=').unwrap_or((raw, ""));
            let word = word(value, token.span.clone(), !value.starts_with('$'));
            command.span.end = word.span.end;
            command.assignments.push(Word { text: format!("{name}={}", word.text), ..word });
            rest = tail;
        }
        (command, rest)
    }

    /// Parses `let NAME = …`.
    fn binding(
        &mut self,
        mut command: SimpleCommand,
        tokens: &[Token],
        name: Option<(String, usize)>,
        equals: Option<usize>,
        end: usize,
    ) {
        let (target, set) = tokens.split_at(equals.unwrap_or(tokens.len()));
        let rest = self.head(&mut command, target, name);
        if let Some(token) = rest.first() {
            // A type may follow the name.
            let raw = self.raw(token.span.clone());
            let variable = raw.split(':').next().unwrap_or(raw);
            let span = token.span.start..token.span.start + variable.len();
            add(&mut command, word(variable, span, false));
        }
        match set.split_first() {
            Some((_, value)) => self.set_to(Some(command), value, end),
            None => self.push(command),
        }
    }

    /// Parses the right side of an assignment. A value becomes a word of the assigning command; a pipeline becomes
    /// commands of its own.
    fn set_to(&mut self, command: Option<SimpleCommand>, tokens: &[Token], end: usize) {
        let span = tokens.first().map_or(end, |token| token.span.start)
            ..tokens.last().map_or(end, |token| token.span.end);
        if !self.raw(span.clone()).contains('\n') {
            return self.set_to_line(command, tokens, end);
        }
        // After `=` a newline ends a statement, even in parentheses.
        let (tokens, _) = tokens::tokens(self.raw(0..span.end), span, Inside::Block);
        let stop = tokens.iter().position(|token| token.kind.ends_statement()).unwrap_or(tokens.len());
        let (own, more) = tokens.split_at(stop);
        self.set_to_line(command, own, end);
        self.deeper(|parser| parser.statements(more, end));
    }

    fn set_to_line(&mut self, command: Option<SimpleCommand>, tokens: &[Token], end: usize) {
        let Some(first) = tokens.first() else {
            self.pos = end;
            self.missing("a value");
            command.into_iter().for_each(|command| self.push(command));
            return;
        };
        let mut rest = tokens;
        let mut value = command;
        if values::is_value(self.raw(first.span.clone())) {
            let stop = tokens.iter().position(|token| token.kind == TokenKind::Pipe).unwrap_or(tokens.len());
            let (expression, tail) = tokens.split_at(stop);
            let (mut scratch, _) = self.env_assignments(&[]);
            let left = self.expression(value.as_mut().unwrap_or(&mut scratch), expression, end);
            value.take().into_iter().for_each(|command| self.push(command));
            if left.is_empty() {
                let Some((_, next)) = tail.split_first() else { return };
                self.position += 1;
                return self.deeper(|parser| parser.elements(next, end));
            }
            rest = tokens.get(expression.len() - left.len()..).unwrap_or_default();
        }
        value.into_iter().for_each(|command| self.push(command));
        self.begin_pipeline();
        self.deeper(|parser| parser.elements(rest, end));
    }

    /// Parses values with operators between them. Returns the tokens left: an `if` or `match` in the place of a
    /// value.
    fn expression<'t>(
        &mut self,
        command: &mut SimpleCommand,
        tokens: &'t [Token],
        end: usize,
    ) -> &'t [Token] {
        let mut wants_value = true;
        let mut understood = true;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let raw = self.raw(token.span.clone());
            if let Some(taken) = self.nu_redirection(command, tokens, at) {
                at += taken;
                continue;
            }
            if wants_value && matches!(raw, "if" | "match") {
                return tokens.get(at..).unwrap_or_default();
            }
            at += 1;
            if wants_value && !is_operator(raw, true) {
                let word = self.value(token.span.clone(), &WordPosition::Value(Nesting::Group));
                add(command, word);
                wants_value = false;
                continue;
            }
            let is_operator = is_operator(raw, wants_value);
            if !is_operator && understood {
                self.error(token.span.clone(), format!("{NOT_UNDERSTOOD} `{raw}`"));
                understood = false;
            }
            add(command, word(raw, token.span.clone(), false));
            wants_value = is_operator;
        }
        if wants_value {
            self.pos = end;
            self.missing("a value");
        }
        &[]
    }

    /// Parses the redirection at index `at`. Returns the number of tokens it takes.
    fn nu_redirection(&mut self, command: &mut SimpleCommand, tokens: &[Token], at: usize) -> Option<usize> {
        let token = tokens
            .get(at)
            .filter(|token| matches!(token.kind, TokenKind::Redirection | TokenKind::IntoPipe))?;
        let operator = self.raw(token.span.clone()).to_owned();
        let next = tokens
            .get(at + 1)
            .filter(|next| token.kind == TokenKind::Redirection && next.kind == TokenKind::Word);
        let target = next.map(|next| self.value(next.span.clone(), &WordPosition::Value(Nesting::Group)));
        if operator.starts_with('2') {
            self.error(
                token.span.clone(),
                format!("nushell writes `{}` as `{}`", operator, operator.replace('2', "e")),
            );
        } else if token.kind == TokenKind::Redirection && target.is_none() {
            self.error(token.span.clone(), format!("the target of `{operator}` is missing"));
        }
        let taken = 1 + usize::from(target.is_some());
        let end = target.as_ref().map_or(token.span.end, |target| target.span.end);
        command.span.end = end;
        command.redirections.push(Redirection {
            span: token.span.start..end,
            descriptor: None,
            operator,
            target,
        });
        Some(taken)
    }
}

/// Reports whether a word of an expression is an operator: before a value (`wants_value`) or between two.
fn is_operator(raw: &str, wants_value: bool) -> bool {
    if wants_value {
        return raw == "not";
    }
    matches!(raw, "==" | "!=" | "<" | "<=" | ">" | ">=" | "=~" | "!~" | "like" | "not-like" | "in" | "not-in")
        || matches!(
            raw,
            "has" | "not-has" | "starts-with" | "not-starts-with" | "ends-with" | "not-ends-with"
        )
        || matches!(raw, "+" | "-" | "*" | "/" | "//" | "mod" | "**" | "++" | "and" | "or" | "xor")
        || matches!(raw, "bit-and" | "bit-or" | "bit-xor" | "bit-shl" | "bit-shr")
}

/// Appends a word.
fn add(command: &mut SimpleCommand, word: Word) {
    command.span.end = command.span.end.max(word.span.end);
    command.words.push(word);
}
