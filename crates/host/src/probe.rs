//! All argument vectors with which askline starts a program. Outside data goes through types that allow only harmless
//! words.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use askline_syntax::shell::Shell;

use crate::sandboxed_command::{SandboxedCommand, Start};

/// Environment variables that every probed program gets.
const PROGRAM_VARIABLES: [&str; 2] = ["HOME", "PATH"];

/// Additional variables for pip: proxies, certificates, passwords for an index, and the directories that it may use.
const PIP_VARIABLES: [&str; 18] = [
    "ALL_PROXY",
    "CURL_CA_BUNDLE",
    "DBUS_SESSION_BUS_ADDRESS",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LD_LIBRARY_PATH",
    "NETRC",
    "NIX_SSL_CERT_FILE",
    "NO_PROXY",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "VIRTUAL_ENV",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Name prefixes of further variables for pip: its own settings, those of Python and of Python installers, and the
/// locations of the user's files.
const PIP_PREFIXES: [&str; 6] = ["ASDF_", "MISE_", "PIP_", "PYENV_", "PYTHON", "XDG_"];

/// Name prefixes of the variables that lead to the surrounding multiplexer or terminal.
const SCREEN_PREFIXES: [&str; 6] = ["KITTY_", "TMPDIR", "TMUX", "WEZTERM_", "XDG_RUNTIME_DIR", "ZELLIJ"];

/// A program start with fixed arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// `program --version`.
    Version,
    /// Asks pip for its version; with `as_module` the program is Python.
    PipVersion {
        /// `true` for `python -I -m pip` instead of `pip`.
        as_module: bool,
    },
    /// Makes pip download one wheel, without its dependencies and without running any of its code.
    PipDownload {
        /// `true` for `python -I -m pip` instead of `pip`.
        as_module: bool,
        /// Name of the package; never starts with a dash.
        package: String,
        /// Version of the package.
        version: String,
        /// Target directory of the wheel.
        into: PathBuf,
    },
    /// Asks a program for its help text, in a sandbox.
    Help {
        /// Level of subcommands.
        level: Level,
        /// Form of the request.
        spelling: Spelling,
    },
    /// Asks a program's own parser about an option, in a sandbox. [`OptionName::REFUSED`], which no program accepts,
    /// follows the option: the program stops before it does anything and names the unknown option.
    Option {
        /// Level of subcommands.
        level: Level,
        /// Option.
        option: OptionName,
    },
    /// Makes a shell check a line without running it, in a sandbox. The line is not an argument: it is in a file.
    Syntax {
        /// Shell that the program is.
        shell: Shell,
        /// Line to check.
        line: String,
    },
    /// Makes Nushell split a line into tokens without running it, in a sandbox. The line is not an argument: it is in
    /// a file, and the script that Nushell runs is a constant.
    Pieces {
        /// Line to split.
        line: String,
    },
    /// Asks Nushell for its own commands, in a sandbox: the output has a row of JSON for each, in the format of
    /// [`askline_manual::catalogue::Catalogue::read`]. The script that Nushell runs is a constant.
    Commands,
    /// Asks the surrounding multiplexer or terminal for the text on its screen. Its program finds the running instance
    /// by its own environment variables.
    Screen(Screen),
}

/// A program that can return the text of its screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Screen {
    /// tmux.
    Tmux,
    /// kitty.
    Kitty,
    /// WezTerm.
    Wezterm,
    /// Zellij, of whose panes any may have the focus.
    Zellij {
        /// Number of the pane.
        pane: u32,
    },
    /// A Zellij that writes only to a file, the pane with the focus.
    OlderZellij {
        /// File to write, in a directory of askline.
        into: PathBuf,
    },
}

impl Screen {
    /// Returns the name of the program to start.
    pub fn program(&self) -> &'static str {
        match self {
            Self::Tmux => "tmux",
            Self::Kitty => "kitty",
            Self::Wezterm => "wezterm",
            Self::Zellij { .. } | Self::OlderZellij { .. } => "zellij",
        }
    }

    fn arguments(&self) -> Vec<OsString> {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match self {
            // Wrapped rows are joined to one line.
            Self::Tmux => words(&["capture-pane", "-p", "-J"]),
            Self::Kitty => words(&["@", "get-text", "--self"]),
            Self::Wezterm => words(&["cli", "get-text"]),
            // Zellij 0.45 prints the screen, unless `--path` names a file.
            Self::Zellij { pane } => words(&["action", "dump-screen", "--pane-id", &pane.to_string()]),
            Self::OlderZellij { into } => {
                let mut arguments = words(&["action", "dump-screen"]);
                arguments.push(into.into());
                arguments
            }
        }
    }
}

