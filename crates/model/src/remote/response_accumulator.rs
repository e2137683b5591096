//! Response accumulator: combines a server's events into one answer. Hidden reasoning and unknown events are
//! skipped.

use serde_json::Value;

use crate::prompt::talk::ToolCall;
use crate::server::Protocol;

/// Maximum nesting depth of an event.
pub(super) const DEPTH_MAX: usize = 64;
/// Maximum length of an answer, in bytes.
pub(super) const TEXT_BYTES_MAX: usize = 256 << 10;

/// Maximum number of calls in one answer.
const CALLS_MAX: usize = 32;

/// Upper bound on reported token counts of one answer.
const TOKENS_MAX: u64 = 10_000_000;

/// Reason why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FinishReason {
    /// The model finished.
    Whole,
    /// The token limit was reached.
    Cut,
    /// The model called a tool.
    Tool,
    /// The model or its server refused to answer.
    Refused,
}

/// Reason why an event can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Not a JSON object, nested too deeply, or too long.
    Broken(&'static str),
    /// The server reported an error, with this text.
    Reported(String),
}

/// A call of a tool, received in pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PartialCall {
    /// Number of the call in the answer, or of its block.
    index: u64,
    /// Name of the call, if the server gives it one.
    id: String,
    pub(super) call: ToolCall,
}

/// Answer received so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ResponseAccumulator {
    /// Text of the model.
    pub(super) text: String,
    /// Calls of tools, in order.
    pub(super) calls: Vec<PartialCall>,
    /// Reason for the end; `None` while the answer continues.
    pub(super) end: Option<FinishReason>,
    /// `true` if nothing relevant follows.
    pub(super) closed: bool,
    /// Number of events received, known or not.
    pub(super) events: usize,
    /// Number of events with text; roughly the number of tokens.
    pub(super) pieces: usize,
    /// Number of computed prompt tokens, as reported by the server.
    pub(super) prompt_tokens: Option<usize>,
    /// Number of prompt tokens that the server had cached.
    pub(super) cached_tokens: usize,
    /// Number of answer tokens including reasoning, as reported by the server.
    pub(super) answer_tokens: Option<usize>,
}

