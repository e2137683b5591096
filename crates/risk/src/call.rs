//! A command as its program parses it: its entry in the tables, options with values, and operands.

use super::table::{
    Condition, EffectEntry, EffectTable, FoundEntry, OperandSelection, OptionSyntax, Target, is_like,
};
use askline_syntax::Word;
use askline_syntax::shell::Shell;

/// Maximum number of words after the command word that are searched for subcommands.
const MAX_SUBCOMMAND_WORDS: usize = 4;
/// Minimum length of an abbreviated long option, including its dashes.
const MIN_ABBREVIATION: usize = 4;

/// A command with its words sorted into options and operands.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// Command word without directory, backslash or `^`.
    pub(super) name: String,
    /// The matching table entry.
    pub(super) named: Option<FoundEntry<'a>>,
    /// All words after the command word.
    words: Vec<Word>,
    flags: Vec<Flag>,
    operands: Vec<Word>,
}

/// An option as given.
#[derive(Debug)]
struct Flag {
    /// `-r`, `--force`, `-delete`.
    name: String,
    value: Option<Word>,
}

impl<'a> Call<'a> {
    /// Parses the words after a command word.
    pub(super) fn read(name: &str, words: Vec<Word>, table: &'a EffectTable, shell: Shell) -> Self {
        // Nushell's two-word command names come as one.
        let name = bare_name(name);
        let (name, words) = match name.split_once(' ') {
            Some((first, rest)) => (first.to_owned(), rest.split(' ').map(plain_word).chain(words).collect()),
            None => (name, words),
        };
        let rest = leading(&words, &table.values(&name, None));
        let named = table.find(&name, &rest, shell);
        let level = rest.get(..named.map_or(0, |named| named.words)).unwrap_or_default();
        let values = table.values(&name, Some(level));
        let style = named.and_then(|named| named.program.style).unwrap_or_default();
        let mut call = Self { name, named, words: Vec::new(), flags: Vec::new(), operands: Vec::new() };
        call.sort(&words, style, &values, named.map_or(0, |named| named.words));
        call.words = words;
        call
    }

