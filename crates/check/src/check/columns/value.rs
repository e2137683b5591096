//! Reads values in a Nushell line: variables with a cell path, parentheses, lists, records and strings.

use super::Flow;
use super::condition::JOINS;
use super::line::{KnownData, LineScope, Run};
use super::path::{self, Member, PathEnd};
use crate::file_schema::{Column, FileSchema};
use askline_syntax::Span;
use askline_syntax::nushell_tokens::{
    Inside, Token, TokenKind, first_tokens, group_end, template_mark, tokens,
};

/// Maximum number of keys in a record literal; larger records are unknown.
const KEYS_MAX: usize = 64;

impl<'a> LineScope<'a> {
    /// Reads values with operators between them; returns the data of a single value.
    pub(super) fn expression(&mut self, tokens: &[Token]) -> Option<Flow<'a>> {
        self.words(tokens, None)
    }

    /// Reads words that Nushell surely evaluates. Words behind `and` and `or` count only if nothing before is a
    /// constant or asks whether a column exists. Returns the data of the last word.
    pub(super) fn words(&mut self, tokens: &[Token], run: Option<&Run<'a>>) -> Option<Flow<'a>> {
        let was_plain = std::mem::replace(&mut self.is_plain, true);
        let is_single = tokens.len() == 1;
        let made = self.scoped(|line| {
            let mut made = None;
            let mut begins = true;
            for token in tokens.iter().filter(|token| token.kind == TokenKind::Word) {
                let raw = line.raw(&token.span);
                let is_join = JOINS.contains(&raw);
                line.is_plain &= !begins || !is_constant(raw);
                begins = is_join;
                made = match raw {
                    _ if is_join => {
                        if !line.is_plain {
                            line.hush();
                        }
                        None
                    }
                    raw if run.is_some() && raw.starts_with('{') && !line.is_record(&token.span) => {
                        line.closure(&token.span, run)
                    }
                    _ => line.value(&token.span, is_single),
                };
            }
            made
        });
        self.is_plain &= was_plain;
        made
    }

    /// Reads one value; returns its data if `wanted` and known.
    pub(super) fn value(&mut self, span: &Span, wanted: bool) -> Option<Flow<'a>> {
        if !self.may_look() {
            return None;
        }
        let raw = self.raw(span);
        match raw.as_bytes() {
            [b'$', b'"' | b'\'', ..] => self.template(span),
            [b'$', ..] => return self.variable(span, wanted),
            [b'(', ..] => return self.group(span, wanted),
            [b'[', ..] => self.list(span),
            [b'{', ..] if self.is_record(span) => return self.record(span, wanted),
            [b'{', ..] => {
                self.is_plain = false;
                self.closure(span, None);
            }
            [b'.', b'.', b'.', b'$' | b'(' | b'[' | b'{', ..] => {
                self.value(&(span.start + 3..span.end), false);
            }
            [b'-', ..] if !raw.contains("$\"") && raw.contains(['$', '(', '[', '{']) => {
                let value = raw.split_once('=').map_or("", |(_, value)| value);
                if value.starts_with(['$', '(', '[', '{']) {
                    self.value(&(span.end - value.len()..span.end), false);
                }
            }
            _ if raw.contains("$\"") || raw.contains("$'") => self.stop(),
            // `amount?`
            _ => self.is_plain &= !raw.contains(['?', '(']),
        }
        None
    }

    /// Reads `$name` or `$name.path`.
    fn variable(&mut self, span: &Span, wanted: bool) -> Option<Flow<'a>> {
        let rest = self.raw(span).strip_prefix('$')?;
        let path = rest.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let name = rest.get(..rest.len() - path.len())?;
        match self.known(name) {
            Some(known) => self.led(known, path, span.end, wanted),
            None => {
                self.is_plain = false;
                None
            }
        }
    }

    /// Reads `(…)` or `(…).path`.
    fn group(&mut self, span: &Span, wanted: bool) -> Option<Flow<'a>> {
        let Some(end) = group_end(self.text(), span.start, span.end) else {
            self.is_plain = false;
            return None;
        };
        let made = self.block(span.start + 1..end - 1, Inside::Parentheses, None)?;
        let path = self.raw(&(end..span.end));
        self.led(KnownData::whole(made), path, span.end, wanted)
    }

    /// Follows a path that ends at byte `end` of the line.
    fn led(&mut self, known: KnownData<'a>, path: &str, end: usize, wanted: bool) -> Option<Flow<'a>> {
        if path.is_empty() {
            self.is_plain = false;
            return if wanted { self.owned(known) } else { None };
        }
        let members = path.strip_prefix('.').and_then(|path| path::parse(path, end - path.len()));
        let Some(members) = members else {
            self.is_plain = false;
            return None;
        };
        let is_optional = |member: &Member| matches!(member, Member::Name { optional: true, .. });
        self.is_plain &= !members.iter().any(is_optional);
        match path::follow(known.view(), &members) {
            PathEnd::There(view) if wanted && self.may_copy() => {
                Some(known.flow.inner(&members, view.schema()))
            }
            PathEnd::There(_) => None,
            PathEnd::Missing(at, columns) => {
                let found = known.flow.missing(&members, at, columns);
                self.add(found);
                None
            }
            PathEnd::Bare(at, bare) => {
                let found = known.flow.bare(&members, at, &bare, None);
                self.add(found);
                None
            }
            PathEnd::Unsure => {
                self.is_plain = false;
                None
            }
        }
    }

    /// Reads `$"… (…) …"`.
    fn template(&mut self, span: &Span) {
        let text = self.text();
        let bytes = text.as_bytes().get(..span.end).unwrap_or_default();
        let quote = bytes.get(span.start + 1).copied().unwrap_or_default();
        let mut at = span.start + 2;
        while let Some(mark) = template_mark(bytes, at, quote) {
            if bytes.get(mark) == Some(&quote) {
                return;
            }
            let Some(end) = group_end(text, mark, span.end) else { return self.stop() };
            self.block(mark + 1..end - 1, Inside::Parentheses, None);
            at = end;
        }
        // The closing quote is missing: the same quotes occur inside, so the word was cut wrongly.
        self.stop();
    }

    /// Reads `[…]`.
    fn list(&mut self, span: &Span) {
        let Some(between) = self.between(span) else { return };
        self.deeper(|line| {
            let (tokens, _) = tokens(line.text(), between, Inside::List);
            for token in tokens.iter().filter(|token| token.kind == TokenKind::Word) {
                line.value(&token.span, false);
            }
        });
    }

    /// Reads `{key: value}`.
    fn record(&mut self, span: &Span, wanted: bool) -> Option<Flow<'a>> {
        let between = self.between(span)?;
        let file = self.file().filter(|_| wanted);
        let keys = self.deeper(|line| {
            let (tokens, _) = tokens(line.text(), between, Inside::Record);
            let mut keys: Option<Vec<Column>> = file.map(|_| Vec::new());
            let mut rest = tokens.as_slice();
            while let Some((first, tail)) = rest.split_first() {
                let pair = tail.split_first().filter(|(colon, _)| colon.kind == TokenKind::Colon);
                let Some((value, tail)) = pair.and_then(|(_, tail)| tail.split_first()) else {
                    // It spreads another record.
                    line.value(&first.span, false);
                    (rest, keys) = (tail, None);
                    continue;
                };
                rest = tail;
                line.value(&first.span, false);
                let made = line.value(&value.span, keys.is_some());
                // In a record key, `?` and `!` are part of the name.
                let name = path::parse(line.raw(&first.span), 0);
                match (name.as_deref(), &mut keys) {
                    (Some([Member::Name { text, optional: false, any_case: false, .. }]), Some(keys))
                        if keys.len() < KEYS_MAX =>
                    {
                        keys.retain(|key| key.name != *text);
                        let schema = made.map_or(FileSchema::Unknown, |made| made.schema);
                        keys.push(Column { name: text.clone(), schema, always: true });
                    }
                    _ => keys = None,
                }
            }
            keys
        });
        let (file, keys) = (file?, keys??);
        let subject = "the record".to_owned();
        Some(Flow { file, schema: FileSchema::Record(keys), subject, noun: "key", is_file: false })
    }

    /// Returns the span between a bracket and its closing bracket.
    pub(super) fn between(&self, span: &Span) -> Option<Span> {
        let end = group_end(self.text(), span.start, span.end)?;
        Some(span.start + 1..end - 1)
    }

    /// Reports whether a word in braces is a record.
    fn is_record(&self, span: &Span) -> bool {
        let Some(between) = self.between(span) else { return false };
        let (first, _) = first_tokens(self.text(), between, Inside::Record, 2);
        let spreads = first.first().is_some_and(|token| self.raw(&token.span).starts_with("..."));
        spreads || first.get(1).is_some_and(|token| token.kind == TokenKind::Colon)
    }
}

/// Reports whether an expression with this first word is independent of the file: `true or …`, `1 == 1 or …`.
fn is_constant(raw: &str) -> bool {
    matches!(raw, "true" | "false" | "null")
        || raw.starts_with(|c: char| c.is_ascii_digit() || "\"'`+-".contains(c))
}
