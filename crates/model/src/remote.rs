//! A model on a server: OpenAI's chat completions and compatible servers, Anthropic's messages, Ollama.
//!
//! Servers are not trusted: an answer counts only if it is complete, every size and wait is bounded, and its
//! text is shown only through `clean::visible`. A request is sent only to the URL in the user's own profile:
//! redirects are not followed, the proxy comes from the environment, and a key is sent unencrypted only to this
//! machine itself.

mod address;
mod body;
mod chat_messages;
mod echo;
mod events;
mod exchange;
mod key;
mod message;
mod quirks;
mod refusal;
mod response_accumulator;
mod tool_messages;

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use tokio::runtime::{Builder, Runtime};

use self::address::{Proxy, RequestUrl};
use self::chat_messages::ChatMessages;
pub use self::key::ApiKey;
use self::quirks::Quirks;
use super::{Model, Reply};
use crate::http;
use crate::prompt::Prompt;
use crate::request_control::{RequestControl, Stage};
use crate::server::{Protocol, is_open};
use crate::usage::{Limits, Prices, Tally};
use askline_host::Host as _;
use askline_host::local::LocalHost;

/// Maximum length of a model name, in bytes.
const NAME_BYTES_MAX: usize = 256;
/// Maximum size of a certificate file, in bytes.
const CA_BYTES_MAX: u64 = 1 << 20;
/// Maximum wait for the certificates of the profile and the system.
const CERTIFICATES_WAIT: Duration = Duration::from_secs(3);
/// Version of Anthropic's protocol.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// A model on a server, as described by a profile.
#[expect(missing_debug_implementations, reason = "it holds a key")]
pub struct ServerSpec {
    /// Protocol of the server.
    pub protocol: Protocol,
    /// URL; the protocol's path is added unless it is there already. A query is kept.
    pub url: String,
    /// Name of the model on the server.
    pub model: String,
    /// Key, if the server requires one.
    pub key: Option<ApiKey>,
    /// PEM file of certificate authorities trusted in addition to the system's.
    pub ca_file: Option<PathBuf>,
    /// Maximum wait for the start of an answer.
    pub first_byte: Duration,
    /// Name shown to users: the server's host.
    pub source: String,
}

/// Limits and prices. By default no limits and no known prices.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allowance {
    /// Limits on requests.
    pub limits: Limits,
    /// Server usage of earlier key presses of today.
    pub today: Tally,
    /// Token prices of this server.
    pub prices: Option<Prices>,
}

/// A model on a server, ready for requests.
#[expect(missing_debug_implementations, reason = "it holds a key")]
pub struct Remote {
    spec: ServerSpec,
    endpoint: RequestUrl,
    proxy: Option<Proxy>,
    quirks: Quirks,
    client: Client,
    /// Shut down without waiting for its tasks, such as a name lookup. `None` only during a request and on
    /// drop.
    runtime: Option<Runtime>,
    /// `true` if a connection of an earlier request may be open.
    connected: bool,
    /// `true` if the server has refused tools; it then gets conversations as text.
    refuses_tools: bool,
    allowance: Allowance,
}

impl Remote {
    /// Creates the client without using the network. The proxy comes from this process's environment.
    ///
    /// # Errors
    ///
    /// If the URL, the model name, the key or the certificates are unusable, or the key would be sent
    /// unencrypted. The message names the setting.
    pub fn open(spec: ServerSpec) -> anyhow::Result<Self> {
        Self::open_in(spec, &|name| std::env::var(name).ok())
    }

    /// Creates the client as [`Remote::open`] does, with this environment.
    ///
    /// # Errors
    ///
    /// As [`Remote::open`].
    pub fn open_in(spec: ServerSpec, env: &dyn Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let endpoint = address::endpoint(spec.protocol, &spec.url)?;
        let name = &spec.model;
        ensure!(
            !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.chars().any(char::is_control),
            "`name` has a control character, is empty or longer than {NAME_BYTES_MAX} bytes"
        );
        ensure!(
            spec.key.is_none() || !is_open(&endpoint.url),
            "`url` is http:// and not on this machine, so the key would be sent unencrypted; use https://"
        );
        let proxy = address::proxy(&endpoint.url, env)?;
        let quirks = Quirks::of(name, endpoint.url.host_str().unwrap_or_default());
        let client = client(&spec, &endpoint, proxy.as_ref(), &quirks)?;
        let runtime =
            Builder::new_current_thread().enable_all().build().context("can't start the network runtime")?;
        Ok(Self {
            spec,
            endpoint,
            proxy,
            quirks,
            client,
            runtime: Some(runtime),
            connected: false,
            refuses_tools: false,
            allowance: Allowance::default(),
        })
    }

