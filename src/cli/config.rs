//! `askline config`: the settings in force and where each comes from.

use std::fmt::Write as _;

use super::args::{self, ConfigCommand};
use super::{Desk, Exit, print};

pub(super) fn run(args: &args::Config, desk: &Desk) -> anyhow::Result<Exit> {
    let file = &desk.paths.config_file;
    match args.command {
        ConfigCommand::Path => print(&format!("{}\n", file.display()))?,
        ConfigCommand::Show => {
            let (config, settings) = desk.settings()?;
            let mut text = format!("# {}\n", file.display());
            writeln!(text, "# the model in use: {}", config.model)?;
            if let Some(file) = &config.model_file {
                writeln!(text, "# its file: {} (ASKLINE_MODEL_FILE)", file.display())?;
            }
            for setting in settings {
                writeln!(
                    text,
                    "{:<44} # {}",
                    format!("{} = {}", setting.key, setting.value),
                    setting.origin
                )?;
            }
            print(&text)?;
        }
    }
    Ok(Exit::Done)
}
