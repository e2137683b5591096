//! Converts the table of options (`src/options/program_options.toml`) to two texts in which the program looks up a command
//! without reading the rest: a line for each entry, and a line for each command with its levels.

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
        entries.push(format!("{}\t{}", values.join(" "), attached.join(" ")));
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
    let level = |(rest, index): &Level| format!("\t{}:{index}", rest.join(" "));
    let line =
        |(word, levels): (&String, &Vec<Level>)| word.clone() + &levels.iter().map(level).collect::<String>();
    write("program_entries", &entries)?;
    write("commands", &commands.iter().map(line).collect::<Vec<_>>())?;
    Ok(())
}

/// Writes lines as a text, and the offset of each line and of the end.
fn write(name: &str, lines: &[String]) -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    let mut text = String::new();
    let mut starts = Vec::new();
    for line in lines {
        starts.push(text.len());
        text.push_str(line);
        text.push('\n');
    }
    starts.push(text.len());
    fs::write(Path::new(&out).join(format!("{name}.txt")), text)?;
    fs::write(Path::new(&out).join(format!("{name}.rs")), format!("&{starts:?}"))?;
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
