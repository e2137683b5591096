//! Tables of lines with the commands that they hold, from `tests/data/syntax`.

use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    line: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    line: String,
    #[serde(default)]
    commands: Vec<String>,
    #[serde(default)]
    refused: bool,
    incomplete: Option<bool>,
}

/// The command words as the commands get them, or as they stand.
fn command_words(parsed: &Parsed) -> Vec<String> {
    let mut words: Vec<String> = parsed
        .commands
        .iter()
        .filter_map(|command| command.words.first())
        .map(|word| word.text.clone())
        .collect();
    words.sort();
    words
}

fn check_table(table: &str, shell: Shell) {
    let mut wrong = Vec::new();
    let table: Table = toml::from_str(table).unwrap();
    for case in &table.line {
        let parsed = parse(&case.line, shell);
        if parsed.errors.is_empty() == case.refused {
            wrong.push(format!("{:?}: {:?}", case.line, parsed.errors));
        }
        if case.incomplete.is_some_and(|incomplete| incomplete != parsed.incomplete) {
            wrong.push(format!("{:?}: incomplete {}", case.line, parsed.incomplete));
        }
        let mut expected = case.commands.clone();
        expected.sort();
        if !case.refused && command_words(&parsed) != expected {
            wrong.push(format!("{:?}: {:?}, not {expected:?}", case.line, command_words(&parsed)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), table.line.len(), wrong.join("\n"));
}

#[test]
fn bash_lines() {
    check_table(include_str!("../../tests/data/syntax/bash.toml"), Shell::Bash);
}

#[test]
fn zsh_lines() {
    check_table(include_str!("../../tests/data/syntax/zsh.toml"), Shell::Zsh);
}

#[test]
fn fish_lines() {
    check_table(include_str!("../../tests/data/syntax/fish.toml"), Shell::Fish);
}
