//! Client of the resident process, which keeps a model loaded: a key press need not load weights or compute the
//! prompt.
//!
//! That process is this same program (`askline daemon run`), started by the first key press. It computes the
//! model and nothing else: analysis of the request, checks and repair stay in the client. If anything about it
//! is unexpected, the client computes the model itself.

pub mod endpoint;
pub mod wire;

use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};

use self::endpoint::{Endpoint, identity};
use self::wire::{Ask, Event, Failed, Hello, ModelSpec, Operation, PROTOCOL, Question, Role, Status, Wire};
use super::{Further, Model, Reply, memory};
use crate::failure::Failure;
use crate::prompt::Prompt;
use crate::request_control::RequestControl;
use askline_host::{Host, local};

/// Maximum wait for the resident process's handshake, including its start.
const HELLO_WAIT: Duration = Duration::from_millis(150);
/// Maximum wait if there is no answer without the resident process.
const HELLO_WAIT_FORCED: Duration = Duration::from_secs(10);
/// Interval between attempts to connect to a newly started process.
const START_TICK: Duration = Duration::from_millis(5);
/// Maximum time without an event from a working process.
const SILENCE: Duration = Duration::from_secs(1);
/// Interval between checks of the request control.
const TICK: Duration = Duration::from_millis(10);
/// Maximum time to send a request.
const SEND_WAIT: Duration = Duration::from_secs(1);
/// Maximum time for the process to end after a stop request.
const END_WAIT: Duration = Duration::from_secs(2);

/// Message about a model that ended the resident process twice.
const DIED: &str = "the resident process died twice while it computed the model; fetch the model again with \
    `askline model pull`, or choose another one: `askline model list`";

/// Options of a request to the resident process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// `true` if a user waits. The process is then started if needed, and the request comes before all that are
    /// not urgent.
    pub urgent: bool,
    /// `true` if there is no answer without the process, so its start may take long.
    pub forced: bool,
    /// Idle time after which the process ends.
    pub idle: Duration,
    /// Role of the model.
    pub role: Role,
}

/// Model computed by the resident process.
#[expect(missing_debug_implementations, reason = "a model has no such form")]
pub struct Resident<H> {
    spec: ModelSpec,
    terms: Terms,
    host: H,
    /// Same model in this process, for use when the resident process fails; `None` if only the resident process
    /// may answer.
    local: Option<Box<dyn Model>>,
    /// `true` once the model in this process has taken over.
    is_local: bool,
    notes: Vec<String>,
}

/// Reason why the resident process gave no answer.
enum Trouble {
    /// Failure reported by the process, or cancelled by the user: the model in this process would not help.
    Reported(anyhow::Error),
    /// Something is wrong with the process.
    Odd(anyhow::Error),
    /// The process died while it worked.
    Died,
}

impl<H: Host> Resident<H> {
    /// Creates a client for the model `spec` with these options; `here` is the same model in this process.
    pub fn new(spec: ModelSpec, terms: Terms, host: H, local: Option<Box<dyn Model>>) -> Self {
        Self { spec, terms, host, local, is_local: false, notes: Vec::new() }
    }

    /// Asks the resident process; on trouble, asks the model in this process.
    fn ask<T>(
        &mut self,
        what: Operation,
        control: &RequestControl,
        accept: impl FnOnce(Vec<Reply>) -> anyhow::Result<T>,
        ask_local: impl FnOnce(&mut dyn Model) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        if !self.is_local {
            let mut asked = self.ask_there(what.clone(), control);
            if matches!(asked, Err(Trouble::Died)) {
                // Somebody may have killed it.
                asked = self.ask_there(what, control);
            }
            match asked {
                Ok((replies, notes)) => {
                    self.notes = notes;
                    return accept(replies);
                }
                Err(Trouble::Reported(error)) => return Err(error),
                // It would probably end this process too.
                Err(Trouble::Died) => return Err(Failure::Unavailable(DIED.to_owned()).into()),
                Err(Trouble::Odd(why)) => self.fall_back(&why)?,
            }
        }
        ask_local(self.local.as_mut().context("only asked where there is one")?.as_mut())
    }

    fn ask_there(
        &self,
        what: Operation,
        control: &RequestControl,
    ) -> Result<(Vec<Reply>, Vec<String>), Trouble> {
        let spec = self.spec.current().context("the model's file no longer exists").map_err(Trouble::Odd)?;
        let mut wire = reach(&self.host, self.terms).map_err(Trouble::Odd)?;
        let Terms { urgent, idle, role, .. } = self.terms;
        let question = Question::Ask(Box::new(Ask { spec, what, urgent, idle, role }));
        let sent = wire.send(&question, Instant::now() + SEND_WAIT);
        sent.map_err(|error| Trouble::Odd(error.into()))?;
        listen(&mut wire, urgent, control)
    }

