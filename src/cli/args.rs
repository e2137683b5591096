//! Types of the command line arguments, for clap only.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Parser, Subcommand, ValueEnum};

use super::key::BoundKey;
use askline_model::install::manifest::built_in_names;
use askline_syntax::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  askline suggest list files bigger than 10 MB    print a command
  eval \"$(askline init bash)\"                     bind ctrl-g in this bash
  askline model pull                              fetch the model";

const EXIT_CODES: &str = "\
Exit codes:
  0    an answer, or done
  1    no answer, or a fault was found; the reason is shown
  2    wrong usage or configuration, or no model that can be asked
  130  cancelled";

const CHECK_EXAMPLES: &str = "\
Examples:
  askline check -- 'ls --colour -la'
  askline check --shell fish -- 'echo $?'
  askline check --json --lines commands.txt

Nothing is executed.";

const SUGGEST_EXAMPLES: &str = "\
Examples:
  askline suggest how much space is left on each disk
  askline suggest --shell nu --json -- the five largest files here
  echo list open ports | askline suggest
  askline suggest --lines requests.txt > commands.txt    one row for each row

Nothing is executed.";

const MODEL_EXAMPLES: &str = "\
Examples:
  askline model list          what there is, and what it takes
  askline model pull          fetch the one in use
  askline model use NAME      use another from now on
  ASKLINE_MODEL_FILE=my.gguf askline suggest list files    use a file of your own";

const FORGET_EXAMPLES: &str = "\
Examples:
  askline forget               say what there is, and ask
  askline forget stats --yes   delete the figures";

/// Turn plain English into the right command for this machine, ready to edit, never executed
#[derive(Debug, Parser)]
#[command(
    name = "askline",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub struct Cli {
    /// Print what happens to stderr
    #[arg(long, global = true)]
    pub debug: bool,

    #[command(subcommand)]
    #[expect(missing_docs, reason = "clap would show the text")]
    pub command: Command,
}

/// The subcommands, most used first.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print a command for a request
    #[command(after_help = SUGGEST_EXAMPLES)]
    Suggest(Suggest),
    /// Look a line up on this machine, without a model; exit 1 when something is wrong
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Say what each word of a line does, from this machine's manuals
    Explain(Explain),
    /// Print the script that binds the key in a shell
    Init(Init),
    /// List, fetch and choose the models that run on this machine
    #[command(after_help = MODEL_EXAMPLES)]
    Model(Model),
    /// Show the configuration
    Config(Config),
    /// Show or end the process that keeps the model at hand
    Daemon(Daemon),
    /// Check shells, keys, model, manuals, terminal and directories; exit 1 on a fault
    Doctor {
        /// Print one JSON array of {grade, subject, text, remedy}
        #[arg(long)]
        json: bool,
        /// Also ask the models on servers that the key would ask, one small request each
        #[arg(long)]
        online: bool,
    },
    /// Show what was asked, what it took, and how much of today's limits is used
    Stats(Stats),
    /// Delete what was remembered: figures and caches, never models or configuration
    #[command(after_help = FORGET_EXAMPLES)]
    Forget(Forget),
    /// Print the completions of this program for a shell
    Completions {
        /// The shell
        #[arg(value_parser = shells())]
        shell: Shell,
    },
    /// Suggest for words that are being typed: the helper behind inline completion
    #[command(hide = true)]
    Inline(Inline),
    /// List what the key offered: the helper behind the menu
    #[command(hide = true)]
    Offers(Offers),
    /// Look for other suggestions: what the key leaves behind
    #[command(hide = true)]
    Ahead,
    /// Rewrite a prompt line: the helper behind the key
    #[command(hide = true)]
    Line(Line),
}

/// The names of our shells, listed for help and completions; `nushell` is taken as `nu`.
fn shells() -> impl TypedValueParser<Value = Shell> {
    let name = |shell: Shell| PossibleValue::new(shell.name()).aliases(shell.dialect().aliases);
    PossibleValuesParser::new(Shell::ALL.map(name)).try_map(|name| name.parse::<Shell>())
}

/// The name of a model: help and completions offer the built-in ones, a list of one's own may have others.
#[derive(Clone)]
struct ModelName;

impl TypedValueParser for ModelName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(built_in_names().iter().map(|name| PossibleValue::new(name.as_str()))))
    }
}

/// `askline suggest`
#[derive(Debug, Args)]
pub struct Suggest {
    /// The shell to write for [default: the one you log in with]
    #[arg(long, value_name = "SHELL", value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Answer each line of FILE (- for stdin) on a line, empty where there is none; with --json one object per line
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub lines: Option<PathBuf>,
    /// Print the time of each stage to stderr
    #[arg(long)]
    pub timing: bool,
    /// Ask the model once: what the checks find is mended or told, never asked about again
    #[arg(long)]
    pub no_refine: bool,
    /// Print the exact text a model would get, and ask none
    #[arg(long)]
    pub show_request: bool,
    /// What you want, in your words; without them it is read from stdin
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
}

/// `askline check`
#[derive(Debug, Args)]
pub struct Check {
    /// The shell that will read the line [default: the one this runs in]
    #[arg(long, value_name = "SHELL", value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Check each line of FILE (- for stdin); with --json one object per line
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub lines: Option<PathBuf>,
    /// The line, best quoted as one word
    #[arg(value_name = "LINE")]
    pub words: Vec<String>,
}

