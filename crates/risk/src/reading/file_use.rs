//! Collects file uses: files that a command line runs and secrets that it reads.

use super::{Here, LineReader, Text, is_run_by};
use crate::call::Call;
use crate::effect::Effect;
use crate::files::{Access, CommandKeys, FileLists, FileUse};
use crate::input_flow;
use crate::path_class;
use crate::path_class::PathKind;
use crate::words::WordLists;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, SimpleCommand, Word};

/// Maximum number of file uses that are kept per command line.
const MET_MAX: usize = 200;
/// Maximum number of quoted strings in a program's code that are checked.
const QUOTED_MAX: usize = 200;
/// Maximum number of words outside of all commands (values that a loop iterates over) that are checked.
const BETWEEN_MAX: usize = 200;

/// Letters of options with which an interpreter does not run the first file after them, or not only that file.
const OTHERWISE: [char; 9] = ['c', 'e', 'E', 'm', 'n', 'p', 'r', 'o', 'O'];

/// Use of file content by a command.
struct ContentUse {
    /// `true` if it shows the content.
    shows: bool,
    /// Words that may name files.
    paths: Vec<Word>,
}

impl LineReader<'_> {
    /// Records that the command line runs the file that a word names.
    pub(super) fn meet_run(&mut self, word: &Word) {
        if !self.meets {
            return;
        }
        let place = path_class::path(word, self.shell);
        let lists = FileLists::own();
        // Startup files of the user run anyway.
        let is_own_setting = place.kind == PathKind::Startup && place.in_home;
        let is_nothing = matches!(word.text.as_str(), "" | "-" | "--") || word.text.contains("://");
        if !is_nothing
            && !is_own_setting
            && !lists.is_own(&place.path)
            && !lists.is_none(&word.text)
            && place.kind != PathKind::Sink
            && !lists.is_installed(&place.path)
        {
            self.meet(Access::Run, word, place.path);
        }
    }

    fn meet(&mut self, access: Access, word: &Word, path: String) {
        if self.met.len() < MET_MAX {
            let span = self.holder.clone().unwrap_or_else(|| word.span.clone());
            let name = path.rsplit('/').next().unwrap_or_default();
            let stem = name.split('.').next().unwrap_or_default();
            let is_known = |name: &str| !name.is_empty() && self.table.top(name, self.shell).is_some();
            let is_namesake = access == Access::Run && (is_known(name) || is_known(stem));
            let is_made = access == Access::Run && self.made.contains(&path);
            self.met.push(FileUse { access, span, text: word.text.clone(), path, is_namesake, is_made });
        }
    }

    /// Reports whether the path is a local file rather than an installed program, whatever its name.
    pub(super) fn is_local(&self, word: &Word) -> bool {
        word.text.contains('/') && !FileLists::own().is_installed(&path_class::path(word, self.shell).path)
    }

    /// Records the file that a compiler produces.
    pub(super) fn keep_made(&mut self, call: &Call<'_>, here: Here<'_>) {
        let words = &here.command.words;
        let Some(makes) =
            FileLists::own().makes(&CommandKeys::of(words.iter().map(|word| word.text.as_str())))
        else {
            return;
        };
        let given = call.given(|option| option == makes.option);
        let source = || words.iter().skip(1).rev().find(|word| FileLists::own().is_source(&word.text));
        let named = match (given.last(), makes.name.as_str()) {
            (Some(named), _) => Some(named.clone()),
            (None, "*") => source().map(|word| {
                let name = super::base(word);
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                Word { text: stem.to_owned(), ..word.clone() }
            }),
            (None, name) => words.first().map(|word| Word { text: name.to_owned(), ..word.clone() }),
        };
        let path = named.map(|word| path_class::path(&word, self.shell)).filter(|place| !place.glob);
        self.made.extend(path.map(|place| place.path));
    }

    /// Records files that a command runs and that the tables of effects do not cover.
    pub(super) fn meet_runs(&mut self, call: &Call<'_>, here: Here<'_>) {
        if !self.meets {
            return;
        }
        let (lists, words) = (FileLists::own(), &here.command.words);
        let names = CommandKeys::of(words.iter().map(|word| word.text.as_str()));
        let behind = lists.runs_first(&names).unwrap_or(usize::MAX);
        let rest = words.iter().skip(behind).find(|word| !word.text.starts_with('-'));
        if let Some(word) = rest.filter(|word| !lists.is_module(&word.text)) {
            self.meet_run(word);
        }
        let program = names.first();
        for word in call.given(|option| lists.is_run_by(program, option)) {
            self.meet_run(&word);
        }
        let is_file = |word: &&Word| word.text.starts_with(['.', '/', '~']) || lists.is_source(&word.text);
        for word in call.given(|option| lists.loads(program, option)).iter().filter(is_file) {
            self.meet_run(word);
        }
        // `+source x` is `-c 'source x'`.
        let plus = words.iter().filter(|word| word.text.starts_with('+') && lists.has_commands(program));
        for word in call.given(|option| lists.commands(program, option)).iter().chain(plus) {
            for path in word.text.split('|').filter_map(|command| lists.sourced(command)) {
                self.meet_run(&Word { text: path.to_owned(), ..word.clone() });
            }
        }
        let module = words.iter().skip(1).skip_while(|word| word.text != "-m").nth(1);
        if lists.leads(program)
            && module.is_some_and(|word| lists.is_profiler(&word.text))
            && let Some(word) = words.iter().skip(1).find(|word| lists.is_script(&word.text))
        {
            self.meet_run(word);
        }
        // A relative or temporary directory in `PATH`.
        let is_near = |path: &str| {
            path.split(':').any(|part| !part.starts_with(['/', '~', '$']) || part.starts_with("/tmp"))
        };
        let paths = here.command.assignments.iter().filter_map(|word| word.text.strip_prefix("PATH="));
        if paths.into_iter().any(is_near) {
            self.meet_run(here.word);
        }
        if lists.leads(names.first())
            && let Some(word) = call.script(&OTHERWISE)
        {
            self.meet_run(word);
        }
        if lists.runs_files(&names)
            && let Some(word) = words.iter().skip(1).find(|word| lists.is_script(&word.text))
        {
            self.meet_run(word);
        }
    }

    /// Records secrets that the commands of a text read.
    pub(super) fn meet_secrets(&mut self, text: Text<'_>) {
        if !self.meets {
            return;
        }
        let commands = text.parsed.commands.get(..super::COMMANDS_MAX).unwrap_or(&text.parsed.commands);
        let reads: Vec<ContentUse> = commands.iter().map(|command| self.reads(command)).collect();
        let is_shown = commands.iter().zip(&reads).any(|(command, reads)| {
            let gets_names = matches!(command.within.last(), Some(Nesting::Wrapper(name)) if FileLists::own().hands_over(name));
            // In `… | open` the pipeline input is the file name.
            let is_piped = self.shell.is_nushell() && command.name() == Some("open");
            reads.shows && (gets_names || is_piped || !reads.paths.is_empty())
        });
        let takes =
            commands.iter().any(|command| command.name().is_some_and(|name| FileLists::own().takes(name)));
        for (command, reads) in commands.iter().zip(&reads) {
            let read = command.redirections.iter().filter(|redirection| redirection.operator == "<");
            for target in read.filter_map(|redirection| redirection.target.as_ref()) {
                self.meet_secret(target, text);
            }
            if is_shown {
                command.assignments.iter().for_each(|word| self.meet_secret(word, text));
            }
            let mut secrets =
                reads.paths.iter().filter(|word| self.secret_in(word, text).is_some()).peekable();
            if secrets.peek().is_some()
                && (reads.shows || is_shown && (takes || hands_over(command, commands, text)))
            {
                let secrets: Vec<Word> = secrets.cloned().collect();
                secrets.iter().for_each(|word| self.meet_secret(word, text));
            }
        }
        if is_shown {
            between(text, self.shell).iter().for_each(|word| self.meet_secret(word, text));
        }
    }

    /// Records secrets that a program's code names, and files that it runs.
    pub(super) fn meet_quoted(&mut self, code: &str, word: &Word) {
        if !self.meets {
            return;
        }
        let lists = FileLists::own();
        let calls = lists.calls_files(code);
        let mut pieces = code.split(['"', '\'', '`']).skip(1).take(QUOTED_MAX).peekable();
        while let Some(piece) = pieces.next() {
            // The text after the last quote is not quoted.
            if pieces.peek().is_none() || piece.contains(char::is_whitespace) {
                continue;
            }
            let place = path_class::named(piece);
            let named = Word { text: piece.to_owned(), ..word.clone() };
            if place.private {
                self.meet(Access::Read, &named, place.path);
            } else if calls
                && (piece.starts_with("./") || lists.is_script(piece))
                && !lists.holds_values(piece)
            {
                self.meet_run(&named);
            }
        }
    }

    fn meet_secret(&mut self, word: &Word, text: Text<'_>) {
        let Some((named, path)) = self.secret_in(word, text) else { return };
        let span = self.holder.as_ref().unwrap_or(&word.span);
        let is_met = self.met.iter().any(|met| met.span == *span && met.path == path);
        if !is_met && !self.changes(&named) {
            self.meet(Access::Read, &named, path);
        }
    }

    /// Returns the secret that a word names, with its path. The name may be the whole word, follow `name=` or `@`,
    /// or precede `:`.
    fn secret_in(&self, word: &Word, text: Text<'_>) -> Option<(Word, String)> {
        let settled = self.settled(word, text);
        // `-g '!x'` means all except `x`.
        if settled.text.starts_with('!') {
            return None;
        }
        let whole = settled.text.as_str();
        let tail = whole.split_once('=').map(|(_, tail)| tail);
        let head =
            whole.split_once(':').map(|(head, _)| head).filter(|head| head.starts_with(['~', '/', '$', '.']));
        tail.into_iter().chain([whole]).chain(head).find_map(|form| {
            let named = Word { text: form.trim_start_matches('@').to_owned(), ..settled.clone() };
            let place = path_class::path(&named, self.shell);
            place.private.then_some((named, place.path))
        })
    }

    /// Reports whether the word names a file that is written or removed; that is reported as such.
    fn changes(&self, word: &Word) -> bool {
        let span = self.holder.as_ref().unwrap_or(&word.span);
        self.acts.iter().any(|act| {
            act.span == *span
                && act.target == word.text
                && matches!(act.effect, Effect::WriteNew | Effect::Overwrite | Effect::Delete)
        })
    }

    fn reads(&self, command: &SimpleCommand) -> ContentUse {
        let lists = FileLists::own();
        let Some(first) = command.words.first() else {
            return ContentUse { shows: false, paths: Vec::new() };
        };
        let words: Vec<&Word> = command.words.iter().skip(1).collect();
        let is_own = self.shell.is_nushell()
            && !self.is_program(command)
            && syntax::nushell_commands().contains(&first.text);
        let names = CommandKeys::of(command.words.iter().map(|word| word.text.as_str()));
        let reveals = || {
            words.iter().any(|word| {
                let option = word.text.split('=').next().unwrap_or_default();
                lists.reveals(&names, option)
            })
        };
        let shows = if is_own { lists.opens(&first.text) } else { !lists.looks(&names) || reveals() };
        let mut paths = Vec::new();
        let mut skips = usize::from(!is_own && lists.has_pattern(&names));
        if skips > 0 {
            // With `-e a -e b` each `-e` brings a pattern.
            skips = words.iter().filter(|word| word.text == "-e").count().max(skips);
            let gives = |word: &&&Word| lists.gives_pattern(word.text.split('=').next().unwrap_or_default());
            if words.iter().filter(gives).count() > 0 {
                skips = 0;
            }
        }
        let program = names.first();
        let uses = lists.uses_keys(&names);
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", |word| word.text.as_str());
            let option = word.text.split('=').next().unwrap_or_default();
            let is_option = word.text.starts_with('-');
            if lists.chooses(program, before) || lists.expresses(program) && !is_option {
                paths.push(chosen(word, &word.text));
            } else if skips > 0 && !is_option {
                skips -= 1;
            } else if let Some((_, form)) =
                word.text.split_once('=').filter(|(option, _)| lists.chooses(program, option))
            {
                paths.push(chosen(word, form));
            } else if lists.excludes(program, before) || lists.excludes(program, option) {
                // Excluded files are not read.
            } else if !(uses
                && (WordLists::own().is_identity(before) || WordLists::own().is_identity(option)))
            {
                paths.push((*word).clone());
            }
        }
        ContentUse { shows, paths }
    }
}

