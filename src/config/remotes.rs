//! Machines that are reached by ssh, `[remotes.NAME]`.

use std::collections::BTreeMap;

use askline_manual::userland::Userland;
use askline_syntax::shell::Shell;

/// Keys of a remote.
pub(super) const REMOTE_KEYS: [&str; 3] = ["shell", "os", "userland"];
/// Values of `os`.
pub(super) const SYSTEMS: [&str; 5] = ["linux", "macos", "freebsd", "openbsd", "netbsd"];
/// Values of `userland`.
pub(super) const USERLANDS: [&str; 5] = ["gnu", "busybox", "uutils", "toybox", "bsd"];
/// Maximum number of bytes of a remote's name.
const NAME_BYTES_MAX: usize = 255;

/// A machine that is reached by ssh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Name for ssh.
    pub name: String,
    /// Shell that ssh starts there.
    pub shell: Shell,
    /// Operating system, named as in `std::env::consts::OS`.
    pub os: String,
    /// Family of the common tools.
    pub userland: Userland,
}

/// The machines that the configuration names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remotes(pub(super) BTreeMap<String, Remote>);

impl Remotes {
    /// Returns the remote that a request is for, and the rest of the request: "on db1: show the free space".
    pub fn named_in<'a>(&self, request: &'a str) -> Option<(&Remote, &'a str)> {
        let (head, rest) = request.trim_start().split_once(':')?;
        let (on, name) = head.split_once(' ')?;
        let remote = self.0.get(name.trim()).filter(|_| on.eq_ignore_ascii_case("on"))?;
        Some((remote, rest.trim()))
    }
}

impl Remote {
    /// Returns a remote; what the configuration does not say is as on most servers.
    pub(super) fn new(name: &str, shell: Option<&str>, os: Option<&str>, userland: Option<&str>) -> Self {
        let os = os.unwrap_or("linux");
        let userland = match userland {
            Some("gnu") => Userland::Gnu,
            Some("busybox") => Userland::Busybox,
            Some("uutils") => Userland::Uutils,
            Some("toybox") => Userland::Toybox,
            None if os == "linux" => Userland::Gnu,
            _ => Userland::Bsd,
        };
        let shell = shell.and_then(|shell| shell.parse().ok()).unwrap_or(Shell::SH);
        Self { name: name.to_owned(), shell, os: os.to_owned(), userland }
    }
}

/// Reports whether a text can be the name of a remote.
pub(super) fn is_remote(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_a_remote() {
        let remote = Remote::new("db1", Some("fish"), Some("freebsd"), None);
        assert_eq!((remote.shell.name(), remote.userland), ("fish", Userland::Bsd));
        let remotes = Remotes([("db1".to_owned(), remote.clone())].into());
        assert_eq!(remotes.named_in("on db1: free space"), Some((&remote, "free space")));
        assert_eq!(remotes.named_in(" On db1 :free space "), Some((&remote, "free space")));
        for words in ["on db2: x", "db1: x", "on db1 free space", "on: db1", "", "turn on db1: x"] {
            assert_eq!(remotes.named_in(words), None, "{words}");
        }
        assert!(is_remote("ada@db-1.example.com") && !is_remote("-oProxyCommand=x") && !is_remote("a b"));
    }
}
