//! Commands in words that no row reads: the value of an option, an environment variable, text in the language of a
//! program, or the words after a program that may run them. They count only if they do serious harm.

use super::{Here, LineReader, Text};
use crate::call::Call;
use crate::effect::{Effect, Label, Scope};
use crate::path_class;
use crate::weigh::{Act, Circumstances};
use crate::words::WordLists;
use askline_syntax::shell::Shell;
use askline_syntax::{SimpleCommand, Word, program_name};

/// Maximum number of words of a command that are searched.
const WORDS_MAX: usize = 200;
/// Maximum number of places in a word at which a command may begin.
const STARTS_MAX: usize = 24;
/// Maximum number of these at which a command is read; the first is the whole word.
const TRIED_MAX: usize = 6;
/// Maximum length of a word that is searched, in bytes.
const BYTES_MAX: usize = 4096;

/// Ways to write the Enter key in the text of a key binding.
const ENTER: [&str; 6] = ["\\C-m", "\\C-j", "\\r", "\\n", "^M", "^J"];
/// Words after which a program takes a command line.
const RUNNING: [&str; 8] = ["exec", "run", "--", "-e", "-x", "shell", "do", "--command"];

/// Subcommands that run a command, also of programs whose other words are text.
const EXECUTING: [&str; 2] = ["exec", "execute"];

impl LineReader<'_> {
    /// Adds the effects of commands that are hidden in the words of a command, if they do serious harm.
    pub(super) fn hidden(&mut self, call: &Call<'_>, here: Here<'_>) {
        let lists = WordLists::own();
        let second = here.command.words.get(1).map_or("", |word| word.text.as_str());
        let prints = lists.prints(&call.name) || lists.prints(&format!("{} {second}", call.name));
        if prints && !EXECUTING.contains(&second) {
            return;
        }
        let words = here.command.words.get(1..).unwrap_or_default();
        let before = std::iter::once(None).chain(words.iter().map(Some));
        for (word, before) in words.iter().zip(before).take(WORDS_MAX) {
            let is_text = before
                .is_some_and(|before| lists.is_text_option(&before.text) && !call.runs_value(&before.text));
            if word.literal && !is_text && self.hidden_in(&word.text, word) {
                return;
            }
        }
        self.escapes(call, here);
        self.hidden_tail(call, here);
        self.discards(call, here);
    }

    /// Adds the effects of commands in the input of a program that knows a way to run them: `!rm a` in ftp.
    fn escapes(&mut self, call: &Call<'_>, here: Here<'_>) {
        if !WordLists::own().has_escapes(&call.name) || Shell::of_interpreter(&call.name).is_some() {
            return;
        }
        let Here { command, text, word, .. } = here;
        let piped = || self.upstream(command, text).filter(|_| command.position > 0);
        let given = command.words.iter().skip(1).filter(|word| word.text.starts_with("<("));
        let made: Vec<String> = given.filter_map(|word| self.made(word, text)).collect();
        let inputs = self.own_input(command, text).or_else(piped).into_iter().chain(made);
        for input in inputs.collect::<Vec<_>>() {
            for line in input.lines().take(WORDS_MAX) {
                let line = line.trim_start_matches([':', '\\', '.']);
                if self.hidden_in(line.strip_prefix("sy ").unwrap_or(line), word) {
                    return;
                }
            }
        }
    }

    /// Adds the effect of a command that moves to where all is lost, or copies from where nothing is.
    fn discards(&mut self, call: &Call<'_>, here: Here<'_>) {
        let is_null = |word: &Word| path_class::path(word, self.shell).path == "/dev/null";
        let Some((last, sources)) = call.operands().split_last() else { return };
        let manner = Circumstances { tree: true, forced: true, ..Circumstances::default() };
        if call.name == "mv" && is_null(last) {
            for source in sources {
                let place = self.class(source, here.command);
                self.place(Effect::Delete, &place, source, manner, None);
            }
        } else if matches!(call.name.as_str(), "cp" | "install") && sources.first().is_some_and(is_null) {
            let place = self.class(last, here.command);
            self.place(Effect::Overwrite, &place, last, Circumstances { tree: false, ..manner }, None);
        }
    }

    /// Adds the effect of a command in a text, if it does serious harm, and reports whether there is one.
    pub(super) fn hidden_in(&mut self, text: &str, word: &Word) -> bool {
        if text.len() > BYTES_MAX || !text.contains(char::is_whitespace) {
            return false;
        }
        let scripts = fragments(text).take(STARTS_MAX).map(without_enter);
        let mut scripts = scripts.filter(|script| begins_harm(script)).take(TRIED_MAX);
        let harm = scripts.find_map(|script| self.harm(script));
        let Some(harm) = harm else { return false };
        self.found(harm, word);
        true
    }

    /// Reads the words from the name of a destructive program or of a shell on as a command line.
    fn hidden_tail(&mut self, call: &Call<'_>, here: Here<'_>) {
        let words = here.command.words.as_slice();
        let is_start = |(at, word): &(usize, &Word)| {
            let name = program_name(&word.text);
            let next = words.get(at + 1).map_or("", |next| next.text.as_str());
            let is_shell = Shell::of_interpreter(name).is_some() && next.starts_with('-');
            let follows =
                words.get(at.wrapping_sub(1)).is_some_and(|before| RUNNING.contains(&before.text.as_str()));
            let is_destroyer =
                WordLists::own().deletes(name) && (follows || !self.table.names(&call.name, name));
            word.literal && !word.quoted && (is_shell || is_destroyer)
        };
        let start = words.iter().enumerate().skip(1).take(WORDS_MAX).find(is_start).map(|(_, word)| word);
        if WordLists::own().takes_names(&call.name) {
            return;
        }
        if let (Some(first), Some(last)) = (start, words.last())
            && let Some(script) = here.text.line.get(first.span.start..last.span.end)
            && let Some(harm) = self.harm(script)
        {
            self.found(harm, first);
        }
    }

    /// Returns the worst effect of a script if it is serious; the script counts as not run otherwise.
    pub(super) fn harm(&self, script: &str) -> Option<Act> {
        let shell = if self.shell.is_nushell() { Shell::SH } else { self.shell };
        self.trial(script, shell).into_iter().find(is_serious)
    }

    pub(super) fn found(&mut self, harm: Act, word: &Word) {
        let span = self.holder.clone().unwrap_or_else(|| word.span.clone());
        self.acts.push(Act { span, ..harm });
    }

    /// Adds the effects of text that a command evaluates: substitutions in it run.
    pub(super) fn evaluated(&mut self, text: &str, word: &Word) {
        if (text.contains("$(") || text.contains('`'))
            && !self.shell.is_fish()
            && !self.shell.is_nushell()
            && let Some(harm) = self.harm(&format!("echo {text}"))
        {
            self.found(harm, word);
        }
    }

    /// Reads text that `print -P` expands as a prompt.
    pub(super) fn prompts(&mut self, command: &SimpleCommand, text: Text<'_>) {
        let is_prompt = |word: &Word| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('P')
        };
        if command.name() != Some("print") || !command.words.iter().any(is_prompt) {
            return;
        }
        for word in command.words.iter().skip(1).take(WORDS_MAX) {
            if let Some(value) = self.value(word, text) {
                self.evaluated(&value, word);
            }
        }
    }
}

