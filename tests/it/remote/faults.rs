//! The fault table of endpoints, one test per row (E11 to E15 in `statuses.rs`, E16 and E18 in `network.rs`): a broken
//! reply gives no command, one message names cause and remedy, and all ends in time.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use askline::answer::{self, Answer};
use askline::config::{Help, Preferences};
use askline::environment::{self, Machine};
use askline::examine::Examiner;
use askline::knowledge::Knowledge;
use askline::refine::{self, Limits};
use askline::shell_facts::ShellFacts;
use askline_host::recorded::RecordedHost;
use askline_model::Model as _;
use askline_model::failure::Failure;
use askline_model::remote::{Remote, ServerSpec};
use askline_model::request_control::RequestControl;
use askline_model::server::Protocol;
use askline_syntax::shell::Shell;

use super::server::{Act, Server, ok, says, status, stream};
use super::{
    DEADLINE, FIRST_BYTE, GRACE, MAX_TOKENS, against, ask, chat, no_command, remote, solved, spec,
    unavailable, with_key,
};
use crate::refine::MACHINE;

const NO_PAUSE: Duration = Duration::ZERO;

fn sse(body: &str) -> Act {
    Act::Send(ok("text/event-stream", body))
}

fn json(body: &str) -> Act {
    Act::Send(ok("application/json", body))
}

/// Returns the command extracted from a model's text, as it would reach the prompt line.
fn command_of(text: &str) -> Option<String> {
    let (reply, _server) = against(vec![Act::Send(says(text))]);
    match answer::extract(&reply.ok()?, Shell::Bash) {
        Answer::Commands(commands) => commands.into_iter().next(),
        Answer::Words(_) | Answer::Nothing => None,
    }
}

#[test]
fn e1_connection_refused() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut model = Remote::open(spec(Protocol::OpenAi, &format!("http://127.0.0.1:{port}/v1"))).unwrap();
    let begun = Instant::now();
    let reply = ask(&mut model, &chat()).map(|reply| reply.text);
    assert!(begun.elapsed() < Duration::from_millis(300));
    let Err(Failure::Unavailable(message)) = reply else { panic!("{reply:?}") };
    assert!(message.starts_with("team: can't connect: "), "{message}");
    assert!(message.ends_with("; is it running? check `url` in the profile"), "{message}");
}

#[test]
fn e2_accepts_and_never_answers() {
    let begun = Instant::now();
    let (reply, _server) = against(vec![Act::Stall(Vec::new())]);
    assert_eq!(reply, unavailable("team: no answer within 600ms; try again or raise `first_byte_ms`"));
    assert!((FIRST_BYTE..FIRST_BYTE + GRACE).contains(&begun.elapsed()));
    // The head arrives in time and nothing after it: the deadline of the whole request applies.
    let begun = Instant::now();
    let (reply, _server) = against(vec![Act::Stall(ok("text/event-stream", ""))]);
    assert_eq!(reply, Err(Failure::TimedOut));
    assert!(DEADLINE <= begun.elapsed());
}

#[test]
fn e3_one_byte_after_the_other() {
    let drip = |bytes: Vec<u8>| {
        Act::Pieces(bytes.chunks(1).map(<[u8]>::to_vec).collect(), Duration::from_millis(50))
    };
    let (reply, _server) = against(vec![drip(says("rm -rf x"))]);
    assert_eq!(reply, unavailable("team: no answer within 600ms; try again or raise `first_byte_ms`"));
    let head = ok("text/event-stream", "");
    let mut pieces = vec![head];
    pieces.extend(stream("rm -rf x").bytes().map(|byte| vec![byte]));
    let (reply, _server) = against(vec![Act::Pieces(pieces, Duration::from_millis(50))]);
    assert_eq!(reply, Err(Failure::TimedOut));
}

#[test]
fn cancelling_ends_any_wait() {
    for act in [Act::Stall(Vec::new()), Act::Stall(ok("text/event-stream", "data: {}\n\n"))] {
        let server = Server::new(vec![act]);
        let control = RequestControl::endless();
        let giving_up = control.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            giving_up.cancel();
        });
        let begun = Instant::now();
        let error = remote(&server, Protocol::OpenAi).complete(&chat(), MAX_TOKENS, &control).unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Failure::Cancelled));
        assert!(begun.elapsed() < Duration::from_millis(300), "{:?}", begun.elapsed());
    }
}

