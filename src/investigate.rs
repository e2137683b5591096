//! Looks first, then suggests: an investigation ends in one command, which passes everything that a key press passes.
//!
//! A model on a server chooses its looks itself, turn by turn. For the embedded model, which is too small for that, rules
//! choose them from the words of the request, what they saw is the answer, and the model writes one draft after them; if the
//! configuration lets it choose, it sees few tools and a grammar binds its turns. Nothing is
//! executed but looks by a command that only reads, each in the sandbox and after the person pressed `y` for it.

mod conclusion;
mod quoted;
mod turns;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::anyhow;

use crate::config::{Chooser, Config, Investigate, ModelChoice};
use crate::environment::{self, Machine};
use crate::knowledge::Knowledge;
use crate::looks::{PathPolicy, ToolRunner};
use crate::sandboxed_line::{LOOK_PATIENCE, SandboxedLine};
use crate::shell_facts::ShellFacts;
use crate::suggest::{Request, suggest, system, wants_words};
use crate::suggestion::Suggestion;
use askline_agent::agent_definition::AgentDefinition;
use askline_agent::agent_loop::{AgentLoop, Finding, Host, Limits};
use askline_agent::aide::Aide;
use askline_agent::call::{Call, Observation};
use askline_agent::context::Exchange;
use askline_agent::event::AgentEvent;
use askline_agent::looks;
use askline_agent::plan::Plan;
use askline_agent::tool::{Permission, RUN, Registry, Tool};
use askline_host::find_on_path;
use askline_model::Model;
use askline_model::failure::Failure;
use askline_model::prompt::disclosure::{Audience, FactKind};
use askline_model::request_control::RequestControl;
use askline_risk::knows_command;
use askline_syntax::shell::Shell;
use conclusion::Conclusion;
use turns::{Bounds, Turns};

/// Window of the model in bytes: about 6,000 of 8,192 tokens, which leaves room for its turn. Every served model has so
/// many, and the embedded one makes room for them.
const WINDOW: usize = 18_000;
/// The same for a user's own model file, of which it is not known before it is loaded whether it has more than 4,096 tokens.
const OWN_FILE_WINDOW: usize = 9_000;
/// Maximum number of tools that the embedded model sees.
const EMBEDDED_TOOLS: usize = 6;
/// Maximum number of lines of each look that the draft gets.
const SEEN_LINES: usize = 12;
/// Share of the time that is left for the command after the looks.
const CONCLUDING: f64 = 0.25;
/// Maximum length of a line that a person is asked to run, in characters: it must be seen whole.
const RUN_CHARS_MAX: usize = 400;

/// The person in front of an investigation. By default the person only reads: answers nothing and allows nothing.
pub trait Person {
    /// Reports whether the person can answer.
    fn is_there(&self) -> bool {
        false
    }

    /// Asks a question; `None` without an answer.
    fn ask(&mut self, _question: &str, _control: &RequestControl) -> Option<String> {
        None
    }

    /// Asks to allow something.
    fn approve(&mut self, _what: &str, _control: &RequestControl) -> bool {
        false
    }

    /// Shows an event.
    fn tell(&mut self, event: &AgentEvent);

    /// Keeps a look for a later investigation.
    fn keep(&mut self, _made: &Exchange) {}
}

/// An ended investigation.
#[derive(Debug)]
pub struct Investigation {
    /// What was found, in words; empty if nothing was.
    pub answer: String,
    /// The looks, in order.
    pub evidence: Vec<Exchange>,
    /// The looks as steps of a plan.
    pub plan: Plan,
    /// A warning of a risky command in the words of the answer; askline has not checked that command.
    pub warning: Option<String>,
    /// The reason why the looking ended early.
    pub cut_short: Option<String>,
    /// The command, or the reason why there is none.
    pub suggestion: anyhow::Result<Suggestion>,
}