/// Reports whether an effect does serious harm that is known: unread code is no finding.
fn is_serious(act: &Act) -> bool {
    let is_unread = matches!(act.effect, Effect::ExecData | Effect::ExecArg) && act.scope != Scope::Remote;
    act.label == Label::Dangerous && !is_unread
}

/// Returns the parts of a text at which a command may begin: all of it, and after a quote, a bracket or one of `=!|,;:`.
fn fragments(text: &str) -> impl Iterator<Item = &str> {
    let opens = text.char_indices().filter(|(_, c)| "'\"`{(!|=,;:".contains(*c));
    let inner = opens.filter_map(move |(at, open)| {
        let rest = text.get(at + open.len_utf8()..)?;
        let close = match open {
            '{' => '}',
            '(' => ')',
            '\'' | '"' | '`' => open,
            _ => return Some(rest),
        };
        Some(rest.split(close).next().unwrap_or(rest))
    });
    std::iter::once(text).chain(inner)
}

/// Returns a text without the signs of the Enter key at its end, which run it: `bind '"\C-l":"rm -rf ~\C-m"'`.
fn without_enter(text: &str) -> &str {
    ENTER.iter().find_map(|key| text.trim_end_matches(['"', '\'']).strip_suffix(key)).unwrap_or(text)
}

/// Reports whether a text begins with the name of a program that can do harm, and has more words.
fn begins_harm(script: &str) -> bool {
    let mut words = script.split_whitespace().skip_while(|word| WordLists::own().is_prefix(word));
    let first = words.next().map(|word| program_name(word.trim_start_matches(['@', '^', '\\'])));
    first.is_some_and(|name| WordLists::own().harms(name)) && words.next().is_some()
}