impl Probe {
    /// Name of the file with [`Probe::input`] in the working directory of a sandboxed program.
    pub const INPUT_FILE: &str = "line";

    /// Names that need Nushell's standard library, which Nushell loads at every prompt: only lines with one of them
    /// are checked with it, because checking without it takes a third of the time.
    const LIBRARY: [&str; 3] = ["pwd", "banner", "std"];

    /// Nushell script that prints the tokens of the line in that file; `ast` only parses.
    const PIECES: &str = "open --raw line | decode utf-8 | ast $in --flatten --json --minify";

    /// Nushell script that prints the documentation of its commands; long examples are omitted.
    const COMMANDS: &str = "scope commands | where type in [built-in keyword] | each {|c| [$c.name $c.description $c.search_terms \
        ($c.signatures | columns) ($c.signatures | values | get 0? | default [] | where parameter_type in [positional rest \
        switch named] | each {|p| [$p.parameter_type $p.parameter_name $p.short_flag $p.syntax_shape $p.is_optional \
        $p.description]}) ($c.examples | where ($it.example | str length) < 120 | each {|e| [$e.description $e.example]})] \
        | to json --raw } | str join (char newline)";

    /// Returns the arguments after the program's name.
    pub fn arguments(&self) -> Vec<OsString> {
        // Isolated mode: Python loads no module from the working directory or the environment.
        let pip = |as_module: &bool| if *as_module { &["-I", "-m", "pip"][..] } else { &[] };
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match self {
            Self::Version => words(&["--version"]),
            Self::PipVersion { as_module } => words(&[pip(as_module), &["--version"]].concat()),
            Self::PipDownload { as_module, package, version, into } => {
                let fixed = [
                    "download",
                    "--no-deps",
                    "--no-input",
                    "--no-cache-dir",
                    "--disable-pip-version-check",
                    "--only-binary=:all:",
                    "--dest",
                ];
                let mut arguments = words(&[pip(as_module), &fixed].concat());
                arguments.push(into.into());
                arguments.push(format!("{package}=={version}").into());
                arguments
            }
            Self::Help { level, spelling } => {
                level.words().chain(spelling.words().iter().copied()).map(OsString::from).collect()
            }
            Self::Option { level, option } => {
                level.words().chain([option.0.as_str(), OptionName::REFUSED]).map(OsString::from).collect()
            }
            Self::Syntax { shell, line } => words(match shell {
                Shell::Bash => &["-O", "extglob", "-n"],
                Shell::Zsh => &["-f", "-n"],
                Shell::Fish => &["--no-config", "-n"],
                Shell::Nu if Self::LIBRARY.iter().any(|name| line.contains(name)) => {
                    &["-n", "--ide-check", "10", Self::INPUT_FILE]
                }
                Shell::Nu => &["-n", "--no-std-lib", "--ide-check", "10", Self::INPUT_FILE],
            }),
            Self::Pieces { .. } => words(&["-n", "--no-std-lib", "-c", Self::PIECES]),
            Self::Commands => words(&["-n", "--no-std-lib", "-c", Self::COMMANDS]),
            Self::Screen(screen) => screen.arguments(),
        }
    }

    /// Returns the text that a sandboxed program finds in its directory and on its standard input.
    pub fn input(&self) -> Option<&str> {
        match self {
            Self::Syntax { line, .. } | Self::Pieces { line } => Some(line),
            _ => None,
        }
    }

    /// Returns the time limit of the program, after which it and all its children are killed.
    pub fn patience(&self) -> Duration {
        match self {
            Self::Version | Self::Option { .. } | Self::Syntax { .. } | Self::Pieces { .. } => {
                Duration::from_secs(2)
            }
            // Half a second on an idle machine; the result is cached for a day.
            Self::Commands => Duration::from_secs(5),
            // The user is waiting, and the result is optional.
            Self::Screen(_) => Duration::from_millis(200),
            // Interpreters and virtual machines start slowly from a cold disk.
            Self::Help { .. } => Duration::from_secs(3),
            // Python's first start from a cold disk takes seconds.
            Self::PipVersion { .. } => Duration::from_secs(20),
            // A wheel of 100 MB at 1 MB/s, with a large margin.
            Self::PipDownload { .. } => Duration::from_secs(20 * 60),
        }
    }

