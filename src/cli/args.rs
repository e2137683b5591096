//! Types of the command line arguments, for clap only.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Parser, Subcommand, ValueEnum};

use super::key::BoundKey;
use super::topics::TOPICS;
use askline_model::install::manifest::built_in_names;
use askline_syntax::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  askline suggest list files bigger than 10 MB    print a command
  eval \"$(askline init bash)\"                     bind ctrl-g in this bash
  askline model pull                              download the model";

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    no answer, or a problem was found; the reason is printed
  2    wrong usage, wrong configuration, or no usable model
  130  cancelled";

const CHECK_EXAMPLES: &str = "\
Examples:
  askline check -- 'ls --colour -la'
  askline check --shell fish -- 'echo $?'
  askline check --json --lines commands.txt
  askline check --diagnostics deploy.sh    for editors

Nothing is executed.";

const SUGGEST_EXAMPLES: &str = "\
Examples:
  askline suggest how much space is left on each disk
  askline suggest --shell nu --json -- the five largest files here
  echo list open ports | askline suggest
  askline suggest --lines requests.txt > commands.txt    one answer for each row

Nothing is executed.";

const INVESTIGATE_EXAMPLES: &str = "\
Examples:
  askline investigate why is this disk full
  askline investigate --json -- free port 8080

Nothing is executed.";

const MODEL_EXAMPLES: &str = "\
Examples:
  askline model list          the models, with size and memory
  askline model pull          download the model in use
  askline model use NAME      switch to another model
  ASKLINE_MODEL_FILE=my.gguf askline suggest list files    use your own file";

const PULL_EXAMPLES: &str = "\
Examples:
  askline model pull                                       the model in use
  askline model pull hf:OWNER/REPO/FILE.gguf               a file on Hugging Face
  askline model pull https://example.com/FILE.gguf --form chat
  askline model pull ./FILE.gguf                           a copy of a file of yours";

const FORGET_EXAMPLES: &str = "\
Examples:
  askline forget               list what is stored, then ask
  askline forget stats --yes   delete the statistics";

/// Turn plain English into the right command for this machine, ready to edit, never executed
#[derive(Debug, Parser)]
#[command(
    name = "askline",
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}")
)]
pub struct Cli {
    /// Print debug messages to stderr
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
    /// Look around with tools that only read, then print a command
    #[command(after_help = INVESTIGATE_EXAMPLES)]
    Investigate(Investigate),
    /// Check a line on this machine, without a model; exit 1 if something is wrong
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Explain each word of a line, from this machine's manuals
    Explain(Explain),
    /// Tell what a line would change on the disk, without running it; exit 1 if that is not known
    Preview(Preview),
    /// Set everything up: shells, model, a first request; or take it out again
    Setup(Setup),
    /// Print the script that binds the key in a shell
    Init(Init),
    /// List, download and choose the models that run on this machine
    #[command(after_help = MODEL_EXAMPLES)]
    Model(Model),
    /// Measure in about a minute what the installed models take here
    Bench(Bench),
    /// Show the configuration
    Config(Config),
    /// Show or stop the process that keeps the model loaded
    Daemon(Daemon),
    /// Check shells, keys, model, manuals, terminal and directories; exit 1 on a fault
    Doctor {
        /// Print one JSON array of {grade, subject, text, remedy}
        #[arg(long)]
        json: bool,
        /// Also send one small request to each model on a server that the key may use
        #[arg(long)]
        online: bool,
    },
    /// Show usage statistics: requests, times, tokens and today's use of the limits
    Stats(Stats),
    /// List, show and remove what investigations kept
    Sessions(Sessions),
    /// Delete statistics, sessions and caches, never models or configuration
    #[command(after_help = FORGET_EXAMPLES)]
    Forget(Forget),
    /// Serve check, explain, suggest and risk as tools on stdin and stdout (MCP), for agents
    Mcp,
    /// Print the completions of this program for a shell
    Completions {
        /// The shell
        #[arg(value_parser = shells())]
        shell: Shell,
    },
    /// Print this message, the help of a subcommand, or a text on config, keys, models or privacy
    Help {
        /// A topic, or a subcommand
        #[arg(value_name = "TOPIC", value_parser = HelpWord)]
        words: Vec<String>,
    },
    /// Print the man page of this program or of a subcommand
    #[command(hide = true)]
    Man {
        /// The subcommand
        words: Vec<String>,
    },
    /// Suggest commands for words that are being typed, for inline completion
    #[command(hide = true)]
    Inline(Inline),
    /// List the suggestions of the last key press, for the menu
    #[command(hide = true)]
    Offers(Offers),
    /// Find alternatives in the background, started by the key
    #[command(hide = true)]
    Prefetch,
    /// Rewrite a prompt line, for the key
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

/// A word after `askline help`: help and completions offer the topics and the subcommands.
#[derive(Clone)]
struct HelpWord;

impl TypedValueParser for HelpWord {
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
        Some(Box::new(TOPICS.iter().map(|topic| PossibleValue::new(topic.name))))
    }
}

