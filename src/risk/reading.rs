//! What a line does: each command held against the tables, with what flows into it and who runs it.

use std::collections::{BTreeMap, BTreeSet};

use super::call::Call;
use super::decode::{self, Step};
use super::effect::{Effect, Label, Scope};
use super::feed::{self, Feed};
use super::place::{self, Kind, Place};
use super::script::{self, Deed};
use super::table::{Program, Reads, Row, Table, Target};
use super::weigh::{Act, Manner, reason, weigh};
use super::words::Words;
use crate::shell::Shell;
use crate::syntax::{self, Nesting, Parsed, Redirection, SimpleCommand, Span, Word};

/// Scripts and aliases inside each other that are read.
const MAX_LAYERS: usize = 6;
/// Bytes of such text that are read of one line.
const MAX_BYTES: usize = 1 << 17;
/// Things done that are kept of one line.
const MAX_ACTS: usize = 2_000;

/// Looks up what an alias of the user's stands for.
pub(super) type Alias<'a> = &'a dyn Fn(&str) -> Option<String>;

/// An act that hits a path which the machine can be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    /// Index of the act.
    pub(super) act: usize,
    /// The path is a pattern.
    pub(super) glob: bool,
    /// A file that is there would be lost.
    pub(super) replaces: bool,
    /// An absolute path outside the home directory.
    pub(super) outside: bool,
}

/// Reads one line, and the scripts in it.
pub(super) struct Reader<'a> {
    shell: Shell,
    table: &'a Table,
    alias: Alias<'a>,
    /// Values given in the line itself.
    variables: BTreeMap<String, String>,
    /// Files that the line fetches.
    fetched: BTreeSet<String>,
    /// Aliases being read, so that one that stands for itself ends.
    expanding: Vec<String>,
    layers: usize,
    bytes: usize,
    /// Where acts of a script are shown: the word that holds it.
    holder: Option<Span>,
    /// The script runs with another user's rights.
    privileged: bool,
    /// The script's standard input is what its program hands it.
    fed: bool,
    acts: Vec<Act>,
    placed: Vec<Placed>,
    /// Is told of each row that speaks.
    #[cfg(test)]
    hears: Option<&'a dyn Fn(&Row)>,
}

/// A line, or a script in one, while it is read.
#[derive(Clone, Copy)]
struct Text<'t> {
    line: &'t str,
    parsed: &'t Parsed,
}

impl<'a> Reader<'a> {
    pub(super) fn new(shell: Shell, table: &'a Table, alias: Alias<'a>) -> Self {
        Self {
            shell,
            table,
            alias,
            variables: BTreeMap::new(),
            fetched: BTreeSet::new(),
            expanding: Vec::new(),
            layers: MAX_LAYERS,
            bytes: MAX_BYTES,
            holder: None,
            privileged: false,
            fed: false,
            acts: Vec::new(),
            placed: Vec::new(),
            #[cfg(test)]
            hears: None,
        }
    }

    #[cfg(test)]
    pub(super) fn hearing(mut self, hears: &'a dyn Fn(&Row)) -> Self {
        self.hears = Some(hears);
        self
    }

    /// What the line does, in the order of its words, and where.
    pub(super) fn read(mut self, line: &str, parsed: &Parsed) -> (Vec<Act>, Vec<Placed>) {
        self.text(Text { line, parsed });
        (self.acts, self.placed)
    }

    /// Reads another text of the same meaning first; what it does is shown at `holder`.
    pub(super) fn also(&mut self, line: &str, holder: Span) {
        let word = Word { span: holder, text: line.to_owned(), literal: true, quoted: false, glob: false };
        self.script(line, self.shell, &word);
    }

    fn text(&mut self, text: Text<'_>) {
        for command in &text.parsed.commands {
            self.command(command, text);
        }
        self.forks(text);
    }

