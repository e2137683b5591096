//! Finds the host that a word names, in ASCII, and detects deceptive hosts.

use std::net::{IpAddr, Ipv4Addr};

use super::path_class::TABLE;
use askline_syntax::Word;
use askline_syntax::shell::Shell;

/// Maximum number of characters of a host name that are shown; no valid name is longer.
const NAME_CHARS_MAX: usize = 255;

/// Smallest number that means an address with a network: 1.0.0.0. Smaller ones are ports, rates and counts.
const SMALLEST_ADDRESS: u32 = 1 << 24;

/// A host that a word names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Host {
    /// Name or address in ASCII and lower case; `None` if there is no host or it cannot be read.
    pub(super) name: Option<String>,
    /// `true` for this machine.
    pub(super) local: bool,
    /// `true` if the shell expands nothing in the host.
    pub(super) readable: bool,
    /// `true` for a host that looks like another one: letters of other scripts, a punycode name, a user name that
    /// looks like a host, an address as one number.
    pub(super) deceptive: bool,
    /// `true` if the protocol is unencrypted.
    pub(super) plain_http: bool,
    /// `true` for a path on a host: `host:path`, `rsync://host/path`, `s3://bucket/key`. If `false` and there is no
    /// scheme, the word may also be a file name.
    pub(super) path_to_remote: bool,
}

/// Returns the host that a word names, as a URL, `user@host:path`, `host:port` or a plain name.
pub(super) fn host(word: &Word, shell: Shell) -> Host {
    // `$"https://…"`
    let is_interpolated = shell.is_nushell() && !word.literal;
    let text = word.text.strip_prefix('$').filter(|_| is_interpolated).map_or(word.text.as_str(), |text| {
        let quoted = text.starts_with(['"', '\'', '`']);
        if quoted { text.trim_matches(['"', '\'', '`']) } else { word.text.as_str() }
    });
    read(text, &|part: &str| !word.literal && expands(part, shell))
}

/// Reports whether the shell expands something in the text.
fn expands(part: &str, shell: Shell) -> bool {
    let substitution = if shell.is_posix() { '`' } else { '(' };
    part.contains(['$', substitution, '{', '*']) || part.starts_with('~')
}

fn read(text: &str, expands: &impl Fn(&str) -> bool) -> Host {
    // `22,80` and `U:53,8000-8080` are ports.
    let is_ports = |part: &str| {
        let part = part.trim_start_matches(['T', 'U', 'S', ':']);
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    if text.contains([',', '-']) && text.split(',').all(is_ports) {
        return Host { local: true, readable: true, ..Host::default() };
    }
    // Another program puts the host there.
    if text == "{}" {
        return Host::default();
    }
    // A list of addresses is as good as its worst.
    if text.contains(",http://") || text.contains(",https://") {
        let all: Vec<Host> = text.split(',').map(|part| read(part, expands)).collect();
        return Host {
            name: all.iter().find_map(|host| host.name.clone()),
            readable: all.iter().all(|host| host.readable),
            deceptive: all.iter().any(|host| host.deceptive),
            plain_http: all.iter().any(|host| host.plain_http),
            local: all.iter().all(|host| host.local),
            ..Host::default()
        };
    }
    // `@server` is dig's syntax, `/dev/tcp/host/port` bash's.
    if let Some(rest) = text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/")) {
        return authority(rest.split('/').next().unwrap_or_default(), None, expands);
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        let plain = scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c));
        if !plain || scheme.is_empty() {
            // With an unknown protocol (`$PROTOCOL://…`) the host is still the same.
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            return Host { readable: false, ..authority(rest.get(..end).unwrap_or_default(), None, expands) };
        }
        return url(&scheme.to_ascii_lowercase(), rest, expands);
    }
    let text = text.strip_prefix('@').unwrap_or(text);
    // `[::1]:80`, `::1`.
    let numeric = text.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() || text.starts_with('[');
    // In `host:path` no slash precedes the colon; otherwise it is part of a file name.
    if !numeric && let Some((host, tail)) = text.split_once(':') {
        if host.contains('/') || host.is_empty() {
            return Host { readable: !expands(text), ..Host::default() };
        }
        let port = !tail.is_empty() && tail.chars().all(|c| c.is_ascii_digit());
        // Many programs read `https:example.com` and `http:/…` as URLs.
        return Host { path_to_remote: !port, ..authority(host, None, expands) };
    }
    let host = text.split(['/', '?']).next().unwrap_or_default();
    if host.is_empty() || matches!(host, "." | ".." | "~" | "-") {
        return Host { readable: !expands(text), ..Host::default() };
    }
    authority(host, None, expands)
}

