//! A request and the command that answers it: an example for a model.

use serde::{Deserialize, Serialize};

/// A request and its command; one row of `prompt/solved-*.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solved {
    /// Request of the user.
    pub request: String,
    /// Command, one line.
    pub command: String,
}
