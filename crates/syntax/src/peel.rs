//! Extraction of the commands that wrapper commands run (`sudo`, `xargs`, `find -exec`, `sh -c '…'`). The wrappers
//! are listed in `wrappers.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::options::{Form, Options, Part, ProgramOptions, Reader, Takes};
use super::parser::{COMMANDS_MAX, Parser};
use super::word::assignment_prefix;
use super::{Nesting, Parsed, SimpleCommand, Word, program_name};
use crate::shell::Shell;

/// Maximum depth of nested wrappers (`sudo nice xargs …`) and of nested scripts (`sh -c "sh -c '…'"`).
const LAYERS_MAX: usize = 6;
/// Maximum number of script bytes parsed for one command line, all layers together.
const SCRIPT_BYTES_MAX: usize = 2 << 20;

/// A wrapper: a command that runs another one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapper {
    /// Names: a command, or a command and its subcommands.
    names: Vec<String>,
    #[serde(default)]
    runs: Runs,
    /// Options whose value is a shell script.
    #[serde(default)]
    scripts: Vec<String>,
    /// Options with which the wrapper runs nothing.
    #[serde(default)]
    idle: Vec<String>,
    /// Number of the wrapper's own operands before the command.
    #[serde(default)]
    operands: usize,
    /// `true` if `NAME=value` may precede the command.
    #[serde(default)]
    assignments: bool,
    /// Words that start a command, such as `find`'s `-exec`.
    #[serde(default)]
    openers: Vec<String>,
    /// Words that end the command.
    #[serde(default)]
    until: Vec<String>,
    /// Shell that reads the scripts; bash also replaces the system's own shell (`sh`).
    #[serde(default)]
    dialect: Dialect,
    /// `true` if the command runs on another machine or in a container: this machine's programs and manuals do not
    /// describe it.
    #[serde(default)]
    elsewhere: bool,
}

/// Meaning of the words after the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Runs {
    /// A command and its arguments.
    #[default]
    Command,
    /// A script that spans all the words.
    Script,
    /// A script in each word.
    Scripts,
    /// A script in the first word, something else after it.
    FirstScript,
    /// No command: only option values contain scripts, and options end at the first other word.
    Nothing,
    /// No command: only option values contain scripts, and options may come anywhere.
    Options,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Dialect {
    /// The shell of the command line.
    Own,
    #[serde(untagged)]
    Of(Shell),
}

impl Default for Dialect {
    fn default() -> Self {
        Self::Of(Shell::SH)
    }
}

#[derive(Deserialize)]
struct WrapperTable {
    wrapper: Vec<Wrapper>,
}