    /// Switches to the model in this process, if there is one and memory suffices.
    fn fall_back(&mut self, why: &anyhow::Error) -> anyhow::Result<()> {
        tracing::debug!("the resident process does not answer: {why:#}");
        if self.local.is_none() {
            return Err(Failure::Unavailable(format!("the resident process does not answer: {why:#}")).into());
        }
        if let ModelSpec::Local { name, memory, .. } = &self.spec
            && let Some(shortage) = memory::shortage(&self.host, name, *memory)
        {
            return Err(shortage.into());
        }
        self.is_local = true;
        Ok(())
    }
}

impl<H: Host> Model for Resident<H> {
    fn source(&self) -> String {
        match &self.spec {
            ModelSpec::Local { name, adapter: Some(adapter), .. } => {
                format!("local:{name}+{}", adapter.name())
            }
            ModelSpec::Local { name, .. } => format!("local:{name}"),
            ModelSpec::Scripted { file, .. } => format!("scripted:{}", file.display()),
        }
    }

    fn complete(
        &mut self,
        prompt: &Prompt,
        max_tokens: usize,
        control: &RequestControl,
    ) -> anyhow::Result<Reply> {
        self.ask(
            Operation::Complete { prompt: prompt.clone(), max_tokens },
            control,
            |replies| replies.into_iter().next().context("the resident process gave no answer"),
            |local| local.complete(prompt, max_tokens, control),
        )
    }

    fn keeps_alternatives(&self) -> bool {
        // A script may have no alternatives; that is known only after asking.
        !self.is_local || self.local.as_ref().is_some_and(|local| local.keeps_alternatives())
    }

    fn alternatives(
        &mut self,
        prompt: &Prompt,
        further: Further,
        control: &RequestControl,
    ) -> anyhow::Result<Vec<Reply>> {
        if self.is_local {
            let local = self.local.as_mut().context("only asked where there is one")?;
            return local.alternatives(prompt, further, control);
        }
        match self.ask_there(Operation::Others { prompt: prompt.clone(), further }, control) {
            Ok((replies, _)) => Ok(replies),
            Err(Trouble::Reported(error)) => Err(error),
            // The model in this process has not seen this prompt, and alternatives are optional.
            Err(Trouble::Odd(why)) => {
                tracing::debug!("no alternatives: {why:#}");
                Ok(Vec::new())
            }
            Err(Trouble::Died) => {
                tracing::debug!("no alternatives: the resident process died");
                Ok(Vec::new())
            }
        }
    }

    fn prepare(&mut self, fixed: &str, control: &RequestControl) -> anyhow::Result<()> {
        self.ask(
            Operation::Prepare { fixed: fixed.to_owned() },
            control,
            |_| Ok(()),
            |local| local.prepare(fixed, control),
        )
    }

    fn rest(&mut self) {
        self.local.iter_mut().for_each(|local| local.rest());
    }

    fn notes(&self) -> Vec<String> {
        match &self.local {
            Some(local) if self.is_local => local.notes(),
            _ => self.notes.clone(),
        }
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        match &mut self.local {
            Some(local) if self.is_local => local.finish(),
            _ => Ok(()),
        }
    }
}

impl ModelSpec {
    /// Returns the spec with the current identity of its file.
    fn current(&self) -> std::io::Result<Self> {
        let mut current = self.clone();
        match &mut current {
            Self::Local { file, identity: known, .. } | Self::Scripted { file, identity: known } => {
                *known = identity(file)?;
            }
        }
        Ok(current)
    }
}

/// Returns the handshake and the status of the resident process; `None` if there is none.
///
/// # Errors
///
/// If it doesn't answer, or its path belongs to something else.
pub fn status(host: &dyn Host) -> anyhow::Result<Option<(Hello, Status)>> {
    let Some((mut wire, hello)) = greet(&Endpoint::find(host)?, Instant::now() + END_WAIT)? else {
        return Ok(None);
    };
    wire.send(&Question::Status, Instant::now() + SEND_WAIT)?;
    match wire.receive(Instant::now() + END_WAIT)? {
        Some(Event::Status(status)) => Ok(Some((hello, *status))),
        _ => bail!("process {} does not report its status; run `kill {}`", hello.pid, hello.pid),
    }
}

