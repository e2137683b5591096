//! Converts the effect tables (`effects`) to the form that the program loads on demand: one JSON line per entry
//! without the examples (which are tests), and an index from a command's first word to its entries.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

const TABLES: &str = "effects";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TABLES}");
    println!("cargo::rerun-if-changed=build.rs");
    let mut paths: Vec<_> =
        fs::read_dir(TABLES)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut programs = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let mut table: toml::Table =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let Some(toml::Value::Array(entries)) = table.remove("program") else {
            return Err(format!("{}: no [[program]]", path.display()).into());
        };
        let otherwise = table.remove("otherwise");
        programs.extend(entries.into_iter().map(without_examples).map(|mut entry| {
            if let (Some(effect), Some(entry)) = (&otherwise, entry.as_table_mut()) {
                entry.entry("otherwise").or_insert_with(|| effect.clone());
            }
            entry
        }));
    }
    let mut first_words: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    let mut rows = String::new();
    for program in &programs {
        let start = rows.len();
        rows.push_str(&serde_json::to_string(program)?);
        let row = (start, rows.len());
        rows.push('\n');
        let names = program.get("names").and_then(toml::Value::as_array).ok_or("an entry without names")?;
        for name in names.iter().filter_map(toml::Value::as_str) {
            let found = first_words.entry(name.split(' ').next().unwrap_or_default().to_owned()).or_default();
            if found.last() != Some(&row) {
                found.push(row);
            }
        }
    }
    let out = env::var("OUT_DIR")?;
    let index: Vec<_> = first_words.iter().map(|(word, rows)| format!("({word:?}, &{rows:?})")).collect();
    fs::write(Path::new(&out).join("effects.jsonl"), rows)?;
    fs::write(Path::new(&out).join("effects.rs"), format!("&[{}]", index.join(",\n")))?;
    Ok(())
}

fn without_examples(mut entry: toml::Value) -> toml::Value {
    let Some(table) = entry.as_table_mut() else { return entry };
    table.remove("safe");
    if let Some(toml::Value::Array(rows)) = table.get_mut("row") {
        for row in rows.iter_mut().filter_map(toml::Value::as_table_mut) {
            row.remove("yes");
            row.remove("no");
        }
    }
    entry
}
