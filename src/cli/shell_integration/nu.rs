//! The integration with Nushell.

use std::path::PathBuf;

use clap_complete_nushell::Nushell;

use super::super::key::BoundKey;
use super::{Homes, Settings, ShellIntegration, directory};
use askline_syntax::shell::{Grammar, NU_GHOST_SINCE};

/// Part of the script for ghost text.
const GHOST: &str = include_str!("../../../shell/askline-ghost.nu");

/// Number of lines around `char_g` that belong to the same key binding in the configuration.
const BINDING_LINES: usize = 6;

/// The setup of Nushell.
pub(super) static INTEGRATION: ShellIntegration = ShellIntegration {
    script: include_str!("../../../shell/askline.nu"),
    load: str::to_owned,
    settings,
    how_to_load: concat!(
        "to load it in every Nushell, run: let to = $nu.data-dir | path join vendor autoload; mkdir $to; ",
        "askline init nu | save -f ($to | path join askline.nu)"
    ),
    worth_knowing,
    warning: |settings| {
        let version = std::env::var("NU_VERSION").ok().filter(|_| settings.inline)?;
        no_ghost_text(&version)
    },
    is_saved: true,
    is_inline: false,
    control: |letter| format!(r"\c{letter}"),
    escape: r"\e",
    completions: |command, script| clap_complete::generate(Nushell, command, "askline", script),
    startup,
    place: |homes| directories(homes).1.join("vendor/autoload/askline.nu"),
    row: |_| None,
    binds_ctrl_g: |lines, n| {
        let around = lines.iter().skip(n.saturating_sub(BINDING_LINES)).take(2 * BINDING_LINES + 1);
        lines.get(n).is_some_and(|line| line.contains("char_g"))
            && around.clone().any(|line| line.contains("control"))
    },
    too_old: None,
};

fn settings(settings: &Settings<'_>) -> String {
    // Nushell evaluates this text only when it is used, because older versions cannot parse it. Nushell ends a raw
    // string at a # that it begins with.
    let inline = if settings.inline { format!("\n{GHOST}") } else { String::new() };
    format!(
        "const __askline = {{program: {}, force: {}, key: {}, menu: {}, explain: {}, preview: {}}}\n\
         const __askline_inline = {}",
        Grammar::Nushell.quoted(settings.program),
        settings.force,
        key_record(settings.key),
        key_record(settings.menu),
        key_record(settings.explain),
        key_record(settings.preview),
        Grammar::Nushell.quoted(&inline)
    )
}

/// Returns a key as the record that the script reads.
fn key_record(key: BoundKey) -> String {
    let (modifier, keycode) = match key {
        BoundKey::Ctrl(letter) => ("control", format!("char_{letter}")),
        BoundKey::Alt(letter) => ("alt", format!("char_{letter}")),
        BoundKey::Function(n) => ("none", format!("f{n}")),
        BoundKey::None => ("none", String::new()),
    };
    format!("{{name: '{key}', modifier: '{modifier}', keycode: '{keycode}'}}")
}

fn worth_knowing(settings: &Settings<'_>) -> String {
    let worth = if settings.key == BoundKey::Ctrl('g') {
        "ctrl-z pressed twice restores your line; redo, which was ctrl-g, is alt-shift-z now"
    } else {
        "ctrl-z pressed twice takes the rewriting back"
    };
    match settings.menu {
        BoundKey::None => worth.to_owned(),
        key => format!("{key} lists the suggestions, each with its risk; {worth}"),
    }
}

/// Returns a warning if this version cannot draw ghost text.
fn no_ghost_text(version: &str) -> Option<&'static str> {
    let (told, since) = (minor(version)?, minor(NU_GHOST_SINCE)?);
    (told < since).then_some(
        "askline: this Nushell can't draw ghost text, so inline completion is off; install 0.115 or newer",
    )
}

/// Returns the first two numbers of a version.
fn minor(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map_while(|number| number.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

/// Returns Nushell's directories of configuration and data.
fn directories(homes: &Homes<'_>) -> (PathBuf, PathBuf) {
    match (directory(homes.host, "XDG_CONFIG_HOME"), homes.host.system().os.as_str()) {
        (None, "macos") => {
            let support = homes.home.join("Library/Application Support/nushell");
            (support.clone(), support)
        }
        _ => (homes.config.join("nushell"), homes.data.join("nushell")),
    }
}

fn startup(homes: &Homes<'_>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (config, data) = directories(homes);
    let files = vec![config.join("config.nu"), config.join("env.nu")];
    (files, vec![config.join("autoload"), data.join("vendor/autoload")])
}
