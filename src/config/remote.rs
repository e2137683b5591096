//! Profiles of models on servers: what each setting may hold, so that a key goes to one server and to nobody else.
//!
//! What is refused here is refused when the file is read, before anything is sent. No message repeats a value that may
//! be a key, for people paste keys into the wrong setting.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;

use crate::account::Prices;

/// Longest address, in bytes.
const URL_BYTES_MAX: usize = 2048;

/// Most words of a command that prints a key.
const COMMAND_WORDS_MAX: usize = 64;

/// Longest name of a variable, in bytes.
const VARIABLE_BYTES_MAX: usize = 128;

/// How long a server may be silent before its first byte, where a profile doesn't say, milliseconds.
pub const FIRST_BYTE_MS: u64 = 3_000;

/// How long a server may take for one answer, where a profile doesn't say, milliseconds.
pub const DEADLINE_MS: u64 = 8_000;

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// The profile's name.
    pub profile: String,
    /// How the server is spoken to.
    pub protocol: Protocol,
    /// Its address.
    pub url: Address,
    /// The model's name there.
    pub name: String,
    /// Where the key comes from.
    pub key: KeySource,
    /// Certificates of authorities that are trusted besides the system's, PEM.
    pub ca_file: Option<PathBuf>,
    /// How long the server may be silent before its first byte.
    pub first_byte: Duration,
    /// How long one answer may take in all.
    pub deadline: Duration,
    /// What tokens cost there, where the profile says so.
    pub prices: Option<Prices>,
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} at {}", self.protocol.name(), self.name, self.url.host())
    }
}

/// How a model server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Chat completions as OpenAI has them, which most servers speak.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own.
    Ollama,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Ollama];

    /// The word in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
        }
    }

    /// The protocol of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.name() == name)
    }
}

/// The address of a server: http or https, a host, no user, no password, nothing that ends a line.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: String,
    open: bool,
    hides: bool,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// What it may not hold. The address is not repeated: it may hold a password.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let refuse = |why: &str| Err(why.to_owned());
        if URL_BYTES_MAX < text.len() {
            return Err(format!("must have at most {URL_BYTES_MAX} bytes"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return refuse("must not hold a blank, a control character or a letter outside ASCII");
        }
        let Ok(url) = Url::parse(text) else {
            return refuse("is no address; write it as https://HOST/v1");
        };
        let Some(host) = url.host_str().filter(|_| matches!(url.scheme(), "http" | "https")) else {
            return refuse("must start with https://HOST or http://HOST");
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse(
                "must not hold a user or a password; name the key with key_env, key_cmd, key_keyring or key_file",
            );
        }
        if url.fragment().is_some() {
            return refuse("must not hold a `#`");
        }
        let loopback = host == "localhost" || is_loopback(host);
        Ok(Self {
            text: text.to_owned(),
            host: url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
            open: url.scheme() == "http" && !loopback,
            hides: url.query_pairs().any(|(name, _)| name != "api-version"),
        })
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host, and the port where it is not the scheme's own: what people are shown.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What is sent there can be read on the way: http, and not to this machine itself.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Its query may hold a key.
    pub(super) fn hides(&self) -> bool {
        self.hides
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.host)
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Where a key comes from: the first of these that there is. Never the key itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySource {
    /// The variable that holds it.
    pub env: Option<String>,
    /// The command that prints it.
    pub command: Option<KeyCommand>,
    /// The item of the desktop's keyring that holds it.
    pub keyring: Option<KeyringItem>,
    /// The file that holds it.
    pub file: Option<PathBuf>,
}

impl KeySource {
    /// The profile has no key.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// An item of the desktop's keyring, by the attributes that keyring libraries give it: `service` and `username`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyringItem {
    /// What the secret is for.
    pub service: String,
    /// Whose it is.
    pub user: String,
}

impl KeyringItem {
    /// Reads `SERVICE/USER`; a service may hold slashes of its own.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (service, user) = text.rsplit_once('/')?;
        let whole = !service.is_empty() && !user.is_empty();
        whole.then(|| Self { service: service.to_owned(), user: user.to_owned() })
    }
}

/// A command that prints a key: words for one program, no line for a shell. Only the user's own file makes one, so that
/// nothing else can ever be run in its place.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyCommand {
    words: Vec<String>,
    file: PathBuf,
}

impl KeyCommand {
    /// Reads the words of a command that stands in the configuration `file`.
    ///
    /// # Errors
    /// What is wrong with it; the command is not repeated.
    pub(super) fn parse(text: &str, file: &Path) -> Result<Self, String> {
        let Ok(words) = shell_words::split(text) else {
            return Err("has a quote that is not closed".to_owned());
        };
        let program = words.first().map_or("", String::as_str);
        if program.is_empty() {
            return Err("must name a program".to_owned());
        }
        if program.contains('/') && !program.starts_with('/') {
            return Err("must name a program on PATH or by its full path".to_owned());
        }
        if COMMAND_WORDS_MAX < words.len() {
            return Err(format!("must have at most {COMMAND_WORDS_MAX} words"));
        }
        Ok(Self { words, file: file.to_owned() })
    }

    /// The program: a name for PATH, or a full path.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Its arguments.
    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The configuration file that it stands in.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its words may hold a secret.
        f.write_str("KeyCommand(..)")
    }
}

/// What is wrong with the value of `key`, one of the texts of a profile.
pub(super) fn fault(key: &str, text: &str) -> Option<String> {
    match key {
        "url" => Address::parse(text).err(),
        "key_env" => (!is_variable(text)).then(|| {
            "must be the name of a variable (capitals, digits and `_`), not the key itself".to_owned()
        }),
        "key_cmd" => KeyCommand::parse(text, Path::new("")).err(),
        "key_keyring" => KeyringItem::parse(text)
            .is_none()
            .then(|| "must be SERVICE/USER, such as askline/team, not the key itself".to_owned()),
        // Somebody may have put the key itself here.
        "key_file" => (!Path::new(text).is_absolute()).then(|| "must be a full path".to_owned()),
        "ca_file" | "file" => {
            (!Path::new(text).is_absolute()).then(|| format!("must be a full path, not {text:?}"))
        }
        _ => None,
    }
}

/// Capitals alone: nearly every key has small letters, so that one put here by mistake is neither kept nor shown.
fn is_variable(name: &str) -> bool {
    let starts = name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_');
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    starts && name.len() <= VARIABLE_BYTES_MAX && name.bytes().all(is_part)
}