    /// Reports whether the program gets this environment variable of the user. All programs get the variables that
    /// they need to run, and pip those to reach its index. The rest is withheld, because it may contain keys.
    pub fn keeps(&self, variable: &str) -> bool {
        let for_pip = || {
            PIP_VARIABLES.contains(&variable)
                || PIP_PREFIXES.iter().any(|prefix| variable.starts_with(prefix))
        };
        match self {
            Self::PipVersion { .. } | Self::PipDownload { .. } => {
                PROGRAM_VARIABLES.contains(&variable) || for_pip()
            }
            // Multiplexers set variables for the programs inside them.
            Self::Screen(_) => {
                PROGRAM_VARIABLES.contains(&variable)
                    || SCREEN_PREFIXES.iter().any(|prefix| variable.starts_with(prefix))
            }
            _ => PROGRAM_VARIABLES.contains(&variable),
        }
    }

    /// Reports whether the program runs in a sandbox: it reads only the system's files, changes nothing, connects
    /// nowhere and leaves nothing behind.
    pub fn is_sandboxed(&self) -> bool {
        matches!(
            self,
            Self::Help { .. }
                | Self::Option { .. }
                | Self::Syntax { .. }
                | Self::Pieces { .. }
                | Self::Commands
        )
    }
}

/// Returns the arguments that make a shell read a line and none of its user's files.
pub(crate) fn sandboxed_arguments(sandboxed: &SandboxedCommand) -> Vec<&str> {
    let mut arguments = match &sandboxed.start {
        Start::Service(arguments) => return arguments.iter().map(String::as_str).collect(),
        Start::Shell(Shell::Bash) => vec!["--norc", "--noprofile", "-c"],
        Start::Shell(Shell::Zsh) => vec!["-f", "-c"],
        Start::Shell(Shell::Fish) => vec!["--no-config", "-c"],
        Start::Shell(Shell::Nu) => vec!["--no-config-file", "-c"],
    };
    arguments.push(&sandboxed.line);
    arguments
}

/// The words between a program and its options: none for the program itself, `["log"]` for `git log`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Level(Vec<String>);

impl Level {
    /// Maximum number of words.
    pub const WORDS_MAX: usize = 3;

    /// Maximum length of a word in bytes.
    pub const WORD_MAX: usize = 32;

    /// Creates a level if its words look like names of subcommands: lower-case letters, digits and dashes, without a
    /// leading dash.
    pub fn new(words: &[&str]) -> Option<Self> {
        let is_name = |word: &&str| {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            (1..=Self::WORD_MAX).contains(&word.len()) && !word.starts_with('-') && word.bytes().all(plain)
        };
        let fits = words.len() <= Self::WORDS_MAX && words.iter().all(is_name);
        fits.then(|| Self(words.iter().map(|word| (*word).to_owned()).collect()))
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Form of the request for a program's documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
pub enum Spelling {
    /// `--help`.
    #[default]
    #[serde(rename = "--help")]
    Long,
    /// `-h`, for the few programs where that is known to print the help.
    #[serde(rename = "-h")]
    Short,
    /// `-help`.
    #[serde(rename = "-help")]
    OneDash,
    /// `--help all`.
    #[serde(rename = "--help all")]
    All,
    /// `-h full`.
    #[serde(rename = "-h full")]
    Full,
}

impl Spelling {
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Long => &["--help"],
            Self::Short => &["-h"],
            Self::OneDash => &["-help"],
            Self::All => &["--help", "all"],
            Self::Full => &["-h", "full"],
        }
    }
}

/// The name of an option without a value, as typed: `-a`, `--all`, `-name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionName(String);

impl OptionName {
    /// Maximum length in bytes.
    pub const LENGTH_MAX: usize = 64;

    /// Option that no program accepts.
    pub const REFUSED: &str = "--zzznope";

