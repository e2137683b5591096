//! The words after a command word, read as options with their values and as operands, for tools that rules are about.
//!
//! A light reading of its own, because a rule is about options that this machine's documentation does not know: which
//! letters take a value is in `arguments.toml`, for all families of a tool together.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::syntax::{SimpleCommand, Span};

/// How a tool's words are read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manner {
    /// Letters that take a value, attached or as the next word.
    #[serde(default)]
    value: String,
    /// Letters that take a value only when it is attached.
    #[serde(default)]
    optional: String,
    /// Long options, without dashes, whose value may be the next word.
    #[serde(default)]
    long: Vec<String>,
    /// One dash and a whole name (`find`).
    #[serde(default)]
    dashed: bool,
    /// The first word may be letters without a dash, whose values follow in their order (`tar`).
    #[serde(default)]
    bundle: bool,
    /// What follows the first operand belongs to another command.
    #[serde(default)]
    stop: bool,
}

static MANNERS: LazyLock<HashMap<String, Manner>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("arguments.toml")).expect("arguments.toml is well-formed")
});

/// The options and operands of a command.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// In the order they stand.
    pub(crate) flags: Vec<Flag>,
    /// Indices of words that are neither option nor value.
    pub(crate) operands: Vec<usize>,
}

/// An option as it stands.
#[derive(Debug, Clone)]
pub(crate) struct Flag {
    /// With its dashes; a letter of a cluster gets one: `-x`.
    pub(crate) name: String,
    /// The index of its word.
    pub(crate) word: usize,
    /// Where it stands: the letter in a cluster, the option without its value elsewhere.
    pub(crate) place: Span,
    /// More letters stand in its word.
    pub(crate) clustered: bool,
    /// Its value, where it has one.
    pub(crate) value: Option<Value>,
}

/// An option's value as it stands.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// Without quotes.
    pub(crate) text: String,
    /// Nothing in it is expanded by the shell.
    pub(crate) literal: bool,
    /// Where it stands, with its quotes.
    pub(crate) span: Span,
    /// The index of its word.
    pub(crate) word: usize,
}

impl Arguments {
    /// Reads a command's words as the tool `name` does; the words before `first` are passed over.
    pub(crate) fn read(line: &str, command: &SimpleCommand, name: &str, first: usize) -> Self {
        static PLAIN: Manner = Manner {
            value: String::new(),
            optional: String::new(),
            long: Vec::new(),
            dashed: false,
            bundle: false,
            stop: false,
        };
        let mut reader = Reader {
            line,
            command,
            manner: MANNERS.get(name).unwrap_or(&PLAIN),
            next: first,
            arguments: Self::default(),
        };
        reader.read();
        reader.arguments
    }

    /// The options of these names.
    pub(crate) fn named<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = &'a Flag> {
        self.flags.iter().filter(|flag| names.contains(&flag.name))
    }

    /// Whether one of these options is there.
    pub(crate) fn has(&self, names: &[String]) -> bool {
        self.named(names).next().is_some()
    }
}

/// Whether the tool's options are whole names after one dash.
pub(crate) fn is_dashed(name: &str) -> bool {
    MANNERS.get(name).is_some_and(|manner| manner.dashed)
}

struct Reader<'a> {
    line: &'a str,
    command: &'a SimpleCommand,
    manner: &'a Manner,
    /// The next word.
    next: usize,
    arguments: Arguments,
}

impl Reader<'_> {
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

    /// How many bytes at the start of a word stand there as the command gets them, without quotes or backslashes.
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
