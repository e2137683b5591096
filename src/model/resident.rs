//! A model that another process of this user keeps at hand, so that a press waits for neither weights nor prompt.
//!
//! That process is this very program (`askline daemon run`), started by the first press. It computes the model and nothing
//! else: what a request is about, checks and repair stay here. Where anything about it is odd, the model is computed here as
//! if there were none.

pub mod door;
pub mod wire;

use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};

use self::door::{Door, identity};
use self::wire::{Ask, Event, Failed, Hello, PROTOCOL, Question, Spec, Status, What, Wire};
use super::{Further, Model, Reply, memory};
use crate::failure::Failure;
use crate::host::{Host, local};
use crate::patience::Patience;
use crate::prompt::Prompt;

/// How long the resident process may take to say hello, and to start where there is none.
const HELLO_WAIT: Duration = Duration::from_millis(150);
/// The same where there is no answer without it.
const HELLO_WAIT_FORCED: Duration = Duration::from_secs(10);
/// How often a process that was just started is looked for.
const START_TICK: Duration = Duration::from_millis(5);
/// Longest silence of a process that works.
const SILENCE: Duration = Duration::from_secs(1);
/// How often a person's patience is looked at meanwhile.
const TICK: Duration = Duration::from_millis(10);
/// How long a question may take to be taken.
const SEND_WAIT: Duration = Duration::from_secs(1);
/// How long a process may take to end that was told to.
const END_WAIT: Duration = Duration::from_secs(2);

/// How the resident process is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Somebody waits. Then it is started where there is none, and its answer comes before all that nobody waits for.
    pub urgent: bool,
    /// There is no answer without it, so its start may take long.
    pub forced: bool,
    /// After how long without a question it ends.
    pub idle: Duration,
}

/// A model asked through the resident process.
#[expect(missing_debug_implementations, reason = "a model has no such form")]
pub struct Resident<H> {
    spec: Spec,
    terms: Terms,
    host: H,
    /// Asked where the resident process can't be; none where it alone may answer.
    here: Option<Box<dyn Model>>,
    /// It is asked from now on.
    is_here: bool,
    notes: Vec<String>,
}

/// Why the resident process gave no answer.
enum Trouble {
    /// It said why, or the person gave up: there is none elsewhere either.
    Told(anyhow::Error),
    /// Something is wrong with it.
    Odd(anyhow::Error),
}

impl<H: Host> Resident<H> {
    /// The model `spec`, asked on these terms; `here` is the same model in this process.
    pub fn new(spec: Spec, terms: Terms, host: H, here: Option<Box<dyn Model>>) -> Self {
        Self { spec, terms, host, here, is_here: false, notes: Vec::new() }
    }

    /// Asks the resident process, or the model in this process where that can't be.
    fn ask<T>(
        &mut self,
        what: What,
        patience: &Patience,
        told: impl FnOnce(Vec<Reply>) -> anyhow::Result<T>,
        asked_here: impl FnOnce(&mut dyn Model) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        if !self.is_here {
            match self.ask_there(what, patience) {
                Ok((replies, notes)) => {
                    self.notes = notes;
                    return told(replies);
                }
                Err(Trouble::Told(error)) => return Err(error),
                Err(Trouble::Odd(why)) => self.turn_here(&why)?,
            }
        }
        asked_here(self.here.as_mut().context("only asked where there is one")?.as_mut())
    }

    fn ask_there(&self, what: What, patience: &Patience) -> Result<(Vec<Reply>, Vec<String>), Trouble> {
        let spec = self.spec.current().context("the model's file is gone").map_err(Trouble::Odd)?;
        let mut wire = reach(&self.host, self.terms).map_err(Trouble::Odd)?;
        let Terms { urgent, idle, .. } = self.terms;
        let question = Question::Ask(Box::new(Ask { spec, what, urgent, idle }));
        let sent = wire.send(&question, Instant::now() + SEND_WAIT);
        sent.map_err(|error| Trouble::Odd(error.into()))?;
        listen(&mut wire, urgent, patience)
    }

