//! Download of a model file over HTTP: resumes an earlier download, gives up on a silent server, and trusts no
//! announced length.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use reqwest::blocking::{Client, Response};
use reqwest::header::{CONTENT_RANGE, ETAG, LAST_MODIFIED, RANGE};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};

use super::manifest::ModelEntry;
use super::partial::{CHUNK, Partial, WrongBytes};
use super::{News, beside, megabytes};
use crate::gguf;
use crate::http::{self, root};
use crate::server::is_open;
use askline_host::Host;

/// Maximum number of redirects to follow.
const REDIRECTS: usize = 5;
/// Maximum number of times to resume a broken connection.
const RESUMES: u32 = 20;
/// Maximum factor of the pause before resuming, which grows each time; multiplied by [`Waits::pause`].
const LONGEST_PAUSE: u32 = 10;

/// Timeouts of a download. The total time is unlimited: a slow connection is not an error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    /// Timeout to connect.
    pub(super) connect: Duration,
    /// Timeout for the response, and between two chunks of it.
    pub(super) stall: Duration,
    /// Pause before resuming a broken connection.
    pub(super) pause: Duration,
}

impl Waits {
    /// Values for normal use.
    pub(super) const USUAL: Self = Self {
        connect: Duration::from_secs(15),
        stall: Duration::from_secs(30),
        pause: Duration::from_secs(1),
    };
}

/// What a server says about a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// Size in bytes.
    pub(super) size: u64,
    /// Mark that changes with the content (`ETag`, `Last-Modified`); `None` if the server gives none.
    pub(super) version: Option<String>,
}

/// Returns what the server says about the file at `url`, after a look at its first bytes.
///
/// # Errors
///
/// If they are not those of a GGUF file, or the server does not say how long it is.
pub(super) fn look(url: &str, waits: Waits) -> anyhow::Result<Offer> {
    let first = format!("bytes=0-{}", gguf::MAGIC.len() - 1);
    let mut response = client(waits)?.get(parsed(url)?).header(RANGE, first).send().map_err(plainly)?;
    let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let size = match response.status() {
        StatusCode::OK => response.content_length(),
        StatusCode::PARTIAL_CONTENT => {
            text(CONTENT_RANGE).and_then(|range| range.rsplit_once('/')?.1.parse().ok())
        }
        status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
            bail!("it answered {status}; fetch the file in another way and name it in place of the address")
        }
        status => bail!("it answered {status}"),
    };
    let version = text(ETAG).or_else(|| text(LAST_MODIFIED));
    let mut start = [0; gguf::MAGIC.len()];
    ensure!(response.read_exact(&mut start).is_ok() && start == gguf::MAGIC, "it is not a GGUF file");
    Ok(Offer { size: size.context("the server does not say how long the file is")?, version })
}

/// Returns an address without what may be a key: its query, user name and password.
pub(super) fn shown(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else {
        return url.split(['?', '#', '@']).next().unwrap_or_default().to_owned();
    };
    url.set_query(None);
    url.set_fragment(None);
    // Only an address without a host refuses these.
    let _ = (url.set_username(""), url.set_password(None));
    url.into()
}

