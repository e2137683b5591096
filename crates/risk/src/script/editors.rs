//! Effects of sed commands, and awk's output to files and pipes.

use std::ops::Range;

use super::tokens::{ScriptTokenKind, tokens};
use super::{ScriptEffect, Syntax};
use crate::effect::{Effect, Scope};
use crate::path_class::named;
use askline_syntax::shell::Shell;

/// Maximum number of commands read per script.
const COMMANDS_MAX: usize = 5_000;

/// Returns the effects of a sed script other than changing its input text: writing files and running commands.
pub(super) fn sed(text: &str) -> Vec<ScriptEffect> {
    let mut reader = Sed { text, pos: 0, deeds: Vec::new() };
    for _ in 0..COMMANDS_MAX {
        if reader.rest().is_empty() {
            break;
        }
        reader.command();
    }
    reader.deeds
}

struct Sed<'a> {
    text: &'a str,
    pos: usize,
    deeds: Vec<ScriptEffect>,
}

impl<'a> Sed<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn skip(&mut self, of: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.pos += rest.find(|c| !of(c)).unwrap_or(rest.len());
    }

    /// Returns the rest of the line and moves to its end.
    fn line(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find('\n').unwrap_or(rest.len());
        self.pos += end;
        rest.get(..end).unwrap_or_default()
    }

    /// Moves past the next unescaped `delimiter`.
    fn until(&mut self, delimiter: char) {
        let mut class = false;
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next();
                }
                '[' => class = true,
                ']' => class = false,
                _ if c == delimiter && !class => return,
                '\n' => class = false,
                _ => {}
            }
        }
    }

    fn replacement(&mut self, delimiter: char) {
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next();
                }
                _ if c == delimiter => return,
                _ => {}
            }
        }
    }

    /// Parses addresses and a command.
    fn command(&mut self) {
        loop {
            self.skip(|c| c.is_whitespace() || ";{},!+~$0123456789IM".contains(c));
            match self.rest().chars().next() {
                Some('/') => {
                    self.next();
                    self.until('/');
                }
                Some('\\') => {
                    self.next();
                    if let Some(delimiter) = self.next() {
                        self.until(delimiter);
                    }
                }
                _ => break,
            }
        }
        let from = self.pos;
        let Some(letter) = self.next() else { return };
        match letter {
            's' | 'y' => {
                let Some(delimiter) = self.next() else { return };
                self.until(delimiter);
                self.replacement(delimiter);
                while let Some(flag) = self.rest().chars().next() {
                    if letter == 'y' || !(flag.is_ascii_alphanumeric()) {
                        break;
                    }
                    self.next();
                    match flag {
                        'e' => self.push(Effect::ExecData, Scope::Unreadable, "s///e", from),
                        'w' => {
                            self.write("s///w", from);
                            break;
                        }
                        _ => {}
                    }
                }
            }
            'w' | 'W' => self.write(&letter.to_string(), from),
            'e' => {
                let script = self.line().trim().to_owned();
                let at = from..self.pos;
                if script.is_empty() {
                    self.deeds.push(ScriptEffect::new(Effect::ExecData, Scope::Unreadable, "e", at));
                } else {
                    self.deeds.push(ScriptEffect::shell(Some(script), "e", at));
                }
            }
            // Text, labels and file names extend to the end of the line.
            'a' | 'i' | 'c' => {
                // A trailing backslash continues the text on the next line.
                while self.line().ends_with('\\') && self.next().is_some() {}
            }
            'r' | 'R' | ':' | '#' => {
                self.line();
            }
            'b' | 't' | 'T' => self.skip(|c| !";}\n".contains(c)),
            _ => {}
        }
    }

    fn write(&mut self, what: &str, from: usize) {
        let file = self.line().trim();
        let deed = ScriptEffect::to(Effect::Overwrite, named(file), what, from..self.pos);
        self.deeds.push(deed);
    }

    fn push(&mut self, effect: Effect, scope: Scope, what: &str, from: usize) {
        self.deeds.push(ScriptEffect::new(effect, scope, what, from..self.pos));
    }
}

/// Commands of Tcl and Expect, with what does the same in a shell.
const TCL_FORMS: [(&str, &str); 7] = [
    ("exec", ""),
    ("spawn", ""),
    ("system", ""),
    ("file delete", "rm -r"),
    ("file rename", "mv"),
    ("file copy", "cp -r"),
    ("file mkdir", "mkdir -p"),
];

/// Reports whether a command runs the text that it reads.
fn reads_commands(script: &str) -> bool {
    let last = script.rsplit(['|', ';', '&']).next().unwrap_or_default();
    let mut words = last.split_whitespace();
    let name = words.next().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    let runs = Shell::of_interpreter(name).is_some() || matches!(name, "xargs" | "parallel" | "sudo" | "ssh");
    runs && !words.any(|word| word == "-c")
}

/// Returns the shell commands in a script of ed: lines that begin with `!`, or write to and read from a command.
pub(super) fn ed(text: &str) -> Vec<ScriptEffect> {
    let mut deeds = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(['\n', '|']).take(COMMANDS_MAX) {
        let at = start..start + line.len();
        start += line.len();
        let command = line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || ",.$%:".contains(c));
        let command = ["w ", "r ", "e ", "w", "r", "silent "].iter().fold(command, |rest, prefix| {
            rest.strip_prefix(prefix).filter(|rest| rest.starts_with('!')).unwrap_or(rest)
        });
        if let Some(script) = command.strip_prefix('!').map(|rest| rest.trim_end_matches('|').trim()) {
            if reads_commands(script) {
                deeds.push(ScriptEffect::new(Effect::ExecData, Scope::Unreadable, "", at.clone()));
            }
            deeds.push(ScriptEffect::shell(Some(script.to_owned()), "!", at));
        }
    }
    deeds
}

