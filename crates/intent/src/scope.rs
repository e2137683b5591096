//! Requests that no single command does, such as "refactor the payment code".
//!
//! A logistic regression over words and pairs of neighbours, which `training/scope.py` fits to the requests of the cookbook: those of
//! `declined.txt` against all others. It knows English only, and is silent where it knows too few of the words.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

/// Probability from which a request counts as one that no command does. `training/README.md` has the figures of other bounds.
const BOUND: f64 = 0.7;
/// Minimum number of different words.
const WORDS_MIN: usize = 2;
/// Minimum share of known words, as a fraction: requests in other languages share some words with English.
const KNOWN_MIN: (usize, usize) = (3, 5);
/// Maximum number of words that are read.
const WORDS_MAX: usize = 60;
/// Stands for the beginning of the request.
const START: &str = "^";
/// Stands for a text in quotes.
const TEXT: &str = "<text>";
/// Signs around a word that do not belong to it.
const AROUND: &[char] =
    &['.', ',', ';', ':', '!', '?', '"', '\'', '(', ')', '`', '[', ']', '{', '}', '“', '”', '‘', '’'];
/// Signs of a word that is part of a command, a pattern or a program's text.
const CODE: &[char] = &['*', '$', '=', '@', '|', '<', '>', '&', '%', '^', '+', '#', '_', '{', '}', '(', ')'];
/// Maximum length of a file name's extension, in letters.
const EXTENSION_MAX: usize = 6;

static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(^|\s)(?:"[^"]+"|'[^']+')"#).expect("the pattern is constant"));

/// The fitted weights: rows of a feature, a tab and its weight, in the order of the features. They are parsed when they are looked up,
/// because a key press needs few of them. The first row is the bias, with an empty feature.
static WEIGHTS: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("scope.tsv").lines().collect());

/// Returns the weight of a feature; `None` if it has none.
fn weight(feature: &str) -> Option<f64> {
    let named = |row: &&str| row.split('\t').next().unwrap_or_default().cmp(feature);
    let row = WEIGHTS.get(WEIGHTS.binary_search_by(named).ok()?)?;
    row.split_once('\t')?.1.parse().ok()
}

/// Reports whether no single command does what the request asks for, by its words.
pub fn exceeds_command(request: &str) -> bool {
    BOUND <= probability(request) && is_known(request)
}

/// Reports whether enough of the words are known to judge a request.
fn is_known(request: &str) -> bool {
    let words: HashSet<String> = words(request).into_iter().collect();
    let known = words.iter().filter(|word| weight(word).is_some()).count();
    WORDS_MIN <= words.len() && KNOWN_MIN.0 * words.len() <= KNOWN_MIN.1 * known
}

/// Returns the probability that no single command does what the request asks for.
fn probability(request: &str) -> f64 {
    let features = features(request);
    let sum: f64 = features.iter().filter_map(|feature| weight(feature)).sum();
    #[expect(clippy::cast_precision_loss, reason = "a request has few features")]
    let score = sum / (features.len().max(1) as f64).sqrt() + weight("").unwrap_or_default();
    1.0 / (1.0 + (-score).exp())
}

/// Returns the words of a request, and its pairs of neighbours, each once.
fn features(request: &str) -> HashSet<String> {
    let words = words(request);
    let befores = [START].into_iter().chain(words.iter().map(String::as_str));
    let pairs: Vec<String> = befores.zip(&words).map(|(before, word)| format!("{before} {word}")).collect();
    words.into_iter().chain(pairs).collect()
}

/// Returns what counts of the words of a request, in their order.
fn words(request: &str) -> Vec<String> {
    let lower = request.to_lowercase();
    let text = QUOTED.replace_all(&lower, format!("${{1}}{TEXT} "));
    text.split_whitespace().flat_map(classes).take(WORDS_MAX).collect()
}

