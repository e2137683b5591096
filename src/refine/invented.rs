//! Hosts, addresses and users in an answer that neither the user nor the facts for the model name. A
//! placeholder takes their place, since a guessed host is never the right one.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::knowledge::Knowledge;
use askline_check::reference::Reference as _;
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word};

/// Placeholder for a host or an address: a name that no server can have.
const HOST: &str = "your-host.invalid";
/// Placeholder for a user.
const USER: &str = "your-user";
/// Maximum number of names that are replaced in one line.
const NAMES_MAX: usize = 16;
/// Maximum length of a line that is searched, in bytes.
const LINE_BYTES_MAX: usize = 16 << 10;
/// Minimum length of the part of a host that the user may have named alone: `github`.
const NAMED_CHARS_MIN: usize = 3;

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    toml::from_str(include_str!("invented.toml")).expect("invented.toml is checked by a test")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    reaches: BTreeSet<String>,
    names_host: BTreeSet<String>,
    endings: BTreeSet<String>,
    users: BTreeSet<String>,
    service: Vec<Service>,
    takes_user: Vec<TakesUser>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Service {
    hosts: Vec<String>,
    by: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TakesUser {
    programs: Vec<String>,
    #[serde(default)]
    first: bool,
    #[serde(default)]
    options: Vec<String>,
}

/// A line without invented names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    /// The line with placeholders.
    pub(super) line: String,
    /// Description of each replacement.
    pub(super) changes: Vec<String>,
}

/// Everything that the user and the facts name.
pub(super) struct Said<'a> {
    text: String,
    words: BTreeSet<String>,
    knowledge: &'a Knowledge,
}

impl<'a> Said<'a> {
    /// Reads the request and the facts for the model, as one text.
    pub(super) fn new(text: &str, knowledge: &'a Knowledge) -> Self {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !is_name(c)).flat_map(|word| [word, word.trim_end_matches('.')]);
        let parts = text.split(|c: char| !c.is_alphanumeric());
        let words = words.chain(parts).map(str::to_owned).collect();
        Self { text, words, knowledge }
    }

    /// Returns a line with a placeholder for each invented name; `None` if it has none.
    pub(super) fn without_invented(&self, line: &ParsedLine) -> Option<Replaced> {
        let text = line.text();
        if LINE_BYTES_MAX < text.len() {
            return None;
        }
        let mut found: Vec<(Span, &str)> = self.in_text(text);
        let commands = &line.parsed().commands;
        for command in commands {
            found.extend(self.in_command(command, text));
        }
        if commands.iter().filter_map(base_name).any(|name| LISTS.reaches.contains(name)) {
            found.extend(commands.iter().flat_map(|command| self.in_assignments(command, text)));
        }
        found.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut end = 0;
        found.retain(|(span, _)| end <= span.start && std::mem::replace(&mut end, span.end) <= span.start);
        found.truncate(NAMES_MAX);
        let mut changes: Vec<String> = Vec::new();
        let mut replaced = text.to_owned();
        for (span, placeholder) in found.iter().rev() {
            let change = format!(
                "{} → {placeholder}: it is not in your words",
                text.get(span.clone()).unwrap_or_default()
            );
            if !changes.contains(&change) {
                changes.insert(0, change);
            }
            replaced.replace_range(span.clone(), placeholder);
        }
        (!changes.is_empty()).then_some(Replaced { line: replaced, changes })
    }

    /// Finds hosts that their surroundings tell anywhere in a text, also inside quotes: `https://…`, `user@…`,
    /// `/dev/tcp/…`, and addresses.
    fn in_text(&self, text: &str) -> Vec<(Span, &'static str)> {
        let mut found = Vec::new();
        for span in names(text) {
            let name = text.get(span.clone()).unwrap_or_default();
            let before = text.get(..span.start).unwrap_or_default();
            let after = text.get(span.end..).unwrap_or_default();
            if after.starts_with('@') {
                // A user; the host follows.
                let host = names(after).next().and_then(|host| after.get(host)).unwrap_or_default();
                let is_of_host =
                    is_domain(host) || after.get(1 + host.len()..).is_some_and(|rest| rest.starts_with(':'));
                if is_of_host && !in_url(before) && !self.knows_user(name) && is_word_start(before) {
                    found.push((span, USER));
                }
                continue;
            }
            let is_after_user = before.ends_with('@')
                && names(before).last().is_some_and(|user| user.end + 1 == before.len());
            let is_told = before.ends_with("://") && !authority(after).contains('@')
                || before.ends_with("/dev/tcp/")
                || before.ends_with("/dev/udp/")
                || before.ends_with('@') && in_url(before)
                || is_after_user && (is_domain(name) || after.starts_with(':'));
            let is_address = is_foreign_address(name) && !before.ends_with("==");
            if (is_told || is_address) && !before.ends_with("file://") && !self.knows_host(name) {
                found.push((span, HOST));
            }
        }
        found
    }

