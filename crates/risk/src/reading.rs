//! Finds the effects of a command line: looks up each command in the tables, with its input and the user who runs
//! it.
//!
//! `inner` reads the content of words (scripts, other languages, aliases, decoded text). `assignments_redirects` reads assignments
//! and redirects and finds secrets that are sent out. `file_use` collects the files that are run and the secrets that
//! are read.

mod assignments_redirects;
mod detours;
mod directory;
mod file_use;
mod hidden;
mod history;
mod inner;
mod loops;
mod names;
mod outputs;
mod preloads;
mod processes;
mod questions;
mod same_file;
mod secret_flow;
mod spread;
mod stated_words;
mod subcommand;
mod unchecked;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::address;
use super::call::Call;
use super::effect::{Effect, Label, Scope};
use super::files::{FileLists, FileUse};
use super::input_flow::{self, APPENDED, Feed};
use super::path_class::{self, PathClass, PathKind};
use super::script::{self, Language, ScriptEffect};
use super::table::{EffectEntry, EffectTable, OperandReading, OperandSelection, Row, Target};
use super::weigh::{Act, Circumstances, named_reason, reason, weigh};
use super::words::WordLists;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, Parsed, Redirection, SimpleCommand, Span, Word};
use directory::Entered;
use questions::Remainder;
use secret_flow::Held;

/// Maximum nesting of scripts and aliases that are read.
const LAYERS_MAX: usize = 6;
/// Maximum total bytes of nested scripts that are read per command line.
const BYTES_MAX: usize = 1 << 17;
/// Maximum number of commands that are read per command line or script.
const COMMANDS_MAX: usize = 1_500;
/// Maximum number of names that are looked up in the directory that they are put into.
const NAMES_MAX: usize = 4;
/// Maximum number of scripts that are read on trial per command line, and for each of them a part of it.
const TRIALS_MAX: usize = 48;
/// Part of the remaining trials that a script on trial gets.
const TRIAL_SHARE: usize = 8;
/// Maximum number of effects that are kept per command line.
const ACTS_MAX: usize = 2_000;

/// Options whose value is the command that the user wants to run, rather than a helper of the program.
const RUNS_COMMANDS: [&str; 4] = ["-c", "-e", "-x", "--command"];

/// Commands that write what they read.
const COPYING_INPUT: [&str; 3] = ["tee", "sponge", "dd"];

/// Signs in front of a command in the place of a file's name.
pub(super) const COMMAND_SIGNS: [&str; 3] = ["|", "!", "%pipe%"];

/// Returns the definition of a user's alias, if there is one.
pub(super) type Alias<'a> = &'a dyn Fn(&str) -> Option<String>;

/// An effect on a path that can be checked on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    /// Index of the [`Act`] in the list of effects.
    pub(super) act: usize,
    /// `true` if the path is a pattern.
    pub(super) glob: bool,
    /// `true` if an existing file would be lost.
    pub(super) replaces: bool,
    /// `true` for an absolute path outside home, temporary and system directories.
    pub(super) outside: bool,
    /// `true` if the effect covers the directory with all its contents.
    pub(super) tree: bool,
    /// Names under which files are put there if it is a directory.
    pub(super) names: Vec<String>,
    /// `true` if the command fails unless the path exists.
    pub(super) must_exist: bool,
}

/// Reader of one command line and the scripts in it.
pub(super) struct LineReader<'a> {
    shell: Shell,
    table: &'a EffectTable,
    alias: Alias<'a>,
    /// Values of variables that are set in the command line itself.
    variables: BTreeMap<String, String>,
    /// Operands of the shell, while a function with its own ones is read.
    outer_operands: Option<BTreeMap<String, String>>,
    /// Names to which the command line gives another meaning.
    renamed: BTreeMap<String, String>,
    /// The widest of the paths over which each loop of the command line iterates, by its variable.
    loops: BTreeMap<String, String>,
    /// Names that variables of the command line have one after the other.
    stated: BTreeMap<String, Vec<String>>,
    /// Variables and files of the command line that hold secrets.
    held: Held,
    /// Names of files that the command line downloads.
    fetched: BTreeSet<String>,
    /// Names of files that the command line writes, with their text if it is known.
    written: BTreeMap<String, Option<String>>,
    /// Lists of Nushell that the command line gives a name.
    lists: BTreeMap<String, String>,
    /// Directories that the command line enters.
    entered: Vec<Entered>,
    /// Links that the command line makes, with their targets.
    links: BTreeMap<String, String>,
    /// Variables with the directories in which shells look for their startup files, if the command line names them.
    startup: BTreeMap<String, String>,
    /// Options that variables of the command line hold for programs.
    options: BTreeMap<String, String>,
    /// Aliases that are being expanded; prevents endless expansion of an alias that refers to itself.
    expanding: Vec<String>,
    layers: usize,
    bytes: usize,
    /// Number of scripts that may still be read on trial.
    trials: Cell<usize>,
    /// The word that contains the script being read; effects of the script get its span.
    holder: Option<Span>,
    /// `true` if the command runs with another user's rights.
    privileged: bool,
    /// `true` if the script gets its standard input from the program that runs it.
    fed: bool,
    acts: Vec<Act>,
    placed: Vec<Placed>,
    /// `true` if the command line answers a request; only then file uses are collected.
    meets: bool,
    met: Vec<FileUse>,
    /// Paths of files that compilers in the command line produce.
    made: BTreeSet<String>,
    /// Called for each row that applies.
    #[cfg(test)]
    hears: Option<&'a dyn Fn(&Row)>,
}

