//! Explanation of each word of a command line, from this machine's manuals. Pure except for calls to the reference.

use std::sync::Arc;

use crate::reference::{CommandFacts, CommandKind, Reference};
use askline_manual::{Arity, Manual};
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

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
    let Some((name, arguments)) = command.words.split_first() else { return parts };
    if !name.literal {
        parts.push(part(&name.span, Role::Command, Default::default()));
        return parts;
    }
    let level = level(command, reference);
    let names: Vec<&str> = command.words.iter().take(level.max(1)).map(|word| word.text.as_str()).collect();
    let known = known(command, &names, reference);
    let end = command.words.get(level.max(1) - 1).map_or(name.span.end, |word| word.span.end);
    parts.push(part(&(name.span.start..end), Role::Command, command_meaning(&names, &known)));
    let mut arguments = arguments.iter().skip(level.max(1) - 1).peekable();
    let mut options_end = false;
    while let Some(word) = arguments.next() {
        options_end |= word.text == "--";
        let meanings =
            if options_end || !looks_like_option(word) { Vec::new() } else { option_meanings(word, &known) };
        let Some((first, takes_next)) = meanings.first().map(|(meaning, takes)| (meaning.clone(), *takes))
        else {
            parts.push(part(&word.span, Role::Operand, Default::default()));
            continue;
        };
        let value = arguments.next_if(|next| takes_next && meanings.len() == 1 && !looks_like_option(next));
        let span = word.span.start..value.map_or(word.span.end, |value| value.span.end);
        let meaning = if meanings.len() == 1 {
            first
        } else {
            meanings.iter().map(|(meaning, _)| meaning.as_str()).collect::<Vec<_>>().join("; ")
        };
        parts.push(part(&span, Role::Option, (meaning, evidence(&names, &known))));
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

/// Returns the number of words that lead to the documented level: 2 for `git log`.
fn level(command: &SimpleCommand, reference: &dyn Reference) -> usize {
    let words: Vec<&str> = command
        .words
        .iter()
        .take_while(|word| word.literal && !looks_like_option(word))
        .map(|word| word.text.as_str())
        .collect();
    let mut level = 1;
    while let Some(next) = words.get(level) {
        let known = words.get(..level).map(|names| reference.known(names));
        let leads = known
            .and_then(|known| known.manual.clone())
            .is_some_and(|manual| manual.subcommands.iter().any(|subcommand| subcommand.name == *next));
        if !leads {
            break;
        }
        level += 1;
    }
    level
}

fn looks_like_option(word: &Word) -> bool {
    word.text.len() > 1 && word.text.starts_with('-')
}

fn command_meaning(names: &[&str], known: &CommandFacts) -> (String, String) {
    match &known.kind {
        CommandKind::Alias(text) => return (format!("your alias for `{text}`"), "your shell".into()),
        CommandKind::Function => return ("a function of yours".into(), "your shell".into()),
        CommandKind::Missing => return ("not found here".into(), String::new()),
        CommandKind::Program { .. } | CommandKind::Builtin => {}
    }
    match &known.manual {
        Some(manual) if !manual.summary.is_empty() => (manual.summary.clone(), evidence(names, known)),
        _ if known.kind == CommandKind::Builtin => ("part of the shell".into(), String::new()),
        _ => Default::default(),
    }
}

/// Returns the explanations of an option word, one per letter for combined short options, each with `true` if the
/// option takes the next word as its value.
fn option_meanings(word: &Word, known: &CommandFacts) -> Vec<(String, bool)> {
    let manuals: Vec<&Manual> = known.manual.iter().chain(&known.above).map(AsRef::as_ref).collect();
    let meaning = |name: &str, attached: bool| {
        let doc = manuals.iter().find_map(|manual| manual.option(name))?;
        let takes = matches!(doc.value, Arity::Required) && !attached;
        Some((
            if doc.text.is_empty() {
                "documented without a description".to_owned()
            } else {
                doc.text.clone()
            },
            takes,
        ))
    };
    let (name, attached) = match word.text.split_once('=') {
        Some((name, _)) => (name, true),
        None => (word.text.as_str(), false),
    };
    if let Some(whole) = meaning(name, attached) {
        return vec![whole];
    }
    if name.starts_with("--") {
        return Vec::new();
    }
    let mut meanings = Vec::new();
    let mut letters = name.chars().skip(1).peekable();
    while let Some(letter) = letters.next() {
        let Some((text, takes)) = meaning(&format!("-{letter}"), letters.peek().is_some()) else { break };
        let ends = manuals
            .iter()
            .find_map(|manual| manual.option(&format!("-{letter}")))
            .is_some_and(|doc| matches!(doc.value, Arity::Required | Arity::Optional | Arity::Attached));
        meanings.push((format!("-{letter}: {text}"), takes));
        if ends {
            break;
        }
    }
    meanings
}

fn evidence(names: &[&str], known: &CommandFacts) -> String {
    let Some(manual) = &known.manual else { return String::new() };
    let name = if manual.name.is_empty() { names.join(" ") } else { manual.name.clone() };
    match known.version.as_ref().or(manual.version.as_ref()) {
        Some(version) => format!("{name} {version}"),
        None => name,
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
