//! `askline forget`: deletes what was remembered. Models and configuration are not memories; they stay.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use anyhow::Context as _;

use super::args::{Forget, Memory};
use super::{Desk, Exit, one_line, print, tell};
use crate::config::Wrong;
use crate::host::Host as _;
use crate::models::megabytes;
use crate::store;

/// Longest answer to the question that is read, bytes.
const ANSWER_BYTES_MAX: u64 = 64;

pub(super) fn run(args: &Forget, desk: &Desk) -> anyhow::Result<Exit> {
    let mut found = Vec::new();
    for (what, directory) in places(args.what, desk) {
        let bytes = store::held(&directory)?;
        if let Some(bytes) = bytes {
            print(&format!(
                "{what:<8} {:>8}  {}\n",
                megabytes(bytes),
                one_line(&directory.to_string_lossy())
            ))?;
            found.push(directory);
        }
    }
    if found.is_empty() {
        tell("nothing is remembered");
        return Ok(Exit::Done);
    }
    if !args.yes && !is_confirmed()? {
        tell("nothing was removed");
        return Ok(Exit::None);
    }
    found.iter().try_for_each(|directory| store::clear(directory))?;
    tell("forgotten");
    Ok(Exit::Done)
}

/// What is remembered where.
fn places(what: Memory, desk: &Desk) -> Vec<(&'static str, PathBuf)> {
    let mut places = Vec::new();
    if matches!(what, Memory::Stats | Memory::All) {
        places.push(("stats", desk.paths.stats.clone()));
    }
    if matches!(what, Memory::Cache | Memory::All) {
        places.push(("cache", desk.paths.cache.clone()));
        let of_login = desk.host.env("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let user = rustix::process::geteuid().as_raw();
        let runtime = [
            of_login.map(|login| login.join("askline")),
            Some(std::env::temp_dir().join(format!("askline-{user}"))),
        ];
        // The resident process has its socket beside them.
        places.extend(runtime.into_iter().flatten().map(|runtime| ("presses", runtime.join("presses"))));
    }
    places
}

/// Asks the person, who must be there.
fn is_confirmed() -> anyhow::Result<bool> {
    use std::io::Read as _;

    if !io::stdin().is_terminal() {
        let why = "nobody is there to be asked; add --yes to forget this without a question";
        return Err(Wrong(why.to_owned()).into());
    }
    tell("forget all of this? y or n");
    let mut answer = Vec::new();
    for byte in io::stdin().lock().take(ANSWER_BYTES_MAX).bytes() {
        match byte.context("no answer can be read")? {
            b'\n' => break,
            byte => answer.push(byte.to_ascii_lowercase()),
        }
    }
    Ok(matches!(answer.trim_ascii(), b"y" | b"yes"))
}