    /// Creates an option name if the text has the right form: one or two dashes, a letter, digit or `?`, then
    /// letters, digits, `-`, `_`, `.`, `+`.
    pub fn new(option: &str) -> Option<Self> {
        let name = option.strip_prefix("--").or_else(|| option.strip_prefix('-'))?;
        let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '?');
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+?".contains(c);
        let fits = starts && option.len() <= Self::LENGTH_MAX && name.chars().all(plain);
        fits.then(|| Self(option.to_owned()))
    }

    /// Returns the option as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_hold_names_of_subcommands_only() {
        for words in [&[][..], &["log"], &["compose", "up"], &["a", "b2", "c-d"]] {
            assert!(Level::new(words).is_some(), "{words:?}");
        }
        let long = "a".repeat(33);
        for words in [&["--force"][..], &["-f"], &[""], &["a", "b", "c", "d"], &["Log"], &["a b"], &["a;b"]] {
            assert!(Level::new(words).is_none(), "{words:?}");
        }
        for word in ["../x", "a\n", "$(id)", "é", "a=b", long.as_str()] {
            assert!(Level::new(&[word]).is_none(), "{word:?}");
        }
    }

    #[test]
    fn options_have_the_shape_of_one() {
        for option in ["-a", "--all", "-name", "-?", "--no_x.y", "-0", "-O2", "--c++"] {
            assert!(OptionName::new(option).is_some(), "{option:?}");
        }
        let long = format!("--{}", "a".repeat(63));
        for option in
            ["", "-", "--", "---", "all", "+x", "--a=b", "-a b", "--a\n", "-/etc", "--é", "-'", &long]
        {
            assert!(OptionName::new(option).is_none(), "{option:?}");
        }
    }

    #[test]
    fn no_program_gets_what_may_be_a_key_for_something_else() {
        let pip = Probe::PipVersion { as_module: true };
        for (variable, version, for_pip) in [
            ("PATH", true, true),
            ("HOME", true, true),
            ("PIP_INDEX_URL", false, true),
            ("https_proxy", false, true),
            ("PYENV_ROOT", false, true),
            ("TMPDIR", false, true),
            ("TEAM_KEY", false, false),
            ("GITHUB_TOKEN", false, false),
            ("PIPELINE_SECRET", false, false),
            ("pip_index_url", false, false),
            ("", false, false),
        ] {
            assert_eq!(
                (Probe::Version.keeps(variable), pip.keeps(variable)),
                (version, for_pip),
                "{variable}"
            );
        }
    }

    #[test]
    fn the_line_is_never_an_argument() {
        let line = "rm -rf /".to_owned();
        for shell in Shell::ALL {
            let probe = Probe::Syntax { shell, line: line.clone() };
            assert_eq!(probe.input(), Some(line.as_str()));
            assert!(probe.is_sandboxed() && !probe.keeps("PIP_INDEX_URL"));
            let arguments = probe.arguments();
            assert!(!arguments.iter().any(|argument| argument.to_string_lossy().contains("rm")));
            // The flag that prevents the shell from running it.
            let judges = |argument: &OsString| argument == "-n" || argument == "--ide-check";
            assert!(arguments.iter().any(judges), "{shell}");
        }
        let probe = Probe::Pieces { line: line.clone() };
        assert_eq!(probe.input(), Some(line.as_str()));
        assert!(probe.is_sandboxed() && !probe.keeps("PIP_INDEX_URL"));
        assert_eq!(probe.arguments()[3], Probe::PIECES);
        assert!(Probe::PIECES.contains(&format!(" {} ", Probe::INPUT_FILE)), "it reads that file");
        assert!(Probe::Commands.is_sandboxed() && Probe::Commands.input().is_none());
        assert_eq!(Probe::Commands.arguments(), ["-n", "--no-std-lib", "-c", Probe::COMMANDS]);
    }

    #[test]
    fn options_are_followed_by_one_that_is_refused() {
        let level = Level::new(&["log"]).unwrap();
        let option = OptionName::new("--graph").unwrap();
        assert_eq!(Probe::Option { level, option }.arguments(), ["log", "--graph", "--zzznope"]);
        let level = Level::new(&["log"]).unwrap();
        assert_eq!(Probe::Help { level, spelling: Spelling::Short }.arguments(), ["log", "-h"]);
    }
}