    /// From now on the model in this process answers, if there is one and memory for it.
    fn turn_here(&mut self, why: &anyhow::Error) -> anyhow::Result<()> {
        tracing::debug!("the resident process does not answer: {why:#}");
        if self.here.is_none() {
            return Err(Failure::Unavailable(format!("the resident process does not answer: {why:#}")).into());
        }
        if let Spec::Local { name, memory, .. } = &self.spec
            && let Some(shortage) = memory::shortage(&self.host, name, *memory)
        {
            return Err(shortage.into());
        }
        self.is_here = true;
        Ok(())
    }
}

impl<H: Host> Model for Resident<H> {
    fn source(&self) -> String {
        match &self.spec {
            Spec::Local { name, .. } => format!("local:{name}"),
            Spec::Scripted { file, .. } => format!("scripted:{}", file.display()),
        }
    }

    fn complete(&mut self, prompt: &Prompt, max_tokens: usize, patience: &Patience) -> anyhow::Result<Reply> {
        self.ask(
            What::Complete { prompt: prompt.clone(), max_tokens },
            patience,
            |replies| replies.into_iter().next().context("the resident process answered with nothing"),
            |here| here.complete(prompt, max_tokens, patience),
        )
    }

    fn keeps_others(&self) -> bool {
        // A script may have none, which is known when it is asked.
        !self.is_here || self.here.as_ref().is_some_and(|here| here.keeps_others())
    }

    fn others(
        &mut self,
        prompt: &Prompt,
        further: Further,
        patience: &Patience,
    ) -> anyhow::Result<Vec<Reply>> {
        if self.is_here {
            let here = self.here.as_mut().context("only asked where there is one")?;
            return here.others(prompt, further, patience);
        }
        match self.ask_there(What::Others { prompt: prompt.clone(), further }, patience) {
            Ok((replies, _)) => Ok(replies),
            Err(Trouble::Told(error)) => Err(error),
            // The model in this process has not been asked this prompt; the answer that is there is enough.
            Err(Trouble::Odd(why)) => {
                tracing::debug!("no further answers: {why:#}");
                Ok(Vec::new())
            }
        }
    }

    fn prepare(&mut self, fixed: &str, patience: &Patience) -> anyhow::Result<()> {
        self.ask(
            What::Prepare { fixed: fixed.to_owned() },
            patience,
            |_| Ok(()),
            |here| here.prepare(fixed, patience),
        )
    }

    fn rest(&mut self) {
        self.here.iter_mut().for_each(|here| here.rest());
    }

    fn notes(&self) -> Vec<String> {
        match &self.here {
            Some(here) if self.is_here => here.notes(),
            _ => self.notes.clone(),
        }
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        match &mut self.here {
            Some(here) if self.is_here => here.finish(),
            _ => Ok(()),
        }
    }
}