impl ResponseAccumulator {
    /// Adds one event.
    ///
    /// # Errors
    ///
    /// If it is invalid or reports a failure. After that the answer must not be used.
    pub(super) fn take(&mut self, protocol: Protocol, event: &str) -> Result<(), Fault> {
        self.events += 1;
        if event.trim() == "[DONE]" {
            self.end = self.end.or(Some(FinishReason::Whole));
            self.closed = true;
            return Ok(());
        }
        if DEPTH_MAX < depth(event) {
            return Err(Fault::Broken("its answer is nested too deeply"));
        }
        let value: Value =
            serde_json::from_str(event).map_err(|_| Fault::Broken("its answer is broken JSON"))?;
        if !value.is_object() {
            return Err(Fault::Broken("its answer is not what a model server sends"));
        }
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(Fault::Reported(error_message(error)));
        }
        match protocol {
            Protocol::OpenAi => self.open_ai(&value),
            Protocol::Anthropic => self.anthropic(&value),
            Protocol::Ollama => self.ollama(&value),
        }
        let calls = self.calls.iter().map(|part| part.call.name.len() + part.call.arguments.len());
        if TEXT_BYTES_MAX < self.text.len() + calls.sum::<usize>() {
            return Err(Fault::Broken("its answer is too long to be a command"));
        }
        if CALLS_MAX < self.calls.len() {
            return Err(Fault::Broken("its answer calls too many tools at once"));
        }
        Ok(())
    }

    fn open_ai(&mut self, value: &Value) {
        if let Some(usage) = value.get("usage") {
            let prompt = number(usage, "/prompt_tokens");
            // The prompt count includes cached tokens.
            let kept = number(usage, "/prompt_tokens_details/cached_tokens");
            let kept =
                kept.or(number(usage, "/prompt_cache_hit_tokens")).unwrap_or(0).min(prompt.unwrap_or(0));
            self.count(prompt.map(|all| all - kept), kept, number(usage, "/completion_tokens"));
            // Some servers count hidden reasoning only in the total.
            let rest = number(usage, "/total_tokens").map(|total| total.saturating_sub(prompt.unwrap_or(0)));
            self.answer_tokens = self.answer_tokens.max(prompt.and(rest));
        }
        let Some(choice) = value.pointer("/choices/0") else { return };
        // A chunk of a stream, a whole message, or a completed text.
        let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(choice);
        self.append(delta.get("content").or_else(|| delta.get("text")));
        let calls = delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        for (call, place) in calls.zip(0..) {
            let index = call.get("index").and_then(Value::as_u64).unwrap_or(place);
            self.called(index, call.get("id"), call.get("function"), "arguments");
        }
        if delta.get("refusal").is_some_and(|refusal| !refusal.is_null()) {
            self.append(delta.get("refusal"));
            self.end = Some(FinishReason::Refused);
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            None => {}
            Some("length") => self.end = Some(FinishReason::Cut),
            Some("tool_calls" | "function_call") => self.end = Some(FinishReason::Tool),
            Some("content_filter") => self.end = Some(FinishReason::Refused),
            Some(_) => self.end = self.end.or(Some(FinishReason::Whole)),
        }
    }

    fn anthropic(&mut self, value: &Value) {
        for usage in [value.pointer("/message/usage"), value.get("usage")].into_iter().flatten() {
            // The prompt count excludes cached tokens and newly cached ones.
            let kept = number(usage, "/cache_read_input_tokens").unwrap_or(0);
            let written = number(usage, "/cache_creation_input_tokens").unwrap_or(0);
            let prompt = number(usage, "/input_tokens").map(|prompt| prompt + written);
            self.count(prompt, kept, number(usage, "/output_tokens"));
        }
        let mut reason = None;
        let index = value.get("index").and_then(Value::as_u64).unwrap_or(0);
        match value.get("type").and_then(Value::as_str) {
            Some("content_block_start") => self.block(index, value.get("content_block")),
            Some("content_block_delta") => {
                let delta = value.get("delta");
                match delta.and_then(|delta| delta.get("type")).and_then(Value::as_str) {
                    Some("text_delta") => self.append(delta.and_then(|delta| delta.get("text"))),
                    Some("input_json_delta") => self.called(index, None, delta, "partial_json"),
                    _ => {}
                }
            }
            Some("message_delta") => reason = value.pointer("/delta/stop_reason").and_then(Value::as_str),
            Some("message_stop") => {
                self.end = self.end.or(Some(FinishReason::Whole));
                self.closed = true;
            }
            Some("message") => {
                let blocks = value.get("content").and_then(Value::as_array).into_iter().flatten();
                for (block, index) in blocks.zip(0..) {
                    self.block(index, Some(block));
                }
                reason = value.get("stop_reason").and_then(Value::as_str);
            }
            _ => {}
        }
        match reason {
            None => {}
            Some("max_tokens" | "model_context_window_exceeded") => self.end = Some(FinishReason::Cut),
            Some("tool_use") => self.end = Some(FinishReason::Tool),
            Some("refusal") => self.end = Some(FinishReason::Refused),
            Some(_) => self.end = Some(FinishReason::Whole),
        }
    }

    /// Adds a block of text or a call; blocks of reasoning are not part of the answer.
    fn block(&mut self, index: u64, block: Option<&Value>) {
        match block.and_then(|block| block.get("type")).and_then(Value::as_str) {
            Some("text") => self.append(block.and_then(|block| block.get("text"))),
            Some("tool_use") => self.called(index, None, block, "input"),
            _ => {}
        }
    }

    /// Adds a piece of a call: the name comes first, the parameters as a text in pieces, or as an object at once.
    fn called(&mut self, index: u64, id: Option<&Value>, piece: Option<&Value>, parameters: &str) {
        let Some(piece) = piece else { return };
        let name = piece.get("name").and_then(Value::as_str).unwrap_or_default();
        let id = id.and_then(Value::as_str).unwrap_or_default();
        let value = piece.get(parameters);
        // Some servers number no calls, and some repeat the name with each piece: another id begins another call, and so do
        // parameters behind whole ones.
        let is_next = |part: &PartialCall| {
            let has_other_id = !id.is_empty() && !part.id.is_empty() && part.id != id;
            let has_value = value.is_some_and(|value| value.as_str() != Some(""));
            !name.is_empty() && (has_other_id || has_value && part.is_whole())
        };
        let at = self.calls.iter().rposition(|part| part.index == index);
        let at = at.filter(|at| self.calls.get(*at).is_none_or(|part| !is_next(part)));
        let at = at.unwrap_or_else(|| {
            self.calls.push(PartialCall { index, id: id.to_owned(), call: ToolCall::default() });
            self.calls.len() - 1
        });
        let Some(part) = self.calls.get_mut(at) else { return };
        if part.call.name.is_empty() {
            part.call.name.push_str(name);
        }
        match value {
            Some(Value::String(text)) => part.call.arguments.push_str(text),
            // A stream of Anthropic begins with an empty object.
            Some(Value::Object(fields)) if !fields.is_empty() => {
                part.call.arguments = Value::Object(fields.clone()).to_string();
            }
            _ => {}
        }
        self.pieces += 1;
    }

    fn ollama(&mut self, value: &Value) {
        self.count(number(value, "/prompt_eval_count"), 0, number(value, "/eval_count"));
        self.append(value.pointer("/message/content").or_else(|| value.get("response")));
        let tools = value.pointer("/message/tool_calls").and_then(Value::as_array);
        for tool in tools.into_iter().flatten() {
            self.called(self.calls.len() as u64, None, tool.get("function"), "arguments");
            self.end = Some(FinishReason::Tool);
        }
        if value.get("done").and_then(Value::as_bool) == Some(true) {
            self.closed = true;
            let cut = value.get("done_reason").and_then(Value::as_str) == Some("length");
            self.end = if cut { Some(FinishReason::Cut) } else { self.end.or(Some(FinishReason::Whole)) };
        }
    }

    /// Adds content: a text, or a list of parts of which only type `text` counts.
    fn append(&mut self, content: Option<&Value>) {
        let before = self.text.len();
        match content {
            Some(Value::String(text)) => self.text.push_str(text),
            Some(Value::Array(parts)) => {
                for part in parts {
                    if part.get("type").and_then(Value::as_str) == Some("text") {
                        self.text.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default());
                    }
                }
            }
            _ => {}
        }
        self.pieces += usize::from(before < self.text.len());
    }

    /// Updates token counts; each event with counts reports totals of the answer so far.
    fn count(&mut self, computed: Option<usize>, kept: usize, answer: Option<usize>) {
        if computed.is_some() {
            (self.prompt_tokens, self.cached_tokens) = (computed, kept);
        }
        self.answer_tokens = answer.or(self.answer_tokens);
    }
}

