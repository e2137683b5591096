//! Configuration: built-in defaults, overridden by `config.toml`, overridden by environment variables.
//!
//! This module (layer 0) contains plain data and merges texts; the entry point reads the file. The file belongs
//! to the user: nothing in a working directory is ever read as configuration.

mod file;
mod preferences;
mod profiles;
mod remotes;
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer as _};

use self::file::{NOTES, Settings, Value};
pub use self::preferences::Preferences;
use self::profiles::Chosen;
pub use self::remotes::{Remote, Remotes};
use askline_agent::agent_definition::AgentDefinition;
use askline_agent::aide::Aide;
use askline_agent::tool::{Permission, Registry};
use askline_model::failure::UsageError;
use askline_model::prompt::Form;
use askline_model::prompt::disclosure::{DisclosurePolicy, Visibility};
use askline_model::server::ServerProfile;
use askline_model::usage::{Cost, Limits};

/// Effective settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Model to ask.
    pub model: ModelChoice,
    /// Models to ask next, in this order, while none can be reached or answers in time.
    pub fallback: Vec<ModelChoice>,
    /// Model of each profile by name, or the reason why the profile is unusable.
    pub profiles: BTreeMap<String, Result<ModelChoice, String>>,
    /// GGUF file to use instead of an installed one, for a local model.
    pub model_file: Option<PathBuf>,
    /// Time limit for a whole key press, in milliseconds.
    pub deadline_ms: u64,
    /// Maximum number of tokens in one answer.
    pub max_tokens: usize,
    /// Threads for the embedded model; `None` means one per core.
    pub threads: Option<usize>,
    /// `true` if the embedded model takes as little memory as possible, at the cost of speed.
    pub saves_memory: bool,
    /// `true` if the embedded model may compute on a graphics processor.
    pub gpu: bool,
    /// Adapter of the embedded model.
    pub adapter: AdapterChoice,
    /// Permission to run programs with `--help`.
    pub help: Help,
    /// Maximum number of repair requests after a failed check: 0 to 4.
    pub refine_rounds: u32,
    /// Prompt format of the model.
    pub form: Form,
    /// Prompt format of each fallback model.
    pub fallback_forms: Vec<Form>,
    /// Model that is asked as well where the first one is unsure, with its prompt format.
    pub second: Option<(ModelChoice, Form)>,
    /// Disclosure policy: facts that models may get besides the request.
    pub disclosure: DisclosurePolicy,
    /// Programs that the user prefers, and sentences for models.
    pub preferences: Preferences,
    /// Machines that are reached by ssh.
    pub remotes: Remotes,
    /// Amount of detail shown beside a suggestion.
    pub evidence: Evidence,
    /// Protection in front of a command labelled Dangerous.
    pub guard: Guard,
    /// Limits on requests to servers.
    pub limits: Limits,
    /// Settings of investigations.
    pub investigate: Investigate,
    /// Models that plan, review and sum up investigations, with their prompt formats; never embedded ones.
    pub aides: BTreeMap<Aide, (ModelChoice, Form)>,
    /// The user's own agents, by name.
    pub agents: BTreeMap<String, AgentDefinition>,
    /// Time at which alternatives are computed.
    pub alternatives: Alternatives,
    /// Use of the resident process for the local model.
    pub daemon: Daemon,
    /// Minutes without a request after which the resident process ends.
    pub daemon_idle_min: u64,
}

/// Use of a resident process, which keeps a local model loaded and answers for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Daemon {
    /// Use it if possible; otherwise compute the model in the current process.
    #[default]
    Auto,
    /// Never use it.
    Off,
    /// For tests: always use it, also for scripted models; without it there is no answer.
    Force,
}

/// Settings of investigations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Investigate {
    /// Who chooses what is looked at.
    pub choose: Chooser,
    /// `true` if the person may be asked to let a command run that only reads.
    pub asks_commands: bool,
    /// `true` if the draft after looks that rules chose gets what they saw.
    pub draft_sees: bool,
    /// Maximum number of looks.
    pub looks_max: usize,
    /// Time limit with a model on this machine.
    pub local: Duration,
    /// Time limit with a server.
    pub served: Duration,
    /// `true` if sessions are kept.
    pub keeps_sessions: bool,
    /// `true` if each look is written down.
    pub audits: bool,
    /// Permissions of tools; others are allowed.
    pub tools: BTreeMap<String, Permission>,
    /// Permissions of directories and all below them; others are allowed.
    pub paths: Vec<(String, Permission)>,
    /// Maximum number of calls of tools in one investigation.
    pub calls: BTreeMap<String, usize>,
}

