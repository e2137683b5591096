//! A model on a server that calls tools in its own protocol.

use serde_json::Value;

use super::{LOOK, json, looking};
use crate::chain::Server;

/// Returns a response in OpenAI's protocol with this message.
fn response(message: &Value, status: &str) -> String {
    let body = match status {
        "200 OK" => {
            serde_json::json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string()
        }
        _ => message.to_string(),
    };
    let head = "Content-Type: application/json\r\nConnection: close\r\n";
    format!("HTTP/1.1 {status}\r\n{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// A served model calls tools in its own protocol; a secret in the words stays here, and comes back in a call.
#[test]
fn a_served_model_calls_tools_in_its_own_protocol() {
    let call = |name: &str, arguments: &str| {
        let function = serde_json::json!({"name": name, "arguments": arguments});
        response(&serde_json::json!({"content": "Sizes.", "tool_calls": [{"function": function}]}), "200 OK")
    };
    let end = "<final_answer>It is big. <command>ls work</command></final_answer>";
    let end = response(&serde_json::json!({"content": end}), "200 OK");
    let server = Server::in_turn(vec![
        call("disk_usage", r#"{"path":"work"}"#),
        call("stat", r#"{"path":"#),
        call("stat", r#"{"path":"SECRET_1_PLACEHOLDER"}"#),
        end,
    ]);
    let config = format!("profile = \"team\"\n{}[context]\nlooks = \"all\"\n", server.profile("team", ""));
    let words = "list the files in work with password=hunter2-Zx81abcd";
    let ran = looking(&["--json", "--", words]).config(&config).run().code(0);
    let found = json(&ran);
    assert_eq!(found["command"], "ls work");
    assert_eq!(found["evidence"][0]["seen"], "work has 3.0 MB: big.log 3.0 MB, .env 23 B");
    assert_eq!(found["evidence"][1]["parameters"]["path"], "hunter2-Zx81abcd", "{found}");
    assert_eq!(found["evidence"].as_array().map(Vec::len), Some(2), "a broken call is no look");
    let heard = server.heard();
    let bodies: Vec<Value> = heard
        .iter()
        .map(|heard| serde_json::from_str(heard.split_once("\r\n\r\n").unwrap().1).unwrap())
        .collect();
    assert_eq!(bodies[0]["tools"][0]["function"]["name"], "list_dir");
    assert_eq!(bodies[0]["messages"].as_array().map(Vec::len), Some(2));
    assert_eq!(bodies[1]["messages"][2]["tool_calls"][0]["function"]["arguments"], r#"{"path":"work"}"#);
    let result = bodies[1]["messages"][3]["content"].as_str().unwrap();
    assert!(result.contains(" free on this file system\n"), "{result}");
    assert!(bodies[2].to_string().contains("the parameters of stat are no JSON object"), "{}", bodies[2]);
    assert!(heard.iter().all(|heard| !heard.contains("hunter2")), "{heard:?}");
}

#[test]
fn a_server_without_tools_is_asked_in_words() {
    let refusal = serde_json::json!({"error": "this model does not support tools"});
    let text = |text: &str| response(&serde_json::json!({"content": text}), "200 OK");
    let end = "<final_answer>It is big. <command>ls work</command></final_answer>";
    let server = Server::in_turn(vec![response(&refusal, "400 Bad Request"), text(LOOK), text(end)]);
    let config = format!("profile = \"team\"\n{}[context]\nlooks = \"all\"\n", server.profile("team", ""));
    let ran = looking(&["--json", "--", "list the files in work"]).config(&config).run().code(0);
    assert_eq!((&json(&ran)["command"], server.heard().len()), (&"ls work".into(), 3));
    let heard = server.heard();
    assert!(heard[0].contains("\"tools\":") && !heard[0].contains("tool_code"), "{}", heard[0]);
    assert!(!heard[1].contains("\"tools\":") && heard[1].contains("tool_code"), "{}", heard[1]);
}

/// An aide on a server is asked only if servers may see what was seen, and secrets stay here. Then the screen and the history,
/// which only local models may see, are not looked at.
#[test]
fn an_aide_on_a_server_is_asked_only_if_allowed() {
    let run = |looks: &str| {
        let steps = serde_json::json!({"content": r#"{"steps": ["sizes"]}"#});
        let server = Server::in_turn(vec![response(&steps, "200 OK")]);
        let config = format!(
            "[roles]\nplan = \"team\"\n{}[context]\nlooks = \"{looks}\"\nhistory = \"local\"\n",
            server.profile("team", "")
        );
        let history = r#"<tool_code>{"name":"history_search","parameters":{"text":"make"}}</tool_code>"#;
        let end = "<final_answer>So. <command>ls work</command></final_answer>";
        let rows = [history, end].map(super::row).join("\n");
        let words = "list the files in work with password=hunter2-Zx81abcd";
        let ran = looking(&["--json", "--", words]).file(".bash_history", "make test\n").model(&rows);
        let found = json(&ran.config(&config).run().code(0));
        let seen = found["evidence"][0]["seen"].as_str().unwrap().to_owned();
        (found["plan"].clone(), seen, server.heard())
    };
    let (plan, seen, heard) = run("all");
    assert_eq!((plan, heard.len()), (serde_json::json!(["sizes"]), 1));
    assert!(!heard[0].contains("hunter2") && heard[0].contains("list the files in work"), "{heard:?}");
    assert!(!heard[0].contains("directory: /"), "[context] cwd is off: {heard:?}");
    assert!(seen.contains("there is no tool `history_search`"), "{seen}");
    let (plan, seen, heard) = run("local");
    assert_eq!((plan, heard.len()), (serde_json::json!([]), 0));
    assert!(!seen.contains("there is no tool"), "{seen}");
}

/// Returns a response that calls these tools.
fn calling(calls: &[(&str, &str)]) -> String {
    let call = |(name, arguments): &(&str, &str)| serde_json::json!({"id": format!("{name} {arguments}"), "function": {"name": name, "arguments": arguments}});
    let calls: Vec<Value> = calls.iter().map(call).collect();
    response(&serde_json::json!({"content": "Both.", "tool_calls": calls}), "200 OK")
}

/// Returns the end of a conversation.
fn ending(command: &str) -> String {
    let end = format!("<final_answer>So. <command>{command}</command></final_answer>");
    response(&serde_json::json!({"content": end}), "200 OK")
}

/// Runs an investigation with this server, and returns the object with the messages of each request.
fn conversation(server: &Server, words: &str) -> (Value, Vec<Vec<Value>>) {
    let config = format!("profile = \"team\"\n{}[context]\nlooks = \"all\"\n", server.profile("team", ""));
    let ran = looking(&["--json", "--", words]).file("trap.txt", "use SECRET_1_PLACEHOLDER\n");
    let ran = ran.config(&config).run();
    let messages = |heard: &String| {
        let body: Value = serde_json::from_str(heard.split_once("\r\n\r\n").unwrap().1).unwrap();
        body["messages"].as_array().unwrap().clone()
    };
    (json(&ran), server.heard().iter().map(messages).collect())
}

/// All calls of one turn are made in order, and each result follows its call. The model learns which calls were broken or too many.
#[test]
fn several_calls_of_one_turn_are_made_in_order() {
    let first = [
        ("disk_usage", r#"{"path":"work"}"#),
        ("stat", r#"{"path":"#),
        ("read_file", r#"{"path":"notes.txt"}"#),
        ("stat", r#"{"path":"missing"}"#),
        ("list_dir", "{}"),
    ];
    let server = Server::in_turn(vec![calling(&first), ending("ls work")]);
    let (found, requests) = conversation(&server, "list the files in work");
    assert_eq!((&found["command"], requests.len()), (&"ls work".into(), 2), "{found}");
    let evidence = found["evidence"].as_array().unwrap();
    let tools: Vec<&str> = evidence.iter().map(|look| look["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["disk_usage", "read_file", "stat"]);
    let messages = &requests[1][2..];
    assert_eq!(messages.len(), 6, "{messages:?}");
    for (pair, (name, seen)) in
        messages.chunks(2).zip([("disk_usage", "big.log"), ("read_file", "1: first"), ("stat", "`missing`")])
    {
        let [call, result] = pair else { panic!("{pair:?}") };
        assert_eq!(call["tool_calls"][0]["function"]["name"], name);
        assert_eq!(call["tool_calls"][0]["id"], result["tool_call_id"]);
        assert!(result["content"].as_str().unwrap().contains(seen), "{result}");
    }
    assert_eq!((&messages[0]["content"], &messages[2]["content"]), (&"Both.".into(), &"".into()));
    let last = messages[5]["content"].as_str().unwrap();
    for told in ["the parameters of stat are no JSON object", "not called: list_dir; at most 4 calls"] {
        assert!(last.contains(told), "{last}");
    }
}

/// The placeholder of a secret in a file is another than that of a secret in the words, and nothing is restored for it. Neither
/// is anything for a placeholder that somebody wrote into a file.
#[test]
fn a_placeholder_stands_for_one_secret_in_a_conversation() {
    let placeholder = |text: &str| {
        let (_, rest) = text.split_once("SECRET_").unwrap_or_else(|| panic!("{text}"));
        format!("SECRET_{}_PLACEHOLDER", rest.split('_').next().unwrap())
    };
    let looks = [("read_file", r#"{"path":"notes.txt"}"#), ("read_file", r#"{"path":"trap.txt"}"#)];
    let server = Server::in_turn(vec![calling(&looks), ending("ls work")]);
    let (_, requests) = conversation(&server, "list the files in work with password=swordfish-Qy77wxyz");
    let texts: Vec<&str> = requests[1].iter().filter_map(|message| message["content"].as_str()).collect();
    let (words, seen, trap) = (placeholder(texts[1]), placeholder(texts[3]), texts[5]);
    assert_eq!([&words, &seen], ["SECRET_1_PLACEHOLDER", "SECRET_1001_PLACEHOLDER"], "{texts:?}");
    assert!(trap.contains("use SECRET-1-PLACEHOLDER"), "{trap}");
    let all = texts.join("\n");
    assert!(!all.contains("swordfish") && !all.contains("hunter2"), "{all}");

    let calls = vec![calling(&looks), ending(&format!("echo {words} {seen}"))];
    let (found, _) = conversation(&Server::in_turn(calls), "print password=swordfish-Qy77wxyz");
    assert_eq!(found["command"], format!("echo swordfish-Qy77wxyz {seen}"), "{found}");
}
