//! A command as its program parses it: its entry in the tables, options with values, and operands.

use super::effect::Effect;
use super::files::FileLists;
use super::table::{Condition, EffectEntry, EffectTable, FoundEntry, OperandSelection, Row, Target, is_like};
use super::words::WordLists;
use askline_syntax::options::{self, Form, Options, Part, ProgramOptions, Reader, Takes, Value};
use askline_syntax::shell::Shell;
use askline_syntax::{Word, program_name};

/// Maximum number of words after the command word that are searched for subcommands.
const SUBCOMMAND_WORDS_MAX: usize = 4;
/// Minimum length of an abbreviated long option, including its dashes.
const ABBREVIATION_MIN: usize = 4;

/// Subcommands after which other words may be a program with options of its own.
const RUNNING: [&str; 10] = ["run", "exec", "x", "dlx", "shell", "start", "launch", "eval", "ssh", "do"];
/// Programs that print the help of a subcommand if `help` is its last word.
const HELPED_LAST: [&str; 3] = ["aws", "awslocal", "tccli"];

/// A command with its words sorted into options and operands.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// Command word without directory, backslash or `^`.
    pub(super) name: String,
    /// The matching table entry.
    pub(super) named: Option<FoundEntry<'a>>,
    /// All words after the command word.
    words: Vec<Word>,
    /// Options with a value.
    values: ProgramOptions,
    form: Form,
    /// Index of the first word that is neither an option nor a value.
    first: Option<usize>,
    /// Number of words that may be options of the program itself: those before the script of an interpreter, its code
    /// or its module. The others are read too, but make no row silent.
    own: usize,
    /// Like `own`, but with the options of a Python module, which has rows of its own.
    reach: usize,
    flags: Vec<Flag>,
    operands: Vec<Word>,
}

/// An option as given.
#[derive(Debug)]
struct Flag {
    /// `-r`, `--force`, `-delete`.
    name: String,
    /// Index of the word.
    word: usize,
    value: Option<Word>,
}

impl Flag {
    /// Reports whether a form such as `-t=1` names the option and its value.
    fn has_value(&self, form: &str) -> bool {
        let value = self.value.as_ref().map(|word| word.text.as_str());
        form.split_once('=').is_some_and(|(name, wanted)| value == Some(wanted) && is_flag(&self.name, name))
    }
}

/// Options of a program, of which some more take a value.
struct With<'c, F>(&'c ProgramOptions, F);

impl<F: Fn(&str) -> bool> Options for With<'_, F> {
    fn takes(&self, option: &str) -> Option<Takes> {
        if self.1(option) { Some(Takes::Value) } else { self.0.takes(option) }
    }
}

impl<'a> Call<'a> {
    /// Parses the words after a command word.
    pub(super) fn read(name: &str, words: Vec<Word>, table: &'a EffectTable, shell: Shell) -> Self {
        // Nushell's two-word command names come as one.
        let name = known_name(&bare_name(name), table);
        let (name, words) = match name.split_once(' ') {
            Some((first, rest)) => (first.to_owned(), rest.split(' ').map(plain_word).chain(words).collect()),
            None => (name, words),
        };
        let rest = leading(&words, &ProgramOptions::of_all(&name));
        let named = table.find(&name, &rest, shell);
        let subcommands = named.map_or(0, |named| named.words);
        let level = rest.get(..subcommands).unwrap_or_default();
        let values = ProgramOptions::of(&name, level);
        let form = named.and_then(|named| named.program.style).unwrap_or_else(|| Form::of(&name));
        let (own, reach) = (words.len(), words.len());
        let (flags, operands) = (Vec::new(), Vec::new());
        let mut call = Self { name, named, words, values, form, first: None, own, reach, flags, operands };
        call.sort(subcommands);
        call
    }

