//! Kinds of operands and option values that the allow list accepts.

use serde::Deserialize;

use super::{git, script};

/// Maximum number of digits; larger numbers cause too much output.
const DIGITS_MAX: usize = 7;
/// Maximum number of digits and dots in the width of a column.
const WIDTH_MAX: usize = 3;
/// Beginnings of a group with a name in a regular expression.
const NAMED_GROUPS: &[&str] = &["(?<", "(?P", "(?'"];
/// Columns of `ps` that reveal no more than its plain output.
const COLUMNS: &[&str] = &[
    "pid",
    "ppid",
    "pgid",
    "pgrp",
    "sid",
    "sess",
    "user",
    "uid",
    "euser",
    "euid",
    "ruser",
    "group",
    "gid",
    "comm",
    "ucmd",
    "ucomm",
    "args",
    "cmd",
    "command",
    "pcpu",
    "%cpu",
    "c",
    "pmem",
    "%mem",
    "rss",
    "rssize",
    "rsz",
    "vsz",
    "vsize",
    "sz",
    "size",
    "etime",
    "etimes",
    "time",
    "cputime",
    "cputimes",
    "stat",
    "state",
    "s",
    "tty",
    "tt",
    "tname",
    "nice",
    "ni",
    "pri",
    "psr",
    "nlwp",
    "thcount",
    "lwp",
    "tid",
    "wchan",
    "start",
    "lstart",
    "start_time",
    "stime",
    "bsdstart",
    "bsdtime",
    "unit",
];
/// Variables that contain no secrets.
const VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "SHELL",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_TIME",
    "LC_NUMERIC",
    "LC_COLLATE",
    "LC_MESSAGES",
    "TERM",
    "COLORTERM",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "PWD",
    "OLDPWD",
    "TZ",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "HOSTNAME",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_DIRS",
    "DESKTOP_SESSION",
    "MANPATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "COLUMNS",
    "LINES",
    "SHLVL",
    "TMPDIR",
    "MAIL",
    "HOSTTYPE",
    "OSTYPE",
    "INFOPATH",
    "CC",
    "CXX",
];
/// Parts of a setting's name that indicate a secret value.
const SECRET_SETTINGS: &[&str] =
    &["token", "pass", "secret", "key", "header", "cred", "cookie", "auth", "proxy", "user:", "private"];
/// Names of git's built-in formats; the repository's settings may define others.
const FORMATS: &[&str] = &["oneline", "short", "medium", "full", "fuller", "reference", "email", "raw"];

/// Kind of word.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WordKind {
    /// Files and directories, or anything checked as if it were a path.
    #[default]
    Path,
    /// No word is allowed.
    None,
    /// Any text.
    Text,
    /// Any text without a group that has a name: fish sets a variable of this name.
    Unnamed,
    /// Any text that the program searches for; not a path.
    Pattern,
    /// Format of `printf` that only takes text.
    Template,
    /// Files and revisions of git, but no object by its number alone.
    Revision,
    /// Numbers of processes or users, or `root`. Any other word that `ps` cannot find makes it parse its words
    /// differently.
    Ids,
    /// A small number with optional sign, fraction or unit.
    Number,
    /// Letters, digits and path characters, without anything that a shell's arithmetic would run.
    Plain,
    /// Letters, digits, `.`, `_`, `-`, `+`, `@`.
    Name,
    /// Like `Name`, with `/` and `*`: names of branches and units, and patterns of them.
    Names,
    /// A variable that contains no secret.
    Variable,
    /// Columns of `ps`.
    Columns,
    /// Output format of git for a commit.
    Format,
    /// Name of a git setting that is not secret.
    Setting,
    /// Output format of `date`.
    Date,
    /// A database of `getent` that queries no other machine or service.
    Database,
    /// A local file: `tar` reads text before a `:` as a host.
    Local,
    /// Scripts, checked by `script`.
    Sed,
    Awk,
    Filter,
}

