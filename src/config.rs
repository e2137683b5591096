//! The configuration: defaults as data, `config.toml` over them, the environment over that.
//!
//! Layer 0 holds the plain data and the merging of texts; who reads the file is the door. The file is the user's own:
//! nothing in a working directory is ever read as configuration.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Which model is asked.
    pub model: ModelChoice,
    /// A GGUF file to use in place of an installed one, for a local model.
    pub model_file: Option<PathBuf>,
    /// How long a key press may take in all, milliseconds.
    pub deadline_ms: u64,
    /// Most tokens one answer may have.
    pub max_tokens: usize,
    /// Threads for the embedded model; none: one per core.
    pub threads: Option<usize>,
    /// How far programs' own `--help` may be asked.
    pub help: Help,
    /// How often the model may be asked again after a check has failed: 0 to 4.
    pub refine_rounds: u32,
    /// How requests are put before the model.
    pub form: Form,
    /// What is told beside a suggestion.
    pub evidence: Evidence,
    /// What stands before a line labelled Dangerous.
    pub guard: Guard,
}

/// What stands before a line labelled Dangerous.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Guard {
    /// Nothing.
    #[default]
    Off,
    /// What makes it a comment, or in zsh one quoted word that nothing runs.
    Comment,
}

/// What is told beside a suggestion on the prompt line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Evidence {
    /// How much was looked up, what was changed, what is still wrong.
    #[default]
    All,
    /// Only what was changed and what is still wrong.
    Wrong,
}

/// How a prompt is put before a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// One text that the model goes on writing, up to the end of a line: solved requests, then the request.
    #[default]
    Completion,
    /// A system's and a user's message in the chat template of the model's own file, for models that know only chat.
    Chat,
}

/// How far programs' own `--help` may be asked, always in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Help {
    /// Programs that the system installed, where only its administrator can change them.
    System,
    /// None: manuals alone are read.
    Never,
}

/// Which model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// The embedded model with this name in the manifest.
    Local(String),
    /// Replies from a file.
    Scripted(PathBuf),
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(name) => write!(f, "local:{name}"),
            Self::Scripted(file) => write!(f, "scripted:{}", file.display()),
        }
    }
}

/// One setting, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key with its tables, such as `profiles.local.name`.
    pub key: String,
    /// The value as TOML writes it; what may hold a secret is left out.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The built-in defaults.
    Default,
    /// The user's file, in this line, counted from 1.
    File(PathBuf, usize),
    /// The variable of this name.
    Env(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Env(name) => f.write_str(name),
        }
    }
}

/// A configuration that can't be used; the text names file, line, cause and remedy, one line for each fault.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong(pub String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

impl Config {
    /// Merges the built-in defaults, the user's file and the environment, later ones over earlier ones.
    ///
    /// `file` is the path (for messages) and text of `config.toml`; `env` looks a variable up. A variable that is
    /// empty counts as not set.
    ///
    /// # Errors
    /// [`Wrong`] for an unknown key (line and nearest name), a wrong type or a value out of bounds; all that are found
    /// are named.
    pub fn merge(file: Option<(&Path, &str)>, env: &dyn Fn(&str) -> Option<String>) -> Result<Self, Wrong> {
        Self::merge_and_tell(file, env).map(|(config, _)| config)
    }

