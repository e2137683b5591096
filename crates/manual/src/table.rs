//! Built-in tables: the options of macOS commands, and undocumented facts about commands.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::words::style_of;
use super::{Arity, Manual, OptionDoc, OptionStyle, Source};
use crate::userland::Userland;

/// Undocumented facts about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exceptions {
    /// Options missing from its documentation, or documented incorrectly.
    pub options: Vec<OptionDoc>,
    /// Another command whose documentation also applies to this one: `grep` for `zgrep`.
    pub like: Option<String>,
    /// Spelling style of its options, if its documentation does not show it.
    pub style: Option<OptionStyle>,
}

impl Exceptions {
    /// Adds undocumented facts to a parsed manual. They override the documentation: each entry was tested.
    pub fn apply(&self, manual: &mut Manual) {
        for doc in &self.options {
            for known in &mut manual.options {
                known.names.retain(|name| !doc.names.contains(name));
            }
            manual.options.retain(|known| !known.names.is_empty());
            manual.options.push(doc.clone());
            manual.mentioned.retain(|name| !doc.names.contains(name));
        }
        if let Some(style) = self.style {
            manual.style = style;
        }
    }
}

/// Returns the undocumented facts about a command, given by its words as typed (`git log`). `None` if there are
/// none.
pub fn exceptions(command: &str, userland: Userland) -> Option<&'static Exceptions> {
    let of_command = EXCEPTIONS.get(command)?;
    of_command
        .iter()
        .find(|(userlands, _)| userlands.is_empty() || userlands.iter().any(|name| name == userland.name()))
        .map(|(_, exceptions)| exceptions)
}

/// Returns the options of a command in its macOS version. `None` if the table does not cover the command.
pub fn macos(program: &str) -> Option<&'static Manual> {
    MACOS.get(program)
}

/// For each command: userlands, and the facts that apply to them.
type OfCommand = Vec<(Vec<String>, Exceptions)>;

static EXCEPTIONS: LazyLock<HashMap<String, OfCommand>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        command: Vec<Entry>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        name: String,
        #[serde(default)]
        userland: Vec<String>,
        #[serde(default)]
        options: Vec<String>,
        like: Option<String>,
        style: Option<String>,
    }
    let mut all: HashMap<String, OfCommand> = HashMap::new();
    for entry in
        toml::from_str::<File>(include_str!("exceptions.toml")).map(|file| file.command).unwrap_or_default()
    {
        let exceptions = Exceptions {
            options: entry.options.iter().map(|text| doc(text)).collect(),
            like: entry.like,
            style: entry.style.as_deref().and_then(style_named),
        };
        all.entry(entry.name).or_default().push((entry.userland, exceptions));
    }
    all
});

static MACOS: LazyLock<HashMap<String, Manual>> = LazyLock::new(|| {
    #[derive(Deserialize, Default)]
    struct Entry {
        #[serde(default)]
        options: Vec<String>,
        #[serde(default)]
        mentioned: String,
        style: Option<String>,
    }
    let entries: BTreeMap<String, Entry> = toml::from_str(include_str!("macos.toml")).unwrap_or_default();
    let manual = |(name, entry): (String, Entry)| {
        let mut manual = Manual {
            name: name.clone(),
            options: entry.options.iter().map(|text| doc(text)).collect(),
            mentioned: entry.mentioned.split_whitespace().map(str::to_owned).collect(),
            ..Manual::default()
        };
        manual.style = entry.style.as_deref().and_then(style_named).unwrap_or_else(|| style_of(&manual));
        (name, manual)
    };
    entries.into_iter().map(manual).collect()
});

fn style_named(name: &str) -> Option<OptionStyle> {
    match name {
        "getopt" => Some(OptionStyle::Getopt),
        "long-dash" => Some(OptionStyle::LongDash),
        "bsd" => Some(OptionStyle::Bsd),
        "operand" => Some(OptionStyle::Operand),
        "subcommands" => Some(OptionStyle::Subcommands),
        _ => None,
    }
}

