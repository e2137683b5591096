//! Parser of the configuration file: known keys, value kinds, and the line number of every fault.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::preferences::{NOTE_CHARS_MAX, PREFERENCES_MAX, is_program};
use super::remotes::{REMOTE_KEYS, SYSTEMS, USERLANDS, is_remote};
use super::server;
use super::{Origin, Setting};
use askline_agent::agent_definition::AgentDefinition;
use askline_agent::tool::{RUN, Registry};
use askline_model::prompt::disclosure::{FactKind, Visibility};
use askline_model::server::Address;

/// Keys at the top level of the file.
pub(super) const TOP_KEYS: [&str; 23] = [
    "profile",
    "deadline_ms",
    "max_tokens",
    "threads",
    "memory",
    "gpu",
    "adapter",
    "evidence",
    "guard",
    "help",
    "refine_rounds",
    "alternatives",
    "daemon",
    "daemon_idle_min",
    "roles",
    "fallback",
    "limits",
    "context",
    "investigate",
    "agents",
    "prefer",
    "remotes",
    "profiles",
];

/// Key of the sentences in `[prefer]`; all other keys there are names of programs.
pub(super) const NOTES: &str = "notes";

/// Permissions of a tool.
const PERMISSIONS: [&str; 3] = ["allow", "ask", "deny"];

/// Keys of a profile.
pub(super) const PROFILE_KEYS: [&str; 14] = [
    "protocol",
    "name",
    "prompt",
    "file",
    "url",
    "key_env",
    "key_cmd",
    "key_file",
    "ca_file",
    "first_byte_ms",
    "deadline_ms",
    "price_in",
    "price_out",
    "price_cached",
];

/// Keys of `[roles]`: kinds of work that may have their own profile.
pub(super) const ROLES: [&str; 5] = ["draft", "second", "plan", "review", "summary"];

/// Keys of `[fallback]`.
const FALLBACK_KEYS: [&str; 1] = ["order"];

/// Keys of `[limits]`.
pub(super) const LIMIT_KEYS: [&str; 5] = ["calls", "tokens", "day_calls", "day_tokens", "day_cost"];

/// Keys of `[investigate]`.
pub(super) const INVESTIGATE_KEYS: [&str; 11] = [
    "choose",
    "commands",
    "draft_sees",
    "sessions",
    "audit",
    "looks_max",
    "local_ms",
    "served_ms",
    "tools",
    "paths",
    "calls",
];
/// Keys of an agent.
const AGENT_KEYS: [&str; 3] = ["prompt", "tools", "calls"];
/// Maximum number of paths with a permission.
const PATHS_MAX: usize = 64;

/// Names of the protocols.
pub(super) const PROTOCOLS: [&str; 5] = ["local", "scripted", "openai", "anthropic", "ollama"];

/// Keys of `[context]`.
pub(super) const CONTEXT_KEYS: [&str; FactKind::ALL.len()] = {
    let mut names = [""; FactKind::ALL.len()];
    let mut n = 0;
    while n < names.len() {
        names[n] = FactKind::ALL[n].name();
        n += 1;
    }
    names
};

/// Keys of earlier versions, each with its remedy. The value is not repeated, because it may be a secret.
const REMOVED_KEYS: [(&str, &str); 2] = [
    (
        "key_keyring",
        "use `key_cmd = \"secret-tool lookup service S username U\"` for the item S/U (on macOS `security \
         find-generic-password`)",
    ),
    ("retrieve", "remove it: examples from the documentation improved no answer"),
];

/// Maximum length of a text value, in bytes.
const TEXT_BYTES_MAX: usize = 4096;

/// Maximum number of names in a list.
const NAMES_MAX: usize = 16;

/// Kind of value that a key takes.
#[derive(Debug, Clone, Copy)]
enum ValueKind {
    /// Integer within these bounds, inclusive.
    Whole(u64, u64),
    /// Number of units from 0 to this value, with at most six decimals; stored in millionths.
    Amount(u32),
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// List of profile names.
    Names,
    /// List of tools of investigations.
    Tools,
}

