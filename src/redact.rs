//! What nobody else may read, taken out of a text before it leaves the machine, and put back into what returns.
//!
//! Pure. A secret is known by its own form (`redact/tokens.toml`), by what stands before it (`redact/leads.toml`), by looking
//! like nothing but chance (`entropy`), by being a private key or a value of a Kubernetes Secret, or because the caller knows it ([`Kept::know`]). A
//! placeholder takes its place, the same for the same secret within one [`Kept`], which lives as long as one request.
//!
//! Better one word too many than one too few: what was taken out by mistake comes back unharmed, only the model didn't
//! see it. What this can't know: a password that is an ordinary word with nothing around it that says so; a known secret
//! that is split (`'abc'"def"`), encoded anew (base64, `%41`) or written backwards; secrets in pictures or archives. Only
//! text that is sent as it is may be handed in: inside JSON that is already escaped, fewer quotes are what they seem.

mod entropy;
mod kept;
mod key_block;
mod lead;
mod manifest;
mod placeholder;
mod settle;
#[cfg(test)]
mod tests;
mod value;

use std::collections::HashSet;
use std::ops::Range;

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

pub use kept::Kept;

use lead::Leads;
use placeholder::Placeholders;

/// Bytes from which on a secret is looked for in all of the text, not only where it was recognised.
const MIN_REPEATED_BYTES: usize = 8;

/// The patterns, compiled.
///
/// Takes a moment to make; keep it for as long as requests may come.
pub struct Redactor {
    tokens: Regex,
    leads: Leads,
    placeholders: Placeholders,
}

impl Redactor {
    /// With all patterns that we know.
    pub fn new() -> Self {
        let file: TokenFile =
            toml::from_str(include_str!("redact/tokens.toml")).expect("tokens.toml is well-formed");
        let each: Vec<&str> = file.tokens.iter().map(|token| token.regex.as_str()).collect();
        Self { tokens: compiled(&each.join("|")), leads: Leads::own(), placeholders: Placeholders::new() }
    }

    /// The text with every secret replaced by its placeholder, and the secrets added to `kept`.
    ///
    /// A secret that is recognised by what stands around it is found wherever else it stands as a word in this text and,
    /// from four bytes on, even inside of words in later ones with the same `kept`, not in earlier ones: hand in first what
    /// says most. Time grows with the length of the text, times the number of secrets that the caller knows or that were
    /// found in earlier ones. Placeholders of `kept` stay as they are.
    pub fn redact(&self, text: &str, kept: &mut Kept) -> String {
        self.placeholders.numbers(text).for_each(|number| kept.reserve(number));
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

    /// The text with the secrets back in the place of their placeholders.
    ///
    /// A placeholder is known in any letter case, also where a model took it for a variable (`$…`, `${…}`) or for something
    /// to fill in (`<…>`); quotes around it stay, unless the secret brings its own. It is never part of a longer word,
    /// but may be glued to an option of one letter (`-p…`). Numbers that were not given out stay as they are.
    pub fn restore(&self, text: &str, kept: &Kept) -> String {
        self.placeholders.restored(text, kept)
    }

    /// Where secrets are, in any order; they may overlap.
    fn found(&self, text: &str, kept: &Kept) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let mut found: Vec<Range<usize>> = Vec::new();
        for known in kept.known() {
            found.extend(memmem::find_iter(bytes, known).map(|at| at..at + known.len()));
        }
        let ours = self.placeholders.given_out(text, kept);
        for earlier in kept.earlier() {
            let places = memmem::find_iter(bytes, earlier).map(|at| at..at + earlier.len());
            // What is part of a placeholder's name is none there.
            let is_ours = |place: &Range<usize>| {
                let at = ours.partition_point(|ours| ours.end < place.end);
                ours.get(at).is_some_and(|ours| ours.start <= place.start)
            };
            found.extend(places.filter(|place| !is_ours(place)));
        }
        found.extend(key_block::blocks(text));
        found.extend(manifest::values(text));
        found.extend(self.tokens.find_iter(bytes).map(|token| token.range()));
        found.extend(entropy::runs(text));
        self.leads.find(text, &mut found);
        found.retain(|span| !self.placeholders.is_one(text.get(span.clone()).unwrap_or_default(), kept));
        found
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

/// `tokens.toml`.
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

/// The words of the text that are secrets found elsewhere, in it or before it.
fn repeated(text: &str, found: &[Range<usize>], kept: &Kept) -> Vec<Range<usize>> {
    let here: HashSet<&str> = found
        .iter()
        .filter_map(|span| text.get(span.clone()))
        .filter(|secret| MIN_REPEATED_BYTES <= secret.len() && value::is_odd(secret))
        .collect();
    if here.is_empty() && kept.is_empty() {
        return Vec::new();
    }
    let is_kept = |word: &str| {
        here.contains(word) || (MIN_REPEATED_BYTES <= word.len() && value::is_odd(word) && kept.has(word))
    };
    let cuts: [fn(char) -> bool; 3] = [
        char::is_whitespace,
        |c| c.is_whitespace() || "'\"`=:@;|&<>(),".contains(c),
        |c| !(c.is_alphanumeric() || c == '_'),
    ];
    let words = cuts.iter().flat_map(|cut| text.split(*cut));
    words.filter(|word| is_kept(word)).map(|word| place_in(text, word)).collect()
}

/// Where a part of the text stands in it, in bytes.
fn place_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

/// An expression over bytes in which `\w`, `\d` and `(?i)` mean ASCII.
fn compiled(regex: &str) -> Regex {
    RegexBuilder::new(regex).unicode(false).build().expect("our own expressions are well-formed")
}