    /// Finds hosts and users that only the command tells.
    fn in_command(&self, command: &SimpleCommand, text: &str) -> Vec<(Span, &'static str)> {
        let Some(name) = base_name(command) else { return Vec::new() };
        let mut found = Vec::new();
        let raw = |word: &Word| word.literal && text.get(word.span.clone()) == Some(word.text.as_str());
        let words: Vec<&Word> = command.words.iter().skip(1).collect();
        if LISTS.reaches.contains(name) {
            let hosts = words
                .iter()
                .filter(|word| raw(word))
                .filter_map(|word| plain_host(&word.text, word.span.start));
            let hosts = hosts.filter(|(host, _)| is_domain(host) && self.exists(host) != Some(true));
            found.extend(hosts.filter(|(host, _)| !self.knows_host(host)).map(|(_, span)| (span, HOST)));
        }
        if let Some(word) = first_plain(&words).filter(|word| LISTS.names_host.contains(name) && raw(word)) {
            let (user, host) = word.text.split_once('@').unwrap_or(("", &word.text));
            let start = word.span.end - host.len();
            let host = plain_host(host, start).filter(|(host, _)| !self.knows_host(host));
            found.extend(host.map(|(_, span)| (span, HOST)));
            if is_account(user) && !self.knows_user(user) {
                found.push((word.span.start..word.span.start + user.len(), USER));
            }
        }
        for takes in LISTS.takes_user.iter().filter(|takes| takes.programs.iter().any(|other| other == name))
        {
            let first = first_plain(&words).filter(|_| takes.first).copied();
            let values =
                words.windows(2).filter(|pair| takes.options.contains(&pair[0].text)).map(|pair| pair[1]);
            for word in first.into_iter().chain(values).filter(|word| raw(word)) {
                let user = word.text.split([':', '.']).next().unwrap_or_default();
                if is_account(user) && !self.knows_user(user) {
                    found.push((word.span.start..word.span.start + user.len(), USER));
                }
            }
        }
        found
    }

    /// Finds hosts in the variables of a line that reaches others: `H=example.org; curl $H`.
    fn in_assignments(&self, command: &SimpleCommand, text: &str) -> Vec<(Span, &'static str)> {
        let value = |word: &Word| {
            let raw = text.get(word.span.clone())?;
            let (name, value) = raw.split_once('=').filter(|(_, value)| value.chars().all(is_name))?;
            let is_host = is_domain(value) && self.exists(value) != Some(true) && !self.knows_host(value);
            is_host.then(|| (word.span.start + name.len() + 1..word.span.end, HOST))
        };
        command.assignments.iter().filter_map(value).collect()
    }

    fn exists(&self, path: &str) -> Option<bool> {
        self.knowledge.exists(path)
    }

    /// Reports whether a host is this machine, was named, or is the service that the words ask for.
    fn knows_host(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_lowercase();
        let is_service = |service: &&Service| {
            service.hosts.contains(&host) && service.by.iter().any(|word| self.words.contains(word))
        };
        is_own(&host)
            || host.ends_with(".invalid")
            || self.words.contains(&host)
            || host.contains('.') && self.text.contains(&host)
            || self.names_domain(&host)
            || LISTS.service.iter().any(|service| is_service(&service))
    }

    /// Reports whether the words contain the part of a host below its public ending: `github` of `api.github.com`.
    fn names_domain(&self, host: &str) -> bool {
        if host.parse::<IpAddr>().is_ok() {
            return false;
        }
        let labels: Vec<&str> = host.split('.').collect();
        let [.., above, second, last] = labels.as_slice() else {
            let [own, _] = labels.as_slice() else { return false };
            return self.names(own);
        };
        // `co.uk`, `com.au`
        let is_ending = last.len() == 2 && second.len() <= 3;
        self.names(if is_ending { above } else { second })
    }