/// Returns the kind of value that a known key takes, with its tables.
fn kind_at(key: &[String]) -> ValueKind {
    match key {
        [top, table, _] if top == "investigate" && table == "calls" => ValueKind::Whole(0, 20),
        [top, table, _] if top == "investigate" && table == "paths" => ValueKind::Word(&PERMISSIONS),
        [top, _, own] if top == "agents" => match own.as_str() {
            "calls" => ValueKind::Whole(1, 50),
            "tools" => ValueKind::Tools,
            _ => ValueKind::Text,
        },
        _ => kind(key.last().map_or("", String::as_str)),
    }
}

/// Returns the kind of value that a known key takes.
fn kind(key: &str) -> ValueKind {
    match key {
        "deadline_ms" | "first_byte_ms" => ValueKind::Whole(50, 600_000),
        "max_tokens" => ValueKind::Whole(1, 4096),
        "threads" => ValueKind::Whole(0, 512),
        "refine_rounds" => ValueKind::Whole(0, 4),
        "calls" => ValueKind::Whole(1, 10),
        "tokens" => ValueKind::Whole(0, 10_000_000),
        "day_calls" => ValueKind::Whole(0, 1_000_000),
        "day_tokens" => ValueKind::Whole(0, 1_000_000_000_000),
        "looks_max" => ValueKind::Whole(1, 50),
        "local_ms" | "served_ms" => ValueKind::Whole(1_000, 600_000),
        "draft_sees" => ValueKind::Word(&["words", "looks"]),
        "commands" => ValueKind::Word(&["never", "ask"]),
        "sessions" | "audit" => ValueKind::Word(&["off", "on"]),
        "choose" => ValueKind::Word(&["auto", "rules", "model"]),
        "day_cost" => ValueKind::Amount(1_000_000),
        "price_in" | "price_out" | "price_cached" => ValueKind::Amount(10_000),
        "alternatives" => ValueKind::Word(&["ahead", "asked"]),
        "memory" => ValueKind::Word(&["auto", "low"]),
        "gpu" => ValueKind::Word(&["auto", "off"]),
        "daemon" => ValueKind::Word(&["auto", "off", "force"]),
        "daemon_idle_min" => ValueKind::Whole(1, 1440),
        "evidence" => ValueKind::Word(&["open", "all", "wrong"]),
        "guard" => ValueKind::Word(&["off", "comment"]),
        "help" => ValueKind::Word(&["system", "never"]),
        "protocol" => ValueKind::Word(&PROTOCOLS),
        "prompt" => ValueKind::Word(&["solved", "chat"]),
        "shell" => ValueKind::Word(&["bash", "zsh", "fish", "nu"]),
        "os" => ValueKind::Word(&SYSTEMS),
        "userland" => ValueKind::Word(&USERLANDS),
        "order" => ValueKind::Names,
        _ if CONTEXT_KEYS.contains(&key) => ValueKind::Word(&Visibility::WORDS),
        _ if Registry::names().any(|tool| tool == key) => ValueKind::Word(&PERMISSIONS),
        _ => ValueKind::Text,
    }
}

/// Value of a setting.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Whole(u64),
    /// In millionths.
    Amount(u64),
    Text(String),
    Names(Vec<String>),
}

/// Settings read so far.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Values by full key, tables included.
    pub(super) values: BTreeMap<Vec<String>, (Value, Origin)>,
    pub(super) faults: Vec<String>,
}

