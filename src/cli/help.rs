//! `askline help`: a text on a topic, or the help of a subcommand.

use std::iter;

use clap::CommandFactory as _;

use super::args::Cli;
use super::topics::TOPICS;
use super::{Exit, print};
use askline_model::failure::UsageError;

pub(super) fn run(words: &[String]) -> anyhow::Result<Exit> {
    let topic = TOPICS.iter().find(|topic| words.len() == 1 && words.iter().all(|word| word == topic.name));
    if let Some(topic) = topic {
        print(&format!("{}{}", topic.text, topic.below))?;
        return Ok(Exit::Done);
    }
    let program = Cli::command();
    let mut command = &program;
    for word in words {
        command = command.find_subcommand(word).ok_or_else(|| {
            let topics = TOPICS.map(|topic| topic.name).join(", ");
            UsageError(format!(
                "there is no help on `{word}`; the topics are {topics}, the subcommands are in `askline --help`"
            ))
        })?;
    }
    // clap prints a help text only where it parses the arguments that ask for it.
    let arguments = iter::once("askline").chain(words.iter().map(String::as_str)).chain(["--help"]);
    if let Err(help) = Cli::command().try_get_matches_from(arguments) {
        print(&help.to_string())?;
    }
    Ok(Exit::Done)
}
