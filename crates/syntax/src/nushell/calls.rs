//! Parser for Nushell calls: a command's name and its words, by the syntax of each command.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::tokens::{self, Inside, Token, TokenKind};
use super::values::{self, WordPosition};
use super::word::word;
use super::{add, is_operator};
use crate::parser::Parser;
use crate::{Nesting, SimpleCommand, Span};

/// Maximum number of words in a command's name.
const NAME_WORDS_MAX: usize = 3;

/// Names of Nushell's built-in commands.
pub(crate) static COMMANDS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Table {
        commands: BTreeSet<String>,
    }
    let table: Table = toml::from_str(include_str!("commands.toml"))
        .unwrap_or_else(|error| panic!("nushell/commands.toml: {error}"));
    table.commands
});

/// Syntax of the words after a command's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallSyntax {
    /// External program: braces are plain characters.
    External,
    /// Values.
    Plain,
    /// Values and operators.
    Condition,
    While,
    If,
    Loop,
    For,
    Try,
    Match,
    /// A name, a signature, a body.
    Definition,
    /// A name and a signature.
    Declaration,
    /// `overlay use FILE as NAME`.
    Overlay,
}

impl CallSyntax {
    fn of(name: &str) -> Self {
        match name {
            "where" | "any" | "all" => Self::Condition,
            "while" => Self::While,
            "loop" => Self::Loop,
            "if" => Self::If,
            "for" => Self::For,
            "try" => Self::Try,
            "match" => Self::Match,
            "def" | "export def" => Self::Definition,
            "extern" | "export extern" => Self::Declaration,
            "overlay use" => Self::Overlay,
            _ => Self::Plain,
        }
    }

    fn needs_block(self) -> bool {
        matches!(
            self,
            Self::While | Self::If | Self::Loop | Self::For | Self::Try | Self::Match | Self::Definition
        )
    }

    /// Reports whether a word is a keyword of this form.
    fn is_keyword(self, word: &str) -> bool {
        match self {
            Self::If => word == "else",
            Self::For => word == "in",
            Self::Try => matches!(word, "catch" | "finally"),
            Self::Overlay => word == "as",
            _ => false,
        }
    }
}