/// A parsed command line, or a parsed script in it.
#[derive(Clone, Copy)]
struct Text<'t> {
    line: &'t str,
    parsed: &'t Parsed,
}

/// A command with the text around it.
#[derive(Clone, Copy)]
struct Here<'t> {
    text: Text<'t>,
    command: &'t SimpleCommand,
    /// The command word.
    word: &'t Word,
    /// Names that a wrapper passes to the command.
    feed: Option<&'t Feed>,
}

impl Text<'_> {
    /// Returns the commands in a word's substitutions.
    fn inside(&self, word: &Word) -> impl Iterator<Item = &SimpleCommand> {
        input_flow::inside(&word.span, self.parsed)
    }
}

impl<'a> LineReader<'a> {
    pub(super) fn new(shell: Shell, table: &'a EffectTable, alias: Alias<'a>) -> Self {
        Self {
            shell,
            table,
            alias,
            variables: BTreeMap::new(),
            outer_operands: None,
            renamed: BTreeMap::new(),
            loops: BTreeMap::new(),
            stated: BTreeMap::new(),
            held: Held::default(),
            fetched: BTreeSet::new(),
            written: BTreeMap::new(),
            lists: BTreeMap::new(),
            entered: Vec::new(),
            links: BTreeMap::new(),
            startup: BTreeMap::new(),
            options: BTreeMap::new(),
            expanding: Vec::new(),
            layers: LAYERS_MAX,
            bytes: BYTES_MAX,
            trials: Cell::new(TRIALS_MAX),
            holder: None,
            privileged: false,
            fed: false,
            acts: Vec::new(),
            placed: Vec::new(),
            meets: false,
            met: Vec::new(),
            made: BTreeSet::new(),
            #[cfg(test)]
            hears: None,
        }
    }

    #[cfg(test)]
    pub(super) fn hearing(mut self, hears: &'a dyn Fn(&Row)) -> Self {
        self.hears = Some(hears);
        self
    }

    /// Enables the collection of file uses, which are compared with the request.
    pub(super) fn meeting(mut self, meets: bool) -> Self {
        self.meets = meets;
        self
    }

    /// Returns the effects in the order of the words, the effects on checkable paths, and the files that are run
    /// and the secrets that are read.
    pub(super) fn read(mut self, line: &str, parsed: &Parsed) -> (Vec<Act>, Vec<Placed>, Vec<FileUse>) {
        self.text(Text { line, parsed });
        (self.acts, self.placed, self.met)
    }

    /// Reads another text of the same meaning before the command line; its effects get the span `holder`.
    pub(super) fn also(&mut self, line: &str, holder: Span) {
        let word = Word { span: holder, text: line.to_owned(), literal: true, quoted: false, glob: false };
        self.script(line, self.shell, &word);
    }

    fn text(&mut self, text: Text<'_>) {
        self.loop_variables(text);
        self.find_secrets(text);
        for command in text.parsed.commands.iter().take(COMMANDS_MAX) {
            self.command(command, text);
        }
        if let Some(word) = text.parsed.commands.get(COMMANDS_MAX).and_then(|command| command.words.first()) {
            let says = format!("has more than {COMMANDS_MAX} commands, too many to check");
            self.add(Effect::ExecData, Scope::Unreadable, word, "", Circumstances::default(), Some(says));
        }
        self.forks(text);
        self.conditions(text);
        let starts_here = self.startup.is_empty();
        self.environment(text);
        for command in text.parsed.commands.iter().take(COMMANDS_MAX).filter(|_| starts_here) {
            self.starts_elsewhere(command);
        }
        self.meet_secrets(text);
    }

    fn command(&mut self, command: &SimpleCommand, text: Text<'_>) {
        let outer = self.privileged;
        self.privileged |= command.within.iter().any(|nesting| match nesting {
            Nesting::Wrapper(name) => WordLists::own().gives_rights(name),
            _ => false,
        });
        let (before, placed) = (self.acts.len(), self.placed.len());
        let outer_fed = self.fed;
        self.fed |= input_flow::is_fed(command, text.line) || self.is_in_fed_closure(command, text);
        self.operands_of_function(command, text);
        self.assignments(command);
        self.redirections(command, text);
        self.tells_coprocess(command, text);
        self.aside(command);
        self.renames(command, text);
        self.keep_lists(command);
        self.blind_edit(command, text);
        self.defaults(command);
        self.prompts(command, text);
        self.null_command(command, text);
        self.reads_instead(command);
        if let Some(word) = command.words.first() {
            let spread = self.spread(command, text);
            if let Some(line) = &spread {
                self.script(line, self.shell, word);
            }
            // A variable may have another list by then, and the script has no pipe before it.
            if spread.is_none() || self.fed || command.position > 0 || !spread::states_lists(command) {
                self.named(word, command, text);
            }
            self.stated_words(word, command, text);
            self.with_options(word, command, text);
            self.calls(word, command, text);
            self.multi_call(word, command, text);
            self.in_each_repository(word, command, text);
            self.git_alias(word, command, text);
        }
        self.starts_elsewhere(command);
        self.reads_written(command, text);
        self.foreign_programs(command);
        self.keep_detour(command);
        self.enter(command);
        self.leaks(before, command, text);
        self.hold(placed, command, text);
        self.fed = outer_fed;
        self.privileged = outer;
    }

