//! Holds the rows of cookbook files against the rules: `rows FILE…` prints, per file, how many right lines get a remark or
//! would be edited and how many wrong lines are noticed; `rows --show FILE…` prints the remarks and the unnoticed lines.
use std::collections::BTreeMap;
use std::io::Write as _;

use askline_intent::{Certainty, Mismatch, mismatches};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;
use serde::Deserialize;

#[derive(Deserialize)]
struct Recipe {
    requests: Vec<String>,
    bash: Option<String>,
    #[serde(default)]
    wrong: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    recipes: BTreeMap<String, Vec<Recipe>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let (shows, files): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word == "--show");
    let mut show = |kind: &str, request: &str, line: &str, found: &[Mismatch]| {
        if shows.is_empty() {
            return;
        }
        let _ = writeln!(out, "{kind}\t{request}\t{line}");
        for it in found {
            let edit = it.edit.as_ref().map_or("", |edit| edit.change.as_str());
            let _ = writeln!(out, "\t{:?} {} [{edit}]", it.certainty, it.text);
        }
    };
    let mut counts = Vec::new();
    for path in files {
        let file: File = toml::from_str(&std::fs::read_to_string(&path)?)?;
        let (mut rights, mut remarks, mut edits, mut wrongs, mut noticed) = (0, 0, 0, 0, 0);
        for recipe in file.recipes.into_values().flatten() {
            let Some(right) = recipe.bash else { continue };
            for request in &recipe.requests {
                let found = mismatches(request, &ParsedLine::new(&*right, Shell::Bash));
                rights += 1;
                remarks += usize::from(!found.is_empty());
                let is_edited = |it: &Mismatch| it.certainty == Certainty::Sure && it.edit.is_some();
                edits += usize::from(found.iter().any(is_edited));
                if !found.is_empty() {
                    show("REMARK", request, &right, &found);
                }
                for line in &recipe.wrong {
                    let found = mismatches(request, &ParsedLine::new(&**line, Shell::Bash));
                    wrongs += 1;
                    noticed += usize::from(!found.is_empty());
                    let kind = if found.is_empty() { "MISSED" } else { "NOTICED" };
                    show(kind, request, &format!("{line}\t{right}"), &found);
                }
            }
        }
        counts.push(format!(
            "{path}: {rights} right, {remarks} remarks, {edits} edits; {wrongs} wrong, {noticed} noticed"
        ));
    }
    for count in counts {
        writeln!(out, "{count}")?;
    }
    Ok(())
}