impl Settings {
    /// Adds a file, which overrides earlier values. Without a path, the text is the built-in defaults.
    pub(super) fn add_file(&mut self, path: Option<&Path>, text: &str) {
        let line = |offset: usize| 1 + text.bytes().take(offset).filter(|&byte| byte == b'\n').count();
        let named = path.unwrap_or(Path::new("the built-in defaults"));
        let mut file = File { values: &mut self.values, path: named, line: &line, faults: Vec::new() };
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let remedy = if error.message() == "duplicate key" { "; remove one of the two" } else { "" };
            let fault = format!("{}{remedy}", error.message());
            file.fault(error.span().map_or(0, |span| span.start), &fault);
        }
        if errors.is_empty() {
            file.add(table.get_ref());
        }
        let mut faults = file.faults;
        faults.sort_by_key(|(line, _)| *line);
        let located = faults.into_iter().map(|(line, fault)| format!("{}:{line}: {fault}", named.display()));
        self.faults.extend(located);
        if path.is_none() {
            for (_, origin) in self.values.values_mut() {
                *origin = Origin::Default;
            }
        }
    }

    pub(super) fn add_variable(&mut self, name: &'static str, key: &str, text: String) {
        let value = match kind(key) {
            ValueKind::Whole(least, most) => whole(&text, 10, least, most),
            ValueKind::Word(words) => one_of(&text, words),
            ValueKind::Text => Ok(Value::Text(text)),
            ValueKind::Names | ValueKind::Tools | ValueKind::Amount(_) => {
                Err("can only be set in the configuration file".to_owned())
            }
        };
        match value {
            Ok(value) => drop(self.values.insert(vec![key.to_owned()], (value, Origin::Env(name)))),
            Err(fault) => self.faults.push(format!("{name} {fault}; correct or unset it")),
        }
    }

    /// Returns an integer that has a default.
    pub(super) fn whole(&self, key: &str) -> u64 {
        match self.values.get([key.to_owned()].as_slice()) {
            Some((Value::Whole(number), _)) => *number,
            _ => unreachable!("`{key}` is a number in the built-in defaults: a test checks that"),
        }
    }

    /// Returns a number if it is set; an amount is in millionths.
    pub(super) fn number(&self, key: &[&str]) -> Option<u64> {
        match self.get(key) {
            Some((Value::Whole(number) | Value::Amount(number), _)) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn get(&self, key: &[&str]) -> Option<&(Value, Origin)> {
        let key: Vec<String> = key.iter().map(|&part| part.to_owned()).collect();
        self.values.get(&key)
    }

    pub(super) fn text(&self, key: &[&str]) -> Option<(&str, &Origin)> {
        match self.get(key) {
            Some((Value::Text(text), origin)) => Some((text, origin)),
            _ => None,
        }
    }

    pub(super) fn with_origins(self) -> Vec<Setting> {
        let with_origin = |(key, (value, origin)): (Vec<String>, (Value, Origin))| {
            let last = key.last().map_or("", String::as_str);
            let value = match value {
                Value::Whole(number) => number.to_string(),
                Value::Amount(millionths) => (millionths as f64 / 1e6).to_string(),
                // A command or a URL may contain a key.
                Value::Text(_) if last == "key_cmd" => "\"(not shown)\"".to_owned(),
                Value::Text(url) if last == "url" && !Address::parse(&url).is_ok_and(|url| !url.hides()) => {
                    "\"(not shown)\"".to_owned()
                }
                Value::Names(names) => toml::Value::from(names).to_string(),
                Value::Text(text) => toml::Value::String(text).to_string(),
            };
            Setting { key: key.iter().map(|part| quoted(part)).collect::<Vec<_>>().join("."), value, origin }
        };
        self.values.into_iter().map(with_origin).collect()
    }
}

/// State while reading one file.
struct File<'a> {
    values: &'a mut BTreeMap<Vec<String>, (Value, Origin)>,
    path: &'a Path,
    /// Returns the line number of a byte offset.
    line: &'a dyn Fn(usize) -> usize,
    /// Faults with their line numbers.
    faults: Vec<(usize, String)>,
}