    /// Reads a command that has a command word.
    fn named(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        // In zsh `=name` is the program of that name.
        let named =
            word.text.strip_prefix('=').filter(|_| self.shell.dialect().has_equals_words && !word.glob);
        if self.shell.is_nushell() && is_sum(&word.text) || self.recalls(word, text) {
            return;
        }
        if !word.literal && !named.is_some_and(is_plain_name) && !self.is_at_home(word, text) {
            return self.unread(word, command, text);
        }
        if let Some(meaning) = self.meaning(&word.text) {
            self.expanded(&meaning, word, command, text);
            // Another file may have taken the place of a copied program.
            if !word.text.contains('/') {
                return;
            }
        }
        let feed = input_flow::of(command, text.parsed, self.table, self.shell);
        let mut words = self.given_words(command.words.get(1..).unwrap_or_default().to_vec(), text);
        if feed.as_ref().is_some_and(Feed::appends) {
            let text = APPENDED.to_owned();
            words.push(Word { text, literal: false, quoted: false, glob: false, ..word.clone() });
        }
        let here = Here { text, command, word, feed: feed.as_ref() };
        let is_address = !self.shell.is_nushell()
            && (word.text.contains("://")
                || ["github:", "gitlab:", "git+"].iter().any(|start| word.text.starts_with(start)));
        let is_fetched = self.fetched.contains(base(word));
        if is_address || is_fetched {
            let how = if is_address { "runs code from" } else { "runs a file that the line downloads:" };
            let (manner, says) = (Circumstances::default(), Some(format!("{how} {}", word.text)));
            return self.add(Effect::ExecData, Scope::Remote, word, &word.text, manner, says);
        }
        let shell = if self.is_program(command) { Shell::SH } else { self.shell };
        let is_wrapped = matches!(command.within.last(), Some(Nesting::Wrapper(_)));
        if self.stands_in(is_wrapped, word, command, text) {
            return;
        }
        if feed.as_ref().is_some_and(Feed::appends)
            && base(word) != "command"
            && syntax::runs_words(base(word))
            && runs_none(command, text)
        {
            self.given_command(command, word, text);
        }
        let is_local = self.is_local(word);
        let is_script = is_wrapped && FileLists::own().is_script(&word.text);
        if word.text.contains('/') || is_script {
            self.meet_run(word);
        }
        if is_local {
            // Even if a known program has this name, this is a local file.
            let says = format!("runs {}, a file that is not an installed program", word.text);
            self.add(Effect::Project, Scope::Own, word, "", Circumstances::default(), Some(says));
        }
        let call = Call::read(&word.text, words, self.table, shell);
        if self.meets {
            self.keep_made(&call, Here { text, command, word, feed: None });
        }
        if word.text.contains('/') && self.written.contains_key(base(word)) {
            self.run_written(base(word), word);
        }
        let runs_another = !runs_none(command, text);
        if !runs_another {
            self.shell_of_rights(word, command, text);
            self.hidden(&call, here);
        }
        match call.program() {
            Some(program) => {
                let (before, placed) = (self.acts.len(), self.placed.len());
                self.rows(program, &call, here);
                self.installs_from(before, here);
                self.starts_fetched(before, here);
                self.known_program(before, &call, here);
                self.outputs(before, &call, here);
                self.stop_all(&call, here);
                self.later(before, here);
                self.keep_fetched(placed, here);
                self.keep_written(placed, here);
            }
            None if runs_another => {}
            // As good as all programs only print something then.
            None if !is_local && call.only_asks_for_help() => {}
            None => self.unknown(&call, here),
        }
    }

    /// Reads a word that stands for the command that a wrapper is to run; returns `false` if it is a command itself.
    fn stands_in(&mut self, is_wrapped: bool, word: &Word, command: &SimpleCommand, text: Text<'_>) -> bool {
        if word.text == "{}" || word.text == "%" && is_wrapped {
            self.unknown_command(word);
            return true;
        }
        // A manual's word for whatever the wrapper is to run.
        let is_named_so = is_wrapped && word.text == "command" && runs_none(command, text);
        if is_named_so {
            let says = Some("runs a command that the line does not name".to_owned());
            self.add(Effect::Project, Scope::Own, word, "", Circumstances::default(), says);
        }
        is_named_so
    }

    /// Reports whether a command word is a program below the home directory whose path is known: the line gives `HOME`
    /// no other value, and no script does, which may have another one.
    fn is_at_home(&self, word: &Word, text: Text<'_>) -> bool {
        self.holder.is_none() && names_home_program(word) && !sets_home(text.line)
    }

    /// Reads a command whose program is in no table.
    fn unknown(&mut self, call: &Call<'_>, here: Here<'_>) {
        let before = self.acts.len();
        self.meet_runs(call, here);
        let says = format!("runs {}, an unknown program", call.name);
        self.add(Effect::Project, Scope::Own, here.word, "", Circumstances::default(), Some(says));
        if let Some(any) = self.table.any() {
            self.rows(any, call, here);
        }
        self.outputs(before, call, here);
        self.unknown_program(call, here);
        self.tail(here);
    }

    /// Adds an effect if a command installs what another one downloads: `dpkg -i <(curl …)`.
    fn installs_from(&mut self, before: usize, here: Here<'_>) {
        if !self.acts.iter().skip(before).any(|act| act.effect == Effect::Install) {
            return;
        }
        let mut words = here.command.words.iter().skip(1);
        if let Some(word) = words.find(|word| self.printed(word, here.text) == Some(Scope::Remote)) {
            self.add(Effect::Install, Scope::Remote, word, &word.text, Circumstances::default(), None);
        }
        let mut words = here.command.words.iter().skip(1);
        if let Some(word) = words.find(|word| preloads::is_anyones(&word.text)) {
            let says = Some(format!("installs {}, from where anyone may put it", word.text));
            self.add(Effect::Install, Scope::System, word, &word.text, Circumstances::default(), says);
        }
    }

