//! Converts the table of options (`src/options/program_options.toml`) to constants: the program reads none of it when it
//! starts.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use toml::{Table, Value};

const TABLE: &str = "src/options/program_options.toml";

/// Words of a command's name after the first, with the index of its entry.
type Level = (Vec<String>, usize);

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    let mut table: Table =
        toml::from_str(&fs::read_to_string(TABLE)?).map_err(|error| format!("{TABLE}: {error}"))?;
    let Some(Value::Array(programs)) = table.remove("program") else {
        return Err(format!("{TABLE}: no [[program]]").into());
    };
    if let Some(other) = table.keys().next() {
        return Err(format!("{TABLE}: unknown key {other}").into());
    }
    let mut entries = Vec::new();
    let mut commands: BTreeMap<String, Vec<Level>> = BTreeMap::new();
    for (index, program) in programs.iter().enumerate() {
        let program = program.as_table().ok_or("an entry is no table")?;
        let known = |key: &String| matches!(key.as_str(), "names" | "values" | "attached");
        if let Some(other) = program.keys().find(|key| !known(key)) {
            return Err(format!("{TABLE}: unknown key {other}").into());
        }
        let (values, attached) = (texts(program, "values")?, texts(program, "attached")?);
        entries.push(format!("ProgramEntry {{ values: &{values:?}, attached: &{attached:?} }}"));
        for name in texts(program, "names")? {
            let mut words = name.split(' ').map(str::to_owned);
            let levels = commands.entry(words.next().unwrap_or_default()).or_default();
            let rest: Vec<String> = words.collect();
            if levels.iter().any(|(known, _)| *known == rest) {
                return Err(format!("{TABLE}: {name} occurs twice").into());
            }
            levels.push((rest, index));
        }
    }
    let level = |(rest, index): &Level| format!("(&{rest:?}, {index})");
    let levels = |levels: &Vec<Level>| levels.iter().map(level).collect::<Vec<_>>().join(", ");
    let commands: Vec<String> =
        commands.iter().map(|(word, found)| format!("({word:?}, &[{}])", levels(found))).collect();
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("program_entries.rs"), format!("&[{}]", entries.join(",\n")))?;
    fs::write(Path::new(&out).join("commands.rs"), format!("&[{}]", commands.join(",\n")))?;
    Ok(())
}

/// Returns the texts of a list; none if it is missing.
fn texts(program: &Table, key: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let Some(list) = program.get(key) else { return Ok(Vec::new()) };
    let texts = list.as_array().and_then(|list| {
        list.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    texts.ok_or_else(|| format!("{TABLE}: {key} is no list of texts").into())
}
