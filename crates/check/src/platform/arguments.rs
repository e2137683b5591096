//! Parses the words after a command word into options with values and operands, for tools that have platform rules.
//!
//! The module has its own simple parser, because rules concern options that are not in this machine's documentation.
//! `arguments.toml` lists the letters that take a value, for all families of a tool together.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use askline_syntax::{SimpleCommand, Span};

/// Syntax of a tool's arguments.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manner {
    /// Letters that take a value, attached or as the next word.
    #[serde(default)]
    value: String,
    /// Letters that take only an attached value.
    #[serde(default)]
    optional: String,
    /// Long options, without dashes, whose value may be the next word.
    #[serde(default)]
    long: Vec<String>,
    /// `true` if options are whole names after one dash (`find`).
    #[serde(default)]
    dashed: bool,
    /// `true` if the first word may be letters without a dash, followed by their values in order (`tar`).
    #[serde(default)]
    bundle: bool,
    /// `true` if the words after the first operand belong to another command.
    #[serde(default)]
    stop: bool,
}

static MANNERS: LazyLock<HashMap<String, Manner>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("arguments.toml")).expect("arguments.toml is well-formed")
});

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
        static PLAIN: Manner = Manner {
            value: String::new(),
            optional: String::new(),
            long: Vec::new(),
            dashed: false,
            bundle: false,
            stop: false,
        };
        let mut reader = ArgumentReader {
            line,
            command,
            manner: MANNERS.get(name).unwrap_or(&PLAIN),
            next: first,
            arguments: Self::default(),
        };
        reader.read();
        reader.arguments
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

/// Reports whether the tool's options are whole names after one dash.
pub(crate) fn is_dashed(name: &str) -> bool {
    MANNERS.get(name).is_some_and(|manner| manner.dashed)
}

struct ArgumentReader<'a> {
    line: &'a str,
    command: &'a SimpleCommand,
    manner: &'a Manner,
    /// Index of the next word.
    next: usize,
    arguments: Arguments,
}

impl ArgumentReader<'_> {
    fn read(&mut self) {
        let first = self.next;
        let mut only_operands = false;
        while let Some(word) = self.command.words.get(self.next) {
            let index = self.next;
            self.next += 1;
            let text = word.text.as_str();
            let bundled = self.manner.bundle && index == first && !text.starts_with('-');
            if only_operands || (!bundled && (!text.starts_with('-') || text == "-")) {
                self.arguments.operands.push(index);
                only_operands |= self.manner.stop;
            } else if text == "--" {
                only_operands = true;
            } else if bundled {
                self.bundle(index);
            } else if text.starts_with("--") || self.manner.dashed {
                self.long(index);
            } else {
                self.cluster(index);
            }
        }
    }

    /// Returns the number of bytes at the start of a word that contain no quotes or backslashes in the source.
    fn plain_bytes(&self, index: usize) -> usize {
        let word = &self.command.words[index];
        let raw = self.line.get(word.span.clone()).unwrap_or_default();
        raw.chars().zip(word.text.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    }

    fn long(&mut self, index: usize) {
        let word = &self.command.words[index];
        let end = word.text.find('=').filter(|_| !self.manner.dashed).unwrap_or(word.text.len());
        let Some(name) = word.text.get(..end).filter(|_| end <= self.plain_bytes(index)) else { return };
        let start = word.span.start;
        let value = match word.text.get(end + 1..) {
            Some(text) => Some(Value {
                text: text.to_owned(),
                literal: word.literal,
                span: start + end + 1..word.span.end,
                word: index,
            }),
            None if self.manner.long.iter().any(|known| name.get(2..) == Some(known)) => self.take_next(),
            None => None,
        };
        let name = name.to_owned();
        self.arguments.flags.push(Flag {
            name,
            word: index,
            place: start..start + end,
            clustered: false,
            value,
        });
    }

    fn cluster(&mut self, index: usize) {
        let word = &self.command.words[index];
        let (start, plain) = (word.span.start, self.plain_bytes(index));
        for (at, letter) in word.text.char_indices().skip(1) {
            let end = at + letter.len_utf8();
            if plain < end {
                return;
            }
            let rest = word.text.get(end..).unwrap_or_default();
            let takes = self.manner.value.contains(letter);
            let attached = (takes || self.manner.optional.contains(letter)) && !rest.is_empty();
            let value = if attached {
                Some(Value {
                    text: rest.to_owned(),
                    literal: word.literal,
                    span: start + end..word.span.end,
                    word: index,
                })
            } else if takes {
                self.take_next()
            } else {
                None
            };
            self.arguments.flags.push(Flag {
                name: format!("-{letter}"),
                word: index,
                place: start + at..start + end,
                clustered: 1 < at || (!attached && !rest.is_empty()),
                value,
            });
            if attached {
                return;
            }
        }
    }

    fn bundle(&mut self, index: usize) {
        let word = &self.command.words[index];
        if self.plain_bytes(index) != word.text.len() {
            return;
        }
        let start = word.span.start;
        for (at, letter) in word.text.char_indices() {
            let value = if self.manner.value.contains(letter) { self.take_next() } else { None };
            self.arguments.flags.push(Flag {
                name: format!("-{letter}"),
                word: index,
                place: start + at..start + at + letter.len_utf8(),
                clustered: true,
                value,
            });
        }
    }

    fn take_next(&mut self) -> Option<Value> {
        let word = self.command.words.get(self.next)?;
        let index = self.next;
        self.next += 1;
        Some(Value { text: word.text.clone(), literal: word.literal, span: word.span.clone(), word: index })
    }
}
