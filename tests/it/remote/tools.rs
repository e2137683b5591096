//! Conversations with tools: the requests byte for byte, the calls in replies as servers send them, and servers that know no
//! tools.

use std::sync::Arc;

use expect_test::{ExpectFile, expect_file};
use serde_json::json;

use askline_model::failure::Failure;
use askline_model::prompt::talk::{Look, Talk, ToolCall, ToolSpec};
use askline_model::prompt::{Form, Prompt};
use askline_model::remote::{Remote, ServerSpec};
use askline_model::server::Protocol;

use super::server::{Act, Server, ok, says, status};
use super::{MAX_TOKENS, SECRET, ask, chat, no_command, remote, spec};

/// Returns a conversation with one look behind it, and the same in words.
fn conversation() -> Prompt {
    let call = ToolCall { name: "disk_usage".to_owned(), arguments: r#"{"path":"work"}"#.to_owned() };
    let result = "<observation>\nbig.log: 3 MB\n</observation>".to_owned();
    let tools =
        [("disk_usage", "Sums up sizes.", json!({"type": "object"})), ("stat", "Shows a path.", json!({}))];
    let talk = Talk {
        system: "You look around.".to_owned(),
        tools: tools
            .map(|(name, about, schema)| ToolSpec { name: name.to_owned(), about: about.to_owned(), schema })
            .into(),
        request: "Request: free the disk".to_owned(),
        looks: vec![Look { thought: "Sizes.".to_owned(), call, result }],
    };
    let prompt = Prompt::new(Form::Chat, "In words.".to_owned(), "Request in words".to_owned());
    Prompt { talk: Some(Arc::new(talk)), ..prompt }
}

fn body(protocol: Protocol, url: &str, model: &str, prompt: &Prompt, expected: ExpectFile) {
    let spec = ServerSpec { model: model.to_owned(), ..spec(protocol, url) };
    expected.assert_eq(&Remote::open_in(spec, &|_| None).unwrap().body(prompt, true, MAX_TOKENS).unwrap());
}

#[test]
fn each_protocol_gets_tools_calls_and_results() {
    let asked = conversation();
    let openai = "https://api.openai.com/v1";
    body(Protocol::OpenAi, openai, "gpt-4o-mini", &asked, expect_file!["requests/openai-tools.json"]);
    body(Protocol::OpenAi, openai, "o3-mini", &asked, expect_file!["requests/openai-tools-thinking.json"]);
    let anthropic = "https://api.anthropic.com";
    body(
        Protocol::Anthropic,
        anthropic,
        "claude-haiku-4-5",
        &asked,
        expect_file!["requests/anthropic-tools.json"],
    );
    let ollama = "http://127.0.0.1:11434";
    body(Protocol::Ollama, ollama, "qwen2.5-coder:7b", &asked, expect_file!["requests/ollama-tools.json"]);
    // A thought is not needed; a call that can't be read is repeated as a call without parameters.
    let mut bare = conversation();
    let talk = Arc::make_mut(bare.talk.as_mut().unwrap());
    talk.looks[0].thought.clear();
    talk.looks[0].call.arguments = "{oops".to_owned();
    body(
        Protocol::Anthropic,
        anthropic,
        "claude-haiku-4-5",
        &bare,
        expect_file!["requests/anthropic-tools-bare.json"],
    );
    let continued = "http://127.0.0.1:8080/v1/completions";
    body(Protocol::OpenAi, continued, "m", &asked, expect_file!["requests/openai-tools-continue.json"]);
}

#[test]
fn calls_as_servers_send_them() {
    use Protocol::{Anthropic, Ollama, OpenAi};
    let lines = "application/x-ndjson";
    // The last text has the parameters of a second call.
    for (protocol, kind, body, others) in [
        (OpenAi, "text/event-stream", include_str!("replies/openai-call.sse"), ""),
        (OpenAi, "text/event-stream", include_str!("replies/openai-two-calls.sse"), r#"{"path":"/"}"#),
        (OpenAi, "text/event-stream", include_str!("replies/vllm-call.sse"), "{}"),
        (OpenAi, "application/json", include_str!("replies/openai-call.json"), ""),
        (Anthropic, "text/event-stream", include_str!("replies/anthropic-call.sse"), ""),
        (Anthropic, "application/json", include_str!("replies/anthropic-call.json"), r#"{"path":"/"}"#),
        (Ollama, lines, include_str!("replies/ollama-call.ndjson"), r#"{"path":"/"}"#),
        (Ollama, "application/json", include_str!("replies/ollama-call.json"), ""),
    ] {
        let server = Server::new(vec![Act::Send(ok(kind, body))]);
        let reply = ask(&mut remote(&server, protocol), &conversation()).unwrap();
        let calls: Vec<(&str, &str)> =
            reply.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
        let others = &[("list_dir", others)][..usize::from(!others.is_empty())];
        assert_eq!(calls, [&[("stat", r#"{"path":"a b"}"#)], others].concat(), "{body}");
        assert!(matches!(reply.text.as_str(), "" | "Let me see."), "{}", reply.text);
        // Who offered no tools gets none called.
        let server = Server::new(vec![Act::Send(ok(kind, body))]);
        let reply = ask(&mut remote(&server, protocol), &chat());
        let said = reply.map(|reply| (reply.text, reply.calls));
        assert!(
            matches!(said, Err(Failure::NoCommand(_))) || said == Ok(("Let me see.".into(), Vec::new())),
            "{said:?}"
        );
    }
}

#[test]
fn a_conversation_may_end_in_words() {
    let server = Server::new(vec![Act::Send(says("<command>ls</command>"))]);
    let reply = ask(&mut remote(&server, Protocol::OpenAi), &conversation()).unwrap();
    assert_eq!((reply.text.as_str(), reply.calls), ("<command>ls</command>", Vec::new()));
}

/// A server that knows no tools is asked in words, and from then on only so.
#[test]
fn a_server_without_tools_is_asked_in_words() {
    for (protocol, code, error) in [
        (
            Protocol::Ollama,
            400,
            r#"{"error":"registry.ollama.ai/library/phi:latest does not support tools"}"#,
        ),
        (Protocol::OpenAi, 500, r#"{"error":{"code":500,"message":"tools param requires --jinja flag"}}"#),
        (
            Protocol::OpenAi,
            400,
            r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice to be set"}"#,
        ),
        (Protocol::OpenAi, 404, r#"{"error":{"message":"No endpoints found that support tool use."}}"#),
        (Protocol::OpenAi, 422, r#"{"detail":"extra fields not permitted: tools"}"#),
    ] {
        let said = match protocol {
            Protocol::Ollama => {
                ok("application/x-ndjson", "{\"message\":{\"content\":\"ls\"},\"done\":true}")
            }
            _ => says("ls"),
        };
        let acts = vec![Act::Keep(status(code, "", error)), Act::Send(said.clone()), Act::Send(said)];
        let server = Server::new(acts);
        let mut model = remote(&server, protocol);
        assert_eq!(ask(&mut model, &conversation()).unwrap().text, "ls", "{error}");
        assert_eq!(ask(&mut model, &conversation()).unwrap().text, "ls", "{error}");
        let seen = server.seen();
        let has_tools: Vec<bool> = seen.iter().map(|seen| seen.body.contains("\"tools\"")).collect();
        assert_eq!(has_tools, [true, false, false], "{error}");
        assert!(
            seen[1].body.contains("Request in words") && seen[1].body.contains("In words."),
            "{}",
            seen[1].body
        );
    }
}

/// Another fault is not mistaken for missing tools, and a refusal in words is none.
#[test]
fn other_faults_stay_faults() {
    for error in
        [r#"{"error":"model \"x\" not found"}"#, r#"{"error":"maximum context length; fewer tools"}"#]
    {
        let server = Server::new(vec![Act::Keep(status(400, "", error)), Act::Send(says("ls"))]);
        assert!(ask(&mut remote(&server, Protocol::OpenAi), &conversation()).is_err(), "{error}");
        assert_eq!(server.seen().len(), 1, "{error}");
    }
    let refused = status(400, "", r#"{"error":"no tools here"}"#);
    let server = Server::new(vec![Act::Keep(refused), Act::Send(says("ls"))]);
    assert!(ask(&mut remote(&server, Protocol::OpenAi), &chat()).is_err());
    assert_eq!(server.seen().len(), 1, "a prompt without tools is not asked again");
}

#[test]
fn a_call_with_the_key_or_without_an_end_is_refused() {
    let call = |arguments: &str, reason: &str| {
        let call = json!({"index": 0, "function": {"name": "stat", "arguments": arguments}});
        let event = json!({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": reason}]});
        let server = Server::new(vec![Act::Send(ok(
            "text/event-stream",
            format!("data: {event}\n\ndata: [DONE]\n\n"),
        ))]);
        ask(&mut remote(&server, Protocol::OpenAi), &conversation())
            .map(|reply| reply.calls[0].arguments.clone())
    };
    let stolen = call(&format!(r#"{{"path":"{SECRET}"}}"#), "tool_calls").unwrap_err();
    assert!(matches!(stolen, Failure::Unavailable(why) if why.contains("its answer contains your key")));
    let cut = "team: the answer is longer than 96 tokens; ask for less at once or raise `max_tokens`";
    assert_eq!(call(r#"{"path":"#, "length"), no_command(cut));
    // What the model wrote is not for this layer to judge.
    assert_eq!(call(r#"{"path":"#, "tool_calls"), Ok(r#"{"path":"#.to_owned()));
    assert_eq!(call(r#"{"path":"a"}"#, "stop"), Ok(r#"{"path":"a"}"#.to_owned()));
}
