//! Network location of a model server: URL of the profile, path of the protocol, proxy.

use std::net::IpAddr;

use anyhow::{anyhow, bail};
use reqwest::Url;

use crate::server::{Address, Protocol, ip_of, is_loopback};

/// Target of requests, with the variant of the protocol to use there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestUrl {
    pub(super) url: Url,
    /// `true` if the path is one of text completion: the model continues one text, without messages.
    pub(super) raw: bool,
}

/// Returns the endpoint for a profile's URL. A URL that already has the whole path is kept; a query such as
/// Azure's `?api-version` is always kept.
pub(super) fn endpoint(protocol: Protocol, address: &str) -> anyhow::Result<RequestUrl> {
    let address = Address::parse(address).map_err(|fault| anyhow!("`url` {fault}"))?;
    let mut url = address.url().clone();
    let (path, raw) = path(protocol, url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(RequestUrl { url, raw })
}

/// Returns the whole path, and `true` if it is one of text completion.
fn path(protocol: Protocol, base: &str) -> (String, bool) {
    let (whole, raw) = match protocol {
        Protocol::OpenAi => ("/chat/completions", "/completions"),
        Protocol::Anthropic => ("/messages", "/complete"),
        Protocol::Ollama => ("/api/chat", "/api/generate"),
    };
    if base.ends_with(whole) {
        return (base.to_owned(), false);
    }
    if base.ends_with(raw) && protocol != Protocol::Anthropic {
        return (base.to_owned(), true);
    }
    let path = match protocol {
        Protocol::OpenAi if base.is_empty() => format!("/v1{whole}"),
        Protocol::Anthropic if !base.ends_with("/v1") => format!("{base}/v1{whole}"),
        Protocol::OpenAi | Protocol::Anthropic => format!("{base}{whole}"),
        Protocol::Ollama => format!("{}{whole}", base.strip_suffix("/api").unwrap_or(base)),
    };
    (path, false)
}

/// A proxy and the variable that names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proxy {
    pub(super) url: Url,
    pub(super) variable: &'static str,
}

impl Proxy {
    /// Returns the proxy for display, without user and password.
    pub(super) fn name(&self) -> String {
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{port}", self.url.host_str().unwrap_or_default())
    }
}

/// Returns the proxy that the environment sets for `url`. This machine is never reached through one.
pub(super) fn proxy(url: &Url, env: &dyn Fn(&str) -> Option<String>) -> anyhow::Result<Option<Proxy>> {
    let variables: &[&'static str] = match url.scheme() {
        "https" => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        // A web server that runs CGI programs copies a visitor's header `Proxy` into HTTP_PROXY.
        _ if env("REQUEST_METHOD").is_some() => &["http_proxy", "all_proxy", "ALL_PROXY"],
        _ => &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    };
    let set = |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let Some((variable, value)) = variables.iter().find_map(|name| Some((*name, set(name)?))) else {
        return Ok(None);
    };
    let exempt = set("no_proxy").or_else(|| set("NO_PROXY")).unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    if is_loopback(url) || exempt.split(',').any(|entry| exempts(entry.trim(), host)) {
        return Ok(None);
    }
    let value = if value.contains("://") { value } else { format!("http://{value}") };
    match Url::parse(&value) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
            Ok(Some(Proxy { url, variable }))
        }
        // The value may contain a password.
        _ => {
            bail!(
                "{variable} is not an http proxy; set it to http://HOST:PORT or list the server in NO_PROXY"
            )
        }
    }
}

