//! The command line: arguments in, one subcommand out.

pub mod args;
mod completions;
mod config;
mod doctor;
pub mod init;
mod line;
mod model;
mod suggest;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::clean::visible;
use crate::config::Config;
use crate::host::Host as _;
use crate::host::local::LocalHost;
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
    /// `askline line` failed and has shown why.
    Failed = 3,
    /// The person gave up.
    Cancelled = 130,
}

/// What every subcommand works with.
struct Desk {
    host: LocalHost,
    paths: Paths,
}

impl Desk {
    /// The configuration in force; an error names file, line and the nearest key.
    fn config(&self) -> anyhow::Result<Config> {
        let file = &self.paths.config_file;
        let text = match self.host.entry(file) {
            Some(_) => Some(String::from_utf8(self.host.read(file, CONFIG_LIMIT)?)?),
            None => None,
        };
        let env = |name: &str| self.host.env(name).and_then(|value| value.into_string().ok());
        Ok(Config::merge(text.as_deref().map(|text| (file.as_path(), text)), &env)?)
    }
}

/// Runs the program.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    trace(cli.debug);
    let exit = Desk::open().and_then(|desk| match &cli.command {
        Command::Suggest(args) => suggest::run(args, &desk),
        Command::Init(args) => init::run(args, &desk),
        Command::Model(args) => model::run(args, &desk),
        Command::Config(args) => config::run(args, &desk),
        Command::Doctor => doctor::run(&desk),
        Command::Completions { shell } => completions::run(*shell),
        Command::Line(args) => line::run(args, &desk),
    });
    let exit = exit.unwrap_or_else(|error| {
        complain(&error);
        exit_of(&error)
    });
    ExitCode::from(exit as u8)
}

impl Desk {
    fn open() -> anyhow::Result<Self> {
        let host = LocalHost;
        let paths = Paths::of_user(&host)?;
        Ok(Self { host, paths })
    }
}

/// The exit code that an error means outside `askline line`.
fn exit_of(error: &anyhow::Error) -> Exit {
    match error.downcast_ref::<Failure>() {
        Some(Failure::Cancelled) => Exit::Cancelled,
        Some(Failure::NoModel(_)) => Exit::Usage,
        Some(_) => Exit::None,
        None if error.is::<crate::config::Wrong>() => Exit::Usage,
        None => Exit::None,
    }
}

/// Prints data to stdout; a reader that went away is no error.
fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Prints one message to stderr; nothing more can be done when that fails.
fn tell(message: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", visible(message));
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
