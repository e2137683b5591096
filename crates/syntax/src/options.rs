//! Splits the words of a command into options, option values and operands. Which options take a value, the caller says,
//! from the manuals or from the table of [`ProgramOptions`].

mod program_options;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

pub use self::program_options::ProgramOptions;
use crate::Word;

/// Value of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// No value.
    Nothing,
    /// The rest of the word or, if that is empty, the next word.
    Value,
    /// The rest of the word only.
    Attached,
    /// Not documented: the rest of the word, unless all its letters are options. Or, with `next`, the next word, unless
    /// it looks like an option.
    Unclear {
        /// `true` if the value may be the next word.
        next: bool,
    },
}

/// The options of a command.
pub trait Options {
    /// Returns the value of an option, given with its dashes (`-o`, `--output`, `-name`). `None` if the option is
    /// unknown; it is then read as an option without a value.
    fn takes(&self, option: &str) -> Option<Takes>;
}

/// Form of a tool's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `-rf` means `-r -f`; long options are `--long`.
    #[default]
    Getopt,
    /// Each option is a whole word after one dash (`find -name`).
    Words,
    /// Like `Getopt`, and the first word may be letters without a dash, whose values are the next words in order
    /// (`tar xzf a.tgz`).
    Bundle,
}

/// Contents of `shapes.toml`: names of tools with unusual option forms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shapes {
    bundle: BTreeSet<String>,
    bare_bundle: BTreeSet<String>,
    dashed: BTreeSet<String>,
    stop: BTreeSet<String>,
    last: BTreeMap<String, BTreeSet<String>>,
}

static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    toml::from_str(include_str!("shapes.toml")).unwrap_or_else(|error| panic!("shapes.toml: {error}"))
});

impl Form {
    /// Returns the form of a tool's options.
    pub fn of(name: &str) -> Self {
        match name {
            _ if SHAPES.bundle.contains(name) || SHAPES.bare_bundle.contains(name) => Self::Bundle,
            _ if SHAPES.dashed.contains(name) => Self::Words,
            _ => Self::Getopt,
        }
    }
}

/// Reports whether the letters of the tool's bundle are options that its manual lists: `x` of `tar xf`, but not `t` of
/// `ar t`.
pub fn documents_bundle(name: &str) -> bool {
    SHAPES.bundle.contains(name)
}

/// Reports whether the tool's options end at its first operand; `name` may include subcommands: `docker run`.
pub fn stops(name: &str) -> bool {
    SHAPES.stop.contains(name)
}

/// Reports whether all words after the option, or after its value, belong to another program.
pub fn ends(name: &str, option: &str) -> bool {
    SHAPES.last.get(name).is_some_and(|options| options.contains(option))
}

/// A part of a command after its command word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<'w> {
    /// An option, with its value if it has one.
    Option(Given<'w>),
    /// The index of a word that is neither an option nor a value.
    Operand(usize),
    /// The index of the word `--`, which ends the options.
    End(usize),
}

/// An option as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given<'w> {
    /// Name with dashes; a letter of a cluster gets its own dash: `-x`.
    pub name: Cow<'w, str>,
    /// Index of the word.
    pub word: usize,
    /// Bytes of the word's text: the letter without a dash, or the whole name.
    pub at: Range<usize>,
    /// `true` if the word contains further letters.
    pub clustered: bool,
    /// The value, if present.
    pub value: Option<Value>,
}

/// The value of an option: the text of a word from a byte offset on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// Index of the word.
    pub word: usize,
    /// Byte offset in the word's text; 0 if the value is the whole word.
    pub from: usize,
}

impl Value {
    /// Returns the text of the value.
    pub fn text(self, words: &[Word]) -> &str {
        words.get(self.word).and_then(|word| word.text.get(self.from..)).unwrap_or_default()
    }
}

/// Reader of the words of a command.
#[derive(Debug, Clone)]
pub struct Reader<'w> {
    words: &'w [Word],
    first: usize,
    next: usize,
    form: Form,
    signs: bool,
    cuts: bool,
    ended: bool,
    /// The word whose letters are being read, and the offset of the next letter.
    letters: Option<(usize, usize)>,
}

