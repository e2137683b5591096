//! `askline config`: the settings in force and where each comes from.

use std::fmt::Write as _;

use super::args::{self, ConfigCommand};
use super::{Desk, Exit, one_line, print, print_path};

pub(super) fn run(args: &args::Config, desk: &Desk) -> anyhow::Result<Exit> {
    let file = &desk.paths.config_file;
    match args.command {
        ConfigCommand::Path => print_path(file)?,
        ConfigCommand::Show => {
            let (config, settings) = desk.settings()?;
            let mut text = format!("# {}\n", one_line(&file.to_string_lossy()));
            writeln!(text, "# the model in use: {}", one_line(&config.model.to_string()))?;
            if let Some(file) = &config.model_file {
                writeln!(text, "# its file: {} (ASKLINE_MODEL_FILE)", one_line(&file.to_string_lossy()))?;
            }
            for setting in settings {
                writeln!(
                    text,
                    "{:<44} # {}",
                    one_line(&format!("{} = {}", setting.key, setting.value)),
                    one_line(&setting.origin.to_string())
                )?;
            }
            print(&text)?;
        }
    }
    Ok(Exit::Done)
}
