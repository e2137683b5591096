//! What a word names (provisional).
use super::effect::Scope;
use crate::shell::Shell;
use crate::syntax::Word;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Temporary,
    Secret,
    Startup,
    Log,
    Repository,
    Sink,
    Endless,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) scope: Scope,
    pub(super) kind: Kind,
    pub(super) glob: bool,
    pub(super) in_home: bool,
    pub(super) outside: bool,
    pub(super) may_be_empty: bool,
}

pub(super) fn path(word: &Word, _shell: Shell) -> Place {
    let t = word.text.as_str();
    let scope = match t {
        "/" | "/*" => Scope::Everything,
        "~" | "$HOME" | "~/" | "~/*" => Scope::Home,
        "." | ".." | "*" | "./*" => Scope::Cwd,
        _ if t.starts_with("/etc")
            || t.starts_with("/usr")
            || t.starts_with("/var")
            || t.starts_with("/srv") =>
        {
            Scope::System
        }
        _ if t.starts_with("/dev/") => Scope::Device,
        _ if t.starts_with('$') => Scope::Unreadable,
        _ => Scope::Own,
    };
    let kind = if t == "/dev/null" { Kind::Sink } else { Kind::Plain };
    Place {
        scope,
        kind,
        glob: word.glob,
        in_home: t.starts_with("~/"),
        outside: t.starts_with('/'),
        may_be_empty: true,
    }
}

pub(super) struct Host {
    pub(super) name: Option<String>,
    pub(super) local: bool,
    pub(super) readable: bool,
    pub(super) deceptive: bool,
    pub(super) plain_http: bool,
}
pub(super) fn host(word: &Word, _shell: Shell) -> Host {
    Host {
        name: word.literal.then(|| word.text.clone()),
        local: word.text.contains("localhost"),
        readable: !word.text.starts_with('$'),
        deceptive: false,
        plain_http: word.text.starts_with("http:"),
    }
}