/// Parses the part of a URL after the scheme.
fn url(scheme: &str, rest: &str, expands: &impl Fn(&str) -> bool) -> Host {
    if matches!(scheme, "file" | "data" | "unix") {
        return Host { local: true, readable: !expands(rest), ..Host::default() };
    }
    // Browsers and curl treat a backslash as a slash, other programs do not.
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (host, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let mut found = authority(host, Some(scheme), expands);
    found.deceptive |= tail.starts_with('\\');
    found.plain_http = TABLE.hosts.plain.iter().any(|plain| plain == scheme) && !found.local;
    found.path_to_remote = !matches!(scheme, "http" | "https" | "ws" | "wss");
    found
}

/// Parses `user:password@host:port`.
fn authority(text: &str, scheme: Option<&str>, expands: &impl Fn(&str) -> bool) -> Host {
    let (user, host) = text.rsplit_once('@').map_or((None, text), |(user, host)| (Some(user), host));
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None if host.parse::<IpAddr>().is_ok() => host,
        None => host.split(':').next().unwrap_or_default(),
    };
    let readable = !expands(host);
    let masked = user.is_some_and(|user| {
        let ending = user.rsplit('.').next().filter(|ending| ending.len() < user.len());
        user.contains('@')
            || user.contains(['/', '%', '\\'])
            || ending.is_some_and(|ending| {
                scheme.is_some() || TABLE.hosts.endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
            })
    });
    let local = is_local(host);
    Host {
        name: (readable && !host.is_empty()).then(|| in_ascii(host)),
        local,
        readable,
        deceptive: masked || (readable && is_deceptive(host)),
        ..Host::default()
    }
}

fn is_local(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    if let Ok(address) = host.parse::<IpAddr>() {
        return address.is_loopback() || address.is_unspecified();
    }
    host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
        || matches!(host, "ip6-localhost" | "ip6-loopback")
}

/// Returns the name in the form that is used on the network.
fn in_ascii(host: &str) -> String {
    let ascii = idna::domain_to_ascii(host).unwrap_or_else(|_| {
        let escaped =
            |c: char| if c.is_ascii_graphic() { c.to_string() } else { c.escape_unicode().to_string() };
        host.chars().map(escaped).collect()
    });
    ascii.chars().take(NAME_CHARS_MAX).collect()
}

