//! Explanation of each word of a command line, from this machine's manuals. Pure except for calls to the reference.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::reference::{CommandFacts, CommandKind, Reference};
use askline_manual::{Arity, Manual, OptionDoc};
use askline_syntax::options::{self, Form, Given, Options, Reader, Takes};
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word, program_name};

/// A part of a command line with its explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Span of the part in the command line.
    pub span: Span,
    /// Number of commands around it, for indentation.
    pub depth: usize,
    /// Role of the part.
    pub role: Role,
    /// Explanation in one line from the manual; empty if there is none.
    pub meaning: String,
    /// Source of the explanation: `ls(1)`, `ls --help`; empty if `meaning` is empty.
    pub evidence: String,
}

/// Role of a part of a command line; the names in JSON are a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A command word, with the subcommands after it.
    Command,
    /// An option, with its value if it takes one.
    Option,
    /// An argument.
    Operand,
    /// A variable set for the command.
    Assignment,
    /// A redirection of input or output.
    Redirection,
}

impl Role {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Option => "option",
            Self::Operand => "operand",
            Self::Assignment => "assignment",
            Self::Redirection => "redirection",
        }
    }
}

/// Explains a command line part by part, in source order. Never fails; an undocumented part has no meaning.
pub fn explain(line: &ParsedLine, reference: &dyn Reference) -> Vec<Part> {
    let mut parts: Vec<Part> =
        line.parsed().commands.iter().flat_map(|command| command_parts(command, reference)).collect();
    parts.sort_by_key(|part| (part.span.start, std::cmp::Reverse(part.span.end)));
    // A wrapped command (`sudo ls`) is explained on its own too; its command word is more informative than its role
    // as an operand of the wrapper.
    parts.dedup_by(|later, earlier| {
        let same = later.span == earlier.span;
        if same && (earlier.role == Role::Operand || earlier.meaning.is_empty()) {
            std::mem::swap(later, earlier);
        }
        same
    });
    parts
}

fn command_parts(command: &SimpleCommand, reference: &dyn Reference) -> Vec<Part> {
    let depth = command.within.len();
    let part = |span: &Span, role, (meaning, evidence): (String, String)| Part {
        span: span.clone(),
        depth,
        role,
        meaning,
        evidence,
    };
    let mut parts: Vec<Part> = command
        .assignments
        .iter()
        .map(|word| {
            part(
                &word.span,
                Role::Assignment,
                (String::from("sets a variable for this command"), String::new()),
            )
        })
        .collect();
    for redirection in &command.redirections {
        let meaning = redirection_meaning(&redirection.operator, redirection.descriptor);
        parts.push(part(&redirection.span, Role::Redirection, (meaning.into(), String::new())));
    }
    let Some(name) = command.words.first() else { return parts };
    if !name.literal {
        parts.push(part(&name.span, Role::Command, Default::default()));
        return parts;
    }
    let mut level = DocumentedLevel::new(command, vec![&name.text], reference);
    parts.push(part(&name.span, Role::Command, level.meaning()));
    let mut reader = Reader::new(&command.words, 1, Form::of(program_name(&name.text)));
    let mut leads_on = true;
    while let Some(next) = reader.next(&level) {
        let (index, meanings, value) = match next {
            options::Part::Option(given) => {
                let index = given.word;
                let (meanings, value) = level.meanings(given, &mut reader, &command.words);
                (index, meanings, value)
            }
            options::Part::Operand(index) | options::Part::End(index) => (index, Vec::new(), None),
        };
        let Some(word) = command.words.get(index) else { continue };
        if !meanings.is_empty() {
            let span = word.span.start..value.map_or(word.span.end, |value| value.span.end);
            parts.push(part(&span, Role::Option, (meanings.join("; "), level.evidence())));
            continue;
        }
        let is_option = looks_like_option(word) && word.text != "--";
        let is_subcommand = leads_on && word.literal && level.has(&word.text);
        leads_on &= is_option || is_subcommand;
        if !is_subcommand {
            parts.push(part(&word.span, Role::Operand, Default::default()));
            continue;
        }
        level = level.below(command, &word.text, reference);
        // `git log` is one part, `git -C x log` has two.
        let start = parts
            .pop_if(|before| before.role == Role::Command)
            .map_or(word.span.start, |before| before.span.start);
        parts.push(part(&(start..word.span.end), Role::Command, level.meaning()));
    }
    parts
}

/// Returns the knowledge about a command. In Nushell a leading `^` means the program, not the built-in command of
/// that name.
fn known(command: &SimpleCommand, names: &[&str], reference: &dyn Reference) -> Arc<CommandFacts> {
    let first = names.first().copied().unwrap_or_default();
    let looked_up = command.looked_up().unwrap_or_default();
    let rest = names.get(1..).unwrap_or_default();
    let known = reference.known(&[&[looked_up.as_ref()], rest].concat());
    let is_bare =
        known.manual.is_none() && matches!(known.kind, CommandKind::Builtin | CommandKind::Function);
    match reference.own_manual(first).filter(|_| is_bare) {
        Some(manual) => Arc::new(CommandFacts { manual: Some(manual), ..CommandFacts::clone(&known) }),
        None => known,
    }
}

