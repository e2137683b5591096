//! Effects of the calls in one-line programs.

use std::collections::BTreeMap;
use std::ops::Range;

use super::tokens::ScriptTokenKind;
use super::value::{TokenizedProgram, fits};
use super::{Call, DEEDS_MAX, Role, ScriptEffect, Syntax, TABLE, Takes, sql};
use crate::effect::{Effect, Scope};
use crate::path_class;
use crate::path_class::named;

/// Maximum nesting of code in code.
const DEPTH_MAX: usize = 3;

/// Calls whose text argument is a file name.
const FILES: &[&str] =
    &["load", "source", "do", "require", "dofile", "loadfile", "runpy.run_path", "devtools::source_url"];

/// Returns the effects of a program.
pub(super) fn read(text: &str, syntax: &Syntax, depth: usize) -> Vec<ScriptEffect> {
    let program = TokenizedProgram::new(text, syntax);
    let mut reading = Reading {
        text,
        program: &program,
        depth,
        deeds: Vec::new(),
        first_fetch: None,
        aliases: aliases(&program),
        needs: BTreeMap::new(),
        socket: None,
    };
    reading.first_fetch = (0..program.tokens.len()).find(|at| reading.is_fetch(*at));
    if syntax.is("applescript") {
        reading.apple_script();
    }
    for at in 0..program.tokens.len() {
        if reading.deeds.len() >= DEEDS_MAX {
            break;
        }
        reading.token(at);
    }
    reading.together();
    reading.deeds
}

struct Reading<'a> {
    text: &'a str,
    program: &'a TokenizedProgram<'a>,
    depth: usize,
    deeds: Vec<ScriptEffect>,
    /// Token index of the first call that downloads.
    first_fetch: Option<usize>,
    /// Import aliases: for Python's `import os as o`, `o` maps to `os`.
    aliases: BTreeMap<String, String>,
    /// Cache of the words that calls need: `true` if the word occurs in the text.
    needs: BTreeMap<&'static str, bool>,
    /// Span of a call that opens a connection.
    socket: Option<Range<usize>>,
}

