//! `askline man`: the man pages of this program, generated from its arguments.
//!
//! A test checks that the files in `man/` match this output.

use anyhow::Context as _;
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::args::Cli;
use super::{Exit, print};
use askline_model::failure::UsageError;

/// Prints the page of the program, or of the subcommand that the words name.
pub(super) fn run(words: &[String]) -> anyhow::Result<Exit> {
    let mut command = Cli::command();
    command.build();
    let mut page = &command;
    for word in words {
        page = page
            .find_subcommand(word)
            .filter(|found| !found.is_hide_set())
            .ok_or_else(|| UsageError(format!("there is no page for `{word}`; see `askline help`")))?;
    }
    print(&rendered(page)?)?;
    Ok(Exit::Done)
}

/// Returns the page of a command as roff.
fn rendered(command: &Command) -> anyhow::Result<String> {
    let man = Man::new(command.clone()).source(concat!("askline ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.get_subcommands().any(|below| !below.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    let help = command.get_after_long_help().or_else(|| command.get_after_help());
    if let Some(help) = help {
        blocks(&help.to_string()).to_writer(&mut page)?;
    }
    String::from_utf8(page).context("a page is not UTF-8")
}

/// Returns what stands below the options as sections of their own: a line that ends in a colon is a heading, and
/// indented lines stay as they are.
fn blocks(text: &str) -> Roff {
    let mut roff = Roff::new();
    for block in text.split("\n\n") {
        let (heading, body) = match block.split_once(":\n") {
            Some((heading, body)) if !heading.contains('\n') => (Some(heading), body),
            _ => (None, block),
        };
        match heading {
            Some(heading) => {
                roff.control("SH", [heading.to_uppercase().as_str()]);
                roff.control("nf", []);
                for line in body.lines() {
                    roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
                }
                roff.control("fi", []);
            }
            None => {
                roff.control("PP", []);
                roff.text([roman(body)]);
            }
        }
    }
    roff
}