/// Returns the shell commands that an m4 text runs: `syscmd(…)`, `esyscmd(…)`.
pub(super) fn m4(text: &str) -> Vec<ScriptEffect> {
    let calls = text.match_indices("syscmd(").take(COMMANDS_MAX);
    let read = |(at, name): (usize, &str)| {
        let rest = text.get(at + name.len()..)?;
        let end = rest.rfind(')').unwrap_or(rest.len());
        let script = rest.get(..end)?.trim().trim_matches(['`', '\'', '[', ']']).to_owned();
        Some(ScriptEffect::shell(Some(script), "syscmd", at..at + name.len()))
    };
    calls.filter_map(read).collect()
}

/// Returns the effects of a script of Tcl: its commands that work on files are read as those of the shell.
pub(super) fn tcl(text: &str) -> Vec<ScriptEffect> {
    let mut deeds = Vec::new();
    let mut start = 0;
    for piece in text.split_inclusive([';', '\n', '[', ']', '{', '}']).take(COMMANDS_MAX) {
        let at = start..start + piece.len();
        start += piece.len();
        let command = piece.trim_end_matches([';', '\n', '[', ']', '{', '}']).trim();
        let form = TCL_FORMS.iter().find_map(|(form, shell)| Some((command.strip_prefix(form)?, shell)));
        if let Some((rest, shell)) = form.filter(|(rest, _)| rest.starts_with(char::is_whitespace)) {
            let options = ["-ignorestderr", "-keepnewline", "-noecho", "--"];
            let words = rest.split_whitespace().filter(|word| !options.contains(word));
            let words = words.map(|word| if word == "-force" { "-f" } else { word });
            let script = std::iter::once(*shell).chain(words).collect::<Vec<_>>().join(" ");
            deeds.push(ScriptEffect::shell(Some(script.trim().to_owned()), command, at));
        }
    }
    deeds
}

/// Returns the effects of awk's output to files and pipes, and of input from commands and connections.
pub(super) fn awk(text: &str, syntax: &Syntax) -> Vec<ScriptEffect> {
    let tokens = tokens(text, syntax);
    let kind = |at: usize| tokens.get(at).map(|token| &token.kind);
    let span = |from: usize, to: usize| -> Range<usize> {
        let start = tokens.get(from).map(|token| token.at.start).unwrap_or_default();
        start..tokens.get(to).map_or(text.len(), |token| token.at.end)
    };
    let mut deeds = Vec::new();
    let (mut printing, mut depth) = (false, 0usize);
    for (at, token) in tokens.iter().enumerate() {
        match &token.kind {
            ScriptTokenKind::Name(name) if matches!(name.as_str(), "print" | "printf") => {
                (printing, depth) = (true, 0)
            }
            // `"cmd" | getline`.
            ScriptTokenKind::Name(name)
                if name == "getline" && at > 0 && kind(at - 1) == Some(&ScriptTokenKind::Mark('|')) =>
            {
                let script = match at.checked_sub(2).and_then(kind) {
                    Some(ScriptTokenKind::Text(script)) => Some(script.clone()),
                    _ => None,
                };
                deeds.push(ScriptEffect::shell(script, "getline", span(at.saturating_sub(2), at)));
            }
            ScriptTokenKind::Text(path) if path.starts_with("/inet") => {
                deeds.push(ScriptEffect::new(Effect::NetSend, Scope::Unreadable, path, token.at.clone()));
            }
            ScriptTokenKind::Mark('(' | '[') => depth += 1,
            ScriptTokenKind::Mark(')' | ']') => depth = depth.saturating_sub(1),
            ScriptTokenKind::Mark(';' | '}' | '{' | '\n') => printing = false,
            ScriptTokenKind::Mark('>') if printing && depth == 0 => {
                printing = false;
                let appends = kind(at + 1) == Some(&ScriptTokenKind::Mark('>'));
                let target = at + 1 + usize::from(appends);
                let effect = if appends { Effect::WriteNew } else { Effect::Overwrite };
                // A concatenated name continues after the string literal.
                let alone = matches!(kind(target + 1), None | Some(ScriptTokenKind::Mark(';' | '}' | '\n')));
                let path = match kind(target) {
                    Some(ScriptTokenKind::Text(path)) if alone => path.clone(),
                    Some(ScriptTokenKind::Text(path)) => format!("{path}$x"),
                    _ => "$x".to_owned(),
                };
                deeds.push(ScriptEffect::to(effect, named(&path), ">", span(at, target)));
            }
            ScriptTokenKind::Mark('|')
                if printing && depth == 0 && kind(at + 1) != Some(&ScriptTokenKind::Mark('|')) =>
            {
                let target = at + 1 + usize::from(kind(at + 1) == Some(&ScriptTokenKind::Mark('&')));
                let alone = matches!(kind(target + 1), None | Some(ScriptTokenKind::Mark(';' | '}' | '\n')));
                let script = match kind(target) {
                    Some(ScriptTokenKind::Text(script)) if alone => Some(script.clone()),
                    Some(ScriptTokenKind::Text(script)) => Some(format!("{script}$x")),
                    _ => None,
                };
                printing = false;
                let runs_input = script.as_deref().is_some_and(reads_commands);
                if runs_input {
                    let deed = ScriptEffect::new(Effect::ExecData, Scope::Unreadable, "", span(at, target));
                    deeds.push(deed);
                }
                deeds.push(ScriptEffect::shell(script, "|", span(at, target)));
            }
            _ => {}
        }
    }
    deeds
}
