//! Reads the content of words: scripts for shells, code in other languages, alias definitions, and text that
//! commands such as `echo` or `base64` are known to print.

use super::names::Operand;
use super::{Here, LAYERS_MAX, LineReader, Text, dialect};
use crate::call::Call;
use crate::decode;
use crate::decode::TextCommand;
use crate::effect::{Effect, Scope};
use crate::input_flow;
use crate::script;
use crate::script::ScriptEffect;
use crate::table::{OperandReading, Row};
use crate::weigh::{Act, Circumstances, is_one_expansion, shown};
use crate::words::WordLists;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, SimpleCommand, Word};

/// Maximum number of lines of a crontab that are read one by one.
const JOBS_MAX: usize = 20;
/// Words of a shell after which it reads its script from its input, with the words after them as operands.
const READS_INPUT: [&str; 3] = ["-s", "-", "/dev/stdin"];
/// Number of fields of a schedule in a crontab.
const SCHEDULE_FIELDS: usize = 5;

impl LineReader<'_> {
    /// Returns the value that a word has at run time, if the command line itself determines it.
    pub(super) fn value(&self, word: &Word, text: Text<'_>) -> Option<String> {
        if word.literal {
            return Some(word.text.clone());
        }
        // A part of a word (`of=$x`) has no span of its own, and its text has no quotes.
        let raw = text.line.get(word.span.clone()).unwrap_or_default();
        let bare = |text: &str| text.replace(['"', '\'', '\\'], "");
        let given = if bare(raw) == bare(&word.text) { raw } else { &word.text };
        decode::expand(given, &self.variables, self.shell)
    }

    /// Returns the word with variables replaced by values that the command line itself sets.
    pub(super) fn settled(&self, word: &Word, text: Text<'_>) -> Word {
        if word.literal || word.glob || self.variables.is_empty() {
            return word.clone();
        }
        let names_one = super::variables(&word.text).any(|name| self.variables.contains_key(name))
            || ["$@", "$*"].iter().any(|all| word.text.contains(all)) && self.variables.contains_key("@");
        match self.value(word, text).filter(|_| names_one) {
            Some(text) => Word { text, literal: true, ..word.clone() },
            None => word.clone(),
        }
    }

    /// Reads a command word that is only known at run time.
    pub(super) fn unread(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        // If `IFS` is set, a value splits into words that cannot be determined.
        let is_unknown = word.glob || self.variables.contains_key("IFS");
        let known = if is_unknown { None } else { self.value(word, text) };
        let known = known.or_else(|| chosen_program(word, text));
        match known.filter(|known| !known.trim().is_empty() && known.trim() != word.text) {
            Some(meaning) => self.expanded(&meaning, word, command, text),
            None => self.unknown_command(word),
        }
    }

    /// Adds the effect of a command that is only known at run time.
    pub(super) fn unknown_command(&mut self, word: &Word) {
        let says = format!("runs {}, which can't be read from the line", shown(&word.text));
        self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, Circumstances::default(), Some(says));
    }

    /// Returns the definition of an alias, unless it is being expanded already.
    pub(super) fn meaning(&self, name: &str) -> Option<String> {
        let is_open = self.expanding.iter().any(|open| open == name);
        if is_open || self.expanding.len() >= LAYERS_MAX {
            return None;
        }
        self.renamed.get(name).cloned().or_else(|| self.suffix_meaning(name)).or_else(|| (self.alias)(name))
    }

    /// Reads a command with its command word replaced by `meaning`.
    pub(super) fn expanded(&mut self, meaning: &str, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        let rest = command.words.iter().skip(1).filter_map(|word| text.line.get(word.span.clone()));
        let line = std::iter::once(meaning).chain(rest).collect::<Vec<_>>().join(" ");
        self.expanding.push(word.text.clone());
        self.script(&line, self.shell, word);
        self.expanding.pop();
    }

    /// Returns the source of the text if commands print the word (a substitution): [`Scope::Remote`] if it is
    /// downloaded, else [`Scope::Unreadable`].
    pub(super) fn printed(&self, word: &Word, text: Text<'_>) -> Option<Scope> {
        if word.literal {
            return None;
        }
        let mut inner = text.inside(word).peekable();
        inner.peek()?;
        Some(if inner.any(|command| self.fetches(command)) { Scope::Remote } else { Scope::Unreadable })
    }

    /// Reads a shell script that is the value of an option, with the operands that it gets; `None` if this shell runs it.
    pub(super) fn shell_text(
        &mut self,
        word: &Word,
        dialect: Shell,
        operands: Option<&[Operand]>,
        text: Text<'_>,
    ) {
        let value = self.value(word, text);
        if let Some(script) = self.open_script(word, text).filter(|_| value.is_none()) {
            return self.script_with(&script, dialect, word, operands.unwrap_or_default());
        }
        match value {
            // fish runs the substitution of `complete -a '(…)'` when it completes.
            Some(script) if dialect.is_fish() && script.starts_with('(') && script.ends_with(')') => {
                self.script(&format!("echo {script}"), dialect, word);
            }
            Some(script) => {
                if self.printed(word, text).is_some() {
                    let says = "runs text that the line builds".to_owned();
                    let manner = Circumstances::default();
                    self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, manner, Some(says));
                }
                // The script's input comes from its program, not from the keyboard.
                let fed = std::mem::replace(&mut self.fed, true);
                match operands {
                    Some(operands) => self.script_with(&script, dialect, word, operands),
                    None => self.script(&script, dialect, word),
                }
                self.fed = fed;
            }
            None if self.prints_setup(word, text) => self.set_up(word),
            None => {
                let scope = self.printed(word, text).unwrap_or(Scope::Unreadable);
                self.add(Effect::ExecData, scope, word, &word.text, Circumstances::default(), None);
            }
        }
    }

    /// Returns the text that an abbreviation is made of, if the line states how it is built: nothing runs it now.
    pub(super) fn kept_text(&self, word: &Word, here: Here<'_>) -> Option<String> {
        let is_kept = super::base(here.word) == "abbr" && self.printed(word, here.text).is_some();
        if is_kept { self.value(word, here.text) } else { None }
    }

    /// Adds the effect of text by which a program sets up this shell.
    pub(super) fn set_up(&mut self, word: &Word) {
        let says = Some("runs what a program prints to set up this shell".to_owned());
        self.add(Effect::Session, Scope::Own, word, "", Circumstances::default(), says);
    }

    /// Reports whether a word is the output of one command that sets up the shell: `$(ssh-agent -s)`.
    pub(super) fn prints_setup(&self, word: &Word, text: Text<'_>) -> bool {
        let mut inside = text.inside(word);
        let (first, more) = (inside.next(), inside.next());
        let is_whole = is_one_expansion(&word.text) || word.text.starts_with("<(");
        is_whole && more.is_none() && first.is_some_and(|command| self.is_setup(command))
    }

    fn is_setup(&self, command: &SimpleCommand) -> bool {
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let is_plain = command.words.iter().all(|word| word.literal && !word.text.contains("://"));
        is_plain
            && command.assignments.is_empty()
            && command.redirections.iter().all(|redirection| redirection.operator != "<")
            && WordLists::own().sets_up(&words)
            && !self.fetches(command)
    }

    /// Reads a command whose words are all given by another one: `printf 'rm\n-rf\n~' | xargs env`.
    pub(super) fn given_command(&mut self, command: &SimpleCommand, word: &Word, text: Text<'_>) {
        match self.upstream(command, text) {
            Some(words) => {
                let script = words.split_whitespace().collect::<Vec<_>>().join(" ");
                self.script(&script, self.shell.of_scripts(), word);
            }
            None => {
                let says = format!("{} runs a command that it is given", word.text);
                let manner = Circumstances::default();
                self.add(Effect::ExecData, Scope::Unreadable, word, "", manner, Some(says));
            }
        }
    }

    /// Reads code in another language, whose names may come from the pipeline: `find ~ | perl -ne unlink`.
    pub(super) fn foreign(
        &mut self,
        row: &Row,
        word: &Word,
        quiet: bool,
        here: Here<'_>,
        read: impl Fn(&str) -> Vec<ScriptEffect>,
    ) {
        let outer = self.loops.clone();
        self.piped_names(here);
        let known = self.value(word, here.text);
        if known.is_none() {
            let scope = if is_one_expansion(&word.text) {
                self.printed(word, here.text).unwrap_or(Scope::Unreadable)
            } else {
                Scope::Own
            };
            self.add(row.does, scope, word, &word.text, Circumstances::default(), row.says.clone());
        } else if !quiet {
            let says = "runs the code that it contains".to_owned();
            self.add(Effect::Project, Scope::Own, word, "", Circumstances::default(), Some(says));
        }
        if let Some(code) = &known {
            let library = super::preloads::libraries(code).map(str::to_owned);
            library.into_iter().any(|library| self.takes_from_anyone(&library, word));
            self.meet_quoted(code, word);
        }
        // Inserted values do not make the rest of the code harmless.
        for mut access in read(known.as_deref().unwrap_or(&word.text)) {
            if let Some(place) = access.place.as_mut().filter(|place| place.scope == Scope::Unreadable) {
                let unknown = Word { text: script::UNKNOWN.to_owned(), literal: false, ..word.clone() };
                *place = self.loop_place(&unknown, here.command).unwrap_or_else(|| place.clone());
            }
            self.access(&access, word);
        }
        self.loops = outer;
    }

    fn access(&mut self, access: &ScriptEffect, word: &Word) {
        let manner = Circumstances { tree: access.tree, forced: access.forced, ..Circumstances::default() };
        match (&access.shell_script, &access.place) {
            (Some(script), _) => self.script(script, self.shell.of_scripts(), word),
            (None, Some(place)) => {
                let named = Word { text: access.what.clone(), literal: false, ..word.clone() };
                self.place(access.effect, place, &named, manner, None);
            }
            (None, None) => self.add(access.effect, access.scope, word, &access.what, manner, None),
        }
    }

    /// Applies a row to the command's standard input.
    pub(super) fn input(&mut self, row: &Row, here: Here<'_>) {
        let Here { text, command, word, .. } = here;
        let manner = Circumstances {
            tree: row.tree,
            forced: row.forced,
            recoverable: row.recoverable,
            ..Circumstances::default()
        };
        let runs = matches!(row.does, Effect::ExecData | Effect::ExecArg);
        let given = input_flow::input(command, text.parsed);
        let script = match given {
            Some(given) if given.operator.starts_with("<<") => self.own_input(command, text),
            Some(given) => {
                let target = given.target.as_ref().unwrap_or(word);
                match self.printed(target, text) {
                    Some(scope) => match self.made(target, text) {
                        Some(script) => Some(script),
                        None if runs => {
                            return self.add(row.does, scope, target, &target.text, manner, row.says.clone());
                        }
                        None => None,
                    },
                    None if runs && given.operator != "<" => None,
                    None if row.does == Effect::RemoteChange => {
                        return self.add(
                            row.does,
                            Scope::Own,
                            target,
                            &target.text,
                            manner,
                            row.says.clone(),
                        );
                    }
                    None => return self.path(row, manner, target, here),
                }
            }
            None if command.position == 0 && !(self.fed && runs) => return,
            None => {
                if runs && command.position > 1 {
                    let says = "runs text that the line builds".to_owned();
                    self.add(Effect::ExecData, Scope::Unreadable, word, "", manner, Some(says));
                }
                self.upstream(command, text)
            }
        };
        let dialect = dialect(command, self.shell)
            .or((row.reads == OperandReading::Shell).then(|| self.shell.of_scripts()));
        match script {
            Some(script) if dialect.is_some() => {
                self.fed_script(&script, dialect.unwrap_or(self.shell), here);
                if !runs {
                    self.add(row.does, Scope::Own, word, "", manner, row.says.clone());
                }
            }
            Some(script) if runs || row.reads != OperandReading::Path => {
                let name = super::base(word);
                let held = Word { text: script, literal: true, ..word.clone() };
                match row.reads {
                    OperandReading::Sql => self.foreign(row, &held, true, here, script::sql),
                    OperandReading::Redis => self.foreign(row, &held, true, here, script::redis),
                    OperandReading::Path if runs && !super::has_language(name) => {
                        let says = "runs text that the line builds".to_owned();
                        self.add(row.does, Scope::Unreadable, word, "", manner, Some(says));
                    }
                    _ => self.foreign(row, &held, WordLists::own().is_quiet(name), here, |text| {
                        super::code(name, text)
                    }),
                }
            }
            Some(_) => self.add(row.does, Scope::Own, word, "", manner, row.says.clone()),
            None if runs && self.is_set_up(command, text) => self.set_up(word),
            None => {
                let is_remote = input_flow::above(command, text.parsed).any(|above| self.fetches(above));
                let scope = match runs {
                    true if is_remote => Scope::Remote,
                    true => Scope::Unreadable,
                    false => Scope::Own,
                };
                self.add(row.does, scope, word, "", manner, row.says.clone());
            }
        }
    }

    /// Reads a script that a shell gets as its input, with the operands of the line: `sh -s -- a <<< 'rm "$1"'`.
    fn fed_script(&mut self, script: &str, dialect: Shell, here: Here<'_>) {
        let reader = here.command.words.iter().find(|word| READS_INPUT.contains(&word.text.as_str()));
        let given = reader.map(|reader| self.operands_behind(reader, here)).unwrap_or_default();
        let given: Vec<_> = given.into_iter().skip_while(is_end).collect();
        self.script_with(script, dialect, here.word, &given);
    }

    /// Reports whether the only command before this one in its pipeline prints text that sets up the shell.
    fn is_set_up(&self, command: &SimpleCommand, text: Text<'_>) -> bool {
        let mut above = input_flow::all_above(command, text.parsed);
        let (first, more) = (above.next(), above.next());
        let sources = matches!(command.name(), Some("source" | "."));
        sources && more.is_none() && first.is_some_and(|above| self.is_setup(above))
    }

    /// Returns the output of the pipeline in a word's substitution, if it can be computed.
    pub(super) fn made(&self, word: &Word, text: Text<'_>) -> Option<String> {
        let last = text.inside(word).last()?;
        let above: Vec<_> = input_flow::above(last, text.parsed).chain(std::iter::once(last)).collect();
        let words: Option<Vec<Vec<String>>> = above
            .iter()
            .map(|command| command.words.iter().map(|word| self.value(word, text)).collect())
            .collect();
        let words = words?;
        let steps: Vec<TextCommand<'_>> =
            words.iter().map(|words| TextCommand { words, input: None }).collect();
        decode::output(&steps, self.shell)
    }

    /// Returns the output of a command, if it can be computed.
    pub(super) fn output(&self, command: &SimpleCommand, text: Text<'_>) -> Option<String> {
        let words: Option<Vec<String>> = command.words.iter().map(|word| self.value(word, text)).collect();
        let words = words?;
        let input = self.own_input(command, text).or_else(|| self.upstream(command, text));
        decode::output(&[TextCommand { words: &words, input: input.as_deref() }], self.shell)
    }

    /// Reads a file that the command line itself writes and then runs.
    pub(super) fn run_written(&mut self, name: &str, word: &Word) {
        match self.written.get(name).cloned().flatten() {
            Some(script) => {
                let dialect = Shell::of_script(name).unwrap_or_else(|| self.shell.of_scripts());
                self.own_script(&script, dialect, word);
                let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
                let program = WordLists::own().interpreter(ending).unwrap_or_default();
                super::code(program, &script).iter().for_each(|access| self.access(access, word));
            }
            None => {
                let says = format!("runs a file that the line writes: {}", word.text);
                let manner = Circumstances::default();
                self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, manner, Some(says));
            }
        }
    }

    /// Reads text that a pipeline schedules to run later as if it ran now.
    pub(super) fn later(&mut self, before: usize, here: Here<'_>) {
        let is_kept = |act: &Act| act.effect == Effect::Persistence;
        let substituted = here.command.words.iter().skip(1).find(|word| word.text.starts_with("<("));
        let made = substituted.and_then(|word| self.made(word, here.text));
        let own = self.own_input(here.command, here.text).or(made);
        let is_fed = here.command.position > 0 || own.is_some();
        if !is_fed || !self.acts.iter().skip(before).any(is_kept) {
            return;
        }
        let scripts = match own.or_else(|| self.upstream(here.command, here.text)) {
            Some(script) => vec![script],
            None => self.grouped(here),
        };
        for script in scripts {
            let is_crontab = super::base(here.word) == "crontab";
            let dialect = if is_crontab { self.shell.of_scripts() } else { self.shell };
            for line in script.lines().take(JOBS_MAX).filter(|_| is_crontab) {
                self.script(scheduled(line), dialect, here.word);
            }
            self.script(&script, dialect, here.word);
        }
    }

    /// Returns the texts that `echo` and `printf` print in the group before a command: `(crontab -l; echo x) | crontab -`.
    fn grouped(&self, here: Here<'_>) -> Vec<String> {
        let before =
            here.text.parsed.commands.iter().take_while(|other| other.span.start < here.command.span.start);
        let is_grouped = |other: &&SimpleCommand| {
            matches!(other.name(), Some("echo" | "printf"))
                && matches!(other.within.last(), Some(Nesting::Subshell | Nesting::Group))
        };
        before.filter(is_grouped).filter_map(|other| self.output(other, here.text)).take(LAYERS_MAX).collect()
    }

    /// Returns the output of the previous commands in the pipeline, if it can be computed.
    pub(super) fn upstream(&self, command: &SimpleCommand, text: Text<'_>) -> Option<String> {
        let above: Vec<_> = input_flow::above(command, text.parsed).collect();
        let head = input_flow::head(command, text.parsed, text.line);
        if above.len() + usize::from(head.is_some()) != command.position {
            return None;
        }
        let words: Option<Vec<Vec<String>>> = above
            .iter()
            .map(|command| command.words.iter().map(|word| self.value(word, text)).collect())
            .collect();
        let words = words?;
        let inputs: Vec<Option<String>> = above.iter().map(|command| self.own_input(command, text)).collect();
        let first = above.first().map(|command| command.span.start);
        let steps: Vec<TextCommand<'_>> = above
            .iter()
            .zip(&words)
            .zip(&inputs)
            .map(|((command, words), input)| {
                let head = head.as_deref().filter(|_| Some(command.span.start) == first);
                TextCommand { words, input: input.as_deref().or(head) }
            })
            .collect();
        if steps.is_empty() { head } else { decode::output(&steps, self.shell) }
    }

    /// Returns the content of a here-string or here-document.
    pub(super) fn own_input(&self, command: &SimpleCommand, text: Text<'_>) -> Option<String> {
        let given = input_flow::input(command, text.parsed)
            .filter(|redirection| redirection.operator.starts_with("<<"))?;
        if given.operator == "<<<" {
            return self.value(given.target.as_ref()?, text);
        }
        input_flow::document(given, text.line)
    }

    /// Reads text that a command sends to a shell that the line starts as a coprocess: `coproc sh; echo rm a >&"${COPROC[1]}"`.
    pub(super) fn tells_coprocess(&mut self, command: &SimpleCommand, text: Text<'_>) {
        let sends = command.redirections.iter().any(|redirection| {
            let target = redirection.target.as_ref().map_or("", |target| target.text.as_str());
            redirection.operator.contains('>') && (target.ends_with("[1]}") || target == "p")
        });
        let prints = command.name() == Some("print") && command.words.iter().any(|word| word.text == "-p");
        let Some(word) = command.words.first().filter(|_| sends || prints) else { return };
        let is_started = |other: &&SimpleCommand| {
            let before = text.line.get(..other.span.start).unwrap_or_default();
            before.contains("coproc") && dialect(other, self.shell).is_some()
        };
        let mut before =
            text.parsed.commands.iter().take_while(|other| other.span.start < command.span.start);
        let Some(dialect) = before.find(is_started).and_then(|other| dialect(other, self.shell)) else {
            return;
        };
        match self.output(command, text) {
            Some(script) => self.script(&script, dialect, word),
            None => {
                let says = Some("sends a shell text that can't be read from the line".to_owned());
                self.add(Effect::ExecData, Scope::Unreadable, word, "", Circumstances::default(), says);
            }
        }
    }

    /// Reports whether the input of a command answers yes to what it asks.
    pub(super) fn is_answered(&self, here: Here<'_>) -> bool {
        let Here { command, text, .. } = here;
        let says_yes = |input: String| input.to_lowercase().contains('y');
        input_flow::above(command, text.parsed).any(|above| above.name() == Some("yes"))
            || self.own_input(command, text).is_some_and(says_yes)
            || command.position > 0 && self.upstream(command, text).is_some_and(says_yes)
    }

    /// Reports whether the command prints data from the network.
    pub(super) fn fetches(&self, command: &SimpleCommand) -> bool {
        let Some(name) = command.name() else { return false };
        let words = command.words.get(1..).unwrap_or_default().to_vec();
        let call = Call::read(name, words, self.table, self.shell);
        let rows = call.program().map(|program| program.rows.as_slice()).unwrap_or_default();
        rows.iter().any(|row| row.does == Effect::NetRead)
    }

    /// Returns the effects that a script would have.
    pub(super) fn trial(&self, script: &str, shell: Shell) -> Vec<Act> {
        let Some(left) = self.trials.get().checked_sub(1) else { return Vec::new() };
        if self.layers == 0 || script.len() > self.bytes {
            return Vec::new();
        }
        self.trials.set(left);
        let mut reader = LineReader::new(shell, self.table, self.alias);
        (reader.layers, reader.bytes) = (self.layers - 1, script.len());
        reader.trials.set(left / super::TRIAL_SHARE);
        reader.variables.clone_from(&self.variables);
        reader.privileged = self.privileged;
        reader.expanding.clone_from(&self.expanding);
        let parsed = syntax::commands(script, shell);
        reader.text(Text { line: script, parsed: &parsed });
        reader.acts
    }

    /// Reads a script that a word contains.
    pub(super) fn script(&mut self, script: &str, shell: Shell, word: &Word) {
        if self.layers == 0 || script.len() > self.bytes {
            return self.add(
                Effect::ExecData,
                Scope::Unreadable,
                word,
                &word.text,
                Circumstances::default(),
                None,
            );
        }
        self.layers -= 1;
        self.bytes -= script.len();
        let entered = self.entered_by_script();
        let outer_operands = self.outer_operands.take();
        let holder = self.holder.clone();
        let line_shell = std::mem::replace(&mut self.shell, shell);
        self.holder.get_or_insert(word.span.clone());
        let parsed = syntax::commands(script, shell);
        self.text(Text { line: script, parsed: &parsed });
        self.shell = line_shell;
        self.holder = holder;
        self.entered = entered;
        if let Some(operands) = self.outer_operands.take() {
            self.without_operands();
            self.variables.extend(operands);
        }
        self.outer_operands = outer_operands;
        self.layers += 1;
    }
}

/// Reports whether an operand is the sign that ends the options.
fn is_end(operand: &Operand) -> bool {
    operand.as_deref() == Some("--")
}

/// Returns a program that does what a command word such as `$EDITOR` does if the line does not set the variable.
fn chosen_program(word: &Word, text: Text<'_>) -> Option<String> {
    let name = word.text.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_set = text.line.matches(name).count() > 1;
    WordLists::own().chosen(name).filter(|_| !is_set).map(str::to_owned)
}

/// Returns the command of a crontab's line, without its schedule.
fn scheduled(line: &str) -> &str {
    let mut rest = line.trim();
    let fields = if rest.starts_with('@') { 1 } else { SCHEDULE_FIELDS };
    for _ in 0..fields {
        rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    rest
}
