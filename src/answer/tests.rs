//! Tests with real model replies (`tests/data/replies.toml`), and properties of any reply.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    text: String,
    shell: Option<String>,
    #[serde(default)]
    commands: Vec<String>,
    words: Option<String>,
}

#[derive(Deserialize)]
struct File {
    reply: Vec<Row>,
}

fn rows() -> Vec<Row> {
    toml::from_str::<File>(include_str!("../../tests/data/replies.toml")).unwrap().reply
}

#[test]
fn a_pasted_prompt_is_taken_off() {
    for (text, expected) in [
        ("$ ls -la", Some("ls -la")),
        ("kim@box:~/data$ cat a.csv | head", Some("cat a.csv | head")),
        ("```bash\nls -la\n```", Some("ls -la")),
        ("ls -la", None),
        ("> out.txt", None),
        ("list all files", None),
        ("what costs $ 5", None),
        ("$ ls\n$ pwd", None),
        ("", None),
    ] {
        assert_eq!(pasted(text, Shell::Bash).as_deref(), expected, "{text}");
    }
}

#[test]
fn replies() {
    let rows = rows();
    assert!(80 <= rows.len(), "{} rows", rows.len());
    let mut wrong = Vec::new();
    for row in rows {
        let expected = match (row.commands.is_empty(), row.words) {
            (false, None) => Answer::Commands(row.commands),
            (true, Some(words)) => Answer::Words(words),
            (true, None) => Answer::Nothing,
            (false, Some(_)) => panic!("{:?} expects both", row.text),
        };
        let shell = row.shell.as_deref().unwrap_or("bash").parse().unwrap();
        let answer = extract(&row.text, shell);
        if answer != expected {
            wrong.push(format!("{:?}\n  expected {expected:?}\n  found    {answer:?}", row.text));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A bare command is never changed.
#[test]
fn bare_commands_are_untouched() {
    let solved = askline_model::prompt::solved(Shell::Bash).into_iter().map(|solved| solved.command);
    let sample = include_str!("../../tests/data/commands.txt").lines().map(str::to_owned);
    for command in solved.chain(sample) {
        for shell in Shell::ALL {
            // `> ` starts a redirection in bash and zsh only; in fish and Nushell it ends the prompt.
            if command.starts_with("> ") && matches!(shell, Shell::Fish | Shell::Nu) {
                continue;
            }
            assert_eq!(extract(&command, shell), Answer::Commands(vec![command.clone()]), "{shell}");
        }
        for wrapped in [
            format!("```bash\n{command}\n```"),
            format!("Here is the command:\n\n```\n{command}\n```\nIt does what you asked."),
            format!("\n{command}\n\n# another request\nls\n"),
            serde_json::json!({ "command": command }).to_string(),
        ] {
            assert_eq!(extract(&wrapped, Shell::Bash), Answer::Commands(vec![command.clone()]), "{wrapped}");
        }
    }
}

/// Reading takes time proportional to the length of the reply.
#[test]
fn long_replies_are_read_in_time() {
    for unit in [
        "echo 'it\n",
        "$(",
        "`",
        "```\n",
        "<think>",
        "a ",
        "\"",
        "[",
        "{\"command\":",
        "<<E\n",
        "# x\n",
        "1. `a`: b\n",
    ] {
        let started = std::time::Instant::now();
        let reply = unit.repeat(REPLY_BYTES_MAX / unit.len() * 2);
        let _ = extract(&reply, Shell::Bash);
        assert!(started.elapsed().as_secs() < 5, "{unit:?} took {:?}", started.elapsed());
    }
}

fn any_shell() -> impl Strategy<Value = Shell> {
    prop::sample::select(&Shell::ALL[..])
}

/// Generates replies from pieces that are special to this module.
fn odd_reply() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "ls",
        " -la",
        "\n",
        "\n\n",
        " ",
        "```",
        "```bash\n",
        "~~~",
        "`",
        "$ ",
        "> ",
        "# ",
        "#",
        "1. ",
        "- ",
        "Here is",
        ":",
        "the",
        "?",
        "<think>",
        "</think>\n",
        "{\"command\": \"ls\"}",
        "[\"a\"]",
        "{",
        "}",
        "\"",
        "'",
        "\\",
        "|",
        "&&",
        "<<E",
        "E",
        "for f in x; do",
        "done",
        "Command: ",
        "**",
        "I'm sorry",
        "é",
        "日",
        "\u{1b}",
        "\r\n",
        "\t",
        "N/A",
        ". ",
        "echo",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|pieces| pieces.concat())
}

fn holds(reply: &str, shell: Shell) -> Result<(), TestCaseError> {
    match extract(reply, shell) {
        Answer::Commands(commands) => {
            prop_assert!(!commands.is_empty() && commands.len() <= COMMANDS_MAX);
            for command in commands {
                prop_assert_eq!(command.trim(), &command);
                prop_assert!(!command.is_empty());
                // Every line occurs in the reply, except for JSON escapes.
                if !reply.contains('{') && !reply.contains('[') {
                    for line in command.lines() {
                        prop_assert!(reply.contains(line), "{:?} is not in {:?}", line, reply);
                    }
                }
            }
        }
        Answer::Words(words) => {
            prop_assert!(!words.trim().is_empty() && !words.contains('\n'));
            prop_assert_eq!(visible(&words), words);
        }
        Answer::Nothing => {}
    }
    Ok(())
}

#[test]
fn the_finished_beginning_is_all_before_the_last_separator() {
    for (command, expected) in [
        ("mkdir a && cp b a && tar -czf", Some("mkdir a && cp b a")),
        ("mkdir a; cp b", Some("mkdir a")),
        ("mkdir a\ncp b", Some("mkdir a")),
        ("ls | sort | head", None),
        ("test -e a || touch", None),
        ("for f in *; do cp a b; mv", None),
        ("echo 'a && b", None),
        ("ls", None),
        ("", None),
    ] {
        assert_eq!(finished(command, Shell::Bash), expected, "{command}");
    }
}

proptest! {
    #[test]
    fn any_text_has_a_finished_beginning_or_none(text in any::<String>(), shell in any_shell()) {
        prop_assert!(finished(&text, shell).is_none_or(|beginning| text.starts_with(beginning)));
    }

    #[test]
    fn any_reply(reply in any::<String>(), shell in any_shell()) {
        holds(&reply, shell)?;
    }

    #[test]
    fn odd_replies(reply in odd_reply(), shell in any_shell()) {
        holds(&reply, shell)?;
    }
}

#[test]
fn what_grows_shows_neither_thoughts_nor_wrapping() {
    for (reply, shown) in [
        ("", ""),
        ("ls", "ls"),
        ("\n find . \\\n -name x", "find . \\ -name x"),
        ("``", ""),
        ("```bas", ""),
        ("```bash\nls -", "ls -"),
        ("```bash\nls -l\n``", "ls -l"),
        ("<thi", ""),
        ("<think>The user", ""),
        ("<think>a</think>\nls", "ls"),
        ("<command>l", "l"),
        ("ls \u{202e}x\u{1b}[2J", "ls \\u{202e}x\\u{1b}[2J"),
    ] {
        assert_eq!(growing(reply), shown, "{reply:?}");
    }
}