    /// Sorts the words into options and operands, without the words of the subcommand.
    fn sort(&mut self, mut subcommands: usize) {
        let family = self.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        // `python manage.py` has an entry for the script.
        let leads = subcommands == 0 && FileLists::own().leads(family);
        let mut reader = Reader::new(&self.words, 0, self.form).with_signs();
        while let Some(part) = reader.next(&self.values) {
            if let Part::Operand(at) = part {
                self.first.get_or_insert(at);
            }
            match part {
                Part::End(_) => {}
                Part::Operand(_) if subcommands > 0 => subcommands -= 1,
                Part::Operand(at) => {
                    self.operands.extend(self.words.get(at).cloned());
                    if leads && self.own == self.words.len() {
                        (self.own, self.reach) = (at, at);
                    }
                }
                Part::Option(given) => {
                    let value = given.value.and_then(|value| part_of(&self.words, value));
                    let name = given.name.into_owned();
                    if leads && self.own == self.words.len() && options::ends(family, &name) {
                        self.own = given.word + 1;
                        match value {
                            Some(_) => self.reach = self.own,
                            None => reader.skip_to(self.own),
                        }
                    }
                    self.flags.push(Flag { name, word: given.word, value });
                }
            }
        }
    }

    /// Returns the values of options, also of those that the table does not list as options with a value.
    pub(super) fn given(&self, is_one: impl Fn(&str) -> bool) -> Vec<Word> {
        let options = With(&self.values, &is_one);
        let mut reader = Reader::new(&self.words, 0, self.form).with_signs();
        let mut found = Vec::new();
        while let Some(part) = reader.next(&options) {
            let Part::Option(given) = part else { continue };
            if is_one(&given.name) {
                found.extend(given.value.and_then(|value| part_of(&self.words, value)));
            } else if given.value.is_none()
                && let Some((option, value)) = given.name.split_at_checked(2)
                // `gcc -odir/x`: an option of a whole word, unless the word looks like one.
                && is_one(option)
                && value.contains(['/', '.'])
            {
                found.extend(self.words.get(given.word).map(|word| tail(word, value)));
            }
        }
        found
    }

