//! `askline init`: prints the script that binds the key in a shell.
//!
//! The scripts are real files in `shell/`. Each reads a few settings that precede it. This file writes those
//! settings, quoted for the shell, and leaves the scripts unchanged.

use std::env;
use std::io::{self, IsTerminal as _};

use anyhow::Context as _;

use super::args::{Init, Switch};
use super::key::BoundKey;
use super::{AppContext, Exit, print, tell};
use askline_host::find_on_path;
use askline_host::local::LocalHost;
use askline_model::failure::UsageError;
use askline_syntax::shell::Shell;

/// Part of Nushell's script for ghost text.
const GHOST_NU: &str = include_str!("../../shell/askline-ghost.nu");
/// First Nushell version that can draw ghost text as soon as it arrives.
const INLINE_NU: (u32, u32) = (0, 115);

/// Name of this program on the PATH.
const NAME: &str = "askline";

/// Prints the script for a shell; on a terminal also the instructions to load it.
pub(super) fn run(args: &Init, _desk: &AppContext) -> anyhow::Result<Exit> {
    if args.menu_key.is_some_and(|menu| menu == args.key && menu != BoundKey::None) {
        return Err(
            UsageError(format!("{} is the key of the line; choose another --menu-key", args.key)).into()
        );
    }
    print(&script(args, &program()?))?;
    if args.shell == Shell::Nu && is_inline(args) {
        inline_in(std::env::var("NU_VERSION").ok().as_deref()).into_iter().for_each(tell);
    }
    let is_read = io::stdout().is_terminal();
    if is_read {
        tell(how_to_load(args.shell));
    }
    // A person saves Nushell's script once. The other scripts are read by each new shell, which must be silent.
    if is_read || args.shell == Shell::Nu && io::stderr().is_terminal() {
        tell(&worth_knowing(args));
    }
    Ok(Exit::Done)
}

/// Returns a warning if this version of Nushell cannot draw ghost text.
fn inline_in(version: Option<&str>) -> Option<&'static str> {
    let mut numbers = version?.split('.').map_while(|number| number.parse::<u32>().ok());
    ((numbers.next()?, numbers.next()?) < INLINE_NU).then_some(
        "askline: this Nushell can't draw ghost text when it comes, so nothing is completed inline; install 0.115 or newer",
    )
}

/// Returns the first line of every printed script. Nushell's script is saved to a file, which can become outdated:
/// `askline doctor` compares the versions.
pub(super) fn stamp(shell: Shell) -> String {
    format!("# askline init {shell}, version {}", env!("CARGO_PKG_VERSION"))
}

/// Returns the line that loads the script in every new shell.
pub(super) fn how_to_load(shell: Shell) -> &'static str {
    match shell {
        Shell::Zsh => r#"to load it in every zsh, add this line to ~/.zshrc: eval "$(askline init zsh)""#,
        Shell::Bash => r#"to load it in every bash, add this line to ~/.bashrc: eval "$(askline init bash)""#,
        Shell::Fish => {
            "to load it in every fish, add this line to ~/.config/fish/config.fish: askline init fish | source"
        }
        Shell::Nu => concat!(
            "to load it in every Nushell, run: let to = $nu.data-dir | path join vendor autoload; mkdir $to; ",
            "askline init nu | save -f ($to | path join askline.nu)"
        ),
    }
}

/// Returns hints that users need: other effects of the script, and limitations of the shell.
fn worth_knowing(args: &Init) -> String {
    let worth = match args.shell {
        Shell::Zsh => "undo takes the rewriting back; words with an apostrophe need quotes after `ask`",
        Shell::Bash => concat!(
            "bash itself expands ? and * after `ask`, so quote the words, or press the key instead; ",
            "inside a continued command (a prompt of >) the key rewrites the last row only"
        ),
        Shell::Fish => concat!(
            "fish itself expands ? and * after `ask` and refuses what matches nothing, ",
            "so quote the words, or press the key instead"
        ),
        Shell::Nu if args.key == BoundKey::Ctrl('g') => {
            "ctrl-z pressed twice takes the rewriting back; redo, which was ctrl-g, is alt-shift-z now"
        }
        Shell::Nu => "ctrl-z pressed twice takes the rewriting back",
    };
    match menu_key(args) {
        key if args.shell == Shell::Nu && key != BoundKey::None => {
            format!("worth knowing: {key} lists the suggestions, each with its risk; {worth}")
        }
        _ => format!("worth knowing: {worth}"),
    }
}

/// Returns the command with which scripts call this program: the name if the PATH leads to this very file, otherwise
/// the path.
fn program() -> anyhow::Result<String> {
    let this = env::current_exe().and_then(|path| path.canonicalize()).context("this program has no path")?;
    let named = find_on_path(&LocalHost, NAME).and_then(|path| path.canonicalize().ok());
    if named.as_ref() == Some(&this) {
        return Ok(NAME.to_owned());
    }
    let path = this.to_str().filter(|path| !path.chars().any(char::is_control));
    path.map(str::to_owned)
        .context("the path of this program can't be written in a script; put its directory on the PATH")
}

