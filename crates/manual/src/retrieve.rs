//! Search in many short texts: BM25 over stemmed words (Robertson and Zaragoza, "The Probabilistic Relevance
//! Framework: BM25 and Beyond", 2009). Pure. English only, like the documentation that it searches.

use std::collections::{BTreeMap, HashMap, HashSet};

/// Saturation of term frequency: how soon the repetition of a word in a text stops to count.
const K1: f32 = 1.2;
/// Strength of the length normalisation, which lowers the score of long texts.
const B: f32 = 0.75;
/// Maximum number of words read of one text or query.
const WORDS_MAX: usize = 256;
/// Minimum and maximum length of a word that counts, in characters.
const WORD_CHARS: std::ops::RangeInclusive<usize> = 2..=24;

/// Stop words: they carry no information about the request.
const STOP: [&str; 84] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does", "each",
    "every", "for", "from", "given", "has", "have", "here", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "let", "like", "long", "many", "me", "more", "most", "much", "my", "no", "not", "of",
    "on", "one", "only", "or", "other", "out", "over", "own", "please", "same", "should", "show", "so",
    "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "two", "up", "use", "using", "was", "what", "when", "where", "which", "who", "whose",
    "will", "with", "you",
];

/// An index of texts; a text is identified by its position in the input.
#[derive(Debug, Default)]
pub struct Index {
    /// For each word, the texts that contain it, with its weight there.
    postings: HashMap<String, Vec<(usize, f32)>>,
    lengths: Vec<f32>,
    mean: f32,
}

impl Index {
    /// Builds an index of texts. Each text has parts with a weight of their own: 2.0 counts the words twice.
    pub fn of<'a, Parts>(texts: impl IntoIterator<Item = Parts>) -> Self
    where
        Parts: IntoIterator<Item = (&'a str, f32)>,
    {
        let mut index = Self::default();
        for (place, parts) in texts.into_iter().enumerate() {
            let mut weights: BTreeMap<String, f32> = BTreeMap::new();
            for (text, weight) in parts {
                for word in terms(text) {
                    *weights.entry(word).or_default() += weight;
                }
            }
            index.lengths.push(weights.values().sum());
            for (word, weight) in weights {
                index.postings.entry(word).or_default().push((place, weight));
            }
        }
        index.mean = index.lengths.iter().sum::<f32>() / index.lengths.len().max(1) as f32;
        index
    }

    /// Returns the inverse document frequency of a stemmed word: higher if fewer texts contain it.
    fn rarity(&self, term: &str) -> f32 {
        let with = self.postings.get(term).map_or(0, Vec::len) as f32;
        let all = self.lengths.len() as f32;
        ((all - with + 0.5) / (with + 0.5)).ln_1p()
    }

    /// Returns the texts that share a word with the query, best first, each with its score; ties in input order. A
    /// word that is repeated in the query counts twice.
    pub fn search(&self, sought: &str) -> Vec<(usize, f32)> {
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        for word in terms(sought) {
            let Some(postings) = self.postings.get(&word) else { continue };
            let rarity = self.rarity(&word);
            for (place, weight) in postings {
                let length =
                    self.lengths.get(*place).copied().unwrap_or_default() / self.mean.max(f32::EPSILON);
                let gain = weight * (K1 + 1.0) / (weight + K1 * (1.0 - B + B * length));
                *scores.entry(*place).or_default() += rarity * gain;
            }
        }
        let mut found: Vec<(usize, f32)> = scores.into_iter().collect();
        found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        found
    }
}

/// Returns the words of a text that count, in order: lower case, stemmed; numbers are left out.
pub fn terms(text: &str) -> Vec<String> {
    static STOPPED: std::sync::LazyLock<HashSet<&str>> =
        std::sync::LazyLock::new(|| STOP.into_iter().collect());
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().any(char::is_alphabetic))
        .map(str::to_lowercase)
        .filter(|word| !STOPPED.contains(word.as_str()) && WORD_CHARS.contains(&word.chars().count()))
        .take(WORDS_MAX)
        .map(|word| stem(&word))
        .collect()
}

