//! The embedded model's place in builds without the feature `local-model`.

#[path = "local/needs.rs"]
pub mod needs;

use std::path::PathBuf;

use super::{Model, Reply};
use crate::failure::Failure;
use crate::patience::Patience;
use crate::prompt::Prompt;

/// Stands for the embedded model and says that this build has none.
#[derive(Debug)]
pub struct Local {
    name: String,
}

/// Nothing to do.
pub fn at_start() {}

impl Local {
    /// Remembers the name, for messages.
    pub fn new(name: String, _file: PathBuf, _states: PathBuf, _room: u32, _threads: Option<usize>) -> Self {
        Self { name }
    }

    /// Nothing to give back.
    pub fn rest(&mut self) {}

    /// Never known, as nothing is ever loaded.
    ///
    /// # Errors
    /// None.
    pub fn needs(&self) -> anyhow::Result<Option<needs::Needs>> {
        Ok(None)
    }

    fn missing() -> Failure {
        Failure::NoModel(
            "this build has no embedded model; build it with the feature `local-model`".to_owned(),
        )
    }
}

impl Model for Local {
    fn source(&self) -> String {
        format!("local:{}", self.name)
    }

    fn prepare(&mut self, _: &str, _: &Patience) -> anyhow::Result<()> {
        Err(Self::missing().into())
    }

    fn complete(&mut self, _: &Prompt, _: usize, _: &Patience) -> anyhow::Result<Reply> {
        Err(Self::missing().into())
    }
}
