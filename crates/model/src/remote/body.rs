//! Request bodies of each protocol. Fields have a fixed order, so users and tests see the same bytes each time.

use serde::Serialize;

use super::chat_messages::ChatMessages;
use super::quirks::Quirks;
use super::tool_messages::{Entry, Message, Offered, entries, offered};
use crate::server::Protocol;

/// Context window to request from Ollama for a long prompt; Ollama silently truncates a prompt that exceeds its
/// own default.
const OLLAMA_WINDOW: usize = 8192;
/// A prompt of at most this many tokens fits Ollama's smallest default window, answer included.
const OLLAMA_SHORT: usize = 1024;
/// Stop texts of a text completion: an empty line, or the start of the next request.
const STOPS: &[&str] = &["\n\n", "\n#"];

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct OpenAi<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<Entry<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Offered<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a [&'a str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct Anthropic<'a> {
    model: &'a str,
    max_tokens: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
    system: &'a str,
    messages: Vec<Entry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Offered<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice<'a>>,
    stream: bool,
}

#[derive(Serialize)]
struct Ollama<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<Entry<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Offered<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<bool>,
    options: OllamaOptions<'a>,
    stream: bool,
}

#[derive(Serialize)]
struct OllamaOptions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
    num_predict: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a [&'a str]>,
}

/// Choice of tools in Anthropic's protocol.
#[derive(Serialize)]
struct ToolChoice<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    disable_parallel_tool_use: bool,
}

/// Returns the body that asks `model` for an answer of at most `max_tokens`.
pub(super) fn body(
    protocol: Protocol,
    model: &str,
    messages: &ChatMessages<'_>,
    max_tokens: usize,
    quirks: &Quirks,
) -> anyhow::Result<String> {
    let temperature = quirks.temperature.then_some(0);
    let limit = max_tokens + quirks.thinking;
    let (system, turns, text) = match messages {
        ChatMessages::Turns { system, turns } => {
            let plain = turns.iter().map(|(who, content)| Message { role: who.name(), content });
            (system.as_str(), plain.map(Entry::Plain).collect(), None)
        }
        ChatMessages::Talk(talk) => (talk.system.as_str(), entries(protocol, talk), None),
        ChatMessages::Text(text) => ("", Vec::new(), Some(text.as_str())),
    };
    let tools = match messages {
        ChatMessages::Talk(talk) => Some(offered(protocol, &talk.tools)),
        ChatMessages::Turns { .. } | ChatMessages::Text(_) => None,
    };
    let with_system = |turns: Vec<_>| {
        let first = Entry::Plain(Message { role: "system", content: system });
        text.is_none().then(|| std::iter::once(first).chain(turns).collect())
    };
    let stop = text.map(|_| STOPS);
    let json = match protocol {
        Protocol::OpenAi => serde_json::to_string(&OpenAi {
            model,
            messages: with_system(turns),
            // Models that take no temperature refuse this field, too. Only the first call of several counts.
            parallel_tool_calls: tools.as_ref().and(quirks.temperature.then_some(false)),
            tools,
            prompt: text,
            stop,
            temperature,
            max_tokens: (quirks.limit == "max_tokens").then_some(limit),
            max_completion_tokens: (quirks.limit != "max_tokens").then_some(limit),
            reasoning_effort: quirks.effort,
            stream: true,
            stream_options: quirks.usage.then_some(StreamOptions { include_usage: true }),
        }),
        Protocol::Anthropic => serde_json::to_string(&Anthropic {
            model,
            max_tokens: limit,
            temperature,
            system,
            messages: turns,
            tool_choice: tools.as_ref().map(|_| ToolChoice { kind: "auto", disable_parallel_tool_use: true }),
            tools,
            stream: true,
        }),
        Protocol::Ollama => serde_json::to_string(&Ollama {
            model,
            messages: with_system(turns),
            tools,
            prompt: text,
            raw: text.map(|_| true),
            options: OllamaOptions {
                temperature,
                num_predict: limit,
                num_ctx: (OLLAMA_SHORT < messages.tokens()).then(|| quirks.window.unwrap_or(OLLAMA_WINDOW)),
                stop,
            },
            stream: true,
        }),
    };
    Ok(json?)
}
