//! Converts the cookbook to the form that the program searches: `recipes.tsv` has the lines of each recipe by shell and
//! userland, `requests.tsv` its requests, `vocabulary.tsv` the words of all requests with the number of requests that
//! have them, and `words.bin` the words of each request by their place in the vocabulary.

#[path = "src/cookbook/terms.rs"]
mod terms;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Deserialize;

const COOKBOOK: &str = "cookbook";

#[derive(Deserialize)]
struct File {
    recipes: BTreeMap<String, Vec<Recipe>>,
}

/// The keys of a recipe that the program uses; `cookbook/README.md` has all.
#[derive(Deserialize)]
struct Recipe {
    requests: Vec<String>,
    bash: Option<String>,
    fish: Option<String>,
    macos: Option<String>,
    busybox: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={COOKBOOK}");
    println!("cargo::rerun-if-changed=src/cookbook/terms.rs");
    println!("cargo::rerun-if-changed=build.rs");
    let (mut recipes, mut requests, mut texts) = (String::new(), String::new(), Vec::new());
    let mut n_recipes = 0;
    for recipe in read()? {
        let Recipe { requests: wordings, bash, fish, macos, busybox } = recipe;
        let lines = [bash, fish, macos, busybox].map(|line| line.unwrap_or_default().trim().to_owned());
        // A row of a prompt has one line. One in Nushell alone is not used.
        if lines.iter().all(String::is_empty) {
            continue;
        }
        if lines.iter().chain(&wordings).any(|text| text.contains(['\n', '\t'])) {
            continue;
        }
        recipes.push_str(&(lines.join("\t") + "\n"));
        for request in wordings {
            requests.push_str(&format!("{n_recipes}\t{request}\n"));
            texts.push(terms::of(&request));
        }
        n_recipes += 1;
    }
    let mut counts: BTreeMap<&str, u16> = BTreeMap::new();
    for text in &texts {
        for term in text.iter().map(String::as_str).collect::<BTreeSet<_>>() {
            *counts.entry(term).or_default() += 1;
        }
    }
    let places: BTreeMap<&str, u16> = counts.keys().copied().zip(0..).collect();
    let mut words = Vec::new();
    for text in &texts {
        words.push(u8::try_from(text.len())?);
        words.extend(text.iter().flat_map(|term| places[term.as_str()].to_le_bytes()));
    }
    let vocabulary: String = counts.iter().map(|(term, count)| format!("{term}\t{count}\n")).collect();
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("recipes.tsv"), recipes)?;
    fs::write(out.join("requests.tsv"), requests)?;
    fs::write(out.join("vocabulary.tsv"), vocabulary)?;
    fs::write(out.join("words.bin"), words)?;
    Ok(())
}

/// Returns the recipes of all files, in their order.
fn read() -> Result<Vec<Recipe>, Box<dyn Error>> {
    let mut paths =
        fs::read_dir(COOKBOOK)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.retain(|path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut recipes = Vec::new();
    for path in &paths {
        recipes.extend(read_file(path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    Ok(recipes)
}

fn read_file(path: &Path) -> Result<Vec<Recipe>, Box<dyn Error>> {
    let file: File = toml::from_str(&fs::read_to_string(path)?)?;
    Ok(file.recipes.into_values().flatten().collect())
}
