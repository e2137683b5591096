//! `askline setup`: the first minute. Adds the script to the shells in use, fetches a model, tries one request, and says what
//! to press. It can be run again: what is there stays. `--uninstall` takes out what it added.

use std::path::{Path, PathBuf};
use std::thread;

use super::args::{Model, ModelCommand, Setup};
use super::doctor::hook;
use super::dotfile::{self, Removed};
use super::question::is_confirmed;
use super::shell_integration::{self, Homes};
use super::{AppContext, Exit, complain, init, model, one_line, print, print_message, suggest};
use crate::config::ModelChoice;
use crate::environment;
use crate::shell_facts::ShellFacts;
use anyhow::Context as _;
use askline_host::Host as _;
use askline_host::store;
use askline_model::install::manifest::{Manifest, ModelEntry};
use askline_model::install::{self, Condition, megabytes};
use askline_model::memory;
use askline_model::request_control::RequestControl;
use askline_syntax::shell::Shell;

/// The request that is tried.
const REQUEST: &str = "list files bigger than 10 MB";

/// Message if nobody can be asked.
const UNASKED: &str = "stdin is no terminal, so you can't be asked; add --yes to agree to all of it";

/// Measured models, as in the table of the README: name, right answers in a hundred everyday tasks, and seconds for one on two
/// cores of a server.
const MEASURED: [(&str, &str, &str); 2] = [
    ("qwen2.5-coder-1.5b-instruct-q4_k_m", "90", "1.2"),
    ("qwen2.5-coder-0.5b-instruct-q4_k_m", "86", "0.7"),
];

/// Maximum size in bytes of a start-up file that is searched.
const STARTUP_LIMIT: u64 = 1 << 20;

pub(super) fn run(args: &Setup, app: &AppContext) -> anyhow::Result<Exit> {
    let homes = Homes::of(&app.host).context("there is no home directory; set HOME")?;
    if args.uninstall {
        return uninstall(app, &homes);
    }
    let shells = if args.shells.is_empty() { in_use(app, &homes) } else { args.shells.clone() };
    let mut exit = Exit::Done;
    let mut ready = Vec::new();
    for shell in shells {
        match add(shell, args.yes, app, &homes) {
            Ok(true) => ready.push(shell),
            Ok(false) => {}
            Err(error) if exit_is_usage(&error) => return Err(error),
            Err(error) => {
                complain(&format!("{shell}: "), &error);
                exit = Exit::None;
            }
        }
    }
    if !args.no_model && !offer_model(args.yes, app)? {
        print("without a model only half-right commands are mended; later: askline model pull\n")?;
        return Ok(exit);
    }
    if !args.no_model {
        exit = if try_request(ready.first().copied(), app)? { exit } else { Exit::None };
    }
    let login = app.login_shell();
    if let Some(shell) = ready.iter().find(|shell| **shell == login).or(ready.first()) {
        print(&format!(
            "open a new {shell}, type what you want in plain English, and press Ctrl-G; Alt-E explains a line, Alt-P tells what it would change\n\
             more: askline help keys; to undo all this: askline setup --uninstall\n"
        ))?;
    }
    Ok(exit)
}

fn exit_is_usage(error: &anyhow::Error) -> bool {
    error.is::<askline_model::failure::UsageError>()
}

/// Returns the login shell, and the shells on `PATH` that have a start-up file of yours.
fn in_use(app: &AppContext, homes: &Homes<'_>) -> Vec<Shell> {
    let login = app.login_shell();
    let environment = environment::gather(&app.machine, login, &ShellFacts::default());
    let used = |shell: &Shell| {
        let has_file = !shell_integration::startup_files(homes, *shell).is_empty();
        *shell == login || has_file && environment.commands.contains(shell.name())
    };
    let mut shells: Vec<Shell> = Shell::ALL.into_iter().filter(used).collect();
    shells.sort_by_key(|shell| *shell != login);
    shells
}

