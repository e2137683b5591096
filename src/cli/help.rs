//! `askline help`: a text on a topic, or the help of a subcommand.

use std::iter;

use clap::{Command, CommandFactory as _};

use super::args::Cli;
use super::topics::TOPICS;
use super::{Exit, print};
use askline_model::failure::UsageError;

/// Maximum number of letters by which a word may differ from the name that was meant.
const SLIP_MAX: usize = 2;

pub(super) fn run(words: &[String]) -> anyhow::Result<Exit> {
    let topic = TOPICS.iter().find(|topic| words.len() == 1 && words.iter().all(|word| word == topic.name));
    if let Some(topic) = topic {
        print(&format!("{}{}", topic.text, topic.below))?;
        return Ok(Exit::Done);
    }
    let program = Cli::command();
    let mut command = &program;
    for word in words {
        command = command.find_subcommand(word).ok_or_else(|| UsageError(unknown(word, command)))?;
    }
    // clap prints a help text only where it parses the arguments that ask for it.
    let arguments = iter::once("askline").chain(words.iter().map(String::as_str)).chain(["--help"]);
    if let Err(help) = Cli::command().try_get_matches_from(arguments) {
        print(&help.to_string())?;
    }
    Ok(Exit::Done)
}

/// Returns the message about a word that is neither topic nor subcommand, with the nearest one that is.
fn unknown(word: &str, command: &Command) -> String {
    let names = TOPICS.iter().map(|topic| topic.name).chain(command.get_subcommands().map(Command::get_name));
    let near = names.filter(|name| strsim::osa_distance(word, name) <= SLIP_MAX);
    let near = near.min_by_key(|name| strsim::osa_distance(word, name));
    let meant = near.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
    let topics = TOPICS.map(|topic| topic.name).join(", ");
    format!(
        "there is no help on `{word}`; {meant}the topics are {topics}, the subcommands are in `askline --help`"
    )
}