    fn command(&mut self, command: &SimpleCommand, text: Text<'_>) {
        let outer = self.privileged;
        self.privileged |= command.within.iter().any(|nesting| match nesting {
            Nesting::Wrapper(name) => Words::own().gives_rights(name),
            _ => false,
        });
        let before = self.acts.len();
        self.assignments(command);
        self.redirections(command);
        self.surroundings(command);
        if let Some(word) = command.words.first() {
            self.named(word, command, text);
        }
        self.leaks(before, command, text);
        self.privileged = outer;
    }

    /// What follows from where a command stands.
    fn surroundings(&mut self, command: &SimpleCommand) {
        let Some(word) = command.words.first() else { return };
        match command.within.last() {
            Some(Nesting::Function) => {
                self.add(Effect::Session, Scope::Own, word, "", Manner::default(), None)
            }
            Some(Nesting::Wrapper(name)) if Words::own().is_afar(name) => {
                let says = format!("runs {} on another machine", word.text);
                self.add(Effect::RemoteChange, Scope::Own, word, &word.text, Manner::default(), Some(says));
            }
            _ => {}
        }
        let endless =
            command.words.iter().skip(1).find(|word| place::path(word, self.shell).kind == Kind::Endless);
        let writes = command.redirections.iter().any(|redirection| redirection.operator.contains('>'));
        if let (Some(source), true, true) = (endless, writes, command.name() == Some("cat")) {
            let says = format!("{} never ends and fills the disk", source.text);
            self.add(Effect::Stop, Scope::System, source, &source.text, Manner::default(), Some(says));
        }
        // An array's index is evaluated, whatever the quotes around it say.
        let evaluates = matches!(
            command.name(),
            Some(
                "[[" | "["
                    | "test"
                    | "let"
                    | "(("
                    | "declare"
                    | "typeset"
                    | "local"
                    | "printf"
                    | "read"
                    | "unset"
                    | "export"
            )
        );
        for word in &command.words {
            let hidden = evaluates && word.literal && (word.text.contains("[$(") || word.text.contains("[`"));
            let again = !word.literal
                && (word.text.contains("@P}") || self.shell == Shell::Zsh && word.text.contains("${(e)"));
            if hidden || again {
                let says = "runs what stands in a text".to_owned();
                self.add(
                    Effect::ExecData,
                    Scope::Unreadable,
                    word,
                    &word.text,
                    Manner::default(),
                    Some(says),
                );
            }
        }
    }

    /// What a command sends out comes from where secrets are.
    fn leaks(&mut self, before: usize, command: &SimpleCommand, text: Text<'_>) {
        let sends =
            |act: &Act| matches!(act.effect, Effect::NetSend | Effect::NetRead | Effect::RemoteChange);
        if !self.acts.iter().skip(before).any(sends) {
            return;
        }
        let is_inner = |inner: &&SimpleCommand| {
            command.span.start < inner.span.start && inner.span.end <= command.span.end
        };
        let inner = text.parsed.commands.iter().filter(is_inner);
        let found = feed::above(command, text.parsed).chain(inner).find_map(|source| self.secret(source));
        if let Some(word) = found {
            let says = format!("sends what {} holds to somebody else", word.text);
            self.add(Effect::NetSend, Scope::Everything, &word, &word.text, Manner::default(), Some(says));
        }
    }

    /// The word of a command by which it prints what must not get out.
    fn secret(&self, command: &SimpleCommand) -> Option<Word> {
        let is_secret = |word: &&Word| place::path(word, self.shell).kind == Kind::Secret;
        let read = command.redirections.iter().filter(|redirection| redirection.operator == "<");
        let targets = read.filter_map(|redirection| redirection.target.as_ref());
        let word = command.words.iter().skip(1).chain(targets).find(is_secret);
        let teller = command.words.first().filter(|word| {
            // `set` and its like tell all when they are told nothing.
            Words::own().tells_secrets(&word.text)
        });
        word.or(teller).cloned()
    }