/// Downloads the model at `url` to the path `to`; returns its SHA-256.
pub(super) fn fetch(
    url: &str,
    entry: &ModelEntry,
    to: &Path,
    host: &dyn Host,
    waits: Waits,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<String> {
    let url = parsed(url)?;
    let client = client(waits)?;
    let partial = &part_of(to);
    let mut growing = Partial::resume(entry, partial, to, news)?;
    let resumed = 0 < growing.length();
    growing.check_space(host, 0)?;
    download(&client, &url, entry, &mut growing, waits, news)?;
    match growing.install() {
        // The earlier download may have been of another file.
        Err(error) if resumed && error.is::<WrongBytes>() => {
            news(News::Say("the partial download is damaged; starting again"));
            let mut growing = Partial::start(entry, partial, to)?;
            growing.check_space(host, 0)?;
            download(&client, &url, entry, &mut growing, waits, news)?;
            growing.install()
        }
        done => done,
    }
}

/// Returns the path of the partial download of a model file.
pub(super) fn part_of(file: &Path) -> PathBuf {
    beside(file, "part")
}

/// Downloads until all bytes are present; resumes a broken connection if it made any progress.
fn download(
    client: &Client,
    url: &Url,
    entry: &ModelEntry,
    growing: &mut Partial<'_>,
    waits: Waits,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<()> {
    let start = growing.length();
    for broken in 1.. {
        match transfer(client, url, entry, growing, news) {
            Err(error) if broken <= RESUMES && error.is::<Broken>() && start < growing.length() => {
                news(News::Say(&format!("{error}; resuming at {}", megabytes(growing.length()))));
                std::thread::sleep(waits.pause * broken.min(LONGEST_PAUSE));
            }
            done => return done,
        }
    }
    Ok(())
}

/// Connection failure; a retry may succeed.
#[derive(Debug)]
struct Broken(String);

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// Makes one request for the missing bytes.
fn transfer(
    client: &Client,
    url: &Url,
    entry: &ModelEntry,
    growing: &mut Partial<'_>,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<()> {
    let from = growing.length();
    if from == entry.size {
        return Ok(());
    }
    let mut request = client.get(url.clone());
    if 0 < from {
        request = request.header(RANGE, format!("bytes={from}-"));
    }
    let mut response = request.send().map_err(plainly)?;
    match response.status() {
        StatusCode::OK => {
            let offered = response.content_length();
            ensure!(
                offered.is_none_or(|offered| offered == entry.size),
                "it offers {} bytes, the model has {}",
                offered.unwrap_or_default(),
                entry.size
            );
            growing.restart()?;
        }
        StatusCode::PARTIAL_CONTENT => ensure!(
            0 < from && continues(&response, from, entry.size),
            "it offers another byte range than requested"
        ),
        status => bail!("it answered {status}"),
    }
    news(News::Begin { what: "fetching", total: entry.size, done: growing.length() });
    let mut chunk = vec![0; CHUNK];
    while growing.length() < entry.size {
        // Reads at most the model's size, whatever the server sends; the hash decides.
        let mut wanted = response.by_ref().take(entry.size - growing.length());
        let got =
            wanted.read(&mut chunk).map_err(|e| Broken(format!("the connection broke: {}", root(&e))))?;
        if got == 0 {
            let (length, size) = (growing.length(), entry.size);
            bail!(Broken(format!("the connection ended after {length} of {size} bytes")));
        }
        growing.append(chunk.get(..got).unwrap_or_default())?;
        news(News::Advance(got as u64));
    }
    Ok(())
}

/// Reports whether the response's `Content-Range: bytes FROM-LAST/TOTAL` continues at `from` in a file of
/// `size` bytes.
fn continues(response: &Response, from: u64, size: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    let Some((span, total)) = range.and_then(|r| r.strip_prefix("bytes ")).and_then(|r| r.split_once('/'))
    else {
        return false;
    };
    let first = span.split_once('-').and_then(|(first, _)| first.parse().ok());
    first == Some(from) && (total == "*" || total.parse() == Ok(size))
}

fn parsed(url: &str) -> anyhow::Result<Url> {
    let url = Url::parse(url).context("the address can't be read")?;
    ensure!(secure(&url), "the address is not https");
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    ensure!(is_anonymous, "the address holds a user name or a password, which would be kept; leave it out");
    Ok(url)
}

fn client(waits: Waits) -> anyhow::Result<Client> {
    http::prepare_tls();
    let redirects = Policy::custom(|attempt| {
        let left_tls = attempt.previous().last().is_some_and(|last| last.scheme() == "https")
            && attempt.url().scheme() != "https";
        if REDIRECTS <= attempt.previous().len() {
            attempt.error(format!("more than {REDIRECTS} redirects"))
        } else if left_tls || !secure(attempt.url()) {
            attempt.error("it redirects to an address that is not https")
        } else {
            attempt.follow()
        }
    });
    // The blocking client's timeout applies to each wait, not to the whole.
    Client::builder()
        .user_agent(concat!("askline/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(waits.connect)
        .timeout(waits.stall)
        .redirect(redirects)
        // The address that the person gave is for its server alone.
        .referer(false)
        .build()
        .map_err(plainly)
}

/// Reports whether a download can't be read or changed on the way: https, or http to this machine.
fn secure(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && !is_open(url)
}

/// Returns the error in a few words; the caller adds the URL.
fn plainly(error: reqwest::Error) -> anyhow::Error {
    if error.is_redirect() {
        return anyhow!("can't follow it: {}", root(&error));
    }
    let what = if error.is_connect() { "can't connect" } else { "no answer" };
    Broken(format!("{what}: {}", root(&error))).into()
}
