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
const VARIABLES: [(&str, &str); 3] =
    [("ASKLINE_PROFILE", "profile"), ("ASKLINE_DEADLINE_MS", "deadline_ms"), ("ASKLINE_THREADS", "threads")];

/// The keys at the top of the file.
const TOP_KEYS: [&str; 5] = ["profile", "deadline_ms", "max_tokens", "threads", "profiles"];

/// The keys that will be at the top of the file.
const LATER_KEYS: [&str; 2] = ["roles", "fallback"];

/// The keys of a profile.
const PROFILE_KEYS: [&str; 7] = ["protocol", "name", "file", "url", "key_env", "key_cmd", "key_file"];

/// The protocols there are.
const PROTOCOLS: [&str; 2] = ["local", "scripted"];

/// The protocols there will be.
const LATER_PROTOCOLS: [&str; 3] = ["openai", "anthropic", "ollama"];

/// What a key takes.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A whole number within bounds.
    Whole(u64, u64),
    Text,
    Protocol,
}

/// What a known key takes.
fn kind(key: &str) -> Kind {
    match key {
        "deadline_ms" => Kind::Whole(50, 600_000),
        "max_tokens" => Kind::Whole(1, 4096),
        "threads" => Kind::Whole(0, 512),
        "protocol" => Kind::Protocol,
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
            file.fault(error.span().map_or(0, |span| span.start), error.message());
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
            Kind::Text | Kind::Protocol => Ok(Value::Text(text)),
        };
        match value {
            Ok(value) => drop(self.values.insert(vec![key.to_owned()], (value, Origin::Env(name)))),
            Err(fault) => self.faults.push(format!("{name} {fault}")),
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
            (Kind::Protocol, DeValue::String(protocol))
                if !PROTOCOLS.iter().chain(&LATER_PROTOCOLS).any(|known| known == protocol) =>
            {
                let known = PROTOCOLS.iter().chain(&LATER_PROTOCOLS).copied().collect::<Vec<_>>();
                Err(format!("can't be `{protocol}`; use one of {}", known.join(", ")))
            }
            (Kind::Text | Kind::Protocol, DeValue::String(text)) if !text.is_empty() => {
                Ok(Value::Text(text.to_string()))
            }
            (Kind::Text | Kind::Protocol, DeValue::String(_)) => Err("must not be empty".to_owned()),
            (Kind::Whole(..), other) => Err(format!("must be a whole number, not {}", article(other))),
            (Kind::Text | Kind::Protocol, other) => Err(format!("must be a text, not {}", article(other))),
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
        Some((protocol, "")) => Err(format!("nothing follows `{protocol}:`")),
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
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn merge(text: &str, env: &[(&str, &str)]) -> Result<(Config, Vec<Setting>), Wrong> {
        let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Config::merge_and_tell(Some((Path::new("config.toml"), text)), &env)
    }

    #[track_caller]
    fn faults(text: &str, env: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&merge(text, env).unwrap_err().to_string());
    }

    #[test]
    fn the_defaults_stand_alone() {
        let config = Config::merge(None, &|_| None).unwrap();
        let model = ModelChoice::Local("qwen2.5-coder-1.5b-instruct-q4_k_m".to_owned());
        let defaults = Config { model, model_file: None, deadline_ms: 20_000, max_tokens: 96, threads: None };
        assert_eq!(config, defaults);
    }

    #[test]
    fn every_key_of_the_defaults_is_documented() {
        let text = include_str!("config/default.toml");
        for key in TOP_KEYS.iter().chain(&PROFILE_KEYS) {
            assert!(text.contains(key), "default.toml does not say what `{key}` is");
        }
        for protocol in PROTOCOLS.iter().chain(&LATER_PROTOCOLS) {
            assert!(text.contains(protocol), "default.toml does not name the protocol `{protocol}`");
        }
    }

    #[test]
    fn the_file_lies_over_the_defaults_and_the_environment_over_both() {
        let text = "deadline_ms = 5_000\nthreads = 0x4\nmax_tokens = 9\n[profiles.local]\nname = \"small\"\n";
        let (config, _) = merge(text, &[]).unwrap();
        let model = ModelChoice::Local("small".to_owned());
        let expected = Config { model, model_file: None, deadline_ms: 5000, max_tokens: 9, threads: Some(4) };
        assert_eq!(config, expected);

        let env = [
            ("ASKLINE_DEADLINE_MS", "70"),
            ("ASKLINE_THREADS", "0"),
            ("ASKLINE_MODEL", "scripted:a:b"),
            ("ASKLINE_MODEL_FILE", "/m.gguf"),
        ];
        let (config, settings) = merge(text, &env).unwrap();
        let model = ModelChoice::Scripted("a:b".into());
        let model_file = Some("/m.gguf".into());
        let expected = Config { model, model_file, deadline_ms: 70, max_tokens: 9, threads: None };
        assert_eq!(config, expected);
        let told: Vec<String> = settings
            .iter()
            .map(|setting| format!("{} = {} # {}\n", setting.key, setting.value, setting.origin))
            .collect();
        expect![[r#"
            deadline_ms = 70 # ASKLINE_DEADLINE_MS
            max_tokens = 9 # config.toml:3
            profile = "local" # default
            profiles.local.name = "small" # config.toml:5
            profiles.local.protocol = "local" # default
            threads = 0 # ASKLINE_THREADS
        "#]]
        .assert_eq(&told.concat());
    }

    #[test]
    fn a_profile_names_the_model() {
        let text = "profile = \"s\"\n[profiles.s]\nprotocol = \"scripted\"\nfile = \"/s\"\n[profiles.\"a b\"]\nprotocol = \"ollama\"\nurl = \"http://me:pass@h\"\nkey_cmd = \"pass show x\"\n";
        let (config, settings) = merge(text, &[]).unwrap();
        assert_eq!(config.model, ModelChoice::Scripted("/s".into()));
        let shown = format!("{settings:?}");
        assert!(!shown.contains("pass"), "{shown}");
        assert!(settings.iter().any(|setting| setting.key == "profiles.\"a b\".url"), "{shown}");
        let (config, _) = merge(text, &[("ASKLINE_PROFILE", "local"), ("ASKLINE_MODEL", "")]).unwrap();
        assert_eq!(config.model.to_string(), "local:qwen2.5-coder-1.5b-instruct-q4_k_m");
        faults(
            text,
            &[("ASKLINE_PROFILE", "a b")],
            expect!["config.toml:6: the protocol `ollama` is not in this version yet; use local or scripted"],
        );
        faults(
            text,
            &[("ASKLINE_PROFILE", "locl")],
            expect!["ASKLINE_PROFILE: there is no profile `locl`; did you mean `local`?"],
        );
        faults(
            "profile = \"team\"",
            &[],
            expect!["config.toml:1: there is no profile `team`; add a table [profiles.team]"],
        );
        faults(
            "profile = \"t\"\n[profiles.t]\nname = \"x\"",
            &[],
            expect!["profile `t` has no `protocol`; add it to [profiles.t]"],
        );
        faults(
            "[profiles.local]\nprotocol = \"scripted\"\nfile = \"replies\"",
            &[],
            expect![[r#"config.toml:3: `file` must be a full path, not "replies""#]],
        );
        faults(
            "",
            &[("ASKLINE_MODEL", "openai:gpt")],
            expect!["ASKLINE_MODEL: the protocol `openai` is not in this version yet; use local or scripted"],
        );
        faults(
            "",
            &[("ASKLINE_MODEL", "magic:x")],
            expect!["ASKLINE_MODEL: there is no protocol `magic`; use local:NAME, NAME or scripted:FILE"],
        );
        faults("", &[("ASKLINE_MODEL", "local:")], expect!["ASKLINE_MODEL: nothing follows `local:`"]);
    }

    #[test]
    fn every_fault_is_named() {
        faults(
            "deadlin_ms = 5\nmax_tokens = \"many\"\ncolour = true\nthreads = -1\nroles = 3\nprofile = []\ndeadline_ms = 49\n\n[profiles]\nx = 1\n[profiles.local]\nnaem = \"x\"\nprotocol = \"grpc\"\nname = \"\"\n",
            &[("ASKLINE_THREADS", "two")],
            expect![[r#"
                config.toml:1: unknown key `deadlin_ms`; did you mean `deadline_ms`?
                config.toml:2: `max_tokens` must be a whole number, not a string
                config.toml:3: unknown key `colour`; known here: profile, deadline_ms, max_tokens, threads, profiles
                config.toml:4: `threads` must be a whole number from 0 to 512, not -1
                config.toml:5: `roles` is not in this version yet; remove it
                config.toml:6: `profile` must be a text, not an array
                config.toml:7: `deadline_ms` must be a whole number from 50 to 600000, not 49
                config.toml:10: `x` must be a table [profiles.x]
                config.toml:12: unknown key `naem`; did you mean `name`?
                config.toml:13: `protocol` can't be `grpc`; use one of local, scripted, openai, anthropic, ollama
                config.toml:14: `name` must not be empty
                ASKLINE_THREADS must be a whole number from 0 to 512, not two"#]],
        );
        faults(
            "deadline_ms = \n[profiles\nmax_tokens = 99999999999999999999",
            &[],
            expect![[r#"
                config.toml:1: string values must be quoted, expected literal string
                config.toml:2: unclosed table, expected `]`"#]],
        );
        faults(
            "max_tokens = 99999999999999999999\nprofiles = 1",
            &[],
            expect![[r#"
                config.toml:1: `max_tokens` must be a whole number from 1 to 4096, not 99999999999999999999
                config.toml:2: `profiles` must be tables, such as [profiles.local]"#]],
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "([a-z_]{0,8}( = |\\.|\\[|\\]|\"|\n|=|#|[0-9]|é){0,3}){0,12}", any in ".*") {
            let _ = merge(&text, &[("ASKLINE_MODEL", &any), ("ASKLINE_THREADS", &any)]);
            let _ = merge(&any, &[("ASKLINE_PROFILE", &any)]);
        }
    }
}