impl WordKind {
    /// Returns the kind with this name in `allow.toml`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name)).ok()
    }

    /// Reports whether words of this kind are not checked as paths: scripts and patterns.
    pub(super) fn is_no_place(self) -> bool {
        matches!(self, Self::Sed | Self::Awk | Self::Filter | Self::Pattern)
    }

    /// Reports whether words of this kind may be patterns that the shell expands to names of files.
    pub(super) fn may_be_glob(self) -> bool {
        matches!(self, Self::Path | Self::Revision)
    }

    /// Checks that a word is of this kind.
    pub(super) fn admit(self, word: &str) -> Result<(), String> {
        let made_of =
            |more: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || more.contains(c));
        let fits = match self {
            Self::Path => !word.starts_with(['@', '+']),
            Self::None => false,
            Self::Text | Self::Pattern => true,
            Self::Unnamed => !NAMED_GROUPS.iter().any(|group| word.contains(group)),
            Self::Template => is_template(word),
            Self::Revision if git::is_bare_object(word) => {
                return Err(format!(
                    "`{word}` may be the number of a secret file; write `~0` behind the number of a commit"
                ));
            }
            Self::Revision => !word.starts_with(['@', '+']),
            Self::Ids => {
                word == "root" || (word.len() <= 80 && word.chars().all(|c| c.is_ascii_digit() || c == ','))
            }
            Self::Number => is_number(word),
            Self::Plain => word.chars().all(|c| c.is_alphanumeric() || " _-+.,:/@%=!\\".contains(c)),
            Self::Name => made_of("._-+@"),
            Self::Names => made_of("._-+@/*"),
            Self::Variable => VARIABLES.contains(&word),
            Self::Columns => word.split(',').all(is_column),
            Self::Format => is_format(word),
            Self::Setting => is_setting(word),
            Self::Date => word.starts_with('+'),
            Self::Database => ["passwd", "group", "services", "protocols"].contains(&word),
            Self::Local => !word.contains(':') && !word.starts_with(['@', '+']),
            Self::Sed => return script::sed(word),
            Self::Awk => return script::awk(word),
            Self::Filter => return script::filter(word),
        };
        if fits { Ok(()) } else { Err(format!("`{word}` is not on the list there")) }
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    let digits = digits.strip_suffix(['k', 'K', 'M', 'm', 'G', 'b', 'c']).unwrap_or(digits);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let counts = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    counts(whole) && counts(part) && whole.len() + part.len() <= DIGITS_MAX + 1
}

/// Reports whether a format of `printf` has no conversion but `%s`, `%b`, `%c` and `%%`. Shells read the operand of any
/// other as arithmetic or as the name of a variable, and that of the width `*` too.
fn is_template(word: &str) -> bool {
    let mut rest = word.chars();
    while let Some(c) = rest.next() {
        let is_fine = match c {
            '\\' => matches!(rest.next(), Some('n' | 't' | '\\')),
            '%' => {
                let after = rest.as_str();
                let conversion = after
                    .trim_start_matches('-')
                    .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                let width = after.len() - conversion.len();
                rest = conversion.chars();
                match rest.next() {
                    Some('%') => width == 0,
                    Some('s' | 'b' | 'c') => width <= WIDTH_MAX,
                    _ => false,
                }
            }
            _ => true,
        };
        if !is_fine {
            return false;
        }
    }
    true
}

fn is_column(word: &str) -> bool {
    let name = word.trim_start_matches(['+', '-']).trim_end_matches('=');
    let (name, width) = name.split_once(':').unwrap_or((name, "1"));
    COLUMNS.contains(&name) && width.len() <= 3 && width.chars().all(|c| c.is_ascii_digit())
}

/// Reports whether a commit format is allowed. `%G…` and signatures are refused, because they start a program to check
/// them.
fn is_format(word: &str) -> bool {
    let format = word.strip_prefix("format:").or(word.strip_prefix("tformat:"));
    let literal = format.is_some() || word.contains('%');
    (literal && !word.contains('G') && !word.contains("signature")) || FORMATS.contains(&word)
}

fn is_setting(word: &str) -> bool {
    let lower = word.to_lowercase();
    let sections = word.split('.').count() >= 2 && word.split('.').all(|part| !part.is_empty());
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || ".-_/".contains(c));
    sections
        && plain
        && !word.starts_with('-')
        && !SECRET_SETTINGS.iter().any(|secret| lower.contains(secret))
}