/// `askline explain`
#[derive(Debug, Args)]
pub struct Explain {
    /// The shell that will read the line [default: the one this runs in]
    #[arg(long, value_name = "SHELL", value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// The line, best quoted as one word
    #[arg(value_name = "LINE", required = true)]
    pub words: Vec<String>,
}

/// Whether something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes
    On,
    /// No
    Off,
}

/// `askline init`
#[derive(Debug, Args)]
pub struct Init {
    /// The shell
    #[arg(value_parser = shells())]
    pub shell: Shell,
    /// The key that rewrites the line, such as ctrl-g, alt-a or f5; none binds no key
    #[arg(long, value_name = "KEY", default_value = "ctrl-g")]
    pub key: BoundKey,
    /// Take the key even when something else is bound to it
    #[arg(long)]
    pub force: bool,
    /// The key that lists the suggestions, in Nushell alone; none binds no key [default: alt-g]
    #[arg(long, value_name = "KEY")]
    pub menu_key: Option<BoundKey>,
    /// Complete words behind a # inline: fish with tab, zsh and Nushell (0.115 and newer) behind the cursor; in bash there
    /// is no such thing [default: on, in Nushell off]
    #[arg(long, value_name = "WHEN", value_enum)]
    pub inline: Option<Switch>,
}

/// `askline model`
#[derive(Debug, Args)]
pub struct Model {
    #[command(subcommand)]
    #[expect(missing_docs, reason = "clap would show the text")]
    pub command: ModelCommand,
}

/// The subcommands of `askline model`.
#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// List the models: size, licence, memory, which is installed and in use
    List {
        /// Read every byte of the installed ones; exit 1 when one is damaged
        #[arg(long)]
        check: bool,
    },
    /// Fetch a model, check it and make it ready
    Pull {
        /// The model [default: the one in use]
        #[arg(value_parser = ModelName)]
        name: Option<String>,
    },
    /// Use a model from now on
    Use {
        /// The model
        #[arg(value_parser = ModelName)]
        name: String,
    },
    /// Print the path of a model's file
    Path {
        /// The model [default: the one in use]
        #[arg(value_parser = ModelName)]
        name: Option<String>,
    },
    /// Remove a model's file
    Rm {
        /// The model
        #[arg(value_parser = ModelName)]
        name: String,
    },
}

/// `askline config`
#[derive(Debug, Args)]
pub struct Config {
    /// What to print
    #[arg(value_enum, default_value_t = ConfigCommand::Show)]
    pub command: ConfigCommand,
}

/// What `askline config` prints.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ConfigCommand {
    /// The settings in force and where each comes from
    Show,
    /// The path of the configuration file
    Path,
}

/// `askline inline`
#[derive(Debug, Args)]
pub struct Inline {
    /// The shell that asks
    #[arg(long, value_parser = shells())]
    pub shell: Shell,
    /// Answer the one row of the input and end
    #[arg(long)]
    pub once: bool,
    /// Remember the answer, so that the key and its menu have it at hand
    #[arg(long)]
    pub keep: bool,
}

/// `askline offers`
#[derive(Debug, Args)]
pub struct Offers {
    /// The shell that asks
    #[arg(long, value_parser = shells())]
    pub shell: Shell,
    /// Where the cursor is, bytes from the start: at the end of the line, of which stdin may hold the start
    #[arg(long)]
    pub bytes: usize,
    /// Columns of the terminal
    #[arg(long, default_value_t = 80)]
    pub columns: usize,
}

/// `askline stats`
#[derive(Debug, Args)]
pub struct Stats {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// How many days to sum up, today's among them
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=31))]
    pub days: u32,
}

/// `askline forget`
#[derive(Debug, Args)]
pub struct Forget {
    /// What to forget
    #[arg(value_enum, default_value_t = Memory::All)]
    pub what: Memory,
    /// Don't ask
    #[arg(long)]
    pub yes: bool,
}

/// What can be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Memory {
    /// The figures that `askline stats` shows
    Stats,
    /// What was looked up and computed, and what the key did last in each terminal
    Cache,
    /// Both
    All,
}

/// `askline daemon`
#[derive(Debug, Args)]
pub struct Daemon {
    /// What to do
    #[arg(value_enum, default_value_t = DaemonCommand::Status)]
    pub command: DaemonCommand,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What `askline daemon` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DaemonCommand {
    /// Whether it runs, with which model, and what it takes
    Status,
    /// End it; the next press starts it again
    Stop,
    /// Become it: what a press does
    #[value(hide = true)]
    Run,
}

/// `askline line`
#[derive(Debug, Args)]
pub struct Line {
    /// The shell that asks
    #[arg(long, value_parser = shells())]
    pub shell: Shell,
    /// The cursor, in characters from the start
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    pub cursor: usize,
    /// The shell's name for the key map in use
    #[arg(long, default_value = "")]
    pub keymap: String,
    /// Exit status of the last command
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub status: i64,
    /// Where the status row goes
    #[arg(long, value_enum, default_value_t = Draw::Below)]
    pub draw: Draw,
}

/// Where `askline line` draws its status row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Draw {
    /// On the row of the cursor, which the shell has blanked
    Here,
    /// On the row below the cursor
    Below,
    /// Likewise, but at the bottom of the screen on the cursor's own row: for editors that paint at remembered rows, which
    /// a scrolled screen would mislead
    BelowUnscrolled,
    /// Nowhere
    None,
}
