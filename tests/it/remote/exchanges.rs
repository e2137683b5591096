//! Requests byte for byte, and the handling of replies as servers send them. `requests/` and `replies/` have one body
//! per file. The replies have the documented shapes of the servers; they are not recordings.

use std::thread;
use std::time::Duration;

use expect_test::{ExpectFile, expect_file};

use askline_model::Model as _;
use askline_model::prompt::{Form, Prompt, draft};
use askline_model::remote::{Remote, ServerSpec};
use askline_model::request_control::RequestControl;
use askline_model::server::Protocol;
use askline_syntax::shell::Shell;

use super::server::{Act, Server, ok, says};
use super::{MAX_TOKENS, SECRET, ask, chat, remote, solved, spec, with_key};

/// Returns a short prompt with one solved request, so the bodies are readable.
fn example() -> Prompt {
    let fixed =
        "# One-line bash commands for Linux.\n\n# count the lines of a.txt\nwc -l a.txt\n\n".to_owned();
    Prompt { fixed, ..draft(Form::Completion, "list files", Shell::Bash, "Linux") }
}

/// Returns the body for a prompt at this address; nothing is sent.
fn body(protocol: Protocol, url: &str, model: &str, prompt: &Prompt, expected: ExpectFile) {
    let spec = ServerSpec { model: model.to_owned(), ..spec(protocol, url) };
    let remote = Remote::open_in(spec, &|_| None).unwrap();
    expected.assert_eq(&remote.body(prompt, true, MAX_TOKENS).unwrap());
}

#[test]
fn what_grows_is_seen_without_the_key() {
    let text = format!("curl -H {SECRET} host/a b c d e f g h");
    let pieces = says(&text);
    let pieces: Vec<Vec<u8>> = pieces.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let server = Server::new(vec![Act::Pieces(pieces, Duration::from_millis(30))]);
    let mut remote = remote(&server, Protocol::OpenAi);
    let control = RequestControl::endless();
    let watched = control.clone();
    let asked = thread::spawn(move || remote.complete(&chat(), MAX_TOKENS, &control).unwrap_err());
    let mut seen = vec![String::new()];
    while !asked.is_finished() {
        let draft = watched.draft();
        if seen.last() != Some(&draft) {
            seen.push(draft);
        }
        thread::sleep(Duration::from_millis(2));
    }
    assert!(asked.join().unwrap().to_string().contains("contains your key"));
    assert!(4 < seen.len() && seen.iter().any(|draft| draft.starts_with("curl -H … host/a")), "{seen:?}");
    assert!(!seen.concat().contains("secret"), "{seen:?}");
}

#[test]
fn openai_is_asked() {
    let url = "https://api.openai.com/v1";
    body(Protocol::OpenAi, url, "gpt-4o-mini", &chat(), expect_file!["requests/openai-chat.json"]);
    body(Protocol::OpenAi, url, "gpt-4o-mini", &example(), expect_file!["requests/openai-solved.json"]);
    body(
        Protocol::OpenAi,
        url,
        "gpt-4o-mini",
        &example().again("ls --al", "no `--al`"),
        expect_file!["requests/openai-again.json"],
    );
    body(Protocol::OpenAi, url, "o3-mini", &chat(), expect_file!["requests/openai-thinking.json"]);
    body(
        Protocol::OpenAi,
        "https://api.mistral.ai/v1",
        "codestral-latest",
        &chat(),
        expect_file!["requests/mistral.json"],
    );
}

#[test]
fn a_server_is_asked_to_continue_text() {
    body(
        Protocol::OpenAi,
        "http://127.0.0.1:8080/v1/completions",
        "m",
        &example(),
        expect_file!["requests/openai-continue.json"],
    );
    body(
        Protocol::Ollama,
        "http://127.0.0.1:11434/api/generate",
        "m",
        &example(),
        expect_file!["requests/ollama-continue.json"],
    );
}

#[test]
fn anthropic_is_asked() {
    let url = "https://api.anthropic.com";
    body(
        Protocol::Anthropic,
        url,
        "claude-haiku-4-5",
        &example(),
        expect_file!["requests/anthropic-solved.json"],
    );
    body(
        Protocol::Anthropic,
        url,
        "claude-opus-4-7",
        &chat(),
        expect_file!["requests/anthropic-no-temperature.json"],
    );
}

#[test]
fn ollama_is_asked() {
    let url = "http://127.0.0.1:11434";
    body(
        Protocol::Ollama,
        url,
        "qwen2.5-coder:1.5b",
        &example(),
        expect_file!["requests/ollama-solved.json"],
    );
    body(Protocol::Ollama, url, "qwen3:4b", &chat(), expect_file!["requests/ollama-thinking.json"]);
}

