//! Names to which the line gives another meaning: aliases, zsh's tables of commands, the values of environment
//! variables that each shell sets in its own way.

use super::preloads::started;
use super::{Here, LineReader, Text};
use crate::effect::{Effect, Label, Scope};
use crate::input_flow;
use crate::path_class;
use crate::path_class::PathKind;
use crate::weigh::{Act, Circumstances};
use crate::words::WordLists;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, SimpleCommand, Word, program_name};
use std::collections::BTreeMap;

/// Tables of zsh and bash that are assigned to as `functions[name]=text`.
pub(super) const TABLES: [&str; 9] = [
    "functions",
    "dis_functions",
    "aliases",
    "galiases",
    "saliases",
    "commands",
    "BASH_ALIASES",
    "BASH_CMDS",
    "mapfile",
];
/// Programs that open the files of rights in an editor.
const RIGHTS_EDITORS: [&str; 4] = ["visudo", "vipw", "vigr", "sudoedit"];
/// Variables that name the editor.
const EDITOR_VARIABLES: [&str; 3] = ["EDITOR", "VISUAL", "SUDO_EDITOR"];
/// Options with which fish erases a function.
const ERASES: [&str; 2] = ["-e", "--erase"];
/// Options of fish's `abbr` that name the function that gives the text.
const BY_FUNCTION: [&str; 2] = ["-f", "--function"];
/// Maximum number of variables in one record.
const FIELDS_MAX: usize = 64;
/// A word that represents operands that are not known yet.
const OPERANDS: &str = "\"$OPERANDS\"";

/// The value of an operand, if the line determines it.
pub(super) type Operand = Option<String>;