    /// Reports whether the command is an external program in Nushell: `^find`, or a command that a wrapper runs, is
    /// never a built-in.
    fn is_program(&self, command: &SimpleCommand) -> bool {
        self.shell.is_nushell()
            && (command.external || matches!(command.within.last(), Some(Nesting::Wrapper(_))))
    }

    /// Records the files that a command writes from a download, its own or of another command.
    fn keep_fetched(&mut self, placed: usize, here: Here<'_>) {
        if self.placed.len() == placed {
            return;
        }
        let mut above = input_flow::above(here.command, here.text.parsed);
        if self.fetches(here.command) || above.any(|above| self.fetches(above)) {
            let written = self.placed.iter().skip(placed).filter_map(|placed| self.acts.get(placed.act));
            let names = written.filter_map(|act| act.target.rsplit('/').next().map(str::to_owned));
            self.fetched.extend(names.collect::<Vec<_>>());
        }
    }

    /// Records the files that a command in a pipeline writes.
    fn keep_written(&mut self, placed: usize, here: Here<'_>) {
        if here.command.position == 0 || self.placed.len() == placed {
            return;
        }
        let known = self.upstream(here.command, here.text);
        let written = self.placed.iter().skip(placed).filter_map(|placed| self.acts.get(placed.act));
        let names: Vec<_> =
            written.filter_map(|act| act.target.rsplit('/').next().map(str::to_owned)).collect();
        self.written.extend(names.into_iter().map(|name| (name, known.clone())));
    }

    /// Reads the arguments of an unknown program as a command line, from the first name of a destructive command
    /// on, because the program may run them.
    fn tail(&mut self, here: Here<'_>) {
        let words = here.command.words.as_slice();
        let at = words.iter().skip(1).position(|word| word.literal && WordLists::own().deletes(&word.text));
        if let Some((first, last)) = at.and_then(|at| Some((words.get(at + 1)?, words.last()?)))
            && let Some(script) = here.text.line.get(first.span.start..last.span.end)
        {
            self.script(script, self.shell, first);
        }
    }

    /// Applies the rows of an entry whose conditions hold.
    fn rows(&mut self, program: &EffectEntry, call: &Call<'_>, here: Here<'_>) {
        let runs = program.rows.iter().any(|row| matches!(row.does, Effect::ExecData | Effect::ExecArg));
        if call.asks_for_help(runs, self.table) {
            return;
        }
        let before = self.acts.len();
        let is_idle = program.idle.iter().any(|option| call.has_option(option));
        if is_idle && let Some(scope) = program.idle_reads {
            self.add(Effect::Read, scope, here.word, "", Circumstances::default(), None);
        } else if !is_idle {
            self.meet_runs(call, here);
        }
        let top = self.table.top(&call.name, self.shell).filter(|top| !std::ptr::eq(*top, program));
        let above = top.into_iter().flat_map(|top| &top.rows).filter(|row| row.below);
        let asks = self.asks(call);
        for row in program.rows.iter().chain(above).filter(|row| !is_idle || row.always) {
            let is_meant = row.only.is_empty() || row.only.contains(&call.name);
            let holds = is_meant
                && row.when.iter().all(|condition| call.has(condition))
                && !call.has_instead(row)
                && (row.operands..=row.at_most).contains(&call.operands().len());
            if holds {
                let before = self.acts.len();
                match if asks { Self::remainder(row) } else { Remainder::Whole } {
                    Remainder::Whole => self.row(row, call, here),
                    Remainder::Only(effect) => {
                        self.add(effect, Scope::Remote, here.word, "", Circumstances::default(), None);
                    }
                    Remainder::Nothing => {}
                }
                self.heard(row, before);
            }
        }
        if !(asks && call.operands().first().is_some_and(|word| word.text == "help")) {
            self.otherwise(program, before, here);
        }
    }

    /// Adds the default effect of a program if no row applied.
    fn otherwise(&mut self, program: &EffectEntry, before: usize, here: Here<'_>) {
        if let Some(effect) = program.otherwise.filter(|_| before == self.acts.len()) {
            self.add(effect, Scope::Own, here.word, "", Circumstances::default(), None);
        }
    }

    /// Notifies the tests of the tables that a row applied.
    #[cfg_attr(not(test), expect(unused_variables, reason = "tests listen"))]
    fn heard(&self, row: &Row, before: usize) {
        #[cfg(test)]
        if let Some(hears) = self.hears.filter(|_| before < self.acts.len()) {
            hears(row);
        }
    }

    fn row(&mut self, row: &Row, call: &Call<'_>, here: Here<'_>) {
        let manner = Circumstances {
            tree: row.tree,
            forced: row.forced,
            recoverable: row.recoverable,
            into: row.puts(),
            moves: row.does == Effect::Overwrite
                && row.says.as_deref() == Some("moves")
                && !call.has_option("--exchange"),
            ..Circumstances::default()
        };
        let placed = self.placed.len();
        match &row.to {
            Target::Scope(scope) => {
                let is_unknown = |feed: &Feed| feed.appends() && feed.place.scope == Scope::Unreadable;
                let scope = match row.does {
                    // Whatever names arrive, they are destroyed on the remote side.
                    Effect::RemoteChange | Effect::DataDefinition if here.feed.is_some_and(is_unknown) => {
                        Scope::Unreadable
                    }
                    _ => *scope,
                };
                self.add(row.does, scope, here.word, "", manner, row.says.clone());
            }
            Target::Stdin => self.input(row, here),
            target => {
                let words = call.targets(target);
                if let (true, Some(scope)) = (words.is_empty(), row.alone) {
                    self.add(row.does, scope, here.word, "", manner, row.says.clone());
                }
                for target in &words {
                    self.target(row, manner, target, here);
                }
            }
        }
        let names = if manner.into { put_names(row, call) } else { Vec::new() };
        if manner.into {
            self.puts_startup(row, &names, call);
        }
        for placed in self.placed.iter_mut().skip(placed) {
            (placed.names, placed.must_exist) = (names.clone(), row.existing);
        }
    }

