//! An investigation as its front ends begin and show it: `askline investigate`, `ask --look` and Nushell's plugin.
//!
//! The object of an ended one is that of `askline suggest --json` with `answer` (what was found, in words), `evidence` (the
//! looks: `tool`, `parameters`, `seen` in one line, `text`, `failed`), `plan` (the steps that a planner proposed, in words), `steps` (`what`, `state`, `result`), `warning` (of a
//! risky command in the words of the answer, or null), `cut_short` (the reason why the looking ended early, or null) and `session` (its name, or null if it is not kept). An event has `event` (its
//! kind), `text` (the same for people, in one line) and `data`. These names are a stable interface.

mod journal;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use self::journal::{Journal, JournaledPerson};
use super::suggest;
use super::{AppContext, one_line};
use crate::config::{Config, Evidence};
use crate::environment::Machine;
use crate::investigate::{Investigation, InvestigationInput, Person, investigate, of_aides, settings};
use crate::models::{self, Purpose};
use crate::shell_facts::ShellFacts;
use crate::suggest::Request;
use askline_agent::agent_definition::AgentDefinition;
use askline_agent::aide::Aide;
use askline_agent::context::Exchange;
use askline_agent::event::AgentEvent;
use askline_host::Host;
use askline_model::Model;
use askline_model::failure::UsageError;
use askline_model::request_control::RequestControl;
use askline_model::usage::Tally;
use askline_syntax::clean::visible;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;

/// Before a question in the model's words, which what was seen may have put into its mouth.
pub(super) const MODEL_ASKS: &str = "the model asks: ";
/// The agent that investigates unless another is named.
pub const AGENT: &str = "look";

/// An investigation that is ready to begin.
#[expect(missing_debug_implementations, reason = "a model may hold a key")]
pub struct InvestigationSession {
    line: PromptLine,
    shell: Shell,
    facts: ShellFacts,
    definition: AgentDefinition,
    config: Config,
    machine: Machine,
    model: Box<dyn Model>,
    aides: BTreeMap<Aide, Box<dyn Model>>,
    journal: Journal,
}

/// An ended investigation.
#[derive(Debug)]
pub struct InvestigationResult {
    /// What was found.
    pub found: Investigation,
    /// Name of the session, if it is kept.
    pub session: Option<String>,
    /// An error if there is a suggestion, and replies of a script were not used.
    pub finished: anyhow::Result<()>,
}

impl InvestigationSession {
    /// Prepares the investigation of the words on a line by the agent of this name; `resumed` is the session that it goes on
    /// from.
    ///
    /// # Errors
    /// When the configuration is wrong or lets the model see nothing, or there is no such agent, session or script.
    pub fn open<H: Host + Clone + 'static>(
        app: &AppContext<H>,
        (line, shell, facts): (PromptLine, Shell, ShellFacts),
        agent: &str,
        resumed: Option<&str>,
    ) -> anyhow::Result<Self> {
        let config = app.config()?;
        let definition =
            config.agents.get(agent).or_else(|| AgentDefinition::named(agent)).cloned().ok_or_else(|| {
                let mut names: Vec<&str> = AgentDefinition::names().collect();
                names.extend(config.agents.keys().map(String::as_str));
                UsageError(format!(
                    "there is no agent `{}`; use one of {}",
                    one_line(agent),
                    names.join(", ")
                ))
            })?;
        let config = settings(&config)?;
        let open = |config: &Config| models::open(config, &app.host, &app.paths, Purpose::Look);
        let model = open(&config)?;
        let aides = of_aides(&config).map(|(aide, own)| Ok((aide, open(&own)?)));
        let aides = aides.collect::<anyhow::Result<_>>()?;
        let journal = Journal::open(resumed, &config, app)?;
        let machine = app.machine.clone();
        Ok(Self { line, shell, facts, definition, config, machine, model, aides, journal })
    }

    /// Returns the time that it may take.
    pub fn deadline(&self) -> Duration {
        self.config.deadline()
    }

    /// Returns which evidence a suggestion is shown with.
    pub(super) fn evidence(&self) -> Evidence {
        self.config.evidence
    }

    /// Investigates.
    pub fn run(mut self, person: &mut dyn Person, control: &RequestControl) -> InvestigationResult {
        let (looks, said) = (self.journal.session.looks.clone(), self.journal.session.facts());
        self.journal.session.ask(&self.line.text);
        let aides = std::mem::take(&mut self.aides);
        let input = InvestigationInput { definition: &self.definition, looks, said, aides };
        // What the looks found is worth an answer.
        let request = Request { insists: true, ..Request::new(&self.line, self.shell, &self.facts) };
        let mut person = JournaledPerson { journal: &mut self.journal, person };
        let model = self.model.as_mut();
        let found = investigate(&request, input, &self.machine, model, &self.config, &mut person, control);
        let finished = self.model.finish();
        let finished = if found.suggestion.is_ok() { finished } else { Ok(()) };
        InvestigationResult { session: self.journal.close(&found), found, finished }
    }
}