/// Reports whether an entry of `NO_PROXY` matches this host: `*`, a domain with its subdomains, an address or a
/// network `ADDRESS/BITS`.
fn exempts(entry: &str, host: &str) -> bool {
    if entry == "*" {
        return true;
    }
    if let Some(address) = ip_of(host) {
        return entry
            .split_once('/')
            .map_or_else(|| ip_of(entry) == Some(address), |(net, bits)| within(address, net, bits));
    }
    let name = entry.trim_start_matches('.').to_ascii_lowercase();
    let below = host.strip_suffix(&name);
    !name.is_empty() && below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn within(address: IpAddr, net: &str, bits: &str) -> bool {
    let (Some(net), Ok(bits)) = (ip_of(net), bits.parse::<u32>()) else { return false };
    match (address, net) {
        (IpAddr::V4(address), IpAddr::V4(net)) if bits <= 32 => {
            let apart = 32 - bits;
            u32::from(address).checked_shr(apart) == u32::from(net).checked_shr(apart)
        }
        (IpAddr::V6(address), IpAddr::V6(net)) if bits <= 128 => {
            let apart = 128 - bits;
            u128::from(address).checked_shr(apart) == u128::from(net).checked_shr(apart)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_adds_its_path_once() {
        use Protocol::{Anthropic, Ollama, OpenAi};
        for (protocol, address, url, raw) in [
            (OpenAi, "https://api.example.com/v1", "https://api.example.com/v1/chat/completions", false),
            (OpenAi, "https://api.example.com/v1/", "https://api.example.com/v1/chat/completions", false),
            (OpenAi, "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions", false),
            (OpenAi, "http://127.0.0.1/v1/chat/completions", "http://127.0.0.1/v1/chat/completions", false),
            (OpenAi, "http://127.0.0.1/v1/completions", "http://127.0.0.1/v1/completions", true),
            (
                OpenAi,
                "https://x.example.com/openai/deployments/d?api-version=2024-06-01",
                "https://x.example.com/openai/deployments/d/chat/completions?api-version=2024-06-01",
                false,
            ),
            (Anthropic, "https://api.example.com", "https://api.example.com/v1/messages", false),
            (Anthropic, "https://api.example.com/v1", "https://api.example.com/v1/messages", false),
            (
                Anthropic,
                "https://gate.example.com/a/v1/messages",
                "https://gate.example.com/a/v1/messages",
                false,
            ),
            (Ollama, "http://localhost:11434", "http://localhost:11434/api/chat", false),
            (Ollama, "http://localhost:11434/api/", "http://localhost:11434/api/chat", false),
            (Ollama, "http://localhost:11434/api/generate", "http://localhost:11434/api/generate", true),
        ] {
            let found = endpoint(protocol, address).unwrap();
            assert_eq!((found.url.as_str(), found.raw), (url, raw), "{address}");
        }
    }

    #[test]
    fn an_address_that_could_mislead_is_refused() {
        for (address, why) in [
            ("https://a.example/v1\r\nX-Evil: 1", "control"),
            ("https://a.example/v1\t", "control"),
            ("https://a.example/\0", "control"),
            ("https://user:pass@a.example/v1", "user or a password"),
            ("https://user@a.example/v1", "user or a password"),
            ("file:///etc/passwd", "https://"),
            ("ftp://a.example", "https://"),
            ("a.example/v1", "not an address"),
            ("https://a.example/v1#x", "`#`"),
        ] {
            let error = endpoint(Protocol::OpenAi, address).unwrap_err().to_string();
            assert!(error.contains(why), "{address:?}: {error}");
        }
    }

    #[test]
    fn loopback_is_an_address_not_a_look() {
        for (address, expected) in [
            ("http://localhost", true),
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:8080", true),
            ("http://2130706433", true),
            ("http://127.0.0.1.example.com", false),
            ("http://localhost.example.com", false),
            ("http://10.0.0.1", false),
            ("http://0.0.0.0", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(address).unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn the_environment_names_the_proxy_and_its_exceptions() {
        let find = |url: &str, set: &[(&str, &str)]| {
            let env = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
            proxy(&Url::parse(url).unwrap(), &env).map(|p| p.map(|p| (p.url.to_string(), p.variable)))
        };
        let at = |url: &str, variable| Some((url.to_owned(), variable));
        let secure = ("HTTPS_PROXY", "http://p.example:3128");
        let https = "https://api.example.com/v1";
        assert_eq!(find(https, &[secure]).unwrap(), at("http://p.example:3128/", "HTTPS_PROXY"));
        assert_eq!(find(https, &[("ALL_PROXY", "p:1")]).unwrap(), at("http://p:1/", "ALL_PROXY"));
        assert_eq!(find(https, &[("HTTP_PROXY", "http://p")]).unwrap(), None);
        assert_eq!(find(https, &[("HTTPS_PROXY", " ")]).unwrap(), None);
        assert_eq!(
            find("http://a.example", &[("HTTP_PROXY", "http://p")]).unwrap(),
            at("http://p/", "HTTP_PROXY")
        );
        let visited = [("HTTP_PROXY", "http://p"), ("REQUEST_METHOD", "GET")];
        assert_eq!(find("http://a.example", &visited).unwrap(), None);
        assert_eq!(find("http://127.0.0.1:1", &[("HTTP_PROXY", "http://p")]).unwrap(), None);
        for (exempt, host, direct) in [
            ("example.com", "api.example.com", true),
            (".example.com", "example.com", true),
            ("other, Example.com", "example.com", true),
            ("*", "example.com", true),
            ("ample.com", "example.com", false),
            ("", "example.com", false),
            (".", "example.com", false),
            ("10.0.0.0/8", "10.2.3.4", true),
            ("10.0.0.0/8", "11.2.3.4", false),
            ("0.0.0.0/0", "11.2.3.4", true),
            ("10.2.3.4", "10.2.3.4", true),
            ("fd00::/8", "[fd12::1]", true),
            ("10.0.0.0/99", "10.2.3.4", false),
        ] {
            let found = find(&format!("https://{host}"), &[secure, ("NO_PROXY", exempt)]).unwrap();
            assert_eq!(found.is_none(), direct, "{exempt} {host}");
        }
        let error = find(https, &[("HTTPS_PROXY", "socks5://u:hunter2@p")]).unwrap_err().to_string();
        assert!(error.starts_with("HTTPS_PROXY") && !error.contains("hunter2"), "{error}");
    }
}
