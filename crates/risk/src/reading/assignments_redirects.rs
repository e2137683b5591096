//! Reads assignments and redirects, the function or remote machine that a command runs in, and secrets that are
//! sent out.

use super::names::TABLES;
use super::{LineReader, Text, variables};
use crate::effect::{Effect, Scope};
use crate::input_flow;
use crate::path_class;
use crate::path_class::PathKind;
use crate::weigh::{Act, Circumstances, is_one_expansion};
use crate::words::WordLists;
use askline_syntax::nushell_strings::quoted_text;
use askline_syntax::nushell_tokens::quote_end;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, Redirection, SimpleCommand, Span, Word};

/// Commands that evaluate an array index even if it is quoted.
const EVALUATING: [&str; 11] =
    ["[[", "[", "test", "let", "((", "declare", "typeset", "local", "printf", "read", "unset"];

/// Maximum number of expansions of a text whose flags are read.
const EXPANSIONS_MAX: usize = 64;
/// Letters of zsh's flags of an expansion that take an argument between two equal signs.
const FLAGS_WITH_ARGUMENT: &str = "gIjslrZ_";

/// Maximum number of keys of one value whose command lines are read.
const KEYS_MAX: usize = 32;
/// Bytes before a command in which the definition of its function is looked for.
const DEFINITION_MAX: usize = 512;

/// Lowercase names that zsh ties to a setting or runs.
const TIED: [&str; 12] = [
    "path",
    "fpath",
    "cdpath",
    "manpath",
    "mailpath",
    "module_path",
    "prompt",
    "fignore",
    "histchars",
    "watch",
    "argv",
    "options",
];
/// Ends of lowercase names that the shell or programs read: `precmd_functions`, `http_proxy`.
const TIED_ENDS: [&str; 2] = ["_functions", "_proxy"];