/// Who chooses what an investigation looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Chooser {
    /// Rules for the embedded model, else the model.
    #[default]
    Auto,
    /// Rules, from the words of the request.
    Rules,
    /// The model.
    Model,
}

/// Time at which alternatives to the first suggestion are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Alternatives {
    /// While the user reads the first suggestion, by the resident process (prefetch).
    #[default]
    Ahead,
    /// When the user presses the key again.
    Asked,
}

/// Protection in front of a command labelled Dangerous.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Guard {
    /// None.
    #[default]
    Off,
    /// A prefix that makes the command a comment; in zsh, one quoted word that runs nothing.
    Comment,
}

/// Adapter of the embedded model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// The one that comes with the program for the model, if there is one.
    #[default]
    On,
    /// None.
    Off,
    /// A GGUF file.
    File(PathBuf),
}

/// Amount of detail shown beside a suggestion on the prompt line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Changes made, remaining faults, and the number of options looked up if not all were found.
    #[default]
    Open,
    /// The same, and the number of options looked up in every case.
    All,
    /// Only changes made and remaining faults.
    Wrong,
}

/// Permission to run programs with `--help`, always in the sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Help {
    /// Programs that the system installed, in places that only its administrator can change.
    #[default]
    System,
    /// No program: only manuals are read.
    Never,
}

/// A model to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// Embedded model with this name in the manifest.
    Local(String),
    /// Replies from a file.
    Scripted(PathBuf),
    /// Model on a server.
    Remote(Box<ServerProfile>),
}

impl ModelChoice {
    /// Reports whether the request is sent through a socket. A server on this machine counts as remote too,
    /// because it may forward the request.
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Remote(_))
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(name) => write!(f, "local:{name}"),
            Self::Scripted(file) => write!(f, "scripted:{}", file.display()),
            Self::Remote(remote) => remote.fmt(f),
        }
    }
}

/// One setting, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Key with its tables, such as `profiles.local.name`.
    pub key: String,
    /// Value as written in TOML; values that may contain a secret are left out.
    pub value: String,
    /// Source of the value.
    pub origin: Origin,
}

/// Source of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The built-in defaults.
    Default,
    /// This line of the user's file, counted from 1.
    File(PathBuf, usize),
    /// The environment variable with this name.
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

impl Config {
    /// Returns the models in the order of asking, by the names that users know: "team, then local:small".
    /// `None` if there is no fallback.
    pub fn order(&self) -> Option<String> {
        let called = |model: &ModelChoice| match model {
            ModelChoice::Remote(remote) => remote.profile.clone(),
            own => own.to_string(),
        };
        let models = [&self.model].into_iter().chain(&self.fallback);
        (!self.fallback.is_empty()).then(|| models.map(called).collect::<Vec<_>>().join(", then "))
    }

    /// Returns all models that a request may reach: the first, the second and the fallbacks.
    pub fn models(&self) -> impl Iterator<Item = &ModelChoice> {
        let second = self.second.iter().map(|(model, _)| model);
        [&self.model].into_iter().chain(second).chain(&self.fallback)
    }

    /// Returns the configuration under which the second model is asked: alone, and without an adapter file, which is made for the
    /// first. `None` if there is none.
    pub fn of_second(&self) -> Option<Self> {
        let (model, form) = self.second.clone()?;
        let adapter = match &self.adapter {
            AdapterChoice::File(_) => AdapterChoice::On,
            choice => choice.clone(),
        };
        Some(Self { model, form, adapter, fallback: Vec::new(), fallback_forms: Vec::new(), ..self.clone() })
    }

