//! The command line interface: parses the arguments and runs one subcommand.

pub mod args;
mod bench;
pub mod check;
mod completions;
mod config;
mod daemon;
mod doctor;
mod dotfile;
pub mod explain;
mod forget;
mod help;
pub mod init;
mod inline;
mod interrupts;
mod investigate;
pub mod investigation;
pub mod key;
pub mod line;
mod man;
mod mcp;
mod model;
mod offers;
pub mod preview;
mod question;
mod rows;
mod sessions;
mod setup;
mod shell_integration;
mod stats;
pub mod suggest;
pub mod topics;

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Parser as _;

use crate::config::{Config, Setting};
use crate::environment::{self, Machine};
use crate::knowledge::Knowledge;
use crate::metrics::UsageStore;
use crate::shell_facts::ShellFacts;
use args::{Cli, Command};
use askline_host::Host;
use askline_host::local::LocalHost;
use askline_host::recorded::{RECORDING_LIMIT, RecordedHost};
use askline_host::store::{Paths, not_written};
use askline_model::failure::Failure;
use askline_model::failure::UsageError;
use askline_syntax::clean::{one_line, visible};
use askline_syntax::shell::Shell;

/// Maximum size of a configuration file in bytes.
const CONFIG_LIMIT: u64 = 1 << 20;

/// Exit codes of all subcommands that suggest; the shell scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Exit {
    /// Answered, or done.
    Done = 0,
    /// No answer; the reason was shown. Also: a check found an error.
    None = 1,
    /// Wrong usage or configuration (clap uses the same code).
    Usage = 2,
    /// `askline line` failed and printed the reason.
    Failed = 3,
    /// The user cancelled.
    Cancelled = 130,
}

/// The app context: everything that subcommands work with.
pub struct AppContext<H = LocalHost> {
    /// Host with askline's own files and settings: always the local machine, as the calling shell sees it.
    pub host: H,
    /// Machine that suggestions are for: the local one, or the recording in `ASKLINE_HOST=recorded:FILE`.
    pub machine: Machine,
    /// Locations of askline's own files.
    pub paths: Paths,
}

impl AppContext {
    fn open() -> anyhow::Result<Self> {
        Self::of(LocalHost)
    }
}

impl<H: Host + Clone + 'static> AppContext<H> {
    /// Creates the app context for a host.
    ///
    /// # Errors
    /// When there is no home directory, or `ASKLINE_HOST` cannot be replayed.
    pub fn of(host: H) -> anyhow::Result<Self> {
        let paths = Paths::of_user(&host)?;
        Ok(Self { machine: machine(&host, &paths)?, host, paths })
    }

    /// Returns the effective configuration.
    ///
    /// # Errors
    /// An invalid configuration, with file, line and the nearest valid key.
    pub fn config(&self) -> anyhow::Result<Config> {
        Ok(self.settings()?.0)
    }

    /// Returns the configuration, and each setting with its origin.
    fn settings(&self) -> anyhow::Result<(Config, Vec<Setting>)> {
        let file = &self.paths.config_file;
        let wrong = |fault: &dyn Display| UsageError(format!("{}: {fault}", file.display()));
        if !file.is_absolute() {
            let fault = "ASKLINE_CONFIG is a relative path; set it to a full path";
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
        let merged = Config::merge_with_origins(text, &|name| variable(&self.host, name))?;
        tracing::debug!(
            "{} by {} and the environment, {} ms",
            one_line(&merged.0.model.to_string()),
            one_line(&file.to_string_lossy()),
            merged.0.deadline_ms
        );
        Ok(merged)
    }

    /// Returns the usage statistics; `None` for a recorded machine, whose requests are not real usage.
    pub fn usage_store(&self) -> Option<UsageStore> {
        self.machine.cache.is_some().then(|| UsageStore::of(&self.paths))
    }

    /// Returns the shell to write for if none is named: the user's login shell, or bash if that is not supported.
    fn login_shell(&self) -> Shell {
        login_shell(self.machine.host.as_ref()).unwrap_or(Shell::SH)
    }

    /// Returns what can be known of this machine's commands, for lines of a shell with these facts.
    ///
    /// # Errors
    /// As [`Self::config`].
    fn knowledge(&self, shell: Shell, facts: &ShellFacts) -> anyhow::Result<Knowledge> {
        let environment = environment::gather(&self.machine, shell, facts);
        Ok(Knowledge::new(&self.machine, &environment, facts, self.config()?.help))
    }

    /// Returns the name of the system as used in prompts.
    fn system(&self, shell: Shell) -> String {
        crate::suggest::system(&environment::gather(&self.machine, shell, &ShellFacts::default()))
    }
}

/// Returns an environment variable; invalid UTF-8 is replaced visibly, so it never looks like an unset variable.
fn variable(host: &dyn Host, name: &str) -> Option<String> {
    host.env(name).map(|value| value.to_string_lossy().into_owned())
}

/// Returns the text of an existing configuration file.
fn config_text(host: &dyn Host, file: &Path) -> Result<String, UsageError> {
    let bytes = host.read(file, CONFIG_LIMIT).map_err(|error| {
        UsageError(format!("{error:#}; make the file readable, or name another in ASKLINE_CONFIG"))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = 1 + valid.filter(|byte| **byte == b'\n').count();
        UsageError(format!("{}:{line}: it is not valid UTF-8; save it as UTF-8", file.display()))
    })
}

