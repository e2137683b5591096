//! The solved requests in `crates/model/src/prompt/solved-*.toml`: each parses in its shell, is plain, and is harmless to copy.
//!
//! These tests run no row. Each row was checked by hand in a scratch folder to do what its request asks.

use std::collections::{HashMap, HashSet};
use std::process::Command;

use askline_model::prompt::{Solved, solved};
use askline_risk::{self as risk, Around};
use askline_syntax::ParsedLine;
use askline_syntax::shell::Shell;
use serde::Deserialize;

use crate::parser::{Parser, installed};

/// Longest command, in characters: it must fit a narrow screen in two lines.
const COMMAND_CHARS_MAX: usize = 120;
/// Longest request, in characters.
const REQUEST_CHARS_MAX: usize = 90;

/// Programs in Debian or its usual additions, and the bash builtins and keywords that rows begin with.
const TOOLS: &str = "awk chmod chown column comm convert cp curl cut date df diff docker dpkg du echo env export find \
    for free getent git grep head history hostname id ip jobs join journalctl jq ln ls lsblk lsof make md5sum mv \
    nohup npm paste ping pkill ps pip python3 readlink rsync scp sed seq sha256sum shuf sort split ss ssh ssh-keygen \
    stat sudo systemctl tail tar tee touch tr uname uniq unzip wc xargs xxd zgrep zip cat gzip";
/// Additional names for zsh.
const ZSH_TOOLS: &str = "print";
/// Additional names for fish.
const FISH_TOOLS: &str =
    "abbr alias and command count end else fish_add_path if math printf psub set string test while sleep";

#[test]
fn bash_parses_its_rows() {
    parses(Shell::Bash);
}

#[test]
fn zsh_parses_its_rows() {
    parses(Shell::Zsh);
}

#[test]
fn fish_parses_its_rows() {
    parses(Shell::Fish);
}

#[test]
fn nushell_parses_its_rows() {
    parses(Shell::Nu);
}

#[test]
fn rows_are_plain() {
    for shell in Shell::ALL {
        for Solved { request, command } in solved(shell) {
            for (text, longest) in [(&request, REQUEST_CHARS_MAX), (&command, COMMAND_CHARS_MAX)] {
                assert!(!text.is_empty() && text.trim() == text, "{shell}: {text:?}");
                assert!(text.chars().all(|c| c == ' ' || c.is_ascii_graphic()), "{shell}: {text:?}");
                assert!(text.len() <= longest, "{shell}: {} characters: {text}", text.len());
            }
            assert!(!request.starts_with('#') && !request.ends_with('.'), "{shell}: {request}");
        }
    }
}

#[test]
fn no_row_stands_twice() {
    for shell in Shell::ALL {
        let mut requests = HashSet::new();
        for row in solved(shell) {
            assert!(requests.insert(row.request.to_lowercase()), "{shell}: {}", row.request);
        }
        let mut commands = HashMap::new();
        for row in solved(shell) {
            let other = commands.insert(row.command, row.request.clone());
            assert_eq!(other, None, "{shell}: {}", row.request);
        }
    }
}

/// A model repeats what it has seen: destructive rows must name a narrow target.
#[test]
fn what_destroys_is_narrow() {
    for shell in Shell::ALL {
        for row in solved(shell) {
            assert_eq!(too_wide(&row.command), None, "{shell}: {}", row.command);
        }
    }
    for wide in [
        "rm -rf /",
        "rm -rf build",
        "rm *",
        "find . -delete",
        "chmod -R 777 /",
        "chown -R me ~",
        "dd of=/dev/sda",
    ] {
        assert!(too_wide(wide).is_some(), "{wide}");
    }
}

#[test]
fn rows_begin_with_known_tools() {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let more = match shell {
            Shell::Zsh => ZSH_TOOLS,
            Shell::Fish => FISH_TOOLS,
            Shell::Bash | Shell::Nu => "",
        };
        let known: HashSet<&str> = TOOLS.split_whitespace().chain(more.split_whitespace()).collect();
        for row in solved(shell) {
            for program in programs(&row.command) {
                assert!(known.contains(program.as_str()), "{shell}: `{program}` in: {}", row.command);
            }
        }
    }
}