    fn sort(&mut self, words: &[Word], style: OptionSyntax, values: &[&str], mut subcommands: usize) {
        let takes = |name: &str| values.contains(&name);
        let mut words = words.iter();
        let mut ended = false;
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            let is_option = !ended && text.len() > 1 && text.starts_with(['-', '+']) && !is_number(text);
            if !is_option {
                let is_bundle = style == OptionSyntax::Bundle && self.operands.is_empty() && subcommands == 0;
                if subcommands > 0 {
                    subcommands -= 1;
                } else if is_bundle && self.flags.is_empty() {
                    self.letters(&format!("-{text}"), word, takes, &mut words);
                } else {
                    self.operands.push(word.clone());
                }
            } else if text == "--" {
                ended = true;
            } else if let Some((name, value)) =
                text.split_once('=').filter(|_| text.starts_with("--") || style == OptionSyntax::Words)
            {
                self.flags.push(Flag { name: name.to_owned(), value: Some(tail(word, value)) });
            } else if text.starts_with("--") || style == OptionSyntax::Words || text.starts_with('+') {
                let value = takes(text).then(|| words.next()).flatten().cloned();
                self.flags.push(Flag { name: text.to_owned(), value });
            } else if takes(text) && text.chars().count() > 2 {
                let value = words.next().cloned();
                self.flags.push(Flag { name: text.to_owned(), value });
            } else {
                self.letters(text, word, takes, &mut words);
            }
        }
    }

    /// Parses short options: `-rf`, `-ovalue`, `-o value`.
    fn letters<'w>(
        &mut self,
        text: &str,
        word: &Word,
        takes: impl Fn(&str) -> bool,
        words: &mut impl Iterator<Item = &'w Word>,
    ) {
        let mut letters = text.chars();
        letters.next();
        while let Some(letter) = letters.next() {
            let name = format!("-{letter}");
            if takes(&name) {
                let attached = letters.as_str();
                let value =
                    if attached.is_empty() { words.next().cloned() } else { Some(tail(word, attached)) };
                self.flags.push(Flag { name, value });
                return;
            }
            self.flags.push(Flag { name, value: None });
        }
    }

    /// Returns the matching table entry.
    pub(super) fn program(&self) -> Option<&'a EffectEntry> {
        self.named.map(|named| named.program)
    }

    /// Returns the words that are neither options nor their values nor the subcommand.
    pub(super) fn operands(&self) -> &[Word] {
        &self.operands
    }

    /// Reports whether one of the condition's alternatives is among the words.
    pub(super) fn has(&self, condition: &Condition) -> bool {
        condition.alternatives.iter().any(|form| self.has_one(form))
    }

    /// Reports whether the command only prints its usage. `--help` after operands counts only if the program does not
    /// run other code (`runs` is false).
    pub(super) fn asks_for_help(&self, runs: bool) -> bool {
        let is_plain = |word: &Word| {
            word.literal
                && word
                    .text
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        let is_last = self.words.last().is_some_and(|word| word.text == "--help")
            && !self.words.iter().any(|word| word.text == "--");
        let is_asked = is_last
            && !runs
            && self.operands.len() <= MAX_SUBCOMMAND_WORDS
            && self.operands.iter().all(is_plain);
        is_asked || self.operands.is_empty() && (self.has_one("--help") || self.has_one("--version"))
    }

    /// Reports whether an `unless` condition of a row holds. A word counts only in the position of a subcommand: up to
    /// the operand after the first one that matches `when`, or among the first four operands.
    pub(super) fn has_instead(&self, unless: &[Condition], when: &[Condition]) -> bool {
        let forms = || when.iter().flat_map(|condition| &condition.alternatives);
        let speaks = |word: &Word| forms().any(|form| !form.starts_with('-') && is_like(&word.text, form));
        let end = self.operands.iter().position(speaks).map_or(4, |at| at + 2);
        let silences = |form: &String| {
            let is_word = !form.starts_with(['-', '+']) && !form.contains('*') && !form.contains('=');
            if is_word {
                self.operands.iter().take(end).any(|word| word.text == *form)
            } else {
                self.has_one(form)
            }
        };
        unless.iter().flat_map(|condition| &condition.alternatives).any(silences)
    }

    /// Reports whether a form of an option or a word is among the words.
    pub(super) fn has_one(&self, form: &str) -> bool {
        if form.contains('*') {
            return self.words.iter().any(|word| is_like(&word.text, form));
        }
        if form.starts_with('-') || form.starts_with('+') {
            return self.flags.iter().any(|flag| is_flag(&flag.name, form))
                || self.words.iter().any(|word| word.text == form);
        }
        self.operands.iter().any(|word| word.text == form)
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
                found.extend(flags.filter_map(|flag| flag.value.clone()));
                if form.chars().count() > 2 && !form.starts_with("--") {
                    found.extend(self.after(form));
                }
            } else {
                let attached = self.flags.iter().filter_map(|flag| flag.value.as_ref());
                let is_attached = |word: &&Word| !self.words.iter().any(|own| own.text == word.text);
                let attached = attached.filter(is_attached);
                found.extend(
                    attached.filter_map(|word| Some(tail(word, word.text.strip_prefix(form.as_str())?))),
                );
                let tails = self
                    .words
                    .iter()
                    .filter_map(|word| Some(tail(word, word.text.strip_prefix(form.as_str())?)));
                found.extend(tails);
            }
        }
        found
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

/// Reports whether the given option matches `form`; long options may be abbreviated.
fn is_flag(given: &str, form: &str) -> bool {
    // `--export` is a separate option, not an abbreviation of `--export-secret-keys`.
    let missing = form.strip_prefix(given).filter(|missing| !missing.starts_with('-'));
    given == form || form.starts_with("--") && given.len() >= MIN_ABBREVIATION && missing.is_some()
}

/// Returns the first words that are neither options nor their values, up to the first word that is not literal.
fn leading<'a>(words: &'a [Word], values: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.text.starts_with(['-', '+']) && word.text.len() > 1 {
            if values.contains(&word.text.as_str()) {
                words.next();
            }
        } else if word.literal && found.len() < MAX_SUBCOMMAND_WORDS {
            found.push(word.text.as_str());
        } else {
            break;
        }
    }
    found
}

/// Returns a literal word without a span.
fn plain_word(text: &str) -> Word {
    Word { span: 0..0, text: text.to_owned(), literal: true, quoted: false, glob: false }
}

/// Returns the end of a word as a word of its own.
fn tail(word: &Word, text: &str) -> Word {
    Word { text: text.to_owned(), ..word.clone() }
}

/// Reports whether a word such as `-1`, `-9` or `+5` is a count or a signal rather than an option.
fn is_number(text: &str) -> bool {
    text.get(1..).is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns a command word without its directory and without a leading `^` or `=`.
fn bare_name(word: &str) -> String {
    let name = word.strip_prefix('^').unwrap_or(word);
    let name = name.strip_prefix('=').filter(|name| !name.is_empty()).unwrap_or(name);
    name.rsplit('/').next().unwrap_or(name).to_owned()
}