/// Sets up one shell; returns `true` if it is set up now.
fn add(shell: Shell, yes: bool, app: &AppContext, homes: &Homes<'_>) -> anyhow::Result<bool> {
    let integration = shell_integration::of(shell);
    let place = (integration.place)(homes);
    let shown = one_line(&place.to_string_lossy());
    if let Some((file, hook)) = hook_of(shell, app, homes) {
        let is_old = hook.saved_by.is_some_and(|version| version != env!("CARGO_PKG_VERSION"));
        if !(is_old && file == place) {
            print(&format!("{shell}: is set up in {}:{}\n", one_line(&file.to_string_lossy()), hook.line))?;
            return Ok(true);
        }
    }
    let row = (integration.row)(&init::program()?);
    match &row {
        Some(row) => print(&format!("{shell}: adds to {shown}\n    {row}\n"))?,
        None => print(&format!("{shell}: saves the script that `askline init {shell}` prints as {shown}\n"))?,
    }
    if !yes && !is_confirmed("do it?", UNASKED)? {
        return Ok(false);
    }
    match row {
        Some(row) => match dotfile::add(&place, &row)? {
            Some(copy) => {
                let copy = one_line(&copy.to_string_lossy());
                print(&format!("    done; a backup of the old file: {copy}\n"))?;
            }
            None => print("    done\n")?,
        },
        None => {
            store::write(&place, init::default_script(shell)?.as_bytes())?;
            print("    done\n")?;
        }
    }
    Ok(true)
}

/// Returns the start-up file that loads our script, and where.
fn hook_of(shell: Shell, app: &AppContext, homes: &Homes<'_>) -> Option<(PathBuf, hook::Hook)> {
    shell_integration::startup_files(homes, shell).into_iter().find_map(|file| {
        let text = app.host.read(&file, STARTUP_LIMIT).ok()?;
        let hook = hook::hook(&String::from_utf8_lossy(&text))?;
        Some((file, hook))
    })
}

/// Takes out what `add` put in, of all shells; names what people added themselves.
fn uninstall(app: &AppContext, homes: &Homes<'_>) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    for shell in Shell::ALL {
        let place = (shell_integration::of(shell).place)(homes);
        match take_out(shell, &place, app) {
            Ok(Some(done)) => print(&format!("{shell}: {done} {}\n", one_line(&place.to_string_lossy())))?,
            Ok(None) => {}
            Err(error) => {
                complain(&format!("{shell}: "), &error);
                exit = Exit::None;
            }
        }
        if let Some((file, hook)) = hook_of(shell, app, homes) {
            let file = one_line(&file.to_string_lossy());
            print(&format!(
                "{shell}: {file}:{} was not added by `askline setup`; remove it yourself\n",
                hook.line
            ))?;
        }
    }
    print(
        "shells that are open keep the key until they end\n\
         what is left: models (askline model rm NAME), caches and figures (askline forget), the program itself\n",
    )?;
    Ok(exit)
}

/// Takes out one shell's; returns what was done to the file, to be followed by its path.
fn take_out(shell: Shell, place: &Path, app: &AppContext) -> anyhow::Result<Option<String>> {
    if shell_integration::of(shell).is_saved {
        let text = app.host.read(place, STARTUP_LIMIT).unwrap_or_default();
        let hook = hook::hook(&String::from_utf8_lossy(&text)).filter(|hook| hook.saved_by.is_some());
        if hook.is_none() {
            return Ok(None);
        }
        std::fs::remove_file(place).map_err(|error| store::not_written(place, error))?;
        return Ok(Some("removed".to_owned()));
    }
    Ok(match dotfile::remove(place)? {
        Removed::Nothing => None,
        Removed::Row { copy: None } => Some("removed the row of askline from".to_owned()),
        Removed::Row { copy: Some(copy) } => {
            let copy = one_line(&copy.to_string_lossy());
            Some(format!("left the backup {copy}, which differs, and removed the row of askline from"))
        }
        Removed::File => Some("removed".to_owned()),
    })
}

