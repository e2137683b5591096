//! Detours that a line builds and then takes: links to directories, copies of programs, files that another program
//! reads as its settings, functions of the line that are called.

use super::{Here, LineReader, Text, has_language, variables};
use crate::call::Call;
use crate::effect::{Effect, Scope};
use crate::files::FileLists;
use crate::input_flow;
use crate::path_class::{self, PathClass, PathKind};
use crate::table::Row;
use crate::weigh::Circumstances;
use crate::words::WordLists;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, Redirection, SimpleCommand, Word, program_name};

/// Commands that give a file another name or place.
const COPYING: [&str; 5] = ["ln", "cp", "mv", "install", "link"];
/// Variables that name the directory of a program's settings.
const SETTINGS: [&str; 6] =
    ["XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "HOME", "ZDOTDIR", "GNUPGHOME"];
/// Parts of the names of options that name a program.
const PROGRAM_PARTS: [&str; 10] =
    ["shell", "command", "cmd", "program", "exec", "rsh", "hook", "plugin", "preload", "wrapper"];
/// Subcommand of git that runs another one in many repositories.
const EACH_REPOSITORY: &str = "for-each-repo";
/// Operators that give a command its input from a file or a text.
const INPUTS: [&str; 4] = ["<", "<>", "<<", "<<<"];
/// Options with which one program acts as another, with whether the name of its file follows.
const ACTS_AS: [(&str, bool); 2] = [("--coreutils-prog=", false), ("--coreutils-prog-shebang=", true)];
/// Words before the body of a function, after its name.
const OPENS: [&str; 2] = ["{", "("];
/// Signs of a pattern of file names.
const PATTERN: [char; 3] = ['*', '?', '['];
/// Variables that the shell itself sets, to text that may come from elsewhere.
const SET_BY_SHELL: [&str; 14] = [
    "_",
    "REPLY",
    "reply",
    "OPTARG",
    "MAPFILE",
    "mapfile",
    "BASH_REMATCH",
    "BASH_COMMAND",
    "COPROC",
    "MATCH",
    "match",
    "argv",
    "DIRSTACK",
    "dirstack",
];
/// Variables of zsh with the program that runs for redirections without a command.
const NULL_COMMANDS: [&str; 2] = ["READNULLCMD", "NULLCMD"];
/// Commands that set the variables of the working directory.
const MOVING: [&str; 3] = ["cd", "pushd", "popd"];
/// Maximum number of links that are kept, and of copies.
const KEPT_MAX: usize = 16;
/// Maximum length of the body of a function that is read again, in bytes.
const BODY_MAX: usize = 2048;
/// Maximum number of words of a command that are looked at.
const WORDS_MAX: usize = 64;

impl LineReader<'_> {
    /// Keeps the link or the copy of a program that a command makes.
    pub(super) fn keep_detour(&mut self, command: &SimpleCommand) {
        let Some(name) = command.name().map(program_name).filter(|name| COPYING.contains(name)) else {
            return;
        };
        let words = command.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        let [from, to] = words.collect::<Vec<_>>()[..] else { return };
        if !to.literal {
            return;
        }
        let path = from.text.strip_prefix('=').map_or(from.text.as_str(), |name| name);
        let source = path_class::path(from, self.shell);
        if FileLists::own().is_installed(&source.path) && from.text.contains(['/', '=']) {
            let program = program_name(path).to_owned();
            let own = if to.text.contains('/') { to.text.clone() } else { format!("./{}", to.text) };
            // The names of copies are paths, those of aliases are not.
            if self.renamed.keys().filter(|name| name.contains('/')).count() >= KEPT_MAX {
                return self.too_many(to);
            }
            self.renamed.insert(own, program);
        } else if name == "ln" {
            if self.links.len() >= KEPT_MAX {
                return self.too_many(to);
            }
            self.links.insert(to.text.trim_end_matches('/').to_owned(), from.text.clone());
        }
    }

    /// Adds the effect of a link or copy beyond those that are kept.
    fn too_many(&mut self, to: &Word) {
        let says = Some(format!("makes more than {KEPT_MAX} links or copies, too many to follow"));
        self.add(Effect::ExecData, Scope::Unreadable, to, &to.text, Circumstances::default(), says);
    }

    /// Returns the class of the path to which a word leads through a link of the line; `None` if there is none.
    pub(super) fn linked(&self, word: &Word) -> Option<PathClass> {
        let (link, target) = self.links.iter().find(|(link, _)| {
            word.text.strip_prefix(link.as_str()).is_some_and(|rest| rest.starts_with('/'))
        })?;
        let rest = word.text.strip_prefix(link.as_str())?;
        let text = format!("{}{rest}", target.trim_end_matches('/'));
        Some(path_class::path(&Word { text, literal: false, ..word.clone() }, self.shell))
    }

    /// Adds the effect of a command in a file that the line writes and that a program reads as its settings: `ssh -F a`.
    pub(super) fn reads_written(&mut self, command: &SimpleCommand, text: Text<'_>) {
        let Some(name) = command.name().map(program_name).filter(|name| !WordLists::own().prints(name))
        else {
            return;
        };
        for word in command.words.iter().skip(1).filter(|word| word.text.starts_with("<(")).take(WORDS_MAX) {
            let made = self.made(word, text).unwrap_or_default();
            if made.lines().take(WORDS_MAX).any(|line| self.hidden_in(line, word)) {
                return;
            }
        }
        if self.written.is_empty() {
            return;
        }
        let own = WordLists::own().project_files(name).iter();
        let own = own.filter_map(|file| Some((self.written.get(file)?.clone()?, command.words.first()?)));
        let own: Vec<(String, &Word)> = own.collect();
        let pairs = command.words.iter().zip(command.words.iter().skip(1)).take(WORDS_MAX);
        let given = pairs.filter_map(|(before, word)| {
            let value =
                word.text.split_once('=').filter(|_| word.text.starts_with('-')).map(|(_, value)| value);
            value
                .or_else(|| before.text.starts_with('-').then_some(word.text.as_str()))
                .map(|path| (path, word))
        });
        let texts: Vec<(String, &Word)> = given
            .filter_map(|(path, word)| Some((self.written.get(program_name(path))?.clone()?, word)))
            .collect();
        for (text, word) in own.into_iter().chain(texts) {
            if text.lines().take(WORDS_MAX).any(|line| self.hidden_in(line, word)) {
                return;
            }
        }
    }

    /// Adds an effect for an option that names a program in a directory in which anyone may put it: `--rsh-command=/tmp/x`.
    pub(super) fn foreign_programs(&mut self, command: &SimpleCommand) {
        let words = command.words.iter().skip(1).take(WORDS_MAX);
        let pairs = words.clone().zip(words.skip(1).map(Some).chain([None]));
        for (word, next) in pairs.filter(|(word, _)| word.text.starts_with('-') || word.text.contains('=')) {
            let (option, value) = match word.text.split_once('=') {
                Some((option, value)) => (option, value),
                None => (word.text.as_str(), next.map_or("", |next| next.text.as_str())),
            };
            let names_program =
                option.starts_with("--") && option.split('-').any(|part| PROGRAM_PARTS.contains(&part));
            if names_program {
                self.takes_from_anyone(value, word);
            } else {
                self.foreign_code(option, value, command, word);
            }
        }
    }

    /// Replaces words by options and operands that the line itself gives them: `b=-rf; rm $b ~`, `set -- -rf ~; rm "$@"`.
    pub(super) fn given_words(&self, words: Vec<Word>, text: Text<'_>) -> Vec<Word> {
        if self.variables.is_empty() {
            return words;
        }
        let given = words.into_iter().flat_map(|word| {
            let is_all = matches!(word.text.as_str(), "$@" | "$*");
            let value =
                self.value(&word, text).filter(|value| !word.literal && (is_all || value.starts_with('-')));
            match value {
                // The shell splits a value that is not in quotes.
                Some(value) if is_all || !word.quoted => {
                    let part = |part: &str| Word {
                        text: part.to_owned(),
                        literal: !part.starts_with('~') && !part.contains(PATTERN),
                        glob: part.contains(PATTERN),
                        ..word.clone()
                    };
                    value.split_whitespace().take(WORDS_MAX).map(part).collect()
                }
                Some(value) => vec![Word { text: value, literal: true, ..word }],
                None => vec![word],
            }
        });
        given.collect()
    }

    /// Adds the effect of a file that takes the place of a startup file: under its name in the directory into which it is
    /// put (`cp .bashrc ~/`), or from the network or a directory in which anyone may put files.
    pub(super) fn puts_startup(&mut self, row: &Row, names: &[String], call: &Call<'_>) {
        let Some(target) = call.targets(&row.to).into_iter().next_back().filter(|word| !word.glob) else {
            return;
        };
        if !COPYING.contains(&call.name.as_str()) {
            return;
        }
        let outer = path_class::path(&target, self.shell);
        let is_fetched = |word: &Word| self.fetched.contains(program_name(&word.text));
        let is_foreign =
            |word: &Word| is_fetched(word) || path_class::path(word, self.shell).kind == PathKind::Temporary;
        if outer.kind == PathKind::Startup {
            if let Some(source) =
                call.operands().first().filter(|word| word.text != target.text && is_foreign(word))
            {
                let says = Some(format!("starts {}, which comes from elsewhere", source.text));
                let (source, manner) = (source.clone(), Circumstances::default());
                self.add(Effect::Persistence, Scope::System, &source, &source.text, manner, says);
            }
            return;
        }
        for name in names.iter().filter(|_| target.text.starts_with(['/', '~', '$'])) {
            let text = format!("{}/{name}", target.text.trim_end_matches('/'));
            let inner = Word { text, literal: false, ..target.clone() };
            let place = path_class::path(&inner, self.shell);
            if place.kind == PathKind::Startup {
                self.place(Effect::WriteNew, &place, &inner, Circumstances::default(), None);
            }
        }
    }

    /// Adds an effect if a command writes what it downloads, or what the pipe downloads, to a file that runs later.
    pub(super) fn starts_fetched(&mut self, before: usize, here: Here<'_>) {
        let mut acts = self.acts.iter().skip(before);
        let target = acts.find(|act| act.effect == Effect::Persistence).map(|act| act.target.clone());
        let mut above = input_flow::above(here.command, here.text.parsed);
        if let Some(target) = target.filter(|target| !target.is_empty())
            && (self.fetches(here.command) || above.any(|above| self.fetches(above)))
        {
            self.starts_foreign(&target, here.word);
        }
    }

    /// Adds the effect of a file from the network that runs later.
    pub(super) fn starts_foreign(&mut self, target: &str, word: &Word) {
        let says = Some(format!("starts what comes from the network: {target}"));
        self.add(Effect::Persistence, Scope::System, word, target, Circumstances::default(), says);
    }

    /// Reports whether a command is in a closure of Nushell that gets the data of a pipeline: `'a' | tee { ^sh }`.
    pub(super) fn is_in_fed_closure(&self, command: &SimpleCommand, text: Text<'_>) -> bool {
        self.shell.is_nushell()
            && command.position == 0
            && text.parsed.commands.iter().take(super::COMMANDS_MAX).any(|outer| {
                matches!(outer.name(), Some("tee" | "each" | "par-each" | "do"))
                    && outer.position > 0
                    && outer.span.start < command.span.start
                    && command.span.end <= outer.span.end
            })
    }

    /// Adds the effects of the files that the line writes if a variable names the directory of settings.
    pub(super) fn settings_at(&mut self, name: &str, value: &str, word: &Word) {
        self.keep_startup(name, value);
        if !SETTINGS.contains(&name) || value.is_empty() {
            return;
        }
        let texts: Vec<String> = self.written.values().flatten().cloned().collect();
        for text in texts {
            if text.lines().take(WORDS_MAX).any(|line| self.hidden_in(line, word)) {
                return;
            }
        }
    }

    /// Adds the effect of a function of the line that is called with words: `f() { rm "$@"; }; f -rf ~`.
    pub(super) fn calls(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        let (Some(first), Some(last)) = (command.words.get(1), command.words.last()) else { return };
        let mut earlier =
            text.parsed.commands.iter().take_while(|other| other.span.start < command.span.start);
        let is_defined = earlier.any(|other| other.within.contains(&Nesting::Function));
        if command.within.contains(&Nesting::Function) || !is_defined {
            return;
        }
        let before = text.line.get(..command.span.start).unwrap_or_default();
        let Some(body) = body_of(before, &word.text) else { return };
        let given = text.line.get(first.span.start..last.span.end).unwrap_or_default();
        let one = text.line.get(first.span.clone()).unwrap_or_default();
        let marks = [("\"$@\"", given), ("$@", given), ("\"$*\"", given), ("$*", given), ("$argv", given)];
        let mut script = body.to_owned();
        for (mark, value) in marks.into_iter().chain([("\"$1\"", one), ("$1", one)]) {
            let Some(longer) = replaced(&script, mark, value) else { return self.too_long(word) };
            script = longer;
        }
        if let Some(start) = script.find("...$").filter(|_| self.shell.is_nushell()) {
            let rest = script.get(start + "...$".len()..).unwrap_or_default();
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let mark = format!("...${}", rest.get(..end).unwrap_or_default());
            let Some(longer) = replaced(&script, &mark, given) else { return self.too_long(word) };
            script = longer;
        }
        if script != body
            && let Some(harm) = self.harm(script.trim())
        {
            self.found(harm, word);
        }
    }

    /// Adds the effect of a function whose body is too long to read with the words of a call.
    fn too_long(&mut self, word: &Word) {
        let says = Some(format!("calls {}, which is too long to read with its operands", word.text));
        self.add(Effect::ExecData, Scope::Unreadable, word, &word.text, Circumstances::default(), says);
    }

    /// Returns a script for a shell in which only variables that the line does not set are unknown: they are read as
    /// words, as the inner shell would.
    pub(super) fn open_script(&self, word: &Word, text: Text<'_>) -> Option<String> {
        let is_whole = word.text.starts_with('$') && !word.text.contains(' ');
        let is_plain =
            !word.text.contains(['`', '\\']) && !word.text.contains("$(") && !word.text.contains("${");
        // A name may be in quotes in part: `read F"O"O`.
        let line = text.line.replace(['"', '\'', '\\'], "");
        let is_elsewhere = |name: &str| line.matches(name).count() > word.text.matches(name).count();
        let moves = || MOVING.into_iter().any(is_elsewhere);
        let is_set = |name: &str| {
            name.is_empty()
                || name.starts_with(|c: char| c.is_ascii_digit())
                || SET_BY_SHELL.contains(&name)
                || matches!(name, "PWD" | "OLDPWD") && moves()
                || is_elsewhere(name)
        };
        // A script does not show what the line around it sets.
        let known = self.holder.is_none() && !is_whole && is_plain && !variables(&word.text).any(is_set);
        (known && !self.shell.is_nushell() && !self.shell.is_fish()).then(|| word.text.clone())
    }

    /// Reads a call of a program that an option makes another one: `coreutils --coreutils-prog=rm -rf x`.
    pub(super) fn multi_call(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        let acts_as = |option: &Word| {
            let of =
                |(form, has_file): (&str, bool)| Some((option.text.strip_prefix(form)?.to_owned(), has_file));
            let (program, has_file) = ACTS_AS.into_iter().find_map(of)?;
            Some((program, has_file, option.span.end))
        };
        let mut words = command.words.iter().skip(1).take(WORDS_MAX);
        let Some((program, has_file, end)) =
            words.find_map(acts_as).filter(|(name, ..)| *name != program_name(&word.text))
        else {
            return;
        };
        // The words of the other program look like a command that this one runs.
        let rest = text.line.get(end..command.span.end).unwrap_or_default().trim_start();
        let rest = if has_file { rest.split_once(' ').map_or("", |(_, rest)| rest) } else { rest };
        let line = format!("{program} {rest}");
        self.script(&line, self.shell.of_scripts(), word);
    }

    /// Reads a command of git by the name that the line gives it: `git -c alias.x='reset --hard' x`.
    pub(super) fn git_alias(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        if program_name(&word.text) != "git" {
            return;
        }
        let commands = text.parsed.commands.iter().take_while(|other| other.span.start <= command.span.start);
        let is_git = |other: &&SimpleCommand| other.name().is_some_and(|name| program_name(name) == "git");
        let pairs = commands
            .filter(is_git)
            .flat_map(|other| other.words.iter().zip(other.words.iter().skip(1).map(Some).chain([None])));
        for (setting, next) in pairs.take(WORDS_MAX) {
            let setting = setting.text.strip_prefix("-c").unwrap_or(&setting.text);
            let Some(alias) = setting.strip_prefix("alias.") else { continue };
            let value = alias.split_once('=').map(|(name, value)| (name, value.to_owned()));
            let value = value.or_else(|| Some((alias, self.value(next?, text)?)));
            let is_called = |name: &str| command.words.iter().skip(1).find(|word| word.text == name);
            if let Some((name, meaning)) = value
                && let Some(called) = is_called(name)
                && let Some(rest) = text.line.get(called.span.end..command.span.end)
            {
                let program = meaning.strip_prefix('!').map_or("git ", |_| "");
                let line = format!("{program}{}{rest}", meaning.trim_start_matches('!'));
                self.script(&line, self.shell.of_scripts(), word);
            }
        }
    }

    /// Reads what git runs in each repository of a list, as a command of git.
    pub(super) fn in_each_repository(&mut self, word: &Word, command: &SimpleCommand, text: Text<'_>) {
        let mut words = command.words.iter().skip(1).take(WORDS_MAX);
        if program_name(&word.text) != "git" || !words.any(|word| word.text == EACH_REPOSITORY) {
            return;
        }
        let mut is_value = false;
        let mut is_option = |word: &&Word| {
            let was_value = std::mem::replace(&mut is_value, word.text == "--config");
            was_value || word.text.starts_with('-')
        };
        if let Some(first) = words.find(|word| !is_option(word))
            && let Some(rest) = text.line.get(first.span.start..command.span.end)
        {
            self.script(&format!("git {rest}"), self.shell, word);
        }
    }

    /// Adds the effect of `exec < file`, after which the shell runs what is in the file instead of what is typed.
    pub(super) fn reads_instead(&mut self, command: &SimpleCommand) {
        let is_own = command.name() == Some("exec") && command.words.len() == 1 && !self.shell.is_nushell();
        let mut inputs = command.redirections.iter().filter(|_| is_own);
        let is_input = |input: &&Redirection| {
            input.descriptor.is_none_or(|number| number == 0) && INPUTS.contains(&input.operator.as_str())
        };
        let Some(target) = inputs.find(is_input).and_then(|input| input.target.as_ref()) else { return };
        // A terminal is no file of commands.
        if !target.text.starts_with("/dev/") {
            let says = Some(format!("makes the shell run what is in {}, and end", target.text));
            let manner = Circumstances::default();
            self.add(Effect::ExecData, Scope::Unreadable, target, &target.text, manner, says);
        }
    }

    /// Keeps the program that zsh runs for a command without a command word.
    pub(super) fn keep_null_command(&mut self, name: &str, value: &str) {
        if NULL_COMMANDS.contains(&name) {
            self.variables.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Reads a command without a command word in zsh, which runs the program that a variable of the line names.
    pub(super) fn null_command(&mut self, command: &SimpleCommand, text: Text<'_>) {
        let Some(input) = command.redirections.first().filter(|_| command.words.is_empty()) else { return };
        let Some(program) = NULL_COMMANDS.iter().find_map(|name| self.variables.get(*name)).cloned() else {
            return;
        };
        let rest = text.line.get(input.span.clone()).unwrap_or_default();
        if let Some(target) = input.target.as_ref().filter(|_| command.assignments.is_empty()) {
            let name = program_name(program.split_whitespace().next().unwrap_or_default());
            let name = WordLists::own().chosen(name.trim_start_matches('$')).unwrap_or(name);
            if input.operator == "<" && (Shell::of_interpreter(name).is_some() || has_language(name)) {
                let says = Some(format!("runs {} by {program}, though it looks only read", target.text));
                let manner = Circumstances::default();
                self.add(Effect::ExecData, Scope::Unreadable, target, &target.text, manner, says);
            }
            self.script(&format!("{program} {rest}"), self.shell, target);
        }
    }
}

/// Returns a text with a mark replaced; `None` if the result is longer than [`BODY_MAX`].
fn replaced(text: &str, mark: &str, value: &str) -> Option<String> {
    let places = text.matches(mark).count();
    let is_short = places == 0 || text.len().saturating_add(places.saturating_mul(value.len())) <= BODY_MAX;
    is_short.then(|| text.replace(mark, value))
}

/// Returns the body of a function that a text defines.
fn body_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let forms =
        [format!("{name}()"), format!("{name} ()"), format!("function {name}"), format!("def {name} ")];
    let wrapped = format!("def --wrapped {name} ");
    let (at, form) = forms
        .iter()
        .chain([&wrapped])
        .filter(|_| is_name)
        .find_map(|form| Some((text.rfind(form.as_str())?, form.len())))?;
    let rest = text.get(at + form..)?;
    if text.get(at..)?.starts_with("function ")
        && !OPENS.iter().any(|open| rest.trim_start().starts_with(open))
    {
        return rest.strip_prefix(';')?.rsplit_once("end").map(|(body, _)| body.trim().trim_end_matches(';'));
    }
    let start = rest.find('{')?;
    let mut depth = 0usize;
    let end = rest.get(start..)?.char_indices().find_map(|(at, c)| {
        depth = match c {
            '{' => depth + 1,
            '}' => depth.saturating_sub(1),
            _ => depth,
        };
        (depth == 0).then_some(start + at)
    })?;
    rest.get(start + 1..end)
}