/// Parses the short form of an option: names, then the value.
fn doc(text: &str) -> OptionDoc {
    let mut doc = OptionDoc {
        names: Vec::new(),
        value: Arity::None,
        placeholder: String::new(),
        text: String::new(),
        source: Source::Table,
    };
    for word in text.split_whitespace() {
        let (value, placeholder) = match word.chars().next() {
            Some('<') => (Arity::Required, word.trim_matches(['<', '>'])),
            Some('[') => (Arity::Optional, word.trim_matches(['[', ']'])),
            Some('=') => (Arity::Attached, word.trim_matches('=')),
            Some('?') => (Arity::Unknown, ""),
            _ => {
                doc.names.push(word.to_owned());
                continue;
            }
        };
        doc.value = value;
        doc.placeholder = placeholder.to_owned();
    }
    doc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exceptions_are_read() {
        let text = include_str!("exceptions.toml");
        assert_eq!(EXCEPTIONS.values().map(Vec::len).sum::<usize>(), text.matches("[[command]]").count());
        for (name, entries) in EXCEPTIONS.iter() {
            for (userlands, exceptions) in entries {
                let says = exceptions.like.is_some() || exceptions.style.is_some();
                assert!(says || !exceptions.options.is_empty(), "{name}");
                let known = ["GNU", "BusyBox", "uutils", "toybox", "BSD"];
                assert!(
                    userlands.iter().all(|userland| known.contains(&userland.as_str())),
                    "{name}: {userlands:?}"
                );
                for doc in &exceptions.options {
                    assert!(
                        !doc.names.is_empty() && doc.names.iter().all(|name| name.starts_with('-')),
                        "{doc:?}"
                    );
                }
            }
        }
        assert_eq!(
            text.matches("style = ").count(),
            EXCEPTIONS.values().flatten().filter(|(_, e)| e.style.is_some()).count()
        );
    }

    #[test]
    fn an_exception_is_right_where_a_text_is_not() {
        let mut manual = crate::help("  -n, --number=N  how many\n      --format=F  how\n  -y  old\n");
        let exceptions = exceptions("git log", Userland::Gnu).unwrap();
        exceptions.apply(&mut manual);
        assert_eq!(manual.option("--format").unwrap().value, Arity::Attached);
        assert_eq!(manual.option("--format").unwrap().source, Source::Table);
        assert_eq!(manual.option("-n").unwrap().value, Arity::Required);
    }

    #[test]
    fn userlands_differ() {
        let df = |userland| exceptions("df", userland).map(|found| found.options.len());
        assert_eq!((df(Userland::Gnu), df(Userland::Busybox), df(Userland::Bsd)), (Some(2), Some(1), None));
        assert_eq!(exceptions("zgrep", Userland::Bsd).unwrap().like.as_deref(), Some("grep"));
        assert_eq!(exceptions("dd", Userland::Bsd).unwrap().style, Some(OptionStyle::Operand));
        assert!(exceptions("no-such-command", Userland::Gnu).is_none());
    }

    /// Checks options that differ between systems and that people often mix up.
    #[test]
    fn macos_truth() {
        let value = |program: &str, option: &str| macos(program).unwrap().option(option).map(|doc| doc.value);
        assert_eq!(value("sed", "-i"), Some(Arity::Required));
        assert_eq!(value("sed", "-E"), Some(Arity::None));
        assert_eq!(value("sed", "-z"), None);
        assert_eq!(value("date", "-v"), Some(Arity::Required));
        assert_eq!(value("date", "-j"), Some(Arity::None));
        assert_eq!(value("date", "-d"), None);
        assert_eq!(value("find", "-printf"), None);
        assert_eq!(value("find", "-E"), Some(Arity::None));
        assert_eq!(value("find", "-maxdepth"), Some(Arity::Required));
        assert_eq!(value("find", "-name"), Some(Arity::Required));
        assert_eq!(value("ls", "-@"), Some(Arity::None));
        assert_eq!(value("ls", "--time-style"), None);
        assert_eq!(value("grep", "-P"), None);
        assert_eq!(value("grep", "--include"), Some(Arity::Required));
        assert_eq!(value("stat", "-f"), Some(Arity::Required));
        assert_eq!(value("stat", "-c"), None);
        assert_eq!(value("xargs", "-J"), Some(Arity::Required));
        assert_eq!(value("xargs", "-d"), None);
        assert_eq!(value("head", "-n"), Some(Arity::Required));
        assert_eq!(value("cp", "-t"), None);
        assert_eq!(value("egrep", "-i"), Some(Arity::None));
        assert_eq!(value("touch", "-t"), Some(Arity::Required));
        assert_eq!(macos("find").unwrap().style, OptionStyle::LongDash);
        assert!(macos("systemctl").is_none());
        assert!(include_str!("macos.toml").len() < 150_000);
    }
}