impl Parser<'_> {
    /// Returns the name of a built-in command at the start of the tokens, and its number of words.
    pub(super) fn command_name(&self, tokens: &[Token]) -> Option<(String, usize)> {
        // `@example` is the command `attr example`.
        const ATTRIBUTE: &str = "attr ";
        let mut name = String::new();
        let mut found = None;
        for (at, token) in tokens.iter().enumerate().take(NAME_WORDS_MAX) {
            if token.kind != TokenKind::Word {
                break;
            }
            let raw = self.raw(token.span.clone());
            match raw.strip_prefix('@') {
                Some(attribute) if at == 0 => name.extend([ATTRIBUTE, attribute]),
                _ if at == 0 => name.push_str(raw.strip_prefix('%').unwrap_or(raw)),
                _ => name.extend([" ", raw]),
            }
            if COMMANDS.contains(&name) {
                found = Some((name.clone(), at + 1));
            }
        }
        let is_attribute = tokens.first().is_some_and(|token| self.begins(token, "@"));
        found.map(|(name, taken)| {
            let told = name.strip_prefix(ATTRIBUTE).filter(|_| is_attribute).map(str::to_owned);
            (told.unwrap_or(name), taken)
        })
    }

    /// Adds a command's name. Returns the tokens after it.
    pub(super) fn head<'t>(
        &mut self,
        command: &mut SimpleCommand,
        tokens: &'t [Token],
        name: Option<(String, usize)>,
    ) -> &'t [Token] {
        let Some(first) = tokens.first() else { return &[] };
        let raw = self.raw(first.span.clone());
        let start = first.span.start + usize::from(raw.starts_with(['^', '%', '@']));
        let (word, taken) = match name {
            Some((name, taken)) => {
                let last = tokens.get(taken - 1).unwrap_or(first);
                (word(&name, start..last.span.end, true), taken)
            }
            None => (self.value(start..first.span.end, &WordPosition::External), 1),
        };
        if command.assignments.is_empty() {
            command.span.start = start;
        }
        add(command, word);
        tokens.get(taken..).unwrap_or_default()
    }

    /// Parses a command and its words. Returns the tokens left: those after `else`, if they are no block.
    pub(super) fn call<'t>(
        &mut self,
        mut command: SimpleCommand,
        tokens: &'t [Token],
        name: Option<(String, usize)>,
    ) -> &'t [Token] {
        let raw = tokens.first().map_or("", |first| self.raw(first.span.clone()));
        let form = match &name {
            Some((name, _)) => CallSyntax::of(name),
            None if raw.starts_with('@') => CallSyntax::Plain,
            None => CallSyntax::External,
        };
        let place = match (&name, form) {
            (_, CallSyntax::External) => WordPosition::External,
            (name, _) => WordPosition::Value(body_of(name.as_ref().map(|(name, _)| name.as_str()))),
        };
        let rest = self.head(&mut command, tokens, name);
        let mut left: &[Token] = &[];
        let mut wants_value = true;
        let mut at = 0;
        while let Some(token) = rest.get(at) {
            if let Some(taken) = self.nu_redirection(&mut command, rest, at) {
                at += taken;
                continue;
            }
            at += 1;
            let raw = self.raw(token.span.clone());
            let is_last = at == rest.len();
            match form {
                _ if form.is_keyword(raw) => {
                    let next = rest.get(at);
                    let is_block = next.is_none_or(|next| self.raw(next.span.clone()).starts_with('{'));
                    if form == CallSyntax::If && !is_block {
                        left = rest.get(at..).unwrap_or_default();
                        break;
                    }
                }
                CallSyntax::If | CallSyntax::While | CallSyntax::Condition
                    if is_operator(raw, wants_value) =>
                {
                    wants_value = true;
                    add(&mut command, word(raw, token.span.clone(), false));
                    if is_last {
                        self.error(token.span.clone(), format!("a value is missing after `{raw}`"));
                    }
                }
                // The loop variable.
                CallSyntax::For if at == 1 => add(&mut command, word(raw, token.span.clone(), false)),
                CallSyntax::Match if is_last && raw.starts_with('{') && at > 1 => {
                    self.match_arms(&mut command, token.span.clone());
                }
                CallSyntax::Definition | CallSyntax::Declaration if raw.starts_with(['[', '(']) => {
                    // `[x: int]: string -> int { … }`
                    let tail = rest.get(at..).unwrap_or_default();
                    let types =
                        tail.iter().take_while(|next| !self.raw(next.span.clone()).starts_with('{')).count();
                    at += types;
                    let last = rest.get(at - 1).unwrap_or(token);
                    let span = token.span.start..last.span.end;
                    add(&mut command, word(self.raw(span.clone()), span, true));
                }
                CallSyntax::Definition if raw.starts_with('{') => {
                    self.closure(&token.span, Nesting::Function);
                    add(&mut command, word(raw, token.span.clone(), false));
                }
                _ if raw == "2>&1" => {
                    self.error(token.span.clone(), "nushell writes `2>&1 |` as `o+e>|`");
                    add(&mut command, word(raw, token.span.clone(), true));
                }
                _ => {
                    wants_value = false;
                    let word = self.value(token.span.clone(), &place);
                    add(&mut command, word);
                }
            }
        }
        let has_block = |token: &Token| {
            matches!(self.raw(token.span.clone()), "-h" | "--help") || self.begins(token, "{")
        };
        if form.needs_block() && !rest.iter().take(at).any(has_block) {
            let after = self.raw(command.span.end..self.end);
            self.pos = self.end - after.trim_start().len();
            self.missing("a block");
        }
        self.push(command);
        left
    }

    fn begins(&self, token: &Token, with: &str) -> bool {
        self.raw(token.span.clone()).starts_with(with)
    }

    /// Parses the arms of `match`: patterns with their results.
    fn match_arms(&mut self, command: &mut SimpleCommand, span: Span) {
        let (start, end) = self.between_braces(&span);
        let (tokens, _) = tokens::tokens(self.raw(0..end), start..end, Inside::List);
        let arrow = |token: &Token| self.raw(token.span.clone()) == "=>";
        let arrows: Vec<usize> =
            tokens.iter().enumerate().filter(|(_, token)| arrow(token)).map(|(at, _)| at).collect();
        let mut at = 0;
        for arrow in arrows {
            let mut guarded = false;
            for token in tokens.get(at..arrow).unwrap_or_default() {
                let raw = self.raw(token.span.clone());
                if raw == "if" {
                    guarded = true;
                } else if guarded {
                    self.value(token.span.clone(), &WordPosition::Value(Nesting::Group));
                } else if token.kind == TokenKind::Word {
                    add(command, word(raw, token.span.clone(), !raw.starts_with(['$', '[', '{', '('])));
                }
            }
            at = arrow + 1;
            let Some(token) = tokens.get(at) else { break };
            at += 1;
            let raw = self.raw(token.span.clone());
            if values::is_value(raw) {
                let word = self.value(token.span.clone(), &WordPosition::Value(Nesting::Branch));
                add(command, word);
            } else {
                // A plain word there is a command.
                let arm = std::slice::from_ref(token);
                self.nested(Nesting::Branch, |parser| {
                    parser.begin_pipeline();
                    parser.elements(arm, end);
                });
            }
        }
    }
}

/// Returns the nesting of the commands in a command's `{…}`.
pub(crate) fn body_of(command: Option<&str>) -> Nesting {
    match command {
        Some("if" | "match" | "try") => Nesting::Branch,
        Some("for" | "while" | "loop" | "each" | "par-each" | "items" | "reduce" | "each while") => {
            Nesting::Loop
        }
        Some("def" | "export def") => Nesting::Function,
        _ => Nesting::Group,
    }
}
