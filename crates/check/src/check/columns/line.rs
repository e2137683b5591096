//! Follows a line through its statements and pipelines: variables of `let` and `for`, input of closures, and the
//! columns used there.
//!
//! Reports only what is certain. It reports nothing inside `try`, `do -i`, `match` and `while`, nothing behind a
//! check for existence or a constant (`if`, `and`, `or`, `columns`), and nothing after a command that may leave a
//! body early (`return`). Inside a closure that may not run, nothing from outside is known.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::path::View;
use super::separator;
use super::{
    Closure, ClosureInput, FINDINGS_MAX, FileSchema, Flow, PipedCommand, ReportDraft, TABLE, opened,
};
use crate::finding::Finding;
use askline_syntax::nushell_tokens::{Inside, Token, TokenKind, tokens};
use askline_syntax::{Parsed, SimpleCommand, Span};

/// Maximum depth of nested brackets.
const NESTING_MAX: usize = 48;
/// Maximum number of statements and words examined per line.
const LOOKS_MAX: usize = 4096;
/// Maximum number of data copies per line.
const COPIES_MAX: usize = 64;
/// Maximum number of parameters of a closure.
const PARAMETERS_MAX: usize = 16;

/// Data that a variable refers to.
#[derive(Clone)]
pub(super) struct KnownData<'a> {
    pub(super) flow: Rc<Flow<'a>>,
    /// `true` if the variable is one row of `flow`.
    pub(super) is_row: bool,
}

impl<'a> KnownData<'a> {
    pub(super) fn whole(flow: Flow<'a>) -> Self {
        Self { flow: Rc::new(flow), is_row: false }
    }

    pub(super) fn view(&self) -> View<'_> {
        let whole = View::of(&self.flow.schema);
        if self.is_row { whole.row() } else { whole }
    }

    fn given(&self, given: ClosureInput) -> Option<Self> {
        match given {
            ClosureInput::Row => Some(Self { flow: Rc::clone(&self.flow), is_row: true }),
            ClosureInput::Whole => Some(self.clone()),
            ClosureInput::Other => None,
        }
    }
}

/// A variable in a scope.
struct Binding<'a> {
    name: &'a str,
    known: Option<KnownData<'a>>,
}

/// The closure rules of a command and the data that its closures receive.
pub(super) struct Run<'a> {
    closure: &'static Closure,
    on: Option<KnownData<'a>>,
}

pub(super) struct LineScope<'a> {
    draft: &'a ReportDraft<'a>,
    parsed: &'a Parsed,
    /// Commands by their first byte.
    commands: BTreeMap<usize, &'a SimpleCommand>,
    /// Variables, innermost last. An empty name hides all earlier variables.
    scope: Vec<Binding<'a>>,
    /// File of the data that the innermost closure receives.
    file: Option<&'a str>,
    found: Vec<Finding>,
    /// Byte offset of the first command that may leave its body early. Later text may not run, and the output may
    /// differ.
    leaves: usize,
    /// `true` in text that may not run or may fail silently: nothing is reported.
    is_quiet: bool,
    /// `true` while no part of the expression read so far asks whether a column exists.
    pub(super) is_plain: bool,
    depth: usize,
    looks: usize,
    copies: usize,
}

impl<'a> LineScope<'a> {
    pub(super) fn new(parsed: &'a Parsed, draft: &'a ReportDraft<'a>) -> Self {
        let mut commands = BTreeMap::new();
        let is_leaving =
            |command: &&SimpleCommand| command.name().is_some_and(|name| TABLE.leaves.contains(name));
        let leaving = parsed.commands.iter().filter(is_leaving).map(|command| command.span.start);
        let named = parsed.commands.iter().filter(|command| !command.words.is_empty());
        for command in named.take(crate::check::COMMANDS_MAX) {
            commands.entry(command.span.start).or_insert(command);
        }
        Self {
            draft,
            parsed,
            commands,
            scope: Vec::new(),
            file: None,
            found: Vec::new(),
            leaves: leaving.min().unwrap_or(usize::MAX),
            is_quiet: false,
            is_plain: true,
            depth: 0,
            looks: 0,
            copies: 0,
        }
    }

    /// Returns the findings of the whole line in order.
    pub(super) fn findings(mut self) -> Vec<Finding> {
        self.block(0..self.draft.line.len(), Inside::Block, None);
        self.found.sort_by_key(|finding| finding.span.start);
        self.found.truncate(FINDINGS_MAX);
        self.found
    }

