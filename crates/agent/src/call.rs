//! A call of a tool, and what came of it.

use askline_syntax::clean::{one_line, shortened};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum length of a headline, in characters.
const HEADLINE_CHARS_MAX: usize = 160;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Name of the tool.
    pub name: String,
    /// Parameters by name. Models that were trained on tools write `arguments`.
    #[serde(default, alias = "arguments")]
    pub parameters: Map<String, Value>,
}

impl Call {
    /// Returns the call on one line, `name key=value …`, the same for the same call.
    pub fn signature(&self) -> String {
        let parameters = self.parameters.iter().map(|(key, value)| match value {
            Value::String(text) => format!(" {key}={}", one_line(text)),
            other => format!(" {key}={other}"),
        });
        format!("{}{}", one_line(&self.name), parameters.collect::<String>())
    }

    /// Returns a parameter that is a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.parameters.get(key)?.as_str()
    }

    /// Returns a parameter that is a number, also if it is written as a text.
    pub fn number(&self, key: &str) -> Option<u64> {
        let value = self.parameters.get(key)?;
        value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
    }
}

/// What a tool saw. The text is untrusted: anyone who can name a file or a process writes part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// What was seen, line by line.
    pub text: String,
    /// The same in one line.
    pub headline: String,
    /// `true` if the tool failed; the text says why.
    pub is_error: bool,
    /// `true` if there was more than the tool may return.
    pub is_cut: bool,
}

impl Observation {
    /// Creates an observation of these lines.
    pub fn seen(headline: &str, text: String, is_cut: bool) -> Self {
        Self { headline: shortened(&one_line(headline), HEADLINE_CHARS_MAX), text, is_error: false, is_cut }
    }

    /// Creates the observation of a failure.
    pub fn failed(why: &str) -> Self {
        let why = shortened(&one_line(why), HEADLINE_CHARS_MAX);
        Self { text: why.clone(), headline: why, is_error: true, is_cut: false }
    }
}