/// Ends the resident process at once, whatever its version; returns `false` if there was none.
///
/// # Errors
///
/// As [`status`], and if it does not end.
pub fn stop(host: &dyn Host) -> anyhow::Result<bool> {
    let Some((mut wire, hello)) = greet(&Endpoint::find(host)?, Instant::now() + END_WAIT)? else {
        return Ok(false);
    };
    wire.send(&Question::Stop { finish: false }, Instant::now() + SEND_WAIT)?;
    let until = Instant::now() + END_WAIT;
    loop {
        match wire.receive::<Event>(until) {
            Ok(Some(_)) => {}
            Ok(None) => bail!("process {} doesn't end; run `kill -9 {}`", hello.pid, hello.pid),
            // The process closes the connection when it ends.
            Err(_) => return Ok(true),
        }
    }
}

/// Connects to a resident process that runs this same program.
fn reach(host: &dyn Host, terms: Terms) -> anyhow::Result<Wire> {
    let endpoint = Endpoint::find(host)?;
    let program = identity(&local::own_program()?)?;
    let until = Instant::now() + if terms.forced { HELLO_WAIT_FORCED } else { HELLO_WAIT };
    let mut is_started = false;
    loop {
        if let Some((mut wire, hello)) = greet(&endpoint, until)? {
            if hello.protocol == PROTOCOL && hello.program == program {
                return Ok(wire);
            }
            // Upgrade: clients that wait for the old process still get their answers.
            wire.send(&Question::Stop { finish: true }, until)?;
        }
        if !terms.urgent {
            bail!("no resident process is running");
        }
        if !is_started {
            host.start_resident()?;
            is_started = true;
        }
        if until <= Instant::now() {
            bail!("it has not started in time");
        }
        thread::sleep(START_TICK);
    }
}

/// Connects and exchanges handshakes; `None` if nothing listens.
fn greet(endpoint: &Endpoint, until: Instant) -> anyhow::Result<Option<(Wire, Hello)>> {
    let Some(stream) = endpoint.enter()? else { return Ok(None) };
    let pid = endpoint::process(&stream);
    let mut wire = Wire::new(stream)?;
    let greeted = wire.send(&hello()?, until).and_then(|()| wire.receive::<Hello>(until));
    match greeted {
        Ok(Some(hello)) => Ok(Some((wire, hello))),
        Ok(None) => match pid {
            Some(pid) => {
                bail!(
                    "process {pid} did not answer the handshake in time; if it never does, run `kill -9 {pid}`"
                )
            }
            None => bail!("it did not answer the handshake in time"),
        },
        // The process was about to end.
        Err(error) if is_closed(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Reports whether the other side closed the connection.
fn is_closed(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

/// Returns the handshake message of this process.
///
/// # Errors
///
/// If its program file is gone.
pub fn hello() -> anyhow::Result<Hello> {
    Ok(Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        program: identity(&local::own_program()?)?,
    })
}

/// Waits for the final event of a request and passes stages and drafts on to the request control.
fn listen(
    wire: &mut Wire,
    urgent: bool,
    control: &RequestControl,
) -> Result<(Vec<Reply>, Vec<String>), Trouble> {
    let mut last_event_at = Instant::now();
    loop {
        if let Some(failure) = control.spent(Instant::now()) {
            // Dropping the connection stops the computation.
            return Err(Trouble::Reported(failure.into()));
        }
        let event = wire.receive(Instant::now() + TICK).map_err(|error| match is_closed(&error) {
            true => Trouble::Died,
            false => Trouble::Odd(error.into()),
        })?;
        let Some(event) = event else {
            if SILENCE < last_event_at.elapsed() {
                return Err(Trouble::Odd(anyhow!("it stopped responding")));
            }
            continue;
        };
        last_event_at = Instant::now();
        match event {
            Event::Beat => {}
            Event::Stage(stage) => control.enter(stage, last_event_at),
            Event::Left(left) => control.expect(left, last_event_at),
            Event::Draft(draft) => control.write(&draft),
            Event::Replies(replies, notes) => return Ok((replies, notes)),
            Event::Failed(Failed { failure: Some(failure), .. }) => {
                return Err(Trouble::Reported(failure.into()));
            }
            Event::Failed(Failed { text, .. }) => return Err(Trouble::Reported(anyhow!(text))),
            Event::Busy => {
                let why = "askline is busy with other requests; try again".to_owned();
                return Err(Trouble::Reported(Failure::Unavailable(why).into()));
            }
            Event::Dropped if !urgent => {
                let why = "a more urgent request came".to_owned();
                return Err(Trouble::Reported(Failure::Unavailable(why).into()));
            }
            Event::Unable(why) => return Err(Trouble::Odd(anyhow!(why))),
            other @ (Event::Dropped | Event::Broken | Event::Ending | Event::Status(_)) => {
                return Err(Trouble::Odd(anyhow!("it answered {other:?}")));
            }
        }
    }
}
