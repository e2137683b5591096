//! `askline init`: prints the script that binds the key in a shell.
//!
//! The scripts are real files in `shell/`. Each reads a few settings that precede it. This file writes those
//! settings, quoted for the shell, and leaves the scripts unchanged.

use std::env;
use std::io::{self, IsTerminal as _};

use anyhow::Context as _;

use super::args::{Init, Switch};
use super::key::BoundKey;
use super::shell_integration::{self, Settings};
use super::{AppContext, Exit, print, print_message};
use askline_host::find_on_path;
use askline_host::local::LocalHost;
use askline_model::failure::UsageError;
use askline_syntax::shell::Shell;

/// Name of this program on the PATH.
const NAME: &str = "askline";

/// Prints the script for a shell; on a terminal also the instructions to load it.
pub(super) fn run(args: &Init, _desk: &AppContext) -> anyhow::Result<Exit> {
    if args.menu_key.is_some_and(|menu| menu == args.key && menu != BoundKey::None) {
        return Err(UsageError(format!("{} is already --key; choose another --menu-key", args.key)).into());
    }
    let (explain, preview) = (explain_key(args), preview_key(args));
    let others = [args.key, menu_key(args), explain, preview];
    for (key, index, option) in [(explain, 2, "--explain-key"), (preview, 3, "--preview-key")] {
        if key != BoundKey::None && others.iter().take(index).any(|other| *other == key) {
            return Err(UsageError(format!("{key} has two uses; choose another {option}")).into());
        }
    }
    let integration = shell_integration::of(args.shell);
    let program = program()?;
    let settings = settings(args, &program);
    print(&script(args.shell, &settings))?;
    (integration.warning)(&settings).into_iter().for_each(print_message);
    let is_read = io::stdout().is_terminal();
    if is_read {
        print_message(integration.how_to_load);
    }
    // A shell that reads the script at its start must be silent.
    if is_read || integration.is_saved && io::stderr().is_terminal() {
        print_message(&format!("worth knowing: {}", (integration.worth_knowing)(&settings)));
    }
    Ok(Exit::Done)
}

/// Returns the first line of every printed script. Nushell's script is saved to a file, which can become outdated:
/// `askline doctor` compares the versions.
pub(super) fn stamp(shell: Shell) -> String {
    format!("# askline init {shell}, version {}", env!("CARGO_PKG_VERSION"))
}

/// Returns the command with which scripts call this program: the name if the PATH leads to this very file, otherwise
/// the path.
pub(super) fn program() -> anyhow::Result<String> {
    let this = env::current_exe().and_then(|path| path.canonicalize()).context("this program has no path")?;
    let named = find_on_path(&LocalHost, NAME).and_then(|path| path.canonicalize().ok());
    if named.as_ref() == Some(&this) {
        return Ok(NAME.to_owned());
    }
    let path = this.to_str().filter(|path| !path.chars().any(char::is_control));
    path.map(str::to_owned)
        .context("the path of this program can't be written in a script; put its directory on the PATH")
}

/// Returns the script for a shell, with the default keys.
///
/// # Errors
/// As [`program`].
pub(super) fn default_script(shell: Shell) -> anyhow::Result<String> {
    let key = BoundKey::Ctrl('g');
    let args =
        Init { shell, key, force: false, menu_key: None, explain_key: None, preview_key: None, inline: None };
    Ok(script(shell, &settings(&args, &program()?)))
}

fn settings<'a>(args: &Init, program: &'a str) -> Settings<'a> {
    let inline =
        args.inline.map_or(shell_integration::of(args.shell).is_inline, |inline| inline == Switch::On);
    Settings {
        program,
        key: args.key,
        menu: menu_key(args),
        explain: explain_key(args),
        preview: preview_key(args),
        force: args.force,
        inline,
    }
}

fn script(shell: Shell, settings: &Settings<'_>) -> String {
    let integration = shell_integration::of(shell);
    format!(
        "{}\n{}\n{}",
        stamp(shell),
        (integration.settings)(settings),
        (integration.load)(integration.script)
    )
}

/// Returns the key of the menu: alt-g if it is free, and none if no key is wanted.
fn menu_key(args: &Init) -> BoundKey {
    args.menu_key.unwrap_or(match args.key {
        BoundKey::None => BoundKey::None,
        BoundKey::Alt('g') => BoundKey::Alt('a'),
        _ => BoundKey::Alt('g'),
    })
}

/// Returns the key that explains: alt-e if it is free, and none if no key is wanted.
fn explain_key(args: &Init) -> BoundKey {
    let is_free = |key: BoundKey| key != args.key && args.menu_key != Some(key);
    args.explain_key.unwrap_or(match BoundKey::Alt('e') {
        _ if args.key == BoundKey::None => BoundKey::None,
        key if is_free(key) => key,
        _ => BoundKey::None,
    })
}

/// Returns the key that tells the effect: alt-p if it is free, and none if no key is wanted.
fn preview_key(args: &Init) -> BoundKey {
    let is_free = |key: BoundKey| ![Some(args.key), args.menu_key, args.explain_key].contains(&Some(key));
    args.preview_key.unwrap_or(match BoundKey::Alt('p') {
        _ if args.key == BoundKey::None => BoundKey::None,
        key if is_free(key) => key,
        _ => BoundKey::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_follows_its_stamp_and_settings() {
        for shell in Shell::ALL {
            let args = Init {
                shell,
                key: BoundKey::Alt('a'),
                force: true,
                menu_key: None,
                explain_key: None,
                preview_key: None,
                inline: Some(Switch::On),
            };
            let text = script(shell, &settings(&args, NAME));
            assert!(text.starts_with(&stamp(shell)), "{text}");
            assert!(text.contains("alt-a"), "{text}");
        }
    }
}
