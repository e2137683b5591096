//! Intent check: finds parts of an answer that its request does not ask for.
//!
//! A word of the answer that neither the request nor the tables contain may come from planted text (a file name, a
//! manual, a model). The check names the word, and the command line is at least Confirm. The same holds for a file
//! that is run or a secret that is read without being requested (`asked`).

mod asked;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use self::asked::RequestWords;
use super::address;
use super::effect::Label;
use super::files::{Access, FileUse};
use super::input_flow;
use super::table::EffectTable;
use super::weigh::Act;
use super::words::WordLists;
use askline_syntax as syntax;
use askline_syntax::shell::Shell;
use askline_syntax::{Nesting, Parsed, SimpleCommand, Span, Word};

/// Maximum number of words that the reason names.
const NAMED_MAX: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IntentLists {
    shows: BTreeSet<String>,
    changes: BTreeSet<String>,
    variables: BTreeSet<String>,
    known: Vec<String>,
    runs: BTreeSet<String>,
    builds: BTreeSet<String>,
    uses: BTreeSet<String>,
    takes: BTreeSet<String>,
    makes: BTreeSet<String>,
    refuses: BTreeSet<String>,
    explains: BTreeSet<String>,
    nouns: BTreeSet<String>,
    fillers: BTreeSet<String>,
    asked: Vec<Called>,
}

/// Words that refer to files besides their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Called {
    /// Patterns for the end of the path; `*` matches any characters of one name.
    files: Vec<String>,
    /// Phrases that refer to the files: all words of one phrase must occur; with `-` between them, next to each other.
    by: Vec<String>,
    /// `true` if the files must be in the working directory, unless the request names the directory.
    #[serde(default)]
    here: bool,
}

static LISTS: LazyLock<IntentLists> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "part of the program; a test reads it")]
    toml::from_str(include_str!("intent_check.toml")).expect("intent_check.toml is well-formed")
});

/// A finding of the intent check.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taint {
    pub(super) label: Label,
    pub(super) span: Span,
    pub(super) why: String,
}

/// Parts of a command line that are compared with the request.
pub(super) struct LineEffects<'a> {
    pub(super) parsed: &'a Parsed,
    pub(super) acts: &'a [Act],
    pub(super) met: &'a [FileUse],
}

/// Compares a command line with the request that it answers.
pub(super) fn of(request: &str, does: &LineEffects<'_>, shell: Shell, table: &EffectTable) -> Option<Taint> {
    contradicts(request, does.acts).or_else(|| unasked(request, does, shell, table))
}

/// Returns a finding if the request only asks to see something and the answer destroys something.
fn contradicts(request: &str, acts: &[Act]) -> Option<Taint> {
    let words: Vec<String> = words(request).collect();
    let shows = words.iter().any(|word| LISTS.shows.contains(word));
    let changes = words.iter().any(|word| is_change(word));
    if !shows || changes {
        return None;
    }
    let act = acts.iter().find(|act| act.destroys())?;
    let why = format!("the request only asks to see something, and this {}", act.why);
    Some(Taint { label: Label::Dangerous, span: act.span.clone(), why })
}

/// Returns a finding for words of the answer that are neither in the request nor in the tables.
fn unasked(request: &str, does: &LineEffects<'_>, shell: Shell, table: &EffectTable) -> Option<Taint> {
    let parsed = does.parsed;
    let asked = request.to_lowercase();
    let stands = |text: &str| !text.is_empty() && asked.contains(&text.to_lowercase());
    let mut found: Vec<(Span, String)> = Vec::new();
    let mut own: BTreeSet<&str> = BTreeSet::new();
    for command in &parsed.commands {
        for word in &command.assignments {
            own.extend(word.text.split('=').next());
        }
        // Variables that the command line itself sets: `for x in`, `read x`, `let x`.
        own.extend(command.words.iter().filter(|word| is_name(&word.text)).map(|word| word.text.as_str()));
    }
    for command in &parsed.commands {
        if let Some(Nesting::Wrapper(name)) = command.within.last()
            && WordLists::own().gives_rights(name)
            && !stands(name)
            && !stands("root")
        {
            found.push((command.span.clone(), name.clone()));
        }
        let targets = command.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
        for word in command.words.iter().skip(1).chain(targets) {
            let foreign = foreign_host(word, &stands)
                .or_else(|| foreign_path(word, &stands))
                .or_else(|| foreign_variable(word, &own, &stands, shell))
                .or_else(|| foreign_command(word, command, parsed, shell, table));
            found.extend(foreign.map(|what| (word.span.clone(), what)));
        }
    }
    let files = files(request, does.met);
    let accesses: BTreeSet<Access> = files.iter().map(|met| met.access).collect();
    // Files that are run or read are reported as such unless there are other findings.
    found.retain(|(span, name)| !files.iter().any(|met| met.span == *span && met.text == *name));
    let what = match (found.is_empty(), accesses.iter().collect::<Vec<_>>().as_slice()) {
        (true, [Access::Run]) => "runs a file that is ",
        (true, [Access::Read]) => "reads a secret that is ",
        _ => "",
    };
    found.extend(files.iter().map(|met| (met.span.clone(), met.text.clone())));
    let (span, _) = found.first()?.clone();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in found {
        if names.len() < NAMED_MAX && !names.contains(&name) {
            names.push(name);
        }
    }
    Some(Taint { label: Label::Confirm, span, why: format!("{what}not in your words: {}", names.join(", ")) })
}