/// Returns the configuration for an investigation: its own time, calls for every look, and no server that may not see
/// what was seen.
///
/// # Errors
/// When the model is on a server that may not see it.
pub fn settings(config: &Config) -> Result<Config, Failure> {
    let is_served = |model: &ModelChoice| matches!(model, ModelChoice::Remote(_));
    // A second model is not asked; one on this machine stays loaded.
    let second = config.second.clone().filter(|(second, _)| !is_served(second));
    let mut config = Config { second, ..config.clone() };
    if !config.disclosure.allows(FactKind::Looks, Audience::Server) {
        if is_served(&config.model) {
            let remedy = "set `looks = \"all\"` in [context], or choose a local profile";
            return Err(Failure::Unavailable(format!("what is seen here is not sent to servers; {remedy}")));
        }
        let forms = std::mem::take(&mut config.fallback_forms);
        let local = std::mem::take(&mut config.fallback).into_iter().zip(forms);
        (config.fallback, config.fallback_forms) = local.filter(|(model, _)| !is_served(model)).unzip();
        config.aides.retain(|_, (model, _)| !is_served(model));
    }
    if chooser(&config) != Chooser::Model {
        config.aides.clear();
    }
    let Investigate { looks_max, local, served, .. } = config.investigate;
    let time = if is_served(&config.model) { served } else { local };
    config.deadline_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    // Each look takes one turn, and some turns bring none. An aide is asked at most once for each look.
    let asked = (2 + config.aides.len()) * looks_max;
    config.limits.calls = config.limits.calls.saturating_add(asked as u64);
    Ok(config)
}

/// Who investigates, and what is known from before.
#[expect(missing_debug_implementations, reason = "a model may hold a key")]
pub struct InvestigationInput<'a> {
    /// The agent.
    pub definition: &'a AgentDefinition,
    /// Looks of an earlier investigation that this one resumes.
    pub looks: Vec<Exchange>,
    /// What was asked and answered then.
    pub said: Vec<String>,
    /// Other models that plan, review and sum up.
    pub aides: BTreeMap<Aide, Box<dyn Model>>,
}

/// Reports whether commands may be asked for. A denied path is final, and a command line may read what lies around it: so none
/// runs where a path is denied.
fn may_run(asks_commands: bool, paths: &[(String, Permission)]) -> bool {
    asks_commands && !paths.iter().any(|(_, permission)| *permission == Permission::Deny)
}