impl LineReader<'_> {
    pub(super) fn assignments(&mut self, command: &SimpleCommand) {
        for word in &command.assignments {
            let (name, value) = word.text.split_once('=').unwrap_or((word.text.as_str(), ""));
            let name = name.trim_end_matches('+');
            let value = value.trim_matches(['"', '\'']);
            self.assigned(name, value, word);
            // An element of a list or table: `PROMPT_COMMAND[1]=…`.
            if let Some((list, _)) = name.split_once('[') {
                self.assigned(list, value, word);
            }
            self.table_entry(name, value, word);
            if word.literal {
                self.evaluated(value, word);
            }
            if !command.words.is_empty() {
                self.hidden_in(value, word);
            }
            if command.words.is_empty() && !is_own_variable(name) && !keeps_output(name, value) {
                self.add(Effect::Session, Scope::Own, word, name, Circumstances::default(), None);
            }
            if word.literal {
                self.variables.insert(name.to_owned(), value.to_owned());
            } else {
                self.variables.remove(name);
                self.keep_null_command(name, value);
            }
        }
    }

    /// Adds effects of setting a variable, by assignment or by a command.
    pub(super) fn assigned(&mut self, name: &str, value: &str, word: &Word) {
        let words = WordLists::own();
        // A list of one command: `PROMPT_COMMAND+=('…')`.
        let only = value.strip_prefix('(').and_then(|value| value.strip_suffix(')'));
        let value = only.filter(|_| words.is_run(name)).unwrap_or(value).trim_matches(['"', '\'']);
        if words.is_search_path(name) {
            self.search_path(name, value, word);
        }
        self.settings_at(name, value, word);
        self.foreign_settings(name, value, word);
        if words.injects(name, value) {
            let says = format!("loads other code into programs: {name}");
            self.add(Effect::Persistence, Scope::System, word, name, Circumstances::default(), Some(says));
        } else if words.weakens(name, value) {
            let says = format!("switches a protection off: {name}");
            self.add(Effect::SecurityOff, Scope::System, word, name, Circumstances::default(), Some(says));
        } else if words.is_run(name) && !value.is_empty() {
            // In a prompt only substitutions run; a value that is a variable is a user setting.
            let substitutes = value.contains("$(") || value.contains('`');
            let is_prompt = ["PS", "RPS"].iter().any(|start| name.starts_with(start))
                || name.contains("PROMPT") && name != "PROMPT_COMMAND";
            if is_prompt && substitutes {
                self.script(&format!("echo {value}"), self.shell.of_scripts(), word);
            } else if !is_prompt {
                if substitutes || !value.starts_with('$') {
                    // less reads `|` and `-` before the command of `LESSOPEN`.
                    let command = value.trim_start_matches(['|', '-']);
                    self.script(command, self.shell.of_scripts(), word);
                }
                self.names_program(name, value, word);
            }
        } else if let Some(program) = words.program_with_options(name).filter(|_| !value.is_empty()) {
            let program = program.to_owned();
            self.script(&format!("{program} {value}"), self.shell.of_scripts(), word);
            if value.contains("$(") || value.contains('`') {
                let says =
                    Some(format!("takes options for {program} that can't be read from the line: {name}"));
                self.add(Effect::ExecData, Scope::Unreadable, word, name, Circumstances::default(), says);
            }
            self.hidden_in(value, word);
            self.keep_options(&program, value);
        }
        self.keep_null_command(name, value);
    }

    /// Adds an effect for a search path with a directory in which others can put programs.
    fn search_path(&mut self, name: &str, value: &str, word: &Word) {
        let is_break = |c: char| c.is_whitespace() || ":,[](){}\"'`".contains(c);
        let manner = Circumstances::default();
        if let Some(part) =
            value.split(is_break).find(|part| path_class::named(part).kind == PathKind::Temporary)
        {
            let says = format!("takes programs from {part}, where anyone may put them");
            self.add(Effect::ExecData, Scope::Unreadable, word, name, manner, Some(says));
        }
    }

    pub(super) fn redirections(&mut self, command: &SimpleCommand, text: Text<'_>) {
        for redirection in &command.redirections {
            let Some(target) = &redirection.target else { continue };
            let manner = Circumstances::default();
            if target.text.starts_with("/dev/tcp/") || target.text.starts_with("/dev/udp/") {
                let says = format!("opens a connection to {}", target.text);
                self.add(Effect::NetSend, Scope::Everything, target, &target.text, manner, Some(says));
                continue;
            }
            let Some(effect) = written_by(redirection, command, text.line) else { continue };
            let settled = self.settled(target, text);
            let place = self.class(&settled, command);
            let place = self.loop_place(&settled, command).unwrap_or(place);
            let appends = redirection.operator.contains(">>");
            if !appends && effect == Effect::WriteNew {
                let known = self.output(command, text);
                self.written.extend(target.text.rsplit('/').next().map(|name| (name.to_owned(), known)));
            }
            if self.fetches(command) {
                self.fetched.extend(target.text.rsplit('/').next().map(str::to_owned));
            }
            // An empty command leaves an empty file.
            let forced = effect == Effect::Overwrite;
            let effect = match place.kind {
                PathKind::Secret if place.scope == Scope::Own && !place.in_home && !place.outside => effect,
                // A file of its own in a directory of startup files replaces no other one.
                PathKind::Startup if effect == Effect::WriteNew && in_fragments(&place.path) => effect,
                PathKind::Startup | PathKind::Secret if !appends => Effect::Overwrite,
                _ => effect,
            };
            let is_lost = effect == Effect::WriteNew && !appends && self.is_read(&settled, command, text);
            let says = is_lost.then(|| format!("empties {} before the line reads it", settled.text));
            let effect = if is_lost { Effect::Overwrite } else { effect };
            self.placed(effect, &place, &settled, Circumstances { forced, ..manner }, appends, says);
            if place.kind == PathKind::Startup {
                let mut above = input_flow::above(command, text.parsed);
                if self.fetches(command) || above.any(|above| self.fetches(above)) {
                    self.starts_foreign(&target.text, target);
                }
                self.written(command, target, text);
            }
        }
    }

    /// Reads text that `echo` or `printf` writes to a startup file as if it ran now.
    fn written(&mut self, command: &SimpleCommand, target: &Word, text: Text<'_>) {
        if matches!(command.name(), Some("cat" | "tee"))
            && let Some(script) = self.own_input(command, text)
        {
            self.script(&script, self.shell, target);
        }
        if !matches!(command.name(), Some("echo" | "printf" | "print")) {
            return;
        }
        for word in command.words.iter().skip(1).filter(|word| word.text.contains(' ')) {
            if let Some(script) = self.value(word, text) {
                self.script(&script, self.shell, target);
            }
        }
    }

    /// Adds effects that depend on the surrounding construct, and of words that hide code.
    pub(super) fn aside(&mut self, command: &SimpleCommand) {
        let Some(word) = command.words.first() else { return };
        match command.within.last() {
            Some(Nesting::Function) => {
                self.add(Effect::Session, Scope::Own, word, "", Circumstances::default(), None)
            }
            Some(Nesting::Wrapper(name)) if WordLists::own().is_afar(name) => {
                let says = format!("runs {} on another machine", word.text);
                self.add(
                    Effect::RemoteChange,
                    Scope::Own,
                    word,
                    &word.text,
                    Circumstances::default(),
                    Some(says),
                );
            }
            _ => {}
        }
        // `export NAME=value`, `set -x NAME value`, `env NAME=value`.
        for word in command.words.iter() {
            // bash takes exported functions from the environment.
            if let Some((_, body)) = word.text.split_once('{').filter(|_| word.text.starts_with("BASH_FUNC_"))
            {
                self.script(body.trim_end().trim_end_matches('}'), self.shell.of_scripts(), word);
            }
        }
        for word in command.words.iter().skip(1) {
            if let Some((name, value)) = word.text.split_once('=')
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            {
                let value = value.trim_matches(['"', '\'']);
                self.assigned(name, value, word);
                self.refers_to(value, command, word);
                if command.name() == Some("alias") {
                    self.script(value, self.shell, word);
                }
            }
        }
        if matches!(command.name(), Some("set" | "fish_add_path" | "path add")) {
            let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
            if command.name() != Some("set") || words.iter().any(|word| WordLists::own().is_search_path(word))
            {
                self.search_path("PATH", &words.join(" "), word);
            }
        }
        let endless = |word: &&Word| path_class::path(word, self.shell).kind == PathKind::Endless;
        let writes = command.redirections.iter().any(|redirection| redirection.operator.contains('>'));
        if writes
            && command.name() == Some("cat")
            && let Some(source) = command.words.iter().skip(1).find(endless)
        {
            let says = format!("{} never ends and fills the disk", source.text);
            self.add(Effect::Stop, Scope::System, source, &source.text, Circumstances::default(), Some(says));
        }
        let evaluates = command.name().is_some_and(|name| EVALUATING.contains(&name));
        for word in &command.words {
            let hidden = evaluates && word.literal && (word.text.contains("[$(") || word.text.contains("[`"));
            let qualified =
                self.shell.dialect().has_pattern_groups && !word.literal && runs_in_pattern(&word.text);
            let again = qualified
                || !word.literal
                    && (word.text.contains("@P}") || self.shell.is_posix() && expands_again(&word.text));
            if hidden || again {
                let says = "runs text as code".to_owned();
                let manner = Circumstances::default();
                self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, manner, Some(says));
            }
        }
    }

    /// Adds the effect of bash's reference to a variable that says what runs: `declare -n r=PATH`, after which `r` is `PATH`.
    fn refers_to(&mut self, variable: &str, command: &SimpleCommand, word: &Word) {
        let words = WordLists::own();
        let is_reference = matches!(command.name(), Some("declare" | "typeset" | "local"))
            && command.words.iter().any(|word| word.text.starts_with('-') && word.text.contains('n'));
        if is_reference
            && (words.is_search_path(variable) || words.is_run(variable) || words.injects(variable, "/"))
        {
            let says = Some(format!("gives {variable} another name, by which the line may set it"));
            self.add(Effect::ExecData, Scope::Unreadable, word, variable, Circumstances::default(), says);
        }
    }

    /// Adds an effect for a function that starts itself again before it ends (a fork bomb).
    pub(super) fn forks(&mut self, text: Text<'_>) {
        let commands = text.parsed.commands.iter().take(super::COMMANDS_MAX);
        for command in commands.filter(|command| command.within.contains(&Nesting::Function)) {
            let (Some(name), Some(word)) = (command.name(), command.words.first()) else { continue };
            // In a fork bomb the definition is close before the commands of its body.
            let start = text.line.floor_char_boundary(command.span.start.saturating_sub(DEFINITION_MAX));
            let before = text.line.get(start..command.span.start).unwrap_or_default();
            let is_defined = [format!("{name}()"), format!("{name} ()"), format!("function {name}")]
                .iter()
                .any(|definition| before.contains(definition.as_str()));
            let after = text.line.get(command.span.end..).unwrap_or_default().trim_start();
            if is_defined && (command.position > 0 || after.starts_with(['|', '&'])) {
                let says = format!("{name} starts itself endlessly");
                self.add(Effect::Stop, Scope::System, word, name, Circumstances::default(), Some(says));
            }
        }
    }

    /// Reads Nushell's `$env.NAME = value`, which is not a command.
    pub(super) fn environment(&mut self, text: Text<'_>) {
        if !self.shell.is_nushell() {
            return;
        }
        for (at, _) in text.line.match_indices("$env.") {
            let before = text.line.get(..at).unwrap_or_default().trim_end();
            let rest = text.line.get(at + "$env.".len()..).unwrap_or_default();
            let end = rest.find(|c: char| !c.is_alphanumeric() && !"_.-".contains(c)).unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or_default();
            let value = rest.get(end..).unwrap_or_default().trim_start().trim_start_matches(['+', '?']);
            let starts = before.is_empty() || before.ends_with([';', '{', '\n']);
            let Some(value) =
                value.strip_prefix('=').filter(|value| starts && !value.starts_with(['=', '~']))
            else {
                continue;
            };
            self.bound_keys(value, &(at..at + "$env.".len() + name.len()));
            let end = value.find([';', '\n', '}']).unwrap_or(value.len());
            let value = value.get(..end).unwrap_or_default().trim().trim_matches(['"', '\'']);
            let word = named(at..at + "$env.".len() + name.len(), name);
            self.hidden_in(value, &word);
            self.assigned(name, value, &word);
            self.add(Effect::Session, Scope::Own, &word, name, Circumstances::default(), None);
        }
    }

    /// Reads the command lines that a value binds to keys of Nushell.
    fn bound_keys(&mut self, value: &str, span: &Span) {
        if !value.contains("executehostcommand") {
            return;
        }
        for (at, _) in value.match_indices("cmd:").take(KEYS_MAX) {
            let rest = value.get(at + "cmd:".len()..).unwrap_or_default().trim_start();
            let quote = rest.bytes().next().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
            let end = quote.and_then(|quote| quote_end(rest.as_bytes(), 0, quote));
            let quoted = end.and_then(|end| rest.get(..end));
            let script = quoted.and_then(quoted_text).unwrap_or_else(|| rest.to_owned());
            let word =
                Word { span: span.clone(), text: script.clone(), literal: true, quoted: true, glob: false };
            self.script(&script, self.shell, &word);
        }
    }

    /// Adds an effect for text that is evaluated: `[[ -v 'a[$(…)]' ]]` runs the array index, and zsh's `${(e)…}`
    /// runs the text that it expands to.
    pub(super) fn conditions(&mut self, text: Text<'_>) {
        let line = text.line;
        let indexed = line.contains("[[") && (line.contains("[$(") || line.contains("[`"));
        // bash has no such expansion, but what it is given may be meant for zsh.
        let again = self.shell.is_posix() && expands_again(line);
        if indexed || again {
            let whole = Word {
                span: 0..line.len(),
                text: line.to_owned(),
                literal: true,
                quoted: false,
                glob: false,
            };
            let says = "runs text as code".to_owned();
            self.add(Effect::ExecData, Scope::Unreadable, &whole, "", Circumstances::default(), Some(says));
        }
    }

    /// Adds an effect if a command sends out data that come from a secret.
    pub(super) fn leaks(&mut self, before: usize, command: &SimpleCommand, text: Text<'_>) {
        // A name that is looked up goes to other machines.
        let looks_up = command.name().is_some_and(|name| WordLists::own().looks_up(name));
        let sends = |act: &Act| {
            looks_up || matches!(act.effect, Effect::NetSend | Effect::NetRead | Effect::RemoteChange)
        };
        if !self.acts.iter().skip(before).any(sends) {
            return;
        }
        // What the shell reads comes from its keyboard or a fifo, its output goes out: another machine may lead it.
        let is_shell = |above: &&SimpleCommand| {
            let name = above.name().map(|name| name.rsplit('/').next().unwrap_or(name));
            name.is_some_and(|name| Shell::of_interpreter(name).is_some())
                && above
                    .words
                    .iter()
                    .skip(1)
                    .all(|word| word.text.starts_with('-') && !word.text.ends_with('c'))
        };
        if let Some(word) =
            input_flow::all_above(command, text.parsed).find(is_shell).and_then(|shell| shell.words.first())
        {
            let says = "connects a shell to another machine".to_owned();
            let manner = Circumstances::default();
            self.add(Effect::NetSend, Scope::Everything, word, &word.text, manner, Some(says));
        }
        let hands_over = |act: &Act| matches!(act.effect, Effect::NetSend | Effect::RemoteChange);
        let hands_over = self.acts.iter().skip(before).any(hands_over);
        let own = hands_over.then(|| self.handed_over(command)).flatten();
        let own = own.or_else(|| self.held_word(command, hands_over));
        let own = own.or_else(|| self.fed_secret(command));
        let own = own.or_else(|| self.list_of_addresses(command));
        let mut nested = text.parsed.commands.iter().filter(|_| looks_up);
        let own = own.or_else(|| {
            let is_inside = |inner: &SimpleCommand| {
                command.span.start < inner.span.start && inner.span.end <= command.span.end
            };
            nested.find_map(|inner| is_inside(inner).then(|| self.held_word(inner, false)).flatten())
        });
        let mut printing = input_flow::all_above(command, text.parsed);
        let own = own.or_else(|| printing.find_map(|above| self.held_word(above, hands_over)));
        let own = own.or_else(|| hands_over.then(|| self.environment_before(command, text)).flatten());
        let inner = input_flow::inside(&command.span, text.parsed)
            .filter(|inner| command.span.start < inner.span.start);
        let above = || input_flow::all_above(command, text.parsed);
        let of_above = above().flat_map(|above| input_flow::inside(&above.span, text.parsed));
        let fed_by = text.parsed.commands.iter().take_while(|outer| outer.span.start < command.span.start);
        let fed_by = fed_by.filter(|outer| {
            command.span.end <= outer.span.end
                && outer.name().is_some_and(|name| WordLists::own().feeds(name))
        });
        let mut sources = above().chain(inner).chain(of_above).chain(fed_by);
        let found = own.or_else(|| sources.find_map(|source| self.secret(source)));
        let is_sent = self.acts.iter().skip(before).any(|act| act.effect == Effect::NetSend);
        let found = found.or_else(|| above().filter(|_| is_sent).find_map(|source| self.whole_home(source)));
        if let Some(word) = found {
            let says = format!("sends the content of {} to another machine", word.text);
            self.add(
                Effect::NetSend,
                Scope::Everything,
                &word,
                &word.text,
                Circumstances::default(),
                Some(says),
            );
        }
    }

    /// Returns the word by which a command packs the whole home directory.
    fn whole_home(&self, command: &SimpleCommand) -> Option<Word> {
        let packs = command.name().is_some_and(|name| WordLists::own().packs(name));
        let mut words = command.words.iter().skip(1).filter(|_| packs);
        words.find(|word| path_class::path(word, self.shell).scope == Scope::Home).cloned()
    }

    /// Returns the secret file whose lines a downloader takes as addresses.
    fn list_of_addresses(&self, command: &SimpleCommand) -> Option<Word> {
        let is_downloader = command.name().is_some_and(|name| matches!(name, "wget" | "wget2" | "aria2c"));
        let pairs = command.words.iter().zip(command.words.iter().skip(1)).filter(|_| is_downloader);
        let is_list =
            |option: &str| option == "--input-file" || option.starts_with('-') && option.ends_with('i');
        let mut found = pairs.filter(|(before, word)| {
            is_list(&before.text) && path_class::path(word, self.shell).kind == PathKind::Secret
        });
        found.next().map(|(_, word)| word.clone())
    }

    /// Returns the secret file that a command reads as its standard input.
    fn fed_secret(&self, command: &SimpleCommand) -> Option<Word> {
        let inputs = command.redirections.iter().filter(|redirection| redirection.operator == "<");
        let is_secret = |word: &&Word| path_class::path(word, self.shell).kind == PathKind::Secret;
        inputs.filter_map(|redirection| redirection.target.as_ref()).find(is_secret).cloned()
    }

    /// Returns the command word if the pipeline of a Nushell command begins with all variables: `$env | to json`.
    fn environment_before(&self, command: &SimpleCommand, text: Text<'_>) -> Option<Word> {
        let first = input_flow::above(command, text.parsed).next().unwrap_or(command);
        let before = text
            .line
            .get(..first.span.start)
            .unwrap_or_default()
            .trim_end_matches('^')
            .trim_end()
            .strip_suffix('|')?;
        let is_all = self.shell.is_nushell() && before.trim_end().ends_with("$env");
        let word = is_all.then(|| command.words.first()).flatten()?;
        Some(Word { text: "the environment".to_owned(), ..word.clone() })
    }

    /// Returns the word by which a sending command sends a secret.
    fn handed_over(&self, command: &SimpleCommand) -> Option<Word> {
        // A word with blanks is a command line for the other side.
        let is_secret = |word: &Word| {
            !word.text.contains(' ') && path_class::path(word, self.shell).kind == PathKind::Secret
        };
        let read = command.redirections.iter().filter(|redirection| redirection.operator == "<");
        if let Some(target) =
            read.filter_map(|redirection| redirection.target.as_ref()).find(|word| is_secret(word))
        {
            return Some(target.clone());
        }
        let pairs = command.words.iter().zip(command.words.iter().skip(1));
        let mut found =
            pairs.filter(|(before, word)| is_secret(word) && !WordLists::own().is_identity(&before.text));
        found.next().map(|(_, word)| word.clone())
    }

    /// Returns the word by which a command prints a secret.
    pub(super) fn secret(&self, command: &SimpleCommand) -> Option<Word> {
        let is_secret = |word: &&Word| path_class::path(word, self.shell).kind == PathKind::Secret;
        let read = command.redirections.iter().filter(|redirection| redirection.operator == "<");
        let targets = read.filter_map(|redirection| redirection.target.as_ref());
        let word = command.words.iter().skip(1).chain(targets).find(is_secret);
        let told: Vec<&str> = command.words.iter().take(3).map(|word| word.text.as_str()).collect();
        let tells = (1..=told.len())
            .any(|count| WordLists::own().tells_secrets(&told.get(..count).unwrap_or_default().join(" ")));
        let teller = command.words.first().filter(|_| tells);
        word.or(teller).cloned()
    }

    /// Reports whether the word contains the output of commands, or a variable that contains a secret.
    pub(super) fn carries_data(&self, word: &Word, text: Text<'_>) -> bool {
        if word.literal {
            return false;
        }
        let words = WordLists::own();
        let tells = text.inside(word).filter_map(SimpleCommand::name).any(|name| !words.is_plain(name));
        tells || variables(&word.text).any(|name| words.is_secret(name) && !self.variables.contains_key(name))
    }
}

