//! Words of a request, as the cookbook's index has them. The build script uses this file too.

use rust_stemmers::{Algorithm, Stemmer};

/// Returns the words of a text in lower case, cut to their English stems, in order.
pub(crate) fn of(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| stemmer.stem(word).into_owned()).collect()
}
