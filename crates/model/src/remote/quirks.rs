//! Special requirements of some models and servers, read from `quirks.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

static TABLE: LazyLock<QuirkTable> = LazyLock::new(|| {
    toml::from_str(include_str!("quirks.toml")).expect("the quirks in the tree parse: a test checks that")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuirkTable {
    too_long: Vec<String>,
    no_tools: Vec<String>,
    model: Vec<ModelRow>,
    host: Vec<HostRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelRow {
    starts: Vec<String>,
    temperature: Option<bool>,
    limit: Option<String>,
    thinking: Option<usize>,
    effort: Option<String>,
    window: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HostRow {
    ends: String,
    usage: Option<bool>,
    key_header: Option<String>,
}

/// Request options of a model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quirks {
    /// `true` to request a temperature of 0.
    pub(super) temperature: bool,
    /// Field that limits an answer, in OpenAI's protocol.
    pub(super) limit: &'static str,
    /// Number of tokens for hidden reasoning, in addition to the answer's.
    pub(super) thinking: usize,
    /// Reasoning effort, if it can be set.
    pub(super) effort: Option<&'static str>,
    /// Context window in tokens, if it is small.
    pub(super) window: Option<usize>,
    /// `true` to request token counts.
    pub(super) usage: bool,
    /// Header for the key, if it is a special one.
    pub(super) key_header: Option<&'static str>,
}

impl Quirks {
    /// Returns the options for the model with this name on this host.
    pub(super) fn of(model: &str, host: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
        let row = TABLE.model.iter().find(|row| row.starts.iter().any(|start| name.starts_with(start)));
        let server = TABLE.host.iter().find(|row| host.ends_with(&row.ends));
        Self {
            temperature: row.and_then(|row| row.temperature).unwrap_or(true),
            limit: row.and_then(|row| row.limit.as_deref()).unwrap_or("max_tokens"),
            thinking: row.and_then(|row| row.thinking).unwrap_or(0),
            effort: row.and_then(|row| row.effort.as_deref()),
            window: row.and_then(|row| row.window),
            usage: server.and_then(|row| row.usage).unwrap_or(true),
            key_header: server.and_then(|row| row.key_header.as_deref()),
        }
    }
}

/// Reports whether a server's text means that the prompt is too long for the model.
pub(super) fn means_too_long(message: &str) -> bool {
    let message = message.to_lowercase();
    TABLE.too_long.iter().any(|words| message.contains(words))
}

/// Reports whether a server's text is about tools.
pub(super) fn names_tools(message: &str) -> bool {
    let message = message.to_lowercase();
    TABLE.no_tools.iter().any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_from_their_start() {
        let plain = Quirks::of("gpt-4o-mini", "api.openai.com");
        assert_eq!((plain.temperature, plain.limit, plain.thinking), (true, "max_tokens", 0));
        assert_eq!(plain, Quirks::of("a-model-called-o3", "127.0.0.1"));
        let thinker = Quirks::of("openai/GPT-5-mini", "openrouter.ai");
        assert_eq!(
            (thinker.temperature, thinker.limit, thinker.effort),
            (false, "max_completion_tokens", Some("low"))
        );
        assert_eq!(Quirks::of("gpt-5-chat-latest", "api.openai.com").thinking, 0);
        assert!(!Quirks::of("claude-opus-4-7", "api.anthropic.com").temperature);
        assert!(Quirks::of("claude-opus-4-5", "api.anthropic.com").temperature);
        assert_eq!(Quirks::of("tinyllama:1.1b", "localhost").window, Some(2048));
        assert!(!Quirks::of("codestral-latest", "api.mistral.ai").usage);
        assert_eq!(Quirks::of("x", "team.openai.azure.com").key_header, Some("api-key"));
    }

    #[test]
    fn rows_are_in_lower_case_and_none_hides_a_later_one() {
        for (at, row) in TABLE.model.iter().enumerate() {
            for start in &row.starts {
                assert_eq!(*start, start.to_lowercase());
                let hidden =
                    TABLE.model[..at].iter().flat_map(|row| &row.starts).find(|s| start.starts_with(*s));
                assert_eq!(hidden, None, "{start}");
            }
        }
        let words = TABLE.too_long.iter().chain(&TABLE.no_tools);
        assert!(words.into_iter().all(|words| *words == words.to_lowercase()));
    }
}