/// The checker takes an unknown word for an external program, so it would accept a misspelt builtin.
#[test]
fn nushell_rows_use_its_builtins_or_known_tools() {
    let Some(nu) = installed(Shell::Nu) else { return };
    let listing = Command::new(nu)
        .args(["-n", "--no-std-lib", "-c", "help commands | get name | to text"])
        .output()
        .unwrap();
    let listing = String::from_utf8(listing.stdout).unwrap();
    let known: HashSet<&str> = listing
        .lines()
        .filter_map(|name| name.split_whitespace().next())
        .chain(TOOLS.split_whitespace())
        .collect();
    assert!(known.contains("sort-by"), "{listing}");
    for row in solved(Shell::Nu) {
        let command = row.command.replace("{ ", "|").replace(" (", "|").replace("...(", "|");
        for element in command.split(['|', ';']) {
            let first = element.split_whitespace().next().unwrap_or_default().trim_end_matches([')', '}']);
            let is_key_or_parameter = first.ends_with(':') || element.len() == 1;
            if first.starts_with(|c: char| c.is_ascii_lowercase()) && !is_key_or_parameter {
                assert!(known.contains(first), "`{first}` in: {}", row.command);
            }
        }
    }
}

/// The rows agree with their requests, and each request names the files that its row runs and the secrets that it reads.
#[test]
fn the_checks_of_requests_find_nothing_in_a_row() {
    const REASONS: [&str; 2] =
        ["runs a file that is not in your words: ", "reads a secret that is not in your words: "];
    for shell in Shell::ALL {
        for Solved { request, command } in solved(shell) {
            let line = ParsedLine::new(command.as_str(), shell);
            assert_eq!(askline_intent::mismatches(&request, &line), [], "{shell}: {request}: {command}");
            let risk = risk::judge(&line, &Around { request: Some(&request), ..Around::nothing() });
            let is_found = REASONS.iter().any(|reason| risk.cause.starts_with(reason));
            assert!(!is_found, "{shell}: {request}: {command}: {}", risk.cause);
        }
    }
}

/// The requests for the test with the real model; an error in them fails before a model is downloaded.
#[test]
fn everyday_requests_are_ten_plain_lines() {
    #[derive(Deserialize)]
    struct Everyday {
        request: Vec<Request>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Request {
        text: String,
    }
    let everyday: Everyday = toml::from_str(include_str!("../data/everyday.toml")).unwrap();
    assert_eq!(everyday.request.len(), 10);
    for Request { text } in everyday.request {
        assert!(text.is_ascii() && text.len() <= REQUEST_CHARS_MAX && !text.contains('\n'), "{text}");
    }
}

/// Fails with every row that the shell's own parser rejects.
fn parses(shell: Shell) {
    let Some(parser) = Parser::of(shell) else { return };
    let rows = solved(shell);
    assert!(50 < rows.len(), "{shell}: only {} rows", rows.len());
    let faults: Vec<String> = rows
        .iter()
        .filter_map(|row| parser.complaint(&row.command).map(|fault| format!("{}\n{fault}", row.command)))
        .collect();
    assert!(faults.is_empty(), "{shell}:\n{}", faults.join("\n"));
}

/// Returns the programs that a line of bash, zsh or fish starts, keywords included; quoted text is skipped.
fn programs(command: &str) -> Vec<String> {
    let command = command.replace("$(", " | ").replace("<(", " | ").replace(" (", " | ").replace(')', " ");
    let mut programs = Vec::new();
    let mut starts = true;
    for word in shell_words::split(&command).unwrap() {
        let ends = word.ends_with(';') || ["|", "&&", "||", "&"].contains(&word.as_str());
        let name = word.trim_end_matches(';');
        if starts
            && !name.contains('=')
            && !["do", "done", "then", "fi"].contains(&name)
            && !["", "|"].contains(&name)
        {
            programs.push(name.to_owned());
        }
        starts = ends || (starts && (name.contains('=') || ["do", "then", "and", "else"].contains(&name)));
    }
    programs
}

/// Returns the word that makes a destructive line too wide, if any.
fn too_wide(command: &str) -> Option<String> {
    let words: Vec<&str> =
        command.split([' ', ';', '|', '(', ')', '{', '}']).filter(|word| !word.is_empty()).collect();
    let is = |names: &[&str]| words.iter().any(|word| names.contains(word));
    if let Some(word) = words.iter().find(|word| {
        ["dd", "mkfs", "shred", "--no-preserve-root", "--hard", "--force-with-lease"].contains(word)
    }) {
        return Some((*word).to_owned());
    }
    let recursive_rm = is(&["rm"])
        && words.iter().any(|word| {
            word.starts_with('-') && (*word == "--recursive" || word.contains('r') || word.contains('R'))
        });
    if recursive_rm {
        return Some("rm -r".to_owned());
    }
    let destroys = is(&["rm", "-delete", "--delete", "chmod", "chown", "kill", "pkill", "killall"]);
    let wide = ["/", "/*", "~", "~/", "~/*", ".", "./", "*", "./*", "..", "$HOME", "-1"];
    words.iter().find(|word| destroys && wide.contains(word)).map(|word| (*word).to_owned())
}