/// Returns the JSON object of an ended investigation.
pub fn object(words: &str, shell: Shell, ended: &InvestigationResult, spent: &Tally) -> Value {
    let InvestigationResult { found, session, .. } = ended;
    let evidence = |made: &Exchange| {
        json!({
            "tool": visible(&made.call.name),
            "parameters": shown(&Value::Object(made.call.parameters.clone())),
            "seen": made.observation.headline,
            "text": made.observation.text,
            "failed": made.observation.is_error,
        })
    };
    let mut object = suggest::object(words, shell, &found.suggestion, spent);
    if let Value::Object(fields) = &mut object {
        let own = [
            ("answer", json!(visible(&found.answer))),
            ("evidence", found.evidence.iter().map(evidence).collect()),
            ("plan", json!(found.plan.proposed)),
            ("steps", json!(found.plan.steps)),
            ("warning", json!(found.warning)),
            ("cut_short", json!(found.cut_short.as_deref().map(visible))),
            ("session", json!(session)),
        ];
        fields.extend(own.map(|(name, value)| (name.to_owned(), value)));
    }
    object
}

/// Returns the JSON object of an event. `data` of a `plan` has its steps, of a `tool_call` has `tool` and `parameters`, of an `observation` `text`, `failed`
/// and `is_cut`, of an `approval` whether it was given, of `progress` the share that is done; else it is null.
pub fn event(event: &AgentEvent) -> Value {
    let (name, text, data) = match event {
        AgentEvent::Thought(thought) => ("thought", thought.clone(), Value::Null),
        AgentEvent::Plan(steps) => ("plan", steps.join("; "), json!(steps)),
        AgentEvent::ToolCall(call) => {
            let parameters = shown(&Value::Object(call.parameters.clone()));
            let data = json!({ "tool": visible(&call.name), "parameters": parameters });
            ("tool_call", call.signature(), data)
        }
        AgentEvent::Observation(seen) => {
            let data = json!({ "text": seen.text, "failed": seen.is_error, "is_cut": seen.is_cut });
            ("observation", seen.headline.clone(), data)
        }
        AgentEvent::Warning(why) => ("warning", why.clone(), Value::Null),
        AgentEvent::Question(question) => ("question", question.clone(), Value::Null),
        AgentEvent::Approval(what, is_allowed) => ("approval", what.clone(), json!(is_allowed)),
        AgentEvent::Progress(share) => ("progress", format!("{:.0} %", share * 100.0), json!(share)),
        AgentEvent::Final(answer) => ("final", answer.clone(), Value::Null),
    };
    json!({ "event": name, "text": one_line(&text), "data": data })
}

/// Returns the row that shows an event to people, if it is shown.
pub(super) fn progress(event: &AgentEvent) -> Option<String> {
    let row = match event {
        AgentEvent::Thought(thought) => format!("the model thinks: {thought}"),
        AgentEvent::Plan(steps) => format!("the planner proposes: {}", steps.join("; ")),
        AgentEvent::ToolCall(call) => format!("· {}", call.signature()),
        AgentEvent::Observation(seen) => format!("  {}", seen.headline),
        AgentEvent::Warning(why) => format!("! {why}"),
        AgentEvent::Question(_)
        | AgentEvent::Approval(..)
        | AgentEvent::Progress(_)
        | AgentEvent::Final(_) => {
            return None;
        }
    };
    Some(one_line(&row))
}

/// Returns a value that a model wrote with all its texts safe to show. Parsing has bounded its depth.
fn shown(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible(text)),
        Value::Array(values) => values.iter().map(shown).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (visible(name), shown(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use askline_agent::call::{Call, Observation};

    #[test]
    fn an_event_is_safe_to_show() {
        let parameters = json!({"p\u{1b}": ["a\u{1b}[31m", 1]}).as_object().unwrap().clone();
        let seen = Observation { is_cut: true, ..Observation::failed("no\u{202e}w") };
        for (told, name, text) in [
            (AgentEvent::Thought("a\nb\u{1b}".into()), "thought", "a b\\u{1b}"),
            (AgentEvent::ToolCall(Call { name: "x".into(), parameters }), "tool_call", "x p"),
            (AgentEvent::Observation(seen), "observation", "no\\u{202e}w"),
            (AgentEvent::Plan(vec!["sizes".into(), "files".into()]), "plan", "sizes; files"),
            (AgentEvent::Approval("x".into(), true), "approval", "x"),
            (AgentEvent::Progress(0.5), "progress", "50 %"),
            (AgentEvent::Final("done".into()), "final", "done"),
        ] {
            let object = event(&told);
            assert_eq!(object["event"], name, "{object}");
            assert!(object["text"].as_str().unwrap().starts_with(text), "{object}");
            let whole = object["data"].to_string();
            assert!(!whole.contains("\\u001b") && !whole.contains('\u{202e}'), "{whole}");
        }
        let data = |told: &AgentEvent| event(told)["data"].clone();
        assert_eq!(data(&AgentEvent::Approval("x".into(), true)), true);
        assert_eq!(data(&AgentEvent::Progress(0.5)), 0.5);
        let failed = data(&AgentEvent::Observation(Observation::failed("no")));
        assert_eq!(failed, json!({"text": "no", "failed": true, "is_cut": false}));
    }
}
