//! `askline completions`: shell completions of this program, generated from its arguments.
//!
//! A test checks that the files in `completions/` match this output.

use clap::{Command, CommandFactory as _};

use super::args::Cli;
use super::{Exit, print, shell_integration};
use askline_syntax::shell::Shell;

pub(super) fn run(shell: Shell) -> anyhow::Result<Exit> {
    let mut command = without_hidden(&Cli::command());
    let mut script = Vec::new();
    (shell_integration::of(shell).completions)(&mut command, &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
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