/// The stream is cut at every byte, with and without a content length that reveals it.
#[test]
fn e4_the_stream_stops_on_the_way() {
    let body = stream("rm -rf ./build");
    let finish = body.find("\"stop\"").unwrap() + "\"stop\"}]}".len();
    for at in 0..finish {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let told = if at % 2 == 0 { head.into_bytes() } else { ok("text/event-stream", "") };
        let (reply, _server) = against(vec![Act::Send([&told, &body.as_bytes()[..at]].concat())]);
        assert!(matches!(reply, Err(Failure::Unavailable(_))), "cut at {at}: {reply:?}");
    }
    let cut = body.get(..body.len() / 2).unwrap();
    let broke_off = unavailable("team: it closed the connection in the middle of its answer; try again");
    assert_eq!(against(vec![sse(cut)]).0, broke_off);
    // The other protocols: the last event of the answer is missing.
    let ollama = "{\"message\":{\"content\":\"rm -rf ./build\"},\"done\":false}\n";
    let anthropic = "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"rm -rf x\"}}\n\n";
    for (protocol, body) in [(Protocol::Ollama, ollama), (Protocol::Anthropic, anthropic)] {
        let server = Server::new(vec![sse(body)]);
        assert_eq!(ask(&mut remote(&server, protocol), &chat()).map(|reply| reply.text), broke_off);
    }
}

#[test]
fn e5_nothing_in_the_answer() {
    assert_eq!(against(vec![json("")]).0, unavailable("team: its answer is empty; try again"));
    assert_eq!(
        against(vec![Act::Send(status(204, "", ""))]).0,
        unavailable("team: its answer is empty; try again")
    );
    let nothing = no_command("team: no command in its answer; rephrase the request");
    for body in [
        "{}",
        r#"{"choices":null}"#,
        r#"{"choices":[]}"#,
        r#"{"choices":[null]}"#,
        r#"{"choices":[{"message":null,"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"message":{"content":" \n"},"finish_reason":"stop"}]}"#,
        r#"{"choices":"rm -rf x"}"#,
        r#"{"choices":[{"message":{"content":{"text":"rm -rf x"}}}]}"#,
    ] {
        assert_eq!(against(vec![json(body)]).0, nothing, "{body}");
    }
    assert_eq!(against(vec![sse("data: [DONE]\n\n")]).0, nothing);
}