impl<'w> Reader<'w> {
    /// Creates a reader of `words` from index `first` on, the first after the command and its subcommands.
    pub fn new(words: &'w [Word], first: usize, form: Form) -> Self {
        Self { words, first, next: first, form, signs: false, cuts: false, ended: false, letters: None }
    }

    /// Reads `+x` as an option, and `-5` and `+5` as operands.
    pub fn with_signs(mut self) -> Self {
        self.signs = true;
        self
    }

    /// Reads a word up to the first expansion in it. The rest is the value of its last option, if that takes one.
    pub fn up_to_expansions(mut self) -> Self {
        self.cuts = true;
        self
    }

    /// Returns the next part; `None` after the last word.
    pub fn next(&mut self, options: &dyn Options) -> Option<Part<'w>> {
        if let Some((index, at)) = self.letters.take() {
            return self.letter(index, at, options);
        }
        let word = self.words.get(self.next)?;
        let text = self.text(word);
        let index = self.next;
        self.next += 1;
        if self.form == Form::Bundle && index == self.first && !self.ended && is_bundle(text) {
            return self.letter(index, 0, options);
        }
        if self.ended || !self.is_option(text) {
            return Some(Part::Operand(index));
        }
        if word.text == "--" {
            self.ended = true;
            return Some(Part::End(index));
        }
        match self.whole(word, options) {
            Some(end) => Some(self.named(index, word, end, options)),
            None => self.letter(index, 1, options),
        }
    }

    /// Reports whether letters of the word of the last option are left to read.
    pub fn is_within_word(&self) -> bool {
        self.letters.is_some()
    }

    /// Continues at a word, whatever was read of this one: a caller skips words that belong to another program, or
    /// returns to a word that is no value.
    pub fn skip_to(&mut self, word: usize) {
        self.letters = None;
        self.next = word;
    }

    /// Reads all further words as operands.
    pub fn end_options(&mut self) {
        self.ended = true;
    }

    fn is_option(&self, text: &str) -> bool {
        let is_number =
            |text: &str| text.get(1..).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        text.len() > 1
            && (text.starts_with('-') || self.signs && text.starts_with('+'))
            && !(self.signs && is_number(text))
    }

    /// Returns the part of a word's text that is read.
    fn text(&self, word: &'w Word) -> &'w str {
        if self.cuts { word.beginning() } else { &word.text }
    }

    /// Returns the length of the name if the word is one option and not a cluster of letters.
    fn whole(&self, word: &'w Word, options: &dyn Options) -> Option<usize> {
        let text = self.text(word);
        let end = text.find('=').unwrap_or(text.len());
        if text.starts_with("--") || self.form == Form::Words {
            return Some(end);
        }
        // A documented name among options of one letter: `-iname`.
        let is_known = |name: &str| name.chars().count() > 2 && options.takes(name).is_some();
        match text {
            _ if text.starts_with('+') || is_known(&word.text) => Some(text.len()),
            _ if end < text.len() && text.get(..end).is_some_and(is_known) => Some(end),
            _ => None,
        }
    }

    fn named(&mut self, index: usize, word: &'w Word, end: usize, options: &dyn Options) -> Part<'w> {
        let (name, rest) = word.text.split_at_checked(end).unwrap_or((&word.text, ""));
        let value = match rest {
            "" => self.next_value(options.takes(name)),
            _ => Some(Value { word: index, from: end + usize::from(rest.starts_with('=')) }),
        };
        Part::Option(Given { name: Cow::Borrowed(name), word: index, at: 0..end, clustered: false, value })
    }

    fn letter(&mut self, index: usize, at: usize, options: &dyn Options) -> Option<Part<'w>> {
        let word = self.words.get(index)?;
        let text = self.text(word);
        let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            return self.next(options);
        };
        let end = at + letter.len_utf8();
        let name = format!("-{letter}");
        let takes = options.takes(&name);
        let is_bundle = self.form == Form::Bundle && index == self.first && !text.starts_with('-');
        let has_more = end < word.text.len();
        let value = match takes {
            Some(Takes::Unclear { .. }) if is_bundle => None,
            _ if is_bundle || !has_more => self.next_value(takes),
            Some(Takes::Unclear { .. }) if all_known(text.get(end..), options) => None,
            None | Some(Takes::Nothing) => None,
            Some(_) => Some(Value { word: index, from: end }),
        };
        let is_attached = value.is_some_and(|value| value.word == index);
        if has_more && !is_attached {
            self.letters = Some((index, end));
        }
        Some(Part::Option(Given {
            name: Cow::Owned(name),
            word: index,
            at: at..end,
            clustered: is_bundle || at > 1 || has_more && !is_attached,
            value,
        }))
    }

    /// Takes the next word as the value of an option, if it is.
    fn next_value(&mut self, takes: Option<Takes>) -> Option<Value> {
        let word = self.words.get(self.next)?;
        let is_value = match takes? {
            Takes::Value => true,
            Takes::Unclear { next } => next && !self.is_option(&word.text),
            Takes::Nothing | Takes::Attached => false,
        };
        is_value.then(|| {
            self.next += 1;
            Value { word: self.next - 1, from: 0 }
        })
    }
}