/// Returns the file uses that the request does not ask for.
fn files<'m>(request: &str, met: &'m [FileUse]) -> Vec<&'m FileUse> {
    let asked = RequestWords::of(request);
    if asked.is_empty() { Vec::new() } else { met.iter().filter(|met| !asked.names(met)).collect() }
}

/// Returns the host of a URL or of `user@host:path` if it is not in the request.
fn foreign_host(word: &Word, stands: &impl Fn(&str) -> bool) -> Option<String> {
    let text = word.text.as_str();
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+') => {
            rest
        }
        _ => {
            let (user, rest) = text.split_once('@')?;
            let is_user = !user.is_empty()
                && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
            if !is_user || !rest.contains(['.', ':']) {
                return None;
            }
            rest
        }
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[" | "0.0.0.0" | "");
    (!is_local && !stands(host)).then(|| host.to_owned())
}

/// Returns an absolute path outside of the directories that every system has, if it is not in the request.
fn foreign_path(word: &Word, stands: &impl Fn(&str) -> bool) -> Option<String> {
    let text = word.text.as_str();
    if !text.starts_with('/')
        || !text.contains(char::is_alphanumeric)
        || text.contains(|c: char| c.is_whitespace() || "|()^$*{".contains(c))
    {
        return None;
    }
    let is_below = |place: &String| {
        text.strip_prefix(place.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let known = LISTS.known.iter().any(is_below);
    let mut parts = text.split('/').filter(|part| !part.is_empty());
    let is_personal = text.starts_with("/home/") || text.starts_with("/Users/");
    let asked = stands(text.trim_end_matches('/')) || (!is_personal && parts.all(stands));
    (!asked && (!known || is_personal)).then(|| text.to_owned())
}

/// Returns a variable that neither the shell nor the command line sets, if it is not in the request.
fn foreign_variable(
    word: &Word,
    own: &BTreeSet<&str>,
    stands: &impl Fn(&str) -> bool,
    shell: Shell,
) -> Option<String> {
    if word.literal {
        return None;
    }
    super::reading::variables(&word.text).find_map(|name| {
        let is_special = name.len() < 2 || name.bytes().all(|byte| byte.is_ascii_digit());
        let is_own = own.contains(name) || LISTS.variables.contains(name);
        let is_closure = shell.is_nushell() && !word.text.contains("$env.");
        (!is_special && !is_own && !is_closure && !stands(name)).then(|| format!("${name}"))
    })
}

/// Returns a command in a substitution that is not in the tables.
fn foreign_command(
    word: &Word,
    command: &SimpleCommand,
    parsed: &Parsed,
    shell: Shell,
    table: &EffectTable,
) -> Option<String> {
    if word.literal {
        return None;
    }
    let inner =
        input_flow::inside(&word.span, parsed).filter(|inner| inner.within.len() > command.within.len());
    inner
        .filter_map(SimpleCommand::name)
        // Files are checked separately (`met`); Nushell also has two-word names.
        .filter(|name| !name.contains('/'))
        .filter(|name| !shell.is_nushell() || !syntax::nushell_commands().contains(*name))
        .find(|name| table.find(name, &[], shell).is_none())
        .map(str::to_owned)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the words of a request in lower case.
fn words(request: &str) -> impl Iterator<Item = String> {
    let parts = request.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase)
}

/// Reports whether a word is a form of a verb of change: "delete", "deletes", "deleted", "deleting", "stopped".
fn is_change(word: &str) -> bool {
    LISTS.changes.contains(word)
        || ["ing", "es", "ed", "s", "d"].iter().filter_map(|ending| word.strip_suffix(ending)).any(|stem| {
            let single = stem.get(..stem.len().saturating_sub(1)).unwrap_or_default();
            LISTS.changes.contains(stem)
                || LISTS.changes.contains(&format!("{stem}e"))
                || LISTS.changes.contains(single)
        })
}

/// Returns a finding if a word of the command line contains a URL with a deceptive host.
pub(super) fn deceptive(parsed: &Parsed, shell: Shell) -> Option<Taint> {
    let words = parsed.commands.iter().flat_map(|command| &command.words);
    words.filter(|word| word.text.contains("://") && !word.text.contains(char::is_whitespace)).find_map(
        |word| {
            let host = address::host(word, shell);
            let name = host.name.filter(|_| host.deceptive)?;
            let why = format!("goes to {name}, a deceptive host name");
            Some(Taint { label: Label::Dangerous, span: word.span.clone(), why })
        },
    )
}
