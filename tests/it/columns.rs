//! What is said of the columns in files, against Nushell itself: what is wrong ends with an error there, what was mended and
//! what is right does not.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::nushell::nushell;

#[derive(Deserialize)]
struct Data {
    files: BTreeMap<String, String>,
    wrong: Vec<Wrong>,
    nothing: Nothing,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrong {
    line: String,
    #[expect(dead_code, reason = "held against ours beside the code")]
    says: String,
    fixed: Option<String>,
    /// Nushell gives nothing, or nothing of use, and no error.
    #[serde(default)]
    silent: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {
    right: Vec<String>,
    #[expect(dead_code, reason = "held against ours beside the code")]
    unknown: Vec<String>,
}

/// Whether each line ends without an error; none where Nushell isn't installed. Each is run by a Nushell of its own that
/// stands among the files: they are ours, and none of them writes.
fn run(lines: &[&str], data: &Data) -> Option<Vec<bool>> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in &data.files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let program = "let all = ($in | from json); cd $all.at; $all.lines | each { |line| (^$nu.current-exe -n --no-std-lib -c $'($line) | collect | ignore' | complete).exit_code == 0 } | to json --raw";
    let input = serde_json::json!({"at": directory.path(), "lines": lines});
    let said = nushell(program, input.to_string().as_bytes())?;
    Some(serde_json::from_slice(&said).unwrap())
}

#[test]
fn nushell_agrees() {
    let data: Data = toml::from_str(include_str!("../data/check/columns.toml")).unwrap();
    let wrong = data.wrong.iter().map(|row| (row.line.as_str(), row.silent));
    let fixed = data.wrong.iter().filter_map(|row| Some((row.fixed.as_deref()?, true)));
    // What another column is missing in stays wrong.
    let fixed = fixed.filter(|(line, _)| !line.contains("stok"));
    let right = data.nothing.right.iter().map(|line| (line.as_str(), true));
    let rows: Vec<(&str, bool)> = wrong.chain(fixed).chain(right).collect();
    let lines: Vec<&str> = rows.iter().map(|(line, _)| *line).collect();
    let Some(ends_well) = run(&lines, &data) else { return };
    assert_eq!(ends_well.len(), rows.len());
    let wrong: Vec<_> = rows.iter().zip(ends_well).filter(|((_, expected), is)| expected != is).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
