//! A model on a server: OpenAI's chat completions and all that speak like them, Anthropic's messages, Ollama.
//!
//! Nothing of a server is believed: its answer counts only when it came whole, every size and wait has a bound, and
//! its words reach people through `clean::visible` alone. A request goes to the address in the user's own profile and
//! nowhere else: redirects are not followed, the proxy comes from the environment, a key is sent in the clear to
//! nobody but this machine itself.

mod address;
mod body;
mod events;
mod exchange;
mod heard;
mod key;
mod message;
mod quirks;
mod refusal;
mod talk;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use reqwest::Client;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use tokio::runtime::{Builder, Runtime};

use self::address::{Endpoint, Proxy};
pub use self::key::Key;
use self::quirks::Quirks;
use self::talk::Talk;
use super::{Model, Reply};
use crate::account::{Limits, Prices, Tally};
use crate::patience::{Patience, Stage};
use crate::prompt::Prompt;

/// Longest name of a model, in bytes.
const NAME_BYTES_MAX: usize = 256;
/// Largest file of certificates, in bytes.
const CA_BYTES_MAX: u64 = 1 << 20;
/// The version of Anthropic's protocol that is spoken here.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The languages that servers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `/chat/completions`; an address that ends in `/completions` is asked to continue text instead.
    OpenAi,
    /// `/v1/messages`.
    Anthropic,
    /// `/api/chat`; an address that ends in `/api/generate` is asked to continue text instead.
    Ollama,
}

/// A model on a server, as a profile describes it.
#[expect(missing_debug_implementations, reason = "it holds a key")]
pub struct Spec {
    /// What the server speaks.
    pub protocol: Protocol,
    /// The address, to which the protocol's path is added unless it stands there already. A query stays.
    pub url: String,
    /// The model's name on the server.
    pub model: String,
    /// The key, if the server wants one.
    pub key: Option<Key>,
    /// Certificates, in PEM, of authorities that are trusted besides the system's.
    pub ca_file: Option<PathBuf>,
    /// How long the server may take to begin its answer.
    pub first_byte: Duration,
    /// What people are told that answers: the server's host.
    pub source: String,
}

/// How much may be asked, and what it costs. By default as much as anybody likes, at no price that is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allowance {
    /// The bounds.
    pub limits: Limits,
    /// What earlier key presses of today asked of servers.
    pub today: Tally,
    /// What tokens cost here.
    pub prices: Option<Prices>,
}

/// A model on a server, ready to be asked.
#[expect(missing_debug_implementations, reason = "it holds a key")]
pub struct Remote {
    spec: Spec,
    endpoint: Endpoint,
    proxy: Option<Proxy>,
    quirks: Quirks,
    client: Client,
    /// Ends without waiting for what is under way in it, such as the look-up of a name. None only while it ends.
    runtime: Option<Runtime>,
    /// A connection may be open from an earlier request.
    connected: bool,
    allowance: Allowance,
}

impl Remote {
    /// Makes ready to ask; the network is not touched. The proxy is taken from this process's environment.
    ///
    /// # Errors
    /// When the address, the model's name, the key or the certificates can't be used, or the key would go over the
    /// network in the clear. The message names the setting.
    pub fn open(spec: Spec) -> anyhow::Result<Self> {
        Self::open_in(spec, &|name| std::env::var(name).ok())
    }

    /// The same with the environment given.
    ///
    /// # Errors
    /// As [`Remote::open`].
    pub fn open_in(spec: Spec, env: &dyn Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let endpoint = address::endpoint(spec.protocol, &spec.url)?;
        let name = &spec.model;
        ensure!(
            !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.chars().any(char::is_control),
            "`name` holds a control character, is empty or longer than {NAME_BYTES_MAX} bytes"
        );
        let clear = endpoint.url.scheme() == "http" && !address::is_loopback(&endpoint.url);
        ensure!(
            spec.key.is_none() || !clear,
            "`url` is http:// and not on this machine, where everybody could read the key; use https://"
        );
        let proxy = address::proxy(&endpoint.url, env)?;
        let quirks = Quirks::of(name, endpoint.url.host_str().unwrap_or_default());
        let client = client(&spec, &endpoint, proxy.as_ref(), &quirks)?;
        let runtime =
            Builder::new_current_thread().enable_all().build().context("can't wait for the network")?;
        Ok(Self {
            spec,
            endpoint,
            proxy,
            quirks,
            client,
            runtime: Some(runtime),
            connected: false,
            allowance: Allowance::default(),
        })
    }