    /// A command with a command word.
    fn named(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        let holds_nothing_readable = !word.literal;
        if holds_nothing_readable {
            return self.unread(word, command);
        }
        let rest = command.words.get(1..).unwrap_or_default();
        if let Some(meaning) = self.meaning(&word.text) {
            let words = rest.iter().filter_map(|word| text.line.get(word.span.clone()));
            let line = std::iter::once(meaning.as_str()).chain(words).collect::<Vec<_>>().join(" ");
            self.expanding.push(word.text.clone());
            self.script(&line, self.shell, word);
            self.expanding.pop();
            return;
        }
        let mut words = rest.to_vec();
        let feed = feed::of(command, text.parsed, text.line, self.shell);
        if let Some(feed) = &feed
            && !feed.is_placed
        {
            words.push(Word {
                text: "{}".to_owned(),
                literal: false,
                quoted: false,
                glob: false,
                ..word.clone()
            });
        }
        let call = Call::read(&word.text, words, self.table, self.shell);
        if self.fetched.contains(word.text.trim_start_matches("./")) {
            return self.add(Effect::ExecData, Scope::Remote, word, &word.text, Manner::default(), None);
        }
        let has_inner = text.parsed.commands.iter().any(|inner| is_inside(inner, command));
        match call.program() {
            Some(program) => self.rows(program, &call, word, command, text, feed.as_ref()),
            None if has_inner => {}
            None => {
                let says = format!("runs {}, which is not in the tables", call.name);
                self.add(Effect::Project, Scope::Own, word, "", Manner::default(), Some(says));
                if let Some(any) = self.table.any() {
                    self.rows(any, &call, word, command, text, feed.as_ref());
                }
            }
        }
    }

    /// What an alias stands for, or a word of the line that is one.
    fn meaning(&self, name: &str) -> Option<String> {
        let is_open = self.expanding.iter().any(|open| open == name);
        if is_open || self.expanding.len() >= MAX_LAYERS { None } else { (self.alias)(name) }
    }

    /// A command word that is only known when the line runs.
    fn unread(&mut self, word: &Word, command: &SimpleCommand) {
        let known = (!word.glob).then(|| decode::expand(&word.text, &self.variables, self.shell)).flatten();
        match known.filter(|text| !text.trim().is_empty()) {
            Some(text) => {
                let rest = command.words.iter().skip(1).map(|word| word.text.as_str());
                let line = std::iter::once(text.as_str()).chain(rest).collect::<Vec<_>>().join(" ");
                self.script(&line, self.shell, word);
            }
            None => {
                let says = format!("runs a command that can't be read from the line: {}", word.text);
                self.add(
                    Effect::ExecData,
                    Scope::Unreadable,
                    word,
                    &word.text,
                    Manner::default(),
                    Some(says),
                );
            }
        }
    }

    fn rows(
        &mut self,
        program: &Program,
        call: &Call<'_>,
        word: &Word,
        command: &SimpleCommand,
        text: Text<'_>,
        feed: Option<&Feed>,
    ) {
        let is_idle = |option: &String| call.has(&option.clone().into());
        if call.has(&"--help --version".to_owned().into()) && call.operands().is_empty() {
            return;
        }
        if program.idle.iter().any(is_idle) {
            if let Some(scope) = program.idle_reads {
                self.add(Effect::Read, scope, word, "", Manner::default(), None);
            }
            return;
        }
        for row in &program.rows {
            let holds = row.when.iter().all(|condition| call.has(condition))
                && !row.unless.iter().any(|condition| call.has(condition))
                && (row.operands..=row.at_most).contains(&call.operands().len());
            if holds {
                self.row(row, call, word, command, text, feed);
            }
        }
    }

