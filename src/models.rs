//! The models that can be installed, those that are, and how one gets here.

use crate::config::{Config, ModelChoice};
use crate::host::Host;
use crate::model::Model;
use crate::model::scripted::Scripted;
use crate::store::Paths;

/// Largest script that is read.
const SCRIPT_LIMIT: u64 = 1 << 20;

/// Opens the model that the configuration names. Cheap: weights are read when it is first asked.
///
/// # Errors
/// [`crate::suggestion::Failure::NoModel`] with what to run when it isn't installed.
pub fn open(config: &Config, host: &dyn Host, paths: &Paths) -> anyhow::Result<Box<dyn Model>> {
    match &config.model {
        ModelChoice::Scripted(file) => {
            let text = host.read(file, SCRIPT_LIMIT)?;
            Ok(Box::new(Scripted::parse(file, &String::from_utf8_lossy(&text))?))
        }
        ModelChoice::Local(name) => {
            let file = host.env("ASKLINE_MODEL_FILE").map(std::path::PathBuf::from).unwrap_or_default();
            Ok(Box::new(crate::model::local::Local::new(name.clone(), file, paths.cache.join("states"), config.threads)))
        }
    }
}