/// Offers to fetch a model if the one in use is to run here and is missing; returns `true` if there is one to ask.
fn offer_model(yes: bool, app: &AppContext) -> anyhow::Result<bool> {
    let config = app.config()?;
    let ModelChoice::Local(in_use) = &config.model else { return Ok(true) };
    let manifest = Manifest::load(&app.host, &app.paths)?;
    let is_installed = |name: &str| manifest.find(name).is_ok_and(|entry| is_here(entry, app));
    if config.model_file.is_some() || is_installed(in_use) {
        print(&format!("model: {} is installed\n", one_line(in_use)))?;
        return Ok(true);
    }
    let (here, missing): (Vec<_>, Vec<_>) = manifest.entries.iter().partition(|entry| is_here(entry, app));
    if let Some(other) = here.first() {
        let name = one_line(&other.name);
        print(&format!("model: {name} is installed, but not in use\n"))?;
        if yes || is_confirmed(&format!("use {name}?"), UNASKED)? {
            model::run(
                &Model { command: ModelCommand::Use { name: other.name.clone(), second: false } },
                app,
            )?;
            return Ok(true);
        }
    }
    let free = memory::free(&app.host);
    let n_cores = thread::available_parallelism().map_or(1, usize::from);
    let free_text = free.map(|free| format!("{} of memory free, ", megabytes(free))).unwrap_or_default();
    let state = if here.is_empty() { "none is installed" } else { "others can be fetched" };
    print(&format!("model: {state}; this machine has {free_text}{n_cores} cores\n"))?;
    for entry in &missing {
        let (size, memory) = (megabytes(entry.size), megabytes(entry.memory));
        let measured = MEASURED.iter().find(|(name, ..)| *name == entry.name);
        let measured = measured.map(|(_, right, seconds)| {
            format!("; right in {right} of 100 everyday tasks, {seconds} s for one on two cores")
        });
        let measured = measured.unwrap_or_default();
        print(&format!("    {}  {size} to fetch, {memory} of memory{measured}\n", one_line(&entry.name)))?;
    }
    let Some(entry) = fitting(&missing, in_use, free) else { return Ok(false) };
    let question = format!("fetch {} ({})?", one_line(&entry.name), megabytes(entry.size));
    if !yes && !is_confirmed(&question, UNASKED)? {
        return Ok(false);
    }
    let name = entry.name.clone();
    model::run(
        &Model { command: ModelCommand::Pull { name: Some(name.clone()), form: None, sha256: None } },
        app,
    )?;
    if name != *in_use {
        model::run(&Model { command: ModelCommand::Use { name, second: false } }, app)?;
    }
    Ok(true)
}

fn is_here(entry: &ModelEntry, app: &AppContext) -> bool {
    matches!(install::condition(entry, &app.paths), Condition::Intact | Condition::Unchecked)
}

/// Returns the wanted model if it fits into the free memory, else the largest that does, else the smallest; `None` if there
/// are no models.
fn fitting<'a>(models: &[&'a ModelEntry], wanted: &str, free: Option<u64>) -> Option<&'a ModelEntry> {
    let fits = |entry: &&ModelEntry| free.is_none_or(|free| entry.memory <= free);
    let models = || models.iter().copied();
    let wanted = models().find(|entry| entry.name == wanted);
    let largest = || models().filter(fits).max_by_key(|entry| entry.memory);
    let smallest = || models().min_by_key(|entry| entry.memory);
    wanted.filter(fits).or_else(largest).or_else(smallest)
}

/// Tries one request; returns `true` if there is an answer.
fn try_request(shell: Option<Shell>, app: &AppContext) -> anyhow::Result<bool> {
    let shell = shell.unwrap_or_else(|| app.login_shell());
    let answer = suggest::suggested(REQUEST, shell, false, app, RequestControl::endless())?;
    match answer.get("command").and_then(serde_json::Value::as_str) {
        Some(command) => print(&format!("tried: {REQUEST}\n    {}\n", one_line(command)))?,
        None => {
            let why = answer.get("error").and_then(serde_json::Value::as_str).unwrap_or("no answer");
            print_message(&format!(
                "askline: tried `{REQUEST}`: {why}; `askline doctor` says what is missing"
            ));
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_the_readme() {
        let readme = include_str!("../../README.md");
        for (name, right, seconds) in MEASURED {
            let row = readme.lines().find(|row| row.starts_with(&format!("| `{name}`"))).unwrap();
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            assert_eq!(cells[4], format!("0.{right}"), "{row}");
            assert!(cells[5].starts_with(&format!("{seconds} s ")), "{row}");
        }
    }
}