/// Returns the user's login shell, if it is supported.
fn login_shell(host: &dyn Host) -> Option<Shell> {
    Shell::of_program(host.env("SHELL")?.to_str()?)
}

/// Runs the program.
pub fn run() -> ExitCode {
    askline_model::local::at_start();
    askline_host::local::forbid_core_dumps();
    // Without a handler, a file size limit (`ulimit -f`) kills the program when a file cannot be written.
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
        Command::Setup(args) => setup::run(args, &AppContext::open()?),
        Command::Suggest(args) => suggest::run(args, &AppContext::open()?),
        Command::Investigate(args) => investigate::run(args, &AppContext::open()?),
        Command::Check(args) => check::run(args, &AppContext::open()?),
        Command::Explain(args) => explain::run(args, &AppContext::open()?),
        Command::Preview(args) => preview::run(args, &AppContext::open()?),
        Command::Init(args) => init::run(args, &AppContext::open()?),
        Command::Model(args) => model::run(args, &AppContext::open()?),
        Command::Bench(args) => bench::run(args, &AppContext::open()?),
        Command::Config(args) => config::run(args, &AppContext::open()?),
        Command::Doctor { json, online } => doctor::run(*json, *online, &AppContext::open()?),
        Command::Stats(args) => stats::run(args, &AppContext::open()?),
        Command::Sessions(args) => sessions::run(args, &AppContext::open()?),
        Command::Forget(args) => forget::run(args, &AppContext::open()?),
        Command::Daemon(args) => daemon::run(args),
        Command::Completions { shell } => completions::run(*shell),
        Command::Mcp => mcp::run(AppContext::open()?),
        Command::Help { words } => help::run(words),
        Command::Man { words } => man::run(words),
        Command::Prefetch => line::prefetch::run(&AppContext::open()?),
        Command::Inline(args) => inline::run(args, &AppContext::open()?),
        Command::Offers(args) => offers::run(args),
        // This subcommand shows errors on the screen itself, so it opens the app context itself.
        Command::Line(args) => line::run(args),
    }
}

/// Returns the machine that suggestions are for.
fn machine<H: Host + Clone + 'static>(host: &H, paths: &Paths) -> anyhow::Result<Machine> {
    let Some(named) = host.env("ASKLINE_HOST").filter(|value| !value.is_empty()) else {
        return Ok(Machine::new(Arc::new(host.clone()), Some(paths.cache.clone())));
    };
    let named = named.to_string_lossy();
    let Some(file) = named.strip_prefix("recorded:").map(Path::new) else {
        return Err(UsageError(format!(
            "ASKLINE_HOST must be recorded:FILE, not {named}; correct or unset it"
        ))
        .into());
    };
    let recorded = host.read(file, RECORDING_LIMIT).and_then(|bytes| {
        RecordedHost::parse(file, &String::from_utf8(bytes).with_context(|| file.display().to_string())?)
    });
    let recorded = recorded
        .map_err(|error| UsageError(format!("{error:#}; correct the recording or unset ASKLINE_HOST")))?;
    Ok(Machine::new(Arc::new(recorded), None))
}

/// Returns the exit code for an error outside of `askline line`.
fn exit_of(error: &anyhow::Error) -> Exit {
    match error.downcast_ref::<Failure>() {
        Some(Failure::Cancelled) => Exit::Cancelled,
        Some(Failure::NoModel(_)) => Exit::Usage,
        Some(_) => Exit::None,
        None if error.is::<UsageError>() => Exit::Usage,
        None => Exit::None,
    }
}

/// An error: the reader of our output has closed it. The program ends without a message.
#[derive(Debug)]
struct ReaderGone;

impl Display for ReaderGone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the reader closed the output")
    }
}

impl std::error::Error for ReaderGone {}

/// Prints data to stdout.
///
/// # Errors
/// [`ReaderGone`], or the write error.
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

/// Prints a path on its own line: unchanged for programs, safe to show on a terminal.
fn print_path(path: &Path) -> anyhow::Result<()> {
    let mut line = path.as_os_str().as_encoded_bytes().to_vec();
    if io::stdout().is_terminal() {
        line = one_line(&path.to_string_lossy()).into_bytes();
    }
    line.push(b'\n');
    print_bytes(&line)
}

/// Prints a message to stderr; a write error is ignored.
fn print_message(message: &str) {
    let lines: Vec<String> = message.lines().map(visible).collect();
    let _ = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
}

/// Prints an error to stderr: its place (`FILE:LINE: ` or nothing), then the cause chain on one line.
fn complain(place: &str, error: &anyhow::Error) {
    print_message(&format!("askline: {place}{}", reason(error)));
}

/// Returns the text of an error: the cause chain on one line, with the name of the effective setting if one must be
/// changed.
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
        let subscriber = tracing_subscriber::fmt().with_writer(io::stderr).with_env_filter("askline=debug");
        // Log lines that cannot be written are not reported, because that would end the program.
        let subscriber = subscriber.log_internal_errors(false);
        let _ = subscriber.with_timer(tracing_subscriber::fmt::time::uptime()).with_target(false).try_init();
        tracing::debug!("askline {}", env!("CARGO_PKG_VERSION"));
    }
}