/// Removes the endings of plural, past and gerund: "sorting", "sorted" and "sorts" become the same word. Not a
/// linguistic stem, only an equal one for forms of the same word.
fn stem(word: &str) -> String {
    let cut =
        |ending: &str, least: usize| word.strip_suffix(ending).filter(|stem| least <= stem.chars().count());
    let vowel = |stem: &&str| stem.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let singular = match (cut("ies", 2), cut("sses", 2), cut("s", 3)) {
        (Some(stem), ..) => format!("{stem}y"),
        (_, Some(stem), _) => format!("{stem}ss"),
        (.., Some(stem)) if !stem.ends_with(['s', 'u']) => stem.to_owned(),
        _ => word.to_owned(),
    };
    let base = ["ing", "ed"].iter().find_map(|ending| {
        singular.strip_suffix(ending).filter(|stem| 3 <= stem.chars().count()).filter(vowel)
    });
    let mut base = base.unwrap_or(&singular).to_owned();
    // "mapped" becomes "map", but "filled" becomes "fill".
    let mut last = base.chars().rev();
    if let (Some(one), Some(other)) = (last.next(), last.next())
        && one == other
        && !"lsz".contains(one)
        && base.len() < singular.len()
    {
        base.pop();
    }
    if 3 < base.chars().count() && base.ends_with('e') {
        base.pop();
    }
    base
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forms_of_a_word_are_one() {
        for family in [
            &["sort", "sorts", "sorted", "sorting"][..],
            &["line", "lines", "lined"],
            &["directory", "directories"],
            &["decode", "decodes", "decoded", "decoding"],
            &["map", "mapped", "mapping"],
            &["fill", "filled", "filling"],
            &["process", "processes", "processed"],
            &["size", "sizes"],
            &["match", "matching", "matched"],
        ] {
            let stems: HashSet<String> = family.iter().map(|word| stem(word)).collect();
            assert_eq!(stems.len(), 1, "{family:?}: {stems:?}");
        }
        for (one, other) in
            [("file", "fill"), ("sum", "sums2"), ("string", "str"), ("bus", "bu"), ("red", "r")]
        {
            assert_ne!(stem(one), stem(other), "{one} {other}");
        }
    }

    #[test]
    fn only_words_that_say_something_count() {
        assert_eq!(terms("Show me the 10 LARGEST files, in 2024!"), ["largest", "fil"]);
        assert_eq!(terms("1 2 3 . , -- the"), Vec::<String>::new());
        assert_eq!(terms("größte Dateien"), ["größt", "dateien"]);
    }

    #[test]
    fn rare_words_and_weights_decide() {
        let texts = [
            vec![("sort a list", 1.0)],
            vec![("reverse a list", 1.0)],
            vec![("list of commands that sort or reverse a list, and much more about lists", 1.0)],
            vec![("hash", 3.0), ("digest of a text", 1.0)],
        ];
        let index = Index::of(texts);
        let first = |sought: &str| index.search(sought).first().map(|(place, _)| *place);
        assert_eq!(first("sorting lists"), Some(0));
        assert_eq!(first("the list, reversed"), Some(1));
        assert_eq!(first("hash the list"), Some(3));
        assert_eq!(first("nothing of it"), None);
        assert_eq!(Index::of(Vec::<Vec<(&str, f32)>>::new()).search("list"), []);
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        let index = Index::of([vec![("alpha beta", 1.0)], vec![("beta", 1.0)]]);
        let found = index.search("alpha");
        let rarity = (1.0_f32 + (2.0 - 1.0 + 0.5) / 1.5).ln();
        let gain = 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 2.0 / 1.5));
        assert_eq!(found.len(), 1);
        assert!((found[0].1 - rarity * gain).abs() < 1e-5, "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_text_breaks_it(texts in proptest::collection::vec(".{0,60}", 0..8), sought in ".{0,80}") {
            let index = Index::of(texts.iter().map(|text| [(text.as_str(), 1.0)]));
            let found = index.search(&sought);
            prop_assert!(found.iter().all(|(place, score)| *place < texts.len() && 0.0 < *score && score.is_finite()));
            prop_assert!(found.windows(2).all(|pair| pair[1].1 <= pair[0].1));
        }
    }
}
