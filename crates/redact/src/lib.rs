#![doc = include_str!("../README.md")]

mod entropy;
mod header;
mod kept;
mod key_block;
mod lead;
mod manifest;
mod name;
mod option;
mod phrase;
mod placeholder;
mod public;
mod settle;
#[cfg(test)]
mod tests;
mod value;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

pub use kept::Kept;

use lead::Leads;
use option::Options;
use placeholder::Placeholders;

/// Minimum length of a secret that is searched for in the whole text, not only where it was recognised, in bytes.
const REPEATED_BYTES_MIN: usize = 8;
/// Minimum length of a word with a token in it, and of one without digits, in bytes.
const TOKEN_BYTES_MIN: usize = 12;
const WORDY_TOKEN_BYTES_MIN: usize = 18;

/// Patterns for secrets and placeholders.
///
/// Each is compiled when a text first needs it; keep the value as long as requests may come.
pub struct Redactor {
    tokens: LateRegex,
    leads: Leads,
    options: Options,
    placeholders: Placeholders,
}

impl Redactor {
    /// Reads all built-in patterns.
    pub fn new() -> Self {
        let file: TokenFile =
            toml::from_str(include_str!("tokens.toml")).expect("tokens.toml is well-formed");
        let each: Vec<&str> = file.tokens.iter().map(|token| token.regex.as_str()).collect();
        Self {
            tokens: LateRegex::new(each.join("|")),
            leads: Leads::own(),
            options: Options::own(),
            placeholders: Placeholders::new(),
        }
    }

    /// Returns the text with every secret replaced by its placeholder, and adds the secrets to `kept`.
    ///
    /// A secret recognised by the text around it is replaced wherever else it occurs as a word in this text. From four
    /// bytes on it is also replaced in later texts with the same `kept`, even inside words, but not in earlier ones:
    /// pass the text with the most hints first. Time grows with the length of the text, times the number of secrets
    /// declared by the caller or found in earlier texts. Placeholders of `kept` stay as they are.
    pub fn redact(&self, text: &str, kept: &mut Kept) -> String {
        self.reserve(text, kept);
        let found = self.found(text, kept);
        let repeated = repeated(text, &found, kept);
        let spans = settle::settled(text, found.into_iter().chain(repeated).collect());
        let mut redacted = String::with_capacity(text.len());
        let mut end = 0;
        for span in spans {
            redacted.push_str(text.get(end..span.start).unwrap_or_default());
            let secret = text.get(span.clone()).unwrap_or_default();
            redacted.push_str(&placeholder::named(kept.number(secret)));
            end = span.end;
        }
        redacted.push_str(text.get(end..).unwrap_or_default());
        redacted
    }

    /// Returns a text of others with what looks like a placeholder written with `-`: no secret is restored for it.
    pub fn disarm(&self, text: &str) -> String {
        self.placeholders.disarmed(text)
    }

    /// Keeps the numbers of the placeholders in a text from new secrets: they stand for others.
    pub fn reserve(&self, text: &str, kept: &mut Kept) {
        self.placeholders.numbers(text).for_each(|number| kept.reserve(number));
    }

    /// Returns the text with placeholders replaced by their secrets.
    ///
    /// A placeholder is recognised in any letter case, also if a model treats it as a variable (`$…`, `${…}`) or as a
    /// blank to fill in (`<…>`). Quotes around it stay unless the secret brings its own. A placeholder is never part of
    /// a longer word, except directly after a one-letter option (`-p…`). Numbers that were not assigned stay as they
    /// are.
    pub fn restore(&self, text: &str, kept: &Kept) -> String {
        self.placeholders.restored(text, kept)
    }

    /// Returns the spans of secrets, in any order; they may overlap.
    fn found(&self, text: &str, kept: &Kept) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let mut found: Vec<Range<usize>> = Vec::new();
        for known in kept.known() {
            found.extend(memmem::find_iter(bytes, known).map(|at| at..at + known.len()));
        }
        // A match inside the name of a placeholder is not a secret.
        let ours = self.placeholders.given_out(text, kept);
        for earlier in kept.earlier() {
            let places = memmem::find_iter(bytes, earlier).map(|at| at..at + earlier.len());
            found.extend(places.filter(|place| !covers(&ours, place)));
        }
        found.extend(key_block::blocks(text));
        found.extend(manifest::values(text));
        found.extend(phrase::seeds(text));
        let mut random = entropy::runs(text);
        random.extend(entropy::encoded(text));
        if text.split_whitespace().any(may_hold_token) {
            random.extend(self.tokens.get().find_iter(bytes).map(|token| token.range()));
        }
        let public = key_block::public(text);
        found.extend(random.into_iter().filter(|span| !covers(&public, span)));
        self.leads.find(text, &mut found);
        self.options.find(text, self.leads.values(), &mut found);
        found.retain(|span| !self.placeholders.is_one(text.get(span.clone()).unwrap_or_default(), kept));
        found
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

/// Content of `tokens.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFile {
    tokens: Vec<Token>,
}

#[derive(Deserialize)]
#[cfg_attr(not(test), expect(dead_code, reason = "names and examples are for people and for the tests"))]
#[serde(deny_unknown_fields)]
struct Token {
    name: String,
    regex: String,
    like: String,
    unlike: String,
}

/// Returns the words of the text that equal secrets found elsewhere, in this text or an earlier one.
fn repeated(text: &str, found: &[Range<usize>], kept: &Kept) -> Vec<Range<usize>> {
    let current: HashSet<&str> = found
        .iter()
        .filter_map(|span| text.get(span.clone()))
        .filter(|secret| REPEATED_BYTES_MIN <= secret.len() && value::is_odd(secret))
        .collect();
    if current.is_empty() && kept.is_empty() {
        return Vec::new();
    }
    let is_kept = |word: &str| {
        current.contains(word) || (REPEATED_BYTES_MIN <= word.len() && value::is_odd(word) && kept.has(word))
    };
    let cuts: [fn(char) -> bool; 3] = [
        char::is_whitespace,
        |c| c.is_whitespace() || "'\"`=:@;|&<>(),".contains(c),
        |c| !(c.is_alphanumeric() || c == '_'),
    ];
    let words = cuts.iter().flat_map(|cut| text.split(*cut));
    words.filter(|word| is_kept(word)).map(|word| place_in(text, word)).collect()
}

/// Reports whether one of these spans, which are in order and do not overlap, covers another span.
fn covers(spans: &[Range<usize>], span: &Range<usize>) -> bool {
    let at = spans.partition_point(|covering| covering.end < span.end);
    spans.get(at).is_some_and(|covering| covering.start <= span.start)
}

/// Returns the byte range of a slice of the text.
fn place_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

/// Reports whether a word is long and odd enough to hold a token. Most requests have none, which saves the compilation.
fn may_hold_token(word: &str) -> bool {
    TOKEN_BYTES_MIN <= word.len()
        && (WORDY_TOKEN_BYTES_MIN <= word.len() || word.contains(|c: char| c.is_ascii_digit()))
}

/// Regular expression that is compiled when a text first needs it.
struct LateRegex {
    pattern: String,
    regex: OnceLock<Regex>,
}

impl LateRegex {
    fn new(pattern: String) -> Self {
        Self { pattern, regex: OnceLock::new() }
    }

    fn get(&self) -> &Regex {
        self.regex.get_or_init(|| compiled(&self.pattern))
    }
}

/// Compiles a regular expression over bytes in which `\w`, `\d` and `(?i)` mean ASCII.
fn compiled(regex: &str) -> Regex {
    RegexBuilder::new(regex).unicode(false).build().expect("our own expressions are well-formed")
}
