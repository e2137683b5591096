//! Parses the words after a command word into options with values and operands, for tools that have platform rules.
//!
//! The rules concern options that are not in this machine's documentation: the table of `askline_syntax` lists the
//! options that take a value, for all families of a tool together.

use askline_syntax::options::{self, Form, Given, Part, ProgramOptions, Reader};
use askline_syntax::{SimpleCommand, Span, Word};

/// Options and operands of a command.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// Options in order.
    pub(crate) flags: Vec<Flag>,
    /// Indices of words that are neither option nor value.
    pub(crate) operands: Vec<usize>,
}

/// An option of a command.
#[derive(Debug, Clone)]
pub(crate) struct Flag {
    /// Name with dashes; a letter of a cluster gets its own dash: `-x`.
    pub(crate) name: String,
    /// Index of the word.
    pub(crate) word: usize,
    /// Span of the letter in a cluster, otherwise of the option without its value.
    pub(crate) place: Span,
    /// `true` if the word contains further letters.
    pub(crate) clustered: bool,
    /// Value, if present.
    pub(crate) value: Option<Value>,
}

/// The value of an option.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// Text without quotes.
    pub(crate) text: String,
    /// `true` if the shell expands nothing in it.
    pub(crate) literal: bool,
    /// Span, including quotes.
    pub(crate) span: Span,
    /// Index of the word.
    pub(crate) word: usize,
}

impl Arguments {
    /// Parses the words of a command as the tool `name` does, from word `first` on.
    pub(crate) fn read(line: &str, command: &SimpleCommand, name: &str, first: usize) -> Self {
        let table = ProgramOptions::named(name);
        let words = &command.words;
        let mut found = Self::default();
        let mut reader = Reader::new(words, first, Form::of(name));
        while let Some(part) = reader.next(&table) {
            match part {
                Part::End(_) => {}
                Part::Operand(index) => {
                    found.operands.push(index);
                    if options::stops(name) {
                        reader.end_options();
                    }
                }
                Part::Option(given) if is_plain(line, words, &given) => found.flags.push(flag(words, given)),
                // Quotes hide the place of the option.
                Part::Option(given) => reader.skip_to(given.word + 1),
            }
        }
        found
    }

    /// Returns the options with one of these names.
    pub(crate) fn named<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = &'a Flag> {
        self.flags.iter().filter(|flag| names.contains(&flag.name))
    }

    /// Reports whether one of these options is present.
    pub(crate) fn has(&self, names: &[String]) -> bool {
        self.named(names).next().is_some()
    }
}

/// Reports whether the source of an option contains no quotes or backslashes; of a bundle, none in the whole word.
fn is_plain(line: &str, words: &[Word], given: &Given<'_>) -> bool {
    let Some(word) = words.get(given.word) else { return false };
    let raw = line.get(word.span.clone()).unwrap_or_default();
    let end = if word.text.starts_with('-') { given.at.end } else { word.text.len() };
    word.text.get(..end).is_some_and(|text| raw.starts_with(text))
}

fn flag(words: &[Word], given: Given<'_>) -> Flag {
    let start = words.get(given.word).map_or(0, |word| word.span.start);
    let value = given.value.and_then(|value| {
        let word = words.get(value.word)?;
        let start = word.span.start + value.from;
        let text = value.text(words).to_owned();
        Some(Value { text, literal: word.literal, span: start..word.span.end, word: value.word })
    });
    Flag {
        name: given.name.into_owned(),
        word: given.word,
        place: start + given.at.start..start + given.at.end,
        clustered: given.clustered,
        value,
    }
}