    /// Sets how much may be asked from now on. It holds for every single request that is sent, whatever it is for.
    pub fn allow(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    /// The prompt in the shape that this server takes.
    fn talk<'a>(&self, prompt: &'a Prompt, solved: bool) -> Talk<'a> {
        if self.endpoint.raw { Talk::text(prompt, solved) } else { Talk::turns(prompt, solved) }
    }

    /// The body of the request for a prompt, exactly as it is sent; `solved` keeps the solved requests in it.
    ///
    /// # Errors
    /// When it can't be written as JSON.
    pub fn body(&self, prompt: &Prompt, solved: bool, max_tokens: usize) -> anyhow::Result<String> {
        body::body(self.spec.protocol, &self.spec.model, &self.talk(prompt, solved), max_tokens, &self.quirks)
    }

    /// Whether the prompt with its solved requests fits into the model's window, if that is known to be small.
    pub fn fits(&self, prompt: &Prompt, max_tokens: usize) -> bool {
        let needed = self.talk(prompt, true).tokens() + max_tokens + self.quirks.thinking;
        self.quirks.window.is_none_or(|window| needed <= window)
    }
}

impl Model for Remote {
    fn source(&self) -> String {
        self.spec.source.clone()
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        patience.enter(Stage::Thinking, Instant::now());
        let runtime = self.runtime.take().context("the network is not there any more")?;
        let reply = runtime.block_on(self.converse(prompt, max_tokens, patience));
        self.runtime = Some(runtime);
        reply
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The proxy through which a server at `url` is reached, as HOST:PORT, and the variable that names it; none where it is
/// reached directly.
///
/// # Errors
/// When the address is none, or the variable names a proxy that can't be used.
pub fn proxy(
    url: &str,
    env: &dyn Fn(&str) -> Option<String>,
) -> anyhow::Result<Option<(String, &'static str)>> {
    let url = reqwest::Url::parse(url).context("`url` is no address")?;
    Ok(address::proxy(&url, env)?.map(|proxy| (proxy.name(), proxy.variable)))
}

/// A client for this one server.
fn client(
    spec: &Spec,
    endpoint: &Endpoint,
    proxy: Option<&Proxy>,
    quirks: &Quirks,
) -> anyhow::Result<Client> {
    // Fails only when a provider is there already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("askline/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers(spec, quirks)?)
        .redirect(Policy::none())
        .no_proxy()
        .pool_max_idle_per_host(1);
    if let Some(proxy) = proxy {
        builder = builder.proxy(reqwest::Proxy::all(proxy.url.clone())?);
    }
    if let Some(file) = &spec.ca_file {
        builder = builder.tls_certs_merge(certificates(file)?);
    } else if endpoint.url.scheme() == "http" && proxy.is_none_or(|proxy| proxy.url.scheme() == "http") {
        // Nothing is encrypted, so reading the system's certificates would only cost time.
        builder = builder.tls_certs_only([]);
    }
    builder.build().context("can't make ready for the network")
}

fn headers(spec: &Spec, quirks: &Quirks) -> anyhow::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if spec.protocol == Protocol::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(ANTHROPIC_VERSION));
    }
    if let Some(key) = &spec.key {
        let (name, before) = match (spec.protocol, quirks.key_header) {
            (_, Some(name)) => (HeaderName::from_static(name), ""),
            (Protocol::Anthropic, None) => (HeaderName::from_static("x-api-key"), ""),
            (Protocol::OpenAi | Protocol::Ollama, None) => (AUTHORIZATION, "Bearer "),
        };
        headers.insert(name, key.header(before)?);
    }
    Ok(headers)
}

/// The certificates in a file.
fn certificates(file: &std::path::Path) -> anyhow::Result<Vec<reqwest::Certificate>> {
    use std::io::Read as _;
    let named = || format!("`ca_file` {}", file.display());
    let mut pem = Vec::new();
    let opened = std::fs::File::open(file).with_context(named)?;
    opened.take(CA_BYTES_MAX).read_to_end(&mut pem).with_context(named)?;
    let found = reqwest::Certificate::from_pem_bundle(&pem).with_context(named)?;
    ensure!(!found.is_empty(), "`ca_file` {} holds no certificate in PEM", file.display());
    Ok(found)
}