    /// A row whose conditions hold.
    fn row(
        &mut self,
        row: &Row,
        call: &Call<'_>,
        word: &Word,
        command: &SimpleCommand,
        text: Text<'_>,
        feed: Option<&Feed>,
    ) {
        let before = self.acts.len();
        let manner =
            Manner { tree: row.tree, forced: row.forced, recoverable: row.recoverable, ..Manner::default() };
        match &row.to {
            Target::Scope(scope) => {
                let unknown =
                    feed.is_some_and(|feed| !feed.is_placed && feed.place.scope == Scope::Unreadable);
                let scope =
                    if unknown && row.does == Effect::RemoteChange { Scope::Unreadable } else { *scope };
                self.add(row.does, scope, word, "", manner, row.says.clone());
            }
            Target::Stdin => self.input(row, word, command, text),
            target => {
                let words = call.targets(target);
                if let (true, Some(scope)) = (words.is_empty(), row.alone) {
                    self.add(row.does, scope, word, "", manner, row.says.clone());
                }
                for target in &words {
                    self.target(row, manner, target, command, text, feed);
                }
            }
        }
        #[cfg(test)]
        if let Some(hears) = self.hears.filter(|_| before < self.acts.len()) {
            hears(row);
        }
        #[cfg(not(test))]
        let _ = before;
    }

    /// A row's effect on one word.
    fn target(
        &mut self,
        row: &Row,
        manner: Manner,
        target: &Word,
        command: &SimpleCommand,
        text: Text<'_>,
        feed: Option<&Feed>,
    ) {
        match row.reads {
            Reads::Path if is_run(row.does) && !target.literal && self.printed(target, text).is_some() => {
                let scope = self.printed(target, text).unwrap_or(Scope::Unreadable);
                self.add(row.does, scope, target, &target.text, manner, row.says.clone());
            }
            Reads::Path => match feed.filter(|_| target.text.contains("{}")) {
                Some(feed) => {
                    // All that is below a place is more than the place's files.
                    let is_tree = !matches!(feed.place.scope, Scope::Own | Scope::Unreadable);
                    let manner = Manner { tree: manner.tree || is_tree, ..manner };
                    self.place(row.does, &feed.place, target, manner, row.says.clone());
                }
                None => {
                    let place = place::path(&self.settled(target), self.shell);
                    self.place(row.does, &place, target, manner, row.says.clone());
                }
            },
            Reads::Name => {
                let scope = if target.literal { Scope::Own } else { Scope::Unreadable };
                self.add(row.does, scope, target, &target.text, manner, row.says.clone());
            }
            Reads::Host => self.host(row, manner, target, text),
            Reads::Shell => {
                self.shell_text(target, speaks_shell(command, self.shell).unwrap_or(grammar(self.shell)));
            }
            Reads::Code => {
                let language = command.name().unwrap_or_default().to_owned();
                let quiet = Words::own().is_quiet(&language);
                self.foreign(row, target, quiet, |text| script::code(text, &language));
            }
            Reads::Sql => self.foreign(row, target, true, script::sql),
        }
        if row.does == Effect::NetRead {
            self.remember_fetched(target);
        }
    }

    /// The word is what commands in it print; where that comes from.
    fn printed(&self, word: &Word, text: Text<'_>) -> Option<Scope> {
        let inside = |inner: &&SimpleCommand| {
            word.span.start <= inner.span.start && inner.span.end <= word.span.end && inner.span != word.span
        };
        let mut inner = text.parsed.commands.iter().filter(inside).peekable();
        inner.peek()?;
        Some(if inner.any(|command| self.fetches(command)) { Scope::Remote } else { Scope::Unreadable })
    }

    /// A word that names a place, or a file of a secret kind.
    fn place(&mut self, effect: Effect, place: &Place, word: &Word, manner: Manner, says: Option<String>) {
        self.placed(effect, place, word, manner, false, says);
    }