/// The model's text is parsed tolerantly; the server's envelope is not.
#[test]
fn e6_broken_json() {
    for (said, command) in [
        (r#"{"command": "ls -la"}"#, Some("ls -la")),
        ("```json\n{\"command\": \"ls -la\"}\n```", Some("ls -la")),
        ("Here is the command:\n{\"command\": \"ls -la\"}", Some("ls -la")),
        (r#"{"cmd": "ls -la", "explanation": "lists"}"#, Some("ls -la")),
        (r#"[{"command": "ls -la"}]"#, Some("ls -la")),
        ("{\"command\": \"ls -la\"}\n{\"command\": \"rm x\"}", Some("ls -la")),
        ("{\n  \"command\": \"ls -la\"\n}", Some("ls -la")),
        (r#"{"command": "grep "a b" f"}"#, Some(r#"grep "a b" f"#)),
        (r#"{"command": ""}"#, None),
        (r#"{"command": null}"#, None),
        (r#"{"command": []}"#, None),
        (r#"{"command": "ls -la",}"#, Some("ls -la")),
        (r#"{"command": "grep \"a\" f", "note": "x" , }"#, Some(r#"grep "a" f"#)),
        ("{\"command\": \"ls -la\",\n}", Some("ls -la")),
        (r#"{,,,,}"#, Some("{,,,,}")),
        (r#"{"command": "ls -la""#, None),
        (r#"{"command": "ls"#, None),
        (r#"{"command": 7}"#, None),
        (r#"{"error": "I can't do that."}"#, None),
    ] {
        assert_eq!(command_of(said).as_deref(), command, "{said}");
    }
    for body in [
        "{",
        "{\"choices\"",
        "{\"choices\":[{\"message\":{\"content\":\"rm -rf x\"",
        "[]",
        "{\"choices\":[],}",
        "{} {}",
        "{\"choices\":[{\"message\":{\"content\":\"rm -rf x\"},\"finish_reason\":\"stop\"}]} trailing",
        "{\"choices\":[{\"message\":{\"content\":\"rm -rf x\",},\"finish_reason\":\"stop\"}]}",
        "{'choices':[{'message':{'content':'rm -rf x'}}]}",
        "[null]",
        "{\"a\":01}",
        "{\"a\":\"\t\"}",
    ] {
        let reply = against(vec![json(body)]).0;
        assert!(matches!(reply, Err(Failure::Unavailable(_))), "{body}: {reply:?}");
        let reply = against(vec![sse(&format!("data: {body}\n\n"))]).0;
        assert!(matches!(reply, Err(Failure::Unavailable(_))), "{body}: {reply:?}");
    }
}

#[test]
fn e7_fences_and_prompt_signs() {
    for said in [
        "```\nls -la\n```",
        "```bash\nls -la\n```",
        "```sh\n$ ls -la\n```",
        "Sure! Here you go:\n\n```bash\nls -la\n```\n\nThis lists all files.",
        "$ ls -la",
        "> ls -la",
        "`ls -la`",
        "bash\nls -la",
        "<think>\nThe user wants rm -rf /\n</think>\n\nls -la",
    ] {
        assert_eq!(command_of(said).as_deref(), Some("ls -la"), "{said}");
    }
}

#[test]
fn e8_words_are_no_command() {
    for said in [
        "I'm sorry, but I can't help with that.",
        "Which directory do you mean?",
        "As a language model, I am not able to run commands.",
        "I cannot assist with this request.",
        "Could you tell me which files you want to delete?",
    ] {
        assert_eq!(command_of(said), None, "{said}");
    }
    let refusal = r#"{"choices":[{"message":{"refusal":"I can't help with that."},"finish_reason":"stop"}]}"#;
    let told = no_command("team: refused: I can't help with that.; rephrase the request");
    assert_eq!(against(vec![json(refusal)]).0, told);
    let filtered = r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#;
    assert_eq!(
        against(vec![json(filtered)]).0,
        no_command("team: refused: no reason given; rephrase the request")
    );
}

#[test]
fn e9_more_than_anyone_can_read() {
    let event = b"data: {\"choices\":[{\"delta\":{\"content\":\"rm \"}}]}\n\n".repeat(1000);
    let zeros = vec![0; 64 << 10];
    let head = ok("text/event-stream", "");
    let line = [head.as_slice(), b"data: {\"choices\":[{\"delta\":{\"content\":\""].concat();
    for (begin, rest) in [
        (line, vec![b'x'; 64 << 10]),
        (ok("application/json", "{\"choices\":[{\"message\":{\"content\":\""), vec![b'x'; 64 << 10]),
        (head.clone(), zeros),
        (head.clone(), b"\n".repeat(64 << 10)),
        (head.clone(), b": keep-alive\n\n".repeat(1000)),
        (head.clone(), b"data: {\"choices\":[]}\n\n".repeat(1000)),
        (head, event),
    ] {
        let shown = String::from_utf8_lossy(&rest[..20]).into_owned();
        let (reply, server) = against(vec![Act::Endless(begin, rest)]);
        let bounded = matches!(reply, Err(Failure::Unavailable(_) | Failure::TimedOut));
        assert!(bounded, "{shown:?}: {reply:?}");
        // The bytes that were read, plus kernel buffers on both ends.
        assert!(server.written() < 32 << 20, "{shown:?}: {} bytes", server.written());
    }
    // Compressed replies are neither requested nor decompressed.
    let packed =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08";
    let (reply, server) = against(vec![Act::Send(packed.to_vec())]);
    let message = "team: it compresses its answer (gzip) unasked; turn that off on the server or its gateway";
    assert_eq!(reply, unavailable(message));
    assert_eq!(server.seen()[0].field("accept-encoding"), None);
}

#[test]
fn e10_bytes_that_are_no_text() {
    let content = |bytes: &[u8]| {
        [b"{\"choices\":[{\"message\":{\"content\":\"", bytes, b"\"},\"finish_reason\":\"stop\"}]}"].concat()
    };
    for bytes in [
        &b"ls \xff"[..],
        b"ls \xc3",
        b"ls \xed\xa0\x80",
        b"ls \\ud800",
        b"ls \\udc00 x",
        b"ls \0",
        b"ls \x1b[2J",
    ] {
        let (reply, _server) = against(vec![Act::Send(ok("application/json", content(bytes)))]);
        assert!(matches!(reply, Err(Failure::Unavailable(_))), "{bytes:?}: {reply:?}");
        let event = [b"data: ", content(bytes).as_slice(), b"\n\n"].concat();
        let (reply, _server) = against(vec![Act::Send(ok("text/event-stream", event))]);
        assert!(matches!(reply, Err(Failure::Unavailable(_))), "{bytes:?}: {reply:?}");
    }
    let (reply, _server) =
        against(vec![Act::Send(ok("application/json", [b"\xef\xbb\xbf", &content(b"ls")[..]].concat()))]);
    assert_eq!(reply, Ok("ls".to_owned()));
    // Terminal escapes are text, and the check before the prompt line refuses them.
    let (reply, _server) = against(vec![Act::Send(ok("application/json", content(b"ls \\u0000\\u001b[2J")))]);
    assert!(askline_syntax::clean::clean(&reply.unwrap(), Shell::Bash).is_err());
}

#[test]
fn a_failure_in_the_stream_is_told() {
    let event = "data: {\"error\":{\"message\":\"the engine\\nis \\u001b[31mgone\",\"code\":500}}\n\n";
    let body = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"rm -rf x\"}}}}]}}\n\n{event}");
    let message = "team: it failed: the engine is \\u{1b}[31mgone; try again";
    assert_eq!(against(vec![sse(&body)]).0, unavailable(message));
}

#[test]
fn an_answer_cut_by_its_limit_is_no_command() {
    let cut = r#"{"choices":[{"message":{"content":"rm -rf /"},"finish_reason":"length"}]}"#;
    let message = "team: the answer is longer than 96 tokens; ask for less at once or raise `max_tokens`";
    assert_eq!(against(vec![json(cut)]).0, no_command(message));
}

#[test]
fn e17_a_key_is_not_sent_in_the_clear() {
    for url in
        ["http://example.com/v1", "http://10.0.0.1", "http://localhost.example.com", "http://0.0.0.0:1"]
    {
        let error = Remote::open(with_key(spec(Protocol::OpenAi, url))).err().unwrap().to_string();
        let expected =
            "`url` is http:// and not on this machine, so the key would be sent unencrypted; use https://";
        assert_eq!(error, expected, "{url}");
        assert!(Remote::open(spec(Protocol::OpenAi, url)).is_ok(), "{url}");
    }
    for url in ["https://example.com/v1", "http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"] {
        assert!(Remote::open(with_key(spec(Protocol::OpenAi, url))).is_ok(), "{url}");
    }
}

#[test]
fn e19_nothing_slips_into_a_header() {
    for model in ["", "a\r\nX-Evil: 1", "a\nb", "a\0", "a\u{7f}", "\u{1b}[31m", &"x".repeat(300)] {
        let spec = ServerSpec { model: model.to_owned(), ..spec(Protocol::OpenAi, "http://127.0.0.1:1") };
        let error = Remote::open(spec).err().unwrap().to_string();
        assert!(error.starts_with("`name` ") && !error.chars().any(char::is_control), "{error}");
    }
    for url in [
        "http://127.0.0.1:1/v1\r\nX-Evil: 1",
        "http://127.0.0.1:1/\n",
        "http://user:pw@127.0.0.1:1",
        " http://x",
    ] {
        let error = Remote::open(spec(Protocol::OpenAi, url)).err().unwrap().to_string();
        assert!(error.starts_with("`url` ") && !error.contains("pw"), "{error}");
    }
    // An unusual but honest name only becomes JSON.
    let server = Server::new(vec![Act::Send(says("ls"))]);
    let url = format!("http://127.0.0.1:{}", server.port());
    let odd = ServerSpec { model: "größe \"7b\"".to_owned(), ..spec(Protocol::OpenAi, &url) };
    ask(&mut Remote::open(odd).unwrap(), &chat()).unwrap();
    assert!(server.seen()[0].body.starts_with(r#"{"model":"größe \"7b\"","#));
}

#[test]
fn e20_a_web_page() {
    let page = "<!DOCTYPE html><html><body>Log in to use this network: <code>rm -rf x</code></body></html>";
    let message =
        "team: it is not a model server: it sends a web page; check `url`, or log in to this network";
    for act in [
        Act::Send(ok("text/html; charset=utf-8", page)),
        Act::Send(ok("text/plain", page)),
        Act::Send(ok("text/event-stream", format!("\n  {page}"))),
        Act::Send(status(404, "content-type: text/html\r\n", page)),
        Act::Send(status(511, "content-type: text/html\r\n", page)),
    ] {
        let reply = against(vec![act]).0;
        match reply {
            Err(Failure::NoModel(told)) => assert_eq!(told, message),
            Err(Failure::Unavailable(told)) => {
                assert_eq!(told, "team: it has a server error (511); try again later")
            }
            _ => panic!("{reply:?}"),
        }
    }
    for junk in ["SSH-2.0-OpenSSH_9.6\r\n", "220 mail ready\r\n", "\0\0\0", "HTTP/9.9 200 OK\r\n\r\n"] {
        let reply = against(vec![Act::Send(junk.as_bytes().to_vec())]).0;
        assert!(matches!(reply, Err(Failure::Unavailable(_))), "{junk:?}: {reply:?}");
    }
}

#[test]
fn e21_a_stream_however_it_is_cut() {
    let command = "find . -name '*größer*' # 🦀";
    let plain = stream(command);
    let odd = plain
        .replace("data: {\"choices\"", ": OPENROUTER PROCESSING\n\nevent: message\nid: 1\ndata: {\"choices\"")
        .replace('\n', "\r\n");
    let unfinished = plain.replace("data: [DONE]\n\n", "");
    let more = format!(
        "{plain}data: {{\"choices\":[{{\"delta\":{{\"content\":\"; rm -rf x\"}}}}]}}\n\ndata: junk\n\n"
    );
    let no_last_line = plain.trim_end().to_owned();
    for body in [&plain, &odd, &unfinished, &more, &no_last_line] {
        assert_eq!(against(vec![sse(body)]).0.as_deref(), Ok(command), "{body}");
    }
    let bytes = odd.as_bytes();
    for at in (1..bytes.len()).step_by(17) {
        let pieces = vec![ok("text/event-stream", &bytes[..at]), bytes[at..].to_vec()];
        assert_eq!(
            against(vec![Act::Pieces(pieces, Duration::from_millis(1))]).0.as_deref(),
            Ok(command),
            "{at}"
        );
    }
    let each =
        std::iter::once(ok("text/event-stream", "")).chain(bytes.iter().map(|byte| vec![*byte])).collect();
    assert_eq!(against(vec![Act::Pieces(each, NO_PAUSE)]).0.as_deref(), Ok(command));
    // Nor does a stream that continues with empty content.
    let mut pieces = vec![ok("text/event-stream", &unfinished)];
    pieces.extend(vec![b": keep-alive\n\n".to_vec(); 100]);
    let begun = Instant::now();
    let reply = against(vec![Act::Pieces(pieces, Duration::from_millis(50))]).0;
    assert_eq!(reply.as_deref(), Ok(command));
    assert!(begun.elapsed() < Duration::from_secs(1));
    // A server that never closes after a complete answer causes no wait.
    let begun = Instant::now();
    assert_eq!(against(vec![Act::Stall(ok("text/event-stream", &unfinished))]).0.as_deref(), Ok(command));
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn e22_tools_and_nesting() {
    let tool = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","function":{"name":"run","arguments":"{\"command\":\"rm -rf x\"}"}},{"id":"1","function":{"name":"run"}}]},"finish_reason":"tool_calls"}]}"#;
    let message = "team: the model called a tool and gave no command; rephrase the request";
    assert_eq!(against(vec![json(tool)]).0, no_command(message));
    for levels in [64, 10_000] {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        let deep =
            format!("{{\"x\":{open}{close},\"choices\":[{{\"message\":{{\"content\":\"rm -rf x\"}}}}]}}");
        let message = "team: its answer is nested too deeply; try again, or check `url` and the protocol";
        assert_eq!(against(vec![json(&deep)]).0, unavailable(message));
    }
    let shallow = format!(
        "{{\"x\":{}{},\"choices\":[{{\"message\":{{\"content\":\"ls\"}},\"finish_reason\":\"stop\"}}]}}",
        "[".repeat(60),
        "]".repeat(60)
    );
    assert_eq!(against(vec![json(&shallow)]).0.as_deref(), Ok("ls"));
}

#[test]
fn e23_a_kept_connection_that_is_gone() {
    let whole = |text: &str| {
        let body = format!(r#"{{"choices":[{{"message":{{"content":"{text}"}},"finish_reason":"stop"}}]}}"#);
        status(200, "content-type: application/json\r\n", &body)
    };
    let server = Server::new(vec![Act::Keep(whole("one")), Act::HangUp, Act::Send(whole("two"))]);
    let mut model = remote(&server, Protocol::OpenAi);
    assert_eq!(ask(&mut model, &chat()).unwrap().text, "one");
    assert_eq!(ask(&mut model, &chat()).unwrap().text, "two");
    let connections: Vec<usize> = server.seen().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections, [0, 0, 1]);
    // A new connection that hangs up is not treated as an accident: the request may have been too much for the server.
    let (reply, server) = against(vec![Act::HangUp, Act::Send(says("ls"))]);
    assert_eq!(reply, unavailable("team: it closed the connection without an answer; try again"));
    assert_eq!(server.seen().len(), 1);
    // A stream that was read to its end also leaves its connection open.
    let chunked = |text: &str| {
        let body = stream(text);
        format!(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
            body.len()
        )
        .into_bytes()
    };
    let server = Server::new(vec![Act::Keep(chunked("one")), Act::Keep(chunked("two"))]);
    let mut model = remote(&server, Protocol::OpenAi);
    assert_eq!(ask(&mut model, &chat()).unwrap().text, "one");
    assert_eq!(ask(&mut model, &chat()).unwrap().text, "two");
    assert!(server.seen().iter().all(|seen| seen.connection == 0));
}

#[test]
fn e24_the_same_answer_again() {
    let server = Server::new(vec![Act::Send(says("show --nothing-like-it")); 5]);
    let machine =
        Machine::new(Arc::new(RecordedHost::parse(Path::new("machine.toml"), MACHINE).unwrap()), None);
    let environment = environment::gather(&machine, Shell::Bash, &ShellFacts::default());
    let knowledge = Arc::new(Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System));
    let examiner = Examiner { shell: Shell::Bash, knowledge: &knowledge };
    let preferences = Preferences::default();
    let time = Duration::from_secs(5);
    let limits = Limits {
        request: None,
        before: None,
        half_typed: None,
        rounds: 4,
        time,
        max_tokens: MAX_TOKENS,
        preferences: &preferences,
    };
    let mut model = remote(&server, Protocol::OpenAi);
    let refined = refine::run(solved(), &mut model, &examiner, limits, &RequestControl::endless()).unwrap();
    assert_eq!((refined.rounds, server.seen().len()), (2, 2));
    assert_eq!(refined.best.command.text.as_str(), "show --nothing-like-it");
    assert!(refined.best.report.findings.iter().any(|finding| finding.text.contains("--nothing-like-it")));
    assert!(server.seen()[1].body.contains("wrong: ") || server.seen()[1].body.contains("corrected"));
}
