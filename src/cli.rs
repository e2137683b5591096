//! The command line: arguments in, one subcommand out.

pub mod args;
mod completions;
mod config;
mod doctor;
pub mod init;
mod line;
mod model;
mod suggest;

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;

use crate::clean::visible;
use crate::config::{Config, Setting, Wrong};
use crate::context::{self, Machine};
use crate::host::Host;
use crate::host::local::LocalHost;
use crate::host::recorded::{RECORDING_LIMIT, RecordedHost};
use crate::shell::Shell;
use crate::store::Paths;
use crate::suggestion::Failure;
use args::{Cli, Command};

/// Largest configuration file that is read, bytes.
const CONFIG_LIMIT: u64 = 1 << 20;

/// Exit codes of every path that suggests; they are a contract with the shell scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Exit {
    /// An answer, or done.
    Done = 0,
    /// No answer; the reason was shown. Also: a check found a fault.
    None = 1,
    /// Wrong usage or configuration (clap exits with it too).
    Usage = 2,
    /// `askline line` failed and says why.
    Failed = 3,
    /// The person gave up.
    Cancelled = 130,
}

/// What every subcommand works with.
struct Desk {
    /// Where our own files and settings are: always this machine.
    host: LocalHost,
    /// The machine that suggestions are for: this one, or the recording that `ASKLINE_HOST=recorded:FILE` names.
    machine: Machine,
    paths: Paths,
}

impl Desk {
    fn open() -> anyhow::Result<Self> {
        let host = LocalHost;
        let paths = Paths::of_user(&host)?;
        Ok(Self { host, machine: machine(&host, &paths)?, paths })
    }

    /// The configuration in force; an error names file, line and the nearest key.
    fn config(&self) -> anyhow::Result<Config> {
        Ok(self.settings()?.0)
    }

    /// The configuration and each setting with its origin.
    fn settings(&self) -> anyhow::Result<(Config, Vec<Setting>)> {
        let file = &self.paths.config_file;
        let wrong = |fault: &dyn Display| Wrong(format!("{}: {fault}", file.display()));
        let text = match self.host.entry(file) {
            Some(_) => {
                let bytes =
                    self.host.read(file, CONFIG_LIMIT).map_err(|error| Wrong(format!("{error:#}")))?;
                Some(String::from_utf8(bytes).map_err(|error| wrong(&error))?)
            }
            None if self.host.env("ASKLINE_CONFIG").is_some() => {
                return Err(wrong(&"there is no such file; create it or unset ASKLINE_CONFIG").into());
            }
            None => None,
        };
        let env = |name: &str| self.host.env(name).and_then(|value| value.into_string().ok());
        Ok(Config::merge_and_tell(text.as_deref().map(|text| (file.as_path(), text)), &env)?)
    }
}

impl Desk {
    /// The shell to write for where none is named: the one the user logs in with, bash when that is none of ours.
    fn login_shell(&self) -> Shell {
        login_shell(self.machine.host.as_ref()).unwrap_or(Shell::Bash)
    }

    /// The system as prompts name it.
    fn system(&self, shell: Shell) -> String {
        crate::suggest::system(&context::gather(&self.machine, shell, &[]))
    }
}

/// The shell that a user logs in with, if it is one of ours.
fn login_shell(host: &dyn Host) -> Option<Shell> {
    Shell::of_program(host.env("SHELL")?.to_str()?)
}

/// Runs the program.
pub fn run() -> ExitCode {
    crate::model::local::at_start();
    let cli = Cli::parse();
    trace(cli.debug);
    let exit = serve(&cli.command);
    let exit = exit.unwrap_or_else(|error| {
        complain(&error);
        exit_of(&error)
    });
    ExitCode::from(exit as u8)
}

fn serve(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Suggest(args) => suggest::run(args, &Desk::open()?),
        Command::Init(args) => init::run(args, &Desk::open()?),
        Command::Model(args) => model::run(args, &Desk::open()?),
        Command::Config(args) => config::run(args, &Desk::open()?),
        Command::Doctor => doctor::run(&Desk::open()?),
        Command::Completions { shell } => completions::run(*shell),
        // Tells on the screen what goes wrong, so it opens the desk itself.
        Command::Line(args) => line::run(args),
    }
}

/// The machine that suggestions are for.
fn machine(host: &LocalHost, paths: &Paths) -> anyhow::Result<Machine> {
    let Some(named) = host.env("ASKLINE_HOST").filter(|value| !value.is_empty()) else {
        return Ok(Machine { host: Arc::new(*host), cache: Some(paths.cache.clone()) });
    };
    let named = named.to_string_lossy();
    let Some(file) = named.strip_prefix("recorded:").map(Path::new) else {
        return Err(Wrong(format!("ASKLINE_HOST must be recorded:FILE, not {named}")).into());
    };
    let text = String::from_utf8(host.read(file, RECORDING_LIMIT)?)?;
    Ok(Machine { host: Arc::new(RecordedHost::parse(file, &text)?), cache: None })
}

/// The exit code that an error means outside `askline line`.
fn exit_of(error: &anyhow::Error) -> Exit {
    match error.downcast_ref::<Failure>() {
        Some(Failure::Cancelled) => Exit::Cancelled,
        Some(Failure::NoModel(_)) => Exit::Usage,
        Some(_) => Exit::None,
        None if error.is::<Wrong>() => Exit::Usage,
        None => Exit::None,
    }
}

/// Prints data to stdout; a reader that went away is no error.
fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Foreign text within a line for people: what a terminal would obey becomes visible, line breaks blanks.
fn one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

/// Prints a path alone on its line: as it is for a program that reads it, safe to show on a terminal.
fn print_path(path: &Path) -> anyhow::Result<()> {
    let mut line = path.as_os_str().as_encoded_bytes().to_vec();
    if io::stdout().is_terminal() {
        line = one_line(&path.to_string_lossy()).into_bytes();
    }
    line.push(b'\n');
    print_bytes(&line)
}

/// Prints one message to stderr; nothing more can be done when that fails.
fn tell(message: &str) {
    let lines: Vec<String> = message.lines().map(visible).collect();
    let _ = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
}

/// Prints an error to stderr: cause chain on one line.
fn complain(error: &anyhow::Error) {
    tell(&format!("askline: {error:#}"));
}

fn trace(debug: bool) {
    if debug {
        let _ = tracing_subscriber::fmt().with_writer(io::stderr).with_env_filter("askline=debug").try_init();
    }
}