    fn names(&self, label: &str) -> bool {
        NAMED_CHARS_MIN <= label.chars().count() && self.words.contains(label)
    }

    /// Reports whether a user was named or has an account here.
    fn knows_user(&self, user: &str) -> bool {
        let is_in_words = self.words.contains(&user.to_lowercase());
        is_in_words || LISTS.users.contains(user) || self.knowledge.has_account(user) != Some(false)
    }
}

/// Returns the name of a command without its directory.
fn base_name(command: &SimpleCommand) -> Option<&str> {
    command.name().map(|name| name.rsplit('/').next().unwrap_or(name))
}

/// Returns the spans of the longest runs of characters of host and user names.
fn names(text: &str) -> impl DoubleEndedIterator<Item = Span> + '_ {
    let runs = text.split(|c: char| !is_name(c)).filter(|run| !run.is_empty());
    runs.map(move |run| {
        let start = run.as_ptr().addr() - text.as_ptr().addr();
        start..start + run.trim_end_matches(['.', '-']).len()
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "._-".contains(c)
}

/// Returns the text up to the end of the authority of a URL.
fn authority(text: &str) -> &str {
    text.split(|c: char| c.is_whitespace() || "/'\"?#".contains(c)).next().unwrap_or_default()
}

/// Reports whether the text ends inside the authority of a URL, directly after its user: `https://me:pw@`.
fn in_url(before: &str) -> bool {
    let rest = before.rsplit_once("://").map(|(_, rest)| rest);
    rest.is_some_and(|rest| authority(rest) == rest)
}

/// Reports whether a name may start after this text: no variable, no path.
fn is_word_start(before: &str) -> bool {
    !before.ends_with(['$', '{', '/', '\\', '%'])
}

/// Reports whether a name has a dot and ends as host names do.
fn is_domain(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    ending.is_some_and(|ending| {
        let is_top = 2 <= ending.chars().count() && ending.chars().all(char::is_alphabetic);
        is_top && !LISTS.endings.contains(&ending)
    }) && !name.starts_with(['.', '-'])
}

/// Reports whether the name is an address of another machine.
fn is_foreign_address(name: &str) -> bool {
    name.parse::<Ipv4Addr>().is_ok_and(|address| !is_of_this_machine(address.into()))
}

fn is_of_this_machine(address: IpAddr) -> bool {
    let is_mask = |address: Ipv4Addr| address.octets()[0] == 255 || address.is_multicast();
    address.is_loopback()
        || address.is_unspecified()
        || matches!(address, IpAddr::V4(address) if is_mask(address) || address.octets()[0] == 0)
}

/// Reports whether the host is this machine by any name.
fn is_own(host: &str) -> bool {
    let is_address = host.parse().is_ok_and(is_of_this_machine);
    is_address || host == "localhost" || host.ends_with(".localhost") || host.ends_with("localdomain")
}

/// Returns the host in a text without scheme that starts at an offset, and its span: `host`, `host:80`, `host/path`,
/// `@host`.
fn plain_host(text: &str, start: usize) -> Option<(&str, Span)> {
    let skipped = usize::from(text.starts_with('@'));
    let host = text.get(skipped..)?.split(['/', ':', '?']).next().filter(|host| !host.is_empty())?;
    let is_host = host.chars().all(is_name) && host.chars().any(char::is_alphabetic);
    let start = start + skipped;
    (is_host && !host.starts_with(['-', '.'])).then(|| (host, start..start + host.len()))
}

/// Returns the first word that is no option and no value of a one-letter option.
fn first_plain<'a, 'b>(words: &'b [&'a Word]) -> Option<&'b &'a Word> {
    let is_option = |word: &Word| word.text.starts_with('-');
    let mut was_letter = false;
    words.iter().find(|word| {
        let is_value = std::mem::replace(&mut was_letter, is_option(word) && word.text.len() == 2);
        !is_option(word) && !is_value && !word.text.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

/// Reports whether a word has the form of an account's name.
fn is_account(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}