/// The words of a wrapper's name after the first, and the wrapper.
type Named = (Vec<String>, &'static Wrapper);

/// Wrappers by first word; the longest names first.
static WRAPPERS: LazyLock<HashMap<String, Vec<Named>>> = LazyLock::new(|| {
    static TABLE: LazyLock<WrapperTable> = LazyLock::new(|| {
        toml::from_str(include_str!("wrappers.toml")).unwrap_or_else(|error| panic!("wrappers.toml: {error}"))
    });
    let mut wrappers: HashMap<String, Vec<Named>> = HashMap::new();
    for wrapper in &TABLE.wrapper {
        for name in &wrapper.names {
            let mut words = name.split(' ').map(str::to_owned);
            let first = words.next().unwrap_or_default();
            wrappers.entry(first).or_default().push((words.collect(), wrapper));
        }
    }
    for named in wrappers.values_mut() {
        named.sort_by_key(|(rest, _)| usize::MAX - rest.len());
    }
    wrappers
});

/// Reports whether this wrapper runs its command on another machine or in a container.
pub(super) fn elsewhere(name: &str) -> bool {
    let mut words = name.split(' ');
    let named = words.next().and_then(|first| WRAPPERS.get(first));
    let rest: Vec<&str> = words.collect();
    named.is_some_and(|named| named.iter().any(|(words, wrapper)| *words == rest && wrapper.elsewhere))
}

/// Reports whether this wrapper runs the words after its options, so that words added at the end become arguments of the
/// inner command.
pub(super) fn runs_words(name: &str) -> bool {
    let mut words = name.split(' ');
    let named = words.next().and_then(|first| WRAPPERS.get(first));
    let rest: Vec<&str> = words.collect();
    let adds = |wrapper: &Wrapper| {
        wrapper.openers.is_empty() && matches!(wrapper.runs, Runs::Command | Runs::Script)
    };
    named.is_some_and(|named| named.iter().any(|(words, wrapper)| *words == rest && adds(wrapper)))
}

/// Adds the commands that wrappers run; see [`super::commands`].
pub(super) fn peel(parsed: Parsed, line: &str, shell: Shell) -> Parsed {
    let mut budget = SCRIPT_BYTES_MAX;
    peel_layer(parsed, line, shell, LAYERS_MAX, &mut budget)
}

fn peel_layer(parsed: Parsed, line: &str, shell: Shell, layers: usize, budget: &mut usize) -> Parsed {
    let pipelines = parsed.commands.iter().map(|command| command.pipeline + 1).max().unwrap_or(0);
    let found = Parsed { commands: Vec::new(), ..parsed };
    let mut peeling = Peeling { line, shell, layers, budget, pipelines, found };
    for command in parsed.commands {
        peeling.add(command, layers);
    }
    let mut found = peeling.found;
    found.commands.sort_by_key(|command| (command.span.start, usize::MAX - command.span.end));
    found.errors.sort_by_key(|error| error.span.start);
    found
}

struct Peeling<'a> {
    line: &'a str,
    shell: Shell,
    layers: usize,
    budget: &'a mut usize,
    pipelines: usize,
    found: Parsed,
}

/// A shell script: a range of a command's words; the script starts at byte `offset` of the first word's text.
struct Script {
    words: std::ops::Range<usize>,
    offset: usize,
}

impl Peeling<'_> {
    fn add(&mut self, mut command: SimpleCommand, layers: usize) {
        if self.found.commands.len() >= COMMANDS_MAX {
            return;
        }
        let Some((name, own, wrapper)) = wrapper_of(&command).filter(|_| layers > 0) else {
            self.found.commands.push(command);
            return;
        };
        let options = WrapperOptions { wrapper, values: ProgramOptions::named(&name) };
        let mut runs = wrapper.read(&command.words, own, &options);
        if wrapper.assignments {
            runs.extend_script(command.words.len());
        }
        let mut within = command.within.clone();
        within.push(Nesting::Wrapper(name));
        for script in &runs.scripts {
            self.add_script(&command.words, script, wrapper, &within);
        }
        let mut inner = Vec::new();
        for range in &runs.commands {
            let words = command.words.get(range.clone()).unwrap_or_default();
            if let (Some(first), Some(last)) = (words.first(), words.last()) {
                inner.push(SimpleCommand {
                    span: first.span.start..last.span.end,
                    assignments: Vec::new(),
                    words: words.to_vec(),
                    redirections: Vec::new(),
                    pipeline: command.pipeline,
                    position: command.position,
                    within: within.clone(),
                    external: false,
                });
            }
        }
        // The words of the inner command are removed from the wrapper. A script stays as one word.
        let mut taken = runs.commands.iter().peekable();
        let mut at = 0;
        command.words.retain(|_| {
            while taken.next_if(|range| range.end <= at).is_some() {}
            at += 1;
            !taken.peek().is_some_and(|range| range.contains(&(at - 1)))
        });
        self.found.commands.push(command);
        for command in inner {
            self.add(command, layers - 1);
        }
    }

    fn add_script(&mut self, words: &[Word], script: &Script, wrapper: &Wrapper, within: &[Nesting]) {
        let words = words.get(script.words.clone()).unwrap_or_default();
        // The output of a substitution is unknown, and its own commands are already in the list.
        let substituted =
            |word: &Word| !word.literal && (word.text.contains("$(") || word.text.contains(['`', '(']));
        let bytes: usize = words.iter().map(|word| word.text.len() + 1).sum();
        if self.layers == 0 || words.iter().any(substituted) || bytes > *self.budget {
            return;
        }
        *self.budget -= bytes;
        let mut text = String::with_capacity(bytes);
        let mut map = Vec::with_capacity(bytes);
        for (index, word) in words.iter().enumerate() {
            let skipped = if index == 0 { script.offset } else { 0 };
            text.push_str(word.text.get(skipped..).unwrap_or_default());
            map.extend(self.places(word).into_iter().skip(skipped));
            // The end offset of one word serves as the offset of the blank before the next.
            if index + 1 < words.len() {
                text.push(' ');
            }
        }
        let dialect = match wrapper.dialect {
            Dialect::Own => self.shell,
            Dialect::Of(shell) => shell,
        };
        let parsed = super::parse(&text, dialect);
        let mut parsed = peel_layer(parsed, &text, dialect, self.layers - 1, self.budget);
        parsed.translate(&map);
        let first = self.pipelines;
        for mut command in parsed.commands {
            self.pipelines = self.pipelines.max(first + command.pipeline + 1);
            command.pipeline += first;
            command.within.splice(0..0, within.iter().cloned());
            if self.found.commands.len() < COMMANDS_MAX {
                self.found.commands.push(command);
            }
        }
        if !wrapper.elsewhere {
            self.found.errors.append(&mut parsed.errors);
        }
    }

    /// Returns the command-line offset of each byte of a word's text, and the end offset of the last one.
    fn places(&self, word: &Word) -> Vec<usize> {
        if !self.shell.is_nushell() {
            let places = Parser::new(self.line, self.shell).word_map(word.span.start);
            if places.len() == word.text.len() + 1 {
                return places;
            }
        }
        let raw = self.line.get(word.span.clone()).unwrap_or_default();
        if let Some(offset) = raw.find(&word.text) {
            let start = word.span.start + offset;
            return (start..=start + word.text.len()).collect();
        }
        let mut places = vec![word.span.start; word.text.len()];
        places.push(word.span.end);
        places
    }
}

