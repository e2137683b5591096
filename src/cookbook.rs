//! The cookbook in the program: finds solved requests that are similar to a request.
//!
//! Requests are compared by their words with BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
//! and Beyond", 2009). The build script makes the indexes from `cookbook`: one for Nushell, one for all other
//! shells.

mod terms;

use std::collections::HashMap;
use std::sync::LazyLock;

use askline_manual::userland::Userland;
use askline_model::prompt::Solved;
use askline_syntax::shell::{Grammar, Shell};

/// Reads an index of the build script by its name.
macro_rules! index {
    ($name:literal) => {
        Cookbook::read(
            include_str!(concat!(env!("OUT_DIR"), "/", $name, ".recipes.tsv")),
            include_str!(concat!(env!("OUT_DIR"), "/", $name, ".requests.tsv")),
            include_str!(concat!(env!("OUT_DIR"), "/", $name, ".vocabulary.tsv")),
            include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".words.bin")),
        )
    };
}

static POSIX: LazyLock<Cookbook> = LazyLock::new(|| index!("posix"));
static NUSHELL: LazyLock<Cookbook> = LazyLock::new(|| index!("nushell"));

/// BM25's `k1`: how much a repeated word counts.
const REPEATED: f64 = 1.2;

/// BM25's `b`: how much longer requests lose.
const LENGTH: f64 = 0.75;

/// Maximum number of recipes that are looked at for the rows of one request.
const LOOKED_AT_MAX: usize = 64;

/// The recipes of an index, and the words of their requests.
struct Cookbook {
    recipes: Vec<Recipe>,
    /// Requests, with the place of their recipe and of their words.
    requests: Vec<Request>,
    /// Place of each word in `n_having`.
    vocabulary: HashMap<&'static str, u16>,
    /// Number of requests that have a word, by its place in the vocabulary.
    n_having: Vec<f64>,
    /// Mean number of words of a request.
    mean_length: f64,
}

struct Request {
    recipe: usize,
    text: &'static str,
    /// Places of its words in the vocabulary, little-endian.
    words: &'static [[u8; 2]],
}

/// Lines of a recipe, separated by tabs; an empty one is missing. In Nushell's index there is one, else those for bash, fish,
/// macOS and BusyBox.
struct Recipe(&'static str);

impl Recipe {
    /// Returns the line for a shell and a family of tools; `None` if the recipe has none.
    fn line(&self, shell: Shell, userland: Userland) -> Option<&'static str> {
        let column = |nth: usize| self.0.split('\t').nth(nth).unwrap_or_default();
        let own = match (shell.dialect().grammar, userland) {
            (Grammar::Nushell, _) => 0,
            (Grammar::Fish, _) => 1,
            (Grammar::Posix, Userland::Bsd) => 2,
            (Grammar::Posix, Userland::Busybox) => 3,
            (Grammar::Posix, _) => 0,
        };
        [column(own), column(0)].into_iter().find(|line| !line.is_empty())
    }
}

impl Cookbook {
    /// Returns the recipes for a shell.
    fn of(shell: Shell) -> &'static Self {
        if shell.is_nushell() { &NUSHELL } else { &POSIX }
    }

    fn read(
        recipes: &'static str,
        requests: &'static str,
        vocabulary: &'static str,
        words: &'static [u8],
    ) -> Self {
        let mut words = words;
        let requests = requests.lines().filter_map(|row| {
            let (n_words, after) = words.split_first()?;
            let (own, rest) = after.split_at_checked(usize::from(*n_words) * 2)?;
            words = rest;
            let (recipe, text) = row.split_once('\t')?;
            Some(Request { recipe: recipe.parse().ok()?, text, words: own.as_chunks().0 })
        });
        let requests: Vec<Request> = requests.collect();
        let counted: Vec<(&str, f64)> = vocabulary
            .lines()
            .filter_map(|row| row.split_once('\t').and_then(|(term, n)| Some((term, n.parse().ok()?))))
            .collect();
        let n_words: usize = requests.iter().map(|request| request.words.len()).sum();
        Self {
            recipes: recipes.lines().map(Recipe).collect(),
            mean_length: n_words as f64 / requests.len().max(1) as f64,
            vocabulary: counted.iter().map(|(term, _)| *term).zip(0..).collect(),
            n_having: counted.into_iter().map(|(_, n)| n).collect(),
            requests,
        }
    }

    /// Returns the requests that share a word with this one, most similar first.
    fn similar(&self, request: &str) -> Vec<&Request> {
        let n = self.requests.len() as f64;
        let weighted: Vec<([u8; 2], f64)> = terms::of(request)
            .iter()
            .filter_map(|term| {
                let place = *self.vocabulary.get(term.as_str())?;
                let having = self.n_having.get(usize::from(place))?;
                Some((place.to_le_bytes(), ((n - having + 0.5) / (having + 0.5)).ln_1p()))
            })
            .collect();
        let score = |request: &Request| {
            let long = 1.0 - LENGTH + LENGTH * request.words.len() as f64 / self.mean_length;
            let of_word = |(place, weight): &([u8; 2], f64)| {
                let count = request.words.iter().filter(|word| *word == place).count() as f64;
                weight * count * (REPEATED + 1.0) / (count + REPEATED * long)
            };
            weighted.iter().map(of_word).sum::<f64>()
        };
        let mut scored: Vec<(f64, &Request)> =
            self.requests.iter().map(|other| (score(other), other)).collect();
        scored.retain(|(score, _)| 0.0 < *score);
        // The sort is stable, so equal ones stay in the order of the files.
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        scored.into_iter().map(|(_, request)| request).collect()
    }
}