/// `askline suggest`
#[derive(Debug, Args)]
pub struct Suggest {
    /// The shell of the command [default: your login shell]
    #[arg(long, value_name = "SHELL", value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Answer each line of FILE (- for stdin) with one line, empty if there is no answer; with --json one object per line
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub lines: Option<PathBuf>,
    /// Print the time of each stage to stderr
    #[arg(long)]
    pub timing: bool,
    /// Ask the model once: problems that the checks find are repaired or reported, without a second call
    #[arg(long)]
    pub no_refine: bool,
    /// Ask the model even if no single command seems to do what you want
    #[arg(long)]
    pub anyway: bool,
    /// Print the exact prompt for the model, without asking it
    #[arg(long)]
    pub show_request: bool,
    /// What you want, in your words; read from stdin if there are none
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
}

/// `askline investigate`
#[derive(Debug, Args)]
pub struct Investigate {
    /// The shell of the command [default: your login shell]
    #[arg(long, value_name = "SHELL", value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Who looks: look, admin (takes more looks and sees the environment), or one of [agents] in the configuration
    #[arg(long, value_name = "NAME", default_value = "look")]
    pub agent: String,
    /// Go on from this session, with what it saw
    #[arg(long, value_name = "ID")]
    pub resume: Option<String>,
    /// What you want, in your words; read from stdin if there are none
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
}

/// `askline check`
#[derive(Debug, Args)]
pub struct Check {
    /// The shell that will read the line [default: the shell that runs askline]
    #[arg(long, value_name = "SHELL", value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Check each line of FILE (- for stdin); with --json one object per line
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub lines: Option<PathBuf>,
    /// Check the script FILE (- for stdin) and print FILE:LINE:COLUMN: SEVERITY: MESSAGE for each finding
    #[arg(long, value_name = "FILE", conflicts_with_all = ["words", "lines", "json"])]
    pub diagnostics: Option<PathBuf>,
    /// Read the tool call of a coding agent (JSON) from stdin; exit 2, with the reason, if its line is Dangerous [shell: bash]
    #[arg(long, conflicts_with_all = ["words", "lines", "json", "diagnostics"])]
    pub hook: bool,
    /// The line, best quoted as one word
    #[arg(value_name = "LINE")]
    pub words: Vec<String>,
}

/// `askline explain`
#[derive(Debug, Args)]
pub struct Explain {
    /// The shell that will read the line [default: the shell that runs askline]
    #[arg(long, value_name = "SHELL", value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// The line, best quoted as one word
    #[arg(value_name = "LINE", required = true)]
    pub words: Vec<String>,
}

/// `askline preview`
#[derive(Debug, Args)]
pub struct Preview {
    /// The shell that will read the line [default: the shell that runs askline]
    #[arg(long, value_name = "SHELL", value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Run a line that only reads, in a sandbox that cannot write, and print its rows
    #[arg(long)]
    pub run: bool,
    /// The line, best quoted as one word
    #[arg(value_name = "LINE", required = true)]
    pub words: Vec<String>,
}

/// Value of an on/off option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes
    On,
    /// No
    Off,
}

