//! The cookbook in the program: finds solved requests that are similar to a request.
//!
//! Requests are compared by their words with BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
//! and Beyond", 2009). The index is made by the build script from `cookbook/*.toml`.

mod terms;

use std::collections::HashMap;
use std::sync::LazyLock;

use askline_manual::userland::Userland;
use askline_model::prompt::Solved;
use askline_syntax::shell::{Grammar, Shell};

static COOKBOOK: LazyLock<Cookbook> = LazyLock::new(Cookbook::read);

/// BM25's `k1`: how much a repeated word counts.
const REPEATED: f64 = 1.2;

/// BM25's `b`: how much longer requests lose.
const LENGTH: f64 = 0.75;

/// Maximum number of recipes that are looked at for the rows of one request.
const LOOKED_AT_MAX: usize = 64;

/// The recipes, and the words of their requests.
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
    words: Vec<u16>,
}

/// Lines of a recipe; an empty one is missing.
struct Recipe {
    bash: &'static str,
    fish: &'static str,
    macos: &'static str,
    busybox: &'static str,
}

impl Recipe {
    /// Returns the line for a shell and a family of tools; `None` if the recipe has none, and in Nushell, where similar
    /// rows gained nothing (`benches/accuracy.md`).
    fn line(&self, shell: Shell, userland: Userland) -> Option<&'static str> {
        let best = match (shell.dialect().grammar, userland) {
            (Grammar::Nushell, _) => return None,
            (Grammar::Fish, _) => [self.fish, self.bash],
            (Grammar::Posix, Userland::Bsd) => [self.macos, self.bash],
            (Grammar::Posix, Userland::Busybox) => [self.busybox, self.bash],
            (Grammar::Posix, _) => [self.bash, ""],
        };
        best.into_iter().find(|line| !line.is_empty())
    }
}

impl Cookbook {
    fn read() -> Self {
        let fields = |row: &'static str| row.split('\t');
        let recipes = include_str!(concat!(env!("OUT_DIR"), "/recipes.tsv")).lines().map(|row| {
            let mut lines = fields(row);
            let mut next = || lines.next().unwrap_or_default();
            Recipe { bash: next(), fish: next(), macos: next(), busybox: next() }
        });
        let mut words = include_bytes!(concat!(env!("OUT_DIR"), "/words.bin")).iter().copied();
        let requests = include_str!(concat!(env!("OUT_DIR"), "/requests.tsv")).lines().filter_map(|row| {
            let n_words = words.next()?;
            let word = |_| Some(u16::from_le_bytes([words.next()?, words.next()?]));
            let words = (0..n_words).filter_map(word).collect();
            let (recipe, text) = row.split_once('\t')?;
            Some(Request { recipe: recipe.parse().ok()?, text, words })
        });
        let requests: Vec<Request> = requests.collect();
        let counted: Vec<(&str, f64)> = include_str!(concat!(env!("OUT_DIR"), "/vocabulary.tsv"))
            .lines()
            .filter_map(|row| row.split_once('\t').and_then(|(term, n)| Some((term, n.parse().ok()?))))
            .collect();
        let n_words: usize = requests.iter().map(|request| request.words.len()).sum();
        Self {
            recipes: recipes.collect(),
            mean_length: n_words as f64 / requests.len().max(1) as f64,
            vocabulary: counted.iter().map(|(term, _)| *term).zip(0..).collect(),
            n_having: counted.into_iter().map(|(_, n)| n).collect(),
            requests,
        }
    }

    /// Returns the requests that share a word with this one, most similar first.
    fn similar(&self, request: &str) -> Vec<&Request> {
        let n = self.requests.len() as f64;
        let weighted: Vec<(u16, f64)> = terms::of(request)
            .iter()
            .filter_map(|term| {
                let place = *self.vocabulary.get(term.as_str())?;
                let having = self.n_having.get(usize::from(place))?;
                Some((place, ((n - having + 0.5) / (having + 0.5)).ln_1p()))
            })
            .collect();
        let score = |request: &Request| {
            let long = 1.0 - LENGTH + LENGTH * request.words.len() as f64 / self.mean_length;
            let of_word = |(place, weight): &(u16, f64)| {
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
    let mut rows: Vec<Solved> = Vec::new();
    let mut recipes: Vec<usize> = Vec::new();
    for request in COOKBOOK.similar(request) {
        if rows.len() == most || recipes.len() == LOOKED_AT_MAX {
            break;
        }
        if recipes.contains(&request.recipe) {
            continue;
        }
        recipes.push(request.recipe);
        let line = COOKBOOK.recipes.get(request.recipe).and_then(|recipe| recipe.line(shell, userland));
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
        assert!(5_000 < COOKBOOK.requests.len() && 3_000 < COOKBOOK.recipes.len());
        for request in COOKBOOK.requests.iter().step_by(97) {
            let nearest = COOKBOOK.similar(request.text);
            assert!(nearest.iter().take(3).any(|other| other.text == request.text), "{}", request.text);
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
        for recipe in &COOKBOOK.recipes {
            let line = |shell, userland| recipe.line(shell, userland).unwrap_or_default();
            assert_eq!(line(Shell::Nu, Userland::Gnu), "");
            for (own, shell, userland) in [
                (recipe.fish, Shell::Fish, Userland::Gnu),
                (recipe.macos, Shell::Zsh, Userland::Bsd),
                (recipe.busybox, Shell::Bash, Userland::Busybox),
            ] {
                assert_eq!(line(shell, userland), if own.is_empty() { recipe.bash } else { own });
            }
        }
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
