//! The command line: arguments in, one subcommand out.

pub mod args;
pub mod check;
mod completions;
mod config;
mod daemon;
mod doctor;
pub mod explain;
mod forget;
pub mod init;
mod inline;
mod interrupts;
pub mod line;
mod model;
mod offers;
mod rows;
mod stats;
pub mod suggest;

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Parser as _;

use crate::clean::visible;
use crate::config::{Config, Setting, Wrong};
use crate::context::{self, Machine};
use crate::failure::Failure;
use crate::host::Host;
use crate::host::local::LocalHost;
use crate::host::recorded::{RECORDING_LIMIT, RecordedHost};
use crate::metrics::Book;
use crate::shell::Shell;
use crate::store::{Paths, not_written};
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
pub struct Desk<H = LocalHost> {
    /// Where our own files and settings are: always this machine, as the shell that asks sees it.
    pub host: H,
    /// The machine that suggestions are for: this one, or the recording that `ASKLINE_HOST=recorded:FILE` names.
    pub machine: Machine,
    /// Where our own files are.
    pub paths: Paths,
}

impl Desk {
    fn open() -> anyhow::Result<Self> {
        Self::of(LocalHost)
    }
}

impl<H: Host + Clone + 'static> Desk<H> {
    /// A desk on a host.
    ///
    /// # Errors
    /// When there is no home directory, or `ASKLINE_HOST` names what can't be replayed.
    pub fn of(host: H) -> anyhow::Result<Self> {
        let paths = Paths::of_user(&host)?;
        Ok(Self { machine: machine(&host, &paths)?, host, paths })
    }

    /// The configuration in force.
    ///
    /// # Errors
    /// What is wrong in it, with file, line and the nearest key.
    pub fn config(&self) -> anyhow::Result<Config> {
        Ok(self.settings()?.0)
    }

    /// The configuration and each setting with its origin.
    fn settings(&self) -> anyhow::Result<(Config, Vec<Setting>)> {
        let file = &self.paths.config_file;
        let wrong = |fault: &dyn Display| Wrong(format!("{}: {fault}", file.display()));
        if !file.is_absolute() {
            let fault = "ASKLINE_CONFIG must be a full path: no working directory holds configuration";
            return Err(wrong(&fault).into());
        }
        let text = match self.host.entry(file) {
            Some(_) => Some(config_text(&self.host, file)?),
            None if self.host.env("ASKLINE_CONFIG").is_some() => {
                return Err(wrong(&"there is no such file; create it or unset ASKLINE_CONFIG").into());
            }
            None => None,
        };
        let text = text.as_deref().map(|text| (file.as_path(), text));
        let merged = Config::merge_and_tell(text, &|name| variable(&self.host, name))?;
        tracing::debug!(
            "{} by {} and the environment, {} ms",
            one_line(&merged.0.model.to_string()),
            one_line(&file.to_string_lossy()),
            merged.0.deadline_ms
        );
        Ok(merged)
    }

    /// Where what is asked is counted. What a recorded machine is asked is no use of anybody's, and is not.
    pub fn book(&self) -> Option<Book> {
        self.machine.cache.is_some().then(|| Book::of(&self.paths))
    }

    /// The shell to write for where none is named: the one the user logs in with, bash when that is none of ours.
    fn login_shell(&self) -> Shell {
        login_shell(self.machine.host.as_ref()).unwrap_or(Shell::Bash)
    }

    /// The system as prompts name it.
    fn system(&self, shell: Shell) -> String {
        crate::suggest::system(&context::gather(&self.machine, shell, &[]))
    }
}

/// A variable of the environment; what is no text in it shows, so that it is never taken for unset.
fn variable(host: &dyn Host, name: &str) -> Option<String> {
    host.env(name).map(|value| value.to_string_lossy().into_owned())
}

/// The text of a configuration file that is there.
fn config_text(host: &dyn Host, file: &Path) -> Result<String, Wrong> {
    let bytes = host.read(file, CONFIG_LIMIT).map_err(|error| {
        Wrong(format!("{error:#}; make it a file that you can read, or name another in ASKLINE_CONFIG"))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = 1 + valid.filter(|byte| **byte == b'\n').count();
        Wrong(format!("{}:{line}: it is not valid UTF-8; save it as UTF-8", file.display()))
    })
}