    /// Applies a row's effect to one word.
    fn target(&mut self, row: &Row, manner: Circumstances, target: &Word, here: Here<'_>) {
        match row.reads {
            OperandReading::Path => self.path(row, manner, target, here),
            OperandReading::FileOrCommand => {
                match COMMAND_SIGNS.iter().find_map(|sign| target.text.strip_prefix(sign)) {
                    Some(command) => {
                        let command = Word { text: command.to_owned(), ..target.clone() };
                        self.shell_text(&command, self.shell.of_scripts(), Some(&[]), here.text);
                    }
                    None => self.path(row, manner, target, here),
                }
            }
            OperandReading::Name => {
                let scope = if target.literal { Scope::Own } else { Scope::Unreadable };
                if matches!(row.does, Effect::ExecData | Effect::ExecArg) && target.text.contains('/') {
                    self.meet_run(target);
                }
                let told = here.feed.filter(|feed| feed.fills(&target.text)).map(|feed| feed.told.as_str());
                let told = told.unwrap_or(&target.text);
                let says = row.says.as_ref().map(|says| named_reason(says, told));
                self.add(row.does, scope, target, told, manner, says);
            }
            OperandReading::Host => self.host(row, manner, target, here),
            OperandReading::Shell => {
                if let Some(script) = self.kept_text(target, here) {
                    return self.script(&script, self.shell, target);
                }
                // What a shell or a terminal is given is the command itself; others only take a helper.
                let helper = preloads::started(&target.text);
                let runs_it = |forms: &[String]| {
                    RUNS_COMMANDS
                        .iter()
                        .any(|option| forms.iter().any(|form| form == option) && call_has(here, option))
                };
                if let Target::Options(options) = &row.to
                    && !runs_it(&options.alternatives)
                {
                    self.takes_from_anyone(helper, target);
                }
                let own = WordLists::own().is_own(base(here.word)).then_some(self.shell);
                let keeps_operands = own.is_some();
                // The first one is the name of the script.
                let given = self.operands_behind(target, here).into_iter().skip(1).collect::<Vec<_>>();
                let dialect = dialect(here.command, self.shell).or(own);
                let dialect = dialect.unwrap_or_else(|| self.shell.of_scripts());
                // make runs `$(shell …)`.
                let inner = Word { text: target.text.replace("$(shell ", "$("), ..target.clone() };
                self.shell_text(&inner, dialect, (!keeps_operands).then_some(&given), here.text);
                if row.appends {
                    self.gets_operands(&call_name(here), &target.text, target);
                }
            }
            OperandReading::Editor => {
                for command in shell_lines(&target.text).take(NAMES_MAX) {
                    self.own_script(command, self.shell.of_scripts(), target);
                }
            }
            OperandReading::Code => {
                let name = base(here.word);
                self.foreign(row, target, WordLists::own().is_quiet(name), here, |text| code(name, text));
            }
            OperandReading::Redis => self.foreign(row, target, true, here, script::redis),
            OperandReading::Sql => {
                let client = base(here.word).split(' ').next().unwrap_or_default();
                let is_local = WordLists::own().is_local(client);
                let read = |text: &str| {
                    let mut accesses = script::sql(text);
                    accesses.retain(|access| !is_local || access.effect != Effect::Read);
                    accesses
                };
                self.foreign(row, target, true, here, read);
            }
        }
        if row.does == Effect::NetRead {
            self.fetched.extend(fetched_name(target));
        }
    }