impl Reading<'_> {
    fn token(&mut self, at: usize) {
        let Some(token) = self.program.tokens.get(at) else { return };
        let place = token.at.clone();
        match &token.kind {
            ScriptTokenKind::Runs(script) => {
                self.deeds.push(ScriptEffect::shell(Some(script.clone()), "`", place))
            }
            ScriptTokenKind::Code(code) if self.depth < DEPTH_MAX => {
                let nested = read(code, self.program.syntax, self.depth + 1);
                self.deeds.extend(nested.into_iter().map(|deed| ScriptEffect { at: place.clone(), ..deed }));
            }
            ScriptTokenKind::Name(name) => {
                let previous = at.checked_sub(1).and_then(|at| self.program.kind(at));
                let declared = ["def", "function", "sub", "import", "from", "use", "class"];
                if matches!(previous, Some(ScriptTokenKind::Name(word)) if declared.contains(&word.as_str()))
                {
                    return;
                }
                let name = self.full_name(at, name);
                let syntax = self.program.syntax;
                let mut called = false;
                for role in syntax.roles(&name) {
                    match role {
                        Role::Call(call) if !called && self.needed(call) => {
                            self.call(at, &name, call);
                            called = true;
                        }
                        Role::Call(_) => {}
                        Role::Fetches => self.fetches(at, &name),
                        Role::Connects => {
                            if self.program.arguments(at).is_some() {
                                self.socket.get_or_insert(token.at.clone());
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the name with its module if the program states it: `__import__('os').remove`, `import os as o`.
    fn full_name(&self, at: usize, name: &str) -> String {
        let kind = |back: usize| at.checked_sub(back).and_then(|at| self.program.kind(at));
        if name.starts_with('.')
            && let (
                Some(ScriptTokenKind::Mark(')')),
                Some(ScriptTokenKind::Text(module)),
                Some(ScriptTokenKind::Name(import)),
            ) = (kind(1), kind(2), kind(4))
            && matches!(import.as_str(), "__import__" | "importlib.import_module" | "require")
        {
            return format!("{module}{name}");
        }
        if let Some((head, tail)) = name.split_once('.')
            && let Some(module) = self.aliases.get(head)
        {
            return format!("{module}.{tail}");
        }
        self.aliases.get(name).map_or(name, String::as_str).to_owned()
    }

    /// Reports whether the text contains the word that the call needs.
    fn needed(&mut self, call: &'static Call) -> bool {
        let Some(word) = call.needs.as_deref() else { return true };
        *self.needs.entry(word).or_insert_with(|| self.text.contains(word))
    }

    fn call(&mut self, at: usize, name: &str, call: &Call) {
        let span = self.program.tokens.get(at).map(|token| token.at.clone()).unwrap_or_default();
        let Some(arguments) = self.program.arguments(at) else { return };
        let first = arguments.first();
        let mut paths: Vec<String> = Vec::new();
        let mut effect = call.does;
        match call.takes {
            Takes::Path => paths.extend(first.map(|first| self.program.value(first))),
            Takes::Paths => {
                paths.extend(arguments.iter().flat_map(|argument| self.program.words(argument)));
            }
            Takes::Moves => {
                let values = arguments.iter().take(2).map(|argument| self.program.value(argument));
                // The destination is often computed from the old name.
                paths.extend(values.filter(|path| named(path).scope != Scope::Unreadable));
                if paths.is_empty() {
                    return self.deeds.push(ScriptEffect::new(effect, Scope::Own, name, span));
                }
            }
            Takes::Sql => {
                let statements = first.map(|first| self.program.value(first)).unwrap_or_default();
                let word = statements.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
                if TABLE.sql.changes_data.contains(&word) {
                    let found = sql(&statements).into_iter().filter(|deed| deed.effect != Effect::Read);
                    self.deeds.extend(found.map(|deed| ScriptEffect { at: span.clone(), ..deed }));
                }
                return;
            }
            Takes::Second => paths.extend(arguments.get(1).map(|second| self.program.value(second))),
            Takes::Receiver => paths.push(self.program.receiver(at)),
            Takes::Open => match self.opened(&arguments) {
                Some(Opened::File(how, path)) => {
                    effect = how;
                    paths.push(path);
                }
                Some(Opened::Shell(script)) => {
                    return self.deeds.push(ScriptEffect::shell(known(script), name, span));
                }
                None => return,
            },
            Takes::Shell | Takes::Argv => {
                if arguments.is_empty() {
                    return;
                }
                let script = self.script(&arguments, call.takes);
                return self.deeds.push(ScriptEffect::shell(known(script), name, span));
            }
            Takes::Code => return self.runs(at, name, &arguments, span),
            Takes::Filter => {
                let empty = first.is_none_or(|first| {
                    let marks = first.clone().filter_map(|at| self.program.kind(at));
                    marks.clone().count() == 2
                        && marks.eq([&ScriptTokenKind::Mark('{'), &ScriptTokenKind::Mark('}')])
                });
                let scope = if empty { Scope::Everything } else { Scope::Own };
                return self.deeds.push(ScriptEffect::new(effect, scope, name, span));
            }
            Takes::Process => {
                let all = arguments.iter().any(|argument| self.program.value(argument) == "-1");
                let scope = if all { Scope::Everything } else { Scope::Own };
                return self.deeds.push(ScriptEffect::new(effect, scope, name, span));
            }
            Takes::Nothing => {
                let scope = call.scope.unwrap_or(Scope::Own);
                let deed =
                    ScriptEffect { forced: call.forced, ..ScriptEffect::new(effect, scope, name, span) };
                return self.deeds.push(deed);
            }
        }
        // Calls of Perl without arguments act on `$_`.
        if paths.is_empty() && self.program.syntax.letters == "perl" {
            paths.push(self.program.variable("$_").unwrap_or_else(|| "$x".to_owned()));
        }
        for path in paths.iter().filter(|path| !path.is_empty()) {
            let deed = ScriptEffect::to(effect, named(path), name, span.clone());
            self.deeds.push(ScriptEffect { tree: call.tree, forced: call.forced, ..deed });
        }
    }

    /// Returns the effect of `open`, or `None` if it opens for reading.
    fn opened(&self, arguments: &[Range<usize>]) -> Option<Opened> {
        let values: Vec<String> = arguments.iter().map(|argument| self.program.value(argument)).collect();
        let perl = self.program.syntax.letters == "perl";
        let (mode, path) = if perl {
            // `open(F, ">x")`, `open(F, ">", "x")`, `open(F, "-|", "ls")`.
            let mode = values.get(1).filter(|mode| !mode.contains('&'))?.trim();
            let path = values.get(2..).unwrap_or_default().join(" ");
            if mode == "-|" || mode == "|-" {
                return Some(Opened::Shell(path));
            }
            if path.is_empty() && (mode.starts_with('|') || mode.ends_with('|')) {
                return Some(Opened::Shell(mode.trim_matches('|').trim().to_owned()));
            }
            let marks = mode.find(|c| !"+<>".contains(c)).unwrap_or(mode.len());
            let (how, rest) = mode.split_at_checked(marks)?;
            let path = if path.is_empty() { rest.trim().to_owned() } else { path };
            (how.replace(">>", "a").replace('>', "w"), path)
        } else {
            let path = values.first()?.clone();
            if let Some(script) = path.strip_prefix('|').filter(|_| self.program.syntax.is("ruby")) {
                return Some(Opened::Shell(script.to_owned()));
            }
            // A named argument such as `mode='w'` evaluates to `$xw`: its name is an unknown value.
            let mode = values.get(1..)?.iter().map(|mode| mode.trim_start_matches("$x"));
            let short = |mode: &&str| mode.len() <= 4 && mode.contains(['w', 'a', 'x', '+']);
            (mode.filter(|mode| !mode.is_empty()).find(short)?.to_owned(), path)
        };
        if mode.contains(['w', 'x']) {
            Some(Opened::File(Effect::Overwrite, path))
        } else if mode.contains(['a', '+']) {
            Some(Opened::File(Effect::WriteNew, path))
        } else {
            None
        }
    }

    /// Returns the command line passed to a shell.
    fn script(&self, arguments: &[Range<usize>], takes: Takes) -> String {
        let is_list =
            |argument: &Range<usize>| self.program.kind(argument.start) == Some(&ScriptTokenKind::Mark('['));
        // The list may be in a variable.
        let arguments: Vec<Range<usize>> =
            arguments.iter().map(|argument| self.program.resolved(argument)).collect();
        let Some(first) = arguments.first() else { return String::new() };
        // `execvp("rm", ["rm", "-rf", "x"])`
        let followed = arguments.get(1).is_some_and(is_list);
        if takes == Takes::Shell && !is_list(first) && !followed {
            return self.program.value(first);
        }
        let options = |argument: &&Range<usize>| {
            let mut head = argument.start..argument.end.min(argument.start + 3);
            let assigned = head.any(|at| self.program.kind(at) == Some(&ScriptTokenKind::Mark('=')));
            !assigned && self.program.kind(argument.start) != Some(&ScriptTokenKind::Mark('{'))
        };
        let many = if takes == Takes::Shell { 1 + usize::from(followed) } else { arguments.len() };
        let words: Vec<String> = arguments
            .iter()
            .take(many)
            .filter(options)
            .flat_map(|argument| self.program.words(argument))
            .collect();
        let words = match words.as_slice() {
            [name, argument_zero, ..] if followed && name == argument_zero => &words[1..],
            _ => &words[..],
        };
        if let [only] = words {
            return only.clone();
        }
        let quoted = words.iter().map(|word| {
            if word.contains("$x") || word.starts_with('~') {
                word.clone()
            } else {
                shell_words::quote(word).into_owned()
            }
        });
        quoted.collect::<Vec<_>>().join(" ")
    }

    /// Adds the effect of a call that runs text as code.
    fn runs(&mut self, at: usize, name: &str, arguments: &[Range<usize>], span: Range<usize>) {
        let Some(first) = arguments.first() else { return };
        // `eval { … }` and `require Module` of Perl run no text.
        if self.program.kind(first.start) == Some(&ScriptTokenKind::Mark('{')) {
            return;
        }
        let is_file = FILES.contains(&name);
        let module = matches!(self.program.kind(first.start), Some(ScriptTokenKind::Name(name)) if !name.starts_with('$'));
        if matches!(name, "require" | "do") && module {
            return;
        }
        let direct = first.clone().any(|at| self.is_fetch(at));
        // A variable may contain an earlier download.
        let before = self.first_fetch.is_some_and(|fetch| fetch < at);
        let value = self.program.value(first);
        let deed = if direct || value.contains("://") {
            ScriptEffect::new(Effect::ExecData, Scope::Remote, name, span)
        } else if value.contains("$x") || value.is_empty() {
            let scope = if before { Scope::Remote } else { Scope::Unreadable };
            ScriptEffect::new(Effect::ExecData, scope, name, span)
        } else if is_file {
            ScriptEffect::new(Effect::ExecData, Scope::Own, name, span)
        } else if self.depth < DEPTH_MAX {
            let nested = read(&value, self.program.syntax, self.depth + 1);
            return self
                .deeds
                .extend(nested.into_iter().map(|deed| ScriptEffect { at: span.clone(), ..deed }));
        } else {
            ScriptEffect::new(Effect::ExecData, Scope::Unreadable, name, span)
        };
        self.deeds.push(deed);
    }

    /// Reports whether the token at `at` names a call that downloads.
    fn is_fetch(&self, at: usize) -> bool {
        matches!(self.program.kind(at), Some(ScriptTokenKind::Name(name))
            if self.program.syntax.roles(name).any(|role| matches!(role, Role::Fetches)))
    }

    /// Adds the effect of a call that downloads or sends data.
    fn fetches(&mut self, at: usize, name: &str) {
        let syntax = self.program.syntax;
        let Some(token) = self.program.tokens.get(at) else { return };
        let Some(arguments) = self.program.arguments(at).filter(|arguments| !arguments.is_empty()) else {
            return;
        };
        let value: String = arguments.iter().map(|argument| self.program.value(argument)).collect();
        // PHP reads files and URLs with the same calls.
        if syntax.is("php") && !value.contains("://") {
            return;
        }
        let raw = arguments.first().zip(arguments.last()).and_then(|(first, last)| {
            let from = self.program.tokens.get(first.start)?.at.start;
            let to = self.program.tokens.get(last.end.checked_sub(1)?)?.at.end;
            self.text.get(from..to)
        });
        let raw = raw.unwrap_or_default();
        let sends = arguments.len() > 1
            && ["POST", "PUT", "PATCH", "data=", "data =", "body:", "json=", "files="]
                .iter()
                .any(|word| raw.contains(word));
        let effect = if sends { Effect::NetSend } else { Effect::NetRead };
        self.deeds.push(ScriptEffect::new(effect, Scope::Remote, name, token.at.clone()));
    }

    /// Adds the effects of several calls in combination.
    fn together(&mut self) {
        let syntax = self.program.syntax;
        let all = 0..self.text.len();
        let names = || {
            self.program.tokens.iter().filter_map(|token| match &token.kind {
                ScriptTokenKind::Name(name) => Some((name.as_str(), &token.at)),
                _ => None,
            })
        };
        // Reverse shell: a shell connected to a socket.
        if let Some(socket) = &self.socket {
            let shell = self.deeds.iter().any(|deed| deed.effect == Effect::ExecArg)
                || names().any(|(name, _)| name.ends_with("dup2"))
                || self.text.contains("/bin/sh")
                || self.text.contains("/bin/bash");
            let (effect, scope) =
                if shell { (Effect::ExecData, Scope::Remote) } else { (Effect::NetRead, Scope::Remote) };
            self.deeds.push(ScriptEffect::new(effect, scope, "socket", socket.clone()));
        }
        // A secret together with a network call.
        let sends = |deed: &ScriptEffect| matches!(deed.effect, Effect::NetSend | Effect::NetRead);
        if self.deeds.iter().any(sends) {
            let secret = self.program.tokens.iter().find(|token| match &token.kind {
                ScriptTokenKind::Text(text) => {
                    matches!(named(text).kind, path_class::PathKind::Secret | path_class::PathKind::Log)
                        || ["TOKEN", "SECRET", "PASSW", "API_KEY", "CREDENTIAL"]
                            .iter()
                            .any(|word| text.contains(word))
                }
                ScriptTokenKind::Name(name) => {
                    let whole = syntax.env.iter().any(|known| name == known) && !name.contains("get");
                    whole || name.contains("_TOKEN") || name.contains("_SECRET") || name.contains("API_KEY")
                }
                _ => false,
            });
            if let Some(token) = secret {
                let what = self.text.get(token.at.clone()).unwrap_or_default().to_owned();
                self.deeds.push(ScriptEffect::new(
                    Effect::NetSend,
                    Scope::Unreadable,
                    &what,
                    token.at.clone(),
                ));
            }
        }
        // Infinite loops that fork processes or allocate memory.
        let skeleton: String = self
            .program
            .tokens
            .iter()
            .map(|token| match &token.kind {
                ScriptTokenKind::Name(name) => name.clone(),
                ScriptTokenKind::Mark(mark) if !mark.is_whitespace() => mark.to_string(),
                ScriptTokenKind::Mark(_) => ";".to_owned(),
                _ => "\"".to_owned(),
            })
            .collect();
        let endless = &TABLE.endless;
        let ends_there = |at: usize, word: &str| {
            !skeleton
                .get(at + word.len()..)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
        };
        let is_loop = endless
            .loops
            .iter()
            .any(|word| skeleton.find(word.as_str()).is_some_and(|at| ends_there(at, word)));
        let any = |list: &[String], name: &str| list.iter().any(|known| fits(known, name));
        let twice = skeleton.contains("forkwhilefork") || skeleton.matches("fork").count() > 4;
        if !is_loop && !twice {
            return;
        }
        let forks = names().find(|(name, _)| any(&endless.forks, name));
        let grows = names().any(|(name, _)| any(&endless.grows, name))
            || ["+=", "<<", ".="].iter().any(|mark| skeleton.contains(mark));
        let waits = names().any(|(name, _)| any(&endless.waits, name));
        if let Some((name, at)) = forks {
            let deed = ScriptEffect::new(Effect::Stop, Scope::Everything, name, at.clone());
            self.deeds.push(deed.forced());
        } else if is_loop && grows && !waits {
            self.deeds.push(ScriptEffect::new(Effect::Stop, Scope::Everything, "a loop without end", all));
        }
    }

    /// Adds the effects of AppleScript phrases.
    fn apple_script(&mut self) {
        let name = |at: usize| match self.program.kind(at) {
            Some(ScriptTokenKind::Name(name)) => name.to_ascii_lowercase(),
            _ => String::new(),
        };
        let mut found = Vec::new();
        let tells = (0..self.program.tokens.len()).any(|at| name(at) == "tell");
        for at in 0..self.program.tokens.len() {
            if found.len() >= DEEDS_MAX {
                break;
            }
            let span = self.program.tokens.get(at).map(|token| token.at.clone()).unwrap_or_default();
            let word = name(at);
            let script_at = match word.as_str() {
                "do" if name(at + 1) == "shell" && name(at + 2) == "script" => Some(at + 3),
                "do" if name(at + 1) == "script" => Some(at + 2),
                _ => None,
            };
            if let Some(from) = script_at {
                let end = (from..self.program.tokens.len())
                    .find(|at| {
                        matches!(self.program.kind(*at), Some(ScriptTokenKind::Mark('\n')))
                            || matches!(name(*at).as_str(), "with" | "in" | "without")
                    })
                    .unwrap_or(self.program.tokens.len());
                let script = self.program.value(&(from..end));
                found.push(ScriptEffect::shell(known(script), "do shell script", span.clone()));
            }
            if word == "administrator" && name(at + 1) == "privileges" {
                found.push(ScriptEffect::new(
                    Effect::Privilege,
                    Scope::Own,
                    "administrator privileges",
                    span.clone(),
                ));
            }
            if matches!(word.as_str(), "keystroke") || (word == "run" && name(at + 1) == "script") {
                found.push(ScriptEffect::new(Effect::ExecData, Scope::Unreadable, &word, span.clone()));
            }
            if !tells {
                continue;
            }
            let phrase =
                |phrase: &str| phrase.split(' ').enumerate().all(|(step, part)| name(at + step) == part);
            for (phrases, effect, scope) in [
                (&TABLE.applescript.stops, Effect::Stop, Scope::System),
                (&TABLE.applescript.deletes, Effect::Delete, Scope::Own),
            ] {
                if let Some(found_phrase) = phrases.iter().find(|text| phrase(text)) {
                    let every = name(at + 1) == "every";
                    let scope = if every { Scope::Unreadable } else { scope };
                    found.push(ScriptEffect::new(effect, scope, found_phrase, span.clone()));
                }
            }
        }
        self.deeds.extend(found);
    }
}

/// Returns import aliases with the names of their modules.
fn aliases(program: &TokenizedProgram<'_>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if program.syntax.is("python") {
        for (at, three) in program.tokens.windows(3).enumerate() {
            if let [ScriptTokenKind::Name(module), ScriptTokenKind::Name(word), ScriptTokenKind::Name(alias)] =
                [&three[0].kind, &three[1].kind, &three[2].kind]
                && word == "as"
                && at > 0
            {
                found.insert(alias.clone(), module.clone());
            }
        }
    }
    found
}

/// Result of `open`: a file with an effect, or a shell command.
enum Opened {
    File(Effect, String),
    Shell(String),
}

/// Returns a script, or `None` if no part of it is known.
fn known(script: String) -> Option<String> {
    Some(script).filter(|script| !script.replace("$x", "").trim().is_empty())
}