    /// As [`Config::merge`], and tells each setting with its origin, sorted by key.
    ///
    /// # Errors
    /// As [`Config::merge`].
    pub fn merge_and_tell(
        file: Option<(&Path, &str)>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<Setting>), Wrong> {
        let mut settings = Settings::default();
        settings.add_file(None, include_str!("config/default.toml"));
        if let Some((path, text)) = file {
            settings.add_file(Some(path), text);
        }
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        for (name, key) in VARIABLES {
            if let Some(value) = env(name) {
                settings.add_variable(name, key, value);
            }
        }
        let model = match env("ASKLINE_MODEL") {
            Some(value) => model_of_variable(&value).map_err(|fault| format!("ASKLINE_MODEL: {fault}")),
            None => settings.model_of_profile(),
        };
        match model {
            Ok(model) if settings.faults.is_empty() => {
                let config = Self {
                    model,
                    model_file: env("ASKLINE_MODEL_FILE").map(PathBuf::from),
                    deadline_ms: settings.whole("deadline_ms"),
                    max_tokens: settings.whole("max_tokens") as usize,
                    threads: Some(settings.whole("threads") as usize).filter(|&threads| threads != 0),
                    help: match settings.text(&["help"]) {
                        Some(("never", _)) => Help::Never,
                        _ => Help::System,
                    },
                    refine_rounds: settings.whole("refine_rounds") as u32,
                    form: settings.form_of_profile(),
                    evidence: match settings.text(&["evidence"]) {
                        Some(("wrong", _)) => Evidence::Wrong,
                        _ => Evidence::All,
                    },
                    guard: match settings.text(&["guard"]) {
                        Some(("comment", _)) => Guard::Comment,
                        _ => Guard::Off,
                    },
                };
                Ok((config, settings.told()))
            }
            model => {
                // A broken file often leaves no model either: that would only be said twice.
                if let (Err(fault), true) = (model, settings.faults.is_empty()) {
                    settings.faults.push(fault);
                }
                Err(Wrong(settings.faults.join("\n")))
            }
        }
    }
}

/// Variables that override one setting.
const VARIABLES: [(&str, &str); 7] = [
    ("ASKLINE_PROFILE", "profile"),
    ("ASKLINE_DEADLINE_MS", "deadline_ms"),
    ("ASKLINE_THREADS", "threads"),
    ("ASKLINE_EVIDENCE", "evidence"),
    ("ASKLINE_GUARD", "guard"),
    ("ASKLINE_HELP", "help"),
    ("ASKLINE_REFINE_ROUNDS", "refine_rounds"),
];

/// The keys at the top of the file.
const TOP_KEYS: [&str; 9] = [
    "profile",
    "deadline_ms",
    "max_tokens",
    "threads",
    "evidence",
    "guard",
    "help",
    "refine_rounds",
    "profiles",
];

/// The keys that will be at the top of the file.
const LATER_KEYS: [&str; 2] = ["roles", "fallback"];

/// The keys of a profile.
const PROFILE_KEYS: [&str; 8] =
    ["protocol", "name", "prompt", "file", "url", "key_env", "key_cmd", "key_file"];

/// The protocols there are.
const PROTOCOLS: [&str; 2] = ["local", "scripted"];

/// The protocols there will be.
const LATER_PROTOCOLS: [&str; 3] = ["openai", "anthropic", "ollama"];

/// Both.
const ALL_PROTOCOLS: [&str; 5] = ["local", "scripted", "openai", "anthropic", "ollama"];

/// What a key takes.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A whole number within bounds.
    Whole(u64, u64),
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// What a known key takes.
fn kind(key: &str) -> Kind {
    match key {
        "deadline_ms" => Kind::Whole(50, 600_000),
        "max_tokens" => Kind::Whole(1, 4096),
        "threads" => Kind::Whole(0, 512),
        "refine_rounds" => Kind::Whole(0, 4),
        "evidence" => Kind::Word(&["all", "wrong"]),
        "guard" => Kind::Word(&["off", "comment"]),
        "help" => Kind::Word(&["system", "never"]),
        "protocol" => Kind::Word(&ALL_PROTOCOLS),
        "prompt" => Kind::Word(&["solved", "chat"]),
        _ => Kind::Text,
    }
}

#[derive(Debug, Clone)]
enum Value {
    Whole(u64),
    Text(String),
}

/// What has been read so far.
#[derive(Debug, Default)]
struct Settings {
    /// By key with its tables.
    values: BTreeMap<Vec<String>, (Value, Origin)>,
    faults: Vec<String>,
}

