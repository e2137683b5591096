//! `askline setup`: the first minute. Adds the script to the shells in use, fetches a model, tries one request, and says what
//! to press. It can be run again: what is there stays. `--uninstall` takes out what it added.

mod models;

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use super::args::Setup;
use super::doctor::hook;
use super::dotfile::{self, Removed};
use super::question::is_confirmed;
use super::shell_integration::{self, Homes};
use super::{AppContext, Exit, complain, init, one_line, print, print_message, suggest};
use crate::environment;
use crate::shell_facts::ShellFacts;
use anyhow::Context as _;
use askline_host::Host as _;
use askline_host::store;
use askline_model::request_control::RequestControl;
use askline_syntax::shell::Shell;

/// The request that is tried.
const REQUEST: &str = "list files bigger than 10 MB";

/// Message if nobody can be asked.
const UNASKED: &str = "stdin is no terminal, so you can't be asked; add --yes to agree to all of it";

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
    if !args.no_model {
        if !models::offer(args.yes, app)? {
            print("without a model only half-right commands are mended; later: askline model pull\n")?;
            return Ok(exit);
        }
        // `--yes` fetches one model. Nushell doesn't ask the second one.
        let is_asked = !args.yes && io::stdin().is_terminal();
        if is_asked && ready.iter().any(|shell| !shell.is_nushell()) {
            // Everything needed is there without it.
            if let Err(error) = models::offer_second(app) {
                complain("the second model: ", &error);
            }
        }
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