/// Reports whether another command opens the files whose names this command handles.
fn hands_over(command: &SimpleCommand, commands: &[SimpleCommand], text: Text<'_>) -> bool {
    let lists = FileLists::own();
    let is_substitution =
        |nesting: &Nesting| matches!(nesting, Nesting::Substitution | Nesting::ProcessSubstitution);
    let keeps = command.name().is_some_and(|name| lists.keeps(name));
    let runs = || input_flow::inside(&command.span, text.parsed).any(|inner| is_run_by(inner, command));
    let piped = || {
        commands.iter().any(|other| {
            other.pipeline == command.pipeline
                && other.position > command.position
                && other.name().is_some_and(|name| lists.hands_over(name))
        })
    };
    command.within.iter().any(is_substitution) || keeps || runs() || piped()
}

/// Converts a quoted pattern for file names, which the program itself reads, to a shell pattern. Of a regular
/// expression only the parts that look like a name are kept.
fn chosen(word: &Word, form: &str) -> Word {
    let text = form.replace(".*", "*").replace(['\\', '^', '$'], "");
    let text = text.strip_prefix("*/").unwrap_or(&text).to_owned();
    Word { glob: text.contains(['*', '?', '[']), quoted: false, text, ..word.clone() }
}

/// Returns words that belong to no command: values that a loop iterates over, or a string at the head of a Nushell
/// pipeline.
fn between(text: Text<'_>, shell: Shell) -> Vec<Word> {
    let mut found = Vec::new();
    let mut end = 0;
    let starts = text.parsed.commands.iter().map(|command| command.span.clone());
    let last = text.line.len()..text.line.len();
    for span in starts.chain([last]) {
        if let Some(gap) = text.line.get(end..span.start) {
            let is_break = |c: char| c.is_whitespace() || ";|&(){}[],".contains(c);
            let mut start = end;
            for piece in gap.split_inclusive(is_break) {
                let part = piece.trim_end_matches(is_break);
                let span = start..start + part.len();
                start += piece.len();
                if found.len() < BETWEEN_MAX && part.contains(['/', '.', '_']) {
                    let text = part.replace(['"', '\'', '\\', '`'], "");
                    let literal = !text.contains(['~', '$']);
                    let glob = !shell.is_nushell() && text.contains(['*', '?', '[']);
                    found.push(Word { span, text, literal, quoted: false, glob });
                }
            }
        }
        end = end.max(span.end);
    }
    found
}