/// Reports whether each letter is an option.
fn all_known(letters: Option<&str>, options: &dyn Options) -> bool {
    letters.unwrap_or_default().chars().all(|letter| options.takes(&format!("-{letter}")).is_some())
}

/// Reports whether the first word of a tool with bundles is one.
fn is_bundle(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(['-', '+'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::Shell;

    /// Options as text: `-o=` takes a value, `-i?` only an attached one, `-v` none; `-u~` is unclear.
    struct Table(&'static [&'static str]);

    impl Options for Table {
        fn takes(&self, option: &str) -> Option<Takes> {
            self.0.iter().find_map(|known| match known.strip_prefix(option)? {
                "" => Some(Takes::Nothing),
                "=" => Some(Takes::Value),
                "?" => Some(Takes::Attached),
                "~" => Some(Takes::Unclear { next: true }),
                _ => None,
            })
        }
    }

    const OPTIONS: Table = Table(&[
        "-o=", "-n=", "-f=", "-C=", "-i?", "-v", "-z", "-x", "--out=", "--all", "-name=", "-source=", "-u~",
        "--un~",
    ]);

    /// Reads a command and writes its parts: `-o:value`, `operand`, and `|` for `--`.
    fn parts(line: &str, form: Form, change: impl Fn(Reader<'_>) -> Reader<'_>) -> String {
        let parsed = crate::parse(line, Shell::Bash);
        let words = &parsed.commands[0].words;
        let mut reader = change(Reader::new(words, 1, form));
        let mut found = Vec::new();
        while let Some(part) = reader.next(&OPTIONS) {
            found.push(match part {
                Part::Operand(word) => words[word].text.clone(),
                Part::End(_) => String::from("|"),
                Part::Option(given) => {
                    let value = given.value.map(|value| format!(":{}", value.text(words)));
                    format!("{}{}", given.name, value.unwrap_or_default())
                }
            });
        }
        found.join(" ")
    }

    #[test]
    fn letters_and_long_options_are_read_with_their_values() {
        for (line, expected) in [
            ("t -vz a", "-v -z a"),
            ("t -vo out a", "-v -o:out a"),
            ("t -voout a", "-v -o:out a"),
            ("t -o", "-o"),
            ("t -o -v", "-o:-v"),
            ("t -o -- -v", "-o:-- -v"),
            ("t -o=x a", "-o:=x a"),
            ("t --out x --out=y --out= --all z", "--out:x --out:y --out: --all z"),
            ("t a -v -- -z b", "a -v | -z b"),
            ("t - -v", "- -v"),
            ("t -i.bak f", "-i:.bak f"),
            ("t -i f", "-i f"),
            ("t -vq f", "-v -q f"),
            ("t -5 +5 +x", "-5 +5 +x"),
            ("t -source 8 -source=9 -v", "-source:8 -source:9 -v"),
            ("t -é a", "-é a"),
            ("t", ""),
        ] {
            assert_eq!(parts(line, Form::Getopt, |reader| reader), expected, "{line}");
        }
    }

    #[test]
    fn what_is_not_documented_is_guessed_from_the_words() {
        for (line, expected) in [
            ("t -u a -u -v", "-u:a -u -v"),
            ("t -vu a -uvz a -uvq a", "-v -u:a -u -v -z a -u:vq a"),
            ("t --un a --un --all --un=a", "--un:a --un --all --un:a"),
            ("t -u", "-u"),
        ] {
            assert_eq!(parts(line, Form::Getopt, |reader| reader), expected, "{line}");
        }
    }

    #[test]
    fn words_are_read_up_to_expansions() {
        for (line, expected) in [
            ("t -vo$x a", "-v -o:$x a"),
            ("t -v$x -o*", "-v -o:*"),
            ("t -vu$x a -u$x", "-v -u a -u"),
            ("t --out$x --out=$x --$x", "--out:$x --out:$x --:$x"),
            ("t $x -$x -name$x -name=$x a", "$x -$x -n:ame$x -name:$x a"),
        ] {
            assert_eq!(parts(line, Form::Getopt, |reader| reader.up_to_expansions()), expected, "{line}");
        }
    }

    #[test]
    fn whole_words_are_options_of_tools_like_find() {
        for (line, expected) in [
            ("find . -name x -print", ". -name:x -print"),
            ("find . -vz", ". -vz"),
            ("xclip -name=x", "-name:x"),
        ] {
            assert_eq!(parts(line, Form::Words, |reader| reader), expected, "{line}");
        }
    }

    #[test]
    fn values_of_a_bundle_are_the_next_words_in_order() {
        for (line, expected) in [
            ("tar xzf a.tgz b", "-x -z -f:a.tgz b"),
            ("tar xCf / a.tar", "-x -C:/ -f:a.tar"),
            ("tar fz", "-f -z"),
            ("tar -xf a.tar zv", "-x -f:a.tar zv"),
            ("tar xf a -C / b", "-x -f:a -C:/ b"),
            ("tar '' x", " x"),
        ] {
            assert_eq!(parts(line, Form::Bundle, |reader| reader), expected, "{line}");
        }
    }

    #[test]
    fn signs_make_options_and_numbers_operands() {
        for (line, expected) in
            [("date +%F", "+%F"), ("kill -9 1", "-9 1"), ("t +o x +5 -5x", "+o x +5 -5 -x")]
        {
            let given = parts(line, Form::Getopt, |reader| reader.with_signs());
            assert_eq!(given, expected, "{line}");
        }
    }

    #[test]
    fn a_caller_ends_the_options_and_skips_words() {
        let parsed = crate::parse("t -vo x -z y -v", Shell::Bash);
        let words = &parsed.commands[0].words;
        let mut reader = Reader::new(words, 1, Form::Getopt);
        reader.next(&OPTIONS);
        reader.skip_to(2);
        assert_eq!(reader.next(&OPTIONS), Some(Part::Operand(2)));
        reader.end_options();
        assert_eq!(reader.next(&OPTIONS), Some(Part::Operand(3)));
        reader.skip_to(6);
        assert_eq!(reader.next(&OPTIONS), None);
    }

    #[test]
    fn places_are_bytes_of_the_word() {
        let parsed = crate::parse("t -vo=x --out=y -v", Shell::Bash);
        let mut reader = Reader::new(&parsed.commands[0].words, 1, Form::Getopt);
        let mut places = Vec::new();
        while let Some(Part::Option(given)) = reader.next(&OPTIONS) {
            places.push((given.at, given.clustered, given.value.map(|value| value.from)));
        }
        let expected =
            [(1..2, true, None), (2..3, true, Some(3)), (0..5, false, Some(6)), (1..2, false, None)];
        assert_eq!(places, expected);
    }

    #[test]
    fn shapes_are_read() {
        assert_eq!(
            (Form::of("tar"), Form::of("find"), Form::of("ls")),
            (Form::Bundle, Form::Words, Form::Getopt)
        );
        assert!(documents_bundle("tar") && !documents_bundle("ar") && Form::of("ar") == Form::Bundle);
        assert!(stops("docker run") && !stops("docker ps"));
        assert!(ends("bash", "-c") && !ends("bash", "-x"));
    }
}
