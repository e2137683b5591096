//! Everything that a call needs: the machine as the engine sees it, the settings, and the deadline.

use std::sync::Arc;
use std::time::Instant;

use askline::cli::investigation::{AGENT, InvestigationSession};
use askline::cli::preview::Foreseen;
use askline::cli::{AppContext, check, explain, preview, suggest};
use askline::config::Config;
use askline::environment;
use askline::examine::{Examined, Examiner};
use askline::fix::Failed;
use askline::knowledge::Knowledge;
use askline::metrics::Outcome;
use askline::models::{self, Purpose};
use askline::path_facts::PathFacts;
use askline::shell_facts::ShellFacts;
use askline::suggest::{Request, alternatives, suggest as suggest_for};
use askline::suggestion::Suggestion;
use askline_check::explain::explain as parts_of;
use askline_model::Model;
use askline_model::request_control::RequestControl;
use askline_model::usage::Tally;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;
use nu_plugin::EngineInterface;
use nu_protocol::{HandlerGuard, LabeledError, ShellError};
use serde_json::Value as Json;

use super::PluginCall;
use super::engine::EngineHost;
use super::outcome::no_answer;

/// The shared data of a call. Cheap to share with a thread.
#[derive(Clone)]
pub(super) struct Workplace {
    pub(super) app: Arc<AppContext<EngineHost>>,
    pub(super) config: Arc<Config>,
    pub(super) shell: Shell,
    facts: Arc<ShellFacts>,
    /// `true` if a line is wanted even where no single command seems to do what is asked.
    insists: bool,
}

impl Workplace {
    /// Collects the data from the engine. `failed` is the last command and its exit status, for a request that corrects it.
    pub(super) fn open(call: &PluginCall<'_>, failed: Option<Failed>) -> Result<Self, LabeledError> {
        let host = EngineHost::new(call.engine, call.given.head)?;
        // The user's names belong to Nushell only.
        let mut facts = if call.shell.is_nushell() { host.shell_facts() } else { ShellFacts::default() };
        if let Some(Failed { command, status, .. }) = failed {
            (facts.history, facts.status) = (vec![command], Some(status));
        }
        let at_head = |error: anyhow::Error| no_answer(&error, call.given.head);
        let app = AppContext::of(host).map_err(at_head)?;
        let config = app.config().map_err(at_head)?;
        let (app, config, facts) = (Arc::new(app), Arc::new(config), Arc::new(facts));
        Ok(Self { app, config, shell: call.shell, facts, insists: call.given.has_flag("anyway")? })
    }

    /// Returns a control with the configured deadline, counted from now.
    pub(super) fn control(&self) -> RequestControl {
        RequestControl::until(Instant::now() + self.config.deadline())
    }

    /// Returns a control for requests after the answer: a new deadline, with the same usage limits of the call.
    pub(super) fn patience_after(&self, first: &RequestControl) -> RequestControl {
        first.next_part(Instant::now() + self.config.deadline())
    }

    /// Opens the configured model.
    ///
    /// # Errors
    /// When a script cannot be read.
    pub(super) fn model(&self) -> anyhow::Result<Box<dyn Model>> {
        models::open(&self.config, &self.app.host, &self.app.paths, Purpose::Press)
    }

    /// Returns the suggestion for a request.
    ///
    /// # Errors
    /// As [`suggest_for`].
    pub(super) fn suggest(
        &self,
        words: &str,
        model: &mut dyn Model,
        control: &RequestControl,
    ) -> anyhow::Result<Suggestion> {
        let line = PromptLine::typed(words);
        let suggestion = suggest_for(&self.request(&line), &self.app.machine, model, &self.config, control);
        self.app.machine.settle();
        self.count(control, Outcome::of(&suggestion));
        suggestion
    }

    /// Returns suggestions other than `known`, best first.
    ///
    /// # Errors
    /// As [`alternatives`].
    pub(super) fn alternatives(
        &self,
        words: &str,
        known: &Suggestion,
        model: &mut dyn Model,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Suggestion>> {
        let line = PromptLine::typed(words);
        let known = [known.command.as_str().to_owned()];
        let request = self.request(&line);
        let found = alternatives(&request, &known, &self.app.machine, model, &self.config, control);
        self.count(control, Outcome::of(&found));
        found
    }

    /// Prepares an investigation of a request.
    ///
    /// # Errors
    /// As [`InvestigationSession::open`].
    pub(super) fn case(&self, words: &str) -> anyhow::Result<InvestigationSession> {
        let subject = (PromptLine::typed(words), self.shell, ShellFacts::clone(&self.facts));
        InvestigationSession::open(&self.app, subject, AGENT, None)
    }

    /// Adds a request to the statistics.
    pub(super) fn count(&self, control: &RequestControl, outcome: Outcome) {
        self.app.usage_store().into_iter().for_each(|usage_store| usage_store.record(control, outcome));
    }

    fn request<'a>(&'a self, line: &'a PromptLine) -> Request<'a> {
        Request { insists: self.insists, ..Request::new(line, self.shell, &self.facts) }
    }

    /// Returns a suggestion as JSON.
    pub(super) fn suggested(&self, words: &str, suggestion: Suggestion) -> Json {
        suggest::object(words, self.shell, &Ok(suggestion), &Tally::default())
    }

    /// Checks a line; returns the result, and the same as JSON.
    pub(super) fn check(&self, line: &str) -> (Examined, Json) {
        self.looking(|examiner| {
            let examined = examiner.examine(line);
            let risk = examiner.risk(&examined.line, None, &PathFacts::new(self.app.machine.host.as_ref()));
            let object = check::object(&examined, &risk);
            (examined, object)
        })
    }

    /// Returns the parts of a line with their explanations, as JSON.
    pub(super) fn explain(&self, line: &str) -> Json {
        self.looking(|examiner| explain::objects(line, &parts_of(&examiner.parse(line), examiner.knowledge)))
    }

    /// Returns what a line would change, as JSON. `runs` is the person's wish to run exactly this line if it only reads.
    pub(super) fn preview(&self, line: &str, runs: bool) -> Json {
        let found = Foreseen::of(line, self.shell, &self.facts, &self.app.machine, runs);
        self.app.machine.settle();
        preview::object(line, self.shell, &found)
    }

    fn looking<T>(&self, look: impl FnOnce(&Examiner<'_>) -> T) -> T {
        let environment = environment::gather(&self.app.machine, self.shell, &self.facts);
        let knowledge = Knowledge::new(&self.app.machine, &environment, &self.facts, self.config.help);
        let seen = look(&Examiner { shell: self.shell, knowledge: &knowledge });
        knowledge.remember();
        seen
    }
}

/// Cancels the request when the user presses Ctrl-C, as long as the guard exists.
///
/// # Errors
/// When Nushell does not accept the handler.
pub(super) fn cancelled_by_signals(
    engine: &EngineInterface,
    control: &RequestControl,
) -> Result<HandlerGuard, ShellError> {
    let control = control.clone();
    engine.register_signal_handler(Box::new(move |_| control.cancel()))
}
