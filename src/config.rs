//! The configuration: defaults as data, `config.toml` over them, the environment over that.
//!
//! Layer 0 holds the plain data and the merging of texts; who reads the file is the door. The file is the user's own:
//! nothing in a working directory is ever read as configuration.

mod file;
mod profiles;
mod remote;
mod told;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::file::Settings;
use self::profiles::Chosen;
pub use self::remote::{
    Address, DEADLINE_MS, FIRST_BYTE_MS, KeyCommand, KeySource, KeyringItem, Protocol, Remote,
};
pub use self::told::{Audience, Item, Reach, Telling};
use crate::account::{Cost, Limits};

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Which model is asked.
    pub model: ModelChoice,
    /// Which are asked after it, in this order, while none can be reached or answers in time.
    pub fallback: Vec<ModelChoice>,
    /// What each profile stands for, or why it stands for nothing, by name.
    pub profiles: BTreeMap<String, Result<ModelChoice, String>>,
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
    /// The same for each of those that are asked after it.
    pub fallback_forms: Vec<Form>,
    /// What models are told besides the request.
    pub told: Telling,
    /// What is told beside a suggestion.
    pub evidence: Evidence,
    /// What stands before a line labelled Dangerous.
    pub guard: Guard,
    /// How much may be asked of servers.
    pub limits: Limits,
    /// When other suggestions are looked for.
    pub alternatives: Alternatives,
    /// Whether examples of the shell's own documentation that suit a request stand before it.
    pub retrieve: bool,
    /// Whether a resident process computes the local model.
    pub daemon: Daemon,
    /// After how many minutes without a request it ends.
    pub daemon_idle_min: u64,
}

/// Whether a resident process, which keeps the model at hand, answers for a local one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Daemon {
    /// Where it can be had; otherwise the model is computed here.
    #[default]
    Auto,
    /// Never.
    Off,
    /// For tests: always, and for scripts too; there is no answer without it.
    Force,
}

/// When other suggestions than the first are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Alternatives {
    /// While the person reads the first, by the resident process.
    #[default]
    Ahead,
    /// When the key is pressed again.
    Asked,
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A model on a server.
    Remote(Box<Remote>),
}

impl ModelChoice {
    /// Asking it sends the request away through a socket; a server on this machine counts too, for it may pass it on.
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
    /// Who is asked, in order, by the names that people know: "team, then local:small". None where one model stands alone.
    pub fn order(&self) -> Option<String> {
        let called = |model: &ModelChoice| match model {
            ModelChoice::Remote(remote) => remote.profile.clone(),
            own => own.to_string(),
        };
        let models = [&self.model].into_iter().chain(&self.fallback);
        (!self.fallback.is_empty()).then(|| models.map(called).collect::<Vec<_>>().join(", then "))
    }

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
        match settings.choose(env("ASKLINE_MODEL").as_deref()) {
            Ok(Chosen { model, fallback, profiles, form, fallback_forms }) if settings.faults.is_empty() => {
                let config = Self {
                    model,
                    fallback,
                    profiles,
                    model_file: env("ASKLINE_MODEL_FILE").map(PathBuf::from),
                    deadline_ms: settings.whole("deadline_ms"),
                    max_tokens: settings.whole("max_tokens") as usize,
                    threads: Some(settings.whole("threads") as usize).filter(|&threads| threads != 0),
                    help: match settings.text(&["help"]) {
                        Some(("never", _)) => Help::Never,
                        _ => Help::System,
                    },
                    refine_rounds: settings.whole("refine_rounds") as u32,
                    form,
                    fallback_forms,
                    told: Telling::new(|item| {
                        settings
                            .text(&["context", item.name()])
                            .map_or(Reach::Off, |(word, _)| Reach::of_word(word))
                    }),
                    evidence: match settings.text(&["evidence"]) {
                        Some(("wrong", _)) => Evidence::Wrong,
                        _ => Evidence::All,
                    },
                    guard: match settings.text(&["guard"]) {
                        Some(("comment", _)) => Guard::Comment,
                        _ => Guard::Off,
                    },
                    limits: settings.limits(),
                    alternatives: match settings.text(&["alternatives"]) {
                        Some(("asked", _)) => Alternatives::Asked,
                        _ => Alternatives::Ahead,
                    },
                    retrieve: matches!(settings.text(&["retrieve"]), Some(("on", _))),
                    daemon: match settings.text(&["daemon"]) {
                        Some(("off", _)) => Daemon::Off,
                        Some(("force", _)) => Daemon::Force,
                        _ => Daemon::Auto,
                    },
                    daemon_idle_min: settings.whole("daemon_idle_min"),
                };
                config.unpriced()?;
                Ok((config, settings.told()))
            }
            chosen => {
                // A broken file often leaves no model either: that would only be said twice.
                if let (Err(faults), true) = (chosen, settings.faults.is_empty()) {
                    settings.faults = faults;
                }
                Err(Wrong(settings.faults.join("\n")))
            }
        }
    }
}

impl Settings {
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
    /// A bound for the cost of a day would not hold for a server without prices.
    fn unpriced(&self) -> Result<(), Wrong> {
        let asked = [&self.model].into_iter().chain(&self.fallback);
        let unpriced = asked.filter_map(|model| match model {
            ModelChoice::Remote(remote) if remote.prices.is_none() => Some(&remote.profile),
            _ => None,
        });
        match unpriced.into_iter().next() {
            Some(profile) if Cost(0) < self.limits.day_cost => Err(Wrong(format!(
                "profile `{profile}` has no prices, so `day_cost` would not hold for it; \
                 add price_in and price_out to [profiles.{profile}] (0 if it costs nothing), or remove `day_cost`"
            ))),
            _ => Ok(()),
        }
    }
}

/// Variables that override one setting.
const VARIABLES: [(&str, &str); 9] = [
    ("ASKLINE_PROFILE", "profile"),
    ("ASKLINE_DEADLINE_MS", "deadline_ms"),
    ("ASKLINE_THREADS", "threads"),
    ("ASKLINE_EVIDENCE", "evidence"),
    ("ASKLINE_GUARD", "guard"),
    ("ASKLINE_DAEMON", "daemon"),
    ("ASKLINE_HELP", "help"),
    ("ASKLINE_REFINE_ROUNDS", "refine_rounds"),
    ("ASKLINE_RETRIEVE", "retrieve"),
];

#[cfg(test)]
mod server_tests;
#[cfg(test)]
mod tests;
