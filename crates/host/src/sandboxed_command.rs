//! A command line for the sandbox: it writes nothing that lasts, and may read only the places that it names.

use std::path::PathBuf;
use std::time::Duration;

use askline_syntax::shell::Shell;

/// Maximum number of bytes kept of each output stream; more ends the line.
pub const OUTPUT_BYTES_MAX: usize = 64 << 10;

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// A shell that reads the line.
    Shell(Shell),
    /// The program of the line's only command, with its arguments and no shell. It may connect to services on this machine.
    Service(Vec<String>),
}

/// A command line that passed `askline_risk::allow` and that a person pressed a key for.
#[derive(Debug, Clone)]
pub struct SandboxedCommand {
    /// The line.
    pub line: String,
    /// What it starts.
    pub start: Start,
    /// Directory in which it runs.
    pub directory: PathBuf,
    /// Files and directories that it may read, as full paths without links.
    pub places: Vec<PathBuf>,
    /// Reports whether a path below them must stay hidden; in the home directory it begins with `~`.
    pub is_secret: fn(&str) -> bool,
    /// `true` if it may read `/proc` and `/sys`, but not the environment and the memory of processes outside.
    pub sees_system: bool,
    /// Directory above which git looks for no repository; everywhere if `None`.
    pub git_ceiling: Option<PathBuf>,
    /// `true` if it may ask the kernel about the network.
    pub asks_kernel: bool,
    /// Time limit, after which it and all its children are killed.
    pub patience: Duration,
}

/// What it printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// `true` if it ended by itself with status 0.
    pub success: bool,
    /// `true` if it was ended because of its limits in time or output, and there may be more.
    pub is_cut: bool,
    /// Standard output, truncated at [`OUTPUT_BYTES_MAX`].
    pub stdout: Vec<u8>,
    /// Standard error, truncated likewise.
    pub stderr: Vec<u8>,
}