impl PartialCall {
    /// Reports whether the parameters are complete.
    fn is_whole(&self) -> bool {
        self.call.arguments.ends_with('}') && serde_json::from_str::<Value>(&self.call.arguments).is_ok()
    }
}

/// Returns the token count at this JSON pointer, capped at [`TOKENS_MAX`].
fn number(usage: &Value, at: &str) -> Option<usize> {
    usize::try_from(usage.pointer(at)?.as_u64()?.min(TOKENS_MAX)).ok()
}

/// Returns the text of a server's error, in any of the known formats.
pub(super) fn error_message(error: &Value) -> String {
    let text = |name: &str| error.get(name).and_then(Value::as_str);
    let words =
        error.as_str().or_else(|| text("message")).or_else(|| text("detail")).or_else(|| text("type"));
    words.unwrap_or("it does not say what failed").to_owned()
}

/// Returns the nesting depth of brackets and braces outside of strings. Counting needs no stack; parsing does.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn accumulate(protocol: Protocol, events: &[&str]) -> Result<ResponseAccumulator, Fault> {
        let mut accumulator = ResponseAccumulator::default();
        events.iter().try_for_each(|event| accumulator.take(protocol, event))?;
        Ok(accumulator)
    }

    #[test]
    fn thoughts_and_unknown_events_are_no_answer() {
        use Protocol::{Anthropic, Ollama, OpenAi};
        for (protocol, events) in [
            (
                OpenAi,
                vec![
                    r#"{"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":"rm -rf /"}}]}"#,
                    r#"{"choices":[{"delta":{"reasoning":"rm -rf /"}}]}"#,
                    r#"{"object":"ping"}"#,
                    r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"l"}]}}]}"#,
                    r#"{"choices":[{"delta":{"content":"s"},"finish_reason":"stop"}]}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":2}}}"#,
                    "[DONE]",
                ],
            ),
            (
                Anthropic,
                vec![
                    r#"{"type":"message_start","message":{"content":[],"usage":{"input_tokens":7,"output_tokens":1}}}"#,
                    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"rm"}}"#,
                    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"rm -rf /"}}"#,
                    r#"{"type":"ping"}"#,
                    r#"{"type":"something_new","text":"rm"}"#,
                    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"l"}}"#,
                    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"s"}}"#,
                    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}"#,
                    r#"{"type":"message_stop"}"#,
                ],
            ),
            (
                Ollama,
                vec![
                    r#"{"message":{"role":"assistant","content":"","thinking":"rm -rf /"},"done":false}"#,
                    r#"{"message":{"content":"l"},"done":false}"#,
                    r#"{"message":{"content":"s"},"done":false}"#,
                    r#"{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":2}"#,
                ],
            ),
        ] {
            let accumulator = accumulate(protocol, &events).unwrap();
            assert_eq!(
                (accumulator.text.as_str(), accumulator.end, accumulator.closed),
                ("ls", Some(FinishReason::Whole), true)
            );
            assert_eq!(
                (accumulator.prompt_tokens, accumulator.answer_tokens, accumulator.pieces),
                (Some(7), Some(2), 2)
            );
        }
    }

    /// Servers number calls, name them, or do neither.
    #[test]
    fn several_calls_are_told_apart() {
        let chunk = |call: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#);
        for calls in [
            // A name for each call, and always the same number; one call without parameters.
            vec![
                r#"{"index":0,"id":"x","function":{"name":"a","arguments":""}}"#,
                r#"{"index":0,"id":"y","function":{"name":"b","arguments":"{\"p\":{\"q\":1}}"}}"#,
            ],
            // Neither number nor name.
            vec![
                r#"{"function":{"name":"a","arguments":"{}"}}"#,
                r#"{"function":{"name":"b","arguments":"{\"p\":{\"q\":1}}"}}"#,
            ],
            // The name of the tool again with each piece, of which one ends like a whole.
            vec![
                r#"{"id":"x","function":{"name":"a","arguments":"{}"}}"#,
                r#"{"id":"y","function":{"name":"b","arguments":"{\"p\":{\"q\":1}"}}"#,
                r#"{"id":"y","function":{"name":"b","arguments":"}"}}"#,
                r#"{"id":"y","function":{"name":"b","arguments":""}}"#,
            ],
            // Numbers, and pieces in turns.
            vec![
                r#"{"index":0,"function":{"name":"a","arguments":"{"}}"#,
                r#"{"index":1,"function":{"name":"b","arguments":"{\"p\":"}}"#,
                r#"{"index":0,"function":{"arguments":"}"}}"#,
                r#"{"index":1,"function":{"arguments":"{\"q\":1}}"}}"#,
            ],
            // Both in one piece, without numbers.
            vec![
                r#"{"function":{"name":"a","arguments":"{}"}},{"function":{"name":"b","arguments":"{\"p\":{\"q\":1}}"}}"#,
            ],
        ] {
            let events: Vec<String> = calls.iter().map(|call| chunk(call)).collect();
            let events: Vec<&str> = events.iter().map(String::as_str).collect();
            let found = accumulate(Protocol::OpenAi, &events).unwrap().calls;
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|part| (part.call.name.as_str(), part.call.arguments.trim_end_matches("{}")))
                .collect();
            assert_eq!(found, [("a", ""), ("b", r#"{"p":{"q":1}}"#)], "{calls:?}");
        }
        let many = vec![r#"{"function":{"name":"a","arguments":"{}"}}"#; CALLS_MAX + 1].join(",");
        let fault = accumulate(Protocol::OpenAi, &[&chunk(&many)]);
        assert_eq!(fault, Err(Fault::Broken("its answer calls too many tools at once")));
    }

    #[test]
    fn an_answer_in_one_piece_is_read_too() {
        use Protocol::{Anthropic, Ollama, OpenAi};
        for (protocol, event, end) in [
            (
                OpenAi,
                r#"{"choices":[{"message":{"content":"ls"},"finish_reason":"stop"}]}"#,
                FinishReason::Whole,
            ),
            (OpenAi, r#"{"choices":[{"text":"ls","finish_reason":"length"}]}"#, FinishReason::Cut),
            (
                OpenAi,
                r#"{"choices":[{"message":{"content":"ls","refusal":null},"finish_reason":"tool_calls"}]}"#,
                FinishReason::Tool,
            ),
            (
                OpenAi,
                r#"{"choices":[{"message":{"refusal":"ls"},"finish_reason":"stop"}]}"#,
                FinishReason::Refused,
            ),
            (
                Anthropic,
                r#"{"type":"message","content":[{"type":"text","text":"ls"}],"stop_reason":"max_tokens"}"#,
                FinishReason::Cut,
            ),
            (
                Anthropic,
                r#"{"type":"message","content":[{"type":"text","text":"ls"}],"stop_reason":"refusal"}"#,
                FinishReason::Refused,
            ),
            (Ollama, r#"{"response":"ls","done":true,"done_reason":"length"}"#, FinishReason::Cut),
            (
                Ollama,
                r#"{"message":{"content":"ls","tool_calls":[{}]},"done":true,"done_reason":"stop"}"#,
                FinishReason::Tool,
            ),
        ] {
            let accumulator = accumulate(protocol, &[event]).unwrap();
            assert_eq!((accumulator.text.as_str(), accumulator.end), ("ls", Some(end)), "{event}");
        }
    }

    #[test]
    fn tokens_are_counted_as_each_server_tells_them() {
        use Protocol::{Anthropic, Ollama, OpenAi};
        for (protocol, usage, counted) in [
            (
                OpenAi,
                r#"{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":8},
                    "completion_tokens_details":{"reasoning_tokens":4}}"#,
                (Some(1), 8, Some(5)),
            ),
            // Reasoning counted only in the total, and cached tokens in another field.
            (
                OpenAi,
                r#"{"prompt_tokens":9,"completion_tokens":5,"total_tokens":54,"prompt_cache_hit_tokens":4}"#,
                (Some(5), 4, Some(45)),
            ),
            // A gateway to another protocol reports the same counts twice.
            (
                OpenAi,
                r#"{"prompt_tokens":9,"completion_tokens":5,"cache_read_input_tokens":8,"prompt_tokens_details":{"cached_tokens":8}}"#,
                (Some(1), 8, Some(5)),
            ),
            (
                OpenAi,
                r#"{"prompt_tokens":2,"prompt_tokens_details":{"cached_tokens":8}}"#,
                (Some(0), 2, None),
            ),
            (OpenAi, r#"{"total_tokens":54}"#, (None, 0, None)),
            (OpenAi, r#"{"prompt_tokens":-1,"completion_tokens":"5"}"#, (None, 0, None)),
            (
                OpenAi,
                r#"{"prompt_tokens":18446744073709551615,"completion_tokens":18446744073709551615}"#,
                (Some(10_000_000), 0, Some(10_000_000)),
            ),
            (
                Anthropic,
                r#"{"input_tokens":3,"cache_read_input_tokens":70,"cache_creation_input_tokens":20,"output_tokens":6}"#,
                (Some(23), 70, Some(6)),
            ),
            (Ollama, "null", (None, 0, None)),
        ] {
            let event = format!(r#"{{"type":"message","choices":[],"usage":{usage}}}"#);
            let accumulator = accumulate(protocol, &[&event]).unwrap();
            let found = (accumulator.prompt_tokens, accumulator.cached_tokens, accumulator.answer_tokens);
            assert_eq!(found, counted, "{usage}");
        }
    }

    #[test]
    fn what_is_broken_or_failed_is_told() {
        use Protocol::{Anthropic, Ollama, OpenAi};
        for event in [
            "",
            "{",
            "null",
            "[]",
            "3",
            "\"x\"",
            "{\"a\":1,}",
            "{} {}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\0\"}",
            "<html>",
        ] {
            for protocol in [OpenAi, Anthropic, Ollama] {
                assert!(matches!(accumulate(protocol, &[event]), Err(Fault::Broken(_))), "{event:?}");
            }
        }
        let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        assert!(accumulate(OpenAi, &[&deep(DEPTH_MAX - 1)]).is_ok());
        for levels in [DEPTH_MAX, 10_000] {
            assert_eq!(
                accumulate(OpenAi, &[&deep(levels)]),
                Err(Fault::Broken("its answer is nested too deeply"))
            );
        }
        assert!(
            accumulate(OpenAi, &[&format!("{{\"a\":\"{}\\\"{}\"}}", "[".repeat(99), "{".repeat(99))]).is_ok()
        );
        for (protocol, event, words) in [
            (OpenAi, r#"{"error":{"message":"overloaded"}}"#, "overloaded"),
            (Anthropic, r#"{"type":"error","error":{"type":"overloaded_error"}}"#, "overloaded_error"),
            (Ollama, r#"{"error":"no such model"}"#, "no such model"),
            (OpenAi, r#"{"error":{}}"#, "it does not say what failed"),
        ] {
            assert_eq!(accumulate(protocol, &[event]), Err(Fault::Reported(words.to_owned())));
        }
        let piece = format!(r#"{{"message":{{"content":"{}"}}}}"#, "x".repeat(TEXT_BYTES_MAX / 2));
        assert!(matches!(accumulate(Ollama, &[&piece, &piece, &piece]), Err(Fault::Broken(_))));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_event_panics(
            event in any::<String>(),
            shape in "[\\[\\]{}\",:a0\\\\ ]{0,40}",
            part in "(choices|content|delta|message|usage|type|done|error|finish_reason)",
        ) {
            for protocol in [Protocol::OpenAi, Protocol::Anthropic, Protocol::Ollama] {
                let _ = accumulate(protocol, &[&event]);
                let _ = accumulate(protocol, &[&shape]);
                let _ = accumulate(protocol, &[&format!("{{\"{part}\":{shape}}}")]);
                let _ = accumulate(protocol, &[&format!("{{\"choices\":[{{\"delta\":{{\"{part}\":{shape}}}}}]}}")]);
            }
        }
    }
}