    /// Applies a row's effect to a word that names a path.
    fn path(&mut self, row: &Row, manner: Circumstances, target: &Word, here: Here<'_>) {
        let named = |target: &str| row.says.as_ref().map(|says| named_reason(says, target));
        let says = named(&target.text);
        let runs = matches!(row.does, Effect::ExecData | Effect::ExecArg | Effect::Install);
        let is_fed = here.command.position > 0 || input_flow::input(here.command, here.text.parsed).is_some();
        let is_dash =
            target.text == "-" && row.does == Effect::ExecData && matches!(row.to, Target::Options(_));
        if runs && matches!(target.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
            || is_dash && is_fed
        {
            return self.input(row, here);
        }
        if runs && (target.text.starts_with("/dev/fd/") || target.text.starts_with("/proc/self/fd/")) {
            return self.add(row.does, Scope::Unreadable, target, &target.text, manner, says);
        }
        if matches!(row.does, Effect::ExecData | Effect::ExecArg) {
            self.meet_run(target);
            // The name of a script in another language often says what it works on.
            let ending = target.text.rsplit_once('.').map_or("", |(_, ending)| ending);
            if FileLists::own().is_script(&target.text) && WordLists::own().interpreter(ending).is_none() {
                self.named_script(target, here);
            }
        }
        if let Some(feed) = here.feed.filter(|feed| feed.fills(&target.text)) {
            // Everything below a directory is more than the files in it.
            let is_tree = !matches!(feed.place.scope, Scope::Own | Scope::Unreadable);
            let manner = Circumstances { tree: manner.tree || is_tree, ..manner };
            let names = Word { text: feed.told.clone(), literal: false, glob: false, ..target.clone() };
            return self.place(row.does, &feed.place, &names, manner, named(&feed.told));
        }
        if runs && matches!(base(here.word), "source" | ".") && self.prints_setup(target, here.text) {
            return self.set_up(target);
        }
        if runs && let Some(scope) = self.printed(target, here.text) {
            return self.add(row.does, scope, target, &target.text, manner, says);
        }
        if runs && self.fetched.contains(target.text.rsplit('/').next().unwrap_or_default()) {
            let says = Some(format!("runs a file that the line downloads: {}", target.text));
            return self.add(row.does, Scope::Remote, target, &target.text, manner, says);
        }
        if runs && row.does != Effect::Install && self.written.contains_key(base(target)) {
            self.run_written(base(target), target);
        }
        let mut settled = self.settled(target, here.text);
        if runs && preloads::is_library(&settled.text) && self.takes_from_anyone(&settled.text, target) {
            return;
        }
        let manner = Circumstances { hollow: fills_nothing(here), ..manner };
        // curl sends files given as `@file` or `name=@file`.
        if row.does == Effect::NetSend
            && let Some((_, file)) =
                settled.text.split_once('@').filter(|(before, _)| before.is_empty() || before.ends_with('='))
        {
            settled.text = file.split(';').next().unwrap_or(file).to_owned();
        }
        let place = self.class(&settled, here.command);
        let place = self.loop_place(&settled, here.command).unwrap_or(place);
        // A program that copies in both directions sends or changes remote data only if the remote end is the
        // target.
        let is_remote = place.scope == Scope::Remote || address::host(&settled, self.shell).path_to_remote;
        match row.does {
            Effect::RemoteChange if !is_remote && place.scope != Scope::Unreadable => {}
            Effect::NetSend if is_remote && matches!(row.to, Target::Operands(_)) => {}
            Effect::RemoteChange => self.add(row.does, Scope::Remote, target, &target.text, manner, says),
            Effect::WriteNew
                if !self.shell.is_nushell() && self.is_read_above(&settled, here.command, here.text) =>
            {
                let says = Some(format!("overwrites {} while the line still reads it", settled.text));
                self.place(Effect::Overwrite, &place, &settled, manner, says);
            }
            Effect::WriteNew if reads_nothing(here) => {
                let says = Some(format!("empties {}", settled.text));
                self.place(Effect::Overwrite, &place, &settled, manner, says);
            }
            Effect::WriteNew if self.is_replaced(row, &place, &settled, here) => {
                self.place(Effect::Overwrite, &place, &settled, manner, says);
            }
            _ => self.place(row.does, &place, &settled, manner, says),
        }
    }

    /// Reports whether what a row writes to a file replaces what was there.
    fn is_replaced(&self, row: &Row, place: &PathClass, file: &Word, here: Here<'_>) -> bool {
        row.replaces && place.glob
            || row.lists && is_no_listing(file)
            || row.asks && self.is_answered(here)
            || is_lost_history(row, place, here)
    }

    /// Adds an effect on a path class; files of special kinds change the effect or its scope.
    fn place(
        &mut self,
        effect: Effect,
        place: &PathClass,
        word: &Word,
        manner: Circumstances,
        says: Option<String>,
    ) {
        self.placed(effect, place, word, manner, false, says);
    }

    /// Like [`Self::place`]; with `appends`, existing content is kept.
    fn placed(
        &mut self,
        effect: Effect,
        place: &PathClass,
        word: &Word,
        manner: Circumstances,
        appends: bool,
        mut says: Option<String>,
    ) {
        // All files of a directory count as the directory.
        let is_all = place.glob && (word.text.ends_with("/*") || word.text.ends_with("/*.*"));
        let tree = manner.tree || manner.forced && is_all;
        let mut manner = Circumstances { tree, in_home: place.in_home, outside: place.outside, ..manner };
        let writes = matches!(effect, Effect::WriteNew | Effect::Overwrite);
        let destroys = matches!(effect, Effect::Delete | Effect::Overwrite);
        let is_kept = place.scope == Scope::Own && !place.in_home && !place.outside;
        // What is put into an existing directory replaces at most a file in it.
        let scope = if writes && manner.into && !tree && place.open { Scope::Own } else { place.scope };
        // What root's programs read first belongs to the system, unless root writes the line.
        let is_roots = self.privileged && place.kind == PathKind::Startup && place.path.starts_with("/root/");
        let scope = if is_roots { Scope::System } else { scope };
        // A name alone, or a file that leaves its place, runs in the place of no program.
        let is_planted = writes && !manner.hollow && !(manner.moves && effect == Effect::Overwrite);
        let shadows = path_class::shadowed(&place.path);
        let shadowed = shadows.filter(|_| is_planted);
        let kind = if shadows.is_some() && !is_planted { PathKind::Plain } else { place.kind };
        if let Some(program) = shadowed {
            says = Some(format!("runs in the place of {program} from now on: {}", word.text));
            manner.recoverable = false;
        }
        let (effect, scope) = match kind {
            // `-` means standard output.
            _ if writes && (word.text == "-" || word.text.starts_with("-:")) => return,
            PathKind::Sink if writes => return,
            PathKind::Setting if writes => (Effect::Device, Scope::Own),
            PathKind::Trust if effect == Effect::WriteNew => (Effect::SecurityOff, Scope::Own),
            PathKind::Log if destroys => {
                let lost = || format!("{} (removes traces)", reason(effect, Scope::Own, &word.text));
                says = Some(says.unwrap_or_else(lost));
                (Effect::History, Scope::Home)
            }
            PathKind::Startup
                if writes
                    && (WordLists::own().grants(&place.path)
                        || shadowed.is_some_and(|program| WordLists::own().gives_rights(program))) =>
            {
                (Effect::Privilege, Scope::System)
            }
            PathKind::Startup if effect == Effect::WriteNew => (Effect::Persistence, scope),
            // Another file is put in its place, or it is kept under another name.
            PathKind::Startup
                if effect == Effect::Overwrite && place.in_home && (manner.into || manner.moves) =>
            {
                (Effect::Persistence, scope)
            }
            // A `.env` file or a key in the project counts as an ordinary file.
            PathKind::Secret if effect == Effect::Overwrite && is_kept => (effect, scope),
            PathKind::Startup | PathKind::Secret if effect == Effect::Overwrite => (effect, Scope::Home),
            PathKind::Secret | PathKind::Repository
                if effect == Effect::Delete && (manner.tree || manner.forced) =>
            {
                let aside = if kind == PathKind::Repository { "the repository's history" } else { "secrets" };
                let lost = || format!("{} ({aside})", reason(effect, Scope::Own, &word.text));
                says = Some(says.unwrap_or_else(lost));
                (effect, Scope::Home)
            }
            PathKind::Secret if effect == Effect::NetSend => (effect, Scope::Home),
            _ => (effect, scope),
        };
        let act = self.acts.len();
        self.add(effect, scope, word, &word.text, manner, says);
        let is_path = (word.literal || place.glob) && act < self.acts.len();
        if is_path && (writes || destroys) {
            let replaces = !appends && !manner.tree && !manner.recoverable;
            self.placed.push(Placed {
                act,
                glob: place.glob,
                replaces,
                outside: place.outside,
                tree: manner.tree,
                names: Vec::new(),
                must_exist: false,
            });
        }
    }

    /// Applies a row's effect to a word that names a host.
    fn host(&mut self, row: &Row, manner: Circumstances, word: &Word, here: Here<'_>) {
        let text = here.text;
        // httpie sends `name=value` as data.
        let is_name = |name: &str| !name.contains(['.', '/', '?', ':']);
        if word.text.split_once('=').is_some_and(|(name, _)| is_name(name)) && row.does != Effect::Install {
            return;
        }
        let host = address::host(&self.settled(word, text), self.shell);
        let shown = host.name.clone().unwrap_or_else(|| word.text.clone());
        if host.deceptive {
            let says = format!("goes to {shown}, a deceptive host name");
            return self.add(Effect::NetSend, Scope::Everything, word, &shown, manner, Some(says));
        }
        if self.carries_data(word, text) {
            let says = format!("sends local data to {shown}");
            return self.add(Effect::NetSend, Scope::Everything, word, &shown, manner, Some(says));
        }
        // In Nushell data are values: a computed value may contain anything.
        let computed =
            |word: &Word| !word.literal && word.text.starts_with(['(', '$']) && !word.text.contains("://");
        // Whole names from a list, which a lookup tells nobody but their own servers.
        let is_whole = word.text == APPENDED;
        let is_listed = is_whole
            && row.does == Effect::NetRead
            && here.feed.is_some_and(|feed| feed.fills(&word.text))
            && WordLists::own().looks_up(base(here.word));
        let scope = match row.does {
            _ if !host.readable && !is_listed => Scope::Unreadable,
            Effect::NetSend if self.shell.is_nushell() && here.command.words.iter().any(computed) => {
                Scope::Unreadable
            }
            Effect::Install | Effect::ExecData => Scope::Remote,
            // Data that arrive over plain http and are run or applied may come from an attacker.
            Effect::RemoteChange if host.plain_http && !host.local => Scope::Everything,
            _ => Scope::Own,
        };
        self.add(row.does, scope, word, &shown, manner, row.says.clone());
    }

    fn add(
        &mut self,
        effect: Effect,
        scope: Scope,
        word: &Word,
        target: &str,
        manner: Circumstances,
        says: Option<String>,
    ) {
        if self.acts.len() >= ACTS_MAX {
            return;
        }
        let manner = Circumstances { privileged: manner.privileged || self.privileged, ..manner };
        let label = weigh(effect, scope, manner);
        let span = self.holder.clone().unwrap_or_else(|| word.span.clone());
        let why = says.unwrap_or_else(|| reason(effect, scope, target));
        self.acts.push(Act { effect, scope, span, target: target.to_owned(), label, why });
    }
}

/// Reports whether a command word is a program below the home directory, whose path is otherwise known: `~/bin/a`.
fn names_home_program(word: &Word) -> bool {
    if word.text == "~" {
        return true;
    }
    let rest = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| word.text.strip_prefix(home));
    let is_plain = |c: char| c.is_alphanumeric() || "._-+/@".contains(c);
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
}