impl Settings {
    /// Lays a file over what is there; no path: the built-in defaults.
    fn add_file(&mut self, path: Option<&Path>, text: &str) {
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

    fn add_variable(&mut self, name: &'static str, key: &str, text: String) {
        let value = match kind(key) {
            Kind::Whole(least, most) => whole(&text, 10, least, most),
            Kind::Word(words) => one_of(&text, words),
            Kind::Text => Ok(Value::Text(text)),
        };
        match value {
            Ok(value) => drop(self.values.insert(vec![key.to_owned()], (value, Origin::Env(name)))),
            Err(fault) => self.faults.push(format!("{name} {fault}; correct or unset it")),
        }
    }

    /// A number that has a default.
    fn whole(&self, key: &str) -> u64 {
        match self.values.get([key.to_owned()].as_slice()) {
            Some((Value::Whole(number), _)) => *number,
            _ => unreachable!("`{key}` is a number in the built-in defaults: a test holds that"),
        }
    }

    fn text(&self, key: &[&str]) -> Option<(&str, &Origin)> {
        let key: Vec<String> = key.iter().map(|&part| part.to_owned()).collect();
        match self.values.get(&key) {
            Some((Value::Text(text), origin)) => Some((text, origin)),
            _ => None,
        }
    }

    /// The model that the profile in use names.
    fn model_of_profile(&self) -> Result<ModelChoice, String> {
        let (profile, origin) = self.text(&["profile"]).unwrap_or(("local", &Origin::Default));
        let mut names = self.values.keys().filter_map(|key| match key.as_slice() {
            [table, name, _] if table == "profiles" => Some(name.as_str()),
            _ => None,
        });
        if !names.clone().any(|name| name == profile) {
            let hint = nearest(profile, &mut names).map_or_else(
                || format!("add a table [profiles.{profile}]"),
                |name| format!("did you mean `{name}`?"),
            );
            return Err(format!("{origin}: there is no profile `{profile}`; {hint}"));
        }
        let setting = |key| self.text(&["profiles", profile, key]);
        let missing = |key| format!("profile `{profile}` has no `{key}`; add it to [profiles.{profile}]");
        let (protocol, origin) = setting("protocol").ok_or_else(|| missing("protocol"))?;
        match protocol {
            "local" => Ok(ModelChoice::Local(setting("name").ok_or_else(|| missing("name"))?.0.to_owned())),
            "scripted" => {
                let (file, origin) = setting("file").ok_or_else(|| missing("file"))?;
                if !Path::new(file).is_absolute() {
                    return Err(format!("{origin}: `file` must be a full path, not {file:?}"));
                }
                Ok(ModelChoice::Scripted(file.into()))
            }
            later => Err(format!("{origin}: {}", not_yet(later))),
        }
    }

    /// How the profile in use wants requests to be put.
    fn form_of_profile(&self) -> Form {
        let (profile, _) = self.text(&["profile"]).unwrap_or(("local", &Origin::Default));
        match self.text(&["profiles", profile, "prompt"]) {
            Some(("chat", _)) => Form::Chat,
            _ => Form::Completion,
        }
    }

    fn told(self) -> Vec<Setting> {
        let tell = |(key, (value, origin)): (Vec<String>, (Value, Origin))| {
            let last = key.last().map_or("", String::as_str);
            let value = match value {
                Value::Whole(number) => number.to_string(),
                // A command or an address may hold a key or a password in itself.
                Value::Text(_) if last == "key_cmd" => "\"(not shown)\"".to_owned(),
                Value::Text(url) if last == "url" && url.contains('@') => "\"(not shown)\"".to_owned(),
                Value::Text(text) => toml::Value::String(text).to_string(),
            };
            Setting { key: key.iter().map(|part| quoted(part)).collect::<Vec<_>>().join("."), value, origin }
        };
        self.values.into_iter().map(tell).collect()
    }
}

/// A file while it is read.
struct File<'a> {
    values: &'a mut BTreeMap<Vec<String>, (Value, Origin)>,
    path: &'a Path,
    /// The line of a byte offset.
    line: &'a dyn Fn(usize) -> usize,
    /// What is wrong, with the line.
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
                _ if LATER_KEYS.contains(&name) => {
                    self.fault(at, &format!("`{name}` is not in this version yet; remove it"));
                }
                _ if TOP_KEYS.contains(&name) => self.add_value(vec![name.to_owned()], value),
                _ => self.fault(at, &unknown(name, &TOP_KEYS)),
            }
        }
    }

    fn add_profile(&mut self, profile: &str, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self
                .fault(value.span().start, &format!("`{profile}` must be a table [profiles.{profile}]"));
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if PROFILE_KEYS.contains(&name) {
                self.add_value(vec!["profiles".to_owned(), profile.to_owned(), name.to_owned()], value);
            } else {
                self.fault(key.span().start, &unknown(name, &PROFILE_KEYS));
            }
        }
    }

    fn add_value(&mut self, key: Vec<String>, value: &Spanned<DeValue<'_>>) {
        let at = value.span().start;
        let name = key.last().map_or("", String::as_str);
        let read = match (kind(name), value.get_ref()) {
            (Kind::Whole(least, most), DeValue::Integer(number)) => {
                whole(number.as_str(), number.radix(), least, most)
            }
            (Kind::Text | Kind::Word(_), DeValue::String(text)) if text.is_empty() => {
                Err("must not be empty".to_owned())
            }
            (Kind::Word(words), DeValue::String(text)) => one_of(text, words),
            (Kind::Text, DeValue::String(text)) => Ok(Value::Text(text.to_string())),
            (Kind::Whole(..), other) => Err(format!("must be a whole number, not {}", article(other))),
            (Kind::Text | Kind::Word(_), other) => Err(format!("must be a text, not {}", article(other))),
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

/// The model that a value of `ASKLINE_MODEL` names.
fn model_of_variable(value: &str) -> Result<ModelChoice, String> {
    match value.split_once(':') {
        None => Ok(ModelChoice::Local(value.to_owned())),
        Some((protocol, "")) => {
            Err(format!("nothing follows `{protocol}:`; write local:NAME, NAME or scripted:FILE"))
        }
        Some(("local", name)) => Ok(ModelChoice::Local(name.to_owned())),
        Some(("scripted", file)) => Ok(ModelChoice::Scripted(file.into())),
        Some((later, _)) if LATER_PROTOCOLS.contains(&later) => Err(not_yet(later)),
        Some((other, _)) => {
            Err(format!("there is no protocol `{other}`; use local:NAME, NAME or scripted:FILE"))
        }
    }
}

fn not_yet(protocol: &str) -> String {
    format!("the protocol `{protocol}` is not in this version yet; use {}", PROTOCOLS.join(" or "))
}

fn whole(text: &str, radix: u32, least: u64, most: u64) -> Result<Value, String> {
    match u64::from_str_radix(text, radix) {
        Ok(number) if (least..=most).contains(&number) => Ok(Value::Whole(number)),
        _ => Err(format!("must be a whole number from {least} to {most}, not {text}")),
    }
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
    match nearest(key, &mut known.iter().copied()) {
        Some(name) => format!("unknown key `{key}`; did you mean `{name}`?"),
        None => format!("unknown key `{key}`; known here: {}", known.join(", ")),
    }
}

/// How alike two names must be to be taken for a slip, from 0 to 1.
const SLIP: f64 = 0.75;

fn nearest<'n>(name: &str, known: &mut dyn Iterator<Item = &'n str>) -> Option<&'n str> {
    let alike = known.map(|known| (strsim::jaro_winkler(name, known), known));
    alike
        .filter(|(alike, _)| SLIP <= *alike)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

/// A part of a key as TOML writes it.
fn quoted(part: &str) -> String {
    let bare = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if bare && !part.is_empty() { part.to_owned() } else { toml::Value::String(part.to_owned()).to_string() }
}

#[cfg(test)]
mod tests;
