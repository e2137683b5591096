//! The session of an investigation and the record of its looks. The session is written only if the configuration keeps
//! sessions, or if it is resumed, and the record only if the configuration says so.

use std::time::SystemTime;

use crate::audit::Audit;
use crate::cli::{AppContext, complain};
use crate::config::Config;
use crate::investigate::{Investigation, Person};
use crate::metrics::UsageStore;
use crate::sessions::{Session, Sessions};
use askline_agent::context::Exchange;
use askline_agent::event::AgentEvent;
use askline_host::Host;
use askline_host::store::Lock;
use askline_model::request_control::RequestControl;

/// The session and the record.
pub(super) struct Journal {
    pub(super) session: Session,
    kept: Option<(Sessions, Lock)>,
    audit: Audit,
    usage_store: Option<UsageStore>,
}

impl Journal {
    /// Opens a session, or begins one.
    pub(super) fn open<H: Host + Clone + 'static>(
        resumed: Option<&str>,
        config: &Config,
        app: &AppContext<H>,
    ) -> anyhow::Result<Self> {
        let sessions = Sessions::new(app.paths.sessions.clone());
        let session = match resumed {
            Some(id) => sessions.open(id)?,
            None => Session::begin(SystemTime::now()),
        };
        let is_kept = resumed.is_some() || config.investigate.keeps_sessions;
        let kept = if is_kept { Some((sessions.clone(), sessions.lock(&session.id)?)) } else { None };
        let audit =
            Audit::new(&session.id, config.investigate.audits.then_some(app.paths.sessions.as_path()));
        Ok(Self { session, kept, audit, usage_store: app.usage_store() })
    }

    fn note(&mut self, event: &AgentEvent) {
        if let Err(error) = self.audit.note(event) {
            complain("not written to the audit log: ", &error);
        }
    }

    fn look(&mut self, made: &Exchange) {
        self.session.look(made);
        self.save();
    }

    fn save(&mut self) {
        if let Some((sessions, _)) = &self.kept
            && let Err(error) = sessions.save(&mut self.session, SystemTime::now())
        {
            complain("the session is not kept: ", &error);
        }
    }

    /// Adds the answer, and the looks to the statistics. Returns the name of the session if it is kept.
    pub(super) fn close(&mut self, found: &Investigation) -> Option<String> {
        if let Some(usage_store) = &self.usage_store {
            usage_store.record_looks(&self.audit.looked);
        }
        if let Some(last) = self.session.requests.last_mut() {
            last.answer.clone_from(&found.answer);
            last.command = found.suggestion.as_ref().ok().map(|made| made.command.as_str().to_owned());
        }
        self.save();
        self.kept.as_ref().map(|_| self.session.id.clone())
    }
}

/// A person, and a journal that notes what they are told.
pub(super) struct JournaledPerson<'a> {
    pub(super) journal: &'a mut Journal,
    pub(super) person: &'a mut dyn Person,
}

impl Person for JournaledPerson<'_> {
    fn is_there(&self) -> bool {
        self.person.is_there()
    }

    fn ask(&mut self, question: &str, control: &RequestControl) -> Option<String> {
        self.person.ask(question, control)
    }

    fn approve(&mut self, what: &str, control: &RequestControl) -> bool {
        self.person.approve(what, control)
    }

    fn tell(&mut self, event: &AgentEvent) {
        self.journal.note(event);
        self.person.tell(event);
    }

    fn keep(&mut self, made: &Exchange) {
        self.journal.look(made);
    }
}