/// Reports whether a line mentions the variable `HOME` other than by its value.
fn sets_home(line: &str) -> bool {
    let bare = line.replace(['"', '\'', '\\'], "");
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    bare.match_indices("HOME").any(|(at, name)| {
        let before = bare.get(..at).unwrap_or_default();
        let after = bare.get(at + name.len()..).unwrap_or_default();
        let is_other = before.ends_with(is_name) || after.starts_with(is_name);
        let is_value = before.ends_with('$') || before.ends_with("${") && after.starts_with('}');
        !is_other && !is_value
    })
}

/// Reports whether a text is the name of a program, with nothing to expand.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Reports whether the head of a Nushell pipeline is a sum of numbers: `6*7`.
fn is_sum(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.contains(['*', '+', '-'])
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"*+-./_".contains(&byte))
}

/// Reports whether a word is among those of a command.
fn call_has(here: Here<'_>, text: &str) -> bool {
    here.command.words.iter().any(|word| word.text == text)
}

/// Commands that make a name and put no content into it.
const FILLING_NOTHING: [&str; 2] = ["mkdir", "touch"];

/// Reports whether a command puts no content into the files that it names, and lets no one run them.
fn fills_nothing(here: Here<'_>) -> bool {
    let name = base(here.word);
    // Only a mode such as `-x` or `go-w` takes rights away. An option such as `-v` is none.
    let takes_away = |word: &Word| {
        word.text.split_once('-').is_some_and(|(users, rights)| {
            !rights.is_empty()
                && users.chars().all(|c| "ugoa".contains(c))
                && rights.chars().all(|c| "rwxXst".contains(c))
        })
    };
    FILLING_NOTHING.contains(&name) || name == "chmod" && here.command.words.get(1).is_some_and(takes_away)
}

