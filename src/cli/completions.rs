//! `askline completions`: shell completions of this program, generated from its arguments.
//!
//! A test checks that the files in `completions/` match this output.

use clap::{Command, CommandFactory as _};
use clap_complete::Shell as ClapShell;
use clap_complete_nushell::Nushell;

use super::args::Cli;
use super::{Exit, print};
use askline_syntax::shell::Shell;

pub(super) fn run(shell: Shell) -> anyhow::Result<Exit> {
    let mut command = without_hidden(&Cli::command());
    let mut script = Vec::new();
    match shell {
        Shell::Bash => clap_complete::generate(ClapShell::Bash, &mut command, "askline", &mut script),
        Shell::Zsh => clap_complete::generate(ClapShell::Zsh, &mut command, "askline", &mut script),
        Shell::Fish => {
            clap_complete::generate(ClapShell::Fish, &mut command, "askline", &mut script);
            script.extend(values_for_fish(&command).bytes());
        }
        Shell::Nu => clap_complete::generate(Nushell, &mut command, "askline", &mut script),
    }
    print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}

/// Returns the parts that fish's generator leaves out: the words that may follow a subcommand, such as the names of
/// shells and models.
fn values_for_fish(command: &Command) -> String {
    let mut lines = String::new();
    for subcommand in command.get_subcommands() {
        let condition = format!("__fish_askline_using_subcommand {}", subcommand.get_name());
        lines.push_str(&values_of(subcommand, &condition));
        for below in subcommand.get_subcommands() {
            let condition = format!("{condition}; and __fish_seen_subcommand_from {}", below.get_name());
            lines.push_str(&values_of(below, &condition));
        }
    }
    lines
}

fn values_of(command: &Command, condition: &str) -> String {
    let names = command.get_positionals().flat_map(|positional| positional.get_possible_values());
    let names: Vec<String> =
        names.filter(|value| !value.is_hide_set()).map(|value| value.get_name().to_owned()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("complete -c askline -n \"{condition}\" -f -a \"{}\"\n", names.join(" ")),
    }
}

/// Returns the command without hidden subcommands, which generators would offer.
fn without_hidden(command: &Command) -> Command {
    Command::new("askline")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .disable_help_subcommand(true)
        .args(command.get_arguments().cloned())
        .subcommands(command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned())
}