/// Reports whether zsh expands a value once more: `${(e)x}`, or, with a substitution in the text, as a prompt (`${(%)x}`) or
/// as the name of an element (`${(P)x}`).
fn expands_again(text: &str) -> bool {
    let opens = text.match_indices("${(").take(EXPANSIONS_MAX);
    let mut flags = opens.filter_map(|(at, open)| zsh_flags(text.get(at + open.len()..)?));
    flags.any(|(flags, rest)| {
        flags.contains('e')
            || flags.contains('%') && (rest.contains("$(") || rest.contains('`'))
            || flags.contains('P') && (text.contains("[$(") || text.contains("[`"))
    })
}

/// Returns the letters of the flags with which an expansion of zsh begins, without their arguments (`j:, :e` has `je`), and
/// the text after them.
fn zsh_flags(text: &str) -> Option<(String, &str)> {
    let mut letters = String::new();
    let mut rest = text.chars();
    loop {
        let letter = rest.next()?;
        if letter == ')' {
            return Some((letters, rest.as_str()));
        }
        letters.push(letter);
        let sign = rest.clone().next().filter(|_| FLAGS_WITH_ARGUMENT.contains(letter));
        // `l:10::.:` has several arguments.
        while sign.is_some_and(|sign| rest.as_str().starts_with(sign)) {
            rest.next();
            rest.find(|c| Some(*c) == sign)?;
        }
    }
}