/// Investigates a request.
///
/// `config` comes from [`settings`].
pub fn investigate(
    request: &Request<'_>,
    mut input: InvestigationInput<'_>,
    machine: &Machine,
    model: &mut dyn Model,
    config: &Config,
    person: &mut dyn Person,
    control: &RequestControl,
) -> Investigation {
    let words = &request.line.text;
    let environment = environment::gather(machine, request.shell, request.facts);
    let knowledge = Knowledge::new(machine, &environment, request.facts, config.help);
    let settings = &config.investigate;
    let may_run = may_run(settings.asks_commands, &settings.paths) && person.is_there();
    let is_offered = |tool: &Tool| is_offered(&tool.name, config) && (tool.name != RUN || may_run);
    let registry = Registry::built_in().only(is_offered);
    let registry = registry.limited(|tool| config.investigate.calls.get(tool).copied());
    let is_embedded = chooser(config) == Chooser::Model && matches!(config.model, ModelChoice::Local(_));
    let registry = match is_embedded {
        true => {
            looks::fitting(words, &registry.only(|tool| input.definition.has(&tool.name)), EMBEDDED_TOOLS)
        }
        false => registry,
    };
    let limits = Limits {
        calls: config.investigate.looks_max,
        time: Duration::from_millis(config.deadline_ms).mul_f64(1.0 - CONCLUDING),
        window: if config.model_file.is_some() { OWN_FILE_WINDOW } else { WINDOW },
    };
    let mut facts = vec![format!("system: {}, shell: {}", system(&environment), request.shell)];
    if audience(config) == Audience::Machine || config.disclosure.allows(FactKind::Cwd, Audience::Server) {
        let directory = environment.current_dir.as_deref().unwrap_or(Path::new(""));
        facts.push(format!("directory: {}", directory.display()));
    }
    let mut agent = AgentLoop::new(words, input.definition, registry.clone(), facts, limits);
    let policy = PathPolicy::of(machine.host.as_ref(), &config.investigate.paths);
    let around = (&environment, request.facts);
    let tool_runner = ToolRunner::new(machine, around, &knowledge, policy, &input.looks);
    agent.resume(std::mem::take(&mut input.looks), std::mem::take(&mut input.said));
    let mut host = InvestigationHost {
        tool_runner,
        host: machine.host.as_ref(),
        shell: request.shell,
        registry,
        settings: &config.investigate,
        person,
        control,
        started: Instant::now(),
    };
    let registry = host.registry.clone();
    let is_offered = |call: &Call| registry.tool(&call.name).is_some();
    let by_rules: Vec<Call> = looks::chosen(words).into_iter().filter(is_offered).collect();
    let finding = match chooser(config) {
        // A question about a command needs no look, only words.
        _ if wants_words(words) => Finding::default(),
        Chooser::Rules | Chooser::Auto => {
            let known =
                |made: &[Exchange]| looks::followups(words, made).into_iter().filter(is_offered).collect();
            agent.look(by_rules, &known, &mut host)
        }
        Chooser::Model => {
            let aides = &mut input.aides;
            let may_ask = host.person.is_there();
            let bounds = if is_embedded { Bounds::Grammar { may_ask } } else { Bounds::Free };
            agent.run(&mut Turns { model: &mut *model, aides, control, bounds }, &mut host)
        }
    };
    // A model that chose its looks and ended without a command line may have written one among its words, or none.
    let has_ended = chooser(config) == Chooser::Model && finding.cut_short.is_none();
    let words = has_ended.then(|| finding.answer.clone()).filter(|answer| !answer.is_empty());
    let written = finding.command.clone().or(words);
    let (evidence, plan) = (agent.looks().to_vec(), agent.plan.clone());
    let is_shown = chooser(config) == Chooser::Model || config.investigate.draft_sees;
    let seen = if is_shown { seen(&agent.context.exchanges) } else { Vec::new() };
    let request = Request { seen: &seen, ..*request };
    let suggestion = conclude(&request, written, machine, model, config, control);
    let is_command = |name: &str| knows_command(name) || find_on_path(machine.host.as_ref(), name).is_some();
    // The rules' answers are ours; the model's may be those of a file that it has read.
    let command = suggestion.as_ref().ok().map(|made| made.command.as_str());
    let warning = (chooser(config) == Chooser::Model)
        .then(|| quoted::warning(&finding.answer, &request.line.text, command, request.shell, &is_command))
        .flatten();
    Investigation {
        answer: finding.answer,
        evidence,
        plan,
        warning,
        cut_short: finding.cut_short,
        suggestion,
    }
}

/// Reports whether `[context]` lets every model that may be asked see what a tool shows.
fn is_offered(tool: &str, config: &Config) -> bool {
    let fact = match tool {
        "last_output" => FactKind::Output,
        "history_search" => FactKind::History,
        _ => return true,
    };
    config.disclosure.allows(fact, audience(config))
}

/// Returns who may be asked: a server if one of the models is on a server.
fn audience(config: &Config) -> Audience {
    let aides = config.aides.values().map(|(model, _)| model);
    let mut models = config.models().chain(aides);
    if models.any(ModelChoice::is_remote) { Audience::Server } else { Audience::Machine }
}

/// Returns the configuration under which the model of each aide is opened.
pub fn of_aides(config: &Config) -> impl Iterator<Item = (Aide, Config)> {
    config.aides.clone().into_iter().map(|(aide, (model, form))| {
        let (fallback, fallback_forms) = (Vec::new(), Vec::new());
        (aide, Config { model, form, fallback, fallback_forms, second: None, ..config.clone() })
    })
}

/// Returns who chooses the looks.
fn chooser(config: &Config) -> Chooser {
    match (config.investigate.choose, &config.model) {
        (Chooser::Auto, ModelChoice::Local(_)) => Chooser::Rules,
        (Chooser::Auto, _) => Chooser::Model,
        (chooser, _) => chooser,
    }
}

/// Returns the suggestion: the model's written answer, or else a draft of the model that has seen the looks, checked like any
/// answer to a key press.
fn conclude(
    request: &Request<'_>,
    written: Option<String>,
    machine: &Machine,
    model: &mut dyn Model,
    config: &Config,
    control: &RequestControl,
) -> anyhow::Result<Suggestion> {
    if let Some(failure) = control.spent(Instant::now()) {
        return Err(anyhow!(failure));
    }
    let mut model = Conclusion::new(written, model);
    suggest(request, machine, &mut model, config, control)
}

