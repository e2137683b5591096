//! The cookbook as test data: its lines are right, so a finding against one is wrong. `cookbook/check` checks the rows themselves.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use askline_intent::{Certainty, mismatches};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;

/// Most requests of the cookbook whose right line gets a remark, and whose right line would be edited, per 10,000. The authors of
/// the rules had not seen the cookbook when they wrote them; lower the figures when they improve.
const REMARKS_MAX: usize = 65;
const EDITS_MAX: usize = 4;

/// Fewest wrong lines of the cookbook that get a remark, so that fewer remarks beside right lines are not bought with silence.
const NOTICED_MIN: usize = 4_498;

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

#[test]
fn right_lines_get_few_remarks() {
    let rows = rows();
    assert!(rows.len() > 10_000, "{}", rows.len());
    let (mut remarks, mut edits) = (Vec::new(), Vec::new());
    for (request, line) in &rows {
        let found = mismatches(request, &ParsedLine::new(line, Shell::Bash));
        if !found.is_empty() {
            remarks.push((request, line));
        }
        if found.iter().any(|it| it.certainty == Certainty::Sure && it.edit.is_some()) {
            edits.push((request, line, found));
        }
    }
    let share = |count: usize| count * 10_000 / rows.len();
    assert!(share(remarks.len()) <= REMARKS_MAX, "{} of {}", remarks.len(), rows.len());
    assert!(share(edits.len()) <= EDITS_MAX, "{edits:#?}");
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
