//! Converts the cookbook to the form that the program searches, one index for each of [`INDEXES`]: `NAME.recipes.tsv` has the
//! lines of each recipe in the columns of the index, `NAME.requests.tsv` its requests, `NAME.vocabulary.tsv` the words of all
//! requests with the number of requests that have them, and `NAME.words.bin` the words of each request by their place in the
//! vocabulary.

#[path = "src/cookbook/terms.rs"]
mod terms;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Deserialize;

const COOKBOOK: &str = "cookbook";

/// Names of the indexes, the keys of a recipe in the columns of each, and a directory of pairs for its first column. The pairs for
/// bash are rows for training: in front of requests they gained nothing (`benches/accuracy.md`).
const INDEXES: [(&str, &[&str], Option<&str>); 2] =
    [("posix", &["bash", "fish", "macos", "busybox"], None), ("nushell", &["nu"], Some("pairs/nushell"))];

#[derive(Deserialize)]
struct File {
    recipes: BTreeMap<String, Vec<Recipe>>,
}

/// The keys of a recipe; `cookbook/README.md` explains them.
#[derive(Deserialize)]
struct Recipe {
    requests: Vec<String>,
    /// The lines, among other keys.
    #[serde(flatten)]
    lines: BTreeMap<String, toml::Value>,
}

/// Requests, and their line for each column of an index; an empty one is missing.
struct Row {
    requests: Vec<String>,
    lines: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={COOKBOOK}");
    println!("cargo::rerun-if-changed=src/cookbook/terms.rs");
    println!("cargo::rerun-if-changed=build.rs");
    let cookbook = Path::new(COOKBOOK);
    let mut recipes = Vec::new();
    for path in files(cookbook, "toml")? {
        let text = fs::read_to_string(&path)?;
        let file: File = toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        recipes.extend(file.recipes.into_values().flatten());
    }
    for (name, columns, pairs) in INDEXES {
        let line = |recipe: &Recipe, key: &&str| {
            recipe.lines.get(*key).and_then(toml::Value::as_str).unwrap_or_default().trim().to_owned()
        };
        let row = |recipe: &Recipe| Row {
            requests: recipe.requests.clone(),
            lines: columns.iter().map(|key| line(recipe, key)).collect(),
        };
        let mut rows: Vec<Row> = recipes.iter().map(row).collect();
        for path in pairs.map_or(Ok(Vec::new()), |pairs| files(&cookbook.join(pairs), "txt"))? {
            rows.extend(fs::read_to_string(&path)?.split("\n\n").filter_map(pair));
        }
        write(name, &rows)?;
    }
    Ok(())
}

/// Returns the files of a directory with this ending, in the order of their names.
fn files(directory: &Path, ending: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut paths = fs::read_dir(directory)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.retain(|path: &PathBuf| path.extension().is_some_and(|extension| extension == ending));
    paths.sort();
    Ok(paths)
}

/// Returns a block of a file of pairs; `None` if it has no line.
fn pair(block: &str) -> Option<Row> {
    let of = |sign: &str| block.lines().filter_map(|row| row.strip_prefix(sign)).map(str::to_owned).collect();
    let lines: Vec<String> = of("$ ");
    (lines.len() == 1).then(|| Row { requests: of("? "), lines })
}

fn write(name: &str, rows: &[Row]) -> Result<(), Box<dyn Error>> {
    let (mut recipes, mut requests, mut texts) = (String::new(), String::new(), Vec::new());
    let mut n_recipes = 0;
    for Row { requests: wordings, lines } in rows {
        // A row of a prompt has one line.
        let is_one_line = lines.iter().chain(wordings).all(|text| !text.contains(['\n', '\t']));
        if !is_one_line || lines.iter().all(String::is_empty) {
            continue;
        }
        recipes.push_str(&(lines.join("\t") + "\n"));
        for request in wordings {
            requests.push_str(&format!("{n_recipes}\t{request}\n"));
            texts.push(terms::of(request));
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
    let contents: [(&str, &[u8]); 4] = [
        ("recipes.tsv", recipes.as_bytes()),
        ("requests.tsv", requests.as_bytes()),
        ("vocabulary.tsv", vocabulary.as_bytes()),
        ("words.bin", &words),
    ];
    for (part, bytes) in contents {
        fs::write(out.join(format!("{name}.{part}")), bytes)?;
    }
    Ok(())
}
