//! Filters of `jq` held against the file that they read.

mod call;
mod keys;
mod lexer;
mod list;

use super::call::Call;
use super::names::NameKind;
use super::path::quoted;
use super::{Case, Contradiction, Subject};

/// Endings of tables, which `jq` can't read.
const TABLES: [&str; 2] = ["csv", "tsv"];

/// Returns the keys that are nowhere where the filters look for them, and tables that have a JSON file of the same name beside them.
pub(super) fn find(case: &Case<'_>) -> Vec<Contradiction> {
    let mut found = keys::find(case);
    found.extend(tables(case));
    found
}

/// Finds `jq … orders.csv` where `orders.json` is here, too.
fn tables(case: &Case<'_>) -> Option<Contradiction> {
    // Raw input may be a table.
    let is_raw =
        |call: &&Call<'_>| call.options.iter().any(|it| matches!(it.name.as_ref(), "-R" | "--raw-input"));
    let call = case.calls.iter().find(|call| call.name == "jq").filter(|call| !is_raw(call))?;
    let (word, file) = (call.only_word()?, call.only_file()?);
    let (stem, ending) = file.rsplit_once('.')?;
    let other = format!("{stem}.json");
    let is_there = case.names(&call.base).kind(&other) == Some(NameKind::File);
    if !TABLES.contains(&ending) || !is_there {
        return None;
    }
    let told = ("`jq` reads only JSON".to_owned(), format!("there is `{other}`"));
    // The file may be what the line writes.
    let commands = &case.line.own().commands;
    let writes = commands.iter().any(|it| it.redirections.iter().any(|it| it.operator.contains('>')))
        || case.line.text().contains("tee ")
        || case.line.text().matches(stem).count() != 1;
    let edit = quoted(&other).filter(|_| !writes).map(|new| (word.span.clone(), new));
    Some(case.contradiction(Subject::Names, word.span.clone(), told, edit))
}
