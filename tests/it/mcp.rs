//! `askline mcp`, asked by the client of the official SDK over its own standard streams.

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};

use crate::cli::Askline;

const LINE: &str = "rm -rf ~ | sort --wrongly";

/// What a client sees: the tools, then the answers of some calls.
struct Seen {
    tools: Vec<(String, Vec<String>)>,
    server: (String, String),
    answers: Vec<CallToolResult>,
    _home: tempfile::TempDir,
}

/// Starts the server, makes the calls and ends it.
fn seen(askline: Askline, calls: &[(&'static str, Value)]) -> Seen {
    let (command, home) = askline.into_command();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let transport = TokioChildProcess::new(tokio::process::Command::from(command)).unwrap();
        let client: RunningService<RoleClient, ()> = ().serve(transport).await.unwrap();
        let info = client.peer_info().unwrap();
        let server = info.server_info.clone().unwrap();
        let mut tools = Vec::new();
        for tool in client.list_all_tools().await.unwrap() {
            assert!(tool.annotations.unwrap().read_only_hint.unwrap());
            let properties = tool.input_schema["properties"].as_object().unwrap();
            tools.push((tool.name.to_string(), properties.keys().cloned().collect()));
        }
        let mut answers = Vec::new();
        for (name, arguments) in calls {
            let call =
                CallToolRequestParams::new(*name).with_arguments(arguments.as_object().unwrap().clone());
            answers.push(client.call_tool(call).await.unwrap());
        }
        client.cancel().await.unwrap();
        Seen { tools, server: (server.name, server.version), answers, _home: home }
    })
}

#[test]
fn the_tools_answer_as_the_subcommands_do() {
    let model = "{\"reply\": \"ls -la\"}\n";
    let seen = seen(
        Askline::new(["mcp"]).model(model),
        &[
            ("check", json!({"line": LINE, "shell": "bash"})),
            ("explain", json!({"line": LINE, "shell": "bash"})),
            ("risk", json!({"line": LINE, "shell": "bash"})),
            ("suggest", json!({"request": "list all files", "shell": "bash"})),
        ],
    );
    assert_eq!(seen.server, ("askline".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    let names: Vec<&str> = seen.tools.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["check", "explain", "suggest", "risk"]);
    for (name, properties) in &seen.tools {
        let expected =
            if name == "suggest" { &["anyway", "request", "shell"][..] } else { &["line", "shell"] };
        assert_eq!(*properties, expected);
    }
    let objects: Vec<Value> =
        seen.answers.iter().map(|answer| answer.structured_content.clone().unwrap()).collect();
    let printed = |args: &[&str]| -> Value {
        let ran = Askline::new(args.iter().copied()).model(model).run();
        // The home directory of each run has another name, and no line of ours prints it.
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let check = printed(&["check", "--shell", "bash", "--json", "--", LINE]);
    assert_eq!(objects[0], check);
    assert_eq!(check["risk"]["label"], "Dangerous");
    assert_eq!(objects[1], printed(&["explain", "--shell", "bash", "--json", "--", LINE]));
    assert_eq!(objects[2], json!({"line": LINE, "shell": "bash", "risk": check["risk"]}));
    let [mut told, mut suggest] =
        [objects[3].clone(), printed(&["suggest", "--shell", "bash", "--json", "list all files"])];
    for answer in [&mut told, &mut suggest] {
        answer["timing_ms"].take();
        answer["usage"].take();
        answer["source"].take(); // it names the file in the home directory of its run
    }
    assert_eq!(told, suggest);
    assert_eq!(told["command"], "ls -la");
    // The text of an answer is the same object.
    let text = seen.answers[0].content[0].as_text().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text.text).unwrap(), objects[0]);
}

#[test]
fn a_client_may_insist_on_a_line() {
    let answer = |anyway: bool, model: &str| {
        let asked = json!({"request": "refactor the payment code", "shell": "bash", "anyway": anyway});
        seen(Askline::new(["mcp"]).model(model), &[("suggest", asked)])
            .answers
            .remove(0)
            .structured_content
            .unwrap()
    };
    let declined = answer(false, "");
    assert!(declined["error"].to_string().contains("no single command does that"), "{declined}");
    assert_eq!(answer(true, "{\"reply\": \"ls -la\"}\n")["command"], "ls -la");
}

#[test]
fn wrong_calls_are_errors_that_say_why_and_the_server_goes_on() {
    let long = "x".repeat((64 << 10) + 1);
    let seen = seen(
        Askline::new(["mcp"]).model("{\"error\": \"busy\"}\n").config("max_token = 3\n"),
        &[
            ("check", json!({})),
            ("risk", json!({"line": "ls", "shell": "tcsh"})),
            ("explain", json!({"line": long})),
            ("suggest", json!({"request": "list files", "shell": "bash", "anyway": "yes"})),
            ("check", json!({"line": "ls"})),
        ],
    );
    let said: Vec<String> = seen
        .answers
        .iter()
        .map(|answer| {
            assert_eq!(answer.is_error, Some(true));
            answer.content[0].as_text().unwrap().text.clone()
        })
        .collect();
    assert_eq!(said[0], "`line` is missing; give it as a text");
    assert!(said[1].contains("tcsh"), "{}", said[1]);
    assert!(said[2].contains("longer than 65536 bytes"), "{}", said[2]);
    assert_eq!(said[3], "`anyway` is neither true nor false; leave it out");
    assert!(said[4].ends_with("unknown key `max_token`; did you mean `max_tokens`?"), "{}", said[4]);
}

#[test]
fn standard_output_has_messages_alone_and_the_end_of_input_ends_it() {
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"},
    }});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "risk", "arguments": {"line": "ls", "shell": "zsh"},
    }});
    let ran = Askline::new(["mcp"]).stdin(&format!("{begin}\n{begun}\n{call}\n")).run().stderr("").code(0);
    let ids: Vec<Value> =
        ran.stdout.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(2)]);
}
