//! Tests that the tables of options agree: `arguments.toml` of the platform rules, `wrappers.toml`, and the tables of
//! effects each list the options that matter for their own question.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// Options that take a value in one table and none in another. The list may only get shorter.
const KNOWN: [&str; 6] = ["date --set", "date -I", "date -s", "nsenter --target", "nsenter -t", "xargs -i"];

/// Options of the tools of one table.
#[derive(Default)]
struct Options {
    /// Options with a value, by tool.
    with: BTreeMap<String, BTreeSet<String>>,
    /// Options that the table names without a value.
    without: BTreeMap<String, BTreeSet<String>>,
}

fn read(path: &str) -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates").join(path);
    fs::read_to_string(path).unwrap().parse().unwrap()
}

fn texts<'v>(table: &'v Table, key: &str) -> impl Iterator<Item = &'v str> {
    table.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn tables<'v>(table: &'v Table, key: &str) -> impl Iterator<Item = &'v Table> {
    table.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}

fn arguments() -> Options {
    let mut options = Options::default();
    for (tool, row) in read("check/src/platform/arguments.toml") {
        let row = row.as_table().unwrap();
        let letters = |key| row.get(key).and_then(Value::as_str).unwrap_or_default().chars();
        let letters = |key| letters(key).map(|letter| format!("-{letter}"));
        let with: BTreeSet<_> =
            letters("value").chain(texts(row, "long").map(|name| format!("--{name}"))).collect();
        options
            .without
            .insert(tool.clone(), letters("optional").filter(|name| !with.contains(name)).collect());
        options.with.insert(tool, with);
    }
    options
}

fn wrappers() -> Options {
    let mut options = Options::default();
    let table = read("syntax/src/wrappers.toml");
    for row in tables(&table, "wrapper") {
        for tool in texts(row, "names") {
            let with = options.with.entry(tool.to_owned()).or_default();
            with.extend(texts(row, "values").map(str::to_owned));
        }
    }
    options
}

fn effects() -> Options {
    let mut options = Options::default();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/risk/effects");
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    for file in files.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".toml")) {
        let table = read(&format!("risk/effects/{file}"));
        for program in tables(&table, "program") {
            let rows = tables(program, "row");
            let conditions = rows.flat_map(|row| texts(row, "when").chain(texts(row, "unless")));
            let named: Vec<_> =
                conditions.flat_map(str::split_whitespace).chain(texts(program, "idle")).collect();
            let is_option = |name: &&str| name.starts_with('-') && !name.contains(['*', '=']);
            for tool in texts(program, "names") {
                let with = options.with.entry(tool.to_owned()).or_default();
                with.extend(texts(program, "values").map(str::to_owned));
                let without = options.without.entry(tool.to_owned()).or_default();
                without.extend(named.iter().copied().filter(is_option).map(str::to_owned));
            }
        }
    }
    for (tool, without) in &mut options.without {
        without.retain(|name| !options.with.get(tool).is_some_and(|with| with.contains(name)));
    }
    options
}

#[test]
fn tables_agree_on_options_with_a_value() {
    let all = [arguments(), wrappers(), effects()];
    assert!(all.iter().all(|options| options.with.len() > 10));
    let mut found = BTreeSet::new();
    for one in &all {
        for (tool, with) in &one.with {
            for other in all.iter().filter_map(|other| other.without.get(tool)) {
                found.extend(with.intersection(other).map(|option| format!("{tool} {option}")));
            }
        }
    }
    assert_eq!(found, KNOWN.map(str::to_owned).into());
}