/// Reports whether zsh runs code in the pattern's qualifiers `(e:…:)` or `(+name)`.
fn runs_in_pattern(text: &str) -> bool {
    let Some((_, qualifiers)) =
        text.strip_suffix(')').and_then(|text| text.rsplit_once('(').or(text.split_once("(e")))
    else {
        return text.contains("(e:") || text.contains("(oe:");
    };
    qualifiers.starts_with('+')
        || ["e:", "e'", "e{", "e[", "e\""].iter().any(|form| qualifiers.contains(form))
        || text.contains("(e:")
}

/// Reports whether a path is a file in a directory each of whose files is read: `~/.config/fish/conf.d/a.fish`.
fn in_fragments(path: &str) -> bool {
    let directory = path.rsplit('/').nth(1).unwrap_or_default();
    path.starts_with('~')
        && (directory.ends_with(".d")
            || matches!(directory, "functions" | "autostart" | "autoload" | "user" | "bin"))
}

/// Returns a word of a name.
fn named(span: Span, name: &str) -> Word {
    Word { span, text: name.to_owned(), literal: true, quoted: false, glob: false }
}

/// Returns the effect of a redirect on its file.
fn written_by(redirection: &Redirection, command: &SimpleCommand, line: &str) -> Option<Effect> {
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
        // After a loop or a group, the redirect gets the output of its body.
        None => {
            let before = line.get(..command.span.start).unwrap_or_default().trim_end();
            let last = before.rsplit(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
            let is_compound = last.ends_with([')', '}']) || matches!(last, "done" | "fi" | "esac" | "end");
            command.words.is_empty() && !is_compound
        }
        Some(":" | "true") => true,
        Some("exec") => command.words.len() == 1,
        Some("cat" | "cp" | "head" | "tail") => command.words.iter().any(|word| word.text == "/dev/null"),
        // `printf ''`, `echo -n`, fish's `string collect ''`.
        Some("echo" | "printf" | "string") => {
            command.words.iter().skip(1).all(|word| {
                matches!(word.text.as_str(), "" | "-n" | "--" | "collect" | "join") && word.literal
            })
        }
        Some(_) => false,
    };
    Some(if says_nothing { Effect::Overwrite } else { Effect::WriteNew })
}

/// Reports whether an assignment keeps what commands print, in a variable whose name neither the shell nor a program is known
/// to read: ``SCRIPT=`basename $0` ``.
fn keeps_output(name: &str, value: &str) -> bool {
    let words = WordLists::own();
    let is_known = words.is_run(name)
        || words.is_search_path(name)
        || words.is_environment(name)
        || words.injects(name, value)
        || words.weakens(name, value)
        || words.program_with_options(name).is_some();
    is_one_expansion(value) && (value.starts_with("$(") || value.starts_with('`')) && !is_known
}

/// Reports whether only the user's own commands read the variable of this name. Most names of the environment and of the
/// shell's settings have no lowercase letters; the others are in [`TIED`], [`TIED_ENDS`] and [`TABLES`].
fn is_own_variable(name: &str) -> bool {
    let name = name.split_once('[').map_or(name, |(list, _)| list);
    let is_tied = TIED.contains(&name)
        || TABLES.contains(&name)
        || TIED_ENDS.iter().any(|end| name.ends_with(end))
        || WordLists::own().is_run(name);
    name.contains(|c: char| c.is_ascii_lowercase()) && !is_tied
}
