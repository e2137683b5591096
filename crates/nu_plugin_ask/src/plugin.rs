//! The Nushell plugin: an entry point beside the command line, which returns suggestions and checks as structured
//! data.
//!
//! It runs inside the user's engine and asks that engine, never a new one, about the meaning of a Nushell line: so
//! the user's definitions, aliases and environment apply. The engine runs only the commands named in [`engine`]; a
//! line is passed to them as text.

mod ask;
mod check;
mod engine;
mod explain;
mod fix;
mod handshake;
mod keywords;
mod line;
mod look;
mod outcome;
mod preview;
mod value;
mod workplace;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::panic;
use std::process::ExitCode;

use nu_plugin::{DynamicCompletionCall, EngineInterface, EvaluatedCall, Plugin, PluginCommand};
use nu_protocol::engine::ArgType;
use nu_protocol::{Category, DynamicSuggestion, Example, LabeledError, PipelineData, Signature, SyntaxShape};

use askline_syntax::shell::{NU_PLUGIN_VERSIONS, Shell};
use nu_plugin_core::CommunicationMode;
use outcome::guarded;

/// Message for a user who starts the program.
const USAGE: &str = "this is askline's plugin, which Nushell starts; in nu run `plugin add (which nu_plugin_ask | get 0.path)`, then `plugin use ask`";

/// Runs the program.
pub(crate) fn run() -> ExitCode {
    // Errors are returned by the call; the terminal belongs to the user.
    panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let mode = match arguments.as_slice() {
        [version] if version == "--version" => {
            let (version, nushells) = (env!("CARGO_PKG_VERSION"), NU_PLUGIN_VERSIONS.join(" and "));
            return match writeln!(io::stdout().lock(), "nu_plugin_ask {version} for Nushell {nushells}") {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            };
        }
        [mode] if mode == "--stdio" => CommunicationMode::Stdio,
        [mode, socket] if mode == "--local-socket" => CommunicationMode::LocalSocket(socket.clone()),
        _ => return failed(USAGE),
    };
    match handshake::serve(&Ask, mode) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("{error:#}")),
    }
}

fn failed(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr().lock(), "askline: {why}");
    ExitCode::FAILURE
}

/// The plugin.
struct Ask;

impl Plugin for Ask {
    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn commands(&self) -> Vec<Box<dyn PluginCommand<Plugin = Self>>> {
        vec![
            Box::new(Command(ask::AskCommand)),
            Box::new(Command(check::Check)),
            Box::new(Command(explain::Explain)),
            Box::new(Command(fix::Fix)),
            Box::new(Command(preview::Preview)),
        ]
    }
}

/// The specific part of one plugin command. Common flags, panics and errors are handled in [`Command`].
trait PluginAction: Sync {
    const NAME: &str;
    const DESCRIPTION: &str;
    const EXTRA: &str;
    const SEARCH_TERMS: &[&str];

    /// Adds the command's own flags and arguments to a signature.
    fn signature(signature: Signature) -> Signature;

    /// Returns usage examples; the tests run them.
    fn examples() -> Vec<Example<'static>>;

    /// Answers a call.
    fn answer(call: &PluginCall<'_>, input: PipelineData) -> Result<PipelineData, LabeledError>;
}

/// A call of one of the plugin's commands.
struct PluginCall<'a> {
    engine: &'a EngineInterface,
    given: &'a EvaluatedCall,
    /// Shell that the lines are for.
    shell: Shell,
}

/// A command of the plugin as Nushell sees it.
struct Command<D>(D);

impl<D: PluginAction> PluginCommand for Command<D> {
    type Plugin = Ask;

    fn name(&self) -> &str {
        D::NAME
    }

    fn signature(&self) -> Signature {
        D::signature(Signature::build(D::NAME).category(Category::Shells)).named(
            "shell",
            SyntaxShape::String,
            "The shell that will read the line [default: nu]",
            Some('s'),
        )
    }

    fn description(&self) -> &str {
        D::DESCRIPTION
    }

    fn extra_description(&self) -> &str {
        D::EXTRA
    }

    fn search_terms(&self) -> Vec<&str> {
        D::SEARCH_TERMS.to_vec()
    }

    fn examples(&self) -> Vec<Example<'_>> {
        D::examples()
    }

    fn run(
        &self,
        _: &Ask,
        engine: &EngineInterface,
        given: &EvaluatedCall,
        input: PipelineData,
    ) -> Result<PipelineData, LabeledError> {
        guarded(given.head, || {
            let shell = given.get_flag::<String>("shell")?.map(|name| name.parse::<Shell>());
            let shell = shell.transpose().map_err(|error| {
                let place = given.get_flag_value("shell").map_or(given.head, |value| value.span());
                outcome::wrong(&error, place)
            })?;
            D::answer(&PluginCall { engine, given, shell: shell.unwrap_or(Shell::Nu) }, input)
        })
    }

    #[expect(deprecated, reason = "Nushell marks completions by plugins as experimental so")]
    fn get_dynamic_completion(
        &self,
        _: &Ask,
        _: &EngineInterface,
        _: DynamicCompletionCall,
        argument: ArgType<'_>,
        _: nu_protocol::engine::ExperimentalMarker,
    ) -> Option<Vec<DynamicSuggestion>> {
        let is_shell = matches!(argument, ArgType::Flag(name) if name == "shell");
        let suggestion = |shell: Shell| DynamicSuggestion {
            value: shell.name().to_owned(),
            description: Some(format!("a line for {shell}")),
            ..DynamicSuggestion::default()
        };
        is_shell.then(|| Shell::ALL.map(suggestion).into())
    }
}
