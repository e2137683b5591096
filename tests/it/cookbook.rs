//! The cookbook as test data: its lines are right, so a finding against one is wrong. `cookbook/check` checks the rows themselves.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::cli::Askline;
use askline::cookbook::similar;
use askline_intent::{exceeds_command, mismatches};
use askline_manual::userland::Userland;
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Fewest wrong lines of the cookbook that get a remark, so that fewer remarks beside right lines are not bought with silence.
const NOTICED_MIN: usize = 5_500;

#[derive(Deserialize)]
struct Recipe {
    requests: Vec<String>,
    bash: Option<String>,
    #[serde(default)]
    wrong: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    recipes: std::collections::BTreeMap<String, Vec<Recipe>>,
}

/// Returns all solved requests.
fn recipes() -> Vec<Recipe> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("cookbook");
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let recipes = files.flat_map(|path| {
        let file: File = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        file.recipes.into_values().flatten()
    });
    recipes.collect()
}

/// Returns all requests with their line for bash.
fn rows() -> Vec<(String, String)> {
    let rows = recipes().into_iter().filter_map(|recipe| recipe.bash.map(|line| (recipe.requests, line)));
    rows.flat_map(|(requests, line)| requests.into_iter().map(move |request| (request, line.clone())))
        .collect()
}

/// Returns the rows of a file of the cookbook that has one request a line.
fn one_a_line(name: &str) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cookbook").join(name);
    let text = fs::read_to_string(file).unwrap();
    text.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).map(str::to_owned).collect()
}

/// The classifier has seen these requests, but for one in twelve: what it finds among unseen ones is in `training/README.md`.
#[test]
fn requests_that_no_command_does_are_told_from_those_with_a_line() {
    let declined = |requests: &[String]| requests.iter().filter(|request| exceeds_command(request)).count();
    let (beyond, possible) = (one_a_line("declined.txt"), one_a_line("possible.txt"));
    let ordinary: Vec<String> = recipes().into_iter().flat_map(|recipe| recipe.requests).collect();
    assert!(2_000 < beyond.len() && 1_000 < possible.len() && 10_000 < ordinary.len());
    let per_mille =
        [&beyond, &possible, &ordinary].map(|requests| 1000 * declined(requests) / requests.len());
    assert!(750 < per_mille[0] && per_mille[1] < 10 && per_mille[2] < 1, "{per_mille:?}");
}

/// A right line that gets a remark goes to `crates/intent/tests/data/false_alarms.tsv`, out of what the models learn, until the
/// rules know better.
#[test]
fn right_lines_get_no_remarks() {
    let rows = rows();
    assert!(rows.len() > 10_000, "{}", rows.len());
    let remarks = |(request, line): (String, String)| {
        let found = mismatches(&request, &ParsedLine::new(line.as_str(), Shell::Bash));
        (!found.is_empty()).then_some((request, line, found))
    };
    let remarks: Vec<_> = rows.into_iter().filter_map(remarks).collect();
    assert!(remarks.is_empty(), "{remarks:#?}");
}

#[test]
fn wrong_lines_get_many_remarks() {
    let is_noticed = |request: &String, line: &String| {
        let found = mismatches(request, &ParsedLine::new(line, Shell::Bash));
        !found.is_empty()
    };
    let of = |recipe: &Recipe| {
        let lines =
            recipe.requests.iter().flat_map(|request| recipe.wrong.iter().map(move |line| (request, line)));
        lines.filter(|(request, line)| is_noticed(request, line)).count()
    };
    let noticed: usize = recipes().iter().filter(|recipe| recipe.bash.is_some()).map(of).sum();
    assert!(NOTICED_MIN <= noticed, "{noticed}");
}

/// Models know little Nushell, so similar solved requests come before the request there; in bash they gained nothing.
#[test]
fn in_nushell_similar_solved_requests_come_before_the_request() {
    let words = "which five files below here take the most space";
    let shown = |shell: &str, words: &str| {
        Askline::new(["suggest", "--shell", shell, "--show-request", "--", words]).run().code(0).stdout
    };
    let nearest = similar(words, Shell::Nu, Userland::Gnu, 1, |_| true).remove(0);
    let last = format!("# {}\n{}\n\n# {words}\n", nearest.request, nearest.command);
    let nushell = shown("nu", words);
    assert!(nushell.ends_with(&last), "{nushell}");
    let bash = shown("bash", words);
    assert!(!bash.contains(&similar(words, Shell::Bash, Userland::Gnu, 1, |_| true)[0].request), "{bash}");
    // A command to correct describes nothing.
    let command = shown("nu", "ls | lenght");
    assert_eq!(command.matches("\n# ").count() + 4, nushell.matches("\n# ").count(), "{command}");
}
