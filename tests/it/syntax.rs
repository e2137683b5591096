//! The parser compared with the shells themselves and with tree-sitter's grammars, and run on arbitrary text.

use std::io::Write;
use std::process::{Command, Stdio};

use askline_syntax as syntax;
use askline_syntax::shell::Shell;
use askline_syntax::{Parsed, Span};
use proptest::prelude::*;
use serde::Deserialize;
use tree_sitter::{Language, Node, Parser};

const BASH: &str = include_str!("../../crates/syntax/tests/data/syntax/bash.toml");
const ZSH: &str = include_str!("../../crates/syntax/tests/data/syntax/zsh.toml");
const FISH: &str = include_str!("../../crates/syntax/tests/data/syntax/fish.toml");
const NU: &str = include_str!("../../crates/syntax/tests/data/syntax/nu.toml");

#[derive(Deserialize)]
struct Table {
    line: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    line: String,
}

fn lines(table: &str) -> Vec<String> {
    toml::from_str::<Table>(table).unwrap().line.into_iter().map(|case| case.line).collect()
}

fn all_lines() -> Vec<String> {
    [BASH, ZSH, FISH, NU].into_iter().flat_map(lines).collect()
}

/// A shell's verdict on a line that it only parses.
struct Verdict {
    accepted: bool,
    said: String,
}

fn verdict(shell: Shell, line: &str) -> Verdict {
    let arguments: &[&str] = match shell {
        Shell::Bash => &["--norc", "-O", "extglob", "-n"],
        Shell::Zsh => &["-f", "-n"],
        _ => &["--no-config", "-n"],
    };
    let mut child = Command::new(shell.name())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{shell} is needed: {error}"));
    // A shell that stops at an error reads no further.
    let _ = child.stdin.take().unwrap().write_all(format!("{line}\n").as_bytes());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // zsh returns the status of `!`, and bash returns 0 after an error in `[[ … ]]`: their messages decide.
    let accepted = match shell {
        Shell::Zsh => !said.contains("parse error") && !said.contains("unmatched"),
        _ => output.status.success() && !said.contains("syntax error"),
    };
    Verdict { accepted, said }
}

/// Reports whether a shell is known to parse a line of the tables differently; each has its reason.
fn is_known(shell: Shell, line: &str) -> bool {
    match shell {
        // zsh accepts an incomplete list, and a loop without its body.
        Shell::Zsh => line.ends_with("&&") || line == "while true { ls",
        _ => false,
    }
}

fn against_the_shell(shell: Shell, lines: &[String]) {
    let mut wrong = Vec::new();
    for line in lines {
        // zsh opens the file of `$(<file)` even when it only parses.
        if shell == Shell::Zsh && line.contains("(<") {
            continue;
        }
        let parsed = syntax::parse(line, shell);
        let verdict = verdict(shell, line);
        if verdict.accepted && !parsed.errors.is_empty() && !is_known(shell, line) {
            wrong.push(format!("accepted by {shell}: {line:?}: {:?}", parsed.errors));
        }
        if !verdict.accepted && parsed.errors.is_empty() {
            wrong.push(format!("refused by {shell}: {line:?}: {}", verdict.said));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

#[test]
fn bash_agrees() {
    against_the_shell(Shell::Bash, &lines(BASH));
}

#[test]
fn zsh_agrees() {
    against_the_shell(Shell::Zsh, &lines(ZSH));
}

#[test]
fn fish_agrees() {
    against_the_shell(Shell::Fish, &lines(FISH));
}

/// The installed Nushell's engine gives the recorded result for every line, as far as we use it.
#[test]
fn nu_says_what_was_recorded() {
    #[derive(Deserialize)]
    struct Recorded {
        line: String,
        flat: serde_json::Value,
    }
    let recorded: Vec<Recorded> = include_str!("../../crates/syntax/tests/data/syntax/nu-flat.jsonl")
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    let output = Command::new("nu")
        .args(["-n", "--no-std-lib", "-c"])
        .arg(
            "open crates/syntax/tests/data/syntax/nu-flat.jsonl --raw | lines | each { |row| ast ($row | from json | get line) \
             --flatten --json --minify | from json } | to json --raw",
        )
        .output()
        .unwrap_or_else(|error| panic!("nu is needed: {error}"));
    let said: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said.len(), recorded.len());
    for (said, recorded) in said.iter().zip(&recorded) {
        let parsed = syntax::nu::parse(&said.to_string(), &recorded.line);
        check_spans(&recorded.line, &parsed);
        assert_eq!(
            parsed,
            syntax::nu::parse(&recorded.flat.to_string(), &recorded.line),
            "{}",
            recorded.line
        );
    }
}

/// Returns the raw command words that a grammar finds.
fn grammar_words(language: &Language, line: &str) -> Option<Vec<String>> {
    let mut parser = Parser::new();
    parser.set_language(language).unwrap();
    let text = format!("{line}\n");
    let tree = parser.parse(&text, None).unwrap();
    if tree.root_node().has_error() {
        return None;
    }
    let mut words = Vec::new();
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        words.extend(command_word(node).and_then(|word| text.get(word.byte_range())).map(str::to_owned));
        waiting.extend((0..node.child_count()).filter_map(|index| node.child(index)));
    }
    words.sort();
    Some(words)
}

fn command_word(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "command" => node.child_by_field_name("name"),
        "declaration_command" | "unset_command" => node.child(0),
        "test_command" => node.child(0).filter(|bracket| bracket.kind() == "["),
        _ => None,
    }
}

