//! A model on a server: protocol, address, the source of its key, deadlines and prices.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;

use crate::usage::Prices;
use askline_host::KeyCommand;

/// Maximum length of a URL, in bytes.
const URL_BYTES_MAX: usize = 2048;

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerProfile {
    /// Name of the profile.
    pub profile: String,
    /// Protocol of the server.
    pub protocol: Protocol,
    /// URL of the server.
    pub url: Address,
    /// Name of the model on the server.
    pub name: String,
    /// Source of the key.
    pub key: KeySource,
    /// PEM file of certificate authorities trusted in addition to the system's.
    pub ca_file: Option<PathBuf>,
    /// Maximum wait for the first byte.
    pub first_byte: Duration,
    /// Time limit for one whole answer.
    pub deadline: Duration,
    /// Token prices, if the profile states them.
    pub prices: Option<Prices>,
}

impl fmt::Display for ServerProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} at {}", self.protocol.name(), self.name, self.url.host())
    }
}

/// Protocol of a model server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's chat completions, which most servers support.
    OpenAi,
    /// Anthropic's messages API.
    Anthropic,
    /// Ollama's own protocol.
    Ollama,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Ollama];

    /// Returns the protocol's name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
        }
    }

    /// Returns the protocol with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.name() == name)
    }
}

/// URL of a server: http or https, with a host, without user, password or fragment, and without blanks or
/// control characters.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    url: Url,
    host: String,
}

impl Address {
    /// Parses a URL.
    ///
    /// # Errors
    ///
    /// The reason why it is refused. The text does not repeat the URL, which may contain a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let refuse = |why: &str| Err(why.to_owned());
        if URL_BYTES_MAX < text.len() {
            return Err(format!("must have at most {URL_BYTES_MAX} bytes"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return refuse("must not contain a blank, a control character or a letter outside ASCII");
        }
        let Ok(url) = Url::parse(text) else {
            return refuse("is not an address; write it as https://HOST/v1");
        };
        let Some(host) = url.host_str().filter(|_| matches!(url.scheme(), "http" | "https")) else {
            return refuse("must start with https://HOST or http://HOST");
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse(
                "must not hold a user or a password; name the key with key_env, key_cmd or key_file",
            );
        }
        if url.fragment().is_some() {
            return refuse("must not contain a `#`");
        }
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        Ok(Self { text: text.to_owned(), url, host })
    }

    /// Returns the whole URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the parsed URL.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the host, with the port if it is not the scheme's default; for display.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Reports whether traffic to this URL can be read on the way.
    pub fn is_open(&self) -> bool {
        is_open(&self.url)
    }

    /// Reports whether the query may contain a key.
    pub fn hides(&self) -> bool {
        self.url.query_pairs().any(|(name, _)| name != "api-version")
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.host)
    }
}

/// Reports whether traffic to this URL can be read on the way: http to a host other than loopback.
pub(crate) fn is_open(url: &Url) -> bool {
    url.scheme() == "http" && !is_loopback(url)
}

/// Reports whether the host is this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost" || ip_of(host).is_some_and(|address| address.is_loopback())
}

/// Returns the host as an IP address; `None` for a name.
pub(crate) fn ip_of(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Source of a key: the first of these that is set. Never the key itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySource {
    /// Variable that contains the key.
    pub env: Option<String>,
    /// Command that prints the key.
    pub command: Option<KeyCommand>,
    /// File that contains the key.
    pub file: Option<PathBuf>,
}

impl KeySource {
    /// Reports whether the profile has no key source.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