    /// Returns the time limit for a whole key press.
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    /// Merges the built-in defaults, the user's file and the environment; later sources override earlier ones.
    ///
    /// `file` is the path (for messages) and text of `config.toml`; `env` looks up a variable. An empty
    /// variable counts as unset.
    ///
    /// # Errors
    ///
    /// [`UsageError`] for an unknown key (with line number and nearest name), a wrong type or a value out of bounds;
    /// it lists all faults found.
    pub fn merge(
        file: Option<(&Path, &str)>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, UsageError> {
        Self::merge_with_origins(file, env).map(|(config, _)| config)
    }

    /// Merges as [`Config::merge`] does, and also returns each setting with its origin, sorted by key.
    ///
    /// # Errors
    ///
    /// As [`Config::merge`].
    pub fn merge_with_origins(
        file: Option<(&Path, &str)>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<Setting>), UsageError> {
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
        // A broken file often leaves no model either; reporting both would repeat the fault.
        if !settings.faults.is_empty() {
            return Err(UsageError(settings.faults.join("\n")));
        }
        let chosen = settings.choose(env("ASKLINE_MODEL").as_deref());
        let chosen = chosen.map_err(|faults| UsageError(faults.join("\n")))?;
        let config = settings.config(chosen, env("ASKLINE_MODEL_FILE").map(PathBuf::from));
        config.unpriced()?;
        Ok((config, settings.with_origins()))
    }
}

impl Settings {
    /// Returns the configuration with these models; `model_file` takes the place of an installed file.
    fn config(&self, chosen: Chosen, model_file: Option<PathBuf>) -> Config {
        let Chosen { model, fallback, profiles, form, fallback_forms, second, aides } = chosen;
        Config {
            model,
            fallback,
            profiles,
            deadline_ms: self.whole("deadline_ms"),
            max_tokens: self.whole("max_tokens") as usize,
            threads: Some(self.whole("threads") as usize).filter(|&threads| threads != 0),
            saves_memory: self.is(&["memory"], "low"),
            gpu: !self.is(&["gpu"], "off"),
            adapter: self.adapter(),
            help: self.word(&["help"]),
            refine_rounds: self.whole("refine_rounds") as u32,
            form,
            fallback_forms,
            // One file can't be two models.
            second: second.filter(|_| model_file.is_none()),
            model_file,
            disclosure: DisclosurePolicy::new(|item| {
                let word = self.text(&["context", item.name()]);
                word.map_or(Visibility::Off, |(word, _)| Visibility::of_word(word))
            }),
            preferences: self.preferences(),
            remotes: self.remotes(),
            evidence: self.word(&["evidence"]),
            guard: self.word(&["guard"]),
            limits: self.limits(),
            investigate: self.investigate(),
            aides,
            agents: self.agents(),
            alternatives: self.word(&["alternatives"]),
            daemon: self.word(&["daemon"]),
            daemon_idle_min: self.whole("daemon_idle_min"),
        }
    }

    /// Returns the word of a setting as its variant; the default of the type if it is not set.
    fn word<T: DeserializeOwned + Default>(&self, key: &[&str]) -> T {
        let word = self.text(key).map_or("", |(word, _)| word);
        let word: StrDeserializer<'_, WordError> = word.into_deserializer();
        T::deserialize(word).unwrap_or_default()
    }

    /// Reports whether a setting is this word.
    fn is(&self, key: &[&str], word: &str) -> bool {
        self.text(key).is_some_and(|(other, _)| other == word)
    }

    fn adapter(&self) -> AdapterChoice {
        match self.text(&["adapter"]) {
            Some(("off", _)) => AdapterChoice::Off,
            None | Some(("on", _)) => AdapterChoice::On,
            Some((file, _)) => AdapterChoice::File(PathBuf::from(file)),
        }
    }

    fn preferences(&self) -> Preferences {
        let mut preferences = Preferences::default();
        for (key, (value, _)) in &self.values {
            match (key.as_slice(), value) {
                ([table, name], Value::Text(program)) if table == "prefer" => {
                    preferences.programs.insert(name.clone(), program.clone());
                }
                ([table, name], Value::Names(notes)) if table == "prefer" && name == NOTES => {
                    preferences.notes.clone_from(notes);
                }
                _ => {}
            }
        }
        preferences
    }

    fn remotes(&self) -> Remotes {
        let names: BTreeSet<&String> = self
            .values
            .keys()
            .filter_map(|key| match key.as_slice() {
                [table, name, _] if table == "remotes" => Some(name),
                _ => None,
            })
            .collect();
        let word = |name: &str, key| self.text(&["remotes", name, key]).map(|(word, _)| word);
        let remote = |name: &String| {
            let [shell, os, userland] = ["shell", "os", "userland"].map(|key| word(name, key));
            (name.clone(), Remote::new(name, shell, os, userland))
        };
        Remotes(names.into_iter().map(remote).collect())
    }