impl File<'_> {
    fn fault(&mut self, offset: usize, fault: &str) {
        self.faults.push(((self.line)(offset), fault.to_owned()));
    }

    fn add(&mut self, top: &DeTable<'_>) {
        for (key, value) in top {
            let (name, at) = (key.get_ref().as_ref(), key.span().start);
            match name {
                "profiles" => match value.get_ref().as_table() {
                    Some(profiles) => profiles.iter().for_each(|(name, value)| {
                        self.add_profile(name.get_ref(), value);
                    }),
                    None => self.fault(at, "`profiles` must be tables, such as [profiles.local]"),
                },
                "roles" => self.add_table(&["roles"], &ROLES, value),
                "fallback" => self.add_table(&["fallback"], &FALLBACK_KEYS, value),
                "limits" => self.add_table(&["limits"], &LIMIT_KEYS, value),
                "investigate" => self.add_investigate(value),
                "agents" => match value.get_ref().as_table() {
                    Some(agents) => agents.iter().for_each(|(name, value)| {
                        self.add_agent(name.get_ref(), value);
                    }),
                    None => self.fault(at, "`agents` must be tables, such as [agents.logs]"),
                },
                "prefer" => self.add_prefer(value),
                "remotes" => self.add_remotes(value),
                "context" => self.add_table(&["context"], &CONTEXT_KEYS, value),
                _ if TOP_KEYS.contains(&name) => self.add_value(vec![name.to_owned()], value),
                _ => self.fault(at, &unknown(name, &TOP_KEYS)),
            }
        }
    }

    /// Adds `[investigate]` and its tables.
    fn add_investigate(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.fault(value.span().start, "`investigate` must be a table [investigate]");
        };
        // Commands have a key of their own.
        let tools: Vec<&'static str> = Registry::names().filter(|name| *name != RUN).collect();
        for (key, value) in table {
            let (name, at) = (key.get_ref().as_ref(), key.span().start);
            match name {
                "tools" | "calls" => self.add_table(&["investigate", name], &tools, value),
                "paths" => self.add_paths(value),
                _ if INVESTIGATE_KEYS.contains(&name) => {
                    self.add_value(vec!["investigate".to_owned(), name.to_owned()], value);
                }
                _ => self.fault(at, &unknown(name, &INVESTIGATE_KEYS)),
            }
        }
    }

    /// Adds `[investigate.paths]`, whose keys are full paths.
    fn add_paths(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.fault(value.span().start, "`paths` must be a table [investigate.paths]");
        };
        if PATHS_MAX < table.len() {
            return self.fault(value.span().start, &format!("`paths` must have at most {PATHS_MAX} keys"));
        }
        for (key, value) in table {
            let path = key.get_ref().as_ref();
            let is_whole = path.starts_with('/') || path == "~" || path.starts_with("~/");
            if is_whole && !path.chars().any(char::is_control) {
                self.add_value(["investigate", "paths", path].map(str::to_owned).into(), value);
            } else {
                let fault = format!("`{}` must be a full path or begin with ~/", path.escape_debug());
                self.fault(key.span().start, &fault);
            }
        }
    }

    /// Adds `[prefer]`, whose keys are names of programs, and `notes`.
    fn add_prefer(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.fault(value.span().start, "`prefer` must be a table [prefer]");
        };
        if PREFERENCES_MAX < table.len() {
            return self
                .fault(value.span().start, &format!("`prefer` must have at most {PREFERENCES_MAX} keys"));
        }
        for (key, value) in table {
            let (name, at) = (key.get_ref().as_ref(), value.span().start);
            let read = match value.get_ref() {
                DeValue::Array(notes) if name == NOTES => notes_of(notes),
                _ if name == NOTES => Err("must be a list such as [\"use podman, not docker\"]".to_owned()),
                _ if !is_program(name) => Err("is not the name of a program".to_owned()),
                DeValue::String(program) if is_program(program) => Ok(Value::Text(program.to_string())),
                _ => Err("must be the name of a program, such as \"fd\"".to_owned()),
            };
            match read {
                Ok(value) => {
                    let origin = Origin::File(self.path.to_owned(), (self.line)(at));
                    self.values.insert(vec!["prefer".to_owned(), name.to_owned()], (value, origin));
                }
                Err(fault) => self.fault(at, &format!("`{}` {fault}", name.escape_debug())),
            }
        }
    }

    /// Adds `[agents.NAME]`.
    fn add_agent(&mut self, agent: &str, value: &Spanned<DeValue<'_>>) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let at = value.span().start;
        if agent.is_empty() || !agent.chars().all(is_name) {
            return self.fault(at, "an agent must have a name of letters, digits, - and _");
        }
        if AgentDefinition::named(agent).is_some() {
            return self.fault(at, &format!("the agent `{agent}` is built in; give yours another name"));
        }
        if value
            .get_ref()
            .as_table()
            .is_some_and(|table| !table.iter().any(|(key, _)| key.get_ref() == "prompt"))
        {
            self.fault(at, &format!("the agent `{agent}` has no `prompt`; add what it is told"));
        }
        self.add_table(&["agents", agent], &AGENT_KEYS, value);
    }

    /// Adds `[remotes.NAME]`.
    fn add_remotes(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.fault(value.span().start, "`remotes` must be tables, such as [remotes.db1]");
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            match value.get_ref().as_table() {
                _ if !is_remote(name) => {
                    let fault = format!("`{}` is not the name of a host for ssh", name.escape_debug());
                    self.fault(key.span().start, &fault);
                }
                Some(settings) if settings.is_empty() => {
                    self.fault(
                        key.span().start,
                        "a remote must have at least its `shell`, `os` or `userland`",
                    );
                }
                _ => self.add_table(&["remotes", name], &REMOTE_KEYS, value),
            }
        }
    }

    fn add_profile(&mut self, profile: &str, value: &Spanned<DeValue<'_>>) {
        if profile.is_empty() || profile.chars().any(char::is_control) {
            return self.fault(value.span().start, "a profile must have a name without control characters");
        }
        self.add_table(&["profiles", profile], &PROFILE_KEYS, value);
    }

    /// Adds the settings of the table at the key path `path`.
    fn add_table(&mut self, path: &[&str], known: &[&'static str], value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            let (last, whole) = (path.last().unwrap_or(&""), path.join("."));
            return self.fault(value.span().start, &format!("`{last}` must be a table [{whole}]"));
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                self.add_value(path.iter().chain([&name]).map(|&part| part.to_owned()).collect(), value);
            } else {
                self.fault(key.span().start, &unknown(name, known));
            }
        }
    }

    fn add_value(&mut self, key: Vec<String>, value: &Spanned<DeValue<'_>>) {
        let at = value.span().start;
        let name = key.last().map_or("", String::as_str);
        let read = match (kind_at(&key), value.get_ref()) {
            (ValueKind::Whole(least, most), DeValue::Integer(number)) => {
                whole(number.as_str(), number.radix(), least, most)
            }
            (ValueKind::Amount(most), DeValue::Integer(number)) if number.radix() == 10 => {
                amount(number.as_str(), most)
            }
            (ValueKind::Amount(most), DeValue::Float(number)) => amount(number.as_str(), most),
            (ValueKind::Text | ValueKind::Word(_), DeValue::String(text)) if text.is_empty() => {
                Err("must not be empty".to_owned())
            }
            (ValueKind::Word(words), DeValue::String(text)) => one_of(text, words),
            (ValueKind::Text, DeValue::String(text)) => text_of(name, text),
            (ValueKind::Names, DeValue::Array(names)) => names_of(names),
            (ValueKind::Tools, DeValue::Array(names)) => tools_of(names),
            (ValueKind::Tools, other) => {
                Err(format!("must be a list such as [\"list_dir\", \"stat\"], not {}", article(other)))
            }
            (ValueKind::Names, other) => {
                Err(format!("must be a list such as [\"team\", \"local\"], not {}", article(other)))
            }
            (ValueKind::Amount(_), other) => {
                Err(format!("must be a number such as 0.25, not {}", article(other)))
            }
            (ValueKind::Whole(..), other) => Err(format!("must be a whole number, not {}", article(other))),
            (ValueKind::Text | ValueKind::Word(_), other) => {
                Err(format!("must be a text, not {}", article(other)))
            }
        };
        match read {
            Ok(value) => {
                let origin = Origin::File(self.path.to_owned(), (self.line)(at));
                self.values.insert(key, (value, origin));
            }
            Err(fault) => self.fault(at, &format!("`{name}` {fault}")),
        }
    }
}