/// Returns what the looks showed, with a label for each: its first lines, names as paths from the current directory.
fn seen(exchanges: &[Exchange]) -> Vec<(&'static str, String)> {
    let sound = exchanges.iter().filter(|made| !made.observation.is_error);
    sound
        .map(|made| {
            let rows = looks::rows(made).into_iter().take(SEEN_LINES);
            let bare = |row: String| row.split_once(": ").map_or(row.clone(), |(_, text)| text.to_owned());
            let (label, first, rows): (_, _, Vec<String>) = match made.call.name.as_str() {
                "list_dir" | "find_files" | "disk_usage" => ("files", None, rows.collect()),
                "read_file" => ("lines of a file", made.call.text("path"), rows.map(bare).collect()),
                "git_state" => ("git", None, rows.collect()),
                _ => ("seen", Some(made.observation.headline.as_str()), rows.collect()),
            };
            (label, first.map(str::to_owned).into_iter().chain(rows).collect::<Vec<_>>().join("\n"))
        })
        .collect()
}

/// The host of the loop: the tools, the policy and the person.
struct InvestigationHost<'a> {
    tool_runner: ToolRunner<'a>,
    host: &'a dyn askline_host::Host,
    shell: Shell,
    registry: Registry,
    settings: &'a Investigate,
    person: &'a mut dyn Person,
    control: &'a RequestControl,
    started: Instant,
}

impl InvestigationHost<'_> {
    /// Runs a line in the sandbox if the list lets it pass and the person presses `y` for exactly this line.
    fn run(&mut self, tool: &Tool, call: &Call) -> Observation {
        let line = call.text("line").unwrap_or_default().trim_matches(' ');
        if RUN_CHARS_MAX < line.chars().count() {
            let why =
                format!("it is longer than {RUN_CHARS_MAX} characters, too long to be read at a glance");
            return Observation::failed(&format!("it is not run: {why}; write a shorter one"));
        }
        let line = SandboxedLine::new(line, self.shell, &ShellFacts::default(), self.host, LOOK_PATIENCE);
        let line = match line {
            Ok(line) => line,
            Err(why) => return Observation::failed(&format!("it is not run: {why}")),
        };
        let is_allowed = self.person.approve(&format!("run this look? {}", line.text()), self.control);
        self.person.tell(&AgentEvent::Approval(line.text().to_owned(), is_allowed));
        if !is_allowed {
            return Observation::failed("the person did not allow it; look elsewhere");
        }
        match line.run(self.host) {
            Ok(rows) => self.tool_runner.ran(&rows, tool.bytes_max),
            Err(why) => Observation::failed(&why),
        }
    }
}

impl Host for InvestigationHost<'_> {
    fn look(&mut self, call: &Call) -> Observation {
        let checked = self.registry.check(call).cloned();
        match checked.as_ref() {
            Ok(tool) if tool.name == RUN => self.run(tool, call),
            Ok(tool) => self.tool_runner.look(tool, call),
            Err(why) => Observation::failed(why),
        }
    }

    fn ask(&mut self, question: &str) -> Option<String> {
        self.person.ask(question, self.control)
    }

    fn approve(&mut self, what: &str) -> bool {
        self.person.approve(what, self.control)
    }

    fn permission(&self, call: &Call) -> Permission {
        let of_path = self.registry.tool(&call.name).map(|tool| self.tool_runner.permission(tool, call));
        let of_tool = self.settings.tools.get(&call.name).copied().unwrap_or_default();
        of_tool.max(of_path.unwrap_or_default())
    }

    fn tell(&mut self, event: &AgentEvent) {
        tracing::debug!("{event:?}");
        self.person.tell(event);
    }

    fn keep(&mut self, made: &Exchange) {
        self.person.keep(made);
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn is_interrupted(&self) -> bool {
        self.control.spent(Instant::now()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_runs_where_a_path_is_denied() {
        let of = |permission| [("~/letters".to_owned(), permission)];
        assert!(may_run(true, &[]) && may_run(true, &of(Permission::Ask)));
        assert!(!may_run(true, &of(Permission::Deny)) && !may_run(false, &[]));
    }
}
