//! `askline config`: the effective settings with their origins.

use std::fmt::Write as _;

use super::args::{self, ConfigCommand};
use super::{AppContext, Exit, one_line, print, print_path};
use crate::config::Setting;
use askline_host::Host as _;

/// Maximum length in characters of a setting that widens the column for all.
const ALIGNED_LIMIT: usize = 80;

pub(super) fn run(args: &args::Config, app: &AppContext) -> anyhow::Result<Exit> {
    let file = &app.paths.config_file;
    match args.command {
        ConfigCommand::Path => print_path(file)?,
        ConfigCommand::Show => {
            let (config, settings) = app.settings()?;
            let note =
                if app.host.entry(file).is_some() { "" } else { " (no such file: the defaults apply)" };
            let mut text = format!("# {}{note}\n", one_line(&file.to_string_lossy()));
            let named = |name: &str| app.host.env(name).is_some_and(|value| !value.is_empty());
            let by = if named("ASKLINE_MODEL") { " (ASKLINE_MODEL)" } else { "" };
            writeln!(text, "# the model in use: {}{by}", one_line(&config.model.to_string()))?;
            if let Some(file) = &config.model_file {
                writeln!(text, "# its file: {} (ASKLINE_MODEL_FILE)", one_line(&file.to_string_lossy()))?;
            }
            let rows: Vec<(String, String)> = settings
                .iter()
                .map(|Setting { key, value, origin }| {
                    (one_line(&format!("{key} = {value}")), one_line(&origin.to_string()))
                })
                .collect();
            let widths = rows.iter().map(|(setting, _)| setting.chars().count());
            let width = widths.filter(|width| *width <= ALIGNED_LIMIT).max().unwrap_or(0);
            for (setting, origin) in rows {
                writeln!(text, "{setting:<width$}  # {origin}")?;
            }
            print(&text)?;
        }
    }
    Ok(Exit::Done)
}