fn whole(text: &str, radix: u32, least: u64, most: u64) -> Result<Value, String> {
    match u64::from_str_radix(text, radix) {
        Ok(number) if (least..=most).contains(&number) => Ok(Value::Whole(number)),
        _ => Err(format!("must be a whole number from {least} to {most}, not {text}")),
    }
}

/// Parses a number of units into millionths.
fn amount(text: &str, most: u32) -> Result<Value, String> {
    match text.parse::<f64>() {
        // Millionths stay at or below 10^12, and an `f64` represents every integer up to there exactly.
        Ok(units) if (0.0..=f64::from(most)).contains(&units) => {
            Ok(Value::Amount((units * 1e6).round() as u64))
        }
        _ => Err(format!("must be a number from 0 to {most}, not {text}")),
    }
}

fn text_of(key: &str, text: &str) -> Result<Value, String> {
    if TEXT_BYTES_MAX < text.len() {
        return Err(format!("must have at most {TEXT_BYTES_MAX} bytes"));
    }
    if text.chars().any(char::is_control) {
        return Err("must not contain a line break or another control character".to_owned());
    }
    server::fault(key, text).map_or_else(|| Ok(Value::Text(text.to_owned())), Err)
}

fn names_of(names: &DeArray<'_>) -> Result<Value, String> {
    let mut read: Vec<String> = Vec::new();
    for name in names {
        let Some(name) = name.get_ref().as_str() else {
            return Err("must be a list of profiles, such as [\"team\", \"local\"]".to_owned());
        };
        if read.iter().any(|other| other == name) {
            return Err(format!("names `{name}` twice"));
        }
        read.push(name.to_owned());
    }
    if NAMES_MAX < read.len() {
        return Err(format!("must name at most {NAMES_MAX} profiles"));
    }
    Ok(Value::Names(read))
}