/// Reports whether a command copies its standard input, which is empty: `tee a < /dev/null`.
fn reads_nothing(here: Here<'_>) -> bool {
    let input = input_flow::input(here.command, here.text.parsed);
    let is_empty = |input: &Redirection| {
        input.operator == "<" && input.target.as_ref().is_some_and(|target| target.text == "/dev/null")
    };
    COPYING_INPUT.contains(&base(here.word)) && input.is_some_and(is_empty)
}

/// Reports whether a file, whose name the line states, holds something else than a list or a log.
fn is_no_listing(file: &Word) -> bool {
    !file.text.contains(['$', '`', '(']) && !WordLists::own().is_listing(base(file))
}

/// Reports whether a row's option names a history of a shell or a program, which the command replaces.
fn is_lost_history(row: &Row, place: &PathClass, here: Here<'_>) -> bool {
    let appends = ["-a", "-A", "--append"].iter().any(|option| call_has(here, option));
    let is_history = place.kind == PathKind::Log && place.private;
    is_history && matches!(row.to, Target::Options(_)) && !appends
}

/// Returns the command lines that a command of an editor gives a shell: `:silent !make`, `w !tee a`.
fn shell_lines(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('!').filter_map(|(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        let is_start =
            before.is_none_or(|c| c.is_whitespace() || c.is_ascii_digit() || ":|%.$\"'".contains(c));
        text.get(at + 1..).filter(|rest| is_start && !rest.is_empty() && !rest.starts_with('='))
    })
}

/// Returns the name of a command as the user calls it.
fn call_name(here: Here<'_>) -> String {
    base(here.word).to_owned()
}

/// Returns the names under which a command puts its sources into a directory.
fn put_names(row: &Row, call: &Call<'_>) -> Vec<String> {
    let sources = match row.to {
        Target::Operands(_) => call.targets(&Target::Operands(OperandSelection::ButLast)),
        _ => call.operands().to_vec(),
    };
    let names = sources.iter().filter(|word| word.literal && !word.text.ends_with('/'));
    names.take(NAMES_MAX).map(|word| base(word).to_owned()).collect()
}

/// Returns the effects of code in the language of a program.
fn code(program: &str, text: &str) -> Vec<ScriptEffect> {
    language(program).map_or_else(Vec::new, |language| script::code(text, language))
}

/// Reports whether the language that a program reads is known.
fn has_language(program: &str) -> bool {
    language(program).is_some()
}

fn language(program: &str) -> Option<Language> {
    let named = || Language::named(WordLists::own().language(program)?);
    Language::of_program(program).or_else(named)
}

/// Returns the language that a shell reads; `None` if the command is no shell.
fn dialect(command: &SimpleCommand, line: Shell) -> Option<Shell> {
    match command.words.first().map(base)? {
        "source" | "." => Some(line),
        name => Shell::of_interpreter(name),
    }
}

/// Returns a command word without its directory.
fn base(word: &Word) -> &str {
    askline_syntax::program_name(word.text.strip_prefix('^').unwrap_or(&word.text))
}

/// Returns the name of the file under which a download from a URL is saved.
fn fetched_name(word: &Word) -> Option<String> {
    let path = word.text.split(['?', '#']).next()?;
    let name = path.rsplit('/').next().filter(|name| !name.is_empty() && word.text.contains('/'))?;
    Some(name.to_owned())
}

/// Reports whether a command runs none of the commands in it.
fn runs_none(command: &SimpleCommand, text: Text<'_>) -> bool {
    !input_flow::inside(&command.span, text.parsed).any(|inner| is_run_by(inner, command))
}

/// Reports whether `outer` is the wrapper that runs `inner`.
fn is_run_by(inner: &SimpleCommand, outer: &SimpleCommand) -> bool {
    let name = outer.name().unwrap_or_default();
    inner.within.len() == outer.within.len() + 1
        && matches!(inner.within.last(), Some(Nesting::Wrapper(wrapper)) if wrapper.split(' ').next() == Some(name))
}

/// Returns the effect with the highest label, of equals the first that names its target; `None` if all are Safe.
pub(super) fn worst(acts: &[Act]) -> Option<&Act> {
    let label = acts.iter().map(|act| act.label).max().filter(|label| *label > Label::Safe)?;
    let worst = || acts.iter().filter(|act| act.label == label);
    // What gets lost says more than whose rights are used.
    let is_telling = |act: &&Act| act.target != APPENDED;
    let first = worst().find(is_telling).or_else(|| worst().next())?;
    let lost = || worst().filter(is_telling).find(|act| act.destroys());
    if first.effect == Effect::Privilege { lost().or(Some(first)) } else { Some(first) }
}

/// Returns the names after `$` or `${` in a word.
pub(super) fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let rest = rest.strip_prefix("env.").unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    })
}