fn looks_like_option(word: &Word) -> bool {
    word.text.len() > 1 && word.text.starts_with('-')
}

/// A command with the subcommands read so far, and its documentation.
struct DocumentedLevel<'c> {
    names: Vec<&'c str>,
    known: Arc<CommandFacts>,
}

impl Options for DocumentedLevel<'_> {
    fn takes(&self, option: &str) -> Option<Takes> {
        Some(match self.doc(option)?.value {
            Arity::Required => Takes::Value,
            Arity::Optional | Arity::Attached => Takes::Attached,
            Arity::None | Arity::Unknown => Takes::Nothing,
        })
    }
}

impl<'c> DocumentedLevel<'c> {
    fn new(command: &SimpleCommand, names: Vec<&'c str>, reference: &dyn Reference) -> Self {
        let known = known(command, &names, reference);
        Self { names, known }
    }

    /// Reports whether a word is a subcommand.
    fn has(&self, word: &str) -> bool {
        let lists = |manual: &Arc<Manual>| manual.subcommands.iter().any(|below| below.name == word);
        self.known.manual.as_ref().is_some_and(lists)
    }

    /// Returns the level of a subcommand.
    fn below(mut self, command: &SimpleCommand, word: &'c str, reference: &dyn Reference) -> Self {
        self.names.push(word);
        Self::new(command, self.names, reference)
    }

    fn doc(&self, option: &str) -> Option<&OptionDoc> {
        self.known.manual.iter().chain(&self.known.above).find_map(|manual| manual.option(option))
    }

    /// Returns the explanation of the command and its source.
    fn meaning(&self) -> (String, String) {
        match &self.known.kind {
            CommandKind::Alias(text) => return (format!("your alias for `{text}`"), "your shell".into()),
            CommandKind::Function => return ("a function of yours".into(), "your shell".into()),
            CommandKind::Missing => return ("not found here".into(), String::new()),
            CommandKind::Program { .. } | CommandKind::Builtin => {}
        }
        match &self.known.manual {
            Some(manual) if !manual.summary.is_empty() => (manual.summary.clone(), self.evidence()),
            _ if self.known.kind == CommandKind::Builtin => ("part of the shell".into(), String::new()),
            _ => Default::default(),
        }
    }

    /// Returns the manual with its version; empty if there is none.
    fn evidence(&self) -> String {
        let Some(manual) = &self.known.manual else { return String::new() };
        let name = if manual.name.is_empty() { self.names.join(" ") } else { manual.name.clone() };
        match self.known.version.as_ref().or(manual.version.as_ref()) {
            Some(version) => format!("{name} {version}"),
            None => name,
        }
    }

    /// Returns the explanations of an option word, one per letter up to the first unknown one, and the next word if
    /// it is the value of a single option. A value never looks like an option.
    fn meanings<'w>(
        &self,
        given: Given<'w>,
        reader: &mut Reader<'w>,
        words: &'w [Word],
    ) -> (Vec<String>, Option<&'w Word>) {
        let index = given.word;
        let text = words.get(index).map_or("", |word| word.text.as_str());
        let mut meanings = Vec::new();
        let mut value = None;
        let mut next = Some(given);
        while let Some(given) = next.take() {
            let Some(doc) = self.doc(&given.name) else { break };
            let meaning = match doc.text.as_str() {
                "" => "documented without a description",
                meaning => meaning,
            };
            value = given.value.filter(|value| value.word > index);
            let rest = text.strip_prefix(&*given.name);
            if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('=')) {
                meanings.push(meaning.to_owned());
                break;
            }
            meanings.push(format!("{}: {meaning}", given.name));
            if reader.is_within_word() {
                next = match reader.next(self) {
                    Some(options::Part::Option(given)) => Some(given),
                    _ => None,
                };
            }
        }
        let value = value.filter(|_| meanings.len() == 1).and_then(|value| words.get(value.word));
        let value = value.filter(|value| !looks_like_option(value));
        reader.skip_to(index + 1 + usize::from(value.is_some()));
        (meanings, value)
    }
}

fn redirection_meaning(operator: &str, descriptor: Option<u32>) -> &'static str {
    match (operator, descriptor) {
        (">" | ">|", Some(2)) => "writes errors to the file, replacing what it holds",
        (">>", Some(2)) => "adds errors to the file",
        (">" | ">|", _) => "writes the output to the file, replacing what it holds",
        (">?", _) => "writes the output to the file unless it exists",
        (">>", _) => "adds the output to the file",
        ("&>" | "&>>", _) => "writes output and errors to the file",
        (">&", Some(2)) => "sends errors where the output goes",
        (">&", _) => "sends the output to another descriptor",
        ("<", _) => "reads the input from the file",
        ("<<" | "<<-", _) => "reads the input from the lines that follow",
        ("<<<", _) => "reads the input from the text",
        _ => "connects a file",
    }
}