fn our_words(line: &str, shell: Shell) -> Vec<String> {
    let parsed = syntax::parse(line, shell);
    let mut words: Vec<String> = parsed
        .commands
        .iter()
        .filter_map(|command| command.words.first())
        .map(|word| line.get(word.span.clone()).unwrap().to_owned())
        .collect();
    words.sort();
    words
}

fn against_the_grammar(shell: Shell, language: &Language, lines: &[String], known: &[&str]) {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for line in lines.iter().filter(|line| syntax::parse(line, shell).errors.is_empty()) {
        let Some(words) = grammar_words(language, line) else { continue };
        compared += 1;
        let ours = our_words(line, shell);
        if ours != words && !known.contains(&line.as_str()) {
            wrong.push(format!("{line:?}: {ours:?}, the grammar {words:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared * 10 > lines.len() * 7, "{compared} of {} compared", lines.len());
}

/// Checked by hand: in each of these lines the grammar is wrong.
const BASH_GRAMMAR_DEFECTS: [&str; 8] = [
    // `time` and `coproc` are the shell's own words.
    "time sort big.txt > /dev/null",
    "{ time make; } 2> t.txt",
    "time -p ls",
    "coproc nc -l 80",
    "coproc CP { cat; }; echo hi >&\"${CP[1]}\"",
    // Backquotes in backquotes, and in a here-document.
    "echo \"`date +%F` and `echo \\`id -u\\``\"",
    "cat <<EOF | kubectl apply -f -\nkind: Pod\nname: $(whoami)-`hostname`\nEOF",
    // A group after `!`.
    "! { grep -q a f || grep -q b f; }",
];
const FISH_GRAMMAR_DEFECTS: [&str; 7] = [
    // `time` is the shell's own word; assignments come before a command.
    "time sleep 1",
    "time fish -c 'sleep 1; echo x'",
    "FOO=bar BAZ=1 env | grep FOO",
    "A=1 B=2 make",
    // `return` is an ordinary command.
    "test (count $argv) -gt 0; or return 1",
    // Since fish 3.4 an `&` inside a word is an ordinary character.
    "curl https://x/y?a=b&c=d",
    "echo a&b",
];

#[test]
fn tree_sitter_bash_agrees() {
    against_the_grammar(Shell::Bash, &tree_sitter_bash::LANGUAGE.into(), &lines(BASH), &BASH_GRAMMAR_DEFECTS);
}

#[test]
fn tree_sitter_fish_agrees() {
    against_the_grammar(Shell::Fish, &tree_sitter_fish::language(), &lines(FISH), &FISH_GRAMMAR_DEFECTS);
}

/// Checks properties of every parsed line: spans are inside it, on character boundaries, in order, and nested
/// correctly.
fn check_spans(line: &str, parsed: &Parsed) {
    let inside = |inner: &Span, outer: &Span| {
        assert!(line.get(inner.clone()).is_some(), "{inner:?} in {line:?}");
        assert!(outer.start <= inner.start && inner.end <= outer.end, "{inner:?} in {outer:?} of {line:?}");
    };
    let whole = 0..line.len();
    let mut before = 0;
    for command in &parsed.commands {
        inside(&command.span, &whole);
        assert!(command.span.start >= before, "{:?} of {line:?}", command.span);
        before = command.span.start;
        for words in [&command.assignments, &command.words] {
            let mut end = command.span.start;
            for word in words {
                inside(&word.span, &command.span);
                assert!(word.span.start >= end, "{word:?} of {line:?}");
                end = word.span.end;
            }
        }
        for redirection in &command.redirections {
            inside(&redirection.span, &command.span);
            if let Some(target) = &redirection.target {
                inside(&target.span, &redirection.span);
            }
        }
    }
    for error in &parsed.errors {
        inside(&error.span, &whole);
    }
}

fn check_all(line: &str) {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Nu] {
        check_spans(line, &syntax::parse(line, shell));
        check_spans(line, &syntax::commands(line, shell));
    }
}

#[test]
fn spans_of_the_tables_hold() {
    for line in all_lines() {
        check_all(&line);
        for (cut, _) in line.char_indices() {
            let (before, after) = line.split_at(cut);
            check_all(before);
            check_all(after);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(line in "\\PC{0,80}") {
        check_all(&line);
    }

    #[test]
    fn any_syntax_is_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        check_all(&pieces.concat());
    }

    /// A tree that an engine might return for another line than ours.
    #[test]
    fn any_flat_tree_is_read(
        pieces in prop::collection::vec((prop::sample::select(SHAPES), 0..30usize, 0..8usize), 0..20),
        line in prop::sample::select(all_lines()),
    ) {
        let flat: Vec<_> = pieces
            .iter()
            .map(|(shape, start, bytes)| serde_json::json!({"shape": shape, "span": {"start": start, "end": start + bytes}}))
            .collect();
        let parsed = syntax::nu::parse(&serde_json::to_string(&flat).unwrap(), &line);
        for command in &syntax::peel(parsed, &line, Shell::Nu).commands {
            assert!(line.get(command.span.clone()).is_some());
            assert!(command.words.iter().all(|word| line.get(word.span.clone()).is_some()));
        }
    }

    #[test]
    fn mutated_lines_are_read(
        line in prop::sample::select(all_lines()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(PIECES), any::<bool>()), 1..5),
    ) {
        let mut characters: Vec<String> = line.chars().map(String::from).collect();
        for (place, piece, replaces) in edits {
            let at = place.index(characters.len() + 1);
            if replaces && at < characters.len() {
                characters.remove(at);
            }
            characters.insert(at, piece.to_owned());
        }
        check_all(&characters.concat());
    }
}

const SHAPES: &[&str] = &[
    "shape_internalcall",
    "shape_external",
    "shape_externalarg",
    "shape_string",
    "shape_pipe",
    "shape_block",
    "shape_closure",
    "shape_garbage",
    "shape_redirection",
    "shape_record",
    "shape_string_interpolation",
    "shape_variable",
    "shape_keyword",
    "shape_flag",
];

const PIECES: &[&str] = &[
    " ",
    " ",
    "\n",
    "\t",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "{ ",
    " }",
    "[",
    "]",
    "[[ ",
    " ]]",
    "$",
    "${",
    "$(",
    "$((",
    "$'",
    "$\"",
    "$[",
    "`",
    "\\",
    "\\`",
    "'",
    "\"",
    "#",
    "~",
    "=",
    "a=",
    "a=(",
    "*",
    "?",
    "!",
    "@(",
    "<",
    ">",
    "<<",
    "<<-",
    "<<<",
    "<<E",
    "\nE\n",
    "<(",
    ">(",
    "2>&1",
    "&>",
    ">|",
    "2>|",
    "<1-2>",
    "a",
    "é",
    "語",
    "ls",
    "sudo ",
    "env ",
    "xargs ",
    "find . -exec ",
    "\\;",
    " + ",
    "sh -c '",
    "eval ",
    "ssh h ",
    "if ",
    "then ",
    "elif ",
    "else ",
    "fi",
    "while ",
    "do ",
    "done",
    "for x in ",
    "case x in ",
    "esac",
    "function ",
    "begin ",
    "end",
    "switch ",
    "case ",
    "and ",
    "not ",
    "time ",
    "coproc ",
    "f() ",
    "$x[",
    "$x",
    "repeat 2 ",
    "foreach x (",
    "always ",
    "let x = ",
    "match x { a => ",
    "{|x| ",
    "{a: ",
    "o+e>| ",
    "e> ",
    "r#'",
    "'#",
    "...",
    "1..",
    "^",
    "def f [",
    "@",
    "\u{0}",
    "\r",
];

/// Long lines take time in proportion to their length, and nested lines do not overflow the stack.
#[test]
fn long_and_deep_lines_are_read() {
    for piece in [
        "a ",
        "ls | ",
        "$(",
        "(",
        "((",
        "$((",
        "{ ",
        "`",
        "\\`",
        "'",
        "\"$(",
        "${x:-",
        "$x[",
        "if ",
        "while ",
        "for x in ",
        "case x in a) ",
        "f() ",
        "<<E ",
        "begin;",
        "@(",
        "a=(",
        "<(",
        "!",
        "not ",
        "sudo ",
        "sh -c '",
        "find -exec ",
        "-exec a \\; ",
        "[[ ",
        "$'",
        "=(",
        "*(",
        "() ",
        "{a,",
        "repeat 1 ",
        "{a: ",
        "{|x| ",
        "[",
        "$\"(",
        "r#'",
        "let x = ",
        "x = ",
        "if a {} else ",
        "match a { b => ",
        "-a=",
        "...[",
        "def f [",
        "o> ",
        "1..",
    ] {
        let mut line = piece.repeat(200_000 / piece.len());
        if piece.starts_with("-exec") {
            line.insert_str(0, "find ");
        }
        for shell in Shell::ALL {
            let begun = std::time::Instant::now();
            check_spans(&line, &syntax::commands(&line, shell));
            let took = begun.elapsed();
            assert!(took.as_secs() < 10, "{piece:?} in {shell}: {took:?}");
        }
    }
}
