//! Souls: who investigates, as data (`agents.toml`): the instruction, the tools and the limits.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

static SOULS: LazyLock<BTreeMap<String, Soul>> =
    LazyLock::new(|| toml::from_str(include_str!("agents.toml")).expect("a test parses agents.toml"));

/// An agent's character.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Soul {
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

impl Soul {
    /// Returns the soul of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SOULS.get(name)
    }

    /// Returns all names, sorted.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SOULS.keys().map(String::as_str)
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
    fn souls_have_limits_and_existing_tools() {
        assert_eq!(Soul::names().collect::<Vec<_>>(), ["admin", "look"]);
        let registry = Registry::built_in();
        for soul in Soul::names().filter_map(Soul::named) {
            assert!((1..=50).contains(&soul.calls) && soul.about.ends_with('.'), "{}", soul.about);
            assert!(soul.tools.iter().all(|tool| registry.tool(tool).is_some()), "{:?}", soul.tools);
        }
        let look = Soul::named("look").unwrap();
        assert!(look.has("list_dir") && !look.has("environment"));
        assert!(Soul::named("none").is_none());
    }
}