/// Returns the scripts of shells among the words of a script: in `parallel bash -c 'rm {}'` the word after `-c`. Some
/// wrappers pass it on as it is, others as separate words.
fn inner_scripts(words: &[Word], range: std::ops::Range<usize>) -> impl Iterator<Item = Script> {
    let is_script = move |at: &usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", |word| word.text.as_str());
        let is_option = before.starts_with('-') && before.ends_with('c') && !before.starts_with("--");
        is_option && words.get(*at).is_some_and(|word| word.text.contains(char::is_whitespace))
    };
    range.skip(1).filter(is_script).map(|at| Script { words: at..at + 1, offset: 0 })
}

/// Returns the name of the command's wrapper, the number of words in that name, and the wrapper.
fn wrapper_of(command: &SimpleCommand) -> Option<(String, usize, &'static Wrapper)> {
    let path = command.name()?;
    let first = program_name(path);
    WRAPPERS.get(first)?.iter().find_map(|(rest, wrapper)| {
        let level: Vec<&str> = rest.iter().map(String::as_str).collect();
        let above = ProgramOptions::above(first, &level);
        let mut reader = Reader::new(&command.words, 1, Form::Getopt);
        let mut own = 1;
        for name in rest {
            // Options may precede a subcommand.
            own = std::iter::from_fn(|| reader.next(&above)).find_map(|part| match part {
                Part::Operand(at) => Some(at + 1),
                Part::Option(_) | Part::End(_) => None,
            })?;
            command.words.get(own - 1).filter(|word| word.literal && word.text == *name)?;
        }
        let name =
            std::iter::once(first).chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        Some((name, own, *wrapper))
    })
}

/// The commands and scripts of a wrapper, as ranges of its words in order.
#[derive(Default)]
struct Found {
    commands: Vec<std::ops::Range<usize>>,
    scripts: Vec<Script>,
}

impl Found {
    /// Adds the words up to `end` to the last script: `env -S 'rm -r' a` runs `rm -r a`.
    fn extend_script(&mut self, end: usize) {
        if let Some(script) = self.scripts.last_mut() {
            script.words.end = end;
        }
    }
}

/// The options of a wrapper.
struct WrapperOptions<'a> {
    wrapper: &'a Wrapper,
    values: ProgramOptions,
}