/// Returns what counts of a word: the word itself, or its class if it is a name, a number or code.
fn classes(word: &str) -> Vec<String> {
    if word == TEXT {
        return vec![TEXT.to_owned()];
    }
    let word = word.trim_matches(AROUND).replace(['\'', '’'], "");
    if word.is_empty() {
        return Vec::new();
    }
    if word.starts_with('~') || word.contains(['/', '\\']) {
        return vec!["<path>".to_owned()];
    }
    if word.contains(CODE) {
        return vec!["<code>".to_owned()];
    }
    if let Some((_, extension)) = word.rsplit_once('.') {
        let is_extension = (1..=EXTENSION_MAX).contains(&extension.len())
            && extension.bytes().all(|letter| letter.is_ascii_lowercase());
        if is_extension {
            return vec!["<file>".to_owned()];
        }
        let is_number = word.chars().all(|c| c == '.' || c.is_ascii_digit());
        return vec![if is_number { "<number>" } else { "<code>" }.to_owned()];
    }
    if word.chars().all(|c| c.is_ascii_digit()) {
        return vec!["<number>".to_owned()];
    }
    vec![without_digits(&word)]
}

/// Returns a word with `0` for each run of digits.
fn without_digits(word: &str) -> String {
    let mut short = String::with_capacity(word.len());
    for c in word.chars() {
        match c.is_ascii_digit() {
            true if short.ends_with('0') => {}
            true => short.push('0'),
            false => short.push(c),
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_beyond_a_command_are_told_from_those_with_the_same_words() {
        for request in [
            "make my code faster",
            "refactor the payment code so it is easier to test",
            "Write docstrings for every function in models.py!",
            "order a pizza",
            "please condense report.pdf to three sentences",
        ] {
            assert!(exceeds_command(request), "{request}: {}", probability(request));
        }
        for request in [
            "make my script executable",
            "write hello to a.txt",
            "order the files by size",
            "count the functions in models.py",
            "turn report.md into a pdf",
            "run the tests",
            "liste alle dateien auf",
            "zeig mir my code",
            "design",
            "add 'refactor the payment code' to todo.txt",
            "",
            "?",
        ] {
            assert!(!exceeds_command(request), "{request}: {}", probability(request));
        }
    }

    #[test]
    fn each_row_of_the_weights_is_found() {
        assert!(1_000 < WEIGHTS.len());
        for row in WEIGHTS.iter() {
            let (feature, expected) = row.split_once('\t').unwrap();
            assert_eq!(weight(feature), Some(expected.parse().unwrap()), "{row}");
        }
        assert_eq!(weight("no such feature"), None);
    }

    #[test]
    fn names_numbers_and_code_count_by_their_class() {
        for (word, expected) in [
            ("models.py", &["<file>"][..]),
            ("(models.py),", &["<file>"]),
            ("<text>", &["<text>"]),
            ("src/models.py", &["<path>"]),
            ("~", &["<path>"]),
            ("*.py", &["<code>"]),
            ("a.tar.7z", &["<code>"]),
            ("3.5", &["<number>"]),
            ("2026", &["<number>"]),
            ("10mb", &["0mb"]),
            ("utf-16", &["utf-0"]),
            ("don't", &["dont"]),
            ("…", &["…"]),
            ("...", &[]),
        ] {
            assert_eq!(classes(word), expected, "{word}");
        }
    }

    /// The file has the probabilities that `training/scope.py` computed for requests of all kinds.
    #[test]
    fn probabilities_are_those_of_the_fit() {
        let rows = include_str!("scope_tests.tsv").lines();
        let rows: Vec<_> = rows.map(|row| row.split_once('\t').unwrap()).collect();
        assert!(100 < rows.len());
        for (expected, request) in rows {
            let expected: f64 = expected.parse().unwrap();
            assert!((probability(request) - expected).abs() < 1e-3, "{request}: {expected}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_probability(text in ".{0,200}") {
            let found = probability(&text);
            assert!((0.0..=1.0).contains(&found));
        }
    }
}