/// `askline setup`
#[derive(Debug, Args)]
pub struct Setup {
    /// Don't ask: agree to all of it, but fetch no second model
    #[arg(long)]
    pub yes: bool,
    /// Take out what this command added to the start-up files
    #[arg(long, conflicts_with_all = ["yes", "shells", "no_model"])]
    pub uninstall: bool,
    /// Leave models alone, and try no request
    #[arg(long)]
    pub no_model: bool,
    /// The shell, or several [default: your login shell, and those that have a start-up file of yours]
    #[arg(long = "shell", value_name = "SHELL", value_parser = shells())]
    pub shells: Vec<Shell>,
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
    /// Bind the key even if something else is bound to it
    #[arg(long)]
    pub force: bool,
    /// The key that lists the suggestions with their risk; none binds no key [default: alt-g]
    #[arg(long, value_name = "KEY")]
    pub menu_key: Option<BoundKey>,
    /// The key that says above the line what the line does; none binds no key [default: alt-e]
    #[arg(long, value_name = "KEY")]
    pub explain_key: Option<BoundKey>,
    /// The key that says above the line what the line would change; none binds no key [default: alt-p]
    #[arg(long, value_name = "KEY")]
    pub preview_key: Option<BoundKey>,
    /// Complete words behind a # inline: in fish with tab, in zsh and Nushell (0.115 and newer) behind the cursor; not
    /// available in bash [default: on, in Nushell off]
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
    /// List the models with size, licence, memory and state
    List {
        /// Verify the checksums of the installed models; exit 1 if one is damaged
        #[arg(long)]
        check: bool,
    },
    /// Download a model, verify it and prepare it; also one from elsewhere
    #[command(after_help = PULL_EXAMPLES)]
    Pull {
        /// The model [default: the one in use], or hf:OWNER/REPO/FILE, an address or a file of your own
        #[arg(value_parser = ModelName)]
        name: Option<String>,
        /// Form of the prompts of a model from elsewhere [default: chat if its file has a chat template]
        #[arg(long)]
        form: Option<PromptForm>,
        /// SHA-256 that the file of a model from elsewhere must have
        #[arg(long, value_name = "HASH")]
        sha256: Option<String>,
    },
    /// Choose the model to use
    Use {
        /// The model; with --second also `none`
        #[arg(value_parser = ModelName)]
        name: String,
        /// Ask it as well where the one in use is unsure
        #[arg(long)]
        second: bool,
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

/// Form of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PromptForm {
    /// The model continues a list of solved requests
    Solved,
    /// The model answers a message
    Chat,
}

/// `askline bench`
#[derive(Debug, Args)]
pub struct Bench {
    /// Shell that the commands are for [default: the login shell]
    #[arg(long, value_parser = shells())]
    pub shell: Option<Shell>,
    /// Print one JSON object per model
    #[arg(long)]
    pub json: bool,
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
    /// The effective settings and the source of each
    Show,
    /// The path of the configuration file
    Path,
}

/// `askline inline`
#[derive(Debug, Args)]
pub struct Inline {
    /// The shell that calls askline
    #[arg(long, value_parser = shells())]
    pub shell: Shell,
    /// Answer the one row of the input and end
    #[arg(long)]
    pub once: bool,
    /// Store the answer for the key and its menu
    #[arg(long)]
    pub keep: bool,
}

/// `askline offers`
#[derive(Debug, Args)]
pub struct Offers {
    /// The shell that calls askline
    #[arg(long, value_parser = shells())]
    pub shell: Shell,
    /// Cursor position in bytes, at the end of the line; stdin may contain only the start of the line
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
    /// Number of days to sum up, including today
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=31))]
    pub days: u32,
}

/// `askline sessions`
#[derive(Debug, Args)]
pub struct Sessions {
    #[command(subcommand)]
    #[expect(missing_docs, reason = "clap would show the text")]
    pub command: SessionsCommand,
}

/// What `askline sessions` does.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions, the latest first
    List,
    /// Print the looks, requests and answers of a session
    Show {
        /// The session
        id: String,
    },
    /// Print all of a session as one JSON object
    Export {
        /// The session
        id: String,
    },
    /// Remove a session
    Rm {
        /// The session
        id: String,
    },
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
    /// The statistics that `askline stats` shows
    Stats,
    /// The sessions of investigations, and their audit log
    Sessions,
    /// Caches, and the last key press in each terminal
    Cache,
    /// All of these
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
    /// State, model and memory use of the process
    Status,
    /// Stop the process; the next key press starts it again
    Stop,
    /// Run as the process, started by a key press
    #[value(hide = true)]
    Run,
}

/// `askline line`
#[derive(Debug, Args)]
pub struct Line {
    /// The shell that calls askline
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
    /// Explain the line instead
    #[arg(long)]
    pub explain: bool,
    /// Tell what the line would change instead
    #[arg(long, conflicts_with = "explain")]
    pub preview: bool,
    /// List the suggestions of the last press instead
    #[arg(long, conflicts_with_all = ["explain", "preview"])]
    pub list: bool,
    /// Look around first: looks are shown meanwhile, and questions asked
    #[arg(long, conflicts_with_all = ["explain", "preview", "list"])]
    pub look: bool,
    /// Add a third part to the reply: where the cursor goes, in characters; empty for the end
    #[arg(long)]
    pub place: bool,
    /// Position of the status row
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
    /// Below, but on the cursor's own row at the bottom of the screen: for editors that paint at remembered rows and would
    /// be wrong on a scrolled screen
    BelowUnscrolled,
    /// Nowhere
    None,
}