/// The shell that a user logs in with, if it is one of ours.
fn login_shell(host: &dyn Host) -> Option<Shell> {
    Shell::of_program(host.env("SHELL")?.to_str()?)
}

/// Runs the program.
pub fn run() -> ExitCode {
    crate::model::local::at_start();
    // Without an ear for it, a limit of file sizes (`ulimit -f`) kills the program where a file can't be kept.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let cli = Cli::parse();
    trace(cli.debug);
    let exit = serve(&cli.command);
    let exit = exit.unwrap_or_else(|error| match error.is::<ReaderGone>() {
        true => Exit::Done,
        false => {
            complain("", &error);
            exit_of(&error)
        }
    });
    ExitCode::from(exit as u8)
}

fn serve(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Suggest(args) => suggest::run(args, &Desk::open()?),
        Command::Check(args) => check::run(args, &Desk::open()?),
        Command::Explain(args) => explain::run(args, &Desk::open()?),
        Command::Init(args) => init::run(args, &Desk::open()?),
        Command::Model(args) => model::run(args, &Desk::open()?),
        Command::Config(args) => config::run(args, &Desk::open()?),
        Command::Doctor { json, online } => doctor::run(*json, *online, &Desk::open()?),
        Command::Stats(args) => stats::run(args, &Desk::open()?),
        Command::Forget(args) => forget::run(args, &Desk::open()?),
        Command::Daemon(args) => daemon::run(args),
        Command::Completions { shell } => completions::run(*shell),
        Command::Ahead => line::ahead::run(&Desk::open()?),
        Command::Inline(args) => inline::run(args, &Desk::open()?),
        Command::Offers(args) => offers::run(args),
        // Tells on the screen what goes wrong, so it opens the desk itself.
        Command::Line(args) => line::run(args),
    }
}

/// The machine that suggestions are for.
fn machine<H: Host + Clone + 'static>(host: &H, paths: &Paths) -> anyhow::Result<Machine> {
    let Some(named) = host.env("ASKLINE_HOST").filter(|value| !value.is_empty()) else {
        return Ok(Machine::new(Arc::new(host.clone()), Some(paths.cache.clone())));
    };
    let named = named.to_string_lossy();
    let Some(file) = named.strip_prefix("recorded:").map(Path::new) else {
        return Err(
            Wrong(format!("ASKLINE_HOST must be recorded:FILE, not {named}; correct or unset it")).into()
        );
    };
    let recorded = host.read(file, RECORDING_LIMIT).and_then(|bytes| {
        RecordedHost::parse(file, &String::from_utf8(bytes).with_context(|| file.display().to_string())?)
    });
    let recorded =
        recorded.map_err(|error| Wrong(format!("{error:#}; mend the recording or unset ASKLINE_HOST")))?;
    Ok(Machine::new(Arc::new(recorded), None))
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

/// Whoever read our output has stopped reading: a reason to stop, but nothing that anybody needs to be told.
#[derive(Debug)]
struct ReaderGone;

impl Display for ReaderGone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nobody reads the output")
    }
}

impl std::error::Error for ReaderGone {}

/// Prints data to stdout.
///
/// # Errors
/// [`ReaderGone`], or what failed.
fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(ReaderGone.into()),
        other => other.map_err(|error| not_written(Path::new("the output"), error)),
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

/// Prints an error to stderr: where it is (`FILE:LINE: ` or nothing), then the cause chain on one line.
fn complain(place: &str, error: &anyhow::Error) {
    tell(&format!("askline: {place}{}", reason(error)));
}

/// An error in words: cause chain on one line, with the setting that is in force where one must be changed.
pub fn reason(error: &anyhow::Error) -> String {
    let overrides = std::env::var_os("ASKLINE_DEADLINE_MS").is_some_and(|value| !value.is_empty());
    match error.downcast_ref() {
        Some(Failure::TimedOut) if overrides => {
            "no answer in time; try again or raise ASKLINE_DEADLINE_MS".to_owned()
        }
        _ => format!("{error:#}"),
    }
}

fn trace(debug: bool) {
    if debug {
        let told = tracing_subscriber::fmt().with_writer(io::stderr).with_env_filter("askline=debug");
        // What can't be written is not told about either: that would end the program.
        let told = told.log_internal_errors(false);
        let _ = told.with_timer(tracing_subscriber::fmt::time::uptime()).with_target(false).try_init();
        tracing::debug!("askline {}", env!("CARGO_PKG_VERSION"));
    }
}
