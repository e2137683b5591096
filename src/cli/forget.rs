//! `askline forget`: deletes remembered data. Models and configuration stay.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;

use anyhow::Context as _;

use super::args::{Forget, Memory};
use super::{AppContext, Exit, complain, one_line, print, print_message};
use askline_host::store;
use askline_model::failure::UsageError;
use askline_model::install::megabytes;
use askline_model::resident::endpoint::Endpoint;

/// Maximum number of bytes of the confirmation answer.
const ANSWER_BYTES_MAX: u64 = 64;

pub(super) fn run(args: &Forget, app: &AppContext) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    let mut found = Vec::new();
    for (what, directory) in places(args.what, app) {
        match store::held(&directory) {
            Ok(None) => {}
            Ok(Some(bytes)) => {
                let place = one_line(&directory.to_string_lossy());
                print(&format!("{what:<7}  {:>8}  {place}\n", megabytes(bytes)))?;
                found.push(directory);
            }
            Err(error) => {
                complain("", &error);
                exit = Exit::None;
            }
        }
    }
    if found.is_empty() {
        print_message("nothing is stored");
        return Ok(exit);
    }
    if !args.yes && !is_confirmed()? {
        print_message("nothing was removed");
        return Ok(Exit::None);
    }
    for directory in &found {
        store::clear(directory)?;
    }
    print_message("forgotten");
    Ok(exit)
}

/// Returns the kinds of remembered data and their directories.
fn places(what: Memory, app: &AppContext) -> Vec<(&'static str, PathBuf)> {
    let mut places = Vec::new();
    if matches!(what, Memory::Stats | Memory::All) {
        places.push(("stats", app.paths.stats.clone()));
    }
    if matches!(what, Memory::Sessions | Memory::All) {
        places.push(("sessions", app.paths.sessions.clone()));
    }
    if matches!(what, Memory::Cache | Memory::All) {
        places.push(("cache", app.paths.cache.clone()));
        // The directory next to them, with the socket of the resident process, stays.
        let presses = Endpoint::find(&app.host).map(|endpoint| endpoint.directory().join("presses")).ok();
        places.extend(presses.filter(|presses| store::is_private(presses)).map(|path| ("presses", path)));
    }
    places
}

/// Asks the user for confirmation; an error without a terminal.
fn is_confirmed() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        let why = "stdin is no terminal, so you can't be asked; add --yes to delete this without a question";
        return Err(UsageError(why.to_owned()).into());
    }
    print_message("delete all of this? y or n");
    let mut answer = Vec::new();
    for byte in io::stdin().lock().take(ANSWER_BYTES_MAX).bytes() {
        match byte.context("can't read the answer")? {
            b'\n' => break,
            byte => answer.push(byte.to_ascii_lowercase()),
        }
    }
    Ok(matches!(answer.trim_ascii(), b"y" | b"yes"))
}
