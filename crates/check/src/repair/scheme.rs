//! Repairs the misspelled scheme of an address: `curl htps://example.com`.

use crate::finding::{Finding, FindingKind, Fix, Severity};
use askline_syntax::{Parsed, SimpleCommand, Word};

/// Programs whose operands are addresses.
const FETCHERS: [&str; 12] =
    ["curl", "wget", "git", "aria2c", "http", "xh", "xdg-open", "open", "firefox", "yt-dlp", "lynx", "w3m"];
/// Schemes that a misspelled one may mean, the likelier first.
const MEANT: [&str; 2] = ["https", "http"];
/// Other schemes that are one letter from these (IANA, Uniform Resource Identifier Schemes).
const OTHERS: [&str; 3] = ["ftp", "hxxp", "hxxps"];

/// Finds addresses whose scheme is one letter from `https` or `http`.
pub(super) fn misspelled(parsed: &Parsed) -> Vec<Finding> {
    let fetches = |command: &&SimpleCommand| command.name().is_some_and(|name| FETCHERS.contains(&name));
    let words = parsed.commands.iter().filter(fetches).flat_map(|command| command.words.iter().skip(1));
    words.filter_map(misspelled_in).collect()
}

fn misspelled_in(word: &Word) -> Option<Finding> {
    let (scheme, host) = word.text.split_once("://").filter(|_| word.literal)?;
    let lower = scheme.to_lowercase();
    let is_plain = scheme.chars().all(|c| c.is_ascii_alphabetic()) && !host.is_empty();
    if !is_plain || MEANT.contains(&lower.as_str()) || OTHERS.contains(&lower.as_str()) {
        return None;
    }
    let meant = MEANT.iter().find(|meant| strsim::osa_distance(&lower, meant) == 1)?;
    // A quoted word begins behind its quote.
    let start = word.span.start + usize::from(word.span.len() > word.text.len());
    let span = start..start + scheme.len();
    Some(Finding {
        kind: FindingKind::Syntax,
        span: span.clone(),
        grade: Severity::Error,
        text: format!("there is no scheme `{scheme}:` of addresses; `{meant}:` is one"),
        evidence: "RFC 9110, 4.2".to_owned(),
        fixes: vec![Fix { span, replacement: (*meant).to_owned(), change: format!("{scheme} → {meant}") }],
    })
}
