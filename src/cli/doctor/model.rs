//! Check of the configured model.

use std::io::{self, IsTerminal as _};

use super::super::{AppContext, print_message};
use super::{Finding, fault, fine, servers, warning};
use crate::config::{Config, ModelChoice};
use crate::models::{self, Purpose};
use askline_model::install::manifest::Manifest;
use askline_model::install::{self, megabytes};
use askline_model::local;
use askline_model::memory;

/// Checks the configured model: installed, complete, and enough memory.
pub(super) fn model(config: &Config, app: &AppContext) -> Finding {
    let (host, paths) = (&app.host, &app.paths);
    let name = match &config.model {
        ModelChoice::Local(name) => name,
        ModelChoice::Remote(remote) => return servers::server("model", remote, host),
        ModelChoice::Scripted(_) => {
            return match models::open(config, host, paths, Purpose::Batch) {
                Ok(model) => warning(
                    "model",
                    format!("{}, which replays a file", model.source()),
                    "to use a real model, unset ASKLINE_MODEL or choose another profile",
                ),
                // The message ends with the remedy.
                Err(error) => fault("model", format!("{error:#}"), ""),
            };
        }
    };
    if !cfg!(feature = "local-model") {
        let text = format!("{name} can't run: this program was built without the embedded model");
        return fault("model", text, "install askline with its feature local-model, or use another profile");
    }
    let entry = Manifest::load(host, paths).and_then(|manifest| Ok(manifest.find(name)?.clone()));
    let entry = entry.ok().filter(|_| config.model_file.is_none());
    if let Some(entry) = &entry {
        if io::stderr().is_terminal() {
            print_message("verifying the model's checksum …");
        }
        // The result is recorded, and read just below.
        let _ = install::check(entry, paths, &mut |_| {});
    }
    // Its messages end with the remedy.
    let installed = match install::installed(name, config.model_file.as_deref(), host, paths) {
        Ok(installed) => installed,
        Err(error) => return fault("model", format!("{error:#}"), ""),
    };
    let gpu = local::gpus().into_iter().next().filter(|_| config.gpu);
    // Weights on a graphics processor are not rearranged.
    let may_rearrange = gpu.is_none() && !config.saves_memory;
    let computes = gpu.map(|name| format!(", computes on {name}")).unwrap_or_default();
    let text = format!("{} in {}{computes}", installed.name, installed.path.display());
    match entry.zip(memory::free(host)) {
        Some((entry, free)) if free < entry.memory => warning(
            "model",
            format!("{text} needs {}, and {} are free", megabytes(entry.memory), megabytes(free)),
            "close other programs, or use a smaller model: `askline model list`",
        ),
        Some((entry, _)) => {
            let more = if may_rearrange && memory::is_ample(host, entry.memory) {
                format!(" and {} more for speed (`memory = \"low\"` saves that)", megabytes(entry.size))
            } else {
                String::new()
            };
            fine("model", format!("{text}, intact, takes {} of memory{more}", megabytes(entry.memory)))
        }
        None => fine("model", text),
    }
}