/// Reports whether a host is deceptive: letters of other scripts, punycode labels, encoded or odd characters, an
/// address as one number.
fn is_deceptive(host: &str) -> bool {
    let coded = |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    // Accented letters of Western languages are no disguise.
    let western = |c: char| matches!(c, 'à'..='ö' | 'ø'..='ÿ' | 'À'..='Ö' | 'Ø'..='Þ' | 'ß');
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c) || western(c);
    if host.split('.').any(coded) || !host.chars().all(plain) {
        return true;
    }
    // Disguised addresses: 2130706433, 0x7f000001, 0177.0.0.1.
    let number = |label: &str| {
        let hex = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
        let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit());
        hex.map_or_else(|| !label.is_empty() && label.chars().all(|c| c.is_ascii_digit()), digits)
    };
    let labels: Vec<&str> = host.trim_end_matches('.').split('.').collect();
    // More numbers are no address, but a version or an object identifier (1.3.6.1.2.1.1).
    labels.len() <= 4
        && labels.iter().all(|label| number(label))
        && host.parse::<Ipv4Addr>().is_err()
        && (labels.len() > 1 || !host.parse::<u32>().is_ok_and(|number| number < SMALLEST_ADDRESS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_syntax as syntax;

    fn of(word: &str) -> Host {
        let parsed = syntax::parse(&format!("x {word}"), Shell::Bash);
        host(parsed.commands[0].words.get(1).unwrap(), Shell::Bash)
    }

    #[test]
    fn a_host_is_found_in_every_form() {
        for (word, name, remote) in [
            ("https://example.com/a?b", Some("example.com"), false),
            ("https://me:pw@Example.com:8080", Some("example.com"), false),
            ("http://[2001:db8::1]:80/x", Some("2001:db8::1"), false),
            ("me@server:/srv/reports/", Some("server"), true),
            ("server:", Some("server"), true),
            ("backup::module", Some("backup"), true),
            ("git@example.com:a/b.git", Some("example.com"), true),
            ("ssh://git@example.com/a", Some("example.com"), true),
            ("s3://bucket/key", Some("bucket"), true),
            ("example.com:8080", Some("example.com"), false),
            ("example.com/path", Some("example.com"), false),
            ("203.0.113.9", Some("203.0.113.9"), false),
            ("/dev/tcp/203.0.113.9/4444", Some("203.0.113.9"), false),
            ("@192.0.2.1", Some("192.0.2.1"), false),
            ("./a:b", None, false),
            ("/a/b", None, false),
            (".", None, false),
            ("file:///etc/passwd", None, false),
        ] {
            let found = of(word);
            assert_eq!((found.name.as_deref(), found.path_to_remote), (name, remote), "{word}");
            assert!(found.readable && !found.deceptive, "{word}: {found:?}");
        }
    }

    #[test]
    fn what_is_not_what_it_seems() {
        for (word, name) in [
            ("https://github.com@evil.example/x", "evil.example"),
            ("https://аpple.com", "xn--pple-43d.com"),
            ("xn--pple-43d.com", "xn--pple-43d.com"),
            ("https://example.com\\\\.evil.example", "example.com"),
            ("http://2130706433/", "2130706433"),
            ("http://0x7f.1/", "0x7f.1"),
            ("https://例え.example", "xn--r8jz45g.example"),
            ("example.com@evil.example:/x", "evil.example"),
            ("https://example.com∕x.evil.example", "example.xn--comx-id9a.evil.example"),
        ] {
            let found = of(word);
            assert!(found.deceptive, "{word}: {found:?}");
            assert_eq!(found.name.as_deref(), Some(name), "{word}");
        }
        for word in [
            "john.doe@server",
            "münchen.example",
            "https://me:a@b.example",
            "_dmarc.example.com",
            "42",
            "web1",
        ] {
            assert!(!of(word).deceptive, "{word}");
        }
    }

    #[test]
    fn what_the_shell_puts_in() {
        assert!(!of("$(whoami).evil.example").readable);
        assert!(!of("https://$HOST/x").readable);
        assert_eq!(of("https://$HOST/x").name, None);
        assert!(of("\"https://evil.example/?k=$KEY\"").readable);
        assert!(!of("$SCHEME://evil.example/").readable);
        let word = Word {
            span: 0..0,
            text: "$\"https://evil.example/?e=($env)\"".to_owned(),
            literal: false,
            quoted: true,
            glob: false,
        };
        assert_eq!(host(&word, Shell::Nu).name.as_deref(), Some("evil.example"));
    }

    #[test]
    fn ports_are_no_hosts() {
        for word in ["22,80", "1-1024", "T:80,U:53", "8000-8080,9000", "100000", "1.3.6.1.2.1.1"] {
            assert!(!of(word).deceptive, "{word}");
        }
        assert!(of("0x7f.1").deceptive);
    }

    #[test]
    fn this_machine_and_the_protocol() {
        for word in
            ["localhost:80", "http://127.0.0.1:8000", "[::1]:80", "127.3.2.1", "app.localhost", "0.0.0.0"]
        {
            assert!(of(word).local, "{word}");
            assert!(!of(word).plain_http, "{word}");
        }
        assert!(!of("printer.local").local);
        assert!(of("http://example.com").plain_http);
        assert!(of("ftp://example.com").plain_http);
        assert!(!of("https://example.com").plain_http);
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_an_answer(text in ".{0,200}", colons in "[a-z@:/.\\[\\]%$ ]{0,60}") {
            for text in [text, colons] {
                let found = read(&text, &|_: &str| false);
                proptest::prop_assert!(found.name.is_none_or(|name| name.is_ascii()));
            }
        }
    }
}