impl LineReader<'_> {
    /// Keeps the names that a command gives another meaning, and the variables that it sets for programs.
    pub(super) fn renames(&mut self, command: &SimpleCommand, text: Text<'_>) {
        let Some(word) = command.words.first().filter(|word| word.literal) else { return };
        let words = command.words.get(1..).unwrap_or_default();
        match word.text.as_str() {
            "alias" => self.alias(words, command, text),
            "hash" => self.hash(words),
            "set" if self.shell.is_fish() => self.fish_variable(words, text),
            "set" if words.first().is_some_and(|word| word.text == "--") => self.operands(words, text),
            "set" if gives_operands(words) => drop(self.without_operands()),
            "shift" | "getopts" => drop(self.without_operands()),
            "unset" => self.unset_files(words),
            "funcsave" if self.shell.is_fish() => self.saves_nothing(words, command, text),
            "abbr" if self.shell.is_fish() => self.abbreviates(words),
            "functions" if self.shell.is_fish() => {
                if let [option, old, new] = words
                    && matches!(option.text.as_str(), "-c" | "--copy")
                {
                    self.rename(&new.text.clone(), &old.text.clone(), new);
                }
            }
            "let" | "mut" | "const" if self.shell.is_nushell() => {
                if let [name, value] = words
                    && value.literal
                {
                    self.variables.insert(name.text.clone(), value.text.clone());
                }
            }
            "setenv" => self.pair(words, text),
            "with-env" | "load-env" if self.shell.is_nushell() => {
                for record in words.iter().filter(|word| word.text.starts_with(['{', '['])).take(1) {
                    self.record(&record.text, record, text);
                }
                self.record_before(command, text);
            }
            _ if words.first().is_some_and(|word| {
                matches!(word.text.as_str(), "setenv" | "set-environment" | "setenv-global")
            }) =>
            {
                self.pair(words.get(1..).unwrap_or_default(), text);
            }
            _ => {}
        }
    }

    /// Reads the variables that an expansion sets: `: ${PAGER:=less}`.
    pub(super) fn defaults(&mut self, command: &SimpleCommand) {
        for word in command.words.iter().filter(|word| word.text.contains(":=")).take(FIELDS_MAX) {
            let pair = word.text.split_once("${").and_then(|(_, rest)| rest.split_once(":="));
            if let Some((name, value)) = pair {
                let value = value.trim_end_matches('}').trim_matches(['"', '\'']);
                self.assigned(name, value, word);
            }
        }
    }

    /// Reads the input of a wrapper that starts a shell with another user's rights: `sudo -s <<< 'rm a'`.
    pub(super) fn shell_of_rights(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        let piped = || self.upstream(command, text).filter(|_| command.position > 0);
        let name = program_name(&word.text);
        let starts_shell = WordLists::own().gives_rights(name) || WordLists::own().is_afar(name);
        if starts_shell && let Some(script) = self.own_input(command, text).or_else(piped) {
            let privileged = self.privileged || WordLists::own().gives_rights(name);
            let outer = std::mem::replace(&mut self.privileged, privileged);
            self.script(&script, self.shell.of_scripts(), word);
            self.privileged = outer;
        }
    }

    /// Adds an effect if a program that edits rights gets another program than an editor: `EDITOR='tee -a' visudo`.
    pub(super) fn blind_edit(&mut self, command: &SimpleCommand, text: Text<'_>) {
        // The assignment may belong to a wrapper, as in `sudo EDITOR=… visudo`.
        let mut names = text.parsed.commands.iter().take(FIELDS_MAX).filter_map(SimpleCommand::name);
        if !names.any(|name| RIGHTS_EDITORS.contains(&program_name(name))) {
            return;
        }
        for word in command.assignments.iter().chain(&command.words) {
            let (name, value) = word.text.split_once('=').unwrap_or_default();
            let program = value.trim_matches(['"', '\'']).split_whitespace().next().unwrap_or_default();
            if EDITOR_VARIABLES.contains(&name) && WordLists::own().harms(program_name(program)) {
                let says = Some(format!("changes rights by {value}, which is no editor"));
                self.add(Effect::Privilege, Scope::System, word, name, Circumstances::default(), says);
            }
        }
    }

    /// Reads an assignment to one of zsh's tables.
    pub(super) fn table_entry(&mut self, name: &str, value: &str, word: &Word) {
        let Some((table, name)) =
            name.split_once('[').map(|(table, rest)| (table, rest.trim_end_matches(']')))
        else {
            return;
        };
        if !TABLES.contains(&table) {
            return;
        }
        if table == "mapfile" {
            // zsh writes the text to the file.
            let file = Word { text: name.to_owned(), literal: false, ..word.clone() };
            let place = path_class::path(&file, self.shell);
            self.place(Effect::Overwrite, &place, &file, Circumstances::default(), None);
        } else if table.ends_with("functions") {
            self.script(value, self.shell, word);
        } else if table == "saliases" {
            self.keep_suffix(name, value);
        } else {
            self.rename(name, value, word);
        }
    }

    fn alias(&mut self, words: &[Word], command: &SimpleCommand, text: Text<'_>) {
        if let Some((name, value)) = words.iter().find_map(|word| word.text.split_once('=')) {
            let (name, value) = (name.to_owned(), value.trim_matches(['"', '\'']).to_owned());
            if is_suffix(words) && self.shell.is_posix() {
                return self.keep_suffix(&name, &value);
            }
            if let Some(word) = words.iter().find(|word| word.text.contains('=')) {
                self.rename(&name, &value, word);
            }
            return;
        }
        let mut plain = words.iter().filter(|word| !word.text.starts_with('-'));
        if let (Some(name), Some(value)) = (plain.next(), plain.next()) {
            let value = self.value(value, text).unwrap_or_default();
            self.rename(&name.text.clone(), &value, name);
        } else if let Some(name) = words.first().filter(|_| self.shell.is_nushell()) {
            let rest = text.line.get(command.span.end..).unwrap_or_default().trim_start();
            let meaning = rest.strip_prefix('=').and_then(|rest| rest.split([';', '\n']).next());
            if let Some(meaning) = meaning {
                self.rename(&name.text.clone(), meaning.trim(), name);
            }
        }
    }

    /// Keeps the command that zsh runs for files whose names have an ending: `alias -s md=less`.
    fn keep_suffix(&mut self, ending: &str, meaning: &str) {
        self.renamed.insert(format!("*.{ending}"), meaning.to_owned());
    }

    /// Returns the command that zsh runs for a file in the place of a command, as the line gives its ending one.
    pub(super) fn suffix_meaning(&self, file: &str) -> Option<String> {
        let (_, ending) = file.rsplit_once('.').filter(|_| !self.renamed.is_empty())?;
        let meaning = self.renamed.get(&format!("*.{ending}"))?;
        Some(format!("{meaning} {file}"))
    }

    /// Adds the effect of fish's `funcsave` of a function that the line erases: its file goes.
    fn saves_nothing(&mut self, words: &[Word], command: &SimpleCommand, text: Text<'_>) {
        let commands = text.parsed.commands.iter().take_while(|other| other.span.start < command.span.start);
        let erased: Vec<&str> = commands
            .filter(|other| other.name() == Some("functions"))
            .filter(|other| other.words.iter().any(|word| ERASES.contains(&word.text.as_str())))
            .flat_map(|other| other.words.iter().skip(1).map(|word| word.text.as_str()))
            .collect();
        for word in words.iter().filter(|word| erased.contains(&word.text.as_str())).take(FIELDS_MAX) {
            let says = Some(format!("deletes the file of the function {}", word.text));
            self.add(Effect::Delete, Scope::Own, word, &word.text, Circumstances::default(), says);
        }
    }

    /// Adds the effect of fish's abbreviation of a known program by a function, whose text the line does not show.
    fn abbreviates(&mut self, words: &[Word]) {
        let by_function = |word: &Word| {
            let name = word.text.split('=').next().unwrap_or_default();
            BY_FUNCTION.contains(&name)
        };
        let before = std::iter::once(None).chain(words.iter().map(Some));
        let mut operands = words.iter().zip(before).filter(|(word, before)| {
            !word.text.starts_with('-')
                && !before.is_some_and(|before| BY_FUNCTION.contains(&before.text.as_str()))
        });
        let name = operands.next().map(|(word, _)| word).filter(|_| words.iter().any(by_function));
        if let Some(name) = name.filter(|name| self.table.top(&name.text, self.shell).is_some()) {
            let says = Some(format!("makes {} another command, which a function gives", name.text));
            self.add(Effect::Persistence, Scope::Own, name, &name.text, Circumstances::default(), says);
        }
    }

    /// Reads zsh's `hash name=path` and bash's `hash -p path name`.
    fn hash(&mut self, words: &[Word]) {
        let pair = words.iter().find_map(|word| Some((word, word.text.split_once('=')?)));
        if let Some((word, (name, path))) = pair {
            self.rename(name, path, word);
        } else if let [option, path, name, ..] = words
            && option.text == "-p"
        {
            self.rename(&name.text.clone(), &path.text.clone(), name);
        }
    }

    /// Gives a name another meaning for the rest of the line. The new meaning of a known name counts as run.
    fn rename(&mut self, name: &str, meaning: &str, word: &Word) {
        let own = meaning.split_whitespace().next().map(program_name);
        if meaning.is_empty() || own.is_none() || own == Some(name) {
            return;
        }
        self.renamed.insert(name.to_owned(), meaning.to_owned());
        if self.table.top(name, self.shell).is_some() {
            self.destroys_operands(name, meaning, word, Label::Dangerous);
        }
    }

    /// Adds the effect of a command that gets operands which the line does not name, if it deletes or otherwise destroys them.
    pub(super) fn gets_operands(&mut self, name: &str, meaning: &str, word: &Word) {
        self.destroys_operands(name, meaning, word, Label::Confirm);
    }

    /// Adds an effect if a command line that others will run, with operands of theirs, destroys these: a deletion from a
    /// label on.
    fn destroys_operands(&mut self, name: &str, meaning: &str, word: &Word, from: Label) {
        let destroys = |act: &Act| match act.effect {
            Effect::Delete => act.label >= from,
            Effect::Overwrite | Effect::Device => act.label == Label::Dangerous,
            _ => false,
        };
        let trial = self.trial(&format!("{meaning} {OPERANDS}"), self.shell.of_scripts());
        if let Some(act) = trial.into_iter().find(destroys) {
            let says = Some(format!("makes {name} run {meaning}"));
            let manner = Circumstances { forced: true, ..Circumstances::default() };
            self.add(act.effect, act.scope, word, name, manner, says);
        }
    }

    /// Adds effects of a variable that names a program that others start.
    pub(super) fn names_program(&mut self, name: &str, value: &str, word: &Word) {
        self.gets_operands(name, value, word);
        let program = started(value);
        if program.contains('/') && path_class::named(program).kind == PathKind::Temporary {
            let says = Some(format!("takes a program from {program}, where anyone may put it: {name}"));
            self.add(Effect::ExecData, Scope::Unreadable, word, name, Circumstances::default(), says);
        }
    }

    /// Keeps the operands that `set -- a b` gives the shell.
    fn operands(&mut self, words: &[Word], text: Text<'_>) {
        let given = self.values_of(words.get(1..).unwrap_or_default(), text);
        self.without_operands();
        self.keep_operands(&given);
    }

    fn values_of(&self, words: &[Word], text: Text<'_>) -> Vec<Operand> {
        words.iter().take(FIELDS_MAX).map(|word| self.value(word, text)).collect()
    }

    /// Returns the operands that a shell gives to its script, which follow a word.
    pub(super) fn operands_behind(&self, word: &Word, here: Here<'_>) -> Vec<Operand> {
        let is_shell = Shell::of_interpreter(super::base(here.word)).is_some();
        // The names that a finder passes are in no word.
        if !is_shell || here.feed.is_some() {
            return Vec::new();
        }
        let words = &here.command.words;
        let behind = words.partition_point(|other| other.span.start <= word.span.start);
        self.values_of(words.get(behind..).unwrap_or_default(), here.text)
    }

    fn keep_operands(&mut self, given: &[Operand]) {
        for (at, value) in given.iter().enumerate() {
            // A home directory is known only when the line runs.
            if let Some(value) = value.as_ref().filter(|value| !value.starts_with('~')) {
                self.variables.insert((at + 1).to_string(), value.clone());
            }
        }
        if let Some(all) = given.iter().cloned().collect::<Option<Vec<_>>>() {
            self.variables.insert("@".to_owned(), all.join(" "));
            self.variables.insert("*".to_owned(), all.join(" "));
        }
    }

    /// Forgets the operands of the shell, and returns them.
    pub(super) fn without_operands(&mut self) -> BTreeMap<String, String> {
        let is_operand =
            |name: &str| name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '@' | '*'));
        let all = std::mem::take(&mut self.variables);
        let (operands, others) = all.into_iter().partition(|(name, _)| is_operand(name));
        self.variables = others;
        operands
    }

    /// Forgets the operands of the line in a function, which has its own, and those of the function after it.
    pub(super) fn operands_of_function(&mut self, command: &SimpleCommand, text: Text<'_>) {
        if command.within.contains(&Nesting::Function) {
            let before = text.line.get(..command.span.start).unwrap_or_default();
            let since = before.rsplit("set --").next().unwrap_or_default();
            let is_set_inside =
                self.outer_operands.is_some() && since != before && !since.contains(['{', '}', '(', ')']);
            if !is_set_inside {
                let operands = self.without_operands();
                self.outer_operands.get_or_insert(operands);
            }
        } else if let Some(operands) = self.outer_operands.take() {
            self.without_operands();
            self.variables.extend(operands);
        }
    }

    /// Reads a script that has operands of its own, which are not known.
    pub(super) fn own_script(&mut self, script: &str, shell: Shell, word: &Word) {
        self.script_with(script, shell, word, &[]);
    }

    /// Reads a script to which a shell gives operands: `sh -c 'rm "$1"' sh a`.
    pub(super) fn script_with(&mut self, script: &str, shell: Shell, word: &Word, given: &[Operand]) {
        let outer = self.without_operands();
        if !given.is_empty() {
            self.keep_operands(given);
        }
        self.script(script, shell, word);
        self.without_operands();
        self.variables.extend(outer);
    }

    /// Adds the effect of `unset 'mapfile[a]'`, with which zsh deletes a file.
    fn unset_files(&mut self, words: &[Word]) {
        let is_file = |word: &&Word| word.text.starts_with("mapfile[");
        for word in words.iter().filter(is_file).take(FIELDS_MAX) {
            let text = word.text.trim_start_matches("mapfile[").trim_end_matches(']').to_owned();
            let file = Word { text, literal: false, ..word.clone() };
            let place = path_class::path(&file, self.shell);
            self.place(Effect::Delete, &place, &file, Circumstances::default(), None);
        }
    }

    /// Reads fish's `set -x NAME value …`.
    fn fish_variable(&mut self, words: &[Word], text: Text<'_>) {
        let mut plain = words.iter().skip_while(|word| word.text.starts_with('-'));
        let Some(name) = plain.next() else { return };
        if !name.literal {
            let says = Some(format!("sets the variable that {} names", name.text));
            return self.add(Effect::Session, Scope::Own, name, &name.text, Circumstances::default(), says);
        }
        let values: Vec<_> =
            plain.map(|word| self.value(word, text).unwrap_or_else(|| word.text.clone())).collect();
        self.keep_names(&name.text, values.iter().map(String::as_str));
        if !values.is_empty() {
            self.assigned(&name.text, &values.join(" "), name);
        }
    }

    /// Reads a name and a value in two words.
    fn pair(&mut self, words: &[Word], text: Text<'_>) {
        let mut plain = words.iter().filter(|word| !word.text.starts_with('-'));
        if let (Some(name), Some(value)) = (plain.next(), plain.next()) {
            let value = self.value(value, text).unwrap_or_else(|| value.text.clone());
            self.assigned(&name.text, &value, name);
        }
    }

    /// Reads the record at the head of a pipeline: `{PAGER: less} | load-env`.
    fn record_before(&mut self, command: &SimpleCommand, text: Text<'_>) {
        let head = text.line.get(..command.span.start).unwrap_or_default().trim_end().strip_suffix('|');
        let is_head = command.position > 0 && input_flow::above(command, text.parsed).next().is_none();
        if let Some(head) = head.filter(|_| is_head)
            && let Some(start) = head.rfind('{')
            && let (Some(record), Some(word)) = (head.get(start..), command.words.first())
        {
            self.record(record, word, text);
        }
    }

    /// Reads the variables of a Nushell record `{NAME: value, …}` or list `[NAME value]`.
    fn record(&mut self, record: &str, word: &Word, text: Text<'_>) {
        let inside = record.trim().trim_start_matches(['{', '[']).trim_end_matches(['}', ']']);
        let is_list = record.trim_start().starts_with('[');
        for field in fields(inside).into_iter().take(FIELDS_MAX) {
            let pair = if is_list { field.split_once(char::is_whitespace) } else { field.split_once(':') };
            let Some((name, value)) = pair else { continue };
            let name = name.trim().trim_matches(['"', '\'', '`']);
            let raw = Word { text: value.trim().to_owned(), literal: false, span: 0..0, ..word.clone() };
            let value = self
                .value(&raw, text)
                .unwrap_or_else(|| value.trim().trim_matches(['"', '\'', '`']).to_owned());
            self.assigned(name, &value, word);
        }
    }
}

/// Reports whether the words after `alias` name the ending of files: `-s`, `-gs`.
fn is_suffix(words: &[Word]) -> bool {
    words
        .iter()
        .any(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('s'))
}

/// Reports whether the words after `set` give the shell operands, not only options: `set a b`, `set -eo pipefail`.
fn gives_operands(words: &[Word]) -> bool {
    let is_option = |word: &Word| word.text.starts_with(['-', '+']);
    let before = std::iter::once(None).chain(words.iter().map(Some));
    let mut pairs = words.iter().zip(before);
    pairs.any(|(word, before)| {
        let names_option = before.is_some_and(|before| is_option(before) && before.text.ends_with('o'));
        !is_option(word) && !names_option
    })
}

/// Returns the parts of a text between commas and line breaks that are not in quotes.
fn fields(text: &str) -> Vec<&str> {
    let mut quote = None;
    let is_break = |c: char| {
        match (quote, c) {
            (None, '"' | '\'' | '`') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        quote.is_none() && matches!(c, ',' | '\n')
    };
    text.split(is_break).collect()
}