fn script(args: &Init, program: &str) -> String {
    let shell = args.shell;
    let text = match shell {
        Shell::Zsh => include_str!("../../shell/askline.zsh"),
        Shell::Bash => include_str!("../../shell/askline.bash"),
        Shell::Fish => include_str!("../../shell/askline.fish"),
        Shell::Nu => include_str!("../../shell/askline.nu"),
    };
    format!("{}\n{}\n{text}", stamp(shell), settings(args, program))
}

/// Returns the settings that a script reads: program, key and its escape sequences, whether to override an existing
/// binding, and whether to complete inline.
fn settings(args: &Init, program: &str) -> String {
    let &Init { shell, key, force, .. } = args;
    let inline = u8::from(is_inline(args));
    let program = quote(shell, program);
    let spellings: Vec<String> =
        key.sequences(shell).iter().map(|sequence| quote(Shell::Bash, sequence)).collect();
    let spellings = spellings.join(" ");
    match shell {
        Shell::Zsh => format!(
            "__askline_program={program} __askline_key={key} __askline_force={} __askline_inline={inline}\n\
             __askline_keys=({spellings})",
            u8::from(force)
        ),
        Shell::Bash => format!(
            "__askline_program={program} __askline_key={key} __askline_force={}\n__askline_keys=({spellings})",
            u8::from(force)
        ),
        Shell::Fish => {
            let spelling = match key {
                // fish 4 identifies function keys by name alone, fish 3 by name after -k.
                BoundKey::Function(_) => {
                    format!("(string match -q '3.*' -- $version; and echo -- -k; echo {key})")
                }
                _ => key.sequences(shell).concat(),
            };
            format!(
                "set -g __askline_program {program}\nset -g __askline_key {key}\n\
                 set -g __askline_force {}\nset -g __askline_inline {inline}\nset -g __askline_keys {spelling}",
                u8::from(force)
            )
        }
        Shell::Nu => {
            // Nushell evaluates this text only when it is used, because older versions cannot parse it. Nushell ends
            // a raw string at a # that it begins with.
            let inline = if is_inline(args) { format!("\n{GHOST_NU}") } else { String::new() };
            let inline = quote(shell, &inline);
            format!(
                "const __askline = {{program: {program}, force: {force}, key: {}, menu: {}}}\n\
                 const __askline_inline = {inline}",
                nu_key(key),
                nu_key(menu_key(args))
            )
        }
    }
}

/// Returns a key as the record that Nushell's script reads.
fn nu_key(key: BoundKey) -> String {
    let (modifier, keycode) = match key {
        BoundKey::Ctrl(letter) => ("control", format!("char_{letter}")),
        BoundKey::Alt(letter) => ("alt", format!("char_{letter}")),
        BoundKey::Function(n) => ("none", format!("f{n}")),
        BoundKey::None => ("none", String::new()),
    };
    format!("{{name: '{key}', modifier: '{modifier}', keycode: '{keycode}'}}")
}

/// Returns the key of the menu: alt-g if it is free, and none if no key is wanted.
fn menu_key(args: &Init) -> BoundKey {
    args.menu_key.unwrap_or(match args.key {
        BoundKey::None => BoundKey::None,
        BoundKey::Alt('g') => BoundKey::Alt('a'),
        _ => BoundKey::Alt('g'),
    })
}

/// Reports whether words after a # are completed inline.
fn is_inline(args: &Init) -> bool {
    args.inline.map_or(args.shell != Shell::Nu, |inline| inline == Switch::On)
}

/// Quotes `text`, which has no control characters, as one word of the shell.
fn quote(shell: Shell, text: &str) -> String {
    match shell {
        Shell::Zsh | Shell::Bash => format!("'{}'", text.replace('\'', r"'\''")),
        Shell::Fish => format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'")),
        Shell::Nu => {
            // A raw string ends at a quote with as many # as it began with.
            let mut fence = "#".to_owned();
            while text.contains(&format!("'{fence}")) {
                fence.push('#');
            }
            format!("r{fence}'{text}'{fence}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_quoted_for_each_shell() {
        let path = r"/opt/it's $HOME\'# a`b`";
        assert_eq!(quote(Shell::Bash, path), r"'/opt/it'\''s $HOME\'\''# a`b`'");
        assert_eq!(quote(Shell::Fish, path), r"'/opt/it\'s $HOME\\\'# a`b`'");
        assert_eq!(quote(Shell::Nu, path), r"r##'/opt/it's $HOME\'# a`b`'##");
    }

    #[test]
    fn the_script_follows_its_stamp_and_settings() {
        for shell in Shell::ALL {
            let args = Init {
                shell,
                key: BoundKey::Alt('a'),
                force: true,
                menu_key: None,
                inline: Some(Switch::On),
            };
            let text = script(&args, NAME);
            assert!(text.starts_with(&stamp(shell)), "{text}");
            assert!(text.contains("alt-a"), "{text}");
        }
    }
}