fn tools_of(names: &DeArray<'_>) -> Result<Value, String> {
    let known: Vec<&'static str> = Registry::names().collect();
    let mut read: Vec<String> = Vec::new();
    for name in names {
        match name.get_ref().as_str().and_then(|name| known.iter().find(|known| **known == name)) {
            Some(name) => read.push((*name).to_owned()),
            None => return Err(format!("must be a list of tools; use some of {}", known.join(", "))),
        }
    }
    Ok(Value::Names(read))
}

fn notes_of(notes: &DeArray<'_>) -> Result<Value, String> {
    let is_short = |note: &str| note.chars().count() <= NOTE_CHARS_MAX && !note.chars().any(char::is_control);
    let read = |note: &Spanned<DeValue<'_>>| {
        note.get_ref().as_str().filter(|note| is_short(note) && !note.trim().is_empty()).map(str::to_owned)
    };
    let read: Option<Vec<String>> = notes.iter().map(read).collect();
    read.filter(|notes| notes.len() <= PREFERENCES_MAX).map(Value::Names).ok_or_else(|| {
        format!(
            "must be a list of at most {PREFERENCES_MAX} sentences of at most {NOTE_CHARS_MAX} characters"
        )
    })
}

fn one_of(text: &str, words: &[&str]) -> Result<Value, String> {
    match words.contains(&text) {
        true => Ok(Value::Text(text.to_owned())),
        false => Err(format!("can't be `{text}`; use one of {}", words.join(", "))),
    }
}

fn article(value: &DeValue<'_>) -> String {
    match value.type_str() {
        kind if kind.starts_with(['a', 'i']) => format!("an {kind}"),
        kind => format!("a {kind}"),
    }
}

fn unknown(key: &str, known: &[&'static str]) -> String {
    if let Some((_, remedy)) = REMOVED_KEYS.iter().find(|(removed, _)| *removed == key) {
        return format!("`{key}` is no longer a setting; {remedy}");
    }
    match nearest(key, &mut known.iter().copied()) {
        Some(name) => format!("unknown key `{key}`; did you mean `{name}`?"),
        None => format!("unknown key `{key}` (known here: {})", known.join(", ")),
    }
}

/// Minimum similarity of two names, 0 to 1, to suggest one as a correction of the other.
const SLIP: f64 = 0.75;

pub(super) fn nearest<'n>(name: &str, known: &mut dyn Iterator<Item = &'n str>) -> Option<&'n str> {
    let alike = known.map(|known| (strsim::jaro_winkler(name, known), known));
    alike
        .filter(|(alike, _)| SLIP <= *alike)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

/// Returns a part of a key as written in TOML.
fn quoted(part: &str) -> String {
    let bare = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if bare && !part.is_empty() { part.to_owned() } else { toml::Value::String(part.to_owned()).to_string() }
}
