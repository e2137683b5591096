//! `askline forget`: deletes remembered data. Models and configuration stay.

use std::path::PathBuf;

use super::args::{Forget, Memory};
use super::question::is_confirmed;
use super::{AppContext, Exit, complain, one_line, print, print_message};
use askline_host::store;
use askline_model::install::megabytes;
use askline_model::resident::endpoint::Endpoint;

/// Message if nobody can be asked.
const UNASKED: &str =
    "stdin is no terminal, so you can't be asked; add --yes to delete this without a question";

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
    if !args.yes && !is_confirmed("delete all of this?", UNASKED)? {
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
