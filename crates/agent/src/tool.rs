//! Tools: their descriptions, parameters, risks and bounds, as data (`tools.toml`). What they do is the host's part.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::Call;

static BUILT_IN: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("tools.toml")).expect("a test parses tools.toml");
    file.tool
});

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Name.
    pub name: String,
    /// What it returns, in one sentence.
    pub about: String,
    /// Risk of a call.
    pub risk: ToolRisk,
    /// `true` if a call leaves the machine.
    #[serde(default)]
    pub external: bool,
    /// Maximum number of calls in one investigation.
    pub calls_max: usize,
    /// Maximum length of an observation in bytes.
    pub bytes_max: usize,
    /// Parameters.
    #[serde(default)]
    pub parameter: Vec<Parameter>,
}

/// A parameter of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Kind of its values.
    pub kind: Kind,
    /// What it says.
    pub about: String,
    /// `true` if it must be given.
    #[serde(default)]
    pub required: bool,
}

/// Kind of the values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A text.
    String,
    /// A whole number, 0 or more.
    Integer,
}

/// Risk of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolRisk {
    /// Shows names, sizes and states.
    Safe,
    /// Shows contents.
    Cautious,
    /// Needs consent each time.
    Confirm,
    /// Needs consent each time, and is hard to take back.
    Dangerous,
}

/// Whether a tool may be called, from the least strict to the strictest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Called without a question.
    #[default]
    Allow,
    /// Called after the person agreed.
    Ask,
    /// Never called.
    Deny,
}

impl Tool {
    /// Returns the JSON schema of the parameters.
    pub fn schema(&self) -> Value {
        let properties: Map<String, Value> = self.parameter.iter().map(Parameter::property).collect();
        let required: Vec<&str> =
            self.parameter.iter().filter(|one| one.required).map(|one| one.name.as_str()).collect();
        json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        })
    }

    /// Returns the tool on one line, as models see it.
    pub fn card(&self) -> String {
        let parameters: Vec<String> = self
            .parameter
            .iter()
            .map(|one| {
                let kind = if one.kind == Kind::String { "text" } else { "number" };
                let optional = if one.required { "" } else { ", optional" };
                format!("\"{}\": {kind}{optional} ({})", one.name, one.about)
            })
            .collect();
        format!("{} {{{}}} {}", self.name, parameters.join(", "), self.about)
    }

    /// Returns what is wrong with the parameters of a call.
    fn refuse(&self, call: &Call) -> Option<String> {
        let names =
            || self.parameter.iter().map(|one| format!("`{}`", one.name)).collect::<Vec<_>>().join(", ");
        for (key, value) in &call.parameters {
            let Some(parameter) = self.parameter.iter().find(|one| one.name == *key) else {
                let known = if self.parameter.is_empty() { "it takes none".into() } else { names() };
                return Some(format!("{} has no parameter `{key}`; {known}", self.name));
            };
            let is_fit = match parameter.kind {
                Kind::String => value.is_string(),
                Kind::Integer => call.number(key).is_some(),
            };
            if !is_fit {
                let kind = if parameter.kind == Kind::String { "a text" } else { "a number" };
                return Some(format!("`{key}` of {} must be {kind}", self.name));
            }
        }
        let missing =
            self.parameter.iter().find(|one| one.required && !call.parameters.contains_key(&one.name))?;
        Some(format!("{} needs `{}`: {}", self.name, missing.name, missing.about))
    }
}

impl Parameter {
    fn property(&self) -> (String, Value) {
        let kind = if self.kind == Kind::String { "string" } else { "integer" };
        (self.name.clone(), json!({"type": kind, "description": self.about}))
    }
}

/// Name of the tool that runs a line. It asks the person for each line, and has a setting of its own.
pub const RUN: &str = "run";

/// The tools of one investigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registry(Vec<Tool>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tool: Vec<Tool>,
}

impl Registry {
    /// Creates a registry of these tools.
    pub fn new(tools: Vec<Tool>) -> Self {
        Self(tools)
    }

    /// Returns all built-in tools.
    pub fn built_in() -> Self {
        Self(BUILT_IN.clone())
    }

    /// Returns the names of all built-in tools.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|tool| tool.name.as_str())
    }

    /// Returns the tools for which `is_kept` holds.
    pub fn only(mut self, is_kept: impl Fn(&Tool) -> bool) -> Self {
        self.0.retain(is_kept);
        self
    }

    /// Returns the tools, each with at most as many calls as `most` says.
    pub fn limited(mut self, most: impl Fn(&str) -> Option<usize>) -> Self {
        for tool in &mut self.0 {
            tool.calls_max = most(&tool.name).map_or(tool.calls_max, |most| most.min(tool.calls_max));
        }
        self
    }

    /// Returns the tools.
    pub fn tools(&self) -> &[Tool] {
        &self.0
    }

    /// Returns the tool of this name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.0.iter().find(|tool| tool.name == name)
    }

    /// Returns the tool of a call.
    ///
    /// # Errors
    /// What is wrong with the call, and how it is right.
    pub fn check(&self, call: &Call) -> Result<&Tool, String> {
        let Some(tool) = self.tool(&call.name) else {
            let names: Vec<&str> = self.0.iter().map(|tool| tool.name.as_str()).collect();
            return Err(format!("there is no tool `{}`; use one of {}", call.name, names.join(", ")));
        };
        tool.refuse(call).map_or(Ok(tool), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(call: &str) -> String {
        let call: Call = serde_json::from_str(call).unwrap();
        Registry::built_in().check(&call).map_or_else(|why| why, |_| String::new())
    }

    #[test]
    fn wrong_calls_are_refused_with_the_remedy() {
        for (call, said) in [
            (r#"{"name":"list_dir"}"#, ""),
            (r#"{"name":"list_dir","parameters":{"path":"src"}}"#, ""),
            (r#"{"name":"ports","parameters":{"port":"8080"}}"#, ""),
            (r#"{"name":"rm"}"#, "there is no tool `rm`; use one of list_dir, "),
            (r#"{"name":"list_dir","parameters":{"dir":"a"}}"#, "list_dir has no parameter `dir`; `path`"),
            (r#"{"name":"list_dir","parameters":{"path":1}}"#, "`path` of list_dir must be a text"),
            (r#"{"name":"ports","parameters":{"port":"http"}}"#, "`port` of ports must be a number"),
            (r#"{"name":"read_file"}"#, "read_file needs `path`: "),
            (r#"{"name":"snapshot","parameters":{"x":"y"}}"#, "snapshot has no parameter `x`; it takes none"),
        ] {
            let refused = refusal(call);
            assert!(refused.starts_with(said) && refused.is_empty() == said.is_empty(), "{call}: {refused}");
        }
    }

    #[test]
    fn every_tool_is_bounded_and_reads_only() {
        for tool in Registry::built_in().tools() {
            assert!(tool.risk <= ToolRisk::Cautious && !tool.external, "{}", tool.name);
            assert!(
                (1..=20).contains(&tool.calls_max) && (200..=16_000).contains(&tool.bytes_max),
                "{}",
                tool.name
            );
            assert!(tool.card().starts_with(&tool.name) && tool.about.ends_with('.'), "{}", tool.name);
        }
    }

    #[test]
    fn a_schema_names_what_is_required() {
        let registry = Registry::built_in();
        let schema = registry.tool("search_text").unwrap().schema();
        assert_eq!(schema["required"], json!(["text"]));
        assert_eq!(schema["properties"]["text"]["type"], "string");
    }
}