    /// The same, where what is there may be kept.
    fn placed(
        &mut self,
        effect: Effect,
        place: &Place,
        word: &Word,
        manner: Manner,
        appends: bool,
        says: Option<String>,
    ) {
        let manner = Manner { in_home: place.in_home, outside: place.outside, ..manner };
        let writes = matches!(effect, Effect::WriteNew | Effect::Overwrite);
        let (effect, scope) = match (place.kind, effect) {
            (Kind::Sink, _) if writes => return,
            (Kind::Log, Effect::Delete | Effect::Overwrite) => (Effect::History, Scope::Home),
            (Kind::Startup, Effect::WriteNew) => (Effect::Persistence, place.scope),
            (Kind::Startup | Kind::Secret, Effect::Overwrite) => (effect, Scope::Home),
            (Kind::Secret | Kind::Repository, Effect::Delete) if manner.tree || manner.forced => {
                (effect, Scope::Home)
            }
            (Kind::Secret, Effect::NetSend) => (effect, Scope::Home),
            _ => (effect, place.scope),
        };
        let act = self.acts.len();
        self.add(effect, scope, word, &word.text, manner, says);
        let is_path = (word.literal || place.glob) && word.text != "{}" && act < self.acts.len();
        if is_path && matches!(effect, Effect::WriteNew | Effect::Overwrite | Effect::Delete) {
            let replaces = !appends && !manner.tree && !manner.recoverable;
            self.placed.push(Placed { act, glob: place.glob, replaces, outside: place.outside });
        }
    }

    /// A word that names a host.
    fn host(&mut self, row: &Row, manner: Manner, word: &Word, text: Text<'_>) {
        let host = place::host(&self.settled(word), self.shell);
        let shown = host.name.clone().unwrap_or_else(|| word.text.clone());
        if host.deceptive {
            let says = format!("goes to {shown}, which is not what it looks like");
            return self.add(Effect::NetSend, Scope::Everything, word, &shown, manner, Some(says));
        }
        if self.sends_local_data(word, text) {
            let says = format!("sends local data to {shown}");
            return self.add(Effect::NetSend, Scope::Everything, word, &shown, manner, Some(says));
        }
        let scope = match row.does {
            Effect::Install | Effect::ExecData if host.readable => Scope::Remote,
            _ if host.readable => Scope::Own,
            _ => Scope::Unreadable,
        };
        self.add(row.does, scope, word, &shown, manner, row.says.clone());
    }

    /// The word carries the output of commands, or a variable that holds a secret.
    fn sends_local_data(&self, word: &Word, text: Text<'_>) -> bool {
        if word.literal {
            return false;
        }
        let words = Words::own();
        let inside = text.parsed.commands.iter().filter(|inner| {
            word.span.start <= inner.span.start && inner.span.end <= word.span.end && inner.span != word.span
        });
        let mut told = inside.filter_map(SimpleCommand::name).peekable();
        let tells = told.peek().is_some() && told.any(|name| !words.is_plain(name));
        tells || variables(&word.text).any(|name| words.is_secret(name) && !self.variables.contains_key(name))
    }

    /// The word with what the line itself says of its variables.
    fn settled(&self, word: &Word) -> Word {
        if word.literal || word.glob || self.variables.is_empty() {
            return word.clone();
        }
        match decode::expand(&word.text, &self.variables, self.shell) {
            Some(text) => Word { text, literal: true, ..word.clone() },
            None => word.clone(),
        }
    }

    fn remember_fetched(&mut self, word: &Word) {
        let name = word.text.rsplit('/').next().unwrap_or_default();
        let name = name.split(['?', '#']).next().unwrap_or_default();
        if !name.is_empty() && word.text.contains('/') {
            self.fetched.insert(name.to_owned());
        }
    }

