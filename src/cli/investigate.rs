//! `askline investigate`: looks around with tools that only read, and then prints one command, which it does not run.
//!
//! The object of `--json` is that of `askline suggest --json` with `answer` (what was found, in words), `evidence` (the looks:
//! `tool`, `parameters`, `seen` in one line, `text`, `failed`), `steps` (`what`, `state`, `result`), `warning` (of a risky command
//! in the words of the answer, or null), `cut_short` (the reason why the looking ended early, or null) and `session` (its name, or
//! null if it is not kept). These names are a stable interface.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::QueueSelector;
use serde_json::{Value, json};

use super::args;
use super::interrupts::Interrupts;
use super::rows::rows;
use super::suggest::{object, show_suggestion};
use super::{AppContext, Exit, complain, exit_of, one_line, print, print_message};
use crate::audit::Audit;
use crate::config::Config;
use crate::investigate::{Inquiry, Investigation, Person, investigate, of_reviewer, settings};
use crate::metrics::{Outcome, UsageStore};
use crate::models::{self, Purpose};
use crate::sessions::{Session, Sessions};
use crate::shell_facts::ShellFacts;
use crate::suggest::Request;
use askline_agent::context::Exchange;
use askline_agent::event::AgentEvent;
use askline_agent::soul::Soul;
use askline_host::store::Lock;
use askline_model::failure::{Failure, UsageError};
use askline_model::request_control::RequestControl;
use askline_syntax::clean::visible;
use askline_syntax::line::PromptLine;
use askline_syntax::shell::Shell;

/// Message if no request is given.
const NO_REQUEST: &str = "no request; say what you want, such as `askline investigate why is this disk full`";
/// Before a question in the model's words, which what was seen may have put into its mouth.
pub(super) const MODEL_ASKS: &str = "the model asks: ";
/// Polling interval while a person answers.
const TICK: Duration = Duration::from_millis(100);
/// Maximum length of a typed answer in bytes.
const ANSWER_MAX: usize = 4 << 10;

pub(super) fn run(args: &args::Investigate, app: &AppContext) -> anyhow::Result<Exit> {
    let shell = args.shell.unwrap_or_else(|| app.login_shell());
    let config = app.config()?;
    let soul = config.agents.get(&args.agent).or_else(|| Soul::named(&args.agent)).ok_or_else(|| {
        let mut names: Vec<&str> = Soul::names().collect();
        names.extend(config.agents.keys().map(String::as_str));
        UsageError(format!("there is no agent `{}`; use one of {}", one_line(&args.agent), names.join(", ")))
    })?;
    let config = settings(&config)?;
    let mut exit = Exit::Done;
    for row in rows(&args.words, None, NO_REQUEST)? {
        let line = PromptLine::typed(row?.text?);
        exit = one(&line, shell, soul, args, &config, app)?;
    }
    Ok(exit)
}

/// Investigates one request and shows the result.
fn one(
    line: &PromptLine,
    shell: Shell,
    soul: &Soul,
    args: &args::Investigate,
    config: &Config,
    app: &AppContext,
) -> anyhow::Result<Exit> {
    let mut model = models::open(config, &app.host, &app.paths, Purpose::Press)?;
    let interrupts = Interrupts::listen();
    let control = RequestControl::until(Instant::now() + config.deadline());
    let mut journal = Journal::open(args.resume.as_deref(), config, app)?;
    let reviewer = of_reviewer(config).map(|own| models::open(&own, &app.host, &app.paths, Purpose::Press));
    let (looks, said) = (journal.session.looks.clone(), journal.session.facts());
    let inquiry = Inquiry { soul, looks, said, reviewer: reviewer.transpose()? };
    journal.ask(&line.text);
    let mut terminal = Terminal { is_shown: io::stderr().is_terminal(), journal };
    let (found, control) = interrupts.during(control, |control| {
        let request = Request { line, shell, facts: &ShellFacts::default(), before: None, seen: &[] };
        let found =
            investigate(&request, inquiry, &app.machine, model.as_mut(), config, &mut terminal, control);
        if let Some(usage_store) = app.usage_store() {
            usage_store.record(control, Outcome::of(&found.suggestion));
        }
        found
    });
    let exit = found.suggestion.as_ref().map_or_else(exit_of, |_| Exit::Done);
    let session = terminal.journal.close(&found);
    if args.json {
        let mut shown = object(&line.text, shell, &found.suggestion, &control.usage().total());
        if let Value::Object(fields) = &mut shown {
            fields.extend(findings(&found));
            fields.insert("session".to_owned(), json!(session));
        }
        print(&format!("{shown}\n"))?;
    } else {
        show(&found)?;
        if let Some(session) = session.filter(|_| terminal.is_shown) {
            print_message(&format!("session {session}"));
        }
    }
    interrupts.obey();
    app.machine.settle();
    model.finish()?;
    Ok(exit)
}