    /// Sets the limits and prices. They apply to every single request, whatever its purpose.
    pub fn allow(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    /// Returns the prompt in the format that this server takes.
    fn messages<'a>(&self, prompt: &'a Prompt, solved: bool) -> ChatMessages<'a> {
        match &prompt.talk {
            _ if self.endpoint.raw => ChatMessages::text(prompt, solved),
            Some(talk) if !self.refuses_tools => ChatMessages::Talk(talk),
            _ => ChatMessages::turns(prompt, solved),
        }
    }

    /// Reports whether the tools of a prompt are offered to the server.
    fn offers_tools(&self, prompt: &Prompt) -> bool {
        prompt.talk.is_some() && !self.endpoint.raw && !self.refuses_tools
    }

    /// Returns the body of the request for a prompt, exactly as sent; `solved` keeps the solved requests in it.
    ///
    /// # Errors
    ///
    /// If it can't be written as JSON.
    pub fn body(&self, prompt: &Prompt, solved: bool, max_tokens: usize) -> anyhow::Result<String> {
        body::body(
            self.spec.protocol,
            &self.spec.model,
            &self.messages(prompt, solved),
            max_tokens,
            &self.quirks,
        )
    }

    /// Reports whether the prompt with its solved requests fits the model's context window, if that is known to
    /// be small.
    pub fn fits(&self, prompt: &Prompt, max_tokens: usize) -> bool {
        let needed = self.messages(prompt, true).tokens() + max_tokens + self.quirks.thinking;
        self.quirks.window.is_none_or(|window| needed <= window)
    }
}

impl Model for Remote {
    fn source(&self) -> String {
        self.spec.source.clone()
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        control.enter(Stage::Thinking, Instant::now());
        let runtime = self.runtime.take().context("the network runtime is gone")?;
        let reply = runtime.block_on(self.converse(prompt, max_tokens, control));
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

/// Returns the proxy for the server at `url`, as HOST:PORT, and the variable that names it; `None` for a direct
/// connection.
///
/// # Errors
///
/// If the URL is invalid, or the variable names an unusable proxy.
pub fn proxy(
    url: &str,
    env: &dyn Fn(&str) -> Option<String>,
) -> anyhow::Result<Option<(String, &'static str)>> {
    let url = reqwest::Url::parse(url).context("`url` is not an address")?;
    Ok(address::proxy(&url, env)?.map(|proxy| (proxy.name(), proxy.variable)))
}

/// Creates an HTTP client for this one server.
fn client(
    spec: &ServerSpec,
    endpoint: &RequestUrl,
    proxy: Option<&Proxy>,
    quirks: &Quirks,
) -> anyhow::Result<Client> {
    http::prepare_tls();
    let mut builder = Client::builder()
        .user_agent(concat!("askline/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers(spec, quirks)?)
        .redirect(Policy::none())
        .no_proxy()
        .pool_max_idle_per_host(1);
    if let Some(proxy) = proxy {
        builder = builder.proxy(reqwest::Proxy::all(proxy.url.clone())?);
    }
    let own = spec.ca_file.clone();
    if own.is_none()
        && endpoint.url.scheme() == "http"
        && proxy.is_none_or(|proxy| proxy.url.scheme() == "http")
    {
        // Nothing is encrypted, so reading the system's certificates would only cost time.
        builder = builder.tls_certs_only([]);
    }
    within_time(move || {
        let own = own.map(|file| certificates(&file)).transpose()?;
        let builder = own.into_iter().fold(builder, ClientBuilder::tls_certs_merge);
        builder.build().context("can't set up the HTTP client")
    })
}

fn headers(spec: &ServerSpec, quirks: &Quirks) -> anyhow::Result<HeaderMap> {
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

/// Reads the certificates in a file.
fn certificates(file: &std::path::Path) -> anyhow::Result<Vec<reqwest::Certificate>> {
    let named = || format!("`ca_file` {}", file.display());
    let pem = LocalHost.read(file, CA_BYTES_MAX).with_context(named)?;
    let found = reqwest::Certificate::from_pem_bundle(&pem).with_context(named)?;
    ensure!(!found.is_empty(), "`ca_file` {} holds no certificate in PEM", file.display());
    Ok(found)
}

/// Runs `work`, which reads certificates, in a thread: a file of the system, the configuration or the environment
/// (`SSL_CERT_FILE`) may be on a disk that does not answer, or a pipe.
///
/// # Errors
///
/// As `work`, and after [`CERTIFICATES_WAIT`].
fn within_time<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let work = move || {
        // The receiver is gone if this took too long.
        let _ = sender.send(work());
    };
    thread::Builder::new().name("certificates".to_owned()).spawn(work)?;
    let seconds = CERTIFICATES_WAIT.as_secs();
    receiver.recv_timeout(CERTIFICATES_WAIT).unwrap_or_else(|_| {
        bail!(
            "the certificates could not be read within {seconds} s; look at `ca_file`, and at the variables \
             SSL_CERT_FILE and SSL_CERT_DIR"
        )
    })
}