    /// Returns the matching table entry.
    pub(super) fn program(&self) -> Option<&'a EffectEntry> {
        self.named.map(|named| named.program)
    }

    /// Returns all words after the command word.
    pub(super) fn words(&self) -> &[Word] {
        &self.words
    }

    /// Returns the words that are neither options nor their values nor the subcommand.
    pub(super) fn operands(&self) -> &[Word] {
        &self.operands
    }

    /// Reports whether a row of the entry runs the value of an option.
    pub(super) fn runs_value(&self, option: &str) -> bool {
        let rows = self.program().map(|program| program.rows.as_slice()).unwrap_or_default();
        rows.iter().filter(|row| matches!(row.does, Effect::ExecArg)).any(|row| match &row.to {
            Target::Options(options) => options.alternatives.iter().any(|form| form == option),
            _ => false,
        })
    }

    /// Returns the first word that is neither an option nor a value, unless an option before it has one of these
    /// letters.
    pub(super) fn script(&self, letters: &[char]) -> Option<&Word> {
        let first = self.first?;
        let mut options = self.flags.iter().filter(|flag| flag.word < first);
        if options.any(|flag| flag.name.contains(letters)) { None } else { self.words.get(first) }
    }

    /// Reports whether one of the condition's alternatives is among the words.
    pub(super) fn has(&self, condition: &Condition) -> bool {
        condition.alternatives.iter().any(|form| self.has_one(form))
    }

    /// Reports whether an option is among the words. The words after an interpreter's script are the script's.
    pub(super) fn has_option(&self, form: &str) -> bool {
        self.has_within(form, self.own)
    }

    /// Reports whether the command only prints its usage. `--help` after operands counts only if the program does not
    /// run other code (`runs` is false).
    pub(super) fn asks_for_help(&self, runs: bool, table: &EffectTable) -> bool {
        let is_plain = |word: &Word| {
            word.literal
                && word
                    .text
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        let is_last = self.words.last().is_some_and(|word| word.text == "--help")
            && !self.words.iter().any(|word| word.text == "--");
        if self.asks_shortly(runs, table) {
            return true;
        }
        let is_asked = is_last
            && !runs
            && self.operands.len() <= SUBCOMMAND_WORDS_MAX
            && self.operands.iter().all(is_plain);
        let is_helped = HELPED_LAST.contains(&self.name.as_str())
            && self.words.last().is_some_and(|word| word.text == "help")
            && self.words.len() <= SUBCOMMAND_WORDS_MAX
            && self.words.iter().all(is_plain);
        is_asked
            || is_helped
            || self.operands.is_empty() && (self.has_one("--help") || self.has_one("--version"))
    }

    /// Reports whether the only option is a final `-h` or `-V`, which no row mentions, and all words before it are
    /// subcommands.
    fn asks_shortly(&self, runs: bool, table: &EffectTable) -> bool {
        let Some((last, before)) = self.words.split_last().filter(|(last, _)| last.literal) else {
            return false;
        };
        if before.is_empty() && self.is_question(&last.text) {
            return true;
        }
        let is_subcommand = |(at, word): (usize, &Word)| {
            self.named.is_some_and(|named| at < named.words) || table.names(&self.name, &word.text)
        };
        // `bash -h` starts a shell, `shutdown -h` halts the machine.
        let means_else = FileLists::own().leads(&self.name) || WordLists::own().halts(&self.name);
        !means_else
            && (before.is_empty() || !runs)
            && matches!(last.text.as_str(), "-h" | "-V" | "-?" | "/?" | "/help" | "/version")
            && !table.knows_option(&self.name, &last.text)
            && !ProgramOptions::of_all(&self.name).lists(&last.text)
            && before.len() <= SUBCOMMAND_WORDS_MAX
            && before.iter().all(|word| word.literal && !word.text.starts_with(['-', '+']))
            && (before.iter().enumerate().all(is_subcommand) || self.leads_to_subcommands(before, table))
    }

    /// Reports whether words are subcommands, though the tables know only some of them: they are plain, and none but the last
    /// runs a program or changes what the next one names.
    fn leads_to_subcommands(&self, words: &[Word], table: &EffectTable) -> bool {
        let own = WordLists::own();
        let is_plain = |word: &Word| word.text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let takes_names = |word: &Word| {
            let word = word.text.as_str();
            RUNNING.contains(&word) || own.verb(word).is_some() || own.changes(word)
        };
        let above = words.split_last().map_or(words, |(_, above)| above);
        let runs = own.runs_tasks(&self.name) || askline_syntax::runs_words(&self.name);
        !runs
            && table.has_subcommands(&self.name)
            && words.iter().all(is_plain)
            && !above.iter().any(takes_names)
    }

    /// Reports whether a word alone only asks for help or the version: `--help-all`, `-version`, `-v` of some programs.
    fn is_question(&self, word: &str) -> bool {
        let is_shell = Shell::of_interpreter(&self.name).is_some();
        match word {
            "-v" => WordLists::own().tells_version(&self.name),
            "-version" | "-help" => !is_shell,
            _ => word.starts_with("--help-") || word.starts_with("--version-"),
        }
    }

    /// Reports whether an unknown program is asked for its help or version and nothing else.
    pub(super) fn only_asks_for_help(&self) -> bool {
        let is_plain = |word: &Word| {
            word.literal && word.text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        };
        let asks = |word: &str| {
            matches!(word, "--help" | "--version" | "-h" | "-V" | "-help" | "-version" | "help" | "version")
                || word.starts_with("--help-")
        };
        let Some((last, before)) = self.words.split_last().filter(|(_, before)| before.iter().all(is_plain))
        else {
            return false;
        };
        let is_last = last.literal && asks(&last.text) && (last.text.starts_with('-') || before.is_empty());
        let asks_first = self.words.first().is_some_and(|word| word.text == "help");
        (is_last || asks_first)
            && before.len() <= SUBCOMMAND_WORDS_MAX
            && before.iter().all(|word| !word.text.starts_with('-'))
            && (is_last || is_plain(last) && !last.text.starts_with('-'))
    }

    /// Reports whether an `unless` condition of a row holds. A word counts only in the position of a subcommand: up to
    /// the operand after the first one that matches `when`, or among the first four operands.
    pub(super) fn has_instead(&self, row: &Row) -> bool {
        let Row { unless, when, ahead, .. } = row;
        let forms = || when.iter().flat_map(|condition| &condition.alternatives);
        let speaks = |word: &Word| forms().any(|form| !form.starts_with('-') && is_like(&word.text, form));
        let end = self.operands.iter().position(speaks).map_or(4, |at| at + 2);
        let is_meant = |word: &Word| forms().any(|form| is_like(&word.text, form));
        let before = self.words.iter().position(is_meant).filter(|_| *ahead).unwrap_or(self.words.len());
        let silences = |form: &String| {
            let is_word = !form.starts_with(['-', '+']) && !form.contains('*') && !form.contains('=');
            if is_word {
                self.operands.iter().take(end).any(|word| word.text == *form)
            } else if form.starts_with(['-', '+']) && !form.contains('*') {
                self.has_within(form, self.reach.min(before))
            } else if form.contains('*') {
                self.words.iter().take(before).any(|word| is_like(&word.text, form))
            } else {
                self.has_one(form)
            }
        };
        unless.iter().flat_map(|condition| &condition.alternatives).any(silences)
    }

    /// Reports whether a form of an option or a word is among the words.
    fn has_one(&self, form: &str) -> bool {
        if form.contains('*') {
            return self.words.iter().any(|word| is_like(&word.text, form));
        }
        if form.starts_with(['-', '+']) {
            return self.has_within(form, self.words.len());
        }
        self.operands.iter().any(|word| word.text == form)
    }

    fn has_within(&self, form: &str, words: usize) -> bool {
        let is_given = |flag: &Flag| is_flag(&flag.name, form) || flag.has_value(form);
        let given = || self.words.iter().take(words);
        // `--mode=all` also as two words, whether or not the option is listed as one with a value.
        let in_two = |(name, wanted): (&str, &str)| {
            given().zip(given().skip(1)).any(|(word, next)| word.text == name && next.text == wanted)
        };
        self.flags.iter().any(|flag| flag.word < words && is_given(flag))
            || given().any(|word| word.text == form)
            || form.starts_with('-') && form.split_once('=').is_some_and(in_two)
    }

    /// Returns the words that a target selects; an option value or the tail of a word becomes a word of its own.
    pub(super) fn targets(&self, target: &Target) -> Vec<Word> {
        let operands = self.operands.as_slice();
        let last = operands.len().saturating_sub(1);
        let some = match target {
            Target::Scope(_) | Target::Stdin => &[],
            Target::Operands(OperandSelection::All) => operands,
            Target::Operands(OperandSelection::First) => operands.get(..1).unwrap_or_default(),
            Target::Operands(OperandSelection::Second) => operands.get(1..2).unwrap_or_default(),
            Target::Operands(OperandSelection::Last) => operands.get(last..).unwrap_or_default(),
            Target::Operands(OperandSelection::ButFirst) => operands.get(1..).unwrap_or_default(),
            Target::Operands(OperandSelection::ButLast) => operands.get(..last).unwrap_or_default(),
            Target::Options(condition) => return self.values(condition),
        };
        some.to_vec()
    }

    /// Returns the values of options, and the tails of words with a given prefix (`of=`).
    fn values(&self, condition: &Condition) -> Vec<Word> {
        let mut found = Vec::new();
        for form in &condition.alternatives {
            if form.starts_with('-') {
                let flags = self.flags.iter().filter(|flag| is_flag(&flag.name, form));
                found.extend(
                    flags.filter_map(|flag| flag.value.clone().or_else(|| self.abbreviated(flag, form))),
                );
                if form.chars().count() > 2 && !form.starts_with("--") {
                    found.extend(self.after(form));
                }
            } else {
                let attached = self.flags.iter().filter_map(|flag| flag.value.as_ref());
                let is_attached = |word: &&Word| !self.words.iter().any(|own| own.text == word.text);
                let attached = attached.filter(is_attached);
                found.extend(attached.filter_map(|word| Some(tail(word, behind(&word.text, form)?))));
                let tails = self.words.iter().filter_map(|word| Some(tail(word, behind(&word.text, form)?)));
                found.extend(tails);
            }
        }
        found
    }

    /// Returns the word after an option that abbreviates one with a value: `--compress-prog x`. It may be an operand as well.
    fn abbreviated(&self, flag: &Flag, form: &str) -> Option<Word> {
        let takes_value = flag.name != form && self.values.takes(form) == Some(Takes::Value);
        if takes_value { self.words.get(flag.word + 1).cloned() } else { None }
    }

    /// Returns the word after a word such as `-exec` if the entry does not list it as an option with a value.
    fn after(&self, form: &str) -> Option<Word> {
        let has_value = |flag: &Flag| flag.name == form && flag.value.is_some();
        if self.flags.iter().any(has_value) {
            return None;
        }
        let at = self.words.iter().position(|word| word.text == form)?;
        self.words.get(at + 1).cloned()
    }
}