    /// A script for a shell, as the value of an option.
    fn shell_text(&mut self, word: &Word, dialect: Shell) {
        let known = if word.literal {
            Some(word.text.clone())
        } else {
            decode::expand(&word.text, &self.variables, self.shell)
        };
        match known {
            Some(script) => {
                // It gets what its program hands it, not the keyboard.
                let fed = std::mem::replace(&mut self.fed, true);
                self.script(&script, dialect, word);
                self.fed = fed;
            }
            None => self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, Manner::default(), None),
        }
    }

    /// Text in another language.
    fn foreign(&mut self, row: &Row, word: &Word, quiet: bool, read: impl Fn(&str) -> Vec<Deed>) {
        let known = if word.literal {
            Some(word.text.clone())
        } else {
            decode::expand(&word.text, &self.variables, self.shell)
        };
        let Some(text) = known else {
            let has_command = word.text.contains("$(") || word.text.contains('`');
            let scope = if has_command { Scope::Unreadable } else { Scope::Own };
            return self.add(row.does, scope, word, &word.text, Manner::default(), row.says.clone());
        };
        if !quiet {
            let says = "runs the code in it".to_owned();
            self.add(Effect::Project, Scope::Own, word, "", Manner::default(), Some(says));
        }
        for deed in read(&text) {
            match &deed.shell_script {
                Some(script) => self.script(script, grammar(self.shell), word),
                None => {
                    let manner = Manner { forced: deed.forced, ..Manner::default() };
                    self.add(deed.effect, deed.scope, word, &deed.what, manner, None);
                }
            }
        }
    }

    /// A command that runs what it reads.
    fn input(&mut self, row: &Row, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        let given =
            command.redirections.iter().rev().find(|redirection| redirection.operator.starts_with('<'));
        let script = match given {
            Some(given) if given.operator == "<<<" => given.target.as_ref().map(|target| {
                if target.literal {
                    Some(target.text.clone())
                } else {
                    decode::expand(&target.text, &self.variables, self.shell)
                }
            }),
            Some(given) if given.operator.starts_with("<<") => Some(feed::document(given, text.line)),
            Some(given) => {
                let place = given.target.as_ref().map(|target| place::path(target, self.shell));
                let scope = place.map_or(Scope::Unreadable, |place| place.scope);
                let target = given.target.as_ref().unwrap_or(word);
                return self.add(row.does, scope, target, &target.text, Manner::default(), row.says.clone());
            }
            None if command.position == 0 && !self.fed => None,
            None => Some(self.upstream(command, text)),
        };
        let Some(script) = script else { return };
        match script {
            Some(script) if speaks_shell(command, self.shell).is_some() => {
                let dialect = speaks_shell(command, self.shell).unwrap_or(Shell::Bash);
                self.script(&script, dialect, word);
            }
            Some(script) => {
                let language = command.name().unwrap_or_default().to_owned();
                let held = Word { text: script, literal: true, ..word.clone() };
                let quiet = Words::own().is_quiet(&language);
                self.foreign(row, &held, quiet, |text| script::code(text, &language));
            }
            None => {
                let is_remote = feed::above(command, text.parsed).any(|above| self.fetches(above));
                let scope = if is_remote { Scope::Remote } else { Scope::Unreadable };
                self.add(Effect::ExecData, scope, word, "", Manner::default(), row.says.clone());
            }
        }
    }

    /// What the commands before it in the pipeline print, when that can be told.
    fn upstream(&self, command: &SimpleCommand, text: Text<'_>) -> Option<String> {
        let above: Vec<_> = feed::above(command, text.parsed).collect();
        if above.len() != command.position {
            return None;
        }
        let words: Option<Vec<Vec<String>>> =
            above.iter().map(|command| self.known_words(&command.words)).collect();
        let words = words?;
        let steps: Vec<Step<'_>> = above
            .iter()
            .zip(&words)
            .map(|(command, words)| Step { words, input: self.own_input(command, text) })
            .collect();
        decode::output(&steps)
    }

    fn known_words(&self, words: &[Word]) -> Option<Vec<String>> {
        let known = |word: &Word| {
            if word.literal {
                Some(word.text.clone())
            } else {
                decode::expand(&word.text, &self.variables, self.shell)
            }
        };
        words.iter().map(known).collect()
    }

    fn own_input(&self, command: &SimpleCommand, text: Text<'_>) -> Option<String> {
        let given =
            command.redirections.iter().rev().find(|redirection| redirection.operator.starts_with("<<"))?;
        if given.operator == "<<<" {
            return given.target.as_ref().filter(|target| target.literal).map(|target| target.text.clone());
        }
        feed::document(given, text.line)
    }

    /// The command gets what it prints from the network.
    fn fetches(&self, command: &SimpleCommand) -> bool {
        let Some(name) = command.name() else { return false };
        let words = command.words.get(1..).unwrap_or_default().to_vec();
        let call = Call::read(name, words, self.table, self.shell);
        let rows = call.program().map(|program| program.rows.as_slice()).unwrap_or_default();
        rows.iter().any(|row| row.does == Effect::NetRead)
    }

    /// Reads a script that stands in a word.
    fn script(&mut self, script: &str, shell: Shell, word: &Word) {
        if self.layers == 0 || script.len() > self.bytes {
            return self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, Manner::default(), None);
        }
        self.layers -= 1;
        self.bytes -= script.len();
        let holder = self.holder.clone();
        let line_shell = std::mem::replace(&mut self.shell, shell);
        self.holder.get_or_insert(word.span.clone());
        let parsed = syntax::commands(script, shell);
        self.text(Text { line: script, parsed: &parsed });
        self.shell = line_shell;
        self.holder = holder;
        self.layers += 1;
    }

    fn assignments(&mut self, command: &SimpleCommand) {
        let words = Words::own();
        for word in &command.assignments {
            let (name, value) = word.text.split_once('=').unwrap_or((word.text.as_str(), ""));
            let name = name.trim_end_matches('+');
            let value = value.trim_matches(['"', '\'']);
            if words.injects(name) {
                let says = format!("puts other code into what runs: {name}");
                self.add(Effect::Persistence, Scope::System, word, name, Manner::default(), Some(says));
            } else if words.weakens(name, value) {
                self.add(Effect::SecurityOff, Scope::System, word, name, Manner::default(), None);
            } else if words.is_run(name) && !value.is_empty() {
                let held = Word { text: value.to_owned(), ..word.clone() };
                self.shell_text(&held, grammar(self.shell));
            }
            if command.words.is_empty() {
                self.add(Effect::Session, Scope::Own, word, name, Manner::default(), None);
            }
            if word.literal {
                self.variables.insert(name.to_owned(), value.to_owned());
            } else {
                self.variables.remove(name);
            }
        }
    }

    fn redirections(&mut self, command: &SimpleCommand) {
        for redirection in &command.redirections {
            let Some(target) = &redirection.target else { continue };
            if target.text.starts_with("/dev/tcp/") || target.text.starts_with("/dev/udp/") {
                let says = format!("opens a connection to {}", target.text);
                self.add(
                    Effect::NetSend,
                    Scope::Everything,
                    target,
                    &target.text,
                    Manner::default(),
                    Some(says),
                );
                continue;
            }
            let Some(effect) = written_by(redirection, command) else { continue };
            let place = place::path(&self.settled(target), self.shell);
            // An empty command leaves an empty file.
            let forced = effect == Effect::Overwrite;
            let effect = match place.kind {
                Kind::Startup | Kind::Secret if !redirection.operator.contains(">>") => Effect::Overwrite,
                _ => effect,
            };
            let appends = redirection.operator.contains(">>");
            self.placed(effect, &place, target, Manner { forced, ..Manner::default() }, appends, None);
        }
    }

    /// A function that calls itself twice at once.
    fn forks(&mut self, text: Text<'_>) {
        for command in
            text.parsed.commands.iter().filter(|command| command.within.contains(&Nesting::Function))
        {
            let Some(name) = command.name() else { continue };
            let before = text.line.get(..command.span.start).unwrap_or_default();
            let is_defined =
                before.contains(&format!("{name}()")) || before.contains(&format!("function {name}"));
            let after = text.line.get(command.span.end..).unwrap_or_default().trim_start();
            if is_defined && (command.position > 0 || after.starts_with('|') || after.starts_with('&')) {
                let word = command.words.first().cloned();
                if let Some(word) = word {
                    let says = format!("{name} starts itself without end");
                    self.add(Effect::Stop, Scope::System, &word, name, Manner::default(), Some(says));
                }
            }
        }
    }

    fn add(
        &mut self,
        effect: Effect,
        scope: Scope,
        word: &Word,
        target: &str,
        manner: Manner,
        says: Option<String>,
    ) {
        if self.acts.len() >= MAX_ACTS {
            return;
        }
        let manner = Manner { privileged: manner.privileged || self.privileged, ..manner };
        let label = weigh(effect, scope, manner);
        let span = self.holder.clone().unwrap_or_else(|| word.span.clone());
        let why = says.unwrap_or_else(|| reason(effect, scope, target));
        self.acts.push(Act { effect, scope, span, target: target.to_owned(), label, why });
    }
}