impl Spec {
    /// With its file as it is now.
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

/// How the resident process is, with what it says of itself; none where there is none.
///
/// # Errors
/// When it doesn't answer, or what stands in its place is not ours.
pub fn status(host: &dyn Host) -> anyhow::Result<Option<(Hello, Status)>> {
    let Some((mut wire, hello)) = greet(&Door::find(host)?, Instant::now() + END_WAIT)? else {
        return Ok(None);
    };
    wire.send(&Question::Status, Instant::now() + SEND_WAIT)?;
    match wire.receive(Instant::now() + END_WAIT)? {
        Some(Event::Status(status)) => Ok(Some((hello, *status))),
        _ => bail!("process {} doesn't say how it is; run `kill {}`", hello.pid, hello.pid),
    }
}

/// Ends the resident process at once, whatever its version; false where there was none.
///
/// # Errors
/// As [`status`], and when it does not end.
pub fn stop(host: &dyn Host) -> anyhow::Result<bool> {
    let Some((mut wire, hello)) = greet(&Door::find(host)?, Instant::now() + END_WAIT)? else {
        return Ok(false);
    };
    wire.send(&Question::Stop { finish: false }, Instant::now() + SEND_WAIT)?;
    let until = Instant::now() + END_WAIT;
    loop {
        match wire.receive::<Event>(until) {
            Ok(Some(_)) => {}
            Ok(None) => bail!("process {} doesn't end; run `kill -9 {}`", hello.pid, hello.pid),
            // Its side is closed when it is gone.
            Err(_) => return Ok(true),
        }
    }
}

/// A connection to a resident process that runs this very program.
fn reach(host: &dyn Host, terms: Terms) -> anyhow::Result<Wire> {
    let door = Door::find(host)?;
    let program = identity(&local::own_program()?)?;
    let until = Instant::now() + if terms.forced { HELLO_WAIT_FORCED } else { HELLO_WAIT };
    let mut is_started = false;
    loop {
        if let Some((mut wire, hello)) = greet(&door, until)? {
            if hello.protocol == PROTOCOL && hello.program == program {
                return Ok(wire);
            }
            // An upgrade: who waits for the old one gets an answer still.
            wire.send(&Question::Stop { finish: true }, until)?;
        }
        if !terms.urgent {
            bail!("there is none");
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

/// Says hello to whoever listens; none where nobody does.
fn greet(door: &Door, until: Instant) -> anyhow::Result<Option<(Wire, Hello)>> {
    let Some(stream) = door.enter()? else { return Ok(None) };
    let pid = door::process(&stream);
    let mut wire = Wire::new(stream)?;
    let greeted = wire.send(&hello()?, until).and_then(|()| wire.receive::<Hello>(until));
    match greeted {
        Ok(Some(hello)) => Ok(Some((wire, hello))),
        Ok(None) => match pid {
            Some(pid) => {
                bail!("process {pid} has not said hello in time; if it never does, run `kill -9 {pid}`")
            }
            None => bail!("it has not said hello in time"),
        },
        // It was about to end.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// What this process says first.
///
/// # Errors
/// When its program is gone.
pub fn hello() -> anyhow::Result<Hello> {
    Ok(Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        program: identity(&local::own_program()?)?,
    })
}

/// Waits for what ends a question, and tells the person meanwhile what is done.
fn listen(wire: &mut Wire, urgent: bool, patience: &Patience) -> Result<(Vec<Reply>, Vec<String>), Trouble> {
    let mut heard = Instant::now();
    loop {
        if let Some(failure) = patience.spent(Instant::now()) {
            // Dropping the connection stops the computation.
            return Err(Trouble::Told(failure.into()));
        }
        let event = wire.receive(Instant::now() + TICK).map_err(|error| Trouble::Odd(error.into()))?;
        let Some(event) = event else {
            if SILENCE < heard.elapsed() {
                return Err(Trouble::Odd(anyhow!("it has fallen silent")));
            }
            continue;
        };
        heard = Instant::now();
        match event {
            Event::Beat => {}
            Event::Stage(stage) => patience.enter(stage, heard),
            Event::Replies(replies, notes) => return Ok((replies, notes)),
            Event::Failed(Failed { failure: Some(failure), .. }) => {
                return Err(Trouble::Told(failure.into()));
            }
            Event::Failed(Failed { text, .. }) => return Err(Trouble::Told(anyhow!(text))),
            Event::Busy => {
                let why = "askline is busy with other requests; try again".to_owned();
                return Err(Trouble::Told(Failure::Unavailable(why).into()));
            }
            Event::Dropped if !urgent => {
                let why = "something more urgent came".to_owned();
                return Err(Trouble::Told(Failure::Unavailable(why).into()));
            }
            Event::Unable(why) => return Err(Trouble::Odd(anyhow!(why))),
            other @ (Event::Dropped | Event::Broken | Event::Ending | Event::Status(_)) => {
                return Err(Trouble::Odd(anyhow!("it answered {other:?}")));
            }
        }
    }
}