/// Returns solved requests that are similar to `request`, most similar first, at most `most`: one of each recipe, with
/// lines for this shell and family of tools that `is_usable` accepts.
pub fn similar(
    request: &str,
    shell: Shell,
    userland: Userland,
    most: usize,
    is_usable: impl Fn(&str) -> bool,
) -> Vec<Solved> {
    let cookbook = Cookbook::of(shell);
    let mut rows: Vec<Solved> = Vec::new();
    let mut recipes: Vec<usize> = Vec::new();
    for request in cookbook.similar(request) {
        if rows.len() == most || recipes.len() == LOOKED_AT_MAX {
            break;
        }
        if recipes.contains(&request.recipe) {
            continue;
        }
        recipes.push(request.recipe);
        let line = cookbook.recipes.get(request.recipe).and_then(|recipe| recipe.line(shell, userland));
        let is_new = |line: &&str| rows.iter().all(|row| row.command != **line);
        if let Some(line) = line.filter(is_new).filter(|line| is_usable(line)) {
            rows.push(Solved { request: request.text.to_owned(), command: line.to_owned() });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(request: &str, shell: Shell, userland: Userland) -> Vec<String> {
        similar(request, shell, userland, 3, |_| true).into_iter().map(|row| row.command).collect()
    }

    #[test]
    fn every_request_finds_itself() {
        for (cookbook, n_requests) in [(&*POSIX, 10_000), (&*NUSHELL, 8_000)] {
            assert!(n_requests < cookbook.requests.len() && cookbook.recipes.len() < cookbook.requests.len());
            for request in cookbook.requests.iter().step_by(97) {
                let nearest = cookbook.similar(request.text);
                assert!(nearest.iter().take(3).any(|other| other.text == request.text), "{}", request.text);
            }
        }
    }

    #[test]
    fn words_decide_and_their_endings_do_not() {
        let one = lines("show the listening tcp ports", Shell::Bash, Userland::Gnu);
        assert_eq!(one.len(), 3);
        assert!(one.iter().any(|line| line.starts_with("ss ")), "{one:?}");
        assert_eq!(terms::of("Sorting FILES, sorted copies"), ["sort", "file", "sort", "copi"]);
        assert_eq!(lines("", Shell::Bash, Userland::Gnu), [""; 0]);
        assert_eq!(lines("qqqqq wwwww", Shell::Bash, Userland::Gnu), [""; 0]);
    }

    #[test]
    fn each_shell_and_userland_gets_its_own_lines() {
        let all = Recipe("find .\tfind . # fish\tfind . # mac\tfind . # box");
        let own = |recipe: &Recipe| {
            [
                (Shell::Bash, Userland::Gnu),
                (Shell::Fish, Userland::Gnu),
                (Shell::Zsh, Userland::Bsd),
                (Shell::Bash, Userland::Busybox),
            ]
            .map(|(shell, userland)| recipe.line(shell, userland))
        };
        assert_eq!(own(&all), ["find .", "find . # fish", "find . # mac", "find . # box"].map(Some));
        assert_eq!(own(&Recipe("ls\t\t\t")), [Some("ls"); 4]);
        assert_eq!(own(&Recipe("\tset x\t\t")), [None, Some("set x"), None, None]);
        let nushell = lines("five largest files here", Shell::Nu, Userland::Gnu);
        assert!(nushell.iter().any(|line| line.contains("sort-by size")), "{nushell:?}");
    }

    #[test]
    fn rows_differ_and_are_usable() {
        let rows =
            similar("delete old log files", Shell::Bash, Userland::Gnu, 5, |line| line.starts_with("find"));
        assert_eq!(rows.len(), 5);
        assert!(rows.iter().all(|row| row.command.starts_with("find") && !row.request.is_empty()));
        let distinct: std::collections::HashSet<_> = rows.iter().map(|row| &row.command).collect();
        assert_eq!(distinct.len(), 5);
    }

    proptest! {
        #[test]
        fn no_text_panics(request in ".{0,300}") {
            prop_assert!(lines(&request, Shell::Zsh, Userland::Gnu).len() <= 3);
        }
    }
}