    pub(super) fn raw(&self, span: &Span) -> &'a str {
        self.draft.line.get(span.clone()).unwrap_or_default()
    }

    pub(super) fn text(&self) -> &'a str {
        self.draft.line
    }

    pub(super) fn file(&self) -> Option<&'a str> {
        self.file
    }

    pub(super) fn add(&mut self, found: impl IntoIterator<Item = Finding>) {
        for finding in found {
            let is_same = |other: &Finding| other.span == finding.span && other.text == finding.text;
            if self.is_quiet || self.leaves < finding.span.start {
                continue;
            }
            if self.found.len() < FINDINGS_MAX && !self.found.iter().any(is_same) {
                self.found.push(finding);
            }
        }
    }

    /// Reports whether one more statement or word may be examined, and counts it.
    pub(super) fn may_look(&mut self) -> bool {
        self.looks += 1;
        self.looks <= LOOKS_MAX && self.found.len() < FINDINGS_MAX
    }

    /// Stops examining the line.
    pub(super) fn stop(&mut self) {
        self.looks = LOOKS_MAX;
    }

    /// Returns the data of a variable.
    pub(super) fn known(&self, name: &str) -> Option<KnownData<'a>> {
        let binding =
            self.scope.iter().rev().find(|binding| binding.name == name || binding.name.is_empty())?;
        binding.known.clone()
    }

    pub(super) fn bind(&mut self, name: &'a str, known: Option<KnownData<'a>>) {
        self.scope.push(Binding { name, known });
    }

    /// Makes all variables unknown until the end of the scope.
    pub(super) fn forget(&mut self) {
        self.bind("", None);
    }

    /// Suppresses findings until the end of the scope.
    pub(super) fn hush(&mut self) {
        self.is_quiet = true;
    }

    /// Runs `inside` with its own scope.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let (names, was_quiet) = (self.scope.len(), self.is_quiet);
        let result = inside(self);
        self.scope.truncate(names);
        self.is_quiet = was_quiet;
        result
    }

    /// Runs `inside` one bracket deeper; `None` at the maximum depth.
    pub(super) fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth == NESTING_MAX {
            return None;
        }
        self.depth += 1;
        let result = self.scoped(inside);
        self.depth -= 1;
        Some(result)
    }

    /// Reports whether one more copy of data is allowed, and counts it.
    pub(super) fn may_copy(&mut self) -> bool {
        self.copies += 1;
        self.copies <= COPIES_MAX
    }

    /// Returns owned data, copied if it is still shared.
    pub(super) fn owned(&mut self, known: KnownData<'a>) -> Option<Flow<'a>> {
        let KnownData { flow, is_row } = known;
        let flow = match Rc::try_unwrap(flow) {
            Ok(flow) if !is_row => return Some(flow),
            Ok(flow) => Rc::new(flow),
            Err(flow) => flow,
        };
        if !self.may_copy() {
            return None;
        }
        let whole = View::of(&flow.schema);
        let schema = if is_row { whole.row().schema() } else { flow.schema.clone() };
        let is_value = whole.is_list() && is_row && whole.row().columns().is_none();
        let subject = if is_value { format!("a value of {}", flow.subject) } else { flow.subject.clone() };
        let is_file = flow.is_file && !(is_row && whole.is_list());
        Some(Flow { file: flow.file, schema, subject, noun: flow.noun, is_file })
    }

    /// Reads the statements in a span; the first one receives `input`. Returns the output of the last one.
    pub(super) fn block(
        &mut self,
        span: Span,
        inside: Inside,
        input: Option<KnownData<'a>>,
    ) -> Option<Flow<'a>> {
        self.deeper(|line| {
            let (tokens, _) = tokens(line.text(), span, inside);
            let mut input = input;
            let mut made = None;
            for statement in tokens.split(|token| token.kind.ends_statement()) {
                if statement.is_empty() {
                    continue;
                }
                if !line.may_look() {
                    return None;
                }
                made = line.statement(statement, inside, input.take());
            }
            made
        })?
    }

    fn statement(
        &mut self,
        tokens: &[Token],
        inside: Inside,
        input: Option<KnownData<'a>>,
    ) -> Option<Flow<'a>> {
        let first = tokens.first().map_or("", |token| self.raw(&token.span));
        let Some(equals) = tokens.iter().position(|token| token.kind == TokenKind::Assignment) else {
            return self.pipeline(tokens, input);
        };
        let (target, set) = tokens.split_at(equals);
        let set = set.get(1..).unwrap_or_default();
        let whole = target.first().zip(set.last()).map(|(first, last)| first.span.start..last.span.end);
        // After `=`, a line break ends the statement even in parentheses.
        if inside == Inside::Parentheses && whole.is_none_or(|whole| self.raw(&whole).contains('\n')) {
            self.forget();
            return None;
        }
        let made = self.pipeline(set, input);
        if matches!(first, "let" | "mut" | "const") {
            let name = target.get(1).map_or("", |token| variable(self.raw(&token.span)));
            // A `mut` variable can change, so it is not followed.
            let known = made.filter(|_| first == "let").map(KnownData::whole);
            match name {
                "" => self.forget(),
                name => self.bind(name, known),
            }
        }
        None
    }

    fn pipeline(&mut self, tokens: &[Token], input: Option<KnownData<'a>>) -> Option<Flow<'a>> {
        let mut current = input;
        let mut is_asked = false;
        for (position, element) in tokens.split(|token| token.kind == TokenKind::Pipe).enumerate() {
            if !self.may_look() {
                return None;
            }
            let made = self.element(element, position, current, is_asked);
            // Redirected output does not continue in the pipeline.
            let is_word = |token: &Token| token.kind == TokenKind::Word;
            current = made.filter(|_| element.iter().all(is_word)).map(KnownData::whole);
            // Commands after `columns` may run only for existing columns.
            is_asked |= self.command(element).is_some_and(|command| command.name() == Some("columns"));
        }
        current.and_then(|current| self.owned(current))
    }

    /// Returns the command of a pipeline element.
    fn command(&self, element: &[Token]) -> Option<&'a SimpleCommand> {
        let span = &element.first()?.span;
        let start = span.start + usize::from(self.raw(span).starts_with(['^', '%']));
        self.commands.get(&start).copied()
    }

    fn element(
        &mut self,
        tokens: &[Token],
        position: usize,
        input: Option<KnownData<'a>>,
        is_asked: bool,
    ) -> Option<Flow<'a>> {
        let names = self.scope.len();
        // The first element sees the `$in` of the enclosing block.
        if position > 0 {
            self.bind("in", input.clone());
        }
        let Some(command) = self.command(tokens) else {
            drop(input);
            let made = self.expression(tokens);
            self.scope.truncate(names);
            return made;
        };
        let after = command.words.first().map_or(command.span.start, |word| word.span.end);
        let begin = tokens.partition_point(|token| token.span.start < after);
        let arguments = tokens.get(begin..).unwrap_or_default();
        let name = command.name().filter(|_| !super::is_program(command)).unwrap_or_default();
        self.is_plain &= input.as_ref().is_some_and(|input| input.view().columns().is_none());
        let closed = match name {
            "let" => {
                let name = arguments.first().map_or("", |token| variable(self.raw(&token.span)));
                self.scope.truncate(names);
                self.bind(name, input.clone());
                // `let` also passes its input on.
                return input.and_then(|input| self.owned(input));
            }
            "open" if position == 0 => {
                self.expression(arguments);
                self.scope.truncate(names);
                let (file, schema) = opened(command, self.parsed, self.draft)?;
                if let Some(found) = separator::unread(command, file, &schema, self.draft) {
                    self.add(vec![found]);
                    return None;
                }
                let noun = if matches!(*schema, FileSchema::Record(_)) { "key" } else { "column" };
                let subject = super::quoted(file);
                return self.may_copy().then(|| Flow {
                    file,
                    schema: (*schema).clone(),
                    subject,
                    noun,
                    is_file: true,
                });
            }
            _ => self.scoped(|line| {
                let has_option = || arguments.iter().any(|token| line.raw(&token.span).starts_with('-'));
                if is_asked || TABLE.unsure.contains(name) || name == "do" && has_option() {
                    line.hush();
                }
                match name {
                    "for" => line.loop_over(arguments),
                    "if" => line.branches(arguments),
                    _ => line.arguments(name, arguments, input.as_ref()),
                }
            }),
        };
        self.scope.truncate(names);
        let input = self.owned(input?)?;
        let is_list = View::of(&input.schema).is_list();
        let (found, next) = PipedCommand { command, draft: self.draft }.step(input);
        self.add(found);
        match name {
            "each" | "par-each" => {
                let closed = closed.filter(|closed| is_list && closed.schema != FileSchema::Unknown)?;
                let subject = format!("what {} gives", super::quoted(name));
                Some(Flow {
                    schema: closed.schema.listed(),
                    subject,
                    noun: "column",
                    is_file: false,
                    ..closed
                })
            }
            _ => next,
        }
    }

    /// Reads the arguments of a command; returns the output of its closure.
    fn arguments(&mut self, name: &str, words: &[Token], input: Option<&KnownData<'a>>) -> Option<Flow<'a>> {
        let begins = |line: &Self, token: &Token, with: char| line.raw(&token.span).starts_with(with);
        let has_option = words.iter().any(|token| begins(self, token, '-'));
        let has_closure = words.iter().any(|token| begins(self, token, '{'));
        if TABLE.conditions.contains(name) && !has_closure {
            let row = input.and_then(|input| input.given(ClosureInput::Row));
            return self.scoped(|line| {
                if row.is_none() {
                    line.forget();
                }
                line.bind("it", row.clone());
                line.bind("in", row);
                line.expression(words);
                None
            });
        }
        let closure = TABLE.closures.get(name).filter(|closure| !(closure.always && has_option));
        let run = closure.filter(|closure| closure.always || input.is_some());
        let run = run.map(|closure| Run { closure, on: input.cloned() });
        let made = self.words(words, run.as_ref());
        // With an option such as `--flatten` the output is not a list of the closure's results.
        made.filter(|_| !has_option)
    }

    /// Reads `for NAME in VALUE { … }`.
    fn loop_over(&mut self, words: &[Token]) -> Option<Flow<'a>> {
        let [name, _, values @ .., body] = words else { return None };
        let known = match values {
            [value] => self.value(&value.span, true),
            _ => None,
        };
        let name = variable(self.raw(&name.span));
        let is_block = self.raw(&body.span).starts_with('{');
        self.scoped(|line| {
            match known.filter(|_| !name.is_empty()).map(KnownData::whole) {
                Some(known) => line.bind(name, known.given(ClosureInput::Row)),
                None => line.forget(),
            }
            if is_block {
                let inside = line.between(&body.span)?;
                line.block(inside, Inside::Block, None)
            } else {
                None
            }
        });
        None
    }

    /// Reads `if CONDITION { … } else if CONDITION { … } else { … }`. The conditions decide whether the branches are
    /// certain.
    fn branches(&mut self, words: &[Token]) -> Option<Flow<'a>> {
        let was_plain = std::mem::replace(&mut self.is_plain, true);
        self.scoped(|line| {
            let text = line.text();
            for part in words.split(|token| text.get(token.span.clone()) == Some("else")) {
                let is_if = part.first().is_none_or(|token| line.raw(&token.span) != "if");
                let part = if is_if { part } else { part.get(1..).unwrap_or_default() };
                let Some((block, condition)) = part.split_last() else { continue };
                line.expression(condition);
                if !line.is_plain {
                    line.hush();
                }
                match line.between(&block.span).filter(|_| line.raw(&block.span).starts_with('{')) {
                    Some(inside) => drop(line.block(inside, Inside::Block, None)),
                    None => line.forget(),
                }
            }
        });
        self.is_plain = was_plain;
        None
    }

    /// Reads a closure or block from its brace: `{|row| …}`.
    pub(super) fn closure(&mut self, span: &Span, run: Option<&Run<'a>>) -> Option<Flow<'a>> {
        let inside = self.between(span)?;
        let text = self.raw(&inside);
        let (names, body) = match text.trim_start().strip_prefix('|') {
            Some(rest) => rest.split_once('|')?,
            None => ("", text),
        };
        let body = inside.end - body.len()..inside.end;
        let names = parameters(names);
        self.scoped(|line| {
            let Some((run, names)) = run.zip(names) else {
                line.forget();
                line.block(body, Inside::Block, None);
                return None;
            };
            let given = |what: ClosureInput| run.on.as_ref().and_then(|on| on.given(what));
            let input = if names.len() < 2 { given(run.closure.input) } else { None };
            line.bind("in", input.clone());
            for (at, name) in names.into_iter().enumerate() {
                line.bind(name, run.closure.parameters.get(at).and_then(|what| given(*what)));
            }
            let file = run.on.as_ref().map(|on| on.flow.file);
            let around = std::mem::replace(&mut line.file, file);
            let made = line.block(body, Inside::Block, input);
            line.file = around;
            made
        })
    }
}

/// Returns the parameter names of a closure; `None` if it has other syntax or too many parameters.
fn parameters(text: &str) -> Option<Vec<&str>> {
    let parts = text.split([',', ' ', '\t', '\n']).filter(|part| !part.is_empty()).take(PARAMETERS_MAX + 1);
    let names: Vec<&str> = parts.map(|part| part.strip_prefix('$').unwrap_or(part)).collect();
    let is_name = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    (names.len() <= PARAMETERS_MAX && names.iter().all(is_name)).then_some(names)
}

/// Returns the name of a variable at its definition: `x`, `$x`, `x:` with a type. Empty if it is not a name.
fn variable(raw: &str) -> &str {
    let name = raw.strip_prefix('$').unwrap_or(raw);
    let name = name.split(':').next().unwrap_or(name);
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    if is_name { name } else { "" }
}
