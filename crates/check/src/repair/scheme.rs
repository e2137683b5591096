//! Repairs the misspelled scheme of an address: `curl htps://example.com`.

use crate::finding::{Finding, FindingKind, Fix, Severity};
use askline_syntax::{Parsed, SimpleCommand, Word};

/// Programs whose operands are addresses.
const FETCHERS: [&str; 11] =
    ["curl", "wget", "aria2c", "http", "xh", "xdg-open", "open", "firefox", "yt-dlp", "lynx", "w3m"];
/// Schemes that a misspelled one may mean, the likelier first.
const MEANT: [&str; 2] = ["https", "http"];
/// Another scheme that is one letter from these (IANA, Uniform Resource Identifier Schemes).
const OTHER: &str = "shttp";
/// Commands of git with an address.
const GIT_COMMANDS: [&str; 7] = ["clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule"];

/// Finds addresses whose scheme is one letter from `https` or `http`.
pub(super) fn misspelled(text: &str, parsed: &Parsed) -> Vec<Finding> {
    let fetches = |command: &&SimpleCommand| match command.name() {
        Some("git") => command.words.get(1).is_some_and(|word| GIT_COMMANDS.contains(&word.text.as_str())),
        name => name.is_some_and(|name| FETCHERS.contains(&name)),
    };
    let words = parsed.commands.iter().filter(fetches).flat_map(|command| command.words.iter().skip(1));
    words.filter_map(|word| misspelled_in(text, word)).collect()
}

fn misspelled_in(text: &str, word: &Word) -> Option<Finding> {
    let (scheme, host) = word.text.split_once("://").filter(|_| word.literal)?;
    let lower = scheme.to_lowercase();
    let is_plain = scheme.chars().all(|c| c.is_ascii_alphabetic()) && !host.is_empty();
    if !is_plain || MEANT.contains(&lower.as_str()) || lower == OTHER {
        return None;
    }
    let meant = MEANT.iter().find(|meant| strsim::osa_distance(&lower, meant) == 1)?;
    // A quoted word begins behind its quote; one with quotes or backslashes inside is left alone.
    let starts = [word.span.start, word.span.start + 1].into_iter();
    let mut spans = starts.map(|start| start..start + scheme.len());
    let span = spans
        .find(|span| text.get(span.start..).is_some_and(|rest| rest.starts_with(&format!("{scheme}://"))))?;
    Some(Finding {
        kind: FindingKind::Syntax,
        span: span.clone(),
        grade: Severity::Error,
        text: format!("there is no scheme `{scheme}:` of addresses; `{meant}:` is one"),
        evidence: "RFC 9110, 4.2".to_owned(),
        fixes: vec![Fix { span, replacement: (*meant).to_owned(), change: format!("{scheme} → {meant}") }],
    })
}