/// Prints the command, and what was found as messages.
fn show(found: &Investigation) -> anyhow::Result<()> {
    if !found.answer.is_empty() {
        print_message(&one_line(&found.answer));
    }
    if let Some(warning) = &found.warning {
        print_message(&one_line(warning));
    }
    if let Some(why) = &found.cut_short {
        print_message(&format!("ended early: {}", one_line(why)));
    }
    match &found.suggestion {
        Ok(suggestion) => {
            print(&format!("{}\n", suggestion.command))?;
            show_suggestion("", suggestion);
        }
        Err(error) if error.downcast_ref() == Some(&Failure::Cancelled) => {}
        Err(error) => complain("", error),
    }
    Ok(())
}

/// Returns the fields beside those of a suggestion.
fn findings(found: &Investigation) -> serde_json::Map<String, Value> {
    let evidence = |made: &Exchange| {
        json!({
            "tool": made.call.name,
            "parameters": made.call.parameters,
            "seen": made.observation.headline,
            "text": made.observation.text,
            "failed": made.observation.is_error,
        })
    };
    let fields = [
        ("answer", json!(visible(&found.answer))),
        ("evidence", found.evidence.iter().map(evidence).collect()),
        ("steps", json!(found.plan.steps)),
        ("warning", json!(found.warning)),
        ("cut_short", json!(found.cut_short)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The person at the terminal, if there is one.
struct Terminal {
    is_shown: bool,
    journal: Journal,
}

/// The session of an investigation and the record of its looks. The session is written only if the configuration keeps
/// sessions, or if it is resumed, and the record only if the configuration says so.
pub(super) struct Journal {
    session: Session,
    kept: Option<(Sessions, Lock)>,
    audit: Audit,
    usage_store: Option<UsageStore>,
}

impl Journal {
    /// Opens a session, or begins one.
    pub(super) fn open(resumed: Option<&str>, config: &Config, app: &AppContext) -> anyhow::Result<Self> {
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

    /// Notes an event.
    pub(super) fn note(&mut self, event: &AgentEvent) {
        if let Err(error) = self.audit.note(event) {
            complain("not written to the audit log: ", &error);
        }
    }

    /// Adds a request.
    pub(super) fn ask(&mut self, words: &str) {
        self.session.ask(words);
    }

    /// Adds a look.
    pub(super) fn look(&mut self, made: &Exchange) {
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

impl Terminal {
    /// Shows a dim line.
    fn dim(&self, text: &str) {
        if self.is_shown {
            let _ = writeln!(io::stderr().lock(), "\u{1b}[2m{}\u{1b}[0m", one_line(text));
        }
    }

    /// Returns what is typed after a question; `None` if there is nobody, or nothing is.
    fn answer_to(&self, question: &str, control: &RequestControl) -> Option<String> {
        if !self.is_there() {
            return None;
        }
        // A key typed before the question is no answer to it.
        let _ = rustix::termios::tcflush(io::stdin(), QueueSelector::IFlush);
        print_message(&one_line(question));
        typed_line(control).filter(|answer| !answer.is_empty())
    }
}

impl Person for Terminal {
    fn is_there(&self) -> bool {
        self.is_shown && io::stdin().is_terminal()
    }

    fn ask(&mut self, question: &str, control: &RequestControl) -> Option<String> {
        self.answer_to(&format!("{MODEL_ASKS}{question}"), control)
    }

    fn approve(&mut self, what: &str, control: &RequestControl) -> bool {
        let answer = self.answer_to(&format!("{what} [y/N]"), control);
        answer.is_some_and(|answer| answer.eq_ignore_ascii_case("y"))
    }

    fn keep(&mut self, made: &Exchange) {
        self.journal.look(made);
    }

    fn tell(&mut self, event: &AgentEvent) {
        self.journal.note(event);
        if let Some(row) = progress(event) {
            self.dim(&row);
        }
    }
}

/// Returns the row that shows an event, if it is shown.
pub(super) fn progress(event: &AgentEvent) -> Option<String> {
    let row = match event {
        AgentEvent::Thought(thought) => format!("the model thinks: {thought}"),
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

/// Reads a line from the terminal; `None` if the request ends first.
fn typed_line(control: &RequestControl) -> Option<String> {
    let mut line = Vec::new();
    let tick = Timespec::try_from(TICK).ok()?;
    loop {
        let stdin = io::stdin();
        let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
        if control.spent(Instant::now()).is_some() || ANSWER_MAX < line.len() {
            return None;
        }
        if !poll(&mut polled, Some(&tick)).is_ok_and(|ready| 0 < ready) {
            continue;
        }
        let mut byte = [0];
        match rustix::io::read(&stdin, &mut byte) {
            Ok(1) if byte != *b"\n" => line.extend(byte),
            Ok(_) => return Some(String::from_utf8_lossy(&line).trim().to_owned()),
            Err(_) => return None,
        }
    }
}