/// Ollama silently truncates a long prompt unless the request asks for a larger context.
#[test]
fn ollama_makes_room_for_solved_requests() {
    let remote = Remote::open(spec(Protocol::Ollama, "http://127.0.0.1:11434")).unwrap();
    let body = remote.body(&solved(), true, MAX_TOKENS).unwrap();
    assert!(
        body.ends_with(r#""options":{"temperature":0,"num_predict":96,"num_ctx":8192},"stream":true}"#),
        "{body}"
    );
}

/// Checks the request line and header fields on the wire, and the exact bytes of the body.
#[test]
fn a_request_on_the_wire() {
    for (protocol, path, key) in [
        (Protocol::OpenAi, "/v1/chat/completions", ("authorization", format!("Bearer {}", super::SECRET))),
        (Protocol::Anthropic, "/v1/messages", ("x-api-key", super::SECRET.to_owned())),
        (Protocol::Ollama, "/api/chat", ("authorization", format!("Bearer {}", super::SECRET))),
    ] {
        let server = Server::new(vec![Act::Send(says("ls"))]);
        let mut model = remote(&server, protocol);
        let _ = ask(&mut model, &solved());
        let seen = server.seen().remove(0);
        assert!(seen.head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{}", seen.head);
        assert_eq!(seen.field(key.0), Some(&*key.1));
        assert_eq!(seen.field("content-type"), Some("application/json"));
        let version = (protocol == Protocol::Anthropic).then_some("2023-06-01");
        assert_eq!(seen.field("anthropic-version"), version);
        assert!(seen.field("user-agent").unwrap().starts_with("askline/"));
        assert_eq!(seen.body, model.body(&solved(), true, MAX_TOKENS).unwrap());
        let named: Vec<_> = seen.head.lines().skip(1).filter_map(|line| line.split_once(':')).collect();
        assert!(named.len() <= 7, "{named:?}");
    }
    let server = Server::new(vec![Act::Send(says("ls"))]);
    let url = format!("http://127.0.0.1:{}/openai/deployments/d?api-version=2024-06-01", server.port());
    ask(&mut Remote::open(with_key(spec(Protocol::OpenAi, &url))).unwrap(), &chat()).unwrap();
    let line = "POST /openai/deployments/d/chat/completions?api-version=2024-06-01 HTTP/1.1";
    assert!(server.seen()[0].head.starts_with(line));
}

#[test]
fn replies_as_servers_send_them() {
    use Protocol::{Anthropic, Ollama, OpenAi};
    for (protocol, kind, body, prompt_tokens, answer_tokens) in [
        (OpenAi, "text/event-stream", include_str!("replies/openai.sse"), 61, 4),
        (OpenAi, "text/event-stream; charset=utf-8", include_str!("replies/azure.sse"), 0, 2),
        (OpenAi, "text/event-stream", include_str!("replies/openrouter.sse"), 58, 4),
        (OpenAi, "text/event-stream", include_str!("replies/deepseek.sse"), 57, 40),
        (OpenAi, "application/json", include_str!("replies/whole.json"), 61, 4),
        (Anthropic, "text/event-stream; charset=utf-8", include_str!("replies/anthropic.sse"), 70, 33),
        (Anthropic, "application/json", include_str!("replies/anthropic.json"), 70, 6),
        (Ollama, "application/x-ndjson", include_str!("replies/ollama.ndjson"), 59, 4),
        (Ollama, "application/json; charset=utf-8", include_str!("replies/ollama.json"), 59, 4),
    ] {
        let server = Server::new(vec![Act::Send(ok(kind, body))]);
        let reply = ask(&mut remote(&server, protocol), &chat()).unwrap();
        assert_eq!(reply.text, "ls -la", "{body}");
        let usage = reply.usage;
        assert_eq!((usage.prefill_tokens, usage.decode_tokens), (prompt_tokens, answer_tokens), "{body}");
    }
}

/// Continued text runs on after the command; only its first line is the answer, as with the embedded model.
#[test]
fn continued_text_ends_with_its_line() {
    let piece = r#"{"choices":[{"text":"\n\nls -la\n# another\nrm x"#;
    for (body, text) in [
        (format!("{piece}\",\"finish_reason\":\"stop\"}}]}}"), Some("ls -la")),
        (format!("{piece}\",\"finish_reason\":\"length\"}}]}}"), Some("ls -la")),
        (r#"{"choices":[{"text":"ls -la","finish_reason":"length"}]}"#.to_owned(), None),
    ] {
        let server = Server::new(vec![Act::Send(ok("application/json", &body))]);
        let spec = spec(Protocol::OpenAi, &format!("http://127.0.0.1:{}/v1/completions", server.port()));
        let reply = ask(&mut Remote::open(spec).unwrap(), &solved());
        assert_eq!(reply.ok().map(|reply| reply.text).as_deref(), text, "{body}");
    }
}

#[test]
fn people_are_told_the_host() {
    let server = Server::new(Vec::new());
    assert_eq!(remote(&server, Protocol::OpenAi).source(), "team");
}
