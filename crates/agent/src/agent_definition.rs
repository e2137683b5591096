//! Agents: who investigates, as data (`agents.toml`): the instruction, the tools and the limits.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

static AGENTS: LazyLock<BTreeMap<String, AgentDefinition>> =
    LazyLock::new(|| toml::from_str(include_str!("agents.toml")).expect("a test parses agents.toml"));

/// An agent's character.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentDefinition {
    /// What it is for, in one sentence.
    pub about: String,
    /// Instruction to the model.
    pub prompt: String,
    /// Names of its tools; empty for all.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Maximum number of looks.
    pub calls: usize,
}

impl AgentDefinition {
    /// Returns the definition of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        AGENTS.get(name)
    }

    /// Returns all names, sorted.
    pub fn names() -> impl Iterator<Item = &'static str> {
        AGENTS.keys().map(String::as_str)
    }

    /// Reports whether it has this tool.
    pub fn has(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|name| name == tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Registry;

    #[test]
    fn agents_have_limits_and_existing_tools() {
        assert_eq!(AgentDefinition::names().collect::<Vec<_>>(), ["admin", "look"]);
        let registry = Registry::built_in();
        for definition in AgentDefinition::names().filter_map(AgentDefinition::named) {
            assert!(
                (1..=50).contains(&definition.calls) && definition.about.ends_with('.'),
                "{}",
                definition.about
            );
            assert!(
                definition.tools.iter().all(|tool| registry.tool(tool).is_some()),
                "{:?}",
                definition.tools
            );
        }
        let look = AgentDefinition::named("look").unwrap();
        assert!(look.has("list_dir") && !look.has("environment"));
        assert!(AgentDefinition::named("none").is_none());
    }
}