    fn investigate(&self) -> Investigate {
        let number = |key| self.number(&["investigate", key]).unwrap_or(0);
        let permission = |table: &str, key: &str| {
            let (word, _) = self.text(&["investigate", table, key])?;
            let permission = match word {
                "deny" => Permission::Deny,
                "ask" => Permission::Ask,
                _ => Permission::Allow,
            };
            Some((key.to_owned(), permission))
        };
        let calls = |tool: &str| {
            let most = self.number(&["investigate", "calls", tool])?;
            Some((tool.to_owned(), usize::try_from(most).ok()?))
        };
        let paths = self.values.keys().filter_map(|key| match key.as_slice() {
            [top, table, path] if top == "investigate" && table == "paths" => permission(table, path),
            _ => None,
        });
        Investigate {
            choose: self.word(&["investigate", "choose"]),
            asks_commands: self.is(&["investigate", "commands"], "ask"),
            draft_sees: self.is(&["investigate", "draft_sees"], "looks"),
            looks_max: number("looks_max") as usize,
            local: Duration::from_millis(number("local_ms")),
            served: Duration::from_millis(number("served_ms")),
            keeps_sessions: self.is(&["investigate", "sessions"], "on"),
            audits: self.is(&["investigate", "audit"], "on"),
            tools: Registry::names().filter_map(|tool| permission("tools", tool)).collect(),
            paths: paths.collect(),
            calls: Registry::names().filter_map(calls).collect(),
        }
    }

    /// Returns the user's own agents.
    fn agents(&self) -> BTreeMap<String, AgentDefinition> {
        let mut agents = BTreeMap::new();
        for key in self.values.keys() {
            let [top, name, own] = key.as_slice() else { continue };
            if top != "agents" || own != "prompt" {
                continue;
            }
            let prompt = self.text(&["agents", name, "prompt"]).map_or("", |(prompt, _)| prompt);
            let tools = match self.get(&["agents", name, "tools"]) {
                Some((Value::Names(tools), _)) => tools.clone(),
                _ => Vec::new(),
            };
            let calls = self.number(&["agents", name, "calls"]).unwrap_or(AGENT_CALLS);
            let calls = usize::try_from(calls).unwrap_or(usize::MAX);
            let about = "An agent of the configuration.".to_owned();
            agents.insert(name.clone(), AgentDefinition { about, prompt: prompt.to_owned(), tools, calls });
        }
        agents
    }

    fn limits(&self) -> Limits {
        let number = |key| self.number(&["limits", key]).unwrap_or(0);
        Limits {
            calls: number("calls"),
            tokens: number("tokens"),
            day_calls: number("day_calls"),
            day_tokens: number("day_tokens"),
            day_cost: Cost(number("day_cost").saturating_mul(1_000_000)),
        }
    }
}

impl Config {
    /// Refuses `day_cost` if a server has no prices, because the limit could not be enforced.
    fn unpriced(&self) -> Result<(), UsageError> {
        let unpriced = self.models().filter_map(|model| match model {
            ModelChoice::Remote(remote) if remote.prices.is_none() => Some(&remote.profile),
            _ => None,
        });
        match unpriced.into_iter().next() {
            Some(profile) if Cost(0) < self.limits.day_cost => Err(UsageError(format!(
                "profile `{profile}` has no prices, so `day_cost` can't limit it; \
                 add price_in and price_out to [profiles.{profile}] (0 if it costs nothing), or remove `day_cost`"
            ))),
            _ => Ok(()),
        }
    }
}

/// Maximum number of looks of an agent that names none.
const AGENT_CALLS: u64 = 12;

/// Variables that override one setting each.
const VARIABLES: [(&str, &str); 8] = [
    ("ASKLINE_PROFILE", "profile"),
    ("ASKLINE_DEADLINE_MS", "deadline_ms"),
    ("ASKLINE_THREADS", "threads"),
    ("ASKLINE_EVIDENCE", "evidence"),
    ("ASKLINE_GUARD", "guard"),
    ("ASKLINE_DAEMON", "daemon"),
    ("ASKLINE_HELP", "help"),
    ("ASKLINE_REFINE_ROUNDS", "refine_rounds"),
];

#[cfg(test)]
mod server_tests;
#[cfg(test)]
mod tests;