/// What a redirection does to its file.
fn written_by(redirection: &Redirection, command: &SimpleCommand) -> Option<Effect> {
    let operator = redirection.operator.as_str();
    let target = redirection.target.as_ref()?;
    let is_descriptor =
        operator.ends_with('&') && target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if !operator.contains('>') || is_descriptor {
        return None;
    }
    if operator.contains(">>") || operator == "<>" {
        return Some(Effect::WriteNew);
    }
    let says_nothing = match command.name() {
        None => command.words.is_empty(),
        Some(":" | "true") => true,
        Some("cat" | "cp") => command.words.iter().any(|word| word.text == "/dev/null"),
        Some("echo" | "printf") => command.words.len() == 1,
        Some(_) => false,
    };
    Some(if says_nothing { Effect::Overwrite } else { Effect::WriteNew })
}

/// The effect runs what its operand holds.
fn is_run(effect: Effect) -> bool {
    matches!(effect, Effect::ExecData | Effect::ExecArg)
}

/// Names after `$` or `${` in a word.
pub(super) fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let rest = rest.strip_prefix("env.").unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    })
}

/// The language that a shell reads; none when the command is no shell.
fn speaks_shell(command: &SimpleCommand, line: Shell) -> Option<Shell> {
    match command.name()?.rsplit('/').next()? {
        "sh" | "bash" | "dash" | "ash" | "ksh" | "mksh" | "rbash" => Some(Shell::Bash),
        "zsh" => Some(Shell::Zsh),
        "fish" => Some(Shell::Fish),
        "nu" => Some(Shell::Nu),
        "source" | "." => Some(line),
        _ => None,
    }
}

/// The language of scripts for `sh`.
fn grammar(shell: Shell) -> Shell {
    match shell {
        Shell::Zsh => Shell::Zsh,
        _ => Shell::Bash,
    }
}

/// A command that this one runs.
fn is_inside(inner: &SimpleCommand, outer: &SimpleCommand) -> bool {
    let name = outer.name().unwrap_or_default();
    outer.span.start <= inner.span.start
        && inner.span.end <= outer.span.end
        && inner.span != outer.span
        && inner.within.len() == outer.within.len() + 1
        && matches!(inner.within.last(), Some(Nesting::Wrapper(wrapper)) if wrapper.split(' ').next() == Some(name))
}

/// The worst of several acts; of equals the first.
pub(super) fn worst(acts: &[Act]) -> Option<&Act> {
    let label = acts.iter().map(|act| act.label).max().filter(|label| *label > Label::Safe)?;
    acts.iter().find(|act| act.label == label)
}
