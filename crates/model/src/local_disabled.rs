//! Replacement of the embedded model in builds without the feature `local-model`.

#[path = "local/needs.rs"]
pub mod needs;

use std::path::PathBuf;

use super::{Model, Reply};
use crate::adapter::Adapter;
use crate::failure::Failure;
use crate::prompt::Prompt;
use crate::request_control::RequestControl;

/// Placeholder for the embedded model; every request fails with an explanation.
#[derive(Debug)]
pub struct Local {
    name: String,
}

/// Does nothing.
pub fn at_start() {}

/// Returns `None`: nothing computes.
pub fn loaded_kernels() -> Option<&'static str> {
    None
}

/// The kernels that such a build does not have.
pub mod kernels {
    /// Returns `None`.
    pub fn fitting() -> Option<&'static str> {
        None
    }

    /// Returns `None`.
    pub fn lacking() -> Option<&'static str> {
        None
    }
}

/// Returns no graphics processor.
pub fn gpus() -> Vec<String> {
    Vec::new()
}

impl Local {
    /// Keeps the name for messages.
    pub fn new(name: String, _file: PathBuf, _states: PathBuf, _room: u32, _threads: Option<usize>) -> Self {
        Self { name }
    }

    /// Returns itself.
    pub fn adapted(self, _: Option<Adapter>) -> Self {
        self
    }

    /// Returns itself.
    pub fn rearranged(self, _: bool) -> Self {
        self
    }

    /// Returns itself.
    pub fn on_gpu(self, _: bool) -> Self {
        self
    }

    /// Returns itself.
    pub fn early(self) -> Self {
        self
    }

    /// Returns the same placeholder.
    pub fn guarded(self) -> Box<dyn Model> {
        Box::new(self)
    }

    /// Does nothing.
    pub fn rest(&mut self) {}

    /// Returns `None`: nothing is ever loaded.
    ///
    /// # Errors
    ///
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

    fn prepare(&mut self, _: &str, _: &RequestControl) -> anyhow::Result<()> {
        Err(Self::missing().into())
    }

    fn complete(&mut self, _: &Prompt, _: usize, _: &RequestControl) -> anyhow::Result<Reply> {
        Err(Self::missing().into())
    }
}
