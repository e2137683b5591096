//! Turns the tables of effects (`src/risk/effects`) into what the program reads when it needs them: one text, quick to
//! read, without the examples, which are tests.

#![expect(clippy::print_stdout, reason = "cargo reads it")]

use std::error::Error;
use std::path::Path;
use std::{env, fs};

const TABLES: &str = "src/risk/effects";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TABLES}");
    println!("cargo::rerun-if-changed=build/effects.rs");
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
    let out = Path::new(&env::var("OUT_DIR")?).join("effects.json");
    fs::write(out, serde_json::to_string(&programs)?)?;
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