/// Reports whether other words after a subcommand may be a program with options of its own.
pub(super) fn is_running(subcommand: &str) -> bool {
    RUNNING.contains(&subcommand)
}

/// Returns the end of a text behind a beginning, in which `*` stands for any text: `target.*.runner=`.
fn behind<'t>(text: &'t str, form: &str) -> Option<&'t str> {
    match form.split_once('*') {
        Some((start, end)) => Some(text.strip_prefix(start)?.split_once(end)?.1),
        None => text.strip_prefix(form),
    }
}

/// Reports whether the given option matches `form`; long options may be abbreviated.
fn is_flag(given: &str, form: &str) -> bool {
    // `--export` is a separate option, not an abbreviation of `--export-secret-keys`.
    let missing = form.strip_prefix(given).filter(|missing| !missing.starts_with('-'));
    let may_be_short = form.starts_with("--") && !form.contains('=') && given.len() >= ABBREVIATION_MIN;
    given == form || may_be_short && missing.is_some()
}

/// Returns the first words that are neither options nor their values, up to the first word that is not literal.
fn leading<'a>(words: &'a [Word], values: &ProgramOptions) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.text.starts_with(['-', '+']) && word.text.len() > 1 {
            if values.takes(&word.text) == Some(Takes::Value) {
                words.next();
            }
        } else if word.literal && found.len() < SUBCOMMAND_WORDS_MAX {
            found.push(word.text.as_str());
        } else {
            break;
        }
    }
    found
}

/// Returns the value of an option as a word of its own.
fn part_of(words: &[Word], value: Value) -> Option<Word> {
    words.get(value.word).map(|word| tail(word, value.text(words)))
}

/// Returns a literal word without a span.
fn plain_word(text: &str) -> Word {
    Word { span: 0..0, text: text.to_owned(), literal: true, quoted: false, glob: false }
}

/// Returns the end of a word as a word of its own.
fn tail(word: &Word, text: &str) -> Word {
    Word { text: text.to_owned(), ..word.clone() }
}

/// Returns a command word without its directory and without a leading `^` or `=`.
fn bare_name(word: &str) -> String {
    let name = word.strip_prefix('^').unwrap_or(word);
    let name = name.strip_prefix('=').filter(|name| !name.is_empty()).unwrap_or(name);
    program_name(name).to_owned()
}

/// Returns the name by which the tables know a program: `gnurm` is `rm`, `llvm-gcc` is `clang`.
fn known_name(name: &str, table: &EffectTable) -> String {
    if let Some(alias) = WordLists::own().alias(name) {
        return alias.to_owned();
    }
    let gnu = name.strip_prefix("gnu").filter(|rest| !table.knows(name) && table.knows(rest));
    gnu.unwrap_or(name).to_owned()
}
