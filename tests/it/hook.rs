//! `askline check --hook`, with calls in the documented form of well-known coding agents.

use serde_json::{Value, json};

use crate::cli::Askline;

/// Returns the same line as the call of each agent: Claude Code and Codex, Gemini CLI, Cursor, Windsurf.
fn calls(line: &str) -> [Value; 4] {
    [
        json!({"session_id": "a", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": line, "description": "ls"}}),
        json!({"session_id": "a", "cwd": "/", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
            "tool_input": {"command": line}}),
        json!({"conversation_id": "a", "hook_event_name": "beforeShellExecution", "command": line, "cwd": "/"}),
        json!({"agent_action_name": "pre_run_command", "tool_info": {"command_line": line, "cwd": "/"}}),
    ]
}

#[test]
fn dangerous_lines_are_refused_with_the_reason_and_others_pass_silently() {
    let said = "askline: refused: Dangerous: deletes: ~ (the home directory); \
                ask the user to run it, or do it in a way that can be undone\n";
    for call in calls("sudo sh -c 'cd /tmp && rm -rf ~'") {
        Askline::new(["check", "--hook"]).stdin(&call.to_string()).run().stdout("").stderr(said).code(2);
    }
    for line in ["ls -la", "rm -r build", "frobnicate", "", "if"] {
        for call in calls(line) {
            Askline::new(["check", "--hook"]).stdin(&call.to_string()).run().stdout("").stderr("").code(0);
        }
    }
}

#[test]
fn calls_without_a_line_pass() {
    for call in
        [json!({"tool_name": "Read", "tool_input": {"file_path": "/etc/passwd"}}), json!({}), json!([])]
    {
        Askline::new(["check", "--hook"]).stdin(&call.to_string()).run().stdout("").stderr("").code(0);
    }
}

/// A hook that can't judge lets nothing pass: agents take other exit codes than 2 for consent.
#[test]
fn what_can_not_be_judged_is_refused() {
    let long = calls(&format!("echo {}; rm -rf ~", "x".repeat(64 << 10)))[0].to_string();
    for (stdin, why) in
        [("", "can't be read"), ("rm -rf ~", "can't be read"), ("{", "can't be read"), (&long, "longer")]
    {
        let ran = Askline::new(["check", "--hook"]).stdin(stdin).run().stdout("").code(2);
        assert!(ran.stderr.starts_with("askline: refused") && ran.stderr.contains(why), "{}", ran.stderr);
    }
    let call = calls("ls")[0].to_string();
    Askline::new(["check", "--hook"]).config("x = 1\n").stdin(&call).run().stdout("").code(2);
}
