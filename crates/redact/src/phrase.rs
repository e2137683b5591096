//! Rows of words that are secret: seed phrases of wallets, and passphrases.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::place_in;

/// Minimum and maximum number of words of a seed phrase.
const WORDS_MIN: usize = 12;
const WORDS_MAX: usize = 25;
/// Maximum number of digits in the number before a word.
const NUMBER_DIGITS_MAX: usize = 2;
/// Lengths of the words of a seed phrase, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=8;
/// Minimum and maximum number of words of a passphrase.
const PASS_WORDS_MIN: usize = 3;
const PASS_WORDS_MAX: usize = 12;
/// Minimum length of a password that is a word, in letters.
const PASS_LETTERS_MIN: usize = 4;
/// Signs after the last word of a phrase.
const STOPS: [char; 8] = ['.', ',', ';', ':', '!', '?', ')', '}'];
/// Maximum length of a phrase and the text before it, in bytes.
const BYTES_MAX: usize = 512;

static SENTENCE: LazyLock<Sentence> =
    LazyLock::new(|| toml::from_str(include_str!("phrase.toml")).expect("phrase.toml is well-formed"));

static SEED_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("seed_words.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Content of `phrase.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    seed: HashSet<String>,
    pass: HashSet<String>,
    said: HashSet<String>,
    enders: HashSet<String>,
    clauses: HashSet<String>,
    requests: HashSet<String>,
    ends: Vec<String>,
}

/// Returns the seed phrase that begins at an offset, after blanks, quotes and a few words such as `is:`.
pub(super) fn after(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..text.ceil_char_boundary(at.saturating_add(BYTES_MAX)))?;
    let mut span: Option<Range<usize>> = None;
    let mut count = 0;
    for word in rest.split(|c: char| !c.is_ascii_lowercase()) {
        if !word.is_empty() {
            let start = at + place_in(rest, word).start;
            if !is_word_of_seed(word) {
                // A phrase that is long enough ends here; a shorter row was the sentence before it.
                if WORDS_MIN <= count {
                    break;
                }
                (span, count) = (None, 0);
                continue;
            }
            span = Some(span.map_or(start, |span| span.start)..start + word.len());
            count += 1;
            if count == WORDS_MAX {
                break;
            }
        }
    }
    span.filter(|_| WORDS_MIN <= count)
}

/// Returns the rows of words of which seed phrases are made; no text before them is needed.
pub(super) fn seeds(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut row: Option<(Range<usize>, usize)> = None;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        // The words may be numbered: `1. abandon 2. ability`.
        if word.len() <= NUMBER_DIGITS_MAX && word.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let place = place_in(text, word);
        if LENGTHS.contains(&word.len()) && SEED_WORDS.contains(word.to_ascii_lowercase().as_str()) {
            let (start, count) = row.map_or((place.start, 0), |(row, count)| (row.start, count));
            row = Some((start..place.end, count + 1));
        } else {
            found.extend(row.take().filter(|(_, count)| WORDS_MIN <= *count).map(|(row, _)| row));
        }
    }
    found.extend(row.filter(|(_, count)| WORDS_MIN <= *count).map(|(row, _)| row));
    found
}

/// Returns the passphrase of at least three words that begins at an offset.
pub(super) fn words_after(text: &str, at: usize) -> Option<Range<usize>> {
    pass_after(text, at).filter(|(_, count)| PASS_WORDS_MIN <= *count).map(|(place, _)| place)
}

/// Returns the password that is a word, or the passphrase, that begins at an offset.
pub(super) fn word_after(text: &str, at: usize) -> Option<Range<usize>> {
    let place = pass_after(text, at).map(|(place, _)| place).or_else(|| first_after(text, at))?;
    let first = text.get(place.clone())?.split(' ').next()?;
    (PASS_LETTERS_MIN <= first.chars().count() && !SENTENCE.is_said_of_one(first)).then_some(place)
}

/// Returns the passphrase of at least three words that begins at an offset and may contain words of a sentence.
pub(super) fn sentence_after(text: &str, at: usize) -> Option<Range<usize>> {
    let first = first_after(text, at)?;
    if SENTENCE.is_said_of_one(text.get(first)?) {
        return None;
    }
    let words = line_after(text, at)?.split(' ').enumerate().map_while(|(nth, word)| {
        let letters = word.trim_end_matches(STOPS);
        let is_word = !letters.is_empty() && letters.chars().all(char::is_alphabetic);
        (is_word && nth < PASS_WORDS_MAX && !SENTENCE.clauses.contains(letters)).then_some((word, letters))
    });
    let (mut end, mut count) = (at, 0);
    for (word, letters) in words {
        end = place_in(text, letters).end;
        count += 1;
        if letters.len() < word.len() {
            break;
        }
    }
    (PASS_WORDS_MIN <= count).then_some(at..end)
}

/// Returns the word that begins at an offset, unless it belongs to a sentence.
fn first_after(text: &str, at: usize) -> Option<Range<usize>> {
    let word = line_after(text, at)?.split(' ').next()?.trim_end_matches(STOPS);
    let is_word = !word.is_empty() && word.chars().all(char::is_alphabetic);
    (is_word && !SENTENCE.is_in(word, 0)).then_some(at..at + word.len())
}

/// Returns the text from an offset to the end of its line, or to a sign that ends a phrase.
fn line_after(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..text.ceil_char_boundary(at.saturating_add(BYTES_MAX)))?;
    rest.split(['\n', '"', '\'', '`', '|', '&', '#']).next()
}

/// Reports whether a word is the first of a request or a question, not of a note.
pub(super) fn begins_request(word: &str) -> bool {
    SENTENCE.requests.contains(&word.to_ascii_lowercase())
}

/// Returns the row of words that begins at an offset, and their number. An option, a sign, a line end or a word such as
/// `and` ends it; with any other word of a sentence it is none.
fn pass_after(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let rest = text.get(at..text.ceil_char_boundary(at.saturating_add(BYTES_MAX)))?;
    let line = line_after(text, at)?;
    let (mut end, mut count) = (0, 0);
    for word in line.split(' ') {
        let letters = word.trim_end_matches(STOPS);
        if count != 0 && (word.starts_with('-') || letters.is_empty() || SENTENCE.enders.contains(letters)) {
            break;
        }
        let is_word = !letters.is_empty() && letters.chars().all(char::is_alphabetic);
        if !is_word || PASS_WORDS_MAX <= count || SENTENCE.is_in(letters, count) {
            return None;
        }
        end = place_in(rest, letters).end;
        count += 1;
        if letters.len() < word.len() {
            break;
        }
    }
    (count != 0).then_some((at..at + end, count))
}

impl Sentence {
    /// Reports whether a word belongs to a sentence; after the first word of a phrase only some do.
    fn is_in(&self, word: &str, count: usize) -> bool {
        let lower = word.to_lowercase();
        self.pass.contains(&lower) || self.enders.contains(&lower) || count == 0 && self.said.contains(&lower)
    }

    /// Reports whether a word says something of a password by its end.
    fn is_said_of_one(&self, word: &str) -> bool {
        self.ends.iter().any(|end| word.ends_with(end.as_str()))
    }
}

fn is_word_of_seed(word: &str) -> bool {
    LENGTHS.contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !SENTENCE.seed.contains(word)
}