impl Options for WrapperOptions<'_> {
    fn takes(&self, option: &str) -> Option<Takes> {
        let listed = |list: &[String]| list.iter().any(|name| name == option);
        match () {
            // `sh -c -e SCRIPT`: more options may precede the script.
            // The script of `env -S'rm a'` may be in the same word.
            () if listed(&self.wrapper.scripts) && self.wrapper.assignments => Some(Takes::Value),
            () if listed(&self.wrapper.idle) || listed(&self.wrapper.scripts) => Some(Takes::Nothing),
            () => self.values.takes(option),
        }
    }
}

impl Wrapper {
    /// Reads the wrapper's words from index `at`, the first after its name.
    fn read(&self, words: &[Word], at: usize, options: &WrapperOptions<'_>) -> Found {
        let mut found = Found::default();
        if !self.openers.is_empty() {
            self.read_clauses(words, at, &mut found);
            return found;
        }
        let mut reader = Reader::new(words, at, Form::Getopt);
        let mut operands = self.operands;
        let mut ended = false;
        let mut script_next = false;
        let mut tail = words.len();
        while let Some(part) = reader.next(options) {
            let at = match part {
                Part::End(_) => {
                    ended = true;
                    continue;
                }
                Part::Option(given) if self.idle.iter().any(|name| *name == given.name) => {
                    return Found::default();
                }
                Part::Option(given) => {
                    if self.scripts.iter().any(|name| *name == given.name) {
                        let mut last = given.word;
                        match given.value {
                            Some(value) => {
                                let words = value.word..value.word + 1;
                                found.scripts.push(Script { words, offset: value.from });
                                last = value.word;
                            }
                            None => script_next = true,
                        }
                        reader.skip_to(last + 1);
                    }
                    continue;
                }
                Part::Operand(at) => at,
            };
            let text = words.get(at).map_or("", |word| word.text.as_str());
            if !ended && text == "-" {
            } else if script_next {
                found.scripts.push(Script { words: at..at + 1, offset: 0 });
                script_next = false;
            } else if self.assignments && assignment_prefix(text, Shell::SH).is_some() {
            } else if operands > 0 {
                operands -= 1;
            } else if self.runs != Runs::Options {
                tail = at;
                break;
            }
        }
        if tail >= words.len() || !found.scripts.is_empty() && self.runs != Runs::Scripts {
            return found;
        }
        let rest = words.get(tail..).unwrap_or_default();
        let stop = tail + rest.iter().take_while(|word| !self.until.contains(&word.text)).count();
        match self.runs {
            Runs::Command if stop > tail => found.commands.push(tail..stop),
            Runs::Script if stop > tail => {
                found.scripts.push(Script { words: tail..stop, offset: 0 });
                found.scripts.extend(inner_scripts(words, tail..stop));
            }
            // `parallel ::: 'ls' 'pwd'`: without a command each word is one.
            Runs::Script => {
                let words = rest.iter().enumerate().filter(|(_, word)| !self.until.contains(&word.text));
                found
                    .scripts
                    .extend(words.map(|(at, _)| Script { words: tail + at..tail + at + 1, offset: 0 }));
            }
            Runs::FirstScript if stop > tail + 1 => {
                found.scripts.push(Script { words: tail..tail + 1, offset: 0 });
            }
            Runs::Scripts => {
                reader.skip_to(tail);
                while let Some(part) = reader.next(options) {
                    if let Part::Operand(at) = part {
                        found.scripts.push(Script { words: at..at + 1, offset: 0 });
                    }
                }
            }
            _ => {}
        }
        found
    }

    fn read_clauses(&self, words: &[Word], mut at: usize, found: &mut Found) {
        while let Some(word) = words.get(at) {
            at += 1;
            if !self.openers.contains(&word.text) {
                continue;
            }
            let start = at;
            while let Some(word) = words.get(at) {
                // `+` ends a command only after `{}`.
                let ends = word.text != "+" || words.get(at - 1).is_some_and(|before| before.text == "{}");
                if self.until.contains(&word.text) && ends {
                    break;
                }
                at += 1;
            }
            if at > start {
                found.commands.push(start..at);
            }
        }
    }
}
