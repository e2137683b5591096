//! A conversation with tools in each protocol: the tools, the calls and their results as messages.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::prompt::talk::{Look, Talk, ToolCall, ToolSpec};
use crate::server::Protocol;

/// A message of a conversation without tools.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) role: &'a str,
    pub(super) content: &'a str,
}

/// A message of a conversation with tools, or of one without.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Entry<'a> {
    Plain(Message<'a>),
    /// A call in the protocol of OpenAI or Ollama.
    Call {
        role: &'a str,
        content: &'a str,
        tool_calls: [Called<'a>; 1],
    },
    /// A result in OpenAI's protocol.
    OpenAiResult {
        role: &'a str,
        tool_call_id: String,
        content: &'a str,
    },
    /// A result in Ollama's protocol.
    OllamaResult {
        role: &'a str,
        tool_name: &'a str,
        content: &'a str,
    },
    /// A call or a result in Anthropic's protocol.
    Blocks {
        role: &'a str,
        content: Vec<Block<'a>>,
    },
}

/// A call in the protocol of OpenAI or Ollama.
#[derive(Serialize)]
pub(super) struct Called<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    /// A text in OpenAI's protocol, an object in Ollama's.
    arguments: Value,
}

/// A part of a message in Anthropic's protocol.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text { text: &'a str },
    ToolUse { id: String, name: &'a str, input: Value },
    ToolResult { tool_use_id: String, content: &'a str },
}

/// A tool as it is offered.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Offered<'a> {
    Function {
        #[serde(rename = "type")]
        kind: &'a str,
        function: OfferedFunction<'a>,
    },
    Anthropic {
        name: &'a str,
        description: &'a str,
        input_schema: &'a Value,
    },
}

#[derive(Serialize)]
pub(super) struct OfferedFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

/// Returns the tools of a conversation.
pub(super) fn offered(protocol: Protocol, tools: &[ToolSpec]) -> Vec<Offered<'_>> {
    fn offer(protocol: Protocol, tool: &ToolSpec) -> Offered<'_> {
        let ToolSpec { name, about, schema } = tool;
        match protocol {
            Protocol::Anthropic => Offered::Anthropic { name, description: about, input_schema: schema },
            Protocol::OpenAi | Protocol::Ollama => Offered::Function {
                kind: "function",
                function: OfferedFunction { name, description: about, parameters: schema },
            },
        }
    }
    tools.iter().map(|tool| offer(protocol, tool)).collect()
}

/// Returns the messages of a conversation, without the instruction.
pub(super) fn entries(protocol: Protocol, talk: &Talk) -> Vec<Entry<'_>> {
    let request = Entry::Plain(Message { role: "user", content: &talk.request });
    let looks = talk.looks.iter().zip(1..).flat_map(|(look, number)| pair(protocol, look, number));
    std::iter::once(request).chain(looks).collect()
}

/// Returns a call and its result as two messages.
fn pair(protocol: Protocol, look: &Look, number: usize) -> [Entry<'_>; 2] {
    let Look { thought, call: ToolCall { name, arguments }, result } = look;
    // Nine letters and digits: Mistral takes nothing else.
    let id = format!("look{number:05}");
    let called = |id, kind, arguments| {
        let tool_calls = [Called { id, kind, function: Function { name, arguments } }];
        Entry::Call { role: "assistant", content: thought, tool_calls }
    };
    match protocol {
        Protocol::OpenAi => [
            called(Some(id.clone()), Some("function"), Value::String(arguments.clone())),
            Entry::OpenAiResult { role: "tool", tool_call_id: id, content: result },
        ],
        Protocol::Ollama => [
            called(None, None, object(arguments)),
            Entry::OllamaResult { role: "tool", tool_name: name, content: result },
        ],
        Protocol::Anthropic => {
            // An empty text is refused.
            let said = (!thought.trim().is_empty()).then_some(Block::Text { text: thought });
            let used = Block::ToolUse { id: id.clone(), name, input: object(arguments) };
            let content = said.into_iter().chain([used]).collect();
            let result = vec![Block::ToolResult { tool_use_id: id, content: result }];
            [Entry::Blocks { role: "assistant", content }, Entry::Blocks { role: "user", content: result }]
        }
    }
}

/// Returns parameters as an object; an empty one if they are none.
fn object(arguments: &str) -> Value {
    let parsed: Option<Map<String, Value>> = serde_json::from_str(arguments).ok();
    Value::Object(parsed.unwrap_or_default())
}
